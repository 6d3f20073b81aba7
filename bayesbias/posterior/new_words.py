"""What words that were not measured would show: draws from the population of words.

The mean of a group in `contrasts` is that of the words listed. Another word of the group differs
from them as they differ from one another, so that its interval is wider.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd
from numpy.random import Generator, default_rng

from .._core.arrays import FloatArray
from .._core.checks import unknown_name
from .._core.intervals import DEFAULT_CI_KIND, DEFAULT_CI_PROB, describe_draws
from .._core.random import Seed, as_seed_sequence
from ..model.design import Design
from ..model.effects import draw_effects, word_means
from ..model.likelihood import predict_rows
from ..model.spec import ModelSpec
from ..model.tree import assemble, describe, design_of, require_posterior, spec_of, stacked
from .contrasts import pair_contrasts, reading_of
from .summaries import carry_warnings, labeled

if TYPE_CHECKING:
    from xarray import DataTree

type Values = dict[str, FloatArray]
"""Draws of a posterior's variables, (n_draws, ...)."""

ATTRIBUTES = ("population", "listed")
"""Which attributes the mean distances of new words are over."""


def predict_words(
    tree: DataTree,
    ci_prob: float = DEFAULT_CI_PROB,
    rope: float | None = None,
    ci_kind: str = DEFAULT_CI_KIND,
    *,
    attributes: str = "population",
    seed: Seed = None,
) -> pd.DataFrame:
    r"""Predict the contrasts of another protected word of every group.

    For every posterior draw the effects of a new word are drawn from the model, such as its level
    and its lean under ``maximal``, or

    .. math:: \theta[w, c] \sim \mathrm{Normal}(\mu[c], \tau[c])

    under ``paper``. What its mean distances are over is `attributes`:

    - ``population``: the population of attributes, whose effects are zero in the mean, without
      residuals: what another word of the group is like, had other attributes been listed too.
    - ``listed``: the attributes of this table, each once, with their effects, their leaning to the
      group and residuals: where a measured contrast of the word will lie.

    Parameters
    ----------
    tree : DataTree
        A posterior from `fit`, of any model.
    ci_prob, rope, ci_kind
        As for `contrasts`.
    attributes : {"population", "listed"}
        Which attributes its mean distances are over.
    seed : int, SeedSequence, Generator or None
        Of the new words. None takes fresh entropy, which ``.attrs["seed"]`` records.

    Returns
    -------
    DataFrame
        A row a group and pair of connections: ``protected_group``, then the columns of `contrasts`
        from ``first`` on. ``.attrs`` have ``ci_prob``, ``ci_kind``, ``attributes`` and ``seed``.
        Over the population groups differ as far as the model knows of groups: by a ``group_mean``,
        or by how many rows they have of each attribute set.

    Raises
    ------
    ValueError
        If the table has one connection only, or `attributes` or a number is not valid.

    Warns
    -----
    SamplingWarning
        If the posterior carries warnings.

    References
    ----------
    Gelman and Hill (2007), Data Analysis Using Regression and Multilevel/Hierarchical Models,
    section 12.8 (prediction for a new group).

    Examples
    --------
    >>> post = bb.fit(table, "crossed", seed=1)
    >>> bb.predict_words(post, seed=1).query("first == 'associated'").iloc[:3, :6].round(2)
      protected_group       first     second  mean    sd   low
    0             jew  associated  different -0.04  0.12 -0.22
    1             jew  associated    neutral -0.08  0.10 -0.23
    2             jew  associated      human  0.04  0.12 -0.14
    """
    if attributes not in ATTRIBUTES:
        raise ValueError(f"attributes: {unknown_name('choice', attributes, ATTRIBUTES)}")
    sequence = as_seed_sequence(seed)
    rng = default_rng(sequence)
    design, spec, values = _new_words(tree, rng, attributes=attributes == "population")
    means = word_means(design, spec, values)
    if attributes == "listed":
        drawn, rows, _ = _lay_out(design, spec, values)
        means = np.full_like(means, np.nan)
        for group, connection, places in _cells(design, rows):
            measured = predict_rows(drawn, rows[places], rng)
            means[:, group, connection] = measured.mean(axis=1)
    groups = pd.DataFrame({"protected_group": design.groups})
    reading = reading_of(tree, ci_prob, rope, ci_kind)
    frame = pair_contrasts(means, design.connections, groups, **reading)
    frame.attrs |= {"attributes": attributes, "seed": sequence.entropy}
    return carry_warnings(frame, tree)


def predict_distances(
    tree: DataTree,
    ci_prob: float = DEFAULT_CI_PROB,
    ci_kind: str = DEFAULT_CI_KIND,
    seed: Seed = None,
) -> pd.DataFrame:
    """Predict one distance between another protected word and another attribute.

    Both have effects of their own, and the row has a residual. A new attribute is of an attribute
    set as often as the rows of its group and connection are.

    Parameters
    ----------
    tree, ci_prob, ci_kind, seed
        As for `predict_words`.

    Returns
    -------
    DataFrame
        A row a group and connection: ``protected_group``, ``connection``, ``mean``, ``sd``,
        ``low``, ``high``, in units of distance. The model does not know that distances end at 0
        and 2. ``.attrs`` as those of `predict_words`.

    Examples
    --------
    >>> post = bb.fit(table, "crossed", seed=1)
    >>> frame = bb.predict_distances(post, ci_prob=0.5, seed=1).query("connection == 'human'")
    >>> frame[["protected_group", "mean", "low", "high"]].round(2)
       protected_group  mean   low  high
    3              jew  0.83  0.72  0.91
    7        christian  0.83  0.74  0.92
    11          muslim  0.84  0.73  0.91
    """
    sequence = as_seed_sequence(seed)
    rng = default_rng(sequence)
    design, spec, values = _new_words(tree, rng)
    drawn, rows, count = _lay_out(design, spec, values)
    distances = predict_rows(drawn, rows, rng)
    draws, cells = [], []
    for group, connection, places in _cells(design, rows):
        chosen = rng.choice(places, len(distances), p=count[places] / count[places].sum())
        draws.append(distances[np.arange(len(distances)), chosen])
        cells.append((design.groups[group], design.connections[connection]))
    things = pd.DataFrame(cells, columns=["protected_group", "connection"])
    frame = labeled(describe_draws(np.column_stack(draws), ci_prob, ci_kind), things)
    frame.attrs["seed"] = sequence.entropy
    return carry_warnings(frame, tree)


def _new_words(
    tree: DataTree, rng: Generator, *, attributes: bool = True
) -> tuple[Design, ModelSpec, Values]:
    """Draw a new word of every group; and a new attribute of every kind, and a new context.

    Returns the rows of the table with the new words in them, the model, and draws of the new
    words' effects and of what these depend on.
    """
    require_posterior(tree)
    old, spec, factors = design_of(tree), spec_of(tree), ["protected_word"]
    groups, word = np.arange(len(old.groups)), old.codes("protected_group")
    unknown = np.zeros((0, 0))  # likeness of vectors that are not there
    design = replace(old, words=old.groups, word_group=groups, word=word, word_likeness=unknown)
    if attributes:
        factors += ["attribute", "context"]
        design = replace(
            design,
            attributes=old.kinds,
            attribute_kind=np.arange(len(old.kinds)),
            attribute=old.codes("attribute_kind"),
            attribute_likeness=unknown,
            contexts=old.contexts[:1],
            context=np.zeros_like(old.context),
        )
    new = [term for term in spec.terms if term.of in factors]
    others = {*map(str, tree["posterior"])} - {term.name for term in new} - {"word_mean"}
    values = {name: stacked(tree, name) for name in sorted(others)}
    return design, spec, values | draw_effects(design, new, values, rng)


def _lay_out(
    design: Design, spec: ModelSpec, values: Values
) -> tuple[DataTree, np.ndarray, np.ndarray]:
    """Lay draws out as a posterior; return it, one of all rows that are alike, and their number."""
    tree = assemble(design, spec, values, {}, chains=1, diagnostics={})
    describe(tree, spec)
    labels = np.column_stack([design.codes(dim) for dim in design.coords])
    _, rows, count = np.unique(labels, axis=0, return_index=True, return_counts=True)
    return tree, rows, count


def _cells(design: Design, rows: np.ndarray) -> Iterator[tuple[int, int, np.ndarray]]:
    """Iterate over groups and connections with the places of their rows, where there are any."""
    cell = design.word[rows] * len(design.connections) + design.connection[rows]
    for code in np.unique(cell):
        yield *divmod(int(code), len(design.connections)), np.flatnonzero(cell == code)
