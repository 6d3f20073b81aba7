"""Run every ArviZ function in the README on every model; check groups and likelihood with SciPy."""

import warnings
from collections.abc import Callable
from functools import partial
from types import SimpleNamespace
from typing import Any

import arviz as az
import numpy as np
import pytest
from builders import refused, smallest_design
from scipy.stats import norm
from xarray import DataTree

import bayesbias as bb
from bayesbias.model import likelihood as predictive
from bayesbias.model.arviz_groups import add_groups
from bayesbias.model.defaults import EXTRA_GROUPS
from bayesbias.model.likelihood import Rows, row_chunks
from bayesbias.sampling.fit import fit_design

MEANS = {"var_names": ["connection_mean"]}

AS_IT_IS: list[Callable[[DataTree], object]] = [
    *(az.summary, az.ess, az.rhat),
    *(partial(plot, **MEANS) for plot in (az.plot_trace_dist, az.plot_forest, az.plot_dist)),
]

COMPLETED: dict[str, Callable[[DataTree], object]] = {
    "loo": az.loo,
    "compare": lambda post: az.compare({"one": post, "the same": post}),
    "loo_pit": az.loo_pit,
    "psense_summary": az.psense_summary,
    "plot_loo_pit": az.plot_loo_pit,
    "plot_ppc_dist": az.plot_ppc_dist,
    "plot_prior_posterior": lambda post: az.plot_prior_posterior(post, **MEANS),
}


@pytest.mark.seconds
@pytest.mark.filterwarnings("ignore::bayesbias.SamplingWarning")
@pytest.mark.parametrize("model", ["robust", pytest.param("maximal", marks=pytest.mark.slow)])
def test_arviz_runs_on_every_kind_of_model(model: str, mock_nuts: dict[str, Any]) -> None:
    """Use a table with levels of all terms, and prior draws instead of NUTS."""
    post = fit_design(smallest_design(), model, draws=100, chains=2, seed=1)
    with warnings.catch_warnings():  # few draws, some with a bad Pareto k
        warnings.simplefilter("ignore")
        for function in AS_IT_IS:
            function(post)
        completed = bb.add_groups(post, seed=1)
        for name, function in COMPLETED.items():
            found: Any = function(completed)
            if name == "loo":
                assert np.isfinite(found.elpd)
            if name == "psense_summary":
                assert np.isfinite(found.loc["connection_mean[associated]", "likelihood"])
    assert set(EXTRA_GROUPS).isdisjoint(post.children)


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
    assert "log_prior" in bb.add_groups(SimpleNamespace(posterior=crossed_posterior)).children
    refused("unknown group 'log_lik'; did you mean", bb.add_groups, crossed_posterior, ["log_lik"])


def with_nu(tree: DataTree, nu: float) -> DataTree:
    """Add a nu to a posterior, as in the robust model."""
    copy = tree.copy()
    posterior = tree["posterior"].to_dataset()
    copy["posterior"] = posterior.assign(
        nu=posterior["sigma"].isel(connection=0, drop=True) * 0 + nu
    )
    return copy


def test_predictions_have_the_moments_of_the_likelihood(crossed_posterior: DataTree) -> None:
    rows, rng = np.arange(32), np.random.default_rng(0)
    for tree, scale in ((crossed_posterior, 1.0), (with_nu(crossed_posterior, 10.0), 10 / 8)):
        fitted = Rows(tree)
        apart = (fitted.predict(rows, rng) - fitted.expected(rows)) / fitted.residual_sds(rows)
        # 64,000 standard draws: the mean has an error of 1 / 253, the variance about twice that.
        assert apart.mean() == pytest.approx(0, abs=4 / 253)
        assert apart.var() == pytest.approx(scale, abs=0.05)


def test_the_log_likelihood_group_is_put_on_a_copy(crossed_posterior, monkeypatch) -> None:
    monkeypatch.setattr(predictive, "NUMBERS_AT_ONCE", 2000 * 7)  # five blocks of rows
    assert [len(rows) for rows in row_chunks(crossed_posterior)] == [7, 7, 7, 7, 4]
    found = add_groups(crossed_posterior, "log_likelihood")["log_likelihood"]["cosine_distance"]
    assert "log_likelihood" not in crossed_posterior.children
    assert found.dims == ("chain", "draw", "row")
    expected = Rows(crossed_posterior).log_likelihood(np.arange(32)).reshape(2, 1000, 32)
    np.testing.assert_array_equal(found, expected)
