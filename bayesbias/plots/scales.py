"""The standard deviations of a model: where the spread of the distances comes from."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pandas as pd

from ..tables.schema import require_columns
from .axes_frame import Scale, finish
from .forest_engine import block_rows, draw_intervals, forest_axes
from .header import interval_key
from .palette import COLOURS, INK, MARKERS

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


def scales(frame: pd.DataFrame, ax: Axes | None = None) -> Axes:
    """Draw the standard deviations of a posterior as dots with their intervals.

    Parameters
    ----------
    frame : DataFrame
        As `bayesbias.scales` returns it.
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
    found = frame[frame["parameter"] != NOT_A_DISTANCE]
    if found.empty:
        raise ValueError("the frame has no standard deviations to draw; pass bb.scales(posterior)")
    meaning = found["parameter"].map(lambda name: MEANINGS.get(name, name))
    rows, drawn = block_rows(found.assign(meaning=meaning, label=found["of"]), "meaning")
    ax = forest_axes(ax, rows, row_height=0.25)
    for at, (of, label) in enumerate(zip(drawn["of"], drawn["label"], strict=True)):
        style = COLOURS.get(of, INK), MARKERS.get(of, "o")
        draw_intervals(ax, drawn.iloc[[at]], label, *style, size=6)
    scale = Scale("standard deviation, in units of cosine distance", [0.0, *found["high"]])
    finish(ax, scale, "Where the spread comes from", _account(frame)).set_xlim(left=0.0)
    return ax


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
