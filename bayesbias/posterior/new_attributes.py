"""The density of attribute words that a posterior has not seen, by Gaussians in closed form."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from .._core.arrays import FloatArray
from ..model.design import Design


@dataclass(frozen=True)
class WordMeansGiven:
    """The Gaussians of the word means given all other parameters, draw by draw.

    Given those, the means of different cells are independent; averaging over Gaussians rather than
    over draws of the means makes predictive densities far less noisy.
    """

    mean: FloatArray  # (n_draws, n_words * n_connections), cells counted word by word
    variance: FloatArray  # likewise
    residual_variance: FloatArray  # (n_draws, n_connections)
    attribute_variance: FloatArray  # (n_draws, n_kinds), zero without attribute effects


def word_means_given(design: Design, values: Mapping[str, FloatArray]) -> WordMeansGiven:
    """Condition the word means on a design and on what `sample_exact` drew from it of all else."""
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
    Statistics 21), twice over. The design holds the word's rows, and the same words and connections
    as the one that was fitted.
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
