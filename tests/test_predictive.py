"""Posterior predictive coverage, effective sizes of groups, and whether words lean alike."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from builders import grid
from gensim.models import KeyedVectors
from scipy.stats import kstest, norm
from xarray import DataTree

import bayesbias as bb
from bayesbias import fit
from bayesbias.model.design import make_design
from bayesbias.posterior.predictive import p_unrelated, predictive_check, predictive_intervals
from bayesbias.tables.cosines import attach_cosines


def simulated(sd: float, seed: int = 0) -> pd.DataFrame:
    """2,000 rows in one cell, so that the posterior hardly matters."""
    y = 0.9 + sd * np.random.default_rng(seed).standard_normal(2000)
    return grid(1, 2000, y, ("neutral",))


def test_a_model_that_fits_has_its_probability_inside() -> None:
    post = fit(simulated(0.1), "paper", method="exact", seed=1, draws=250)
    frame = predictive_check(post, (0.5, 0.89), seed=0).set_index(["ci_prob", "connection"])
    for ci_prob in (0.5, 0.89):
        error = np.sqrt(ci_prob * (1 - ci_prob) / 2000)
        # Sampling of rows, and ends of intervals from 1,000 draws: four joint standard errors.
        assert frame.loc[(ci_prob, "all"), "coverage"] == pytest.approx(ci_prob, abs=6 * error)


def test_intervals_are_those_of_the_predictive_normal() -> None:
    post = fit(simulated(0.1), "paper", method="exact", seed=1)
    interval = predictive_intervals(post, [0.89], n_draws=None, seed=0)[0.89]
    half = norm.ppf(0.945) * float(post["posterior"]["sigma"].mean())
    width = interval[:, 1] - interval[:, 0]
    assert width.mean() == pytest.approx(2 * half, rel=0.02)  # HPDIs of draws come out short
    assert interval.mean() == pytest.approx(float(post["posterior"]["word_mean"].mean()), abs=0.002)


def test_counts_add_up_over_connections(crossed_posterior: DataTree) -> None:
    frame = predictive_check(crossed_posterior, (0.5, 0.89))
    assert list(frame.columns) == ["ci_prob", "connection", "n_rows", "n_inside", "coverage"]
    for _, part in frame.groupby("ci_prob"):
        whole, parts = part.iloc[0], part.iloc[1:]
        assert whole["connection"] == "all"
        assert parts["n_rows"].sum() == whole["n_rows"] == 32
        assert parts["n_inside"].sum() == whole["n_inside"]
    np.testing.assert_allclose(frame["coverage"], frame["n_inside"] / frame["n_rows"])


def test_equal_seeds_give_equal_checks(crossed_posterior: DataTree) -> None:
    first, again, other = (
        predictive_intervals(crossed_posterior, [0.5], seed=seed)[0.5] for seed in (3, 3, 4)
    )
    np.testing.assert_array_equal(first, again)
    assert not np.array_equal(first, other)
    by_chance = predictive_check(crossed_posterior)
    again = predictive_check(crossed_posterior, seed=by_chance.attrs["seed"])
    pd.testing.assert_frame_equal(again, by_chance)


def table_of(copies: int) -> pd.DataFrame:
    """Two groups and sets, each of three unrelated words in so many nearly equal copies."""
    rng = np.random.default_rng(5)
    names = {part: [f"{part}{i}{c}" for i in range(3) for c in range(copies)] for part in "xyab"}
    keyed = KeyedVectors(40)
    for words in names.values():
        axes = np.repeat(np.linalg.qr(rng.standard_normal((40, 3)))[0].T, copies, axis=0)
        keyed.add_vectors(words, axes + 1e-4 * rng.standard_normal(axes.shape))
    groups, sets = ({"p": names[one], "q": names[two]} for one, two in ("xy", "ab"))
    wordlist = bb.WordList(name="toy", groups=groups, stereotypes=sets)
    return bb.distance_table(keyed, wordlist)


@pytest.mark.parametrize("copies", [1, 4])
def test_copies_of_a_word_count_once(copies: int) -> None:
    """Three unrelated clusters; chance cosines above the base count a little: 1/40 each."""
    frame = bb.effective_sizes(bb.fit(table_of(copies), seed=1, draws=50))
    assert frame["n_words"].tolist() == [3 * copies] * 4
    np.testing.assert_allclose(frame["n_effective"], 3.0, rtol=0.15)


def test_tables_without_vectors_are_refused() -> None:
    table = bb.nulls.Scenario().table(seed=1)
    with pytest.raises(ValueError, match="carries no cosines"):
        bb.effective_sizes(bb.fit(table, seed=1, draws=50))


def lists_of(seed: int) -> pd.DataFrame:
    """Two groups and sets of two clusters of three words each."""
    rng = np.random.default_rng(seed)
    vectors = np.repeat(rng.standard_normal((8, 30)), 3, axis=0)
    vectors += 0.5 * rng.standard_normal((24, 30))
    names = [f"{part}{i}" for part in "xyab" for i in range(6)]
    keyed = KeyedVectors(30)
    keyed.add_vectors(names, vectors)
    x, y, a, b = (names[6 * i : 6 * i + 6] for i in range(4))
    wordlist = bb.WordList(name="toy", groups={"p": x, "q": y}, stereotypes={"p": a, "q": b})
    return bb.distance_table(keyed, wordlist)


def p_of(seed: int, *, strangers: bool) -> list[float]:
    """Two p; of strangers with cosines that are those of unrelated words."""
    table, rng = lists_of(seed), np.random.default_rng(seed)
    if strangers:
        words = [*table["protected_word"].unique(), *table["attribute"].unique()]
        unit = rng.standard_normal((len(words), 10))
        unit /= np.linalg.norm(unit, axis=1, keepdims=True)
        attach_cosines(table, words, unit @ unit.T)
    return list(p_unrelated(make_design(table), rng).values())


def test_clusters_of_words_lean_alike() -> None:
    assert np.mean([p_of(seed, strangers=False) for seed in range(5)]) < 0.2


@pytest.mark.slow
def test_p_is_uniform_where_cosines_say_nothing() -> None:
    """200 tables: Kolmogorov-Smirnov of each factor at 0.1%."""
    p = np.array([p_of(seed, strangers=True) for seed in range(200)])
    assert all(kstest(column, "uniform").pvalue > 0.001 for column in p.T)


def test_the_predictive_check_carries_the_test() -> None:
    post = bb.fit(table_of(2), seed=1, draws=50)
    attrs = bb.predictive_check(post, seed=1).attrs
    assert set(attrs["p_unrelated"]) == {"protected_word", "attribute"}
    bare = bb.fit(bb.nulls.Scenario().table(seed=1), seed=1, draws=50)
    assert bb.predictive_check(bare, seed=1).attrs["p_unrelated"] == {}
