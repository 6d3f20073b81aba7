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
(`subtract_deviations`). Given the slopes :math:`\beta`, deviations have the projections of :math:`y
- m_0 - x \beta`.

**Missing pairs.** A row for a missing pair makes classes whole (`gaps.filled`). Its column is 1 in
this row and 0 elsewhere, like a covariate with a flat prior: :math:`P = S X^T \Lambda X S`, without
adding 1. Integrating over its coefficient is the same as integrating over the missing outcome, so
the density is that of the other rows.

**Class means and shared effects.** They remain, and account for part of the products of columns,
too. There are two ways to solve for them. Rows of the same classes depend on them equally, so a
regular design has fewer distinct rows than coordinates; `cells` solves in the space of these rows.
If units have many different partners, `sides` eliminates the larger side unit by unit.

**Columns.** What is left of the products of columns is a small matrix. With the slopes' prior
added, one Cholesky factor of it has the precision of slopes and gaps, their projections in the rows
of outcomes, and, in the last entry, the square root of :math:`(y - m_0)^T \Lambda (y - m_0) - b^T
P^{-1} b`. Several outcomes of the same rows have a row each; the squares of their last entries add
up.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.random import Generator

from .._core.arrays import FloatArray
from .blocks import cholesky, solve_lower, solve_transposed
from .cells import CellMeans
from .parameters import log_prior
from .reduction import SMALLEST_SIGMA, Collapsed, with_gaps
from .scales import Scales, UnitPosterior, known_log_sds, standard_noise, subtract_deviations
from .sides import SideMeans

MOST_NUMBERS = 800_000
"""Largest array size when densities are evaluated in blocks: 6.4 MB, which fits in a cache."""


@dataclass(frozen=True)
class Conditional:
    """Gaussian distribution of the class effects, given each parameter vector of a stack."""

    posterior: Collapsed
    scales: Scales
    means: CellMeans | SideMeans  # class means and shared effects, given the weights of columns
    deviations: tuple[tuple[UnitPosterior, ...], ...]  # one per `Deviations` of each side
    slopes: FloatArray  # (n_slopes, n): sds of the slopes
    factor: FloatArray  # (n, n_known, n_known): Cholesky factor L of the columns' precision
    border: FloatArray  # (n, n_outcomes, n_known): b' L'^-1 for their products b with outcomes
    unexplained: FloatArray  # (n, n_outcomes): sum of squares that is left of each outcome

    def draw(self, rng: Generator | None) -> tuple[list[FloatArray], FloatArray, FloatArray]:
        """Draw each side's (n_classes, d, n) class effects, and (n_shared, n) shared effects.

        Also return the (n, k) weights of the columns in the first outcome that is left without
        slopes and gaps. Without a generator, return the effects' conditional means.
        """
        n_gaps, n_known = self.posterior.n_gaps, self.posterior.n_known
        right = self.border[:, 0] + standard_noise(self.border[:, 0].shape, rng)
        weights = np.zeros((len(right), n_known + len(self.unexplained[0])))
        weights[:, :n_known] = -solve_transposed(self.factor, right)
        weights[:, n_gaps:n_known] *= self.slopes.T
        weights[:, n_known] = 1
        effects, shared = self.means.draw(weights, rng)
        slopes = -weights[:, n_gaps:n_known].T
        return effects, np.concatenate([shared, slopes]), weights


def log_density(
    posterior: Collapsed, parameters: FloatArray, gaps: FloatArray | None = None
) -> FloatArray:
    """Return the (n,) log posterior densities of (n, n_parameters) parameters, up to a constant.

    Parameters are log sds and inverse hyperbolic tangents of partial correlations. The density is
    -inf for a sigma below ``SMALLEST_SIGMA``, and at scales where the linear algebra fails. With
    (n, n_gaps) outcomes of missing pairs, it is that of the full tables; see `with_gaps`.
    """
    rows = posterior.rows_at_once(MOST_NUMBERS, filled=gaps is not None)
    blocks = [slice(start, start + rows) for start in range(0, len(parameters), rows)]
    parts = [
        _log_likelihood(
            posterior if gaps is None else with_gaps(posterior, gaps[block]), parameters[block]
        )
        for block in blocks
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
    rows, n_known = posterior.rows_at_once(MOST_NUMBERS), posterior.n_known
    of_means, of_slopes = np.split(weights, [posterior.layout.n_shared])
    means, variances = [], []
    for start in range(0, len(parameters), rows):
        given = conditional(posterior, parameters[start : start + rows])
        mean, variance = given.means.moments(of_means)
        across = -mean[..., :n_known]  # gaps and slopes leave less of the outcome to explain
        across[..., posterior.n_gaps :] += of_slopes.T
        across[..., posterior.n_gaps :] *= given.slopes.T[:, None]
        solved = np.linalg.solve(given.factor, np.swapaxes(across, 1, 2))
        of_outcomes = np.swapaxes(given.border @ solved, 1, 2)
        means.append(mean[..., n_known:] + of_outcomes)
        variances.append(variance + (solved**2).sum(axis=1))
    n_means = len(posterior.design.connections)
    center = posterior.spec.center * weights[:n_means].sum(axis=0)
    return np.concatenate(means) + center[:, None], np.concatenate(variances)


def conditional(posterior: Collapsed, parameters: FloatArray) -> Conditional:
    """Return the distribution of the class effects, given (n, n_parameters) parameters."""
    scales, layout, n = scales_of(posterior, parameters), posterior.layout, posterior.n_known
    deviations = tuple(
        tuple(scales.of_units(side.units, own.parameter, own.gram) for own in side.deviations)
        for side in posterior.sides
    )
    means = posterior.system.given(scales)
    gram = means.residual.copy()
    for side, units in zip(posterior.sides, deviations, strict=True):
        for part, own in zip(side.deviations, units, strict=True):
            subtract_deviations(gram, part, own, scales.precision)
    slopes, proper = scales.sds[layout.shared_parameter[layout.n_shared :]], posterior.is_slope
    gram[:, proper] *= slopes.T[:, :, None]
    gram[:, :, proper] *= slopes.T[:, None]
    gram[:, proper, proper] += 1  # the coefficients of gaps have flat priors
    factor = cholesky(gram[:, :n, :n])
    border = np.swapaxes(solve_lower(factor, gram[:, :n, n:]), 1, 2)
    unexplained = np.diagonal(gram[:, n:, n:], axis1=1, axis2=2) - (border**2).sum(axis=2)
    return Conditional(posterior, scales, means, deviations, slopes, factor, border, unexplained)


def scales_of(posterior: Collapsed, parameters: FloatArray) -> Scales:
    """Return the sds and precisions for (n, n_parameters) parameters.

    The sds in the parameters come first, then known sds; the sd of the connection means is last.
    """
    known = np.tile(known_log_sds(posterior.spec)[:, None], len(parameters))
    sigma = np.exp(parameters[:, posterior.block("sigma").where].T)
    precision = 1 / (sigma**2 + posterior.design.rounding**2)
    precision = np.repeat(precision, len(posterior.rows) // len(precision), axis=0)
    return Scales(parameters, np.exp(np.concatenate([parameters.T, known])), precision)


def _log_likelihood(posterior: Collapsed, parameters: FloatArray) -> FloatArray:
    given = conditional(posterior, parameters)
    precision = given.scales.precision
    log_det = 2 * np.log(np.diagonal(given.factor, axis1=1, axis2=2)).sum(axis=1)
    log_det += given.means.log_det
    for side, factors in zip(posterior.sides, given.deviations, strict=True):
        for part, factor in zip(side.deviations, factors, strict=True):
            log_det += factor.log_det(part.times)
    constant = posterior.rows @ np.log(precision) - log_det
    log_likelihood = 0.5 * (posterior.n_outcomes * constant - given.unexplained.sum(axis=1))
    resolved = precision.max(axis=0) <= SMALLEST_SIGMA**-2
    resolved &= (given.unexplained > 0).all(axis=1)
    return np.where(resolved, log_likelihood, -np.inf)
