"""Predict unmeasured words with draws from the population of words.

A group's mean in `summary` describes the average of its words. A single new word varies around
that mean as the listed words do, so its interval is wider.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd
from numpy.random import Generator, default_rng

from .._core.arrays import FloatArray
from .._core.checks import check_choice
from .._core.intervals import DEFAULT_CI_KIND, DEFAULT_CI_PROB
from .._core.random import Seed, as_seed_sequence
from ..model.design import COVARIATE, Design, cell_means
from ..model.effects import draw_effects, word_means
from ..model.frequency import attribute_positions, frequency_of
from ..model.layout import assemble
from ..model.likelihood import Rows
from ..model.spec import ModelSpec
from ..model.tree import DataTree, design_of, n_draws, spec_of, stacked
from .estimands import WITHIN, pair_gaps, slope_errors, with_rows, with_slope_errors
from .summaries import describe_gaps, reading_of, reads_posterior

ATTRIBUTES = ("population", "listed")
"""Attributes over which the distances of new words are averaged."""


@reads_posterior
def predict_words(
    tree: DataTree,
    ci_prob: float = DEFAULT_CI_PROB,
    rope: float | None = None,
    ci_kind: str = DEFAULT_CI_KIND,
    *,
    attributes: str = "population",
    seed: Seed = None,
) -> pd.DataFrame:
    r"""Predict the contrasts of one new protected word per group.

    For every posterior draw, the effects of a new word are drawn from the model (Gelman and Hill,
    2007, section 12.8). Under ``paper``, these are `θ[w, c] ~ Normal(μ[c], τ[c])`. Under
    ``maximal``, they include the word's level and its lean toward one of the sets.

    Parameters
    ----------
    tree : DataTree
        A posterior from `fit`, of any model.
    ci_prob, rope, ci_kind
        The same as in `contrasts`.
    attributes : {"population", "listed"}
        Attributes to average over. ``population`` means all attributes of this kind, so their
        effects and residuals average to zero. ``listed`` means the table's attributes, with their
        effects, leans, and residuals, so you can measure this contrast for an actual word.
    seed : int, SeedSequence, Generator, or None
        Seed for drawing the words. None draws a fresh seed, which ``.attrs["seed"]`` records.

    Returns
    -------
    DataFrame
        One row per group and pair of its connections: ``protected_group``, ``first``, ``second``,
        ``estimand`` (``within``), ``frequency``, and the columns of `contrasts` from ``mean`` to
        ``p_rope_ceiling``. The word's covariates are the mean of its group's if attributes are
        listed, and zero otherwise. ``.attrs`` stores ``ci_prob``, ``ci_kind``, ``attributes``, and
        ``seed``.

    Examples
    --------
    >>> post = bb.fit(table, "crossed", seed=1)
    >>> columns = ["protected_group", "first", "second", "mean", "sd", "low"]
    >>> bb.predict_words(post, seed=1).query("first == 'associated'")[columns].head(3).round(2)
      protected_group       first     second  mean    sd   low
    0             jew  associated  different -0.04  0.11 -0.21
    1             jew  associated    neutral -0.08  0.10 -0.23
    2             jew  associated      human  0.04  0.12 -0.16
    """
    check_choice("value of attributes", attributes, ATTRIBUTES)
    sequence = as_seed_sequence(seed)
    rng, spec, listed = default_rng(sequence), spec_of(tree), design_of(tree)
    errors = slope_errors(listed, n_draws(tree))
    design, factors = _with_new_words(listed, attributes=attributes == "population")
    new = [term for term in spec.terms if term.of in factors]
    others = {*map(str, tree["posterior"])} - {term.name for term in new} - {"word_mean"}
    needed = {"connection_mean", *spec.needed_priors} - {*spec.fixed}
    values = {name: stacked(tree, name) for name in sorted(others | needed)}
    values |= draw_effects(design, new, values, rng)
    if attributes == "population":
        means = word_means(design, spec, values) + _shifts(listed, spec, errors)
    else:
        means = _means_of_rows(design, spec, values, errors, rng)
    means = np.where(with_rows(design, "protected_word"), means, np.nan)
    groups = pd.DataFrame({"protected_group": design.groups})
    reading, about = reading_of(tree, ci_prob, rope, ci_kind), str(frequency_of(listed))
    frame = describe_gaps(
        *(pair_gaps(means), design.connections, groups, reading), estimand=WITHIN, frequency=about
    )
    frame.attrs |= {"attributes": attributes, "seed": sequence.entropy}
    return frame


def _shifts(design: Design, spec: ModelSpec, errors: FloatArray) -> FloatArray:
    """Return what errors of slopes add to means of groups, (n_draws, n_groups, n_connections)."""
    none = np.zeros((len(errors), len(design.words), len(design.connections)))
    shifts = with_slope_errors(design, spec, lambda _: none, errors)("word_mean")
    return shifts[:, np.unique(design.word_group, return_index=True)[1]]


def _means_of_rows(
    design: Design,
    spec: ModelSpec,
    values: Mapping[str, FloatArray],
    errors: FloatArray,
    rng: Generator,
) -> FloatArray:
    """Average new distances to get (n_draws, n_words, n_connections) means; NaN without rows.

    Each attribute has one new distance, at the mean of the covariates of its rows.
    """
    codes = np.stack([design.codes(dim) for dim in design.coords if dim != COVARIATE])
    rows, place = np.unique(codes, axis=1, return_index=True, return_inverse=True)[1:]
    if design.covariates:
        means = cell_means(design.x, (place.ravel(),), (len(rows),))
        design = replace(design, x=means[place.ravel()])
    drawn, positions = Rows(assemble(design, spec, values)), attribute_positions(design)
    word, connection = design.word[rows], design.connection[rows]
    shape = len(design.words), len(design.connections)
    found = np.full((len(errors), *shape), np.nan)
    for w, c in np.unique(np.stack([word, connection], axis=1), axis=0):
        own = rows[(word == w) & (connection == c)]
        moved = errors[:, w] * positions[design.attribute[own]].mean()
        found[:, w, c] = drawn.predict(own, rng).mean(axis=1) - moved
    return found


def _with_new_words(old: Design, *, attributes: bool) -> tuple[Design, list[str]]:
    """Give each group a new word and each kind a new attribute; also return the new factors."""
    unknown = np.zeros((0, 0))  # new words have no vectors, so no likeness
    new: dict[str, Any] = {
        "words": old.groups,
        "word_group": np.arange(len(old.groups)),
        "word": old.codes("protected_group"),
        "word_likeness": unknown,
    }
    if not attributes:
        return replace(old, **new), ["protected_word"]
    new |= {
        "attributes": old.kinds,
        "attribute_kind": np.arange(len(old.kinds)),
        "attribute": old.codes("attribute_kind"),
        "attribute_likeness": unknown,
        "attribute_rank": np.zeros(0),
        "contexts": old.contexts[:1],
        "context": np.zeros_like(old.context),
    }
    return replace(old, **new), ["protected_word", "attribute", "context"]
