"""Plots of single words: closest attributes, frequency ranks, and words in the background."""

from __future__ import annotations

from itertools import cycle
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from ..tables.descriptives import UNRELATED
from ..tables.descriptives import neighborhood as nearest_attributes
from ..tables.schema import connections_present, validate_table
from . import layout
from .forest import STYLES, intervals
from .palette import INK, LINE
from .ridges import PSI, draw_ridge

if TYPE_CHECKING:
    from matplotlib.artist import Artist
    from matplotlib.axes import Axes

MOST_WORDS = 150
"""Largest number of words in a figure."""


def neighborhood(table: pd.DataFrame, word: str, *, most: int = 10, ax: Axes | None = None) -> Axes:
    """Draw the attributes closest to one protected word in a table, and the word's stereotypes.

    Parameters
    ----------
    most : int
        Number of closest attributes.
    """
    rows = nearest_attributes(table, word, most).rename(columns={"cosine_distance": "mean"})
    n = rows["n_available"].max()
    return intervals(
        rows.assign(low=rows["mean"], high=rows["mean"]),
        label="attribute",
        hue="connection",
        reference=UNRELATED,
        xlabel=layout.DISTANCE,
        title=f"Attributes closest to “{layout.shorten(word)}”",
        note=f"The closest {min(most, n)} of {n}, and all associated attributes. "
        f"{layout.UNRELATED_NOTE}",
        keys=[layout.key(name, *STYLES[name], width=0) for name in connections_present(rows)],
        most=MOST_WORDS,
        ax=ax,
    )


def distances_by_rank(table: pd.DataFrame, ranks: pd.DataFrame, *, ax: Axes | None = None) -> Axes:
    """Draw the mean distance of each attribute in a table against its frequency rank.

    Parameters
    ----------
    ranks : DataFrame
        A frame with ``word`` and ``rank``; ranks start at 1. Words without a rank are left out.
    """
    layout.require_frame(ranks, ("word", "rank"), "bb.frequency_ranks(vectors)")
    table = validate_table(table)
    kinds = table["connection"].astype(str).replace({"different": "associated"})
    means = table.groupby([kinds, "attribute"], observed=True)["cosine_distance"].mean()
    frame = means.rename_axis(["connection", "word"]).reset_index()
    frame = frame.merge(ranks[["word", "rank"]].drop_duplicates("word"), on="word")
    if frame.empty:
        raise ValueError("no attribute in the table has a frequency rank")
    ax = layout.new_axes(ax, 3.4)
    keys: list[Artist] = []
    for name in connections_present(frame):
        part, (color, marker) = frame[frame["connection"] == name], STYLES[name]
        place = np.log10(part["rank"].to_numpy(float)), part["cosine_distance"]
        (points,) = ax.plot(*place, marker, color=color, markersize=4.5, alpha=0.8)
        points.set(label="stereotypes" if name == "associated" else name, markeredgewidth=0)
        keys.append(points)
    powers = np.log10(frame["rank"].astype(float))
    ax.set_ylabel("mean cosine distance\nto the protected words", color=INK)
    layout.draw_x(ax, "frequency rank (1 is the most frequent word)", powers)
    whole = np.arange(np.floor(powers.min()), np.ceil(powers.max()) + 1)
    ax.set_xticks(whole, [f"{10**power:,.0f}" for power in whole])
    note = "Each point: one attribute word, averaged over all protected words."
    return layout.header(ax, "Rare words are farther from most words", note, keys)


def background_words(
    densities: pd.DataFrame,
    words: pd.DataFrame,
    experiment: str,
    *,
    most: int = 10,
    ax: Axes | None = None,
) -> Axes:
    """Draw the words of each set below a reference distribution (Smarda, 2021, figure 2).

    Parameters
    ----------
    densities, words : DataFrame
        The results of `bayesbias.background.densities` and `bayesbias.background.words`.
    most : int
        Number of words to draw per set; the words farthest from the set's mean are drawn.
    """
    layout.require_frame(words, ("set", "word", "psi"), "bb.background.words(distribution, sets)")
    columns = ("experiment", "psi", "density", "mean", "low", "high")
    layout.require_frame(densities, columns, "bb.background.densities(distributions)")
    names = layout.texts(densities["experiment"])
    curve = densities[names == str(experiment)]
    if curve.empty:
        known = ", ".join(map(repr, names.unique()))
        raise ValueError(f"the densities do not include experiment {experiment!r}; known: {known}")
    sets = words["set"].unique()
    words = words.assign(tick=words.groupby("set")["psi"].transform("mean"))
    far = (words["psi"] - words["tick"]).abs().groupby(words["set"])
    rows = words[far.rank("first", ascending=False) <= most].sort_values("psi", ascending=False)
    rows = rows.assign(mean=rows["psi"], low=rows["tick"], high=rows["psi"])
    ax = intervals(
        rows,
        label="word",
        by="set",
        hue="set",
        styles=dict(zip(sets, cycle(STYLES.values()))),
        xlabel=PSI,
        keys=(),
        most=MOST_WORDS,
        ax=ax,
    )
    foot, top = ax.get_ylim()
    heights = 4 * curve["density"] / curve["density"].max()
    draw_ridge(ax, top, curve["psi"], heights, fill=LINE)
    ax.set_ylim(foot, top - 4.6)
    mean, low, high = curve[["mean", "low", "high"]].iloc[0]
    layout.draw_x(ax, PSI, [*curve["psi"], *rows["psi"]], 0.0, (low, high))
    ax.axvline(mean, color=INK, linewidth=1.1, zorder=1.5)
    note = (
        f"The {most} words of each set that are farthest from its mean (tick). Gray: ψ of all "
        "words. Line: their mean. Band: the middle 95% of the fitted Normal. Dashed: 0."
    )
    return layout.header(ax, f"{experiment}: words and their background", note)
