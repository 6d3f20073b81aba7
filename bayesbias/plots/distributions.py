"""Distributions of the distances by connection, with the band that MAC gives around 1."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pandas as pd

from ..tables.descriptives import UNRELATED, densities, mac_band
from ..tables.schema import validate
from .canvas import (
    BESIDE,
    SMALL_SIZE,
    canvas,
    header,
    reference_line,
    row_labels,
    side_heading,
    x_axis,
)
from .forest import AXIS_LABEL
from .palette import BAND, COLOURS, INK, LINE, QUIET
from .tips import set_tips, tip

if TYPE_CHECKING:
    from matplotlib.axes import Axes

RIDGE = 0.74
"""Height of the highest ridge, in rows."""

RUG = 0.1
"""Height of the ticks under a ridge, in rows."""

DENSE = 150
"""Rows from which a rug is drawn as pixels, to keep SVG files small."""

ROW_HEIGHT = 0.95
"""Inches a connection takes."""

HEADER_HEIGHT = 1.75
"""Inches for what stands above and below the ridges."""


def distributions(table: pd.DataFrame, *, ax: Axes | None = None) -> Axes:
    """Distances of every connection as ridges, with the share inside the band of MAC.

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
    ax = canvas(ax, HEADER_HEIGHT + ROW_HEIGHT * len(names))
    mac, low, high = (float(bands[name].iloc[0]) for name in ("mac", "band_low", "band_high"))
    ax.axvspan(low, high, color=BAND, linewidth=0, zorder=0).set_gid("band")
    reference_line(ax, UNRELATED)
    peak = float(curves["density"].max()) if len(curves) else 1.0
    for row, name in enumerate(names):
        _ridge(ax, curves[curves["connection"] == name], name, row, peak)
        _rug(ax, valid[valid["connection"] == name], name, row)
    row_labels(ax, [row - RIDGE / 3 for row in range(len(names))], names)
    _shares(ax, bands)
    raised = side_heading(ax, "inside the band")
    ax.set_ylim(len(names) - 1 + 2 * RUG, -RIDGE - 0.1)
    x = [*valid["cosine_distance"], *curves["cosine_distance"], low, high]
    x_axis(ax, AXIS_LABEL, min(x), max(x))
    subtitle = (
        f"MAC, the mean distance to the stereotypes, is {mac:.2f}. Shaded: as far from 1 as MAC "
        f"on either side, {low:.2f} to {high:.2f}. Right: the share of single distances inside. "
        "Where many are outside, one mean hides them."
    )
    header(ax, "How the distances spread", subtitle, raised=raised)
    return ax


def _ridge(ax: Axes, curve: pd.DataFrame, name: str, row: int, peak: float) -> None:
    ax.axhline(row, color=LINE, linewidth=0.6, zorder=2)
    if curve.empty:
        return
    x = curve["cosine_distance"].to_numpy(float)
    y = row - RIDGE * curve["density"].to_numpy(float) / peak
    ax.fill_between(x, y, row, color=COLOURS[name], alpha=0.35, linewidth=0, zorder=2)
    ax.plot(x, y, color=COLOURS[name], linewidth=1.6, label=name, zorder=3)


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


def _shares(ax: Axes, bands: pd.DataFrame) -> None:
    for row, share, n_rows in zip(bands.index, bands["share"], bands["n_rows"], strict=True):
        ax.annotate(
            f"{share:.0%}",
            (BESIDE, row - RIDGE / 3),
            xycoords=ax.get_yaxis_transform(),
            va="bottom",
            weight="bold",
            fontsize=11,
            color=INK,
        )
        ax.annotate(
            f"of {n_rows:,} rows",
            (BESIDE, row - RIDGE / 3 + 0.02),
            xycoords=ax.get_yaxis_transform(),
            va="top",
            fontsize=SMALL_SIZE,
            color=QUIET,
        )
