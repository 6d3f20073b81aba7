"""Weights of clusters of pairs: what other contrasts of words would have told."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd
from numpy.random import Generator

from .._core.arrays import FloatArray
from ..model.design import IntArray
from ..tables.schema import codes_and_names
from .datasets import contrast_words

if TYPE_CHECKING:
    from scipy.sparse import csr_array

LEAST_SHAPE = 0.25
"""Of the weights of a cluster with half of a type's pairs, or more."""


@dataclass(frozen=True)
class ClusterWeights:
    """Gamma weights of clusters, of mean one, which go together where contrasts share words.

    ``shape`` (n_clusters,) is (1 - h)², h the share of a type's pairs that go with a cluster: its
    own, and others' by as much as they share words. A weight of shape 1 is the Bayesian bootstrap's
    (Rubin, 1981, Annals of Statistics 9). It takes the spread of large clusters for smaller than it
    is, since their type's mean follows them; variances divided by (1 - h)² do not (the estimator
    CV3: MacKinnon, Nielsen and Webb, 2023, Journal of Econometrics 232).

    ``words`` (n_clusters, n_words), rows of length one, is how much of a cluster each word is. A
    word counts by the pairs that have it: *black / white* and *poor / white* have much in common.
    Clusters that are no contrasts of words are words of their own.
    """

    shape: FloatArray
    words: csr_array

    def draw(self, rng: Generator, n: int = 1) -> FloatArray:
        """Draw weights, (n, n_clusters), by a Gaussian copula.

        What a language model finds in *white* it finds in *black / white* and in *poor / white*, so
        that they are less than two contrasts.
        """
        from scipy.special import gammaincinv, ndtr

        normal = rng.standard_normal((n, self.words.shape[1])) @ self.words.T
        return np.asarray(gammaincinv(self.shape, ndtr(normal)) / self.shape)


def cluster_weights(bias_type: IntArray, cluster: IntArray, names: Sequence[str]) -> ClusterWeights:
    """Prepare weights from the bias type and the cluster of every row, and names of clusters."""
    from scipy.sparse import csr_array

    n = np.zeros((bias_type.max() + 1, len(names)))
    np.add.at(n, (bias_type, cluster), 1.0)
    said = [contrast_words(name) for name in names]
    word, _ = codes_and_names(pd.Series([each for words in said for each in words]))
    of = np.repeat(np.arange(len(said)), [len(words) for words in said])
    size = np.bincount(word, n.sum(axis=0)[of])[word]
    length = np.sqrt(np.bincount(of, size**2))
    words = csr_array((size / length[of], (of, word)))
    share = (n / n.sum(axis=1, keepdims=True) @ (words @ words.T)).max(axis=0)
    return ClusterWeights(np.maximum((1 - share) ** 2, LEAST_SHAPE), words)
