"""Scores as posteriors: MAC, gWEAT and WEAT of the distances that a model expects."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from .._core.arrays import FloatArray
from .._core.intervals import DEFAULT_CI_KIND, DEFAULT_CI_PROB, describe_draws, interval_kind
from ..model.likelihood import locations
from ..model.tree import index_of, labels, n_draws, observed, outcome_of, spec_of
from ..scores.poles import effect_sizes
from ..scores.registry import Direction, Reading
from ..scores.table import SCORE_TABLE_COLUMNS
from ..tables.schema import COLUMNS, require_columns
from .summaries import carry_warnings, in_front

if TYPE_CHECKING:
    from xarray import DataTree


NO_BIAS: dict[str, tuple[float, Direction, Reading]] = {
    "mac": (1.0, "lower", "closer to all stereotypes"),
    **dict.fromkeys(
        ("gweat", "weat_mean_difference", "weat_effect_size"),
        (0.0, "higher", "closer to own stereotype"),
    ),
}
"""Of every score its value without bias, which direction is more, and of what."""


def posterior_scores(
    tree: DataTree, ci_prob: float = DEFAULT_CI_PROB, ci_kind: str = DEFAULT_CI_KIND
) -> pd.DataFrame:
    """Posteriors of MAC, gWEAT and WEAT on the words of the table, with the sample's values.

    Every score is computed draw by draw from the distances that the model expects of the table's
    rows: the scores of these words without the residual noise of single distances.

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
        - ``gweat``, as `scores.gweat`: (n - 1) times the mean over the n groups of
          (different - associated) distance, where different is the mean over the other sets.
        - ``weat_mean_difference``, mean_X s - mean_Y s, and ``weat_effect_size``, that over the
          sd of s over words (ddof 1). Two groups only.

        Attributes without a row of their own group are of the group of their ``attribute_set``.
        Stereotypes of groups that have no words, and words that lack rows for some group's set,
        enter MAC only. The other rows are absent if a group has no complete word.

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

    Where words have few or noisy rows, the sd over words in ``weat_effect_size`` is larger in the
    draws than in truth, and the effect size smaller; the mean difference is not. A model that pools
    words strongly does the reverse. Read both.

    Examples
    --------
    >>> bb.posterior_scores(post)[["score", "observed", "low", "high"]].round(3)
       score  observed    low   high
    0    mac     0.902  0.893  0.912
    1  gweat     0.081  0.037  0.122
    """
    draws, sample = score_draws(tree)
    frame = describe_draws(np.column_stack(list(draws.values())), ci_prob, ci_kind)
    in_front(frame, score=list(draws), groups=", ".join(labels(tree, "protected_group")))
    frame["observed"] = [float(value[0]) for value in sample.values()]
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
    >>> scores = bb.score_table(vectors, wordlist, scores=["mac"], seed=1)
    >>> bb.with_posterior_scores(scores, post)[["score", "value", "interval"]].round(3)
       score  value   interval
    0    mac  0.902  bootstrap
    1    mac  0.902  posterior
    2  gweat  0.080  posterior
    """
    require_columns(table, SCORE_TABLE_COLUMNS)
    level = float(ci_prob or table.attrs.get("ci_prob", DEFAULT_CI_PROB))
    scores = posterior_scores(tree, level, ci_kind)
    meaning = zip(*(NO_BIAS[str(name)] for name in scores["score"]), strict=True)
    rows = scores.rename(columns={"mean": "value"}).assign(
        interval="posterior",
        **dict(zip(("no_bias", "direction", "reading"), meaning, strict=True)),
        choices=f"posterior mean, model {spec_of(tree).name}, {interval_kind(ci_kind).name}",
        note=[f"in the sample {value:.4g}" for value in scores["observed"]],
    )
    joined = pd.concat([table, rows.reindex(columns=list(SCORE_TABLE_COLUMNS))], ignore_index=True)
    joined.attrs = table.attrs | {
        "ci_prob": level,
        "ci_kind": ci_kind,
        "warnings": scores.attrs["warnings"],
    }
    return joined


def score_draws(tree: DataTree) -> tuple[dict[str, FloatArray], dict[str, FloatArray]]:
    """Return the scores under every draw, (n_draws,), and those of the sample, (1,), by name."""
    if (outcome := outcome_of(tree)) != COLUMNS[-1]:
        raise ValueError(
            f"scores are of distances, and this posterior is of {outcome}s; fit the table before, "
            "or the one after, by bb.fit"
        )
    word, set_of = index_of(tree, "word_index"), _sets(tree)
    y, group_of = observed(tree)[None], index_of(tree, "group_index")
    expected = np.full((n_draws(tree), len(group_of), int(set_of.max()) + 1), np.nan)
    sample = np.full((1, *expected.shape[1:]), np.nan)
    for w in range(len(group_of)):
        rows = np.flatnonzero((word == w) & (set_of >= 0))
        located = locations(tree, rows)
        for s in np.unique(set_of[rows]):
            inside = set_of[rows] == s
            expected[:, w, s] = located[:, inside].mean(axis=1)
            sample[:, w, s] = y[:, rows[inside]].mean(axis=1)
    return _scores(expected, group_of), _scores(sample, group_of)


def _scores(distance: FloatArray, group_of: np.ndarray) -> dict[str, FloatArray]:
    """Compute all scores that are possible, each (n,).

    Parameters
    ----------
    distance : (n, n_words, n_sets) float
        Mean distances; set i is that of group i, further ones are of groups that have no words.
        NaN where a word has no row for a set.
    group_of : (n_words,) int
    """
    scores = {"mac": np.asarray(np.nanmean(distance, axis=(1, 2)))}
    n_groups = int(group_of.max()) + 1
    whole = np.isfinite(distance[0, :, :n_groups]).all(axis=1)
    own, group = distance[:, whole, :n_groups], group_of[whole]
    if n_groups < 2 or own.shape[2] < n_groups or len(set(group)) < n_groups:
        return scores
    means = np.stack([own[:, group == g].mean(axis=1) for g in range(n_groups)], axis=1)
    scores["gweat"] = means.mean(axis=2).sum(axis=1) - np.trace(means, axis1=1, axis2=2)
    if n_groups == 2:
        s = own[:, :, 1] - own[:, :, 0]  # mean_A cos - mean_B cos
        x, y = s[:, group == 0], s[:, group == 1]
        scores["weat_mean_difference"] = np.asarray(x.mean(axis=1) - y.mean(axis=1))
        scores["weat_effect_size"] = effect_sizes(x, y, ddof=1)
    return scores


def _sets(tree: DataTree) -> np.ndarray:
    """Stereotype set of every row, by the group that it is associated with; -1 for controls.

    An attribute belongs to the group that it is associated with, to the first of several in rows
    of other groups. One without such rows belongs to the group of the other attributes of its set;
    sets of groups that have no words come after those of the groups.
    """
    names = np.array(labels(tree, "connection"))[index_of(tree, "connection_index")]
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
