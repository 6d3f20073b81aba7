from __future__ import annotations

from itertools import combinations
from math import comb

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bayesbias.scores.subset_sums import FIRST_GRID, LARGEST_GRID, tail_bounds

ROUNDING = 1e-12
"""Sums of at most a few hundred products of probabilities in float64."""


def share(values, chosen: int, threshold: float) -> float:
    """Share of the subsets that reach a threshold, one by one."""
    sums = [sum(some) for some in combinations(values, chosen)]
    return sum(s >= threshold for s in sums) / len(sums)


def centred_normals(seed: int, size: int) -> np.ndarray:
    values = np.random.default_rng(seed).normal(size=size)
    return values - values.mean()


@given(seed=st.integers(0, 10_000), size=st.integers(3, 11), data=st.data(), attained=st.booleans())
def test_bounds_hold_for_every_threshold(seed, size, data, attained) -> None:
    values = centred_normals(seed, size)
    chosen = data.draw(st.integers(1, size - 1))
    sums = sorted(sum(some) for some in combinations(values.tolist(), chosen))
    at = data.draw(st.integers(0, len(sums) - 1))
    # Just below a sum, which that sum then reaches; where none is known to, between two of them.
    threshold = sums[at] - 1e-9 if attained else sums[at] + 1e-3
    expected = share(values.tolist(), chosen, threshold)
    found = tail_bounds(values, chosen, threshold, 0.01, attained=attained)
    assert found.low <= expected * (1 + ROUNDING)
    assert found.high >= expected * (1 - ROUNDING)
    assert 0 <= found.low <= found.high <= 1
    if attained:
        assert found.low >= 1 / comb(size, chosen)
    assert FIRST_GRID <= found.steps <= LARGEST_GRID
    # One subset more or less is more than 1% of few, and only the finest grid tells them apart.
    assert found.high <= 1.01 * found.low or found.steps == LARGEST_GRID


@pytest.mark.parametrize("step", [1.0, 0.1, 1 / 3, 1e-4])
@given(data=st.data(), lowest=st.floats(-3, 3))
def test_bounds_meet_on_a_lattice(step: float, data: st.DataObject, lowest: float) -> None:
    numbers = data.draw(st.lists(st.integers(0, 12), min_size=3, max_size=10).filter(np.ptp))
    chosen = data.draw(st.integers(1, len(numbers) - 1))
    reached = data.draw(st.integers(chosen * min(numbers) - 1, chosen * max(numbers) + 1))
    values = lowest + step * np.array(numbers, dtype=float)
    # A tenth of a step below a sum: beyond rounding, and no other sum lies between.
    threshold = chosen * lowest + step * (reached - 0.1)
    found = tail_bounds(values, chosen, threshold, 0.01, attained=False)
    expected = share(numbers, chosen, reached)
    assert found.low == pytest.approx(expected, rel=ROUNDING)
    assert found.high == found.low
    unit = np.gcd.reduce(np.array(numbers) - min(numbers))
    assert found.steps == np.ptp(numbers) // unit


def test_what_is_no_lattice_is_not_taken_for_one() -> None:
    values = np.array([0.0, 1.0, 2.0, 3.0, 4.0 + 1e-6])
    # On the lattice {0, 4} and {1, 3} would tie; here the threshold lies between them.
    found = tail_bounds(values, 2, 4 + 5e-7, 0.01, attained=False)
    assert found.low <= 5 / 10 <= found.high
    assert found.steps >= FIRST_GRID


@pytest.mark.parametrize("relative", [0.5, 0.1, 0.01, 0.001])
def test_grids_are_refined_until_the_bounds_agree(relative: float) -> None:
    values = centred_normals(0, 40)
    threshold = float(np.sort(values)[-20:].sum()) * 0.4
    found = tail_bounds(values, 20, threshold, relative, attained=True)
    assert 0 < found.high - found.low <= relative * found.low
    coarser = tail_bounds(values, 20, threshold, 10 * relative, attained=True)
    assert coarser.steps <= found.steps
    # Each holds the truth, so that they overlap.
    assert max(coarser.low, found.low) <= min(coarser.high, found.high) * (1 + ROUNDING)
    assert tail_bounds(values, 20, threshold, 0.5, attained=True).steps == FIRST_GRID


def test_refinement_takes_few_grids(monkeypatch: pytest.MonkeyPatch) -> None:
    """The step is chosen from the gap, at least halved and at most cut to a sixteenth."""
    from bayesbias.scores import subset_sums

    tried = []
    real = subset_sums._bounds_on_grid

    def watched(centred, chosen, threshold, step, one):
        tried.append(step)
        return real(centred, chosen, threshold, step, one)

    monkeypatch.setattr(subset_sums, "_bounds_on_grid", watched)
    values = centred_normals(1, 24)
    tail_bounds(values, 12, float(np.sort(values)[-12:].sum()) - 1e-9, 0.01, attained=False)
    factors = np.array(tried[:-1]) / np.array(tried[1:])
    assert len(tried) <= 5  # 2048 to 2^20 by sixteens
    assert factors.min() >= 2 - ROUNDING
    assert factors.max() <= 16 + ROUNDING


def test_thresholds_beyond_all_sums() -> None:
    values = centred_normals(2, 12)
    most = float(np.sort(values)[-5:].sum())
    least = float(np.sort(values)[:5].sum())
    everything = tail_bounds(values, 5, least - 0.01, 0.01, attained=False)
    assert everything.low == pytest.approx(1, rel=ROUNDING)
    assert everything.high == pytest.approx(1, rel=ROUNDING)
    nothing = tail_bounds(values, 5, most + 0.01, 0.01, attained=False)
    assert (nothing.low, nothing.high) == (0, 0)
    one = tail_bounds(values, 5, most - 1e-9, 0.01, attained=True)
    assert one.low == pytest.approx(1 / comb(12, 5), rel=ROUNDING)
    assert one.high == pytest.approx(1 / comb(12, 5), rel=ROUNDING)


def test_sums_of_one_sign_are_counted() -> None:
    """Scores far from their mean of zero, as a threshold below all and above all asks for."""
    values = np.array([5.0, 5.1, 5.23, 5.37, 5.51, 5.7])
    for shift in (0.0, -11.0):
        for threshold in (15.3, 15.9, 16.4):
            found = tail_bounds(values + shift, 3, threshold + 3 * shift, 0.01, attained=False)
            expected = share(values.tolist(), 3, threshold)
            assert found.low <= expected * (1 + ROUNDING)
            assert found.high >= expected * (1 - ROUNDING)


@pytest.mark.parametrize("scale", [0.01, 1.0, 100.0])
def test_scores_that_nearly_lie_on_a_lattice_are_taken_to_tie(scale: float) -> None:
    """Every subset that reaches the threshold counts, and none that would not on the lattice."""
    numbers = np.array([0, 1, 3, 4, 4, 6, 7, 9, 10])
    noise = np.random.default_rng(0).uniform(-1e-10, 1e-10, size=9)  # 1e-11 of the range
    values = scale * (numbers + noise)
    for some in combinations(range(9), 4):
        threshold = values[list(some)].sum() * (1 - 1e-15)  # rounding of a sum of four
        found = tail_bounds(values, 4, threshold, 0.01, attained=True)
        assert found.low == found.high
        assert found.steps == 10
        assert found.low >= share(values, 4, threshold) * (1 - ROUNDING)
        assert found.low <= share(numbers, 4, numbers[list(some)].sum()) * (1 + ROUNDING)


@pytest.mark.parametrize("seed", range(20))
def test_rounding_makes_no_share_larger_than_one(seed: int) -> None:
    values = centred_normals(seed, 15)
    found = tail_bounds(values, 6, float(np.sort(values)[:6].sum()) - 0.01, 0.01, attained=True)
    assert 1 - ROUNDING < found.low <= found.high <= 1
    found = tail_bounds(np.arange(15.0 + seed), 6, 0.0, 0.01, attained=True)
    assert 1 - ROUNDING < found.low <= found.high <= 1


def test_scores_just_off_a_lattice_are_bounded_as_they_are() -> None:
    """Gaps of whole steps to a billionth of the range, which together add up to more."""
    numbers = np.array([0, 1, 3, 4, 4, 6, 7, 9, 10])
    values = numbers + 10 * np.random.default_rng(0).uniform(-4e-10, 4e-10, size=9)
    for some in combinations(range(9), 4):
        threshold = values[list(some)].sum() * (1 - 1e-15)  # rounding of a sum of four
        found = tail_bounds(values, 4, threshold, 0.01, attained=True)
        expected = share(values, 4, threshold)
        assert found.low <= expected * (1 + ROUNDING)
        assert found.high >= expected * (1 - ROUNDING)
