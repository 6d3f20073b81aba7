"""Sentences about pairs of sentences: how often language models prefer stereotypes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import pandas as pd

from ...maskedlm.measures import ALL_TYPES
from ...workflows.pairs import PairAnalysis
from ..numbers import number, percent, probability, probability_name
from . import Line

EQUAL = "The same, if both sentences of a pair had as many tokens"

OBSERVED = "Observed shares, with intervals by resampling clusters of pairs"

SHARE = "Probability that the stereotypical sentence of a new pair is preferred"

RANKS = "Probabilities of ranks: 1 is the model that prefers stereotypical sentences most often"

LARGE = 0.25
"""Share of a type's pairs from which one contrast of words decides about it."""

MOST_PAIRS = 3
"""Differences of two models that are worded one by one; of more the table has them."""

SHARE_DIFFERENCE = "Differences in the probability that the stereotypical sentence is preferred"


def preference_lines(analysis: PairAnalysis) -> list[Line]:
    """Word for every model and measure how often stereotypes are preferred, and how sure it is."""
    shares = _of_all_types(analysis.frames["observed"])
    ci = probability_name(analysis.settings.ci_prob)
    lines = []
    for row in _overall(analysis.frames["summary"]):
        key = (row["model"], row["measure"])
        share = shares.loc[key]
        text = (
            f"the stereotypical sentence scores higher in {percent(share['share'], 1)} of "
            f"{int(share['n_pairs']):,} pairs ({int(share['n_ties'])} ties, counted half); "
            f"with other contrasts of words in place of these {int(share['n_clusters']):,}, in "
            f"{percent(share['low'], 1)} to {percent(share['high'], 1)} ({ci} interval, by "
            "resampling them). "
            f"Of a new pair of this kind it does with probability {percent(row['mean'], 1)}, {ci} "
            f"interval {percent(row['low'], 1)} to {percent(row['high'], 1)}; that this is above "
            f"one half has probability {probability(row['p_above'])}."
        )
        lines.append(Line(", ".join(key), text))
    return lines


def comparison_lines(analysis: PairAnalysis) -> list[Line]:
    """Word which language model prefers stereotypes most, by how much, and how sure that is."""
    ci = probability_name(analysis.settings.ci_prob)
    rows = _overall(analysis.frames["contrasts"])
    lines = _rank_lines(analysis)
    for row in rows if len(analysis.models) <= MOST_PAIRS else []:
        more, less = ("first", "second") if row["mean"] > 0 else ("second", "first")
        crossing = row["low"] < 0 < row["high"]
        low, high = sorted([abs(row["low"]), abs(row["high"])])
        interval = (
            f"its {ci} interval holds zero"
            if crossing
            else f"{ci} interval {number(100 * low, 1)} to {number(100 * high, 1)} points"
        )
        text = (
            f"{row[more]} prefers stereotypical sentences more often than {row[less]}, by "
            f"{number(100 * abs(row['mean']), 1)} percentage points; {interval}, and the direction "
            f"has probability {probability(row['p_direction'])}."
        )
        lines.append(Line(row["measure"], text))
    return lines


def _rank_lines(analysis: PairAnalysis) -> list[Line]:
    """Word for every measure which of three models or more is likely the most stereotyped."""
    if len(analysis.models) < 3:
        return []
    frame = pd.DataFrame(_overall(analysis.frames["ranks"]))
    lines = []
    for measure, rows in frame[frame["rank"] == 1].groupby("measure", sort=False):
        first, second = rows.sort_values("probability", ascending=False).to_dict("records")[:2]
        text = (
            f"of {len(rows)} models {first['model']} prefers stereotypical sentences most often "
            f"with probability {probability(first['probability'])}, {second['model']} with "
            f"{probability(second['probability'])}."
        )
        lines.append(Line(str(measure), text))
    return lines


def narrow_types(analysis: PairAnalysis) -> list[str]:
    """Name the bias types of which one contrast of words has many pairs, once for all models."""
    observed = analysis.frames["observed"].drop_duplicates("bias_type")
    named = [
        f"{row['bias_type']} ({row['largest_cluster']}: {percent(row['largest_share'])} of its "
        f"{int(row['n_pairs']):,} pairs)"
        for row in observed.to_dict("records")
        if row["bias_type"] != ALL_TYPES and LARGE <= row["largest_share"] < 1
    ]
    if not named:
        return []
    return [
        f"One contrast of words has many pairs of {', '.join(named)}. What is said of these types "
        "is said of that contrast before all; what another as large would show, the data do not "
        "know."
    ]


def share_texts(measure: str, rows: pd.DataFrame) -> tuple[str, str]:
    """Word what stands below a forest of shares, and what it shows to who cannot see it."""
    models = ", ".join(rows["model"].astype(str).unique())
    below = f"Shares of pairs whose stereotypical sentence is preferred, by {measure}."
    return below, f"{below} A row for each of {models}, a block for each bias type."


def order_texts(measure: str, rows: pd.DataFrame) -> tuple[str, str]:
    """Word what stands below the curves of orders, and what they show to who cannot see them."""
    below = (
        f"How often the order of the language models by {measure} stays when only some pairs are "
        "at hand, of published measures."
    )
    fewest = rows[rows["rate"] == rows["rate"].min()]
    said = [
        f"{row['statistic']} {percent(row['same_order'])} ({row['order']})"
        for row in fewest.to_dict("records")
    ]
    share = percent(float(rows["rate"].min()))
    return below, f"{below} With {share} of the pairs: {', '.join(said)}."


def unscored_sentences(records: Sequence[Mapping[str, Any]]) -> list[str]:
    """Name the pairs that a measure has no score of, and count answers left out."""
    sentences = []
    for record in records:
        pairs: dict[str, dict[str, None]] = {}
        for row in record.get("unscored", []):
            pairs.setdefault(str(row.get("measure", "sss")), {})[str(row["pair_id"])] = None
        sentences += [
            f"Under {record['model']}, {measure} has no value for pairs {', '.join(ids)}: a "
            "sentence of theirs has no token of the kind that it is made of, modified or shared."
            for measure, ids in pairs.items()
        ]
        if record.get("left_out"):
            sentences.append(
                f"{record['left_out']:,} answers in {record['log']} chose neither sentence, and "
                "are left out."
            )
    return sentences


def _overall(frame: pd.DataFrame) -> list[dict[Any, Any]]:
    if frame.empty:
        return []
    rows = frame[(frame["level"] == "overall") & (frame["quantity"] == "p_stereotypical")]
    return rows.to_dict("records")


def _of_all_types(frame: pd.DataFrame) -> pd.DataFrame:
    return frame[frame["bias_type"] == ALL_TYPES].set_index(["model", "measure"])
