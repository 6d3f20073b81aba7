r"""Contrasts of embeddings and lists around effects of either: a linear Gaussian model of few sds.

.. math:: c_{elr} = \mu + \alpha_e + \beta_l + \gamma_{el} + \rho_{elr}

for embedding e, list l and training r, each effect Normal with an sd of its own. What was measured
of c is Gaussian given the sds of the words and attributes of its list (`runs`). Given all sds
:math:`\gamma` and :math:`\rho` integrate out list by list, and :math:`\mu, \alpha, \beta` of what
is left, so that no matrix is larger than a list or than embeddings and lists together.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, partial

import numpy as np
from numpy.random import Generator

from .._core.arrays import FloatArray
from ..model.design import IntArray
from ..model.priors import Prior
from ..sampling.importance import find_mode, importance_resample

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
"""Ends of the logarithms of sds in which the mode is sought, in the same unit; sds above the upper
end get no weight, and rounding would break there what inverts covariances."""

STEPS = 6
"""Metropolis steps of every draw from where the average Gaussian leaves it; most are taken."""


@dataclass(frozen=True)
class Measured:
    """Gaussians of the contrasts of a list, one for each draw of its sds.

    Parameters
    ----------
    embedding : (n,) int
        Of each contrast; trainings of one embedding share it.
    mean : (n_draws, n) float
    covariance : (n_draws, n, n) float
    """

    embedding: IntArray
    mean: FloatArray
    covariance: FloatArray

    def averaged(self) -> Measured:
        """Return the one Gaussian with the moments of all."""
        spread = np.atleast_2d(np.cov(self.mean.T))
        whole = self.covariance.mean(axis=0) + spread
        return Measured(self.embedding, self.mean.mean(axis=0)[None], whole[None])


@dataclass(frozen=True)
class Hierarchy:
    """Lists, and what their contrasts share.

    Parameters
    ----------
    lists : tuple of Measured
    n_embeddings : int
    priors : mapping of str to Prior
        Of the sds, by name; the others of ``PRIORS`` are zero.
    """

    lists: tuple[Measured, ...]
    n_embeddings: int
    priors: Mapping[str, Prior]

    @cached_property
    def names(self) -> list[str]:
        """Names of the sds that these contrasts tell apart.

        With one list its effect is the mean, and an embedding's effect its contrast with the list;
        with one embedding, which has several trainings, it is the other way round.
        """
        found = ["embedding_sd"] if self.n_embeddings > 1 else []
        found += ["list_sd"] if len(self.lists) > 1 else []
        found += ["interaction_sd"] if len(self.lists) > 1 and self.n_embeddings > 1 else []
        replicated = any(len(set(own.embedding)) < len(own.embedding) for own in self.lists)
        return found + (["training_sd"] if replicated else [])

    def shared(self, at: int, sds: Mapping[str, FloatArray]) -> FloatArray:
        """Loadings of list `at` on standard normal mean and effects, (n_draws, n, 1 + E + L)."""
        own, n = self.lists[at], len(next(iter(sds.values())))
        found = np.zeros((n, len(own.embedding), 1 + self.n_embeddings + len(self.lists)))
        found[:, :, 0] = MEAN_SD
        places = np.arange(len(own.embedding))
        if "embedding_sd" in sds:
            found[:, places, 1 + own.embedding] = sds["embedding_sd"][:, None]
        if "list_sd" in sds:
            found[:, :, 1 + self.n_embeddings + at] = sds["list_sd"][:, None]
        return found

    def own(self, at: int, sds: Mapping[str, FloatArray], chosen: IntArray) -> FloatArray:
        """Covariance of a list's contrasts given the shared effects, (n_draws, n, n)."""
        measured = self.lists[at]
        found = measured.covariance[chosen].copy()
        alike = measured.embedding[:, None] == measured.embedding
        for name, products in (("interaction_sd", alike), ("training_sd", np.eye(len(alike)))):
            if name in sds:
                found += sds[name][:, None, None] ** 2 * products
        return found

    def by_name(self, sds: FloatArray) -> dict[str, FloatArray]:
        """Columns of (n_draws, n_sds) by name."""
        return dict(zip(self.names, sds.T, strict=True))


@dataclass(frozen=True)
class Given:
    """The Gaussian of the shared effects given sds: a Cholesky factor bordered by the outcome."""

    factor: FloatArray  # (n_draws, q + 1, q + 1)
    log_likelihood: FloatArray  # (n_draws,)

    def draw(self, rng: Generator) -> FloatArray:
        """Draw the standard normal shared effects, (n_draws, q)."""
        solved = self.factor[:, -1, :-1]
        right = (solved + rng.standard_normal(solved.shape))[:, :, None]
        upper = np.swapaxes(self.factor[:, :-1, :-1], 1, 2)
        return np.asarray(np.linalg.solve(upper, right)[:, :, 0])


@dataclass(frozen=True)
class HierarchyDraws:
    """Draws of contrasts and sds, and how well they mixed.

    Parameters
    ----------
    contrast : (n_draws, n_lists, n_embeddings) float
        Without what is of one training.
    sds : dict of str to (n_draws,) float
    pareto_k : float
        Of the first draws of the sds.
    acceptance : float
        The smallest share of Metropolis proposals that were taken, of the sds or of a list.
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
    n = len(hierarchy.lists[0].mean)
    averaged = Hierarchy(
        tuple(each.averaged() for each in hierarchy.lists),
        hierarchy.n_embeddings,
        hierarchy.priors,
    )

    unit = np.mean([np.sqrt(np.diagonal(each.covariance[0])).mean() for each in averaged.lists])

    def density(points: FloatArray, offset: float) -> FloatArray:
        found = np.full(len(points), -np.inf)
        inside = (np.exp(points) > offset).all(axis=1) & (points <= BOUNDS[1]).all(axis=1)
        sds = unit * (np.exp(points[inside]) - offset)
        every = [np.zeros(len(sds), dtype=np.int64)] * len(averaged.lists)
        found[inside] = _given(averaged, sds, every).log_likelihood
        found[inside] += _log_prior(averaged, sds) + points[inside].sum(axis=1)
        return found

    # In logarithms there is a mode above zero; with the offset there is no long lower tail.
    mode = find_mode(partial(density, offset=0.0), np.zeros(len(hierarchy.names)), BOUNDS)
    start = np.log(np.exp(mode) + OFFSET)
    found = importance_resample(partial(density, offset=OFFSET), start, n, rng)
    sds = unit * (np.exp(found.points) - OFFSET)
    every = [np.zeros(n, dtype=np.int64)] * len(hierarchy.lists)
    approximate = _given(averaged, sds, every).log_likelihood
    chosen = [rng.permutation(n) for _ in hierarchy.lists]
    taken = np.zeros((STEPS, 1 + len(hierarchy.lists)))
    for step in range(STEPS):
        taken[step, 0], sds, approximate = _move_sds(hierarchy, sds, approximate, chosen, rng)
        effects = _given(hierarchy, sds, chosen).draw(rng)
        for at in range(len(chosen)):
            taken[step, 1 + at], chosen[at] = _move_list(
                hierarchy, at, sds, effects, chosen[at], rng=rng
            )
    effects = _given(hierarchy, sds, chosen).draw(rng)
    named = hierarchy.by_name(sds)
    contrast = _draw_contrasts(hierarchy, named, effects, chosen, rng)
    return HierarchyDraws(contrast, named, found.pareto_k, float(taken.mean(axis=0).min()))


def _log_prior(hierarchy: Hierarchy, sds: FloatArray) -> FloatArray:
    own = hierarchy.by_name(sds)
    return np.asarray(sum(hierarchy.priors[name].log_density(own[name]) for name in own))


def _given(hierarchy: Hierarchy, sds: FloatArray, chosen: Sequence[IntArray]) -> Given:
    """Integrate everything out, list by list; ``chosen`` is which Gaussian of each list."""
    named = hierarchy.by_name(sds)
    q = 1 + hierarchy.n_embeddings + len(hierarchy.lists)
    gram = np.zeros((len(sds), q + 1, q + 1))
    log_det = np.zeros(len(sds))
    for at, measured in enumerate(hierarchy.lists):
        factor = np.linalg.cholesky(hierarchy.own(at, named, chosen[at]))
        outcome = measured.mean[chosen[at], :, None]
        whole = np.concatenate([hierarchy.shared(at, named), outcome], axis=2)
        white = np.linalg.solve(factor, whole)
        gram += np.swapaxes(white, 1, 2) @ white
        log_det += 2 * np.log(np.diagonal(factor, axis1=1, axis2=2)).sum(axis=1)
    gram[:, np.arange(q), np.arange(q)] += 1
    factor = np.linalg.cholesky(gram)
    diagonal = np.diagonal(factor, axis1=1, axis2=2)
    log_det += 2 * np.log(diagonal[:, :-1]).sum(axis=1)
    return Given(factor, -0.5 * (log_det + diagonal[:, -1] ** 2))


def _move_sds(
    hierarchy: Hierarchy,
    sds: FloatArray,
    approximate: FloatArray,
    chosen: Sequence[IntArray],
    rng: Generator,
) -> tuple[float, FloatArray, FloatArray]:
    """Propose to every draw the sds of another; the prior is in the proposal, and cancels."""
    order = rng.permutation(len(sds))
    now = _given(hierarchy, sds, chosen).log_likelihood - approximate
    then = _given(hierarchy, sds[order], chosen).log_likelihood - approximate[order]
    take = np.log(rng.random(len(sds))) < then - now
    sds = np.where(take[:, None], sds[order], sds)
    return float(take.mean()), sds, np.where(take, approximate[order], approximate)


def _move_list(
    hierarchy: Hierarchy,
    at: int,
    sds: FloatArray,
    effects: FloatArray,
    chosen: IntArray,
    *,
    rng: Generator,
) -> tuple[float, IntArray]:
    """Propose to every draw another Gaussian of a list, given the shared effects."""
    named, measured = hierarchy.by_name(sds), hierarchy.lists[at]
    expected = np.einsum("nij,nj->ni", hierarchy.shared(at, named), effects)

    def log_density(index: IntArray) -> FloatArray:
        factor = np.linalg.cholesky(hierarchy.own(at, named, index))
        white = np.linalg.solve(factor, (measured.mean[index] - expected)[:, :, None])
        log_det = 2 * np.log(np.diagonal(factor, axis1=1, axis2=2)).sum(axis=1)
        return np.asarray(-0.5 * (log_det + (white**2).sum(axis=(1, 2))))

    other = rng.integers(len(measured.mean), size=len(chosen))
    take = np.log(rng.random(len(chosen))) < log_density(other) - log_density(chosen)
    return float(take.mean()), np.where(take, other, chosen)


def _draw_contrasts(
    hierarchy: Hierarchy,
    sds: Mapping[str, FloatArray],
    effects: FloatArray,
    chosen: Sequence[IntArray],
    rng: Generator,
) -> FloatArray:
    """Draw contrasts of every list and embedding given the shared effects, (n_draws, L, E).

    Draws of the prior are moved by what was measured of them.
    """
    n, n_embeddings = len(effects), hierarchy.n_embeddings
    zero = np.zeros(n)
    interaction, training = (sds.get(name, zero) for name in ("interaction_sd", "training_sd"))
    found = np.empty((n, len(hierarchy.lists), n_embeddings))
    for at, measured in enumerate(hierarchy.lists):
        expected = MEAN_SD * effects[:, :1]
        of_embedding = sds.get("embedding_sd", zero)[:, None] * effects[:, 1 : 1 + n_embeddings]
        expected = expected + of_embedding
        expected += (sds.get("list_sd", zero) * effects[:, 1 + n_embeddings + at])[:, None]
        apart = interaction[:, None] * rng.standard_normal((n, n_embeddings))
        noise = rng.standard_normal((2, *measured.mean[chosen[at]].shape))
        error = np.linalg.cholesky(measured.covariance[chosen[at]]) @ noise[0][:, :, None]
        drawn = (expected + apart)[:, measured.embedding] + error[:, :, 0]
        drawn += training[:, None] * noise[1]
        surprise = (measured.mean[chosen[at]] - drawn)[:, :, None]
        pull = np.linalg.solve(hierarchy.own(at, sds, chosen[at]), surprise)[:, :, 0]
        loading = np.eye(n_embeddings)[measured.embedding]
        found[:, at] = expected + apart + interaction[:, None] ** 2 * (pull @ loading)
    return found
