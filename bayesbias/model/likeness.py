r"""Model the likeness of words and of attributes: similar vectors have similar effects.

The effects of words within a group, or of attributes within a set, have the covariance
`τ² ((1 - s) I + s K)`. K contains the cosines within a block, relative to the mean cosine between
blocks, and s is the term's share ``alike``. For stereotype sets, only the cosines between these
sets count, so controls do not change what two sets share. The mean of a block is treated as
independent of the deviations from that mean; their variances follow from K. As a result, likeness
cannot explain a contrast between blocks, and the exact sampler needs no larger matrices.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from .._core.arrays import FloatArray, IntArray

MOST_KEPT = 500
"""Largest block whose directions are kept in memory for other fits; they take 16 n² bytes."""


@dataclass(frozen=True)
class Directions:
    """Variances that K implies for the mean of n units, and for deviations from that mean."""

    mean: float  # variance of the sum / sqrt(n): 1 if the units are unrelated, n if identical
    deviations: FloatArray  # (n - 1,): variances along the other directions, at least 0
    basis: FloatArray  # (n, n - 1): these directions, as columns that sum to zero


def likeness(cosines: FloatArray, block: IntArray, n_sets: int | None = None) -> FloatArray:
    """Return the matrix K of cosines within blocks, relative to the mean cosine between blocks.

    Blocks are groups of words or sets of attributes. The (n, n) matrix is 1 on the diagonal and 0
    between blocks. For random words, the other values average 0, so negative values are kept. The
    base of the first ``n_sets`` blocks is the mean cosine between these blocks; the base of other
    blocks, which are controls, is the mean between all.
    """
    if not cosines.size:
        return np.zeros((0, 0))
    within = block[:, None] == block
    matrix = np.where(within, _above_base(cosines, within), 0.0)
    if n_sets is not None and n_sets > 1:
        own = np.ix_(*[np.flatnonzero(block < n_sets)] * 2)
        matrix[own] = np.where(within[own], _above_base(cosines[own], within[own]), 0.0)
    np.fill_diagonal(matrix, 1.0)
    return matrix


def _above_base(cosines: FloatArray, within: NDArray[np.bool_]) -> FloatArray:
    """Return the cosines relative to their mean between blocks, or to 0 for a single block."""
    base = cosines[~within].mean() if not within.all() else 0.0
    return np.asarray((cosines - base) / (1 - base))


def directions(content: bytes, n: int) -> Directions:
    """Return the `Directions` of one (n, n) block of K, which is passed as bytes for caching."""
    from scipy.linalg import helmert

    block, contrasts = np.frombuffer(content).reshape(n, n), helmert(n).T
    variances, axes = np.linalg.eigh(contrasts.T @ block @ contrasts)
    return Directions(_of_mean(block), np.clip(variances, 0.0, None), contrasts @ axes)


def _of_mean(block: FloatArray) -> float:
    """Return a block's `Directions.mean`; a block never counts as more than n units."""
    return max(1.0, float(block.sum()) / max(1, len(block)))


_kept = lru_cache(maxsize=64)(directions)  # reference lists have most blocks in common


def blocks_of(matrix: FloatArray, block: IntArray) -> list[tuple[IntArray, Directions]]:
    """Return the members of every block of K, and their directions."""
    members = [np.flatnonzero(block == index) for index in range(block.max() + 1)]
    found = (directions if len(own) > MOST_KEPT else _kept for own in members)
    return [
        (own, of(matrix[np.ix_(own, own)].astype(np.float64).tobytes(), len(own)))
        for own, of in zip(members, found, strict=True)
    ]


def covariance(matrix: FloatArray, block: IntArray, share: float) -> FloatArray:
    """Return the (n, n) covariance of units with sd 1; a ``share`` of it comes from likeness."""
    total = np.zeros(matrix.shape)
    for members, split in blocks_of(matrix, block):
        mean, deviations = (1 - share + share * x for x in (split.mean, split.deviations))
        turned = (split.basis * deviations) @ split.basis.T
        total[np.ix_(members, members)] = mean / len(members) + turned
    return total


def effective_number(matrix: FloatArray, block: IntArray) -> FloatArray:
    """Return the number of unrelated units that would be as informative as each block."""
    members = [np.flatnonzero(block == index) for index in range(block.max() + 1)]
    return np.array([effective_size(matrix[np.ix_(own, own)]) for own in members])


def effective_size(block: FloatArray) -> float:
    """Return the effective number of the units in an (n, n) block of K, or 0 without units."""
    return len(block) / _of_mean(block)
