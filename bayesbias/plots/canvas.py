"""The sheet that plots are drawn on: Axes, plain text, and the header above the data."""

from __future__ import annotations

from collections.abc import Sequence
from textwrap import fill
from typing import TYPE_CHECKING

from .._core.intervals import DEFAULT_CI_KIND, interval_kind
from .palette import FAINT, INK, LINE, QUIET

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.artist import Artist
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure
    from matplotlib.text import Text

WIDTH = 7.6
"""Width of new figures in inches: a notebook's column."""

OWN = "bayesbias-figure"
"""Group id of figures that were made here, so that saving may close them."""

TITLE_SIZE, TEXT_SIZE, SMALL_SIZE = 12.0, 9.0, 8.5
"""Font sizes in points."""

LETTER, NARROWEST = 0.52, 0.45
"""Advance of a letter of matplotlib's default font, in font sizes: its mean, and a lower bound."""

LONGEST_LABEL = 26
"""Letters of a word that are shown."""

STANDS_OUT = 1.05
"""How wide the x axis' label may be, in widths of the Axes that it is centred on."""

POINTS_AN_INCH = 72.0

TOP_TICKS = 16.0
"""Points that tick labels above the Axes take."""

BESIDE = 1.015
"""Where numbers to the right of the Axes start, in widths of the Axes."""

HEADER_GAP = 6.0
"""Points between the parts of a header."""


def canvas(ax: Axes | None, height: float, width: float = WIDTH) -> Axes:
    """Give back the Axes, or make a figure of a size in inches with one.

    Spines and ticks are quietened either way.
    """
    if ax is None:
        from matplotlib import pyplot as plt

        figure, ax = plt.subplots(figsize=(width, height), layout="constrained")
        figure.set_gid(OWN)
    for side in ("top", "right", "left"):
        ax.spines[side].set_visible(False)
    ax.spines["bottom"].set_color(LINE)
    ax.tick_params(axis="both", labelsize=TEXT_SIZE, color=LINE, labelcolor=INK)
    ax.tick_params(axis="y", length=0)
    ax.set_axisbelow(True)
    return ax


def shorten(text: str, most: int = LONGEST_LABEL) -> str:
    """Cut a long word off with an ellipsis."""
    return text if len(text) <= most else text[: most - 1] + "…"


def literal(text: Text) -> Text:
    """Show a text as it stands: a dollar sign is no mathematics."""
    text.set_parse_math(False)
    return text


def side_heading(ax: Axes, text: str, raised: float = 0.0) -> float:
    """Head the column of numbers that stands to the right of the Axes.

    Returns the points that a header must leave free for it. In a figure of our own the header
    ends before the heading starts; in a figure that is shared the Axes may yet become narrower.
    """
    ax.annotate(
        text,
        (BESIDE, 1),
        (0, 3 + raised),
        xycoords="axes fraction",
        textcoords="offset points",
        fontsize=SMALL_SIZE - 0.5,
        color=QUIET,
        va="bottom",
        linespacing=1.1,
    )
    figure = ax.get_figure(root=True)
    own = figure is not None and figure.get_gid() == OWN
    return raised if own else raised + 1.15 * SMALL_SIZE * (text.count("\n") + 1)


def row_labels(ax: Axes, positions: Sequence[float], labels: Sequence[str]) -> list[Text]:
    """Label rows on the y axis with words as they stand."""
    ax.set_yticks(positions, [shorten(label) for label in labels], parse_math=False)
    return ax.get_yticklabels()


def vertical_guides(ax: Axes) -> None:
    """Draw faint lines at the ticks of the x axis."""
    ax.grid(axis="x", color=FAINT, linewidth=0.7)


def reference_line(ax: Axes, at: float) -> None:
    """Draw the vertical line that positions are read against."""
    ax.axvline(at, color=LINE, linewidth=1.1, linestyle=(0, (4, 2)), zorder=1.5)


def x_axis(ax: Axes, label: str, low: float, high: float, *, repeat: bool = False) -> None:
    """Set limits with a margin and the label; repeat the ticks on top of a tall plot."""
    margin = 0.04 * (high - low) or 0.05
    ax.set_xlim(low - margin, high + margin)
    ax.locator_params(axis="x", nbins=7)
    ax.set_xlabel(label, fontsize=TEXT_SIZE, color=INK, labelpad=6)
    if repeat:
        ax.tick_params(axis="x", top=False, labeltop=True)


def header(
    ax: Axes, title: str, subtitle: str, keys: Sequence[Artist] = (), *, raised: float = 0.0
) -> None:
    """Write title, subtitle and legend above the Axes, from its left edge on.

    To be called last: the x axis' label, too, is broken into lines where it is wider than the
    Axes, as it may be where several share a figure.

    Parameters
    ----------
    title, subtitle : str
        Broken into lines where they are wider than the Axes.
    keys : sequence of Artist
        What the legend explains; none, no legend.
    raised : float
        Points to leave free above the Axes, for what stands there already.
    """
    dpi = _figure_of(ax).dpi
    width = _width_in_points(ax)
    height = HEADER_GAP + raised
    if keys:
        height += _legend(ax, keys, width, height)
    note = ax.annotate(
        subtitle,
        (0, 1),
        (0, height),
        xycoords="axes fraction",
        textcoords="offset points",
        fontsize=SMALL_SIZE,
        color=QUIET,
        va="bottom",
        linespacing=1.3,
    )
    literal(note).set_gid("subtitle")
    height += 1.45 * SMALL_SIZE * _break_lines(note, width, dpi) + HEADER_GAP
    name = ax.set_title(
        title, fontsize=TITLE_SIZE, weight="bold", color=INK, x=0, y=1, ha="left", pad=height
    )
    _break_lines(literal(name), width, dpi)
    _break_lines(ax.xaxis.label, STANDS_OUT * width, dpi)


def _break_lines(text: Text, width: float, dpi: float) -> int:
    """Break a text into lines, none of which is wider than a width in points; count them."""
    whole, size = text.get_text(), float(text.get_fontsize())
    for letters in range(int(width / (NARROWEST * size)), 1, -1):
        text.set_text(fill(whole, letters))
        if text.get_window_extent().width <= width * dpi / POINTS_AN_INCH:
            break
    return text.get_text().count("\n") + 1


def _width_in_points(ax: Axes) -> float:
    figure = _figure_of(ax)
    if figure.get_layout_engine() is not None:  # it settles how wide the Axes will be
        figure.draw_without_rendering()
    return float(max(120.0, ax.get_window_extent().width / figure.dpi * POINTS_AN_INCH))


def _figure_of(ax: Axes) -> Figure:
    figure = ax.get_figure(root=True)
    if figure is None:
        raise ValueError("the Axes belongs to no figure; make one with plt.subplots()")
    return figure


def _legend(ax: Axes, keys: Sequence[Artist], width: float, raised: float) -> float:
    """Put a legend on the Axes at a height in points, and give its own height."""
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
    rows = -(-len(keys) // columns)
    return rows * 1.7 * TEXT_SIZE + HEADER_GAP


def interval_key(frame: pd.DataFrame) -> str:
    """Say what points and bars are, with the intervals' probability where the frame knows it."""
    ci_prob = frame.attrs.get("ci_prob")
    share = f"{ci_prob * 100:g}% " if isinstance(ci_prob, float) else ""
    kind = interval_kind(frame.attrs.get("ci_kind", DEFAULT_CI_KIND)).name
    return f"Points: posterior means. Bars: {share}{kind}s."
