"""Forest plot of the difference between two connections."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pandas as pd

from ..tables.descriptives import contrast_of
from ..tables.schema import require_columns
from .canvas import (
    BESIDE,
    SMALL_SIZE,
    TOP_TICKS,
    canvas,
    header,
    interval_key,
    reference_line,
    side_heading,
    vertical_guides,
    x_axis,
)
from .palette import BAND, COLOURS, INK, MARKERS
from .rows import draw_rows, layout, rows_with_positions
from .tips import row_tips, set_tips

if TYPE_CHECKING:
    from matplotlib.axes import Axes

ROW_HEIGHT = 0.27
"""Inches a row takes."""

HEADER_HEIGHT = 1.85
"""Inches for what stands above and below the rows."""

HEADING = "probability\nof direction"


def contrast_forest(
    frame: pd.DataFrame,
    *,
    first: str = "associated",
    second: str = "human",
    rope: float = 0.02,
    level: str = "all",
    ax: Axes | None = None,
) -> Axes:
    """Differences in mean distance between two connections, with the probability of their sign.

    Parameters
    ----------
    frame : DataFrame
        As `contrasts` returns it.
    first, second : str
        The connections; what is drawn is first - second, so that negative means first closer.
    rope : float
        Half-width of the shaded region of practical equivalence, in [0, 2].
    level : {"all", "overall", "group", "word"}
        Which rows to draw; see `forest`.
    ax : Axes, optional
        Where to draw; a new figure by default.

    Returns
    -------
    Axes

    Raises
    ------
    ValueError
        If a connection, the pair or the level is not there, or `rope` is no distance.
    """
    if not 0 <= rope <= 2:
        raise ValueError(f"rope is a distance and must lie in [0, 2], got {rope}")
    require_columns(frame, ("p_direction",))
    chosen = contrast_of(frame, first, second)
    plan = layout(chosen, level)
    drawn = rows_with_positions(chosen, plan.rows)
    ax = canvas(ax, HEADER_HEIGHT + ROW_HEIGHT * (plan.extent + 0.2))
    draw_rows(ax, plan.rows)
    vertical_guides(ax)
    ax.axvspan(-rope, rope, color=BAND, linewidth=0, zorder=1).set_gid("rope")
    reference_line(ax, 0.0)
    raised = side_heading(ax, HEADING, TOP_TICKS if plan.is_tall else 0.0)
    _differences(ax, drawn, first)
    _probabilities(ax, drawn)
    low, high = min(drawn["low"].min(), -rope), max(drawn["high"].max(), rope)
    label = f"difference in cosine distance: {first} − {second} (negative = {first} closer)"
    x_axis(ax, label, low, high, repeat=plan.is_tall)
    subtitle = f"{interval_key(frame)} {_account(first, rope)} {plan.note}"
    title = f"{first.capitalize()} against {second} attributes: which lie closer?"
    header(ax, title, subtitle, raised=raised)
    return ax


def _account(first: str, rope: float) -> str:
    return (
        f"Shaded: differences smaller than {rope:g}, which count as none. "
        f"Right: probability that {first} attributes lie closer (←) or farther (→)."
    )


def _differences(ax: Axes, drawn: pd.DataFrame, first: str) -> None:
    y, colour, texts = drawn["position"], COLOURS[first], row_tips(drawn)
    low, high = drawn["low"], drawn["high"]
    set_tips(ax.hlines(y, low, high, color=colour, linewidth=1.8, zorder=2), texts)
    (points,) = ax.plot(
        drawn["mean"],
        y,
        linestyle="none",
        marker=MARKERS[first],
        markersize=5.5,
        color=colour,
        markeredgecolor="white",
        markeredgewidth=0.6,
        label=f"{first} contrast",
        zorder=3,
    )
    set_tips(points, texts)


def _probabilities(ax: Axes, drawn: pd.DataFrame) -> None:
    columns = drawn[["level", "position", "mean", "p_direction"]]
    for level, position, mean, probability in columns.itertuples(index=False, name=None):
        ax.text(
            BESIDE,
            position,
            direction(mean, probability),
            transform=ax.get_yaxis_transform(),
            va="center",
            fontsize=SMALL_SIZE,
            weight="normal" if level == "word" else "bold",
            color=INK,
        )


def direction(mean: float, probability: float) -> str:
    """Write a direction and its probability: an arrow and a percentage, never 100%."""
    arrow = "←" if mean < 0 else "→"
    return f"{arrow} >99%" if probability > 0.99 else f"{arrow} {probability:.0%}"
