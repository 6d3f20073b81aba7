"""Backgrounds as ridges, sets of words over their background, and relative bias as a histogram."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from ..background.relative_bias import RelativeBias
from ..tables.schema import require_columns
from .canvas import (
    SMALL_SIZE,
    canvas,
    header,
    literal,
    reference_line,
    row_labels,
    shorten,
    vertical_guides,
    x_axis,
)
from .palette import BAND, COLOURS, INK, LINE, QUIET

if TYPE_CHECKING:
    from matplotlib.artist import Artist
    from matplotlib.axes import Axes

SET_COLOURS = (COLOURS["associated"], COLOURS["different"], COLOURS["human"], COLOURS["neutral"])
SET_MARKERS = ("o", "s", "D", "^")
"""First set, second set and further ones."""

RIDGE = 0.78
"""Height of the highest ridge, in rows."""

ROW_HEIGHT, HEADER_HEIGHT = 0.55, 1.75
"""Inches for a background, and for what stands above and below."""

WORD_HEIGHT = 0.185
"""Inches for a word."""

CURVE_HEIGHT = 1.3
"""Inches of the background above the words."""

AXIS = "ψ, mean cosine to the first attribute set less that to the second"

BINS = 60
"""Bars of the histogram of relative bias."""


def background_densities(frame: pd.DataFrame, *, ax: Axes | None = None) -> Axes:
    """Draw backgrounds as ridges, with their means and the ends of the middle 95%.

    Parameters
    ----------
    frame : DataFrame
        As `bayesbias.background.densities` gives it.
    ax : Axes, optional
        Where to draw; a new figure by default.

    Returns
    -------
    Axes
        One row an experiment, the first on top; each ridge is as high as the others.

    References
    ----------
    Smarda (2021), figure 1.
    """
    require_columns(frame, ("experiment", "psi", "density", "normal"))
    names = [str(name) for name in frame["experiment"].unique()]
    ax = canvas(ax, HEADER_HEIGHT + ROW_HEIGHT * len(names))
    for row, name in enumerate(names):
        part = frame[frame["experiment"] == name]
        _ridge(ax, part, row)
        mean = frame.attrs["means"][name]
        ax.vlines(mean, row - RIDGE, row, color=INK, linewidth=1.3, zorder=4)
        ax.vlines(frame.attrs["ticks"][name], row - 0.16, row + 0.1, color=INK, linewidth=1.3)
    reference_line(ax, 0.0)
    row_labels(ax, [row - RIDGE / 3 for row in range(len(names))], names)
    ax.set_ylim(len(names) - 1 + 0.25, -RIDGE - 0.1)
    x_axis(ax, AXIS, frame["psi"].min(), frame["psi"].max())
    header(
        ax,
        "What the whole vocabulary does",
        "Filled: ψ of all words. Thin line: the Normal with their mean and sd. Long tick: the mean "
        "of the vocabulary; short ticks: the ends of the middle 95% of that Normal. Dashed: 0.",
    )
    return ax


def background_words(
    densities: pd.DataFrame, words: pd.DataFrame, experiment: str, *, ax: Axes | None = None
) -> Axes:
    """Draw the words of sets under the background they are to be read against.

    Parameters
    ----------
    densities : DataFrame
        As `bayesbias.background.densities` gives it.
    words : DataFrame
        As `bayesbias.background.words` gives it, for this experiment.
    experiment : str
        Which background.
    ax : Axes, optional
        Where to draw; a new figure by default, as high as the words need.

    Returns
    -------
    Axes
        The background above; below a row for each word, set by set, the highest ψ on top.

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
    low, high = densities.attrs["ticks"][experiment]
    rows = list(_word_rows(words))
    ax = canvas(ax, HEADER_HEIGHT + CURVE_HEIGHT + WORD_HEIGHT * len(rows))
    top = CURVE_HEIGHT / WORD_HEIGHT
    ax.axvspan(low, high, color=BAND, linewidth=0, zorder=0).set_gid("band")
    height = top * 0.85 / curve["density"].max()
    ax.fill_between(
        curve["psi"], -1 - height * curve["density"], -1, color=LINE, alpha=0.4, linewidth=0
    )
    ax.axvline(densities.attrs["means"][experiment], color=INK, linewidth=1.1, zorder=1.5)
    reference_line(ax, 0.0)
    keys = _draw_words(ax, words, rows)
    ax.set_ylim(len(rows) - 0.3, -1 - top)
    x_axis(
        ax,
        AXIS,
        min(curve["psi"].min(), words["psi"].min()),
        max(curve["psi"].max(), words["psi"].max()),
    )
    header(
        ax,
        f"{experiment}: words over their background",
        "Grey: ψ of all words; line: their mean; band: the middle 95% of the fitted Normal. "
        "Dashed: 0. Long ticks: means of the sets.",
        keys,
    )
    return ax


def _ridge(ax: Axes, part: pd.DataFrame, row: int) -> None:
    x, peak = part["psi"].to_numpy(), max(part["density"].max(), part["normal"].max())
    y = row - RIDGE * part["density"].to_numpy() / peak
    ax.fill_between(x, y, row, color=COLOURS["different"], alpha=0.35, linewidth=0, zorder=2)
    normal = row - RIDGE * part["normal"].to_numpy() / peak
    ax.plot(x, normal, color=QUIET, linewidth=0.9, label=str(part["experiment"].iloc[0]), zorder=3)
    ax.axhline(row, color=LINE, linewidth=0.6, zorder=2)


def _word_rows(words: pd.DataFrame) -> list[tuple[str, str, float]]:
    """Set, word and ψ in the order of drawing."""
    rows: list[tuple[str, str, float]] = []
    for name, part in words.groupby("set", sort=False):
        ordered = part.sort_values("psi", ascending=False)
        rows += [
            (str(name), str(word), float(psi))
            for word, psi in zip(ordered["word"], ordered["psi"], strict=True)
        ]
    return rows


def _draw_words(ax: Axes, words: pd.DataFrame, rows: list[tuple[str, str, float]]) -> list[Artist]:
    from matplotlib.lines import Line2D

    names = [str(name) for name in words["set"].unique()]
    keys: list[Artist] = []
    for at, name in enumerate(names):
        colour, marker = SET_COLOURS[at % 4], SET_MARKERS[at % 4]
        places = [row for row, each in enumerate(rows) if each[0] == name]
        psi = [rows[row][2] for row in places]
        ax.plot(psi, places, marker, color=colour, markersize=4.5, label=name, zorder=3)
        ax.vlines(
            float(np.mean(psi)), places[0] - 0.5, places[-1] + 0.5, color=colour, linewidth=1.8
        )
        key = Line2D([], [], linestyle="none", marker=marker, color=colour, label=shorten(name, 40))
        keys.append(key)
    row_labels(ax, list(range(len(rows))), [word for _, word, _ in rows])
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
        As `Distribution.relative_bias` gives it.
    name : str
        Of the experiment, for the title.
    labels : pair of str
        What the sets are called.
    ax : Axes, optional
        Where to draw; a new figure by default.

    Returns
    -------
    Axes
        A histogram of the random pairs, the Normal of the closed form, and the observed value.

    References
    ----------
    Smarda (2021), figure 3.
    """
    ax = canvas(ax, 3.4)
    ax.spines["left"].set_visible(False)
    vertical_guides(ax)
    ax.hist(found.reference, bins=BINS, density=True, color=LINE, alpha=0.55, label="random pairs")
    x = found.expected + found.sd * np.linspace(-4.5, 4.5, 300)
    z = (x - found.expected) / found.sd
    peak = 1 / (found.sd * np.sqrt(2 * np.pi))
    ax.plot(x, peak * np.exp(-(z**2) / 2), color=INK, linewidth=1.1, label="closed form")
    for at in (-1.959964, 1.959964):
        ax.vlines(found.expected + at * found.sd, 0, 0.09 * peak, color=INK, linewidth=1.3)
    observed = ax.axvline(found.statistic, color=COLOURS["associated"], linewidth=2.2)
    observed.set_label("observed")
    low, high = min(x[0], found.statistic), max(x[-1], found.statistic)
    x_axis(ax, f"sum of ψ over {labels[0]} less that over {labels[1]}", low, high)
    ax.set_yticks([])
    ax.set_ylim(0, 1.12 * peak)
    note = ax.annotate(
        f"{found.statistic:.2f}",
        (found.statistic, 1.0),
        xycoords=("data", "axes fraction"),
        xytext=(4, -2),
        textcoords="offset points",
        va="top",
        color=COLOURS["associated"],
        fontsize=SMALL_SIZE,
        weight="bold",
    )
    literal(note)
    header(
        ax,
        f"{name}: relative bias" if name else "Relative bias",
        f"Grey: {len(found.reference):,} random pairs of disjoint sets of {found.n_x} and "
        f"{found.n_y} words; curve: the Normal in closed form, ticks at its middle 95%. Coloured: "
        f"the observed value, two-sided p = {found.p_simulated():.2g} among the random pairs.",
    )
    return ax
