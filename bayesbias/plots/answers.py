"""Plots of the pictures on report pages: posteriors as dots, word pairs as a map, and a change."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from ..records.rows import QUANTILES
from ..tables.word_pairs import lean_changes, word_pairs
from .forest import MOST_ROWS
from .frame import (
    HEADER_HEIGHT,
    draw_x,
    guides,
    header,
    key,
    new_axes,
    require_frame,
    row_labels,
    shorten,
)
from .palette import COLORS, FAINT, GREEN, INK

if TYPE_CHECKING:
    from matplotlib.axes import Axes

N_LEVELS = 60
"""Number of columns of dots across the plot."""

WORDS = ("protected_word", "attribute")

CLOSER = "closer by (difference in cosine distance)"


def closeness(frame: pd.DataFrame, *, label: str = "", ax: Axes | None = None) -> Axes:
    """Draw each row of a headline as 100 dots, each 1% of the posterior; closer is to the right.

    Parameters
    ----------
    frame : DataFrame
        ``headline`` in the frames of an analysis: ``mean``, ``low``, ``high``, and 100 quantiles.
    label : str
        Column that names the rows; by default, the group or the embedding.

    Examples
    --------
    >>> import bayesbias as bb
    >>> analysis = bb.analyze("glove-demo", "religion", reference_lists=0, matched=0, seed=1)
    >>> ax = bb.plots.closeness(analysis.frames["headline"])
    >>> [text.get_text() for text in ax.get_yticklabels()]
    ['all groups', 'jew', 'christian', 'muslim']
    """
    require_frame(frame, (*QUANTILES, "mean"), 'analysis.frames["headline"]')
    label = label or next(name for name in ("embedding", "protected_group") if name in frame)
    values = -frame[QUANTILES].to_numpy(np.float64)
    step = float(np.ptp([*values.ravel(), 0.0])) / N_LEVELS or 1.0
    columns = np.floor(values / step)
    tallest = int(np.max([np.unique(row, return_counts=True)[1].max() for row in columns]))
    ax = new_axes(ax, HEADER_HEIGHT + 0.9 * len(frame))
    for place, row in enumerate(columns):
        x, counts = np.unique(row, return_counts=True)
        heights = np.concatenate([np.arange(count) for count in counts])
        at = np.repeat((x + 0.5) * step, counts)
        y = place - 0.8 * (heights + 0.5) / max(tallest, 12)
        closer = at > 0
        ax.scatter(at[closer], y[closer], s=14, color=COLORS["associated"], linewidths=0)
        hollow = ax.scatter(at[~closer], y[~closer], s=12, linewidths=0.9)
        hollow.set(facecolor="none", edgecolor=COLORS["different"])
    ax.hlines(range(len(frame)), 0, 1, FAINT, linewidth=0.8, transform=ax.get_yaxis_transform())
    draw_x(ax, CLOSER, values, 0.0)
    names = frame[label].replace("", "all groups").str.replace("_", " ")
    row_labels(ax, range(len(frame)), names)
    ax.set_ylim(len(frame) - 0.7, -1.0)
    note = "Each dot is 1% of the posterior. Filled dots: closer. Hollow dots: farther."
    return header(ax, "How much closer", note)


def heatmap(table: pd.DataFrame, *, ax: Axes | None = None) -> Axes:
    """Draw every pair of words in a table: how much closer it is than both words suggest.

    The averages of both words are removed, with equal weights of groups and sets, so the plot
    cannot rank two groups. Lines separate groups and sets.
    """
    pairs = word_pairs(table)
    words, attributes = (list(dict.fromkeys(pairs[name])) for name in WORDS)
    wide = pairs.pivot_table("deviation", *WORDS, dropna=False)
    values = wide.reindex(index=words, columns=attributes).to_numpy(np.float64)
    ax = new_axes(ax, HEADER_HEIGHT + 0.9 + 0.2 * len(words))
    most = float(np.nanquantile(abs(values), 0.97)) or 1.0
    ax.imshow(values, cmap="PRGn_r", vmin=-most, vmax=most, aspect="auto", interpolation="none")
    row_labels(ax, range(len(words)), words)
    names = [shorten(word, 18) for word in attributes]
    ax.set_xticks(range(len(attributes)), names, rotation=90, parse_math=False)
    for end in _ends(pairs, "protected_word", "protected_group"):
        ax.axhline(end - 0.5, color=INK, linewidth=1.2)
    for end in _ends(pairs, "attribute", "attribute_set"):
        ax.axvline(end - 0.5, color=INK, linewidth=1.2)
    note = f"Purple: closer than usual for both words, up to {most:.2f}. Green: farther."
    return header(ax, "Every pair of words", note)


def _ends(pairs: pd.DataFrame, word: str, block: str) -> Sequence[int]:
    """Return the places where a new group or set starts."""
    blocks = pairs.drop_duplicates(word)[block].to_numpy()
    return [int(place) + 1 for place in np.flatnonzero(blocks[1:] != blocks[:-1])]


def change(before: pd.DataFrame, after: pd.DataFrame, *, ax: Axes | None = None) -> Axes:
    """Draw how a change between two tables moved each stereotype word, as an arrow.

    If there are two groups, a word's place shows how much closer it is to the first one than to
    the second. Otherwise, it shows how much closer it is to its own group than to the others.
    """
    rows = lean_changes(before, after)
    sets = list(dict.fromkeys(rows["attribute_set"]))
    if len(rows) > MOST_ROWS:
        raise ValueError(f"{len(rows)} rows are too many for one figure; select up to {MOST_ROWS}")
    ax = new_axes(ax, HEADER_HEIGHT + 0.2 * len(rows))
    styles = [COLORS["associated"], COLORS["different"], GREEN, INK]
    for place, row in enumerate(rows.to_dict("records")):
        color = styles[min(sets.index(row["attribute_set"]), len(styles) - 1)]
        arrow = {"arrowstyle": "->", "color": color, "shrinkA": 0, "shrinkB": 0}
        ax.annotate("", (row["after"], place), (row["before"], place), arrowprops=arrow)
        ax.plot(row["before"], place, "o", color=color, markersize=3.5)
    guides(ax)
    row_labels(ax, range(len(rows)), rows["attribute"])
    groups = before["protected_group"].astype(str).unique()
    to = groups[0] if len(groups) == 2 else "its own group"
    draw_x(ax, f"closer to {shorten(to)} by", rows[["before", "after"]], 0.0)
    ax.set_ylim(len(rows) - 0.5, -0.5)
    keys = [key(shorten(name), styles[min(place, 3)]) for place, name in enumerate(sets)]
    return header(ax, "How far each word moved", "Dots: before. Arrow tips: after.", keys)
