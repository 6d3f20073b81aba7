"""Forest plot of the difference between two connections."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pandas as pd

from ..tables.descriptives import contrast_of
from ..tables.schema import require_columns
from .axes_frame import Scale, finish, rope_band
from .forest_engine import beside_rows, draw_intervals, level_axes
from .header import interval_key
from .palette import COLOURS, MARKERS

if TYPE_CHECKING:
    from matplotlib.axes import Axes


def contrast_forest(
    frame: pd.DataFrame,
    *,
    first: str = "associated",
    second: str = "human",
    rope: float = 0.02,
    level: str = "all",
    ax: Axes | None = None,
) -> Axes:
    """Draw differences in mean distance between two connections, and how sure their sign is.

    Parameters
    ----------
    frame : DataFrame
        As `bayesbias.contrasts` returns it.
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
    band = rope_band(rope)
    require_columns(frame, ("p_direction",))
    chosen = contrast_of(frame, first, second)
    ax, rows, drawn = level_axes(chosen, level, ax, row_height=0.27)
    draw_intervals(ax, drawn, f"{first} contrast", COLOURS[first], MARKERS[first])
    return finish(
        ax,
        Scale(difference_label(first, second), [*drawn["low"], *drawn["high"]], 0.0, band),
        f"{first.capitalize()} against {second} attributes: which lie closer?",
        f"{interval_key(frame)} Shaded: differences smaller than {rope:g}, which count as none. "
        f"Right: probability that {first} attributes lie closer (←) or farther (→). {rows.note}",
        heading="probability\nof direction",
        column=beside_rows(drawn, map(direction, drawn["mean"], drawn["p_direction"])),
        tall=rows.is_tall,
    )


def difference_label(first: str, second: str) -> str:
    """Return the label of an axis of differences between two connections."""
    return f"difference in cosine distance: {first} − {second} (negative = {first} closer)"


def direction(mean: float, probability: float) -> str:
    """Write a direction and its probability: an arrow and a percentage, never 100%."""
    arrow = "←" if mean < 0 else "→"
    return f"{arrow} >99%" if probability > 0.99 else f"{arrow} {probability:.0%}"
