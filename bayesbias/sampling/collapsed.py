r"""Compute the posterior of a Normal model with all effects integrated out analytically.

**Density of the sds.** Given the standard deviations (sds), a Normal model is linear and Gaussian.
Each effect is its sd times a standard normal coordinate: :math:`u = S z` with :math:`z \sim N(0,
I)`, or :math:`u = D R z` for correlated effects (`scales.UnitPosterior`). The rows satisfy
:math:`y - m_0 = X S z + \varepsilon`, where :math:`m_0` is the prior mean of the connection means.
Residual precisions are :math:`\lambda_c = \sigma_c^{-2}`. Let :math:`P = I + S X^T \Lambda X S` and
:math:`b = S X^T \Lambda (y - m_0)`. Then

.. math:: \log p(y | sds) = \tfrac12 \sum_c n_c \log \lambda_c - \tfrac12 \log |P|
   - \tfrac12 (y - m_0)^T \Lambda (y - m_0) + \tfrac12 b^T P^{-1} b + const

and :math:`z | y, sds \sim N(P^{-1} b, P^{-1})`. :math:`X^T \Lambda X` is :math:`\sum_c \lambda_c
X_c^T X_c` with constant matrices (``gram``, ``cross``), so the rows are not needed again. On the
standard normal scale, nothing is divided by an sd that approaches zero.

**Deviations within classes decouple.** The n units of a class have equal sds and, except for the
unit itself, equal rows of X. An orthonormal change of coordinates leaves the prior unchanged. Its
first coordinate is the units' sum divided by :math:`\sqrt n`; the other n - 1 are contrasts.
Partners contribute equally to all units, so contrasts are independent of all other coordinates.
Each contrast has the precision of a single unit (`scales.UnitPosterior.factor`), which enters
:math:`|P|` n - 1 times. It enters :math:`b^T P^{-1} b` through the units' projections minus their
class average (``turned``). One unit per class remains, and its coupling is multiplied by
:math:`\sqrt n`.

**Likeness.** Units of a class with similar vectors have the prior covariance :math:`\tau^2 ((1 - s)
I + s K)` for each coordinate, where s is the share (``alike``) and K is the likeness. The model
treats the mean along :math:`q_0 = 1 / \sqrt n` and the eigenvectors :math:`q_m` of :math:`C K C`,
where :math:`C = I - q_0 q_0^T` (``basis``), as independent, with variances :math:`\kappa_m = q_m^T
K q_m`. A coordinate along :math:`q_m` thus has the sd :math:`\tau r_m`, where :math:`r_m^2 = 1 - s
+ s \kappa_m` is known (``scale``). The q's are orthonormal, and all units have equal rows. Along
each direction, :math:`X^T \Lambda X` is thus that of one unit, multiplied by :math:`r_m` on both
sides. Deviations are again independent of other coordinates, and each kind of deviation with its
own :math:`r_m` has its own factor. Exchangeable units are the case in which all :math:`r_m` are
equal. The :math:`r_0` of class means is part of ``gram`` and ``cross``. Coordinates of a direction
are independent if their columns of X are orthogonal; `Deviations` have dependent coordinates.

**Covariates.** A slope is a shared effect with the sd T, whose column x of X may differ between all
rows. Classes depend only on the other columns, so they stay whole. In exchange, slopes correlate
with deviations. Let :math:`L_m` be the factor of a deviation's precision, and let :math:`b_m(v) =
L_m^{-1} S X_m^T \Lambda v` for a column v. Eliminating the deviation subtracts :math:`b_m(v)^T
b_m(w)` from :math:`v^T \Lambda w` for all pairs of columns: covariates and the outcome
(`subtract_deviations`). Slopes are then kept coordinates like any others. Given the slopes
:math:`\beta`, deviations have the projections of :math:`y - m_0 - x \beta`.

**Missing pairs.** A row for a missing pair makes classes whole (`gaps.filled`). Its column is 1 in
this row and 0 elsewhere, like a covariate with a flat prior: :math:`P = S X^T \Lambda X S`, without
adding 1. Integrating over its coefficient is the same as integrating over the missing outcome, so
the density is that of the other rows.

**Schur complement.** The coordinates of words and those of attributes each have a block-diagonal
precision matrix, with one block per class. With the larger side first, P has blocks A (eliminated,
block diagonal, :math:`A = L L^T`), C (coupling), and B (kept, including the shared effects). Then
:math:`|P| = |A| |B - C^T A^{-1} C|`, and ``solved`` is :math:`L^{-1} [C, b_A]`.

**Bordered Cholesky.** Border B with :math:`b_B`, put :math:`(y - m_0)^T \Lambda (y - m_0)` in the
corner, and subtract ``solved``' ``solved``. The last row of this matrix's Cholesky factor is the
solved projection of the kept side. Its last entry is the square root of :math:`(y - m_0)^T \Lambda
(y - m_0) - b^T P^{-1} b`. One factor gives the log density and the mean. Several outcomes of the
same rows have a row each; the squares of their last entries add up.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.random import Generator

from .._core.arrays import FloatArray
from .blocks import cholesky, solve_blocks, solve_transposed
from .parameters import log_prior
from .reduction import SMALLEST_SIGMA, Collapsed
from .scales import (
    Scales,
    UnitPosterior,
    scales_of,
    standard_noise,
    subtract_deviations,
    weighted,
)

MOST_NUMBERS = 800_000
"""Largest array size when densities are evaluated in blocks: 6.4 MB, which fits in a cache."""


@dataclass(frozen=True)
class Conditional:
    """Gaussian distribution of the class effects, given each parameter vector of a stack."""

    posterior: Collapsed
    scales: Scales
    means: tuple[UnitPosterior, ...]  # class means, one per side of the posterior
    deviations: tuple[tuple[UnitPosterior, ...], ...]  # one per `Deviations` of each side
    shared: FloatArray  # (n_shared, n): sds of the shared effects
    solved: FloatArray
    # (n, n_eliminated, n_kept + n_outcomes): inverse factor of the eliminated side times its
    # coupling with the kept coordinates and, in the last columns, with the outcomes
    factor: FloatArray
    # (n, n_kept + n_outcomes, ...): bordered Cholesky factor of the kept coordinates' precision

    def draw(self, rng: Generator | None) -> tuple[list[FloatArray], FloatArray, FloatArray]:
        """Draw each side's (n_classes, d, n) class effects, and (n_shared, n) shared effects.

        Also return the (n, k) weights of the columns in the first outcome that is left without
        slopes and gaps. Without a generator, return the effects' conditional means.
        """
        posterior, (out, *kept) = self.posterior, self.means
        n_kept, n_gaps, n_shared = posterior.n_kept, posterior.n_gaps, len(self.shared)
        right = self.factor[:, n_kept, :n_kept]
        right = right + standard_noise(right.shape, rng)
        coordinates = solve_transposed(self.factor[:, :n_kept, :n_kept], right).T
        gaps, own, shared = np.split(coordinates, [n_gaps, n_kept - n_shared])
        shared = shared * self.shared
        effects = [side.effects(own.reshape(side.sds.shape)) for side in kept]
        known = [gaps, *(side.reshape(-1, len(right)) for side in effects), shared]
        right = self.solved[:, :, n_kept]
        right = right - (self.solved[:, :, :n_kept] @ np.concatenate(known).T[..., None])[..., 0]
        right += standard_noise(right.shape, rng)
        blocks = right.T.reshape(*out.sds.shape[:2], 1, -1)
        eliminated = solve_blocks(out.factor, blocks, transposed=True)[:, :, 0]
        n_slopes = len(posterior.columns) - n_gaps - posterior.n_outcomes
        weights = np.zeros((len(right), len(posterior.columns)))
        weights[:, :n_gaps] = -gaps.T
        weights[:, n_gaps : n_gaps + n_slopes] = -shared[n_shared - n_slopes :].T
        weights[:, n_gaps + n_slopes] = 1
        return [out.effects(eliminated), *effects], shared, weights


def log_density(posterior: Collapsed, parameters: FloatArray) -> FloatArray:
    """Return the (n,) log posterior densities of (n, n_parameters) parameters, up to a constant.

    Parameters are log sds and inverse hyperbolic tangents of partial correlations. The density is
    -inf for a sigma below ``SMALLEST_SIGMA``, and at scales where the linear algebra fails.
    """
    rows = posterior.rows_at_once(MOST_NUMBERS)
    parts = [
        _log_likelihood(posterior, parameters[start : start + rows])
        for start in range(0, len(parameters), rows)
    ]
    density = np.concatenate(parts) + log_prior(posterior.spec, posterior.blocks, parameters)
    return np.where(np.isfinite(density), density, -np.inf)


def moments(
    posterior: Collapsed, parameters: FloatArray, weights: FloatArray
) -> tuple[FloatArray, FloatArray]:
    """Return means and variances of linear functions of the shared effects, given the parameters.

    The (n_shared, k) ``weights`` are in the order of `shared_effects`: first connection means, then
    effects shared across words and attributes, and slopes last. Given the parameters, the functions
    are Gaussian. The means are (n, k, n_outcomes). The (n, k) variances are equal for all outcomes.
    """
    rows, means, variances = posterior.rows_at_once(MOST_NUMBERS), [], []
    stop = posterior.n_kept
    own = slice(stop - len(posterior.layout.shared_parameter), stop)
    for start in range(0, len(parameters), rows):
        given = conditional(posterior, parameters[start : start + rows])
        # The factor is triangular, and the shared effects are its last coordinates.
        across = np.linalg.solve(given.factor[:, own, own], given.shared.T[:, :, None] * weights)
        solved = np.swapaxes(given.factor[:, stop:, own], 1, 2)
        means.append(np.swapaxes(across, 1, 2) @ solved)
        variances.append((across**2).sum(axis=1))
    n_means = len(posterior.design.connections)
    center = posterior.spec.center * weights[:n_means].sum(axis=0)
    return np.concatenate(means) + center[:, None], np.concatenate(variances)


def conditional(posterior: Collapsed, parameters: FloatArray) -> Conditional:
    """Return the distribution of the class effects, given (n, n_parameters) parameters."""
    n, scales = len(parameters), scales_of(posterior, parameters)
    precision, shared = scales.precision, scales.sds[posterior.layout.shared_parameter]
    sides = posterior.sides
    means = tuple(scales.of_units(side.units, side.parameter, side.gram) for side in sides)
    deviations = tuple(
        tuple(scales.of_units(side.units, own.parameter, own.gram) for own in side.deviations)
        for side in sides
    )
    out, *kept = means
    solved = np.moveaxis(out.solve(weighted(posterior.cross, precision)), -1, 0)
    solved = np.ascontiguousarray(solved).reshape(n, -1, posterior.gram.shape[-1])
    flat = precision.T @ posterior.gram.reshape(len(precision), -1)
    gram = flat.reshape(n, *posterior.gram.shape[1:])
    gram -= np.swapaxes(solved, 1, 2) @ solved
    for of_side, factors in zip(sides, deviations, strict=True):
        for part, factor in zip(of_side.deviations, factors, strict=True):
            subtract_deviations(gram, posterior.columns[part.columns], part, factor, precision)
    n_gaps, n_kept = posterior.n_gaps, posterior.n_kept
    own_sds = (side.sds.reshape(-1, n) for side in kept)
    kept_sds = np.concatenate([np.ones((n_gaps, n)), *own_sds, shared]).T
    gram[:, :n_kept] *= kept_sds[:, :, None]
    gram[:, :, :n_kept] *= kept_sds[:, None]
    for side in kept:
        side.rotate_kept(gram[:, n_gaps:])
        side.rotate_kept(np.swapaxes(gram, 1, 2)[:, n_gaps:])
    proper = np.arange(n_gaps, n_kept)
    gram[:, proper, proper] += 1  # the coefficients of gaps have flat priors
    return Conditional(posterior, scales, means, deviations, shared, solved, cholesky(gram))


def _log_likelihood(posterior: Collapsed, parameters: FloatArray) -> FloatArray:
    given = conditional(posterior, parameters)
    precision, n_kept = given.scales.precision, posterior.n_kept
    log_det = 2 * np.log(np.diagonal(given.factor, axis1=1, axis2=2)[:, :n_kept]).sum(axis=1)
    log_det += given.means[0].log_det(np.ones(len(posterior.sides[0].size)))
    for side, factors in zip(posterior.sides, given.deviations, strict=True):
        for part, factor in zip(side.deviations, factors, strict=True):
            log_det += factor.log_det(part.times)
    unexplained = (given.factor[:, n_kept:, n_kept:] ** 2).sum(axis=(1, 2))
    constant = posterior.rows @ np.log(precision) - log_det
    log_likelihood = 0.5 * (posterior.n_outcomes * constant - unexplained)
    resolved = precision.max(axis=0) <= SMALLEST_SIGMA**-2
    return np.where(resolved, log_likelihood, -np.inf)
