"""Arrows from before to after of the order of two connections."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pandas as pd

from ..tables.schema import require_columns
from .axes_frame import Scale, finish
from .change_arrows import draw_arrows
from .contrast_forest import difference_label
from .forest_engine import beside_rows, level_axes
from .header import share_inside
from .palette import COLOURS, LINE

if TYPE_CHECKING:
    from matplotlib.axes import Axes

ENDS = ["before", "before_low", "before_high", "after", "after_low", "after_high"]
"""Columns of what is drawn."""


def order_arrows(frame: pd.DataFrame, *, level: str = "all", ax: Axes | None = None) -> Axes:
    """Draw how far the first of two connections lies before the second, before and after.

    Parameters
    ----------
    frame : DataFrame
        As ``comparison.order_changes`` returns it.
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
    require_columns(frame, ("first", "second", "p_turned", *ENDS))
    first, second = (str(frame[name].iloc[0]) for name in ("first", "second"))
    ax, rows, drawn = level_axes(frame, level, ax, row_height=0.29)
    y, colour = drawn["position"], COLOURS[first]
    ax.hlines(y - 0.16, drawn["before_low"], drawn["before_high"], color=LINE, linewidth=1.2)
    ax.hlines(y + 0.16, drawn["after_low"], drawn["after_high"], color=colour, linewidth=1.8)
    scale = Scale(difference_label(first, second), drawn[ENDS].to_numpy(float).ravel(), 0.0)
    draw_arrows(ax, drawn, first, scale)
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


def share(probability: float) -> str:
    """Write a probability that a finite number of draws never makes certain."""
    if probability < 0.01:
        return "<1%"
    return ">99%" if probability > 0.99 else f"{probability:.0%}"
