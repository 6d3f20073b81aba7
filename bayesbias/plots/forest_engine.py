"""The forest: rows of labelled intervals. Which rows are drawn, where, and how."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import pandas as pd

from .._core.checks import unknown_name
from ..tables.distances import THIN_MARK
from ..tables.levels import GROUP, LEVEL_COLUMNS, LEVELS, OVERALL, WORD
from ..tables.schema import connections_present, require_columns
from .axes_frame import (
    HEADER_HEIGHT,
    LONGEST_LABEL,
    SideText,
    new_axes,
    row_labels,
    vertical_guides,
)
from .header import TEXT_SIZE
from .palette import COLOURS, FAINT, INK, MARKERS, TINT

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.lines import Line2D

MOST_ROWS = 80
"""Rows that one figure holds and a reader can follow."""

GROUP_GAP = 0.45
"""Room above each group or block, in rows."""

TALL = 24
"""Rows from which the x axis is repeated on top."""

DODGE = 0.2
"""Distance between the connections of a row, in rows."""

LINE_HEIGHT = 0.115
"""Inches a connection takes in a row."""

LONGEST_NAME = 44
"""Letters of the label of a row of a block."""

KEY = list(LEVEL_COLUMNS)

THIN_KEY = f"{THIN_MARK} Too few words are left of a set of this group: do not rely on it."


@dataclass(frozen=True)
class Row:
    """One row of a forest, its place on the y axis from 0 downwards, and whose values are there.

    A "summary" is in bold and on a tinted ground, a "heading" is in bold and holds no values.
    """

    label: str
    position: float
    kind: str = "row"
    level: str = ""
    protected_group: str = ""
    protected_word: str = ""


@dataclass(frozen=True)
class Rows:
    """Rows of a forest from top to bottom, and what the reader must know of those left out."""

    rows: tuple[Row, ...]
    note: str = ""
    in_blocks: bool = False
    """Whether headings part them, and each row stands on a line; otherwise lines part them."""
    inside: bool = False
    """Whether headings stand inside the Axes, as long ones must."""

    @property
    def extent(self) -> float:
        """Return how many rows high the plot is."""
        return self.rows[-1].position + 1

    @property
    def is_tall(self) -> bool:
        """Return whether the x axis at the foot is out of sight of the top rows."""
        return len(self.rows) >= TALL

    def height(self, n_connections: int) -> float:
        """Return the inches of a row that holds some connections below each other."""
        return LINE_HEIGHT * max(n_connections, 2) * (0.85 if self.is_tall else 1.0)


def level_rows(frame: pd.DataFrame, level: str) -> Rows:
    """Choose and place the rows of a frame of summaries or contrasts."""
    require_columns(frame, (*KEY, "mean", "low", "high"))
    if level not in ("all", *LEVELS):
        raise ValueError(unknown_name("level", level, ("all", *LEVELS)))
    missing = frame[frame[["mean", "low", "high"]].isna().any(axis=1)]
    if len(missing):
        raise ValueError(
            f"{len(missing)} row(s) of the frame lack a mean or an interval, first level "
            f"{missing['level'].iloc[0]!r}, word {missing['protected_word'].iloc[0]!r}; "
            "leave them out"
        )
    keys = frame[KEY].astype(str).drop_duplicates()
    wanted = keys if level == "all" else keys[keys["level"] == level]
    if wanted.empty:
        there = ", ".join(keys["level"].unique()) or "none"
        raise ValueError(f"the frame has no rows of level {level!r}; it has: {there}")
    if len(wanted) <= MOST_ROWS:
        return Rows(_place(wanted))
    return _without_words(wanted, level)


def block_rows(frame: pd.DataFrame, by: str, *, inside: bool = False) -> tuple[Rows, pd.DataFrame]:
    """Place rows in blocks headed by a column, and return the frame in their order as well.

    Rows have a ``label``, and get a ``position``; a block of one row with an empty label is a row.
    """
    rows: list[Row] = []
    parts = []
    for heading, part in frame.groupby(by, sort=False):
        labels = [label for label in part["label"] if label]
        top = rows[-1].position + 1 + GROUP_GAP if rows else 0.0
        rows.append(Row(str(heading), top, "heading" if labels else "summary"))
        rows += [Row(label, top + 1 + at) for at, label in enumerate(labels)]
        own = rows[-len(part) :]
        parts.append(
            part.assign(position=[row.position for row in own], label=[row.label for row in own])
        )
    return Rows(tuple(rows), in_blocks=True, inside=inside), pd.concat(parts)


def marked(rows: Rows, frame: pd.DataFrame) -> Rows:
    """Mark the rows of which the frame's column ``thin`` says that a set has too few words left."""
    keys = frame[KEY].astype(str)[frame["thin"]] if "thin" in frame else frame[KEY].head(0)
    thin = set(keys.itertuples(index=False, name=None))
    named = tuple(
        replace(row, label=f"{row.label} {THIN_MARK}")
        if (row.level, row.protected_group, row.protected_word) in thin
        else row
        for row in rows.rows
    )
    note = " ".join([rows.note, THIN_KEY]).strip() if named != rows.rows else rows.note
    return replace(rows, rows=named, note=note)


def placed(frame: pd.DataFrame, rows: Rows) -> pd.DataFrame:
    """Return the frame's rows that are drawn, with ``position`` and ``label``, in their order."""
    places = pd.DataFrame(list(rows.rows)).drop(columns="kind")
    named = frame.astype(dict.fromkeys(KEY, str))
    return places.merge(named, on=KEY, how="inner", validate="one_to_many")


def level_axes(
    frame: pd.DataFrame, level: str, ax: Axes | None, row_height: float | None = None
) -> tuple[Axes, Rows, pd.DataFrame]:
    """Return Axes with the rows of a level, these rows, and what of the frame stands in them.

    A row of a new figure takes `row_height` inches, or as many as its connections need.
    """
    rows = marked(level_rows(frame, level), frame)
    drawn = placed(frame, rows)
    height = row_height or rows.height(len(connections_present(drawn)))
    return forest_axes(ax, rows, height), rows, drawn


def forest_axes(ax: Axes | None, rows: Rows, row_height: float) -> Axes:
    """Return Axes with labelled rows, each of so many inches in a new figure."""
    ax = new_axes(ax, HEADER_HEIGHT + row_height * (rows.extent + 0.2))
    draw_rows(ax, rows)
    return ax


def draw_rows(ax: Axes, rows: Rows) -> None:
    """Label the rows, draw their ground and vertical guides, and set the y limits."""
    ticked = [row for row in rows.rows if not (rows.inside and row.kind == "heading")]
    longest = LONGEST_NAME if rows.in_blocks else LONGEST_LABEL
    labels = [row.label for row in ticked]
    for row, text in zip(
        ticked, row_labels(ax, [row.position for row in ticked], labels, longest), strict=True
    ):
        text.set(color=INK, fontweight="normal" if row.kind == "row" else "bold")
    for at, row in enumerate(rows.rows):
        if row.kind == "summary":
            ax.axhspan(row.position - 0.5, row.position + 0.5, color=TINT, linewidth=0, zorder=0)
        elif rows.inside and row.kind != "row":
            heading = ax.text(0, row.position, row.label, transform=ax.get_yaxis_transform())
            heading.set(va="center", fontsize=TEXT_SIZE, weight="bold", color=INK)
            heading.set_gid(f"heading-{at}")  # ids within a figure must differ
            heading.set_bbox({"color": "white", "pad": 1.0})
    below = 0.0 if rows.in_blocks else 0.5
    ruled = [
        row.position + below
        for row in rows.rows
        if row.kind == "row" or (row.kind != "summary" and not rows.in_blocks)
    ]
    across = ax.get_yaxis_transform()
    ax.hlines(ruled, 0, 1, color=FAINT, linewidth=0.6, zorder=0.5, transform=across)
    ax.set_ylim(rows.rows[-1].position + 0.6, rows.rows[0].position - 0.6)
    vertical_guides(ax)


def draw_intervals(
    ax: Axes,
    drawn: pd.DataFrame,
    label: str,
    colour: str,
    marker: str = "o",
    *,
    size: float = 5.5,
    width: float = 1.8,
) -> Line2D:
    """Draw the points and bars of some rows in one style, and return the points.

    The sizes of points and bars are in points.
    """
    y = drawn["position"]
    ax.hlines(y, drawn["low"], drawn["high"], color=colour, linewidth=width, zorder=2)
    (points,) = ax.plot(drawn["mean"], y, marker, color=colour, label=label, zorder=3)
    points.set(markersize=size, markeredgecolor="white", markeredgewidth=0.1 * size)
    return points


def draw_connections(ax: Axes, drawn: pd.DataFrame, names: Sequence[str] = ()) -> list[Line2D]:
    """Draw the intervals of every connection, and return the points of each."""
    return [
        draw_intervals(ax, part, name, COLOURS[name], MARKERS[name], size=4.8, width=1.5)
        for name, part in dodged(drawn, names or connections_present(drawn))
    ]


def dodged(drawn: pd.DataFrame, names: Sequence[str]) -> Iterator[tuple[str, pd.DataFrame]]:
    """Yield each connection with its rows, moved apart from the others' in their ``position``."""
    for at, name in enumerate(names):
        part = drawn[drawn["connection"].astype(str) == name]
        yield name, part.assign(position=part["position"] + (at - (len(names) - 1) / 2) * DODGE)


def beside_rows(drawn: pd.DataFrame, texts: Iterable[str]) -> list[SideText]:
    """Return the right-hand column of a forest: a text for each of its rows."""
    summary = drawn["level"] != WORD if "level" in drawn else [False] * len(drawn)
    return [
        SideText(float(at), text, bool(bold))
        for at, text, bold in zip(drawn["position"], texts, summary, strict=True)
    ]


def _without_words(wanted: pd.DataFrame, level: str) -> Rows:
    kept = wanted[wanted["level"] != WORD]
    advice = f'pass level="word" and a frame of at most {MOST_ROWS} of them'
    if level != "all" or kept.empty or len(kept) > MOST_ROWS:
        raise ValueError(
            f"{len(wanted)} rows do not fit into one figure, which holds {MOST_ROWS}; choose "
            f'level="overall" or level="group", or, to see some words, {advice}'
        )
    left_out = f"The {len(wanted) - len(kept)} words do not fit into one figure and are left out"
    return Rows(_place(kept), f"{left_out}; to see some, {advice}.")


def _place(keys: pd.DataFrame) -> tuple[Row, ...]:
    """Place overall first; then each group's mean, or else a heading, and below it its words."""
    levels = set(keys["level"])
    overall = keys[keys["level"] == OVERALL].head(1).itertuples(index=False)
    rows = [Row("all groups", 0.0, "summary", *key) for key in overall]
    for name, part in keys[keys["level"] != OVERALL].groupby("protected_group", sort=False):
        group, mean = str(name), GROUP in set(part["level"])
        apart = mean and (WORD in levels or (rows[-1:] and rows[-1].level == OVERALL))
        top = rows[-1].position + 1 + GROUP_GAP * bool(apart) if rows else 0.0
        if mean or group:
            kind, level = ("summary", GROUP) if mean else ("heading", "heading")
            rows.append(Row(f"group: {group}", top, kind, level, group))
            top += 1
        words = part["protected_word"][part["level"] == WORD]
        rows += [Row(word, top + at, "row", WORD, group, word) for at, word in enumerate(words)]
    return tuple(rows)
