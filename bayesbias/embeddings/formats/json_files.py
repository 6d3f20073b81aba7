"""Read JSON files of vectors by word, and JSON or JSON-lines files of records or of responses."""

from __future__ import annotations

import json
from typing import Any

from ..._core.reading import located
from ...tables.spellings import KeyedVectors
from ..source import Embedding
from .held import as_keyed


def read_json_file(source: Embedding) -> KeyedVectors:
    """Read what `as_keyed` takes from a JSON file, or from a file with one JSON value per line."""
    with located(source.path), source.stream() as (stream, tick):
        first = stream.readline()
        rest = stream.read()
        tick()
        try:
            content = json.loads(first)
            lines = [line for line in rest.splitlines() if line.strip()]
        except json.JSONDecodeError:  # a value that goes on over several lines
            content, lines = json.loads(first + rest), []
        return as_keyed(_merged([content, *map(json.loads, lines)]) if lines else content)


def _merged(values: list[Any]) -> Any:  # noqa: ANN401
    """Join the values of lines: records, pairs, or dicts with the vector of one word each."""
    if all(isinstance(value, dict) and len(value) == 1 for value in values):
        return {word: vector for value in values for word, vector in value.items()}
    return values
