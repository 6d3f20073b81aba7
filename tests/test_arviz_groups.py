"""Every function of ArviZ that the README names, on every model; the groups by other ways."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

import arviz as az
import numpy as np
import pytest
from builders import smallest_design
from scipy.stats import norm
from xarray import DataTree

import bayesbias as bb
from bayesbias.model.defaults import EXTRA_GROUPS
from bayesbias.sampling.fit import fit_design

NORMAL, STUDENT = ["crossed", "maximal", "pairs-signs"], ["robust"]

FEW = {"draws": 100, "chains": 2, "seed": 1}

MEANS = {"var_names": ["connection_mean"]}

AS_IT_IS: dict[str, Callable[[DataTree], object]] = {
    "summary": az.summary,
    "ess": az.ess,
    "rhat": az.rhat,
    "plot_trace_dist": lambda post: az.plot_trace_dist(post, **MEANS),
    "plot_forest": lambda post: az.plot_forest(post, **MEANS),
    "plot_dist": lambda post: az.plot_dist(post, **MEANS),
}

COMPLETED: dict[str, Callable[[DataTree], object]] = {
    "loo": az.loo,
    "compare": lambda post: az.compare({"one": post, "the same": post}),
    "loo_pit": az.loo_pit,
    "psense_summary": az.psense_summary,
    "plot_loo_pit": az.plot_loo_pit,
    "plot_ppc_dist": az.plot_ppc_dist,
    "plot_prior_posterior": lambda post: az.plot_prior_posterior(post, **MEANS),
}


@pytest.fixture(scope="module")
def of_model() -> Callable[[str], DataTree]:
    """Return a posterior of any model, of a table that has levels of all its terms."""
    design = smallest_design()
    return lambda model: fit_design(design, model, **FEW)


def run_all(post: DataTree) -> None:
    """Run every function on a posterior as it is, and then on one with all groups."""
    with warnings.catch_warnings():  # few draws, of which some have a bad Pareto k
        warnings.simplefilter("ignore")
        for function in AS_IT_IS.values():
            function(post)
        completed = bb.add_groups(post, seed=1)
        for name, function in COMPLETED.items():
            found: Any = function(completed)
            if name == "loo":
                assert np.isfinite(found.elpd)
            if name == "psense_summary":
                assert np.isfinite(found.loc["connection_mean[associated]", "likelihood"])
    assert set(EXTRA_GROUPS).isdisjoint(post.children)


@pytest.mark.filterwarnings("ignore::bayesbias.SamplingWarning")
@pytest.mark.parametrize("model", NORMAL)
def test_arviz_runs_on_normal_models(of_model: Callable[[str], DataTree], model: str) -> None:
    run_all(of_model(model))


@pytest.mark.parametrize("model", STUDENT)
def test_arviz_runs_on_student_models(
    of_model: Callable[[str], DataTree], model: str, mock_nuts: dict[str, Any]
) -> None:
    """Draws from the prior stand for NUTS."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", bb.SamplingWarning)
        run_all(of_model(model))


def test_sensitivity_is_that_of_arviz_on_the_completed_posterior(
    crossed_posterior: DataTree,
) -> None:
    """Ours sums log likelihoods on the way, and ArviZ those of the group."""
    frame = bb.prior_sensitivity(crossed_posterior)
    groups = ("log_likelihood", "log_prior")
    theirs = az.psense_summary(
        bb.add_groups(crossed_posterior, groups),
        var_names=list(frame["parameter"].unique()),
        round_to=12,
    )
    np.testing.assert_allclose(frame["prior"], theirs["prior"], atol=1e-9)
    np.testing.assert_allclose(frame["likelihood"], theirs["likelihood"], atol=1e-9)


def test_groups_that_are_there_stay(crossed_posterior: DataTree) -> None:
    post = bb.add_groups(crossed_posterior, seed=2)
    assert set(post.children) == {*crossed_posterior.children, *EXTRA_GROUPS, "prior"}
    again = bb.add_groups(post)
    for group in EXTRA_GROUPS:
        assert again[group].to_dataset().identical(post[group].to_dataset())
    labels = post["posterior_predictive"].coords["row_attribute"].values
    assert list(labels) == list(post["observed_data"].coords["row_attribute"].values)


def test_groups_by_name(crossed_posterior: DataTree) -> None:
    post = bb.add_groups(crossed_posterior, "log_prior")
    assert set(post.children) - set(crossed_posterior.children) == {"log_prior"}
    found = post["log_prior"]["connection_mean"]
    values = crossed_posterior["posterior"]["connection_mean"]
    np.testing.assert_allclose(found, norm(1, 0.3).logpdf(values).sum(axis=-1))
    with pytest.raises(ValueError, match="unknown group 'log_lik'; did you mean 'log_likelihood'"):
        bb.add_groups(crossed_posterior, ["log_lik"])
