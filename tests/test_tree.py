"""The posterior as a DataTree: groups, labels, attributes, and its file."""

import json
from collections.abc import Callable
from functools import partial
from pathlib import Path

import h5py
import numpy as np
import pandas as pd
import pytest
import xarray as xr
from builders import refused, smallest_design, table_of
from pandas.testing import assert_frame_equal
from xarray import DataTree

import bayesbias as bb
from bayesbias.model.layout import in_order
from bayesbias.model.posterior_files import load_posterior, save_posterior
from bayesbias.model.spec import load_model
from bayesbias.model.tree import ROW_INDICES, design_of, index_of, labels, spec_of, warnings_of
from bayesbias.sampling.fit import fit_design
from bayesbias.tables.schema import table_hash, validate_table


def test_indices_and_labels_give_the_rows_back(toy_table, crossed_posterior) -> None:
    pairs = [
        ("word_index", "protected_word"),
        ("connection_index", "connection"),
        ("attribute_index", "attribute"),
    ]
    for index, dim in pairs:
        names = np.array(labels(crossed_posterior, dim))
        found = names[index_of(crossed_posterior, index)]
        assert found.tolist() == toy_table[dim].astype(str).tolist()
        for group in ("constant_data", "observed_data"):
            of_rows = crossed_posterior[group].coords[f"row_{dim}"]
            assert of_rows.dims == ("row",)
            assert of_rows.values.tolist() == toy_table[dim].astype(str).tolist()
    attrs = crossed_posterior.attrs
    assert (attrs["model"], attrs["method"], attrs["seed"]) == ("crossed", "exact", "1")
    hashed = validate_table(toy_table).drop(columns="replicate")  # no part of any model
    assert attrs["table_hash"] == table_hash(hashed)
    assert set(json.loads(attrs["versions"])) == {"bayesbias", "pymc", "arviz", "numpy"}
    assert spec_of(crossed_posterior) == load_model("crossed")
    assert warnings_of(crossed_posterior) == ()
    assert index_of(crossed_posterior, "group_index").tolist() == [0, 0, 1, 1]
    assert labels(crossed_posterior, "protected_group") == ["man", "woman"]
    refused("no dimension 'planet'", labels, crossed_posterior, "planet")


@pytest.mark.parametrize("dim", [dim for dim in ROW_INDICES if dim != "context"])
def test_labels_that_were_reordered_or_selected_are_refused(dim: str) -> None:
    post = bb.fit(table_of("xyz"), draws=25, seed=1)
    first = [1, 0, *range(2, post.sizes.get(dim, 2))]
    for kept in (slice(None, None, -1), slice(-1), first):
        changed = post.isel({dim: kept}, missing_dims="ignore")
        refused(f"labels of {dim} were selected or reordered", design_of, changed)


READS: dict[str, tuple[Callable[[DataTree], object], ...]] = {
    "one": (
        *(bb.contrasts, bb.summary, bb.sd_summary, bb.predict_words, bb.predictive_check),
        *(bb.posterior_scores, bb.influence, lambda tree: bb.hypothesis(tree, "man < 1")),
    ),
    "change": (bb.summary, bb.comparison.changes),
    "many": (bb.rank_embeddings, bb.comparison.variance_shares),
    "arviz": (
        bb.prior_sensitivity,
        lambda tree: bb.compare_models({"one": tree, "other": tree}),
    ),
}


@pytest.mark.parametrize(
    "kind",
    ["one", "change", *(pytest.param(k, marks=pytest.mark.seconds) for k in ("many", "arviz"))],
)
def test_draws_that_are_nan_are_refused_by_all_that_read_them(
    kind: str, crossed_posterior, change_tree, change_tables
) -> None:
    """Draws are NaN after ``.where(~diverging)``, and if chains of unequal length are joined."""
    post = change_tree if kind == "change" else crossed_posterior
    if kind == "many":
        tables = [
            table[table["replicate"] == "1"].assign(embedding=name, wordlist="toy")
            for name, table in zip(("before", "after"), change_tables, strict=True)
        ]
        post = bb.fit_many(tables, draws=50, seed=1)
    lacking, drawn = post.copy(), post["posterior"].to_dataset()
    lacking["posterior"] = drawn.where(drawn["draw"] > 0)
    for read in READS[kind]:
        refused("contain NaN", read, lacking)


def test_a_posterior_that_is_changed_has_another_design(crossed_posterior: DataTree) -> None:
    tree = crossed_posterior.copy()
    before = design_of(tree)
    assert design_of(tree) is before
    tree["observed_data"] = tree["observed_data"].to_dataset() + 1.0
    np.testing.assert_allclose(design_of(tree).y, before.y + 1.0)
    assert design_of(crossed_posterior).digest == before.digest


@pytest.mark.seconds
def test_a_posterior_is_read_back_without_what_is_as_long_as_the_table(
    crossed_posterior: DataTree, tmp_path: Path
) -> None:
    tree, path = crossed_posterior, tmp_path / "post.nc"
    save_posterior(tree, path, effects=True)
    assert list(tmp_path.iterdir()) == [path]
    again = load_posterior(path)
    assert again.attrs == tree.attrs
    for name in tree.children:  # draws are stored in single precision
        xr.testing.assert_allclose(again[name].to_dataset(), tree[name].to_dataset(), rtol=1e-6)
    means = tree["posterior"]["connection_mean"]
    xr.testing.assert_equal(again["posterior"]["connection_mean"], means.astype("f4").astype("f8"))
    save_posterior(again, path)  # the file is closed after reading
    light = load_posterior(path)
    assert not {"attribute", "row"} & set(light["posterior"].dims)
    frames = [bb.contrasts(post) for post in (light, tree)]
    shares = [frame.filter(regex="^p_") for frame in frames]  # a draw at an edge may switch sides
    assert_frame_equal(*shares, atol=2 / 1000)
    assert_frame_equal(*(frame.drop(columns=shares[0].columns) for frame in frames), atol=1e-6)
    assert_frame_equal(bb.summary(light), bb.summary(tree), atol=1e-6)
    for needs in (bb.predictive_check, bb.add_groups, partial(bb.contrasts, over="listed")):
        refused("again with the effects of attributes", needs, light)


def test_dimensions_come_in_the_order_in_which_arviz_labels_them() -> None:
    short, long = ("chain", "draw", "connection"), ("chain", "draw", "protected_word", "connection")
    values = {"short": (short, np.zeros((1, 2, 3))), "long": (long, np.zeros((1, 2, 4, 3)))}
    assert [*in_order(xr.Dataset(values))] == ["long", "short"]


@pytest.mark.seconds
def test_a_posterior_that_dask_holds_is_written_whole(
    crossed_posterior: DataTree, tmp_path: Path
) -> None:
    pytest.importorskip("dask.array")
    few = crossed_posterior.isel(draw=slice(100))
    for name, tree in (("held", few), ("lazy", few.chunk())):
        save_posterior(tree, tmp_path / name)
    held, lazy = (load_posterior(tmp_path / name) for name in ("held", "lazy"))
    xr.testing.assert_identical(held, lazy)


@pytest.mark.seconds
def test_files_that_are_no_posterior(tmp_path: Path, crossed_posterior: DataTree) -> None:
    for missing in (tmp_path / "nowhere.nc", tmp_path):
        refused(str(missing), load_posterior, missing, error=FileNotFoundError)
    other = tmp_path / "other.nc"
    xr.Dataset({"x": ("i", [1.0])}).to_netcdf(other, engine="h5netcdf")
    foreign = other.read_bytes()
    few = crossed_posterior.isel(draw=slice(100))
    bare = few.copy()
    del bare.attrs["spec"]
    bare.to_netcdf(other, engine="h5netcdf")
    refused(r"other\.nc does not contain a posterior fitted", load_posterior, other)
    save_posterior(few, other)
    whole = other.read_bytes()
    for content in (b"not netCDF", whole[:2000], whole[:-1], foreign):
        other.write_bytes(content)
        refused(r"other\.nc", load_posterior, other)


@pytest.mark.parametrize("signature", ["OHDR", "OCHK", "FRHP", "FHDB", "BTHD", "TREE", "GCOL"])
def test_damaged_files_are_refused(
    signature: str, tmp_path: Path, crossed_posterior: DataTree
) -> None:
    """HDF5 begins its parts with four letters; h5py raises four kinds of errors for wrong ones."""
    path, mark = tmp_path / "whole.nc", signature.encode()
    save_posterior(crossed_posterior.isel(draw=slice(20)), path)
    whole = path.read_bytes()
    assert mark in whole
    for n in (1, -1):  # the first one, and all
        path.write_bytes(whole.replace(mark, mark[::-1], n))
        refused(r"whole\.nc is damaged", load_posterior, path)


@pytest.mark.seconds
@pytest.mark.filterwarnings("ignore::bayesbias.SamplingWarning")
@pytest.mark.parametrize(
    "model", ["maximal-topics", pytest.param("contextual", marks=pytest.mark.slow)]
)
def test_arviz_labels_every_row_of_its_summary_rightly(model: str, tmp_path: Path) -> None:
    """A table with levels for all terms of all models: three groups, all kinds, and contexts."""
    import arviz as az

    post = fit_design(smallest_design(), model, method="exact", draws=20, seed=1)
    save_posterior(post, tmp_path / "post.nc")
    tree = load_posterior(tmp_path / "post.nc")
    rows = az.summary(tree, kind="stats", round_to="none")["mean"]
    draws = tree["posterior"].to_dataset()
    for name in map(str, draws.data_vars):
        means = draws[name].mean(("chain", "draw"))
        for at in np.ndindex(means.shape):
            labels_of = zip(means.dims, at, strict=True)
            place = ", ".join(str(means[dim].values[i]) for dim, i in labels_of)
            label = f"{name}[{place}]" if place else name
            assert float(rows[label]) == pytest.approx(float(means[at]), abs=1e-9)


def test_a_table_in_place_of_a_posterior_is_named(toy_table: pd.DataFrame) -> None:
    for read in (bb.summary, bb.contrasts, bb.sd_summary, bb.predictive_check):
        refused("got DataFrame", read, toy_table, error=TypeError)


@pytest.mark.seconds
def test_a_damaged_model_in_a_posterior_is_refused(
    crossed_posterior: DataTree, tmp_path: Path
) -> None:
    """Its text is cut, or lacks a part, so that the draws are those of other parameters."""
    path, content = tmp_path / "post.nc", json.loads(crossed_posterior.attrs["spec"])
    save_posterior(crossed_posterior, path)
    parts = [
        {name: content[name] for name in content if name != lost} for lost in ("sigma", "terms")
    ]
    for spec in ("x", "[]", "{}", '{"name": "m"}', *map(json.dumps, parts)):
        with h5py.File(path, "r+") as file:
            file.attrs["spec"] = spec
        refused(r"post\.nc is damaged, or is refused", load_posterior, path)


@pytest.mark.seconds
def test_posteriors_with_a_selected_level_or_own_variables_are_read(
    crossed_posterior: DataTree, tmp_path: Path
) -> None:
    few = crossed_posterior.isel(draw=slice(100))
    draws = few["posterior"].to_dataset()
    own = draws.assign(twice=2 * draws["connection_mean"])
    for posterior in (own, draws.isel(connection=0), draws.isel(connection=[0])):
        tree = few.copy()
        tree["posterior"] = DataTree(posterior)
        save_posterior(tree, tmp_path / "post.nc")
        back = load_posterior(tmp_path / "post.nc")["posterior"]
        assert {*back.data_vars} == {*posterior.data_vars} - {"attribute_effect"}
