"""Distributions of the distances before and after, with one band for both."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pandas as pd

from ..comparison.changes import band_shares
from ..tables.descriptives import UNRELATED, densities
from .axes_frame import DISTANCE, Scale, finish
from .palette import COLOURS, INK
from .ridge_engine import RIDGE, beside_ridges, draw_ridge, ridge_axes

if TYPE_CHECKING:
    from matplotlib.axes import Axes


def distribution_pair(
    before: pd.DataFrame,
    after: pd.DataFrame,
    *,
    half_width: float | None = None,
    ax: Axes | None = None,
) -> Axes:
    """Draw distances of every connection before and after, with the share inside a band around 1.

    Parameters
    ----------
    before, after : DataFrame
        Long-form tables.
    half_width : float, optional
        Of the band, as for ``comparison.band_shares``.
    ax : Axes, optional
        Where to draw; a new figure by default.

    Returns
    -------
    Axes
        For each connection the density before as a dashed line and that after as a filled ridge.

    Raises
    ------
    ValueError
        If a table is not valid or has no stereotype rows.

    References
    ----------
    Dobrzeniecka and Urbaniak (2024), figures 15-17.
    """
    bands = band_shares(before, after, half_width)
    tables = {"before": before, "after": after}
    curves = pd.concat([densities(table).assign(when=when) for when, table in tables.items()])
    names = bands["connection"].tolist()
    ax = ridge_axes(ax, names, row_height=0.95)
    low, high = float(bands["band_low"].iloc[0]), float(bands["band_high"].iloc[0])
    curves["height"] = RIDGE * curves["density"] / curves["density"].max()
    for (name, when), curve in curves.groupby(["connection", "when"], sort=False):
        place = names.index(name), curve["cosine_distance"], curve["height"]
        if when == "after":
            colour = COLOURS[str(name)]
            draw_ridge(ax, *place, fill=colour, line=colour, label=f"{name} after")
        else:
            draw_ridge(ax, *place, line=INK, label=f"{name} before", width=1.2, dashed=True)
    shares = zip(bands["share_before"], bands["share_after"], strict=True)
    why = ", as wide as MAC was far from 1 before" if half_width is None else ""
    return finish(
        ax,
        Scale(
            DISTANCE,
            [*before["cosine_distance"], *after["cosine_distance"]],
            UNRELATED,
            (low, high),
        ),
        "How the distances spread, before and after",
        f"Dashed: before. Filled: after. Shaded: the band of {low:.2f} to {high:.2f} around 1"
        f"{why}. Right: the share of single distances inside.",
        heading="inside the band\nbefore → after",
        column=beside_ridges([f"{a:.0%} → {b:.0%}" for a, b in shares], bands["n_after"]),
    )
