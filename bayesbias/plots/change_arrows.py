"""Arrows from before to after of the mean distances."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pandas as pd

from .._core.checks import unknown_name
from ..tables.descriptives import UNRELATED
from ..tables.schema import connections_present, require_columns
from .axes_frame import DISTANCE, Scale, finish
from .forest_engine import dodged, level_axes
from .palette import COLOURS, MARKERS

if TYPE_CHECKING:
    from collections.abc import Sequence

    from matplotlib.axes import Axes
    from matplotlib.lines import Line2D

HEAD = 0.32
"""Length of an arrow's head, in font sizes."""

SHORTEST = 0.012
"""Changes up to this share of the axis are drawn as lines: a head would be longer than they are."""


def change_arrows(
    frame: pd.DataFrame,
    *,
    level: str = "all",
    connections: Sequence[str] | None = None,
    ax: Axes | None = None,
) -> Axes:
    """Draw mean distances before and after as arrows, a row a word and a line a connection.

    Parameters
    ----------
    frame : DataFrame
        As ``comparison.changes`` returns it.
    level : {"all", "overall", "group", "word"}
        Which rows to draw; see `forest`.
    connections : sequence of str, optional
        Which connections to draw; all by default.
    ax : Axes, optional
        Where to draw; a new figure by default.

    Returns
    -------
    Axes
        Arrows from the posterior mean before to that after. They show no uncertainty;
        `change_forest` does.

    Raises
    ------
    ValueError
        If a connection is not in the frame, or as `forest` does.
    """
    require_columns(frame, ("connection", "before", "after"))
    there = connections_present(frame)
    for name in connections or ():
        if name not in there:
            raise ValueError(unknown_name("connection", name, there))
    names = [name for name in there if connections is None or name in connections]
    kept = frame[frame["connection"].astype(str).isin(names)]
    ax, rows, drawn = level_axes(kept, level, ax)
    scale = Scale(DISTANCE, [*drawn["before"], *drawn["after"]], UNRELATED)
    keys = [draw_arrows(ax, part, name, scale) for name, part in dodged(drawn, names)]
    note = (
        "From the posterior mean before (mark) to that after (head of the arrow). Dashed line: 1, "
        f"the distance of unrelated directions. {rows.note}"
    )
    return finish(ax, scale, "Where the attributes went", note, keys, tall=rows.is_tall)


def draw_arrows(ax: Axes, drawn: pd.DataFrame, name: str, scale: Scale) -> Line2D:
    """Draw arrows with heads, or lines where the change is smaller than a head would be."""
    low, high = scale.limits
    for row in drawn.to_dict("records"):
        long = abs(row["after"] - row["before"]) > SHORTEST * (high - low)
        style = {
            "arrowstyle": f"-|>,head_length={HEAD},head_width={HEAD / 2}" if long else "-",
            "color": COLOURS[name],
            "linewidth": 1.3,
            "shrinkA": 0,
            "shrinkB": 0,
        }
        at, start = (row["after"], row["position"]), (row["before"], row["position"])
        ax.annotate("", at, start, arrowprops=style, zorder=3).set_gid(f"arrow-{name}")
    (marks,) = ax.plot(drawn["before"], drawn["position"], MARKERS[name], label=name, zorder=4)
    marks.set(markersize=4.2, color=COLOURS[name], markerfacecolor="white")
    return marks
