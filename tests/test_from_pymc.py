"""Draws of PyMC from `build_model`, read by this package's functions."""

from __future__ import annotations

from typing import Any

import pandas as pd
import pytest

import bayesbias as bb


@pytest.fixture(scope="module")
def table() -> pd.DataFrame:
    return bb.distance_table("glove-demo", "religion").groupby("attribute_set").head(20)


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::bayesbias.SamplingWarning", "ignore::FutureWarning")
@pytest.mark.filterwarnings("ignore:PyTensor could not link to a BLAS")
def test_contrasts_are_those_of_fit(toy_table: pd.DataFrame) -> None:
    import pymc as pm

    options = {"chains": 2, "random_seed": 1, "progressbar": False}
    model = bb.build_model(toy_table, "crossed")
    idata = pm.sample(1000, tune=1000, model=model, target_accept=0.98, **options)
    post = bb.from_pymc(idata, toy_table, "crossed")
    fitted = bb.fit(toy_table, "crossed", seed=1)
    ours, exact = (bb.contrasts(p) for p in (post, fitted))
    # 400 effective draws have an error of .05 sds of the posterior; four of them are .2.
    assert (abs(ours["mean"] - exact["mean"]) / exact["sd"]).max() < 0.2
    assert len(bb.summary(post)) == len(bb.summary(fitted))


@pytest.mark.filterwarnings("ignore::bayesbias.SamplingWarning")
def test_draws_become_a_posterior(table: pd.DataFrame, mock_nuts: dict[str, Any]) -> None:
    import pymc as pm

    with bb.build_model(table, "crossed"):
        idata = pm.sample(50, random_seed=[1], chains=2)
    with pytest.raises(ValueError, match="from_pymc"):
        bb.contrasts(idata)
    with pytest.raises(ValueError, match="from_pymc"):
        bb.summary(idata)
    with pytest.raises(ValueError, match="not draws of 'by-group'"):
        bb.from_pymc(idata, table)
    with pytest.raises(ValueError, match="and have other labels of"):
        bb.from_pymc(idata, table.groupby("attribute_set").head(10), "crossed")
    post = bb.from_pymc(idata, table, "crossed")
    assert {"overall", "group", "word"} == set(bb.contrasts(post)["level"])
    assert not bb.summary(post)["mean"].isna().any()
    assert "attribute_effect" in post["posterior"]
