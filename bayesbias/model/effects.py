"""Parameters and effects drawn from what a model says of them, and the word means they sum to."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

import numpy as np
from numpy.random import Generator

from .._core.arrays import FloatArray
from .design import Design
from .spec import ModelSpec
from .terms import Term, word_averages
from .tree import variable_dims


def draw_parameters(
    design: Design, spec: ModelSpec, n_draws: int, rng: Generator
) -> dict[str, FloatArray]:
    """Draw all that has a prior from it: connection means, sds, correlations, degrees of freedom.

    Parameters
    ----------
    design : Design
    spec : ModelSpec
        The model as it fits the design; see `ModelSpec.fitting`.
    n_draws : int
    rng : numpy.random.Generator

    Returns
    -------
    dict of str to (n_draws, ...) float
        In the dimensions of a posterior; correlations with their Cholesky factors.
    """
    dims, coords = variable_dims(spec), design.coords | spec.correlation_coords(design)
    values = {}
    for name, prior in spec.priors.items():
        shape = [len(coords[dim]) for dim in dims[name]]
        values[name] = prior.draw((n_draws, *shape), rng)
    for term in spec.terms:
        if term.correlated:
            values[term.correlation_factor] = np.linalg.cholesky(values[term.correlation])
    return values


def draw_effects(
    design: Design, terms: Iterable[Term], values: Mapping[str, FloatArray], rng: Generator
) -> dict[str, FloatArray]:
    """Draw the effects of terms given their sds, correlations and the means they vary around.

    Parameters
    ----------
    design : Design
    terms : iterable of Term
    values : mapping of str to (n_draws, ...) float
        Draws of all that the effects depend on, and is not drawn here.
    rng : numpy.random.Generator

    Returns
    -------
    dict of str to (n_draws, ...) float
        The effects by name, in the dimensions of a posterior.
    """
    drawn: dict[str, FloatArray] = {}
    for term in sorted(terms, key=lambda term: term.of == "protected_word"):  # groups before words
        effects = _deviations(design, term, values, rng)
        if term.around == "connection_mean":
            effects = effects + values["connection_mean"][:, None]
        elif term.around:
            of_groups = drawn[term.around] if term.around in drawn else values[term.around]
            effects = effects + of_groups[:, design.word_group]
        drawn[term.name] = effects
    return drawn


def _deviations(
    design: Design, term: Term, values: Mapping[str, FloatArray], rng: Generator
) -> FloatArray:
    """Draw a term's effects around zero."""
    sd = values[term.sd]
    if term.interaction:
        basis = term.joint_basis(design)
        drawn = sd[:, None] * rng.standard_normal((len(sd), basis.shape[1]))
        return (drawn @ basis.T).reshape(len(sd), *(len(design.coords[each]) for each in term.dims))
    basis = term.basis(design)
    shape = len(sd), len(design.coords[term.of]), basis.shape[1]
    found = rng.standard_normal(shape) @ basis.T
    if term.correlated:
        found = found @ np.swapaxes(values[term.correlation_factor], 1, 2)
    if not term.sd_by:
        sd = sd[:, None, None]
    elif term.sd_by == term.by:
        sd = sd[:, None]
    else:
        sd = sd[:, design.attribute_kind, None]
    return np.asarray(sd * found if term.by else (sd * found)[:, :, 0])


def word_means(design: Design, spec: ModelSpec, values: Mapping[str, FloatArray]) -> FloatArray:
    """Sum what a model says of words to their means, over the attributes of every connection.

    Parameters
    ----------
    design : Design
    spec : ModelSpec
        The model as it fits the design.
    values : mapping of str to (n_draws, ...) float
        Draws of ``connection_mean`` and of the effects of words and groups.

    Returns
    -------
    (n_draws, n_words, n_connections) float
        Attributes and contexts have their population's mean, which is zero.
    """
    overall = 0.0 if spec.around_means else values["connection_mean"][:, None]
    shape = len(values["connection_mean"]), len(design.words), len(design.connections)
    total = np.zeros(shape) + overall
    for term in spec.summed_terms:
        if term.of in {"protected_word", "protected_group"}:
            total += word_averages(design, term, values[term.name])
    return total
