"""Two forests side by side on one axis: mean distances before and after."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pandas as pd

from ..tables.descriptives import UNRELATED
from ..tables.schema import connections_present, require_columns
from .axes_frame import DISTANCE, HEADER_HEIGHT, OWN, TOP_TICKS, Scale, draw_scale, new_axes
from .forest_engine import Rows, draw_connections, draw_rows, level_rows, placed
from .header import HEADER_GAP, TEXT_SIZE, above, header, interval_key
from .palette import INK

if TYPE_CHECKING:
    from matplotlib.axes import Axes

WIDTH = 8.6
"""Inches of a new figure: two panels and one column of labels."""


def forest_pair(
    before: pd.DataFrame,
    after: pd.DataFrame,
    *,
    level: str = "all",
    names: tuple[str, str] = ("before", "after"),
    axes: tuple[Axes, Axes] | None = None,
) -> tuple[Axes, Axes]:
    """Draw posterior mean distances before and after, in two forests that share both axes.

    Parameters
    ----------
    before, after : DataFrame
        As `bayesbias.summary` returns them, such as of ``comparison.posterior_at(tree, "before")``
        and ``"after"``.
    level : {"all", "overall", "group", "word"}
        Which rows to draw; see `forest`.
    names : (str, str)
        What stands above the panels.
    axes : (Axes, Axes), optional
        Where to draw; a new figure by default.

    Returns
    -------
    (Axes, Axes)

    Raises
    ------
    ValueError
        If the two frames do not hold the same rows, or as `forest` does.

    References
    ----------
    Dobrzeniecka and Urbaniak (2024), figures 13 and 14.
    """
    for frame in (before, after):
        require_columns(frame, ("connection",))
    rows = level_rows(before, level)
    _require_same(rows, level_rows(after, level))
    drawn = [placed(frame, rows) for frame in (before, after)]
    both = pd.concat(drawn)
    shown = connections_present(both)
    top, panels = _axes(axes, rows, HEADER_HEIGHT + rows.height(len(shown)) * (rows.extent + 0.2))
    scale = Scale(DISTANCE, [*both["low"], *both["high"]], UNRELATED)
    ticks = TOP_TICKS if rows.is_tall else 0.0
    for ax, frame, name in zip(panels, drawn, names, strict=True):
        draw_rows(ax, rows)
        keys = draw_connections(ax, frame, shown)
        draw_scale(ax, scale, tall=rows.is_tall)
        above(ax, name, HEADER_GAP + ticks, fontsize=TEXT_SIZE + 1, weight="bold", color=INK)
    panels[1].tick_params(axis="y", labelleft=False)
    note = (
        f"{interval_key(before)} Dashed line: 1, the distance of unrelated directions. Both panels "
        f"have one axis. {rows.note}"
    )
    title = f"How close the attributes lie, {names[0]} and {names[1]}"
    header(top, title, note, keys, raised=0.0 if axes is None else ticks + 2 * TEXT_SIZE)
    return panels


def _require_same(first: Rows, second: Rows) -> None:
    keys = [{row.key for row in rows.rows} for rows in (first, second)]
    only = sorted(keys[0] ^ keys[1])
    if only:
        level, group, word = only[0]
        raise ValueError(
            f"before and after must hold the same rows; in one of them only: {level} "
            f"{word or group}"
        )


def _axes(
    axes: tuple[Axes, Axes] | None, rows: Rows, height: float
) -> tuple[Axes, tuple[Axes, Axes]]:
    """Return the Axes that the header stands on, and the two panels."""
    if axes is not None:
        for ax in axes:
            new_axes(ax, 0.0).tick_params(axis="y", labelleft=True)  # shared axes hide them
        return axes[0], axes
    from matplotlib import pyplot as plt

    figure = plt.figure(figsize=(WIDTH, height), layout="constrained")
    figure.set_gid(OWN)
    found = figure.subplot_mosaic(
        [["top", "top"], ["before", "after"]],
        height_ratios=[0.001, 1.0],
    )
    found["top"].set_axis_off()
    found["after"].sharex(found["before"])
    found["after"].sharey(found["before"])
    return found["top"], (new_axes(found["before"], 0.0), new_axes(found["after"], 0.0))
