"""The forest: rows of labelled intervals. Which rows are drawn, where, and how."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import pandas as pd

from .._core.checks import unknown_name
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
from .tooltips import set_tips, tip

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.lines import Line2D

LEVEL_CHOICES = ("all", "overall", "group", "word")
"""What a forest may draw."""

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

KEY = ["level", "protected_group", "protected_word"]
"""Columns that tell the rows of a frame of summaries apart."""

type Key = tuple[str, str, str]
"""Level, protected group and protected word of a row."""


@dataclass(frozen=True)
class Row:
    """One row of a forest.

    Parameters
    ----------
    label : str
        What it is called on the y axis.
    position : float
        On the y axis, from 0 downwards.
    kind : {"summary", "heading", "row"}
        A summary is in bold and on a tinted ground, a heading is in bold and holds no values.
    key : (str, str, str)
        Level, group and word of the rows of the frame that stand here.
    """

    label: str
    position: float
    kind: str = "row"
    key: Key = ("", "", "")


@dataclass(frozen=True)
class Rows:
    """Rows of a forest from top to bottom.

    Parameters
    ----------
    rows : tuple of Row
    note : str
        What the reader must know of the rows left out.
    in_blocks : bool
        Whether they stand in blocks under headings, each row on a line of its own; otherwise lines
        part them.
    inside : bool
        Whether headings stand inside the Axes, as long ones must.
    """

    rows: tuple[Row, ...]
    note: str = ""
    in_blocks: bool = False
    inside: bool = False

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
    """Choose and place the rows of a frame of summaries or contrasts.

    Raises
    ------
    ValueError
        If the level is unknown or has no rows, a number is missing, or the words asked for are
        more than a figure holds.
    """
    require_columns(frame, (*KEY, "mean", "low", "high"))
    if level not in LEVEL_CHOICES:
        raise ValueError(unknown_name("level", level, LEVEL_CHOICES))
    _check_numbers(frame)
    keys = frame[KEY].astype(str).drop_duplicates()
    wanted = keys if level == "all" else keys[keys["level"] == level]
    if wanted.empty:
        there = ", ".join(keys["level"].unique()) or "none"
        raise ValueError(f"the frame has no rows of level {level!r}; it has: {there}")
    if len(wanted) <= MOST_ROWS:
        return Rows(_place(wanted))
    return _without_words(wanted, level)


def block_rows(frame: pd.DataFrame, by: str, *, inside: bool = False) -> tuple[Rows, pd.DataFrame]:
    """Place the rows of a frame in blocks, each under its heading.

    Parameters
    ----------
    frame : DataFrame
        With a column ``label``; a block of one row with an empty label is a row itself.
    by : str
        The column of the headings.
    inside : bool
        Whether the headings stand inside the Axes.

    Returns
    -------
    (Rows, DataFrame)
        The rows, and the frame in their order with ``position``.
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


def placed(frame: pd.DataFrame, rows: Rows) -> pd.DataFrame:
    """Return the frame's rows that are drawn, with ``position`` and ``label``, in their order."""
    places = pd.DataFrame(
        [(*row.key, row.position, row.label) for row in rows.rows],
        columns=[*KEY, "position", "label"],
    )
    named = frame.assign(**{name: frame[name].astype(str) for name in KEY})
    return places.merge(named, on=KEY, how="inner", validate="one_to_many")


def level_axes(
    frame: pd.DataFrame, level: str, ax: Axes | None, row_height: float | None = None
) -> tuple[Axes, Rows, pd.DataFrame]:
    """Return Axes with the rows of a level, these rows, and what of the frame stands in them.

    A row of a new figure takes `row_height` inches, or as many as its connections need.
    """
    rows = level_rows(frame, level)
    drawn = placed(frame, rows)
    if row_height is None:
        row_height = rows.height(len(connections_present(drawn)))
    return forest_axes(ax, rows, row_height), rows, drawn


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
    for row in rows.rows:
        if row.kind == "summary":
            ax.axhspan(row.position - 0.5, row.position + 0.5, color=TINT, linewidth=0, zorder=0)
        elif not rows.in_blocks:
            ax.axhline(row.position + 0.5, color=FAINT, linewidth=0.6, zorder=0.5)
        elif row.kind == "row":
            ax.axhline(row.position, color=FAINT, linewidth=0.6, zorder=0.5)
        elif rows.inside:
            heading = ax.text(0, row.position, row.label, transform=ax.get_yaxis_transform())
            heading.set(va="center", fontsize=TEXT_SIZE, weight="bold", color=INK, gid="heading")
            heading.set_bbox({"color": "white", "pad": 1.0})
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

    Parameters
    ----------
    drawn : DataFrame
        ``position``, ``mean``, ``low``, ``high``; with a column ``label``, points and bars have
        tooltips that name the row and, if there is one, its ``connection``.
    label : str
        Of the points, for the legend.
    colour, marker : str
    size, width : float
        Of the points and of the bars, in points.
    """
    y = drawn["position"]
    bars = ax.hlines(y, drawn["low"], drawn["high"], color=colour, linewidth=width, zorder=2)
    (points,) = ax.plot(drawn["mean"], y, marker, color=colour, label=label, zorder=3)
    points.set(markersize=size, markeredgecolor="white", markeredgewidth=0.1 * size)
    if "label" in drawn:
        what = drawn["connection"].astype(str) if "connection" in drawn else [""] * len(drawn)
        numbers = (drawn[name] for name in ("mean", "low", "high"))
        texts = [tip(*each) for each in zip(drawn["label"], what, *numbers, strict=True)]
        set_tips(bars, texts)
        set_tips(points, texts)
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
    summary = drawn["level"] != "word" if "level" in drawn else [False] * len(drawn)
    return [
        SideText(float(at), text, bool(bold))
        for at, text, bold in zip(drawn["position"], texts, summary, strict=True)
    ]


def _without_words(wanted: pd.DataFrame, level: str) -> Rows:
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
    return Rows(_place(kept), note)


def _check_numbers(frame: pd.DataFrame) -> None:
    missing = frame[["mean", "low", "high"]].isna().any(axis=1)
    if missing.any():
        row = frame[missing].iloc[0]
        raise ValueError(
            f"{int(missing.sum())} row(s) of the frame lack a mean or an interval, first level "
            f"{row['level']!r}, word {row['protected_word']!r}; leave them out"
        )


def _place(keys: pd.DataFrame) -> tuple[Row, ...]:
    """Place overall first; then each group's mean, or else a heading, and below it its words."""
    found: list[Key] = list(keys.itertuples(index=False, name=None))
    overall = [key for key in found if key[0] == "overall"][:1]
    rows = [Row("all protected words", 0.0, "summary", key) for key in overall]
    has_words = any(level == "word" for level, _, _ in found)
    for group in dict.fromkeys(group for level, group, _ in found if level != "overall"):
        inside = [key for key in found if key[1] == group and key[0] == "word"]
        mean = ("group", group, "") in found
        apart = mean and (has_words or (rows[-1:] and rows[-1].key[0] == "overall"))
        top = rows[-1].position + 1 + GROUP_GAP * bool(apart) if rows else 0.0
        if mean or group:
            kind, level = ("summary", "group") if mean else ("heading", "heading")
            rows.append(Row(f"group: {group}", top, kind, (level, group, "")))
            top += 1
        rows += [Row(key[2], top + at, "row", key) for at, key in enumerate(inside)]
    return tuple(rows)
