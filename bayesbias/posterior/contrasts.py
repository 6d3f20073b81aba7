"""Differences between connections: how large, how sure, and whether they matter."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import combinations
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from .._core.arrays import FloatArray
from .._core.checks import unknown_name
from .._core.intervals import DEFAULT_CI_KIND, DEFAULT_CI_PROB, describe_draws
from ..model.tree import labels
from ..sampling.options import DEFAULT_ROPE, check_rope
from ..tables.levels import GROUP, OVERALL, WORD, at_level
from .summaries import by_level, carry_warnings, in_front, levels

if TYPE_CHECKING:
    from xarray import DataTree


def contrasts(
    tree: DataTree,
    ci_prob: float = DEFAULT_CI_PROB,
    rope: float = DEFAULT_ROPE,
    ci_kind: str = DEFAULT_CI_KIND,
    over: str = "population",
    *,
    between: str = "connections",
) -> pd.DataFrame:
    """Posterior differences in mean distance between connections, at every level.

    Parameters
    ----------
    tree : DataTree
        A posterior from `fit`.
    ci_prob : float
        Probability of the intervals, in (0, 1).
    rope : float
        Half-width of the region of practical equivalence, in units of distance, from 0 on.
    ci_kind : {"hdi", "eti"}
        Highest-density or equal-tailed intervals.
    over : {"population", "listed"}
        Whether means are of attributes like those listed (and overall of words like those listed),
        or of the very words and attributes of the table. Where a whole attribute set lies near to
        all groups, or an attribute leans by itself, a gap of the listed words holds that, and a gap
        of the population does not. The rates of ``bayesbias docs calibration`` are the
        population's.
    between : {"connections", "groups"}
        Whether to compare connections, or how large that difference is in one group and another.

    Returns
    -------
    DataFrame
        One row a level and pair: ``level``, ``protected_group``, ``protected_word``, ``first``,
        ``second``, then of first - second ``mean``, ``sd``, ``low``, ``high``;
        ``p_direction``, the probability of the sign the median has, in [.5, 1]; and ``p_rope``,
        the probability that the difference is smaller than `rope`. A negative difference: the
        first lies closer to the protected words. Between groups one row a pair of groups and pair
        of connections: ``protected_group``, ``other_group``, ``first``, ``second``, and the same of
        (first - second) of the group less that of the other group.

    Examples
    --------
    >>> import bayesbias as bb
    >>> wordlist = bb.load_wordlist("religion")
    >>> table = bb.distance_table(bb.load_vectors("glove-demo", wordlist), wordlist)
    >>> bb.contrasts(bb.fit(table, seed=1), between="groups")["other_group"].unique().tolist()
    ['christian', 'muslim']
    """
    if between not in BETWEEN:
        raise ValueError(f"between: {unknown_name('choice', between, BETWEEN)}")
    connections = labels(tree, "connection")
    if between == "groups":
        frame = _between_groups(
            tree, over, lambda draws: compare_draws(draws, ci_prob, rope, ci_kind)
        )
        return carry_warnings(frame, tree)

    def describe(draws: FloatArray) -> pd.DataFrame:
        return compare_connections(draws, connections, ci_prob, rope, ci_kind)

    return by_level(tree, describe, over=over)


BETWEEN = ("connections", "groups")
"""What `contrasts` compares."""


def _between_groups(
    tree: DataTree, over: str, describe: Callable[[FloatArray], pd.DataFrame]
) -> pd.DataFrame:
    """Describe how far every difference of connections differs between every pair of groups."""
    gaps, names = group_gaps(tree, over)
    pairs = list(combinations(gaps, 2))
    apart = np.concatenate([gaps[one] - gaps[other] for one, other in pairs], axis=1)
    n_pairs = len(names["first"])
    columns = {
        "protected_group": [one for one, _ in pairs for _ in range(n_pairs)],
        "other_group": [other for _, other in pairs for _ in range(n_pairs)],
        **{name: values * len(pairs) for name, values in names.items()},
    }
    return in_front(describe(apart), **columns)


def group_gaps(tree: DataTree, over: str) -> tuple[dict[str, FloatArray], dict[str, list[str]]]:
    """Return differences between all pairs of connections, (n_draws, n_pairs) of every group.

    And the names of the pairs, as columns. A ValueError where there is one group only.
    """
    first, second, names = connection_pairs(labels(tree, "connection"))
    gaps = {
        each.protected_group: each.draws[:, first] - each.draws[:, second]
        for each in levels(tree, over)
        if each.level == GROUP
    }
    if len(gaps) < 2:
        raise ValueError(f"the table has the group {next(iter(gaps))} only; nothing to compare")
    return gaps, names


def most_striking(
    tree: DataTree,
    first: str = "associated",
    second: str = "different",
    *,
    ci_prob: float = DEFAULT_CI_PROB,
    ci_kind: str = DEFAULT_CI_KIND,
    over: str = "population",
) -> pd.DataFrame:
    """Compute of every protected word the probability that its contrast is the most striking.

    The word whose estimate is the farthest from zero was chosen among many, and so is often not
    the one whose contrast is. Sizes are those of the model, which shrinks words together.

    Parameters
    ----------
    tree : DataTree
        A posterior from `fit`.
    first, second : str
        The connections whose difference, first - second, is compared between words.
    ci_prob, ci_kind, over
        As for `contrasts`.

    Returns
    -------
    DataFrame
        One row a word, the farthest from zero on average first: ``protected_group``,
        ``protected_word``, ``mean``, ``sd``, ``low``, ``high``, and ``p_most``, the share of draws
        in which it is the farthest from zero of all words. These add up to one.

    Raises
    ------
    ValueError
        If the posterior lacks one of the connections.

    Examples
    --------
    >>> import bayesbias as bb
    >>> wordlist = bb.load_wordlist("religion")
    >>> table = bb.distance_table(bb.load_vectors("glove-demo", wordlist), wordlist)
    >>> len(bb.most_striking(bb.fit(table, seed=1)))
    15
    """
    connections = labels(tree, "connection")
    for name in (first, second):
        if name not in connections:
            raise ValueError(unknown_name("connection", name, connections))
    at, less = connections.index(first), connections.index(second)
    words = [each for each in levels(tree, over) if each.level == WORD]
    gaps = np.stack([each.draws[:, at] - each.draws[:, less] for each in words], axis=1)
    frame = describe_draws(gaps, ci_prob, ci_kind)
    frame["p_most"] = np.bincount(abs(gaps).argmax(axis=1), minlength=len(words)) / len(gaps)
    frame = in_front(
        frame,
        protected_group=[each.protected_group for each in words],
        protected_word=[each.protected_word for each in words],
    )
    frame = frame.sort_values("mean", key=abs, ascending=False, kind="stable", ignore_index=True)
    return carry_warnings(frame, tree)


def compare_connections(
    draws: FloatArray, connections: Sequence[str], ci_prob: float, rope: float, ci_kind: str
) -> pd.DataFrame:
    """Describe differences between all pairs of connections; draws are (n, n_connections)."""
    first, second, names = connection_pairs(connections)
    apart = draws[:, first] - draws[:, second]
    return in_front(compare_draws(apart, ci_prob, rope, ci_kind), **names)


def connection_pairs(
    connections: Sequence[str],
) -> tuple[tuple[int, ...], tuple[int, ...], dict[str, list[str]]]:
    """Pair connections: indices of the first and of the second, and their names as columns."""
    if len(connections) < 2:
        raise ValueError(f"the table has the connection {connections[0]} only; nothing to compare")
    first, second = zip(*combinations(range(len(connections)), 2), strict=True)
    names = {"first": [connections[i] for i in first], "second": [connections[i] for i in second]}
    return first, second, names


def compare_draws(
    differences: FloatArray, ci_prob: float, rope: float, ci_kind: str = DEFAULT_CI_KIND
) -> pd.DataFrame:
    """Describe draws of differences, (n_draws, n), with their direction and ROPE share."""
    check_rope(rope)
    frame = describe_draws(differences, ci_prob, ci_kind)
    above = (differences > 0).mean(axis=0) + 0.5 * (differences == 0).mean(axis=0)
    frame["p_direction"] = pd.Series(above).clip(lower=1 - above)
    frame["p_rope"] = (abs(differences) < rope).mean(axis=0)
    return frame


def associated_human_gap(
    tree: DataTree,
    ci_prob: float = DEFAULT_CI_PROB,
    rope: float = DEFAULT_ROPE,
    ci_kind: str = DEFAULT_CI_KIND,
) -> pd.DataFrame:
    """Compute how much closer stereotypical attributes lie than words about human life in general.

    It is the one number that Dobrzeniecka and Urbaniak (2024) would give if one must: the overall
    mean distance of associated attributes less that of human ones. It is a location with an
    interval, not a verdict: it averages over words that may differ, and a gap in distances is not
    yet harm.

    Returns
    -------
    DataFrame
        The one row of `contrasts` with ``first`` associated and ``second`` human.

    Raises
    ------
    ValueError
        If the table lacks associated or human attributes.

    Examples
    --------
    >>> import bayesbias as bb
    >>> wordlist = bb.load_wordlist("religion")
    >>> vectors = bb.load_vectors("glove-demo", wordlist)
    >>> table = bb.distance_table(vectors, wordlist)
    >>> post = bb.fit(table, seed=1)
    >>> len(bb.associated_human_gap(post))
    1
    """
    lacking = [name for name in ("associated", "human") if name not in labels(tree, "connection")]
    if lacking:
        raise ValueError(f"this posterior has no {' and no '.join(lacking)} attributes to compare")
    frame = at_level(contrasts(tree, ci_prob, rope, ci_kind), OVERALL)
    wanted = (frame["first"] == "associated") & (frame["second"] == "human")
    return frame[wanted].reset_index(drop=True)
