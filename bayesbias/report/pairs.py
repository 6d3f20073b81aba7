"""The page on sentence pairs under language models."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

import pandas as pd

from ..maskedlm.measures import ALL_TYPES
from ..maskedlm.questions import MEASURES
from ..workflows.pairs import PairAnalysis
from .page import Page, Section, section
from .tables import Table, interval_table, plain_table
from .wording import pairs as said

NO_PREFERENCE = 0.5


def pairs_page(analysis: PairAnalysis, records: Sequence[Mapping[str, Any]]) -> Page:
    """Return the page of sentence pairs.

    Parameters
    ----------
    analysis : PairAnalysis
    records : sequence of mapping
        What ``bayesbias mlm score`` wrote about each language model: ``model``, ``model_hash``,
        ``dataset``, ``data_hash``, ``unscored``.
    """
    there = analysis.paired["measure"].unique()
    measures = {name: MEASURES[name] for name in there if name in MEASURES}
    about = {"analysis": analysis, "records": records, "measures": measures}
    sections = _sections(analysis, records)
    return Page("pairs.html.j2", about, sections, analysis.settings.ci_prob, analysis.doubts)


def _sections(analysis: PairAnalysis, records: Sequence[Mapping[str, Any]]) -> list[Section]:
    frames, shares = analysis.frames, partial(_shares, analysis)
    levels = frames["summary"]
    share = levels[levels["quantity"] == "p_stereotypical"]
    means = _dashed(levels[levels["quantity"] == "mean_difference"].drop(columns="quantity"))
    scales = frames["scales"].assign(model=frames["scales"]["model"].replace("", "all"))
    measures = frames["measures"]
    return [
        section(
            "found",
            "What was found",
            lines=said.preference_lines(analysis),
            table=shares(share[share["level"] != "bias_type"], said.SHARE, "level"),
        ),
        section("reading", "How to read this"),
        section(
            "measured",
            "What was measured",
            counts=_counts(analysis.paired),
            unscored=said.unscored_sentences(records),
        ),
        section(
            "types",
            "Bias types",
            table=shares(share[share["level"] == "bias_type"], said.SHARE, "bias_type"),
            means=plain_table(means, "Mean differences, in the unit of each measure"),
            scales=plain_table(scales, "Standard deviations, in the unit of each measure"),
        ),
        *([_models(analysis)] if len(analysis.models) > 1 else []),
        section(
            "measures",
            "Published measures",
            table=plain_table(_all_types(measures), "Published measures over all pairs"),
            by_type=plain_table(
                measures[measures["bias_type"] != ALL_TYPES], "Published measures by bias type"
            ),
            distribution=plain_table(
                _all_types(frames["distribution"]),
                "Scores of both kinds of sentences, all types together",
            ),
            sampling=plain_table(frames["sampling"], "Measures from samples of the pairs"),
        ),
        section(
            "check",
            "Does the model fit",
            table=plain_table(frames["preference"], "Preferences, observed and predicted"),
            check=plain_table(frames["check"], "Differences inside their predictive intervals"),
        ),
        section("limits", "What may not be concluded"),
        section("provenance", "Provenance"),
    ]


def _models(analysis: PairAnalysis) -> Section:
    """Return which of several models prefers stereotypes more."""
    frame = analysis.frames["contrasts"]
    frame = _dashed(frame[frame["quantity"] == "p_stereotypical"])
    frame = frame.assign(model=frame["first"] + " − " + frame["second"])
    differences = partial(_shares, reference=0.0, extra=("p_direction",))
    table = differences(analysis, frame, said.SHARE_DIFFERENCE, "level", "bias_type")
    lines = said.comparison_lines(analysis)
    return section("models", "Which model more", lines=lines, table=table)


def _shares(
    analysis: PairAnalysis,
    frame: pd.DataFrame,
    caption: str,
    *names: str,
    reference: float = NO_PREFERENCE,
    extra: tuple[str, ...] = ("p_above",),
) -> Table:
    return interval_table(
        frame.assign(connection="associated"),
        caption,
        "measure",
        *names,
        "model",
        ci_prob=analysis.settings.ci_prob,
        reference=reference,
        extra=extra,
    )


def _all_types(frame: pd.DataFrame) -> pd.DataFrame:
    return frame[frame["bias_type"] == ALL_TYPES].drop(columns="bias_type")


def _dashed(frame: pd.DataFrame) -> pd.DataFrame:
    """Return a frame with a dash where a row is of no single bias type."""
    return frame.assign(bias_type=frame["bias_type"].replace("", "–"))


def _counts(paired: pd.DataFrame) -> Table:
    """Count the pairs of every bias type under every model and measure that differ in it."""
    counts = paired.groupby(["bias_type", "measure"])["pair_id"].nunique().unstack(fill_value=0)
    wide = counts[paired["measure"].unique()].add_prefix("pairs, ").reset_index()
    return plain_table(wide, "Sentence pairs by bias type")
