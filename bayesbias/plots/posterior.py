"""A posterior: where the spread of the distances comes from, and what it expects them to be."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from .._core.arrays import FloatArray
from .._core.intervals import DEFAULT_CI_KIND, interval_kind
from ..model.tree import index_of, labels, observed, outcome_of
from ..posterior.predictive import predictive_intervals
from ..tables.descriptives import predictive_rows
from ..tables.schema import require_columns
from .axes_frame import Scale, finish, new_axes
from .forest_engine import beside_rows, block_rows, draw_intervals, forest_axes
from .forests import share
from .header import TEXT_SIZE, header, interval_key, key, share_inside
from .palette import COLOURS, FAINT, INK, LINE, MARKERS, MISS

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from xarray import DataTree

MEANINGS = {
    "connection_sd": "between protected words",
    "level_sd": "between protected words",
    "lean_sd": "leanings of words to sets",
    "own_lean_sd": "leanings of words to their own sets",
    "group_sd": "between groups",
    "group_lean_sd": "leanings of groups to sets",
    "set_sd": "between attribute sets",
    "topic_sd": "nearness of two topics",
    "attribute_sd": "between attributes",
    "attribute_lean_sd": "leanings of attributes to groups",
    "attribute_own_lean_sd": "leanings of attributes to own groups",
    "residual_sd": "residuals that words share",
    "context_sd": "between contexts",
    "sigma": "between single distances",
}
"""What each standard deviation measures, in words."""

NOT_A_DISTANCE = "nu"
"""Degrees of freedom of the Student likelihood: no spread, so not on the axis."""

BLOCK = 0.92
"""Share of a connection's block that is drawn in."""

FEW = 100
"""Rows of a connection up to which each one can be seen on its own."""

MOST = 200
"""Rows of a connection that are drawn: more would hide one another, and the share inside."""

SPARSE_ROOM, DENSE_ROOM = 62.0, 115.0
"""Points that all bars of a block together fill: half of it, or all where they are many."""


def scales(frame: pd.DataFrame, ax: Axes | None = None) -> Axes:
    """Draw the standard deviations of a posterior as dots with their intervals.

    Parameters
    ----------
    frame : DataFrame
        As `bayesbias.scales` returns it.
    ax : see `bayesbias.plots`

    Returns
    -------
    Axes
        Rows from 0 downwards: a heading for each parameter, and its parts.

    Raises
    ------
    ValueError
        If a column is missing or the frame holds no standard deviation.
    """
    require_columns(frame, ("parameter", "of", "mean", "low", "high"))
    found = frame[frame["parameter"] != NOT_A_DISTANCE]
    if found.empty:
        raise ValueError("the frame has no standard deviations to draw; pass bb.scales(posterior)")
    meaning = found["parameter"].map(lambda name: MEANINGS.get(name, name))
    rows, drawn = block_rows(found.assign(meaning=meaning, label=found["of"]), "meaning")
    ax = forest_axes(ax, rows, row_height=0.25)
    for at, (of, label) in enumerate(zip(drawn["of"], drawn["label"], strict=True)):
        style = COLOURS.get(of, INK), MARKERS.get(of, "o")
        draw_intervals(ax, drawn.iloc[[at]], label, *style, size=6)
    scale = Scale("standard deviation, in units of cosine distance", [0.0, *found["high"]])
    finish(ax, scale, "Where the spread comes from", _account(frame)).set_xlim(left=0.0)
    return ax


def _account(frame: pd.DataFrame) -> str:
    text = f"{interval_key(frame)} Farther right is more spread."
    tails = frame[frame["parameter"] == NOT_A_DISTANCE]
    if len(tails):
        row = tails.iloc[0]
        text += (
            f" Tails: {row['mean']:.0f} degrees of freedom "
            f"({row['low']:.0f} to {row['high']:.0f}); under 10 is heavy."
        )
    return text


def predictive_check(
    tree: DataTree,
    *,
    ci_prob: float = 0.89,
    intervals: FloatArray | None = None,
    ax: Axes | None = None,
) -> Axes:
    """Draw sorted observed distances over their posterior predictive intervals.

    Parameters
    ----------
    tree : DataTree
        A posterior from `bayesbias.fit`.
    ci_prob : float
        Probability of the predictive HPDIs, in (0, 1).
    intervals : (n_rows, 2) float, optional
        Predictive intervals of that probability, if they are there already.
    ax : see `bayesbias.plots`

    Returns
    -------
    Axes
        A block for each connection, its rows sorted by distance; dots inside and outside are of
        one size, and of many rows so many are left out of either that the share among the dots is
        that of all rows. Dense parts are pixels, also in vector files.

    References
    ----------
    Dobrzeniecka and Urbaniak (2024), figure 12.
    """
    measured = observed(tree)
    connection = np.asarray(labels(tree, "connection"))[index_of(tree, "connection_index")]
    if intervals is None:
        intervals = predictive_intervals(tree, [ci_prob], seed=0)[float(ci_prob)]
    rows = predictive_rows(measured, connection, intervals)
    names = rows["connection"].drop_duplicates().tolist()
    ax = new_axes(ax, height=5.0)
    for block, name in enumerate(names):
        _block(ax, _thinned(rows[rows["connection"] == name]), block, name)
    _axes(ax, rows, names)
    ax.set_ylabel(OUTCOMES.get(outcome_of(tree), outcome_of(tree)), fontsize=TEXT_SIZE, color=INK)
    covered = rows["inside"].mean()
    subtitle = (
        f"Bars: where the model expects each distance with probability {ci_prob:g}. Dots: the "
        f"distances measured, sorted. {covered:.1%} of all {len(rows):,} are inside; a model that "
        f"fits has about {ci_prob:.0%}, in every connection."
    )
    if rows.groupby("connection").size().max() > MOST:
        subtitle += (
            f" Where rows are many, some {MOST} of a connection are drawn, as large a share of "
            "them inside as of all."
        )
    keys = [
        key("predicted interval", LINE, "|", size=11, width=0),
        key("measured, inside", INK, ".", width=0),
        key("measured, outside", MISS, ".", width=0),
    ]
    header(ax, "Does the model expect what was measured?", subtitle, keys)
    return ax


def _thinned(part: pd.DataFrame) -> pd.DataFrame:
    """Leave rows out evenly along the sorted distances, as many inside as outside in proportion."""
    if len(part) <= MOST:
        return part
    kept = []
    for _, rows in part.groupby("inside"):
        count = max(1, round(len(rows) * MOST / len(part)))
        kept.append(rows.iloc[((np.arange(count) + 0.5) * len(rows) / count).astype(int)])
    return pd.concat(kept).sort_index()


def _block(ax: Axes, part: pd.DataFrame, block: int, name: str) -> None:
    x = block + (1 - BLOCK) / 2 + BLOCK * part["position"]
    bars = ax.vlines(x, part["low"], part["high"], color=COLOURS[name], alpha=0.42, zorder=1)
    few, inside = len(part) <= FEW, part["inside"]
    room = SPARSE_ROOM if few else DENSE_ROOM
    bars.set(linewidth=min(2.2, room / len(part)), snap=False, rasterized=True)
    for where, chosen, colour in (("inside", inside, INK), ("outside", ~inside, MISS)):
        (dots,) = ax.plot(x[chosen], part["observed"][chosen], ".", label=f"{name} {where}")
        dots.set(color=colour, markersize=5.0 if few else 4.0, markeredgewidth=0)
        dots.set(rasterized=True, zorder=3)


def _axes(ax: Axes, rows: pd.DataFrame, names: list[str]) -> None:
    parts = rows.groupby("connection")
    coverage, counts = parts["coverage"].first(), parts.size()
    ticks = [f"{name}\n{coverage[name]:.0%} inside\n{counts[name]:,} rows" for name in names]
    ax.set_xticks([block + 0.5 for block in range(len(names))], ticks, fontsize=TEXT_SIZE)
    ax.tick_params(axis="x", length=0)
    for edge in range(1, len(names)):
        ax.axvline(edge, color=FAINT, linewidth=1)
    ax.set_xlim(0, len(names))
    ax.grid(axis="y", color=FAINT, linewidth=0.7)


OUTCOMES = {"cosine_distance": "cosine distance", "change": "change of cosine distance"}
"""What was modelled, in words."""

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


def prior_predictive(frame: pd.DataFrame, ax: Axes | None = None) -> Axes:
    """Draw what a model's priors expect of a table, and the table that was observed.

    Parameters
    ----------
    frame : DataFrame
        As `bayesbias.prior_predictive` returns it, or some of its rows.
    ax : see `bayesbias.plots`

    Returns
    -------
    Axes
        Rows from 0 downwards: a heading for each figure, and its connections. Bars are the prior's
        intervals, dots the observed figures, red where outside; on the right the share of tables
        drawn from the prior whose figure is smaller.

    Raises
    ------
    ValueError
        If a column is missing or the frame has no rows.

    References
    ----------
    Gabry, Simpson, Vehtari, Betancourt and Gelman (2019), Journal of the Royal Statistical Society
    A 182.
    """
    require_columns(frame, ("statistic", "of", "observed", "low", "high", "share_below"))
    if frame.empty:
        raise ValueError("the frame has no rows to draw; pass bb.prior_predictive(model, table)")
    figure = frame["statistic"].map(lambda name: FIGURES.get(name, name))
    rows, drawn = block_rows(frame.assign(figure=figure, label=frame["of"]), "figure")
    ax = forest_axes(ax, rows, row_height=0.2)
    ax.hlines(drawn["position"], drawn["low"], drawn["high"], color=LINE, linewidth=4.0, zorder=2)
    inside = drawn["observed"].between(drawn["low"], drawn["high"])
    for name, chosen, colour in (("inside", inside, INK), ("outside", ~inside, MISS)):
        (dots,) = ax.plot(drawn["observed"][chosen], drawn["position"][chosen], "o", label=name)
        dots.set(color=colour, markersize=5.0, markeredgecolor="white", zorder=3)
    keys = [
        key("expected by the prior", LINE, "s", width=0),
        key("observed, inside", INK, "o", width=0),
        key("observed, outside", MISS, "o", width=0),
    ]
    bars = interval_kind(frame.attrs.get("ci_kind", DEFAULT_CI_KIND)).name
    return finish(
        ax,
        Scale("distance; shares and correlations have no unit", drawn[["observed", "low", "high"]]),
        "Do the priors expect such a table?",
        f"Bars: {share_inside(frame)} {bars}s of tables drawn from the prior"
        + (f" of {frame.attrs['model']}" if "model" in frame.attrs else "")
        + ". Dots: the table observed. Bars far wider than any table has it are absurd priors. "
        "Right: the share of tables drawn whose figure is smaller.",
        keys,
        heading="smaller\nfigure",
        column=beside_rows(drawn, map(share, drawn["share_below"])),
        tall=rows.is_tall,
    )
