"""Sums over a whole embedding, made in one pass."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from .._core.arrays import FloatArray
from .debiaser import lengths
from .sources import Source

VOCABULARY = 50_000
"""Words from the start of an embedding among which biased ones are looked for: files have frequent
words first, and Gonen and Goldberg (2019) use as many."""


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
