"""All words of an embedding in little memory: their bytes in one buffer, and a hash of each."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

ODD = "backslashreplace"
"""How bytes that are no UTF-8 become text, as in `load_vectors`."""

Hashes = NDArray[np.uint64]
Rows = NDArray[np.int64]
Marks = NDArray[np.bool_]

ROOM = 8
"""Slots of a hash table for every word in it, so that a search ends soon."""


def hashes_of(names: bytes | bytearray) -> Hashes:
    """Compute the hashes of words that end in a newline each."""
    from .formats.kernels import hash_names

    out = np.empty(names.count(b"\n"), dtype=np.uint64)
    hash_names(np.frombuffer(names, dtype=np.uint8), out)
    return out


def rows_in(hashes: Hashes, table: Hashes, *, keep: bool = False) -> list[int]:
    """Rows of the hashes that stand in a table, in order; the others are kept in it if asked."""
    from .formats.kernels import find_hashes

    rows = np.empty(len(hashes), dtype=np.int64)
    found: list[int] = rows[: find_hashes(hashes, table, rows, keep)].tolist()
    return found


def table_of(wanted: Iterable[bytes]) -> Hashes:
    """Make the table of the hashes of words that `rows_in` looks into."""
    names = [name + b"\n" for name in wanted if b"\n" not in name]
    table = np.zeros(1 << (ROOM * len(names)).bit_length(), dtype=np.uint64)
    rows_in(hashes_of(b"".join(names)), table, keep=True)
    return table


@dataclass(frozen=True, eq=False)
class Vocabulary:
    r"""The words of an embedding, in the order of its file.

    Some twenty bytes a word, where a list of strings takes seventy.

    Parameters
    ----------
    names : bytes or bytearray
        The words in UTF-8, as the file spells them, each with ``\n`` behind it.
    """

    names: bytes | bytearray

    @classmethod
    def of(cls, words: Iterable[str]) -> Vocabulary:
        """Return the vocabulary of words that are text."""
        listed = list(words)
        names = "".join(f"{word}\n" for word in listed).encode(errors=ODD)
        if names.count(b"\n") != len(listed):
            odd = next(word for word in listed if "\n" in word)
            raise ValueError(f"the word {odd!r} holds a line break; take it out of the embedding")
        return cls(names)

    @cached_property
    def hashes(self) -> Hashes:
        """A hash of each word, (n_words,) uint64."""
        return hashes_of(self.names)

    def __len__(self) -> int:
        return len(self.hashes)

    def __getitem__(self, row: int) -> str:
        if not 0 <= row < len(self):
            raise IndexError(f"row {row} of a vocabulary of {len(self)} words")
        return self.name(row).decode(errors=ODD)

    def __iter__(self) -> Iterator[str]:
        return (name.decode(errors=ODD) for name in bytes(self.names).split(b"\n")[:-1])

    def name(self, row: int) -> bytes:
        """Return one word as the file spells it."""
        start = int(self._ends[row - 1]) + 1 if row else 0
        return self._letters[start : int(self._ends[row])].tobytes()

    def rows(self, words: Iterable[str]) -> dict[str, int]:
        """Return the row of each word that is there; of a word that stands twice the first."""
        wanted = {word.encode(errors=ODD): word for word in words}
        found: dict[str, int] = {}
        for row, name in Lookup(wanted).find(self):
            found.setdefault(wanted[name], row)
        return found

    def duplicates(self) -> Rows:
        """Return the rows, in order, of words that have stood in the file before."""
        in_order = np.sort(self.hashes)
        again = in_order[1:][in_order[1:] == in_order[:-1]]
        seen: set[bytes] = set()
        twice = []
        for row in np.flatnonzero(np.isin(self.hashes, again)).tolist() if len(again) else ():
            name = self.name(row)
            if name in seen:
                twice.append(row)
            seen.add(name)
        return np.array(twice, dtype=np.int64)

    def subset(self, kept: Marks) -> Vocabulary:
        """Return the words that are marked, (n_words,) bool, in the same order."""
        lengths = np.diff(self._ends, prepend=-1)
        letters = self._letters[np.repeat(kept, lengths)]
        return Vocabulary(letters.tobytes())

    @cached_property
    def _letters(self) -> NDArray[np.uint8]:
        return np.frombuffer(self.names, dtype=np.uint8)

    @cached_property
    def _ends(self) -> Rows:
        return np.flatnonzero(self._letters == ord("\n"))


class Lookup:
    """Words, in bytes, that are looked for in one vocabulary after another."""

    def __init__(self, names: Iterable[bytes]) -> None:
        self.names = frozenset(names)
        self.table = table_of(self.names)

    def find(self, vocabulary: Vocabulary) -> Iterator[tuple[int, bytes]]:
        """Yield row and word wherever one of the words stands, in the order of the rows."""
        for row in rows_in(vocabulary.hashes, self.table):
            name = vocabulary.name(row)
            if name in self.names:
                yield row, name
