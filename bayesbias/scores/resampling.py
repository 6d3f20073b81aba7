"""Words of a list drawn again with replacement, and weighted means under all resamplings at once.

A resampling gives every word of a set a weight, its count over the size of the set. A score that
is a function of weighted means of cosines is computed under all resamplings by a matrix product.
Where it is undefined for a resampling, its value is NaN.
"""

from __future__ import annotations

from collections.abc import Sequence
from operator import itemgetter

import numpy as np

from .._core.arrays import FloatArray
from .._core.intervals import check_probability
from .._core.random import Seed, as_seed_sequence
from .list_rows import Indices, ListRows, Picks
from .registry import ListScore

N_RESAMPLES = 1000
"""Resamplings; the ends of an 89% interval then vary by about a tenth of its half-width."""


def check_resamples(n_resamples: int) -> None:
    """Raise a ValueError where there are too few resamplings for an interval."""
    if n_resamples < 2:
        raise ValueError(
            f"n_resamples must be at least 2, got {n_resamples}; {N_RESAMPLES} is usual"
        )


def resamples(rows: ListRows, n_resamples: int, seed: Seed) -> Picks:
    """Draw the words of every set with replacement, as many as it has: (n_resamples, n) each."""
    check_resamples(n_resamples)
    random = np.random.default_rng(as_seed_sequence(seed))
    return rows.sizes.apply(lambda size: random.integers(size, size=(n_resamples, size)))


def resampled_values(score: ListScore, rows: ListRows, picks: Picks) -> FloatArray:
    """Compute a score under resamplings, (n_resamples,); NaN where it is undefined."""
    if score.resampled is not None:
        return score.resampled(rows, picks.apply(weights_of))
    single = (picks.apply(itemgetter(at)) for at in range(len(picks.defining)))
    return np.array([score.value_or_nan(rows.of_words(each)) for each in single])


def weights_of(picks: Indices) -> FloatArray:
    """Compute the weights of n words of which n are picked, (n_resamples, n) to the same shape."""
    n, size = picks.shape
    cells = (picks + size * np.arange(n)[:, None]).ravel()
    return np.asarray(np.bincount(cells, minlength=n * size).reshape(n, size) / size)


def interval(values: FloatArray, ci_prob: float) -> tuple[float, float]:
    """Return the equal-tailed percentile interval of the values that are defined; NaN if none."""
    check_probability(ci_prob)
    defined = values[np.isfinite(values)]
    if not len(defined):
        return float("nan"), float("nan")
    low, high = np.quantile(defined, [(1 - ci_prob) / 2, (1 + ci_prob) / 2])
    return float(low), float(high)


def pooled(weights: Sequence[FloatArray]) -> FloatArray:
    """Return weights of all sets' words together, (n_resamples, n_words); rows sum to one."""
    total = sum(each.shape[1] for each in weights)
    return np.hstack([each * each.shape[1] / total for each in weights])


def ratio(above: FloatArray, below: FloatArray, least: float) -> FloatArray:
    """Return a ratio, NaN where what is below does not exceed the least."""
    defined = below > least
    return np.where(defined, above / np.where(defined, below, 1.0), np.nan)
