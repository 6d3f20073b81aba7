"""Reference distributions of a vocabulary as ridges."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pandas as pd

from ..tables.schema import require_columns
from .axes_frame import Scale, finish
from .palette import COLOURS, INK, QUIET
from .ridge_engine import RIDGE, draw_ridge, ridge_axes

if TYPE_CHECKING:
    from matplotlib.axes import Axes

PSI = "ψ, mean cosine to the first attribute set less that to the second"
"""Label of the axis."""


def background_densities(frame: pd.DataFrame, *, ax: Axes | None = None) -> Axes:
    """Draw reference distributions as ridges, with their means and the ends of the middle 95%.

    Parameters
    ----------
    frame : DataFrame
        As `bayesbias.background.densities` returns it.
    ax : Axes, optional
        Where to draw; a new figure by default.

    Returns
    -------
    Axes
        One row an experiment, the first on top; each ridge is as high as the others.

    References
    ----------
    Smarda (2021), figure 1.
    """
    require_columns(frame, ("experiment", "psi", "density", "normal"))
    names = [str(name) for name in frame["experiment"].unique()]
    ax = ridge_axes(ax, names, row_height=0.55)
    for row, name in enumerate(names):
        part = frame[frame["experiment"] == name]
        heights = RIDGE * part[["density", "normal"]] / part[["density", "normal"]].max().max()
        draw_ridge(ax, row, part["psi"], heights["density"], fill=COLOURS["different"])
        draw_ridge(ax, row, part["psi"], heights["normal"], line=QUIET, label=name, width=0.9)
        mean, ticks = frame.attrs["means"][name], frame.attrs["ticks"][name]
        ax.vlines(mean, row - RIDGE, row, color=INK, linewidth=1.3, zorder=4)
        ax.vlines(ticks, row - 0.16, row + 0.1, color=INK, linewidth=1.3)
    return finish(
        ax,
        Scale(PSI, frame["psi"], 0.0),
        "What the whole vocabulary does",
        "Filled: ψ of all words. Thin line: the Normal with their mean and sd. Long tick: the mean "
        "of the vocabulary; short ticks: the ends of the middle 95% of that Normal. Dashed: 0.",
    )
