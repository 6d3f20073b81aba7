"""Read a table of scores from a CSV file: one row per pair and language model."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pandas as pd

from ..tables.decimals import EMPTY, with_numbers
from ..tables.schema import require_columns, with_heads
from ..tables.table_files import dialect, read_csv, warn_of_columns
from .datasets import (
    LABELS,
    PAIR_LABELS,
    ROLES,
    checked_direction,
    label_faults,
    refuse_rows,
)
from .logs import SAME_SCORE, Content, Row, rows_of, usable

LOG_COLUMNS = ("model", "measure", *PAIR_LABELS, *ROLES, "difference")
"""Columns of every frame of logs; other columns may follow."""

COUNTS = ("token_difference", "n_scored")
"""Columns that frames of scores may have, too."""

TEXTS = dict.fromkeys((*LABELS, "role"), str)
"""Columns of labels, and their type."""


def read_score_table(path: Path, content: Content) -> None:
    """Add the rows of a table; labels must not be empty, and directions must be known."""
    table = read_csv(path, dtype=str, keep_default_na=False)
    table = with_heads(table, known := (*LOG_COLUMNS, *COUNTS))
    scored = "difference" in table.columns
    require_columns(table, ("model", "pair_id", "bias_type", *(() if scored else ROLES)))
    warn_of_columns(table, known, "scores have", about=str(path))
    table = table[[name for name in known if name in table.columns]]
    labels = [name for name in LABELS if name in table.columns]
    table = table.assign(**{name: table[name].str.strip() for name in labels})
    numbers = [name for name in table.columns if name not in TEXTS]
    usual = dialect(path)["decimal"]
    table = table.assign(**with_numbers(table[numbers], numbers, usual, some=True))
    refuse_rows(table, label_faults(table))
    if "direction" in table.columns:
        table = table.assign(direction=table["direction"].map(checked_direction))
    if scored and {*ROLES} <= {*table.columns}:
        numbers = table[[*ROLES, "difference"]].apply(pd.to_numeric, errors="coerce")
        gaps = numbers[ROLES[0]] - numbers[ROLES[1]] - numbers["difference"]
        odd = {f"needs a difference of {' minus '.join(ROLES)}": gaps.abs() > SAME_SCORE}
        refuse_rows(table, odd)
    optional = (COUNTS[0], *(ROLES if scored else ()))
    rows = [_without(row, optional) for row in rows_of(table)]
    usable(rows, content.add, content, "a table of scores")


def _without(row: Row, optional: Sequence[str]) -> Row:
    """Leave out the optional cells that are empty, and a difference that both scores give."""
    empty = {name for name, value in row.items() if pd.isna(value) or value in EMPTY}
    if {*ROLES} <= row.keys() - empty:
        optional = (*optional, "difference")
    return {name: row[name] for name in row if name not in optional or name not in empty}
