"""Measures of downstream bias, and their agreement with scores."""

from functools import partial

import numpy as np
import pandas as pd
import pytest
from builders import refused
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from bayesbias.debias import cluster_accuracy
from bayesbias.extrinsic import correlate, correlations, ranking_accuracy, subgroup_areas, tpr_gaps


def test_the_interval_of_a_gap_is_as_newcombe_printed_it() -> None:
    # Newcombe (1998), example (a): 56 of 70 and 48 of 80, 95%, method 10.
    predicted = np.repeat([1, 0, 1, 0], [56, 14, 48, 32])
    found = tpr_gaps(np.ones(150), predicted, np.repeat(["a", "b"], [70, 80]), ci_prob=0.95)
    np.testing.assert_allclose(found[["low", "high"]], [[0.0524, 0.3339]], atol=5e-5)


def test_the_corrected_variance_is_right_on_average() -> None:
    """Use groups of 5 to 40 samples, so rates also differ by chance."""
    rates, n = np.array([0.5, 0.6, 0.9]), np.array([5, 10, 40])
    group = np.repeat([0, 1, 2], n)
    predicted = np.random.default_rng(1).random((n.sum(), 5000)) < rates[group][:, None]
    found = tpr_gaps(np.ones(predicted.shape), predicted, group)
    error = found["corrected_variance"].std() / np.sqrt(len(found))
    assert abs(found["corrected_variance"].mean() - rates.var(ddof=1)) < 4 * error
    assert found["variance"].mean() > rates.var() + 10 * error


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
    for one in (members, members.to_numpy(), members[1]):
        again = subgroup_areas(truth, score, one).set_index("group")
        pd.testing.assert_frame_equal(again, found.loc[again.index])
    alone = subgroup_areas([1, 0], [0.2, 0.1], pd.DataFrame({"all": [1, 1], "none": [0, 0]}))
    assert alone["subgroup"].tolist()[0] == 1.0
    assert alone[["bpsn", "bnsp"]].isna().all(axis=None)


@pytest.mark.seconds
@settings(max_examples=20)
@given(st.integers(0, 2**32 - 1), st.integers(2, 4), st.integers(2, 5))
def test_rates_are_those_of_a_loop(seed: int, n_groups: int, n_classes: int) -> None:
    rng = np.random.default_rng(seed)
    base = np.indices((n_classes, n_groups)).reshape(2, -1)
    more = rng.integers([[n_classes], [n_groups]], size=(2, 60))
    truth, group = np.concatenate([base, more], axis=1)
    guess = rng.integers(n_classes, size=len(truth))
    found = tpr_gaps(truth, guess, group)
    many = tpr_gaps(np.eye(n_classes)[truth], np.eye(n_classes)[guess], group)
    pd.testing.assert_frame_equal(many.drop(columns="class"), found.drop(columns="class"))
    named = [
        pd.DataFrame(np.eye(n_classes)[of]).rename(columns="c{}".format) for of in (truth, guess)
    ]
    for frames in (named, [named[0], named[1].to_numpy()], [named[0].to_numpy(), named[1]]):
        found_named = tpr_gaps(*frames, group)
        assert found_named["class"].tolist() == [f"c{c}" for c in range(n_classes)]
        pd.testing.assert_frame_equal(found_named.assign(**{"class": many["class"]}), many)
    refused("different labels", tpr_gaps, named[0], named[1].iloc[:, ::-1], group)
    for c in range(n_classes):
        rates = [np.mean(guess[(truth == c) & (group == g)] == c) for g in range(n_groups)]
        np.testing.assert_allclose(found.filter(like="tpr_").loc[c], rates, rtol=1e-14)
        assert found["variance"][c] == pytest.approx(np.mean((rates - np.mean(rates)) ** 2))
    if n_groups == 2:
        turned = tpr_gaps(truth, guess, group, groups=[1, 0])
        np.testing.assert_allclose(found["gap"], found["tpr_0"] - found["tpr_1"], atol=1e-14)
        np.testing.assert_array_equal(turned["gap"], -found["gap"])


@settings(max_examples=20)
@given(st.integers(0, 2**32 - 1))
def test_the_accuracy_is_mann_and_whitneys_statistic_of_models_far_from_the_mean(seed: int) -> None:
    rng = np.random.default_rng(seed)
    biases, scores = rng.normal(size=25), rng.integers(5, size=25)
    found = ranking_accuracy(scores, biases, sds=0.5)
    far = np.abs(biases - biases.mean()) > biases.std() / 2
    less, more = scores[far & (biases < biases.mean())], scores[far & (biases > biases.mean())]
    assert (found["n_less"], found["n_more"]) == (len(less), len(more))
    assert found["low"] <= found["accuracy"] <= found["high"]
    u = stats.mannwhitneyu(more, less, method="asymptotic").statistic
    assert found["accuracy"] == pytest.approx(u / (len(less) * len(more)))


def test_runs_of_one_model_count_once() -> None:
    """Five seeds of three models count as one pair, with the interval of one wrong pair."""
    biases, scores = np.repeat([0.0, 0.5, 1.0], 5), np.repeat([3.0, 2.0, 1.0], 5)
    noise = 0.01 * np.random.default_rng(5).normal(size=(2, 15))
    names = np.repeat(["low", "middle", "high"], 5).tolist()
    runs = ranking_accuracy(scores + noise[0], biases + noise[1])
    found = ranking_accuracy(scores + noise[0], biases + noise[1], models=names)
    assert (runs["n_less"], found["n_less"], found["n_more"]) == (5, 1, 1)
    assert found["accuracy"] == found["low"] == runs["accuracy"] == 0
    # For one pair out of one, θ² = z² θ(1 - θ), so θ = z²/(1 + z²), with z = 1.598 for 89%.
    z = stats.norm.ppf(0.945)
    assert found["high"] == pytest.approx(z**2 / (1 + z**2), abs=1e-6)  # .72
    assert runs["high"] < 0.4


def test_correlations_are_scipys_and_their_intervals_fishers() -> None:
    x, y = np.random.default_rng(3).normal(size=(2, 30)) + np.linspace(0, 2, 30)
    found, oracle = correlate(x, y, ci_prob=0.9), stats.pearsonr(x, y)
    expected = (oracle.statistic, *oracle.confidence_interval(0.9))
    assert (found["r"], found["low"], found["high"]) == pytest.approx(expected, abs=1e-10)
    # Bonett and Wright (2000): z ± 1.96 sqrt((1 + r²/2)/(n - 3)); ranks below have r = 0.8
    found = correlate([1, 2, 3, 4, 5], [2, 1, 3, 5, 4], method="spearman", ci_prob=0.95)
    half = 1.959964 * np.sqrt((1 + 0.8**2 / 2) / 2)
    assert found["r"] == pytest.approx(0.8)
    assert found["low"] == pytest.approx(np.tanh(np.arctanh(0.8) - half), abs=1e-6)


def test_rows_of_a_cluster_do_not_count_as_independent() -> None:
    rng = np.random.default_rng(4)
    cluster = np.repeat(np.arange(12), 20)
    score, bias = rng.normal(size=(2, 12))[:, cluster] + 0.05 * rng.normal(size=(2, 240))
    alone, together = correlate(score, bias), correlate(score, bias, clusters=cluster, seed=0)
    assert together["r"] == alone["r"]
    # About sqrt(20) less 1.
    assert together["high"] - together["low"] > 2.5 * (alone["high"] - alone["low"])


@pytest.mark.seconds
def test_the_levels_of_correlation() -> None:
    rng = np.random.default_rng(6)
    frame = pd.DataFrame({"model": np.repeat([*"abc"], 40), "class": np.tile(np.arange(8), 15)})
    frame["bias"] = np.repeat([0.2, 0.9, 2.5], 40) * (frame["class"] - 3)
    frame["score"] = frame["bias"] + 0.3 * rng.normal(size=120)
    frame = pd.concat([frame, frame.iloc[-8:].assign(model="d")])
    found = correlations(frame, seed=0)
    assert found["level"].tolist() == ["class"] * 4 + ["sample"] * 4 + ["model"]
    assert found["model"].tolist() == [*"abcd", *"abcd", ""]
    means = frame.groupby(["model", "class"])[["score", "bias"]].mean()
    sizes = means.abs().groupby("model").mean()
    for r, rows in ((found["r"][2], means.loc["c"]), (found["r"].iloc[-1], sizes)):
        assert r == pytest.approx(np.corrcoef(rows["score"], rows["bias"])[0, 1])
    assert found["n"].tolist() == [8] * 4 + [40] * 3 + [8, 4]
    texts = frame.assign(score=frame["score"].map(repr), bias=frame["bias"].map(repr))
    pd.testing.assert_frame_equal(correlations(texts, seed=0), found)
    biased = pd.Series(rng.random(len(frame)) < 0.5, frame.index)
    by_number = correlations(frame.assign(bias=biased.astype(int)), seed=0)
    for kind in ("bool", "boolean", "object", "bool[pyarrow]"):
        truths = frame.assign(bias=biased.array.astype(kind))
        pd.testing.assert_frame_equal(correlations(truths, seed=0), by_number)
    for odd in ("high", None, np.inf):
        wrong = frame.astype(object).assign(score=[0.5, odd, *frame["score"][2:]])
        refused("column score must be finite.* got ('high'|nan|inf) in row 1", correlations, wrong)
    alone = correlations(frame[frame["model"] == "c"], seed=0)
    assert alone["level"].tolist() == ["class", "sample"]
    assert alone["r"][0] == found["r"][2]
    # With four classes, only model d has one row for each.
    for n, levels in ((4, ["class"] * 4 + ["sample", "model"]), (3, ["model"])):
        few = correlations(frame[frame["class"] < n], seed=0)
        assert few["level"].tolist() == levels
    refused("no level can be", correlations, frame[(frame["class"] < 3) & (frame["model"] == "a")])


FOUR = ([1, 2, 3, 4], [1, 2, 3, 5])
EMPTY = pd.DataFrame({"a": [1, 0]})


def test_refusals() -> None:
    refused(r"matching shapes; got \(2,\), \(1,\)", tpr_gaps, [1, 2], [1], [0, 1])
    refused("two or more groups must all have samples", tpr_gaps, [1, 2], [1, 2], ["f", "f"])
    refused("true or false for every", tpr_gaps, [[2, 0]], [[1, 0]], ["f"])
    refused("truth must be true or false", subgroup_areas, [1, 2], [0.2, 0.1], EMPTY)
    refused("has no class of truth", tpr_gaps, [1, 1, 2, 2], ["1", "1", "2", "2"], [*"fmfm"])
    for few in (0, 24):
        refused("n_resamples must be", correlate, *FOUR, clusters=[*"abcd"], n_resamples=few)
    refused("models must be over 1 sd below", ranking_accuracy, [1, 2, 3], [0.1, 0.1, 0.1])
    sizes = np.arange(1, 25)  # sums of as many equal numbers are rounded differently
    names, scores = np.repeat(sizes, sizes), np.arange(sizes.sum()) % 7
    equal = np.full(len(names), 1 / 3)
    refused("over 1 sd below", partial(ranking_accuracy, models=names), scores, equal)
    parts = {"model": names, "class": 0, "score": scores, "bias": equal}
    refused("biases that vary", correlations, pd.DataFrame(parts))
    refused("scores must be finite numbers, as", ranking_accuracy, [1, np.nan], [0.1, 0.2])
    for models, why in (([*"ab"], "4 names.* got 2"), ([*"abc", None], "no model in row 3")):
        refused(why, ranking_accuracy, *FOUR, models=models)
    refused("4 or more rows", correlate, [1, 2, 3], [1, 2, 3])
    refused("biases that vary", correlate, [1, 2, 3, 4], [1, 1, 1, 1])
    refused("at least 5 of them must be different", correlate, *FOUR, clusters=[0, 0, 1, 2])
    for clusters in ([0, 0, 1], [*"abcdefg"], [[*"abcd"]], "abcd", {"a": 4}):
        refused("clusters must have 4 labels", correlate, *FOUR, clusters=clusters)
    for members in ({"a": [1, 0]}, 1, np.ones((2, 1, 1))):
        refused("members must be a frame or an array", subgroup_areas, [1, 0], [0.2, 0.1], members)
    for scores in ({"a": 4}, [*"abcd"], [[1], [2, 3], [4], [5]]):
        refused("scores must be finite numbers, as", correlate, scores, FOUR[1])
    for groups in ([*"ffm"], [*"fmf"]):
        refused("groups must be different", tpr_gaps, FOUR[0], FOUR[0], [*"fmfm"], groups=groups)
    refused("groups must be different", tpr_gaps, FOUR[0], FOUR[0], [1, 2] * 2, groups=[1, 2, "1"])
    refused("is missing columns", correlations, EMPTY)
    rows = {"model": ["a", None], "class": ["x", "y"], "score": [1.0, 2.0], "bias": [1.0, 2.0]}
    refused("no model in row 1", correlations, pd.DataFrame(rows))
    refused("no group in row 0", tpr_gaps, [1, 2], [1, 1], [None, "f"])
    for call in (correlate, ranking_accuracy, tpr_gaps):
        back = pd.Series(FOUR[1], [3, 2, 1, 0])
        more = (back,) if call is tpr_gaps else ()
        refused("have different labels", call, pd.Series(FOUR[1]), back, *more)
    refused("labels", cluster_accuracy, pd.DataFrame(np.eye(4)), pd.Series([0, 1, 0, 1], [*"abcd"]))
