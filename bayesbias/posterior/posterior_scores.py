"""Scores as posteriors: MAC, gWEAT and WEAT of the distances that a model expects."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from .._core.arrays import FloatArray
from .._core.intervals import DEFAULT_CI_KIND, DEFAULT_CI_PROB, describe_draws, interval_kind
from ..model.likelihood import locations
from ..model.tree import index_of, labels, outcome_of, spec_of
from ..model.tree import n_draws as n_draws_of
from ..model.tree import observed as observed_of
from ..scores.registry import Direction, Reading
from ..scores.table import SCORE_TABLE_COLUMNS
from ..scores.weat import effect_sizes
from ..tables.schema import COLUMNS, require_columns
from .summaries import carry_warnings, in_front

if TYPE_CHECKING:
    from xarray import DataTree


@dataclass(frozen=True, eq=False)
class Cells:
    """Mean distances of protected words to stereotype sets, of n draws or of the sample with n = 1.

    Set i is that of group i; others are stereotypes of groups that have no words.
    """

    distance: FloatArray  # (n, n_words, n_sets); NaN where a word has no row for a set
    group_of: np.ndarray  # (n_words,)

    @property
    def n_groups(self) -> int:
        """How many groups have words."""
        return int(self.group_of.max()) + 1

    def whole(self) -> Cells:
        """The words that have rows for every group's set, and these sets."""
        own = self.distance[:, :, : self.n_groups]
        kept = np.isfinite(own[0]).all(axis=1)
        return Cells(own[:, kept], self.group_of[kept])

    def by_group(self) -> FloatArray:
        """Means over each group's words, (n, n_groups, n_sets)."""
        parts = [self.distance[:, self.group_of == at].mean(axis=1) for at in range(self.n_groups)]
        return np.stack(parts, axis=1)

    def associations(self) -> tuple[FloatArray, FloatArray]:
        """WEAT's s of the words of both groups, (n, n_x) and (n, n_y)."""
        s = self.distance[:, :, 1] - self.distance[:, :, 0]  # mean_A cos - mean_B cos
        return s[:, self.group_of == 0], s[:, self.group_of == 1]


def mac(cells: Cells) -> FloatArray:
    """MAC: mean over words and sets of the mean distance, (n,)."""
    return np.asarray(np.nanmean(cells.distance, axis=(1, 2)))


def gweat(cells: Cells) -> FloatArray:
    """GWEAT: Σ_i of the mean distance to all sets less that to the own set, (n,)."""
    means = cells.whole().by_group()
    own = np.trace(means, axis1=1, axis2=2)
    return np.asarray(means.mean(axis=2).sum(axis=1) - own)


def weat_mean_difference(cells: Cells) -> FloatArray:
    """mean_X s - mean_Y s, (n,)."""
    s_x, s_y = cells.whole().associations()
    return np.asarray(s_x.mean(axis=1) - s_y.mean(axis=1))


def weat_effect_size(cells: Cells) -> FloatArray:
    """(mean_X s - mean_Y s)/sd s with ddof 1, (n,); NaN where all s are equal."""
    return effect_sizes(*cells.whole().associations(), ddof=1)


@dataclass(frozen=True)
class PosteriorScore:
    """A score of the distances that a model expects; fields as those of `ListScore`."""

    value: Callable[[Cells], FloatArray]
    is_possible: Callable[[Cells], bool]
    no_bias: float = 0.0
    direction: Direction = "higher"
    reading: Reading = "closer to own stereotype"


def _compares_groups(cells: Cells) -> bool:
    if cells.n_groups < 2 or cells.distance.shape[2] < cells.n_groups:
        return False
    return len(set(cells.whole().group_of)) == cells.n_groups


def _compares_two(cells: Cells) -> bool:
    return cells.n_groups == 2 and _compares_groups(cells)


POSTERIOR_SCORES = {
    "mac": PosteriorScore(
        mac, lambda _: True, no_bias=1.0, direction="lower", reading="closer to all stereotypes"
    ),
    "gweat": PosteriorScore(gweat, _compares_groups),
    "weat_mean_difference": PosteriorScore(weat_mean_difference, _compares_two),
    "weat_effect_size": PosteriorScore(weat_effect_size, _compares_two),
}
"""Scores that can be read from a posterior, by name."""


def posterior_scores(
    tree: DataTree, ci_prob: float = DEFAULT_CI_PROB, ci_kind: str = DEFAULT_CI_KIND
) -> pd.DataFrame:
    """Posteriors of MAC, gWEAT and WEAT on the words of the table, with the sample's values.

    Every score is computed draw by draw from the distances that the model expects of the rows of
    the table: ``word_mean`` of the row's protected word and connection and, if the model has
    them, ``attribute_effect`` of the very attributes listed. These are the scores that the words
    would have without the residual noise of single distances.

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
        ``score``, ``groups``, ``mean``, ``sd``, ``low``, ``high`` and ``observed``, the
        score of the table itself. One row each:

        - ``mac``, as `scores.mac_of_table`.
        - ``gweat``, as `scores.gweat_groups`: (n - 1) times the mean over the n groups of
          (different - associated) distance, where different is the mean over the other sets.
        - ``weat_mean_difference``, mean_X s - mean_Y s, and ``weat_effect_size``, that over the
          sd of s over words (ddof 1). Two groups only: with more, the connection ``different``
          holds one mean for the sets of all other groups, which a pair would have to tell apart.

        All attributes with rows count, those without a row of their own group too: they are of
        the group of their ``attribute_set``. Stereotypes of groups that have no words enter MAC
        only. Words that lack rows for some group's set do not enter the last three scores, and
        these rows are absent if a group has no such word.

    Raises
    ------
    ValueError
        If the posterior has no stereotypes, or is of changes.

    Warns
    -----
    SamplingWarning
        If the posterior carries warnings.

    Notes
    -----
    For two groups s(w) = mean_A cos - mean_B cos is (different - associated) distance for words
    of X and its negative for words of Y. So mean_X s - mean_Y s is the sum of the groups' mean
    (different - associated), and twice gWEAT; WEAT's S is n_x·mean_X s - n_y·mean_Y s.

    Drawn word means differ by what is not known of them too, so that the sd over words in
    ``weat_effect_size`` is larger in the draws than in truth where words have few or noisy
    rows; the effect size is then drawn to 0, and the mean difference is not. A model that pools
    words strongly does the reverse. Read it with the mean difference at its side.

    Examples
    --------
    >>> import bayesbias as bb
    >>> wordlist = bb.load_wordlist("religion")
    >>> vectors = bb.load_vectors("glove-demo", wordlist)
    >>> table = bb.distance_table(vectors, wordlist)
    >>> post = bb.fit(table, seed=1)
    >>> scores = bb.posterior_scores(post)
    >>> "mac" in set(scores["score"])
    True
    """
    expected, observed = _cells(tree)
    possible = {
        name: score for name, score in POSTERIOR_SCORES.items() if score.is_possible(observed)
    }
    draws = np.column_stack([score.value(expected) for score in possible.values()])
    groups = ", ".join(labels(tree, "protected_group"))
    frame = describe_draws(draws, ci_prob, ci_kind)
    in_front(frame, score=list(possible), groups=groups)
    frame["observed"] = [float(score.value(observed)[0]) for score in possible.values()]
    return carry_warnings(frame, tree)


def with_posterior_scores(
    table: pd.DataFrame,
    tree: DataTree,
    ci_prob: float | None = None,
    ci_kind: str = DEFAULT_CI_KIND,
) -> pd.DataFrame:
    """Join the posteriors of scores to a table of scores.

    Parameters
    ----------
    table : DataFrame
        As `score_table` gives it.
    tree : DataTree
        A posterior of the same words in the same embedding.
    ci_prob : float, optional
        Probability of the intervals; that of the table if not given.
    ci_kind : {"hdi", "eti"}
        Kind of the posteriors' intervals.

    Returns
    -------
    DataFrame
        The table's rows, then those of `posterior_scores`: ``value`` is the posterior mean,
        ``interval`` is ``posterior``, and ``note`` gives the sample's value.

    Examples
    --------
    >>> import bayesbias as bb
    >>> wordlist = bb.load_wordlist("religion")
    >>> vectors = bb.load_vectors("glove-demo", wordlist)
    >>> table = bb.distance_table(vectors, wordlist)
    >>> post = bb.fit(table, seed=1)
    >>> scores = bb.score_table(vectors, wordlist, scores=["mac"], seed=1)
    >>> bb.with_posterior_scores(scores, post)["score"].unique().tolist()
    ['mac', 'gweat']
    """
    require_columns(table, SCORE_TABLE_COLUMNS)
    level = float(ci_prob or table.attrs.get("ci_prob", DEFAULT_CI_PROB))
    found = posterior_scores(tree, level, ci_kind)
    specs = [POSTERIOR_SCORES[str(name)] for name in found["score"]]
    told = ("no_bias", "direction", "reading")
    rows = found.rename(columns={"mean": "value"}).assign(
        interval="posterior",
        **{name: [getattr(spec, name) for spec in specs] for name in told},
        choices=f"posterior mean, model {spec_of(tree).name}, {interval_kind(ci_kind).name}",
        note=[f"in the sample {value:.4g}" for value in found["observed"]],
    )
    joined = pd.concat([table, rows.reindex(columns=list(SCORE_TABLE_COLUMNS))], ignore_index=True)
    joined.attrs = table.attrs | {
        "ci_prob": level,
        "ci_kind": ci_kind,
        "warnings": found.attrs["warnings"],
    }
    return joined


def _cells(tree: DataTree) -> tuple[Cells, Cells]:
    """Expected distances by word and set under every draw, and those of the sample."""
    if (outcome := outcome_of(tree)) != COLUMNS[-1]:
        raise ValueError(
            f"scores are of distances, and this posterior is of {outcome}s; fit the table before, "
            "or the one after, by bb.fit"
        )
    word, set_of = index_of(tree, "word_index"), _sets(tree)
    observed = observed_of(tree)
    group_of = index_of(tree, "group_index")
    n_sets, n_draws = int(set_of.max()) + 1, n_draws_of(tree)
    expected = np.full((n_draws, len(group_of), n_sets), np.nan)
    sample = np.full((1, len(group_of), n_sets), np.nan)
    for at in range(len(group_of)):
        rows = np.flatnonzero((word == at) & (set_of >= 0))
        located = locations(tree, rows)
        for each in np.unique(set_of[rows]):
            inside = set_of[rows] == each
            expected[:, at, each] = located[:, inside].mean(axis=1)
            sample[0, at, each] = observed[rows[inside]].mean()
    return Cells(expected, group_of), Cells(sample, group_of)


def _sets(tree: DataTree) -> np.ndarray:
    """Stereotype set of every row, by the group that it is associated with; -1 for controls.

    An attribute belongs to the group that it is associated with, to the first of several in rows
    of other groups. One without such rows belongs to the group of the other attributes of its set;
    sets of groups that have no words come after those of the groups.
    """
    names = np.asarray(labels(tree, "connection"))[index_of(tree, "connection_index")]
    group = index_of(tree, "group_index")[index_of(tree, "word_index")]
    associated, different = names == "associated", names == "different"
    if not (associated | different).any():
        raise ValueError("this posterior has no associated or different rows; scores need them")
    attribute, set_of = index_of(tree, "attribute_index"), index_of(tree, "set_index")
    n_groups = int(group.max()) + 1
    home = np.full(attribute.max() + 1, n_groups)
    np.minimum.at(home, attribute[associated], group[associated])
    first, last = (np.full(set_of.max() + 1, end) for end in (n_groups, -1))
    np.minimum.at(first, set_of[associated], group[associated])
    np.maximum.at(last, set_of[associated], group[associated])
    of_set = np.where(first == last, first, n_groups + np.arange(len(first)))
    of_row = np.where(home[attribute] < n_groups, home[attribute], of_set[set_of])
    return np.where(associated, group, np.where(different, of_row, -1))
