"""What stands above the data: title, subtitle and legend, broken into lines that fit."""

from __future__ import annotations

from collections.abc import Sequence
from textwrap import fill
from typing import TYPE_CHECKING

import pandas as pd

from .._core.intervals import DEFAULT_CI_KIND, interval_kind
from .palette import INK, QUIET

if TYPE_CHECKING:
    from matplotlib.artist import Artist
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure
    from matplotlib.lines import Line2D
    from matplotlib.text import Text

TITLE_SIZE, TEXT_SIZE, SMALL_SIZE = 12.0, 9.0, 8.5
"""Font sizes in points."""

LETTER, NARROWEST = 0.52, 0.45
"""Advance of a letter of matplotlib's default font, in font sizes: its mean, and a lower bound."""

STANDS_OUT = 1.05
"""How wide the x axis' label may be, in widths of the Axes that it is centred on."""

POINTS_AN_INCH = 72.0

HEADER_GAP = 6.0
"""Points between the parts of a header."""


def literal(text: Text) -> Text:
    """Show a text as it stands: a dollar sign is no mathematics."""
    text.set_parse_math(False)
    return text


def header(
    ax: Axes, title: str, subtitle: str, keys: Sequence[Artist] = (), *, raised: float = 0.0
) -> None:
    """Write title, subtitle and legend above the Axes, from its left edge on.

    To be called last: what is wider than the Axes, the x axis' label too, is broken into lines.
    Above the Axes so many points are left free for what stands there already.
    """
    for label in (ax.xaxis.label, ax.yaxis.label):
        literal(label)
    dpi = figure_of(ax).dpi
    width = _width_in_points(ax)
    height = HEADER_GAP + raised
    if keys:
        height += _legend(ax, keys, width, height)
    note = above(ax, subtitle, height, fontsize=SMALL_SIZE, color=QUIET, linespacing=1.3)
    note.set_gid("subtitle")
    height += 1.45 * SMALL_SIZE * _break_lines(note, width, dpi) + HEADER_GAP
    name = ax.set_title(
        title, fontsize=TITLE_SIZE, weight="bold", color=INK, x=0, y=1, ha="left", pad=height
    )
    _break_lines(literal(name), width, dpi)
    _break_lines(ax.xaxis.label, STANDS_OUT * width, dpi)


def above(ax: Axes, text: str, points: float, at: float = 0.0, **style: object) -> Text:
    """Write a text as it stands, some points above the Axes and `at` widths of it from its left."""
    place = {"xycoords": "axes fraction", "textcoords": "offset points", "va": "bottom"}
    return literal(ax.annotate(text, (at, 1), (0, points), **place, **style))  # type: ignore[arg-type]


def key(
    label: str, colour: str, marker: str = "", *, size: float = 5.0, width: float = 1.6
) -> Line2D:
    """Return an entry of a legend: a marker on a line; a line, or with width 0 a marker alone."""
    from matplotlib.lines import Line2D

    line = Line2D([], [], color=colour, marker=marker, label=label, markersize=size)
    line.set(linewidth=width, linestyle="-" if width else "none")
    if marker == "|":
        line.set(markeredgewidth=2.0)
    elif width:
        line.set(markeredgecolor="white", markeredgewidth=0.6)
    return line


def share_inside(frame: pd.DataFrame) -> str:
    """Return the probability of a frame's intervals in percent; nothing if it is not known."""
    ci_prob = frame.attrs.get("ci_prob")
    return f"{ci_prob * 100:g}%" if isinstance(ci_prob, float) else ""


def interval_key(frame: pd.DataFrame) -> str:
    """Return what points and bars are."""
    kind = interval_kind(frame.attrs.get("ci_kind", DEFAULT_CI_KIND)).name
    bars = f"{share_inside(frame)} {kind}s".lstrip()
    return f"Points: posterior means. Bars: {bars}."


def _break_lines(text: Text, width: float, dpi: float) -> int:
    """Break a text into lines, none of which is wider than a width in points; count them."""
    whole, size = text.get_text(), float(text.get_fontsize())
    for letters in range(int(width / (NARROWEST * size)), 1, -1):
        text.set_text(fill(whole, letters))
        if text.get_window_extent().width <= width * dpi / POINTS_AN_INCH:
            break
    return text.get_text().count("\n") + 1


def _width_in_points(ax: Axes) -> float:
    figure = figure_of(ax)
    if (engine := figure.get_layout_engine()) is not None:
        engine.execute(figure)  # it settles how wide the Axes will be
    return float(max(120.0, ax.get_window_extent().width / figure.dpi * POINTS_AN_INCH))


def figure_of(ax: Axes) -> Figure:
    """Return the figure that an Axes, or what holds it, belongs to."""
    figure = ax.get_figure(root=True)
    if figure is None:
        raise ValueError("the Axes belongs to no figure; make one with plt.subplots()")
    return figure


def _legend(ax: Axes, keys: Sequence[Artist], width: float, raised: float) -> float:
    """Draw a legend above the Axes at a height in points, and return its own height."""
    letters = max(len(str(key.get_label())) for key in keys)
    columns = max(1, min(len(keys), int(width / (LETTER * TEXT_SIZE * letters + 34))))
    legend = ax.legend(
        handles=list(keys),
        loc="lower left",
        bbox_to_anchor=(0, 1),
        borderaxespad=raised / TEXT_SIZE,
        ncols=columns,
        frameon=False,
        fontsize=TEXT_SIZE,
        labelcolor=INK,
        borderpad=0,
        handletextpad=0.3,
        handlelength=1.1,
        columnspacing=1.4,
    )
    legend.set_gid("legend")
    for text in legend.get_texts():
        literal(text)
    rows = -(-len(keys) // columns)
    return rows * 1.7 * TEXT_SIZE + HEADER_GAP
