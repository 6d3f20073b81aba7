"""How many subsets of a size have a sum that reaches a threshold: counted, or bounded on a grid.

Up to 36 words every subset is counted. Beyond, scores are rounded to a grid of step h. A subset
of n words has a sum within the n smallest and n largest rounding errors of its grid sum, so that
the exact distribution of the grid sum bounds the wanted share from both sides.
"""

from __future__ import annotations

from math import comb

import numpy as np
from numpy.typing import NDArray

from .._core.arrays import FloatArray

FIRST_GRID = 2048
"""Steps that the first grid lays over the sum of the larger half of the scores."""

LARGEST_GRID = 1 << 20
"""Steps of the finest grid that is tried."""

AGREEMENT = 0.01
"""Bounds are refined until they agree to this share of the lower one."""

GUARD = 1e-6
"""Share of a step by which rounding errors are widened, for the float64 division by the step
(grid values stay below 2^21, so that it errs by less than 2^-31 of a step a word)."""

LATTICE = 1e-9
"""Scores that are whole multiples of their smallest gap, to this share of their range, such as
ranks, are put on that grid, where the two bounds meet. Cosines are so by design only."""


def count_reaching(centered: FloatArray, chosen: int, threshold: float) -> int:
    """Count the subsets whose sum reaches the threshold, by meeting in the middle.

    The subset sums of each half of the words are listed by size; for each of the first half the
    partners that reach the threshold are found by bisection.
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
    """Sums of all subsets, listed by the size of the subset, 0 to len(values)."""
    sums = [np.zeros(1)]
    for value in values:
        longer = [np.empty(0), *(part + value for part in sums)]
        shorter = [*sums, np.empty(0)]
        sums = [np.concatenate(both) for both in zip(shorter, longer, strict=True)]
    return sums


def tail_bounds(
    centered: FloatArray, chosen: int, threshold: float, *, attained: bool
) -> tuple[float, float]:
    """Bound the share of subsets of a size whose sum reaches a threshold.

    The grid is refined until the bounds agree, or is at its finest. Where the threshold is the sum
    of a subset, less a tie (``attained``), that subset reaches it, though no grid can tell, and
    adds itself to the lower bound. All sums of probabilities are of positive terms, so that a
    bound is right to a relative n_words² · 2^-52.
    """
    lowest, extent = float(centered.min()), float(np.ptp(centered))
    if unit := _lattice_step(centered):
        grid = np.rint((centered - lowest) / unit).astype(np.int64)
        guard = chosen * LATTICE * extent / unit
        reached = int(np.ceil((threshold - chosen * lowest) / unit - guard))
        exact = min(_grid_tail(grid, chosen, reached, reached)[0], 1.0)
        return exact, exact
    span = float(np.sort(centered)[::-1][:chosen].clip(0).sum())
    one = 1 / comb(len(centered), chosen) if attained else 0.0
    steps = FIRST_GRID
    while True:
        low, high = _bounds_on_grid(centered, chosen, threshold, span / steps, one)
        gap = (high - low) / low if low > 0 else np.inf
        if gap <= AGREEMENT or steps >= LARGEST_GRID:
            return low, high
        steps = min(int(steps * min(max(2.0, 1.3 * gap / AGREEMENT), 16.0)), LARGEST_GRID)


def _lattice_step(values: FloatArray) -> float:
    """Smallest gap of the values if all are multiples of it, 0 if not or if it is too fine."""
    above_lowest = np.sort(values) - values.min()
    gaps = np.diff(above_lowest)
    step = gaps[gaps > LATTICE * above_lowest[-1]].min()
    off = np.abs(above_lowest - np.rint(above_lowest / step) * step)
    steps = len(values) * above_lowest[-1] / step  # few enough that rounding stays within a step
    coarse = steps < LARGEST_GRID and len(values) * LATTICE * above_lowest[-1] < step / 4
    return float(step) if coarse and off.max() <= LATTICE * above_lowest[-1] else 0.0


def _bounds_on_grid(
    centered: FloatArray, chosen: int, threshold: float, step: float, one: float
) -> tuple[float, float]:
    scaled = centered / step
    grid = np.rint(scaled).astype(np.int64)
    errors = np.sort(scaled - grid)
    least = float(errors[:chosen].sum()) - GUARD * chosen
    most = float(errors[-chosen:].sum()) + GUARD * chosen
    certain = int(np.ceil(threshold / step - least))  # a grid sum from here on reaches it
    possible = int(np.ceil(threshold / step - most))  # one below this cannot
    low, between = _grid_tail(grid, chosen, certain, possible)
    low = min(low, 1.0)
    high = min(low + between, 1.0)
    return max(low, min(low + one, high)), max(high, one)


def _grid_tail(
    grid: NDArray[np.int64], chosen: int, certain: int, possible: int
) -> tuple[float, float]:
    """P(sum ≥ certain) and P(possible ≤ sum < certain) over subsets of integers.

    Words come one after another, the largest first; a subset that holds k of the first i takes the
    next with probability (n - k)/(N - i), which makes all subsets of size n equally likely. A
    state is k and how far the sum falls short of the k largest words: it only grows, and states
    that fall too short are dropped.
    """
    words = np.sort(grid)[::-1]
    largest = int(words[:chosen].sum())
    width = largest - possible + 1
    if width <= 0:
        return 0.0, 0.0
    width = min(width, largest - int(words[-chosen:].sum()) + 1)  # the smallest sum there is
    mass = np.zeros((chosen + 1, width))
    mass[0, 0] = 1.0
    for seen, word in enumerate(words):
        remaining = len(words) - seen
        for held in range(min(seen, chosen - 1), max(chosen - remaining, 0) - 1, -1):
            take = (chosen - held) / remaining
            short = int(words[held] - word)
            if short < width:
                mass[held + 1, short:] += take * mass[held, : width - short]
            mass[held] *= 1.0 - take
    sure = max(largest - certain + 1, 0)
    return float(mass[chosen, :sure].sum()), float(mass[chosen, sure:].sum())
