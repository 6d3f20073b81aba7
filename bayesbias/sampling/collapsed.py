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

from dataclasses import dataclass

import numpy as np

from .._core.arrays import FloatArray
from ..model.design import IntArray
from .blocks import cholesky, cholesky_blocks, solve_blocks, solve_lower, solve_transposed
from .parameters import correlation_factor, log_prior
from .reduction import Collapsed
from .sufficient import Classes

SMALLEST_SIGMA = 1e-6
"""Residual sds below this get no weight: distances of float32 vectors are not known better, and
double precision gives out beyond."""


@dataclass(frozen=True)
class Scaling:
    """From standard normal coordinates of a unit to its effects: u = D R z, for a stack.

    Parameters
    ----------
    sds : (n, n_classes, d) float
        D, the sds.
    rotation : (n, d, d) float or None
        R, a Cholesky factor of correlations; None where effects do not correlate.
    """

    sds: FloatArray
    rotation: FloatArray | None

    def transposed(self, values: FloatArray) -> FloatArray:
        """R' D applied to (n, n_classes, d, k) values."""
        scaled = values * self.sds[..., None]
        if self.rotation is None:
            return scaled
        return np.asarray(self.rotation.transpose(0, 2, 1)[:, None] @ scaled)

    def both(self, matrices: FloatArray) -> FloatArray:
        """R' D A D R for (n, n_classes, d, d) symmetric matrices A."""
        return self.transposed(np.swapaxes(self.transposed(matrices), -1, -2))

    def of_units(self, of_unit: IntArray) -> Scaling:
        """Return the scaling of units, given their classes."""
        return Scaling(self.sds[:, of_unit], self.rotation)

    def effects(self, coordinates: FloatArray) -> FloatArray:
        """D R z for coordinates z of (n, n_units, d)."""
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
    out, kept : tuple of Scaling and (n, n_classes, d, d) float
        Of the eliminated and of the kept side: the scaling, and the Cholesky factor of the
        precision of a unit alone. None for a side that is not there.
    shared : (n, n_shared) float
        Sds of the shared effects.
    solved_out : (n, n_eliminated, k + 1) float
        Inverse factors of the eliminated side times its coupling with what is kept, and times its
        projection in the last column.
    factor : (n, k, k) float
        Lower Cholesky factor of the precision of what is kept, with the eliminated integrated out.
    solved : (n, k) float
        factor⁻¹ times its projection.
    """

    precision: FloatArray
    out: tuple[Scaling, FloatArray]
    kept: tuple[Scaling, FloatArray] | None
    shared: FloatArray
    solved_out: FloatArray
    factor: FloatArray
    solved: FloatArray

    def draw_kept(self, noise: FloatArray) -> FloatArray:
        """Draw the kept coordinates, (n, k)."""
        return solve_transposed(self.factor, self.solved + noise)

    def draw_eliminated(self, kept: FloatArray, noise: FloatArray) -> FloatArray:
        """Draw the eliminated coordinates given the kept, noise and result (n, n_classes, d)."""
        explained = np.matmul(self.solved_out[:, :, :-1], kept[:, :, None])[:, :, 0]
        right = (self.solved_out[:, :, -1] - explained).reshape(noise.shape) + noise
        return solve_blocks(self.out[1], right[..., None], transposed=True)[..., 0]


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
    precision = residual_precision(posterior, parameters)
    out, kept = posterior.eliminated, posterior.kept
    scaling, factor = _alone(posterior, out, precision, parameters)
    shape = (len(parameters), *out.parameter.shape)
    cross = _weighted(precision, posterior.cross)
    gram = _weighted(precision, posterior.gram)
    projection = precision @ posterior.projection
    kept_alone = None
    if kept is not None:
        kept_alone = _alone(posterior, kept, precision, parameters)
        n = kept.n_coordinates
        for columns in (gram[:, :n], gram.transpose(0, 2, 1)[:, :n], projection[:, :n, None]):
            _scale_rows(kept_alone[0], columns)
        _scale_rows(kept_alone[0], cross.reshape(len(cross), -1, cross.shape[3]).transpose(0, 2, 1)[:, :n])
    shared = shared_sds(posterior, parameters)
    m = shared.shape[1]
    gram[:, -m:] *= shared[:, :, None]
    gram[:, :, -m:] *= shared[:, None]
    projection[:, -m:] *= shared
    cross[..., -m:] *= shared[:, None, None]
    own = _weighted(precision, out.projection)[..., None]
    both = scaling.transposed(np.concatenate([cross, own], axis=3))
    solved_out = solve_blocks(factor, both).reshape(len(parameters), shape[1] * shape[2], -1)
    explained = np.matmul(solved_out[:, :, :-1].transpose(0, 2, 1), solved_out)
    everything = np.arange(gram.shape[1])
    gram[:, everything, everything] += 1
    kept_factor = cholesky(gram - explained[:, :, :-1])
    solved = solve_lower(kept_factor, projection - explained[:, :, -1])
    return Conditional(
        precision, (scaling, factor), kept_alone, shared, solved_out, kept_factor, solved
    )


def _scale_rows(scaling: Scaling, matrices: FloatArray) -> None:
    """Apply R' D to the rows of (n, n_coordinates, k) matrices, in place."""
    shape = (*scaling.sds.shape, matrices.shape[2])
    matrices[:] = scaling.transposed(matrices.reshape(shape)).reshape(matrices.shape)


def _alone(
    posterior: Collapsed, side: Classes, precision: FloatArray, parameters: FloatArray
) -> tuple[Scaling, FloatArray]:
    """Scale of a side's effects, and the factor of their precision if nothing else is unknown."""
    rotation = None
    d = side.parameter.shape[1]
    if side.units.correlated is not None:
        block, where = side.units.correlated
        rotation = np.tile(np.eye(d), (len(parameters), 1, 1))
        rotation[:, where, where] = correlation_factor(parameters[:, block.where], block.n_correlated)
    scaling = Scaling(np.exp(parameters[:, side.parameter]), rotation)
    matrices = scaling.both(_weighted(precision, side.gram))
    diagonal = np.arange(d)
    matrices[..., diagonal, diagonal] += 1
    return scaling, cholesky_blocks(matrices)


def residual_precision(posterior: Collapsed, parameters: FloatArray) -> FloatArray:
    """1 / sigma² of every connection, (n, n_connections)."""
    precision = np.exp(-2 * parameters[:, posterior.block("sigma").where])
    return np.broadcast_to(precision, (len(parameters), len(posterior.rows)))


def shared_sds(posterior: Collapsed, parameters: FloatArray) -> FloatArray:
    """Sds of the shared effects, (n, n_shared): of connection means, then of the terms."""
    index = posterior.shared.parameter
    prior_sd = posterior.spec.priors["connection_mean"].parameters["sd"]
    return np.where(index < 0, prior_sd, np.exp(parameters[:, index]))


def _log_density(posterior: Collapsed, parameters: FloatArray) -> FloatArray:
    given = conditional(posterior, parameters)
    precision = given.precision
    log_det = 2 * np.log(np.diagonal(given.factor, axis1=1, axis2=2)).sum(axis=1)
    log_det += _log_dets(given.out[1]).sum(axis=1)
    fitted = (given.solved_out[:, :, -1] ** 2).sum(axis=1) + (given.solved**2).sum(axis=1)
    for side, alone in ((posterior.eliminated, given.out), (posterior.kept, given.kept)):
        if side is not None and alone is not None:
            log_det += _log_dets(alone[1]) @ (side.size - 1)
            fitted += _deviations(side, precision, *alone)
    total = precision @ posterior.squares
    log_likelihood = 0.5 * (np.log(precision) @ posterior.rows - log_det)
    prior = log_prior(posterior.spec, posterior.blocks, parameters)
    density = log_likelihood - 0.5 * (total - fitted) + prior
    resolved = precision.max(axis=1) <= SMALLEST_SIGMA**-2
    return np.where(resolved & np.isfinite(density), density, -np.inf)


def _log_dets(factors: FloatArray) -> FloatArray:
    """Log determinants of (n, n_classes, d, d) matrices, given their Cholesky factors."""
    return np.asarray(2 * np.log(np.diagonal(factors, axis1=2, axis2=3)).sum(axis=2))


def _deviations(
    side: Classes, precision: FloatArray, scaling: Scaling, factor: FloatArray
) -> FloatArray:
    """What deviations within classes add to the fitted quadratic, (n,)."""
    if (side.size == 1).all():
        return np.zeros(len(precision))
    pairs = (precision[:, :, None] * precision[:, None, :]).reshape(len(precision), -1)
    squares = scaling.both(_weighted(pairs, side.deviation.reshape(-1, *side.deviation.shape[2:])))
    half = solve_blocks(factor, squares)
    whole = solve_blocks(factor, np.swapaxes(half, -1, -2))
    return np.asarray(np.trace(whole, axis1=2, axis2=3).sum(axis=1))


def _weighted(precision: FloatArray, constants: FloatArray) -> FloatArray:
    """Sum over connections of their residual precision times their constant array."""
    flat = precision @ constants.reshape(len(constants), -1)
    return flat.reshape(len(precision), *constants.shape[1:])
