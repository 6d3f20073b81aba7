"""Sentences about a change: what moved, whether orders turned, what single numbers hide."""

from __future__ import annotations

import numpy as np
import pandas as pd

from .._core.intervals import interval
from ..comparison.changes import CONTROLS
from ..workflows.change import ORDER, ChangeAnalysis, ChangeResult
from .sentences import (
    counted,
    joined,
    number,
    percent,
    probability,
    probability_name,
    signed,
    signed_end,
    step,
)

LIKELY = 0.9
"""Probability from which a word is named as one that moved, turned, or stayed."""

MOST_NAMED = 6
"""Words that a sentence names."""


def change_lines(analysis: ChangeAnalysis) -> list[str]:
    """Tell how far each connection moved overall."""
    return [_change_line(row, analysis) for _, row in _overall(analysis.lead.changes).iterrows()]


def _change_line(row: pd.Series, analysis: ChangeAnalysis) -> str:
    before, after, change = step(row["before"], row["after"])
    return (
        f"{row['connection'].capitalize()} attributes went from {before} to {after}: {change}, "
        f"{probability_name(analysis.settings.ci_prob)} interval {_ends(row)}. The "
        f"probability that they moved by more than {analysis.settings.rope:g} is "
        f"{probability(row['p_moved'])}; that they came nearer to 1, "
        f"{probability(row['p_towards_one'])}."
    )


def origin_sentence(analysis: ChangeAnalysis) -> str:
    """Tell the word list and the embeddings of the tables, as far as they are known."""
    known = [f"Word list: {analysis.wordlist}."] if analysis.wordlist else []
    names = [_embedding(table) for table in (analysis.before, analysis.after)]
    if all(names):
        known.append(f"Embeddings: {names[0]} before, {names[1]} after.")
    return " ".join(known)


def _embedding(table: pd.DataFrame) -> str:
    names = list(dict.fromkeys(table["embedding"].dropna())) if "embedding" in table else []
    return str(names[0]) if len(names) == 1 else ""


def alignment_sentence(analysis: ChangeAnalysis) -> str:
    """Tell whether the overall means of the connections came together."""
    row = analysis.lead.alignment.iloc[0]
    n = analysis.lead.changes["connection"].nunique()
    return (
        f"The overall means of the {counted(n, 'connection')} spanned {number(row['before'])} "
        f"before and span {number(row['after'])} after. The probability that they came closer "
        f"together is {probability(row['p_narrower'])}; that they all stand in the order in which "
        f"they stood, {probability(row['p_same_order'])}."
    )


def order_sentences(analysis: ChangeAnalysis) -> list[str]:
    """Tell for how many protected words the order of associated and different turned."""
    result = analysis.lead
    if result.turned is None:
        return [f"The tables lack {joined(ORDER)} attributes, so there is no order to watch."]
    words = result.orders[result.orders["level"] == "word"]
    low, high = interval(result.turned[:, None], **analysis.settings.intervals)[0]
    told = [
        f"Of {counted(len(words), 'protected word')}, the order of {joined(ORDER)} attributes is "
        f"expected to have turned for {number(float(result.turned.mean()), 1)} "
        f"({probability_name(analysis.settings.ci_prob)} interval {low:.0f} to {high:.0f})."
    ]
    stayed = words[words["p_turned"] < 1 - LIKELY]
    told.append(
        f"It stayed with a probability above {percent(LIKELY)} for {_named(stayed)}."
        if len(stayed)
        else f"For no word is it {percent(LIKELY)} sure that it stayed: the gaps are small "
        "against what is known of them, before as after."
    )
    turned = words[words["p_turned"] > LIKELY]
    most = words.sort_values("p_turned").iloc[-1]
    told.append(
        f"It turned with a probability above {percent(LIKELY)} for {_named(turned)}."
        if len(turned)
        else f"For no word did it turn with a probability above {percent(LIKELY)}; most likely for "
        f"{most['protected_word']}, {probability(most['p_turned'])}."
    )
    return told


def side_effect_sentences(analysis: ChangeAnalysis) -> list[str]:
    """Tell how far the control words moved."""
    frame, rope = analysis.lead.changes, analysis.settings.rope
    told = []
    for name in CONTROLS:
        own = frame[frame["connection"] == name]
        if own.empty:
            continue
        overall, words = _overall(own).iloc[0], own[own["level"] == "word"]
        moved = words[words["p_moved"] > LIKELY]
        text = (
            f"{name.capitalize()} words were not meant to move. Overall they moved by "
            f"{signed(overall['mean'])} ({_ends(overall)}), by more than {rope:g} with a "
            f"probability of {probability(overall['p_moved'])}; the expected number of protected "
            f"words for which they did is {number(float(words['p_moved'].sum()), 1)} of "
            f"{len(words)}"
        )
        text += f", {_named(moved)} at more than {percent(LIKELY)}" if len(moved) else ""
        told.append(f"{text}.")
    return told or ["The tables have no neutral or human words, so side effects cannot be seen."]


def biggest_sentence(analysis: ChangeAnalysis) -> str:
    """Name the word whose stereotypes moved farthest."""
    frame = analysis.lead.changes
    own = frame[(frame["level"] == "word") & (frame["connection"].isin(ORDER))]
    if own.empty:
        return ""
    row = own.sort_values("mean", key=abs).iloc[-1]
    return (
        f"The largest change of a single word is that of “{row['protected_word']}”, "
        f"{row['connection']}: {signed(row['mean'])} ({_ends(row)})."
    )


def mac_sentence(analysis: ChangeAnalysis) -> str:
    """Tell what MAC and its t-test say, and what they leave out."""
    row = analysis.scores[analysis.scores["score"] == "mac"].iloc[0]
    told = f"MAC goes from {number(row['before'])} to {number(row['after'])}"
    if np.isfinite(row["t"]):
        told += f" (paired t-test t = {number(row['t'], 2)}, p {p_value(row['p_value'])})"
    return (
        f"{told}. It averages associated and different attributes of all words, and so says "
        "neither which of them moved, nor for whom, nor whether control words moved as well."
    )


def outside_sentences(analysis: ChangeAnalysis) -> list[str]:
    """Explain changes that lie outside their bootstrap interval, as debiasing makes them."""
    scores = analysis.scores
    outside = (scores["change"] < scores["low"]) | (scores["change"] > scores["high"])
    names = list(dict.fromkeys(scores["score"][outside].str.replace("_", " ")))
    if not names:
        return []
    return [
        f"The change of {joined(names)} lies outside its interval. The bootstrap draws words anew, "
        "and a direction that was taken out for just these words is taken out less for others."
    ]


def remains_sentences(analysis: ChangeAnalysis) -> list[str]:
    """Tell how far Direct Bias fell, and how well a classifier finds the bias again."""
    if analysis.remains is None:
        return []
    rows = {row["check"]: row for row in analysis.remains.to_dict("records")}
    told = []
    if "direct_bias" in rows:
        row = rows["direct_bias"]
        told.append(
            f"The mean Direct Bias of {counted(row['n'], 'target word')} goes from "
            f"{number(row['before'])} to {number(row['after'])}."
        )
    row = rows["classifier"]
    told.append(
        f"Of the {counted(row['n'], 'word')} that leaned most before, a classifier tells the class "
        f"for {percent(row['before'])} before and {percent(row['after'])} after; "
        f"{percent(row['chance'])} would be chance. Scores along one direction do not show what "
        "it finds."
    )
    return told


def band_sentence(analysis: ChangeAnalysis) -> str:
    """Tell the shares of single distances inside the band around 1."""
    bands = analysis.bands
    half = (bands["band_high"].iloc[0] - bands["band_low"].iloc[0]) / 2
    parts = joined(
        f"{percent(row['share_before'])} before and {percent(row['share_after'])} after for "
        f"{row['connection']}"
        for row in bands.to_dict("records")
    )
    return f"Inside ±{half:.2f} around 1 lie, of the single distances, {parts}."


def crossed_sentence(base: ChangeResult, other: ChangeResult) -> str:
    """Tell how much wider the overall intervals are when attribute words have effects."""
    first, second = (_overall(one.changes).set_index("connection") for one in (base, other))
    widths = [frame["high"] - frame["low"] for frame in (first, second)]
    ratios = widths[1] / widths[0]
    return (
        f"With effects of attribute words (model {other.spec.name}) the overall intervals are "
        + joined(f"{ratios[name]:.2f} times as wide for {name}" for name in ratios.index)
        + ". Each attribute is measured against every protected word, so that its own movement "
        "comes into many distances at once; trust the wider ones."
    )


def pairing_sentences(analysis: ChangeAnalysis) -> list[str]:
    """Tell how many rows were paired, repeated and left out."""
    attrs = analysis.lead.posterior.attrs
    told = [f"{counted(attrs['n_pairs'], 'pair')} of rows, matched on words and connection."]
    if attrs["n_repeated"]:
        told.append(
            f"{counted(attrs['n_repeated'], 'pair repeats', 'pairs repeat')} the words of an "
            "earlier one; repeated rows were matched in their order, and count as often as they "
            "stand."
        )
    lost = [f"{attrs[f'n_unpaired_{name}']:,} {name}" for name in ("before", "after")]
    if len(analysis.unpaired):
        told.append(f"Rows without a partner were left out: {joined(lost)}; see unpaired.csv.")
    else:
        told.append("Every row has a partner.")
    return told


def headline(analysis: ChangeAnalysis) -> str:
    """Tell the most important finding in one line, for the terminal."""
    row = _overall(analysis.lead.changes).iloc[0]
    return (
        f"Overall {row['connection']} attributes moved by {signed(row['mean'])} ({_ends(row)}). "
        f"{order_sentences(analysis)[0]}"
    )


def _overall(frame: pd.DataFrame) -> pd.DataFrame:
    return frame[frame["level"] == "overall"]


def _ends(row: pd.Series) -> str:
    return f"{signed_end(row['low'])} … {signed_end(row['high'])}"


def _named(words: pd.DataFrame) -> str:
    names = words["protected_word"].astype(str).tolist()
    if len(names) <= MOST_NAMED:
        return joined(names)
    return ", ".join(names[:MOST_NAMED]) + f" and {len(names) - MOST_NAMED} more"


def p_value(value: float) -> str:
    """Write a p-value with the sign before it."""
    return f"= {value:.3f}" if value >= 0.001 else "< 0.001"
