"""What stands around the data of every plot: Axes, x axis, title, note, legend, right column."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from textwrap import fill
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from .._core.intervals import DEFAULT_CI_KIND, interval_kind
from .palette import BAND, FAINT, INK, LINE, QUIET

if TYPE_CHECKING:
    from matplotlib.artist import Artist
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure
    from matplotlib.lines import Line2D
    from matplotlib.text import Text
    from numpy.typing import ArrayLike

WIDTH = 7.6
"""Width of new figures in inches."""

HEADER_HEIGHT = 1.8
"""Inches of a new figure for what stands above and below its rows."""

TITLE_SIZE, TEXT_SIZE, SMALL_SIZE = 12.0, 9.0, 8.5
"""Font sizes in points."""

GAP, TOP_TICKS = 6.0, 16.0
"""Points between the parts of a header, and of tick labels above the Axes."""

RIGHT = 1.015
"""Where texts to the right of the Axes start, in widths of the Axes."""

OWN = "bayesbias-figure"
"""Group id of figures that are made here, so `save` may close them."""

NO_XML = re.compile("[^\t\n\r\x20-\x7e\xa0-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
"""Control characters, and others that XML forbids."""

DASHES = (0, (4, 2))
"""Of lines that values are compared with."""

DISTANCE = "cosine distance (smaller = closer)"
UNRELATED_NOTE = "Dashed line: 1, the distance of unrelated directions."


def new_axes(ax: Axes | None, height: float) -> Axes:
    """Return the Axes given, or that of a new figure some inches high, with quiet spines."""
    from matplotlib import pyplot as plt

    if ax is None:
        figure, ax = plt.subplots(figsize=(WIDTH, height), layout="constrained")
        figure.set_gid(OWN)
    ax.spines[["top", "right", "left"]].set_visible(False)
    ax.spines["bottom"].set_color(LINE)
    ax.tick_params(axis="both", labelsize=TEXT_SIZE, color=LINE, labelcolor=INK)
    ax.tick_params(axis="y", length=0)
    ax.set_axisbelow(True)
    return ax


def figure_of(ax: Axes) -> Figure:
    """Return the figure that an Axes, or what holds it, belongs to."""
    figure = ax.get_figure(root=True)
    if figure is None:
        raise ValueError("the Axes belongs to no figure; make one with plt.subplots()")
    return figure


def draw_x(
    ax: Axes,
    label: str,
    values: ArrayLike,
    reference: float | None = None,
    band: tuple[float, float] | None = None,
) -> None:
    """Draw band and reference line, and let the x axis reach these and all values."""
    if band is not None:
        ax.axvspan(*band, color=BAND, linewidth=0, zorder=0.8).set_gid("band")
    if reference is not None:
        ax.axvline(reference, color=LINE, linewidth=1.1, linestyle=DASHES, zorder=1.5)
    ends = [] if reference is None else [reference]
    every = np.concatenate([np.ravel(values), ends, band or ()])
    low, high = np.nanmin(every), np.nanmax(every)
    margin = 0.04 * (high - low) or 0.05
    ax.set_xlim(low - margin, high + margin)
    ax.locator_params(axis="x", nbins=7)
    ax.set_xlabel(label, fontsize=TEXT_SIZE, color=INK, labelpad=6, parse_math=False)


def header(
    ax: Axes, title: str, note: str, keys: Sequence[Artist] = (), *, raised: float = 0.0
) -> Axes:
    """Write title, note and legend above the Axes, in lines that are no wider than it.

    Call it last. So many points above the Axes are left free for what stands there already.
    """
    from matplotlib.text import Text

    for shown in ax.findobj(Text):
        shown.set_text(legible(shown.get_text()))
    for entry in keys:
        entry.set_label(legible(str(entry.get_label())))
    title, note = legible(title), legible(" ".join(note.split()))
    figure = figure_of(ax)
    if (engine := figure.get_layout_engine()) is not None:
        engine.execute(figure)  # it settles how wide the Axes will be
    width = max(120 * figure.dpi / 72, ax.get_window_extent().width)
    height = GAP + raised
    if keys:
        letters = max(len(str(entry.get_label())) for entry in keys)
        room = 72 * width / figure.dpi / (0.52 * TEXT_SIZE * letters + 48)
        columns = max(1, min(len(keys), int(room)))
        legend = ax.legend(
            handles=list(keys),
            loc="lower left",
            bbox_to_anchor=(0, 1),
            borderaxespad=height / TEXT_SIZE,
            ncols=columns,
            frameon=False,
            fontsize=TEXT_SIZE,
            labelcolor=INK,
        )
        for text in legend.get_texts():
            text.set_parse_math(False)
        height += -(-len(keys) // columns) * 1.7 * TEXT_SIZE + GAP
    text = above(ax, note, height, fontsize=SMALL_SIZE, color=QUIET)
    text.set(linespacing=1.3, gid="subtitle")
    height += 1.45 * SMALL_SIZE * _break_lines(text, width) + GAP
    name = ax.set_title(title, loc="left", pad=height, parse_math=False)
    name.set(fontsize=TITLE_SIZE, weight="bold", color=INK)
    _break_lines(name, width)
    _break_lines(ax.xaxis.label, 1.05 * width)
    return ax


def _break_lines(text: Text, width: float) -> int:
    """Break a text into lines no wider than some pixels, and count the lines."""
    whole = text.get_text()
    letters = int(1.2 * len(whole) * width / max(text.get_window_extent().width, 1)) + 2
    while text.get_window_extent().width > width and letters > 1:
        text.set_text(fill(whole, letters))
        letters -= 1
    return text.get_text().count("\n") + 1


def above(ax: Axes, text: str, points: float, at: float = 0.0, **style: object) -> Text:
    """Write a text as it stands, some points above the Axes and `at` widths of it from its left."""
    place = {"xycoords": "axes fraction", "textcoords": "offset points", "va": "bottom"}
    return ax.annotate(text, (at, 1), (0, points), parse_math=False, **place, **style)  # type: ignore[arg-type]


def right_column(
    ax: Axes, heading: str, rows: Iterable[tuple[float, str, bool]], raised: float = 0.0
) -> float:
    """Write texts to the right of the Axes: height, text, bold or not; return points to leave free.

    In a figure of ours the header ends before the heading starts. In a figure that is shared the
    Axes may become narrower, and the header stands above the heading.
    """
    above(ax, heading, 3 + raised, RIGHT, fontsize=SMALL_SIZE - 0.5, color=QUIET, linespacing=1.1)
    for y, text, bold in rows:
        shown = ax.text(RIGHT, y, text, transform=ax.get_yaxis_transform(), parse_math=False)
        shown.set(va="center", fontsize=SMALL_SIZE, weight="bold" if bold else "normal", color=INK)
    shared = figure_of(ax).get_gid() != OWN
    return raised + shared * 1.15 * SMALL_SIZE * (heading.count("\n") + 1)


def row_labels(ax: Axes, positions: Sequence[float], labels: Iterable[str], most: int = 26) -> None:
    """Label rows on the y axis with words as they stand, long ones cut off."""
    ax.set_yticks(positions, [shorten(label, most) for label in labels], parse_math=False)


def guides(ax: Axes, axis: str = "x") -> None:
    """Draw faint lines at the ticks of an axis, or of both."""
    ax.grid(axis=axis, color=FAINT, linewidth=0.7)  # type: ignore[arg-type]


def key(
    label: str, color: str, marker: str = "", *, size: float = 5.0, width: float = 1.6
) -> Line2D:
    """Return an entry of a legend: a marker on a line; a line, or with width 0 a marker alone."""
    from matplotlib.lines import Line2D

    line = Line2D([], [], color=color, marker=marker, label=label, markersize=size)
    line.set(linewidth=width, linestyle="-" if width else "none")
    line.set_markeredgewidth(2.0 if marker == "|" else 0.0)
    return line


def legible(text: str) -> str:
    """Replace characters that XML forbids, and that no font has."""
    return NO_XML.sub("\ufffd", text)


def shorten(text: str, most: int = 26) -> str:
    """Cut a long word off with an ellipsis."""
    text = legible(text)
    return text if len(text) <= most else text[: most - 1] + "…"


def number(value: float, digits: int = 2) -> str:
    """Write a number with a minus sign; one below .1 with significant digits, NaN as a dash."""
    if np.isnan(value):
        return "–"
    text = f"{value:.{digits}f}" if abs(value) >= 0.1 else f"{value:.{digits}g}"
    return text.replace("-", "−")


def percent(probability: float) -> str:
    """Write a probability that a finite number of draws never makes certain."""
    if probability < 0.01:
        return "<1%"
    return ">99%" if probability > 0.99 else f"{probability:.0%}"


def interval_name(frame: pd.DataFrame) -> str:
    """Return what the intervals of a frame are, such as ``89% highest-density intervals``."""
    ci_prob = frame.attrs.get("ci_prob")
    share = f"{ci_prob * 100:g}% " if isinstance(ci_prob, float) else ""
    return f"{share}{interval_kind(frame.attrs.get('ci_kind', DEFAULT_CI_KIND)).name}s"


def interval_note(frame: pd.DataFrame) -> str:
    """Return what points and bars are."""
    return f"Points: posterior means. Bars: {interval_name(frame)}."


def require_frame(frame: pd.DataFrame, columns: Iterable[str], source: str) -> None:
    """Raise a TypeError or ValueError that names what makes the frame that a plot draws."""
    if not isinstance(frame, pd.DataFrame):
        raise TypeError(f"this plot draws a frame, not a {type(frame).__name__}; pass {source}")
    lacking = [name for name in columns if name not in frame]
    if lacking:
        raise ValueError(
            f"the frame lacks the column(s) {', '.join(lacking)}; it has "
            f"{', '.join(map(str, frame))}. This plot draws {source}"
        )
    if frame.empty:
        raise ValueError(f"the frame has no rows to draw; pass {source}")
