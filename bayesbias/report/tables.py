"""Tables of a page: frames made into cells that show, and cells that sort."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from ..tables.levels import GROUP, OVERALL, WORD, at_level
from .numbers import (
    COLUMNS,
    Write,
    ends,
    number,
    plain_number,
    probability_name,
    signed,
    signed_end,
    step,
)
from .wording import marked

NAMES = {OVERALL: (), GROUP: ("protected_group",), WORD: ("protected_word", "protected_group")}
"""Columns that name the rows of each level."""


@dataclass(frozen=True)
class Cell:
    """What a cell shows, and its value if it is a number."""

    text: str
    key: float | None = None
    connection: str = ""


@dataclass(frozen=True)
class Table:
    """A table of a page: caption, heads and cells."""

    caption: str
    heads: tuple[str, ...] = ()
    rows: tuple[tuple[Cell, ...], ...] = ()


def frame_table(
    frame: pd.DataFrame,
    caption: str,
    *names: str,
    columns: Mapping[str, tuple[str, Write | None]] = COLUMNS,
) -> Table:
    """Show columns of a frame, under the heads and as the writing of ``columns`` has it.

    A column that is not there keeps its name, and numbers get as many digits as they need. A
    column may hold cells. NaN is shown as a dash.
    """
    shown = [(name, *columns.get(name, (name, None))) for name in names]
    rows = tuple(
        tuple(_cell(row[name], name, write or plain_number) for name, _, write in shown)
        for row in frame.to_dict("records")
    )
    return Table(caption, tuple(head for _, head, _ in shown), rows)


def plain_table(frame: pd.DataFrame, caption: str) -> Table:
    """Show a frame as it stands."""
    frame = frame.rename(columns=lambda name: name.replace("_", " "))
    return frame_table(frame, caption, *frame.columns, columns={})


def _cell(value: Any, name: str, write: Write) -> Cell:  # noqa: ANN401
    if isinstance(value, Cell):
        return value
    if isinstance(value, str | bool):
        return Cell(str(value), connection=str(value) if name == "connection" else "")
    return Cell(write(value) if np.isfinite(value) else "–", value)


def interval_table(
    frame: pd.DataFrame,
    caption: str,
    *names: str,
    ci_prob: float,
    reference: float | None,
    extra: Sequence[str] = ("p_direction", "p_rope"),
) -> Table:
    """Show means with their intervals, and probabilities if any.

    Intervals of rows that are ``thin`` are marked. With a reference of 0 numbers carry their sign.
    """
    show, end = (signed, signed_end) if reference == 0 else (number, number)
    interval = f"{probability_name(ci_prob)} interval"
    cells: dict[str, Any] = {
        "mean": [Cell(show(value), value) for value in frame["mean"]],
        interval: [Cell(marked(ends(row, end), row), row["low"]) for _, row in frame.iterrows()],
    }
    shown = (*names, *cells, *(name for name in extra if name in frame))
    return frame_table(frame.assign(**cells), caption, *shown)


def of_level(frame: pd.DataFrame, level: str) -> tuple[pd.DataFrame, tuple[str, ...]]:
    """Return means or contrasts of one level, rows of models beside each other, and their names."""
    frame, of = at_level(frame, level), "connection"
    if "first" in frame:
        frame, of = frame.assign(contrast=frame["first"] + " − " + frame["second"]), "contrast"
    names = (*NAMES[level], of)
    return beside(frame, *names), (*names, "model") if "model" in frame else names


def step_cells(frame: pd.DataFrame, write: Callable[[float], str] = number) -> pd.DataFrame:
    """Return a frame with before, after and change as cells."""
    names = ["before", "after", "change"]
    rows = []
    for values in frame[names].to_numpy(float).tolist():
        texts = step(values[0], values[1], write) if np.isfinite(values).all() else ("–",) * 3
        rows.append([Cell(text, value) for text, value in zip(texts, values, strict=True)])
    return frame.assign(**pd.DataFrame(rows, frame.index, names, dtype=object))


def beside(frame: pd.DataFrame, *names: str) -> pd.DataFrame:
    """Place the rows that models have in common beside each other, in the first one's order."""
    return pd.concat(part for _, part in frame.groupby(list(names), sort=False))


def coverage_table(frame: pd.DataFrame, caption: str, counted: str) -> Table:
    """Show the share of what was measured inside the predictive intervals."""
    frame = frame.rename(columns={"n_rows": counted})
    return frame_table(frame, caption, "model", "ci_prob", "connection", counted, "coverage")
