"""Draws of how much stereotypical sentences are preferred, level by level."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.random import Generator

from .._core.arrays import FloatArray
from ..model.tree import index_of, labels, stacked
from .signs import EQUAL

if TYPE_CHECKING:
    from xarray import DataTree

NULLS = {
    "mean_difference": 0.0,
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
    """Spread of single pairs about their bias type's mean.

    ``sigma`` is (n_draws, n_models), ``nu`` and ``pair_sd`` (n_draws, 1); the last is zero where
    pairs have no effects of their own.
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
    """Return the draws overall, for the population of bias types, and of every type."""
    if of_signs(tree):
        yield from _shares(tree)
        return
    residuals, means, weight = _residuals(tree), type_means(tree), _weights(tree)
    share = np.stack(
        [residuals.share_above(means[:, index]) for index in range(means.shape[1])], axis=1
    )
    size = np.array([scales_of(tree)[name] for name in labels(tree, "connection")])

    def level(
        name: str, bias_type: str, mean: FloatArray, scale: FloatArray, above: FloatArray
    ) -> PairLevel:
        draws = {"mean_difference": mean * size}  # in the unit of each model's scores
        return PairLevel(
            name, bias_type, draws | {"standardised": mean / scale, "p_stereotypical": above}
        )

    overall = (weight * means).sum(axis=1)
    yield level("overall", "", overall, residuals.scale(), (weight * share).sum(axis=1))
    centre, between = stacked(tree, "connection_mean"), stacked(tree, "connection_sd")
    if "context_sd" in tree["posterior"]:  # shared and own parts together
        between = np.hypot(between, stacked(tree, "context_sd")[:, None])
    above = residuals.share_above(centre, between)
    yield level("population", "", centre, residuals.scale(between), above)
    for index, name in enumerate(labels(tree, "protected_word")):
        yield level("bias_type", name, means[:, index], residuals.scale(), share[:, index])


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

    Rows of one pair share its new effect, as rows of the data do.
    """
    word, model = index_of(tree, "word_index"), index_of(tree, "connection_index")
    made = type_means(tree)[draws][:, word, model]
    residuals = _residuals(tree)
    noise = (
        rng.standard_normal(made.shape)
        if residuals.nu is None
        else rng.standard_t(residuals.nu[draws], made.shape)
    )
    made = made + residuals.sigma[draws][:, model] * noise
    if "attribute_sd" in tree["posterior"]:
        pair = index_of(tree, "attribute_index")
        own = rng.standard_normal((len(made), int(pair.max()) + 1))
        made += (residuals.pair_sd[draws] * own)[:, pair]
    return np.asarray(made)


def scales_of(tree: DataTree) -> dict[str, float]:
    """Relative size of each language model's differences, by name."""
    if SCALES not in tree.attrs:
        raise ValueError("this posterior is not one of sentence pairs; make it with fit_pairs")
    return dict(json.loads(tree.attrs[SCALES]))


def _residuals(tree: DataTree) -> _Residuals:
    sigma = stacked(tree, "sigma")
    n_models = len(labels(tree, "connection"))
    wide = np.repeat(sigma[:, None], n_models, axis=1) if sigma.ndim == 1 else sigma
    posterior = tree["posterior"]
    pair_sd = np.zeros((len(sigma), 1))
    if "attribute_sd" in posterior:
        pair_sd = stacked(tree, "attribute_sd").reshape(len(sigma), -1)
    nu = stacked(tree, "nu")[:, None] if "nu" in posterior else None
    return _Residuals(wide, pair_sd, nu)


def _weights(tree: DataTree) -> FloatArray:
    """Share of every bias type in the pairs of every model, (n_types, n_models)."""
    shape = (len(labels(tree, "protected_word")), len(labels(tree, "connection")))
    counts = np.zeros(shape)
    np.add.at(counts, (index_of(tree, "word_index"), index_of(tree, "connection_index")), 1.0)
    return np.asarray(counts / counts.sum(axis=0))
