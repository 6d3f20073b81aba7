"""Null scenarios: their tables are valid, and their stated truths hold."""

import json
from dataclasses import replace
from functools import partial

import numpy as np
import pandas as pd
import pytest
from builders import refused, unit
from scipy.stats import t

import bayesbias as bb
from bayesbias.nulls import (
    ABOUT,
    SCENARIOS,
    Scenario,
    VocabularyScenario,
    scenario,
    vocabulary_scenario,
)

SE = 4.5
"""Allowed standard errors of a simulated mean: a share of 7e-6 exceed it. Seeds are fixed."""


def clusters(n: int = 6, size: int = 4) -> np.ndarray:
    """Return unit vectors in tight clusters along orthogonal axes."""
    rng = np.random.default_rng(2)
    rows = np.repeat(np.eye(n), size, axis=0) + 1e-3 * rng.standard_normal((n * size, n))
    return unit(rows)


@pytest.mark.parametrize("name", SCENARIOS)
def test_every_named_scenario_gives_valid_tables_with_controls(name: str) -> None:
    assert name in ABOUT
    batch = scenario(name).simulate(3, seed=1)
    table = batch.table(2)
    pd.testing.assert_frame_equal(bb.validate_table(table), table)
    sets = table[table["connection"] == "associated"].groupby("protected_group")["attribute_set"]
    expected = {group: [of] for group, of in zip(batch.scenario.groups, "ABC", strict=False)}
    assert sets.unique().map(list).to_dict() == expected
    human = table[table["connection"] == "human"]
    assert human["attribute_set"].unique().tolist() == ["human"]
    assert human["protected_word"].value_counts().unique().tolist() == [8]
    assert not table.duplicated(["protected_word", "attribute"]).any()
    assert len(repr(batch.scenario)) < 500  # no vectors
    assert batch.distances[2].ravel() == pytest.approx(table["cosine_distance"], abs=1e-15)


@pytest.mark.parametrize("name", sorted(SCENARIOS))
def test_the_true_contrasts_are_what_tables_average_to(name: str) -> None:
    batch = scenario(name).simulate(100 if "topics" in name else 2000, seed=7)
    table, by_word = batch.scenario.rows, -batch.planted
    for other, share in (("different", 1.0), ("human", 1 - 1 / len(batch.scenario.groups))):
        weights = row_weights(table, "associated") - row_weights(table, other)
        found = batch.distances.reshape(len(batch), -1) @ weights
        error = found.std(ddof=1) / np.sqrt(len(found))
        assert found.mean() == pytest.approx(share * by_word.mean(), abs=SE * error)
    assert ("planted" in name) == bool(np.any(batch.planted))


def row_weights(table: pd.DataFrame, connection: str) -> np.ndarray:
    """Return the weight of each row in the mean of the words' mean distances to a connection."""
    rows = table["connection"] == connection
    counts = table[rows].groupby("protected_word").size().reindex(table["protected_word"])
    return np.where(rows, 1 / counts.to_numpy() / table["protected_word"].nunique(), 0.0)


def test_one_of_three_groups_may_be_biased() -> None:
    made = Scenario(
        groups=("p", "q", "r"), effect=(0.1, 0, 0), n_words=(3, 4, 5), n_attributes=(6, 2, 4),
        controls=("human",),
    )  # fmt: skip
    batch = made.simulate(3000, seed=1)
    assert batch.planted.tolist() == [0.1] * 3 + [0.0] * 9
    sets = [
        batch.distances[:, :, made.set_of_attribute == place].mean(axis=2) for place in range(3)
    ]
    for group in range(3):
        rows = made.group_of_word == group
        others = (sets[(group + 1) % 3] + sets[(group + 2) % 3]) / 2
        gap = (sets[group] - others)[:, rows].mean(axis=1)
        error = gap.std() / np.sqrt(len(gap))
        assert gap.mean() == pytest.approx(-made.effects[rows].mean(), abs=SE * error)


def test_a_debiasing_keeps_spread_and_mean_and_takes_the_effect_away() -> None:
    made = Scenario(word_sd=0.04, word_bias_sd=0.05, effect=0.2, controls=("human",))
    before = made.simulate(2000, seed=1)
    after = before.debiased(replace(made, effect=0.0).simulate(2000, seed=2), kept=0.6)
    assert after.distances.mean(axis=(1, 2)) == pytest.approx(before.distances.mean(axis=(1, 2)))
    assert not after.planted.any()
    first, second = before.word_bias[:, 0], after.word_bias[:, 0]
    # With 2,000 pairs, correlations have a standard error near .015, and sds of .05 one of .0008.
    assert np.corrcoef(first, second)[0, 1] == pytest.approx(0.6, abs=SE * 0.015)
    assert second.std() == pytest.approx(0.05, abs=SE * 0.0008)
    # Expectations of a word's own and other attributes differ by its bias, before and after.
    own = made.own[0].astype(bool)
    other = made.set_of_attribute == 1
    for batch in (before, after, after - before):
        gap = batch.expected[:, 0, other].mean(axis=1) - batch.expected[:, 0, own].mean(axis=1)
        assert gap == pytest.approx(batch.word_bias[:, 0], abs=1e-12)


@pytest.mark.seconds
def test_variances_and_covariances_are_those_of_the_effects() -> None:
    sds = {"cell_sd": 0.03, "word_sd": 0.05, "attribute_sd": 0.07}
    batch = Scenario(**sds, attribute_bias_sd=0.05, effect=0.1).simulate(20_000, seed=3)
    cells = Scenario(**sds).simulate(20_000, seed=3).distances
    one, same_word, same_attribute = cells[:, 0, 0], cells[:, 0, 1], cells[:, 1, 0]
    # A sample covariance of 20,000 pairs with sd .09 has a standard error near 8e-5.
    assert np.var(one) == pytest.approx(0.03**2 + 0.05**2 + 0.07**2, abs=5e-4)
    assert np.cov(one, same_word)[0, 1] == pytest.approx(0.05**2, abs=4e-4)
    assert np.cov(one, same_attribute)[0, 1] == pytest.approx(0.07**2, abs=4e-4)
    assert np.cov(one, cells[:, 1, 1])[0, 1] == pytest.approx(0, abs=4e-4)
    assert (batch.distances - batch.expected).std() == pytest.approx(0.03, rel=0.01)


@pytest.mark.parametrize("lean", ["any", "own"])
def test_leanings_of_three_groups_sum_to_zero_and_have_the_sd_asked_for(lean: str) -> None:
    made = Scenario(
        groups=("p", "q", "r"), n_words=2, n_attributes=2, controls=("human",),
        cell_sd=0.0, word_bias_sd=0.05, lean=lean,
    )  # fmt: skip
    batch = made.simulate(4000, seed=1)
    lies = batch.distances[:, 0].reshape(-1, 4, 2)[:, :, 0] - 1  # to each set, then to controls
    assert lies.sum(axis=1) == pytest.approx(0.0, abs=1e-12)
    assert lies[:, 3] == pytest.approx(0.0, abs=1e-15)
    assert lies[:, 1:3].mean(axis=1) - lies[:, 0] == pytest.approx(batch.word_bias[:, 0])
    # A standard deviation of 4,000 draws has a relative error of .011.
    assert batch.word_bias[:, 0].std() == pytest.approx(0.05, rel=SE * 0.011)
    assert np.array_equal(lies[:, 1], lies[:, 2]) == (lean == "own")
    turned = replace(made, word_bias_sd=0.0, attribute_bias_sd=0.05).simulate(4000, seed=1)
    to_words = turned.distances[:, ::2, 0] - 1  # of one attribute, to a word of each group
    assert to_words.sum(axis=1) == pytest.approx(0.0, abs=1e-12)
    assert to_words[:, 0].std() == pytest.approx(0.05 * 2 / 3, rel=SE * 0.011)
    assert turned.distances[:, :, -2:] == pytest.approx(1.0, abs=1e-15)  # of controls


def test_topics_are_neighbors_and_random_lists_are_not() -> None:
    apart = VocabularyScenario(vectors=clusters(40, 1), n_words=4, n_attributes=4)
    made = VocabularyScenario(vectors=clusters(), n_words=4, n_attributes=4)
    topics = replace(made, lists="topics")
    # Axes differ: a word drawn twice would give a distance of 0. If topics and clusters have four
    # words, every list is one cluster, orthogonal to the others.
    for one in (apart, replace(apart, lists="topics"), topics):
        assert one.simulate(30, seed=1).distances == pytest.approx(1.0, abs=0.02)
    assert made.simulate(30, seed=1).distances.min() < 0.1
    assert np.array_equal(*(topics.simulate(2, seed=1).distances for _ in range(2)))
    assert topics.table(seed=3).equals(topics.simulate(1, seed=3).table(0))
    assert (topics.simulate(2, seed=1).distances != topics.simulate(2, seed=2).distances).any()


def test_distances_stay_within_six_sds_and_the_effect() -> None:
    sds = {"cell_sd": 0.03, "word_sd": 0.02, "attribute_sd": 0.01, "word_bias_sd": 0.02}
    variance = 0.03**2 + 0.02**2 + 0.01**2 + (2 / 3) ** 2 * (0.02**2 + 0.03**2)
    reach = 6 * np.sqrt(variance) + 0.2 * 2 / 3
    made = partial(
        Scenario, groups=("p", "q", "r"), effect=(0.1, -0.2, 0.0), attribute_bias_sd=0.03, **sds
    )
    for mean, inward in ((reach, 1), (2 - reach, -1)):
        made(mean=mean + 1e-9 * inward)
        refused("would fall outside", made, mean=mean - 1e-6 * inward)


@pytest.mark.parametrize("df", [3.0, 5.0])
def test_heavy_tails_have_the_sd_asked_for_and_are_cut_off(df: float) -> None:
    batch = Scenario(cell_sd=0.1, cell_df=df).simulate(200, seed=1)
    noise = (batch.distances - batch.expected) / 0.1
    q = np.array([0.1, 0.25, 0.5, 0.8])
    # 51,200 draws with a density of about .5: an error of .004.
    np.testing.assert_allclose(np.quantile(noise, q), t.ppf(q, df) / t.std(df), atol=0.02)
    np.testing.assert_allclose([noise.min(), noise.max()], [-6, 6])


@pytest.mark.parametrize(
    ("planted", "signs"),
    [("all", [1] * 6), ("one word", [1, *[0] * 5]), ("opposite", [1, -1, *[0] * 4])],
)
def test_effects_are_planted_in_the_words_named(planted: str, signs: list[int]) -> None:
    """Without noise, a word is half of its effect closer to its own set than the mean."""
    sizes = {"n_words": (2, 4), "n_attributes": (3, 2), "controls": ("human",)}
    made = Scenario(cell_sd=0.0, mean=0.9, effect=(0.2, 0.1), planted=planted, **sizes)
    effects = np.array([0.2, 0.2, 0.1, 0.1, 0.1, 0.1]) * signs
    batch = made.simulate(1)
    np.testing.assert_allclose(batch.planted, effects)
    own = np.repeat([[1, 1, 1, -1, -1, 0, 0, 0], [-1, -1, -1, 1, 1, 0, 0, 0]], [2, 4], axis=0)
    np.testing.assert_allclose(batch.distances[0], 0.9 - effects[:, None] / 2 * own)
    np.testing.assert_allclose(batch.associations()[0], effects * [1, 1, -1, -1, -1, -1])


def test_a_scenario_of_an_embedding_uses_words_of_letters() -> None:
    rng, words = np.random.default_rng(1), [*(f"w{letter}" for letter in "abcdefghij"), "w1"]
    rows = 0.1 * rng.standard_normal((len(words), 3))
    held = dict(zip(words, rows, strict=True))
    made = vocabulary_scenario(held, n_words=2, n_attributes=2, controls=())
    np.testing.assert_allclose(made.vectors, unit(rows[:10]), atol=1e-6)  # single precision


def test_settings_tell_scenarios_apart() -> None:
    made = [scenario(name) for name in SCENARIOS]
    assert len({json.dumps(one.settings(), sort_keys=True) for one in made}) == len(made)
    one, other = Scenario(word_sd=0, mean=1), Scenario(n_words=(8, 8), cell_sd=np.float64(0.08))
    assert one == other
    assert json.dumps(one.settings()) == json.dumps(other.settings())


@pytest.mark.parametrize("number", [int, float, np.int64, np.uint8, np.float32, np.float64])
def test_numbers_of_any_type_give_the_same_settings(number: type) -> None:
    given = {"n_words": 5, "n_attributes": 4, "effect": 0, "word_sd": 0, "mean": 1, "cell_df": 5}
    if number in (float, np.float32, np.float64):  # sizes are whole
        given = {name: given[name] for name in ("effect", "word_sd", "mean", "cell_df")}
    plain, other = Scenario(**given), Scenario(**{name: number(n) for name, n in given.items()})
    assert json.dumps(plain.settings()) == json.dumps(other.settings())
    assert plain == other


@pytest.mark.parametrize("make", [Scenario, partial(VocabularyScenario, vectors=clusters(9, 6))])
def test_no_two_words_of_a_scenario_have_one_name(make) -> None:
    sizes = {"n_words": 11, "n_attributes": 2, "controls": ("human",)}
    for groups in (("B", "C", "X"), ("human", "Y"), ("X", "X1"), ("A", "Z")):
        refused("two words would be called", make, groups=groups, **sizes)
    for groups in (("x", "X"), ("C", "D"), ("X1", "X2"), ("neutral", "Y")):
        table = make(groups=groups, **sizes).table(seed=1)
        words = {*table["protected_word"], *table["attribute"]}
        assert len(words) == 2 * 11 + 3 * 2


def test_what_cannot_be_is_refused() -> None:
    three = Scenario(groups=("p", "q", "r")).simulate(1, seed=1)
    for fragment, arguments in (
        ("cell_sd is a standard deviation and must be 0 or more; got 'wide'", {"cell_sd": "wide"}),
        (r"effect is a difference of distances and must be in \[-1, 1\]; got 3", {"effect": 3}),
        (r"effect is a difference of distances .* got -1.5", {"effect": (0.1, -1.5)}),
        ("effect must be one number or 2 numbers", {"effect": (0.1, 0.0, 0.1)}),
        (r"mean is a distance and must lie in \[0, 2\]; got nan", {"mean": float("nan")}),
        ("groups must be 2 to 26 different names; got", {"groups": (1, 2)}),
        ("n_words must be a whole number, 2 or more; got 1", {"n_words": 1}),
        ("n_words must be one number or 2 numbers", {"n_words": (2, 3, 4)}),
        ("controls must be different names from .*human.*; got", {"controls": ("humans",)}),
        ("cell_df must be None or above 2", {"cell_df": 2}),
        (r"distances would fall outside \[0, 2\].*Reduce the sds", {"cell_sd": 0.5}),
    ):
        refused(fragment, Scenario, **arguments)
    words = partial(VocabularyScenario, vectors=clusters())
    for fragment, call, arguments in (
        ("unknown scenario 'independant'; did you mean", scenario, {"name": "independant"}),
        ("has 24 words, but a table needs 32", words, {}),
    ):
        refused(fragment, call, **arguments)
    refused("tables are numbered from 0 to 0; got 2", three.table, 2, error=IndexError)
    refused("compare two groups", three.associations)
