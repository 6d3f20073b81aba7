r"""Compute the posterior of a Normal model with all effects integrated out analytically.

**Density of the sds.** Given the standard deviations (sds), a Normal model is linear and Gaussian.
Each effect is its sd times a standard normal coordinate: :math:`u = S z` with :math:`z \sim N(0,
I)`, or :math:`u = D R z` for correlated effects (see `Alone`). The rows satisfy :math:`y - m_0 = X
S z + \varepsilon`, where :math:`m_0` is the prior mean of the connection means. Residual precisions
are :math:`\lambda_c = \sigma_c^{-2}`. Let :math:`P = I + S X^T \Lambda X S` and :math:`b = S X^T
\Lambda (y - m_0)`. Then

.. math:: \log p(y | sds) = \tfrac12 \sum_c n_c \log \lambda_c - \tfrac12 \log |P|
   - \tfrac12 (y - m_0)^T \Lambda (y - m_0) + \tfrac12 b^T P^{-1} b + const

and :math:`z | y, sds \sim N(P^{-1} b, P^{-1})`. :math:`X^T \Lambda X` is :math:`\sum_c \lambda_c
X_c^T X_c` with constant matrices (``gram``, ``cross``), so the rows are not needed again. On the
standard normal scale, nothing is divided by an sd that approaches zero.

**Deviations within classes decouple.** The n units of a class have equal sds and, except for the
unit itself, equal rows of X. An orthonormal change of coordinates leaves the prior unchanged. Its
first coordinate is the units' sum divided by :math:`\sqrt n`; the other n - 1 are contrasts.
Partners contribute equally to all units, so contrasts are independent of all other coordinates.
Each contrast has the precision of a single unit (`Alone.factor`), which enters :math:`|P|` n - 1
times. It enters :math:`b^T P^{-1} b` through the units' projections minus their class average
(``deviation``). One unit per class remains, and its coupling is multiplied by :math:`\sqrt n`.

**Likeness.** Units of a class with similar vectors have the prior covariance :math:`\tau^2 ((1 - s)
I + s K)` for each coordinate, where s is the share (``alike``) and K is the likeness. `directions`
treats the mean along :math:`q_0 = 1 / \sqrt n` and the eigenvectors :math:`q_m` of :math:`C K C`,
where :math:`C = I - q_0 q_0^T` (``basis``), as independent, with variances :math:`\kappa_m = q_m^T
K q_m`. A coordinate along :math:`q_m` thus has the sd :math:`\tau r_m`, where :math:`r_m^2 = 1 - s
+ s \kappa_m` is known (``scale``). The q's are orthonormal, and all units have equal rows. Along
each direction, :math:`X^T \Lambda X` is thus that of one unit, multiplied by :math:`r_m` on both
sides, and :math:`X^T \Lambda (y - m_0)` is ``apart`` times :math:`q_m r_m`. Deviations are again
independent of other coordinates, but each has a separate factor, which enters :math:`|P|` once.
The :math:`r_0` of class means is part of ``gram`` and ``cross``. Coordinates of a direction are
independent if their columns of X are orthogonal. Each `Part` contains dependent coordinates.

**Covariates.** A slope is a shared effect with the sd T, whose column x of X may differ between all
rows. Classes depend only on the other columns, so they stay whole. In exchange, slopes correlate
with deviations. Let :math:`L_m` be the factor of a deviation's precision, and let :math:`b_m(v) =
L_m^{-1} S X_m^T \Lambda v` for a column v. Eliminating the deviation subtracts :math:`b_m(v)^T
b_m(w)` from :math:`v^T \Lambda w` for all pairs of columns: covariates and the outcome
(`_subtract_deviations`). Slopes are then kept coordinates like any others. Given the slopes
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

from .._core.arrays import FloatArray, IntArray
from ..model.priors import factor_of_partial_correlations
from .blocks import cholesky, cholesky_blocks, solve_blocks, solve_transposed
from .layout import Units
from .parameters import log_prior
from .reduction import SMALLEST_SIGMA, UNPOOLED_SD, Collapsed, Part

MOST_NUMBERS = 800_000
"""Largest array size when densities are evaluated in blocks: 6.4 MB, which fits in a cache."""


FEW_COLUMNS = 8
"""Number of columns above which precomputed products are faster."""


@dataclass(frozen=True)
class Alone:
    """Effects u = D R z of one side's units, given all else; a priori, z is standard normal."""

    sds: FloatArray  # (n_classes, d, n): D
    correlated: slice  # the correlated coordinates
    rotation: FloatArray  # (k, k, n): R, a factor of their correlations
    factor: FloatArray  # (n_classes, d, d, n): Cholesky factor of the precision of a unit's z

    def solve(self, values: FloatArray) -> FloatArray:
        """Multiply (n_classes, d, k, n) values by R'D and then by the inverse factor."""
        scaled = _rotate(self.correlated, self.rotation, values * self.sds[:, :, None])
        return solve_blocks(self.factor, scaled)

    def effects(self, coordinates: FloatArray) -> FloatArray:
        """Return the (n_classes, d, n) effects D R z for the classes' coordinates z."""
        transposed = np.swapaxes(self.rotation, 0, 1)
        rotated = _rotate(self.correlated, transposed, coordinates[:, :, None].copy())
        return np.asarray(rotated[:, :, 0] * self.sds)

    def rotate_kept(self, matrices: FloatArray) -> None:
        """Multiply this side's rows, which come first in (n, k, k) arrays, by R' in place."""
        n_classes, d, n = self.sds.shape
        if len(self.rotation):
            rows = matrices[:, : n_classes * d].reshape(n, n_classes, d, -1)[:, :, self.correlated]
            rows[:] = self.rotation.transpose(2, 1, 0)[:, None] @ rows


@dataclass(frozen=True)
class Scales:
    """A stack of n parameter vectors with their sds and residual precisions."""

    parameters: FloatArray  # (n, n_parameters)
    sds: FloatArray  # (n_sds, n): the parameters' sds, then the known sds
    precision: FloatArray  # (n_noise, n): 1 / sigma²

    def alone(self, units: Units, parameter: IntArray, gram: FloatArray) -> Alone:
        """Return the `Alone` for units with the sds at ``parameter`` and the X'X in ``gram``."""
        correlated, rotation = slice(0), np.ones((0, 0, len(self.parameters)))
        if units.correlated is not None:
            block, correlated = units.correlated
            partial = np.tanh(self.parameters[:, block.where])
            factors = factor_of_partial_correlations(partial, block.n_correlated)
            rotation = np.ascontiguousarray(np.moveaxis(factors, 0, -1))
        own = self.sds[parameter]
        matrices = weighted(gram, self.precision)
        for _ in range(2):
            matrices *= own[:, :, None]
            matrices = _rotate(correlated, rotation, matrices).swapaxes(1, 2)
        np.einsum("qiin->qin", matrices)[:] += 1  # a view of the diagonals
        return Alone(own, correlated, rotation, cholesky_blocks(matrices))


@dataclass(frozen=True)
class Conditional:
    """Gaussian distribution of the class effects, given each parameter vector of a stack."""

    posterior: Collapsed
    scales: Scales
    alone: tuple[Alone, ...]  # class means, one per side of the posterior
    deviations: tuple[tuple[Alone, ...], ...]  # one per part of each side
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
        posterior, (out, *kept) = self.posterior, self.alone
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


def scales_of(posterior: Collapsed, parameters: FloatArray) -> Scales:
    """Return the sds and precisions for (n, n_parameters) parameters.

    The sds in the parameters come first, then known sds; the sd of the connection means is last.
    """
    spec = posterior.spec
    mean_sd = spec.priors["connection_mean"].parameters["sd"]
    known = np.log([UNPOOLED_SD, *spec.fixed.values(), mean_sd])[:, None]
    known = np.broadcast_to(known, (len(known), len(parameters)))
    sigma = np.exp(parameters[:, posterior.block("sigma").where].T)
    precision = 1 / (sigma**2 + posterior.design.rounding**2)
    precision = np.repeat(precision, len(posterior.rows) // len(precision), axis=0)
    return Scales(parameters, np.exp(np.concatenate([parameters.T, known])), precision)


def conditional(posterior: Collapsed, parameters: FloatArray) -> Conditional:
    """Return the distribution of the class effects, given (n, n_parameters) parameters."""
    n, scales = len(parameters), scales_of(posterior, parameters)
    precision, shared = scales.precision, scales.sds[posterior.layout.shared_parameter]
    sides = posterior.sides
    alone = tuple(scales.alone(side.units, side.parameter, side.gram) for side in sides)
    deviations = tuple(
        tuple(scales.alone(side.units, part.parameter, part.gram) for part in side.parts)
        for side in sides
    )
    out, *kept = alone
    solved = np.moveaxis(out.solve(weighted(posterior.cross, precision)), -1, 0)
    solved = np.ascontiguousarray(solved).reshape(n, -1, posterior.gram.shape[-1])
    flat = precision.T @ posterior.gram.reshape(len(precision), -1)
    gram = flat.reshape(n, *posterior.gram.shape[1:])
    gram -= np.swapaxes(solved, 1, 2) @ solved
    for of_side, factors in zip(sides, deviations, strict=True):
        for part, factor in zip(of_side.parts, factors, strict=True):
            _subtract_deviations(gram, posterior.columns[part.columns], part, factor, precision)
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
    return Conditional(posterior, scales, alone, deviations, shared, solved, cholesky(gram))


def _subtract_deviations(
    gram: FloatArray, places: IntArray, part: Part, factor: Alone, precision: FloatArray
) -> None:
    """Subtract the squares and products of columns that deviations account for, in place."""
    if not len(places):  # units of the part do not differ
        return
    one, other = np.triu_indices(len(places))
    find = _of_few_columns if len(places) <= FEW_COLUMNS else _of_many_columns
    values = find(part, factor, precision).T
    gram[:, places[one], places[other]] -= values
    apart = one != other
    gram[:, places[other[apart]], places[one[apart]]] -= values[:, apart]


def _of_few_columns(part: Part, factor: Alone, precision: FloatArray) -> FloatArray:
    """Return (k (k + 1) / 2, n) squares and products of columns that deviations account for."""
    (m, d, axes, k), n = part.projected.shape[1:], precision.shape[1]
    values = weighted(part.projected, precision).reshape(m, d, axes * k, n)
    solved = factor.solve(values).reshape(m * d * axes, k, n)
    pairs = zip(*np.triu_indices(k), strict=True)
    return np.array([np.einsum("in,in->n", solved[:, a], solved[:, b]) for a, b in pairs])


def _of_many_columns(part: Part, factor: Alone, precision: FloatArray) -> FloatArray:
    """Return the same as `_of_few_columns`, from the precomputed products of columns."""
    (m, d), n = part.parameter.shape, precision.shape[1]
    inverse = factor.solve(np.tile(np.eye(d)[:, :, None], (m, 1, 1, 1)))
    features = np.empty((len(part.features), m, n))
    for place, (q, r, i, j) in enumerate(part.features):
        np.einsum("man,man->mn", inverse[:, :, i], inverse[:, :, j], out=features[place])
        features[place] *= precision[q] * precision[r]
    return part.products @ features.reshape(-1, n)


def _rotate(correlated: slice, rotation: FloatArray, values: FloatArray) -> FloatArray:
    """Multiply the correlated rows of (n_classes, d, k, n) values by R' in place."""
    if len(rotation):
        own = values[:, correlated]
        values[:, correlated] = np.einsum("ijn,qikn->qjkn", rotation, own)
    return values


def standard_noise(shape: tuple[int, ...], rng: Generator | None) -> FloatArray:
    """Draw standard normal numbers; without a generator, return their means, which are zero."""
    return np.zeros(shape) if rng is None else rng.standard_normal(shape)


def _log_likelihood(posterior: Collapsed, parameters: FloatArray) -> FloatArray:
    given = conditional(posterior, parameters)
    precision, n_kept = given.scales.precision, posterior.n_kept
    log_det = 2 * np.log(np.diagonal(given.factor, axis1=1, axis2=2)[:, :n_kept]).sum(axis=1)
    log_det += _log_det(given.alone[0], np.ones(len(posterior.sides[0].size)))
    for side, factors in zip(posterior.sides, given.deviations, strict=True):
        for part, factor in zip(side.parts, factors, strict=True):
            log_det += _log_det(factor, part.times)
    unexplained = (given.factor[:, n_kept:, n_kept:] ** 2).sum(axis=(1, 2))
    constant = posterior.rows @ np.log(precision) - log_det
    log_likelihood = 0.5 * (posterior.n_outcomes * constant - unexplained)
    resolved = precision.max(axis=0) <= SMALLEST_SIGMA**-2
    return np.where(resolved, log_likelihood, -np.inf)


def _log_det(alone: Alone, times: FloatArray) -> FloatArray:
    """Return the sums of log determinants of precisions, weighted by ``times``."""
    return np.asarray(2 * (times @ np.log(np.diagonal(alone.factor, axis1=1, axis2=2)).sum(axis=2)))


def weighted(constants: FloatArray, precision: FloatArray) -> FloatArray:
    """Multiply each residual precision by its constant array, and return the (..., n) sums."""
    flat = constants.reshape(len(constants), -1).T @ precision
    return flat.reshape(*constants.shape[1:], precision.shape[1])
