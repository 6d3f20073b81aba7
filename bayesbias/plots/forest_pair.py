"""Two forests side by side on one axis: mean distances before and after."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pandas as pd

from ..tables.descriptives import UNRELATED
from ..tables.schema import connections_present, require_columns
from .canvas import (
    HEADER_GAP,
    OWN,
    TEXT_SIZE,
    TOP_TICKS,
    canvas,
    header,
    interval_key,
    reference_line,
    vertical_guides,
    x_axis,
)
from .forest import AXIS_LABEL, LINE_HEIGHT, draw_connection
from .palette import INK
from .rows import Layout, draw_rows, layout, rows_with_positions

if TYPE_CHECKING:
    from matplotlib.axes import Axes

WIDTH = 8.6
"""Inches of a new figure: two panels and one column of labels."""

HEADER_HEIGHT = 2.0
"""Inches for what stands above and below the rows."""


def forest_pair(
    before: pd.DataFrame,
    after: pd.DataFrame,
    *,
    level: str = "all",
    names: tuple[str, str] = ("before", "after"),
    axes: tuple[Axes, Axes] | None = None,
) -> tuple[Axes, Axes]:
    """Posterior mean distances before and after, in two forests that share both axes.

    Parameters
    ----------
    before, after : DataFrame
        As `bayesbias.summary` gives them, such as of ``comparison.posterior_at(tree, "before")``
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
    plan = layout(before, level)
    _require_same(plan, layout(after, level))
    drawn = [rows_with_positions(frame, plan.rows) for frame in (before, after)]
    shown = connections_present(pd.concat(drawn))
    top, panels = _axes(axes, plan, len(shown))
    low = min(UNRELATED, *(float(frame["low"].min()) for frame in drawn))
    high = max(UNRELATED, *(float(frame["high"].max()) for frame in drawn))
    keys = []
    for ax, frame, name in zip(panels, drawn, names, strict=True):
        draw_rows(ax, plan.rows)
        vertical_guides(ax)
        reference_line(ax, UNRELATED)
        keys = [draw_connection(ax, frame, shown, each) for each in shown]
        x_axis(ax, AXIS_LABEL, low, high, repeat=plan.is_tall)
        _panel_name(ax, name, TOP_TICKS if plan.is_tall else 0.0)
    panels[1].tick_params(axis="y", labelleft=False)
    subtitle = (
        f"{interval_key(before)} Dashed line: 1, the distance of unrelated directions. Both panels "
        f"have one axis. {plan.note}"
    )
    raised = 0.0 if axes is None else (TOP_TICKS if plan.is_tall else 0.0) + 2 * TEXT_SIZE
    header(
        top,
        f"How close the attributes lie, {names[0]} and {names[1]}",
        subtitle,
        keys,
        raised=raised,
    )
    return panels


def _require_same(first: Layout, second: Layout) -> None:
    keys = [{(row.level, row.group, row.word) for row in plan.rows} for plan in (first, second)]
    only = sorted(keys[0] ^ keys[1])
    if only:
        level, group, word = only[0]
        raise ValueError(
            f"before and after must hold the same rows; in one of them only: {level} "
            f"{word or group}"
        )


def _axes(
    axes: tuple[Axes, Axes] | None, plan: Layout, n_names: int
) -> tuple[Axes, tuple[Axes, Axes]]:
    """Give the Axes that the header stands on, and the two panels."""
    if axes is not None:
        for ax in axes:
            canvas(ax, 0.0).tick_params(axis="y", labelleft=True)  # shared axes hide them
        return axes[0], axes
    from matplotlib import pyplot as plt

    row_height = LINE_HEIGHT * max(n_names, 2) * (0.85 if plan.is_tall else 1.0)
    height = HEADER_HEIGHT + row_height * (plan.extent + 0.2)
    figure = plt.figure(figsize=(WIDTH, height), layout="constrained")
    figure.set_gid(OWN)
    found = figure.subplot_mosaic(
        [["top", "top"], ["before", "after"]],
        height_ratios=[0.001, 1.0],
    )
    found["top"].set_axis_off()
    found["after"].sharex(found["before"])
    found["after"].sharey(found["before"])
    panels = canvas(found["before"], height), canvas(found["after"], height)
    return found["top"], panels


def _panel_name(ax: Axes, name: str, raised: float) -> None:
    ax.annotate(
        name,
        (0, 1),
        (0, HEADER_GAP + raised),
        xycoords="axes fraction",
        textcoords="offset points",
        fontsize=TEXT_SIZE + 1,
        weight="bold",
        color=INK,
        va="bottom",
    ).set_parse_math(False)
