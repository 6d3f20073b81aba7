"""Draws of how much stereotypical sentences are preferred, level by level."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING
from zlib import crc32

import numpy as np
from numpy.random import Generator, default_rng

from .._core.arrays import FloatArray
from ..model.likelihood import locations, residual_sds
from ..model.terms import COVARIATE
from ..model.tree import index_of, labels, n_draws, spec_of, stacked
from .cluster_weights import cluster_weights
from .sign_design import EQUAL, TOKENS

if TYPE_CHECKING:
    from xarray import DataTree

NULLS = {
    "mean_difference": 0.0,
    "mean_equal_length": 0.0,
    "standardised": 0.0,
    "p_stereotypical": 0.5,
    "p_equal_length": 0.5,
}
"""What is told of every level, with its value where neither sentence is preferred."""

SCALES = "model_scales"
"""Attribute of a posterior: relative size of each language model's differences, as JSON."""

NODES = 31
"""Nodes of the Gauss-Hermite quadrature over effects of pairs, under Student-t residuals."""


@dataclass(frozen=True)
class PairLevel:
    """Draws, (n_draws, n_models), of the quantities in ``NULLS`` of one set of bias types."""

    level: str
    bias_type: str
    draws: Mapping[str, FloatArray]


@dataclass(frozen=True)
class _Residuals:
    """Spread of single pairs about the mean of their bias type and covariates.

    ``sigma`` is (n_draws, n_models), ``pair_sd`` that or (n_draws, 1), of pairs and their clusters
    and zero where these have no effects of their own, and ``nu`` (n_draws, 1).
    """

    sigma: FloatArray
    pair_sd: FloatArray
    nu: FloatArray | None

    def scale(self, between: FloatArray | float = 0.0) -> FloatArray:
        """Scale of a single difference; its sd where residuals are Normal."""
        return np.asarray(np.sqrt(self.sigma**2 + self.pair_sd**2 + between**2))

    def share_above(self, mean: FloatArray, between: FloatArray | float = 0.0) -> FloatArray:
        """Probability that a difference is above zero, given its mean, (n_draws, n_models)."""
        from scipy.special import ndtr, stdtr

        if self.nu is None:
            return np.asarray(ndtr(mean / self.scale(between)))
        node, weight = np.polynomial.hermite_e.hermegauss(NODES)
        spread = np.sqrt(self.pair_sd**2 + between**2) + np.zeros_like(mean)
        total = np.zeros_like(mean)
        for z, share in zip(node, weight / weight.sum(), strict=True):
            total += share * stdtr(self.nu, (mean + z * spread) / self.sigma)
        return total


def levels(tree: DataTree) -> Iterator[PairLevel]:
    """Return the draws overall, for the population of bias types, and of every type.

    Of a model of differences they are averages over the pairs of the data and over clusters like
    theirs: in every draw clusters, with their effects, get new weights, as in ``pairs-signs``.
    """
    if of_signs(tree):
        yield from _shares(tree)
        return
    names, weights = labels(tree, "protected_word"), _weights(tree)
    types = [_of_type(tree, at, weights) for at in range(len(names))]
    yield PairLevel("overall", "", _told(tree, _summed(types)))
    yield PairLevel("population", "", _told(tree, _summed(_of_new_types(tree))))
    for name, sums in zip(names, types, strict=True):
        yield PairLevel("bias_type", name, _told(tree, sums))


Sums = Mapping[str, FloatArray]
"""Sums over pairs, (n_draws, n_models): of their ``weight``, and times it of their mean
difference, of the variance of single pairs, and of the probability to be above zero."""


def _weights(tree: DataTree) -> FloatArray:
    """Draw weights of clusters, (n_draws, n_clusters), whose mean is 1; a posterior has its own."""
    rows = index_of(tree, "word_index"), index_of(tree, "attribute_index")
    weights = cluster_weights(*rows, labels(tree, "attribute"))
    return weights.draw(default_rng(crc32(str(tree.attrs["seed"]).encode())), n_draws(tree))


def _of_type(tree: DataTree, at: int, weights: FloatArray) -> Sums:
    """Sum over the pairs of a bias type."""
    word, model = index_of(tree, "word_index"), index_of(tree, "connection_index")
    variance, parts = _residuals(tree, at).scale() ** 2, []
    for column in range(len(labels(tree, "connection"))):
        rows = np.flatnonzero((word == at) & (model == column))
        weight = weights[:, index_of(tree, "attribute_index")[rows]]
        expected, sd = locations(tree, rows), residual_sds(tree, rows)
        sums = {"weight": weight.sum(axis=1)}
        sums["variance"] = sums["weight"] * variance[:, min(column, variance.shape[1] - 1)]
        for ending, mean in _versions(tree, rows, expected):
            sums[f"mean{ending}"] = (weight * mean).sum(axis=1)
            sums[f"share{ending}"] = (weight * _above(tree, mean / sd)).sum(axis=1)
        parts.append(sums)
    return {name: np.stack([each[name] for each in parts], axis=1) for name in parts[0]}


def _versions(
    tree: DataTree, rows: np.ndarray, expected: FloatArray
) -> Iterator[tuple[str, FloatArray]]:
    """Yield expected differences as they are, and with as many tokens in both sentences."""
    yield "", expected
    if "slope" in tree["posterior"] and TOKENS in (names := labels(tree, COVARIATE)):
        at = names.index(TOKENS)
        x = np.asarray(tree["constant_data"]["covariates"])[rows, at]
        slope = stacked(tree, "slope")[:, at, index_of(tree, "connection_index")[rows]]
        yield EQUAL, expected - slope * x


def _above(tree: DataTree, standard: FloatArray) -> FloatArray:
    """Probability that a difference is above zero, given its mean over its scale."""
    from scipy.special import ndtr, stdtr

    nu = stacked(tree, "nu")[:, None] if "nu" in tree["posterior"] else None
    return np.asarray(ndtr(standard) if nu is None else stdtr(nu, standard))


def _of_new_types(tree: DataTree) -> Iterator[Sums]:
    """Sum over pairs of the data as they would be if of a new type, and of new clusters.

    Residuals are those of a type of the data, in turn.
    """
    centre, between = stacked(tree, "connection_mean"), stacked(tree, "connection_sd")
    if "context_sd" in tree["posterior"]:  # shared and own parts together
        between = np.hypot(between, stacked(tree, "context_sd")[:, None])
    word, model = index_of(tree, "word_index"), index_of(tree, "connection_index")
    slope, x = _covariates(tree)
    values, of_row = np.unique(x, axis=0, return_inverse=True)
    n_models = len(labels(tree, "connection"))
    for at in range(len(labels(tree, "protected_word"))):
        residuals, rows = _residuals(tree, at), word == at
        for value, place in enumerate(values):
            here = rows & (of_row.ravel() == value)
            weight = np.bincount(model[here], minlength=n_models) * np.ones_like(centre)
            if not here.any():
                continue
            sums = {"weight": weight, "variance": weight * residuals.scale(between) ** 2}
            for ending, row in _values(tree, place):
                mean = centre + np.einsum("nkm,k->nm", slope, row)
                sums[f"mean{ending}"] = weight * mean
                sums[f"share{ending}"] = weight * residuals.share_above(mean, between)
            yield sums


def _values(tree: DataTree, x: FloatArray) -> Iterator[tuple[str, FloatArray]]:
    """Yield values of covariates as they are, and with as many tokens in both sentences."""
    yield "", x
    if len(x) and TOKENS in (names := labels(tree, COVARIATE)):
        yield EQUAL, np.where(np.array(names) == TOKENS, 0.0, x)


def _covariates(tree: DataTree) -> tuple[FloatArray, FloatArray]:
    """Slopes, (n_draws, n_covariates, n_models), and covariates, (n_rows, n_covariates)."""
    if "slope" not in tree["posterior"]:
        return np.zeros((n_draws(tree), 0, 1)), np.zeros((len(index_of(tree, "word_index")), 0))
    return stacked(tree, "slope"), np.asarray(tree["constant_data"]["covariates"])


def _summed(parts: Iterable[Sums]) -> Sums:
    """Add sums up."""
    found: dict[str, FloatArray] = {}
    for part in parts:
        found = {name: found[name] + each if found else each for name, each in part.items()}
    return found


def _told(tree: DataTree, sums: Sums) -> dict[str, FloatArray]:
    """Return quantities by name, means in the unit of each model's scores."""
    size = np.array([scales_of(tree)[name] for name in labels(tree, "connection")])
    drawn = {name: each / sums["weight"] for name, each in sums.items()}
    found = {
        "mean_difference": drawn["mean"] * size,
        "standardised": drawn["mean"] / np.sqrt(drawn["variance"]),
        "p_stereotypical": drawn["share"],
    }
    if f"share{EQUAL}" in drawn:
        found["mean_equal_length"] = drawn[f"mean{EQUAL}"] * size
        found["p_equal_length"] = drawn[f"share{EQUAL}"]
    return found


def of_signs(tree: DataTree) -> bool:
    """Return whether a posterior is one of preferences, and not of differences of scores."""
    return "overall_share" in tree["posterior"]


def models_of(tree: DataTree) -> list[str]:
    """Names of the language models of a posterior."""
    return labels(tree, "language_model" if of_signs(tree) else "connection")


def _shares(tree: DataTree) -> Iterator[PairLevel]:
    quantities = {"p_stereotypical": ""}
    if f"share{EQUAL}" in tree["posterior"]:
        quantities["p_equal_length"] = EQUAL

    def drawn(name: str) -> dict[str, FloatArray]:
        return {key: stacked(tree, name + ending) for key, ending in quantities.items()}

    for name in ("overall", "population"):
        yield PairLevel(name, "", drawn(f"{name}_share"))
    shares = drawn("share")
    for index, name in enumerate(labels(tree, "bias_type")):
        yield PairLevel("bias_type", name, {key: share[:, index] for key, share in shares.items()})


def type_means(tree: DataTree) -> FloatArray:
    """Mean difference of every bias type under every model, (n_draws, n_types, n_models)."""
    means = stacked(tree, "word_mean")
    if "context_effect" in tree["posterior"]:
        means = means + stacked(tree, "context_effect")[:, :, None]
    return np.asarray(means)


def predict_new_pairs(tree: DataTree, rng: Generator, draws: np.ndarray) -> FloatArray:
    """Draw differences of new pairs of the rows' bias types and models, (n_draws, n_rows).

    They have the rows' covariates. Rows of one pair or cluster share its new effect, as rows of the
    data do.
    """
    word, model = index_of(tree, "word_index"), index_of(tree, "connection_index")
    made = type_means(tree)[draws][:, word, model]
    if "slope" in tree["posterior"]:
        x = np.asarray(tree["constant_data"]["covariates"])
        made = made + np.einsum("nkr,rk->nr", stacked(tree, "slope")[draws][:, :, model], x)
    nu = stacked(tree, "nu")[draws][:, None] if "nu" in tree["posterior"] else None
    noise = rng.standard_normal(made.shape) if nu is None else rng.standard_t(nu, made.shape)
    made = made + residual_sds(tree, np.arange(len(word)), draws) * noise
    cluster = index_of(tree, "attribute_index")
    n_clusters, n_models = int(cluster.max()) + 1, len(labels(tree, "connection"))
    if "attribute_sd" in tree["posterior"]:
        own = rng.standard_normal((len(made), n_clusters))
        made += (stacked(tree, "attribute_sd")[draws].reshape(-1, 1) * own)[:, cluster]
    if "cluster_sd" in tree["posterior"]:
        own = rng.standard_normal((len(made), n_clusters, n_models))
        sd = stacked(tree, "cluster_sd")[draws].reshape(len(made), -1)
        made += (sd[:, None] * own)[:, cluster, model]
    return np.asarray(made)


def scales_of(tree: DataTree) -> dict[str, float]:
    """Relative size of each language model's differences, by name."""
    if SCALES not in tree.attrs:
        raise ValueError("this posterior is not one of sentence pairs; make it with fit_pairs")
    return dict(json.loads(tree.attrs[SCALES]))


def _residuals(tree: DataTree, at: int) -> _Residuals:
    """Spread of single pairs of one bias type."""
    posterior, sigma = tree["posterior"], stacked(tree, "sigma")
    dims = spec_of(tree).sigma_dims
    if dims != ("connection",):
        sigma = sigma[:, [at]] if dims else sigma[:, None]
    wide = np.broadcast_to(sigma, (len(sigma), len(labels(tree, "connection"))))
    variance = np.zeros((len(sigma), 1))
    for name in ("attribute_sd", "cluster_sd"):
        if name in posterior:
            variance = variance + stacked(tree, name).reshape(len(sigma), -1) ** 2
    nu = stacked(tree, "nu")[:, None] if "nu" in posterior else None
    return _Residuals(wide, np.sqrt(variance), nu)
