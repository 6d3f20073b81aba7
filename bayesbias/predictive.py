"""Where a posterior expects a row to lie: predictive draws and log likelihoods."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.random import Generator

from .design import Design, IntArray
from .geometry import FloatArray
from .posterior import index_of, observed, outcome_of, stacked

if TYPE_CHECKING:
    from xarray import DataTree


Draws = np.ndarray | slice
"""Which posterior draws to use."""

ALL = slice(None)

NUMBERS_AT_ONCE = 2_000_000
"""Draws times rows that are worked on together: 16 MB, and a few copies of it."""


def locations(tree: DataTree, rows: np.ndarray, draws: Draws = ALL) -> FloatArray:
    """Expected distance of rows under posterior draws, (n_draws, n_rows)."""
    word, connection = index_of(tree, "word_index")[rows], index_of(tree, "connection_index")[rows]
    expected = stacked(tree, "word_mean")[draws][:, word, connection]
    if "attribute_effect" in tree["posterior"]:
        attribute = index_of(tree, "attribute_index")[rows]
        expected = expected + stacked(tree, "attribute_effect")[draws][:, attribute]
    if "context_effect" in tree["posterior"]:
        context = index_of(tree, "context_index")[rows]
        expected = expected + stacked(tree, "context_effect")[draws][:, context]
    return np.asarray(expected)


def residual_sds(tree: DataTree, rows: np.ndarray, draws: Draws = ALL) -> FloatArray:
    """Residual sd of rows under posterior draws, (n_draws, n_rows) or (n_draws, 1)."""
    sigma = stacked(tree, "sigma")[draws]
    if sigma.ndim == 1:
        return np.asarray(sigma[:, None])
    return np.asarray(sigma[:, index_of(tree, "connection_index")[rows]])


def predict_rows(
    tree: DataTree, rows: np.ndarray, rng: Generator, draws: Draws = ALL
) -> FloatArray:
    """Draw new distances for rows, one for each posterior draw, (n_draws, n_rows)."""
    expected = locations(tree, rows, draws)
    if "nu" in tree["posterior"]:
        noise = rng.standard_t(stacked(tree, "nu")[draws][:, None], expected.shape)
    else:
        noise = rng.standard_normal(expected.shape)
    return np.asarray(expected + residual_sds(tree, rows, draws) * noise)


def log_likelihood(tree: DataTree, rows: np.ndarray) -> FloatArray:
    """Log likelihood of rows under every draw, (n_draws, n_rows)."""
    y = observed(tree)[rows]
    sd = residual_sds(tree, rows)
    standard = (y - locations(tree, rows)) / sd
    if "nu" in tree["posterior"]:
        from scipy.special import gammaln

        nu = stacked(tree, "nu")[:, None]
        constant = gammaln((nu + 1) / 2) - gammaln(nu / 2) - 0.5 * np.log(nu * np.pi)
        return np.asarray(constant - np.log(sd) - (nu + 1) / 2 * np.log1p(standard**2 / nu))
    return np.asarray(-0.5 * standard**2 - np.log(sd) - 0.5 * np.log(2 * np.pi))


def row_blocks(tree: DataTree) -> Iterator[IntArray]:
    """Give the rows of a table in blocks, so that all draws of a block are few numbers."""
    posterior = tree["posterior"]
    n_rows = tree["observed_data"].sizes["row"]
    at_once = max(1, NUMBERS_AT_ONCE // (posterior.sizes["chain"] * posterior.sizes["draw"]))
    for start in range(0, n_rows, at_once):
        yield np.arange(start, min(start + at_once, n_rows))


def add_log_likelihood(tree: DataTree) -> DataTree:
    """Give a copy of a posterior with ArviZ's group ``log_likelihood``, one value a draw and row.

    It takes 8 bytes a draw and row: 4,000 draws of 10,000 rows are 320 MB.
    """
    from xarray import Dataset

    posterior = tree["posterior"]
    blocks = [log_likelihood(tree, rows) for rows in row_blocks(tree)]
    values = np.concatenate(blocks, axis=1)
    shape = (posterior.sizes["chain"], posterior.sizes["draw"], values.shape[1])
    copy = tree.copy()
    copy["log_likelihood"] = Dataset(
        {outcome_of(tree): (("chain", "draw", "row"), values.reshape(shape))},
        coords={name: posterior.coords[name] for name in ("chain", "draw")}
        | {"row": np.arange(shape[2])},
    )
    return copy


@dataclass(frozen=True)
class WordMeansGiven:
    """The Gaussians of the word means given all other parameters, draw by draw.

    Given those, the means of different cells are independent; averaging over Gaussians rather than
    over draws of the means makes predictive densities far less noisy.

    Parameters
    ----------
    mean, variance : (n_draws, n_words * n_connections) float
        Cells counted word by word.
    residual_variance : (n_draws, n_connections) float
    attribute_variance : (n_draws, n_kinds) float
        Zero for cards without attribute effects.
    """

    mean: FloatArray
    variance: FloatArray
    residual_variance: FloatArray
    attribute_variance: FloatArray


def word_means_given(design: Design, values: Mapping[str, FloatArray]) -> WordMeansGiven:
    """Condition the word means of a Normal card on a design and on draws of all else.

    Parameters
    ----------
    design : Design
        The rows that the draws were fitted to.
    values : mapping of str to (n_draws, ...) float
        Draws of every variable of the card, as `sample_exact` gives them.
    """
    n_words, n = len(design.words), len(design.connections)
    n_draws = len(values["connection_mean"])
    cell = design.word * n + design.connection
    rows = np.bincount(cell, minlength=n_words * n).astype(float)
    sums = np.broadcast_to(np.bincount(cell, design.y, minlength=n_words * n), (n_draws, len(rows)))
    attribute_variance = np.zeros((n_draws, len(design.kinds)))
    if "attribute_effect" in values:
        incidence = np.zeros((len(design.attributes), len(rows)))
        np.add.at(incidence, (design.attribute, cell), 1.0)
        sums = sums - values["attribute_effect"] @ incidence
        attribute_variance += values["attribute_sd"].reshape(n_draws, -1) ** 2
    parents = values["connection_mean"][:, None, :]
    if "group_mean" in values:
        parents = values["group_mean"][:, design.word_group, :]
    parents = np.broadcast_to(parents, (n_draws, n_words, n)).reshape(n_draws, -1)
    residual = np.broadcast_to(values["sigma"].reshape(n_draws, -1) ** 2, (n_draws, n))
    spread = np.tile(values["connection_sd"] ** 2, (1, n_words))
    noise = np.tile(residual, (1, n_words))
    total = noise + rows * spread  # this form holds where a spread is zero
    return WordMeansGiven(
        mean=(parents * noise + spread * sums) / total,
        variance=spread * noise / total,
        residual_variance=residual,
        attribute_variance=attribute_variance,
    )


def new_attribute_log_density(given: WordMeansGiven, design: Design, attribute: int) -> FloatArray:
    r"""Joint log density of all rows of an attribute word that the draws have not seen, (n_draws,).

    With :math:`k_u` rows in cell u, their mean :math:`\bar y_u` and squares :math:`q_u` about it,
    residual variance :math:`\sigma_u^2`, cell mean Normal(:math:`m_u, v_u`), :math:`t_u =
    \sigma_u^2 + k_u v_u` and effect variance :math:`\omega^2`, the rows are Gaussian with
    covariance blocks :math:`\sigma_u^2 I + v_u 11^T` plus :math:`\omega^2 11^T` over all, whose
    inverse and determinant have closed forms (Sherman and Morrison, 1950, Annals of Mathematical
    Statistics 21), twice over.

    Parameters
    ----------
    given : WordMeansGiven
    design : Design
        One that holds the word's rows, with the same words and connections.
    attribute : int
        Index of the attribute word.
    """
    rows = np.flatnonzero(design.attribute == attribute)
    n = len(design.connections)
    cell, at = np.unique(design.word[rows] * n + design.connection[rows], return_inverse=True)
    k = np.bincount(at).astype(float)
    mean = np.bincount(at, design.y[rows]) / k
    squares = np.bincount(at, (design.y[rows] - mean[at]) ** 2)
    noise, apart = given.residual_variance[:, cell % n], mean - given.mean[:, cell]
    total = noise + k * given.variance[:, cell]
    effect = given.attribute_variance[:, design.attribute_kind[attribute]]
    shared = 1 + effect * (k / total).sum(axis=1)
    log_det = ((k - 1) * np.log(noise) + np.log(total)).sum(axis=1) + np.log(shared)
    quadratic = (squares / noise + k * apart**2 / total).sum(axis=1)
    quadratic -= effect * (k * apart / total).sum(axis=1) ** 2 / shared
    return np.asarray(-0.5 * (len(rows) * np.log(2 * np.pi) + log_det + quadratic))
