"""Rows of forest plots: which levels are drawn, in what order, and where."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import pandas as pd

from .._core.checks import unknown_name
from ..tables.schema import require_columns
from .canvas import row_labels
from .palette import FAINT, INK, TINT

if TYPE_CHECKING:
    from matplotlib.axes import Axes

LEVEL_CHOICES = ("all", "overall", "group", "word")
"""What a forest may draw."""

MOST_ROWS = 80
"""Rows that one figure holds and a reader can follow."""

GROUP_GAP = 0.45
"""Room above each group, in rows."""

TALL = 24
"""Rows from which the x axis is repeated on top."""


type Key = tuple[str, str, str]
"""Level, protected group and protected word of a row."""


@dataclass(frozen=True)
class Row:
    """One row of a forest.

    Parameters
    ----------
    level, group, word : str
        Which rows of the frame stand here; a heading has the level "heading".
    position : float
        On the y axis, from 0 downwards.
    """

    level: str
    group: str
    word: str
    position: float

    @property
    def label(self) -> str:
        """What the row is called on the y axis."""
        if self.level == "overall":
            return "all protected words"
        return self.word if self.level == "word" else f"group: {self.group}"


@dataclass(frozen=True)
class Layout:
    """Rows of a forest from top to bottom, and what the reader must know of those left out."""

    rows: tuple[Row, ...]
    note: str = ""

    @property
    def extent(self) -> float:
        """How many rows high the plot is."""
        return self.rows[-1].position + 1

    @property
    def is_tall(self) -> bool:
        """Whether the x axis at the foot is out of sight of the top rows."""
        return len(self.rows) >= TALL


def layout(frame: pd.DataFrame, level: str) -> Layout:
    """Choose and place the rows of a frame of summaries or contrasts.

    Raises
    ------
    ValueError
        If the level is unknown or has no rows, a number is missing, or the words asked for are
        more than a figure holds.
    """
    columns = ("level", "protected_group", "protected_word", "mean", "low", "high")
    require_columns(frame, columns)
    if level not in LEVEL_CHOICES:
        raise ValueError(unknown_name("level", level, LEVEL_CHOICES))
    _check_numbers(frame)
    keys = frame[list(columns[:3])].astype(str).drop_duplicates()
    wanted = keys if level == "all" else keys[keys["level"] == level]
    if wanted.empty:
        there = ", ".join(keys["level"].unique()) or "none"
        raise ValueError(f"the frame has no rows of level {level!r}; it has: {there}")
    if len(wanted) <= MOST_ROWS:
        return Layout(_place(wanted))
    return _without_words(wanted, level)


def _without_words(wanted: pd.DataFrame, level: str) -> Layout:
    kept, n_words = wanted[wanted["level"] != "word"], int((wanted["level"] == "word").sum())
    advice = f'pass level="word" and a frame of at most {MOST_ROWS} of them'
    if level != "all" or kept.empty or len(kept) > MOST_ROWS:
        raise ValueError(
            f"{len(wanted)} rows do not fit into one figure, which holds {MOST_ROWS}; choose "
            f'level="overall" or level="group", or, to see some words, {advice}'
        )
    note = (
        f"The {n_words} words do not fit into one figure and are left out; to see some, {advice}."
    )
    return Layout(_place(kept), note)


def _check_numbers(frame: pd.DataFrame) -> None:
    missing = frame[["mean", "low", "high"]].isna().any(axis=1)
    if missing.any():
        row = frame[missing].iloc[0]
        raise ValueError(
            f"{int(missing.sum())} row(s) of the frame lack a mean or an interval, first level "
            f"{row['level']!r}, word {row['protected_word']!r}; leave them out"
        )


def _place(keys: pd.DataFrame) -> tuple[Row, ...]:
    """Overall first; then each group's mean, or else a heading, and below it its words."""
    found: list[Key] = list(keys.itertuples(index=False, name=None))
    rows = [Row(*key, position=0.0) for key in found if key[0] == "overall"][:1]
    has_words = any(level == "word" for level, _, _ in found)
    for group in dict.fromkeys(group for level, group, _ in found if level != "overall"):
        inside = [key for key in found if key[1] == group and key[0] == "word"]
        mean = ("group", group, "") in found
        apart = mean and (has_words or (rows[-1:] and rows[-1].level == "overall"))
        top = rows[-1].position + 1 + GROUP_GAP * bool(apart) if rows else 0.0
        heads: list[Key] = [("group" if mean else "heading", group, "")] if mean or group else []
        rows += [Row(*key, position=top + at) for at, key in enumerate([*heads, *inside])]
    return tuple(rows)


def draw_rows(ax: Axes, rows: Sequence[Row]) -> None:
    """Label the rows, summary rows in bold on a tinted ground, and set the y limits."""
    texts = row_labels(ax, [row.position for row in rows], [row.label for row in rows])
    for row, text in zip(rows, texts, strict=True):
        text.set_color(INK)
        if row.level != "word":
            text.set_fontweight("bold")
        if row.level in {"overall", "group"}:
            ax.axhspan(row.position - 0.5, row.position + 0.5, color=TINT, linewidth=0, zorder=0)
        else:
            ax.axhline(row.position + 0.5, color=FAINT, linewidth=0.6, zorder=0.5)
    ax.set_ylim(rows[-1].position + 0.6, rows[0].position - 0.6)


def rows_with_positions(frame: pd.DataFrame, rows: Sequence[Row]) -> pd.DataFrame:
    """Give the frame's rows that are drawn, with their ``position``, in drawing order."""
    places = pd.DataFrame(
        [(row.level, row.group, row.word, row.position) for row in rows],
        columns=["level", "protected_group", "protected_word", "position"],
    )
    keys = ["level", "protected_group", "protected_word"]
    named = frame.assign(**{key: frame[key].astype(str) for key in keys})
    return places.merge(named, on=keys, how="inner", validate="one_to_many")
