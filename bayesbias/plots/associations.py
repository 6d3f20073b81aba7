"""Associations of single words by group: what the effect size of WEAT sums up."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from ..tables.schema import require_columns
from .axes_frame import HEADER_HEIGHT, Scale, SideText, finish, new_axes, row_labels
from .palette import COLOURS, LINE, MARKERS

if TYPE_CHECKING:
    from matplotlib.axes import Axes

NEEDED = ("first", "second", "group", "word", "association", "effect_size", "separability")
"""Columns of a frame of associations."""

STYLES = [(COLOURS[name], MARKERS[name]) for name in ("associated", "different")]
"""Colour and marker of the first and of the second group of a pair."""

MOST_PAIRS = 15
"""Pairs of groups that fit into one figure: those of six groups."""

BLOCK = 2.6
"""Rows that a pair takes, with the room after it."""

OFFSETS = (0.0, 0.14, -0.14)
"""Heights of neighbouring dots in their row, so that they do not hide each other."""


def associations(frame: pd.DataFrame, *, ax: Axes | None = None) -> Axes:
    """Draw the association of every protected word, group against group.

    Parameters
    ----------
    frame : DataFrame
        As `bayesbias.scores.associations` returns it.
    ax : see `bayesbias.plots`

    Returns
    -------
    Axes
        Two rows for each pair of groups, a dot a word; on the right WEAT's effect size, and the
        share of pairs of words that are in the order of their groups.

    Raises
    ------
    ValueError
        If a column is missing, there are no words, or the pairs do not fit into one figure.

    References
    ----------
    Schröder et al. (2024), Semantic properties of cosine based bias scores.
    """
    require_columns(frame, NEEDED)
    pairs = list(frame.groupby(["first", "second"], sort=False))
    if not 1 <= len(pairs) <= MOST_PAIRS:
        raise ValueError(
            f"a figure holds 1 to {MOST_PAIRS} pairs of groups, and the frame has {len(pairs)}; "
            "choose some by its columns first and second"
        )
    ax = new_axes(ax, HEADER_HEIGHT + 0.36 * BLOCK * len(pairs))
    labels: dict[float, str] = {}
    for at, (groups, part) in enumerate(pairs):
        for side, group in enumerate(groups):
            labels[at * BLOCK + side] = str(group)
            _row(ax, part[part["group"] == group], at * BLOCK + side, *STYLES[side])
    row_labels(ax, list(labels), list(labels.values()))
    ax.set_ylim(max(labels) + 0.6, -0.6)
    return finish(
        ax,
        Scale(
            "mean cosine to the upper group's stereotypes less that to the lower's",
            frame["association"],
            0.0,
        ),
        "The associations of single words",
        "Dots: protected words. Long ticks: their means. Dashed: as near to the stereotypes of one "
        "group as to the other's. Right: WEAT's effect size d, and of how many pairs of an upper "
        "and a lower word the upper one lies further right. 50% is no order.",
        heading="d, and\npairs in order",
        column=[_beside(part, at) for at, (_, part) in enumerate(pairs)],
    )


def _row(ax: Axes, part: pd.DataFrame, at: float, colour: str, marker: str) -> None:
    drawn = part.sort_values("association")
    heights = at + np.resize(OFFSETS, len(drawn))
    ax.axhline(at, color=LINE, linewidth=0.6, zorder=1)
    name = str(part["group"].iloc[0])
    (dots,) = ax.plot(drawn["association"], heights, marker, color=colour, label=name, zorder=3)
    dots.set(markersize=5.5, alpha=0.75, markeredgewidth=0, linestyle="none")
    ax.vlines(part["association"].mean(), at - 0.36, at + 0.36, color=colour, linewidth=1.8)


def _beside(part: pd.DataFrame, at: int) -> SideText:
    effect, share = (float(part[name].iloc[0]) for name in ("effect_size", "separability"))
    text = f"{effect:.2f}".replace("-", "−")
    return SideText(at * BLOCK + 0.5, text, bold=True, below=f"{share:.0%} in order")
