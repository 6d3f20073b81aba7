"""Scores of a word list as dots with intervals, every row on a scale of its own."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from ..tables.schema import require_columns
from .canvas import (
    BESIDE,
    SMALL_SIZE,
    TEXT_SIZE,
    canvas,
    header,
    reference_line,
    shorten,
    side_heading,
)
from .palette import FAINT, INK
from .rows import MOST_ROWS

if TYPE_CHECKING:
    from matplotlib.artist import Artist
    from matplotlib.axes import Axes

NEEDED = ("score", "groups", "value", "low", "high", "interval", "no_bias", "direction", "reading")
"""Columns of a table of scores that the plot uses."""

ROW_HEIGHT = 0.24
"""Inches a row takes."""

HEADER_HEIGHT = 1.95
"""Inches for what stands above and below the rows."""

HEADING_GAP = 0.5
"""Room above the heading of a block, in rows."""

LONGEST_NAME = 44
"""Letters of a score and its groups that are shown."""

POSTERIOR = "#007E5C"
"""A green that stands for no connection."""

STYLES = {"bootstrap": ("o", INK), "posterior": ("D", POSTERIOR)}
"""Marker and colour by what the interval comes from."""

KEYS = {
    "bootstrap": "score of these words, bootstrap interval over words",
    "posterior": "posterior mean, highest-density interval",
}
"""What the markers are."""

ABOUT = (
    "Each row has a scale of its own, from no bias (line) to the far end of its interval: read "
    "where it lies against the line, not how long it is."
)

SIZES = "more difference between groups"
"""The reading of scores that are sizes, which have no other way to go."""


def scores(frame: pd.DataFrame, *, ax: Axes | None = None) -> Axes:
    """Draw a table of scores: dots with intervals against no bias, with their values.

    Scores have different units, so that each row is stretched to its own width: its distance from
    the value of no bias, in its direction, over the largest such distance of the row. Where a row
    lies against the line, and how wide it is against its distance from it, is read; how long it is
    is not.

    Parameters
    ----------
    frame : DataFrame
        As `bayesbias.score_table` or `with_posterior_scores` gives it.
    ax : Axes, optional
        Where to draw; a new figure by default, as high as its rows need.

    Returns
    -------
    Axes
        A block of rows for each reading, headed by it; on the right of every row its value and
        the ends of its interval.

    Raises
    ------
    ValueError
        If a column is missing, no row has a value, or they do not fit into one figure.
    """
    require_columns(frame, NEEDED)
    drawn = frame[frame["value"].notna()]
    if drawn.empty:
        raise ValueError("no score of the frame has a value; the column note says why")
    if len(drawn) > MOST_ROWS:
        raise ValueError(
            f"{len(drawn)} scores do not fit into one figure, which holds {MOST_ROWS}; choose "
            "some, such as frame[frame['score'] == 'weat']"
        )
    lines = list(_lines(drawn))
    ax = canvas(ax, HEADER_HEIGHT + ROW_HEIGHT * lines[-1].position)
    reference_line(ax, 0.0)
    _label(ax, lines)
    for line in lines:
        if line.row is not None:
            _draw(ax, line.row, line.position)
    ax.set_ylim(lines[-1].position + 0.6, -0.7)
    ax.set_xlim(-1.08, 1.08)
    ax.set_xticks([-1, 0, 1], ["← the other way", "no bias", "as the heading says →"])
    raised = side_heading(ax, "value  [interval]")
    header(ax, "The scores, each on its own scale", _account(drawn), _keys(drawn), raised=raised)
    return ax


@dataclass(frozen=True)
class _Line:
    """A heading, or a row of the frame."""

    label: str
    position: float
    row: dict[Any, Any] | None = None


def _lines(drawn: pd.DataFrame) -> Iterator[_Line]:
    pairs = drawn.groupby(["score", "interval"])["groups"].nunique()
    place = -1.0
    for reading, part in drawn.groupby("reading", sort=False):
        place += 1 + HEADING_GAP * (place >= 0)
        yield _Line(f"→ {reading}", place)
        for row in part.to_dict("records"):
            place += 1
            alone = pairs[row["score"], row["interval"]] == 1
            name = row["score"] if alone else f"{row['score']}: {row['groups']}"
            yield _Line(shorten(str(name), LONGEST_NAME), place, row)


def _label(ax: Axes, lines: list[_Line]) -> None:
    rows = [line for line in lines if line.row is not None]
    labels = [line.label for line in rows]
    ax.set_yticks([line.position for line in rows], labels, parse_math=False)
    for line in lines:
        if line.row is None:
            heading = ax.text(0, line.position, line.label, transform=ax.get_yaxis_transform())
            heading.set(va="center", fontsize=TEXT_SIZE, weight="bold", color=INK, gid="heading")
            heading.set_bbox({"color": "white", "pad": 1.0})


def _draw(ax: Axes, row: dict[Any, Any], position: float) -> None:
    sign = 1.0 if row["direction"] == "higher" else -1.0
    numbers = np.array([row["value"], row["low"], row["high"]], dtype=float)
    away = sign * (numbers - row["no_bias"])
    longest = np.nanmax(np.abs(away))
    point, *ends = away / longest if longest > 0 else away
    marker, colour = STYLES[row["interval"]]
    ax.axhline(position, color=FAINT, linewidth=0.6, zorder=0.5)
    ax.hlines(position, min(ends), max(ends), color=colour, linewidth=1.8, zorder=2)
    (drawn,) = ax.plot([point], [position], marker, color=colour, label=row["score"], zorder=3)
    drawn.set(markersize=5.5, markeredgecolor="white", markeredgewidth=0.6)
    texts = [_number(number) for number in numbers]
    ax.text(
        BESIDE,
        position,
        f"{texts[0]}  [{texts[1]}, {texts[2]}]",
        transform=ax.get_yaxis_transform(),
        va="center",
        fontsize=SMALL_SIZE,
        color=INK,
    )


def _number(value: float) -> str:
    if np.isnan(value):
        return "–"
    text = f"{value:.2f}" if abs(value) >= 0.1 else f"{value:.2g}"
    return text.replace("-", "−")


def _account(drawn: pd.DataFrame) -> str:
    sizes = [str(name) for name in drawn["score"][drawn["reading"] == SIZES].unique()]
    if not sizes:
        return ABOUT
    return f"{ABOUT} An interval off the line is no evidence for sizes ({', '.join(sizes)})."


def _keys(drawn: pd.DataFrame) -> list[Artist]:
    from matplotlib.lines import Line2D

    there = set(drawn["interval"])
    keys: list[Artist] = []
    for name, (marker, colour) in STYLES.items():
        if name in there:
            key = Line2D([], [], linestyle="-", marker=marker, color=colour, label=KEYS[name])
            key.set(markersize=5.5, markeredgecolor="white", linewidth=1.8)
            keys.append(key)
    return keys
