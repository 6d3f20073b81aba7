"""False alarms by scenario and method: dots with Monte Carlo intervals beside promised rates."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import pandas as pd

from ..tables.schema import require_columns
from .canvas import (
    BESIDE,
    SMALL_SIZE,
    canvas,
    header,
    shorten,
    side_heading,
    vertical_guides,
    x_axis,
)
from .palette import FAINT, INK, LINE, MISS
from .rows import MOST_ROWS

if TYPE_CHECKING:
    from matplotlib.artist import Artist
    from matplotlib.axes import Axes

NEEDED = ("scenario", "method", "kind", "rate", "low", "high", "nominal", "n")
"""Columns of a calibration frame that the plot uses."""

ROW_HEIGHT, HEADER_HEIGHT = 0.22, 1.8
"""Inches a row takes, and what stands above and below the rows."""

HEADING_GAP = 0.4
"""Room above the heading of a block, in rows."""

LONGEST_NAME = 40

CAUTIOUS = "#0072B2"
"""Blue of Okabe and Ito's palette, for rates below what is promised."""

WORDS = {
    "false alarms": ("How often methods claim a bias that is not there", "false alarms"),
    "coverage": ("How often intervals hold the truth", "covered truths"),
}


def false_alarms(frame: pd.DataFrame, *, by: str = "method", ax: Axes | None = None) -> Axes:
    """Draw false-alarm rates (or coverage) with the promised rate as a line in every row.

    Parameters
    ----------
    frame : DataFrame
        As `bayesbias.calibration.calibrate` gives it. Rows that are false alarms are drawn; if
        there are none, those that are coverage.
    by : {"method", "scenario"}
        What the blocks are; the other one labels the rows.
    ax : Axes, optional
        Where to draw; a new figure by default, as high as its rows need.

    Returns
    -------
    Axes
        A row for each pair: the rate, its Monte Carlo interval, a tick at the nominal rate, and
        the rate in figures on the right. Red: more claims (or less coverage) than promised, beyond
        Monte Carlo error; blue: fewer (or more).

    Raises
    ------
    ValueError
        If a column is missing, or there is nothing to draw, or it does not fit into one figure.
    """
    require_columns(frame, NEEDED)
    if by not in {"method", "scenario"}:
        raise ValueError(f"by must be 'method' or 'scenario', got {by!r}")
    kind = next((kind for kind in WORDS if (frame["kind"] == kind).any()), None)
    if kind is None:
        raise ValueError("the frame has no false alarms and no coverage; simulate a null scenario")
    drawn = frame[frame["kind"] == kind]
    if len(drawn) > MOST_ROWS:
        raise ValueError(f"{len(drawn)} rows do not fit into one figure, which holds {MOST_ROWS}")
    lines = list(_lines(drawn, by))
    ax = canvas(ax, HEADER_HEIGHT + ROW_HEIGHT * lines[-1].position)
    vertical_guides(ax)
    _label(ax, lines)
    for line in lines:
        if line.row is not None:
            _draw(ax, line.row, line.position, kind)
    ax.set_ylim(lines[-1].position + 0.6, -0.7)
    low = 0.0 if kind == "false alarms" else float(min(drawn["low"].min(), drawn["nominal"].min()))
    high = float(drawn[["high", "nominal"]].max().max())
    x_axis(ax, f"share of {WORDS[kind][1]}", low, max(high, low + 0.05))
    raised = side_heading(ax, "rate")
    header(ax, WORDS[kind][0], _account(drawn, kind), _keys(kind), raised=raised)
    return ax


@dataclass(frozen=True)
class _Line:
    """A heading, or a row of the frame."""

    label: str
    position: float
    row: dict[Any, Any] | None = None


def _lines(drawn: pd.DataFrame, by: str) -> Iterator[_Line]:
    other = "scenario" if by == "method" else "method"
    place = -1.0
    for name, part in drawn.groupby(by, sort=False):
        place += 1 + HEADING_GAP * (place >= 0)
        yield _Line(str(name), place)
        for row in part.to_dict("records"):
            place += 1
            yield _Line(shorten(str(row[other]), LONGEST_NAME), place, row)


def _label(ax: Axes, lines: list[_Line]) -> None:
    ax.set_yticks(
        [line.position for line in lines], [line.label for line in lines], parse_math=False
    )
    for text, line in zip(ax.get_yticklabels(), lines, strict=True):
        if line.row is None:
            text.set(weight="bold", color=INK)
        else:
            ax.axhline(line.position, color=FAINT, linewidth=0.6, zorder=0.5)


def _draw(ax: Axes, row: dict[Any, Any], position: float, kind: str) -> None:
    colour = _colour(row, kind)
    ax.hlines(position, row["low"], row["high"], color=colour, linewidth=1.8, zorder=2)
    ax.plot([row["rate"]], [position], "o", color=colour, markersize=5, zorder=3, gid="rate")
    if pd.notna(row["nominal"]):
        at = row["nominal"]
        ax.vlines(at, position - 0.42, position + 0.42, color=LINE, linewidth=1.6, zorder=1.5)
    ax.text(
        BESIDE,
        position,
        f"{row['rate']:.3f}".removeprefix("0"),
        transform=ax.get_yaxis_transform(),
        va="center",
        fontsize=SMALL_SIZE,
        color=colour,
        weight="bold" if colour == MISS else "normal",
    )


def _colour(row: dict[Any, Any], kind: str) -> str:
    """Red for more false alarms than promised, blue for fewer; the other way round for coverage."""
    if pd.isna(row["nominal"]) or row["low"] <= row["nominal"] <= row["high"]:
        return INK
    return MISS if (row["rate"] > row["nominal"]) == (kind == "false alarms") else CAUTIOUS


def _account(drawn: pd.DataFrame, kind: str) -> str:
    tables = sorted({int(n) for n in drawn["n"]})
    counts = f"{tables[0]:,}" if len(tables) == 1 else f"{tables[0]:,} to {tables[-1]:,}"
    bad = "more" if kind == "false alarms" else "fewer"
    return (
        f"{counts} simulated tables a row; bars are 95% Monte Carlo intervals. Grey ticks: the "
        f"share that the method promises. Red: {bad} than promised, beyond Monte Carlo error."
    )


def _keys(kind: str) -> list[Artist]:
    from matplotlib.lines import Line2D

    good = "fewer than promised" if kind == "false alarms" else "more than promised"
    bad = "more than promised" if kind == "false alarms" else "fewer than promised"
    labels = ((INK, "as promised, or nothing promised"), (MISS, bad), (CAUTIOUS, good))
    return [
        *(Line2D([], [], marker="o", color=c, markersize=5, label=text) for c, text in labels),
        Line2D([], [], marker="|", color=LINE, linestyle="none", markersize=9, label="promised"),
    ]
