"""Posterior predictive coverage, effective sizes of groups, and whether words lean alike."""

from __future__ import annotations

from itertools import chain

import numpy as np
import pandas as pd
import pytest
from builders import grid
from scipy.stats import kstest
from xarray import DataTree

import bayesbias as bb
from bayesbias.model.design import make_design
from bayesbias.posterior.predictive import p_unrelated, predictive_check
from bayesbias.tables.cosines import attach_cosines


@pytest.mark.parametrize("kind", ["hdi", "eti"])
def test_a_model_that_fits_has_its_probability_inside(kind: str) -> None:
    """2,000 rows in one cell, so the posterior hardly matters."""
    y = 0.9 + 0.1 * np.random.default_rng(0).standard_normal(2000)
    post = bb.fit(grid(1, 2000, y, ("neutral",)), "paper", method="exact", seed=1, draws=500)
    frame = predictive_check(post, (0.5, 0.89), ci_kind=kind, n_draws=None, seed=0)
    frame = frame.set_index(["ci_prob", "connection"])
    for ci_prob in (0.5, 0.89):
        error = np.sqrt(ci_prob * (1 - ci_prob) / 2000)
        # Sampling of rows, and ends of intervals from 2,000 draws: four joint standard errors.
        assert frame.loc[(ci_prob, "all"), "coverage"] == pytest.approx(ci_prob, abs=6 * error)


def test_counts_add_up_over_connections_and_come_from_the_seed(crossed_posterior: DataTree) -> None:
    frame = predictive_check(crossed_posterior, (0.5, 0.89))
    assert list(frame.columns) == ["ci_prob", "connection", "n_rows", "n_inside", "coverage"]
    for _, part in frame.groupby("ci_prob"):
        whole, parts = part.iloc[0], part.iloc[1:]
        assert whole["connection"] == "all"
        assert parts["n_rows"].sum() == whole["n_rows"] == 32
        assert parts["n_inside"].sum() == whole["n_inside"]
    np.testing.assert_allclose(frame["coverage"], frame["n_inside"] / frame["n_rows"])
    again = predictive_check(crossed_posterior, (0.5, 0.89), seed=frame.attrs["seed"])
    pd.testing.assert_frame_equal(again, frame)
    assert frame.attrs["p_unrelated"] == {}  # the table carries no cosines


def table_of(parts: list[np.ndarray]) -> pd.DataFrame:
    """Two groups and their sets, of vectors (n, dims) each."""
    names = [[f"{part}{i}" for i in range(len(rows))] for part, rows in enumerate(parts)]
    vectors = dict(zip(chain.from_iterable(names), np.vstack(parts), strict=True))
    x, y, a, b = names
    wordlist = bb.WordList(name="toy", groups={"p": x, "q": y}, stereotypes={"p": a, "q": b})
    return bb.distance_table(vectors, wordlist)


@pytest.mark.parametrize("copies", [1, 4])
def test_copies_of_a_word_count_once(copies: int) -> None:
    """Three unrelated words, nearly equal copies; chance cosines count a little: 1/40 each."""
    rng, parts = np.random.default_rng(5), []
    for _ in range(4):
        axes = np.repeat(np.linalg.qr(rng.standard_normal((40, 3)))[0].T, copies, axis=0)
        parts.append(axes + 1e-4 * rng.standard_normal(axes.shape))
    post = bb.fit(table_of(parts), seed=1, draws=50)
    frame = bb.effective_sizes(post)
    assert frame["n_words"].tolist() == [3 * copies] * 4
    np.testing.assert_allclose(frame["n_effective"], 3.0, rtol=0.15)
    p = predictive_check(post, seed=1).attrs["p_unrelated"]
    assert set(p) == {"protected_word", "attribute"}


def p_of(seed: int, *, strangers: bool) -> list[float]:
    """Two p, of two clusters of three words each; of strangers with cosines of unrelated words."""
    rng = np.random.default_rng(seed)
    vectors = np.repeat(rng.standard_normal((8, 30)), 3, axis=0)
    vectors += 0.5 * rng.standard_normal((24, 30))
    table, rng = table_of(np.split(vectors, 4)), np.random.default_rng(seed)
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
