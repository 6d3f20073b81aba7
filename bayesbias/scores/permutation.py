"""Permutation tests of the difference between two groups of words, for lists of any size.

For up to 36 words, all splits are counted. For more words, the generating function of the sum is
inverted numerically (`inversion`). If too few splits are as extreme for that, scores are rounded to
a grid with step h. A sum of n scores differs from its grid sum by at least the n smallest and at
most the n largest rounding errors. The exact distribution of the grid sum therefore bounds the
p-value on both sides. If many sums are almost tied, no grid separates them. Up to 44 words, splits
are then counted after all.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import comb
from typing import Literal, cast, get_args

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .._core.arrays import FloatArray, as_floats, precision_of
from .._core.checks import check_choice
from .inversion import inverted_tail

Alternative = Literal["two-sided", "greater", "less"]

TIE = 1e-12
"""Two statistics are tied if they differ by less than this share of Σ|s|. Errors of float64 sums
are at most n·2^-53 of Σ|s|. If scores have less precision, this is their resolution, such as 2^-23.
Cosines of float32 vectors have an error of that size themselves, whatever Σ|s| is (`error`)."""

COUNTED = 36
"""Largest number of words for which every split is counted (2^18 half-sums, about 20 ms)."""

COUNTED_IF_TIED = 44
"""The same if other bounds are too far apart (2^22 half-sums, about 0.4 s)."""

FIRST_GRID = 2048
"""Number of steps into which the first grid divides the sum of the larger half of the scores."""

LARGEST_GRID = 1 << 20
"""Number of steps of the finest grid."""

AGREEMENT = 0.01
"""Bounds are refined until their difference is at most this share of the lower bound."""

LATTICE = 1e-9
"""Tolerance, as a share of the range, for scores whose differences are multiples of a step, such as
ranks and rounded ratings. Such scores get a grid of these multiples. On it, bounds are equal if
sums with equal multiples are tied. The tolerance is larger if scores have less precision."""

INVERSION_ERROR = 1e-3
"""Error of an inverted share p, relative to min(p, 1 - p + 1e-3); see `inverted_tail`."""

MUCH_WORK = 50_000_000
"""Number of additions above which sums on a lattice are inverted instead of counted (50 ms)."""

RESCALED = 512
"""Counts of subsets are divided by 2^512 after this many words, so that they fit in float64."""


@dataclass(frozen=True, eq=False)
class PermutationTest:
    """Result of `permutation_test`: numbers for one data set; (n_datasets,) arrays for several."""

    statistic: FloatArray
    p_value: FloatArray
    low: FloatArray
    high: FloatArray
    n_splits: int


def permutation_test(
    x: ArrayLike, y: ArrayLike, *, alternative: Alternative = "two-sided", error: float = 0.0
) -> PermutationTest:
    """Run a permutation test of the difference between two groups of scores.

    Let S = Σ_X s - Σ_Y s, and S* its value for a split. The one-sided p is the share of splits with
    S* ≥ S (``greater``) or S* ≤ S (``less``). The two-sided p is the share with |S*| ≥ |S| if the
    groups have equal size. If the sizes differ, the difference of means replaces S, because |S*|
    would depend on the zero point of the scores. The observed split and all ties are included.
    Caliskan et al. write S* > S, which gives p = 0 if the observed split is the most extreme one.

    Parameters
    ----------
    x, y : (..., n_x), (..., n_y) array_like
        Scores s of the words of X and of the words of Y; one row per data set.
    alternative : {"two-sided", "greater", "less"}
    error : float
        Size of independent errors of scores, such as 2^-23 for cosines of float32 vectors.
        Statistics are tied if they differ by less than √n_words times as much.

    Returns
    -------
    PermutationTest
        ``statistic`` is S, and ``low`` and ``high`` bound the exact p-value. For up to 36 words,
        every split is counted, so the bounds are equal. For more words, the bounds agree within
        0.2%, or 1% if a group has few words, or few splits are as extreme. For more than 44 words,
        they are further apart if many sums almost tie, as with ratings that have tiny errors.
        ``p_value`` is the upper bound, and ``n_splits`` is the number of splits.

    References
    ----------
    Caliskan, Bryson, Narayanan (2017), Science 356. Pagano and Tritchler (1983) for exact
    distributions by dynamic programming. Robinson (1982) for the saddlepoint.

    Examples
    --------
    >>> test = permutation_test([3.0, 2.0, 2.5], [1.0, 0.5, 0.0])
    >>> float(test.p_value), test.n_splits
    (0.1, 20)
    """
    named_alternative(alternative)
    precision = max(map(precision_of, (x, y)))
    first, second = map(as_floats, (x, y))
    if min(first.ndim, second.ndim) < 1 or not first.shape[-1] or not second.shape[-1]:
        shapes = f"{first.shape} and {second.shape}"
        raise ValueError(f"x and y need at least one score each; got shapes {shapes}")
    first, second = of_the_same_data(first, second)
    n_x, words = first.shape[-1], np.concatenate([first, second], axis=-1)
    if not np.isfinite(words).all():
        raise ValueError("some scores in x or y are not finite or masked; leave out their words")
    rows = words.reshape(-1, words.shape[-1])
    bounds = np.array([_p_value(row, n_x, alternative, precision, error) for row in rows])
    bounds = bounds.reshape(-1, 2).T
    low, high = (bound.reshape(words.shape[:-1])[()] for bound in bounds)
    statistic = first.sum(axis=-1) - second.sum(axis=-1)
    return PermutationTest(statistic, high, low, high, comb(words.shape[-1], n_x))


def of_the_same_data(x: FloatArray, y: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return scores of the same data sets; the scores of one set are used with each of the others.

    Raise a ValueError for different numbers of data sets.
    """
    try:
        sets = np.broadcast_shapes(x.shape[:-1], y.shape[:-1])
    except ValueError:
        raise ValueError(
            "x and y need one row for each data set, or one row each; got shapes "
            f"{x.shape} and {y.shape}"
        ) from None
    return np.broadcast_to(x, (*sets, x.shape[-1])), np.broadcast_to(y, (*sets, y.shape[-1]))


def named_alternative(name: str) -> Alternative:
    """Return the name of an alternative; raise a ValueError if it is unknown."""
    check_choice("alternative", name, get_args(Alternative))
    return cast("Alternative", name)


def _p_value(
    scores: FloatArray, n_x: int, alternative: Alternative, precision: float, error: float
) -> tuple[float, float]:
    """Return bounds on one p-value, which are equal if all splits are counted."""
    centered = scores - scores.mean()
    observed = centered[:n_x].sum()
    tie = max(max(TIE, precision) * np.abs(scores).sum(), error * len(scores) ** 0.5)
    # The error of the difference of two scores.
    rounding = max(precision * float(np.abs(scores).max()), error)
    if alternative != "two-sided":
        sign = 1.0 if alternative == "greater" else -1.0
        return _tail(sign * centered, n_x, sign * observed - tie, rounding, attained=True)
    threshold = abs(observed) - tie
    if threshold <= 0:
        return 1.0, 1.0
    if observed < 0:
        centered = -centered
    above = below = _tail(centered, n_x, threshold, rounding, attained=True)
    if 2 * n_x != len(scores):  # else, a split and its complement have opposite sums
        below = _tail(-centered, n_x, threshold, rounding, attained=False)
    return min(above[0] + below[0], 1.0), min(above[1] + below[1], 1.0)


def _tail(
    centered: FloatArray, n_x: int, threshold: float, rounding: float, *, attained: bool
) -> tuple[float, float]:
    """Return bounds on the share of splits whose sum over X reaches a threshold."""
    if n_x * np.abs(centered).max() <= -threshold:  # equal scores: every split ties
        return 1.0, 1.0
    if len(centered) > COUNTED:
        low, high = tail_bounds(centered, n_x, threshold, rounding, attained=attained)
        if len(centered) > COUNTED_IF_TIED or high - low <= AGREEMENT * low:
            return low, high
    share = count_reaching(centered, n_x, threshold) / comb(len(centered), n_x)
    return share, share


def count_reaching(centered: FloatArray, chosen: int, threshold: float) -> int:
    """Count the subsets of a given size whose sum reaches the threshold (meet in the middle).

    For each subset sum of the first half, bisection finds its partners in the second half.
    """
    first, second = (_sums_by_size(half) for half in np.array_split(centered, 2))
    count = 0
    for size, sums in enumerate(first):
        if 0 <= chosen - size < len(second):
            partners = np.sort(second[chosen - size])
            short = np.searchsorted(partners, threshold - np.sort(sums), side="left")
            count += len(partners) * len(sums) - int(short.sum())
    return count


def _sums_by_size(values: FloatArray) -> list[FloatArray]:
    """Return the sums of all subsets, one array per subset size from 0 to len(values)."""
    sums = [np.zeros(1)]
    for value in values:
        longer = [np.empty(0), *(part + value for part in sums)]
        sums = [np.concatenate(both) for both in zip([*sums, np.empty(0)], longer, strict=True)]
    return sums


def tail_bounds(
    centered: FloatArray, chosen: int, threshold: float, rounding: float = 0.0, *, attained: bool
) -> tuple[float, float]:
    """Bound the share of subsets of a given size whose sum reaches a threshold.

    The grid is refined until the bounds agree or the grid is at its finest. With ``attained``, the
    threshold is the sum of the first scores minus the tolerance for ties. That subset reaches the
    threshold. If the grid cannot confirm this, it is added to the lower bound. All sums have
    positive terms, so the relative error of a bound is at most n_words² · 2^-52.
    """
    lowest = float(centered.min())
    if unit := _lattice_step(centered, rounding):
        above, rest = centered - lowest, threshold - chosen * lowest
        grid, certain, possible = _grid(above, chosen, rest, unit)
        if len(grid) * chosen * (np.sort(grid)[-chosen:].sum() - possible) > MUCH_WORK:
            middle = grid.mean()
            ends = {certain, possible}
            found = [inverted_tail(grid - middle, chosen, at - chosen * middle, 1.0) for at in ends]
            shares = [share for share in found if share is not None]
            if len(shares) == len(ends):
                return _around(min(shares))[0], _around(max(shares))[1]
        return _bounds_on_grid(above, chosen, rest, unit, attained=attained)
    if (share := inverted_tail(centered, chosen, threshold)) is not None:
        return _around(share)
    span = float(np.sort(centered)[::-1][:chosen].clip(0).sum())
    steps = FIRST_GRID
    while True:
        low, high = _bounds_on_grid(centered, chosen, threshold, span / steps, attained=attained)
        gap = (high - low) / low if low > 0 else np.inf
        if gap <= AGREEMENT or steps >= LARGEST_GRID:
            return low, high
        steps = min(int(steps * min(max(2.0, 1.3 * gap / AGREEMENT), 16.0)), LARGEST_GRID)


def _around(share: float) -> tuple[float, float]:
    """Return the bounds of a share that was found by inversion."""
    error = INVERSION_ERROR * min(share, 1 - share + INVERSION_ERROR)
    return share - error, min(share + error, 1.0)


def _lattice_step(values: FloatArray, rounding: float) -> float:
    """Return the largest step that divides all differences, or 0 if there is none.

    Euclid's algorithm: what is left by multiples of a step is the next step. As the first steps are
    single rounded differences, the last one is fitted to all scores, which then must be multiples.
    """
    above_lowest = values - values.min()
    tolerance = max(LATTICE * above_lowest.max(), rounding)
    step, rest, allowed = 0.0, above_lowest, np.full(len(values), tolerance)
    while (left := rest[rest > allowed]).size:
        step = float(left.min())
        fine = len(values) * above_lowest.max() / step  # rounding must stay within a step
        if fine >= LARGEST_GRID or len(values) * tolerance >= step / 4:
            return 0.0
        multiples = np.rint(above_lowest / step)
        rest = np.abs(above_lowest - multiples * step)
        allowed = np.maximum(tolerance, rounding * (1 + multiples))  # the step is rounded, too
    if not step:
        return 0.0
    multiples = np.rint(above_lowest / step)
    step = float(multiples @ above_lowest / (multiples @ multiples))
    fits = np.abs(above_lowest - multiples * step).max() <= 2 * tolerance  # the fit has errors, too
    return step if fits else 0.0


def _grid(
    scores: FloatArray, chosen: int, threshold: float, step: float
) -> tuple[NDArray[np.int64], int, int]:
    """Round scores to a grid, and return the grid sums that surely and possibly reach a threshold.

    Rounding errors are widened, because the division by the step has an error of 2^-53 per word.
    """
    scaled = scores / step
    grid = np.rint(scaled).astype(np.int64)
    errors, guard = np.sort(scaled - grid), float(np.abs(scaled).sum()) * 2.0**-52
    least, most = errors[:chosen].sum() - guard, errors[-chosen:].sum() + guard
    certain, possible = (int(np.ceil(threshold / step - error)) for error in (least, most))
    return grid, certain, possible


def _bounds_on_grid(
    centered: FloatArray, chosen: int, threshold: float, step: float, *, attained: bool
) -> tuple[float, float]:
    grid, certain, possible = _grid(centered, chosen, threshold, step)
    low, between = _grid_tail(grid, chosen, certain, possible)
    low = min(low, 1.0)
    high = min(low + between, 1.0)
    if attained and grid[:chosen].sum() < certain:
        one = 1 / comb(len(centered), chosen)
        return max(low, min(low + one, high)), max(high, one)
    return low, high


def _grid_tail(
    grid: NDArray[np.int64], chosen: int, certain: int, possible: int
) -> tuple[float, float]:
    """Return P(sum ≥ certain) and P(possible ≤ sum < certain) over subsets of integers.

    Words are added one at a time, the largest first. Subsets are counted by size and by shortfall:
    how far their sum falls below the sum of that many largest words. The shortfall can only grow,
    so subsets whose shortfall is too large are dropped.
    """
    words = np.sort(grid)[::-1]
    largest = int(words[:chosen].sum())
    width = largest - possible + 1
    if width <= 0:
        return 0.0, 0.0
    width = min(width, largest - int(words[-chosen:].sum()) + 1)  # down to the smallest sum
    subsets = np.zeros((chosen + 1, width))
    subsets[0, 0] = 1.0
    for seen, word in enumerate(words):
        for held in range(min(seen, chosen - 1), max(chosen - len(words) + seen, 0) - 1, -1):
            short = int(words[held] - word)
            if short < width:
                subsets[held + 1, short:] += subsets[held, : width - short]
        if not (seen + 1) % RESCALED:
            subsets *= 0.5**RESCALED
    all_subsets = comb(len(words), chosen) / (1 << len(words) // RESCALED * RESCALED)
    sure = max(largest - certain + 1, 0)
    of_size = subsets[chosen] / all_subsets
    return float(of_size[:sure].sum()), float(of_size[sure:].sum())
