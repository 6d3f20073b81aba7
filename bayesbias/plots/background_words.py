"""Words of sets under the reference distribution that they are read against."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pandas as pd

from ..tables.schema import require_columns
from .axes_frame import HEADER_HEIGHT, Scale, finish, new_axes, row_labels, shorten
from .background_densities import PSI
from .header import SMALL_SIZE, key
from .palette import COLOURS, INK, LINE, MARKERS
from .ridge_engine import draw_ridge

if TYPE_CHECKING:
    from matplotlib.artist import Artist
    from matplotlib.axes import Axes

STYLES = [
    (COLOURS[name], MARKERS[name]) for name in ("associated", "different", "human", "neutral")
]
"""Colour and marker of the first set, the second and further ones."""

CURVE_HEIGHT = 7.0
"""Height of the distribution above the words, in words."""


def background_words(
    densities: pd.DataFrame, words: pd.DataFrame, experiment: str, *, ax: Axes | None = None
) -> Axes:
    """Draw the words of sets under the distribution that they are to be read against.

    Parameters
    ----------
    densities : DataFrame
        As `bayesbias.background.densities` returns it.
    words : DataFrame
        As `bayesbias.background.words` returns it, for this experiment.
    experiment : str
        Which distribution.
    ax : Axes, optional
        Where to draw; a new figure by default, as high as the words need.

    Returns
    -------
    Axes
        The distribution above; below a row for each word, set by set, the highest ψ on top.

    References
    ----------
    Smarda (2021), figure 2.
    """
    require_columns(words, ("set", "word", "psi"))
    curve = densities[densities["experiment"] == experiment]
    if curve.empty:
        raise ValueError(f"there is no background of {experiment!r} in the densities")
    if words.empty:
        raise ValueError("there are no words to draw; none of them is in the vocabulary")
    ax = new_axes(ax, HEADER_HEIGHT + 0.185 * (CURVE_HEIGHT + len(words)))
    heights = 0.85 * CURVE_HEIGHT * curve["density"] / curve["density"].max()
    draw_ridge(ax, -1, curve["psi"], heights, fill=LINE)
    ax.axvline(densities.attrs["means"][experiment], color=INK, linewidth=1.1, zorder=1.5)
    keys = _draw_words(ax, words)
    ax.set_ylim(len(words) - 0.3, -1 - CURVE_HEIGHT)
    return finish(
        ax,
        Scale(PSI, [*curve["psi"], *words["psi"]], 0.0, densities.attrs["ticks"][experiment]),
        f"{experiment}: words over their background",
        "Grey: ψ of all words; line: their mean; band: the middle 95% of the fitted Normal. "
        "Dashed: 0. Long ticks: means of the sets.",
        keys,
    )


def _draw_words(ax: Axes, words: pd.DataFrame) -> list[Artist]:
    parts = [
        part.sort_values("psi", ascending=False) for _, part in words.groupby("set", sort=False)
    ]
    rows = pd.concat(parts, ignore_index=True)
    keys: list[Artist] = []
    for name, part in rows.groupby("set", sort=False):
        colour, marker = STYLES[len(keys) % len(STYLES)]
        at = part.index
        ax.plot(part["psi"], at, marker, color=colour, markersize=4.5, label=name, zorder=3)
        ax.vlines(part["psi"].mean(), at[0] - 0.5, at[-1] + 0.5, color=colour, linewidth=1.8)
        keys.append(key(shorten(str(name), 40), colour, marker, size=6, width=0))
    row_labels(ax, rows.index.tolist(), rows["word"].tolist())
    ax.tick_params(axis="y", labelsize=SMALL_SIZE - 1)
    return keys
