"""Arrows from before to after: of the mean distances, and of the order of two connections."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pandas as pd

from .._core.checks import unknown_name
from ..tables.descriptives import UNRELATED
from ..tables.schema import connections_present, require_columns
from .canvas import (
    BESIDE,
    SMALL_SIZE,
    TOP_TICKS,
    canvas,
    header,
    reference_line,
    side_heading,
    vertical_guides,
    x_axis,
)
from .forest import AXIS_LABEL, DODGE, LINE_HEIGHT
from .palette import COLOURS, INK, LINE, MARKERS
from .rows import draw_rows, layout, rows_with_positions

if TYPE_CHECKING:
    from collections.abc import Sequence

    from matplotlib.axes import Axes
    from matplotlib.lines import Line2D

HEADER_HEIGHT = 1.85
"""Inches for what stands above and below the rows."""

ROW_HEIGHT = 0.29
"""Inches a row of `order_arrows` takes."""

HEAD = 0.32
"""Length of an arrow's head, in font sizes."""

SHORTEST = 0.012
"""Changes up to this share of the axis are drawn as lines: a head would be longer than they are."""

HEADING = "probability\nthat it turned"


def change_arrows(
    frame: pd.DataFrame,
    *,
    level: str = "all",
    connections: Sequence[str] | None = None,
    ax: Axes | None = None,
) -> Axes:
    """Mean distances before and after as arrows, a row a word and a line a connection.

    Parameters
    ----------
    frame : DataFrame
        As ``comparison.changes`` gives it.
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
    plan = layout(kept, level)
    drawn = rows_with_positions(kept, plan.rows)
    row_height = LINE_HEIGHT * max(len(names), 2) * (0.85 if plan.is_tall else 1.0)
    ax = canvas(ax, HEADER_HEIGHT + row_height * (plan.extent + 0.2))
    draw_rows(ax, plan.rows)
    vertical_guides(ax)
    reference_line(ax, UNRELATED)
    ends = pd.concat([drawn["before"], drawn["after"]])
    low, high = min(ends.min(), UNRELATED), max(ends.max(), UNRELATED)
    keys = []
    for at, name in enumerate(names):
        part = drawn[drawn["connection"].astype(str) == name]
        offset = (at - (len(names) - 1) / 2) * DODGE
        keys.append(_arrows(ax, part, part["position"] + offset, name, SHORTEST * (high - low)))
    x_axis(ax, AXIS_LABEL, low, high, repeat=plan.is_tall)
    subtitle = (
        "From the posterior mean before (mark) to that after (head of the arrow). Dashed line: 1, "
        f"the distance of unrelated directions. {plan.note}"
    )
    raised = TOP_TICKS if plan.is_tall else 0.0
    header(ax, "Where the attributes went", subtitle, keys, raised=raised)
    return ax


def order_arrows(frame: pd.DataFrame, *, level: str = "all", ax: Axes | None = None) -> Axes:
    """How far the first of two connections lies before the second, before and after.

    Parameters
    ----------
    frame : DataFrame
        As ``comparison.order_changes`` gives it.
    level : {"all", "overall", "group", "word"}
        Which rows to draw; see `forest`.
    ax : Axes, optional
        Where to draw; a new figure by default.

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
    ends = ("before", "before_low", "before_high", "after", "after_low", "after_high")
    require_columns(frame, ("first", "second", "p_turned", *ends))
    first, second = (str(frame[name].iloc[0]) for name in ("first", "second"))
    plan = layout(frame, level)
    drawn = rows_with_positions(frame, plan.rows)
    ax = canvas(ax, HEADER_HEIGHT + ROW_HEIGHT * (plan.extent + 0.2))
    draw_rows(ax, plan.rows)
    vertical_guides(ax)
    reference_line(ax, 0.0)
    y, colour = drawn["position"], COLOURS[first]
    ax.hlines(y - 0.16, drawn["before_low"], drawn["before_high"], color=LINE, linewidth=1.2)
    ax.hlines(y + 0.16, drawn["after_low"], drawn["after_high"], color=colour, linewidth=1.8)
    low, high = min(drawn[list(ends)].min().min(), 0.0), max(drawn[list(ends)].max().max(), 0.0)
    _arrows(ax, drawn, y, first, SHORTEST * (high - low))
    raised = side_heading(ax, HEADING, TOP_TICKS if plan.is_tall else 0.0)
    _probabilities(ax, drawn)
    label = f"difference in cosine distance: {first} − {second} (negative = {first} closer)"
    x_axis(ax, label, low, high, repeat=plan.is_tall)
    subtitle = (
        f"Arrows: posterior means, from before to after. Grey bars: {_interval(frame)} before; "
        f"coloured bars: after. Right: probability that the order turned. {plan.note}"
    )
    title = f"Did the order of {first} and {second} attributes turn?"
    header(ax, title, subtitle, raised=raised)
    return ax


def _arrows(ax: Axes, part: pd.DataFrame, y: pd.Series, name: str, least: float) -> Line2D:
    """Draw arrows with heads, or lines where the change is smaller than a head would be."""
    colour = COLOURS[name]
    columns = zip(part["before"], part["after"], y, strict=True)
    for before, after, at in columns:
        head = f"head_length={HEAD},head_width={HEAD / 2}"
        arrow = ax.annotate(
            "",
            xy=(after, at),
            xytext=(before, at),
            arrowprops={
                "arrowstyle": f"-|>,{head}" if abs(after - before) > least else "-",
                "color": colour,
                "linewidth": 1.3,
                "shrinkA": 0,
                "shrinkB": 0,
            },
            zorder=3,
        )
        arrow.set_gid(f"arrow-{name}")
    (marks,) = ax.plot(
        part["before"],
        y,
        linestyle="none",
        marker=MARKERS[name],
        markersize=4.2,
        color=colour,
        markerfacecolor="white",
        label=name,
        zorder=4,
    )
    return marks


def _probabilities(ax: Axes, drawn: pd.DataFrame) -> None:
    columns = drawn[["level", "position", "p_turned"]].itertuples(index=False, name=None)
    for level, position, turned in columns:
        ax.text(
            BESIDE,
            position,
            share(turned),
            transform=ax.get_yaxis_transform(),
            va="center",
            fontsize=SMALL_SIZE,
            weight="normal" if level == "word" else "bold",
            color=INK,
        )


def share(probability: float) -> str:
    """Write a probability that a finite number of draws never makes certain."""
    if probability < 0.01:
        return "<1%"
    return ">99%" if probability > 0.99 else f"{probability:.0%}"


def _interval(frame: pd.DataFrame) -> str:
    ci_prob = frame.attrs.get("ci_prob")
    return f"{ci_prob * 100:g}% interval" if isinstance(ci_prob, float) else "interval"
