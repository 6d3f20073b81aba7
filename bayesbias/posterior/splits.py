"""Split the overall contrast of two groups by group, relative to different baselines."""

from __future__ import annotations

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from ..model.design import Design
from ..model.frequency import Frequency, frequency_of, positions_of, slopes
from ..model.tree import DataTree, design_of, spec_of
from ..tables.schema import CONTROLS, RANKS
from .estimands import cell_draws, has_cells, names_of_cells
from .summaries import mean_draws

NEIGHBORS = "neighbors"
"""Name of the baseline of words about the list's topic."""


def split_by_baseline(tree: DataTree, neighbors: pd.DataFrame | None = None) -> pd.DataFrame:
    """Split the overall contrast of two groups, relative to each baseline.

    A baseline K shows how much closer one group g is to all words of a kind than the other, h. A
    group's part is `[m(g, S_g) - m(h, S_g)] - [m(g, K) - m(h, K)]`. The parts of both groups always
    average to the overall contrast, but each part depends on the baseline. The data cannot show
    which baseline is right, so there are no probabilities.

    Parameters
    ----------
    tree : DataTree
        A posterior of a model with group means, from a table with two groups.
    neighbors : DataFrame, optional
        A long-form table of the protected words' distances to words about the list's topic.

    Returns
    -------
    DataFrame
        ``baseline`` (a kind of controls, or ``neighbors``), ``protected_group``, and ``mean``. It
        is empty if the overall contrast is not between two groups' stereotypes, if the model has no
        group means, or if the table has no baseline.

    Examples
    --------
    >>> post = bb.fit(bb.distance_table("glove-demo", "gender"), seed=1)
    >>> split_by_baseline(post).round(2)
      baseline protected_group  mean
    0  neutral             man -0.06
    1  neutral           woman -0.06
    2    human             man -0.03
    3    human           woman -0.08
    """
    design, spec = design_of(tree), spec_of(tree)
    columns, rows = ["baseline", "protected_group", "mean"], []
    own = _own_sets(design)
    if not (len(own) == 2 and own.any(axis=1).all() and has_cells(spec)):
        return pd.DataFrame(columns=columns)
    means = cell_draws(design, spec, mean_draws(tree)).mean(axis=0)
    leads = [(means[g] - means[1 - g])[own[g]].mean() for g in (0, 1)]
    for name, gap in _gaps(design, neighbors).items():
        parts = leads[0] - gap, leads[1] + gap
        rows += [(name, *part) for part in zip(design.groups, parts, strict=True)]
    return pd.DataFrame(rows, columns=columns)


def _own_sets(design: Design) -> NDArray[np.bool_]:
    """Mark the sets that are associated with a group and different for all others."""
    names = names_of_cells(design)
    is_own, is_different = names == "associated", names == "different"
    return np.asarray(is_own & (is_own | is_different).all(axis=0) & (is_own.sum(axis=0) == 1))


def _gaps(design: Design, neighbors: pd.DataFrame | None) -> dict[str, float]:
    """Return the first group's mean distance to each baseline that both have minus the second's."""
    kinds = {name: design.of_connection(name) for name in CONTROLS if name in design.connections}
    parts = {
        name: (design.y[rows], design.word[rows], design.attribute_rank[design.attribute[rows]])
        for name, rows in kinds.items()
    }
    if neighbors is not None:
        words = neighbors["protected_word"].map(design.words.index).to_numpy()
        y, ranks = neighbors["cosine_distance"].to_numpy(), np.full(len(words), np.nan)
        if RANKS[1] in neighbors:
            ranks = neighbors[RANKS[1]].to_numpy(np.float64)
        parts[NEIGHBORS] = y, words, ranks
    gaps = {}
    for name, (y, word, rank) in parts.items():
        moved = np.zeros(len(y))
        if frequency_of(design) is Frequency.EQUAL:
            moved = slopes(design)[word] * np.nan_to_num(positions_of(design, rank))
        first, second = ((y - moved)[design.word_group[word] == g] for g in (0, 1))
        if first.size and second.size:
            gaps[name] = float(first.mean() - second.mean())
    return gaps
