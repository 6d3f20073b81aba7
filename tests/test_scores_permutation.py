from __future__ import annotations

from functools import partial
from itertools import combinations
from math import comb

import numpy as np
import pytest
from builders import refused
from hypothesis import given
from hypothesis import strategies as st

from bayesbias.scores import permutation_p_values, permutation_test
from bayesbias.scores.permutation import TIE, named_alternative

EXACT = ("enumerate", "dynamic")
ALTERNATIVES = ("greater", "less", "two-sided")

ROUNDING = 1e-12
"""Sums of at most a few hundred probabilities and products in float64."""


def split(s, n_x: int, **choices):
    """The test of the first scores against the rest."""
    return permutation_test(s[:n_x], s[n_x:], **choices)


def reaches(other, observed, alternative: str, rounding: float = 0.0):
    """Whether a statistic is at least as extreme as the observed one."""
    if alternative == "two-sided":
        return abs(other) >= abs(observed) - rounding
    sign = 1 if alternative == "greater" else -1
    return sign * other >= sign * observed - rounding


def brute(values: list[int], n_x: int, alternative: str) -> float:
    """Share of splits, in whole numbers: means are compared as (n_y Σ_X - n_x Σ_Y)."""
    n_y, total = len(values) - n_x, sum(values)

    x = [sum(some) for some in combinations(values, n_x)]  # the given split comes first
    others = [n_y * each - n_x * (total - each) for each in x]
    return sum(reaches(each, others[0], alternative) for each in others) / len(others)


@st.composite
def splits(draw: st.DrawFn) -> tuple[list[int], int]:
    values = draw(st.lists(st.integers(-6, 6), min_size=2, max_size=10))
    return values, draw(st.integers(1, len(values) - 1))


@pytest.mark.parametrize("alternative", ALTERNATIVES)
@pytest.mark.parametrize("method", EXACT)
@given(data=splits())
def test_every_split_is_counted_and_so_are_ties(data, method, alternative) -> None:
    values, n_x = data
    # A tenth of a whole number is not a float, so that ties are ties within rounding only.
    result = permutation_p_values(
        np.array([values]) / 10, n_x, alternative=alternative, method=method
    )
    expected = brute(values, n_x, alternative)
    assert result.low[0] <= expected * (1 + ROUNDING)
    assert result.high[0] >= expected * (1 - ROUNDING)
    if method == "enumerate":
        assert result.p_value[0] == pytest.approx(expected, rel=ROUNDING)
    assert result.n_splits == comb(len(values), n_x)


@pytest.mark.parametrize("alternative", ALTERNATIVES)
@pytest.mark.parametrize(("n_words", "n_x"), [(18, 9), (19, 6), (22, 11), (24, 17)])
def test_halves_and_grids_agree_with_sums_of_all_subsets(n_words, n_x, alternative) -> None:
    random = np.random.default_rng(n_words)
    for shift in (-0.5, 0.0, 0.8, 3.0):
        s = random.normal(size=n_words)
        s[:n_x] += shift
        centred = s - s.mean()
        # Sums of all subsets, by doubling over words: another way than combinations or halves.
        sums, sizes = np.zeros(1), np.zeros(1, dtype=int)
        for value in centred:
            sums, sizes = np.r_[sums, sums + value], np.r_[sizes, sizes + 1]
        sums, observed = sums[sizes == n_x], centred[:n_x].sum()
        expected = reaches(sums, observed, alternative, 1e-9).mean()
        counted = split(s, n_x, alternative=alternative, method="enumerate")
        bounded = split(s, n_x, alternative=alternative, method="dynamic")
        assert counted.p_value == pytest.approx(expected, rel=ROUNDING)
        low, high = bounded.p_bounds
        assert low * (1 - ROUNDING) <= expected <= high * (1 + ROUNDING)
        assert high <= low * 1.01 or bounded.n_splits * low < 100  # few splits: no 1% between two


def test_extremes_of_ranks_are_counted_by_partitions() -> None:
    """Of C(64, 32) = 1.8e18 splits of 1..64, those within m of the largest sum: Σ p(k), k ≤ m."""
    partitions = [1, 1, 2, 3, 5, 7, 11, 15, 22, 30, 42]
    ranks = np.arange(64, 0, -1)
    for m in range(10):
        s = ranks.astype(float)
        s[31], s[32 + m] = s[32 + m], s[31]  # the least of X changes place with the m-th of Y
        within = m + 1
        expected = sum(partitions[: within + 1]) / comb(64, 32)
        result = split(s, 32, alternative="greater")
        assert result.method == "dynamic"
        assert result.p_bounds[0] == pytest.approx(expected, rel=ROUNDING)
        assert result.p_bounds[1] == pytest.approx(expected, rel=ROUNDING)


@pytest.mark.parametrize("sign", [1, -1])
@pytest.mark.parametrize("n_x", [9, 20, 31])
def test_the_given_split_counts_where_no_grid_can_tell_it(n_x: int, sign: int) -> None:
    """Of all splits the given one is extreme, and with equal sizes its complement as well."""
    s = np.random.default_rng(1).normal(size=40)
    x, y = sign * (s[:n_x] + 10), sign * s[n_x:]
    splits = comb(40, n_x)
    two = 2 if n_x == 20 else 1
    assert permutation_test(x, y).p_bounds == pytest.approx((two / splits, two / splits), rel=1e-9)
    (low, high) = permutation_test(x, y, alternative="greater").p_bounds
    expected = 1 / splits if sign == 1 else 1
    assert low == pytest.approx(expected, rel=1e-9)  # sums of 1,600 probabilities
    assert high == pytest.approx(expected, rel=1e-9)


@pytest.mark.parametrize("n_x", [18, 20])
def test_no_p_value_exceeds_one(n_x: int) -> None:
    s = np.random.default_rng(0).normal(size=40)
    order = np.argsort(s)
    # Every second word, and then exchanged until the groups hardly differ.
    x = list(order[1 : 2 * n_x : 2])
    for _ in range(200):
        rest = [i for i in range(40) if i not in x]
        gaps = s[x].mean() - s[rest].mean()
        change = (s[x][:, None] - s[rest][None, :]) * (1 / n_x + 1 / (40 - n_x))
        i, j = np.unravel_index(np.argmin(np.abs(gaps - change)), change.shape)
        if abs(gaps - change[i, j]) >= abs(gaps):
            break
        x[i] = rest[j]
    rest = [i for i in range(40) if i not in x]
    result = permutation_test(s[x], s[rest])
    assert result.method == "dynamic"
    assert 0.98 < result.p_bounds[0] <= result.p_bounds[1] <= 1


@pytest.mark.parametrize("shift", [0, 5, 10, 20])
def test_long_lists_agree_with_the_exact_rank_sum_test(shift: int) -> None:
    from scipy.stats import mannwhitneyu

    order = np.random.default_rng(shift).permutation(64)
    x = np.sort(order[:30] + shift * 10.0)
    ranks = np.r_[x, order[30:]].argsort().argsort() + 1.0
    for alternative in ALTERNATIVES:
        expected = mannwhitneyu(
            ranks[:30], ranks[30:], alternative=alternative, method="exact"
        ).pvalue
        low, high = split(ranks, 30, alternative=alternative).p_bounds
        # scipy adds up to a thousand frequencies in float64: 1e-10 is far above that.
        assert low * (1 - 1e-10) <= expected <= high * (1 + 1e-10)
        assert high <= low * 1.01


@pytest.mark.parametrize("n", [150, pytest.param(550, marks=pytest.mark.slow)])
def test_more_splits_than_a_float_can_count(n: int) -> None:
    s = np.random.default_rng(0).normal(size=2 * n)
    s[:n] += 0.02
    result = split(s, n, agreement=0.5)
    assert result.n_splits == comb(2 * n, n)  # beyond 1e308 for n = 550
    low, high = result.p_bounds
    z = (s[:n].mean() - s[n:].mean()) / (s.std(ddof=1) * np.sqrt(2 / n))
    from scipy.special import ndtr

    # The permutation distribution of a mean difference of normals is normal to within
    # Berry-Esseen, below 0.01 for 150 + 150.
    assert low - 0.01 <= 2 * ndtr(-abs(z)) <= high + 0.01


@pytest.mark.parametrize("alternative", ALTERNATIVES)
def test_sampled_shares_are_near_the_exact_ones_for_every_data_set(alternative: str) -> None:
    scores = np.random.default_rng(5).normal(size=(6, 12))
    exact = permutation_p_values(scores, 5, alternative=alternative, method="enumerate").p_value
    usual = {"alternative": alternative, "method": "sampled", "seed": 0}
    for n, choices in ((25_000, usual | {"n_permutations": 25_000}), (100_000, usual)):
        sampled = permutation_p_values(scores, 5, **choices).p_value
        error = np.sqrt(exact * (1 - exact) / n)
        assert (np.abs(sampled - exact) < 5 * error).all()  # five standard errors
        # The same splits for each.
        assert sampled.tolist() == [split(row, 5, **choices).p_value for row in scores]


@pytest.mark.parametrize("trials", [1, 2, 3])
def test_intervals_of_sampled_shares_are_clopper_and_pearsons(trials: int) -> None:
    """At either end of the 99% interval the count at hand, or a further one, has 0.5%."""
    scores = np.random.default_rng(0).normal(size=(40, 8))
    found = permutation_p_values(
        scores, 4, alternative="greater", method="sampled", seed=0, n_permutations=trials
    )
    reached = np.rint(found.p_value * (trials + 1)).astype(int) - 1
    assert set(reached) == set(range(trials + 1))
    for count, low, high in zip(reached, found.low, found.high, strict=True):
        chances = [
            [comb(trials, k) * p**k * (1 - p) ** (trials - k) for k in range(trials + 1)]
            for p in (low, high)
        ]
        # betaincinv solves to the last digits.
        above, below = sum(chances[0][count:]), sum(chances[1][: count + 1])
        assert above == pytest.approx(0.005 if count else 1, rel=1e-9)
        assert below == pytest.approx(0.005 if count < trials else 1, rel=1e-9)
        assert (low == 0) == (count == 0)
        assert (high == 1) == (count == trials)


def test_sampled_counts_the_given_split_and_repeats_with_its_seed() -> None:
    s = np.random.default_rng(5).normal(size=12)
    exact = split(s, 6, alternative="greater")
    choices = {"alternative": "greater", "method": "sampled", "n_permutations": 20_000}
    sampled, again, other = (split(s, 6, seed=seed, **choices) for seed in (1, 1, 2))
    error = np.sqrt(exact.p_value * (1 - exact.p_value) / 20_000)
    assert sampled.p_value == again.p_value != other.p_value
    assert abs(sampled.p_value - exact.p_value) < 5 * error  # five standard errors
    assert sampled.p_bounds[0] < sampled.p_value < sampled.p_bounds[1]
    nine = {"method": "sampled", "n_permutations": 9, "seed": 0}
    extreme = permutation_test([9, 8, 7, 6.0], [0, 1, 2, 3.5], **nine)
    assert extreme.p_value * 10 == pytest.approx(round(extreme.p_value * 10))
    assert extreme.p_value >= 0.1


@given(seed=st.integers(0, 10_000), scale=st.floats(0.01, 100))
def test_unmoved_by_scale_shift_order_and_exchange(seed: int, scale: float) -> None:
    random = np.random.default_rng(seed)
    s = random.normal(size=9)
    p = split(s, 4).p_value
    assert permutation_test(scale * s[:4], scale * s[4:]).p_value == p
    assert permutation_test(s[:4] + 0.5, s[4:] + 0.5).p_value == p
    assert permutation_test(s[:4][::-1], random.permutation(s[4:])).p_value == p
    assert permutation_test(s[4:], s[:4]).p_value == p


def test_36_words_are_counted_and_37_bounded() -> None:
    s = np.random.default_rng(0).normal(size=37)
    assert permutation_test(s[:3], s[3:36]).method == "enumerate"
    assert permutation_test(s[:3], s[3:37]).method == "dynamic"


def test_up_to_44_words_may_be_counted() -> None:
    s = np.arange(45.0)[::-1]
    result = permutation_test(s[1:3], s[3:], alternative="greater", method="enumerate")
    assert result.p_value == pytest.approx(1 / comb(44, 2))
    refused("takes up to 44 words, got 45; use 'dynamic'", split, s, 2, method="enumerate")


@pytest.mark.parametrize("method", EXACT)
@pytest.mark.parametrize("n_x", [1, 4, 8])
def test_the_result_holds_statistic_and_bounds(n_x: int, method) -> None:
    s = np.random.default_rng(1).normal(size=9)
    result = split(s, n_x, alternative="greater", method=method)
    assert result.statistic == pytest.approx(s[:n_x].sum() - s[n_x:].sum())
    assert (result.alternative, result.method) == ("greater", method)
    values = permutation_p_values(s[None, :], n_x, alternative="greater", method=method)
    assert (result.p_value, result.p_bounds) == (values.p_value[0], (values.low[0], values.high[0]))
    assert values.p_value[0] == values.high[0]  # the upper bound stands for the p-value


def test_scores_in_float32_are_summed_in_float64() -> None:
    x, y = np.random.default_rng(0).normal(size=(2, 500)).astype(np.float32)
    expected = sum(x.tolist()) - sum(y.tolist())
    for first, second in ((x, y), (x.astype(float), y), (x, y.astype(float))):
        result = permutation_test(first, second, method="sampled", seed=0, n_permutations=2)
        # Sums of a thousand numbers of size one, right to 1e-13 in float64 and 1e-5 in float32.
        assert result.statistic == pytest.approx(expected, abs=1e-11)


def test_data_sets_do_not_meddle_with_each_other() -> None:
    scores = np.random.default_rng(0).normal(size=(40, 8)) * np.logspace(0, 15, 40)[:, None]
    together = permutation_p_values(scores, 4).p_value
    assert together.tolist() == [split(s, 4).p_value for s in scores]
    single = scores.astype(np.float32)
    assert np.array_equal(
        permutation_p_values(single, 4).p_value,
        permutation_p_values(single.astype(float), 4).p_value,
    )


def test_alternatives_are_given_by_name() -> None:
    for name in ("two-sided", "greater", "less"):
        assert named_alternative(name) == name


def test_agreement_is_what_bounds_are_refined_to() -> None:
    s = np.random.default_rng(2).normal(size=64)
    for agreement in (0.3, 0.001):
        low, high = split(s, 32, agreement=agreement).p_bounds
        assert high <= low * (1 + agreement)
    usual = split(s, 32)
    assert usual.p_bounds == split(s, 32, agreement=0.01).p_bounds


def test_equal_scores_tie_everywhere() -> None:
    # Of random splits some within a chunk of them, and more than one.
    sampled = ({"method": "sampled", "n_permutations": n} for n in (10, 12_345))
    for choices in (*({"method": method} for method in EXACT), *sampled):
        for alternative in ALTERNATIVES:
            assert split(np.full(7, 0.1), 4, alternative=alternative, **choices).p_value == 1.0


def test_ties_within_the_stated_tolerance_count() -> None:
    s = np.array([3.0, 1.0, 2.0, 2.0])  # {3, 1} and {2, 2} both sum to 4
    exact = split(s, 2, alternative="greater").p_value
    near, far = s.copy(), s.copy()
    near[2] += 0.1 * TIE
    far[2] -= 1e-6  # {2, 2} now falls short of it
    assert exact == split(near, 2, alternative="greater").p_value
    assert exact > split(far, 2, alternative="greater").p_value


def test_wrong_choices_are_named() -> None:
    test = partial(permutation_test, [1.0, 2.0], [3.0])
    refused(r"unknown alternative 'both'.*greater.*less.*two-sided", test, alternative="both")
    refused(r"unknown method 'exact'.*enumerate", test, method="exact")
    refused(
        "n_permutations must be a whole number from 1", test, n_permutations=0, method="sampled"
    )
    refused("agreement must be positive", test, agreement=0.0, method="dynamic")


def test_wrong_data_are_named() -> None:
    p_values = permutation_p_values
    refused("data set 1 has scores that are not finite", p_values, [[1.0, 2.0], [np.nan, 1.0]], 1)
    for n_x in (0, 2):
        refused(f"at least one word on either side of 2; got {n_x}", p_values, [[1.0, 2.0]], n_x)
    refused("one row a data set", p_values, [1.0, 2.0], 1)
    refused(r"matrix, one row a data set; got shape \(1, 1, 2\)", p_values, [[[1.0, 2.0]]], 1)
