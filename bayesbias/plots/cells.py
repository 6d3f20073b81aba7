"""Single values of every protected word to two attribute sets, before anything is averaged."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pandas as pd

from ..tables.schema import require_columns
from .axes_frame import DASHES, new_axes
from .header import TEXT_SIZE, header
from .palette import COLOURS, FAINT, GREEN, INK, LINE, MARKERS

if TYPE_CHECKING:
    from matplotlib.axes import Axes

STYLES = tuple(zip((*list(COLOURS.values())[:3], GREEN), MARKERS.values(), strict=True))
"""Colour and marker of each group."""


def cells(
    frame: pd.DataFrame,
    *,
    first: str = "A",
    second: str = "B",
    title: str = "Every single value, before anything is averaged",
    ax: Axes | None = None,
) -> Axes:
    """Draw single values to one attribute set against those to another, by protected group.

    Parameters
    ----------
    frame : DataFrame
        ``protected_group``, and values to the two sets, as `PaperExample.cells` returns them.
    first, second : str
        Columns of the values.
    title : str
    ax : Axes, optional
        Where to draw; a new figure by default.

    Returns
    -------
    Axes

    Raises
    ------
    ValueError
        If a column is missing or there are more groups than markers.

    References
    ----------
    Dobrzeniecka and Urbaniak (2024), figure 9.
    """
    require_columns(frame, ("protected_group", first, second))
    groups = list(frame.groupby("protected_group", sort=False))
    if not 0 < len(groups) <= len(STYLES):
        raise ValueError(f"{len(groups)} groups; a figure tells 1 to {len(STYLES)} apart")
    ax = new_axes(ax, height=4.6)
    keys = []
    for (name, part), (colour, marker) in zip(groups, STYLES, strict=False):
        (dots,) = ax.plot(part[first], part[second], marker, color=colour, label=f"group {name}")
        dots.set(linestyle="none", markersize=5.5, alpha=0.75, markeredgecolor="white")
        keys.append(dots)
    for draw in (ax.axhline, ax.axvline):
        draw(0.0, color=LINE, linewidth=1.0, linestyle=DASHES, zorder=1)
    ax.grid(color=FAINT, linewidth=0.7)
    ax.set_xlabel(f"value to {first}", fontsize=TEXT_SIZE, color=INK)
    ax.set_ylabel(f"value to {second}", fontsize=TEXT_SIZE, color=INK)
    account = (
        f"One point for each protected word and place in the lists: its value to {first} against "
        f"that to {second}. A bias would set the groups apart along the falling diagonal."
    )
    header(ax, title, account, keys)
    return ax
