"""`fit_design`: fits to rows that are no table of distances, of any sign, scale and name."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd
import pytest

import bayesbias as bb
from bayesbias.model.design import Design, make_design
from bayesbias.model.pymc_model import build_model
from bayesbias.model.tree import observed, outcome_of, stacked
from bayesbias.sampling.fit import fit, fit_design

FAST = {"draws": 500, "chains": 2, "seed": 1}


@pytest.fixture(scope="module")
def design(toy_table: pd.DataFrame) -> Design:
    return make_design(toy_table)


def test_fit_is_fit_design_of_the_indexed_table(toy_table: pd.DataFrame, design: Design) -> None:
    one, other = fit(toy_table, "crossed", **FAST), fit_design(design, "crossed", **FAST)
    for name in one["posterior"].data_vars:
        assert np.array_equal(stacked(one, str(name)), stacked(other, str(name)))
    assert other.attrs["table_hash"] == design.digest
    assert one.attrs["table_hash"] != design.digest
    assert fit_design(design, "paper", table_hash="x", **FAST).attrs["table_hash"] == "x"


@pytest.mark.parametrize("scale", [-1.0, 20.0, 1000.0])
@pytest.mark.parametrize("spec", ["paper-figures", "crossed"])
def test_the_scale_of_the_outcome_does_not_matter(design: Design, spec: str, scale: float) -> None:
    """Outcomes and priors stretched alike give a posterior that is stretched alike."""
    size = abs(scale)
    priors: dict[str, dict[str, Any]] = {
        name: {"rate": 2.0 / size} for name in bb.load_model(spec).priors
    }
    priors["connection_mean"] = {"mean": scale, "sd": 0.3 * size}
    stretched = replace(design, y=scale * design.y, outcome="score")
    draws = {"draws": 1000, "chains": 4}
    base = fit_design(design, spec, **draws, seed=1)
    got = fit_design(stretched, spec, priors=priors, **draws, seed=2)
    assert got.attrs["method"] == "exact"
    for name in ("connection_mean", "word_mean"):
        one, other = stacked(base, name), stacked(got, name) / scale
        error = np.sqrt((one.var(axis=0) + other.var(axis=0)) / len(one))
        apart = np.abs(one.mean(axis=0) - other.mean(axis=0))
        assert (apart < 5 * error).all()
        # Some words have a kurtosis near 25, so that four errors of the sds' ratio are a quarter.
        assert np.allclose(one.std(axis=0), other.std(axis=0), rtol=0.25)


@pytest.mark.filterwarnings("ignore:the posterior has")  # far from the priors of changes
def test_the_outcome_has_its_name_everywhere(
    design: Design, mock_nuts: dict[str, Callable[..., np.ndarray]]
) -> None:
    named = replace(design, y=design.y - 2, outcome="score")
    exact = bb.add_groups(fit_design(named, "change", **FAST))
    assert outcome_of(exact) == "score"
    assert np.array_equal(observed(exact), named.y)
    for group in ("posterior_predictive", "prior_predictive", "log_likelihood"):
        assert "score" in exact[group]
    assert bb.predictive_check(exact)["n_rows"].iloc[0] == len(named.y)
    assert [rv.name for rv in build_model(named, bb.load_model("robust")).observed_RVs] == ["score"]


def test_designs_differ_by_all_that_they_hold(design: Design) -> None:
    digests = {
        design.digest,
        replace(design, y=design.y + 1).digest,
        replace(design, outcome="score").digest,
        replace(design, words=("a", *design.words[1:])).digest,
        replace(design, attribute=design.attribute[::-1].copy()).digest,
    }
    assert len(digests) == 5
    assert replace(design, y=design.y.copy()).digest == design.digest


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"y": np.array([0.5])}, "word needs an index in 0 to 3 for each of 1 y"),
        ({"word": np.full(32, 4)}, "word needs an index in 0 to 3"),
        ({"connection": np.full(32, -1)}, "connection needs an index in 0 to 3"),
        (
            {"y": np.r_[0.1, np.nan, np.ones(30)]},
            "cosine_distance must be finite; got nan in row 1",
        ),
        ({"y": np.ones(32)}, "all 32 distances are 1"),
    ],
)
def test_designs_that_do_not_hold_together_are_refused(
    design: Design, changed: dict[str, Any], message: str
) -> None:
    def make_and_fit() -> None:
        fit_design(replace(design, **changed), "paper", **FAST)

    with pytest.raises(ValueError, match=message):
        make_and_fit()
