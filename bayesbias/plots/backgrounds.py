"""Words and pairs of sets over the reference distribution that they are read against."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from ..background.relative_bias import RelativeBias
from ..tables.schema import require_columns
from .axes_frame import (
    HEADER_HEIGHT,
    Scale,
    finish,
    new_axes,
    row_labels,
    shorten,
    vertical_guides,
)
from .header import SMALL_SIZE, key
from .null_models import BINS, HEIGHT, mark_observed
from .palette import COLOURS, INK, LINE, MARKERS
from .ridges import PSI, draw_ridge

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
    ax : see `bayesbias.plots`

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
    sets = words.groupby("set", sort=False)
    rows = pd.concat(
        [part.sort_values("psi", ascending=False) for _, part in sets], ignore_index=True
    )
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


def relative_bias(
    found: RelativeBias,
    *,
    name: str = "",
    labels: tuple[str, str] = ("X", "Y"),
    ax: Axes | None = None,
) -> Axes:
    """Draw the relative bias of two sets over that of random pairs of sets.

    Parameters
    ----------
    found : RelativeBias
        As `Distribution.relative_bias` returns it.
    name : str
        Of the experiment, for the title.
    labels : pair of str
        What the sets are called.
    ax : see `bayesbias.plots`

    Returns
    -------
    Axes
        A histogram of the random pairs, the Normal of the closed form, and the observed value.

    References
    ----------
    Smarda (2021), figure 3.
    """
    ax = new_axes(ax, HEIGHT)
    vertical_guides(ax)
    ax.hist(found.reference, bins=BINS, density=True, color=LINE, alpha=0.55, label="random pairs")
    z = np.linspace(-4.5, 4.5, 300)
    x, peak = found.expected + found.sd * z, 1 / (found.sd * np.sqrt(2 * np.pi))
    ax.plot(x, peak * np.exp(-(z**2) / 2), color=INK, linewidth=1.1, label="closed form")
    ticks = [found.expected + at * found.sd for at in (-1.959964, 1.959964)]
    ax.vlines(ticks, 0, 0.09 * peak, color=INK, linewidth=1.3)
    mark_observed(ax, found.statistic, COLOURS["associated"], 2.2)
    ax.set_yticks([])
    ax.set_ylim(0, 1.12 * peak)
    label = f"sum of ψ over {labels[0]} less that over {labels[1]}"
    return finish(
        ax,
        Scale(label, [x[0], x[-1], found.statistic]),
        f"{name}: relative bias" if name else "Relative bias",
        f"Grey: {len(found.reference):,} random pairs of disjoint sets of {found.n_x} and "
        f"{found.n_y} words; curve: the Normal in closed form, ticks at its middle 95%. Coloured: "
        f"the observed value, two-sided p = {found.p_simulated():.2g} among the random pairs.",
    )
