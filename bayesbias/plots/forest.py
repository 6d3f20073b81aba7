"""Forest plot of mean distances: overall, by group and by protected word."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pandas as pd

from ..tables.descriptives import UNRELATED
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
from .palette import COLOURS, MARKERS
from .rows import draw_rows, layout, rows_with_positions
from .tips import row_tips, set_tips

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.lines import Line2D

DODGE = 0.2
"""Distance between the connections of a row, in rows."""

LINE_HEIGHT = 0.115
"""Inches a connection takes in a row."""

HEADER_HEIGHT = 1.75
"""Inches for what stands above and below the rows."""

AXIS_LABEL = "cosine distance (smaller = closer)"


def forest(frame: pd.DataFrame, *, level: str = "all", ax: Axes | None = None) -> Axes:
    """Posterior mean distances with their intervals, a row a word and a line a connection.

    Parameters
    ----------
    frame : DataFrame
        As `bayesbias.summary` gives it.
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
    plan = layout(frame, level)
    drawn = rows_with_positions(frame, plan.rows)
    names = connections_present(drawn)
    row_height = LINE_HEIGHT * max(len(names), 2) * (0.85 if plan.is_tall else 1.0)
    ax = canvas(ax, HEADER_HEIGHT + row_height * (plan.extent + 0.2))
    draw_rows(ax, plan.rows)
    vertical_guides(ax)
    reference_line(ax, UNRELATED)
    keys = [draw_connection(ax, drawn, names, name) for name in names]
    low, high = min(drawn["low"].min(), UNRELATED), max(drawn["high"].max(), UNRELATED)
    x_axis(ax, AXIS_LABEL, low, high, repeat=plan.is_tall)
    subtitle = (
        f"{interval_key(frame)} Dashed line: 1, the distance of unrelated directions. {plan.note}"
    )
    title = "How close the attributes lie to the protected words"
    header(ax, title, subtitle, keys, raised=TOP_TICKS if plan.is_tall else 0.0)
    return ax


def draw_connection(ax: Axes, drawn: pd.DataFrame, names: list[str], name: str) -> Line2D:
    """Draw the points and intervals of one of the connections of a forest."""
    part = drawn[drawn["connection"].astype(str) == name]
    offset = (names.index(name) - (len(names) - 1) / 2) * DODGE
    y = part["position"] + offset
    low, high, texts = part["low"], part["high"], row_tips(part)
    set_tips(ax.hlines(y, low, high, color=COLOURS[name], linewidth=1.5, zorder=2), texts)
    (points,) = ax.plot(
        part["mean"],
        y,
        linestyle="none",
        marker=MARKERS[name],
        markersize=4.8,
        color=COLOURS[name],
        markeredgecolor="white",
        markeredgewidth=0.4,
        label=name,
        zorder=3,
    )
    set_tips(points, texts)
    return points
