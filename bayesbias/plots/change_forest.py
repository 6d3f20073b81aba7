"""Forest plot of changes: how far each kind of attribute moved, around 0."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pandas as pd

from ..tables.schema import connections_present, require_columns
from .canvas import (
    TOP_TICKS,
    canvas,
    header,
    interval_key,
    reference_line,
    vertical_guides,
    x_axis,
)
from .forest import LINE_HEIGHT, draw_connection
from .palette import BAND
from .rows import draw_rows, layout, rows_with_positions

if TYPE_CHECKING:
    from matplotlib.axes import Axes

HEADER_HEIGHT = 1.75
"""Inches for what stands above and below the rows."""


def change_forest(
    frame: pd.DataFrame, *, level: str = "all", rope: float = 0.02, ax: Axes | None = None
) -> Axes:
    """Changes in mean distance with their intervals, a row a word and a line a connection.

    Parameters
    ----------
    frame : DataFrame
        As ``comparison.changes`` or `bayesbias.summary` of a change gives it.
    level : {"all", "overall", "group", "word"}
        Which rows to draw; see `forest`.
    rope : float
        Half-width of the shaded region of changes that count as none, in [0, 2].
    ax : Axes, optional
        Where to draw; a new figure by default.

    Returns
    -------
    Axes

    Raises
    ------
    ValueError
        If the level is unknown or empty, its words do not fit, or `rope` is no distance.
    """
    if not 0 <= rope <= 2:
        raise ValueError(f"rope is a distance and must lie in [0, 2], got {rope}")
    require_columns(frame, ("connection",))
    plan = layout(frame, level)
    drawn = rows_with_positions(frame, plan.rows)
    names = connections_present(drawn)
    row_height = LINE_HEIGHT * max(len(names), 2) * (0.85 if plan.is_tall else 1.0)
    ax = canvas(ax, HEADER_HEIGHT + row_height * (plan.extent + 0.2))
    draw_rows(ax, plan.rows)
    vertical_guides(ax)
    ax.axvspan(-rope, rope, color=BAND, linewidth=0, zorder=1).set_gid("rope")
    reference_line(ax, 0.0)
    keys = [draw_connection(ax, drawn, names, name) for name in names]
    low, high = min(drawn["low"].min(), -rope), max(drawn["high"].max(), rope)
    label = "change in cosine distance: after − before (positive = farther after)"
    x_axis(ax, label, low, high, repeat=plan.is_tall)
    subtitle = (
        f"{interval_key(frame)} Shaded: changes smaller than {rope:g}, which count as none. "
        f"{plan.note}"
    )
    raised = TOP_TICKS if plan.is_tall else 0.0
    header(ax, "How far the attributes moved", subtitle, keys, raised=raised)
    return ax
