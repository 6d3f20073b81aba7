"""Forests: posterior means, differences and changes, a row a word and a line a connection."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING

import pandas as pd

from ..tables.descriptives import contrast_of
from ..tables.schema import connections_present, require_columns
from .axes_frame import (
    HEADER_HEIGHT,
    TOP_TICKS,
    UNRELATED_LINE,
    Scale,
    distance_scale,
    draw_scale,
    finish,
    new_axes,
    panel_figure,
    rope_band,
)
from .forest_engine import (
    Rows,
    beside_rows,
    block_rows,
    draw_connections,
    draw_intervals,
    draw_rows,
    forest_axes,
    level_axes,
    level_rows,
    placed,
)
from .header import HEADER_GAP, TEXT_SIZE, above, header, interval_key
from .palette import COLOURS, INK, MARKERS

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from numpy.typing import ArrayLike

PAIR_WIDTH = 8.6
"""Inches of a new figure of two panels with one column of labels."""


REFERENCE_ENDS = ("reference_low", "reference_high")
"""Columns that hold the ends of the middle 95% of reference lists."""

FREQUENT, TOPICS = ("#D9CBBB", 0.62), ("#E3E3E3", 0.82)
"""Colour and height of the ranges of lists of equally frequent words, and of topics."""

FREQUENT_KEY = (
    "Brown: where the points of 95% of lists lie whose stereotypes are any words of like frequency."
)

REFERENCES = (
    ("topics", TOPICS, "Grey bars: where the points of 95% of lists about any topics lie."),
    ("frequency", FREQUENT, FREQUENT_KEY),
)
"""Kinds of reference lists, the wider bars first: how they are drawn, and what that means."""


def forest(frame: pd.DataFrame, *, level: str = "all", ax: Axes | None = None) -> Axes:
    """Draw posterior mean distances with intervals, a row a word and a line a connection.

    Parameters
    ----------
    frame : DataFrame
        As `bayesbias.summary` returns it.
    level, ax : see `bayesbias.plots`

    Returns
    -------
    Axes
        One line of points for each connection, labelled with its name; the rows from 0
        downwards.

    Raises
    ------
    ValueError
        If the level is unknown or empty, or its words do not fit into one figure.

    References
    ----------
    Dobrzeniecka and Urbaniak (2024), figure 13.
    """
    title = "How close the attributes lie to the protected words"
    return _of_connections(frame, level, ax, distance_scale, (title, UNRELATED_LINE))


def change_forest(
    frame: pd.DataFrame, *, level: str = "all", rope: float = 0.02, ax: Axes | None = None
) -> Axes:
    """Draw changes in mean distance with intervals, a row a word and a line a connection.

    Parameters
    ----------
    frame : DataFrame
        As ``comparison.changes`` or `bayesbias.summary` of a change returns it.
    level, rope, ax : see `bayesbias.plots`

    Raises
    ------
    ValueError
        If the level is unknown or empty, its words do not fit, or `rope` is no distance.
    """
    label = "change in cosine distance: after − before (positive = farther after)"
    scale = partial(Scale, label, reference=0.0, band=rope_band(rope))
    note = f"Shaded: changes smaller than {rope:g}, which count as none."
    return _of_connections(frame, level, ax, scale, ("How far the attributes moved", note))


def _of_connections(
    frame: pd.DataFrame,
    level: str,
    ax: Axes | None,
    scale: Callable[[ArrayLike], Scale],
    texts: tuple[str, str],
) -> Axes:
    """Draw a forest of connections, with title and note, on a scale that reaches all intervals."""
    require_columns(frame, ("connection",))
    ax, rows, drawn = level_axes(frame, level, ax)
    keys = draw_connections(ax, drawn)
    note = f"{interval_key(frame)} {texts[1]} {rows.note}"
    return finish(ax, scale(drawn[["low", "high"]]), texts[0], note, keys, tall=rows.is_tall)


def contrast_forest(
    frame: pd.DataFrame,
    *,
    first: str = "associated",
    second: str = "human",
    rope: float = 0.02,
    level: str = "all",
    ax: Axes | None = None,
) -> Axes:
    """Draw differences in mean distance between two connections, and how sure their sign is.

    Parameters
    ----------
    frame : DataFrame
        As `bayesbias.contrasts` returns it. Columns ``reference_low`` and ``reference_high``, where
        there are some, are drawn as bars behind the intervals; rows of which a column ``thin`` is
        true are marked.
    first, second, rope, level, ax : see `bayesbias.plots`

    Raises
    ------
    ValueError
        If a connection, the pair or the level is not there, or `rope` is no distance.
    """
    band = rope_band(rope)
    require_columns(frame, ("p_direction",))
    chosen = contrast_of(frame, first, second)
    ax, rows, drawn = level_axes(chosen, level, ax, row_height=0.27)
    ends, about = drawn[["low", "high"]], ""
    if set(REFERENCE_ENDS) <= set(drawn):
        draw_reference(ax, drawn, *FREQUENT)
        ends, about = drawn[["low", "high", *REFERENCE_ENDS]], f"{FREQUENT_KEY} "
    draw_intervals(ax, drawn, f"{first} contrast", COLOURS[first], MARKERS[first])
    return finish(
        ax,
        Scale(difference_label(first, second), ends, 0.0, band),
        f"{first.capitalize()} against {second} attributes: which lie closer?",
        f"{interval_key(frame)} {about}{rope_key(rope)} "
        f"Right: probability that {first} attributes lie closer (←) or farther (→). {rows.note}",
        heading="probability\nof direction",
        column=beside_rows(drawn, map(direction, drawn["mean"], drawn["p_direction"])),
        tall=rows.is_tall,
    )


def reference_forest(frame: pd.DataFrame, *, ax: Axes | None = None) -> Axes:
    """Draw contrasts over the ranges of reference lists: equally frequent words, and topics.

    Parameters
    ----------
    frame : DataFrame
        ``match`` (frequency, topics), ``level``, ``protected_group``, ``mean``, ``low``, ``high``,
        ``reference_low``, ``reference_high``.
    ax : see `bayesbias.plots`

    Raises
    ------
    ValueError
        If a column is missing, or there are no rows.
    """
    require_columns(frame, ("match", *REFERENCE_ENDS))
    of_match = dict(list(frame.assign(protected_word="").groupby("match")))
    own = next(iter(of_match.values()))
    ax, rows, drawn = level_axes(own, "all", ax, row_height=0.32)
    account = [interval_key(frame)]
    for match, style, about in REFERENCES:
        if match in of_match:
            draw_reference(ax, placed(of_match[match], rows), *style)
            account.append(about)
    draw_intervals(ax, drawn, "this list", COLOURS["associated"], MARKERS["associated"])
    return finish(
        ax,
        Scale(
            difference_label("associated", "different"),
            frame[["low", "high", *REFERENCE_ENDS]],
            0.0,
        ),
        "This list beside other lists of the same embedding",
        " ".join(account),
        tall=rows.is_tall,
    )


def draw_reference(ax: Axes, drawn: pd.DataFrame, colour: str, height: float) -> None:
    """Draw the ranges of reference lists behind intervals."""
    low, high = (drawn[name] for name in REFERENCE_ENDS)
    ax.barh(drawn["position"], high - low, left=low, height=height, color=colour, zorder=1)


def block_forest(
    frame: pd.DataFrame,
    *,
    by: str,
    title: str,
    label: str,
    rope: float = 0.02,
    ax: Axes | None = None,
) -> Axes:
    """Draw differences in blocks, such as those of several lists, and how sure their sign is.

    Parameters
    ----------
    frame : DataFrame
        ``label`` names a row, the column `by` its block; ``mean``, ``low``, ``high`` and
        ``p_direction`` are as `bayesbias.contrasts` returns them.
    by : str
        The column that heads the blocks.
    title, label : str
        What stands above the plot and below the x axis.
    rope, ax : see `bayesbias.plots`

    Raises
    ------
    ValueError
        If a column is missing, or `rope` is no distance.
    """
    band = rope_band(rope)
    require_columns(frame, (by, "label", "mean", "low", "high", "p_direction"))
    rows, drawn = block_rows(frame, by, inside=True)
    ax = forest_axes(ax, rows, row_height=0.25)
    draw_intervals(ax, drawn, "difference", COLOURS["associated"], MARKERS["associated"])
    return finish(
        ax,
        Scale(label, drawn[["low", "high"]], 0.0, band),
        title,
        f"{interval_key(frame)} {rope_key(rope)}",
        heading="probability\nof direction",
        column=beside_rows(
            drawn.drop(columns="level", errors="ignore"),
            map(direction, drawn["mean"], drawn["p_direction"]),
        ),
        tall=rows.is_tall,
    )


def difference_label(first: str, second: str) -> str:
    """Return the label of an axis of differences between two connections."""
    return f"difference in cosine distance: {first} − {second} (negative = {first} closer)"


def rope_key(rope: float) -> str:
    """Return what the shaded region of differences is."""
    return f"Shaded: differences smaller than {rope:g}, which count as none."


def direction(mean: float, probability: float) -> str:
    """Write a direction and its probability: an arrow and a percentage, never 100%."""
    return f"{'←' if mean < 0 else '→'} {share(probability)}"


def share(probability: float) -> str:
    """Write a probability that a finite number of draws never makes certain."""
    if probability < 0.01:
        return "<1%"
    return ">99%" if probability > 0.99 else f"{probability:.0%}"


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
    level : see `bayesbias.plots`
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
    top, panels = _panels(axes, HEADER_HEIGHT + rows.height(len(shown)) * (rows.extent + 0.2))
    ticks = TOP_TICKS if rows.is_tall else 0.0
    for ax, frame, name in zip(panels, drawn, names, strict=True):
        draw_rows(ax, rows)
        keys = draw_connections(ax, frame, shown)
        draw_scale(ax, distance_scale(both[["low", "high"]]), tall=rows.is_tall)
        above(ax, name, HEADER_GAP + ticks, fontsize=TEXT_SIZE + 1, weight="bold", color=INK)
    panels[1].tick_params(axis="y", labelleft=False)
    note = f"{interval_key(before)} {UNRELATED_LINE} Both panels have one axis. {rows.note}"
    title = f"How close the attributes lie, {names[0]} and {names[1]}"
    header(top, title, note, keys, raised=0.0 if axes is None else ticks + 2 * TEXT_SIZE)
    return panels


def _require_same(first: Rows, second: Rows) -> None:
    keys = [
        {(row.level, row.protected_group, row.protected_word) for row in rows.rows}
        for rows in (first, second)
    ]
    for level, group, word in sorted(keys[0] ^ keys[1])[:1]:
        raise ValueError(
            f"before and after must hold the same rows; in one of them only: {level} "
            f"{word or group}"
        )


def _panels(axes: tuple[Axes, Axes] | None, height: float) -> tuple[Axes, tuple[Axes, Axes]]:
    """Return the Axes that the header stands on, and the two panels."""
    if axes is not None:
        for ax in axes:
            new_axes(ax, 0.0).tick_params(axis="y", labelleft=True)  # shared axes hide them
        return axes[0], axes
    top, (before, after) = panel_figure(2, 2, (PAIR_WIDTH, height), head=0.001)
    after.sharex(before)
    after.sharey(before)
    return top, (before, after)
