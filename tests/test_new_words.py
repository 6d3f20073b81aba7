"""Predictions for words not measured, against closed forms."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from builders import model_named, only_row
from scipy.stats import norm
from xarray import DataTree

import bayesbias as bb
from bayesbias.model.tree import stacked

N = 4000
"""Draws of a posterior."""


def assert_tails(row: pd.Series, mean: np.ndarray, variance: np.ndarray, ci_prob: float) -> None:
    """The ends of an equal-tailed interval cut their tails off a mixture of Normals.

    The share of N draws beyond an end has a binomial error; four of them.
    """
    tail = (1 - ci_prob) / 2
    for end, expected in ((row["low"], tail), (row["high"], 1 - tail)):
        found = norm.cdf(end, mean, np.sqrt(variance)).mean()
        assert found == pytest.approx(expected, abs=4 * np.sqrt(tail * (1 - tail) / N))


@pytest.fixture(scope="module")
def maximal(toy_table: pd.DataFrame) -> DataTree:
    return bb.fit(toy_table, "maximal", seed=1)


def test_another_word_of_paper_has_the_normal_of_its_connection(toy_table: pd.DataFrame) -> None:
    tree = bb.fit(toy_table, "paper", seed=1)
    mean, sd = stacked(tree, "connection_mean"), stacked(tree, "connection_sd")
    frame = bb.predict_words(tree, 0.8, ci_kind="eti", seed=2)
    assert len(frame) == 2 * 6  # groups, pairs of connections
    for group in ("man", "woman"):
        for second, at in (("different", 1), ("human", 3)):
            row = only_row(frame, protected_group=group, first="associated", second=second)
            assert_tails(row, mean[:, 0] - mean[:, at], sd[:, 0] ** 2 + sd[:, at] ** 2, 0.8)


def test_another_word_of_a_group_lies_around_the_mean_of_its_group(toy_table: pd.DataFrame) -> None:
    tree = bb.fit(toy_table, model_named("crossed around groups"), seed=1)
    mean, sd = stacked(tree, "group_mean"), stacked(tree, "connection_sd")
    frame = bb.predict_words(tree, 0.8, ci_kind="eti", seed=2)
    for at, group in enumerate(("man", "woman")):
        row = only_row(frame, protected_group=group, first="neutral", second="human")
        assert_tails(row, mean[:, at, 2] - mean[:, at, 3], (sd[:, 2:] ** 2).sum(axis=1), 0.8)


def test_leaning_is_all_that_parts_sets_for_another_word_of_maximal(maximal: DataTree) -> None:
    """Two sets, whose leans are l and -l: the level of a word is the same for both."""
    mean, lean = stacked(maximal, "connection_mean"), stacked(maximal, "lean_sd")
    frame = bb.predict_words(maximal, 0.8, ci_kind="eti", seed=2)
    row = only_row(frame, protected_group="woman", first="associated", second="different")
    assert_tails(row, mean[:, 0] - mean[:, 1], 2 * lean**2, 0.8)


def test_attributes_listed_are_those_of_the_group_with_gaps_filled(maximal: DataTree) -> None:
    """Their effects are known; the mean over a few of them keeps residuals of so many."""
    frame = bb.predict_words(maximal, 0.8, ci_kind="eti", attributes="listed", seed=3)
    mean = stacked(maximal, "connection_mean")
    attribute, lean = stacked(maximal, "attribute_effect"), stacked(maximal, "attribute_lean")
    names = [str(each) for each in maximal["posterior"]["attribute"].values]

    def of(*words: str) -> np.ndarray:
        at = [names.index(word) for word in words]
        return attribute[:, at].mean(axis=1) + lean[:, at, 0].mean(axis=1)

    apart = mean[:, 0] - mean[:, 2] + of("soldier", "rancher") - of("clock", "park")
    sd, alike = stacked(maximal, "level_sd"), stacked(maximal, "level_correlation")
    kinds = list(maximal["posterior"]["attribute_kind"].values)
    s, n = kinds.index("stereotype"), kinds.index("neutral")
    variance = sd[:, s] ** 2 + sd[:, n] ** 2 - 2 * alike[:, s, n] * sd[:, s] * sd[:, n]
    variance += stacked(maximal, "lean_sd") ** 2 / 2
    sigma = stacked(maximal, "sigma")
    variance += sigma[:, 0] ** 2 / 2
    variance += sigma[:, 2] ** 2 / 2
    row = only_row(frame, protected_group="man", first="associated", second="neutral")
    assert_tails(row, apart, variance, 0.8)


def test_seeds_are_kept_and_repeat_a_prediction(maximal: DataTree) -> None:
    by_chance = bb.predict_words(maximal)
    assert {"ci_prob": 0.89, "ci_kind": "hdi"}.items() <= by_chance.attrs.items()
    again = bb.predict_words(maximal, seed=by_chance.attrs["seed"])
    pd.testing.assert_frame_equal(again, by_chance)
    assert not bb.predict_words(maximal, seed=1).equals(by_chance)
