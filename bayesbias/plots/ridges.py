"""Ridges: densities stacked in rows, of distances and of a whole vocabulary."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from ..comparison.changes import band_shares
from ..tables.descriptives import densities, mac_band
from ..tables.schema import require_columns, validate
from .axes_frame import (
    DASHES,
    HEADER_HEIGHT,
    Scale,
    SideText,
    distance_scale,
    finish,
    new_axes,
    row_labels,
)
from .palette import COLOURS, INK, LINE, QUIET

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from numpy.typing import ArrayLike

RIDGE = 0.74
"""Height of the highest ridge, in rows."""

DENSE = 150
"""Rows from which a rug is drawn as pixels, to keep SVG files small."""

PSI = "ψ, mean cosine to the first attribute set less that to the second"
"""Label of the axis of a vocabulary."""


def distributions(table: pd.DataFrame, *, ax: Axes | None = None) -> Axes:
    """Draw the distances of every connection as ridges, with the share inside the band of MAC.

    Parameters
    ----------
    table : DataFrame
        A long-form table with associated or different rows.
    ax : see `bayesbias.plots`

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
    ax = _ridge_axes(ax, bands["connection"].tolist(), row_height=0.95)
    mac, low, high = (float(bands[name].iloc[0]) for name in ("mac", "band_low", "band_high"))
    curves["height"] = RIDGE * curves["density"] / curves["density"].max()
    for row, name in enumerate(bands["connection"]):
        curve, colour = curves[curves["connection"] == name], COLOURS[name]
        if len(curve):
            place = row, curve["cosine_distance"], curve["height"]
            draw_ridge(ax, *place, fill=colour, line=colour, label=name)
        _rug(ax, valid[valid["connection"] == name], name, row)
    return finish(
        ax,
        distance_scale([*valid["cosine_distance"], *curves["cosine_distance"]], (low, high)),
        "How the distances spread",
        f"MAC, the mean distance to the stereotypes, is {mac:.2f}. Shaded: as far from 1 as MAC "
        f"on either side, {low:.2f} to {high:.2f}. Right: the share of single distances inside. "
        "Where many are outside, one mean hides them.",
        heading="inside the band",
        column=_beside([f"{share:.0%}" for share in bands["share"]], bands["n_rows"]),
    )


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
    ax : see `bayesbias.plots`

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
    ax = _ridge_axes(ax, names, row_height=0.95)
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
        distance_scale([*before["cosine_distance"], *after["cosine_distance"]], (low, high)),
        "How the distances spread, before and after",
        f"Dashed: before. Filled: after. Shaded: the band of {low:.2f} to {high:.2f} around 1"
        f"{why}. Right: the share of single distances inside.",
        heading="inside the band\nbefore → after",
        column=_beside([f"{a:.0%} → {b:.0%}" for a, b in shares], bands["n_after"]),
    )


def background_densities(frame: pd.DataFrame, *, ax: Axes | None = None) -> Axes:
    """Draw reference distributions as ridges, with their means and the ends of the middle 95%.

    Parameters
    ----------
    frame : DataFrame
        As `bayesbias.background.densities` returns it.
    ax : see `bayesbias.plots`

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
    ax = _ridge_axes(ax, names, row_height=0.55)
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


def draw_ridge(
    ax: Axes,
    base: float,
    x: ArrayLike,
    heights: ArrayLike,
    *,
    fill: str = "",
    line: str = "",
    label: str = "",
    width: float = 1.6,
    dashed: bool = False,
) -> None:
    """Draw one density, with heights in rows, over its base line.

    The area has the colour `fill`, the line above it the colour `line`; none is drawn without one.
    """
    y = base - np.asarray(heights, dtype=float)
    if fill:
        ax.fill_between(x, y, base, color=fill, alpha=0.35, linewidth=0, zorder=2)
    if line:
        style = DASHES if dashed else "-"
        ax.plot(x, y, color=line, linewidth=width, linestyle=style, label=label, zorder=3)


def _ridge_axes(ax: Axes | None, names: Sequence[str], row_height: float) -> Axes:
    """Return Axes with a labelled base line for each ridge, some inches apart in a new figure."""
    ax = new_axes(ax, HEADER_HEIGHT + row_height * len(names))
    row_labels(ax, [row - RIDGE / 3 for row in range(len(names))], names)
    for row in range(len(names)):
        ax.axhline(row, color=LINE, linewidth=0.6, zorder=2)
    ax.set_ylim(len(names) - 0.8, -RIDGE - 0.1)
    return ax


def _beside(texts: Sequence[str], counts: Iterable[int]) -> list[SideText]:
    """Return the right-hand column of ridges: a text for each, and of how many rows it tells."""
    return [
        SideText(row - RIDGE / 3, text, bold=True, below=f"of {n:,} rows")
        for row, (text, n) in enumerate(zip(texts, counts, strict=True))
    ]


def _rug(ax: Axes, part: pd.DataFrame, name: str, row: int) -> None:
    """Draw ticks of a tenth of a row under a ridge."""
    many, top = len(part) > DENSE, row + 0.02
    rug = ax.vlines(part["cosine_distance"], top, top + 0.1, color=COLOURS[name], linewidth=0.5)
    rug.set(alpha=0.25 if many else 0.8, rasterized=many, zorder=2)
