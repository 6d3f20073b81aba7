"""Line plots of rates and scores, and histograms of values expected by chance."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from .._core.checks import check_choice, check_filled
from .._core.display import percent
from ..tables.schema import LOG_RANKS, validate_table
from . import layout
from .forest import OTHER_STYLES
from .palette import INK, LINE, MISS

if TYPE_CHECKING:
    from matplotlib.artist import Artist
    from matplotlib.axes import Axes
    from numpy.typing import ArrayLike

LINES = [(*style, "-" if place < 4 else "--") for place, style in enumerate(OTHER_STYLES)]
"""Color, marker, and line style of each curve. Curves also differ in grayscale."""

ALONG = {
    "effect": "size of the planted effect (cosine distance)",
    "n_attributes": "attribute words per set",
    "n_words": "protected words per group",
    "share": "share of each set's words that is used",
}
"""Labels of the x axis, keyed by column."""

SHOWN = {
    "rate": ("How often a planted effect is detected", "share of tables with a claim of bias"),
    "width": ("Width of the intervals", "mean interval width (cosine distance)"),
    "mean": ("Scores of parts of the list", "score"),
}
"""Title and label of the y axis, keyed by column."""


MOST_BARS = 5
"""Largest number of values of a covariate at which groups have bars; more would be crowded."""

MANY = 500
"""Number of points above which they are drawn as pixels, to keep SVG files small."""

BODY = "#A9B4BC"
"""A gray-blue for null values that are less extreme than the observed value."""


def curves(
    frame: pd.DataFrame,
    *,
    x: str = "effect",
    y: str = "rate",
    by: str = "method",
    ax: Axes | None = None,
) -> Axes:
    """Draw column `y` against column `x`, with one curve for each value of `by`.

    If `y` is ``rate`` or ``mean``, the columns ``low`` and ``high`` become shaded bands. Plots with
    bands show ``nominal`` or ``no_bias`` as dashed lines. Numbers of words are drawn on a
    logarithmic axis.
    """
    layout.require_frame(frame, (x, y, by), "rows of bb.calibration.calibrate")
    check_filled({by: frame[by]})
    rows = frame.dropna(subset=y).sort_values(x, kind="stable")
    twice = rows[by][rows.duplicated([by, x])]
    if len(twice):
        raise ValueError(f"the curve {twice.iloc[0]!r} has two values at the same {x}; drop one")
    names = list(rows[by].unique())
    if not 0 < len(names) <= len(LINES):
        raise ValueError(f"{by!r} must have 1 to {len(LINES)} different values; got {len(names)}")
    title, label = SHOWN.get(y, (f"{y} by {x}", y))
    ax = layout.new_axes(ax, 2.4)
    banded = y in {"rate", "mean"} and {"low", "high"} <= set(rows)
    keys: list[Artist] = []
    for name, (color, marker, dashes) in zip(names, LINES, strict=False):
        part = rows[rows[by] == name]
        if banded:
            ax.fill_between(part[x], part["low"], part["high"], color=color, alpha=0.13, lw=0)
        (line,) = ax.plot(part[x], part[y], dashes, marker=marker, color=color, label=str(name))
        line.set(linewidth=1.6, markersize=5, markeredgecolor="white", zorder=3)
        keys.append(line)
    note = f"One curve per {by}. {'Shaded: low to high.' if banded else ''}"
    about = {"nominal": "Dashed: the nominal rate.", "no_bias": "Dashed: no bias."}
    for dashed in [name for name in about if banded and name in rows][:1]:
        note = f"{note} {about[dashed]}"
        for level in rows[dashed].dropna().unique():
            ax.axhline(level, color=LINE, linewidth=1.1, linestyle=layout.DASHES).set_gid(dashed)
    layout.draw_x(ax, ALONG.get(x, x), rows[x])
    ax.set_ylabel(label, fontsize=layout.TEXT_SIZE, color=INK, parse_math=False)
    layout.guides(ax, "both")
    if x.startswith("n_"):
        places = sorted(rows[x].unique())
        ax.set_xscale("log", base=2)
        ax.set_xlim(places[0] / 1.1, places[-1] * 1.1)
        ax.set_xticks(places, [f"{place:g}" for place in places])
        ax.minorticks_off()
    return layout.header(ax, title, note, keys)


def slope(
    frame: pd.DataFrame, table: pd.DataFrame, *, connection: str = "", ax: Axes | None = None
) -> Axes:
    """Draw groups' mean distances along a covariate, over the mean distance of each word.

    Parameters
    ----------
    frame : DataFrame
        Rows of `predictions` at several values of one covariate.
    table : DataFrame
        The table that was fitted; each of the covariate's values has a point for every group.
    connection : str
        The connection to show; the first one if omitted.
    """
    layout.require_frame(frame, ("protected_group", "connection", "low"), "rows of bb.predictions")
    name, shown = str(frame.columns[0]), connection or str(frame["connection"].iloc[0])
    check_choice("connection", shown, frame["connection"].unique())
    table = validate_table(table)
    x = np.log(table[LOG_RANKS[name][1]]) if name in LOG_RANKS else table[name]
    rows = table.assign(x=x)[table["connection"] == shown]
    ax = layout.new_axes(ax, 2.4)
    groups, values = [*frame["protected_group"].unique()], np.unique(frame[name])
    barred = values[np.linspace(0, len(values) - 1, min(len(values), MOST_BARS)).astype(int)]
    apart = 0.01 * np.ptp(values)
    keys: list[Artist] = []
    for place, group in enumerate(groups):
        color, marker, dashes = LINES[place % len(LINES)]
        means = rows[rows["protected_group"] == group].groupby("x")["cosine_distance"].mean()
        part = frame[(frame["protected_group"] == group) & (frame["connection"] == shown)]
        ax.plot(means.index, means, marker, color=color, markersize=3.5, alpha=0.35)
        ax.plot(part[name], part["mean"], dashes, color=color, linewidth=1.6)
        bars = part[part[name].isin(barred)]
        x_bars = bars[name] + apart * (place - (len(groups) - 1) / 2)
        ax.vlines(x_bars, bars["low"], bars["high"], color=color, linewidth=1.8)
        keys.append(layout.key(str(group), color, marker))
    layout.draw_x(ax, name.replace("_", " "), [*rows["x"], *frame[name]])
    ax.set_ylabel(layout.DISTANCE, fontsize=layout.TEXT_SIZE, color=INK, parse_math=False)
    layout.guides(ax, "both")
    prob = frame.attrs.get("ci_prob")
    note = f"Points: mean distance of each word ({shown}). Lines: expected distance"
    note += f". Bars: {layout.share(prob)} intervals." if prob else ". Bars: intervals."
    return layout.header(ax, "Distance along a covariate", note, keys)


def predictive_check(frame: pd.DataFrame, *, ax: Axes | None = None) -> Axes:
    """Draw measured distances over predictive intervals (Dobrzeniecka and Urbaniak, 2024, fig. 12).

    Parameters
    ----------
    frame : DataFrame
        From `bayesbias.predictive_check` with ``by="row"``. Rows are in the order of the middle of
        their widest intervals.
    """
    columns = ("ci_prob", "row", "distance", "low", "high", "inside")
    layout.require_frame(frame, columns, 'bb.predictive_check(post, by="row")')
    layout.require_one_row(frame, ("ci_prob", "row"))
    widest = frame[frame["ci_prob"] == frame["ci_prob"].max()]
    middles = (widest["low"] + widest["high"]).to_numpy()
    order = widest["row"].to_numpy()[np.argsort(middles, kind="stable")]
    ax, shares, place = layout.new_axes(ax, 2.4), [], np.arange(len(order))
    for _, part in sorted(frame.groupby("ci_prob"), reverse=True):
        rows = part.set_index("row").reindex(order)
        ax.fill_between(place, rows["low"], rows["high"], color=BODY, alpha=0.35, linewidth=0)
        inside = percent(part["inside"].mean())
        shares.append(
            f"{inside} of distances are in the {layout.share(part['ci_prob'].iloc[0])} intervals"
        )
        if len(shares) == 1:
            colors = np.where(rows["inside"], INK, MISS)
            points = ax.scatter(place, rows["distance"], s=4, c=colors, linewidths=0, zorder=3)
            points.set_rasterized(len(rows) > MANY)
    layout.draw_x(ax, "row of the table, by expected distance", place)
    ax.set_ylabel(layout.DISTANCE, fontsize=layout.TEXT_SIZE, color=INK, parse_math=False)
    layout.guides(ax, "y")
    note = f"Shaded: predictive intervals. {', '.join(shares)}. Red: outside the widest."
    return layout.header(ax, "Measured and predicted distances", note)


def null_distribution(
    values: ArrayLike,
    observed: float,
    *,
    label: str,
    title: str = "Values expected by chance",
    share: float | None = None,
    about: str = "null values",
    published: str = "",
    bounds: Sequence[float] = (),
    ax: Axes | None = None,
) -> Axes:
    """Draw a histogram of values under a null model, with the observed value and its mirror image.

    Parameters
    ----------
    values : (n,) array_like
        Values under the null model, such as effect sizes of simulated tables without bias.
    observed : float
        The observed value. Values on either side of 0 that are at least as far from it are red.
    label : str
        Label for the x axis.
    share : float, optional
        Exact share of values at least as extreme as `observed`; by default, computed from `values`.
    about, published : str
        Parts of the note: a name for the null values, and a sentence about a published value.
    bounds : sequence of float
        Limits of the possible values, drawn as dotted lines.

    Examples
    --------
    >>> import bayesbias as bb
    >>> ax = bb.plots.null_distribution([-1.0, 0.0, 1.0, 2.0], 1.5, label="effect size")
    >>> ax.get_title(loc="left")
    'Values expected by chance'
    """
    drawn = np.asarray(values, dtype=float).ravel()
    if not drawn.size or not np.isfinite([*drawn, observed]).all():
        raise ValueError("null_distribution needs finite values and a finite observed value")
    size, away = abs(observed), np.abs(drawn)
    limit = max([*away, size, *np.abs(bounds), 1e-12])
    step = 2 * limit / 60
    step = size / round(size / step) if size >= step else step  # bars start where the tails start
    steps = np.floor(away / step * (1 + 1e-12)).astype(int)  # a value at an edge goes outward
    place = np.where(drawn < 0, -1 - steps, steps)
    first, n_bars, tail = place.min(), np.ptp(place) + 1, away >= size
    ax = layout.new_axes(ax, 1.5)
    keys = [layout.key("observed (dashed: mirror image)", INK, width=1.3)]
    middles, foot = step * (first + np.arange(n_bars) + 0.5), np.zeros(n_bars)
    for part, color, name in ((tail, MISS, "at least as extreme"), (~tail, BODY, "less extreme")):
        counts = np.bincount(place[part] - first, minlength=n_bars)
        ax.bar(middles, counts, step * 0.94, foot, color=color, label=name)
        keys.insert(0, layout.key(name, color, "s", size=8, width=0))
        foot += counts
    ax.axvline(observed, color=INK, linewidth=1.5, zorder=3, label="observed")
    ax.axvline(-observed, color=INK, linewidth=1.3, linestyle=(0, (2, 2)), zorder=3)
    for bound in bounds:
        ax.axvline(bound, color=LINE, linewidth=1.0, linestyle=":", zorder=3).set_gid("bound")
    ax.set_yticks([])
    layout.guides(ax)
    layout.draw_x(ax, label, [-limit, limit], band=(-size, size))
    known = float((away >= size).mean()) if share is None else share
    farthest = " and ".join(f"{bound:g}" for bound in sorted(bounds)).replace("-", "−")
    note = (
        f"{len(drawn):,} {about}. Observed: {layout.number(observed)}. The share of values at "
        f"least as far from 0, on either side, is {known:.2g}. {published} "
        f"{f'Dotted: {farthest}, the most extreme possible values.' if bounds else ''}"
    )
    return layout.header(ax, title, note, keys)
