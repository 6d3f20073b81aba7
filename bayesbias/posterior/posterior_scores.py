"""Compute posteriors of MAC, gWEAT, and WEAT scores from the distances that a model expects."""

from __future__ import annotations

import numpy as np
import pandas as pd

from .._core.arrays import FloatArray, IntArray
from .._core.intervals import DEFAULT_CI_KIND, DEFAULT_CI_PROB, describe_draws
from ..model.design import Design, cell_means
from ..model.likelihood import mean_locations
from ..model.tree import DataTree, design_of, labels, outcome_of
from ..scores.poles import effect_sizes
from ..tables.schema import COLUMNS
from .summaries import in_front, reads_posterior


@reads_posterior
def posterior_scores(
    tree: DataTree, ci_prob: float = DEFAULT_CI_PROB, ci_kind: str = DEFAULT_CI_KIND
) -> pd.DataFrame:
    """Compute posteriors of MAC, gWEAT, and WEAT for a table's words, and the observed scores.

    Each score is computed draw by draw, from the distances that the model expects for the table's
    rows. The posterior thus describes the same words, but without the distances' residual noise.

    Parameters
    ----------
    tree : DataTree
        A posterior from `fit`.
    ci_prob, ci_kind
        The same as in `contrasts`.

    Returns
    -------
    DataFrame
        ``score``, ``groups``, ``mean``, ``sd``, ``low``, ``high``, and ``observed``, the
        score of the table itself. There is one row for each score:

        - ``mac``, as in `scores.mac_of_table`.
        - ``gweat``, (n - 1) times the mean (different - associated) distance of the n groups, where
          different is the mean over the other groups' stereotypes.
        - For two groups only, ``weat_mean_difference`` (mean_X s - mean_Y s) and
          ``weat_effect_size`` (this difference divided by the sd of s over words, with ddof 1).

        For gWEAT and WEAT, all sets of a group are one, and a set belongs to the first group that
        it is associated with. Only MAC includes stereotypes of groups without words, and words that
        lack rows for a set.

    Notes
    -----
    For two groups, s(w) = mean_A cos - mean_B cos is the (different - associated) distance for
    words of X, and its negative for words of Y. So mean_X s - mean_Y s is the sum of both groups'
    (different - associated) means, or twice gWEAT. WEAT's S is n_x·mean_X s - n_y·mean_Y s.

    gWEAT and WEAT are those of `scores.gweat` and `scores.weat` if groups share no stereotypes and
    no protected word is a stereotype. Otherwise, they are computed from the rows that the table
    has: a stereotype of several groups counts only as each group's own, not also as another
    group's, and a word's cosine with itself, which is 1, does not count. `scores.gweat` and
    `scores.weat` include both.

    If words have few or noisy rows, the sd over words is too large in the draws, so
    ``weat_effect_size`` is too small. Models that pool words strongly have the opposite problem.
    The mean difference does not have this bias.

    Examples
    --------
    >>> bb.posterior_scores(post)[["score", "observed", "low", "high"]].round(3)
       score  observed    low   high
    0    mac     0.902  0.892  0.912
    1  gweat     0.081  0.037  0.121
    """
    scores = score_draws(tree)
    of_draws = np.column_stack([values[1:] for values in scores.values()])
    frame = describe_draws(of_draws, ci_prob, ci_kind)
    in_front(frame, score=list(scores), groups=", ".join(labels(tree, "protected_group")))
    frame["observed"] = [float(values[0]) for values in scores.values()]
    return frame


def score_draws(tree: DataTree) -> dict[str, FloatArray]:
    """Return each score's (1 + n_draws,) values, keyed by name; the first value is the table's."""
    if (outcome := outcome_of(tree)) != COLUMNS[-1]:
        raise ValueError(
            f"scores need a posterior of distances, but this is a posterior of {outcome}s; use "
            "bb.fit with the table from before or after the change"
        )
    design = design_of(tree)
    group_of_set = _sets(design)
    rows = np.flatnonzero(group_of_set >= 0)
    cells, of_row, counts = np.unique(
        np.stack([design.word[rows], design.set[rows], group_of_set[rows]]),
        axis=1,
        return_inverse=True,
        return_counts=True,
    )
    cell = np.full(len(design.y), -1)
    cell[rows] = of_row
    sample = np.bincount(of_row, design.y[rows]) / counts
    distances = np.vstack([sample, mean_locations(tree, cell, len(counts))])

    def means(column: IntArray) -> FloatArray:
        """Return the (1 + n_draws, n_words, n_columns) means of all rows of a word and column."""
        place, shape = (cells[0], column), (len(design.words), int(column.max()) + 1)
        weighted = cell_means((distances * counts).T, place, shape)
        n_rows = cell_means(counts.astype(np.float64), place, shape)
        return np.moveaxis(weighted / n_rows[..., None], -1, 0)

    return _scores(means(cells[1]), means(cells[2]), design.word_group)


def _scores(
    of_sets: FloatArray, of_groups: FloatArray, group_of: np.ndarray
) -> dict[str, FloatArray]:
    """Compute all defined scores, each (n,), from mean distances (n, n_words, n_columns).

    Columns of ``of_sets`` are attribute sets. Column i of ``of_groups`` has all sets of group i;
    further columns are sets of groups without words.
    """
    scores = {"mac": np.asarray(np.nanmean(of_sets, axis=(1, 2)))}
    n_groups = int(group_of.max()) + 1
    whole = np.isfinite(of_groups[0, :, :n_groups]).all(axis=1)
    own, group = of_groups[:, whole, :n_groups], group_of[whole]
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


def _sets(design: Design) -> IntArray:
    """Return each row's set, with the number of the set's first associated group; -1 for controls.

    Sets of groups without words come last.
    """
    names = np.array(design.connections)[design.connection]
    group, is_own = design.codes("protected_group"), names == "associated"
    if not (is_own | (names == "different")).any():
        raise ValueError("scores need associated or different rows, but this posterior has none")
    home = len(design.groups) + np.arange(len(design.sets))
    np.minimum.at(home, design.set[is_own], group[is_own])
    return np.where(is_own, group, np.where(names == "different", home[design.set], -1))
