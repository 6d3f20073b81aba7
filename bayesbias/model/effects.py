"""Parameters and effects drawn from what a model says of them, and the word means they sum to."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np
from numpy.random import Generator

from .._core.arrays import FloatArray
from .design import Design
from .spec import ModelSpec
from .terms import Term
from .tree import variable_dims


def draw_parameters(
    design: Design, spec: ModelSpec, n_draws: int, rng: Generator
) -> dict[str, FloatArray]:
    """Draw all that has a prior from it: connection means, sds, correlations, degrees of freedom.

    They have the dimensions of a posterior, (n_draws, ...); correlations come with their Cholesky
    factors. The model is as `ModelSpec.fitting` gives it.
    """
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
    """Draw the effects of terms by name, in the dimensions of a posterior.

    ``values`` are draws, (n_draws, ...), of all that they depend on and is not drawn here: sds,
    factors of correlations and the means they vary around.
    """
    drawn: dict[str, FloatArray] = {}
    for term in groups_first(terms):
        index = term.sd_index(design)
        sd = values[term.sd].reshape(len(values[term.sd]), -1)[:, index]
        coordinates = rng.standard_normal((len(sd), *index.shape))
        units = term.unit_covariance(design)
        if units is not None:
            coordinates = np.linalg.cholesky(units) @ coordinates
        if term.correlated:
            coordinates = coordinates @ np.swapaxes(values[term.correlation_factor], 1, 2)
        drawn[term.name] = term.effects(design, sd * coordinates)
    return with_means(design, terms, drawn, values)


def with_means(
    design: Design,
    terms: Iterable[Term],
    effects: Mapping[str, FloatArray],
    values: Mapping[str, FloatArray],
) -> dict[str, FloatArray]:
    """Add to the effects of terms the means that they vary around, which may be effects."""
    moved = dict(effects)
    for term in groups_first(terms):
        if term.around:
            moved[term.name] = moved[term.name] + mean_around(design, term, {**values, **moved})
    return moved


def groups_first(terms: Iterable[Term]) -> list[Term]:
    """Return groups before words, which may vary around them."""
    return sorted(terms, key=lambda term: term.of == "protected_word")


def mean_around(design: Design, term: Term, values: Mapping[str, Any]) -> Any:  # noqa: ANN401
    """Return the means that effects vary around, those of the word's group or of all; or zero.

    ``values`` are as for `word_means`.
    """
    if not term.around:
        return 0.0
    of_all = term.around == "connection_mean"
    return values[term.around][..., None if of_all else design.word_group, :]


def word_means(design: Design, spec: ModelSpec, values: Mapping[str, Any]) -> Any:  # noqa: ANN401
    """Sum the effects of words and groups to means over the attributes of every connection.

    Attributes and contexts have their population's mean, which is zero.

    Parameters
    ----------
    design : Design
    spec : ModelSpec
        The model as it fits the design.
    values : mapping of str to (n_draws, ...) float
        Draws of ``connection_mean`` and of the effects; of one draw, and PyTensor's variables,
        without the first axis.

    Returns
    -------
    (n_draws, n_words, n_connections) float
    """
    shares = np.zeros((len(design.words), 1, len(design.connections)))
    total = shares[:, 0] + (0.0 if spec.around_means else values["connection_mean"][..., None, :])
    for term in spec.summed_terms:
        if term.of in {"protected_word", "protected_group"}:
            effects = values[term.name] if term.by else values[term.name][..., None]
            if term.of == "protected_group":
                effects = effects[..., design.word_group, :]
            shares = level_shares(design, term.by).transpose(0, 2, 1)
            total = total + (effects[..., None, :] @ shares)[..., 0, :]
    return total


def level_shares(design: Design, column: str) -> FloatArray:
    """Share of every level of a column in the rows of a word's group, by connection.

    Returns
    -------
    (n_words, n_connections, n_levels) float
        Those of the group, so words with gaps are averaged as the others of their group; of
        all groups where this one has no rows. Rows that have no level count, too. Without a column
        there is one level, which all rows have.
    """
    if not column:
        return np.ones((len(design.words), len(design.connections), 1))
    rows = np.zeros((len(design.groups), len(design.connections), len(design.coords[column]) + 1))
    place = design.codes("protected_group"), design.connection, design.codes(column)
    np.add.at(rows, place, 1.0)  # level -1, which is none, comes last
    rows = np.where(rows.sum(axis=2, keepdims=True) > 0, rows, rows.sum(axis=0))
    shares = rows[:, :, :-1] / rows.sum(axis=2, keepdims=True)
    return np.asarray(shares[design.word_group])
