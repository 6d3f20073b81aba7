"""Store the vectors of a table's words, because similar words have similar distances.

A table carries them as text, so that pandas can copy, compare, and write them. The cosines of n
words take n² numbers, and their vectors take n times the number of dimensions; the smaller of the
two is stored, in two bytes a number, so that cosines are within 1e-4 of their values.
"""

from __future__ import annotations

import json
from base64 import b64decode, b64encode
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from .._core.arrays import FloatArray, unit_rows
from .._core.reading import damage_named, is_stored, opened, unpacked_name
from .._core.warnings import warn
from ..warnings import CosinesOfOthers

COSINES = "cosines"
"""Key of the cosines in a table's ``attrs``; those of a CSV file are in a file next to it."""

ONE = 10_000
"""Integer that stands for a cosine of 1, so that cosines have four decimals."""

PRECISION = 1e-4
"""Largest error of a stored cosine."""

LARGEST = 32_767
"""Integer that stands for the largest coordinate of each vector; lengths are not stored."""

UNRELATED = "Delete the file to treat words as unrelated"
"""What to do about cosines that cannot be read."""

LOST = (
    "make the table from vectors with bb.distance_table, put the cosines back with "
    "bb.with_cosines(table, vectors), or keep NAME.cosines.csv next to NAME.csv"
)
"""What to do about a table without cosines."""


@dataclass(frozen=True, eq=False)
class Stored:
    """Words with their (n, n) cosines, or with their (n, n_dims) vectors if n_dims < n."""

    words: tuple[str, ...]
    numbers: NDArray[np.int16]

    @property
    def square(self) -> bool:
        """Whether the numbers are cosines."""
        return bool(self.numbers.shape[1] == len(self.words))

    def cosines(self, words: Sequence[str]) -> FloatArray:
        """Return the cosines among words, or a (0, 0) array if any are missing."""
        place = {word: row for row, word in enumerate(self.words)}
        if not words or not place.keys() >= set(words):
            return np.zeros((0, 0))
        rows = [place[word] for word in words]
        if self.square:
            return np.asarray(self.numbers[np.ix_(rows, rows)] / ONE)
        unit = unit_rows(self.numbers[rows])
        return np.asarray(unit @ unit.T)

    def fit(self, table: pd.DataFrame) -> bool:
        """Return whether a valid table may have the distances of these words.

        All but a tenth of the distances must be 1 - cosine, within the rounding of both, or differ
        from it by the same amount in a word's distances to one set, as effects that are planted in
        a simulated table do. Repeated pairs, such as in contexts, and other words fit anything.
        """
        place = {word: row for row, word in enumerate(self.words)}
        pairs = table[["protected_word", "attribute"]]
        rows = pairs.apply(lambda words: words.map(place)).to_numpy(np.float64)
        if pairs.duplicated().any() or np.isnan(rows).any():
            return True
        distances, cosines = table["cosine_distance"].to_numpy(), np.empty(len(table))
        unit = None if self.square else unit_rows(self.numbers)
        words, others = rows.astype(np.int64).T
        for its in pd.Series(words).groupby(words).indices.values():
            word, to = words[its[0]], others[its]
            cosines[its] = self.numbers[word, to] / ONE if unit is None else unit[to] @ unit[word]
        gap = pd.Series(distances - (1 - cosines))
        by = [pd.Series(words), table["attribute_set"].to_numpy()]
        gap -= gap.groupby(by).transform("median")
        return bool(gap.abs().quantile(0.9) <= 2 * (PRECISION + _rounding(distances)))


def attach_vectors(table: pd.DataFrame, words: Iterable[str], vectors: FloatArray) -> None:
    """Attach the directions of (n_words, n_dims) vectors to a table."""
    unit = unit_rows(vectors)
    if len(unit) <= unit.shape[1]:
        attach_cosines(table, words, unit @ unit.T)
    else:
        largest = np.abs(unit).max(axis=1, keepdims=True)
        _attach(table, Stored(tuple(map(str, words)), _whole(unit / largest * LARGEST)))


def attach_cosines(table: pd.DataFrame, words: Iterable[str], cosines: FloatArray) -> None:
    """Attach (n_words, n_words) cosines to a table."""
    _attach(table, Stored(tuple(map(str, words)), _whole(cosines * ONE)))


def table_cosines(table: pd.DataFrame, words: Sequence[str]) -> FloatArray:
    """Return the (n_words, n_words) cosines among words, or a (0, 0) array if any are missing."""
    return stored_in(table).cosines(words)


def joined_tables(tables: Sequence[pd.DataFrame]) -> pd.DataFrame:
    """Concatenate tables, with the mean of their cosines, which `pandas.concat` loses.

    Two words that never share a table have a mean of 0.
    """
    whole = pd.concat([*tables], ignore_index=True)
    texts = {text for table in tables if (text := table.attrs.get(COSINES))}
    if len(texts) == 1:
        whole.attrs[COSINES] = texts.pop()
    elif texts:
        words, means = _mean_cosines([stored_in(table) for table in tables])
        attach_cosines(whole, words, means)
    return whole


def _mean_cosines(stored: Sequence[Stored]) -> tuple[list[str], FloatArray]:
    words = list(dict.fromkeys(word for one in stored for word in one.words))
    place = {word: row for row, word in enumerate(words)}
    total, count = np.zeros((2, len(words), len(words)))
    for one in stored:
        block = np.ix_(*[[place[word] for word in one.words]] * 2)
        total[block] += one.cosines(one.words)
        count[block] += 1
    return words, total / np.maximum(count, 1)


def write_cosines(table: pd.DataFrame, path: Path) -> None:
    """Write a table's cosines or vectors (if any) to a file next to its CSV file."""
    stored = stored_in(table)
    if stored.words:
        axes = [f"v{i + 1}" for i in range(stored.numbers.shape[1])]
        columns = stored.words if stored.square else axes
        values = stored.numbers / ONE if stored.square else stored.numbers
        frame = pd.DataFrame(values, stored.words, columns)
        frame.to_csv(cosines_path(path), index_label="word")


def read_cosines(table: pd.DataFrame, path: Path) -> None:
    """Attach the cosines or vectors that are stored next to a CSV file, if there are any.

    They are left out, with a warning, if they are not those of the table's words.
    """
    place = cosines_path(path)
    if not is_stored(place):
        return
    with (
        damage_named(place, f"does not contain cosines. {UNRELATED}", errors=(ValueError,)),
        opened(place) as (_, stream, _),
    ):
        frame = pd.read_csv(stream, keep_default_na=False, encoding="utf-8", converters={0: str})
    words, columns = [*frame.iloc[:, 0]], [*frame.columns[1:]]
    numbers = frame.iloc[:, 1:].apply(pd.to_numeric, errors="coerce").to_numpy(dtype=float)
    square, known = columns == words, len(set(words)) == len(words) and np.isfinite(numbers).all()
    axes = bool(columns) and columns == [f"v{i + 1}" for i in range(len(columns))]
    square = square and bool(np.abs(numbers).max(initial=0.0) <= 1.001)  # rounded
    if not words or not (known and (square or (axes and numbers.any(axis=1).all()))):
        raise ValueError(
            f"{place} must be a square matrix of cosines between the table's words, with "
            "these words as header and first column, or vectors of these words, in columns named "
            f"v1, v2, and so on. {UNRELATED}"
        )
    if square:
        attach_cosines(table, words, numbers)
    else:
        attach_vectors(table, words, numbers)
    if not stored_in(table).fit(table):
        del table.attrs[COSINES]
        warn(CosinesOfOthers(str(place)))


def cosines_path(path: Path) -> Path:
    """Return the path of a CSV file's cosines, ``NAME.cosines.csv``, also if it is packed."""
    return path.with_name(f"{unpacked_name(path).name.removesuffix('.csv')}.cosines.csv")


def stored_in(table: pd.DataFrame) -> Stored:
    """Return what a table's ``attrs`` contain; without cosines, there are no words."""
    return _parsed(table.attrs.get(COSINES, ""))


def _rounding(distances: FloatArray) -> float:
    """Return the largest rounding error of distances, given how many decimals they have."""
    for decimals in range(5):
        if np.allclose(distances, distances.round(decimals), rtol=0, atol=1e-9):
            return float(0.5 * 10.0**-decimals)
    return 0.0


def _attach(table: pd.DataFrame, stored: Stored) -> None:
    numbers = b64encode(stored.numbers.astype("<i2").tobytes()).decode()
    table.attrs[COSINES] = json.dumps({"words": stored.words, "numbers": numbers})


def _whole(numbers: FloatArray) -> NDArray[np.int16]:
    return np.rint(numbers).clip(-LARGEST, LARGEST).astype(np.int16)


@lru_cache(maxsize=8)
def _parsed(text: str) -> Stored:
    if not text:
        return Stored((), np.zeros((0, 0), dtype=np.int16))
    try:
        content = json.loads(text)
        words = tuple(map(str, content["words"]))
        numbers = np.frombuffer(b64decode(content["numbers"]), dtype="<i2")
        return Stored(words, numbers.reshape(len(words), -1))
    except (ValueError, KeyError, TypeError) as error:
        raise ValueError(f"the table's cosines are damaged ({error!r}); {LOST}") from None
