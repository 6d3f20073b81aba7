"""False alarms by scenario and method: dots with Monte Carlo intervals beside promised rates."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pandas as pd

from ..tables.schema import require_columns
from .axes_frame import Scale, SideText, finish
from .forest_engine import MOST_ROWS, block_rows, draw_intervals, forest_axes
from .header import key
from .palette import COLOURS, INK, LINE, MISS

if TYPE_CHECKING:
    from matplotlib.axes import Axes

NEEDED = ("scenario", "method", "kind", "rate", "low", "high", "nominal", "n")
"""Columns of a calibration frame that the plot uses."""

CAUTIOUS = COLOURS["different"]
"""Blue, for fewer claims than promised."""

WORDS = {
    "false alarms": ("How often methods claim a bias that is not there", "false alarms"),
    "coverage": ("How often intervals hold the truth", "covered truths"),
}
"""Title and what is counted, by kind of row."""


def false_alarms(frame: pd.DataFrame, *, by: str = "method", ax: Axes | None = None) -> Axes:
    """Draw false-alarm rates (or coverage) with the promised rate as a line in every row.

    Parameters
    ----------
    frame : DataFrame
        As `bayesbias.calibration.calibrate` returns it. Rows that are false alarms are drawn; if
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
    found = frame[frame["kind"] == kind]
    if len(found) > MOST_ROWS:
        raise ValueError(f"{len(found)} rows do not fit into one figure, which holds {MOST_ROWS}")
    other = "scenario" if by == "method" else "method"
    rows, drawn = block_rows(found.assign(label=found[other].astype(str), mean=found["rate"]), by)
    ax = forest_axes(ax, rows, row_height=0.22)
    column = [_draw(ax, drawn.iloc[[at]], kind) for at in range(len(drawn))]
    low = 0.0 if kind == "false alarms" else float(drawn[["low", "nominal"]].min().min())
    ends = [low, low + 0.05, *drawn["high"], *drawn["nominal"].dropna()]
    bad, good = ("more", "fewer") if kind == "false alarms" else ("fewer", "more")
    keys = [
        key("as promised, or nothing promised", INK, "o"),
        key(f"{bad} than promised", MISS, "o"),
        key(f"{good} than promised", CAUTIOUS, "o"),
        key("promised", LINE, "|", size=9, width=0),
    ]
    title, counted = WORDS[kind]
    scale = Scale(f"share of {counted}", ends)
    return finish(ax, scale, title, _account(drawn, bad), keys, heading="rate", column=column)


def _draw(ax: Axes, row: pd.DataFrame, kind: str) -> SideText:
    """Draw a row, and return its rate in figures."""
    ((position, rate, nominal),) = row[["position", "rate", "nominal"]].to_numpy(float)
    colour = _colour(row.to_dict("records")[0], kind)
    draw_intervals(ax, row, "rate", colour)
    if pd.notna(nominal):
        ax.vlines(nominal, position - 0.42, position + 0.42, color=LINE, linewidth=1.6, zorder=1.5)
    return SideText(position, f"{rate:.3f}".removeprefix("0"), colour == MISS, colour)


def _colour(row: dict[Any, Any], kind: str) -> str:
    """Red for more false alarms than promised, blue for fewer; the other way round for coverage."""
    if pd.isna(row["nominal"]) or row["low"] <= row["nominal"] <= row["high"]:
        return INK
    return MISS if (row["rate"] > row["nominal"]) == (kind == "false alarms") else CAUTIOUS


def _account(drawn: pd.DataFrame, bad: str) -> str:
    tables = sorted({int(n) for n in drawn["n"]})
    counts = f"{tables[0]:,}" if len(tables) == 1 else f"{tables[0]:,} to {tables[-1]:,}"
    return (
        f"{counts} simulated tables a row; bars are 95% Monte Carlo intervals. Grey ticks: the "
        f"share that the method promises. Red: {bad} than promised, beyond Monte Carlo error."
    )
