"""What words that were not measured would show: draws from the population of words.

The mean of a group in `contrasts` is that of the words listed. Another word of the group differs
from them as they differ from one another, so that its interval is wider.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
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
from ..sampling.options import DEFAULT_ROPE
from .contrasts import pair_contrasts
from .summaries import carry_warnings, in_front

if TYPE_CHECKING:
    from xarray import DataTree

ATTRIBUTES = ("population", "listed")
"""What new words are held against."""


@dataclass(frozen=True)
class NewWords:
    """A new protected word of every group, and where asked for new attributes.

    Parameters
    ----------
    design : Design
        The rows of the table, as if the new words were in them.
    spec : ModelSpec
    values : dict of str to (n_draws, ...) float
        Draws of all variables: of the new words' effects, and of what these depend on.
    """

    design: Design
    spec: ModelSpec
    values: dict[str, FloatArray]

    def tree(self) -> DataTree:
        """Lay the draws out as a posterior."""
        found = assemble(self.design, self.spec, self.values, {}, chains=1, diagnostics={})
        describe(found, self.spec)
        return found


def predict_words(
    tree: DataTree,
    ci_prob: float = DEFAULT_CI_PROB,
    rope: float = DEFAULT_ROPE,
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

    - ``population``: the population of attributes, whose effects are zero in the mean. The interval
      has neither the effects of the attributes listed nor residuals. It answers what another
      word of the group is like, had other attributes been listed too.
    - ``listed``: the attributes of this table, each once, with their effects, their leaning to the
      group and residuals. It is where the contrast will lie that is measured for the word.

    Parameters
    ----------
    tree : DataTree
        A posterior from `fit`, of any model.
    ci_prob : float
        Probability of the intervals, in (0, 1).
    rope : float
        Half-width of the region of practical equivalence, in units of distance, from 0 on.
    ci_kind : {"hdi", "eti"}
        Highest-density or equal-tailed intervals.
    attributes : {"population", "listed"}
        What the new word is held against.
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
    >>> import bayesbias as bb
    >>> wordlist = bb.load_wordlist("religion")
    >>> table = bb.distance_table(bb.load_vectors("glove-demo", wordlist), wordlist)
    >>> post = bb.fit(table, "crossed", seed=1)
    >>> bb.predict_words(post, seed=1)["protected_group"].unique().tolist()
    ['jew', 'christian', 'muslim']
    """
    if attributes not in ATTRIBUTES:
        raise ValueError(f"attributes: {unknown_name('choice', attributes, ATTRIBUTES)}")
    sequence = as_seed_sequence(seed)
    rng = default_rng(sequence)
    new = new_words(tree, rng, attributes=attributes == "population")
    if attributes == "listed":
        means = _measured_means(new, rng)
    else:
        means = word_means(new.design, new.spec, new.values)
    groups, connections = new.design.groups, new.design.connections
    frame = pair_contrasts(means, connections, ci_prob, rope, ci_kind, protected_group=groups)
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

    Raises
    ------
    ValueError
        If a number is not valid.

    Warns
    -----
    SamplingWarning
        If the posterior carries warnings.

    Examples
    --------
    >>> import bayesbias as bb
    >>> wordlist = bb.load_wordlist("religion")
    >>> table = bb.distance_table(bb.load_vectors("glove-demo", wordlist), wordlist)
    >>> post = bb.fit(table, "crossed", seed=1)
    >>> bool(bb.predict_distances(post, ci_prob=0.5, seed=1)["low"].lt(1).all())
    True
    """
    sequence = as_seed_sequence(seed)
    rng = default_rng(sequence)
    new = new_words(tree, rng)
    first, count = _different_rows(new.design)
    drawn = predict_rows(new.tree(), first, rng)
    frames = []
    for group, connection, where in _cells(new.design, first):
        chosen = rng.choice(where, len(drawn), p=count[where] / count[where].sum())
        one = drawn[np.arange(len(drawn)), chosen]
        frame = describe_draws(one[:, None], ci_prob, ci_kind)
        frames.append(in_front(frame, protected_group=group, connection=connection))
    frame = pd.concat(frames, ignore_index=True)  # attrs that all share are kept
    frame.attrs["seed"] = sequence.entropy
    return carry_warnings(frame, tree)


def new_words(tree: DataTree, rng: Generator, *, attributes: bool = True) -> NewWords:
    """Draw a new word of every group; and a new attribute of every kind, and a new context."""
    require_posterior(tree)
    design, spec = design_of(tree), spec_of(tree)
    found = replace(
        design,
        words=design.groups,
        word_group=np.arange(len(design.groups)),
        word=design.codes("protected_group"),
    )
    factors = ["protected_word"]
    if attributes:
        factors += ["attribute", "context"]
        found = replace(
            found,
            attributes=design.kinds,
            attribute_kind=np.arange(len(design.kinds)),
            attribute=design.codes("attribute_kind"),
            contexts=design.contexts[:1],
            context=np.zeros_like(design.context),
        )
    new = [term for term in spec.terms if term.of in factors]
    others = {*map(str, tree["posterior"])} - {term.name for term in new} - {"word_mean"}
    values = {name: stacked(tree, name) for name in sorted(others)}
    return NewWords(found, spec, values | draw_effects(found, new, values, rng))


def _measured_means(new: NewWords, rng: Generator) -> FloatArray:
    """Mean distances that will be measured, (n_draws, n_groups, n_connections)."""
    design, tree = new.design, new.tree()
    rows, _ = _different_rows(design)
    shape = len(new.values["connection_mean"]), len(design.groups), len(design.connections)
    means = np.full(shape, np.nan)
    for group, connection, where in _cells(design, rows):
        at = design.groups.index(group), design.connections.index(connection)
        means[:, *at] = predict_rows(tree, rows[where], rng).mean(axis=1)
    return means


def _different_rows(design: Design) -> tuple[np.ndarray, np.ndarray]:
    """Return the first of all rows that are alike in every label, and how many there are."""
    labels = np.column_stack([design.codes(dim) for dim in design.coords])
    _, first, count = np.unique(labels, axis=0, return_index=True, return_counts=True)
    return first, count


def _cells(design: Design, rows: np.ndarray) -> Iterator[tuple[str, str, np.ndarray]]:
    """Iterate over groups and connections with the places of their rows, where there are any."""
    of = design.word[rows] * len(design.connections) + design.connection[rows]
    for cell in np.unique(of):
        group, connection = divmod(int(cell), len(design.connections))
        where = np.flatnonzero(of == cell)
        yield design.groups[group], design.connections[connection], where
