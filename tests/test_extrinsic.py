"""Measures of downstream bias, and of how scores agree with them."""

from __future__ import annotations

from functools import partial

import numpy as np
import pandas as pd
import pytest
from builders import refused
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from bayesbias.extrinsic import (
    TprGaps,
    correlate,
    correlations,
    ranking_accuracy,
    subgroup_areas,
    tpr_gaps,
)

TRUTH = ["nurse", "nurse", "nurse", "nurse", "pilot", "pilot", "pilot", "pilot", "pilot"]
GUESS = ["nurse", "nurse", "nurse", "pilot", "pilot", "nurse", "nurse", "pilot", "pilot"]
GROUP = ["f", "f", "m", "m", "f", "f", "m", "m", "m"]
"""By hand: nurses f 2/2, m 1/2; pilots f 1/2, m 2/3."""


def test_rates_and_gaps_of_an_example_done_by_hand() -> None:
    found = tpr_gaps(TRUTH, GUESS, GROUP)
    assert found.classes == ("nurse", "pilot")
    assert found.groups == ("f", "m")
    np.testing.assert_array_equal(found.n, [[2, 2], [2, 3]])
    np.testing.assert_allclose(found.tpr, [[1, 1 / 2], [1 / 2, 2 / 3]], rtol=1e-15)
    np.testing.assert_allclose(found.gap, [1 / 2, -1 / 6], rtol=1e-14)
    assert found.mean_absolute_gap == pytest.approx(1 / 3)
    np.testing.assert_allclose(found.variance, [1 / 16, 1 / 144], rtol=1e-14)
    assert found.mean_variance == pytest.approx((1 / 16 + 1 / 144) / 2)
    assert found.to_frame()["tpr"].tolist() == found.tpr.ravel().tolist()


def test_the_interval_of_a_gap_is_newcombes() -> None:
    """Example (a) of Newcombe (1998): 56 of 70 and 48 of 80, 95%, method 10."""
    n = np.array([[70, 80]])
    found = TprGaps(("c",), ("a", "b"), np.array([[56, 48]]) / n, n)
    np.testing.assert_allclose(found.gap_interval(0.95), [[0.0524, 0.3339]], atol=5e-5)


def test_the_corrected_variance_is_right_on_average() -> None:
    """For groups of 5 to 40 samples, whose rates differ by chance too."""
    rates, n = np.array([0.5, 0.6, 0.9]), np.array([5, 10, 40])
    tpr = np.random.default_rng(1).binomial(n, rates, size=(20_000, 3)) / n
    found = TprGaps(tuple(range(len(tpr))), ("a", "b", "c"), tpr, np.broadcast_to(n, tpr.shape))
    error = found.corrected_variance.std() / np.sqrt(len(tpr))
    assert abs(found.corrected_variance.mean() - rates.var(ddof=1)) < 4 * error
    assert found.variance.mean() > rates.var() + 20 * error
    assert np.isnan(
        TprGaps(("c",), ("a", "b"), np.ones((1, 2)), np.array([[1, 9]])).corrected_variance
    )


def test_areas_of_subgroups_are_those_of_all_pairs() -> None:
    rng = np.random.default_rng(1)
    truth, members = rng.random(60) < 0.4, pd.DataFrame(rng.random((60, 2)) < 0.3)
    score = rng.integers(5, size=60)  # with ties
    found = subgroup_areas(truth, score, members).set_index("group")
    for group, own in members.items():
        sides = {
            "subgroup": (own & truth, own & ~truth),
            "bpsn": (~own & truth, own & ~truth),
            "bnsp": (own & truth, ~own & ~truth),
        }
        for name, (above, below) in sides.items():
            apart = score[above][:, None] - score[below][None]
            assert found.loc[group, name] == pytest.approx(((np.sign(apart) + 1) / 2).mean())
    alone = subgroup_areas([1, 0], [0.2, 0.1], pd.DataFrame({"all": [1, 1], "none": [0, 0]}))
    assert alone["subgroup"].tolist()[0] == 1.0
    assert alone[["bpsn", "bnsp"]].isna().all(axis=None)
    for wrong in ([1, 2], [1, 0, 1]):
        refused("truth", subgroup_areas, wrong, [0.2, 0.1], pd.DataFrame({"a": [1, 0]}))


def test_the_order_of_two_groups_turns_the_gap() -> None:
    turned = tpr_gaps(TRUTH, GUESS, GROUP, groups=["m", "f"])
    np.testing.assert_array_equal(turned.gap, -tpr_gaps(TRUTH, GUESS, GROUP).gap)


@given(st.integers(0, 2**32 - 1), st.integers(2, 4), st.integers(2, 5))
def test_rates_are_those_of_a_loop(seed: int, n_groups: int, n_classes: int) -> None:
    rng = np.random.default_rng(seed)
    base = np.indices((n_classes, n_groups)).reshape(2, -1)
    more = rng.integers([[n_classes], [n_groups]], size=(2, 60))
    truth, group = np.concatenate([base, more], axis=1)
    guess = rng.integers(n_classes, size=len(truth))
    found = tpr_gaps(truth, guess, group)
    for c in range(n_classes):
        rates = [np.mean(guess[(truth == c) & (group == g)] == c) for g in range(n_groups)]
        np.testing.assert_allclose(found.tpr[c], rates, rtol=1e-14)
        assert found.variance[c] == pytest.approx(np.mean((rates - np.mean(rates)) ** 2))


def test_a_class_that_one_group_lacks_does_not_spoil_the_others() -> None:
    """The example done by hand, and a class of one group: its rate is there, its gap is not."""
    found = tpr_gaps([*TRUTH, "cook"], [*GUESS, "cook"], [*GROUP, "f"])
    assert found.classes == ("cook", "nurse", "pilot")
    np.testing.assert_array_equal(found.n[0], [1, 0])
    np.testing.assert_array_equal(found.tpr[0], [1, np.nan])
    np.testing.assert_allclose(found.gap, [np.nan, 1 / 2, -1 / 6])
    assert found.mean_absolute_gap == pytest.approx(1 / 3)
    assert found.mean_variance == pytest.approx((1 / 16 + 1 / 144) / 2)


@given(st.integers(0, 2**32 - 1))
def test_rates_of_many_labels_are_those_of_a_loop(seed: int) -> None:
    rng = np.random.default_rng(seed)
    truth, guess = rng.integers(2, size=(2, 80, 3))
    group = np.array(["f", "m"] * 40)
    truth[:2] = 1  # each class has a sample of each group
    found = tpr_gaps(truth, guess.astype(bool), group, classes=["a", "b", "c"])
    assert found.classes == ("a", "b", "c")
    for c in range(3):
        rates = [guess[(truth[:, c] == 1) & (group == g), c].mean() for g in ("f", "m")]
        np.testing.assert_allclose(found.tpr[c], rates, rtol=1e-14)
    # One label each is the same as a class each.
    single = rng.integers(3, size=60)
    single[:6] = [0, 0, 1, 1, 2, 2]
    wrong = rng.integers(3, size=60)
    many = tpr_gaps(np.eye(3)[single], np.eye(3)[wrong], group[:60])
    np.testing.assert_array_equal(many.tpr, tpr_gaps(single, wrong, group[:60]).tpr)


def test_three_groups_have_a_variance_and_no_gap() -> None:
    found = tpr_gaps([0, 0, 0], [0, 0, 1], ["a", "b", "c"])
    assert found.mean_variance == pytest.approx(2 / 9)
    with pytest.raises(ValueError, match="there are 3; variance serves any number"):
        _ = found.gap


def test_bad_classifications_are_told() -> None:
    refused(r"one a sample and class; got shapes \(2,\), \(1,\)", tpr_gaps, [1, 2], [1], [0, 1])
    refused("two or more different groups are needed", tpr_gaps, [1, 2], [1, 2], ["f", "f"])
    none = "no class has samples of every group, .* class 1 has none of the group m"
    refused(none, tpr_gaps, [1, 1, 2], [1, 1, 2], ["f", "f", "m"])
    refused("true or false for every", tpr_gaps, [[2, 0]], [[1, 0]], ["f"])
    refused("must name 2 columns; got 1", tpr_gaps, [[1, 0]], [[1, 0]], ["f"], classes="a")
    refused("unknown group 'm'", tpr_gaps, [1, 1], [1, 1], ["f", "m"], groups=["f", "x"])


def test_only_models_far_from_the_mean_are_ranked() -> None:
    biases = [0.0, 0.1, 0.5, 0.5, 0.52, 0.9, 1.0]  # mean .503, population sd .35
    scores = [0.1, 0.4, 9.0, -9.0, 7.0, 0.3, 0.5]
    found = ranking_accuracy(scores, biases)
    assert (found.less_biased, found.more_biased) == ((0, 1), (5, 6))
    assert (found.accuracy, found.n_pairs) == (0.75, 4)  # only 0.4 before 0.3 is wrong
    assert 0 < found.low < 0.75 < found.high < 1


@given(st.integers(0, 2**32 - 1))
def test_the_accuracy_is_mann_and_whitneys_statistic(seed: int) -> None:
    rng = np.random.default_rng(seed)
    biases, scores = rng.normal(size=25), rng.integers(5, size=25)
    found = ranking_accuracy(scores, biases, sds=0.5)
    less, more = scores[list(found.less_biased)], scores[list(found.more_biased)]
    u = stats.mannwhitneyu(more, less, method="asymptotic").statistic
    assert found.accuracy == pytest.approx(u / found.n_pairs)
    turned = ranking_accuracy(-scores, biases, sds=0.5)
    assert turned.accuracy == pytest.approx(1 - found.accuracy)
    assert turned.low == pytest.approx(1 - found.high, abs=1e-9)  # brentq's own tolerance


def test_the_interval_of_a_perfect_ranking_is_no_point() -> None:
    found = ranking_accuracy(np.arange(8.0), np.arange(8.0), sds=0)
    assert found.high == found.accuracy == 1
    assert 0.5 < found.low < 0.95


def test_the_interval_of_the_accuracy_covers_as_it_says() -> None:
    rng, theta = np.random.default_rng(1), stats.norm.cdf(1.2 / np.sqrt(2))
    biases = np.repeat([0.0, 1.0], 10)
    inside = 0
    for _ in range(1000):
        found = ranking_accuracy(rng.normal(1.2 * biases, 1), biases, sds=0.5)
        inside += found.low <= theta <= found.high
    assert 0.86 < inside / 1000 < 0.94  # nominal .89; binomial sd .01, and Newcombe's is cautious


def test_runs_of_one_model_count_once() -> None:
    """Five seeds of three models: one pair, and the interval that one wrong pair has."""
    biases, scores = np.repeat([0.0, 0.5, 1.0], 5), np.repeat([3.0, 2.0, 1.0], 5)
    noise = 0.01 * np.random.default_rng(5).normal(size=(2, 15))
    names = np.repeat(["low", "middle", "high"], 5).tolist()
    runs = ranking_accuracy(scores + noise[0], biases + noise[1])
    found = ranking_accuracy(scores + noise[0], biases + noise[1], models=names)
    assert (runs.n_pairs, found.n_pairs) == (25, 1)
    assert (found.less_biased, found.more_biased) == ((0,), (2,))
    assert found.accuracy == found.low == runs.accuracy == 0
    # θ² = z² θ(1 - θ) for one pair of one and one, so that θ = z²/(1 + z²), z = 1.598 for 89%.
    z = stats.norm.ppf(0.945)
    assert found.high == pytest.approx(z**2 / (1 + z**2), abs=1e-6)  # .72
    assert runs.high < 0.4
    refused("must name each of the 15 runs; got 2", ranking_accuracy, scores, biases, models="ab")


def test_models_of_one_bias_cannot_be_ranked() -> None:
    refused("0 models lie more than 1 sd below", ranking_accuracy, [1, 2, 3], [0.1, 0.1, 0.1])
    refused("row 1 is not finite", ranking_accuracy, [1, np.nan, 3], [0.1, 0.2, 0.3])
    refused("sds must be 0 or more, got -1", ranking_accuracy, [1, 2], [0.1, 0.2], sds=-1)


@pytest.mark.parametrize("method", ["pearson", "spearman"])
def test_correlations_are_scipys(method: str) -> None:
    rng = np.random.default_rng(3)
    x = rng.normal(size=30)
    y = x + rng.normal(size=30)
    found = correlate(x, y, method=method, ci_prob=0.9)
    oracle = stats.pearsonr(x, y) if method == "pearson" else stats.spearmanr(x, y)
    assert found.r == pytest.approx(oracle.statistic, abs=1e-12)
    assert (found.interval, found.n_clusters) == ("fisher z", 30)
    if method == "pearson":
        expected = oracle.confidence_interval(0.9)
        assert (found.low, found.high) == pytest.approx(tuple(expected), abs=1e-10)


def test_fishers_interval_of_ranks_by_its_formula() -> None:
    # Bonett and Wright (2000): z ± 1.96 sqrt((1 + r²/2)/(n - 3)); ranks below have r = 0.6
    found = correlate([1, 2, 3, 4, 5], [2, 1, 3, 5, 4], method="spearman", ci_prob=0.95)
    half = 1.959964 * np.sqrt((1 + 0.8**2 / 2) / 2)
    assert found.r == pytest.approx(0.8)
    assert found.low == pytest.approx(np.tanh(np.arctanh(0.8) - half), abs=1e-6)


def test_rows_of_a_cluster_do_not_count_as_independent() -> None:
    rng = np.random.default_rng(4)
    cluster = np.repeat(np.arange(12), 20)
    score = rng.normal(size=12)[cluster] + 0.05 * rng.normal(size=240)
    bias = rng.normal(size=12)[cluster] + 0.05 * rng.normal(size=240)
    apart, together = correlate(score, bias), correlate(score, bias, clusters=cluster, seed=0)
    assert together.interval == "cluster bootstrap"
    assert together.r == apart.r
    assert together.high - together.low > 2.5 * (apart.high - apart.low)  # about sqrt(20) less 1
    assert correlate(score, bias, clusters=cluster, seed=0) == together
    assert correlate(score, bias, clusters=cluster, seed=1).low != together.low
    assert (apart.seed, together.seed) == (None, 0)


def test_the_bootstrap_of_clusters_covers_about_as_it_says() -> None:
    rng, inside = np.random.default_rng(5), 0
    for _ in range(200):
        centre = rng.multivariate_normal([0, 0], [[1, 0.5], [0.5, 1]], 25)
        rows = np.repeat(centre, 4, axis=0)
        found = correlate(*rows.T, clusters=np.repeat(np.arange(25), 4), n_resamples=200, seed=0)
        inside += found.low <= 0.5 <= found.high
    assert 0.80 < inside / 200 < 0.95  # nominal .89; sd .022, and percentiles are a little short


def test_the_levels_of_correlation() -> None:
    rng = np.random.default_rng(6)
    rows = [
        (model, f"c{c}", size * (c - 3) + 0.3 * rng.normal(), size * (c - 3))
        for model, size in zip("abcdef", [0.2, 0.5, 0.9, 1.4, 2.0, 2.5], strict=True)
        for c in range(8)
        for _ in range(5)
    ]
    frame = pd.DataFrame(rows, columns=["model", "class", "score", "bias"])
    found = correlations(frame, n_resamples=200, seed=0)
    assert found["level"].tolist() == ["class"] * 6 + ["sample"] * 6 + ["model"]
    assert found["model"].tolist() == [*"abcdef", *"abcdef", ""]
    means = frame.groupby(["model", "class"])[["score", "bias"]].mean()
    one = means.loc["c"]
    assert found["r"][2] == pytest.approx(np.corrcoef(one["score"], one["bias"])[0, 1])
    sizes = means.abs().groupby("model").mean()
    assert found["r"].iloc[-1] == pytest.approx(np.corrcoef(sizes["score"], sizes["bias"])[0, 1])
    assert found["interval"].tolist() == ["fisher z"] * 6 + ["cluster bootstrap"] * 6 + ["fisher z"]
    assert found["n"].tolist() == [8] * 6 + [40] * 6 + [6]
    assert ((found["low"] <= found["r"]) & (found["r"] <= found["high"])).all()


def test_bad_correlations_are_told() -> None:
    refused("4 or more numbers each", correlate, [1, 2, 3], [1, 2, 3])
    refused("all 4 biases are equal", correlate, [1, 2, 3, 4], [1, 1, 1, 1])
    four = partial(correlate, [1, 2, 3, 4], [1, 2, 3, 5])
    refused("2 clusters are too few", four, clusters=[0, 0, 1, 1])
    refused("one cluster for each of the 4 rows", four, clusters=[0, 0, 1])
    refused("unknown method 'kendall'", four, method="kendall")
    refused("lacks the column", correlations, pd.DataFrame({"model": [1]}))
    none = pd.DataFrame(columns=["model", "class", "score", "bias"])
    refused("unknown level 'word'", correlations, none, levels=["word"])
