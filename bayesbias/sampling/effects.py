"""Draw the effects of a Normal model from their exact distribution, given the parameters."""

from __future__ import annotations

import numpy as np
from numpy.random import Generator

from .._core.arrays import FloatArray
from ..model.effects import mean_around, word_means
from .blocks import solve_blocks
from .collapsed import conditional
from .parameters import values_of
from .reduction import Classes, Collapsed, with_gaps
from .scales import UnitPosterior, standard_noise, weighted_each

DRAWN_AT_ONCE = 400_000
"""Largest array size when effects are drawn in blocks. Other sizes draw other effects."""


def draw_effects(
    posterior: Collapsed,
    parameters: FloatArray,
    rng: Generator | None,
    gaps: FloatArray | None = None,
) -> dict[str, FloatArray]:
    """Draw effects and means from their exact distribution, given each parameter vector.

    Without a generator, return the conditional means, which are linear in the outcome. Pass
    (n, n_gaps) outcomes of missing pairs to draw given these.
    """
    most = max(len(side.of_unit) * side.scale.shape[1] for side in posterior.sides)
    rows = posterior.rows_at_once(DRAWN_AT_ONCE, filled=gaps is not None)
    rows = max(1, min(rows, DRAWN_AT_ONCE // most))
    values: dict[str, FloatArray] = {}
    for start in range(0, len(parameters), rows):
        block = slice(start, start + rows)
        given = posterior if gaps is None else with_gaps(posterior, gaps[block])
        part = _draw_block(given, parameters[block], rng)
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
    sides = zip(posterior.sides, given.deviations, of_classes, strict=True)
    for side, deviations, of_class in sides:
        drawn = _of_units(side, deviations, of_class, by_noise, rng)
        coordinates = np.swapaxes(drawn, 1, 2)
        stop = 0
        for term in side.units.terms:
            start, stop = stop, stop + term.sd_index(design).shape[1]
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
    factors: tuple[UnitPosterior, ...],
    of_class: FloatArray,
    by_noise: FloatArray,
    rng: Generator | None,
) -> FloatArray:
    """Draw the effects of all units, (n, d, n_units): class means plus deviations.

    The (n, n_noise * k) ``by_noise`` are residual precisions times the weights of columns.
    """
    n, n_units, n_columns = len(by_noise), len(side.of_unit), side.turned.shape[1]
    means = (of_class * (side.scale / np.sqrt(side.size)[:, None])[..., None]).T
    directions, noise = side.directions, _noise_of_units(side, n, rng)
    drawn = np.ascontiguousarray(np.moveaxis(directions.turned(noise), 0, -1))
    for part, factor in zip(side.deviations, factors, strict=True):
        place = part.coordinate[part.kind], part.direction[:, None]
        scale = directions.scale.T[place]
        columns = by_noise.reshape(n, -1, n_columns)[..., part.columns].reshape(n, -1)
        projected = side.turned[:, part.columns][:, :, *place] * scale[..., None]
        flat = projected.reshape(columns.shape[1], *projected.shape[2:])  # maybe without columns
        own, values = factor.of_kinds(part.kind), weighted_each(flat, columns.T)
        coordinates = own.solve(values[:, :, None]) + drawn[place][:, :, None]
        solved = solve_blocks(own.factor, coordinates, transposed=True)
        drawn[place] = own.effects(solved[:, :, 0]) * scale[..., None]
    deviations = directions.turned_back(np.moveaxis(drawn, -1, 0), n_units)
    return means[:, :, side.of_unit] + deviations


def _noise_of_units(side: Classes, n: int, rng: Generator | None) -> FloatArray:
    """Draw noise for the deviations of units, (n, d, n_units).

    It is drawn for units and then rotated. If directions have equal variances, rounding decides
    which ones are chosen. Draws do not depend on this choice.
    """
    shape = n, side.scale.shape[1], len(side.of_unit)
    if side.directions.alike:
        return standard_noise(shape, rng)
    noise = np.zeros(shape)
    for members in side.directions.members:
        noise[..., members] = standard_noise((*shape[:2], len(members)), rng)
    return noise
