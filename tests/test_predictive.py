"""Posterior predictive coverage: where it is known, and what it counts."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from builders import grid
from scipy.stats import norm
from xarray import DataTree

from bayesbias import fit
from bayesbias.posterior.predictive import predictive_check, predictive_intervals


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
