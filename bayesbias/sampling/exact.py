"""Independent draws from the exact posterior of a Normal model.

The density of the few log standard deviations is known in closed form (`collapsed`) and drawn from
by importance resampling (`importance`). Effects and means follow from their exact Gaussian
conditional.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache, partial
from typing import TYPE_CHECKING

import numpy as np
from numpy.random import Generator

from .._core.arrays import FloatArray
from ..model.design import IntArray
from .collapsed import conditional, kept_scales, log_density, residual_precision
from .importance import find_mode, importance_resample
from .reduction import Collapsed, Side

if TYPE_CHECKING:
    from threadpoolctl import ThreadpoolController

LOG_SD_BOUNDS = (-12.0, 3.0)
"""Where the mode of the log sds is sought; distances lie in [0, 2], so both ends are absurd.

Outcomes that spread more than one unit, as log-likelihoods do, move both ends; see `_bounds`.
"""


N_TRIALS = 61
"""Sizes at which each sd is tried, a quarter in log sd apart."""

TELLING = 0.25
"""A change in log density by which the data begin to tell an sd from zero."""


@dataclass(frozen=True)
class ExactDraws:
    """Independent draws from the posterior of a Normal model; diagnostics as of `Resampled`."""

    values: dict[str, FloatArray]  # (n_draws, ...) by name, in the dimensions of PyMC's model
    log_density: FloatArray  # (n_draws,): of the log sds, effects integrated out, up to a constant
    pareto_k: float
    importance_ess: float
    n_proposals: int


@dataclass(frozen=True)
class Coordinates:
    """Coordinates log(sd + offset), in which a log density has no long lower tail.

    Below some size the data cannot tell an sd from zero, and the density of its logarithm falls
    only as fast as the logarithm itself, with a tail that no proposal covers well. With an offset
    of that size the tail becomes an edge; sds well above it keep their logarithm.
    """

    posterior: Collapsed
    offset: FloatArray  # (n_sds,)

    def log_density(self, points: FloatArray) -> FloatArray:
        """Log posterior density of points in these coordinates, (n, n_sds) to (n,)."""
        sds = np.exp(points) - self.offset
        inside = (sds > 0).all(axis=1)
        density = np.full(len(points), -np.inf)
        log_sds = np.log(sds[inside])
        jacobian = (points[inside] - log_sds).sum(axis=1)
        density[inside] = log_density(self.posterior, log_sds) + jacobian
        return density

    def points(self, log_sds: FloatArray) -> FloatArray:
        """Return log sds in these coordinates."""
        return np.asarray(np.log(np.exp(log_sds) + self.offset))

    def log_sds(self, points: FloatArray) -> FloatArray:
        """Return points in these coordinates as log sds."""
        return np.asarray(np.log(np.exp(points) - self.offset))


def sample_exact(posterior: Collapsed, n_draws: int, rng: Generator) -> ExactDraws:
    """Draw from the exact posterior; generators in equal states give equal draws."""
    with _linear_algebra().limit(limits=1, user_api="blas"):
        return _sample(posterior, n_draws, rng)


@cache
def _linear_algebra() -> ThreadpoolController:
    """Return the controller of the threads of linear algebra.

    Matrices here are small, and threads that wait for them cost more than they compute: with one
    thread a posterior takes half the time.
    """
    import scipy.optimize  # noqa: F401 (brings libraries of its own, which are to be seen)
    from threadpoolctl import ThreadpoolController

    return ThreadpoolController()


def _sample(posterior: Collapsed, n_draws: int, rng: Generator) -> ExactDraws:
    start = np.full(posterior.n_sds, np.log(posterior.design.y.std() / 2))
    mode = find_mode(partial(log_density, posterior), start, _bounds(posterior))
    coordinates = Coordinates(posterior, _resolution(posterior, mode))
    found = importance_resample(coordinates.log_density, coordinates.points(mode), n_draws, rng)
    log_sds = coordinates.log_sds(found.points)
    return ExactDraws(
        values=draw_effects(posterior, log_sds, rng),
        log_density=found.log_p - (found.points - log_sds).sum(axis=1),
        pareto_k=found.pareto_k,
        importance_ess=found.ess,
        n_proposals=found.n_proposals,
    )


def _bounds(posterior: Collapsed) -> tuple[float, float]:
    """Ends of the log sds that are tried, in the scale of the data where that is above one."""
    scale = max(0.0, float(np.log(posterior.design.y.std())))
    return LOG_SD_BOUNDS[0] + scale, LOG_SD_BOUNDS[1] + scale


def _resolution(posterior: Collapsed, mode: FloatArray) -> FloatArray:
    """Size of each sd below which, the others at their mode, the data do not tell it from zero."""
    trial = np.linspace(*_bounds(posterior), N_TRIALS)
    points = np.repeat(mode[None], posterior.n_sds * N_TRIALS, axis=0)
    for index in range(posterior.n_sds):
        points[index * N_TRIALS : (index + 1) * N_TRIALS, index] = trial
    flat = log_density(posterior, points).reshape(posterior.n_sds, N_TRIALS) - trial
    changed = ~(np.abs(flat - flat[:, :1]) < TELLING)
    return np.exp(trial[changed.argmax(axis=1)])


def draw_effects(
    posterior: Collapsed, log_sds: FloatArray, rng: Generator
) -> dict[str, FloatArray]:
    """Draw effects and means from their exact conditional, one for each vector of log sds."""
    rows = posterior.rows_at_once
    parts = [
        _draw_block(posterior, log_sds[start : start + rows], rng)
        for start in range(0, len(log_sds), rows)
    ]
    values = {name: np.concatenate([part[name] for part in parts]) for name in parts[0]}
    for block in posterior.blocks:
        sds = np.exp(log_sds[:, block.where])
        values[block.name] = sds if block.dims else sds[:, 0]
    return values


def _draw_block(posterior: Collapsed, log_sds: FloatArray, rng: Generator) -> dict[str, FloatArray]:
    given = conditional(posterior, log_sds)
    kept = given.draw_kept(rng.standard_normal(given.solved.shape))
    noise = rng.standard_normal(given.eliminated.precision.shape)
    out = given.eliminated.draw(given.explained(kept), noise)
    n_kept = len(posterior.kept.sd_index)
    parts = [(posterior.eliminated, out), (posterior.kept, kept[:, :n_kept])]
    of_cells, of_attributes = parts if posterior.cells_eliminated else parts[::-1]
    values = _means(posterior, kept_scales(posterior, log_sds)[:, n_kept:] * kept[:, n_kept:])
    scales = (residual_precision(posterior, log_sds), log_sds)
    statistics = posterior.statistics
    n_words, n = statistics.cell_sums.shape
    own = np.tile(np.eye(n), n_words) * statistics.cell_sums.ravel()  # of one connection each
    side, in_classes = of_cells
    offsets = _effects(side, statistics.cells.of_cell, own, in_classes, scales, rng=rng)
    offsets = offsets.reshape(n_words, n, len(log_sds)).transpose(2, 0, 1)
    values["word_mean"] = _parents(posterior, values) + offsets
    if statistics.attributes is not None:
        side, in_classes = of_attributes
        members, sums = statistics.attributes.of_attribute, statistics.attribute_sums
        values["attribute_effect"] = _effects(side, members, sums, in_classes, scales, rng=rng).T
    return values


def _means(posterior: Collapsed, means: FloatArray) -> dict[str, FloatArray]:
    n = len(posterior.design.connections)
    values = {"connection_mean": posterior.statistics.centre + means[:, :n]}
    if posterior.block("group_sd") is not None:
        n_groups = len(posterior.design.groups)
        offsets = means[:, n : n + n_groups * n].reshape(len(means), n_groups, n)
        values["group_mean"] = values["connection_mean"][:, None, :] + offsets
    if posterior.block("context_sd") is not None:
        values["context_effect"] = means[:, -len(posterior.design.contexts) :]
    return values


def _parents(posterior: Collapsed, values: dict[str, FloatArray]) -> FloatArray:
    """Return the mean that every cell spreads around, broadcastable to word_mean's shape."""
    if "group_mean" in values:
        return values["group_mean"][:, posterior.design.word_group, :]
    return values["connection_mean"][:, None, :]


def _effects(
    side: Side,
    of_member: IntArray,
    projections: FloatArray,
    of_class: FloatArray,
    given: tuple[FloatArray, FloatArray],
    *,
    rng: Generator,
) -> FloatArray:
    """Effects of all members of a side: the drawn coordinate of their class, and own deviations.

    Projections are by connection. Members come first in the result, (n_members, n): what a class
    has in common is then copied in whole rows.
    """
    precision, log_sds = given
    size = side.n_deviations + 1
    scale = np.exp(log_sds[:, side.sd_index])
    own = 1 + scale**2 * (precision @ side.gram)
    noise = rng.standard_normal((len(log_sds), len(of_member)))
    apart = projections.T @ precision.T
    apart *= _rows(scale**2 / own, of_member)
    apart += noise.T * _rows(scale * own**-0.5, of_member)
    common = (scale * of_class / np.sqrt(size)).T
    common -= _class_averages(apart, of_member, size)
    apart += common.take(of_member, axis=0)
    return apart


def _rows(of_class: FloatArray, of_member: IntArray) -> FloatArray:
    """From (n, n_classes) to (n_members, n)."""
    return np.ascontiguousarray(of_class.T).take(of_member, axis=0)


def _class_averages(values: FloatArray, of_member: IntArray, size: FloatArray) -> FloatArray:
    """Averages of (n_members, n) values by class, (n_classes, n)."""
    order = np.argsort(of_member, kind="stable")
    starts = np.concatenate([[0], np.cumsum(size[:-1])]).astype(np.int64)
    return np.add.reduceat(values.take(order, axis=0), starts, axis=0) / size[:, None]
