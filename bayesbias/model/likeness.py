r"""How alike the units of a factor are: words with similar vectors lean alike.

Leans of the words of a group, or of the attributes of a set, have the covariance
`τ² ((1 - s) I + s K)`. K holds the cosines within a block above the mean cosine between
blocks, and s is the term's share ``alike``. The mean of a block and the deviations from it are
treated as independent, with the variances that K gives each: the likeness of words
cannot explain a contrast between blocks, and the exact sampler is no slower.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from .._core.arrays import FloatArray, IntArray


@dataclass(frozen=True)
class Directions:
    """A block of n units in orthonormal directions that K leaves alone: mean and deviations."""

    mean: float
    # variance of the sum over sqrt(n) under K, in units of the variance of one unit: 1 where all
    # units are unrelated, n where they are the same
    deviations: FloatArray  # (n - 1,): variances along the other directions, from 0 on
    basis: FloatArray  # (n, n - 1): these directions, as columns that sum to zero


def likeness(cosines: FloatArray, block: IntArray) -> FloatArray:
    """Return K, (n, n): cosines within blocks above the mean cosine between them.

    K is 1 on the diagonal and 0 between blocks, the groups of words or sets of attributes. It is
    0 on average for random words, so values below 0 stay.
    """
    if not cosines.size:
        return np.zeros((0, 0))
    within = block[:, None] == block
    base = cosines[~within].mean() if not within.all() else 0.0
    matrix = np.where(within, (cosines - base) / (1 - base), 0.0)
    np.fill_diagonal(matrix, 1.0)
    return np.asarray(matrix)


def directions(block: FloatArray) -> Directions:
    """Split one block of K, (n, n), into its mean and the deviations from it."""
    from scipy.linalg import helmert

    contrasts = helmert(len(block)).T
    variances, axes = np.linalg.eigh(contrasts.T @ block @ contrasts)
    mean = max(1.0, block.sum() / len(block))  # no block counts as more than n units
    return Directions(mean, np.clip(variances, 0.0, None), contrasts @ axes)


def blocks_of(matrix: FloatArray, block: IntArray) -> list[tuple[IntArray, Directions]]:
    """Return the members of every block of K, and their directions."""
    members = [np.flatnonzero(block == index) for index in range(block.max() + 1)]
    return [(own, directions(matrix[np.ix_(own, own)])) for own in members]


def covariance(matrix: FloatArray, block: IntArray, share: float) -> FloatArray:
    """Covariance of units of sd 1 that follow a likeness by a share, (n, n)."""
    total = np.zeros(matrix.shape)
    for members, split in blocks_of(matrix, block):
        mean, deviations = (1 - share + share * x for x in (split.mean, split.deviations))
        turned = (split.basis * deviations) @ split.basis.T
        total[np.ix_(members, members)] = mean / len(members) + turned
    return total


def effective_number(matrix: FloatArray, block: IntArray) -> FloatArray:
    """Return how many unrelated units a block is worth, (n_blocks,): n over `Directions.mean`."""
    return np.array([len(members) / split.mean for members, split in blocks_of(matrix, block)])
