"""Summaries against NumPy on the draws, and power-scaling against ArviZ on plain densities."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest
import xarray as xr
from builders import only_row
from scipy.stats import expon, norm
from xarray import DataTree

import bayesbias as bb
from bayesbias import prior_sensitivity, sd_summary, summary
from bayesbias._core.intervals import hdi
from bayesbias.posterior.diagnostics import SENSITIVE
from bayesbias.tables.levels import at_level

CONNECTIONS = ["associated", "different", "neutral", "human"]


def test_words_have_their_draws_and_groups_the_average_of_their_words(
    crossed_posterior: DataTree,
) -> None:
    frame, posterior = summary(crossed_posterior), crossed_posterior["posterior"]
    words = posterior["word_mean"].stack(sample=["chain", "draw"])
    means = words.transpose("sample", "protected_word", "connection").data  # he, son, she, hers
    overall = posterior["connection_mean"].stack(sample=["chain", "draw"]).transpose().data
    groups = means.reshape(-1, 2, 2, 4).mean(axis=2)
    for level, draws in (("overall", overall), ("group", groups), ("word", means)):
        rows, flat = at_level(frame, level), draws.reshape(len(draws), -1)
        np.testing.assert_allclose(rows["mean"], flat.mean(axis=0))
        np.testing.assert_allclose(rows["sd"], flat.std(axis=0, ddof=1))
        np.testing.assert_allclose(rows[["low", "high"]], hdi(flat, 0.89))
    she = frame[frame["protected_word"] == "she"]
    assert she["protected_group"].tolist() == ["woman"] * 4
    assert she["connection"].tolist() == CONNECTIONS


def test_scales_and_priors_name_what_they_belong_to(crossed_posterior: DataTree) -> None:
    frame = sd_summary(crossed_posterior)
    of = {"connection_sd": CONNECTIONS, "attribute_sd": [""], "sigma": CONNECTIONS}
    assert frame.groupby("parameter")["of"].apply(list).to_dict() == of
    own = float(crossed_posterior["posterior"]["attribute_sd"].mean())
    assert only_row(frame, parameter="attribute_sd")["mean"] == pytest.approx(own)
    priors = prior_sensitivity(crossed_posterior)
    of_priors = of | {"connection_mean": CONNECTIONS}
    assert priors.groupby("parameter")["of"].apply(list).to_dict() == of_priors
    other = prior_sensitivity(crossed_posterior, ["word_mean", "attribute_effect"])
    assert other.loc[0, ["parameter", "of"]].tolist() == ["word_mean", "he, associated"]
    assert len(other) == 16 + 8


def test_connections_without_rows_are_not_made_up(toy_table: pd.DataFrame) -> None:
    some = toy_table[toy_table["connection"] != "neutral"]
    frame = summary(bb.fit(some, "paper", method="exact", draws=500, chains=1, seed=1))
    assert set(frame["connection"]) == {"associated", "different", "human"}
    assert not frame.isna().any(axis=None)


def test_scaled_are_the_models_priors_and_not_the_effects(crossed_posterior: DataTree) -> None:
    """ArviZ on densities written out with SciPy."""
    import arviz as az

    posterior = crossed_posterior["posterior"].to_dataset()
    tree = bb.add_groups(crossed_posterior, "log_likelihood")
    prior = norm(1, 0.3).logpdf(posterior["connection_mean"]).sum(axis=-1)
    for name in ("connection_sd", "sigma", "attribute_sd"):
        density = expon(scale=0.5).logpdf(posterior[name])
        prior = prior + (density.sum(axis=-1) if density.ndim > 2 else density)
    tree["log_prior"] = xr.Dataset({"all": (("chain", "draw"), prior)})
    frame = prior_sensitivity(crossed_posterior).query("parameter == 'sigma'")
    for group in ("prior", "likelihood"):
        theirs = az.psense(tree, var_names=["sigma"], group=group)["sigma"]
        np.testing.assert_allclose(frame[group], theirs, rtol=1e-6)
    assert "log_prior" not in crossed_posterior.children


def test_a_tight_prior_beside_the_data_is_a_conflict_and_one_that_decides_is_strong(
    toy_table: pd.DataFrame,
) -> None:
    """Means lie near .85; a prior at 1.1 with the width of the likelihood is at odds with them."""
    beside, alone = (
        prior_sensitivity(
            bb.fit(toy_table, "paper", method="exact", seed=1, priors={"connection_mean": prior}),
            ["connection_mean"],
        )
        for prior in ({"mean": 1.1, "sd": 0.05}, {"mean": 0.85, "sd": 0.001})
    )
    assert (beside["prior"] > SENSITIVE).all()
    assert "prior-data conflict" in set(beside["diagnosis"])
    assert (alone["diagnosis"] == "strong prior or weak data").all()
    assert (alone["likelihood"] < SENSITIVE).all()


def test_robust_posteriors_scale_the_prior_of_nu(
    toy_table: pd.DataFrame, mock_nuts: dict[str, Any]
) -> None:
    tree = bb.fit(toy_table, "robust", draws=500, seed=1)
    assert "nu" in set(prior_sensitivity(tree)["parameter"])
