"""Draw the effects of a Normal model from their exact distribution, given the parameters."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.random import Generator

from .._core.arrays import FloatArray
from ..model.effects import mean_around, word_means
from .blocks import solve_blocks
from .collapsed import Conditional, conditional
from .parameters import values_of
from .reduction import Classes, Collapsed, with_gaps
from .scales import UnitPosterior, weighted_each

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
    return _from_sources(posterior, parameters, (rng,), gaps)[0]


def draws_and_means(
    posterior: Collapsed, parameters: FloatArray, rng: Generator
) -> tuple[dict[str, FloatArray], dict[str, FloatArray]]:
    """Draw effects as `draw_effects` does, and also return their conditional means."""
    draws, means = _from_sources(posterior, parameters, (rng, None))
    return draws, means


def _from_sources(
    posterior: Collapsed,
    parameters: FloatArray,
    sources: Sequence[Generator | None],
    gaps: FloatArray | None = None,
) -> list[dict[str, FloatArray]]:
    """Draw effects once for each source of noise, from the same conditional distributions."""
    most = max(len(side.of_unit) * side.scale.shape[1] for side in posterior.sides)
    rows = posterior.rows_at_once(DRAWN_AT_ONCE, filled=gaps is not None)
    rows = max(1, min(rows, DRAWN_AT_ONCE // most))
    found = [dict[str, FloatArray]() for _ in sources]
    for start in range(0, len(parameters), rows):
        block = slice(start, start + rows)
        full = posterior if gaps is None else with_gaps(posterior, gaps[block])
        given = conditional(full, parameters[block])
        for values, rng in zip(found, sources, strict=True):
            for name, drawn in _draw_block(given, rng).items():
                if name not in values:
                    values[name] = np.empty((len(parameters), *drawn.shape[1:]))
                values[name][start : start + rows] = drawn
    return [_with_parameters(posterior, parameters, values) for values in found]


def _with_parameters(
    posterior: Collapsed, parameters: FloatArray, effects: dict[str, FloatArray]
) -> dict[str, FloatArray]:
    """Add word means, sds, and correlations to effects."""
    design, spec = posterior.design, posterior.spec
    if "word_mean" not in effects:
        effects["word_mean"] = word_means(design, spec, effects)
    values = effects | values_of(posterior.blocks, parameters)
    return values | {"sigma": np.hypot(values["sigma"], design.rounding)}


def _draw_block(given: Conditional, rng: Generator | None) -> dict[str, FloatArray]:
    """Draw the effects of every term, with the same dimensions as in the posterior."""
    posterior, n = given.posterior, len(given.scales.parameters)
    design, (of_classes, shared, weights) = posterior.design, given.draw(rng)
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
    directions = side.directions
    drawn = np.zeros((side.scale.shape[1], len(directions.scale), n))
    if rng is not None:
        drawn[:] = np.moveaxis(directions.turned(_noise_of_units(side, n, rng)), 0, -1)
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


def _noise_of_units(side: Classes, n: int, rng: Generator) -> FloatArray:
    """Draw noise for the deviations of units, (n, d, n_units).

    It is drawn for units and then rotated. If directions have equal variances, rounding decides
    which ones are chosen. Draws do not depend on this choice.
    """
    shape = n, side.scale.shape[1], len(side.of_unit)
    if side.directions.alike:
        return rng.standard_normal(shape)
    noise = np.zeros(shape)
    for members in side.directions.members:
        noise[..., members] = rng.standard_normal((*shape[:2], len(members)))
    return noise
