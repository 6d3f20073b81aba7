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

    The records are what ``bayesbias mlm score`` wrote about each language model.
    """
    there = analysis.paired["measure"].unique()
    measures = {name: MEASURES[name] for name in there if name in MEASURES}
    about = {"analysis": analysis, "records": records, "measures": measures}
    sections = _sections(analysis, records)
    return Page("pairs.html.j2", about, sections, analysis.settings.ci_prob, analysis.doubts)


def _sections(analysis: PairAnalysis, records: Sequence[Mapping[str, Any]]) -> list[Section]:
    frames, ci_prob = analysis.frames, analysis.settings.ci_prob
    shares = partial(interval_table, ci_prob=ci_prob, reference=NO_PREFERENCE, extra=("p_above",))
    levels = frames["summary"]
    means = _dashed(levels[levels["quantity"] == "mean_difference"].drop(columns="quantity"))
    share = levels[levels["quantity"] == "p_stereotypical"].assign(connection="associated")
    by_type = share["level"] == "bias_type"
    scales = frames["scales"].assign(model=frames["scales"]["model"].replace("", "all"))
    measures = frames["measures"]
    return [
        section(
            "found",
            "What was found",
            lines=said.preference_lines(analysis),
            table=shares(share[~by_type], said.SHARE, "measure", "level", "model"),
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
            table=shares(share[by_type], said.SHARE, "measure", "bias_type", "model"),
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
    frame = analysis.frames["contrasts"].assign(connection="associated")
    frame = _dashed(frame[frame["quantity"] == "p_stereotypical"])
    table = interval_table(
        frame.assign(model=frame["first"] + " − " + frame["second"]),
        said.SHARE_DIFFERENCE,
        *("measure", "level", "bias_type", "model"),
        ci_prob=analysis.settings.ci_prob,
        reference=0.0,
        extra=("p_direction",),
    )
    return section("models", "Which model more", lines=said.comparison_lines(analysis), table=table)


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
