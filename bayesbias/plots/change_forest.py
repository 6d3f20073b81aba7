"""Forest plot of changes: how far each kind of attribute moved, around 0."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pandas as pd

from ..tables.schema import require_columns
from .axes_frame import Scale, finish, rope_band
from .forest_engine import draw_connections, level_axes
from .header import interval_key

if TYPE_CHECKING:
    from matplotlib.axes import Axes

LABEL = "change in cosine distance: after − before (positive = farther after)"


def change_forest(
    frame: pd.DataFrame, *, level: str = "all", rope: float = 0.02, ax: Axes | None = None
) -> Axes:
    """Draw changes in mean distance with intervals, a row a word and a line a connection.

    Parameters
    ----------
    frame : DataFrame
        As ``comparison.changes`` or `bayesbias.summary` of a change returns it.
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
    band = rope_band(rope)
    require_columns(frame, ("connection",))
    ax, rows, drawn = level_axes(frame, level, ax)
    keys = draw_connections(ax, drawn)
    scale = Scale(LABEL, [*drawn["low"], *drawn["high"]], 0.0, band)
    note = f"{interval_key(frame)} Shaded: changes smaller than {rope:g}, which count as none."
    title = "How far the attributes moved"
    return finish(ax, scale, title, f"{note} {rows.note}", keys, tall=rows.is_tall)
