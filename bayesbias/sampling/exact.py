"""Draw independently from the exact posterior of a Normal model.

The density of the few log standard deviations is known in closed form (`collapsed`). Importance
resampling draws from this density (`importance`). Given these draws, effects and means are drawn
from their exact Gaussian distribution.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from itertools import islice, product

import numpy as np
from numpy.random import Generator

from .._core.arrays import FloatArray, one_thread
from ..model.effects import mean_around, word_means
from .blocks import solve_blocks
from .collapsed import Alone, conditional, log_density, standard_noise
from .importance import LogDensity, Resampled, find_mode, importance_resample, reweighed
from .nearby import MANY_GAPS, nearby
from .parameters import values_of
from .reduction import Along, Classes, Collapsed

LOG_SD_BOUNDS = (-12.0, 3.0)
"""Range in which to search for the mode of the log sds, raised for outcomes with an sd above one.
For distances in [0, 2], both ends are implausible."""

N_TRIALS = 61
"""Number of values to try for each sd, in steps of a quarter on the log scale."""

TELLING = 0.25
"""Smallest change in log density that distinguishes an sd from zero."""

DEEPEST = 30.0
"""Largest gap in log density between the first peak and a second peak that is also tried."""

SAME_MODE = 0.5
"""Two modes count as one if all their parameters differ by less than this."""

MOST_STARTS = 16
"""Largest number of starts, counting the first mode and combinations of second peaks."""

DRAWN_AT_ONCE = 200_000
"""Largest array size when effects are drawn in blocks. Other sizes draw other effects."""


FIT_TO = 800
"""Number of draws to which the correction of an approximate density is fitted."""


CLOSE = 0.8
"""Share of effective draws that an approximation must keep; else, the exact density proposes."""


@dataclass(frozen=True)
class ExactDraws:
    """Independent draws from the posterior of a Normal model."""

    values: dict[str, FloatArray]  # each variable of the model, (n_draws, ...), keyed by name
    parameters: FloatArray  # (n_draws, n_parameters), in the layout of Collapsed.blocks
    log_density: FloatArray  # (n_draws,): for the parameters, with effects integrated out
    pareto_k: float  # tail shape of the importance weights; reliable below 0.7
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
        start = np.where(posterior.is_sd, np.log(posterior.design.y.std() / 2), 0.0)
        exact = partial(log_density, posterior)
        mode = find_mode(exact, start, _bounds(posterior))
        if posterior.n_gaps > MANY_GAPS:
            near = nearby(posterior, mode)
            near = near.corrected(exact, _drawn(posterior, near.log_density, mode, FIT_TO, rng)[1])
            rough, parameters, n_modes = _drawn(posterior, near.log_density, mode, n_draws, rng)
            drawn, chosen = reweighed(rough, exact(parameters) - near.log_density(parameters), rng)
            parameters = parameters[chosen]
        if posterior.n_gaps <= MANY_GAPS or drawn.ess < CLOSE * rough.ess:
            drawn, parameters, n_modes = _drawn(posterior, exact, mode, n_draws, rng)
        values = draw_effects(posterior, parameters, rng) if effects else {}
        return _result(drawn, parameters, values, n_modes)


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


def _drawn(
    posterior: Collapsed, density: LogDensity, mode: FloatArray, n_draws: int, rng: Generator
) -> tuple[Resampled, FloatArray, int]:
    """Draw from a density of the parameters, and count modes with at least 1% of the draws."""
    trial, along = _along_sds(posterior, density, mode)
    coordinates = Coordinates(posterior, density, _resolution(posterior, trial, along))
    modes = coordinates.points(_all_modes(posterior, density, mode, trial, along))
    drawn = importance_resample(coordinates.log_density, modes, n_draws, rng)
    nearest = np.linalg.norm(drawn.points[:, None] - modes, axis=2).argmin(axis=1)
    n_modes = int((np.bincount(nearest) >= 0.01 * n_draws).sum())
    return drawn, coordinates.parameters(drawn.points), n_modes


def _bounds(posterior: Collapsed) -> tuple[float, float]:
    """Return the range of log sds to try, scaled by the sd of the data if it is above one."""
    scale = max(0.0, float(np.log(posterior.design.y.std())))
    return LOG_SD_BOUNDS[0] + scale, LOG_SD_BOUNDS[1] + scale


def _along_sds(
    posterior: Collapsed, log_density: LogDensity, mode: FloatArray
) -> tuple[FloatArray, FloatArray]:
    """Return log sds to try, (N_TRIALS,), and the log density along each sd, (n_sds, N_TRIALS)."""
    trial = np.linspace(*_bounds(posterior), N_TRIALS)
    sds = np.flatnonzero(posterior.is_sd)
    points = np.repeat(mode[None], len(sds) * N_TRIALS, axis=0).reshape(len(sds), N_TRIALS, -1)
    points[np.arange(len(sds)), :, sds] = trial
    density = log_density(points.reshape(len(sds) * N_TRIALS, -1))
    return trial, density.reshape(len(sds), N_TRIALS)


def _resolution(posterior: Collapsed, trial: FloatArray, along: FloatArray) -> FloatArray:
    """Return the size below which the data do not distinguish each sd from zero."""
    flat = along - trial
    changed = ~(np.abs(flat - flat[:, :1]) < TELLING)
    offset = np.zeros(posterior.n_parameters)
    offset[posterior.is_sd] = np.exp(trial[changed.argmax(axis=1)])
    return offset


def _all_modes(
    posterior: Collapsed,
    log_density: LogDensity,
    mode: FloatArray,
    trial: FloatArray,
    along: FloatArray,
) -> FloatArray:
    """Return all modes of the density, (n_modes, n_parameters), starting with the given mode.

    If the data contradict the prior of a mean, there are two explanations. The mean may be where
    the data are, or it may follow the prior while the words vary widely. Searches therefore also
    start from second peaks of single sds and from combinations of these peaks.
    """
    inner = along[:, 1:-1]
    peaks = (inner > along[:, :-2]) & (inner > along[:, 2:])
    peaks &= inner > along.max(axis=1, keepdims=True) - DEEPEST
    sds = np.flatnonzero(posterior.is_sd)
    starts = []
    for sd, peak in zip(sds, peaks, strict=True):
        elsewhere = np.abs(trial[1:-1] - mode[sd]) > SAME_MODE
        starts.append([mode[sd], *trial[1:-1][peak & elsewhere]][:2])
    modes = [mode]
    for values in islice(product(*starts), 1, MOST_STARTS):
        start = mode.copy()
        start[sds] = values
        other = find_mode(log_density, start, _bounds(posterior))
        if all(np.abs(other - known).max() > SAME_MODE for known in modes):
            modes.append(other)
    return np.array(modes)


def draw_effects(
    posterior: Collapsed, parameters: FloatArray, rng: Generator | None
) -> dict[str, FloatArray]:
    """Draw effects and means from their exact distribution, given each parameter vector.

    Without a generator, return the conditional means, which are linear in the outcome.
    """
    most = max(side.apart[0, 0].size for side in posterior.sides)
    rows = max(1, min(posterior.rows_at_once(DRAWN_AT_ONCE), DRAWN_AT_ONCE // most))
    values: dict[str, FloatArray] = {}
    for start in range(0, len(parameters), rows):
        part = _draw_block(posterior, parameters[start : start + rows], rng)
        for name, drawn in part.items():
            if name not in values:
                values[name] = np.empty((len(parameters), *drawn.shape[1:]))
            values[name][start : start + rows] = drawn
    design, spec = posterior.design, posterior.spec
    if "word_mean" not in values:
        values["word_mean"] = word_means(design, spec, values)
    values |= values_of(posterior.blocks, parameters)
    return values | {"sigma": np.hypot(values["sigma"], design.rounding)}


def _draw_block(
    posterior: Collapsed, parameters: FloatArray, rng: Generator | None
) -> dict[str, FloatArray]:
    """Draw the effects of every term, with the same dimensions as in the posterior."""
    given, design, n = conditional(posterior, parameters), posterior.design, len(parameters)
    of_classes, shared, weights = given.draw(rng)
    values = shared_effects(posterior, shared.T)
    values["connection_mean"] += posterior.spec.center
    by_noise = (given.scales.precision.T[:, :, None] * weights[:, None]).reshape(n, -1)
    sides = zip(posterior.sides, given.alone, given.deviations, of_classes, strict=True)
    for side, alone, deviations, of_class in sides:
        drawn = _of_units(side, (alone, *deviations), of_class, by_noise, rng)
        coordinates = np.swapaxes(drawn, 1, 2)
        stop = 0
        for term in side.units.terms:
            shape = term.sd_index(design).shape
            if len(side.units.terms) == 1 and len(side.of_unit) != shape[0]:
                coordinates = coordinates.reshape(n, *shape)  # units are pairs of levels
            start, stop = stop, stop + shape[1]
            effects = term.effects(design, coordinates[:, :, start:stop])
            values[term.name] = effects + mean_around(term, values)
    return values


def shared_effects(posterior: Collapsed, coordinates: FloatArray) -> dict[str, FloatArray]:
    """Return the effects shared across words and attributes, keyed by name.

    Effects are linear in the (n, n_shared) coordinates; pass the identity matrix to get the map
    itself. Connection means are relative to the center.
    """
    design, stop = posterior.design, len(posterior.design.connections)
    values = {"connection_mean": coordinates[:, :stop].copy()}
    for term in posterior.layout.shared_terms:
        shape = term.sd_index(design).shape
        start, stop = stop, stop + shape[0] * shape[1]
        values[term.name] = term.effects(design, coordinates[:, start:stop].reshape(-1, *shape))
    return values


def _of_units(
    side: Classes,
    factors: tuple[Alone, ...],
    of_class: FloatArray,
    by_noise: FloatArray,
    rng: Generator | None,
) -> FloatArray:
    """Draw the effects of all units, (n, d, n_units): class effects plus unit deviations.

    The ``factors`` are of class means and of each part. The (n, n_noise * k) ``by_noise`` are
    residual precisions times the weights of columns.
    """
    (d, n), (alone, *deviations) = of_class.shape[1:], factors
    means = (of_class * (side.scale / np.sqrt(side.size)[:, None])[..., None]).T
    if side.along is not None:
        return means[:, :, side.of_unit] + _along(side, side.along, deviations, by_noise, rng)
    effects = np.empty((n, d, len(side.of_unit)))
    single = side.size[side.of_unit] == 1
    effects[:, :, single] = means[:, :, side.of_unit[single]]
    # If LL' is the precision of a unit's z and W = L⁻¹R'D, its effects are W'(Wb + noise).
    whitening = alone.solve(np.eye(d)[:, :, None])
    for index in np.flatnonzero(side.size > 1):
        members = np.flatnonzero(side.of_unit == index)
        own = np.ascontiguousarray(whitening[index].T)
        noise = standard_noise((n, d, len(members)), rng)
        mean = means[:, :, index] - (own @ noise.mean(axis=2)[..., None])[..., 0]
        apart = side.apart[..., members].reshape(by_noise.shape[1], -1)
        noise += np.swapaxes(own, 1, 2) @ (by_noise @ apart).reshape(noise.shape)
        drawn = own @ noise
        drawn += mean[..., None]
        effects[:, :, members] = drawn
    return effects


def _along(
    side: Classes,
    along: Along,
    deviations: list[Alone],
    by_noise: FloatArray,
    rng: Generator | None,
) -> FloatArray:
    """Draw deviations of units from their class means, (n, d, n_units), along directions.

    Noise is drawn for units and then rotated. If directions have equal variances, rounding decides
    which ones are chosen. Draws do not depend on this choice.
    """
    d, n, k = along.scale.shape[1], len(by_noise), side.apart.shape[1]
    units = standard_noise((d, len(side.of_unit), n), rng)
    drawn = np.empty((d, len(along.scale), n))
    for index, basis in enumerate(along.basis):
        drawn[:, along.of_class == index] = basis.T @ units[:, side.of_unit == index]
    for part, alone in zip(side.parts, deviations, strict=True):
        place = part.coordinate, part.direction[:, None]
        columns = by_noise.reshape(n, -1, k)[..., part.columns].reshape(n, -1)
        projected = part.projected[:, :, :, 0].transpose(0, 3, 1, 2)
        flat = projected.reshape(columns.shape[1], part.coordinate.size)  # maybe without columns
        values = (flat.T @ columns.T).reshape(*place[0].shape, 1, n)
        coordinates = alone.solve(values) + drawn[place][:, :, None]
        solved = solve_blocks(alone.factor, coordinates, transposed=True)
        drawn[place] = alone.effects(solved[:, :, 0]) * along.scale.T[place][..., None]
    for index, basis in enumerate(along.basis):
        units[:, side.of_unit == index] = basis @ drawn[:, along.of_class == index]
    return np.moveaxis(units, -1, 0)
