"""Clusters of words, and how well they match classes."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .._core.arrays import FloatArray
from .._core.random import Seed

STARTS = 10
"""Random starts of the clustering, of which the tightest result counts."""


def cluster_accuracy(rows: ArrayLike, labels: ArrayLike, *, seed: Seed = None) -> float:
    """Compute the share of rows that k-means, its clusters named in the best way, puts right.

    Parameters
    ----------
    rows : (n, n_dims) array_like
    labels : (n,) array_like
        The class of each row; there are as many clusters as classes.
    seed : int, SeedSequence, Generator or None

    Returns
    -------
    float
        In [1/number of classes, 1] for classes of equal size; somewhat above its lower end even
        where the classes have nothing to do with the rows, since the best naming counts.

    References
    ----------
    Gonen and Goldberg (2019), Lipstick on a Pig, section 4.
    """
    from scipy.optimize import linear_sum_assignment

    matrix = np.asarray(rows, dtype=np.float64)
    _, classes = np.unique(np.asarray(labels), return_inverse=True)
    size = int(classes.max()) + 1
    table = np.zeros((size, size))
    np.add.at(table, (_clusters(matrix, size, seed), classes), 1.0)
    chosen = linear_sum_assignment(table, maximize=True)
    return float(table[chosen].sum() / len(matrix))


def _clusters(rows: FloatArray, size: int, seed: Seed) -> NDArray[np.int64]:
    """Return the cluster of each row by k-means, the tightest of some random starts."""
    from scipy.cluster.vq import ClusterError, kmeans2

    if len(np.unique(rows, axis=0)) < size:
        raise ValueError(
            f"the {len(rows)} rows do not fall into {size} clusters: too many are equal"
        )
    random = np.random.default_rng(seed)
    best, tightest = np.zeros(len(rows), dtype=np.int64), np.inf
    for _ in range(STARTS):
        try:
            centres, found = kmeans2(rows, size, iter=100, minit="++", missing="raise", rng=random)
        except ClusterError:  # a cluster ran empty: this start came to nothing
            continue
        spread = float(np.sum((rows - centres[found]) ** 2))
        if spread < tightest:
            best, tightest = found.astype(np.int64), spread
    if not np.isfinite(tightest):
        raise ValueError(f"the {len(rows)} rows do not fall into {size} clusters")
    return best
