"""Determine what the columns of a table of vectors contain, from their names and cells."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Sequence
from decimal import Decimal
from numbers import Real

import numpy as np
import pandas as pd

WORD_NAMES = (
    *("word", "token", "term", "text", "input", "key", "phrase", "sentence", "document"),
    *("content", "name", "label", "custom_id", "id", "vocab", "vocabulary", "index_to_key", "itos"),
)
"""Usual names of columns and keys of words, without a plural s, starting with the surest."""

VECTOR_NAMES = (
    *("embedding", "vector", "emb", "vec", "value", "feature", "weight", "values", "array"),
)
"""Usual names of columns and keys of vectors."""

NUMBERED = re.compile(r"(.*?)(\d+)")
"""A text with a number after it, as in the names of dimensions."""

_CALL = r"\s*([a-z_][\w.]*\()?"
_NUMBER = r"([-+]?(\d+\.?\d*|\.\d+)(e[-+]?\d+)?|nan)"
_THOUSANDS = r"\s*\d{1,3}(,\d{3})+(\.\d*)?\s*$"
_DECIMAL = r"[-+\d,;\s]*(\.\d|e-\d)"
LIST = re.compile(
    rf"{_CALL}\[{_CALL}([-+.]*[0-9]|\]|[-+]?nan|[-+]?inf|null|none)"
    rf"|(?!{_THOUSANDS})(?={_DECIMAL})\s*({_NUMBER}(\s*[,;]\s*|\s+)){{2}}{_NUMBER}",
    re.IGNORECASE,
)
"""The start of a list of numbers, or of three without brackets; words such as [UNK] are none."""

_NO_NUMBERS = (
    pd.api.types.is_bool_dtype,
    pd.api.types.is_datetime64_any_dtype,
    pd.api.types.is_complex_dtype,
)

_NUMBERS = {"floating", "integer", "mixed-integer-float", "decimal"}

NUMERIC = "number", "mixed"
"""Kinds of columns that are read as numbers."""

_MISSING = {"", "na", "n/a", "nan", "-nan", "null", "none", "<na>"}
"""How programs write, in any case, that there is no number."""

LOOKED_AT = 1_000
"""Number of rows that show whether a column has only whole numbers, or mostly numbers."""


def plain_name(name: object) -> str:
    """Return a column's name in lower case, without spaces around it and a plural s."""
    text = str(name).strip().lower()
    return text if text in VECTOR_NAMES else text.removesuffix("s")


def rank_of(name: object, names: Sequence[str] = WORD_NAMES) -> int:
    """Return the place of a column's name among the usual names, or their number."""
    plain = plain_name(name)
    return names.index(plain) if plain in names else len(names)


def kind_of(column: pd.Series) -> str:
    """Return whether a column has numbers, text, vectors, or something else.

    Numbers are `mixed` if some are text, or if a minority of the cells are no numbers.
    """
    types = pd.api.types
    if any(is_kind(column) for is_kind in _NO_NUMBERS):
        return "other"
    numeric = types.is_numeric_dtype(column)
    some = column.iloc[:0] if numeric else column.dropna().astype(object)
    if numeric or types.infer_dtype(some, skipna=True) in _NUMBERS:
        return "number"
    first = some.iloc[0] if len(some) else None
    filled = some.iloc[:: 1 + len(some) // LOOKED_AT]  # words may be in order
    lists = sum(isinstance(cell, list | tuple | np.ndarray) for cell in filled)
    filled = filled[~missing(filled)]
    n_numbers = int(parsed(filled).notna().sum())
    if lists > n_numbers:
        return "vector"
    if plain_name(column.name) not in WORD_NAMES and n_numbers > (len(filled) - lists) / 2:
        return "mixed"
    starts = some.map(lambda cell: isinstance(cell, str) and LIST.match(cell) is not None)
    if len(some) > 1 and starts.all():
        return "vector"
    return "text" if isinstance(first, str) else "other"


def missing(cells: pd.Series) -> pd.Series:
    """Return which cells are empty, or say that there is no number."""
    empty = [isinstance(cell, str) and cell.strip().lower() in _MISSING for cell in cells]
    return cells.isna() | np.array(empty, dtype=bool)


def parsed(cells: pd.Series) -> pd.Series:
    """Return the numbers in cells, also in text; truth values and other cells become NaN."""
    able = [isinstance(cell, str | Real | Decimal) and not isinstance(cell, bool) for cell in cells]
    cells = cells.where(np.array(able, dtype=bool), np.nan)
    known = pd.to_numeric(cells, errors="coerce").notna()
    return cells.where(known, np.nan).astype(np.float64)


def content_of(column: pd.Series) -> str:
    """Return whether a column has `decimals`, or may be `counts`: some beyond 1, none negative."""
    for some in (column.iloc[:LOOKED_AT], column):
        numbers = some.to_numpy(dtype=np.float64, na_value=np.nan)
        numbers = numbers[np.isfinite(numbers)]
        if (numbers != np.round(numbers)).any():
            return "decimals"
    return "counts" if numbers.max(initial=0) > 1 and numbers.min() >= 0 else ""


def counts_up(labels: Iterable[object]) -> bool:
    """Return whether labels are a text with the numbers from 0 or 1 on."""
    found = [NUMBERED.fullmatch(str(label)) for label in labels]
    numbers = [int(one[2]) for one in found if one]
    first, stems = min(numbers, default=2), {one[1] for one in found if one}
    return len(stems) == 1 and first < 2 and numbers == [*range(first, first + len(found))]


def are_numbered(words: Iterable[object]) -> bool:
    """Return whether words are a text with different numbers, as of rows or dimensions."""
    labels = [*map(str, words)]
    return len(numbered(labels)) == len(labels)


def numbered(labels: Iterable[str]) -> list[str]:
    """Return the labels with a number after the same text, if most labels are like that."""
    stems: dict[str, list[str]] = defaultdict(list)
    for label in labels:
        if match := NUMBERED.fullmatch(label):
            stems[match[1]].append(label)
    most = max(stems.values(), key=len, default=[])
    return most if len(most) > 1 and 2 * len(most) > len([*labels]) else []
