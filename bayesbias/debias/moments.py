"""Sums over a whole embedding, made in one walk."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from .._core.arrays import FloatArray
from .sources import Block, Source
from .transform import lengths

VOCABULARY = 50_000
"""Words from the start of an embedding among which biased ones are looked for: files have frequent
words first, and Gonen and Goldberg (2019) use as many."""


@dataclass(frozen=True, eq=False)
class Moments:
    """First and second moments of the unit vectors of an embedding.

    Parameters
    ----------
    count, neutral_count : int
        Words, and words that are not kept; words whose vector is zero are not counted.
    total : (n_dims,) array
        Sum of all unit vectors.
    second, neutral_second : (n_dims, n_dims) array
        Sums of u uᵀ over all words, and over the words that are not kept.
    """

    count: int
    neutral_count: int
    total: FloatArray
    second: FloatArray
    neutral_second: FloatArray


def moments(source: Source, kept: frozenset[str]) -> Moments:
    """Sum over all words of an embedding in one walk."""
    count, neutral_count = 0, 0
    total, second, neutral_second = np.zeros(1), np.zeros((1, 1)), np.zeros((1, 1))
    for words, rows in unit_blocks(source):
        free = rows[[word not in kept for word in words]]
        count += len(rows)
        neutral_count += len(free)
        total = total + rows.sum(axis=0)
        second = second + rows.T @ rows
        neutral_second = neutral_second + free.T @ free
    return Moments(count, neutral_count, total, second, neutral_second)


def unit_blocks(source: Source) -> Iterator[tuple[list[str], FloatArray]]:
    """All words of an embedding with their unit vectors; words of no direction are left out."""
    for block in source.blocks():
        yield unit_block(block)


def unit_block(block: Block) -> tuple[list[str], FloatArray]:
    """Words of a block with their unit vectors; words of no direction are left out."""
    rows = np.asarray(block.rows, dtype=np.float64)
    sizes = lengths(rows, block.words)
    there = np.flatnonzero(sizes > 0).tolist()
    return [block.words[at] for at in there], rows[there] / sizes[there, None]
