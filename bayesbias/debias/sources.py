"""Where a method reads words from, in memory or in a file, and sums over all words in one pass."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from .._core.arrays import FloatArray
from .._core.display import abridged
from ..embeddings.registry import Embedding
from ..embeddings.source import Vector

if TYPE_CHECKING:
    from gensim.models import KeyedVectors

VectorsByWord = Mapping[str, NDArray[np.floating]]

CHUNK = 8192
"""Words in a chunk: 20 MB of float64 at 300 dimensions."""

VOCABULARY = 50_000
"""Words from the start of an embedding among which biased ones are looked for: files have frequent
words first, and Gonen and Goldberg (2019) use as many."""

Chunk = tuple[list[str], NDArray[np.floating]]
"""Some words that follow each other, and their vectors, (n, n_dims)."""


@dataclass(frozen=True, eq=False)
class MemorySource:
    """KeyedVectors as a source."""

    vectors: KeyedVectors

    def some(self, words: Iterable[str]) -> dict[str, Vector]:
        """Vectors of those of the words that are there."""
        found = (word for word in words if word in self.vectors.key_to_index)
        return {word: self.vectors[word] for word in found}

    def chunks(self, size: int = CHUNK) -> Iterator[Chunk]:
        """All words in their order."""
        words = self.vectors.index_to_key
        for start in range(0, len(words), size):
            chosen = slice(start, start + size)
            yield words[chosen], self.vectors.vectors[chosen]


@dataclass(frozen=True, eq=False)
class FileSource:
    """An embedding file or folder as a source; every question is one pass over it."""

    embedding: Embedding

    def some(self, words: Iterable[str]) -> dict[str, Vector]:
        """Vectors of those of the words that are there; of a word twice there, the first."""
        found: dict[str, Vector] = {}
        for chunk in self.embedding.chunks(wanted=set(words)):
            for word, vector in zip(chunk.words, chunk.vectors, strict=True):
                found.setdefault(word, vector)
        return found

    def chunks(self, size: int = CHUNK) -> Iterator[Chunk]:
        """All words in their order."""
        for chunk in self.embedding.chunks(size):
            yield chunk.words, chunk.vectors


type Source = FileSource | MemorySource


@dataclass(frozen=True, eq=False)
class Moments:
    """Sums over the unit vectors u of an embedding: u, (n_dims,), and u uᵀ, (n_dims, n_dims).

    Those called neutral are of the words that are not kept; words whose vector is zero are not
    counted.
    """

    count: int
    neutral_count: int
    total: FloatArray
    second: FloatArray
    neutral_second: FloatArray


def moments(source: Source, kept: frozenset[str]) -> Moments:
    """Compute the moments of an embedding in one pass."""
    count, neutral_count = 0, 0
    total, second, neutral_second = np.zeros(1), np.zeros((1, 1)), np.zeros((1, 1))
    for words, rows in unit_chunks(source):
        free = rows[[word not in kept for word in words]]
        count += len(rows)
        neutral_count += len(free)
        total = total + rows.sum(axis=0)
        second = second + rows.T @ rows
        neutral_second = neutral_second + free.T @ free
    return Moments(count, neutral_count, total, second, neutral_second)


def unit_chunks(source: Source) -> Iterator[tuple[list[str], FloatArray]]:
    """Yield all words with their unit vectors; words of no direction are left out."""
    for words, vectors in source.chunks():
        rows = np.asarray(vectors, dtype=np.float64)
        sizes = lengths(rows, words)
        there = np.flatnonzero(sizes > 0).tolist()
        yield [words[at] for at in there], rows[there] / sizes[there, None]


def lengths(rows: FloatArray, words: Sequence[str]) -> FloatArray:
    """Compute Euclidean lengths of finite rows, each summed by itself; (n, n_dims) to (n,)."""
    squares = np.einsum("nd,nd->n", rows, rows)
    bad = np.flatnonzero(~np.isfinite(squares)).tolist()
    if bad:
        raise ValueError(
            f"the vectors of {abridged([words[at] for at in bad])} are not finite; leave them out"
        )
    return np.asarray(np.sqrt(squares))
