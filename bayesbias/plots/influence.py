"""How a contrast moves when a word or an attribute is left out."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pandas as pd

from ..tables.schema import require_columns
from .axes_frame import Scale, finish
from .forest_engine import block_rows, draw_intervals, forest_axes
from .forests import difference_label
from .palette import COLOURS, LINE, MARKERS

if TYPE_CHECKING:
    from matplotlib.axes import Axes

HEADINGS = {"protected_word": "protected words", "attribute": "attributes"}
"""What the blocks are called."""


def influence(frame: pd.DataFrame, *, most: int = 12, ax: Axes | None = None) -> Axes:
    """Draw the contrast without each of the most influential words, from where it is with all.

    Parameters
    ----------
    frame : DataFrame
        As `bayesbias.influence` returns it.
    most : int
        Protected words, and attributes, that are drawn.
    ax : see `bayesbias.plots`

    Returns
    -------
    Axes

    Raises
    ------
    ValueError
        If a column is missing.
    """
    require_columns(frame, ("factor", "name", "mean", "mean_without", "change"))
    first = frame.attrs.get("first", "associated")
    second = frame.attrs.get("second", "different")
    kept = frame.groupby("factor", sort=False).head(most)
    kept = kept.assign(
        label=kept["name"],
        factor=kept["factor"].map(HEADINGS),
        low=kept[["mean", "mean_without"]].min(axis=1),
        high=kept[["mean", "mean_without"]].max(axis=1),
        mean=kept["mean_without"],
    )
    rows, drawn = block_rows(kept, "factor", inside=True)
    ax = forest_axes(ax, rows, row_height=0.22)
    with_all = float(frame["mean"].iloc[0])
    told = f"{with_all:.3f}".replace("-", "−")
    ax.axvline(with_all, color=LINE, linewidth=1.0, zorder=1)
    draw_intervals(ax, drawn, "without", COLOURS["associated"], MARKERS["associated"])
    ends = pd.concat([drawn[["low", "high"]].stack(), pd.Series([0.0])]).to_numpy()
    return finish(
        ax,
        Scale(difference_label(first, second), ends, 0.0),
        "Which words the contrast hangs on",
        f"Point: the overall contrast without the word. Line: with all, {told}.",
        tall=rows.is_tall,
    )
