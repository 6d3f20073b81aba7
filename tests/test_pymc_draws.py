"""Draws that other samplers made of our models, in the forms in which they come back."""

from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import arviz as az
import numpy as np
import pandas as pd
import pytest
import xarray as xr
from builders import FAST, refused
from xarray import DataArray, Dataset, DataTree

import bayesbias as bb
from bayesbias.posterior.diagnostics import diagnostics

pytestmark = pytest.mark.filterwarnings("ignore::bayesbias.SamplingWarning")

Change = Callable[[DataTree], Any]


@pytest.fixture(scope="module")
def post(toy_table: pd.DataFrame) -> DataTree:
    """Return our own posterior, whose contrasts are the right ones for the same draws."""
    return bb.fit(toy_table, "crossed", seed=1, **FAST)


@pytest.fixture
def drawn(post: DataTree) -> DataTree:
    """Return our draws as ``pm.sample`` would return them."""
    one = post["posterior"]["connection_mean"].isel(connection=0, drop=True)
    stats = Dataset({"diverging": xr.zeros_like(one, dtype=bool)})
    groups = {name: post[name].to_dataset() for name in ("posterior", "observed_data")}
    return DataTree.from_dict(groups | {"sample_stats": stats})


def with_draws(change: Callable[[Dataset], Dataset]) -> Change:
    """Return a function that changes the group ``posterior``."""

    def changed(tree: DataTree) -> DataTree:
        tree["posterior"] = change(tree["posterior"].to_dataset())
        return tree

    return changed


def without_stats(tree: DataTree) -> DataTree:
    """Leave out the statistics, as ADVI does."""
    return tree.filter(lambda node: node.name != "sample_stats")


def inference_data(tree: DataTree) -> SimpleNamespace:
    """Return draws in the form of ArviZ before 1.0: groups as attributes, and their names."""
    groups = {name: node.to_dataset() for name, node in tree.children.items()}
    return SimpleNamespace(groups=lambda: [f"/{name}" for name in groups], **groups)


def reorder(variable: DataArray) -> DataArray:
    """Reverse the dimensions of a variable."""
    return variable.transpose(*variable.dims[::-1])


FORMS: dict[str, Change] = {
    "single precision": with_draws(lambda d: d.astype("f4")),
    "only the posterior": lambda tree: tree["posterior"].to_dataset(),
    "InferenceData": inference_data,
    "no statistics": without_stats,
    "chain and draw last": with_draws(lambda d: d.transpose(..., "chain", "draw")),
    "dimensions reversed": with_draws(lambda d: d.map(reorder)),
    "draws stacked": lambda tree: az.extract(tree, keep_dataset=True),
}


@pytest.mark.parametrize("form", FORMS)
def test_every_form_of_the_same_draws_has_the_same_contrasts(post, drawn, toy_table, form) -> None:
    ours = bb.contrasts(bb.from_pymc(FORMS[form](drawn), toy_table, "crossed"))
    numbers = ["mean", "sd", "low", "high", "p_direction"]
    # Single precision has seven digits.
    pd.testing.assert_frame_equal(ours[numbers], bb.contrasts(post)[numbers], rtol=1e-5, atol=1e-7)


def test_effects_of_a_collapsed_model_are_drawn_given_its_sds(post, drawn, toy_table) -> None:
    """Given the same sds, two draws of all effects differ by Monte Carlo error."""
    kept = ["sigma", *(name for name in drawn["posterior"].data_vars if str(name).endswith("_sd"))]
    sds = drawn["posterior"].to_dataset()[kept]
    found = bb.contrasts(bb.from_pymc(sds, toy_table, "crossed", seed=2))
    wanted = bb.contrasts(post)
    error = wanted["sd"] * np.sqrt(2 / (sds.sizes["chain"] * sds.sizes["draw"]))
    assert (abs(found["mean"] - wanted["mean"]) < 5 * error).all()
    # Tails are heavy: the sds of 1,000 draws are off by up to 16%, and of 4,000 by half of that.
    np.testing.assert_allclose(found["sd"], wanted["sd"], rtol=0.3)


def test_our_own_posterior_may_be_reordered(post: DataTree) -> None:
    reordered = with_draws(lambda d: d.map(reorder))(post.copy())
    for read in (bb.contrasts, bb.summary, bb.prior_sensitivity):
        pd.testing.assert_frame_equal(read(reordered), read(post))


def test_one_chain_is_a_posterior(drawn: DataTree, toy_table: pd.DataFrame) -> None:
    selected = bb.from_pymc(drawn.sel(chain=1), toy_table, "crossed")
    listed = bb.from_pymc(drawn.sel(chain=[1]), toy_table, "crossed")
    pd.testing.assert_frame_equal(bb.contrasts(selected), bb.contrasts(listed))
    assert dict(selected["posterior"].sizes)["chain"] == 1
    refused(r"sel\(chain=\[0\]\)", bb.contrasts, selected.isel(chain=0))


def test_draws_without_statistics_are_doubted(drawn: DataTree, toy_table: pd.DataFrame) -> None:
    with pytest.warns(bb.warnings.DivergencesUnknown):
        bb.from_pymc(without_stats(drawn), toy_table, "crossed")


@pytest.mark.seconds
@pytest.mark.filterwarnings("ignore::bayesbias.warnings.UnreliableLoo")
def test_draws_compare_with_our_own_before_and_after_saving(
    post: DataTree, drawn: DataTree, toy_table: pd.DataFrame, tmp_path: Path
) -> None:
    """These have no statistics, as ADVI's."""
    converted = bb.from_pymc(without_stats(drawn), toy_table, "crossed")
    bb.save_posterior(converted, tmp_path / "post.nc", effects=True)
    trees = {"converted": converted, "loaded": bb.load_posterior(tmp_path / "post.nc")}
    compared = bb.compare_models({"ours": post} | trees).set_index("model")["elpd"]
    assert compared["converted"] == pytest.approx(compared["loaded"], abs=1e-3)
    found = [diagnostics(tree)["value"] for tree in trees.values()]
    np.testing.assert_allclose(*found, rtol=1e-3)


def test_chains_at_different_places_are_doubted(drawn: DataTree, toy_table: pd.DataFrame) -> None:
    apart = with_draws(lambda d: d.assign(sigma=d["sigma"] * (1 + d["chain"])))(drawn)
    with pytest.warns(bb.warnings.ChainsDisagree):
        bb.from_pymc(apart, toy_table, "crossed")


def nan_draws(variable: DataArray) -> DataArray:
    """Return a variable whose first draw is NaN."""
    values = variable.values.copy()
    values[0, 0] = np.nan
    return variable.copy(data=values)


REFUSED: dict[str, tuple[Change, str]] = {
    "sd missing": (with_draws(lambda d: d.drop_vars("connection_sd")), "connection_sd"),
    "sigma missing": (with_draws(lambda d: d.drop_vars("sigma")), "'sigma'"),
    "one too many": (with_draws(lambda d: d.assign(mine=d["word_mean"])), "'mine'.*drop_vars"),
    "other labels": (with_draws(lambda d: d.sortby("protected_word")), "'protected_word'"),
    "no coordinates": (
        with_draws(lambda d: d.assign(word_mean=d["word_mean"].rename(connection="dim_1"))),
        "word_mean must have the dimensions",
    ),
    "no labels": (with_draws(lambda d: d.drop_vars("protected_word")), "'protected_word'"),
    "no labels of levels": (with_draws(lambda d: d.drop_vars("attribute")), "'attribute'"),
    "one draw": (lambda t: t["posterior"].to_dataset().isel(draw=0, drop=True), "chain, draw"),
    "NaN": (with_draws(lambda d: d.assign(word_mean=nan_draws(d["word_mean"]))), "word_mean has"),
    "negative": (with_draws(lambda d: d.assign(sigma=-d["sigma"])), "sigma has .* not positive"),
    "no draws": (lambda tree: tree["posterior"].to_dataset().isel(draw=[]), "has no draws"),
    "a trace": (lambda _: [1.0], "to_inference_data"),
    "no groups": (lambda t: SimpleNamespace(posterior=t["posterior"]), "to_inference_data"),
    "no posterior": (lambda tree: DataTree(children={"prior": tree["posterior"]}), "prior"),
}


@pytest.mark.parametrize("kind", REFUSED)
def test_other_draws_are_refused_by_name(drawn, toy_table, kind) -> None:
    change, named = REFUSED[kind]
    refused(named, bb.from_pymc, change(drawn), toy_table, "crossed", error=(ValueError, TypeError))


def test_another_table_is_refused(drawn: DataTree, toy_table: pd.DataFrame) -> None:
    halved = toy_table.assign(cosine_distance=toy_table["cosine_distance"] / 2)
    turned = toy_table.copy()
    turned.loc[[0, 1], "cosine_distance"] = turned.loc[[1, 0], "cosine_distance"].to_numpy()
    tables = {"another table": halved, "another order": turned, "distances, and": toy_table[:-1]}
    for said, table in tables.items():
        refused(said, bb.from_pymc, drawn, table, "crossed")


def test_draws_without_their_table_are_no_posterior(drawn: DataTree, post: DataTree) -> None:
    drawn["constant_data"] = post["constant_data"].to_dataset()
    for read in (bb.contrasts, bb.summary):
        refused("from_pymc", read, drawn)
