"""Distributions of the distances before and after, with one band for both."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pandas as pd

from ..comparison.changes import band_shares
from ..tables.descriptives import UNRELATED, densities
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
from .distributions import HEADER_HEIGHT, RIDGE, ROW_HEIGHT
from .forest import AXIS_LABEL
from .palette import BAND, COLOURS, INK, LINE, QUIET

if TYPE_CHECKING:
    from matplotlib.axes import Axes


def distribution_pair(
    before: pd.DataFrame,
    after: pd.DataFrame,
    *,
    half_width: float | None = None,
    ax: Axes | None = None,
) -> Axes:
    """Distances of every connection before and after, with the share inside one band around 1.

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
    curves = {"before": densities(before), "after": densities(after)}
    names = bands["connection"].tolist()
    ax = canvas(ax, HEADER_HEIGHT + ROW_HEIGHT * len(names))
    low, high = float(bands["band_low"].iloc[0]), float(bands["band_high"].iloc[0])
    ax.axvspan(low, high, color=BAND, linewidth=0, zorder=0).set_gid("band")
    reference_line(ax, UNRELATED)
    peak = max(float(curve["density"].max()) if len(curve) else 1.0 for curve in curves.values())
    for row, name in enumerate(names):
        ax.axhline(row, color=LINE, linewidth=0.6, zorder=2)
        for when, curve in curves.items():
            _ridge(ax, curve[curve["connection"] == name], (name, when), row, peak)
    row_labels(ax, [row - RIDGE / 3 for row in range(len(names))], names)
    _shares(ax, bands)
    raised = side_heading(ax, "inside the band\nbefore → after")
    ax.set_ylim(len(names) - 1 + 0.15, -RIDGE - 0.1)
    x = [low, high]
    for table in (before, after):
        distances = validate(table)["cosine_distance"]
        x += [float(distances.min()), float(distances.max())]
    x_axis(ax, AXIS_LABEL, min(x), max(x))
    why = ", as wide as MAC was far from 1 before" if half_width is None else ""
    subtitle = (
        f"Dashed: before. Filled: after. Shaded: the band of {low:.2f} to {high:.2f} around 1"
        f"{why}. Right: the share of single distances inside."
    )
    header(ax, "How the distances spread, before and after", subtitle, raised=raised)
    return ax


def _ridge(ax: Axes, curve: pd.DataFrame, label: tuple[str, str], row: int, peak: float) -> None:
    if curve.empty:
        return
    name, when = label
    x = curve["cosine_distance"].to_numpy(float)
    y = row - RIDGE * curve["density"].to_numpy(float) / peak
    if when == "after":
        ax.fill_between(x, y, row, color=COLOURS[name], alpha=0.35, linewidth=0, zorder=2)
    style = (0, (4, 2)) if when == "before" else "-"
    ax.plot(
        x,
        y,
        color=INK if when == "before" else COLOURS[name],
        linestyle=style,
        linewidth=1.2 if when == "before" else 1.6,
        label=f"{name} {when}",
        zorder=3,
    )


def _shares(ax: Axes, bands: pd.DataFrame) -> None:
    columns = bands[["share_before", "share_after", "n_after"]]
    for row, (before, after, n) in enumerate(columns.itertuples(index=False, name=None)):
        ax.annotate(
            f"{before:.0%} → {after:.0%}",
            (BESIDE, row - RIDGE / 3),
            xycoords=ax.get_yaxis_transform(),
            va="bottom",
            weight="bold",
            fontsize=10,
            color=INK,
        )
        ax.annotate(
            f"of {n:,} rows",
            (BESIDE, row - RIDGE / 3 + 0.02),
            xycoords=ax.get_yaxis_transform(),
            va="top",
            fontsize=SMALL_SIZE,
            color=QUIET,
        )
