"""Posterior to tidy frames: where distances lie overall, by group and by protected word."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from .._core.arrays import FloatArray
from .._core.checks import unknown_name
from .._core.intervals import DEFAULT_CI_KIND, DEFAULT_CI_PROB, describe_draws
from .._core.resources import OWN_FRAMES
from ..model.likelihood import locations
from ..model.terms import FACTORS
from ..model.tree import (
    SamplingWarning,
    index_of,
    labels,
    n_draws,
    spec_of,
    stacked,
    variable_dims,
    warnings_of,
)
from ..tables.levels import GROUP, LEVEL_COLUMNS, OVERALL, WORD

if TYPE_CHECKING:
    from xarray import DataTree


@dataclass(frozen=True)
class Level:
    """Draws of the mean distance of one set of protected words, (n_draws, n_connections)."""

    level: str
    protected_group: str
    protected_word: str
    draws: FloatArray


def summary(
    tree: DataTree, ci_prob: float = DEFAULT_CI_PROB, ci_kind: str = DEFAULT_CI_KIND
) -> pd.DataFrame:
    """Compute posterior mean distances with their intervals.

    Parameters
    ----------
    tree : DataTree
        A posterior from `fit`.
    ci_prob : float
        Probability of the intervals, in (0, 1).
    ci_kind : {"hdi", "eti"}
        Highest-density or equal-tailed intervals.

    Returns
    -------
    DataFrame
        ``level`` (overall, group, word), ``protected_group``, ``protected_word``, ``connection``,
        ``mean``, ``sd``, ``low``, ``high``. Distances, in [0, 2]. The overall level is
        the mean of the population that the words are drawn from (``connection_mean``), a group's
        level is the average of its words' means. ``.attrs`` hold ``ci_prob`` and ``ci_kind``.

    Warns
    -----
    SamplingWarning
        If the posterior carries warnings; they are in ``.attrs["warnings"]`` of the frame too.

    Examples
    --------
    >>> import bayesbias as bb
    >>> wordlist = bb.load_wordlist("religion")
    >>> vectors = bb.load_vectors("glove-demo", wordlist)
    >>> table = bb.distance_table(vectors, wordlist)
    >>> post = bb.fit(table, seed=1)
    >>> bb.summary(post)["level"].unique().tolist()
    ['overall', 'group', 'word']
    """
    names = labels(tree, "connection")

    def describe(draws: FloatArray) -> pd.DataFrame:
        return in_front(describe_draws(draws, ci_prob, ci_kind), connection=names)

    return by_level(tree, describe)


def sd_summary(
    tree: DataTree, ci_prob: float = DEFAULT_CI_PROB, ci_kind: str = DEFAULT_CI_KIND
) -> pd.DataFrame:
    """Compute standard deviations: how far words, attributes and single rows spread.

    Returns
    -------
    DataFrame
        ``parameter``, ``of`` (the connection or kind of attribute it belongs to, or empty),
        ``mean``, ``sd``, ``low``, ``high``.

    Examples
    --------
    >>> import bayesbias as bb
    >>> wordlist = bb.load_wordlist("religion")
    >>> vectors = bb.load_vectors("glove-demo", wordlist)
    >>> table = bb.distance_table(vectors, wordlist)
    >>> post = bb.fit(table, seed=1)
    >>> "sigma" in set(bb.sd_summary(post)["parameter"])
    True
    """
    spec = spec_of(tree)
    dims = variable_dims(spec)
    sds = [term.sd for factor in FACTORS for term in spec.terms_of(factor)]
    frames = []
    for name in dict.fromkeys([*sds, "sigma", "nu"]):
        if name not in tree["posterior"]:
            continue
        draws = stacked(tree, name)
        frame = describe_draws(draws.reshape(len(draws), -1), ci_prob, ci_kind)
        of = labels(tree, dims[name][0]) if dims[name] else ""
        frames.append(in_front(frame, parameter=name, of=of))
    return carry_warnings(pd.concat(frames, ignore_index=True), tree)


OVER = ("population", "listed")
"""What means are taken over: words and attributes like those listed, or the very ones."""


def by_level(
    tree: DataTree, describe: Callable[..., pd.DataFrame], *trees: DataTree
) -> pd.DataFrame:
    """Frame of what a function says of every level's draws, in a tree or in all of several."""
    frames = []
    for parts in zip(*map(levels, trees or (tree,)), strict=True):
        frame = describe(*(part.draws for part in parts))
        frames.append(in_front(frame, **{name: getattr(parts[0], name) for name in LEVEL_COLUMNS}))
    return carry_warnings(pd.concat(frames, ignore_index=True), tree)


def in_front(frame: pd.DataFrame, **columns: Any) -> pd.DataFrame:  # noqa: ANN401
    """Insert columns at the front of a frame, and return it."""
    for place, (name, values) in enumerate(columns.items()):
        frame.insert(place, name, values)
    return frame


def levels(tree: DataTree, over: str = "population") -> Iterator[Level]:
    """Iterate over the draws of the mean distances overall, of every group and of every word."""
    if over not in OVER:
        raise ValueError(f"over: {unknown_name('choice', over, OVER)}")
    words, groups = labels(tree, "protected_word"), labels(tree, "protected_group")
    group_of = index_of(tree, "group_index")
    if over == "listed":
        means = listed_means(tree)
        yield Level(OVERALL, "", "", means.mean(axis=1))
    else:
        means = stacked(tree, "word_mean")
        yield Level(OVERALL, "", "", stacked(tree, "connection_mean"))
    for index, group in enumerate(groups):
        yield Level(GROUP, group, "", means[:, group_of == index].mean(axis=1))
    for index, word in enumerate(words):
        yield Level(WORD, groups[group_of[index]], word, np.asarray(means[:, index]))


def listed_means(tree: DataTree) -> FloatArray:
    """Mean expected distance of every word's own rows, (n_draws, n_words, n_connections)."""
    words, connections = labels(tree, "protected_word"), labels(tree, "connection")
    word, connection = index_of(tree, "word_index"), index_of(tree, "connection_index")
    means = np.empty((n_draws(tree), len(words), len(connections)))
    for w in range(len(words)):
        rows = np.flatnonzero(word == w)
        expected = locations(tree, rows)
        for c, name in enumerate(connections):
            inside = connection[rows] == c
            if not inside.any():
                raise ValueError(
                    f"{words[w]!r} has no {name} distances, so that the listed words have no mean "
                    "of them; take over='population', or leave the word out"
                )
            means[:, w, c] = expected[:, inside].mean(axis=1)
    return means


def carry_warnings(frame: pd.DataFrame, tree: DataTree) -> pd.DataFrame:
    """Write a posterior's warnings into a frame made of it, and warn again."""
    doubts = warnings_of(tree)
    frame.attrs["warnings"] = doubts
    for doubt in doubts:
        warnings.warn(doubt, SamplingWarning, skip_file_prefixes=OWN_FRAMES)
    return frame
