"""Sentences about pairs of sentences: how often language models prefer stereotypes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import pandas as pd

from ...maskedlm.measures import ALL_TYPES
from ...workflows.pairs import PairAnalysis
from . import Line
from .numbers import number, percent, probability, probability_name

UNEXPECTED = 0.025
"""A predicted share is taken not to fit if this part or less of it lies beyond the observed."""

SHARE = "Probability that the stereotypical sentence of a new pair is preferred"

SHARE_DIFFERENCE = "Differences in the probability that the stereotypical sentence is preferred"


def preference_lines(analysis: PairAnalysis) -> list[Line]:
    """Word for every model and measure how often stereotypes are preferred, and how sure it is."""
    seen, fits = (_of_all_types(analysis.frames[name]) for name in ("measures", "preference"))
    ci = probability_name(analysis.settings.ci_prob)
    lines = []
    for row in _overall(analysis.frames["summary"]):
        key = (row["model"], row["measure"])
        observed, expected = seen.loc[key], fits.loc[key]
        text = (
            f"the stereotypical sentence scores higher in {number(observed['percentage'], 1)}% of "
            f"{int(observed['n_pairs']):,} pairs ({int(observed['n_ties'])} ties, counted half). "
            f"Of a new pair of this kind it does with probability {percent(row['mean'], 1)}, {ci} "
            f"interval {percent(row['low'], 1)} to {percent(row['high'], 1)}; that this is above "
            f"one half has probability {probability(row['p_above'])}."
        )
        if not UNEXPECTED <= expected["p_as_low"] <= 1 - UNEXPECTED:
            text += (
                f" The model {analysis.spec.name} does not fit here: for as many new pairs it "
                f"expects {number(expected['predicted'], 1)}%, so rely on the share of pairs, "
                "and see whether the fit checks better with another model."
            )
        lines.append(Line(", ".join(key), text))
    return lines


def comparison_lines(analysis: PairAnalysis) -> list[Line]:
    """Word for every two models which prefers stereotypes more, and how sure that is."""
    ci = probability_name(analysis.settings.ci_prob)
    lines = []
    for row in _overall(analysis.frames["contrasts"]):
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


def unscored_sentences(records: Sequence[Mapping[str, Any]]) -> list[str]:
    """Name the pairs that have no SSS under a language model."""
    sentences = []
    for record in records:
        ids = dict.fromkeys(str(row["pair_id"]) for row in record.get("unscored", []))
        if ids:
            sentences.append(
                f"Under {record['model']}, SSS has no value for pairs {', '.join(ids)}: one of "
                "the two sentences only leaves words out, and none of its own was modified."
            )
    return sentences


def _overall(frame: pd.DataFrame) -> list[dict[Any, Any]]:
    if frame.empty:
        return []
    rows = frame[(frame["level"] == "overall") & (frame["quantity"] == "p_stereotypical")]
    return rows.to_dict("records")


def _of_all_types(frame: pd.DataFrame) -> pd.DataFrame:
    return frame[frame["bias_type"] == ALL_TYPES].set_index(["model", "measure"])
