"""The ridge: densities stacked in rows."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

import numpy as np

from .axes_frame import HEADER_HEIGHT, SideText, new_axes, row_labels
from .palette import LINE

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from numpy.typing import ArrayLike

RIDGE = 0.74
"""Height of the highest ridge, in rows."""

BELOW = 0.2
"""Room below the last base line, in rows."""


def ridge_axes(ax: Axes | None, names: Sequence[str], row_height: float) -> Axes:
    """Return Axes with a labelled base line for each ridge, some inches apart in a new figure."""
    ax = new_axes(ax, HEADER_HEIGHT + row_height * len(names))
    row_labels(ax, [row - RIDGE / 3 for row in range(len(names))], names)
    for row in range(len(names)):
        ax.axhline(row, color=LINE, linewidth=0.6, zorder=2)
    ax.set_ylim(len(names) - 1 + BELOW, -RIDGE - 0.1)
    return ax


def draw_ridge(
    ax: Axes,
    base: float,
    x: ArrayLike,
    heights: ArrayLike,
    *,
    fill: str = "",
    line: str = "",
    label: str = "",
    width: float = 1.6,
    dashed: bool = False,
) -> None:
    """Draw one density, with heights in rows, over its base line.

    The area has the colour `fill`, the line above it the colour `line`; none is drawn without one.
    """
    y = base - np.asarray(heights, dtype=float)
    if fill:
        ax.fill_between(x, y, base, color=fill, alpha=0.35, linewidth=0, zorder=2)
    if line:
        style = (0, (4, 2)) if dashed else "-"
        ax.plot(x, y, color=line, linewidth=width, linestyle=style, label=label, zorder=3)


def beside_ridges(texts: Sequence[str], counts: Iterable[int]) -> list[SideText]:
    """Return the right-hand column of ridges: a text for each, and of how many rows it tells."""
    return [
        SideText(row - RIDGE / 3, text, bold=True, below=f"of {n:,} rows")
        for row, (text, n) in enumerate(zip(texts, counts, strict=True))
    ]
