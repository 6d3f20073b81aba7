"""Sentences about a change: what moved, whether orders turned, what single numbers hide."""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from typing import Any

import numpy as np
import pandas as pd

from ..._core.intervals import interval
from ...tables.levels import OVERALL, at_level
from ...tables.schema import CONTROLS
from ...workflows.change import ORDER, ChangeAnalysis
from ..numbers import (
    counted,
    ends,
    joined,
    named,
    number,
    percent,
    probability,
    probability_name,
    signed,
    step,
    t_test,
)
from . import Headline, headline_of
from .models import widths_in_words

LIKELY = 0.9
"""Probability from which a word is named as one that moved, turned, or stayed."""


def headline(analysis: ChangeAnalysis) -> Headline | None:
    """Word what a page leads with: the change of associated − different, overall and by group.

    None where the tables lack one of them.
    """
    if analysis.lead.turned is None:
        return None
    about = (
        f"{ORDER[0].capitalize()} − {ORDER[1]}, before and after: the mean distance to stereotypes "
        "of the word's own group, less that to stereotypes of the other groups. Above zero, its "
        f"change says that a group's own moved away. Means and "
        f"{probability_name(analysis.settings.ci_prob)} intervals of the model "
        f"{analysis.lead.spec.name}: overall, then the strongest group first."
    )
    return headline_of(about, analysis.lead.orders, _headline_sentence)


def _headline_sentence(row: Mapping[Hashable, Any]) -> str:
    before, after, change = step(row["before"], row["after"], signed)
    return f"from {before} to {after}: {change} ({ends(row)})." + (
        "" if row["low"] > 0 or row["high"] < 0 else " The interval of the change includes zero."
    )


def change_lines(analysis: ChangeAnalysis) -> list[str]:
    """Word how far each connection moved overall."""
    settings, lines = analysis.settings, []
    for _, row in at_level(analysis.lead.changes, OVERALL).iterrows():
        before, after, change = step(row["before"], row["after"])
        lines.append(
            f"{row['connection'].capitalize()} attributes went from {before} to {after}: {change}, "
            f"{probability_name(settings.ci_prob)} interval {ends(row)}. The probability that they "
            f"moved by more than {settings.rope:g} is {probability(row['p_moved'])}; that they "
            f"came nearer to 1, {probability(row['p_towards_one'])}."
        )
    return lines


def origin_sentences(analysis: ChangeAnalysis) -> list[str]:
    """Word the word list and the embeddings of the tables, as far as they are known."""
    known = [f"Word list: {analysis.wordlist}."] if analysis.wordlist else []
    names = [_embedding(table) for table in (analysis.before, analysis.after)]
    if all(names):
        known.append(f"Embeddings: {names[0]} before, {names[1]} after.")
    return [" ".join(known)] if known else []


def _embedding(table: pd.DataFrame) -> str:
    names = list(dict.fromkeys(table["embedding"].dropna())) if "embedding" in table else []
    return str(names[0]) if len(names) == 1 else ""


def alignment_sentence(analysis: ChangeAnalysis) -> str:
    """Word whether the overall means of the connections came together."""
    row = analysis.lead.alignment.iloc[0]
    n = analysis.lead.changes["connection"].nunique()
    return (
        f"The overall means of the {counted(n, 'connection')} spanned {number(row['before'])} "
        f"before and span {number(row['after'])} after. The probability that they came closer "
        f"together is {probability(row['p_narrower'])}; that they all stand in the order in which "
        f"they stood, {probability(row['p_same_order'])}."
    )


def order_sentences(analysis: ChangeAnalysis) -> list[str]:
    """Word for how many protected words the order of associated and different turned."""
    result, sure = analysis.lead, percent(LIKELY)
    if result.turned is None:
        return [f"The tables lack {joined(ORDER)} attributes, so there is no order to watch."]
    words = result.orders[result.orders["level"] == "word"]
    low, high = interval(result.turned[:, None], **analysis.settings.intervals)[0]
    stayed = words[words["p_turned"] < 1 - LIKELY]
    turned = words[words["p_turned"] > LIKELY]
    most = words.sort_values("p_turned").iloc[-1]
    return [
        f"Of {counted(len(words), 'protected word')}, the order of {joined(ORDER)} attributes is "
        f"expected to have turned for {number(float(result.turned.mean()), 1)} "
        f"({probability_name(analysis.settings.ci_prob)} interval {low:.0f} to {high:.0f}).",
        f"It stayed with a probability above {sure} for {_words(stayed)}."
        if len(stayed)
        else f"For no word is it {sure} sure that it stayed: the gaps are small against what is "
        "known of them, before as after.",
        f"It turned with a probability above {sure} for {_words(turned)}."
        if len(turned)
        else f"For no word did it turn with a probability above {sure}; most likely for "
        f"{most['protected_word']}, {probability(most['p_turned'])}.",
    ]


def side_effect_sentences(analysis: ChangeAnalysis) -> list[str]:
    """Word how far the control words moved."""
    frame, rope = analysis.lead.changes, analysis.settings.rope
    sentences = []
    for name in CONTROLS:
        own = frame[frame["connection"] == name]
        if own.empty:
            continue
        overall, words = at_level(own, OVERALL).iloc[0], own[own["level"] == "word"]
        moved = words[words["p_moved"] > LIKELY]
        which = f", {_words(moved)} at more than {percent(LIKELY)}" if len(moved) else ""
        sentences.append(
            f"{name.capitalize()} words were not meant to move. Overall they moved by "
            f"{signed(overall['mean'])} ({ends(overall)}), by more than {rope:g} with a "
            f"probability of {probability(overall['p_moved'])}; the expected number of protected "
            f"words for which they did is {number(float(words['p_moved'].sum()), 1)} of "
            f"{len(words)}{which}."
        )
    none = "The tables have no neutral or human words, so side effects cannot be seen."
    return sentences or [none]


def biggest_sentences(analysis: ChangeAnalysis) -> list[str]:
    """Name the word whose stereotypes moved farthest."""
    frame = analysis.lead.changes
    own = frame[(frame["level"] == "word") & (frame["connection"].isin(ORDER))]
    return [
        f"The largest change of a single word is that of “{row['protected_word']}”, "
        f"{row['connection']}: {signed(row['mean'])} ({ends(row)})."
        for _, row in own.sort_values("mean", key=abs).tail(1).iterrows()
    ]


def mac_sentence(analysis: ChangeAnalysis) -> str:
    """Word what MAC and its t-test say, and what they leave out."""
    row = analysis.scores[analysis.scores["score"] == "mac"].iloc[0]
    test = f" (paired t-test {t_test(row)})" if np.isfinite(row["t"]) else ""
    return (
        f"MAC goes from {number(row['before'])} to {number(row['after'])}{test}. It averages "
        "associated and different attributes of all words, and so says neither which of them "
        "moved, nor for whom, nor whether control words moved as well."
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
    """Word how far Direct Bias fell, and how well a classifier finds the bias again."""
    if analysis.remains is None:
        return []
    rows = {row["check"]: row for row in analysis.remains.to_dict("records")}
    sentences = []
    if "direct_bias" in rows:
        row = rows["direct_bias"]
        sentences.append(
            f"The mean Direct Bias of {counted(row['n'], 'target word')} goes from "
            f"{number(row['before'])} to {number(row['after'])}."
        )
    row = rows["classifier"]
    sentences.append(
        f"Of the {counted(row['n'], 'word')} that leaned most before, a classifier tells the class "
        f"for {percent(row['before'])} before and {percent(row['after'])} after; "
        f"{percent(row['chance'])} would be chance. Scores along one direction do not show what "
        "it finds."
    )
    return sentences


def band_sentence(analysis: ChangeAnalysis) -> str:
    """Word the shares of single distances inside the band around 1."""
    bands = analysis.bands
    half = (bands["band_high"].iloc[0] - bands["band_low"].iloc[0]) / 2
    parts = joined(
        f"{percent(row['share_before'])} before and {percent(row['share_after'])} after for "
        f"{row['connection']}"
        for row in bands.to_dict("records")
    )
    return f"Inside ±{half:.2f} around 1 lie, of the single distances, {parts}."


def crossed_sentences(analysis: ChangeAnalysis) -> list[str]:
    """Word how much wider the overall intervals are when attribute words have effects."""
    base, *others = (
        at_level(result.changes, OVERALL).set_index("connection")
        for result in analysis.results.values()
    )
    return [
        f"With effects of attribute words (model {model}) the overall intervals are "
        f"{widths_in_words(base, other)}. Each attribute is measured against every protected "
        "word, so that its own movement comes into many distances at once; trust the wider ones."
        for model, other in zip(list(analysis.results)[1:], others, strict=True)
    ]


def pairing_sentences(analysis: ChangeAnalysis) -> list[str]:
    """Word how many rows were paired, repeated and left out."""
    attrs = analysis.lead.posterior.attrs
    sentences = [f"{counted(attrs['n_pairs'], 'pair')} of rows, matched on words and connection."]
    if attrs["n_repeated"]:
        sentences.append(
            f"{counted(attrs['n_repeated'], 'pair repeats', 'pairs repeat')} the words of an "
            "earlier one; repeated rows were matched in their order, and count as often as they "
            "stand."
        )
    lost = joined(f"{attrs[f'n_unpaired_{name}']:,} {name}" for name in ("before", "after"))
    sentences.append(
        f"Rows without a partner were left out: {lost}; see unpaired.csv."
        if len(analysis.unpaired)
        else "Every row has a partner."
    )
    return sentences


def told_lines(analysis: ChangeAnalysis) -> list[str]:
    """Word the most important findings for the command line."""
    row, leads = at_level(analysis.lead.changes, OVERALL).iloc[0], headline(analysis)
    return [
        " ".join(pairing_sentences(analysis)),
        *([leads.about, *(f"  {line}" for line in leads.lines)] if leads else []),
        f"Overall {row['connection']} attributes moved by {signed(row['mean'])} ({ends(row)}). "
        f"{order_sentences(analysis)[0]}",
        mac_sentence(analysis),
        *remains_sentences(analysis),
    ]


CAPTIONS = {
    "change": "How far each kind of attribute moved: all words, each group, each word.",
    "arrows": "Where each kind of attribute went, by posterior means.",
    "headline": "Associated − different, overall and by group: squares before, dots after.",
    "order": "The order of associated and different attributes, before and after, word by word.",
    "before": "Mean distances before, with {} intervals.",
    "after": "Mean distances after, with {} intervals.",
    "distributions": "All measured distances by connection, before and after, and one band around "
    "1.",
}
"""What stands below the figures of a change."""


def figure_texts(analysis: ChangeAnalysis, name: str) -> tuple[str, str]:
    """Return caption and alternative text of a figure, by its name in ``CAPTIONS``."""
    caption = CAPTIONS[name].format(probability_name(analysis.settings.ci_prob))
    if name == "distributions":
        first = "Distributions of the distances before and after."
        return caption, f"{first} {band_sentence(analysis)}"
    if name in {"order", "headline"}:
        return caption, " ".join([caption, *order_sentences(analysis)])
    if name in {"before", "after"}:
        return caption, f"{caption} {alignment_sentence(analysis)}"
    moved = " ".join(change_lines(analysis))
    return caption, f"{caption} {moved} Single words: see changes.csv."


def _words(rows: pd.DataFrame) -> str:
    return named(rows["protected_word"].astype(str).tolist())
