"""Predict unmeasured words with draws from the population of words.

A group's mean in `contrasts` describes the average of its words. A single new word varies around
that mean as the listed words do, so its interval is wider.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd
from numpy.random import default_rng

from .._core.checks import check_choice
from .._core.intervals import DEFAULT_CI_KIND, DEFAULT_CI_PROB
from .._core.random import Seed, as_seed_sequence
from ..model.design import Design
from ..model.effects import draw_effects, word_means
from ..model.layout import assemble
from ..model.likelihood import Rows
from ..model.tree import DataTree, design_of, spec_of, stacked
from .estimands import pair_gaps
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
        One row per group and pair of connections: ``protected_group``, ``first``, ``second``, and
        the columns of `contrasts` from ``mean`` to ``p_rope``. ``.attrs`` stores ``ci_prob``,
        ``ci_kind``, ``attributes``, and ``seed``.

    Examples
    --------
    >>> post = bb.fit(table, "crossed", seed=1)
    >>> bb.predict_words(post, seed=1).query("first == 'associated'").iloc[:3, :6].round(2)
      protected_group       first     second  mean    sd   low
    0             jew  associated  different -0.04  0.11 -0.21
    1             jew  associated    neutral -0.08  0.10 -0.23
    2             jew  associated      human  0.04  0.12 -0.16
    """
    check_choice("value of attributes", attributes, ATTRIBUTES)
    sequence = as_seed_sequence(seed)
    rng, spec = default_rng(sequence), spec_of(tree)
    design, factors = _with_new_words(design_of(tree), attributes=attributes == "population")
    new = [term for term in spec.terms if term.of in factors]
    others = {*map(str, tree["posterior"])} - {term.name for term in new} - {"word_mean"}
    values = {name: stacked(tree, name) for name in sorted(others)}
    values |= draw_effects(design, new, values, rng)
    means = word_means(design, spec, values)
    if attributes == "listed":
        drawn = Rows(assemble(design, spec, values))
        codes = np.column_stack([design.codes(dim) for dim in design.coords])
        rows = np.unique(codes, axis=0, return_index=True)[1]  # one of each set of equal rows
        word, connection = design.word[rows], design.connection[rows]
        means = np.full_like(means, np.nan)
        for cell in np.unique(np.stack([word, connection], axis=1), axis=0):
            own = rows[(word == cell[0]) & (connection == cell[1])]
            means[:, *cell] = drawn.predict(own, rng).mean(axis=1)
    groups = pd.DataFrame({"protected_group": design.groups})
    reading = reading_of(tree, ci_prob, rope, ci_kind)
    frame = describe_gaps(pair_gaps(means), design.connections, groups, reading)
    frame.attrs |= {"attributes": attributes, "seed": sequence.entropy}
    return frame


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
