"""Read files of records: tables whose columns have names, Parquet, JSON, and JSON lines."""

from __future__ import annotations

import json
from typing import Any

from ..._core.reading import loads_json, located
from ...tables.spellings import KeyedVectors
from ...tables.table_files import read_csv, read_parquet
from ..source import Embedding
from .held import as_keyed


def read_frame(source: Embedding) -> KeyedVectors:
    """Read a Parquet file, or text whose columns have names; `words_and_rows` finds the vectors."""
    with source.local() as path, located(source.path):
        if source.layout is None:
            frame = read_parquet(path, nested=True)
        else:
            sep = source.layout.between.decode()
            frame = read_csv(path, sep=sep, keep_default_na=False, low_memory=False)
        return as_keyed(frame)


def read_json_file(source: Embedding) -> KeyedVectors:
    """Read a JSON file, or a file with one JSON value in each line."""
    with located(source.path), source.stream() as (stream, tick):
        first, rest = stream.readline(), stream.read()
        tick()
        try:
            values = [loads_json(line) for line in (first, *rest.splitlines()) if line.strip()]
        except json.JSONDecodeError:  # a value that goes on over several lines
            values = [loads_json(first + rest)]
        return as_keyed(values[0] if len(values) == 1 else _merged(values))


def _merged(values: list[Any]) -> list[Any] | dict[str, Any]:
    """Join the values of lines: records, pairs, or dicts with the vector of one word each."""
    if all(isinstance(value, dict) and len(value) == 1 for value in values):
        return {word: vector for value in values for word, vector in value.items()}
    return values
