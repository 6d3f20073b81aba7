from itertools import combinations
from math import comb

import numpy as np
import pytest
from builders import refused
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import mannwhitneyu, norm

from bayesbias.scores import permutation_test
from bayesbias.scores.inversion import Tilt, _angles, _tilted, inverted_tail
from bayesbias.scores.permutation import (
    INVERSION_ERROR,
    TIE,
    _bounds_on_grid,
    count_reaching,
    tail_bounds,
)

ALTERNATIVES = ("greater", "less", "two-sided")

ROUNDING = 1e-12
"""Tolerance for sums of a few hundred float64 probabilities and products."""


def share(values, chosen: int, threshold: float) -> float:
    """Compute the share of subsets that reach a threshold, one by one."""
    sums = [sum(some) for some in combinations(values, chosen)]
    return sum(s >= threshold for s in sums) / len(sums)


@pytest.mark.parametrize("alternative", ALTERNATIVES)
@given(data=st.data())
def test_every_split_is_counted_and_so_are_ties(data, alternative) -> None:
    values = data.draw(st.lists(st.integers(-6, 6), min_size=2, max_size=10))
    n_x = data.draw(st.integers(1, len(values) - 1))
    # A tenth of an integer is not exact in binary, so ties hold only within rounding.
    s = np.array(values) / 10
    result = permutation_test(s[:n_x], s[n_x:], alternative=alternative)
    differences = [
        len(values) * sum(some) - n_x * sum(values) for some in combinations(values, n_x)
    ]  # means are compared as integers; the given split is first
    sign = {"greater": 1, "less": -1}.get(alternative)
    extreme = [abs(d) if sign is None else sign * d for d in differences]
    expected = np.mean([d >= extreme[0] for d in extreme])
    assert result.p_value == pytest.approx(expected, rel=ROUNDING)
    assert result.low == result.high
    assert result.n_splits == comb(len(values), n_x)


@pytest.mark.parametrize("below", [1e-9, 0.02, 0.3])
@given(seed=st.integers(0, 10_000), size=st.integers(3, 11), data=st.data(), attained=st.booleans())
def test_bounds_hold_for_every_threshold(seed, size, data, attained, below) -> None:
    values = np.random.default_rng(seed).normal(size=size)
    values -= values.mean()
    chosen = data.draw(st.integers(1, size - 1))
    # Below the sum of the first scores, which they then reach; or above it.
    threshold = values[:chosen].sum() + (-below if attained else 1e-3)
    expected = share(values.tolist(), chosen, threshold)
    step = float(np.ptp(values)) / data.draw(st.sampled_from([4, 50, 1_000]))
    coarse = _bounds_on_grid(values, chosen, threshold, step, attained=attained)
    for low, high in (tail_bounds(values, chosen, threshold, attained=attained), coarse):
        assert low <= expected * (1 + ROUNDING)
        assert expected * (1 - ROUNDING) <= high
        assert 0 <= low <= high <= 1
    assert count_reaching(values, chosen, threshold) / comb(size, chosen) == pytest.approx(expected)


@pytest.mark.parametrize("at", [40, 400, 19_000])
def test_bounds_of_pairs_are_close_to_their_number(at: int) -> None:
    scores = np.random.default_rng(at).normal(size=200)
    sums = np.sort([one + other for one, other in combinations(scores, 2)])
    threshold = (sums[-at] + sums[-at - 1]) / 2
    low, high = tail_bounds(scores, 2, threshold, attained=False)
    assert low <= at / len(sums) * (1 + ROUNDING)
    assert at / len(sums) <= high * (1 + ROUNDING)
    assert high <= low * 1.01


@pytest.mark.parametrize("step", [1.0, 0.1, 1e-12])
@given(data=st.data(), below=st.floats(-3e3, 3e3))
def test_bounds_meet_on_a_lattice(step: float, data: st.DataObject, below: float) -> None:
    lowest = step * below
    drawn = data.draw(st.lists(st.integers(0, 12), min_size=3, max_size=8))
    numbers = [*drawn, 5, 6]  # a gap of one step
    chosen = data.draw(st.integers(1, len(numbers) - 1))
    reached = data.draw(st.integers(chosen * min(numbers) - 1, chosen * max(numbers) + 1))
    # A tenth of a step below a sum: more than rounding, with no other sum in between.
    threshold = chosen * lowest + step * (reached - 0.1)
    low, high = tail_bounds(
        lowest + step * np.array(numbers, dtype=float), chosen, threshold, attained=False
    )
    assert low == high == pytest.approx(share(numbers, chosen, reached), rel=ROUNDING)


@pytest.mark.parametrize("reached", [560, 700, 762, 830, 1100])
def test_long_lattices_are_inverted(reached: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """The sum of 25 of the ranks 1 to 60 is 762.5 on average; bounds have the stated error."""
    ranks, path = np.arange(1.0, 61.0), "bayesbias.scores.permutation"
    exact, _ = tail_bounds(ranks, 25, reached - 0.1, attained=False)
    monkeypatch.setattr(f"{path}.RESCALED", 7)
    rescaled, _ = tail_bounds(ranks, 25, reached - 0.1, attained=False)
    assert rescaled == pytest.approx(exact, rel=1e-9)
    monkeypatch.setattr(f"{path}.MUCH_WORK", -1)
    low, high = tail_bounds(ranks, 25, reached - 0.1, attained=False)
    assert low < exact <= high
    most = 2 * INVERSION_ERROR * min(exact, 1 - exact + INVERSION_ERROR)
    assert high - low <= most * (1 + INVERSION_ERROR)


@pytest.mark.parametrize(("work", "inverted"), [(749_999, True), (750_000, False)])
def test_sums_are_inverted_where_counting_takes_too_much_work(work, inverted, monkeypatch) -> None:
    """Of 60 ranks, 25 have sums of up to 1,175 above 25 times the lowest: 500 above the 675."""
    calls, path = [], "bayesbias.scores.permutation"
    monkeypatch.setattr(f"{path}.inverted_tail", lambda *given: calls.append(given))
    monkeypatch.setattr(f"{path}.MUCH_WORK", work)
    tail_bounds(np.arange(1.0, 61.0), 25, 699.9, attained=False)
    assert bool(calls) == inverted


def test_extremes_of_ranks_are_counted_by_partitions() -> None:
    """Count C(64, 32) = 1.8e18 splits of 1..64 within m of the largest sum: Σ p(k), k ≤ m."""
    partitions = [1, 1, 2, 3, 5, 7, 11, 15, 22, 30, 42]
    for m in range(10):
        s = np.arange(64.0, 0, -1)
        s[31], s[32 + m] = s[32 + m], s[31]  # exchange the smallest of X and the m-th of Y
        expected = sum(partitions[: m + 2]) / comb(64, 32)
        result = permutation_test(s[:32], s[32:], alternative="greater")
        assert (result.low, result.high) == pytest.approx((expected, expected), rel=ROUNDING)


@pytest.mark.parametrize("sign", [1, -1])
@pytest.mark.parametrize("n_x", [9, 20, 31])
def test_the_given_split_counts_where_no_grid_can_tell_it(n_x: int, sign: int) -> None:
    """The given split is extreme and, with equal sizes, so is its complement."""
    s = np.random.default_rng(1).normal(size=40)
    x, y = sign * (s[:n_x] + 10), sign * s[n_x:]
    two = permutation_test(x, y)
    assert (two.low, two.high) == pytest.approx([(1 + (n_x == 20)) / comb(40, n_x)] * 2, rel=1e-9)
    one = permutation_test(x, y, alternative="greater")
    # One probability, or the inversion's error near 1.
    expected = 1 / comb(40, n_x) if sign == 1 else 1
    assert (one.low, one.high) == pytest.approx([expected] * 2, rel=1e-9 if sign == 1 else 2e-6)


@pytest.mark.parametrize("n_x", [9, 19])
@pytest.mark.parametrize("shift", [0.0, 0.5, 1.0])
@pytest.mark.parametrize(
    "kind", ["normal", "heavy tails", "one far away", "ties", "even but one", "clusters"]
)
def test_inverted_tails_are_counts(kind: str, shift: float, n_x: int) -> None:
    """All subsets of 38 words are counted; a share of at least 1e-6 is 100 subsets or more."""
    rng = np.random.default_rng([n_x, int(10 * shift)])
    s = rng.standard_t(2.5, 38) if kind == "heavy tails" else rng.normal(size=38)
    s[:n_x] += shift
    rounded = np.round(2 * s)
    s = {
        "one far away": np.r_[s[:-1], 30.0],
        "ties": np.round(4 * s),
        "even but one": 2 * rounded + (np.arange(38) == n_x),  # most sums are even
        "clusters": rounded + 0.1 * rng.normal(size=38),
    }.get(kind, s)
    unit = 1.0 if kind in {"ties", "even but one"} else 0.0
    threshold = s[:n_x].sum()
    found = inverted_tail(s, n_x, threshold - (0 if unit else 1e-9), unit)
    if unit:  # sums that differ by multiples of 1 also differ by multiples of a half
        assert inverted_tail(s / 4, n_x, threshold / 4, 0.25) == pytest.approx(found, rel=1e-9)
        halved = inverted_tail(s, n_x, threshold, 0.5)
        assert halved == pytest.approx(found, rel=INVERSION_ERROR)
    assert found == pytest.approx(
        count_reaching(s, n_x, threshold - 1e-9) / comb(38, n_x), rel=INVERSION_ERROR
    )


@pytest.mark.parametrize(
    ("n_x", "noise", "kind"),
    [
        (19, 0.0, "ratings"),
        (9, 1e-5, "ratings"),
        (7, 1e-4, "ratings"),
        (19, 1e-3, "ratings"),
        (9, 0.02, "ratings"),
        (7, 0.05, "ratings"),
        (7, 0.0, "three far away"),
        (19, 1e-5, "three far away"),
        (9, 1e-4, "three far away"),
        (7, 1e-3, "three far away"),
        (19, 0.02, "three far away"),
        (9, 0.05, "three far away"),
    ],
)
def test_bounds_of_scores_in_clumps_contain_the_count(
    n_x: int, noise: float, kind: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Means of three ratings with two digits have a step that is not their smallest gap."""
    monkeypatch.setattr("bayesbias.scores.permutation.COUNTED_IF_TIED", 0)
    rng = np.random.default_rng([9, n_x])
    clumps = {"ratings": np.round(rng.integers(3, 16, 38) / 3, 2), "three far away": np.zeros(38)}
    clumps["three far away"][-3:] = 1, 2, 50
    s = rng.permutation(clumps[kind]) + noise * rng.normal(size=38)
    s -= s.mean()
    found = permutation_test(s[:n_x], s[n_x:], alternative="greater")
    share = count_reaching(s, n_x, s[:n_x].sum() - 1e-9) / comb(38, n_x)
    assert found.low * (1 - 1e-9) <= share <= found.high * (1 + 1e-9)
    both = permutation_test(s[:n_x], s[n_x:])
    threshold = abs(s[:n_x].sum()) - 1e-9
    two = sum(count_reaching(sign * s, n_x, threshold) for sign in (1, -1)) / comb(38, n_x)
    assert both.low * (1 - 1e-9) <= two <= both.high * (1 + 1e-9)
    for each in (found, both):
        assert (each.low == each.high) == (noise == 0.0)


@pytest.mark.parametrize("alternative", ALTERNATIVES)
@pytest.mark.parametrize("noise", [1e-10, 1e-8, 1e-6])
@pytest.mark.parametrize("n", [12, 40, 50])
def test_sums_that_nearly_tie_are_counted(n: int, noise: float, alternative: str) -> None:
    """All subsets of three ratings with tiny errors are tried; of 50 words, bounds contain them."""
    rng = np.random.default_rng(1)
    s = 0.1 * rng.integers(1, 8, n) + noise * rng.normal(size=n)
    s -= s.mean()
    found = permutation_test(s[:3], s[3:], alternative=alternative)
    observed, tie = s[:3].sum(), TIE * np.abs(s).sum()
    sign = {"greater": 1, "less": -1}.get(alternative)
    if sign is None:
        expected = sum(share([*side], 3, abs(observed) - tie) for side in (s, -s))
    else:
        expected = share([*sign * s], 3, sign * observed - tie)
    assert found.low * (1 - ROUNDING) <= expected <= found.high * (1 + ROUNDING)
    assert n > 44 or found.low == found.high


@pytest.mark.parametrize("alternative", ALTERNATIVES)
@pytest.mark.parametrize("n", [12, 40, 60])
def test_scores_of_single_precision_have_ties(n: int, alternative: str) -> None:
    ratings = np.random.default_rng(n).integers(-20, 20, n) / 10
    expected = permutation_test(ratings[:5], ratings[5:], alternative=alternative)
    single = ratings.astype(np.float32)
    for x, y in ((single[:5], single[5:]), (single[:5], ratings[5:])):
        found = permutation_test(x, y, alternative=alternative)
        assert (found.low, found.high) == pytest.approx((expected.low, expected.high), rel=1e-9)


@pytest.mark.parametrize(
    ("n", "type_"), [(37, np.float32), (45, np.float16), (60, np.float32), (120, np.float16)]
)
@pytest.mark.parametrize(("offset", "sd", "digits"), [(0, 0.2, 9), (1, 0.2, 9), (50, 20, 2)])
def test_scores_of_single_precision_have_no_other_ties(n, type_, offset, sd, digits) -> None:
    """Continuous scores are no multiples of a step; single words and pairs are tried one by one."""
    for seed in range(24):
        s = np.random.default_rng(seed).normal(offset, sd, n).round(digits).astype(type_)
        wide = s.astype(np.float64) - s.astype(np.float64).mean()
        tie = float(np.finfo(type_).eps) * np.abs(s.astype(np.float64)).sum()
        for n_x in (1, 2):
            found = permutation_test(s[:n_x], s[n_x:], alternative="greater")
            expected = share([*wide], n_x, wide[:n_x].sum() - tie)
            assert found.low * (1 - ROUNDING) <= expected <= found.high * (1 + ROUNDING)
            assert found.high <= 1.02 * found.low


@pytest.mark.seconds
def test_inverted_tails_of_long_lists() -> None:
    """Rank sums of 2 x 200 words against SciPy's recursion, and a Normal limit of 2 x 2,000."""
    order = np.random.default_rng(3).permutation(400).astype(float)
    for shift in (0, 40, 80):
        ranks = np.r_[order[:200] + shift, order[200:]].argsort().argsort().astype(float)
        expected = mannwhitneyu(ranks[:200], ranks[200:], alternative="greater", method="exact")
        ranks -= ranks.mean()
        found = inverted_tail(ranks, 200, ranks[:200].sum(), 1.0)
        assert found == pytest.approx(expected.pvalue, rel=1e-5)  # far below the stated error
    x, y = np.arange(400.0).reshape(-1, 4)[:, [0, 3]], np.arange(400.0).reshape(-1, 4)[:, 1:3]
    two = permutation_test(x.ravel() + 0.01, y.ravel())  # nearly every split is as far apart
    assert 0.99 < two.low <= two.high <= 1
    scores = np.random.default_rng(1).normal(size=4_000)
    scores -= scores.mean()
    sd = np.sqrt(scores @ scores * 2_000 * 2_000 / 4_000 / 3_999)
    # The Normal limit's error is of the order of 1 / n.
    assert inverted_tail(scores, 2_000, 2 * sd) == pytest.approx(norm.sf(2), rel=5e-3)


@pytest.mark.parametrize("shift", [0, 5, 20])
def test_long_lists_agree_with_the_exact_rank_sum_test(shift: int) -> None:
    order = np.random.default_rng(shift).permutation(64)
    x = np.sort(order[:30] + shift * 10.0)
    ranks = np.r_[x, order[30:]].argsort().argsort() + 1.0
    for alternative in ALTERNATIVES:
        expected = mannwhitneyu(
            ranks[:30], ranks[30:], alternative=alternative, method="exact"
        ).pvalue
        found = permutation_test(ranks[:30], ranks[30:], alternative=alternative)
        # SciPy adds up to 1,000 frequencies in float64; 1e-10 is far above its error.
        assert found.low * (1 - 1e-10) <= expected <= found.high * (1 + 1e-10)
        assert found.high <= found.low * 1.01


@pytest.mark.seconds
@pytest.mark.parametrize("n", [9, 40])
@settings(max_examples=2)
@given(seed=st.integers(0, 10_000), scale=st.floats(0.01, 100))
def test_unmoved_by_scale_shift_order_and_exchange(n: int, seed: int, scale: float) -> None:
    random = np.random.default_rng(seed)
    s = random.normal(size=n)
    p = permutation_test(s[:4], s[4:]).p_value
    # Counts are equal. Bounds agree within 1%, because the grid depends on the scores.
    same = pytest.approx(p, rel=0 if n == 9 else 0.02)
    assert permutation_test(scale * s[:4], scale * s[4:]).p_value == same
    assert permutation_test(s[:4] + 0.5, s[4:] + 0.5).p_value == same
    assert permutation_test(s[:4][::-1], random.permutation(s[4:])).p_value == same
    assert permutation_test(s[4:], s[:4]).p_value == same
    both = permutation_test(np.stack([s[:4], s[4:8]]), np.stack([s[4:8], s[8:][:4].repeat(4)[:4]]))
    assert both.p_value[0] == permutation_test(s[:4], s[4:8]).p_value
    assert both.statistic[0] == pytest.approx(s[:4].sum() - s[4:8].sum())


@pytest.mark.parametrize("n", [9, 40])
def test_scores_that_tie_do_so_in_every_unit(n: int) -> None:
    """These scores have rounding errors, and are no multiples of their smallest gap."""
    s = np.array([0.0, 0.1, 0.25, 0.37])[np.random.default_rng(n).integers(0, 4, n)]
    wanted = permutation_test(s[:4], s[4:])
    for unit in (1e-12, 3e12):
        found = permutation_test(unit * s[:4], unit * s[4:])
        assert (found.low, found.high) == pytest.approx((wanted.low, wanted.high), rel=1e-9)


@pytest.mark.parametrize("alternative", ALTERNATIVES)
@pytest.mark.parametrize("n", [7, 40])
def test_equal_scores_tie_everywhere(alternative: str, n: int) -> None:
    s = np.full(n, 0.1)
    assert permutation_test(s[:4], s[4:], alternative=alternative).p_value == 1.0


@pytest.mark.parametrize(
    ("x", "y", "alternative", "told"),
    [
        ([1.0], [3.0], "both", r"unknown alternative 'both'.*greater.*less.*two-sided"),
        ([1.0, np.nan], [3.0], "less", "not finite"),
        ([], [3.0], "less", "need at least one score each"),
        (np.ones((2, 1)), np.ones((2, 0)), "less", "need at least one score each"),
        (np.ones((2, 0)), np.ones((2, 1)), "less", "need at least one score each"),
        (1.0, [3.0], "less", "need at least one score each"),
    ],
)
def test_refusals(x, y, alternative, told) -> None:
    refused(told, permutation_test, x, y, alternative=alternative)


@pytest.mark.parametrize("c", [0.0, 0.7, 2.0])
def test_variances_of_tilted_sums_are_derivatives_of_their_means(c: float) -> None:
    """The tilted probabilities of a sum are an exponential family in c."""
    scores, h = np.random.default_rng(5).normal(size=30), 1e-4
    tilt = _tilted(scores, 11, c)
    means = [float(_tilted(scores, 11, x).chances @ scores) for x in (c - h, c + h)]
    assert tilt.chances.sum() == pytest.approx(11)
    assert tilt.sum_sd**2 == pytest.approx((means[1] - means[0]) / (2 * h), rel=1e-6)
    assert tilt.size_sd**2 == pytest.approx(sum(p * (1 - p) for p in tilt.chances))


@pytest.mark.parametrize("size_sd", [0.8, 2.0, 7.5])
def test_angles_go_around_the_circle_at_most_once(size_sd: float) -> None:
    theta, angle = _angles(Tilt(0.1, 0.0, np.zeros(1), np.zeros(1), 1.0, size_sd))
    places = np.round(theta / angle).astype(int) % round(2 * np.pi / angle)
    assert len({*places}) == len(places)
    # The characteristic function of a Normal number of words is negligible at what is left out.
    missing = {*range(round(2 * np.pi / angle))} - {*places}
    assert all(
        np.exp(-((min(k, -k % (len(places) + len(missing))) * angle * size_sd) ** 2) / 2) < 1e-9
        for k in missing
    )
