"""Predictive checks: measured distances over what a model expects, and what its priors expect."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from ..model.tree import index_of, labels, observed, outcome_of
from ..posterior.predictive import predictive_intervals
from ..tables.descriptives import predictive_rows
from .forest import intervals as draw_intervals
from .frame import (
    TEXT_SIZE,
    guides,
    header,
    interval_name,
    key,
    new_axes,
    percent,
    require_frame,
)
from .palette import COLOURS, FAINT, INK, LINE, MISS

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from xarray import DataTree

    from .._core.arrays import FloatArray

BLOCK, FEW, MOST = 0.92, 100, 200
"""Share of a block that is drawn in; rows that are seen singly; rows of a block drawn."""

OUTCOMES = {"cosine_distance": "cosine distance", "change": "change of cosine distance"}
"""What was modelled, in words."""


def predictive_check(
    tree: DataTree,
    *,
    ci_prob: float = 0.89,
    intervals: FloatArray | None = None,
    ax: Axes | None = None,
) -> Axes:
    """Draw sorted observed distances of a posterior over their predictive intervals.

    Parameters
    ----------
    ci_prob : float
        Probability of the predictive HPDIs, in (0, 1).
    intervals : (n_rows, 2) float, optional
        Predictive intervals of that probability, if you have them.

    References
    ----------
    Dobrzeniecka and Urbaniak (2024), figure 12.
    """
    connection = np.asarray(labels(tree, "connection"))[index_of(tree, "connection_index")]
    if intervals is None:
        intervals = predictive_intervals(tree, [ci_prob], seed=0)[float(ci_prob)]
    rows = predictive_rows(observed(tree), connection, intervals)
    ax, ticks = new_axes(ax, height=5.0), []
    for block, (name, part) in enumerate(rows.groupby("connection", sort=False)):
        _draw_block(ax, _thinned(part), block, str(name))
        ticks.append(f"{name}\n{part['inside'].mean():.0%} inside\n{len(part):,} rows")
        ax.axvline(block, color=FAINT, linewidth=1)
    ax.set_xticks(np.arange(len(ticks)) + 0.5, ticks, fontsize=TEXT_SIZE)
    ax.tick_params(axis="x", length=0)
    ax.set_xlim(0, len(ticks))
    guides(ax, "y")
    ax.set_ylabel(OUTCOMES.get(outcome_of(tree), outcome_of(tree)), fontsize=TEXT_SIZE, color=INK)
    note = (
        f"Bars: predicted with probability {ci_prob:g}. Dots: measured, sorted. "
        f"{rows['inside'].mean():.1%} of all {len(rows):,} are inside; a model that fits has about "
        f"{ci_prob:.0%}, in every connection."
    )
    if rows.groupby("connection").size().max() > MOST:
        note += f" At most {MOST} rows of a connection are drawn."
    keys = [
        key("predicted interval", LINE, "|", size=11, width=0),
        key("measured, inside", INK, ".", width=0),
        key("measured, outside", MISS, ".", width=0),
    ]
    return header(ax, "Does the model expect what was measured?", note, keys)


def _thinned(part: pd.DataFrame) -> pd.DataFrame:
    """Leave rows out evenly along the sorted distances, as many inside as outside in proportion."""
    if len(part) <= MOST:
        return part
    kept = []
    for _, rows in part.groupby("inside"):
        count = max(1, round(len(rows) * MOST / len(part)))
        kept.append(rows.iloc[((np.arange(count) + 0.5) * len(rows) / count).astype(int)])
    return pd.concat(kept).sort_index()


def _draw_block(ax: Axes, part: pd.DataFrame, block: int, name: str) -> None:
    """Draw the intervals and dots of one connection, as pixels, also in vector files."""
    x = block + (1 - BLOCK) / 2 + BLOCK * part["position"]
    bars = ax.vlines(x, part["low"], part["high"], color=COLOURS[name], alpha=0.42, zorder=1)
    few, inside = len(part) <= FEW, part["inside"]
    bars.set(linewidth=min(2.2, (62 if few else 115) / len(part)), snap=False, rasterized=True)
    for where, chosen, colour in (("inside", inside, INK), ("outside", ~inside, MISS)):
        (dots,) = ax.plot(x[chosen], part["observed"][chosen], ".", label=f"{name} {where}")
        dots.set(color=colour, markersize=5.0 if few else 4.0, markeredgewidth=0)
        dots.set(rasterized=True, zorder=3)


FIGURES = {
    "mean": "mean distance",
    "sd": "sd of distances",
    "sd_of_words": "sd of words' means",
    "sd_of_attributes": "sd of attributes' means",
    "difference": "difference of means",
    "correlation": "correlation of words' means",
    "share_outside": "share outside 0 to 2",
}
"""What each figure of a prior predictive check is, in words."""


def prior_predictive(frame: pd.DataFrame, *, ax: Axes | None = None) -> Axes:
    """Draw what priors expect of a table (`bayesbias.prior_predictive`), and what was observed.

    References
    ----------
    Gabry et al. (2019), Journal of the Royal Statistical Society A 182.
    """
    columns = ("statistic", "of", "observed", "low", "high", "share_below")
    require_frame(frame, columns, "bb.prior_predictive(model, table)")
    figure = frame["statistic"].replace(FIGURES)
    inside = frame["observed"].between(frame["low"], frame["high"])
    model = f" of {frame.attrs['model']}" if "model" in frame.attrs else ""
    return draw_intervals(
        frame.assign(
            figure=figure,
            label=frame["of"].where(frame["of"] != "", figure),
            bold=frame["of"] == "",
            mean=frame["observed"],
            text=frame["share_below"].map(percent),
            where=np.where(inside, "observed, inside", "observed, outside"),
        ),
        by="figure",
        hue="where",
        styles={"observed, inside": (INK, "o"), "observed, outside": (MISS, "o")},
        heading="smaller\nfigure",
        xlabel="distance; shares and correlations have no unit",
        title="Do the priors expect such a table?",
        note=f"Bars: {interval_name(frame)} of tables drawn from the prior{model}. Dots: the table "
        "observed. Right: the share of tables drawn whose figure is smaller.",
        ax=ax,
    )
