r"""The posterior of a Normal model with all effects integrated out analytically.

Given its standard deviations a Normal model is a linear Gaussian model. Write every effect as its
sd times a standard normal coordinate, :math:`u = S z` with :math:`z \sim N(0, I)`, rows as
:math:`y - m_0 = X S z + \varepsilon`, and residual precisions as :math:`\lambda_c =
\sigma_c^{-2}`. With :math:`P = I + S X^T \Lambda X S` and :math:`b = S X^T \Lambda (y - m_0)`

.. math:: \log p(y | sds) = \tfrac12 \sum_c n_c \log \lambda_c - \tfrac12 \log |P|
   - \tfrac12 (y - m_0)^T \Lambda (y - m_0) + \tfrac12 b^T P^{-1} b + const

and :math:`z | y, sds \sim N(P^{-1} b, P^{-1})`. :math:`X^T \Lambda X` is :math:`\sum_c \lambda_c
X_c^T X_c` with constant matrices, so the rows are never needed again, and on the standard normal
scale nothing is divided by an sd that goes to zero. The precision of cells among themselves is
block diagonal with a block a word, and so is that of attributes; the larger of the two sides is
eliminated first. The rest is bordered by :math:`b` and the square of :math:`y - m_0`, so that its
Cholesky factor ends in the root of the last two terms' sum.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.random import Generator

from .._core.arrays import FloatArray
from .blocks import cholesky, cholesky_blocks, solve_blocks, solve_transposed
from .parameters import correlation_factor, log_prior
from .reduction import SMALLEST_SIGMA, Collapsed
from .sufficient import Classes


@dataclass(frozen=True)
class Alone:
    """Effects u = D R z of a side's units, z standard normal, if nothing else were unknown.

    Parameters
    ----------
    sds : (n_classes, d, n) float
        D, the sds.
    correlated : slice
        The coordinates that correlate.
    rotation : (k, k, n) float
        R of these, a Cholesky factor of correlations; elsewhere it is the identity.
    factor : (n_classes, d, d, n) float
        Cholesky factor of the precision of a unit's z.
    """

    sds: FloatArray
    correlated: slice
    rotation: FloatArray
    factor: FloatArray

    def scale(self, values: FloatArray) -> FloatArray:
        """R' D applied to (n_classes, d, k, n) values."""
        return _rotate(self.correlated, self.rotation, values * self.sds[:, :, None])

    def effects(self, coordinates: FloatArray) -> FloatArray:
        """D R z for coordinates z of the classes, (n_classes, d, n)."""
        transposed = np.swapaxes(self.rotation, 0, 1)
        found = _rotate(self.correlated, transposed, coordinates[:, :, None].copy())
        return np.asarray(found[:, :, 0] * self.sds)


@dataclass(frozen=True)
class Conditional:
    """The Gaussian of the class effects given the parameters, for a stack of them.

    Parameters
    ----------
    precision : (n_noise, n) float
        1 / sigma².
    alone : tuple of Alone
        Of every side of the posterior.
    shared : (n_shared, n) float
        Sds of the shared effects.
    left : function of (n, n_kept) float
        Inverse factor of the eliminated side times its coupling with the outcome, less that with
        what is kept times effects, (n, n_eliminated).
    factor : (n, n_kept + 1, n_kept + 1) float
        Lower Cholesky factor of the precision of what is kept, with the eliminated integrated out,
        bordered by the outcome: before its last row's end stands the inverse factor times the
        projection, and at the end the root of what is left of the outcome's square.
    others : function
        Of the outcomes that are alike: the inverse factor times their projections,
        (n, n_kept, n_alike), and what is left of their squares together, (n,).
    """

    precision: FloatArray
    alone: tuple[Alone, ...]
    shared: FloatArray
    solved: FloatArray
    factor: FloatArray
    others: Callable[[], tuple[FloatArray, FloatArray]]

    def draw(self, rng: Generator | None) -> tuple[list[FloatArray], FloatArray]:
        """Draw class effects of every side, (n_classes, d, n), and the shared, (n_shared, n).

        Without a generator they are the conditional means.
        """
        out, *kept = self.alone
        solved = self.factor[:, -1, :-1]
        noise = standard_noise(solved.shape, rng)
        coordinates = solve_transposed(self.factor[:, :-1, :-1], solved + noise).T
        shared = coordinates[-len(self.shared) :] * self.shared
        effects = [
            each.effects(coordinates[: -len(self.shared)].reshape(each.sds.shape)) for each in kept
        ]
        known = np.concatenate([*(each.reshape(-1, len(noise)) for each in effects), shared])
        right = self.solved[:, :, -1] - times(self.solved[:, :, :-1], known.T)
        right += standard_noise(right.shape, rng)
        blocks = right.T.reshape(*out.sds.shape[:2], 1, -1)
        own = solve_blocks(out.factor, blocks, transposed=True)[:, :, 0]
        return [out.effects(own), *effects], shared


def log_density(posterior: Collapsed, parameters: FloatArray) -> FloatArray:
    """Log posterior density of the parameters, up to a constant.

    Parameters
    ----------
    posterior : Collapsed
    parameters : (n, n_parameters) float
        Log sds, and inverse hyperbolic tangents of partial correlations.

    Returns
    -------
    (n,) float
        -inf below ``SMALLEST_SIGMA``, and where the linear algebra breaks down, which it does
        only at absurd scales.
    """
    rows = posterior.rows_at_once
    parts = [
        _log_likelihood(posterior, parameters[start : start + rows])
        for start in range(0, len(parameters), rows)
    ]
    density = np.concatenate(parts) + log_prior(posterior.spec, posterior.blocks, parameters)
    return np.where(np.isfinite(density), density, -np.inf)


def mean_moments(
    posterior: Collapsed, parameters: FloatArray, weights: FloatArray
) -> tuple[FloatArray, FloatArray]:
    """Mean and variance of sums of connection means given the parameters.

    Parameters
    ----------
    posterior : Collapsed
    parameters : (n, n_parameters) float
    weights : (n_connections,) float
        Of the connection means in the sum, such as 1 and -1 of two that are compared.

    Returns
    -------
    (n, 1 + n_alike) float, (n,) float
        The sum is Gaussian given the parameters: its mean for this outcome and for those alike,
        and the variance, which they share.
    """
    rows, parts = posterior.rows_at_once, []
    for start in range(0, len(parameters), rows):
        given = conditional(posterior, parameters[start : start + rows])
        first = given.factor.shape[1] - 1 - len(given.shared)
        weight = np.zeros((len(given.factor), given.factor.shape[1] - 1, 1))
        weight[:, first : first + len(weights), 0] = given.shared[: len(weights)].T * weights
        across = np.linalg.solve(given.factor[:, :-1, :-1], weight)[:, :, 0]
        solved = given.factor[:, -1, :-1, None]
        if posterior.alike:
            solved = np.concatenate([solved, given.others()[0]], axis=2)
        means = np.einsum("nq,nqk->nk", across, solved)
        parts.append(np.column_stack([means, (across**2).sum(axis=1)]))
    found = np.concatenate(parts)
    return found[:, :-1] + posterior.centre * weights.sum(), found[:, -1]


def conditional(posterior: Collapsed, parameters: FloatArray) -> Conditional:
    """Return the Gaussian of the class effects given the parameters, (n, n_parameters)."""
    n = len(parameters)
    # Behind the parameters come sds that are known; that of the connection means at index -1.
    known = np.log([posterior.unpooled_sd, posterior.spec.mean_sd])[:, None]
    sds = np.exp(np.concatenate([parameters.T, np.broadcast_to(known, (2, n))]))
    precision = residual_precision(posterior, parameters)
    shared = sds[posterior.shared.parameter]
    alone = tuple(_alone(side, precision, parameters, sds) for side in posterior.sides)
    out, *kept = alone
    solved = _eliminated(posterior, out, precision)
    flat = precision.T @ posterior.gram.reshape(len(precision), -1)
    gram = flat.reshape(n, *posterior.gram.shape[1:])
    gram -= np.swapaxes(solved, 1, 2) @ solved
    scales = np.concatenate([*(each.sds.reshape(-1, n) for each in kept), shared]).T.copy()
    gram[:, :-1] *= scales[:, :, None]
    gram[:, :, :-1] *= scales[:, None]
    for each in kept:
        _rotate_kept(each, gram)
        _rotate_kept(each, np.swapaxes(gram, 1, 2))
    diagonal = np.arange(gram.shape[1] - 1)
    gram[:, diagonal, diagonal] += 1
    factor = cholesky(gram)

    def others() -> tuple[FloatArray, FloatArray]:
        outcome = np.concatenate([each.cross[..., -1:] for each in posterior.alike], axis=3)
        coupled = solve_blocks(out.factor, out.scale(_weighted(outcome, precision)))
        coupled = np.moveaxis(coupled, -1, 0).reshape(n, -1, len(posterior.alike))
        border = np.stack([each.gram[:, :, -1] for each in posterior.alike], axis=2)
        border = np.tensordot(precision.T, border, 1)
        columns = border[:, :-1] - np.swapaxes(solved[:, :, :-1], 1, 2) @ coupled
        columns *= scales[:, :, None]
        for each in kept:
            _rotate_kept(each, columns)
        white = np.linalg.solve(factor[:, :-1, :-1], columns)
        squares = (coupled**2).sum(axis=(1, 2)) + (white**2).sum(axis=(1, 2))
        return white, border[:, -1].sum(axis=1) - squares

    return Conditional(precision, alone, shared, solved, factor, others)


def _eliminated(posterior: Collapsed, out: Alone, precision: FloatArray) -> FloatArray:
    """Inverse factor of the eliminated side times its coupling, (n, n_eliminated, n_kept + 1)."""
    solved = solve_blocks(out.factor, out.scale(_weighted(posterior.cross, precision)))
    solved = np.ascontiguousarray(np.moveaxis(solved, -1, 0))
    return solved.reshape(precision.shape[1], -1, solved.shape[-1])


def _alone(side: Classes, precision: FloatArray, parameters: FloatArray, sds: FloatArray) -> Alone:
    correlated, rotation = slice(0), np.ones((0, 0, len(parameters)))
    if side.units.correlated is not None:
        block, correlated = side.units.correlated
        factors = correlation_factor(parameters[:, block.where], block.n_correlated)
        rotation = np.ascontiguousarray(np.moveaxis(factors, 0, -1))
    own = sds[side.parameter]
    matrices = _weighted(side.gram, precision)
    for _ in range(2):
        matrices = _rotate(correlated, rotation, matrices * own[:, :, None]).swapaxes(1, 2)
    diagonal = np.arange(own.shape[1])
    matrices[:, diagonal, diagonal] += 1
    return Alone(own, correlated, rotation, cholesky_blocks(matrices))


def _rotate(correlated: slice, rotation: FloatArray, values: FloatArray) -> FloatArray:
    """R' applied to (n_classes, d, k, n) values, in place."""
    if len(rotation):
        own = values[:, correlated]
        values[:, correlated] = np.einsum("ijn,qikn->qjkn", rotation, own)
    return values


def _rotate_kept(kept: Alone, gram: FloatArray) -> None:
    """R' of the kept side applied to its rows, the first, of (n, k, k) arrays, in place."""
    n_classes, d, n = kept.sds.shape
    if len(kept.rotation):
        rows = gram[:, : n_classes * d].reshape(n, n_classes, d, -1)[:, :, kept.correlated]
        rows[:] = kept.rotation.transpose(2, 1, 0)[:, None] @ rows


def standard_noise(shape: tuple[int, ...], rng: Generator | None) -> FloatArray:
    """Standard normal numbers, or without a generator their means, zeros."""
    return np.zeros(shape) if rng is None else rng.standard_normal(shape)


def times(matrices: FloatArray, vectors: FloatArray) -> FloatArray:
    """Products of (n, i, j) matrices and (n, j) vectors, (n, i)."""
    return np.asarray(np.matmul(matrices, vectors[..., None])[..., 0])


def residual_precision(posterior: Collapsed, parameters: FloatArray) -> FloatArray:
    """1 / sigma² of the rows that share one, (n_noise, n)."""
    precision = np.exp(-2 * parameters[:, posterior.block("sigma").where].T)
    return np.repeat(precision, len(posterior.rows) // len(precision), axis=0)


def _log_likelihood(posterior: Collapsed, parameters: FloatArray) -> FloatArray:
    given = conditional(posterior, parameters)
    precision = given.precision
    diagonal = np.diagonal(given.factor, axis1=1, axis2=2)
    log_det = 2 * np.log(diagonal[:, :-1]).sum(axis=1)
    n_outcomes = 1 + len(posterior.alike)
    unexplained = diagonal[:, -1] ** 2
    if posterior.alike:
        unexplained = unexplained + given.others()[1]
    for at, (side, alone) in enumerate(zip(posterior.sides, given.alone, strict=True)):
        n_alike = side.size if side is posterior.eliminated else side.size - 1
        blocks = np.diagonal(alone.factor, axis1=1, axis2=2)
        log_det += 2 * (n_alike @ np.log(blocks).sum(axis=2))
        for each in (posterior, *posterior.alike):
            apart = _weighted(each.sides[at].deviation, precision)
            deviation = solve_blocks(alone.factor, alone.scale(apart))
            unexplained -= (deviation**2).sum(axis=(0, 1, 2))
    known = posterior.rows @ np.log(precision) - log_det
    log_likelihood = 0.5 * (n_outcomes * known - unexplained)
    resolved = precision.max(axis=0) <= SMALLEST_SIGMA**-2
    return np.where(resolved, log_likelihood, -np.inf)


def _weighted(constants: FloatArray, precision: FloatArray) -> FloatArray:
    """Sum over residual precisions of their constant array times them, (..., n)."""
    flat = constants.reshape(len(constants), -1).T @ precision
    return flat.reshape(*constants.shape[1:], precision.shape[1])
