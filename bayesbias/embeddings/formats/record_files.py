"""Read files of records: tables whose columns have names, Parquet, JSON, and JSON lines."""

from __future__ import annotations

import json
from typing import Any

import pandas as pd

from ..._core.reading import loads_json, located
from ...tables.spellings import KeyedVectors
from ...tables.table_files import dialect, read_csv, read_parquet
from ..source import Embedding
from .columns import are_numbered, numbered
from .frames import place_of_ids
from .held import as_keyed


def read_frame(source: Embedding) -> KeyedVectors:
    """Read a Parquet file, or text whose columns have names; `words_and_rows` finds the vectors."""
    with source.local() as path, located(source.path):
        if source.layout is None:
            frame = read_parquet(path, nested=True)
        else:
            sep = source.layout.between.decode()
            how: dict[str, Any] = {"sep": sep, "keep_default_na": False, "low_memory": False}
            how["strict"] = False  # as for vectors without a header
            frame = read_csv(path, **how)
            if dialect(path)["decimal"] == ",":  # pandas reads them unless a cell is empty
                frame = frame.apply(_with_points)
            if (place := place_of_ids(frame)) is not None:  # with the zeros and points written
                frame.isetitem(
                    place, read_csv(path, **how, dtype=str, usecols=[place]).iloc[:, 0].array
                )
        return as_keyed(frame)


def _with_points(column: pd.Series) -> pd.Series:
    """Return a column with points for decimal commas if most of its cells are such numbers."""
    if pd.api.types.is_numeric_dtype(column):
        return column
    cells = column.astype(str)
    commas = cells.str.fullmatch(r"\s*[-+]?\d*,\d+([eE][-+]?\d+)?\s*")
    return cells.str.replace(",", ".") if 2 * commas.sum() > len(cells) else column


def read_json_file(source: Embedding) -> KeyedVectors:
    """Read a JSON file, or a file with one JSON value in each line."""
    with located(source.path), source.stream() as (stream, tick):
        first, rest = stream.readline(), stream.read()
        tick()
        try:
            values = [loads_json(line) for line in (first, *rest.splitlines()) if line.strip()]
        except json.JSONDecodeError:  # a value that goes on over several lines
            values = [loads_json(first + rest)]
        value = values[0] if len(values) == 1 else _merged(values)
        table = _table_of(value)
        return as_keyed(value if table is None else table)


def _merged(values: list[Any]) -> list[Any] | dict[str, Any]:
    """Join the values of lines: records, pairs, or dicts with the vector of one word each."""
    if not all(isinstance(value, dict) and len(value) == 1 for value in values):
        return values
    joined: dict[str, Any] = {}
    for word, vector in (pair for value in values for pair in value.items()):
        if joined.setdefault(word, vector) != vector:
            raise ValueError(f"the word {word!r} has different vectors; keep one of them")
    return joined


def _table_of(value: object) -> pd.DataFrame | None:
    """Return the table in a dict of columns or of rows, as pandas writes it, or None."""
    if not isinstance(value, dict) or not value:
        return None
    if {"columns", "index", "data"} == {*value}:
        return pd.DataFrame(**value)
    columns = [*value.values()]
    cells = [cell for one in columns if isinstance(one, dict) for cell in one.values()]
    alike = all(isinstance(one, dict) and one.keys() == columns[0].keys() for one in columns)
    if not alike or any(isinstance(cell, dict | list) for cell in cells):
        return None
    frame = pd.DataFrame(value)
    if any(isinstance(cell, str) for cell in cells):  # such as words
        return frame.T if are_numbered(frame.columns) else frame
    by_column, by_row = bool(numbered(frame.columns)), bool(numbered(frame.index))
    if by_column and by_row:
        names = f"{frame.columns[0]!r} or {frame.index[0]!r}"
        raise ValueError(
            f"the words may be those like {names}; pass a DataFrame with words as index"
        )
    if not by_column and not by_row:  # embeddings by name
        return None
    return frame if by_column else frame.T
