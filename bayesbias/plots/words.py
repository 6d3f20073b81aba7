"""Single words: around a protected word, by frequency, by group, and over their background."""

from __future__ import annotations

from itertools import cycle
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from ..tables.descriptives import UNRELATED
from ..tables.descriptives import neighbourhood as nearest_attributes
from ..tables.schema import STEREOTYPES, connections_present
from .forest import STYLES, intervals
from .frame import (
    DISTANCE,
    HEADER_HEIGHT,
    UNRELATED_NOTE,
    draw_x,
    header,
    key,
    new_axes,
    require_frame,
    shorten,
)
from .palette import INK, LINE
from .ridges import PSI, draw_ridge

if TYPE_CHECKING:
    from matplotlib.artist import Artist
    from matplotlib.axes import Axes

MOST_WORDS = 150
"""Words that one figure holds."""


def neighbourhood(
    table: pd.DataFrame, word: str, *, most: int = 40, ax: Axes | None = None
) -> Axes:
    """Draw the attributes around one protected word of a table by their distance.

    Parameters
    ----------
    most : int
        Attributes wanted: all stereotype attributes, and the nearest controls up to this number.

    References
    ----------
    Dobrzeniecka and Urbaniak (2024), figures 6 and 7.
    """
    nearest = nearest_attributes(table, word, most)
    controls = nearest[~nearest["connection"].isin(STEREOTYPES)]
    note = f"{len(nearest) - len(controls)} stereotype attributes"
    for total in controls["n_available"].head(1):
        note += f" and the nearest {len(controls)} of {total} control attributes"
    if len(nearest) > MOST_WORDS:
        note += f" (the nearest {MOST_WORDS} are drawn)"
    rows = nearest.head(MOST_WORDS).rename(columns={"cosine_distance": "mean"})
    return intervals(
        rows.assign(low=rows["mean"], high=rows["mean"]),
        label="attribute",
        hue="connection",
        reference=UNRELATED,
        xlabel=DISTANCE,
        title=f"The attributes around “{shorten(word)}”",
        note=f"{note}, nearest on top. {UNRELATED_NOTE}",
        keys=[key(name, *STYLES[name], width=0) for name in connections_present(rows)],
        most=MOST_WORDS,
        ax=ax,
    )


def distances_by_rank(table: pd.DataFrame, ranks: pd.DataFrame, *, ax: Axes | None = None) -> Axes:
    """Draw the mean distance of every attribute of a table against its frequency rank.

    Parameters
    ----------
    ranks : DataFrame
        ``word``, ``rank``: frequency ranks, from 1 on; words without one are left out.
    """
    require_frame(ranks, ("word", "rank"), "bb.frequency_ranks(vectors)")
    kinds = table["connection"].astype(str).replace({"different": "associated"})
    means = table.groupby([kinds, "attribute"], observed=True)["cosine_distance"].mean()
    frame = means.rename_axis(["connection", "word"]).reset_index()
    frame = frame.merge(ranks[["word", "rank"]].drop_duplicates("word"), on="word")
    if frame.empty:
        raise ValueError("no attribute of the table has a frequency rank")
    ax = new_axes(ax, HEADER_HEIGHT + 3.4)
    keys: list[Artist] = []
    for name in connections_present(frame):
        part, (colour, marker) = frame[frame["connection"] == name], STYLES[name]
        place = np.log10(part["rank"].to_numpy(float)), part["cosine_distance"]
        (points,) = ax.plot(*place, marker, color=colour, markersize=4.5, alpha=0.8)
        points.set(label="stereotypes" if name == "associated" else name, markeredgewidth=0)
        keys.append(points)
    powers = np.log10(frame["rank"].astype(float))
    ax.set_ylabel("mean cosine distance\nto the protected words", color=INK)
    draw_x(ax, "frequency rank (1 is the most frequent word)", powers)
    whole = np.arange(np.floor(powers.min()), np.ceil(powers.max()) + 1)
    ax.set_xticks(whole, [f"{10**power:,.0f}" for power in whole])
    note = "Each point: one attribute word, averaged over all protected words."
    return header(ax, "Rare words are farther from most words", note, keys)


def background_words(
    densities: pd.DataFrame, words: pd.DataFrame, experiment: str, *, ax: Axes | None = None
) -> Axes:
    """Draw words of sets under a reference distribution (Smarda, 2021, figure 2).

    Parameters
    ----------
    densities, words : DataFrame
        As `bayesbias.background.densities` and `bayesbias.background.words` return them.
    """
    require_frame(words, ("set", "word", "psi"), "bb.background.words(distribution, sets)")
    curve = densities[densities["experiment"] == experiment]
    if curve.empty:
        raise ValueError(f"there is no background of {experiment!r} in the densities")
    psi, tick = words["psi"], words.groupby("set")["psi"].transform("mean")
    ax = intervals(
        words.assign(mean=psi, low=psi, high=psi, tick=tick).sort_values("psi", ascending=False),
        label="word",
        by="set",
        hue="set",
        styles=dict(zip(words["set"].unique(), cycle(STYLES.values()))),
        xlabel=PSI,
        keys=(),
        most=MOST_WORDS,
        ax=ax,
    )
    foot, top = ax.get_ylim()
    heights = 6 * curve["density"] / curve["density"].max()
    draw_ridge(ax, top, curve["psi"], heights, fill=LINE)
    ax.set_ylim(foot, top - 7)
    draw_x(ax, PSI, [*curve["psi"], *psi], 0.0, densities.attrs["ticks"][experiment])
    ax.axvline(densities.attrs["means"][experiment], color=INK, linewidth=1.1, zorder=1.5)
    note = "Grey: ψ of all words; line: their mean; band: the middle 95% of the fitted Normal."
    title = f"{experiment}: words over their background"
    return header(ax, title, f"{note} Dashed: 0. Ticks: means of the sets.")
