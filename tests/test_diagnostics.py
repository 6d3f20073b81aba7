"""Power-scaling against ArviZ's own summary, and where it must and must not find a conflict."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest
import xarray as xr
from scipy.stats import expon, norm
from xarray import DataTree

import bayesbias as bb
from bayesbias.posterior.diagnostics import SENSITIVE, prior_sensitivity
from bayesbias.sampling.fit import fit


@pytest.fixture(scope="module")
def frame(crossed_posterior: DataTree) -> pd.DataFrame:
    return prior_sensitivity(crossed_posterior)


def test_every_prior_of_the_model_has_its_rows(frame: pd.DataFrame) -> None:
    assert list(frame.columns) == ["parameter", "of", "prior", "likelihood", "diagnosis"]
    connections = ["associated", "different", "neutral", "human"]
    of = frame.groupby("parameter", sort=False)["of"].apply(list).to_dict()
    assert of == {
        "connection_mean": connections,
        "connection_sd": connections,
        "sigma": connections,
        "attribute_sd": [""],
    }
    assert (frame[["prior", "likelihood"]] >= 0).all(axis=None)


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
    for group in ("prior", "likelihood"):
        theirs = az.psense(tree, var_names=["sigma"], group=group)["sigma"]
        frame = prior_sensitivity(crossed_posterior)
        np.testing.assert_allclose(frame.query("parameter == 'sigma'")[group], theirs, rtol=1e-6)
    assert "log_prior" not in crossed_posterior.children


def mean_rows(table: pd.DataFrame, **prior: float) -> pd.DataFrame:
    tree = fit(table, "paper", method="exact", seed=1, priors={"connection_mean": prior})
    return prior_sensitivity(tree, ["connection_mean"])


def test_a_tight_prior_beside_the_data_is_a_conflict(toy_table: pd.DataFrame) -> None:
    """Means lie near .85; a prior at 1.1 with the width of the likelihood is at odds with them."""
    frame = mean_rows(toy_table, mean=1.1, sd=0.05)
    assert (frame["prior"] > SENSITIVE).all()
    assert "prior-data conflict" in set(frame["diagnosis"])


def test_a_prior_that_decides_alone_is_told(toy_table: pd.DataFrame) -> None:
    frame = mean_rows(toy_table, mean=0.85, sd=0.001)
    assert (frame["diagnosis"] == "strong prior or weak data").all()
    assert (frame["likelihood"] < SENSITIVE).all()


def test_other_variables_and_their_labels(crossed_posterior: DataTree) -> None:
    frame = prior_sensitivity(crossed_posterior, ["word_mean", "attribute_effect"])
    assert frame.loc[0, ["parameter", "of"]].tolist() == ["word_mean", "he, associated"]
    assert len(frame) == 16 + 8
    with pytest.raises(ValueError, match="unknown variable 'word_means'; did you mean 'word_mean'"):
        prior_sensitivity(crossed_posterior, ["word_means"])


def test_robust_posteriors_scale_the_prior_of_nu(
    toy_table: pd.DataFrame, mock_nuts: dict[str, Any]
) -> None:
    tree = fit(toy_table, "robust", draws=500, seed=1)
    assert "nu" in set(prior_sensitivity(tree)["parameter"])
