"""What every plot has around its data: Axes, row labels, x axis, reference, band, right column."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from math import ceil
from typing import TYPE_CHECKING

import numpy as np

from ..tables.descriptives import UNRELATED
from .header import SMALL_SIZE, TEXT_SIZE, above, figure_of, header
from .palette import BAND, FAINT, INK, LINE, QUIET

if TYPE_CHECKING:
    from matplotlib.artist import Artist
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure
    from matplotlib.text import Text
    from numpy.typing import ArrayLike

WIDTH = 7.6
"""Width of new figures in inches: a notebook's column."""

NARROW = 4.3
"""The same for a phone, on which letters then keep their size."""

LINES_MORE = 0.7
"""Inches that the header of a narrow figure takes besides, for more lines."""

_AT_MOST = ContextVar("at_most", default=float("inf"))

HEADER_HEIGHT = 1.8
"""Inches of a new figure for what stands above and below its rows."""

OWN = "bayesbias-figure"
"""Group id of figures that were made here, so that saving may close them."""

LONGEST_LABEL = 26
"""Letters of a word that are shown."""

TOP_TICKS = 16.0
"""Points that tick labels above the Axes take."""

BESIDE = 1.015
"""Where texts to the right of the Axes start, in widths of the Axes."""

UNRELATED_LINE = "Dashed line: 1, the distance of unrelated directions."
"""What stands below the title of distances."""

DASHES = (0, (4, 2))
"""Of lines that values are read against."""


@dataclass(frozen=True)
class Scale:
    """The x axis of a plot, and what values are read against.

    The axis reaches the ends, the dashed line at the reference, and the ends of the shaded band.
    """

    label: str
    ends: ArrayLike
    reference: float | None = None
    band: tuple[float, float] | None = None

    @property
    def limits(self) -> tuple[float, float]:
        """Return the smallest and the largest value that the axis must reach."""
        line = () if self.reference is None else (self.reference,)
        every = np.array([*np.ravel(self.ends), *line, *(self.band or ())], dtype=float)
        return float(every.min()), float(every.max())


def distance_scale(ends: ArrayLike, band: tuple[float, float] | None = None) -> Scale:
    """Return the axis of cosine distances, whose reference is 1."""
    return Scale("cosine distance (smaller = closer)", ends, UNRELATED, band)


@dataclass(frozen=True)
class SideText:
    """A text of the right-hand column, beside a row; `below` is a smaller one under it."""

    position: float
    text: str
    bold: bool = False
    colour: str = INK
    below: str = ""


@contextmanager
def narrow_figures() -> Iterator[None]:
    """Make new figures at most as wide as a phone shows."""
    token = _AT_MOST.set(NARROW)
    try:
        yield
    finally:
        _AT_MOST.reset(token)


def new_axes(ax: Axes | None, height: float, width: float = WIDTH) -> Axes:
    """Return the Axes given, or that of a new figure of a size in inches, with quiet spines."""
    ax = _own_figure(width, height).subplots() if ax is None else ax
    for side in ("top", "right", "left"):
        ax.spines[side].set_visible(False)
    ax.spines["bottom"].set_color(LINE)
    ax.tick_params(axis="both", labelsize=TEXT_SIZE, color=LINE, labelcolor=INK)
    ax.tick_params(axis="y", length=0)
    ax.set_axisbelow(True)
    return ax


def panel_figure(
    n: int, across: int, size: tuple[float, float], head: float
) -> tuple[Axes, list[Axes]]:
    """Make a figure of n panels; return a flat Axes over them, for the header, and the panels."""
    figure, down = _own_figure(*size), ceil(n / across)
    cells = figure.add_gridspec(down + 1, across, height_ratios=[head, *([1.0] * down)])
    top = figure.add_subplot(cells[0, :])
    top.set_axis_off()
    places = [divmod(place, across) for place in range(n)]
    return top, [new_axes(figure.add_subplot(cells[1 + row, at]), 0.0) for row, at in places]


def _own_figure(width: float, height: float) -> Figure:
    from matplotlib import pyplot as plt

    if width > (most := _AT_MOST.get()):
        width, height = most, height + LINES_MORE
    figure = plt.figure(figsize=(width, height), layout="constrained")
    figure.set_gid(OWN)
    return figure


def rope_band(rope: float) -> tuple[float, float]:
    """Return the ends of a region of practical equivalence; raise a ValueError if it is none."""
    if not 0 <= rope <= 2:
        raise ValueError(f"rope is a distance and must lie in [0, 2], got {rope}")
    return -rope, rope


def draw_scale(ax: Axes, scale: Scale, *, tall: bool = False) -> None:
    """Draw band and reference, and set the x axis with a margin; a tall plot has ticks on top."""
    if scale.band is not None:
        ax.axvspan(*scale.band, color=BAND, linewidth=0, zorder=0.8).set_gid("band")
    if scale.reference is not None:
        ax.axvline(scale.reference, color=LINE, linewidth=1.1, linestyle=DASHES, zorder=1.5)
    low, high = scale.limits
    margin = 0.04 * (high - low) or 0.05
    ax.set_xlim(low - margin, high + margin)
    ax.locator_params(axis="x", nbins=7 if figure_of(ax).get_figwidth() > NARROW else 4)
    ax.set_xlabel(scale.label, fontsize=TEXT_SIZE, color=INK, labelpad=6)
    if tall:
        ax.tick_params(axis="x", top=False, labeltop=True)


def finish(
    ax: Axes,
    scale: Scale,
    title: str,
    subtitle: str,
    keys: Sequence[Artist] = (),
    *,
    heading: str = "",
    column: Iterable[SideText] = (),
    tall: bool = False,
) -> Axes:
    """Draw what stands around the data, and return the Axes.

    The heading is that of the right-hand column; a tall plot has the ticks of its x axis on top,
    too.
    """
    draw_scale(ax, scale, tall=tall)
    raised = TOP_TICKS if tall else 0.0
    if heading:
        raised = _right_column(ax, heading, column, raised)
    header(ax, title, subtitle, keys, raised=raised)
    return ax


def _right_column(ax: Axes, heading: str, texts: Iterable[SideText], raised: float) -> float:
    """Draw texts to the right of the Axes, and return the points that a header leaves for them.

    In a figure of our own the header ends before the heading starts; in a figure that is shared
    the Axes may yet become narrower.
    """
    above(ax, heading, 3 + raised, BESIDE, fontsize=SMALL_SIZE - 0.5, color=QUIET, linespacing=1.1)
    for each in texts:
        at, across = each.position, ax.get_yaxis_transform()
        text = ax.text(BESIDE, at, each.text, transform=across, color=each.colour)
        text.set(weight="bold" if each.bold else "normal", fontsize=SMALL_SIZE, va="center")
        if each.below:
            text.set(fontsize=10.5, va="bottom")
            small = ax.text(BESIDE, at + 0.02, each.below, transform=across, color=QUIET)
            small.set(fontsize=SMALL_SIZE, va="top")
    own = figure_of(ax).get_gid() == OWN
    return raised if own else raised + 1.15 * SMALL_SIZE * (heading.count("\n") + 1)


def shorten(text: str, most: int = LONGEST_LABEL) -> str:
    """Cut a long word off with an ellipsis."""
    return text if len(text) <= most else text[: most - 1] + "…"


def row_labels(
    ax: Axes, positions: Sequence[float], labels: Sequence[str], most: int = LONGEST_LABEL
) -> list[Text]:
    """Label rows on the y axis with words as they stand."""
    ax.set_yticks(positions, [shorten(label, most) for label in labels], parse_math=False)
    return ax.get_yticklabels()


def vertical_guides(ax: Axes) -> None:
    """Draw faint lines at the ticks of the x axis."""
    ax.grid(axis="x", color=FAINT, linewidth=0.7)
