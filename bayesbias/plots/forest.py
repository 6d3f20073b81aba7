"""Forest plot of mean distances: overall, by group and by protected word."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pandas as pd

from ..tables.descriptives import UNRELATED
from ..tables.schema import require_columns
from .axes_frame import DISTANCE, Scale, finish
from .forest_engine import draw_connections, level_axes
from .header import interval_key

if TYPE_CHECKING:
    from matplotlib.axes import Axes


def forest(frame: pd.DataFrame, *, level: str = "all", ax: Axes | None = None) -> Axes:
    """Draw posterior mean distances with intervals, a row a word and a line a connection.

    Parameters
    ----------
    frame : DataFrame
        As `bayesbias.summary` returns it.
    level : {"all", "overall", "group", "word"}
        Which rows to draw. With "all", words that do not fit into one figure are left out, and
        the subtitle says so.
    ax : Axes, optional
        Where to draw; a new figure by default, as high as its rows need.

    Returns
    -------
    Axes
        One line of points for each connection, labelled with its name; the rows from 0
        downwards.

    Raises
    ------
    ValueError
        If the level is unknown or empty, or its words do not fit into one figure.

    References
    ----------
    Dobrzeniecka and Urbaniak (2024), figure 13.
    """
    require_columns(frame, ("connection",))
    ax, rows, drawn = level_axes(frame, level, ax)
    keys = draw_connections(ax, drawn)
    scale = Scale(DISTANCE, [*drawn["low"], *drawn["high"]], UNRELATED)
    note = f"{interval_key(frame)} Dashed line: 1, the distance of unrelated directions."
    title = "How close the attributes lie to the protected words"
    return finish(ax, scale, title, f"{note} {rows.note}", keys, tall=rows.is_tall)
