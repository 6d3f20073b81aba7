"""What a null model gives, with the observed value marked."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike

from .canvas import SMALL_SIZE, canvas, header, literal, x_axis
from .palette import BAND, FAINT, INK, LINE, MISS

if TYPE_CHECKING:
    from matplotlib.artist import Artist
    from matplotlib.axes import Axes

HEIGHT = 3.1
"""Height of a new figure, in inches."""

BINS = 60
"""Bars of the histogram."""

BODY = "#A9B4BC"
"""A grey-blue for null samples that are less extreme than the observed value."""


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
    ax : Axes, optional
        Where to draw; a new figure by default.

    Returns
    -------
    Axes

    Raises
    ------
    ValueError
        If there are no values, or one is not finite.
    """
    drawn = np.asarray(values, dtype=float).ravel()
    if not drawn.size or not np.isfinite(drawn).all() or not np.isfinite(observed):
        raise ValueError("null_distribution needs finite values and a finite observed value")
    ax = canvas(ax, HEIGHT)
    limit = max(np.abs(drawn).max(), abs(observed), *(abs(bound) for bound in bounds), 1e-12)
    counts, edges = np.histogram(drawn, bins=_edges(limit, abs(observed)))
    middles, step = (edges[1:] + edges[:-1]) / 2, edges[1] - edges[0]
    tail = np.abs(middles) >= abs(observed)
    ax.axvspan(-abs(observed), abs(observed), color=BAND, linewidth=0, zorder=0).set_gid("inside")
    for part, colour, name in ((~tail, BODY, "less extreme"), (tail, MISS, "as extreme")):
        ax.bar(middles[part], counts[part], step * 0.94, color=colour, label=name, zorder=2)
    for side, style in ((observed, "-"), (-observed, (0, (2, 2)))):
        ax.axvline(side, color=INK, linewidth=1.3, linestyle=style, zorder=3)
    for bound in bounds:
        ax.axvline(bound, color=LINE, linewidth=1.0, linestyle=":", zorder=3).set_gid("bound")
    _mark(ax, observed)
    ax.set_yticks([])
    ax.grid(axis="x", color=FAINT, linewidth=0.7)
    x_axis(ax, label, -limit, limit)
    if share is None:
        share = float((np.abs(drawn) >= abs(observed)).mean())
    account = _account(len(drawn), observed, share, published, sorted(bounds))
    header(ax, title, account, _keys())
    return ax


def _edges(limit: float, at: float) -> np.ndarray:
    """Edges of bars from -limit to limit, so that a bar starts where the tails do."""
    step = 2 * limit / BINS
    if at >= step:
        step = at / round(at / step)
    reach = int(np.ceil(limit / step * (1 - 1e-12)))
    return step * np.arange(-reach, reach + 1)


def _mark(ax: Axes, observed: float) -> None:
    text = ax.annotate(
        f"observed {observed:.3g}",
        (observed, 1),
        (3 if observed >= 0 else -3, -3),
        xycoords=("data", "axes fraction"),
        textcoords="offset points",
        ha="left" if observed >= 0 else "right",
        va="top",
        fontsize=SMALL_SIZE,
        color=INK,
    )
    literal(text).set_bbox({"color": "white", "alpha": 0.8, "pad": 1.0})


def _account(n: int, observed: float, share: float, published: str, bounds: Sequence[float]) -> str:
    printed = f" {published}" if published else ""
    ends = " and ".join(f"{bound:g}" for bound in bounds).replace("-", "−")
    limits = f" Dotted: {ends}, the farthest there can be." if bounds else ""
    return (
        f"{n:,} null values. A value at least as far from zero as {abs(observed):.3g}, on either "
        f"side, comes up in a share of {share:.2g}.{printed}{limits}"
    )


def _keys() -> list[Artist]:
    from matplotlib.lines import Line2D
    from matplotlib.patches import Patch

    return [
        Patch(color=BODY, label="less extreme"),
        Patch(color=MISS, label="at least as extreme"),
        Line2D([], [], color=INK, linewidth=1.3, label="observed (dashed: mirrored)"),
    ]
