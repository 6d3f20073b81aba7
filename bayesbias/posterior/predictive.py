"""Posterior predictive checks: whether the model expects the distances that were measured."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd
from numpy.random import default_rng

from .._core.arrays import FloatArray
from .._core.checks import check_numbers
from .._core.intervals import DEFAULT_CI_KIND, DEFAULT_CI_PROB, check_probability, interval
from .._core.random import Seed, as_seed_sequence
from ..model.likelihood import predict_chunks
from ..model.tree import design_of, index_of, labels, observed
from ..model.tree import n_draws as n_draws_of
from .effective import p_unrelated
from .summaries import carry_warnings

if TYPE_CHECKING:
    from xarray import DataTree

ROWS_AT_ONCE = 500
"""Rows predicted together: 4,000 draws of them take 16 MB."""

DEFAULT_DRAWS = 1_000
"""Predictive draws a row. The published coverage is what HPDIs of so many draws give."""


def predictive_check(
    tree: DataTree,
    ci_probs: Sequence[float] = (0.5, DEFAULT_CI_PROB),
    *,
    ci_kind: str = DEFAULT_CI_KIND,
    n_draws: int | None = DEFAULT_DRAWS,
    seed: Seed = None,
) -> pd.DataFrame:
    """Share of the measured distances inside the posterior predictive intervals.

    A model that fits has about ``ci_prob`` of them inside, overall and in every connection.

    Parameters
    ----------
    tree : DataTree
        A posterior from `fit`.
    ci_probs : sequence of float
        Probabilities of the predictive intervals, in (0, 1).
    ci_kind : {"hdi", "eti"}
        Highest-density or equal-tailed intervals.
    n_draws : int, optional
        Posterior draws that are used; all if None.
    seed : int, SeedSequence, Generator or None
        Of the predictive draws. None takes fresh entropy, which ``.attrs["seed"]`` records.

    Returns
    -------
    DataFrame
        ``ci_prob``, ``connection`` (``all`` for the whole table), ``n_rows``, ``n_inside``,
        ``coverage`` = n_inside / n_rows. ``.attrs["p_unrelated"]`` has a permutation p of
        ``protected_word`` and ``attribute`` where the table carries cosines: a small one shows that
        words of like vectors lean alike within their group, or attributes within their set. Models
        that treat them as unrelated, such as ``maximal``, then give too narrow intervals;
        ``by-group`` expects it.

    Examples
    --------
    >>> frame = bb.predictive_check(post, seed=1)
    >>> frame.query("connection == 'all'")[["ci_prob", "n_rows", "coverage"]].round(2)
       ci_prob  n_rows  coverage
    0     0.50    4815      0.55
    5     0.89    4815      0.93
    """
    sequence = as_seed_sequence(seed)
    intervals = predictive_intervals(
        tree, ci_probs, ci_kind=ci_kind, n_draws=n_draws, seed=sequence
    )
    frame = coverage(tree, intervals)
    unrelated = p_unrelated(design_of(tree), default_rng(sequence.spawn(1)[0]))
    frame.attrs |= {"ci_kind": ci_kind, "seed": sequence.entropy, "p_unrelated": unrelated}
    return frame


def coverage(tree: DataTree, intervals: Mapping[float, FloatArray]) -> pd.DataFrame:
    """Count the distances inside intervals of their rows, (n_rows, 2) by probability."""
    y, names = observed(tree), np.array(labels(tree, "connection"))
    connection = names[index_of(tree, "connection_index")]
    parts = {"all": np.full(len(y), True)} | {name: connection == name for name in names}
    rows = [
        (ci_prob, name, int(part.sum()), int(((low <= y) & (y <= high))[part].sum()))
        for ci_prob, (low, high) in ((p, bounds.T) for p, bounds in intervals.items())
        for name, part in parts.items()
    ]
    frame = pd.DataFrame(rows, columns=["ci_prob", "connection", "n_rows", "n_inside"])
    frame["coverage"] = frame["n_inside"] / frame["n_rows"]
    return carry_warnings(frame, tree)


def predictive_intervals(
    tree: DataTree,
    ci_probs: Sequence[float],
    *,
    ci_kind: str = DEFAULT_CI_KIND,
    n_draws: int | None = DEFAULT_DRAWS,
    seed: Seed = None,
) -> dict[float, FloatArray]:
    """Compute intervals of `predictive_check` of every row, (n_rows, 2) by probability."""
    if n_draws is not None:
        check_numbers(n_draws=n_draws)
    rng = default_rng(as_seed_sequence(seed))
    chosen, rows = rng.permutation(n_draws_of(tree))[:n_draws], np.arange(len(observed(tree)))
    parts: dict[float, list[FloatArray]] = {check_probability(p): [] for p in ci_probs}
    for draws in predict_chunks(tree, rows, rng, chosen, ROWS_AT_ONCE):
        for ci_prob, blocks in parts.items():
            blocks.append(interval(draws, ci_prob, ci_kind))
    return {ci_prob: np.concatenate(blocks) for ci_prob, blocks in parts.items()}
