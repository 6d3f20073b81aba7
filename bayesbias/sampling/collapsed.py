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
eliminated first.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.random import Generator

from .._core.arrays import FloatArray
from .blocks import cholesky, cholesky_blocks, solve_blocks, solve_lower, solve_transposed
from .parameters import correlation_factor, log_prior
from .reduction import SMALLEST_SIGMA, Collapsed
from .sufficient import Classes


@dataclass(frozen=True)
class Alone:
    """Effects u = D R z of a side's units, z standard normal, if nothing else were unknown.

    Parameters
    ----------
    sds : (n, n_classes, d) float
        D, the sds.
    rotation : (n, d, d) float or None
        R, a Cholesky factor of correlations; None where effects do not correlate.
    factor : (n, n_classes, d, d) float
        Cholesky factor of the precision of a unit's z.
    """

    sds: FloatArray
    rotation: FloatArray | None
    factor: FloatArray

    def scale(self, values: FloatArray) -> FloatArray:
        """R' D applied to (n, n_classes, d, k) values."""
        return _rotate(self.rotation, values * self.sds[..., None])

    def effects(self, coordinates: FloatArray) -> FloatArray:
        """D R z for coordinates z of the classes, (n, n_classes, d)."""
        if self.rotation is not None:
            coordinates = coordinates @ self.rotation.transpose(0, 2, 1)
        return coordinates * self.sds


@dataclass(frozen=True)
class Conditional:
    """The Gaussian of the class coordinates given the parameters, for a stack of them.

    Parameters
    ----------
    precision : (n, n_connections) float
        1 / sigma².
    alone : tuple of Alone
        Of every side of the posterior.
    shared : (n, n_shared) float
        Sds of the shared effects.
    solved_out : (n, n_eliminated, n_kept + 1) float
        Inverse factor of the eliminated side times its coupling with what is kept, and times its
        projection in the last column.
    factor : (n, n_kept, n_kept) float
        Lower Cholesky factor of the precision of what is kept, with the eliminated integrated out.
    solved : (n, n_kept) float
        factor⁻¹ times its projection.
    """

    precision: FloatArray
    alone: tuple[Alone, ...]
    shared: FloatArray
    solved_out: FloatArray
    factor: FloatArray
    solved: FloatArray

    def draw_kept(self, rng: Generator) -> FloatArray:
        """Draw the kept coordinates, (n, n_kept)."""
        return solve_transposed(self.factor, self.solved + rng.standard_normal(self.solved.shape))

    def draw_eliminated(self, alone: Alone, kept: FloatArray, rng: Generator) -> FloatArray:
        """Draw the eliminated coordinates given the kept, (n, n_classes, d)."""
        explained = np.matmul(self.solved_out[:, :, :-1], kept[:, :, None])[:, :, 0]
        right = (self.solved_out[:, :, -1] - explained).reshape(alone.sds.shape)
        right = right + rng.standard_normal(right.shape)
        return solve_blocks(alone.factor, right[..., None], transposed=True)[..., 0]


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
        _log_density(posterior, parameters[start : start + rows])
        for start in range(0, len(parameters), rows)
    ]
    return np.concatenate(parts)


def conditional(posterior: Collapsed, parameters: FloatArray) -> Conditional:
    """Return the Gaussian of the class coordinates given the parameters, (n, n_parameters)."""
    n = len(parameters)
    unpooled = np.full((n, 1), np.log(posterior.unpooled_sd))
    parameters = np.concatenate([parameters, unpooled], axis=1)
    precision = residual_precision(posterior, parameters)
    shared = shared_sds(posterior, parameters)
    alone = tuple(_alone(side, precision, parameters) for side in posterior.sides)
    out, *kept = alone
    sds = np.concatenate([*(each.sds.reshape(n, -1) for each in kept), shared], axis=1)
    gram = _weighted(precision, posterior.gram)
    gram *= sds[:, :, None]
    gram *= sds[:, None, :]
    projection = (precision @ posterior.projection) * sds
    cross = _weighted(precision, posterior.cross)
    cross *= sds[:, None, None]
    own = _weighted(precision, posterior.eliminated.projection)[..., None]
    both = np.concatenate([cross, own], axis=3)
    couple = both.reshape(n, -1, both.shape[3])[:, :, :-1].transpose(0, 2, 1)
    for each in kept:
        _rotate_kept(each, [gram, gram.transpose(0, 2, 1), projection[:, :, None], couple])
    everything = np.arange(gram.shape[1])
    gram[:, everything, everything] += 1
    solved_out = solve_blocks(out.factor, out.scale(both)).reshape(n, -1, both.shape[3])
    explained = np.matmul(solved_out[:, :, :-1].transpose(0, 2, 1), solved_out)
    gram -= explained[:, :, :-1]
    projection -= explained[:, :, -1]
    factor = cholesky(gram)
    solved = solve_lower(factor, projection)
    return Conditional(precision, alone, shared, solved_out, factor, solved)


def _alone(side: Classes, precision: FloatArray, parameters: FloatArray) -> Alone:
    rotation = None
    d = side.parameter.shape[1]
    if side.units.correlated is not None:
        block, where = side.units.correlated
        rotation = np.tile(np.eye(d), (len(parameters), 1, 1))
        own = parameters[:, block.where]
        rotation[:, where, where] = correlation_factor(own, block.n_correlated)
    sds = np.exp(parameters[:, side.parameter])
    matrices = _both(sds, rotation, _weighted(precision, side.gram))
    diagonal = np.arange(d)
    matrices[..., diagonal, diagonal] += 1
    return Alone(sds, rotation, cholesky_blocks(matrices))


def _rotate(rotation: FloatArray | None, values: FloatArray) -> FloatArray:
    """R' applied to (n, n_classes, d, k) values."""
    if rotation is None:
        return values
    return np.asarray(rotation.transpose(0, 2, 1)[:, None] @ values)


def _both(sds: FloatArray, rotation: FloatArray | None, matrices: FloatArray) -> FloatArray:
    """R' D A D R for (n, n_classes, d, d) symmetric matrices A."""
    scaled = matrices * sds[..., None] * sds[..., None, :]
    return _rotate(rotation, np.swapaxes(_rotate(rotation, scaled), -1, -2))


def _rotate_kept(kept: Alone, arrays: Sequence[FloatArray]) -> None:
    """Apply R' of the kept side to its rows, the first, of (n, n_kept, k) arrays, in place."""
    if kept.rotation is None:
        return
    n, n_classes, d = kept.sds.shape
    for array in arrays:
        own = array[:, : n_classes * d].reshape(n, n_classes, d, -1)
        array[:, : n_classes * d] = _rotate(kept.rotation, own).reshape(n, n_classes * d, -1)


def residual_precision(posterior: Collapsed, parameters: FloatArray) -> FloatArray:
    """1 / sigma² of every connection, (n, n_connections)."""
    precision = np.exp(-2 * parameters[:, posterior.block("sigma").where])
    return np.broadcast_to(precision, (len(parameters), len(posterior.rows)))


def shared_sds(posterior: Collapsed, parameters: FloatArray) -> FloatArray:
    """Sds of the shared effects, (n, n_shared): of connection means, then of the terms."""
    index = posterior.shared.parameter
    prior_sd = posterior.spec.mean_sd
    return np.where(index < 0, prior_sd, np.exp(parameters[:, index]))


def _log_density(posterior: Collapsed, parameters: FloatArray) -> FloatArray:
    given = conditional(posterior, parameters)
    precision = given.precision
    log_det = 2 * np.log(np.diagonal(given.factor, axis1=1, axis2=2)).sum(axis=1)
    fitted = (given.solved_out[:, :, -1] ** 2).sum(axis=1) + (given.solved**2).sum(axis=1)
    for side, alone in zip(posterior.sides, given.alone, strict=True):
        n_alike = side.size if side is posterior.eliminated else side.size - 1
        log_det += 2 * np.log(np.diagonal(alone.factor, axis1=2, axis2=3)).sum(axis=2) @ n_alike
        fitted += _deviations(side, precision, alone)
    total = precision @ posterior.squares
    log_likelihood = 0.5 * (np.log(precision) @ posterior.rows - log_det)
    prior = log_prior(posterior.spec, posterior.blocks, parameters)
    density = log_likelihood - 0.5 * (total - fitted) + prior
    resolved = precision.max(axis=1) <= SMALLEST_SIGMA**-2
    return np.where(resolved & np.isfinite(density), density, -np.inf)


def _deviations(side: Classes, precision: FloatArray, alone: Alone) -> FloatArray:
    """What deviations within classes add to the fitted quadratic, (n,)."""
    if (side.size == 1).all():
        return np.zeros(len(precision))
    pairs = (precision[:, :, None] * precision[:, None, :]).reshape(len(precision), -1)
    products = _weighted(pairs, side.deviation.reshape(-1, *side.deviation.shape[2:]))
    half = solve_blocks(alone.factor, _both(alone.sds, alone.rotation, products))
    whole = solve_blocks(alone.factor, np.swapaxes(half, -1, -2))
    return np.asarray(np.trace(whole, axis1=2, axis2=3).sum(axis=1))


def _weighted(precision: FloatArray, constants: FloatArray) -> FloatArray:
    """Sum over connections of their residual precision times their constant array."""
    flat = precision @ constants.reshape(len(constants), -1)
    return flat.reshape(len(precision), *constants.shape[1:])
