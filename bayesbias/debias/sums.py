"""Passes over an embedding: the vectors of some words, and sums over the unit vectors of all."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .._core.arrays import FloatArray
from .._core.display import abridged
from ..embeddings.source import Embedding, Vector

VectorsByWord = Mapping[str, NDArray[np.floating]]

CHUNK = 8192
"""Words in a chunk: 20 MB of float64 at 300 dimensions."""

VANISHED = 1e-6
"""A row that keeps a smaller share of its length has no direction but that of rounding:
float32 rounds coordinates at 6e-8."""

VOCABULARY = 50_000
"""Words from the start of an embedding that are searched for biased ones: files have frequent
words first, and Gonen and Goldberg (2019) use as many."""


def vectors_by_word(embedding: Embedding, words: Iterable[str]) -> dict[str, Vector]:
    """Return the vectors of those of the words that are there; of a word twice there the first."""
    loaded = embedding.loaded
    if loaded is not None:
        return {word: loaded[word] for word in words if word in loaded.key_to_index}
    found: dict[str, Vector] = {}
    for chunk in embedding.chunks(wanted=set(words)):
        for word, vector in zip(chunk.words, chunk.vectors, strict=True):
            found.setdefault(word, vector)
    return found


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


def moments(embedding: Embedding, kept: frozenset[str]) -> Moments:
    """Compute the moments of an embedding in one pass."""
    total: list[Any] = [0, 0, 0.0, 0.0, 0.0]
    for words, rows in unit_chunks(embedding):
        free = rows[[word not in kept for word in words]]
        parts = len(rows), len(free), rows.sum(axis=0), rows.T @ rows, free.T @ free
        total = [before + part for before, part in zip(total, parts, strict=True)]
    return Moments(*total)


def unit_chunks(embedding: Embedding) -> Iterator[tuple[list[str], FloatArray]]:
    """Yield all words with their unit vectors; words of no direction are left out."""
    for chunk in embedding.chunks(CHUNK):
        rows = np.asarray(chunk.vectors, dtype=np.float64)
        sizes = lengths(rows, chunk.words)
        there = np.flatnonzero(sizes > 0).tolist()
        yield [chunk.words[row] for row in there], rows[there] / sizes[there, None]


def lengths(rows: FloatArray, words: Sequence[str]) -> FloatArray:
    """Compute Euclidean lengths of finite rows, each summed by itself; (n, n_dims) to (n,)."""
    squares = np.einsum("nd,nd->n", rows, rows)
    bad = [words[row] for row in np.flatnonzero(~np.isfinite(squares)).tolist()]
    if bad:
        raise ValueError(f"the vectors of {abridged(bad)} are not finite; leave them out")
    return np.asarray(np.sqrt(squares))


def without(rows: FloatArray, directions: FloatArray) -> FloatArray:
    """Subtract from rows their projections on the span of orthonormal directions.

    Sums run in an order that does not depend on the number of rows, as those of BLAS may, so that
    chunks of any size give the same bits.
    """
    parts = np.einsum("nd,kd->nk", rows, directions)
    return np.asarray(rows - np.einsum("nk,kd->nd", parts, directions))
