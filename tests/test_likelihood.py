"""Predictions and log likelihoods against scipy, row by row, and unseen attributes brute-force."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from scipy.stats import norm, t
from xarray import DataTree

from bayesbias.model import likelihood as predictive
from bayesbias.model.arviz_groups import add_groups
from bayesbias.model.likelihood import (
    locations,
    log_likelihood,
    predict_rows,
    residual_sds,
    row_chunks,
)
from bayesbias.sampling.fit import fit


def with_nu(tree: DataTree, nu: float) -> DataTree:
    """Give a posterior a nu, as the robust model has it."""
    copy = tree.copy()
    posterior = tree["posterior"].to_dataset()
    copy["posterior"] = posterior.assign(
        nu=posterior["sigma"].isel(connection=0, drop=True) * 0 + nu
    )
    return copy


def one(tree: DataTree, name: str, **labels: object) -> float:
    return float(tree["posterior"][name].sel(labels).isel(chain=1, draw=3))


def test_locations_and_sds_are_found_by_label(
    toy_table: pd.DataFrame, crossed_posterior: DataTree
) -> None:
    rows = np.array([0, 7, 31])
    at = 1000 + 3  # chain 1, draw 3, chains of 1,000 draws after one another
    expected, sd = locations(crossed_posterior, rows), residual_sds(crossed_posterior, rows)
    assert expected.shape == sd.shape == (2000, 3)
    for i, row in enumerate(rows):
        of = toy_table.iloc[row]
        mean = one(
            crossed_posterior,
            "word_mean",
            protected_word=of["protected_word"],
            connection=of["connection"],
        ) + one(crossed_posterior, "attribute_effect", attribute=of["attribute"])
        assert expected[at, i] == pytest.approx(mean)
        assert sd[at, i] == one(crossed_posterior, "sigma", connection=of["connection"])


def test_a_common_sigma_has_one_column(toy_table: pd.DataFrame) -> None:
    post = fit(toy_table, "paper", method="exact", draws=500, chains=1, seed=1)
    assert residual_sds(post, np.arange(5)).shape == (500, 1)
    assert locations(post, np.arange(5), slice(0, 10)).shape == (10, 5)


def test_log_likelihood_is_that_of_scipy(crossed_posterior: DataTree) -> None:
    rows = np.arange(32)
    y = crossed_posterior["observed_data"]["cosine_distance"].values
    normal = norm(locations(crossed_posterior, rows), residual_sds(crossed_posterior, rows))
    np.testing.assert_allclose(log_likelihood(crossed_posterior, rows), normal.logpdf(y))
    robust = with_nu(crossed_posterior, 4.5)
    student = t(4.5, locations(robust, rows), residual_sds(robust, rows))
    np.testing.assert_allclose(log_likelihood(robust, rows), student.logpdf(y))


def test_predictions_have_the_moments_of_the_likelihood(crossed_posterior: DataTree) -> None:
    rows, rng = np.arange(32), np.random.default_rng(0)
    for tree, scale in ((crossed_posterior, 1.0), (with_nu(crossed_posterior, 10.0), 10 / 8)):
        drawn = predict_rows(tree, rows, rng)
        apart = (drawn - locations(tree, rows)) / residual_sds(tree, rows)
        # 64,000 standard draws: errors 1 / 253 of the mean, about twice that of the variance.
        assert apart.mean() == pytest.approx(0, abs=4 / 253)
        assert apart.var() == pytest.approx(scale, abs=0.05)


def test_the_log_likelihood_group_is_put_on_a_copy(
    crossed_posterior: DataTree, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(predictive, "NUMBERS_AT_ONCE", 2000 * 7)  # five blocks of rows
    assert [len(rows) for rows in row_chunks(crossed_posterior)] == [7, 7, 7, 7, 4]
    found = add_groups(crossed_posterior, "log_likelihood")["log_likelihood"]["cosine_distance"]
    assert "log_likelihood" not in crossed_posterior.children
    assert found.dims == ("chain", "draw", "row")
    expected = log_likelihood(crossed_posterior, np.arange(32)).reshape(2, 1000, 32)
    np.testing.assert_array_equal(found, expected)
