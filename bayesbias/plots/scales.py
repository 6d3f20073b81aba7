"""The standard deviations of a model: where the spread of the distances comes from."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import pandas as pd

from ..tables.schema import require_columns
from .canvas import canvas, header, interval_key, row_labels, vertical_guides, x_axis
from .palette import COLOURS, FAINT, INK, MARKERS
from .tips import set_tips, tip

if TYPE_CHECKING:
    from matplotlib.axes import Axes

MEANINGS = {
    "connection_sd": "between protected words",
    "group_sd": "between groups",
    "attribute_sd": "between attributes",
    "context_sd": "between contexts",
    "sigma": "between single distances",
}
"""What each standard deviation measures, in words."""

NOT_A_DISTANCE = "nu"
"""Degrees of freedom of the Student likelihood: no spread, so not on the axis."""

ROW_HEIGHT = 0.27
"""Inches a row takes."""

HEADER_HEIGHT = 1.6
"""Inches for what stands above and below the rows."""


def scales(frame: pd.DataFrame, ax: Axes | None = None) -> Axes:
    """Draw the standard deviations of a posterior as dots with their intervals.

    Parameters
    ----------
    frame : DataFrame
        As `bayesbias.scales` gives it.
    ax : Axes, optional
        Where to draw; a new figure by default.

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
    drawn = frame[frame["parameter"] != NOT_A_DISTANCE]
    if drawn.empty:
        raise ValueError("the frame has no standard deviations to draw; pass bb.scales(posterior)")
    lines = _lines(drawn)
    ax = canvas(ax, HEADER_HEIGHT + ROW_HEIGHT * len(lines))
    for text, line in zip(row_labels(ax, *_places(lines)), lines, strict=True):
        text.set_fontweight("bold" if line.is_heading else "normal")
    vertical_guides(ax)
    for row, line in enumerate(lines):
        _draw(ax, row, line)
    ax.set_ylim(len(lines) - 0.3, -0.7)
    x_axis(ax, "standard deviation, in units of cosine distance", 0.0, drawn["high"].max())
    ax.set_xlim(left=0.0)
    header(ax, "Where the spread comes from", _account(frame))
    return ax


@dataclass(frozen=True)
class _Line:
    """A heading, without an interval, or a standard deviation with one."""

    label: str
    of: str = ""
    interval: tuple[float, float, float] | None = None
    is_heading: bool = True


def _lines(drawn: pd.DataFrame) -> list[_Line]:
    """Give each parameter a heading, and lines below it where it has several parts."""
    lines = []
    for name, part in drawn.groupby("parameter", sort=False):
        label = MEANINGS.get(str(name), str(name))
        numbers = part[["of", "mean", "low", "high"]].itertuples(index=False, name=None)
        parts = [_Line(of, of, (mean, low, high), False) for of, mean, low, high in numbers]
        if len(parts) == 1 and not parts[0].of:
            lines.append(_Line(label, "", parts[0].interval))
        else:
            lines += [_Line(label), *parts]
    return lines


def _places(lines: list[_Line]) -> tuple[list[float], list[str]]:
    return [float(row) for row in range(len(lines))], [line.label for line in lines]


def _draw(ax: Axes, row: int, line: _Line) -> None:
    if line.interval is None:
        return
    mean, low, high = line.interval
    colour = COLOURS.get(line.of, INK)
    ax.axhline(row, color=FAINT, linewidth=0.6, zorder=0.5)
    bar = ax.hlines(row, low, high, color=colour, linewidth=1.8, zorder=2)
    (point,) = ax.plot([mean], [row], MARKERS.get(line.of, "o"), color=colour, label=line.label)
    point.set(markersize=6, markeredgecolor="white", markeredgewidth=0.6, zorder=3)
    for artist in (bar, point):
        set_tips(artist, [tip(line.label, "", mean, low, high)])


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
