"""Arrows from before to after: of mean distances, and of the order of two connections."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import pandas as pd

from .._core.checks import unknown_name
from ..tables.schema import connections_present, require_columns
from .axes_frame import UNRELATED_LINE, Scale, distance_scale, finish
from .forest_engine import beside_rows, dodged, level_axes
from .forests import difference_label, share
from .header import share_inside
from .palette import COLOURS, LINE, MARKERS

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.lines import Line2D

SHORTEST = 0.012
"""Changes up to this share of the axis are drawn as lines: a head would be longer than they are."""

ENDS = ["before", "before_low", "before_high", "after", "after_low", "after_high"]
"""Columns of what `order_arrows` draws."""


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
    connections : sequence of str, optional
        Which connections to draw; all by default.
    level, ax : see `bayesbias.plots`

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
    scale = distance_scale(drawn[["before", "after"]])
    keys = [_draw_arrows(ax, part, name, scale) for name, part in dodged(drawn, names)]
    note = "From the posterior mean before (mark) to that after (head of the arrow)."
    note = f"{note} {UNRELATED_LINE} {rows.note}"
    return finish(ax, scale, "Where the attributes went", note, keys, tall=rows.is_tall)


def order_arrows(frame: pd.DataFrame, *, level: str = "all", ax: Axes | None = None) -> Axes:
    """Draw how far the first of two connections lies before the second, before and after.

    Parameters
    ----------
    frame : DataFrame
        As ``comparison.order_changes`` returns it.
    level, ax : see `bayesbias.plots`

    Returns
    -------
    Axes
        A row a word: a thin bar for the interval before and a thick one after, an arrow between
        the means, and on the right the probability that the sign turned.

    Raises
    ------
    ValueError
        As `forest` does.
    """
    require_columns(frame, ("first", "second", "p_turned", *ENDS))
    first, second = (str(frame[name].iloc[0]) for name in ("first", "second"))
    ax, rows, drawn = level_axes(frame, level, ax, row_height=0.29)
    y, colour = drawn["position"], COLOURS[first]
    ax.hlines(y - 0.16, drawn["before_low"], drawn["before_high"], color=LINE, linewidth=1.2)
    ax.hlines(y + 0.16, drawn["after_low"], drawn["after_high"], color=colour, linewidth=1.8)
    scale = Scale(difference_label(first, second), drawn[ENDS], 0.0)
    _draw_arrows(ax, drawn, first, scale)
    interval = f"{share_inside(frame)} interval".lstrip()
    return finish(
        ax,
        scale,
        f"Did the order of {first} and {second} attributes turn?",
        f"Arrows: posterior means, from before to after. Grey bars: {interval} before; "
        f"coloured bars: after. Right: probability that the order turned. {rows.note}",
        heading="probability\nthat it turned",
        column=beside_rows(drawn, map(share, drawn["p_turned"])),
        tall=rows.is_tall,
    )


def _draw_arrows(ax: Axes, drawn: pd.DataFrame, name: str, scale: Scale) -> Line2D:
    """Draw arrows with heads, or lines where the change is smaller than a head would be."""
    low, high = scale.limits
    for start, end, y in drawn[["before", "after", "position"]].to_numpy(float):
        long = abs(end - start) > SHORTEST * (high - low)
        style = {
            "arrowstyle": "-|>,head_length=0.32,head_width=0.16" if long else "-",
            "color": COLOURS[name],
            "linewidth": 1.3,
            "shrinkA": 0,
            "shrinkB": 0,
        }
        ax.annotate("", (end, y), (start, y), arrowprops=style, zorder=3).set_gid(f"arrow-{name}")
    (marks,) = ax.plot(drawn["before"], drawn["position"], MARKERS[name], label=name, zorder=4)
    marks.set(markersize=4.2, color=COLOURS[name], markerfacecolor="white")
    return marks
