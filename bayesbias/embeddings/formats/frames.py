"""Find the words, the vectors, and the counts among the columns of a DataFrame."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd

from ..._core.display import abridged
from ..._core.warnings import warn
from ...warnings import ColumnsNotRead, LeftOut
from .columns import (
    NUMBERED,
    NUMERIC,
    VECTOR_NAMES,
    WORD_NAMES,
    are_numbered,
    content_of,
    counts_up,
    kind_of,
    missing,
    numbered,
    parsed,
    plain_name,
    rank_of,
)

_PART = r"(.*[ _.-])?{}([ _.-].*)?"
_INVERSE = re.compile(_PART.format("((tf)?idf|inv(erse)?)"))
_RANK = re.compile(_PART.format("ranks?"))
_COUNT = re.compile(
    _PART.format("(word|doc|log|raw)?(counts?|freq(uenc(y|ies))?|occurrences?|zipf)")
)

_TURNED = _PART.format("(neg(ative)?|minus)(log)?")
_GROUPED = r".*[ _.-](band|bin|bucket|categor(y|ie)|classe?|group|level|tier|(dec|[a-z]+t)ile)s?"
_NO_COUNT = re.compile(f"-.*|{_TURNED}|{_GROUPED}")
"""Names of columns that do not rise with frequency, or have the same number for many words."""

_OTHER = re.compile(r"index|idx|ids?|.*_id|norms?|len(gth)?|scores?|years?|.*_tokens|unnamed: \d+")
"""Usual names of columns of numbers that are not dimensions, counts, or ranks."""

SURE = 6
"""Number of the usual names that words have even if there are other texts or an index."""

_USED = "used for frequency ranks"

_NO_DIMENSIONS = (_INVERSE, _RANK, _COUNT, _OTHER)

_DECIMAL = re.compile(r"-?\d*\.\d+(e-?\d+)?(\.\d+)?")


def words_and_rows(frame: pd.DataFrame) -> tuple[list[Any], Any, np.ndarray | None]:
    """Return a table's words, their vectors, and their ranks if it has a column of counts or ranks.

    The words are in the index or a column; the vectors are columns of numbers, or one column of
    lists. A warning names other columns.
    """
    kinds = [kind_of(frame.iloc[:, place]) for place in range(frame.shape[1])]
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
    numbers = [p for p, kind in enumerate(kinds) if kind in NUMERIC and p != place]
    of_lists = [p for p, kind in enumerate(kinds) if kind == "vector" and p != place]
    if of_lists:
        kept = [_only(frame, of_lists, VECTOR_NAMES, "lists")]
        rows: Any = frame.iloc[:, kept[0]].tolist()
    else:
        kept = _dimensions(frame, numbers, place)
        names = frame.columns[kept]
        if not names.is_unique:
            raise ValueError(f"the table has two columns named {names[names.duplicated()][0]!r}")
        _require_numbers(given.iloc[:, kept], frame.iloc[:, kept], words)
        _require_series(given, kept, place, words)
        rows = frame.iloc[:, kept].to_numpy(dtype=np.float32, na_value=np.nan)
    rest = [p for p in range(len(kinds)) if p not in {place, *kept}]
    return words.tolist(), rows, ranks_in(frame.iloc[:, rest])


def _with_numbers(frame: pd.DataFrame, kinds: Sequence[str], words: int | None) -> pd.DataFrame:
    """Return a table whose columns of numbers have no text or objects."""
    frame = frame.copy(deep=False)
    for place, kind in enumerate(kinds):
        if kind in NUMERIC and place != words:
            frame.isetitem(place, _numbers(frame.iloc[:, place]))
    return frame


def _numbers(cells: pd.Series) -> Any:  # noqa: ANN401
    """Return the numbers in a column that may contain text or objects."""
    numeric = pd.api.types.is_numeric_dtype(cells)
    return cells.array if numeric else parsed(cells.astype(object)).array


def _require_numbers(given: pd.DataFrame, read: pd.DataFrame, words: pd.Index) -> None:
    """Refuse dimensions with a cell of text."""
    for place, (name, cells) in enumerate(given.items()):
        if pd.api.types.is_numeric_dtype(cells):
            continue
        odd = np.flatnonzero(read.iloc[:, place].isna() & ~missing(cells.astype(object)))
        if len(odd):
            raise ValueError(
                f"most cells of the column {name!r} are numbers, but that of the word "
                f"{words[odd[0]]!r} is {cells.iloc[odd[0]]!r}; correct it, or leave it empty"
            )


def _require_series(
    frame: pd.DataFrame, kept: Sequence[int], place: int | None, words: pd.Index
) -> None:
    """Refuse a column without numbers whose name is in the series of the dimensions' names.

    Directly before and after the series, texts with letters may be something else.
    """
    found = [NUMBERED.fullmatch(str(name)) for name in frame.columns]
    series = [(one[1], int(one[2])) for p in kept if (one := found[p])]
    if len(series) < len(kept) or len({stem for stem, _ in series}) > 1:
        return
    (stem, first), (_, last) = min(series), max(series)
    for p, one in enumerate(found):
        if p in {place, *kept} or one is None or one[1] != stem:
            continue
        cells, number = frame.iloc[:, p].astype(object), int(one[2])
        odd = np.flatnonzero(parsed(cells).isna() & ~missing(cells))
        cell = cells.iloc[odd[0]] if len(odd) else ""
        letters = isinstance(cell, str) and any(map(str.isalpha, cell))
        if len(odd) and first - 1 + letters <= number <= last + 1 - letters:
            raise ValueError(
                f"the column {one[0]!r} is named as a dimension, but is not read as numbers: its "
                f"cell of the word {words[odd[0]]!r} is {cell!r}. Correct it, or rename it"
            )


def _place_of_words(frame: pd.DataFrame, kinds: Sequence[str]) -> int | None:
    """Return the place of the column of words; None if the index has the words."""
    if frame.index.nlevels > 1:
        raise ValueError(
            f"the table's index has the levels {list(frame.index.names)}; keep the one with words, "
            "as in frame.droplevel(1)"
        )
    texts = [place for place, kind in enumerate(kinds) if kind == "text"]
    ranks = [rank for place in texts if (rank := rank_of(frame.columns[place])) < SURE]
    sure = rank_of(frame.index.name) < min(ranks, default=len(WORD_NAMES))
    indexed = kind_of(pd.Series(frame.index)) in ("text", "mixed")
    if indexed and not sure:
        numbers = are_numbered(frame.index) if texts else _are_dimensions(frame.index, frame, kinds)
        indexed = not numbers
    if indexed and (sure or not ranks):
        return None
    texts = texts or [place for place, kind in enumerate(kinds) if kind == "mixed"]
    place = _only(frame, texts, WORD_NAMES, "text") if texts else None
    if place is None or _are_dimensions(frame.iloc[:, place], frame, kinds):
        raise ValueError(
            "the table has no words in its index or in a column of text, only "
            f"{abridged([str(name) for name in frame.columns], 3)}. Set the words as its index; if "
            "its columns are the words, pass frame.T; if the words are elsewhere, pass (words, "
            "frame.to_numpy())"
        )
    return place


def _only(frame: pd.DataFrame, places: Sequence[int], names: Sequence[str], what: str) -> int:
    """Return the only place, or the place of the column whose name is the surest."""
    best = min(places, key=lambda place: rank_of(frame.columns[place], names))
    if len(places) == 1 or rank_of(frame.columns[best], names) < len(names):
        return best
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
    _refuse_counts(frame, kept)
    return kept


def _refuse_counts(frame: pd.DataFrame, places: Sequence[int]) -> None:
    """Refuse columns that look like counts, if others have decimals."""
    kinds = {place: content_of(frame.iloc[:, place]) for place in places}
    whole = [frame.columns[place] for place, kind in kinds.items() if kind == "counts"]
    if whole and "decimals" in kinds.values():
        raise ValueError(
            f"the table's {'column' if len(whole) == 1 else 'columns'} "
            f"{abridged([*map(repr, whole)], 4)} may be a count, not a dimension: all its numbers "
            f"are whole, and others have decimals. Leave it out with frame.drop(columns="
            f"{whole[:4]!r}), or pass (words, array) to keep it"
        )


def _are_dimensions(
    labels: pd.Index | pd.Series, frame: pd.DataFrame, kinds: Sequence[str]
) -> bool:
    """Return whether the labels of rows number dimensions, so that the columns may be words.

    Other numbers after a text, as in Q42 and Q43, are words.
    """
    if plain_name(labels.name) in WORD_NAMES or "vector" in kinds:
        return False
    return counts_up(labels) and not numbered(map(str, frame.columns))


def place_of_ids(frame: pd.DataFrame) -> int | None:
    """Return the place of a column of words that was read as numbers, or None."""
    kinds = [kind_of(frame.iloc[:, place]) for place in range(frame.shape[1])]
    names = [plain_name(name) for name in frame.columns]
    sure = WORD_NAMES if "text" not in kinds else WORD_NAMES[:SURE]
    place = next((names.index(name) for name in sure if name in names), None)
    if place is None and "text" not in kinds and names[:1] == ["unnamed: 0"]:
        place = None if counts_up(frame.iloc[:, 0]) else 0  # the numbers of rows
    return place if place is not None and kinds[place] == "number" else None


def ranks_in(frame: pd.DataFrame) -> np.ndarray | None:
    """Return the words' frequency ranks from the other columns; a warning names them.

    Ranks are kept as they are, because the words may be some of many. Without the rank of some
    words, none are known.
    """
    ranks, uses = _ranks(frame)
    others = [repr(name) for place, name in enumerate(frame.columns) if place not in uses]
    others = [name for name in others if name not in ("'object'", "'index'")]  # of API responses
    parts = [f"{abridged(others)} (not used)"] if others else []
    parts += [f"{frame.columns[place]!r} ({use})" for place, use in uses.items()]
    if parts:
        warn(ColumnsNotRead(tuple(parts)))
    return ranks


def _ranks(frame: pd.DataFrame) -> tuple[np.ndarray | None, dict[int, str]]:
    """Return the ranks from the first column that has them, and the uses of columns, by place."""
    uses: dict[int, str] = {}
    for kind in (_RANK, _COUNT):
        for place, label in enumerate(frame.columns):
            name, column = str(label).strip().lower(), frame.iloc[:, place]
            known = next((one for one in _NO_DIMENSIONS if one.fullmatch(name)), None)
            if known is not kind or _NO_COUNT.fullmatch(name) or kind_of(column) not in NUMERIC:
                continue
            numbers = pd.Series(_numbers(column)).to_numpy(dtype=np.float64, na_value=np.nan)
            if np.isnan(numbers).any():
                uses[place] = "not used, because some words have none"
            elif kind is _COUNT:
                ranks = pd.Series(numbers).rank(method="first", ascending=False)
                return ranks.to_numpy(np.int64), uses | {place: _USED}
            elif ((numbers >= 1) & (numbers < 2**53) & (numbers % 1 == 0)).all():
                return numbers.astype(np.int64), uses | {place: _USED}
            else:
                uses[place] = "not used, because ranks are whole numbers from 1"
    return None, uses
