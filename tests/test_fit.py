"""`fit`: which way it takes and why, what it refuses, seeds, and doubts that travel."""

from __future__ import annotations

import builtins
import json
import warnings
from typing import Any

import numpy as np
import pandas as pd
import pytest
import xarray as xr
from builders import FAST, grid
from numpy.random import SeedSequence, default_rng
from xarray import DataTree

from bayesbias.model.tree import SamplingWarning, warnings_of
from bayesbias.posterior.summaries import summary
from bayesbias.sampling import fit as fitting
from bayesbias.sampling.fit import fit

SPIKES = {
    name: {"family": "gamma", "shape": 0.05, "rate": 1.0}
    for name in ("connection_sd", "sigma", "attribute_sd")
}
"""Priors that put most of their mass at sds of nothing: no proposal covers e^-100 and 0.1."""


@pytest.fixture(scope="module")
def small_table() -> pd.DataFrame:
    """Three words, four attributes, one in every connection: the data hardly inform the sds."""
    return grid(3, 4, 0.9 + 0.05 * np.random.default_rng(0).standard_normal(12))


@pytest.mark.parametrize("spec", ["paper", "maximal"])
def test_auto_takes_the_exact_sampler_for_normal_models(toy_table: pd.DataFrame, spec: str) -> None:
    tree = fit(toy_table, spec, draws=400, chains=2, seed=1)
    assert tree.attrs["method"] == "exact"
    assert tree.attrs["method_reason"].startswith("Normal model, Pareto k ")
    k = float(tree["sample_stats"]["pareto_k"])
    assert f"{k:.2f} below 0.7" in tree.attrs["method_reason"]
    assert float(tree["sample_stats"]["importance_ess"]) <= int(tree["sample_stats"]["n_proposals"])


def test_auto_takes_nuts_for_other_likelihoods(
    toy_table: pd.DataFrame, mock_nuts: dict[str, Any]
) -> None:
    tree = fit(toy_table, "robust", draws=500, seed=1)
    assert tree.attrs["method"] == "nuts"
    assert "student_t likelihood does not integrate out" in tree.attrs["method_reason"]
    assert "nu" in tree["posterior"]


def test_auto_falls_back_where_pareto_k_is_high(
    small_table: pd.DataFrame, mock_nuts: dict[str, Any]
) -> None:
    """A truly hard posterior; only the NUTS it falls back to is a mock, which mixes as it may."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", SamplingWarning)
        tree = fit(small_table, "crossed", priors=SPIKES, draws=500, seed=1)
    assert tree.attrs["method"] == "nuts"
    reason = r"Pareto k (\d+\.\d\d|inf) of the exact sampler is too high"
    assert pd.Series([tree.attrs["method_reason"]]).str.fullmatch(reason).all()
    assert "diverging" in tree["sample_stats"]


def test_the_exact_sampler_by_name_warns_instead(small_table: pd.DataFrame) -> None:
    with pytest.warns(SamplingWarning) as caught:
        tree = fit(small_table, "crossed", method="exact", priors=SPIKES, seed=1)
    assert tree.attrs["method_reason"] == "asked for"
    doubts = warnings_of(tree)
    assert any("Pareto k of the exact sampler" in doubt for doubt in doubts)
    assert any("use method='nuts'" in doubt for doubt in doubts)
    assert [str(warning.message) for warning in caught] == doubts
    assert caught[0].filename == __file__
    with pytest.warns(SamplingWarning) as again:
        assert summary(tree).attrs["warnings"] == doubts
    assert [str(warning.message) for warning in again] == doubts


def test_divergences_and_poor_mixing_warn_with_what_to_do(
    toy_table: pd.DataFrame, mock_nuts: dict[str, Any]
) -> None:
    mock_nuts["diverging"] = lambda size: np.arange(np.prod(size)).reshape(size) < 7
    with pytest.warns(SamplingWarning) as caught:
        tree = fit(toy_table, "paper", method="nuts", draws=30, chains=2, seed=1)
    told = " ".join(str(warning.message) for warning in caught)
    assert "7 divergent transitions" in told
    assert "raise target_accept" in told
    assert "effective sample size is" in told
    assert json.loads(tree.attrs["warnings"]) == [str(warning.message) for warning in caught]


def test_chains_that_disagree_are_told(crossed_posterior: DataTree) -> None:
    shifted = crossed_posterior["posterior"].to_dataset().copy(deep=True)
    shifted["connection_mean"][1] += 1
    stats = xr.Dataset({"diverging": (("chain", "draw"), np.zeros((2, 1000)))})
    tree = DataTree.from_dict({"posterior": shifted, "sample_stats": stats})
    tree.attrs = crossed_posterior.attrs
    assert any("the chains disagree" in str(doubt) for doubt in fitting._doubts(tree))


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"method": "exct"}, "unknown method 'exct'; did you mean 'exact'"),
        ({"model": "crosed"}, "unknown model 'crosed'; did you mean 'crossed'"),
        ({"draws": 0}, "draws must be a whole number from 1 on; got 0"),
        ({"seed": -1}, "seed must be a whole number from 0 on; got -1"),
        ({"seed": "x"}, "seed must be a whole number from 0 on; got 'x'"),
        ({"target_accept": 90}, r"target_accept must lie in \(0, 1\); got 90"),
        ({"priors": {"sigm": {"rate": 1}}}, "unknown parameter 'sigm'; did you mean 'sigma'"),
        ({"model": "robust", "method": "exact"}, "use method='nuts'"),
    ],
)
def test_wrong_options_say_what_is_allowed(
    toy_table: pd.DataFrame, options: dict[str, Any], message: str
) -> None:
    with pytest.raises(ValueError, match=message):
        fit(toy_table, **options)


def test_tables_that_tell_nothing_are_refused(toy_table: pd.DataFrame) -> None:
    with pytest.raises(ValueError, match=r"all \d+ distances of associated rows are 0\.5"):
        fit(toy_table.iloc[:-1].assign(cosine_distance=0.5))
    with pytest.raises(ValueError, match="the table has no rows"):
        fit(toy_table.iloc[:0])


def test_rows_that_stand_twice_are_told(toy_table: pd.DataFrame) -> None:
    twice = pd.concat([toy_table, toy_table.iloc[[3, 3]]])
    with pytest.warns(UserWarning, match="2 of 34 rows repeat an earlier row exactly") as told:
        tree = fit(twice, "paper", seed=1, **FAST)
    assert told[0].filename == __file__
    assert tree["observed_data"].sizes["row"] == 34  # told, and left as they are


def test_embeddings_that_are_fitted_as_one_are_told(toy_table: pd.DataFrame) -> None:
    one = toy_table.assign(embedding="one")
    moved = one.assign(embedding="two", cosine_distance=one["cosine_distance"] * 0.9)
    with pytest.warns(UserWarning, match=r"of 2 embeddings \(one, two\), .* bb.fit_many") as told:
        fit(pd.concat([one, moved]), "paper", seed=1, **FAST)
    assert told[0].filename == __file__
    moved = moved.assign(embedding="one")  # as of two trainings, or of two contexts
    fit(pd.concat([one, moved]).assign(replicate="1"), "paper", seed=1, **FAST)


@pytest.mark.parametrize("model", ["crossed", "robust"])
def test_a_connection_that_does_not_vary_is_refused_before_sampling(
    toy_table: pd.DataFrame, model: str
) -> None:
    human = toy_table["connection"] == "human"
    flat = toy_table.assign(cosine_distance=toy_table["cosine_distance"].mask(human, 0.9))
    with pytest.raises(ValueError, match=r"all 4 distances of human rows are 0\.9.*'common'"):
        fit(flat, model)
    assert fit(flat, "paper", seed=1, **FAST).attrs["method"] == "exact"  # one sd for all
    one = flat[~human | (human.cumsum() == 1)]
    if model != "robust":  # of a single row the prior decides
        assert fit(one, model, method="exact", seed=1, **FAST).attrs["method"] == "exact"


@pytest.mark.parametrize("spread", [2e-6, 5e-6])
def test_a_spread_of_rounding_is_none(toy_table: pd.DataFrame, spread: float) -> None:
    noise = spread * np.random.default_rng(0).standard_normal(len(toy_table))
    with pytest.raises(
        ValueError, match=r"distances of associated rows are 0\.9, give or take .e-0"
    ):
        fit(toy_table.assign(cosine_distance=0.9 + noise))


@pytest.mark.parametrize("method", ["nutpie", "numpyro"])
def test_a_missing_sampler_is_an_import_error_that_names_the_extra(
    toy_table: pd.DataFrame, monkeypatch: pytest.MonkeyPatch, method: str
) -> None:
    monkeypatch.setattr(fitting, "find_spec", lambda name: None)
    with pytest.raises(ImportError, match=rf"needs {method}: pip install 'bayesbias\[samplers\]'"):
        fit(toy_table, "paper", method=method)


def same_draws(first: DataTree, second: DataTree) -> bool:
    return bool(first["posterior"].to_dataset().equals(second["posterior"].to_dataset()))


def test_seeds_are_recorded_and_repeat_the_fit(toy_table: pd.DataFrame) -> None:
    def run(seed: object) -> DataTree:
        return fit(toy_table, "paper", method="exact", draws=400, chains=1, seed=seed)

    whole = run(5)
    assert whole.attrs["seed"] == "5"
    assert same_draws(whole, run(np.int64(5)))
    assert same_draws(whole, run(SeedSequence(5)))
    assert run(SeedSequence(5)).identical(whole)
    assert not same_draws(whole, run(6))
    by_generator = run(default_rng(5))
    assert same_draws(by_generator, run(default_rng(5)))
    assert same_draws(by_generator, run(int(by_generator.attrs["seed"])))
    by_chance = run(None)
    assert same_draws(by_chance, run(int(by_chance.attrs["seed"])))
    assert not same_draws(by_chance, run(None))


def test_the_exact_way_needs_no_pymc(
    toy_table: pd.DataFrame, monkeypatch: pytest.MonkeyPatch
) -> None:
    real = builtins.__import__

    def refuse(name: str, *args: Any, **options: Any) -> Any:
        if name.partition(".")[0] in {"pymc", "pytensor"}:
            raise AssertionError(f"{name} is imported by the exact sampler")
        return real(name, *args, **options)

    monkeypatch.setattr(builtins, "__import__", refuse)
    assert fit(toy_table, "crossed", draws=200, seed=1).attrs["method"] == "exact"


def test_missing_pairs_that_make_a_fit_slow_are_named(
    toy_table: pd.DataFrame, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    gaps = toy_table.drop_duplicates(["protected_word", "attribute"])[1:]
    fit(gaps, "paper", seed=1, draws=20)
    assert not caplog.text
    monkeypatch.setattr("bayesbias.sampling.reduction.MUCH_WORK", 10)
    fit(gaps, "paper", seed=1, draws=20)
    assert "of 32 pairs of words have no row" in caplog.text


def test_draws_beyond_the_memory_are_refused_with_their_size(toy_table: pd.DataFrame) -> None:
    with pytest.raises(ValueError, match=r"1,000,000,000 draws of 4 chains take [\d,]+ GB"):
        fit(toy_table, "paper", draws=1_000_000_000)
