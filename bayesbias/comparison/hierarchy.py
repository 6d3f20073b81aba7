r"""Contrasts of embeddings and lists around effects of either: a linear Gaussian model of few sds.

.. math:: c_{elr} = \mu + \alpha_e + \beta_l + \gamma_{el} + \rho_{elr}

for embedding e, list l and training r, each effect Normal with an sd of its own. What was measured
of c is Gaussian, list by list (`bayesbias.comparison.runs`). Given all sds :math:`\gamma` and
:math:`\rho` integrate out within a list, and :math:`u = (\mu, \alpha, \beta)` of what remains, so
that no matrix is larger than a list or than embeddings and lists together.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np
from numpy.random import Generator

from .._core.arrays import FloatArray
from ..model.priors import Prior
from ..sampling.importance import find_mode, importance_resample
from .runs import Contrasts

MEAN_SD = 0.5
"""Prior sd of the mean of all contrasts: those of the published tables lie in -.4 to .1."""

PRIORS = {
    name: Prior("exponential", {"rate": 20.0}, reason)
    for name, reason in {
        "embedding_sd": "mean .05; overall contrasts of the published tables lie in -.07 to .00",
        "list_sd": "as for embedding_sd",
        "interaction_sd": "as for embedding_sd",
        "training_sd": "as for embedding_sd",
    }.items()
}
"""Priors of the sds between contrasts."""

OFFSET = 0.1
"""Sds are drawn as log(sd + offset), in sds of what was measured: smaller ones are nearly zero."""

BOUNDS = (-5.0, 5.0)
"""Ends of the logarithms of sds in which the mode is sought, in the same unit; larger sds get no
weight, because rounding breaks the inverses of their covariances."""

type Sds = Mapping[str, FloatArray]
"""Draws of the sds, (n_draws,) each; those of ``PRIORS`` that are absent are zero."""


@dataclass(frozen=True)
class HierarchyDraws:
    """Draws of contrasts and sds.

    Parameters
    ----------
    contrast : (n_draws, n_lists, n_embeddings) float
        Without the effects of single trainings.
    sds : dict of str to (n_draws,) float
    pareto_k : float
    """

    contrast: FloatArray
    sds: dict[str, FloatArray]
    pareto_k: float


def sample_hierarchy(
    lists: Sequence[Contrasts], priors: Mapping[str, Prior], n: int, rng: Generator
) -> HierarchyDraws:
    """Draw contrasts and the sds between them.

    The sds come from their marginal density by importance resampling, everything else from its
    Gaussian given the sds.
    """
    names = sd_names(lists)
    unit = np.mean([np.sqrt(np.diagonal(each.covariance)).mean() for each in lists])

    def density(points: FloatArray, offset: float) -> FloatArray:
        log_p = np.full(len(points), -np.inf)
        inside = (np.exp(points) > offset).all(axis=1) & (points <= BOUNDS[1]).all(axis=1)
        sds = dict(zip(names, unit * (np.exp(points[inside].T) - offset), strict=True))
        log_p[inside] = points[inside].sum(axis=1) + shared_effects(lists, sds)[0]
        log_p[inside] += sum(priors[name].log_density(sds[name]) for name in names)
        return log_p

    # In logarithms there is a mode above zero; with the offset there is no long lower tail.
    mode = find_mode(partial(density, offset=0.0), np.zeros(len(names)), BOUNDS)
    start = np.log(np.exp(mode) + OFFSET)
    drawn = importance_resample(partial(density, offset=OFFSET), start, n, rng)
    sds = dict(zip(names, unit * (np.exp(drawn.points.T) - OFFSET), strict=True))
    return HierarchyDraws(draw_contrasts(lists, sds, rng), sds, drawn.pareto_k)


def sd_names(lists: Sequence[Contrasts]) -> list[str]:
    """Names of the sds that these contrasts can distinguish.

    With one list its effect is the mean, and an embedding's effect its contrast with the list; with
    one embedding, which has several trainings, it is the other way round.
    """
    several = len(_embeddings(lists)) > 1, len(lists) > 1
    trained = any(len(set(own.embedding)) < len(own.embedding) for own in lists)
    return [
        name for name, there in zip(PRIORS, (*several, all(several), trained), strict=True) if there
    ]


def shared_effects(lists: Sequence[Contrasts], sds: Sds) -> tuple[FloatArray, FloatArray]:
    """Integrate u out: log density of what was measured, and the Cholesky factor that draws u.

    Returns
    -------
    (n_draws,) float
        Up to a constant.
    (n_draws, q + 1, q + 1) float
        Factor of :math:`[X, y]^T V^{-1} [X, y] + I`, the outcome y last.
    """
    n, q = len(next(iter(sds.values()))), 1 + len(_embeddings(lists)) + len(lists)
    gram, log_det = np.tile(np.eye(q + 1), (n, 1, 1)), np.zeros(n)
    gram[:, -1, -1] = 0
    for row, own in enumerate(lists):
        factor = np.linalg.cholesky(_covariance(own, sds))
        outcome = np.broadcast_to(own.mean[:, None], (n, len(own.mean), 1))
        loadings = _loadings(lists, row, own.embedding, sds)
        white = np.linalg.solve(factor, np.concatenate([loadings, outcome], axis=2))
        gram += np.swapaxes(white, 1, 2) @ white
        log_det += 2 * np.log(np.diagonal(factor, axis1=1, axis2=2)).sum(axis=1)
    factor = np.linalg.cholesky(gram)
    diagonal = np.diagonal(factor, axis1=1, axis2=2)
    log_det += 2 * np.log(diagonal[:, :-1]).sum(axis=1)
    return -0.5 * (log_det + diagonal[:, -1] ** 2), factor


def draw_contrasts(lists: Sequence[Contrasts], sds: Sds, rng: Generator) -> FloatArray:
    """Draw u and then gamma given the sds; return the contrasts, (n_draws, n_lists, E)."""
    factor = shared_effects(lists, sds)[1]
    solved = factor[:, -1, :-1]
    noise = (solved + rng.standard_normal(solved.shape))[:, :, None]
    effects = np.linalg.solve(np.swapaxes(factor[:, :-1, :-1], 1, 2), noise)
    embeddings = _embeddings(lists)
    contrast = np.empty((len(effects), len(lists), len(embeddings)))
    for row, own in enumerate(lists):
        expected = (_loadings(lists, row, embeddings, sds) @ effects)[:, :, 0]
        contrast[:, row] = expected
        if "interaction_sd" in sds:
            # The conditional Normal of gamma given y - X u.
            variance = sds["interaction_sd"][:, None, None] ** 2
            of_embedding = variance * np.eye(len(embeddings))[own.embedding]
            gain = np.swapaxes(np.linalg.solve(_covariance(own, sds), of_embedding), 1, 2)
            rest = own.mean - expected[:, own.embedding]
            spread = variance * np.eye(len(embeddings)) - gain @ of_embedding
            error = np.linalg.cholesky(spread) @ rng.standard_normal((*expected.shape, 1))
            contrast[:, row] += (gain @ rest[:, :, None] + error)[:, :, 0]
    return contrast


def _embeddings(lists: Sequence[Contrasts]) -> np.ndarray:
    return np.arange(1 + max(own.embedding.max() for own in lists))


def _loadings(lists: Sequence[Contrasts], row: int, embedding: np.ndarray, sds: Sds) -> FloatArray:
    """Loadings of contrasts of a list on standard normal mean, embeddings and lists."""
    n_embeddings = len(_embeddings(lists))
    n = len(next(iter(sds.values())))
    loadings = np.zeros((n, len(embedding), 1 + n_embeddings + len(lists)))
    loadings[:, :, 0] = MEAN_SD
    if "embedding_sd" in sds:
        loadings[:, np.arange(len(embedding)), 1 + embedding] = sds["embedding_sd"][:, None]
    if "list_sd" in sds:
        loadings[:, :, 1 + n_embeddings + row] = sds["list_sd"][:, None]
    return loadings


def _covariance(own: Contrasts, sds: Sds) -> FloatArray:
    """Covariance V of what was measured of a list given u, (n_draws, n_runs, n_runs)."""
    n = len(next(iter(sds.values())))
    whole = np.tile(own.covariance, (n, 1, 1))
    alike = own.embedding[:, None] == own.embedding
    for name, products in (("interaction_sd", alike), ("training_sd", np.eye(len(alike)))):
        if name in sds:
            whole += sds[name][:, None, None] ** 2 * products
    return whole
