"""Draws of PyMC and nutpie from `build_model`, read by this package's functions."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest

import bayesbias as bb


@pytest.fixture(scope="module")
def table() -> pd.DataFrame:
    return bb.distance_table("glove-demo", "religion").groupby("attribute_set").head(20)


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::bayesbias.SamplingWarning", "ignore::FutureWarning")
@pytest.mark.filterwarnings("ignore:PyTensor could not link to a BLAS")
@pytest.mark.parametrize("sampler", ["pymc", "nutpie"])
def test_contrasts_are_those_of_fit(table: pd.DataFrame, sampler: str) -> None:
    import pymc as pm

    pytest.importorskip(sampler)
    options = {"chains": 2, "random_seed": 1, "progressbar": False, "nuts_sampler": sampler}
    idata = pm.sample(300, tune=300, model=bb.build_model(table, "crossed"), **options)
    post = bb.from_pymc(idata, table, "crossed")
    ours, exact = (bb.contrasts(p) for p in (post, bb.fit(table, "crossed", seed=1)))
    assert np.abs(ours["mean"] - exact["mean"]).max() < 0.01
    assert len(bb.summary(post)) == len(bb.summary(bb.fit(table, "crossed", seed=1)))


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
