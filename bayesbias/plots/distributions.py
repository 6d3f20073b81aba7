"""Distributions of the distances by connection, with the band that MAC gives around 1."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pandas as pd

from ..tables.descriptives import UNRELATED, densities, mac_band
from ..tables.schema import validate
from .axes_frame import DISTANCE, Scale, finish
from .palette import COLOURS
from .ridge_engine import RIDGE, beside_ridges, draw_ridge, ridge_axes
from .tooltips import set_tips, tip

if TYPE_CHECKING:
    from matplotlib.axes import Axes

RUG = 0.1
"""Height of the ticks under a ridge, in rows."""

DENSE = 150
"""Rows from which a rug is drawn as pixels, to keep SVG files small."""


def distributions(table: pd.DataFrame, *, ax: Axes | None = None) -> Axes:
    """Draw the distances of every connection as ridges, with the share inside the band of MAC.

    Parameters
    ----------
    table : DataFrame
        A long-form table with associated or different rows.
    ax : Axes, optional
        Where to draw; a new figure by default.

    Returns
    -------
    Axes
        A ridge of equal area for each connection, over a rug of its distances.

    Raises
    ------
    ValueError
        If the table is not valid or has no stereotype rows.

    References
    ----------
    Dobrzeniecka and Urbaniak (2024), figures 3-5.
    """
    valid, bands, curves = validate(table), mac_band(table), densities(table)
    names = bands["connection"].tolist()
    ax = ridge_axes(ax, names, row_height=0.95)
    mac, low, high = (float(bands[name].iloc[0]) for name in ("mac", "band_low", "band_high"))
    curves["height"] = RIDGE * curves["density"] / curves["density"].max()
    for row, name in enumerate(names):
        curve, colour = curves[curves["connection"] == name], COLOURS[name]
        if len(curve):
            x, height = curve["cosine_distance"], curve["height"]
            draw_ridge(ax, row, x, height, fill=colour, line=colour, label=name)
        _rug(ax, valid[valid["connection"] == name], name, row)
    x = [*valid["cosine_distance"], *curves["cosine_distance"]]
    return finish(
        ax,
        Scale(DISTANCE, x, UNRELATED, (low, high)),
        "How the distances spread",
        f"MAC, the mean distance to the stereotypes, is {mac:.2f}. Shaded: as far from 1 as MAC "
        f"on either side, {low:.2f} to {high:.2f}. Right: the share of single distances inside. "
        "Where many are outside, one mean hides them.",
        heading="inside the band",
        column=beside_ridges([f"{share:.0%}" for share in bands["share"]], bands["n_rows"]),
    )


def _rug(ax: Axes, part: pd.DataFrame, name: str, row: int) -> None:
    many = len(part) > DENSE
    rug = ax.vlines(
        part["cosine_distance"],
        row + 0.02,
        row + 0.02 + RUG,
        color=COLOURS[name],
        linewidth=0.5,
        alpha=0.25 if many else 0.8,
        rasterized=many,
        zorder=2,
    )
    if not many:
        pairs = part[["protected_word", "attribute", "cosine_distance"]]
        set_tips(rug, [tip(f"{a} – {b}", name, at) for a, b, at in pairs.itertuples(index=False)])
