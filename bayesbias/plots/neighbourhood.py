"""The attributes around one protected word, nearest first."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pandas as pd

from ..tables.descriptives import STEREOTYPES, UNRELATED
from ..tables.descriptives import neighbourhood as nearest_attributes
from ..tables.schema import connections_present
from .canvas import (
    TOP_TICKS,
    canvas,
    header,
    reference_line,
    row_labels,
    shorten,
    vertical_guides,
    x_axis,
)
from .forest import AXIS_LABEL
from .palette import COLOURS, FAINT, MARKERS
from .tips import set_tips, tip

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.lines import Line2D

ROW_HEIGHT = 0.185
"""Inches a row takes: a line of the labels' size."""

HEADER_HEIGHT = 1.7
"""Inches for what stands above and below the rows."""

MOST_ROWS = 150
"""Attributes that one figure holds."""

TALL = 50
"""Rows from which the x axis is repeated on top."""


def neighbourhood(
    table: pd.DataFrame, word: str, *, most: int = 40, ax: Axes | None = None
) -> Axes:
    """Draw the attributes around one protected word by their distance, nearest on top.

    Parameters
    ----------
    table : DataFrame
        A long-form table.
    word : str
        One of its protected words.
    most : int
        Attributes wanted: all stereotype attributes, and the nearest controls up to this number.
    ax : Axes, optional
        Where to draw; a new figure by default, as high as its rows need.

    Returns
    -------
    Axes
        One line of points for each connection, labelled with its name.

    Raises
    ------
    ValueError
        If the word is not in the table, naming the nearest that is; if `most` is below 1.

    References
    ----------
    Dobrzeniecka and Urbaniak (2024), figures 6 and 7.
    """
    found = nearest_attributes(table, word, most)
    drawn = found.head(MOST_ROWS)
    tall = len(drawn) >= TALL
    ax = canvas(ax, HEADER_HEIGHT + ROW_HEIGHT * len(drawn))
    row_labels(ax, range(len(drawn)), drawn["attribute"].tolist())
    ax.set_ylim(len(drawn) - 0.3, -0.7)
    low = min(drawn["cosine_distance"].min(), UNRELATED)
    high = max(drawn["cosine_distance"].max(), UNRELATED)
    x_axis(ax, AXIS_LABEL, low, high, repeat=tall)
    vertical_guides(ax)
    ends = drawn["cosine_distance"]
    ax.hlines(range(len(drawn)), ax.get_xlim()[0], ends, color=FAINT, linewidth=0.7, zorder=0.5)
    reference_line(ax, UNRELATED)
    keys = [_points(ax, drawn, name) for name in connections_present(drawn)]
    title = f"The attributes around “{shorten(word)}”"
    header(ax, title, _account(found), keys, raised=TOP_TICKS if tall else 0.0)
    return ax


def _points(ax: Axes, drawn: pd.DataFrame, name: str) -> Line2D:
    part = drawn[drawn["connection"] == name]
    (points,) = ax.plot(
        part["cosine_distance"],
        part.index,
        linestyle="none",
        marker=MARKERS[name],
        markersize=6,
        color=COLOURS[name],
        markeredgecolor="white",
        markeredgewidth=0.5,
        label=name,
        zorder=3,
    )
    places = part[["attribute", "cosine_distance"]].itertuples(index=False, name=None)
    set_tips(points, [tip(word, name, distance) for word, distance in places])
    return points


def _account(found: pd.DataFrame) -> str:
    """Say how many attributes are shown, of how many."""
    stereotype = found["connection"].isin(STEREOTYPES)
    sentences = []
    if stereotype.any():
        sentences.append(f"All {int(stereotype.sum())} stereotype attributes")
    if not stereotype.all():
        controls = found[~stereotype]
        total = int(controls["n_available"].iloc[0])
        cut = total > len(controls)
        shown = f"the nearest {len(controls)} of {total}" if cut else f"all {total}"
        sentences.append(f"{shown} control attributes")
    text = " and ".join(sentences)
    text = f"{text[0].upper()}{text[1:]}, nearest on top."
    if len(found) > MOST_ROWS:
        text += f" Only the nearest {MOST_ROWS} of these fit into the figure."
    return f"{text} Dashed line: 1, the distance of unrelated directions."
