"""Dense Normal models, built from their specification, to check the exact sampler.

Every level of every term is a column. Nothing is grouped, scaled, rotated, or integrated out.
"""

from collections.abc import Iterable, Mapping
from dataclasses import replace

import numpy as np
from scipy.linalg import block_diag, solve_triangular

from bayesbias.model.design import Design
from bayesbias.model.spec import ModelSpec
from bayesbias.model.terms import Term

Values = Mapping[str, np.ndarray]
"""Sds and correlation matrices, keyed by name."""


def effects(design: Design, spec: ModelSpec) -> tuple[dict[str, np.ndarray], int]:
    """Return each variable as a sum of independent effects, (..., n_effects), and their number."""
    shapes = {"connection_mean": (len(design.connections),)}
    for term in spec.terms:
        shapes[term.name] = tuple(len(design.coords[dim]) for dim in term.dims)
    n = sum(int(np.prod(shape)) for shape in shapes.values())
    found, start = {}, 0
    for name, shape in shapes.items():
        size = int(np.prod(shape))
        found[name] = np.eye(n)[start : start + size].reshape(*shape, n)
        start += size
    for term in spec.terms:
        if term.around:
            found[term.name] = found[term.name] + found["connection_mean"]
    return found, n


def covariance(
    design: Design,
    spec: ModelSpec,
    values: Values,
    unpooled: tuple[tuple[int, ...], float] = ((), 0.0),
) -> np.ndarray:
    """Return the effects' prior covariance, in order. Unpooled words have a separate sd."""
    sd = spec.priors["connection_mean"].parameters["sd"]
    blocks = [sd**2 * np.eye(len(design.connections))]
    values = dict(values) | spec.fixed
    for term in spec.terms:
        levels = len(design.coords[term.by]) if term.by else 1
        alike = np.eye(levels)
        if term.constraint == "zero_sum":
            alike = alike - 1 / levels
        if term.constraint == "contrast":
            alike = np.array([[1.0, -1.0], [-1.0, 1.0]]) / 2
        if term.correlated:
            alike = values[term.correlation]
        if term.constraint == "interaction":
            blocks.append(np.square(values[term.sd]) * beyond_main_effects(design))
            continue
        if term.constraint == "cells":
            blocks.append(np.square(values[term.sd]) * within_connections(design))
            continue
        all_sds = []
        for unit in range(len(design.coords[term.of])):
            sds = np.atleast_1d(values[term.sd])
            if term.sd_by not in {"", term.by}:
                sds = sds[design.attribute_kind[unit]]
            sds = np.broadcast_to(sds, levels)
            if term.of == "protected_word" and unit in unpooled[0]:
                sds = np.full(levels, unpooled[1])
            all_sds.append(sds)
        units = covariance_of_units(design, term)
        if term.of == "covariate":
            units = np.diag(design.covariate_unit**-2.0)
        blocks.append(np.kron(units, alike) * np.outer(np.ravel(all_sds), np.ravel(all_sds)))
    return np.asarray(block_diag(*blocks))


def covariance_of_units(design: Design, term: Term) -> np.ndarray:
    """Return the covariance of units with sd 1: independent, or by likeness without block means."""
    n = len(design.coords[term.of])
    words = term.of == "protected_word"
    matrix = design.word_likeness if words else design.attribute_likeness
    if not term.alike or not matrix.size:
        return np.eye(n)
    block = design.word_group if words else design.attribute_column
    averaged = (block[:, None] == block) / np.bincount(block)[block]
    rest = np.eye(n) - averaged
    means = np.maximum(averaged @ matrix @ averaged, averaged)  # at least that of unrelated units
    total = means + rest @ matrix @ rest
    return (1 - term.alike) * np.eye(n) + term.alike * total


def within_connections(design: Design) -> np.ndarray:
    """Project tables (groups by columns) so that they sum to zero within each connection."""
    connection = design.column_connection.ravel()
    keep = (connection >= 0).astype(float)
    averaged = (connection[:, None] == connection) * keep[:, None] * keep
    averaged /= np.maximum(averaged.sum(axis=1, keepdims=True), 1)
    return np.diag(keep) - averaged


def beyond_main_effects(design: Design) -> np.ndarray:
    """Remove the main effects of groups, sets, and connections from tables (groups by sets)."""
    pairs = [(g, s) for g in range(len(design.groups)) for s in range(len(design.sets))]
    told = [[g == i for i in range(len(design.groups))] for g, _ in pairs]
    told = np.hstack([told, [[s == i for i in range(len(design.sets))] for _, s in pairs]])
    for connection in set(design.set_connection.ravel()):
        told = np.column_stack([told, [design.set_connection[p] == connection for p in pairs]])
    told = told.astype(float)
    return np.eye(len(pairs)) - told @ np.linalg.pinv(told)


def places(design: Design, dim: str) -> np.ndarray:
    """Return the place of every row's own label along a dimension, or -1 if it has none there."""
    connection = np.array(design.connections)[design.connection]
    own_set = np.array([*design.sets, ""])[design.set] if design.sets else connection
    names = {
        "connection": connection,
        "stereotype_connection": connection,
        "protected_word": np.array(design.words)[design.word],
        "protected_group": np.array(design.groups)[design.word_group][design.word],
        "attribute": np.array(design.attributes)[design.attribute],
        "attribute_kind": np.array(design.kinds)[design.attribute_kind][design.attribute],
        "attribute_set": own_set,
        "attribute_column": np.where(own_set == "", connection, own_set),
        "context": np.array(design.contexts or [""])[design.context],
    }[dim]
    place = {name: at for at, name in enumerate(design.coords[dim])}
    return np.array([place.get(name, -1) for name in names])


def in_rows(design: Design, spec: ModelSpec) -> np.ndarray:
    """Return each row's expected outcome as a sum of effects, (n_rows, n_effects)."""
    found, n = effects(design, spec)
    total = np.zeros((len(design.y), n))
    if not spec.around_means:
        total += found["connection_mean"][design.connection]
    for term in spec.terms:
        if term.of == "covariate":
            for i, j in np.ndindex(design.x.shape):
                own = found[term.name][j]
                total[i] += design.x[i, j] * (own[design.connection[i]] if term.by else own)
            continue
        index = [places(design, dim) for dim in term.dims]
        has_level = index[-1] >= 0
        total[has_level] += found[term.name][tuple(each[has_level] for each in index)]
    return total


def residual_variance(design: Design, spec: ModelSpec, values: Values) -> np.ndarray:
    """Return the residual variance of every row."""
    if spec.sigma == "protected_word":
        return np.asarray(values["sigma"][design.word] ** 2)
    sigma = np.broadcast_to(values["sigma"], len(design.connections))
    return np.asarray(sigma[design.connection] ** 2)


def dense_log_densities(
    design: Design,
    spec: ModelSpec,
    draws: Iterable[Values],
    unpooled: tuple[tuple[int, ...], float] = ((), 0.0),
) -> np.ndarray:
    """Return the log density of all rows for each draw of sds and correlations."""
    spec = spec.fitting(design)
    rows, found = in_rows(design, spec), []
    y = design.y - spec.priors["connection_mean"].parameters["mean"]
    for values in draws:
        total = rows @ covariance(design, spec, values, unpooled) @ rows.T
        total += np.diag(residual_variance(design, spec, values))
        factor = np.linalg.cholesky(total)
        apart = solve_triangular(factor, y, lower=True)
        log_det = 2 * np.log(np.diag(factor)).sum() + len(rows) * np.log(2 * np.pi)
        found.append(-0.5 * (log_det + apart @ apart))
    return np.array(found)


def with_random_likeness(design: Design, rng: np.random.Generator) -> Design:
    """Return a design whose words and attributes have random similarities within their blocks."""
    found = {}
    for name, block in (("word", design.word_group), ("attribute", design.attribute_column)):
        unit = rng.standard_normal((len(block), 4))
        copies = np.flatnonzero(block == 0)[:4]  # their differences have no variance
        unit[copies] = unit[copies[0]]
        unit /= np.linalg.norm(unit, axis=1, keepdims=True)
        found[f"{name}_likeness"] = (unit @ unit.T) * (block[:, None] == block)
    return replace(design, **found)


def conditional(design: Design, spec: ModelSpec, values: Values) -> tuple[np.ndarray, np.ndarray]:
    """Return the mean and covariance of the centered effects, given the outcomes."""
    rows, prior = in_rows(design, spec), covariance(design, spec, values)
    total = rows @ prior @ rows.T + np.diag(residual_variance(design, spec, values))
    gain = np.linalg.solve(total, rows @ prior).T
    return gain @ (design.y - spec.center), prior - gain @ rows @ prior
