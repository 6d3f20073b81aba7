"""Shares of pairs whose stereotypical sentence is preferred: observed, and for new clusters."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd
from numpy.random import SeedSequence, default_rng

from .._core.arrays import FloatArray, IntArray
from .._core.checks import check_numbers
from .._core.intervals import DEFAULT_CI_PROB, LEAST_RESAMPLES, check_probability
from .._core.random import Seed, as_seed_sequence
from ..model.design import Design, one_hot
from ..tables.schema import codes_and_names
from .datasets import ALL_TYPES, check_paired
from .preferences import TOKENS

if TYPE_CHECKING:
    from scipy.sparse import csr_array

EQUAL = "_equal_length"
"""Suffix in the names of shares that assume sentences with equal numbers of tokens."""

LEAST_REST = 0.5
"""Smallest divisor of a cluster's variance. The variance is therefore at most doubled."""

SHARE_DIMS: dict[str, tuple[str, ...]] = {
    "share": ("bias_type", "language_model"),
    "overall_share": ("language_model",),
    "population_share": ("language_model",),
}
SHARE_DIMS |= {name + EQUAL: dims for name, dims in SHARE_DIMS.items()}
SHARE_DIMS |= dict.fromkeys(("type_sd", "cluster_sd", "sigma"), ("language_model",))
SHARE_DIMS |= {"slope": ("covariate", "language_model")}
"""Variables of the posterior, and their dimensions after chain and draw."""


def observed_shares(
    paired: pd.DataFrame,
    ci_prob: float = DEFAULT_CI_PROB,
    *,
    n_resamples: int = 2000,
    seed: Seed = None,
) -> pd.DataFrame:
    """Compute the share of pairs whose stereotypical sentence is preferred, with an interval.

    Whole clusters of pairs are resampled with replacement (Field and Welsh, 2007, Journal of the
    Royal Statistical Society B 69). All models and measures use the same resamples. The interval is
    too narrow for types with few clusters; instead use `fit_pairs`, which learns from all types.

    Parameters
    ----------
    paired : DataFrame
        From `paired_scores` or `read_scores`.
    ci_prob : float
        Probability of the equal-tailed percentile interval, in (0, 1).
    n_resamples : int
        Number of resamples, 25 or more.
    seed : int, SeedSequence, Generator, or None

    Returns
    -------
    DataFrame
        The columns are ``model``, ``measure``, ``bias_type`` (``all`` for all pairs), ``n_pairs``,
        ``n_ties``, ``n_clusters``; ``largest_cluster``, with the most pairs; ``largest_share``, its
        share of pairs; ``share`` (ties count as half), ``low``, and ``high``.
    """
    paired = check_paired(paired, ("model", "measure", "bias_type", "cluster"))
    check_probability(ci_prob)
    check_numbers(least=LEAST_RESAMPLES, n_resamples=n_resamples)
    names = np.unique(paired["cluster"])
    sequence = as_seed_sequence(seed)
    rng = default_rng(sequence)
    weights = rng.multinomial(len(names), np.full(len(names), 1 / len(names)), n_resamples)
    rows = []
    for (model, measure), part in paired.groupby(["model", "measure"], sort=False):
        for bias_type, pairs in [(ALL_TYPES, part), *part.groupby("bias_type", sort=True)]:
            cluster = np.searchsorted(names, pairs["cluster"])
            preferred = 0.5 + 0.5 * np.sign(pairs["difference"].to_numpy(dtype=float))
            n = np.bincount(cluster, minlength=len(names))
            total = np.bincount(cluster, preferred, minlength=len(names))
            drawn = weights @ n
            resampled = (weights @ total)[drawn > 0] / drawn[drawn > 0]
            interval = np.quantile(resampled, [(1 - ci_prob) / 2, (1 + ci_prob) / 2])
            counts = (len(pairs), int((preferred == 0.5).sum()), int((n > 0).sum()))
            largest = (names[n.argmax()], n.max() / n.sum())
            rows.append((model, measure, bias_type, *counts, *largest, preferred.mean(), *interval))
    columns = ["model", "measure", "bias_type", "n_pairs", "n_ties", "n_clusters"]
    columns += ["largest_cluster", "largest_share", "share", "low", "high"]
    frame = pd.DataFrame(rows, columns=columns)
    frame.attrs = {"ci_prob": float(ci_prob), "seed": sequence.entropy}
    return frame


def shares(
    effects: Mapping[str, FloatArray], axes: FloatArray, design: Design, seed: SeedSequence
) -> dict[str, FloatArray]:
    """Draw the shares of pairs whose stereotypical sentence is preferred.

    A share is the mean of the model's expected preferences for the pairs in the data, plus (except
    in ``population_share``) the contribution of similar new clusters. This contribution consists of
    a new Normal effect per cluster, with the same sd, and of the variation of covariates between
    clusters. Intervals therefore allow for other word contrasts with the same weights.

    ``effects`` has draws of shape (n_draws, ..., n_axes). The columns of ``axes`` are directions in
    which the models' preferences are uncorrelated. ``SHARE_DIMS`` lists all dimensions.
    """
    types = one_hot(design.word, len(design.words))
    # There is one row per bias type; the last row is for all pairs.
    of_pairs = np.vstack([types, np.ones(len(design.y))])
    of_pairs /= of_pairs.sum(axis=1, keepdims=True)
    clusters = one_hot(design.attribute, len(design.attributes))
    of_types, weights, x = of_pairs @ types.T, of_pairs @ clusters.T, of_pairs @ design.x
    drawn = of_types @ effects["type"] + weights @ effects["cluster"] + x @ effects["slope"]
    drawn = drawn + _of_new_clusters(effects, weights, x, design, seed)
    everywhere = effects["mean"] + x[-1] @ effects["slope"]
    quantities = {"": (drawn, everywhere)}
    of_tokens = np.array([name.startswith(TOKENS) for name in design.covariates], dtype=bool)
    if of_tokens.any():
        longer = (x * of_tokens) @ effects["slope"]
        quantities[EQUAL] = (drawn - longer, everywhere - longer[:, -1])
    values: dict[str, FloatArray] = {}
    for ending, (of_data, population) in quantities.items():
        of_models = np.clip(of_data @ axes.T, 0.0, 1.0)
        values[f"share{ending}"] = of_models[:, :-1]
        values[f"overall_share{ending}"] = of_models[:, -1]
        values[f"population_share{ending}"] = np.clip(population @ axes.T, 0.0, 1.0)
    for name in ("type_sd", "cluster_sd", "sigma"):
        values[name] = np.sqrt(effects[name] ** 2 @ (axes**2).T)
    return values | {"slope": effects["slope"] @ axes.T}


def _of_new_clusters(
    effects: Mapping[str, FloatArray],
    weights: FloatArray,
    x: FloatArray,
    design: Design,
    seed: SeedSequence,
) -> FloatArray:
    """Draw the contributions of new clusters, (n_draws, n_types + 1, n_axes).

    The effect of a cluster is a sum over its words, so contrasts that share words are correlated. A
    cluster's variance is divided by 1 - h, where h is the share of a type's pairs that are
    correlated with the cluster. Large clusters pull the type's mean toward themselves, so the
    spread would be too small otherwise (CV2: Bell and McCaffrey, 2002, Survey Methodology 28).
    """
    size = np.bincount(design.attribute)
    words = word_shares(design.attributes, size)
    going_along = (weights[:-1] @ (words @ words.T)).max(axis=0)
    weights = weights / np.sqrt(np.maximum(1 - going_along, LEAST_REST))
    rng, shape = default_rng(seed), (len(effects["mean"]), words.shape[1])
    new = [
        sd[:, None] * (rng.standard_normal(shape) @ (weights @ words).T)
        for sd in effects["cluster_sd"].T
    ]
    total = np.stack(new, axis=-1)
    noise = rng.standard_normal(shape)
    for column, slopes in enumerate(np.moveaxis(effects["slope"], 1, 0)):
        of_clusters = np.bincount(design.attribute, design.x[:, column]) / size
        spread = weights * (of_clusters - x[:, column, None])
        total += (noise @ (spread @ words).T)[:, :, None] * slopes[:, None]
    return total


def word_shares(clusters: Sequence[str], size: IntArray) -> csr_array:
    """Return the weights of each cluster's words as (n_clusters, n_words) rows of unit length.

    A word's weight is proportional to its number of pairs. If *white* is in many pairs, *black /
    white* and *poor / white* are similar. A cluster without a word contrast counts as one word.
    """
    from scipy.sparse import csr_array

    words = [set(name.split()) for name in clusters]
    parts = [
        sorted(of - {"/"}) if {"/"} < of else [name]
        for name, of in zip(clusters, words, strict=True)
    ]
    word, _ = codes_and_names(pd.Series([name for names in parts for name in names]))
    cluster = np.repeat(np.arange(len(parts)), [len(names) for names in parts])
    pairs = np.bincount(word, size[cluster])[word]
    length = np.sqrt(np.bincount(cluster, pairs**2))
    return csr_array((pairs / length[cluster], (cluster, word)))
