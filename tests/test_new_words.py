"""Predictions for words not measured: closed forms, and coverage of words that were held out."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from builders import model_named, only_row
from dense_oracle import covariance, effects, in_rows, residual_variance
from scipy.stats import norm
from xarray import DataTree

import bayesbias as bb
from bayesbias.model.design import Design, make_design
from bayesbias.model.effects import draw_parameters
from bayesbias.model.spec import load_model
from bayesbias.model.tree import stacked
from bayesbias.sampling.fit import fit_design

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


def eight_words() -> Design:
    """Two groups of four words, two sets of three attributes, three neutral and two human ones."""
    groups = {f"{group}{at}": group for group in "xy" for at in range(4)}
    sets = {f"{name}{at}": name for name in "xy" for at in range(3)}
    sets |= {f"n{at}": "neutral" for at in range(3)} | {f"h{at}": "human" for at in range(2)}
    rows = [
        (word, group, attribute, name)
        for word, group in groups.items()
        for attribute, name in sets.items()
    ]
    frame = pd.DataFrame(rows, columns=list(bb.COLUMNS[:4]))
    own = np.where(frame["attribute_set"] == frame["protected_group"], "associated", "different")
    control = frame["attribute_set"].isin(["neutral", "human"])
    frame["connection"] = np.where(control, frame["attribute_set"], own)
    return make_design(frame.assign(cosine_distance=1.0))


@pytest.mark.slow
@pytest.mark.parametrize("name", ["crossed", "maximal"])
def test_words_held_out_are_covered_at_their_rate(name: str) -> None:
    """Tables from the prior, written out densely; the last word of a group is held out."""
    n_tables, design = 200, eight_words()
    spec, rng = load_model(name).fitting(design), np.random.default_rng(4)
    rows, (columns, _) = in_rows(design, spec), effects(design, spec)
    of_words = rows.copy()
    for term in spec.terms_of("attribute"):
        own = columns[term.name].reshape(-1, rows.shape[1]).any(axis=0)
        of_words[:, own] = 0.0
    held = design.word == design.words.index("y3")
    rest = replace(
        design.take(np.flatnonzero(~held)),
        words=design.words[:-1],
        word_group=design.word_group[:-1],
    )
    assert design.words[-1] == "y3"
    inside = {(attributes, p): 0 for attributes in ("population", "listed") for p in (0.5, 0.89)}
    for seed in range(n_tables):
        values = {key: each[0] for key, each in draw_parameters(design, spec, 1, rng).items()}
        cov = covariance(design, spec, values)
        drawn = rng.multivariate_normal(np.zeros(len(cov)), cov, method="eigh")
        noise = rng.normal(0, np.sqrt(residual_variance(design, spec, values)))
        y = spec.centre + rows @ drawn + noise
        tree = fit_design(replace(rest, y=y[~held]), spec, method="exact", draws=250, seed=seed)
        truths = {"population": of_words @ drawn, "listed": y}
        for attributes, p in inside:
            frame = bb.predict_words(tree, p, ci_kind="eti", attributes=attributes, seed=seed)
            row = only_row(frame, protected_group="y", first="associated", second="different")
            truth = truths[attributes]
            apart = [truth[held & (design.connection == at)].mean() for at in (0, 1)]
            inside[attributes, p] += row["low"] <= apart[0] - apart[1] <= row["high"]
    for (_, p), count in inside.items():
        # Of eight rates one lies beyond 3.3 binomial errors by chance in some hundred tests.
        assert count / n_tables == pytest.approx(p, abs=3.3 * np.sqrt(p * (1 - p) / n_tables))
