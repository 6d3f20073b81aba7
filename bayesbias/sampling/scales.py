"""Scale units by their sds, and factor the precision of each unit's coordinates, given all else."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

import numpy as np
from numpy.random import Generator

from .._core.arrays import FloatArray, IntArray
from ..model.priors import factor_of_partial_correlations
from ..model.spec import ModelSpec
from .blocks import cholesky_blocks, solve_blocks
from .deviations import Deviations
from .layout import Units

UNPOOLED_SD = 0.2
"""Prior sd of an unpooled word's effects, larger than any bias; its log follows the parameters."""


@dataclass(frozen=True)
class UnitPrior:
    """Effects u = D R z of one side's units, where z is standard normal."""

    sds: FloatArray  # (n_classes, d, n): D
    correlated: slice  # the correlated coordinates
    rotation: FloatArray  # (k, k, n): R, a factor of their correlations

    def effects(self, coordinates: FloatArray) -> FloatArray:
        """Return the (n_classes, d, n) effects D R z for the classes' coordinates z."""
        transposed = np.swapaxes(self.rotation, 0, 1)
        rotated = _rotate(self.correlated, transposed, coordinates[:, :, None].copy())
        return np.asarray(rotated[:, :, 0] * self.sds)

    def transposed(self, values: FloatArray) -> FloatArray:
        """Multiply (n_classes, d, k, n) values by R'D."""
        return _rotate(self.correlated, self.rotation, values * self.sds[:, :, None])

    def rotate_kept(self, matrices: FloatArray) -> None:
        """Multiply this side's rows, which come first in (n, k, k) arrays, by R' in place."""
        n_classes, d, n = self.sds.shape
        if len(self.rotation):
            rows = matrices[:, : n_classes * d].reshape(n, n_classes, d, -1)[:, :, self.correlated]
            rows[:] = self.rotation.transpose(2, 1, 0)[:, None] @ rows


@dataclass(frozen=True)
class UnitPosterior(UnitPrior):
    """Effects of one side's units, given all else."""

    factor: FloatArray  # (n_classes, d, d, n): Cholesky factor of the precision of a unit's z

    def solve(self, values: FloatArray) -> FloatArray:
        """Multiply (n_classes, d, k, n) values by R'D and then by the inverse factor."""
        return solve_blocks(self.factor, self.transposed(values))

    def of_kinds(self, kind: IntArray) -> UnitPosterior:
        """Return the posterior of units whose kinds are those of this one's classes."""
        return replace(self, sds=self.sds[kind], factor=self.factor[kind])

    def log_det(self, times: FloatArray) -> FloatArray:
        """Return the (n,) log determinants of all precisions, multiplied by ``times``."""
        logs = np.log(np.diagonal(self.factor, axis1=1, axis2=2)).sum(axis=2)
        return np.asarray(2 * (times @ logs))


@dataclass(frozen=True)
class Scales:
    """A stack of n parameter vectors with their sds and residual precisions."""

    parameters: FloatArray  # (n, n_parameters)
    sds: FloatArray  # (n_sds, n): the parameters' sds, then the known sds
    precision: FloatArray  # (n_noise, n): 1 / sigma²

    def prior(self, units: Units, parameter: IntArray) -> UnitPrior:
        """Return the prior of units with the sds at ``parameter``."""
        correlated, rotation = slice(0), np.ones((0, 0, len(self.parameters)))
        if units.correlated is not None:
            block, correlated = units.correlated
            partial = np.tanh(self.parameters[:, block.where])
            factors = factor_of_partial_correlations(partial, block.n_correlated)
            rotation = np.ascontiguousarray(np.moveaxis(factors, 0, -1))
        return UnitPrior(self.sds[parameter], correlated, rotation)

    def of_units(self, units: Units, parameter: IntArray, gram: FloatArray) -> UnitPosterior:
        """Return the posterior of units with the sds at ``parameter`` and the X'X in ``gram``."""
        prior, matrices = self.prior(units, parameter), weighted(gram, self.precision)
        for _ in range(2):
            matrices *= prior.sds[:, :, None]
            matrices = _rotate(prior.correlated, prior.rotation, matrices).swapaxes(1, 2)
        np.einsum("qiin->qin", matrices)[:] += 1  # a view of the diagonals
        factor = cholesky_blocks(matrices)
        return UnitPosterior(prior.sds, prior.correlated, prior.rotation, factor)


def known_log_sds(spec: ModelSpec) -> FloatArray:
    """Return the logs of known sds, which follow the parameters; the connection means' is last."""
    mean_sd = spec.priors["connection_mean"].parameters["sd"]
    return np.log([UNPOOLED_SD, *spec.fixed.values(), mean_sd])


def correlations(prior: UnitPrior) -> FloatArray:
    """Return the (k, k, n) correlations of a unit's correlated coordinates."""
    return np.asarray(np.einsum("ikn,jkn->ijn", prior.rotation, prior.rotation))


def _rotate(correlated: slice, rotation: FloatArray, values: FloatArray) -> FloatArray:
    """Multiply the correlated rows of (n_classes, d, k, n) values by R' in place."""
    if len(rotation):
        own = values[:, correlated]
        values[:, correlated] = np.einsum("ijn,qikn->qjkn", rotation, own)
    return values


def standard_noise(shape: tuple[int, ...], rng: Generator | None) -> FloatArray:
    """Draw standard normal numbers; without a generator, return their means, which are zero."""
    return np.zeros(shape) if rng is None else rng.standard_normal(shape)


def weighted(constants: FloatArray, precision: FloatArray) -> FloatArray:
    """Multiply each residual precision by its constant array, and return the (..., n) sums."""
    flat = constants.reshape(len(constants), math.prod(constants.shape[1:])).T @ precision
    return flat.reshape(*constants.shape[1:], precision.shape[1])


def weighted_each(constants: FloatArray, precision: FloatArray) -> FloatArray:
    """Return the same for constants whose last axis is 1, or n for n parameter vectors."""
    if constants.shape[-1] == 1:
        return weighted(constants[..., 0], precision)
    return np.asarray(np.einsum("q...n,qn->...n", constants, precision))


def subtract_deviations(
    gram: FloatArray,
    part: Deviations,
    factor: UnitPosterior,
    precision: FloatArray,
) -> None:
    """Subtract the squares and products of columns that deviations account for, in place."""
    places = part.columns
    if not len(places):  # units of the part do not differ
        return
    (m, d, axes, k), n = part.projected.shape[1:-1], precision.shape[1]
    values = weighted_each(part.projected, precision).reshape(m, d, axes * k, n)
    solved = factor.solve(values).reshape(m * d * axes, k, n)
    if k == 1:  # without gaps or slopes
        gram[:, places[0], places[0]] -= np.einsum("in,in->n", solved[:, 0], solved[:, 0])
        return
    by_vector = np.ascontiguousarray(np.moveaxis(solved, -1, 0))
    gram[:, places[:, None], places] -= np.swapaxes(by_vector, 1, 2) @ by_vector
