"""Independent draws from the exact posterior of a Normal model.

The density of the few log standard deviations is known in closed form (`collapsed`) and drawn from
by importance resampling (`importance`). Effects and means follow from their exact Gaussian
conditional.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import partial
from itertools import islice, product

import numpy as np
from numpy.random import Generator

from .._core.arrays import FloatArray
from .._core.blas import one_thread
from ..model.effects import word_means
from .blocks import solve_blocks
from .collapsed import Alone, conditional, log_density, standard_noise, times
from .importance import find_mode, importance_resample
from .parameters import correlation_factor
from .reduction import Collapsed
from .sufficient import Classes, is_split

LOG_SD_BOUNDS = (-12.0, 3.0)
"""Where the mode of the log sds is sought; distances lie in [0, 2], so both ends are absurd.

Outcomes that spread more than one unit, as log-likelihoods do, move both ends; see `_bounds`.
"""


N_TRIALS = 61
"""Sizes at which each sd is tried, a quarter in log sd apart."""

TELLING = 0.25
"""A change in log density by which the data begin to tell an sd from zero."""


DEEPEST = 30.0
"""A second peak of the log density lower than this under the first is none: others may lift it."""

SAME_MODE = 0.5
"""Modes whose parameters are all nearer to one another are one."""

MOST_STARTS = 16
"""Combinations of second peaks that are tried, with the first mode."""


@dataclass(frozen=True)
class ExactDraws:
    """Independent draws from the posterior of a Normal model.

    Parameters
    ----------
    values : dict of str to (n_draws, ...) float
        Every variable of the model by name, in the dimensions that PyMC's model has.
    parameters : (n_draws, n_parameters) float
        Log sds, and correlations, in the layout of ``Collapsed.blocks``.
    log_density : (n_draws,) float
        Their log posterior density, effects integrated out, up to a constant.
    pareto_k : float
        Shape of the tail of the importance weights; below 0.7 they are to be trusted.
    importance_ess : float
        Effective sample size of the proposals, at most `n_proposals`.
    n_proposals : int
    n_modes : int
        Modes that hold a hundredth of the draws or more. With two, prior and data disagree.
    """

    values: dict[str, FloatArray]
    parameters: FloatArray
    log_density: FloatArray
    pareto_k: float
    importance_ess: float
    n_proposals: int
    n_modes: int


@dataclass(frozen=True)
class Coordinates:
    """Coordinates log(sd + offset), in which a log density has no long lower tail.

    Below some size the data cannot tell an sd from zero, and the density of its logarithm falls
    only as fast as the logarithm itself, with a tail that no proposal covers well. With an offset
    of that size the tail becomes an edge; sds well above it keep their logarithm. Parameters that
    are no sds stay as they are.

    Parameters
    ----------
    posterior : Collapsed
    offset : (n_parameters,) float
        Zero for what is no sd.
    """

    posterior: Collapsed
    offset: FloatArray

    def log_density(self, points: FloatArray) -> FloatArray:
        """Log posterior density of points in these coordinates, (n, n_parameters) to (n,)."""
        inside = (np.exp(points) > self.offset).all(axis=1)
        density = np.full(len(points), -np.inf)
        parameters = self.parameters(points[inside])
        jacobian = (points[inside] - parameters).sum(axis=1)
        density[inside] = log_density(self.posterior, parameters) + jacobian
        return density

    def points(self, parameters: FloatArray) -> FloatArray:
        """Return parameters in these coordinates."""
        return self._where_sds(parameters, np.log(np.exp(parameters) + self.offset))

    def parameters(self, points: FloatArray) -> FloatArray:
        """Return points in these coordinates as parameters."""
        return self._where_sds(points, np.log(np.exp(points) - self.offset))

    def _where_sds(self, others: FloatArray, values: FloatArray) -> FloatArray:
        return np.where(self.posterior.is_sd, values, others)


def sample_exact(
    posterior: Collapsed, n_draws: int, rng: Generator, *, effects: bool = True
) -> ExactDraws:
    """Draw from the exact posterior.

    Parameters
    ----------
    posterior : Collapsed
    n_draws : int
    rng : numpy.random.Generator
        Equal states give equal draws.
    effects : bool
        Whether to draw ``values`` too, or the parameters only.
    """
    with one_thread():
        found = _sample(posterior, n_draws, rng)
        if not effects:
            return found
        return replace(found, values=draw_effects(posterior, found.parameters, rng))


def _sample(posterior: Collapsed, n_draws: int, rng: Generator) -> ExactDraws:
    mode = mode_of(posterior)
    trial, along = _along_sds(posterior, mode)
    coordinates = Coordinates(posterior, _resolution(posterior, trial, along))
    modes = _all_modes(posterior, mode, trial, along)
    found = importance_resample(coordinates.log_density, coordinates.points(modes), n_draws, rng)
    parameters = coordinates.parameters(found.points)
    return ExactDraws(
        values={},
        parameters=parameters,
        log_density=found.log_p - (found.points - parameters).sum(axis=1),
        pareto_k=found.pareto_k,
        importance_ess=found.ess,
        n_proposals=found.n_proposals,
        n_modes=_n_held(found.points, coordinates.points(modes)),
    )


def mode_of(posterior: Collapsed) -> FloatArray:
    """Return the parameters of highest density, in log sds, (n_parameters,)."""
    start = np.where(posterior.is_sd, np.log(posterior.design.y.std() / 2), 0.0)
    return find_mode(partial(log_density, posterior), start, _bounds(posterior))


def _n_held(points: FloatArray, modes: FloatArray) -> int:
    """How many modes are the nearest to a hundredth of the points or more."""
    nearest = np.linalg.norm(points[:, None] - modes, axis=2).argmin(axis=1)
    return int((np.bincount(nearest) >= 0.01 * len(points)).sum())


def _bounds(posterior: Collapsed) -> tuple[float, float]:
    """Ends of the log sds that are tried, in the scale of the data where that is above one."""
    scale = max(0.0, float(np.log(posterior.design.y.std())))
    return LOG_SD_BOUNDS[0] + scale, LOG_SD_BOUNDS[1] + scale


def _along_sds(posterior: Collapsed, mode: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Log sds that are tried, and the log density of each with the others at their mode.

    Returns
    -------
    (N_TRIALS,) float
    (n_sds, N_TRIALS) float
    """
    trial = np.linspace(*_bounds(posterior), N_TRIALS)
    sds = np.flatnonzero(posterior.is_sd)
    points = np.repeat(mode[None], len(sds) * N_TRIALS, axis=0).reshape(len(sds), N_TRIALS, -1)
    points[np.arange(len(sds)), :, sds] = trial
    density = log_density(posterior, points.reshape(len(sds) * N_TRIALS, -1))
    return trial, density.reshape(len(sds), N_TRIALS)


def _resolution(posterior: Collapsed, trial: FloatArray, along: FloatArray) -> FloatArray:
    """Size of each sd below which, the others at their mode, the data do not tell it from zero."""
    flat = along - trial
    changed = ~(np.abs(flat - flat[:, :1]) < TELLING)
    found = np.zeros(posterior.n_parameters)
    found[posterior.is_sd] = np.exp(trial[changed.argmax(axis=1)])
    return found


def _all_modes(
    posterior: Collapsed, mode: FloatArray, trial: FloatArray, along: FloatArray
) -> FloatArray:
    """Modes of the density, (n_modes, n_parameters), the given one first.

    A prior of a mean that contradicts the data leaves two explanations: the mean lies where the
    data are, or words spread as far as it is off. Each sd that has a second peak along its axis is
    tried there, alone and together with others.
    """
    inner = along[:, 1:-1]
    peaks = (inner > along[:, :-2]) & (inner > along[:, 2:])
    peaks &= inner > along.max(axis=1, keepdims=True) - DEEPEST
    sds = np.flatnonzero(posterior.is_sd)
    others = []
    for at, peak in enumerate(peaks):
        apart = np.abs(trial[1:-1] - mode[sds[at]]) > SAME_MODE
        others.append([mode[sds[at]], *trial[1:-1][peak & apart]][:2])
    found = [mode]
    for values in islice(product(*others), 1, MOST_STARTS):
        start = mode.copy()
        start[sds] = values
        other = find_mode(partial(log_density, posterior), start, _bounds(posterior))
        if all(np.abs(other - each).max() > SAME_MODE for each in found):
            found.append(other)
    return np.array(found)


def draw_effects(
    posterior: Collapsed, parameters: FloatArray, rng: Generator | None
) -> dict[str, FloatArray]:
    """Draw effects and means from their exact conditional, one for each vector of parameters.

    Without a generator they are the means of that conditional, which are linear in the outcome.
    """
    rows, values = posterior.draws_at_once, {}
    for start in range(0, len(parameters), rows):
        part = _draw_block(posterior, parameters[start : start + rows], rng)
        for name, drawn in part.items():
            if name not in values:
                values[name] = np.empty((len(parameters), *drawn.shape[1:]))
            values[name][start : start + rows] = drawn
    values = _with_means(posterior, values)
    for block in posterior.blocks:
        own = parameters[:, block.where]
        if block.n_correlated:
            factor = correlation_factor(own, block.n_correlated)
            values[block.name] = factor @ factor.transpose(0, 2, 1)
            values[f"{block.name}_factor"] = factor
        else:
            values[block.name] = np.exp(own if block.dims else own[:, 0])
    return values


def _draw_block(
    posterior: Collapsed, parameters: FloatArray, rng: Generator | None
) -> dict[str, FloatArray]:
    given = conditional(posterior, parameters)
    of_classes, shared = given.draw(rng)
    values = _shared_effects(posterior, shared.T)
    for side, alone, of_class in zip(posterior.sides, given.alone, of_classes, strict=True):
        effects = _effects(side, of_class, alone, given.precision, rng)
        values |= _by_term(posterior, side, effects)
    return values


def _effects(
    side: Classes,
    of_class: FloatArray,
    alone: Alone,
    precision: FloatArray,
    rng: Generator | None,
) -> FloatArray:
    """Effects of all units, (n, d, n_units): drawn by class, and own deviations from that."""
    d, n = of_class.shape[1:]
    means = (of_class / np.sqrt(side.size)[:, None, None]).T
    found = np.empty((n, d, len(side.of_unit)))
    single = side.size[side.of_unit] == 1
    found[:, :, single] = means[:, :, side.of_unit[single]]
    # With the precision LL' of a unit's z and W = L⁻¹ R' D, effects alone are W'(W b + noise).
    whitening = solve_blocks(alone.factor, alone.scale(np.eye(d)[:, :, None]))
    for index in np.flatnonzero(side.size > 1):
        members = np.flatnonzero(side.of_unit == index)
        own = np.ascontiguousarray(whitening[index].T)
        noise = standard_noise((n, d, len(members)), rng)
        mean = means[:, :, index] - times(own, noise.mean(axis=2))
        apart = side.apart[:, :, members].reshape(len(precision), -1)
        noise += np.swapaxes(own, 1, 2) @ (precision.T @ apart).reshape(noise.shape)
        drawn = own @ noise
        drawn += mean[..., None]
        found[:, :, members] = drawn
    return found


def _by_term(posterior: Collapsed, side: Classes, effects: FloatArray) -> dict[str, FloatArray]:
    """Effects of every term, in the dimensions that it has in the posterior."""
    coords = posterior.design.coords
    found, start = {}, 0
    for term in side.units.terms:
        shape = tuple(len(coords[dim]) for dim in term.dims)
        if len(side.units.terms) == 1 and is_split(term):
            found[term.name] = effects.reshape(len(effects), *shape)
            break
        basis = term.basis(posterior.design)
        stop = start + basis.shape[1]
        values = effects[:, start:stop]
        if term.zero_sum or term.contrast:
            values = basis @ values
        values = np.swapaxes(values, 1, 2)
        found[term.name] = values.reshape(len(effects), *shape)
        start = stop
    return found


def _shared_effects(posterior: Collapsed, effects: FloatArray) -> dict[str, FloatArray]:
    """Split the shared effects: connection means, then those of the terms."""
    coords = posterior.design.coords
    start = len(posterior.design.connections)
    found = {"connection_mean": posterior.centre + effects[:, :start]}
    for term in posterior.shared.terms:
        shape = tuple(len(coords[dim]) for dim in term.dims)
        basis = term.joint_basis(posterior.design)
        stop = start + basis.shape[1]
        values = effects[:, start:stop] @ basis.T
        found[term.name] = values.reshape(len(effects), *shape)
        start = stop
    return found


def _with_means(posterior: Collapsed, values: dict[str, FloatArray]) -> dict[str, FloatArray]:
    """Add to means what they vary around, and the means of words where these are sums of terms."""
    design, terms = posterior.design, {term.name: term for term in posterior.spec.terms}

    def mean(name: str) -> FloatArray:
        """Return a mean with those that it varies around, (n, n_levels, n_connections)."""
        if name not in terms:
            return values["connection_mean"][:, None]
        term = terms[name]
        parent = mean(term.around)
        if term.around in terms and terms[term.around].of != term.of:
            parent = parent[:, design.word_group]
        return np.asarray(parent + values[name])

    means = {name: mean(name) for name, term in terms.items() if term.around}
    if "word_mean" not in terms:
        means["word_mean"] = word_means(design, posterior.spec, values | means)
    return values | means
