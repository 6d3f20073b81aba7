"""Differences between connections: how large, how sure, and whether they matter."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations
from typing import TYPE_CHECKING, TypedDict, Unpack

import numpy as np
import pandas as pd
from numpy.random import default_rng

from .._core.arrays import FloatArray
from .._core.checks import unknown_name
from .._core.intervals import DEFAULT_CI_KIND, DEFAULT_CI_PROB, describe_draws
from .._core.random import Seed, as_seed_sequence
from ..model.tree import design_of, labels, n_draws, spec_of
from ..sampling.exact import sample_exact
from ..sampling.options import DEFAULT_ROPE, check_rope
from ..sampling.reduction import UNPOOLED_SD, collapse
from ..tables.levels import GROUP, WORD
from .summaries import carry_warnings, labeled, level_means

if TYPE_CHECKING:
    from xarray import DataTree

BETWEEN = ("connections", "groups")
"""What `contrasts` compares."""


class Reading(TypedDict):
    """How draws of differences are described."""

    ci_prob: float
    rope: float
    ci_kind: str


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
        or of the very words and attributes of the table. Where a whole attribute set is close to
        all groups, or an attribute leans by itself, a gap of the listed words includes that, and a
        gap of the population does not. The rates of ``bayesbias docs calibration`` are the
        population's.
    between : {"connections", "groups"}
        Whether to compare connections, or how large that difference is in one group and another.

    Returns
    -------
    DataFrame
        One row a level and pair: ``level``, ``protected_group``, ``protected_word``, ``first``,
        ``second``, then of first - second ``mean``, ``sd``, ``low``, ``high``;
        ``p_direction``, the probability of the sign the median has, in [.5, 1]; ``p_rope``, the
        probability that the difference is smaller than `rope`; and of words ``p_most``, the
        probability that this difference is the farthest from zero of all words (NaN at other
        levels). A negative difference: the first lies closer to the protected words. Between
        groups one row a pair of groups and pair of connections: ``protected_group``,
        ``other_group``, ``first``, ``second``, and the same, without ``p_most``, of
        (first - second) of the group less that of the other group.

    Raises
    ------
    ValueError
        If a choice is unknown, a number out of range, or there is one connection or group only.

    Notes
    -----
    The overall row of ``associated`` and ``human`` is the one number that Dobrzeniecka and Urbaniak
    (2024) would give if one must: how much closer stereotypes lie than words about people. The
    word with the largest estimate was chosen among many, and is often not the word whose difference
    is the largest; that is what ``p_most`` is for.

    Examples
    --------
    >>> frame = bb.contrasts(post)
    >>> overall = frame.query("level == 'overall' and first == 'associated'")
    >>> overall[["second", "mean"]].round(2).values.tolist()
    [['different', -0.04], ['neutral', -0.08], ['human', 0.04]]
    """
    if between not in BETWEEN:
        raise ValueError(f"between: {unknown_name('choice', between, BETWEEN)}")
    connections = labels(tree, "connection")
    reading = Reading(ci_prob=ci_prob, rope=rope, ci_kind=ci_kind)
    if between == "groups":
        groups, draws = group_means(tree, over)
        pairs = pd.DataFrame(combinations(groups, 2), columns=["protected_group", "other_group"])
        first, second = np.triu_indices(len(groups), 1)
        gaps = draws[:, first] - draws[:, second]
        return carry_warnings(pair_contrasts(gaps, connections, pairs, **reading), tree)
    levels, draws = level_means(tree, over)
    frame = pair_contrasts(draws, connections, levels, **reading)
    of_words = draws[:, levels["level"] == WORD]
    frame.loc[frame["level"] == WORD, "p_most"] = _probability_of_most(of_words, connections)
    return carry_warnings(frame, tree)


def unpooled_contrasts(
    tree: DataTree,
    words: Sequence[str] | str | None = None,
    *,
    sd: float = UNPOOLED_SD,
    ci_prob: float = DEFAULT_CI_PROB,
    rope: float = DEFAULT_ROPE,
    ci_kind: str = DEFAULT_CI_KIND,
    seed: Seed = None,
) -> pd.DataFrame:
    """Contrasts of protected words whose effects are not drawn towards those of other words.

    A model pools words: a word that stands out is taken partly for chance, the more so the more
    alike the others are. That is right for the most striking of many words. Of a word that was
    named beforehand you can ask what its own distances say. The model is fitted once for each word,
    with effects of that word of a prior sd of their own; all else stays.

    Parameters
    ----------
    tree : DataTree
        A posterior of a Normal model from `fit`.
    words : str or sequence of str, optional
        Protected words; all if not given.
    sd : float
        Prior sd of the word's effects, in units of distance, above 0.
    ci_prob, rope, ci_kind
        As for `contrasts`.
    seed : int, SeedSequence, Generator or None
        None takes fresh entropy, which ``.attrs["seed"]`` records.

    Returns
    -------
    DataFrame
        A row a word and pair of connections, with the columns of `contrasts`.

    Raises
    ------
    ValueError
        If a word is unknown, ``sd`` is not positive, or the model is not Normal.

    References
    ----------
    Gelman and Hill (2007), Data Analysis Using Regression and Multilevel/Hierarchical Models,
    chapter 12, on pooling.

    Examples
    --------
    >>> bb.unpooled_contrasts(post, "imam")["first"].iloc[0]
    'associated'
    """
    if not sd > 0:
        raise ValueError(f"sd must be positive; got {sd}")
    design, spec = design_of(tree), spec_of(tree)
    names = list(design.words) if words is None else [words] if isinstance(words, str) else words
    sequence, draws, rows = as_seed_sequence(seed), [], []
    for name, child in zip(names, sequence.spawn(len(names)), strict=True):
        if name not in design.words:
            raise ValueError(unknown_name("protected word", name, design.words))
        word = design.words.index(name)
        alone = collapse(design, spec, unpooled=word, unpooled_sd=sd)
        values = sample_exact(alone, n_draws(tree), default_rng(child)).values
        draws.append(values["word_mean"][:, word])
        rows.append((WORD, design.groups[design.word_group[word]], name))
    levels = pd.DataFrame(rows, columns=["level", "protected_group", "protected_word"])
    means = np.stack(draws, axis=1)
    reading = Reading(ci_prob=ci_prob, rope=rope, ci_kind=ci_kind)
    frame = pair_contrasts(means, design.connections, levels, **reading)
    frame.attrs["seed"] = sequence.entropy
    return carry_warnings(frame, tree)


def group_means(tree: DataTree, over: str) -> tuple[list[str], FloatArray]:
    """Names of groups and draws of their means, (n_draws, n_groups, n_connections)."""
    levels, draws = level_means(tree, over)
    is_group = (levels["level"] == GROUP).to_numpy()
    groups = levels.loc[is_group, "protected_group"].tolist()
    if len(groups) < 2:
        raise ValueError(f"the table has the group {groups[0]} only; nothing to compare")
    return groups, draws[:, is_group]


def _probability_of_most(draws: FloatArray, connections: Sequence[str]) -> FloatArray:
    """Return in which share of draws each word's difference is the farthest from zero.

    Draws are (n_draws, n_words, n_connections), shares (n_words * n_pairs,); ties share a draw.
    """
    first, second, _ = connection_pairs(connections)
    sizes = abs(draws[..., first] - draws[..., second])
    is_most = sizes == sizes.max(axis=1, keepdims=True)
    return np.asarray((is_most / is_most.sum(axis=1, keepdims=True)).mean(axis=0)).ravel()


def pair_contrasts(
    draws: FloatArray,
    connections: Sequence[str],
    things: pd.DataFrame,
    **reading: Unpack[Reading],
) -> pd.DataFrame:
    """Describe the differences between all pairs of connections, or of other names.

    Parameters
    ----------
    draws : (n_draws, n_things, n_connections) float
    connections : sequence of str
    things : DataFrame
        Labels of the things, a row each.
    **reading
        ``ci_prob``, ``rope`` and ``ci_kind`` of `contrasts`.

    Returns
    -------
    DataFrame
        One row a thing and pair: the labels, ``first``, ``second``, then as `compare_draws`.
    """
    first, second, pairs = connection_pairs(connections)
    gaps = draws[..., first] - draws[..., second]
    frame = compare_draws(gaps.reshape(len(gaps), -1), **reading)
    return labeled(frame, things, **pairs)


def connection_pairs(
    connections: Sequence[str],
) -> tuple[list[int], list[int], dict[str, list[str]]]:
    """Pair connections: indices of the first and of the second, and their names as columns."""
    if len(connections) < 2:
        raise ValueError(f"the table has the connection {connections[0]} only; nothing to compare")
    first, second = (index.tolist() for index in np.triu_indices(len(connections), 1))
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
