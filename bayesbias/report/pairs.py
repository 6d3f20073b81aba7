"""The page on sentence pairs under language models."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

import pandas as pd

from ..maskedlm.measures import ALL_TYPES
from ..maskedlm.questions import MEASURES
from ..plots.curves import curves
from ..plots.forest import MOST_ROWS
from ..plots.rates import pair_forest
from ..workflows.pairs import PairAnalysis
from .figures import Figure
from .page import Page, Section, section
from .tables import Table, interval_table, plain_table
from .wording import pairs as said

if TYPE_CHECKING:
    from matplotlib.axes import Axes

NO_PREFERENCE = 0.5


def pairs_page(analysis: PairAnalysis, records: Sequence[Mapping[str, Any]]) -> Page:
    """Return the page of sentence pairs.

    The records are what ``bayesbias mlm score`` wrote about each language model, or what is known
    of the logs.
    """
    there = [name for each in analysis.paired["measure"].unique() for name in each.split(" or ")]
    measures = {name: MEASURES[name] for name in there if name in MEASURES}
    about = {"analysis": analysis, "records": records, "measures": measures}
    sections = _sections(analysis, records)
    return Page("pairs.html.j2", about, sections, analysis.settings.ci_prob, analysis.doubts)


def _sections(analysis: PairAnalysis, records: Sequence[Mapping[str, Any]]) -> list[Section]:
    frames, ci_prob = analysis.frames, analysis.settings.ci_prob
    shares = partial(interval_table, ci_prob=ci_prob, reference=NO_PREFERENCE, extra=("p_above",))
    levels = frames["summary"]
    share = levels[levels["quantity"] == "p_stereotypical"].assign(connection="associated")
    equal = levels[levels["quantity"] == "p_equal_length"].assign(connection="associated")
    by_type = share["level"] == "bias_type"
    scales = frames["scales"].assign(model=frames["scales"]["model"].replace("", "all"))
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
            _figures(_drawable(levels), "shares", pair_forest, said.share_texts),
            narrow=said.narrow_types(analysis),
            table=shares(share[by_type], said.SHARE, "measure", "bias_type", "model"),
            equal=shares(_dashed(equal), said.EQUAL, "measure", "level", "bias_type", "model"),
            observed=plain_table(frames["observed"], said.OBSERVED),
            scales=plain_table(scales, "Standard deviations, and slopes of covariates"),
        ),
        *([_models(analysis)] if len(analysis.models) > 1 else []),
        *([] if frames["measures"].empty else [_measures(frames)]),
        section("limits", "What may not be concluded"),
        section("provenance", "Provenance"),
    ]


def _figures(
    frame: pd.DataFrame,
    name: str,
    plot: Callable[[pd.DataFrame], Axes],
    texts: Callable[[str, pd.DataFrame], tuple[str, str]],
) -> list[Figure]:
    """Return a figure of every measure's rows."""
    if frame.empty:
        return []
    return [
        Figure(f"{name}-{measure}".replace(" ", "-"), partial(plot, rows), texts(measure, rows))
        for measure, rows in frame.groupby(frame["measure"].astype(str), sort=False)
    ]


_order_curves = partial(curves, x="rate", y="same_order", by="statistic")


def _drawable(levels: pd.DataFrame) -> pd.DataFrame:
    """Return the measures whose shares one forest holds."""
    shares = levels["quantity"] == "p_stereotypical"
    return levels[shares.groupby(levels["measure"]).transform("sum") <= MOST_ROWS]


def _measures(frames: Mapping[str, pd.DataFrame]) -> Section:
    """Return what published measures make of the scores."""
    measures = frames["measures"]
    return section(
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
    )


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
    ranks = analysis.frames["ranks"]
    ranks = _dashed(ranks[ranks["quantity"] == "p_stereotypical"])
    keys = ["measure", "level", "bias_type", "model"]
    wide = ranks.pivot_table("probability", keys, "rank", sort=False).add_prefix("P(rank ")
    return section(
        "models",
        "Which model more",
        _figures(analysis.frames["order"], "order", _order_curves, said.order_texts),
        lines=said.comparison_lines(analysis),
        ranks=plain_table(wide.add_suffix(")").reset_index(), said.RANKS),
        table=table,
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
