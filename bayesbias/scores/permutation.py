"""Permutation tests of the difference between two groups of words, exact for lists of any size."""

from __future__ import annotations

from dataclasses import dataclass
from math import comb
from typing import Literal, cast, get_args

import numpy as np
from numpy.typing import ArrayLike

from .._core.arrays import FloatArray
from .._core.checks import unknown_name
from .subset_sums import count_reaching, tail_bounds

Alternative = Literal["two-sided", "greater", "less"]

TIE = 1e-12
"""Two statistics tie if they differ by less than this share of Σ|s|. The sums are of float64
numbers, wrong by at most n·2^-53 of Σ|s|, so that for lists of up to 1,000 words all true ties
count; distinct values this close do not come from float32 embeddings."""

COUNTED = 36
"""Words up to which every split is counted (2^18 half-sums, some 20 ms)."""


@dataclass(frozen=True, eq=False)
class PermutationTest:
    """p-values; see `permutation_test`. Numbers for one data set, arrays (n_datasets,) for many."""

    statistic: FloatArray
    p_value: FloatArray
    low: FloatArray
    high: FloatArray
    n_splits: int


def permutation_test(
    x: ArrayLike, y: ArrayLike, *, alternative: Alternative = "two-sided"
) -> PermutationTest:
    """Exact permutation test of the difference between two groups of scores.

    One-sided, p is the share of splits with S* ≥ S, where S = Σ_X s - Σ_Y s (``greater``), or
    S* ≤ S (``less``). Two-sided, it is the share with |S*| ≥ |S| for groups of equal size; for
    unequal sizes S is replaced by the difference of means, since |S*| would then depend on where
    zero lies. The given split counts, and so do ties. Caliskan et al. print S* > S, which would
    give p = 0 where no split is more extreme.

    Parameters
    ----------
    x, y : (..., n_x), (..., n_y) array_like
        Scores s of the words of X and of Y; one row a data set.
    alternative : {"two-sided", "greater", "less"}

    Returns
    -------
    PermutationTest
        ``statistic``, S; ``p_value``; ``low`` and ``high``, which bound the exact p-value and equal
        it up to 36 words, where every split is counted. Beyond, they agree to 1% where the splits
        are that many, and ``p_value`` is the upper. ``n_splits`` is how many splits there are.

    Raises
    ------
    ValueError
        If a group is empty, a score is not finite, or the alternative is unknown.

    References
    ----------
    Caliskan, Bryson, Narayanan (2017), Science 356. Pagano and Tritchler (1983) for exact
    distributions by dynamic programming.

    Examples
    --------
    >>> test = permutation_test([3.0, 2.0, 2.5], [1.0, 0.5, 0.0])
    >>> float(test.p_value), test.n_splits
    (0.1, 20)
    """
    named_alternative(alternative)
    first, second = (np.asarray(scores, dtype=np.float64) for scores in (x, y))
    if min(first.ndim, second.ndim) < 1 or not first.shape[-1] or not second.shape[-1]:
        raise ValueError(f"x and y need a score each; got shapes {first.shape} and {second.shape}")
    n_x, words = first.shape[-1], np.concatenate([first, second], axis=-1)
    if not np.isfinite(words).all():
        raise ValueError("x or y has scores that are not finite; leave those words out")
    rows = words.reshape(-1, words.shape[-1])
    low, high = np.array([_p_value(row, n_x, alternative) for row in rows]).reshape(-1, 2).T
    return PermutationTest(
        statistic=first.sum(axis=-1) - second.sum(axis=-1),
        p_value=high.reshape(words.shape[:-1])[()],
        low=low.reshape(words.shape[:-1])[()],
        high=high.reshape(words.shape[:-1])[()],
        n_splits=comb(words.shape[-1], n_x),
    )


def named_alternative(name: str) -> Alternative:
    """Return an alternative by name, one of scipy's three; others are a ValueError."""
    if name not in get_args(Alternative):
        raise ValueError(unknown_name("alternative", str(name), get_args(Alternative)))
    return cast("Alternative", name)


def _p_value(scores: FloatArray, n_x: int, alternative: Alternative) -> tuple[float, float]:
    """Bounds of one p-value, equal where it is counted."""
    centered = scores - scores.mean()
    observed, tie = centered[:n_x].sum(), TIE * np.abs(scores).sum()
    if alternative != "two-sided":
        sign = 1.0 if alternative == "greater" else -1.0
        return _tail(sign * centered, n_x, sign * observed - tie, attained=True)
    threshold = abs(observed) - tie
    if threshold <= 0:
        return 1.0, 1.0
    mirrored = 2 * n_x == len(scores)  # then a split and its complement have opposite sums
    above = _tail(centered, n_x, threshold, attained=mirrored or bool(observed >= 0))
    below = above if mirrored else _tail(-centered, n_x, threshold, attained=bool(observed < 0))
    return min(above[0] + below[0], 1.0), min(above[1] + below[1], 1.0)


def _tail(
    centered: FloatArray, n_x: int, threshold: float, *, attained: bool
) -> tuple[float, float]:
    """Bounds of the share of splits whose sum over X reaches a threshold."""
    if n_x * np.abs(centered).max() <= -threshold:  # equal scores: every split ties
        return 1.0, 1.0
    if len(centered) > COUNTED:
        return tail_bounds(centered, n_x, threshold, attained=attained)
    share = count_reaching(centered, n_x, threshold) / comb(len(centered), n_x)
    return share, share
