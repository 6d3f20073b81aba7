"""Distance against word frequency: what every word's distance owes to how often it is used."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from ..tables.schema import connections_present, require_columns
from .axes_frame import HEADER_HEIGHT, Scale, finish, new_axes
from .palette import COLOURS, MARKERS

if TYPE_CHECKING:
    from matplotlib.axes import Axes

HEIGHT = 3.4
"""Inches of the plot itself."""


def distances_by_rank(table: pd.DataFrame, ranks: pd.DataFrame, *, ax: Axes | None = None) -> Axes:
    """Draw the mean distance of every attribute against its frequency rank.

    Parameters
    ----------
    table : DataFrame
        A long-form table.
    ranks : DataFrame
        ``word``, ``rank``: frequency ranks, from 1 on; words without one are left out.
    ax : see `bayesbias.plots`

    Returns
    -------
    Axes
        One point an attribute and kind of connection; ranks on a logarithmic scale.

    Raises
    ------
    ValueError
        If a column is missing, or no attribute has a rank.
    """
    require_columns(ranks, ("word", "rank"))
    kinds = table["connection"].astype(str).replace({"different": "associated"})
    means = table.groupby([kinds, "attribute"], observed=True)["cosine_distance"].mean()
    frame = means.rename_axis(["connection", "word"]).reset_index()
    frame = frame.merge(ranks.drop_duplicates("word")[["word", "rank"]], on="word")
    if frame.empty:
        raise ValueError("no attribute of the table has a frequency rank")
    ax = new_axes(ax, HEADER_HEIGHT + HEIGHT)
    keys = []
    for name in connections_present(frame):
        part = frame[frame["connection"] == name]
        label = "stereotypes" if name == "associated" else name
        (points,) = ax.plot(
            np.log10(part["rank"].to_numpy(float)),
            part["cosine_distance"],
            MARKERS[name],
            color=COLOURS[name],
            label=label,
            markersize=4.5,
            alpha=0.8,
            markeredgewidth=0,
        )
        keys.append(points)
    ends = np.log10(frame["rank"].astype(float))
    ax.set_ylabel("mean cosine distance\nto the protected words")
    finish(
        ax,
        Scale("frequency rank (1 is the most frequent word)", ends),
        "Rare words lie farther from most words",
        "Each point: one attribute word, averaged over all protected words.",
        keys,
    )
    whole = np.arange(np.floor(ends.min()), np.ceil(ends.max()) + 1)
    ax.set_xticks(whole, [f"{10**power:,.0f}" for power in whole])
    return ax
