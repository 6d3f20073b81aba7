"""Counting splits of a word set one by one: the exact part of the permutation test.

Every function takes centred scores and counts the subsets of a fixed size whose sum reaches a
threshold, exactly for subset sums as float64 adds them.
"""

from __future__ import annotations

from functools import lru_cache
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from .._core.arrays import FloatArray

MATRIX_SPLITS = 20_000
"""Up to this many splits a matrix of all of them is made once and serves every data set; beyond
it the two halves are met in the middle, one data set at a time."""

ENUMERABLE = 44
"""Most words that enumeration takes on: 2 x 2^22 half-sums, about a second and 150 MB."""

CHUNK = 1 << 23
"""Subset sums held at once (64 MB)."""


@lru_cache(maxsize=8)
def split_matrix(size: int, chosen: int) -> FloatArray:
    """All subsets as rows of ones and zeros, (C(size, chosen), size)."""
    picks = np.array(list(combinations(range(size), chosen)), dtype=np.intp)
    matrix = np.zeros((len(picks), size))
    np.put_along_axis(matrix, picks, 1.0, axis=1)
    matrix.flags.writeable = False
    return matrix


def count_in_matrix(
    centred: FloatArray, chosen: int, threshold: FloatArray
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Count splits whose sum is at least the threshold, and at most minus the threshold.

    ``centred`` is (n_datasets, n_words), ``threshold`` and both counts are (n_datasets,).
    """
    splits = split_matrix(centred.shape[1], chosen)
    mirrored = 2 * chosen == centred.shape[1]  # a split and its complement have opposite sums
    if mirrored:
        splits = splits[: len(splits) // 2]
    above, below = np.empty((2, len(centred)), dtype=np.int64)
    step = max(1, CHUNK // len(splits))
    for start in range(0, len(centred), step):
        part = slice(start, start + step)
        sums = centred[part] @ splits.T
        above[part] = np.count_nonzero(sums >= threshold[part, None], axis=1)
        below[part] = np.count_nonzero(sums <= -threshold[part, None], axis=1)
    return (above + below, above + below) if mirrored else (above, below)


def count_by_halves(centred: FloatArray, chosen: int, threshold: float) -> int:
    """Count splits of one data set whose sum reaches the threshold, by meeting in the middle.

    The 2^(N/2) subset sums of each half of the words are listed by size; for each of the first
    half the partners that reach the threshold are found by bisection.
    """
    middle = len(centred) // 2
    first, second = _sums_by_size(centred[:middle]), _sums_by_size(centred[middle:])
    count = 0
    for size, sums in enumerate(first):
        rest = chosen - size
        if 0 <= rest < len(second):
            partners = np.sort(second[rest])
            reached = np.searchsorted(partners, threshold - np.sort(sums), side="left")
            count += len(partners) * len(sums) - int(reached.sum())
    return count


def sampled_sums(
    centred: FloatArray, chosen: int, count: int, random: np.random.Generator
) -> FloatArray:
    """Sums of random subsets, the same subsets for every data set, (count, n_datasets)."""
    size = centred.shape[1]
    order = random.permuted(np.tile(np.arange(size), (count, 1)), axis=1)[:, :chosen]
    splits = np.zeros((count, size))
    np.put_along_axis(splits, order, 1.0, axis=1)
    return splits @ centred.T


def _sums_by_size(values: FloatArray) -> list[FloatArray]:
    """Sums of all subsets, listed by the size of the subset, 0 to len(values)."""
    sums = [np.zeros(1)]
    for value in values:
        longer = [np.empty(0), *(part + value for part in sums)]
        shorter = [*sums, np.empty(0)]
        sums = [np.concatenate(both) for both in zip(shorter, longer, strict=True)]
    return sums
