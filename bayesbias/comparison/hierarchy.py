r"""Contrasts of embeddings and lists around effects of either: a linear Gaussian model of few sds.

.. math:: c_{elr} = \mu + \alpha_e + \beta_l + \gamma_{el} + \rho_{elr}

for embedding e, list l and training r, each effect Normal with an sd of its own. What was measured
of c is Gaussian given the sds of the words and attributes of its list (`runs`). Given all sds
:math:`\gamma` and :math:`\rho` integrate out list by list, and :math:`\mu, \alpha, \beta` of what
is left, so that no matrix is larger than a list or than embeddings and lists together.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial

import numpy as np
from numpy.random import Generator

from .._core.arrays import FloatArray
from ..model.design import IntArray
from ..model.priors import Prior
from ..sampling.importance import find_mode, importance_resample
from .runs import Contrasts

MEAN_SD = 0.5
"""Prior sd of the mean of all contrasts: those of the published tables lie in -.4 to .1."""

_REASON = "mean .05; overall contrasts of the published tables lie in -.07 to .00"

PRIORS = {
    name: Prior("exponential", {"rate": 20.0}, _REASON)
    for name in ("embedding_sd", "list_sd", "interaction_sd", "training_sd")
}
"""Priors of the sds between contrasts."""

OFFSET = 0.1
"""Sds are drawn as log(sd + offset), in sds of what was measured: smaller ones are nearly zero."""

BOUNDS = (-5.0, 5.0)
"""Ends of the logarithms of sds in which the mode is sought, in the same unit; sds above the upper
end get no weight, and rounding would break there what inverts covariances."""

STEPS = 6
"""Metropolis steps of every draw from where the average Gaussian leaves it; most are taken."""


@dataclass(frozen=True)
class Hierarchy:
    """Lists, and what their contrasts share: how many embeddings, and priors of the sds by name."""

    lists: tuple[Contrasts, ...]
    n_embeddings: int
    priors: Mapping[str, Prior]

    @property
    def names(self) -> list[str]:
        """Names of the sds that these contrasts tell apart.

        With one list its effect is the mean, and an embedding's effect its contrast with the list;
        with one embedding, which has several trainings, it is the other way round.
        """
        embeddings, lists = self.n_embeddings > 1, len(self.lists) > 1
        trainings = any(len(set(of.embedding)) < len(of.embedding) for of in self.lists)
        learned = (embeddings, lists, embeddings and lists, trainings)
        return [name for name, is_learned in zip(PRIORS, learned, strict=True) if is_learned]

    def by_name(self, sds: FloatArray) -> dict[str, FloatArray]:
        """Columns of (n_draws, n_sds) by name, with zeros for sds that are not told apart."""
        zero = np.zeros(len(sds))
        return dict.fromkeys(PRIORS, zero) | dict(zip(self.names, sds.T, strict=True))

    def loadings(self, at: int, sds: Mapping[str, FloatArray]) -> FloatArray:
        """Loadings of list `at` on standard normal mean and effects, (n_draws, n, 1 + E + L)."""
        embedding, n = self.lists[at].embedding, len(sds["list_sd"])
        values = np.zeros((n, len(embedding), 1 + self.n_embeddings + len(self.lists)))
        values[:, :, 0] = MEAN_SD
        values[:, np.arange(len(embedding)), 1 + embedding] = sds["embedding_sd"][:, None]
        values[:, :, 1 + self.n_embeddings + at] = sds["list_sd"][:, None]
        return values

    def covariance(self, at: int, sds: Mapping[str, FloatArray], chosen: IntArray) -> FloatArray:
        """Covariance of a list's contrasts given the shared effects, (n_draws, n, n)."""
        embedding = self.lists[at].embedding
        alike = embedding[:, None] == embedding
        whole = (
            self.lists[at].covariance[chosen] + sds["interaction_sd"][:, None, None] ** 2 * alike
        )
        return np.asarray(whole + sds["training_sd"][:, None, None] ** 2 * np.eye(len(alike)))


@dataclass(frozen=True)
class HierarchyDraws:
    """Draws of contrasts and sds, and how well they mixed.

    Contrasts, (n_draws, n_lists, n_embeddings), are without what is of one training. Pareto k is of
    the first draws of the sds, acceptance the smallest share of Metropolis proposals taken.
    """

    contrast: FloatArray
    sds: dict[str, FloatArray]
    pareto_k: float
    acceptance: float


def sample_hierarchy(hierarchy: Hierarchy, rng: Generator) -> HierarchyDraws:
    """Draw contrasts and the sds between them.

    Notes
    -----
    Sds between contrasts are drawn with the average Gaussian of each list instead of all. Then
    each draw takes ``STEPS`` Metropolis steps, in which another draw of the Gaussian of a list, or
    another draw of these sds, is proposed: what a list says and the hierarchy have to agree.
    """
    n, lists = len(hierarchy.lists[0].mean), range(len(hierarchy.lists))
    sds, approximate, pareto_k = _approximate_sds(hierarchy, n, rng)
    chosen = [rng.permutation(n) for _ in lists]
    taken = np.zeros((STEPS, 1 + len(lists)))
    for step in range(STEPS):
        # Every draw is offered the sds of another; the prior is in the proposal, and cancels.
        order = rng.permutation(n)
        current = integrate(hierarchy, sds, chosen)[1] - approximate
        proposed = integrate(hierarchy, sds[order], chosen)[1] - approximate[order]
        take = np.log(rng.random(n)) < proposed - current
        sds = np.where(take[:, None], sds[order], sds)
        approximate = np.where(take, approximate[order], approximate)
        taken[step, 0] = take.mean()
        effects = draw_shared(integrate(hierarchy, sds, chosen)[0], rng)
        for at in lists:
            density = _list_density(hierarchy, at, hierarchy.by_name(sds), effects)
            other = rng.integers(n, size=n)
            take = np.log(rng.random(n)) < density(other) - density(chosen[at])
            chosen[at] = np.where(take, other, chosen[at])
            taken[step, 1 + at] = take.mean()
    effects = draw_shared(integrate(hierarchy, sds, chosen)[0], rng)
    contrast = draw_contrasts(hierarchy, sds, effects, chosen, rng)
    named = dict(zip(hierarchy.names, sds.T, strict=True))
    return HierarchyDraws(contrast, named, pareto_k, float(taken.mean(axis=0).min()))


def _approximate_sds(
    hierarchy: Hierarchy, n: int, rng: Generator
) -> tuple[FloatArray, FloatArray, float]:
    """Draw sds given the average Gaussians, (n, n_sds); also their log likelihood and Pareto k."""
    averaged = replace(hierarchy, lists=tuple(of.averaged() for of in hierarchy.lists))
    unit = np.mean([np.sqrt(np.diagonal(of.covariance[0])).mean() for of in averaged.lists])

    def log_likelihood(sds: FloatArray) -> FloatArray:
        first = np.zeros(len(sds), dtype=np.int64)
        return integrate(averaged, sds, [first] * len(averaged.lists))[1]

    def density(points: FloatArray, offset: float) -> FloatArray:
        values = np.full(len(points), -np.inf)
        inside = (np.exp(points) > offset).all(axis=1) & (points <= BOUNDS[1]).all(axis=1)
        sds = unit * (np.exp(points[inside]) - offset)
        columns = zip(hierarchy.names, sds.T, strict=True)
        log_prior = sum(hierarchy.priors[name].log_density(column) for name, column in columns)
        values[inside] = log_likelihood(sds) + (log_prior + points[inside].sum(axis=1))
        return values

    # In logarithms there is a mode above zero; with the offset there is no long lower tail.
    mode = find_mode(partial(density, offset=0.0), np.zeros(len(hierarchy.names)), BOUNDS)
    start = np.log(np.exp(mode) + OFFSET)
    drawn = importance_resample(partial(density, offset=OFFSET), start, n, rng)
    sds = unit * (np.exp(drawn.points) - OFFSET)
    return sds, log_likelihood(sds), drawn.pareto_k


def integrate(
    hierarchy: Hierarchy, sds: FloatArray, chosen: Sequence[IntArray]
) -> tuple[FloatArray, FloatArray]:
    """Integrate everything out, list by list; ``chosen`` is which Gaussian of each list.

    Returns
    -------
    (n_draws, q + 1, q + 1) float
        Cholesky factor of the precision of the shared effects, bordered by the outcome.
    (n_draws,) float
        Log likelihood of the sds.
    """
    named = hierarchy.by_name(sds)
    q = 1 + hierarchy.n_embeddings + len(hierarchy.lists)
    gram, log_det = np.zeros((len(sds), q + 1, q + 1)), np.zeros(len(sds))
    for at, measured in enumerate(hierarchy.lists):
        factor = np.linalg.cholesky(hierarchy.covariance(at, named, chosen[at]))
        outcome = measured.mean[chosen[at], :, None]
        whole = np.concatenate([hierarchy.loadings(at, named), outcome], axis=2)
        white = np.linalg.solve(factor, whole)
        gram += np.swapaxes(white, 1, 2) @ white
        log_det += 2 * np.log(np.diagonal(factor, axis1=1, axis2=2)).sum(axis=1)
    gram[:, np.arange(q), np.arange(q)] += 1
    factor = np.linalg.cholesky(gram)
    diagonal = np.diagonal(factor, axis1=1, axis2=2)
    log_det += 2 * np.log(diagonal[:, :-1]).sum(axis=1)
    return factor, -0.5 * (log_det + diagonal[:, -1] ** 2)


def draw_shared(factor: FloatArray, rng: Generator) -> FloatArray:
    """Draw the standard normal shared effects, (n_draws, q), given the factor of `integrate`."""
    solved = factor[:, -1, :-1]
    right = (solved + rng.standard_normal(solved.shape))[:, :, None]
    return np.asarray(np.linalg.solve(np.swapaxes(factor[:, :-1, :-1], 1, 2), right)[:, :, 0])


def _list_density(
    hierarchy: Hierarchy, at: int, sds: Mapping[str, FloatArray], effects: FloatArray
) -> Callable[[IntArray], FloatArray]:
    """Return the log density of every draw's Gaussian of a list, given the shared effects."""
    expected = np.einsum("nij,nj->ni", hierarchy.loadings(at, sds), effects)

    def log_density(index: IntArray) -> FloatArray:
        factor = np.linalg.cholesky(hierarchy.covariance(at, sds, index))
        surprise = (hierarchy.lists[at].mean[index] - expected)[:, :, None]
        log_det = 2 * np.log(np.diagonal(factor, axis1=1, axis2=2)).sum(axis=1)
        squares = (np.linalg.solve(factor, surprise) ** 2).sum(axis=(1, 2))
        return np.asarray(-0.5 * (log_det + squares))

    return log_density


def draw_contrasts(
    hierarchy: Hierarchy,
    sds: FloatArray,
    effects: FloatArray,
    chosen: Sequence[IntArray],
    rng: Generator,
) -> FloatArray:
    """Draw contrasts of every list and embedding given the shared effects, (n_draws, L, E).

    Draws of the prior are moved by what was measured of them.
    """
    named, (n, n_embeddings) = hierarchy.by_name(sds), (len(sds), hierarchy.n_embeddings)
    interaction, training = named["interaction_sd"][:, None], named["training_sd"][:, None]
    contrast = np.empty((n, len(hierarchy.lists), n_embeddings))
    for at, measured in enumerate(hierarchy.lists):
        expected = MEAN_SD * effects[:, :1]
        expected = expected + named["embedding_sd"][:, None] * effects[:, 1 : 1 + n_embeddings]
        expected += (named["list_sd"] * effects[:, 1 + n_embeddings + at])[:, None]
        expected += interaction * rng.standard_normal((n, n_embeddings))
        noise = rng.standard_normal((2, *measured.mean[chosen[at]].shape))
        error = np.linalg.cholesky(measured.covariance[chosen[at]]) @ noise[0][:, :, None]
        drawn = expected[:, measured.embedding] + error[:, :, 0] + training * noise[1]
        surprise = (measured.mean[chosen[at]] - drawn)[:, :, None]
        pull = np.linalg.solve(hierarchy.covariance(at, named, chosen[at]), surprise)[:, :, 0]
        loading = np.eye(n_embeddings)[measured.embedding]
        contrast[:, at] = expected + interaction**2 * (pull @ loading)
    return contrast
