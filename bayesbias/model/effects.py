"""Draw parameters and effects from a model, and add up effects to get word means."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

import numpy as np
from numpy.random import Generator

from .._core.arrays import FloatArray, IntArray, Numbers
from .design import Design
from .spec import ModelSpec
from .terms import Term
from .tree import variable_dims


def draw_parameters(
    design: Design, spec: ModelSpec, n_draws: int, rng: Generator
) -> dict[str, FloatArray]:
    """Draw (n_draws, ...) connection means, sds, nu, and correlations with Cholesky factors."""
    dims, coords = variable_dims(spec), design.coords | spec.correlation_coords(design)
    values = {}
    for name, prior in spec.priors.items():
        values[name] = prior.draw((n_draws, *(len(coords[dim]) for dim in dims[name])), rng)
    for term in spec.terms:
        if term.correlated:
            values[term.correlation_factor] = np.linalg.cholesky(values[term.correlation])
    return values


def draw_effects(
    design: Design, terms: Iterable[Term], values: Mapping[str, FloatArray], rng: Generator
) -> dict[str, FloatArray]:
    """Draw effects from means, sds, and Cholesky factors, as (n_draws, ...) arrays by name."""
    drawn: dict[str, FloatArray] = {}
    for term in words_last(terms):
        index = term.sd_index(design)
        sd = values[term.sd].reshape(len(values[term.sd]), -1)[:, index]
        coordinates = rng.standard_normal((len(sd), *index.shape))
        units = term.unit_covariance(design)
        if units is not None:
            coordinates = np.linalg.cholesky(units) @ coordinates
        if term.correlated:
            coordinates = coordinates @ np.swapaxes(values[term.correlation_factor], 1, 2)
        drawn[term.name] = term.effects(design, sd * coordinates) + mean_around(term, values)
    return drawn


def words_last(terms: Iterable[Term]) -> list[Term]:
    """Return terms in the order in which effects are drawn; terms for words come last."""
    return sorted(terms, key=lambda term: term.of == "protected_word")


def mean_around(term: Term, values: Mapping[str, Numbers]) -> Numbers | float:
    """Return the means that a term's effects vary around: the connection means or zero."""
    return values["connection_mean"][..., None, :] if term.around else 0.0


def word_means(design: Design, spec: ModelSpec, values: Mapping[str, Numbers]) -> Numbers:
    """Add word and group effects to get (n_draws, n_words, n_connections) word means.

    Attribute and context effects are at their mean, zero. PyTensor values have no draw axis.
    """
    total: Numbers | float = 0.0 if spec.around_means else values["connection_mean"][..., None, :]
    for term in spec.terms:
        if term.constraint == "cells":
            total = group_means(design, values["connection_mean"], values[term.name])
            total = total[..., design.word_group, :]
    for term in spec.terms:
        if term.of in {"protected_word", "protected_group"} and term.constraint != "cells":
            effects = values[term.name] if term.by else values[term.name][..., None]
            if term.of == "protected_group":
                effects = effects[..., design.word_group, :]
            shares = level_shares(design, term.by)[design.word_group].transpose(0, 2, 1)
            total = total + (effects[..., None, :] @ shares)[..., 0, :]
    return total


def group_means(design: Design, connection_mean: Numbers, cells: Numbers) -> Numbers:
    """Add connection means and cells to get (n_draws, n_groups, n_connections) group means.

    If a group has no cells for a connection, the mean is over the columns of all groups.
    """
    shares, n = level_shares(design, "attribute_column"), len(design.connections)
    own = design.column_connection[:, None]
    own = np.where(own < 0, np.arange(n)[:, None], own)  # cells without rows are zero
    of_means = (shares[..., None] * (own[..., None] == np.arange(n))).sum(axis=2)
    means = (connection_mean[..., None, None, :] * of_means).sum(axis=-1)
    return means + (cells[..., None, :] * shares).sum(axis=-1)


def level_shares(design: Design, column: str, within: str = "connection") -> FloatArray:
    """Return each level's share of a group's columns as an (n_groups, n_within, n_levels) array.

    Every set or kind of controls has the same weight, whatever its number of rows. A group without
    rows gets the shares across all groups. The total includes rows without a level.
    """
    n_within = len(design.coords[within])
    if not column:
        return np.ones((len(design.groups), n_within, 1))
    group, inside, level = (design.codes(name) for name in ("protected_group", within, column))
    rows = np.zeros((len(design.groups), n_within, len(design.coords[column]) + 1))
    across = np.zeros(rows.shape[1:])
    # level -1 (no level) comes last
    np.add.at(rows, (group, inside, level), column_weights(design, group, inside))
    np.add.at(across, (inside, level), column_weights(design, inside))
    rows = np.where(rows.sum(axis=2, keepdims=True) > 0, rows, across)
    return np.asarray(rows[:, :, :-1] / rows.sum(axis=2, keepdims=True))


def column_weights(design: Design, *codes: IntArray) -> FloatArray:
    """Return weights of rows, (n_rows,), so that all columns with the same codes weigh the same."""
    own = [design.codes("attribute_column")] if design.sets else []
    cells = np.unique(np.stack([*codes, *own]), axis=1, return_inverse=True)[1].ravel()
    return np.asarray(1 / np.bincount(cells)[cells])
