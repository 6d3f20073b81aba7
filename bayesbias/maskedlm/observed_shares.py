"""Observed shares of stereotypical preferences, with intervals by resampling clusters of pairs."""

from __future__ import annotations

import numpy as np
import pandas as pd
from numpy.random import default_rng

from .._core.checks import check_numbers
from .._core.intervals import DEFAULT_CI_PROB, check_probability
from .._core.random import Seed, as_seed_sequence
from ..tables.schema import require_columns
from .measures import ALL_TYPES

NEEDED = ("model", "measure", "pair_id", "bias_type", "cluster", "difference")

DEFAULT_RESAMPLES = 2000


def observed_shares(
    paired: pd.DataFrame,
    ci_prob: float = DEFAULT_CI_PROB,
    *,
    n_resamples: int = DEFAULT_RESAMPLES,
    seed: Seed = None,
) -> pd.DataFrame:
    """Compute the share of pairs whose stereotypical sentence is preferred, with an interval.

    Clusters of pairs are resampled with replacement, all pairs of a cluster together (the
    nonparametric bootstrap of Field and Welsh, 2007, Journal of the Royal Statistical Society B
    69), the same for all models and measures. With few clusters of a type the interval is too
    short; `fit_pairs` then knows more, from the other types. Where one cluster has a large share of
    a type's pairs, no interval knows what others as large would show.

    Parameters
    ----------
    paired : DataFrame
        From `paired_scores` or `read_scores`.
    ci_prob : float
        Probability of the interval between two percentiles, in (0, 1).
    n_resamples : int
    seed : int, SeedSequence, Generator or None

    Returns
    -------
    DataFrame
        ``model``, ``measure``, ``bias_type`` (``all`` for all pairs), ``n_pairs``, ``n_ties``,
        ``n_clusters``, ``largest_cluster``, that with most of the pairs, and its
        ``largest_share`` of them, ``share`` in [0, 1], ties half, ``low``, ``high``.

    Raises
    ------
    ValueError
        If a column is missing, or a number is not valid.

    Examples
    --------
    >>> import bayesbias as bb
    >>> paired = bb.maskedlm.read_scores("scores.csv", "csv")  # doctest: +SKIP
    >>> bb.maskedlm.observed_shares(paired, seed=1)  # doctest: +SKIP
    """
    require_columns(paired, NEEDED)
    check_probability(ci_prob)
    check_numbers(n_resamples=n_resamples)
    names = np.unique(paired["cluster"].astype(str))
    sequence = as_seed_sequence(seed)
    rng = default_rng(sequence)
    weights = rng.multinomial(len(names), np.full(len(names), 1 / len(names)), n_resamples)
    tails = [(1 - ci_prob) / 2, (1 + ci_prob) / 2]
    rows = []
    for (model, measure), part in paired.groupby(["model", "measure"], sort=False):
        types = [(ALL_TYPES, part), *part.groupby("bias_type", sort=True)]
        for bias_type, some in types:
            cluster = np.searchsorted(names, some["cluster"].astype(str))
            preferred = 0.5 + 0.5 * np.sign(some["difference"].to_numpy(dtype=float))
            n = np.bincount(cluster, minlength=len(names))
            total = np.bincount(cluster, preferred, minlength=len(names))
            drawn = weights @ n
            shares = (weights @ total)[drawn > 0] / drawn[drawn > 0]
            low, high = np.quantile(shares, tails)
            counts = (len(some), int((preferred == 0.5).sum()), int((n > 0).sum()))
            largest = (names[n.argmax()], n.max() / n.sum())
            shares_of = (preferred.mean(), low, high)
            rows.append((model, measure, bias_type, *counts, *largest, *shares_of))
    columns = ["model", "measure", "bias_type", "n_pairs", "n_ties", "n_clusters"]
    columns += ["largest_cluster", "largest_share", "share", "low", "high"]
    frame = pd.DataFrame(rows, columns=columns)
    frame.attrs = {"ci_prob": float(ci_prob), "seed": sequence.entropy}
    return frame
