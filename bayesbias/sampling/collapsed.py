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
diagonal, and so is that of attributes; the larger of the two sides is eliminated first.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from .._core.arrays import FloatArray
from ..model.design import IntArray
from .reduction import SMALLEST_SIGMA, Collapsed, Side


@dataclass(frozen=True)
class Eliminated:
    """Precision and projection of the eliminated effects, given all others, (n, n_eliminated)."""

    precision: FloatArray
    projection: FloatArray

    def draw(self, explained: FloatArray, noise: FloatArray) -> FloatArray:
        """Draw these effects, given what kept coordinates explain of their projection."""
        mean = (self.projection - explained) / self.precision
        return np.asarray(mean + noise / np.sqrt(self.precision))


@dataclass(frozen=True)
class Conditional:
    """The Gaussian of the class coordinates given the sds, for a stack of sd vectors."""

    eliminated: Eliminated
    cross: FloatArray  # (n, n_eliminated, k): coupling of the former with kept effects and means
    factor: FloatArray  # (n, k, k): lower Cholesky factor of the precision of these
    solved: FloatArray  # (n, k): factor⁻¹ times their projection

    @property
    def pivots(self) -> FloatArray:
        """Diagonal of the factor, (n, k)."""
        return np.diagonal(self.factor, axis1=1, axis2=2)

    def draw_kept(self, noise: FloatArray) -> FloatArray:
        """Draw kept effects and means, (n, k)."""
        return _solve_transposed(self.factor, self.solved + noise)

    def explained(self, kept: FloatArray) -> FloatArray:
        """What drawn kept effects and means explain of the eliminated projections."""
        return np.asarray(np.matmul(self.cross, kept[:, :, None])[:, :, 0])


@dataclass(frozen=True)
class Separate:
    """The same where kept coordinates are not coupled: without effects that many cells share."""

    eliminated: Eliminated
    mean_of: IntArray  # (n_eliminated,): the only kept coordinate that each is coupled with
    cross: FloatArray  # (n, n_eliminated): coupling with that
    pivots: FloatArray  # (n, k): root of the precision of kept coordinates
    solved: FloatArray  # (n, k): their projections over it

    def draw_kept(self, noise: FloatArray) -> FloatArray:
        """Draw the kept coordinates, (n, k)."""
        return (self.solved + noise) / self.pivots

    def explained(self, kept: FloatArray) -> FloatArray:
        """What drawn kept coordinates explain of the eliminated projections."""
        return self.cross * kept[:, self.mean_of]


def log_density(posterior: Collapsed, log_sds: FloatArray) -> FloatArray:
    """Log posterior density of (n, n_sds) log standard deviations, up to a constant.

    It is -inf below ``SMALLEST_SIGMA``, and where the linear algebra breaks down, which it does
    only at absurd scales.
    """
    rows = posterior.rows_at_once
    parts = [
        _log_density(posterior, log_sds[start : start + rows])
        for start in range(0, len(log_sds), rows)
    ]
    return np.concatenate(parts)


def conditional(posterior: Collapsed, log_sds: FloatArray) -> Conditional | Separate:
    """Return the Gaussian of the class coordinates given the sds, (n, n_sds) log sds."""
    precision = residual_precision(posterior, log_sds)
    scale_out = np.exp(log_sds[:, posterior.eliminated.sd_index])
    scale_in = kept_scales(posterior, log_sds)
    eliminated = Eliminated(
        1 + scale_out**2 * (precision @ posterior.eliminated.gram),
        scale_out * (precision @ posterior.eliminated.projection),
    )
    projection = scale_in * np.concatenate(
        [precision @ posterior.kept.projection, precision @ posterior.means_projection], axis=1
    )
    if posterior.mean_of is not None:
        return _separate(posterior, precision, eliminated, (scale_out, scale_in), projection)
    cross = _weighted(precision, posterior.cross) * scale_out[:, :, None] * scale_in[:, None, :]
    reduced = cross / eliminated.precision[:, :, None]
    schur = _kept_gram(posterior, precision, scale_in)
    schur -= np.matmul(cross.transpose(0, 2, 1), reduced)
    explained = np.matmul(reduced.transpose(0, 2, 1), eliminated.projection[:, :, None])[:, :, 0]
    factor = _cholesky(schur)
    return Conditional(eliminated, cross, factor, _solve_lower(factor, projection - explained))


def _separate(
    posterior: Collapsed,
    precision: FloatArray,
    eliminated: Eliminated,
    scales: tuple[FloatArray, FloatArray],
    projection: FloatArray,
) -> Separate:
    mean_of = posterior.mean_of
    assert mean_of is not None
    scale_out, scale_in = scales
    own, diagonal = np.arange(len(mean_of)), np.arange(projection.shape[1])
    members = np.asarray(mean_of[:, None] == diagonal, dtype=np.float64)
    cross = scale_out * scale_in[:, mean_of] * (precision @ posterior.cross[:, own, mean_of])
    reduced = cross / eliminated.precision
    gram = scale_in**2 * (precision @ posterior.means_gram[:, diagonal, diagonal])
    schur = 1 + gram - (cross * reduced) @ members
    pivots = np.sqrt(np.where(schur > 0, schur, np.nan))  # rounding may make it negative
    solved = (projection - (reduced * eliminated.projection) @ members) / pivots
    return Separate(eliminated, mean_of, cross, pivots, solved)


def _kept_gram(posterior: Collapsed, precision: FloatArray, scale_in: FloatArray) -> FloatArray:
    """Precision of kept effects and means, given the eliminated ones, (n, k, k).

    Its upper half is left unfinished: a Cholesky factorisation reads the lower one only.
    """
    n_kept = len(posterior.kept.sd_index)
    gram = np.zeros((*scale_in.shape, scale_in.shape[1]))
    diagonal = np.arange(n_kept)
    gram[:, diagonal, diagonal] = precision @ posterior.kept.gram
    gram[:, n_kept:, n_kept:] = _weighted(precision, posterior.means_gram)
    gram[:, n_kept:, :n_kept] = _weighted(precision, posterior.coupling).transpose(0, 2, 1)
    gram *= scale_in[:, :, None] * scale_in[:, None, :]
    everything = np.arange(scale_in.shape[1])
    gram[:, everything, everything] += 1
    return gram


def residual_precision(posterior: Collapsed, log_sds: FloatArray) -> FloatArray:
    """1 / sigma² of every connection, (n, n_connections)."""
    block = posterior.block("sigma")
    assert block is not None  # every model has one
    precision = np.exp(-2 * log_sds[:, block.where])
    return np.broadcast_to(precision, (len(log_sds), len(posterior.design.connections)))


def kept_scales(posterior: Collapsed, log_sds: FloatArray) -> FloatArray:
    """Sds of the kept effects, then of the means: of connections, of groups, then contexts."""
    n_connections = len(posterior.design.connections)
    prior_sd = posterior.spec.priors["connection_mean"].parameters["sd"]
    scales = [
        np.exp(log_sds[:, posterior.kept.sd_index]),
        np.full((len(log_sds), n_connections), prior_sd),
    ]
    block = posterior.block("group_sd")
    if block is not None:
        n_groups = len(posterior.design.groups)
        scales.append(np.tile(np.exp(log_sds[:, block.where]), (1, n_groups)))
    block = posterior.block("context_sd")
    if block is not None:
        n_contexts = len(posterior.design.contexts)
        scales.append(np.tile(np.exp(log_sds[:, block.where]), (1, n_contexts)))
    return np.concatenate(scales, axis=1)


def _log_density(posterior: Collapsed, log_sds: FloatArray) -> FloatArray:
    precision = residual_precision(posterior, log_sds)
    given = conditional(posterior, log_sds)
    out = given.eliminated
    log_det = np.log(out.precision).sum(axis=1) + 2 * np.log(given.pivots).sum(axis=1)
    fitted = (out.projection**2 / out.precision).sum(axis=1) + (given.solved**2).sum(axis=1)
    for side in (posterior.eliminated, posterior.kept):
        dev_log_det, dev_fitted = _deviations(side, precision, log_sds)
        log_det += dev_log_det
        fitted += dev_fitted
    total = precision @ posterior.statistics.squares
    log_likelihood = 0.5 * (np.log(precision) @ posterior.statistics.rows - log_det)
    density = log_likelihood - 0.5 * (total - fitted) + _log_prior(posterior, log_sds)
    resolved = precision.max(axis=1) <= SMALLEST_SIGMA**-2
    return np.where(resolved & np.isfinite(density), density, -np.inf)


def _deviations(
    side: Side, precision: FloatArray, log_sds: FloatArray
) -> tuple[FloatArray, FloatArray]:
    """What deviations within classes add to the log determinant and to the fitted quadratic."""
    variance = np.exp(2 * log_sds[:, side.sd_index])
    own = 1 + variance * (precision @ side.gram)
    pairs = (precision[:, :, None] * precision[:, None, :]).reshape(len(precision), -1)
    squares = pairs @ side.deviation.reshape(pairs.shape[1], -1)
    return np.log(own) @ side.n_deviations, (variance * squares / own).sum(axis=1)


def _log_prior(posterior: Collapsed, log_sds: FloatArray) -> FloatArray:
    """Log prior density of the log sds: that of the sds and the Jacobian."""
    total = log_sds.sum(axis=1)
    for block in posterior.blocks:
        prior = posterior.spec.priors[block.name]
        total = total + prior.log_density(np.exp(log_sds[:, block.where])).sum(axis=1)
    return total


def _weighted(precision: FloatArray, constants: FloatArray) -> FloatArray:
    """Sum over connections of their residual precision times their constant matrix."""
    flat = precision @ constants.reshape(len(constants), -1)
    return flat.reshape(len(precision), *constants.shape[1:])


def _solve_lower(factors: FloatArray, right: FloatArray) -> FloatArray:
    """Solve Lx = b for a stack of lower triangular L, (n, k, k), and of b, (n, k).

    Substitution runs along the stack; `numpy.linalg.solve` would factorise every L anew.
    """
    found = np.empty_like(right)
    for i in range(right.shape[1]):
        known = np.einsum("nj,nj->n", factors[:, i, :i], found[:, :i])
        found[:, i] = (right[:, i] - known) / factors[:, i, i]
    return found


def _solve_transposed(factors: FloatArray, right: FloatArray) -> FloatArray:
    """Solve L'x = b for a stack of lower triangular L, (n, k, k), and of b, (n, k)."""
    found = np.empty_like(right)
    for i in reversed(range(right.shape[1])):
        known = np.einsum("nj,nj->n", factors[:, i + 1 :, i], found[:, i + 1 :])
        found[:, i] = (right[:, i] - known) / factors[:, i, i]
    return found


def _cholesky(matrices: FloatArray) -> FloatArray:
    """Cholesky factors of a stack; NaN for a matrix that rounding has made indefinite."""
    try:
        return np.linalg.cholesky(matrices)
    except np.linalg.LinAlgError:
        if len(matrices) == 1:
            return np.where(np.eye(matrices.shape[1], dtype=bool), np.nan, 0.0)[None]
    half = len(matrices) // 2
    return np.concatenate([_cholesky(matrices[:half]), _cholesky(matrices[half:])])
