"""Cosines of words that travel with a table, and residuals that covary as they do."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from builders import FAST, leaning
from dense_oracle import dense_log_density
from gensim.models import KeyedVectors
from xarray import DataTree

import bayesbias as bb
from bayesbias.model.design import make_design
from bayesbias.model.likelihood import locations, log_likelihood
from bayesbias.model.spec import load_model, spec_from_dict
from bayesbias.model.tree import design_of, stacked
from bayesbias.nulls import scenario
from bayesbias.sampling.fit import fit_design
from bayesbias.tables.table_files import read_table, write_table

pytestmark = pytest.mark.filterwarnings("ignore:.*are exact copies of another")


@pytest.fixture(scope="module")
def table() -> pd.DataFrame:
    """Six-dimensional vectors of two groups of five words; two words have one direction."""
    vectors, words = leaning()
    vectors["x1"] = 2 * vectors["x0"]
    keyed = KeyedVectors(6)
    keyed.add_vectors(list(vectors), np.array(list(vectors.values())))
    with pytest.warns(UserWarning, match="exact copies"):
        return bb.distance_table(keyed, words)


@pytest.fixture(scope="module")
def posterior(table: pd.DataFrame) -> DataTree:
    return bb.fit(table, "kernel", seed=1, **FAST)


def test_cosines_are_those_of_the_words_in_the_order_of_the_design(table: pd.DataFrame) -> None:
    vectors, _ = leaning()
    vectors["x1"] = vectors["x0"]
    some = table[table["protected_word"].isin(["y3", "x1", "x2"])].sample(frac=1, random_state=1)
    design = make_design(some)
    for i, one in enumerate(design.words):
        for j, other in enumerate(design.words):
            lengths = np.linalg.norm(vectors[one]) * np.linalg.norm(vectors[other])
            cosine = vectors[one] @ vectors[other] / lengths
            assert design.word_cosines[i, j] == pytest.approx(cosine, abs=1e-6)  # float32 vectors


def test_simulated_tables_carry_the_cosines_of_their_batch() -> None:
    batch = scenario("unit-vectors").simulate(3, seed=1).first(2)
    for index in range(2):
        found = make_design(batch.table(index))
        place = [
            batch.table(index)["protected_word"].unique().tolist().index(w) for w in found.words
        ]
        expected = batch.word_cosines[index][np.ix_(place, place)]
        np.testing.assert_array_equal(found.word_cosines, expected)
    assert "word_cosines" not in scenario("independent").table(1).attrs


def test_parquet_files_keep_cosines_and_tables_without_are_told_so(
    table: pd.DataFrame, tmp_path: Path
) -> None:
    for ending in ("parquet", "csv"):
        write_table(table, tmp_path / f"table.{ending}")
    again = make_design(read_table(tmp_path / "table.parquet"))
    np.testing.assert_array_equal(again.word_cosines, make_design(table).word_cosines)
    renamed = table.assign(protected_word=table["protected_word"].replace("x0", "unknown"))
    for without in (read_table(tmp_path / "table.csv"), renamed):
        with pytest.raises(ValueError, match=r"does not carry these: bb\.distance_table attaches"):
            bb.fit(without, "kernel")


def test_the_posterior_holds_no_residuals_and_knows_its_design(
    table: pd.DataFrame, posterior: DataTree
) -> None:
    assert "residual" not in posterior["posterior"]
    assert posterior.attrs["method"] == "exact"
    assert float(posterior["sample_stats"]["pareto_k"]) < 0.7
    np.testing.assert_array_equal(
        design_of(posterior).word_cosines, make_design(table).word_cosines
    )
    assert {"overall", "group", "word"} == set(bb.contrasts(posterior)["level"])
    assert np.isfinite(bb.predict_words(posterior, seed=1)["mean"]).all()
    assert np.isfinite(bb.predict_distances(posterior, seed=1)["mean"]).all()
    for listed in (
        lambda: bb.contrasts(posterior, over="listed"),
        lambda: bb.predict_words(posterior, attributes="listed"),
        lambda: bb.posterior_scores(posterior),
    ):
        with pytest.raises(ValueError, match="for means of the very attributes listed fit maximal"):
            listed()


def test_log_likelihoods_of_rows_are_marginal(posterior: DataTree) -> None:
    """A row alone has the density of the dense model given all effects but residuals."""
    design, row = design_of(posterior), 7
    spec = load_model("kernel").without(
        *(
            term.name
            for term in load_model("kernel").terms
            if term.name not in {"level", "residual"}
        )
    )
    found = log_likelihood(posterior, np.array([row]))[0, 0]
    sd = {name: stacked(posterior, name)[0] for name in ("sigma", "residual_sd")}
    # Given the effects: their sds go to zero, and what they sum to moves to the outcome.
    values = sd | {"level_sd": np.full(len(design.kinds), 1e-9)}
    values["level_correlation"] = np.eye(len(design.kinds))
    shift = locations(posterior, np.array([row]))[0, 0]
    content = spec.to_dict()
    content["priors"]["connection_mean"] |= {"mean": float(shift), "sd": 1e-9}
    dense = dense_log_density(design.take(np.array([row])), spec_from_dict(content), values)
    assert found == pytest.approx(dense, abs=1e-9)


def test_sampler_recovers_how_residuals_covary() -> None:
    """The sd of what covaries, and of what does not, in a table drawn from the model."""
    batch = scenario("vocabulary").simulate(1, seed=3)
    design = make_design(batch.table(0))
    rng, n = np.random.default_rng(5), len(design.words)
    shape = len(design.attributes), n
    vectors = np.linalg.cholesky(design.word_cosines)
    mean = vectors.sum(axis=0) / np.linalg.norm(vectors.sum(axis=0))
    directions = 0.1 * rng.standard_normal(shape)
    residual = (directions - np.outer(directions @ mean, mean)) @ vectors.T
    residual += 0.03 * rng.standard_normal(shape)
    design = replace(design, y=1 + residual[design.attribute, design.word])
    trees = {name: fit_design(design, name, seed=1, **FAST) for name in ("kernel", "maximal")}
    for name, truth in (("residual_sd", 0.1), ("sigma", 0.03)):
        low, high = np.quantile(stacked(trees["kernel"], name), (0.005, 0.995), axis=0)
        assert np.all(
            (low < truth) & (truth < high)
        )  # four sds at 99%: it fails for 4 seeds in 100


def test_pymc_does_not_build_it(table: pd.DataFrame) -> None:
    with pytest.raises(ValueError, match=r"bb.fit integrates them out with method='exact'"):
        bb.build_model(table, "kernel")
    with pytest.raises(ValueError, match="PyMC's form of models does not have"):
        bb.model_graph("kernel")


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"known": "cosines"}, "'word_cosines'|word_cosines"),
        ({"by": "attribute_set"}, "by: "),
        ({"zero_sum": True}, "known covariances are of effects of attributes"),
        ({"of": "protected_word"}, "known covariances are of effects of attributes"),
    ],
)
def test_what_known_covariances_are_of(change: dict[str, object], message: str) -> None:
    content = load_model("kernel").to_dict()
    content["terms"]["residual"] |= change
    with pytest.raises(ValueError, match=message):
        spec_from_dict(content)
