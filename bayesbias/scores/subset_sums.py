"""Bounds on the tail of a subset sum for lists too long to count, by dynamic programming.

Scores are rounded to a grid of step h. A subset of n words then has a sum within the n smallest
and n largest rounding errors of its grid sum, so that the exact distribution of the grid sum
bounds the wanted probability from both sides.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import comb

import numpy as np
from numpy.typing import NDArray

from .._core.arrays import FloatArray

FIRST_GRID = 2048
"""Steps that the first grid lays over the sum of the larger half of the scores."""

LARGEST_GRID = 1 << 20
"""Steps of the finest grid that is tried."""

GUARD = 1e-6
"""Share of a step by which rounding errors are widened, for the float64 division by the step
(grid values stay below 2^21, so that it errs by less than 2^-31 of a step a word)."""

LATTICE = 1e-9
"""Scores that are whole multiples of a step, to this share of their range, are taken to be so.
Their sums tie in great numbers, and on that grid the two bounds meet. Cosines come this close to
a lattice by design only."""

IntArray = NDArray[np.int64]


@dataclass(frozen=True)
class TailBounds:
    """Lower and upper bound of P(sum ≥ threshold) and the grid that gave them."""

    low: float
    high: float
    steps: int


def tail_bounds(
    centred: FloatArray, chosen: int, threshold: float, relative: float, *, attained: bool
) -> TailBounds:
    """Bound the share of subsets of a size, of words' scores less their mean, that reach a sum.

    The grid is refined until (high - low) / low is at most ``relative``, or is at its finest. Where
    the threshold is the sum of a subset, less a tie (``attained``), that subset reaches it, though
    no grid can tell, and adds itself to the lower bound. All sums of probabilities are of positive
    terms, so that a bound is right to a relative n_words² · 2^-52; states below 1e-300 are lost.
    """
    unit = _lattice_step(centred)
    lowest, extent = float(centred.min()), float(np.ptp(centred))
    if unit and (guard := chosen * LATTICE * extent / unit) < 0.25:
        grid = np.rint((centred - lowest) / unit).astype(np.int64)
        reached = int(np.ceil((threshold - chosen * lowest) / unit - guard))
        exact, _ = _grid_tail(grid, chosen, reached, reached)
        return TailBounds(min(exact, 1.0), min(exact, 1.0), int(grid.max()))
    span = float(np.sort(centred)[::-1][:chosen].clip(0).sum())
    one = 1 / comb(len(centred), chosen) if attained else 0.0
    steps = FIRST_GRID
    while True:
        low, high = _bounds_on_grid(centred, chosen, threshold, span / steps, one)
        gap = (high - low) / low if low > 0 else np.inf
        if gap <= relative or steps >= LARGEST_GRID:
            return TailBounds(low, high, steps)
        factor = min(max(2.0, 1.3 * gap / relative), 16.0)
        steps = min(int(steps * factor), LARGEST_GRID)


def _lattice_step(values: FloatArray) -> float:
    """Largest step of which all differences of values are multiples; 0 if it is too fine."""
    ordered = np.sort(values)
    extent = float(ordered[-1] - ordered[0])
    finest = extent / LARGEST_GRID
    step = 0.0
    for gap in np.diff(ordered):
        rest = float(gap)
        while rest > LATTICE * extent:  # Euclid's algorithm
            step, rest = rest, float(abs(step - np.rint(step / rest) * rest))
        if 0 < step < finest:
            return 0.0
    if not step:
        return 0.0
    from_lowest = ordered - ordered[0]
    rest = np.abs(from_lowest - np.rint(from_lowest / step) * step)
    return step if rest.max() <= LATTICE * extent else 0.0


def _bounds_on_grid(
    centred: FloatArray, chosen: int, threshold: float, step: float, one: float
) -> tuple[float, float]:
    scaled = centred / step
    grid = np.rint(scaled).astype(np.int64)
    errors = np.sort(scaled - grid)
    slack = GUARD * chosen
    least = float(errors[:chosen].sum()) - slack
    most = float(errors[-chosen:].sum()) + slack
    certain = int(np.ceil(threshold / step - least))  # a grid sum from here on reaches it
    possible = int(np.ceil(threshold / step - most))  # one below this cannot
    low, between = _grid_tail(grid, chosen, certain, possible)
    low = min(low, 1.0)
    high = min(low + between, 1.0)
    return max(low, min(low + one, high)), max(high, one)


def _grid_tail(grid: IntArray, chosen: int, certain: int, possible: int) -> tuple[float, float]:
    """P(sum ≥ certain) and P(possible ≤ sum < certain) over subsets of integers.

    Words are taken one after another; a subset that holds k of the first i takes the next with
    probability (n - k)/(N - i), which makes all subsets of size n equally likely. Only sums that
    can still reach ``possible`` are kept, and those that cannot miss ``certain`` are set aside.
    """
    words = grid[np.argsort(-np.abs(grid), kind="stable")]  # large steps first: states close sooner
    floor, ceiling = _limits(words, chosen, certain, possible)
    states = [_States(0, np.ones(1))] + [_NONE] * chosen
    sure = 0.0
    for at, word in enumerate(words):
        take = (chosen - np.arange(chosen + 1)) / (len(words) - at)
        after = [_NONE] * (chosen + 1)
        for held in range(min(at + 1, chosen) + 1):
            stay = states[held].moved(1.0 - take[held], 0)
            come = states[held - 1].moved(take[held - 1], int(word)) if held else _NONE
            low, high = int(floor[at + 1, held]), int(ceiling[at + 1, held])
            after[held], gained = _kept((stay, come), low, high)
            sure += gained
        states = after
    return sure, float(states[chosen].mass.sum())


@dataclass(frozen=True, eq=False)
class _States:
    """Probability mass at consecutive sums, the first at ``start``."""

    start: int
    mass: FloatArray

    def moved(self, share: float, by: int) -> _States:
        return _States(self.start + by, self.mass * share) if share > 0 else _NONE

    def between(self, low: int, high: int) -> _States:
        begin = max(low - self.start, 0)
        return _States(self.start + begin, self.mass[begin : max(high - self.start, begin)])


_NONE = _States(0, np.empty(0))


def _kept(parts: tuple[_States, ...], low: int, high: int) -> tuple[_States, float]:
    """The masses added where low ≤ sum < high, and the mass at high and above."""
    sure = sum(float(part.mass[max(high - part.start, 0) :].sum()) for part in parts)
    within = [kept for part in parts if (kept := part.between(low, high)).mass.size] or [_NONE]
    start = min(part.start for part in within)
    both = np.zeros(max(part.start + part.mass.size for part in within) - start)
    for part in within:
        both[part.start - start : part.start - start + part.mass.size] += part.mass
    return _States(start, both), sure


def _limits(words: IntArray, chosen: int, certain: int, possible: int) -> tuple[IntArray, IntArray]:
    """Sums that can still matter, by words seen and words held: from floor to below ceiling."""
    floor = np.zeros((len(words) + 1, chosen + 1), dtype=np.int64)
    ceiling = np.zeros_like(floor)
    for seen in range(len(words) + 1):
        left = np.concatenate([[0], np.cumsum(np.sort(words[seen:]))])
        wanted = np.minimum(chosen - np.arange(chosen + 1), len(left) - 1)
        floor[seen] = possible - (left[-1] - left[len(left) - 1 - wanted])
        ceiling[seen] = certain - left[wanted]
    return floor, ceiling
