r"""Draw independently from the exact posterior of a Normal model.

The density of the few log standard deviations is known in closed form (`collapsed`). Importance
resampling draws from this density (`importance`). Given these draws, effects and means are drawn
from their exact Gaussian distribution.

With many missing pairs, each exact density factors a large matrix. The gaps' outcomes g are
therefore drawn together with the parameters. Proposals of the parameters come from the density of
the table whose gaps have their expected outcomes at the mode. Given the parameters :math:`\theta`,
gaps are drawn from a Normal distribution q close to their conditional one: its mean is linear in
:math:`\theta`, and its precision is constant in units of the residual sds. Draws have the weights
:math:`p(y, g | \theta) p(\theta) / q(\theta) q(g | \theta)`, which make them exact and vary
little.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from functools import partial
from itertools import islice, product

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view
from numpy.random import Generator
from numpy.typing import NDArray

from .._core.arrays import FloatArray, one_thread
from .collapsed import MOST_NUMBERS, conditional, log_density, scales_of
from .effects import draw_effects
from .importance import (
    ESS_LIMIT,
    PARETO_K_LIMIT,
    LogDensity,
    Resampled,
    find_mode,
    importance_resample,
    reweighed,
)
from .parameters import log_prior
from .reduction import Collapsed, with_gaps

LOG_SD_BOUNDS = (-12.0, 3.0)
"""Range in which to search for the mode of the log sds, raised for outcomes with an sd above one.
For distances in [0, 2], both ends are implausible."""

LOWERED = (6.0, 12.0, 18.0)
"""How far the range is lowered until no sd has much mass below it, as in rows that hardly changed;
if one still has, it has a pole."""

TRIALS = 4
"""Number of values to try for each sd per unit of the log scale."""

TELLING = 0.25
"""Smallest change in log density that distinguishes an sd from zero."""

LEVEL, N_LEVEL = 0.05, 8
"""Largest change between neighbors, and their number, where an sd does not matter. At even smaller
sds, a density may consist of rounding errors."""

MOST_BELOW = 0.002
"""Largest share of an sd's mass below all trials, if other sds are at the mode. If others vary, it
may be 30 times as large."""

LEAST_SLOPE, FLATTEST = 0.5, 1e-3
"""Slope of the log density of the log sd from which an offset spreads small sds evenly (it is 1 if
the density of the sd is level), and the smallest slope that is not zero."""

DEEPEST = 30.0
"""Largest gap in log density between the first peak and a second peak that is also tried."""

SAME_MODE = 0.5
"""Two modes count as one if all their parameters differ by less than this."""

MOST_STARTS = 16
"""Largest number of starts, counting the first mode and combinations of second peaks."""

MOST_TRIES = 3
"""Largest number of times that proposals are fitted, if Pareto k is high."""

N_FILLS = 3
"""Number of times that gaps are filled by their expected outcomes at the last mode."""

CLOSE = 0.5
"""Share of effective draws to keep when gaps are drawn; else, other proposals are tried."""

SPARE = 4
"""Number of draws from these other proposals for each draw to keep."""

FEW_GAPS = 150
"""Number of gaps up to which the exact density is quick enough if first proposals are not close."""

N_NOISES = 4
"""Number of gaps' outcomes over which these proposals average, or single ones hide some sds."""

MANY_GAPS = 8
"""Number of gaps from which drawing them takes less time than integrating over them."""

N_FITTED = 64
"""Number of draws of the parameters to which the distribution of gaps is fitted."""


type Drawn = tuple[Resampled, FloatArray, int, FloatArray]
"""Draws, their parameters, the number of modes with at least 1% of them, and the log sds below
which a density is rounding errors."""


@dataclass(frozen=True)
class ExactDraws:
    """Independent draws from the posterior of a Normal model."""

    values: dict[str, FloatArray]  # each variable of the model, (n_draws, ...), keyed by name
    parameters: FloatArray  # (n_draws, n_parameters), in the layout of Collapsed.blocks
    log_density: FloatArray
    # (n_draws,): for the parameters, with effects integrated out; with gaps, an unbiased estimate
    pareto_k: float
    # tail shape of the importance weights; reliable below 0.7; infinite if proposals miss a pole
    importance_ess: float  # effective sample size of the proposals
    n_proposals: int
    n_modes: int  # modes with at least 1% of the draws; two if prior and data disagree


@dataclass(frozen=True)
class Coordinates:
    """Coordinates log(sd + offset), in which a log density has no long lower tail.

    The data cannot distinguish very small sds from zero. For these, the density of the log sd falls
    only as fast as the sd, and no proposal covers this long tail well. An offset of about the size
    of these sds turns the tail into an edge.
    """

    posterior: Collapsed
    density: LogDensity  # of parameters
    offset: FloatArray  # (n_parameters,); zero leaves parameters other than sds unchanged

    def log_density(self, points: FloatArray) -> FloatArray:
        """Return the (n,) log posterior densities of (n, n_parameters) points."""
        inside = (np.exp(points) > self.offset).all(axis=1)
        density = np.full(len(points), -np.inf)
        parameters = self.parameters(points[inside])
        jacobian = (points[inside] - parameters).sum(axis=1)
        density[inside] = self.density(parameters) + jacobian
        return density

    def points(self, parameters: FloatArray) -> FloatArray:
        """Transform parameters to these coordinates."""
        moved = np.log(np.exp(parameters) + self.offset)
        return np.where(self.posterior.is_sd, moved, parameters)

    def parameters(self, points: FloatArray) -> FloatArray:
        """Transform points in these coordinates back to parameters."""
        return np.where(self.posterior.is_sd, np.log(np.exp(points) - self.offset), points)


def sample_exact(
    posterior: Collapsed, n_draws: int, rng: Generator, *, effects: bool = True
) -> ExactDraws:
    """Draw from the exact posterior; draw only its parameters if ``effects`` is False."""
    with one_thread():
        many = posterior.n_gaps > MANY_GAPS and posterior.n_outcomes == 1
        found = _by_filling(posterior, n_draws, rng) if many else None
        if found is None:
            exact = partial(log_density, posterior)
            known = _surroundings(posterior, exact, mode_of(posterior))
            tries = (_drawn(*known, n_draws, rng) for _ in range(MOST_TRIES))
            found = _first_reliable(tries), None
        (drawn, parameters, n_modes, _), gaps = found
        values = draw_effects(posterior, parameters, rng, gaps) if effects else {}
        return _result(drawn, parameters, values, n_modes)


def _first_reliable(tries: Iterator[Drawn]) -> Drawn:
    """Return the first draws with a low Pareto k, which chance may raise, or those with the lowest.

    Each try fits its proposals to other random points.
    """
    best = next(tries)
    while not best[0].pareto_k < PARETO_K_LIMIT and (again := next(tries, None)) is not None:
        best = min(best, again, key=lambda one: np.nan_to_num(one[0].pareto_k, nan=np.inf))
    return best


def _by_filling(
    posterior: Collapsed, n_draws: int, rng: Generator
) -> tuple[Drawn, FloatArray | None] | None:
    """Draw parameters together with the gaps' outcomes, or return None if few draws are kept.

    The first proposals count the expected outcomes as measured, so with many gaps they are too
    narrow. The next ones come from the mean density of gaps with the same few noises at all
    parameters.
    """
    typical = posterior.design.y.mean() - posterior.spec.center
    full = with_gaps(posterior, np.full((1, posterior.n_gaps), typical))
    for _ in range(N_FILLS):
        mode = mode_of(full)
        full = with_gaps(posterior, expected_gaps(posterior, mode[None]))
    density: LogDensity = partial(log_density, full)
    near, modes = _surroundings(full, density, mode)
    best, spare, fitted = None, 1, None
    for _ in range(MOST_TRIES):
        if fitted is not None:
            spare, noises = SPARE, rng.standard_normal((N_NOISES, 1, posterior.n_gaps))
            density = partial(fitted.mean_log_density, noises)
            near, modes = _moved(posterior, density, near, modes)
        rough, parameters, n_modes, floor = _drawn(near, modes, spare * n_draws, rng)
        floored = np.maximum(parameters, floor)
        fitted = fitted_gaps(posterior, floored[:N_FITTED])
        noise = rng.standard_normal((len(floored), posterior.n_gaps))
        gaps, ratios = fitted.at(floored, noise), fitted.log_density(noise, floored)
        drawn, chosen = reweighed(rough, ratios - density(floored), n_draws, rng)
        if best is None or drawn.ess > best[0][0].ess:
            best = (drawn, parameters[chosen], n_modes, floor), gaps[chosen]
        if drawn.ess > CLOSE / spare * rough.ess:
            return best
        if posterior.n_gaps <= FEW_GAPS:
            return None
    return best if best and best[0][0].ess > ESS_LIMIT else None


def _moved(
    posterior: Collapsed, density: LogDensity, near: Surroundings, modes: FloatArray
) -> tuple[Surroundings, FloatArray]:
    """Return the surroundings with another density, and its modes near the former ones."""
    prior = partial(log_prior, posterior.spec, posterior.blocks)
    continued = partial(_continued, density, prior, near.floor)
    coordinates = replace(near.coordinates, density=continued)
    starts, ends = coordinates.parameters(modes), bounds_of(posterior)
    found = _distinct(find_mode(density, start, ends) for start in starts)
    return replace(near, coordinates=coordinates), coordinates.points(found)


def mode_of(posterior: Collapsed) -> FloatArray:
    """Find a mode of the parameters, (n_parameters,)."""
    start = np.where(posterior.is_sd, np.log(posterior.design.y.std() / 2), 0.0)
    return find_mode(partial(log_density, posterior), start, bounds_of(posterior))


def _result(
    drawn: Resampled, parameters: FloatArray, values: dict[str, FloatArray], n_modes: int
) -> ExactDraws:
    return ExactDraws(
        values=values,
        parameters=parameters,
        log_density=drawn.log_p - (drawn.points - parameters).sum(axis=1),
        pareto_k=drawn.pareto_k,
        importance_ess=drawn.ess,
        n_proposals=drawn.n_proposals,
        n_modes=n_modes,
    )


def _drawn(near: Surroundings, modes: FloatArray, n_draws: int, rng: Generator) -> Drawn:
    """Draw from a density of the parameters, and count modes with at least 1% of the draws."""
    drawn = importance_resample(near.coordinates.log_density, modes, n_draws, rng)
    nearest = np.linalg.norm(drawn.points[:, None] - modes, axis=2).argmin(axis=1)
    n_modes = int((np.bincount(nearest) >= 0.01 * n_draws).sum())
    if near.has_pole:  # proposals do not reach its mass
        drawn = replace(drawn, pareto_k=np.inf)
    return drawn, near.coordinates.parameters(drawn.points), n_modes, near.floor


@dataclass(frozen=True)
class Surroundings:
    """The density along each sd around a mode."""

    mode: FloatArray  # (n_parameters,)
    trial: FloatArray  # (n_trials,): log sds
    along: FloatArray  # (n_sds, n_trials): log densities; -inf where they are rounding errors
    floor: FloatArray  # (n_parameters,): log sds below which they are rounding errors
    coordinates: Coordinates
    has_pole: bool


def _surroundings(
    posterior: Collapsed, density: LogDensity, mode: FloatArray
) -> tuple[Surroundings, FloatArray]:
    """Return the density around a mode, and all modes in its coordinates, (n_modes, n_parameters).

    The range of sds is lowered as long as one of them seems to have a pole.
    """
    low, high = bounds_of(posterior)
    with np.errstate(invalid="ignore"):  # the density at residual sds below the smallest is -inf
        near = first = _in_range(posterior, density, mode, (low, high))
        for step in LOWERED:
            if not near.has_pole:
                break
            ends = low - step, high
            near = _in_range(posterior, density, find_mode(density, mode, ends), ends)
        near = first if near.has_pole else near
        return near, near.coordinates.points(_all_modes(posterior, density, near))


def _in_range(
    posterior: Collapsed, density: LogDensity, mode: FloatArray, ends: tuple[float, float]
) -> Surroundings:
    prior, trial = partial(log_prior, posterior.spec, posterior.blocks), trials(ends)
    along = _along_sds(posterior, density, mode, trial)
    level = _along_sds(posterior, prior, mode, trial)
    floor, offset = _resolution(posterior, trial, along, level)
    continued = partial(_continued, density, prior, floor)
    has_pole = bool(_has_pole(trial, _along_sds(posterior, continued, mode, trial)).any())
    along[trial < floor[posterior.is_sd, None]] = -np.inf  # or rounding errors are peaks
    coordinates = Coordinates(posterior, continued, offset)
    return Surroundings(mode, trial, along, floor, coordinates, has_pole)


def _continued(
    density: LogDensity, prior: LogDensity, floor: FloatArray, parameters: FloatArray
) -> FloatArray:
    """Return log densities; below each floor, only the prior depends on an sd."""
    floored = np.maximum(parameters, floor)
    return density(floored) + prior(parameters) - prior(floored)


def bounds_of(posterior: Collapsed) -> tuple[float, float]:
    """Return the range of log sds to try, scaled by the sd of the data if it is above one."""
    scale = max(0.0, float(np.log(posterior.design.y.std())))
    return LOG_SD_BOUNDS[0] + scale, LOG_SD_BOUNDS[1] + scale


def trials(ends: tuple[float, float]) -> FloatArray:
    """Return the log sds to try in a range."""
    low, high = ends
    return np.linspace(low, high, round(TRIALS * (high - low)) + 1)


def _along_sds(
    posterior: Collapsed, log_density: LogDensity, mode: FloatArray, trial: FloatArray
) -> FloatArray:
    """Return the log density along each sd, (n_sds, n_trials), if others are at the mode."""
    sds = np.flatnonzero(posterior.is_sd)
    shape = (len(sds), len(trial))
    points = np.repeat(mode[None], len(sds) * len(trial), axis=0).reshape(*shape, -1)
    points[np.arange(len(sds)), :, sds] = trial
    return log_density(points.reshape(len(sds) * len(trial), -1)).reshape(shape)


def _resolution(
    posterior: Collapsed, trial: FloatArray, along: FloatArray, prior: FloatArray
) -> tuple[FloatArray, FloatArray]:
    """Return the log sds below which a density is rounding errors, and the resolution of each sd.

    The data do not distinguish smaller sds from zero, so the likelihood is level there. The
    posterior may also be level where prior and likelihood cancel.
    """
    steps = np.abs(np.diff(along - prior))
    first = sliding_window_view(steps < LEVEL, N_LEVEL, axis=1).all(axis=2).argmax(axis=1)[:, None]
    flat = along - trial
    changed = ~(np.abs(flat - np.take_along_axis(flat, first, axis=1)) < TELLING)
    changed &= np.arange(len(trial)) >= first
    offset, floor = np.zeros(posterior.n_parameters), np.full(posterior.n_parameters, -np.inf)
    offset[posterior.is_sd] = np.exp(trial[changed.argmax(axis=1)])
    floor[posterior.is_sd] = np.where(first > 0, trial[first], -np.inf)[:, 0]
    return floor, offset


def _has_pole(trial: FloatArray, along: FloatArray) -> NDArray[np.bool_]:
    """Return whether an sd's density has a pole at zero, with much mass below all trials.

    There, the log density of the log sd continues as a line, whose slope is that of the prior.
    """
    step = trial[1] - trial[0]
    density = np.exp(along - along.max(axis=1, keepdims=True))
    slope = (along[:, 1] - along[:, 0]) / step
    below, inside = density[:, 0] / np.maximum(slope, FLATTEST), density.sum(axis=1) * step
    return np.asarray((slope < LEAST_SLOPE) & (below > MOST_BELOW * inside))


def _all_modes(posterior: Collapsed, log_density: LogDensity, near: Surroundings) -> FloatArray:
    """Return all modes of the density, (n_modes, n_parameters), starting with the given mode.

    If the data contradict the prior of a mean, there are two explanations. The mean may be where
    the data are, or it may follow the prior while the words vary widely. Searches therefore also
    start from second peaks of single sds and from combinations of these peaks.
    """
    mode, trial, along = near.mode, near.trial, near.along
    inner = along[:, 1:-1]
    peaks = (inner > along[:, :-2]) & (inner > along[:, 2:])
    peaks &= inner > along.max(axis=1, keepdims=True) - DEEPEST
    sds = np.flatnonzero(posterior.is_sd)
    starts = []
    for sd, peak in zip(sds, peaks, strict=True):
        elsewhere = np.abs(trial[1:-1] - mode[sd]) > SAME_MODE
        starts.append([mode[sd], *trial[1:-1][peak & elsewhere]][:2])

    def found() -> Iterator[FloatArray]:
        yield mode
        for values in islice(product(*starts), 1, MOST_STARTS):
            start = mode.copy()
            start[sds] = values
            yield find_mode(log_density, start, (trial[0], trial[-1]))

    return _distinct(found())


def _distinct(found: Iterable[FloatArray]) -> FloatArray:
    """Return the modes that differ from those before them."""
    modes: list[FloatArray] = []
    for mode in found:
        if all(np.abs(mode - known).max() > SAME_MODE for known in modes):
            modes.append(mode)
    return np.array(modes)


@dataclass(frozen=True)
class Gaps:
    """A Normal distribution of the gaps' outcomes, minus the center, given the parameters."""

    posterior: Collapsed
    center: FloatArray  # (n_parameters,)
    coefficients: FloatArray  # (1 + n_parameters, n_gaps)
    root: FloatArray  # (n_gaps, n_gaps): inverse transposed factor of the precision times sigma²

    def at(self, parameters: FloatArray, noise: FloatArray) -> FloatArray:
        """Return (n, n_gaps) outcomes with this standard noise."""
        scaled = noise @ self.root.T / np.sqrt(_precisions(self.posterior, parameters))
        moved = parameters - self.center
        means = np.hstack([np.ones((len(moved), 1)), moved]) @ self.coefficients
        return np.asarray(means + scaled)

    def log_density(self, noise: FloatArray, parameters: FloatArray) -> FloatArray:
        """Estimate the (n,) log densities of parameters from gaps with this standard noise.

        The expected density over the noise is the exact one, up to a constant.
        """
        gaps = self.at(parameters, noise)
        return log_density(self.posterior, parameters, gaps) + 0.5 * (noise**2).sum(axis=1)

    def mean_log_density(self, noises: FloatArray, parameters: FloatArray) -> FloatArray:
        """Return the log of the mean of the densities that several noises estimate."""
        logs = [self.log_density(noise, parameters) for noise in noises]
        return np.asarray(np.logaddexp.reduce(logs) - np.log(len(logs)))


def fitted_gaps(posterior: Collapsed, parameters: FloatArray) -> Gaps:
    """Fit the distribution of gaps to its exact moments at some draws of the parameters."""
    n, rows = posterior.n_gaps, posterior.rows_at_once(MOST_NUMBERS)
    blocks = np.split(parameters, range(rows, len(parameters), rows))
    given = [conditional(posterior, block) for block in blocks]
    factor = np.concatenate([one.factor[:, :n, :n] for one in given])
    factor /= np.sqrt(_precisions(posterior, parameters))[:, :, None]
    precision = (factor @ np.swapaxes(factor, 1, 2)).mean(axis=0)
    means = np.concatenate([one.draw(None)[2][:, :n] for one in given])
    moved = parameters - parameters.mean(axis=0)
    features = np.hstack([np.ones((len(moved), 1)), moved])
    coefficients = np.linalg.lstsq(features, means, rcond=1e-8)[0]
    root = np.linalg.inv(np.linalg.cholesky(precision)).T
    return Gaps(posterior, parameters.mean(axis=0), coefficients, root)


def expected_gaps(posterior: Collapsed, parameters: FloatArray) -> FloatArray:
    """Return the expected outcomes of the gaps, given each parameter vector."""
    return conditional(posterior, parameters).draw(None)[2][:, : posterior.n_gaps]


def _precisions(posterior: Collapsed, parameters: FloatArray) -> FloatArray:
    """Return the (n, n_gaps) residual precisions of the gaps."""
    types = posterior.layout.types
    noise = types.by_noise.argmax(axis=0)[types.of_row[-posterior.n_gaps :]]
    return np.asarray(scales_of(posterior, parameters).precision[noise].T)
