"""Draw independently from a density of a few parameters by importance resampling.

L-BFGS finds a mode. A heavy-tailed proposal is placed there and refitted to its own weighted
draws. With several modes, the proposal is a mixture. The final draws are resampled with
Pareto-smoothed weights (Vehtari, Simpson, Gelman, Yao, and Gabry, 2024, Journal of Machine Learning
Research 25).
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from numpy.random import Generator

from .._core.arrays import FloatArray, IntArray
from .pareto import smoothed_tail

LogDensity = Callable[[FloatArray], FloatArray]
"""Function from (n, n_parameters) points to (n,) log densities, up to a constant."""


EFFECTIVE_OVERSAMPLING, MOST_OVERSAMPLING = 1.5, 4
"""Number of effective proposals per draw, so that few draws repeat; largest number of proposals."""

FEWEST_PROPOSALS = 4_000
"""Smallest number of proposals, so that weights are reliable even for a few draws."""

PILOT_PROPOSALS = 2_000
"""Number of proposals to which the final proposal is fitted."""

ENOUGH_OF_PILOT, MOST_REFITS = 0.3, 4
"""Share of effective proposals at which the pilot is good enough; largest number of refits."""

PARETO_K_LIMIT, ESS_LIMIT = 0.7, 400
"""Limits for Pareto k (Vehtari et al., 2024) and for the effective number of draws (Vehtari et al.,
2021, Bayesian Analysis 16). `fit` warns if k is not below its limit, or if the number is lower."""

MOST_RETRIES = 3
"""Largest number of new final samples if Pareto k or the effective sample size is bad. Each sample
uses a proposal refitted to the last draws, because the pilot may have missed some of the mass."""

STEP = 1e-5
"""Parameter step for first differences, which shift the mode by half a step."""

LONG_STEP = 0.02
"""Parameter step for second differences, which are more sensitive to rounding."""

FLATTEST = 0.05
"""Smallest curvature that the first proposal assumes, so that none of its sds is above 4.5."""

FEWEST_TO_SMOOTH = 20
"""Number of effective proposals that fitting a tail requires; with fewer, k counts as infinite."""

LEAST_RATIO = 0.4
"""Smallest ratio of an axis's smaller scale to its larger scale. A narrower proposal would give
high weights to points at an edge where a density is cut off close to its mode."""

SMALLEST_SHARE = 0.02
"""Smallest share of proposals for a mode, even one with almost no mass."""

LOWEST_LOG_RATIO = -700.0
"""Distance below the highest log weight at which a weight is effectively zero, but still finite."""


@dataclass(frozen=True)
class Resampled:
    """Draws from a density, and the quality of the proposal."""

    points: FloatArray  # (n_draws, n_parameters)
    log_p: FloatArray  # (n_draws,)
    pareto_k: float  # tail shape of the weights, which are reliable below 0.7
    ess: float  # effective sample size of the proposals
    n_proposals: int


@dataclass(frozen=True)
class Proposal:
    """A mixture with one component for each of m modes.

    A component has independent two-piece Student-t coordinates, mapped linearly to n parameters.
    Two scales per coordinate allow for the long lower tail of a log sd. Each parameter of a Normal
    target costs 4% of the effective proposals if `df` is 5 but 2% if it is 8, so `df` grows with n.
    """

    shares: FloatArray  # (m,): sum to one
    center: FloatArray  # (m, n)
    factor: FloatArray  # (m, n, n)
    lower: FloatArray  # (m, n): scales of the coordinates below zero
    upper: FloatArray  # (m, n): scales of the coordinates above zero

    @property
    def df(self) -> float:
        """Degrees of freedom, low enough to make the tails heavier than the posterior's."""
        return max(5.0, float(self.center.shape[1]) / 2)

    def draw(self, n: int, rng: Generator) -> FloatArray:
        """Draw n points from the components, in proportion to their shares."""
        edges, points = np.round(n * np.cumsum(self.shares)).astype(int), []
        counts, below = np.diff(edges, prepend=0), self.lower / (self.lower + self.upper)
        for part, count in enumerate(counts):
            size = (count, self.center.shape[1])
            standard = np.abs(rng.standard_t(self.df, size))
            is_below = rng.random(size) < below[part]
            standard *= np.where(is_below, -self.lower[part], self.upper[part])
            points.append(self.center[part] + standard @ self.factor[part].T)
        return np.concatenate(points)

    def log_densities(self, points: FloatArray) -> FloatArray:
        """Return (m, n_points) logs of each component's share times density, up to a constant."""
        centered = np.swapaxes(points - self.center[:, None], 1, 2)
        coordinates = np.linalg.solve(self.factor, centered)
        scale = np.where(coordinates < 0, self.lower[..., None], self.upper[..., None])
        log_q = -0.5 * (self.df + 1) * np.log1p((coordinates / scale) ** 2 / self.df).sum(axis=1)
        volume = np.log(self.lower + self.upper).sum(axis=1) + np.linalg.slogdet(self.factor)[1]
        return np.asarray(log_q + (np.log(self.shares) - volume)[:, None])


@dataclass(frozen=True)
class Weighted:
    """Points from a proposal with their log weights, up to a constant."""

    proposal: Proposal
    points: FloatArray
    log_p: FloatArray
    log_weights: FloatArray

    @cached_property
    def weights(self) -> FloatArray:
        """Weights that sum to one."""
        weights = np.exp(self.log_weights - self.log_weights.max())
        return np.asarray(weights / weights.sum())

    @property
    def ess(self) -> float:
        """Kong's effective sample size, 1 over the sum of squared normalized weights."""
        return float(1 / (self.weights**2).sum())


def importance_resample(
    log_density: LogDensity, modes: FloatArray, n_draws: int, rng: Generator
) -> Resampled:
    """Draw from a density, starting with proposals at its (n_modes, n_parameters) modes."""
    first = _at_modes(log_density, np.atleast_2d(modes))
    pilot = _weigh(log_density, first, PILOT_PROPOSALS, rng)
    for _ in range(MOST_REFITS):
        if pilot.ess / PILOT_PROPOSALS > ENOUGH_OF_PILOT:
            break
        pilot = _weigh(log_density, _fitted(pilot), PILOT_PROPOSALS, rng)
    most = max(MOST_OVERSAMPLING * n_draws, FEWEST_PROPOSALS)
    enough = max(
        math.ceil(EFFECTIVE_OVERSAMPLING / (pilot.ess / PILOT_PROPOSALS) * n_draws),
        FEWEST_PROPOSALS,
    )
    final = _weigh(log_density, _fitted(pilot), min(enough, most), rng)
    smoothed, k = _smoothed(final)
    for _ in range(MOST_RETRIES):
        if k < PARETO_K_LIMIT and smoothed.ess >= ESS_LIMIT:
            break
        final = _weigh(log_density, _fitted(final), most, rng)
        smoothed, k = _smoothed(final)
    order = final.points.sum(axis=1).argsort()  # keeps nearby points together, for less variance
    chosen = order[_resample(smoothed.weights[order], n_draws, rng)]
    return Resampled(final.points[chosen], final.log_p[chosen], k, smoothed.ess, len(final.points))


def reweighed(
    drawn: Resampled, log_ratios: FloatArray, n_draws: int, rng: Generator
) -> tuple[Resampled, IntArray]:
    """Choose n draws from an approximation; log ratios of its draws are exact minus approximate.

    Also return the indices of the chosen draws.
    """
    _, k = smoothed_tail(log_ratios)
    weights = np.exp(log_ratios - log_ratios.max())
    weights /= weights.sum()
    kept = 1 / (len(weights) * (weights**2).sum())
    chosen = _resample(weights, n_draws, rng)
    again = replace(
        drawn,
        points=drawn.points[chosen],
        log_p=(drawn.log_p + log_ratios)[chosen],
        pareto_k=max(drawn.pareto_k, k),
        ess=drawn.ess * float(kept),
    )
    return again, chosen


def find_mode(
    log_density: LogDensity, start: FloatArray, bounds: tuple[float, float]
) -> FloatArray:
    """Find the mode of a density by L-BFGS, with gradients from forward differences.

    Some sds are known a hundred times more precisely than others, so unscaled steps would zigzag.
    Parameters are therefore scaled by the curvature at the start. All parameters have the same
    bounds, and points outside are never tried. At the upper bound, backward differences are used.
    """
    from scipy.optimize import minimize

    scale = np.sqrt(np.maximum(curvature(log_density, start), 1))
    low, high = bounds

    def value_and_gradient(scaled: FloatArray) -> tuple[float, FloatArray]:
        x = np.clip(scaled / scale, low, high)  # rounding can exceed the bounds
        steps = np.where(x + STEP > high, -STEP, STEP)
        value, *moved = log_density(np.concatenate([x[None], x + np.diag(steps)]))
        return -value, (value - np.array(moved)) / (steps * scale)

    limits = np.transpose([low * scale, high * scale])
    found = minimize(value_and_gradient, start * scale, jac=True, method="L-BFGS-B", bounds=limits)
    return np.clip(found.x / scale, low, high)


def curvature(log_density: LogDensity, point: FloatArray) -> FloatArray:
    """Return the absolute second derivative along each parameter, (n_parameters,)."""
    steps = LONG_STEP * np.eye(len(point))
    values = log_density(np.concatenate([point[None], point + steps, point - steps]))
    up, down = np.split(values[1:], 2)
    return np.asarray(np.abs(up + down - 2 * values[0]) / LONG_STEP**2)


def _at_mode(log_density: LogDensity, mode: FloatArray) -> FloatArray:
    """Return a factor of the inverse curvature at a mode."""
    n = len(mode)
    i, j = np.triu_indices(n)
    pairs = np.arange(len(i))
    points = np.repeat(mode[None], 4 * len(i), axis=0).reshape(len(i), 4, n)
    for corner, (first, second) in enumerate(((1, 1), (1, -1), (-1, 1), (-1, -1))):
        points[pairs, corner, i] += first * LONG_STEP
        points[pairs, corner, j] += second * LONG_STEP
    pp, pm, mp, mm = log_density(points.reshape(-1, n)).reshape(-1, 4).T
    curvature = np.zeros((n, n))
    curvature[i, j] = curvature[j, i] = -(pp - pm - mp + mm) / (4 * LONG_STEP**2)
    scale, axes = np.linalg.eigh(curvature)
    return np.asarray((axes / np.sqrt(np.maximum(scale, FLATTEST))) @ axes.T)


def _at_modes(log_density: LogDensity, modes: FloatArray) -> Proposal:
    """Place a Student-t at every mode; each share is a mode's mass, estimated from its curvature.

    A mode where the density is cut off has no finite curvature. Such modes are left out, because
    the refitted proposals of the other modes cover them, too.
    """
    factors = np.array([_at_mode(log_density, mode) for mode in modes])
    masses = log_density(modes) + np.linalg.slogdet(factors)[1]
    curved = np.isfinite(masses)
    if not curved.any():
        raise ValueError("the log density is not finite around any of its modes")
    one = np.ones((curved.sum(), modes.shape[1]))
    shares = np.exp(masses[curved] - masses[curved].max())
    return Proposal(_at_least(shares), modes[curved], factors[curved], one, one)


def _at_least(shares: FloatArray) -> FloatArray:
    """Raise small shares to the smallest one allowed, and scale all shares to sum to one."""
    shares = np.maximum(shares, SMALLEST_SHARE)
    return np.asarray(shares / shares.sum())


def _fitted(pilot: Weighted) -> Proposal:
    """Fit each component and its share to the points, weighted by that component's probability."""
    former, log_q = pilot.proposal, pilot.proposal.log_densities(pilot.points)
    own = np.exp(log_q - np.logaddexp.reduce(log_q)) * pilot.weights
    shares = own.sum(axis=1)
    fitted = [former.center, former.factor, former.lower, former.upper]
    parts = [
        _fitted_part([values[part] for values in fitted], pilot.points, own[part] / share)
        if share > 0
        else [values[part] for values in fitted]
        for part, share in enumerate(shares)
    ]
    return Proposal(_at_least(shares), *map(np.array, zip(*parts, strict=True)))


def _fitted_part(
    former: list[FloatArray], points: FloatArray, weights: FloatArray
) -> list[FloatArray]:
    """Fit the center, factor, and scales of one component to weighted points.

    If few points are effective, the fit is shrunk toward the previous proposal.
    """
    center, factor, lower, upper = former
    ess = 1 / (weights**2).sum()
    trust = ess / (ess + 5 * len(center))
    center = weights @ points
    centered = points - center
    covariance = (centered * weights[:, None]).T @ centered
    factor = factor * (lower + upper) / 2
    factor = np.linalg.cholesky(trust * covariance + (1 - trust) * factor @ factor.T)
    axes = np.linalg.solve(factor, centered.T)
    pieces = np.array([_two_pieces(axis, weights) for axis in axes])
    pieces = trust * pieces + (1 - trust) * np.array([0.0, 1.0, 1.0])
    scales = np.maximum(pieces[:, 1:], LEAST_RATIO * pieces[:, 1:].max(axis=1, keepdims=True))
    return [center + factor @ pieces[:, 0], factor, scales[:, 0], scales[:, 1]]


def _two_pieces(values: FloatArray, weights: FloatArray) -> tuple[float, float, float]:
    """Return the mode, lower scale, and upper scale of the best-fitting two-piece normal.

    Given the mode, the maximum-likelihood scales have a closed form. The likelihood decreases with
    the sum of the sums of squares' cube roots (John, 1982, Communications in Statistics A).
    """
    order = np.argsort(values)
    values, weights = values[order], weights[order]
    moments = np.cumsum(weights * np.array([np.ones_like(values), values, values**2]), axis=1)
    at = np.minimum(np.searchsorted(moments[0], np.linspace(0.05, 0.95, 37)), len(values) - 1)
    mode = values[at]
    square = np.array([mode**2, -2 * mode, np.ones_like(mode)])
    below = (square * moments[:, at]).sum(axis=0)
    above = (square * (moments[:, -1:] - moments[:, at])).sum(axis=0)
    low, high = np.cbrt(below), np.cbrt(above)
    spread = np.where((low > 0) & (high > 0), low + high, np.inf)
    best = int(spread.argmin())
    if not np.isfinite(spread[best]):
        return 0.0, 1.0, 1.0
    width = np.sqrt(spread[best])
    return float(mode[best]), float(low[best] * width), float(high[best] * width)


def _weigh(log_density: LogDensity, proposal: Proposal, n: int, rng: Generator) -> Weighted:
    points = proposal.draw(n, rng)
    log_p = log_density(points)
    log_ratio = log_p - np.logaddexp.reduce(proposal.log_densities(points))
    log_ratio = np.maximum(log_ratio - log_ratio.max(), LOWEST_LOG_RATIO)
    return Weighted(proposal, points, log_p, log_ratio)


def _smoothed(raw: Weighted) -> tuple[Weighted, float]:
    """Smooth the tail of the weights; return the weights and Pareto k, or inf without a tail."""
    if raw.ess < FEWEST_TO_SMOOTH:
        return raw, np.inf
    smoothed, k = smoothed_tail(raw.log_weights)
    return replace(raw, log_weights=smoothed), k


def _resample(weights: FloatArray, n: int, rng: Generator) -> IntArray:
    """Draw n indices in random order by systematic resampling, in proportion to their weights."""
    edges = np.cumsum(weights)
    places = (rng.random() + np.arange(n)) / n
    chosen = np.searchsorted(edges / edges[-1], places, side="right")
    return np.asarray(rng.permutation(np.minimum(chosen, len(weights) - 1)))
