"""Forest plots: rows of points with intervals, from any frame with mean, low, and high."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from ..tables.levels import LEVEL_COLUMNS, OVERALL, WORD
from . import layout
from .palette import BAND, COLORS, FAINT, INK, LINE, MARKERS, TINT

if TYPE_CHECKING:
    from matplotlib.artist import Artist
    from matplotlib.axes import Axes

MOST_ROWS = 80
"""Largest number of rows in a figure that is still readable."""

BLOCK_GAP, DODGE, TALL = 0.45, 0.17, 24
"""Space above a block, space between hues, and height at which x labels repeat, all in rows."""

LONGEST_LABEL, LONGEST_NAME = 26, 44
"""Maximum length of a row label, without and with block headings."""

STYLES = {name: (COLORS[name], MARKERS[name]) for name in COLORS}
"""Color and marker of each connection."""

OTHER_STYLES = (
    *(("#1A1A1A", "o"), ("#00795A", "s"), ("#A35200", "^")),
    *(("#5B4FB3", "D"), ("#7A1F5C", "v"), ("#5F6B00", "P")),
)
"""Styles of other hues, such as models. Colors have a contrast of at least 5 to 1 on white."""

REFERENCES = {
    "topics": ("middle 95% of lists about other topics", "#DADADA", 0.82),
    "frequency": ("middle 95% of lists of equally frequent words", "#D9CBBB", 0.62),
}
"""Label, color, and height in rows of each range of reference lists, the tallest range first."""


def intervals(
    frame: pd.DataFrame,
    *,
    label: str = "label",
    by: str = "",
    hue: str = "",
    words: bool | None = None,
    styles: Mapping[str, tuple[str, str]] = STYLES,
    reference: float | None = None,
    pair: tuple[str, str] | None = None,
    rope: float | None = None,
    heading: str = "",
    xlabel: str = "",
    title: str = "",
    note: str = "",
    keys: Sequence[Artist] | None = None,
    most: int = MOST_ROWS,
    ax: Axes | None = None,
) -> Axes:
    """Draw rows of points with intervals.

    Parameters
    ----------
    frame : DataFrame
        ``mean``, ``low``, ``high``, and the columns named below. Optional columns include ``bold``
        (rows that summarize others), ``text`` (shown on the right), ``tick`` (a value to compare
        with), and ``reference_low`` and ``reference_high`` (a range behind the interval).
    label, by, hue : str
        Columns that label the rows, group them into blocks, and set colors and markers. No two
        rows may be equal in all three.
    words : bool, optional
        Required for frames with levels, such as the result of `bayesbias.summary`. The rows form
        one block per protected group, with or without rows for single words.
    styles : mapping
        Color and marker, keyed by hue. Other hues get default styles.
    reference : float, optional
        Position of a dashed line.
    pair : pair of str, optional
        Two connections whose difference is drawn, with an x label and a line at zero.
    heading : str
        Heading of the column ``text``. Without a heading, the column is not shown.
    keys : sequence of Artist, optional
        Legend entries. The default explains the shaded ranges and, if there are several, the hues.
    most : int
        Largest number of rows in the figure.

    Examples
    --------
    >>> import bayesbias as bb, pandas as pd
    >>> frame = pd.DataFrame({"label": ["nurse", "judge"], "mean": [0.7, 0.9]})
    >>> ax = bb.plots.intervals(frame.assign(low=frame["mean"] - 0.1, high=frame["mean"] + 0.1))
    >>> [text.get_text() for text in ax.get_yticklabels()]
    ['nurse', 'judge']
    """
    if words is not None:
        frame, left_out = _in_groups(frame, words=words)
        label, by, note = "label", "block", f"{note} {left_out}"
    names = [name for name in (label, by, hue) if name]
    layout.require_frame(frame, (*names, "mean", "low", "high"), "a frame with mean, low, and high")
    if pair is not None:
        closer, than = pair
        reference, what = 0.0, f"{closer} − {than} (negative = {closer} closer)"
        xlabel = xlabel or f"difference in cosine distance: {what}"
    band, rope = None, frame.attrs.get("rope") if rope is None else rope
    if rope is not None:
        if not 0 <= rope <= 2:
            raise ValueError(f"rope is a distance and must lie in [0, 2]; got {rope}")
        band = (-rope, rope)
    rows, heads = _lay_out(frame, label, by, most)
    places = ["_block", "label", *([hue] if hue else ()), *rows.columns.intersection(["match"])]
    layout.require_one_row(rows, places, drawn=("text", "y"))
    ax = _row_axes(ax, rows, heads, rows.groupby("y")[hue].nunique().max() if hue else 1)
    shaded = (
        [layout.key(f"within ±{rope:.2g}: no practical difference", BAND, "s", size=9, width=0)]
        if rope
        else []
    )
    if "reference_low" in rows:
        match = rows.get("match", pd.Series("frequency", rows.index))
        for name, (meaning, color, height) in REFERENCES.items():
            part = rows[match == name]
            low, high = part["reference_low"], part["reference_high"]
            ax.barh(part["y"], high - low, left=low, height=height, color=color, zorder=1)
            shaded += [layout.key(meaning, color, "s", size=9, width=0)] if len(part) else []
    if "tick" in rows:
        ends = rows["y"] - 0.42, rows["y"] + 0.42
        ax.vlines(rows["tick"], *ends, color=LINE, linewidth=1.6, zorder=1.5)
    points = _draw_intervals(ax, rows, hue, styles)
    keys = [*(points if len(points) > 1 else ()), *shaded] if keys is None else keys
    extent = ["mean", "low", "high", "tick", "reference_low", "reference_high"]
    layout.draw_x(ax, xlabel, rows[rows.columns.intersection(extent)], reference, band)
    first, raised = rows.drop_duplicates("y"), 0.0
    if len(first) >= TALL:  # the bottom axis is far from the top rows
        ax.tick_params(axis="x", top=False, labeltop=True)
        raised = layout.TOP_TICKS
    if heading:
        texts = zip(first["y"], first["text"], first["bold"], strict=True)
        raised = layout.right_column(ax, heading, texts, raised)
    return layout.header(ax, title, note, keys, raised=raised)


def _in_groups(frame: pd.DataFrame, *, words: bool) -> tuple[pd.DataFrame, str]:
    """Return labeled rows in blocks of groups, and a note about words that are left out."""
    frame = frame.assign(protected_word=frame.get("protected_word", ""))
    kept, note = frame.assign(**frame[[*LEVEL_COLUMNS]].apply(layout.texts)), ""
    if kept[[name for name in ("mean", "low", "high") if name in kept]].isna().any(axis=None):
        raise ValueError("some rows have no mean or interval; remove them with dropna")
    word = kept["level"] == WORD
    if words and len(kept.drop_duplicates(LEVEL_COLUMNS)) > MOST_ROWS and not word.all():
        n_words = len(kept[word].drop_duplicates(LEVEL_COLUMNS))
        words, note = False, f"The {n_words} words do not fit into one figure and are left out."
    if not words and not word.all():
        kept, word = kept[~word], word[~word]
    overall = kept["level"] == OVERALL
    named = ("group: " if word.any() else "") + layout.spaced(kept["protected_group"])
    block = named.where(kept["protected_group"] != "", "")
    label = kept["protected_word"].where(word, block).where(~overall, "all groups")
    order = np.where(overall, -1, pd.factorize(kept["protected_group"])[0])
    kept = kept.assign(label=label, block=block, bold=~word, order=order)
    return kept.sort_values(["order", "bold"], ascending=[True, False], kind="stable"), note


def _lay_out(
    frame: pd.DataFrame, label: str, by: str, most: int
) -> tuple[pd.DataFrame, dict[float, str]]:
    """Add positions from 0 downward as ``y``, and return block headings, keyed by position.

    A block has no heading if it has no name, or if its first row is bold and summarizes it.
    """
    block = frame[by].astype(str) if by else pd.Series("", frame.index)
    bold = frame["bold"] if "bold" in frame else pd.Series(False, frame.index)
    rows = frame.assign(label=frame[label].astype(str), _block=block, bold=bold)
    rows = rows.iloc[np.argsort(pd.factorize(block)[0], kind="stable")]
    first = rows.drop_duplicates(["_block", "label"])
    layout.require_readable(len(first), most)
    starts = first["_block"] != first["_block"].shift()
    headed = starts & ~first["bold"] & (first["_block"] != "")
    gap = 0.0 if first["bold"].all() else BLOCK_GAP
    y = (1 + gap * starts + headed).cumsum() - 1 - gap
    places = dict(zip(zip(first["_block"], first["label"], strict=True), y, strict=True))
    keys = zip(rows["_block"], rows["label"], strict=True)
    heads = dict(zip(y[headed] - 1, first["_block"][headed], strict=True))
    return rows.assign(y=[places[name] for name in keys]), heads


def _row_axes(ax: Axes | None, rows: pd.DataFrame, heads: Mapping[float, str], n_hues: int) -> Axes:
    """Return Axes with row labels, backgrounds, and headings. A new figure is sized to fit."""
    first = rows.drop_duplicates("y")
    height = max(0.21 if len(first) >= TALL else 0.27, 0.11 * n_hues)
    ax = layout.new_axes(ax, height * (first["y"].max() + 1.2))
    across = ax.get_yaxis_transform()
    layout.row_labels(
        ax, first["y"].tolist(), first["label"], LONGEST_NAME if heads else LONGEST_LABEL
    )
    for text, bold in zip(ax.get_yticklabels(), first["bold"], strict=True):
        text.set_fontweight("bold" if bold else "normal")
    for y in first["y"][first["bold"].astype(bool)]:
        ax.axhspan(y - 0.5, y + 0.5, color=TINT, linewidth=0, zorder=0)
    for number, (y, name) in enumerate(heads.items()):
        text = ax.text(0, y, name, transform=across, parse_math=False, va="center", color=INK)
        text.set(fontsize=layout.TEXT_SIZE, weight="bold", bbox={"color": "white", "pad": 1.0})
        text.set_gid(f"heading-{number}")
    lines = first["y"][~first["bold"].astype(bool)]
    ax.hlines(lines, 0, 1, color=FAINT, linewidth=0.6, zorder=0.5, transform=across)
    ax.set_ylim(first["y"].max() + 0.6, min([0.0, *heads]) - 0.6)
    layout.guides(ax)
    return ax


def _draw_intervals(
    ax: Axes, rows: pd.DataFrame, hue: str, styles: Mapping[str, tuple[str, str]]
) -> list[Artist]:
    """Draw points and bars, and return the points of each hue."""
    hues = rows[hue].astype(str) if hue else pd.Series("", rows.index)
    names, styles = list(dict.fromkeys(hues)), styles if hue else {"": STYLES["associated"]}
    dodge = DODGE if hues.groupby(rows["y"]).nunique().max() > 1 else 0.0
    size, width = (4.8, 1.5) if dodge else (5.5, 1.8)
    points: list[Artist] = []
    for number, name in enumerate(names):
        part, (color, marker) = rows[hues == name], styles.get(name, OTHER_STYLES[number % 6])
        y = part["y"] + dodge * (number - (len(names) - 1) / 2)
        ax.hlines(y, part["low"], part["high"], color=color, linewidth=width, zorder=2)
        (dots,) = ax.plot(part["mean"], y, marker, color=color, label=name, zorder=3)
        dots.set(markersize=size, markeredgecolor="white", markeredgewidth=0.1 * size)
        points.append(dots)
    return points
