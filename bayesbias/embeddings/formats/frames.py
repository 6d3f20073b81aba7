"""Find the words, the vectors, and the counts among the columns of a DataFrame."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Sequence
from decimal import Decimal
from numbers import Real
from typing import Any

import numpy as np
import pandas as pd

from ..._core.display import abridged
from ..._core.warnings import warn
from ...warnings import ColumnsNotRead, LeftOut

WORD_NAMES = (
    *("word", "token", "term", "text", "input", "key", "phrase", "sentence", "document"),
    *("content", "name", "label", "custom_id", "id", "vocab", "vocabulary", "index_to_key", "itos"),
)
"""Usual names of columns and keys of words, without a plural s, starting with the surest."""

VECTOR_NAMES = (
    *("embedding", "vector", "emb", "vec", "value", "feature", "weight", "values", "array"),
)
"""Usual names of columns and keys of vectors."""

_COUNT = re.compile(
    r"(.*[ _.-])?(word|doc|log|raw)?(counts?|freq(uenc(y|ies))?|occurrences?|zipf)([ _.-].*)?"
)
_RANK = re.compile(r"(.*[ _.-])?ranks?")

_OTHER = re.compile(r"index|idx|ids?|.*_id|norms?|len(gth)?|scores?|years?|.*_tokens|unnamed: \d+")
"""Usual names of columns of numbers that are not dimensions, counts, or ranks."""

_NO_DIMENSIONS = (_COUNT, _RANK, _OTHER)

_NUMBERED = re.compile(r"(.*?)(\d+)")

_DECIMAL = re.compile(r"-?\d*\.\d+(e-?\d+)?(\.\d+)?")

_NO_NUMBERS = (
    pd.api.types.is_bool_dtype,
    pd.api.types.is_datetime64_any_dtype,
    pd.api.types.is_complex_dtype,
)

_NUMBERS = {"floating", "integer", "mixed-integer-float", "decimal"}

_MISSING = {"", "na", "n/a", "nan", "-nan", "null", "none", "<na>"}
"""How programs write, in any case, that there is no number."""

LOOKED_AT = 1_000
"""Number of rows that show whether a column has only whole numbers, or mostly numbers."""


def plain_name(name: object) -> str:
    """Return a column's name in lower case, without spaces around it and a plural s."""
    text = str(name).strip().lower()
    return text if text in VECTOR_NAMES else text.removesuffix("s")


def words_and_rows(frame: pd.DataFrame) -> tuple[list[Any], Any, np.ndarray | None]:
    """Return a table's words, their vectors, and their ranks if there is a column of counts.

    The words are in the index or a column; the vectors are columns of numbers, or one column of
    lists. A warning names other columns.
    """
    kinds = [_kind(frame.iloc[:, place]) for place in range(frame.shape[1])]
    place = _place_of_words(frame, kinds)
    words = frame.index if place is None else pd.Index(frame.iloc[:, place])
    known = np.asarray(words.notna(), dtype=bool)
    if not known.all():
        lost = int((~known).sum())
        why = (
            "they have no word; pandas reads words such as 'null' and 'nan' as missing unless you "
            "pass keep_default_na=False"
        )
        warn(LeftOut(lost, len(known), "row", why))
        frame, words = frame[known], words[known]
    given, frame = frame, _with_numbers(frame, kinds, place)
    numbers = [p for p, kind in enumerate(kinds) if kind in ("number", "mixed") and p != place]
    of_lists = [p for p, kind in enumerate(kinds) if kind == "vector" and p != place]
    if of_lists:
        kept = [_only(frame, of_lists, VECTOR_NAMES, "lists")]
        rows: Any = frame.iloc[:, kept[0]].tolist()
    else:
        kept = _dimensions(frame, numbers, place)
        names = frame.columns[kept]
        if not names.is_unique:
            raise ValueError(f"the table has two columns named {names[names.duplicated()][0]!r}")
        _require_numbers(given.iloc[:, kept], words)
        rows = frame.iloc[:, kept].to_numpy(dtype=np.float32, na_value=np.nan)
    rest = [p for p in range(len(kinds)) if p not in {place, *kept}]
    ranks, used = _ranks(frame, [p for p in rest if p in numbers])
    _warn_of_columns(frame, rest, used)
    return words.tolist(), rows, ranks


def _kind(column: pd.Series) -> str:
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
    if isinstance(first, list | tuple | np.ndarray):
        return "vector"
    filled = some.iloc[:: 1 + len(some) // LOOKED_AT]  # words may be in order
    filled = filled[~_missing(filled)]
    if (
        plain_name(column.name) not in WORD_NAMES
        and _parsed(filled).notna().sum() > len(filled) / 2
    ):
        return "mixed"
    starts = some.map(lambda cell: isinstance(cell, str) and cell.lstrip()[:1] == "[")
    if len(some) > 1 and starts.all():
        return "vector"
    return "text" if isinstance(first, str) else "other"


def _missing(cells: pd.Series) -> pd.Series:
    """Return which cells are empty, or say that there is no number."""
    empty = [isinstance(cell, str) and cell.strip().lower() in _MISSING for cell in cells]
    return cells.isna() | np.array(empty, dtype=bool)


def _parsed(cells: pd.Series) -> pd.Series:
    """Return the numbers in cells, also in text; truth values and other cells become NaN."""
    able = [isinstance(cell, str | Real | Decimal) and not isinstance(cell, bool) for cell in cells]
    cells = cells.where(np.array(able, dtype=bool), np.nan)
    known = pd.to_numeric(cells, errors="coerce").notna()
    return cells.where(known, np.nan).astype(np.float64)


def _with_numbers(frame: pd.DataFrame, kinds: Sequence[str], words: int | None) -> pd.DataFrame:
    """Return a table whose columns of numbers have no text or objects."""
    read = {
        place: _parsed(frame.iloc[:, place].astype(object))
        for place, kind in enumerate(kinds)
        if kind in ("number", "mixed")
        and place != words
        and not pd.api.types.is_numeric_dtype(frame.dtypes.iloc[place])
    }
    if not read:
        return frame
    columns = {place: read.get(place, frame.iloc[:, place]) for place in range(len(kinds))}
    return pd.DataFrame(columns).set_axis(frame.columns, axis=1)


def _require_numbers(frame: pd.DataFrame, words: pd.Index) -> None:
    """Refuse dimensions with a cell that is neither a number nor empty."""
    for name, column in frame.items():
        if pd.api.types.is_numeric_dtype(column):
            continue
        cells = column.astype(object)
        odd = np.flatnonzero(_parsed(cells).isna() & ~_missing(cells))
        if len(odd):
            raise ValueError(
                f"most cells of the column {name!r} are numbers, but that of the word "
                f"{words[odd[0]]!r} is {cells.iloc[odd[0]]!r}; correct it, or leave it empty"
            )


def _place_of_words(frame: pd.DataFrame, kinds: Sequence[str]) -> int | None:
    """Return the place of the column of words; None if the index has the words."""
    if frame.index.nlevels > 1:
        raise ValueError(
            f"the table's index has the levels {list(frame.index.names)}; keep the one with words, "
            "as in frame.droplevel(1)"
        )
    texts = [place for place, kind in enumerate(kinds) if kind == "text"]
    named = [place for place in texts if plain_name(frame.columns[place]) in WORD_NAMES[:6]]
    indexed = _kind(pd.Series(frame.index)) in ("text", "mixed")
    names = [*map(str, frame.columns)]
    if indexed and (texts or not numbered(names)):
        indexed = not are_numbered(frame.index)
    if indexed and (not named or plain_name(frame.index.name) in WORD_NAMES):
        return None
    texts = texts or [place for place, kind in enumerate(kinds) if kind == "mixed"]
    place = _only(frame, texts, WORD_NAMES, "text") if texts else None
    if place is None or (not numbered(names) and are_numbered(frame.iloc[:, place])):
        raise ValueError(
            "the table has no words in its index or in a column of text, only "
            f"{abridged([str(name) for name in frame.columns], 3)}. Set the words as its index; if "
            "its columns are the words, pass frame.T; if the words are elsewhere, pass (words, "
            "frame.to_numpy())"
        )
    return place


def _only(frame: pd.DataFrame, places: Sequence[int], names: Sequence[str], what: str) -> int:
    """Return the only place, or the place of the column whose name is the surest."""
    found = {plain_name(frame.columns[place]): place for place in reversed(places)}
    for name in names:
        if name in found:
            return found[name]
    if len(places) == 1:
        return places[0]
    several = abridged([repr(name) for name in frame.columns[[*places]].tolist()], 4)
    way = "frame.set_index(NAME)" if what == "text" else "frame[[WORDS, NAME]]"
    raise ValueError(f"the table has several columns of {what} ({several}); choose one with {way}")


def _dimensions(frame: pd.DataFrame, places: list[int], words: int | None) -> list[int]:
    """Return the columns of numbers that are dimensions; refuse tables that were misread."""
    names = frame.columns.tolist()
    labels = [str(names[place]) for place in places]
    if labels and 2 * sum(_DECIMAL.fullmatch(label) is not None for label in labels) > len(labels):
        raise ValueError(
            f"the table's header has numbers ({abridged(labels, 3)}), so it is probably the first "
            "word and its vector; read the file with header=None"
        )
    alike = {*numbered(labels)}
    kept = [p for p, label in zip(places, labels, strict=True) if label in alike]
    if not kept:
        plain = [label.strip().lower() for label in labels]
        known = [any(one.fullmatch(label) for one in _NO_DIMENSIONS) for label in plain]
        kept = [p for p, other in zip(places, known, strict=True) if not other]
    others = [str(name) for p, name in enumerate(names) if p not in {words, *places}]
    if not kept or len(others) > len(kept):
        raise ValueError(
            f"the table has too few columns of numbers, but also {abridged(others, 3) or 'words'}. "
            "If its numbers are text, convert them (for decimal commas, pass decimal=',' to "
            "pd.read_csv)"
        )
    whole = [names[place] for place in kept if _has_whole_numbers(frame.iloc[:, place])]
    if whole and len(whole) < len(kept):
        raise ValueError(
            f"the table's {'column' if len(whole) == 1 else 'columns'} "
            f"{abridged([*map(repr, whole)], 4)} may be a count, not a dimension: only there, all "
            f"numbers are whole. Leave it out with frame.drop(columns={whole[:4]!r}), or pass "
            "(words, array) to keep it"
        )
    return kept


def are_numbered(words: Iterable[object]) -> bool:
    """Return whether words are a text with different numbers, as of rows or dimensions."""
    labels = [*map(str, words)]
    return len(numbered(labels)) == len(labels)


def numbered(labels: Iterable[str]) -> list[str]:
    """Return the labels with a number after the same text, if most labels are like that."""
    stems: dict[str, list[str]] = defaultdict(list)
    for label in labels:
        if match := _NUMBERED.fullmatch(label):
            stems[match[1]].append(label)
    most = max(stems.values(), key=len, default=[])
    return most if len(most) > 1 and 2 * len(most) > len([*labels]) else []


def _has_whole_numbers(column: pd.Series) -> bool:
    """Return whether a column has only whole numbers, and some beyond ±1."""
    for some in (column.iloc[:LOOKED_AT], column):
        numbers = some.to_numpy(dtype=np.float64, na_value=np.nan)
        numbers = numbers[np.isfinite(numbers)]
        if not numbers.size or (numbers != np.round(numbers)).any():
            return False
    return bool((np.abs(numbers) > 1).any())


def _ranks(frame: pd.DataFrame, places: Sequence[int]) -> tuple[np.ndarray | None, list[int]]:
    """Return the words' frequency ranks from a column of counts or ranks, and its place."""
    for pattern, ascending in ((_COUNT, False), (_RANK, True)):
        for place in places:
            if pattern.fullmatch(str(frame.columns[place]).strip().lower()):
                column = frame.iloc[:, place]
                ranks = column.rank(method="first", ascending=ascending, na_option="bottom")
                return ranks.to_numpy(dtype=np.int64), [place]
    return None, []


def _warn_of_columns(frame: pd.DataFrame, places: Sequence[int], used: Sequence[int]) -> None:
    """Name the columns that are not dimensions."""
    others = [repr(frame.columns[place]) for place in places if place not in used]
    others = [name for name in others if name not in ("'object'", "'index'")]  # of API responses
    parts = [f"{abridged(others)} (not used)"] if others else []
    parts += [f"{frame.columns[place]!r} (used for frequency ranks)" for place in used]
    if parts:
        warn(ColumnsNotRead(tuple(parts)))
