"""Shares of pairs whose stereotypical sentence is preferred, and what other clusters would show."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd
from numpy.random import SeedSequence, default_rng

from .._core.arrays import FloatArray
from ..model.design import IntArray
from ..tables.schema import codes_and_names
from .datasets import contrast_words
from .preferences import TOKENS, Preferences

if TYPE_CHECKING:
    from scipy.sparse import csr_array

EQUAL = "_equal_length"
"""Ending of the names of shares in which the sentences of a pair have as many tokens."""

LEAST_REST = 0.5
"""The variance of a cluster with half of a type's pairs, or more, is doubled."""

SHARE_DIMS: dict[str, tuple[str, ...]] = {
    "share": ("bias_type", "language_model"),
    "overall_share": ("language_model",),
    "population_share": ("language_model",),
}
SHARE_DIMS |= {name + EQUAL: dims for name, dims in SHARE_DIMS.items()}
SHARE_DIMS |= dict.fromkeys(("type_sd", "cluster_sd", "sigma"), ("language_model",))
SHARE_DIMS |= {"slope": ("covariate", "language_model")}
"""Variables of the posterior, and their dimensions besides chain and draw."""


def shares(
    effects: Mapping[str, FloatArray], axes: FloatArray, data: Preferences, seed: SeedSequence
) -> dict[str, FloatArray]:
    """Draw the shares of pairs whose stereotypical sentence is preferred.

    A share is the average of what the model expects of the pairs of the data, and of what clusters
    like theirs would add to it: as many new effects, Normal with the same sd, and the spread of the
    covariates between clusters. So an interval covers other contrasts of words, and a contrast that
    many pairs have counts as often as it does in the data.

    Parameters
    ----------
    effects : mapping of str to (n_draws, ..., n_axes) float
        Draws of ``mean``, ``type`` (n_types; means of types), ``cluster`` (n_clusters), ``slope``
        (n_covariates), ``type_sd``, ``cluster_sd`` and ``sigma``, along each axis.
    axes : (n_models, n_axes) float
        Directions along which the language models' preferences are uncorrelated.
    data : Preferences
    seed : SeedSequence

    Returns
    -------
    dict of str to (n_draws, ...) float
        In the dimensions of ``SHARE_DIMS``, shares in [0, 1].
    """
    n_types = len(data.bias_types)
    size = np.bincount(data.bias_type, minlength=n_types)
    # A row a bias type, and the last of all pairs.
    weights = np.zeros((n_types + 1, len(data.clusters)))
    np.add.at(weights, (data.bias_type, data.cluster), 1.0)
    weights[-1] = weights.sum(axis=0)
    weights /= weights.sum(axis=1, keepdims=True)
    of_type = np.vstack([np.eye(n_types), size / size.sum()])
    x = np.vstack([_means(data.x, data.bias_type), data.x.mean(axis=0)])
    drawn = of_type @ effects["type"] + weights @ effects["cluster"] + x @ effects["slope"]
    drawn = drawn + _of_new_clusters(effects, weights, x, data, seed)
    everywhere = effects["mean"] + x[-1] @ effects["slope"]
    found = _of_models(drawn, everywhere, axes, "")
    of_tokens = np.array([name.startswith(TOKENS) for name in data.covariates], dtype=bool)
    if of_tokens.any():
        longer = (x * of_tokens) @ effects["slope"]
        found |= _of_models(drawn - longer, everywhere - longer[:, -1], axes, EQUAL)
    for name in ("type_sd", "cluster_sd", "sigma"):
        found[name] = np.sqrt(effects[name] ** 2 @ (axes**2).T)
    return found | {"slope": effects["slope"] @ axes.T}


def _means(x: FloatArray, index: IntArray) -> FloatArray:
    """Average covariates by an index."""
    total = np.zeros((index.max() + 1, x.shape[1]))
    np.add.at(total, index, x)
    return np.asarray(total / np.bincount(index)[:, None])


def _of_models(
    drawn: FloatArray, everywhere: FloatArray, axes: FloatArray, ending: str
) -> dict[str, FloatArray]:
    """Return the shares of language models, from values along axes."""
    of_types, population = drawn @ axes.T, everywhere @ axes.T
    named = {"share": of_types[:, :-1], "overall_share": of_types[:, -1]}
    named["population_share"] = population
    return {name + ending: np.clip(values, 0.0, 1.0) for name, values in named.items()}


def _of_new_clusters(
    effects: Mapping[str, FloatArray],
    weights: FloatArray,
    x: FloatArray,
    data: Preferences,
    seed: SeedSequence,
) -> FloatArray:
    """Draw what new clusters add, (n_draws, n_types + 1, n_axes).

    Effects of a cluster are sums over its words, so that contrasts that share words go together.
    The variance of a cluster is divided by 1 - h, h the share of a type's pairs that go with it:
    its own, and others' by as much as they share words. A type's mean follows large clusters, which
    takes their spread for smaller than it is (the estimator CV2: Bell and McCaffrey, 2002, Survey
    Methodology 28).
    """
    words = word_shares(data.clusters, np.bincount(data.cluster))
    going_along = (weights[:-1] @ (words @ words.T)).max(axis=0)
    weights = weights / np.sqrt(np.maximum(1 - going_along, LEAST_REST))
    rng, shape = default_rng(seed), (len(effects["mean"]), words.shape[1])
    new = [
        sd[:, None] * (rng.standard_normal(shape) @ (weights @ words).T)
        for sd in effects["cluster_sd"].T
    ]
    total = np.stack(new, axis=-1)
    noise = rng.standard_normal(shape)
    of_clusters = _means(data.x, data.cluster)
    for at in range(x.shape[1]):
        spread = weights * (of_clusters[:, at] - x[:, at, None])
        total += (noise @ (spread @ words).T)[:, :, None] * effects["slope"][:, at, None]
    return total


def word_shares(clusters: Sequence[str], size: IntArray) -> csr_array:
    """How much of a cluster each word is, (n_clusters, n_words), rows of length one.

    A word counts by the pairs that have it: *black / white* and *poor / white* have much in common.
    Clusters that are no contrasts of words are words of their own.
    """
    from scipy.sparse import csr_array

    words = [contrast_words(name) for name in clusters]
    word, _ = codes_and_names(pd.Series([name for names in words for name in names]))
    cluster = np.repeat(np.arange(len(words)), [len(names) for names in words])
    pairs = np.bincount(word, size[cluster])[word]
    length = np.sqrt(np.bincount(cluster, pairs**2))
    return csr_array((pairs / length[cluster], (cluster, word)))
