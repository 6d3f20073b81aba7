"""Gibbs sampler of a probit model of signs, with effects of types, clusters and pairs.

Latent normals are drawn as in Albert and Chib (1993, Journal of the American Statistical
Association 88). Given them the model is linear and Gaussian, and all effects are drawn at once:
pairs are integrated out within clusters, clusters out of the rest, and both are drawn back. Sds are
drawn given the effects. Then parts of it all are multiplied by a factor that is drawn with the
latent normals integrated out: effects with their sd, in which sds mix that the effects hold fast
(interweaving: Yu and Meng, 2011, Journal of Computational and Graphical Statistics 20), slopes of
what nearly decides a sign, and everything together.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.random import Generator

from .._core.arrays import FloatArray
from ..model.design import IntArray
from ..model.priors import Prior

WIDTH = 1.0
"""First width of a slice of a logarithmic sd."""

EVERY = 2
"""Parts are multiplied by factors in every so many steps: they cost more than all else."""

SMALLEST = 1e-300
"""Probability that stands for those that underflow."""


@dataclass(frozen=True)
class Rows:
    """Signs, and what they depend on.

    Parameters
    ----------
    positive : (n_rows,) bool
    fixed : (n_rows, n_coefficients) float
        What all coefficients but those of clusters and pairs are multiplied by.
    column : (n_rows,) int
        Which effect of its cluster a row has, below ``n_columns``, beside the one that all share.
    cluster, pair : (n_rows,) int
        A pair is in one cluster.
    shared, paired : bool
        Whether clusters have an effect that all columns share, and pairs one.
    """

    positive: np.ndarray
    fixed: FloatArray
    column: IntArray
    cluster: IntArray
    pair: IntArray
    n_columns: int
    shared: bool
    paired: bool

    @cached_property
    def signs(self) -> FloatArray:
        """1 or -1."""
        return np.where(self.positive, 1.0, -1.0)

    @cached_property
    def n_clusters(self) -> int:
        """How many clusters there are."""
        return int(self.cluster.max()) + 1

    @cached_property
    def n_pairs(self) -> int:
        """How many pairs there are."""
        return int(self.pair.max()) + 1

    @cached_property
    def size(self) -> FloatArray:
        """Rows of every pair."""
        return np.bincount(self.pair).astype(np.float64)

    @cached_property
    def members(self) -> FloatArray:
        """What every effect of its cluster adds to a row, (n_rows, n_effects)."""
        own = np.eye(self.n_columns)[self.column]
        return np.column_stack([own, np.ones(len(own))]) if self.shared else own

    @cached_property
    def moments(self) -> list[tuple[Any, ...]]:
        """Cross products in clusters: those of rows, and of pairs' sums by the pairs' rows.

        Of each: rows of a pair, 0 for single rows; products of members, of members with fixed, and
        of fixed.
        """

        def of(at: IntArray, one: FloatArray, other: FloatArray) -> tuple[FloatArray, ...]:
            products = (
                _summed(one[:, :, None] * each[:, None, :], at, self.n_clusters)
                for each in (one, other)
            )
            return (*products, other.T @ other)

        found = [(0.0, *of(self.cluster, self.members, self.fixed))]
        if not self.paired:
            return found
        cluster = np.zeros(self.n_pairs, dtype=np.int64)
        cluster[self.pair] = self.cluster
        members, fixed = self.in_pairs(self.members), self.in_pairs(self.fixed)
        for n in np.unique(self.size):
            some = np.flatnonzero(self.size == n)
            found.append((float(n), *of(cluster[some], members[some], fixed[some])))
        return found

    @cached_property
    def alike(self) -> tuple[IntArray, IntArray]:
        """One of every kind of clusters with the same moments of members, and each one's kind."""
        of_members = [moment[1].reshape(self.n_clusters, -1) for moment in self.moments]
        found = np.unique(np.hstack(of_members), axis=0, return_index=True, return_inverse=True)
        return found[1], found[2].ravel()

    def in_clusters(self, values: FloatArray) -> FloatArray:
        """Sum rows by cluster."""
        return _summed(values, self.cluster, self.n_clusters)

    def in_pairs(self, values: FloatArray) -> FloatArray:
        """Sum rows by pair."""
        return _summed(values, self.pair, self.n_pairs)


def _summed(values: FloatArray, at: IntArray, n: int) -> FloatArray:
    """Sum rows by an index below n."""
    if values.ndim == 1:
        return np.bincount(at, values, minlength=n)
    found = np.zeros((n, *values.shape[1:]))
    np.add.at(found, at, values)
    return found


@dataclass(frozen=True)
class ProbitPriors:
    """Priors on the probit scale.

    Parameters
    ----------
    mean, sd : (n_coefficients,) float
        Normal priors of the coefficients; where the sd is learnt it is not used.
    learnt : tuple of (coefficients, prior)
        Sets of coefficients that share an sd, and the prior of that sd.
    alone : (n_slopes,) int
        Coefficients that are drawn once more by themselves: slopes of what nearly decides a sign.
    cluster : tuple of Prior
        Of the sd of every effect of a cluster, the shared one last.
    pair : Prior or None
        Of the sd of effects of pairs, if they have any.
    """

    mean: FloatArray
    sd: FloatArray
    learnt: tuple[tuple[IntArray, Prior], ...]
    alone: IntArray
    cluster: tuple[Prior, ...]
    pair: Prior | None


@dataclass
class State:
    """Coefficients, effects and sds of one chain, as they are at present."""

    fixed: FloatArray
    cluster: FloatArray  # (n_clusters, n_effects)
    pair: FloatArray
    fixed_sd: FloatArray  # (n_coefficients,)
    cluster_sd: FloatArray  # (n_effects,)
    pair_sd: float = 0.0

    def copy(self) -> State:
        """Return what later steps do not change."""
        return State(
            fixed=self.fixed.copy(),
            cluster=self.cluster.copy(),
            pair=self.pair.copy(),
            fixed_sd=self.fixed_sd.copy(),
            cluster_sd=self.cluster_sd.copy(),
            pair_sd=self.pair_sd,
        )


def chain(
    rows: Rows, priors: ProbitPriors, rng: Generator, *, tune: int, draws: int
) -> Iterator[State]:
    """Run one chain, and yield its states after the warm-up."""
    n_effects, n_coefficients = rows.members.shape[1], rows.fixed.shape[1]
    state = State(
        fixed=np.zeros(n_coefficients),
        cluster=np.zeros((rows.n_clusters, n_effects)),
        pair=np.zeros(rows.n_pairs),
        fixed_sd=priors.sd.copy(),
        cluster_sd=np.asarray(rng.uniform(0.2, 1.0, size=n_effects)),
        pair_sd=float(rng.uniform(0.2, 1.0)) if rows.paired else 0.0,
    )
    for coefficients, _ in priors.learnt:
        state.fixed_sd[coefficients] = rng.uniform(0.2, 1.0)
    steps = list(_steps(rows, priors))
    for number in range(tune + draws):
        for step in steps if number % EVERY == 1 else ():
            _rescale(rng, rows, priors, state, step)
        z = latent(rng, _expected(rows, state), rows.signs)
        _draw_effects(rng, rows, priors, state, z)
        for coefficients, prior in priors.learnt:
            present = float(state.fixed_sd[coefficients[0]])
            sd = draw_sd(rng, prior, state.fixed[coefficients], present)
            state.fixed_sd[coefficients] = sd
        for at, prior in enumerate(priors.cluster):
            present = float(state.cluster_sd[at])
            state.cluster_sd[at] = draw_sd(rng, prior, state.cluster[:, at], present)
        if priors.pair is not None:
            state.pair_sd = draw_sd(rng, priors.pair, state.pair, state.pair_sd)
        if number >= tune:
            yield state.copy()


def _expected(rows: Rows, state: State) -> FloatArray:
    own = (state.cluster[rows.cluster] * rows.members).sum(axis=1)
    return np.asarray(rows.fixed @ state.fixed + own + state.pair[rows.pair])


def latent(rng: Generator, expected: FloatArray, signs: FloatArray) -> FloatArray:
    """Draw normals of sd one about their means that have these signs."""
    from scipy.special import ndtr, ndtri

    towards = signs * expected
    tail = ndtr(towards) * rng.uniform(size=len(signs))
    return np.asarray(signs * (towards - ndtri(np.maximum(tail, SMALLEST))))


def _draw_effects(
    rng: Generator, rows: Rows, priors: ProbitPriors, state: State, z: FloatArray
) -> None:
    """Draw all coefficients and effects from their Gaussian conditional, in place."""
    variance = state.pair_sd**2
    weights = [-variance / (1 + n * variance) if n else 1.0 for n, *_ in rows.moments]
    inner, cross, outer = (
        sum(weight * moment[at] for weight, moment in zip(weights, rows.moments, strict=True))
        for at in (1, 2, 3)
    )
    residual = z
    if rows.paired:
        share = variance / (1 + rows.size * variance)
        residual = z - (share * rows.in_pairs(z))[rows.pair]
    # Clusters of as many pairs have the same covariance.
    inverse = np.linalg.inv(inner[rows.alike[0]] + np.diag(state.cluster_sd**-2.0))
    factor, inverse = np.linalg.cholesky(inverse)[rows.alike[1]], inverse[rows.alike[1]]
    in_cluster = rows.in_clusters(rows.members * residual[:, None])
    mean, slope = inverse @ in_cluster[:, :, None], inverse @ cross
    flat = cross.reshape(-1, cross.shape[2])
    precision = outer + np.diag(state.fixed_sd**-2.0) - flat.T @ slope.reshape(flat.shape)
    right = rows.fixed.T @ residual - flat.T @ mean.ravel()
    state.fixed = _gaussian(rng, precision, right + priors.mean * state.fixed_sd**-2.0)
    noise = factor @ rng.standard_normal(mean.shape)
    state.cluster = (mean + noise)[:, :, 0] - slope @ state.fixed
    if rows.paired:
        state.pair = np.zeros(rows.n_pairs)
        left = rows.in_pairs(z - _expected(rows, state))
        sd = 1 / np.sqrt(rows.size + 1 / variance)
        state.pair = left * sd**2 + sd * rng.standard_normal(rows.n_pairs)


def _gaussian(rng: Generator, precision: FloatArray, right: FloatArray) -> FloatArray:
    """Draw from a Normal of this precision and this product of precision and mean."""
    from scipy.linalg import solve_triangular

    factor = np.linalg.cholesky(precision)
    half = solve_triangular(factor, right, lower=True) + rng.standard_normal(len(right))
    return np.asarray(solve_triangular(factor.T, half, lower=False))


@dataclass(frozen=True)
class _Scaled:
    """What one step multiplies by a common factor: effects, and sds of effects.

    Masks of coefficients, of effects of clusters, and whether effects of pairs.
    """

    fixed: np.ndarray
    cluster: np.ndarray
    pair: bool = False
    learnt: tuple[int, ...] = ()  # sets of coefficients whose sd is multiplied
    cluster_sd: bool = False  # the sds of the effects of clusters that are
    pair_sd: bool = False


def _steps(rows: Rows, priors: ProbitPriors) -> Iterator[_Scaled]:
    """Sets with their sds, each slope, effects of clusters and pairs with their sds, and all."""
    n, k = rows.fixed.shape[1], rows.members.shape[1]
    coefficients, effects = np.arange(n), np.arange(k)
    for which, (members, _) in enumerate(priors.learnt):
        yield _Scaled(np.isin(coefficients, members), effects < 0, learnt=(which,))
    for at in priors.alone:
        yield _Scaled(coefficients == at, effects < 0)
    for at in effects:
        yield _Scaled(coefficients < 0, effects == at, cluster_sd=True)
    if rows.paired:
        yield _Scaled(coefficients < 0, effects < 0, pair=True, pair_sd=True)
    yield _Scaled(coefficients >= 0, effects >= 0, pair=rows.paired)


def _rescale(rng: Generator, rows: Rows, priors: ProbitPriors, state: State, step: _Scaled) -> None:
    """Multiply a part of a state by a factor that is drawn given the rest, in place.

    The latent normals are integrated out, so that what they hold fast can move. Where an sd moves
    with its effects, their density and the Jacobian cancel.
    """
    of_row = _added(rows, state, step)
    touched = of_row != 0
    moving, signs = of_row[touched], rows.signs[touched]
    resting = _expected(rows, state)[touched] - moving
    free = step.fixed.copy()
    for which in step.learnt:
        free[priors.learnt[which][0]] = False
    values, means, widths = state.fixed[free], priors.mean[free], state.fixed_sd[free]
    n, squares = int(free.sum()), 0.0
    if not step.cluster_sd:
        n += rows.n_clusters * int(step.cluster.sum())
        squares += float(((state.cluster / state.cluster_sd)[:, step.cluster] ** 2).sum())
    if step.pair and not step.pair_sd:
        n += rows.n_pairs
        squares += float((state.pair**2).sum()) / state.pair_sd**2
    sds = _sds(priors, state, step)

    def log_density(log_factor: float) -> float:
        factor = np.exp(log_factor)
        found = _log_likelihood(signs * (resting + factor * moving)) + n * log_factor
        found -= 0.5 * (factor**2 * squares + (((factor * values - means) / widths) ** 2).sum())
        for prior, sd in sds:
            found += float(prior.log_density(factor * sd)) + log_factor
        return float(found)

    _multiply(priors, state, step, float(np.exp(_slice_step(rng, log_density, 0.0))))


def _added(rows: Rows, state: State, step: _Scaled) -> FloatArray:
    """What a part of a state adds to every row."""
    of_row = rows.fixed[:, step.fixed] @ state.fixed[step.fixed]
    if step.cluster.any():
        mine = state.cluster[rows.cluster] * rows.members
        of_row = of_row + mine[:, step.cluster].sum(axis=1)
    return np.asarray(of_row + state.pair[rows.pair] if step.pair else of_row)


def _sds(priors: ProbitPriors, state: State, step: _Scaled) -> list[tuple[Prior, float]]:
    """Return the sds that a step multiplies, with their priors."""
    found = [
        (prior, float(state.fixed_sd[members[0]]))
        for members, prior in (priors.learnt[which] for which in step.learnt)
    ]
    if step.cluster_sd:
        chosen = np.flatnonzero(step.cluster)
        found += [(priors.cluster[at], float(state.cluster_sd[at])) for at in chosen]
    if step.pair_sd and priors.pair is not None:
        found.append((priors.pair, state.pair_sd))
    return found


def _multiply(priors: ProbitPriors, state: State, step: _Scaled, factor: float) -> None:
    """Multiply a part of a state, in place."""
    state.fixed[step.fixed] *= factor
    state.cluster[:, step.cluster] *= factor
    for which in step.learnt:
        state.fixed_sd[priors.learnt[which][0]] *= factor
    if step.cluster_sd:
        state.cluster_sd[step.cluster] *= factor
    if step.pair:
        state.pair = state.pair * factor
    if step.pair_sd:
        state.pair_sd *= factor


def _log_likelihood(towards: FloatArray) -> float:
    """Sum of log probabilities of signs; faster than `log_ndtr`, and the same but far out."""
    from scipy.special import ndtr

    return float(np.log(np.maximum(ndtr(towards), SMALLEST)).sum())


def draw_sd(rng: Generator, prior: Prior, effects: FloatArray, present: float) -> float:
    """Draw the sd of effects given these."""
    squares, n = float((effects**2).sum()), effects.size

    def log_density(log_sd: float) -> float:
        sd = np.exp(log_sd)
        return float(prior.log_density(sd) + (1 - n) * log_sd - squares / (2 * sd**2))

    return float(np.exp(_slice_step(rng, log_density, float(np.log(present)))))


def _slice_step(rng: Generator, log_density: Callable[[float], float], present: float) -> float:
    """Draw a new logarithm by slice sampling with stepping out.

    Neal (2003), Annals of Statistics 31.
    """
    level = log_density(present) - rng.exponential()
    low = present - WIDTH * rng.uniform()
    high = low + WIDTH
    while log_density(low) > level:
        low -= WIDTH
    while log_density(high) > level:
        high += WIDTH
    while True:
        new = float(rng.uniform(low, high))
        if log_density(new) >= level:
            return new
        low, high = (new, high) if new < present else (low, new)
