"""Where a method reads words from: vectors in memory, or a file walked in blocks."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

import numpy as np
from numpy.typing import NDArray

from ..embeddings.formats import read_entries
from ..embeddings.formats.headers import Vector

if TYPE_CHECKING:
    from gensim.models import KeyedVectors

BLOCK = 8192
"""Words in a block: 20 MB of float64 at 300 dimensions."""

ODD = "surrogateescape"
"""How bytes that are no UTF-8 become text and, unchanged, bytes again."""


@dataclass(frozen=True, eq=False)
class Block:
    """Some words that follow each other, and their vectors, (n, n_dims)."""

    words: list[str]
    rows: NDArray[np.floating]


class Source(Protocol):
    """What a method may ask of an embedding."""

    def some(self, words: Iterable[str]) -> dict[str, Vector]:
        """Vectors of those of the words that are there."""

    def blocks(self, size: int = BLOCK) -> Iterator[Block]:
        """All words in their order."""


@dataclass(frozen=True, eq=False)
class MemorySource:
    """KeyedVectors as a source."""

    vectors: KeyedVectors

    @property
    def count(self) -> int:
        """Words there are."""
        return len(self.vectors.index_to_key)

    def some(self, words: Iterable[str]) -> dict[str, Vector]:
        """Vectors of those of the words that are there."""
        found = (word for word in words if word in self.vectors.key_to_index)
        return {word: self.vectors[word] for word in found}

    def blocks(self, size: int = BLOCK) -> Iterator[Block]:
        """All words in their order."""
        words = self.vectors.index_to_key
        for start in range(0, len(words), size):
            chosen = slice(start, start + size)
            yield Block(words[chosen], self.vectors.vectors[chosen])


class _Counted:
    """Words wanted of a file; counts all, since the walk asks of each whether it is wanted."""

    def __init__(self, words: Iterable[str]) -> None:
        self.words = frozenset(word.encode(errors=ODD) for word in words)
        self.count = 0

    def __contains__(self, word: object) -> bool:
        self.count += 1
        return word in self.words


@dataclass(eq=False)
class FileSource:
    """An embedding file as a source; every question is one walk through it.

    Parameters
    ----------
    path : Path
        Of a format that `read_entries` knows.
    progressbar : bool
    count : int
        Words in the file; known after the first call of `some`.
    """

    path: Path
    progressbar: bool = False
    count: int = 0

    def some(self, words: Iterable[str]) -> dict[str, Vector]:
        """Vectors of those of the words that are there; of a word twice there, the first."""
        wanted = _Counted(words)
        found: dict[str, Vector] = {}
        for name, vector in read_entries(self.path, wanted, progressbar=self.progressbar):
            found.setdefault(name.decode(errors=ODD), vector)
        self.count = wanted.count
        return found

    def blocks(self, size: int = BLOCK) -> Iterator[Block]:
        """All words in their order."""
        words: list[str] = []
        rows: list[Vector] = []
        for name, vector in read_entries(self.path, progressbar=self.progressbar):
            words.append(name.decode(errors=ODD))
            rows.append(vector)
            if len(rows) == size:
                yield Block(words, np.stack(rows))
                words, rows = [], []
        if rows:
            yield Block(words, np.stack(rows))
