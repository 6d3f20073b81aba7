"""Permutation tests of the difference between two groups of words, exact for lists of any size."""

from __future__ import annotations

from dataclasses import dataclass
from math import comb
from typing import Literal, cast, get_args

import numpy as np
from numpy.typing import ArrayLike

from .._core.arrays import FloatArray
from .._core.checks import unknown_name
from .result import Result
from .splits import ENUMERABLE, MATRIX_SPLITS, count_by_halves, count_in_matrix, sampled_sums
from .subset_sums import tail_bounds

Sides = Literal["one", "two"]
Method = Literal["auto", "enumerate", "dynamic", "sampled"]
Seed = int | np.random.SeedSequence | np.random.Generator

TIE = 1e-12
"""Two statistics tie if they differ by less than this share of Σ|s|. The sums are of float64
numbers, wrong by at most n·2^-53 of Σ|s|, so that for lists of up to 1,000 words all true ties
count; distinct values this close do not come from float32 embeddings."""

AUTO_ENUMERATE = 36
"""Words up to which ``method="auto"`` counts every split (2^18 half-sums, some 20 ms)."""

AGREEMENT = 0.01
"""Bounds are refined until they agree to this share of the lower one."""

DRAWS = 100_000
"""Random splits of ``method="sampled"``."""

SAMPLE_BLOCK = 10_000
"""Random splits made at once."""

SAMPLED_LEVEL = 0.99
"""Level of the Clopper-Pearson interval that stands in ``p_bounds`` for a sampled p-value."""


@dataclass(frozen=True, eq=False, kw_only=True, repr=False)
class PermutationResult(Result):
    """p-value of one comparison; see `permutation_test`."""

    statistic: float
    p_value: float
    p_bounds: tuple[float, float]
    sides: str
    method: str
    n_splits: int


@dataclass(frozen=True, eq=False)
class PValues:
    """p-values of many data sets; see `permutation_p_values`. Arrays of (n_datasets,)."""

    p_value: FloatArray
    low: FloatArray
    high: FloatArray
    sides: str
    method: str
    n_splits: int


def permutation_test(
    x: ArrayLike,
    y: ArrayLike,
    *,
    sides: Sides = "two",
    method: Method = "auto",
    seed: Seed = 0,
    draws: int = DRAWS,
    agreement: float = AGREEMENT,
) -> PermutationResult:
    """Exact permutation test of the difference between two groups of scores.

    Parameters
    ----------
    x, y : (n_x,), (n_y,) array_like
        Scores s of the words of X and of Y.
    sides, method, seed, draws, agreement
        As for `permutation_p_values`.

    Returns
    -------
    PermutationResult
        ``statistic`` is Σ_X s - Σ_Y s.
    """
    first, second = np.asarray(x, dtype=np.float64), np.asarray(y, dtype=np.float64)
    values = permutation_p_values(
        np.concatenate([first, second])[None, :],
        len(first),
        sides=sides,
        method=method,
        seed=seed,
        draws=draws,
        agreement=agreement,
    )
    return PermutationResult(
        statistic=float(first.sum() - second.sum()),
        p_value=float(values.p_value[0]),
        p_bounds=(float(values.low[0]), float(values.high[0])),
        sides=values.sides,
        method=values.method,
        n_splits=values.n_splits,
    )


def permutation_p_values(
    scores: ArrayLike,
    n_x: int,
    *,
    sides: Sides = "two",
    method: Method = "auto",
    seed: Seed = 0,
    draws: int = DRAWS,
    agreement: float = AGREEMENT,
) -> PValues:
    """Permutation p-values of many data sets at once, over all splits into n_x and n_y words.

    One-sided, p is the share of splits with S* ≥ S, where S = Σ_X s - Σ_Y s. Two-sided, it is the
    share with |S*| ≥ |S| for groups of equal size; for unequal sizes S is replaced by the
    difference of means, since |S*| would then depend on where zero lies. The given split counts,
    and so do ties: differences below ``TIE`` · Σ|s|, and for ``dynamic`` those of scores that lie
    on a lattice to 1e-9 of their range, such as ranks.

    Parameters
    ----------
    scores : (n_datasets, n_words) array_like
        The words of X first.
    n_x : int
        Number of words in X.
    sides : {"two", "one"}
    method : {"auto", "enumerate", "dynamic", "sampled"}
        ``enumerate`` counts every split (up to 44 words), ``dynamic`` bounds the share from both
        sides for any number of words, ``sampled`` draws splits at random, the same for every
        data set, and gives (b + 1)/(B + 1). ``auto`` enumerates up to 36 words.
    seed : int, SeedSequence or Generator
        For ``sampled`` only.
    draws : int
        Random splits B, for ``sampled`` only.
    agreement : float
        For ``dynamic``: refine until the bounds agree to this share of the lower one.

    Returns
    -------
    PValues
        ``low`` and ``high`` bound the exact p-value for certain for ``dynamic`` (up to float64
        rounding, see `subset_sums.tail_bounds`), and ``p_value`` is the upper; they are equal
        for ``enumerate``; for ``sampled`` they are a 99% Clopper-Pearson interval.

    References
    ----------
    Caliskan, Bryson, Narayanan (2017), Science 356. Phipson and Smyth (2010) for sampled
    p-values. Pagano and Tritchler (1983) for exact distributions by dynamic programming.
    """
    matrix = _checked(scores, n_x)
    named_sides(sides)
    if method not in get_args(Method):
        raise ValueError(unknown_name("method", method, get_args(Method)))
    n_words = matrix.shape[1]
    centred = matrix - matrix.mean(axis=1, keepdims=True)
    tie = TIE * np.abs(matrix).sum(axis=1)
    observed = centred[:, :n_x].sum(axis=1)
    threshold = (np.abs(observed) if sides == "two" else observed) - tie
    if method == "auto":
        method = "enumerate" if n_words <= AUTO_ENUMERATE else "dynamic"
    if method == "enumerate":
        exact = _enumerated(centred, n_x, threshold, sides)
        values = (exact, exact, exact)
    elif method == "dynamic":
        low, high = _dynamic(centred, n_x, threshold, sides, agreement)
        values = (high, low, high)
    else:
        values = _sampled(centred, n_x, threshold, sides, draws=draws, seed=seed)
    return PValues(*values, sides, method, comb(n_words, n_x))


def named_sides(name: str) -> Sides:
    """Give the sides of a test by name, ``two`` or ``one``; others are a ValueError."""
    for sides in get_args(Sides):
        if name == sides:
            return cast("Sides", sides)
    raise ValueError(unknown_name("sides", name, get_args(Sides)))


def _enumerated(centred: FloatArray, n_x: int, threshold: FloatArray, sides: Sides) -> FloatArray:
    n_words = centred.shape[1]
    if n_words > ENUMERABLE:
        raise ValueError(
            f"method 'enumerate' takes up to {ENUMERABLE} words, got {n_words}; "
            "use 'dynamic' for exact bounds or 'sampled'"
        )
    splits = comb(n_words, n_x)
    if splits <= MATRIX_SPLITS:
        above, below = count_in_matrix(centred, n_x, threshold)
    else:
        pairs = zip(centred, threshold, strict=True)
        above = np.array([count_by_halves(row, n_x, at) for row, at in pairs])
        below = above
        if sides == "two" and 2 * n_x != n_words:
            pairs = zip(centred, threshold, strict=True)
            below = np.array([count_by_halves(-row, n_x, at) for row, at in pairs])
    if sides == "one":
        return np.asarray(above / splits)
    return np.where(threshold > 0, (above + below) / splits, 1.0)


def _dynamic(
    centred: FloatArray, n_x: int, threshold: FloatArray, sides: Sides, agreement: float
) -> tuple[FloatArray, FloatArray]:
    if agreement <= 0:
        raise ValueError(f"agreement must be positive, got {agreement}; 0.01 asks for 1%")
    bounds = [
        _dynamic_one(row, n_x, at, sides, agreement)
        for row, at in zip(centred, threshold, strict=True)
    ]
    return np.array([low for low, _ in bounds]), np.array([high for _, high in bounds])


def _dynamic_one(
    centred: FloatArray, n_x: int, threshold: float, sides: Sides, agreement: float
) -> tuple[float, float]:
    if sides == "two" and threshold <= 0:
        return 1.0, 1.0
    if n_x * np.abs(centred).max() <= -threshold:  # equal scores: every split ties
        return 1.0, 1.0
    if sides == "one":
        tail = tail_bounds(centred, n_x, threshold, agreement, attained=True)
        return tail.low, tail.high
    if 2 * n_x == len(centred):  # a split and its complement have opposite sums
        tail = tail_bounds(centred, n_x, threshold, agreement, attained=True)
        return min(2 * tail.low, 1.0), min(2 * tail.high, 1.0)
    observed_above = bool(centred[:n_x].sum() >= 0)
    above = tail_bounds(centred, n_x, threshold, agreement, attained=observed_above)
    below = tail_bounds(-centred, n_x, threshold, agreement, attained=not observed_above)
    return min(above.low + below.low, 1.0), min(above.high + below.high, 1.0)


def _sampled(
    centred: FloatArray,
    n_x: int,
    threshold: FloatArray,
    sides: Sides,
    *,
    draws: int,
    seed: Seed,
) -> tuple[FloatArray, FloatArray, FloatArray]:
    if draws < 1:
        raise ValueError(f"draws must be at least 1, got {draws}")
    random = np.random.default_rng(seed)
    reached = np.zeros(len(centred), dtype=np.int64)
    for start in range(0, draws, SAMPLE_BLOCK):
        sums = sampled_sums(centred, n_x, min(SAMPLE_BLOCK, draws - start), random)
        reached += np.count_nonzero((np.abs(sums) if sides == "two" else sums) >= threshold, axis=0)
    low, high = _clopper_pearson(reached, draws)
    return (reached + 1) / (draws + 1), low, high


def _clopper_pearson(
    successes: FloatArray | np.ndarray, draws: int
) -> tuple[FloatArray, FloatArray]:
    from scipy.special import betaincinv

    tail = (1.0 - SAMPLED_LEVEL) / 2.0
    missed = draws - successes
    low = np.where(successes > 0, betaincinv(np.maximum(successes, 1), missed + 1, tail), 0.0)
    high = np.where(missed > 0, betaincinv(successes + 1, np.maximum(missed, 1), 1.0 - tail), 1.0)
    return low, high


def _checked(scores: ArrayLike, n_x: int) -> FloatArray:
    matrix = np.asarray(scores, dtype=np.float64)
    if matrix.ndim != 2:
        raise ValueError(f"scores must be a matrix, one row a data set; got shape {matrix.shape}")
    if not 1 <= n_x <= matrix.shape[1] - 1:
        raise ValueError(
            f"n_x must leave at least one word on either side of {matrix.shape[1]}; got {n_x}"
        )
    if not np.isfinite(matrix).all():
        row = int(np.argmax(~np.isfinite(matrix).all(axis=1)))
        raise ValueError(f"data set {row} has scores that are not finite; leave those words out")
    return matrix
