"""The attributes around one protected word, nearest first."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pandas as pd

from ..tables.descriptives import STEREOTYPES
from ..tables.descriptives import neighbourhood as nearest_attributes
from ..tables.schema import connections_present
from .axes_frame import UNRELATED_LINE, distance_scale, finish, shorten
from .forest_engine import Row, Rows, forest_axes
from .palette import COLOURS, MARKERS

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.lines import Line2D

MOST_ROWS = 150
"""Attributes that one figure holds."""


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
    ax : see `bayesbias.plots`

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
    rows = Rows(tuple(Row(name, at) for at, name in enumerate(drawn["attribute"])), in_blocks=True)
    ax = forest_axes(ax, rows, row_height=0.185)
    keys = [_points(ax, drawn, name) for name in connections_present(drawn)]
    scale = distance_scale(drawn["cosine_distance"])
    title = f"The attributes around “{shorten(word)}”"
    return finish(ax, scale, title, _account(found), keys, tall=rows.is_tall)


def _points(ax: Axes, drawn: pd.DataFrame, name: str) -> Line2D:
    part = drawn[drawn["connection"] == name]
    distances = part["cosine_distance"]
    (points,) = ax.plot(distances, part.index, MARKERS[name], color=COLOURS[name], label=name)
    points.set(markersize=6, markeredgecolor="white", markeredgewidth=0.5, zorder=3)
    return points


def _account(found: pd.DataFrame) -> str:
    """State how many attributes are shown, of how many."""
    stereotype = found["connection"].isin(STEREOTYPES)
    parts = [f"all {stereotype.sum()} stereotype attributes"] if stereotype.any() else []
    if not stereotype.all():
        controls = found[~stereotype]
        total = int(controls["n_available"].iloc[0])
        cut = total > len(controls)
        shown = f"the nearest {len(controls)} of {total}" if cut else f"all {total}"
        parts.append(f"{shown} control attributes")
    text = " and ".join(parts)
    text = f"{text[0].upper()}{text[1:]}, nearest on top."
    if len(found) > MOST_ROWS:
        text += f" Only the nearest {MOST_ROWS} of these fit into the figure."
    return f"{text} {UNRELATED_LINE}"
