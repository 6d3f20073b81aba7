"""Cosines of the directions of word pairs, or of groups, with each other and their component."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from .axes_frame import new_axes, shorten
from .header import SMALL_SIZE, TEXT_SIZE, header
from .palette import COLOURS, INK

if TYPE_CHECKING:
    from matplotlib.axes import Axes

CELL, PLAIN_CELL, LABELS = 0.36, 0.25, 1.7
"""Inches a cell takes, with its number and without, and the names beside the cells."""

GAP = 0.35
"""Room before the component, in cells."""

COMPONENT = "component"
"""The last row, if it is the component of the others."""

BETWEEN_GROUPS = (
    "Cosines of the directions from one group's mean to another's. Of two with a group in common, "
    ".5 or −.5 is what groups have that lie equally far from each other; 0 is unrelated."
)

MOST_NUMBERS = 20
"""Directions up to which the cosines are written into their cells."""


def direction_correlations(result: pd.DataFrame, *, ax: Axes | None = None) -> Axes:
    """Draw the cosines of single bias directions, and how far their component stands for them.

    Parameters
    ----------
    result : DataFrame
        As `scores.direction_correlations` returns it, or `scores.group_direction_correlations`,
        where there is no component.
    ax : see `bayesbias.plots`

    Returns
    -------
    Axes
        A square of cells, the component's row and column, if there are, apart from the others.

    Raises
    ------
    ValueError
        If the frame is not square with equal names, or holds cosines outside [-1, 1].

    References
    ----------
    Schröder et al. (2024), Semantic properties of cosine based bias scores, figure 3.
    """
    cosines = _checked(result)
    names = [shorten(str(name)) for name in result.index]
    size = (CELL if len(names) <= MOST_NUMBERS else PLAIN_CELL) * len(names)
    ax = new_axes(ax, 1.3 + LABELS + size, width=max(6.0, LABELS + size))
    places = np.arange(len(names), dtype=float)
    component = names[-1] == COMPONENT
    places[-1] += GAP * component
    _cells(ax, cosines, places)
    ax.set_xticks(places, names, rotation=90, parse_math=False, fontsize=SMALL_SIZE)
    ax.set_yticks(places, names, parse_math=False, fontsize=SMALL_SIZE)
    ax.tick_params(axis="both", length=0)
    for label in (ax.get_xticklabels()[-1], ax.get_yticklabels()[-1]):
        label.set_fontweight("bold" if component else "normal")
    ax.spines["bottom"].set_visible(False)
    ax.set(xlim=(-0.6, places[-1] + 0.6), ylim=(places[-1] + 0.6, -0.6), aspect="equal")
    ax.set_anchor("NW")
    if component:
        header(ax, "Does one component stand for all pairs?", _account(cosines, names))
    else:
        header(ax, "Are the directions between groups alike?", BETWEEN_GROUPS)
    return ax


def _checked(result: pd.DataFrame) -> np.ndarray:
    if list(result.index) != list(result.columns) or len(result) < 2:
        raise ValueError(
            "the frame must be square, with the same directions as rows and columns; pass "
            "bayesbias.scores.direction_correlations(vectors, pairs)"
        )
    cosines = result.to_numpy(dtype=np.float64)
    if not (np.abs(cosines) <= 1).all():
        raise ValueError("the frame holds numbers that are no cosines, outside [-1, 1] or missing")
    return cosines


def _cells(ax: Axes, cosines: np.ndarray, places: np.ndarray) -> None:
    from matplotlib.patches import Rectangle

    size = TEXT_SIZE - 2
    for row, y in enumerate(places):
        for column, x in enumerate(places):
            value = float(cosines[row, column])
            ax.add_patch(Rectangle((x - 0.5, y - 0.5), 1, 1, color=_colour(value), linewidth=0))
            if len(places) <= MOST_NUMBERS:  # ink on the darkest cell has a contrast of 4.5
                text = ax.text(x, y, _number(value), ha="center", va="center", fontsize=size)
                text.set_color(INK)


def _colour(value: float) -> tuple[float, float, float]:
    """White for 0, the warm colour of the palette for 1, the cold one for -1."""
    from matplotlib.colors import to_rgb

    end = np.array(to_rgb(COLOURS["associated" if value > 0 else "different"]))
    return to_rgb((1 - abs(value) * (1 - end)).tolist())


def _number(value: float) -> str:
    text = f"{value:.2f}".replace("-", "−").replace("0.", ".", 1)
    return "0" if text in {".00", "−.00"} else text


def _account(cosines: np.ndarray, names: list[str]) -> str:
    along = cosines[-1, :-1]
    best, worst = int(along.argmax()), int(along.argmin())
    return (
        "Cosines of the pairs' directions. The last row: those with the first principal component, "
        f"along which Direct Bias measures. It stands best for {names[best]} ({along[best]:.2f}) "
        f"and least for {names[worst]} ({along[worst]:.2f})."
    )
