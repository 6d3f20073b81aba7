"""What a null model gives, with the observed value marked; and single values, not averaged."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from ..tables.schema import require_columns
from .axes_frame import DASHES, Scale, finish, new_axes, vertical_guides
from .header import SMALL_SIZE, TEXT_SIZE, header, key, literal
from .palette import COLOURS, FAINT, GREEN, INK, LINE, MARKERS, MISS

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from numpy.typing import ArrayLike

HEIGHT = 3.2
"""Height of a new figure, in inches."""

BINS = 60
"""Bars of the histogram."""

BODY = "#A9B4BC"
"""A grey-blue for null samples that are less extreme than the observed value."""

STYLES = tuple(zip((*list(COLOURS.values())[:3], GREEN), MARKERS.values(), strict=False))
"""Colour and marker of each group of cells."""


def null_distribution(
    values: ArrayLike,
    observed: float,
    *,
    label: str,
    title: str = "What chance alone gives",
    share: float | None = None,
    published: str = "",
    bounds: Sequence[float] = (),
    ax: Axes | None = None,
) -> Axes:
    """Draw values under a null model as a histogram, with the observed value and its mirror image.

    Parameters
    ----------
    values : (n,) array_like
        Null values, such as a column of ``paper_example().null_samples()`` or ``.splits()``.
    observed : float
        The value that was found. Both tails from its size on are coloured.
    label, title : str
        Of the x axis, and of the plot.
    share : float, optional
        Share of null values at least as far from zero, where it is known exactly; by default that
        of the values drawn.
    published : str
        A published figure to be named beside it.
    bounds : sequence of float
        Limits that the quantity cannot pass, drawn dotted.
    ax : see `bayesbias.plots`

    Raises
    ------
    ValueError
        If there are no values, or one is not finite.
    """
    drawn = np.asarray(values, dtype=float).ravel()
    if not drawn.size or not np.isfinite(drawn).all() or not np.isfinite(observed):
        raise ValueError("null_distribution needs finite values and a finite observed value")
    size = abs(observed)
    limit = max(np.abs(drawn).max(), size, *(abs(bound) for bound in bounds), 1e-12)
    ax = new_axes(ax, HEIGHT)
    _bars(ax, drawn, limit, size)
    mark_observed(ax, observed)
    ax.axvline(-observed, color=INK, linewidth=1.3, linestyle=(0, (2, 2)), zorder=3)
    for bound in bounds:
        ax.axvline(bound, color=LINE, linewidth=1.0, linestyle=":", zorder=3).set_gid("bound")
    ax.set_yticks([])
    vertical_guides(ax)
    known = float((np.abs(drawn) >= size).mean()) if share is None else share
    ends = " and ".join(f"{bound:g}" for bound in sorted(bounds)).replace("-", "−")
    account = (
        f"{len(drawn):,} null values. A value at least as far from zero as {size:.3g}, on either "
        f"side, comes up in a share of {known:.2g}.",
        published,
        f"Dotted: {ends}, the farthest there can be." if bounds else "",
    )
    keys = [
        key("less extreme", BODY, "s", size=8, width=0),
        key("at least as extreme", MISS, "s", size=8, width=0),
        key("observed (dashed: mirrored)", INK, width=1.3),
    ]
    scale = Scale(label, [-limit, limit], band=(-size, size))
    return finish(ax, scale, title, " ".join(filter(None, account)), keys)


def mark_observed(ax: Axes, observed: float, colour: str = INK, width: float = 1.3) -> None:
    """Draw the line of an observed value, and write the value beside its top."""
    ax.axvline(observed, color=colour, linewidth=width, zorder=3, label="observed")
    side = 1 if observed >= 0 else -1
    place: dict[str, Any] = {
        "xycoords": ("data", "axes fraction"),
        "textcoords": "offset points",
        "va": "top",
    }
    text = ax.annotate(f"observed {observed:.3g}", (observed, 1), (3 * side, -3), **place)
    text.set(ha="left" if side > 0 else "right", fontsize=SMALL_SIZE, color=colour)
    literal(text).set_bbox({"color": "white", "alpha": 0.8, "pad": 1.0})


def _bars(ax: Axes, drawn: np.ndarray, limit: float, size: float) -> None:
    """Draw bars from -limit to limit, so that a bar starts where the tails do."""
    step = 2 * limit / BINS
    if size >= step:
        step = size / round(size / step)
    reach = int(np.ceil(limit / step * (1 - 1e-12)))
    edges = step * np.arange(-reach, reach + 1)
    counts, _ = np.histogram(drawn, bins=edges)
    middles = edges[:-1] + step / 2
    tail = np.abs(middles) >= size
    for part, colour, name in ((~tail, BODY, "less extreme"), (tail, MISS, "as extreme")):
        ax.bar(middles[part], counts[part], step * 0.94, color=colour, label=name, zorder=2)


def cells(
    frame: pd.DataFrame,
    *,
    first: str = "A",
    second: str = "B",
    title: str = "Every single value, before anything is averaged",
    ax: Axes | None = None,
) -> Axes:
    """Draw single values to one attribute set against those to another, by protected group.

    Parameters
    ----------
    frame : DataFrame
        ``protected_group``, and values to the two sets, as `PaperExample.cells` returns them.
    first, second : str
        Columns of the values.
    title : str
    ax : see `bayesbias.plots`

    Raises
    ------
    ValueError
        If a column is missing or there are more groups than markers.

    References
    ----------
    Dobrzeniecka and Urbaniak (2024), figure 9.
    """
    require_columns(frame, ("protected_group", first, second))
    groups = list(frame.groupby("protected_group", sort=False))
    if not 0 < len(groups) <= len(STYLES):
        raise ValueError(f"{len(groups)} groups; a figure tells 1 to {len(STYLES)} apart")
    ax = new_axes(ax, height=4.6)
    keys = []
    for (name, part), (colour, marker) in zip(groups, STYLES, strict=False):
        (dots,) = ax.plot(part[first], part[second], marker, color=colour, label=f"group {name}")
        dots.set(linestyle="none", markersize=5.5, alpha=0.75, markeredgecolor="white")
        keys.append(dots)
    for draw in (ax.axhline, ax.axvline):
        draw(0.0, color=LINE, linewidth=1.0, linestyle=DASHES, zorder=1)
    ax.grid(color=FAINT, linewidth=0.7)
    ax.set_xlabel(f"value to {first}", fontsize=TEXT_SIZE, color=INK)
    ax.set_ylabel(f"value to {second}", fontsize=TEXT_SIZE, color=INK)
    account = (
        f"One point for each protected word and place in the lists: its value to {first} against "
        f"that to {second}. A bias would set the groups apart along the falling diagonal."
    )
    header(ax, title, account, keys)
    return ax
