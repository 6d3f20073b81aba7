"""`fit_change`: the joint posterior of change and level."""

from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd
import pytest
from builders import DOUBT, FAST, distances, leaning, model_named, pair_table, plus, refused
from numpy.random import SeedSequence
from xarray import DataTree

import bayesbias as bb
from bayesbias import comparison
from bayesbias.comparison import joint
from bayesbias.comparison.joint import fit_change, posterior_at, slopes
from bayesbias.comparison.pairing import pair
from bayesbias.model.posterior_files import load_posterior, save_posterior
from bayesbias.model.spec import load_model
from bayesbias.model.tree import keep_warnings, stacked
from bayesbias.sampling.fit import fit_design
from bayesbias.tables.schema import CONNECTIONS, CONTROLS


@pytest.mark.seconds
@pytest.mark.parametrize(
    ("model", "twin"), [("change", "paper-figures"), ("change-crossed", "crossed")]
)
def test_the_change_is_the_model_of_distances_on_the_differences(
    change_tables: tuple[pd.DataFrame, pd.DataFrame], model: str, twin: str
) -> None:
    """`fit` accepts changes + 1 as a table, with the prior mean shifted by 1, too."""
    many = {"draws": 4000, "chains": 2}
    got = fit_change(*change_tables, model, seed=1, **many)
    pairs = pair(*change_tables)
    raised = pairs.rows.assign(cosine_distance=pairs.rows["change"] + 1)
    first, _ = SeedSequence(1).spawn(2)
    expected = bb.fit(raised, twin, seed=first, **many)
    same, other = bb.summary(got), bb.summary(expected)
    # Posterior sds are about .04 with 8,000 draws. Allow eight Monte Carlo errors of two runs.
    assert np.allclose(same["mean"] + 1, other["mean"], atol=0.005)
    assert np.allclose(same["sd"], other["sd"], rtol=0.25)  # heavy tails: few rows per cell
    assert got.attrs["model"] == model
    assert list(got["observed_data"].data_vars) == ["change"]


def test_distances_before_have_the_bundled_model_with_the_same_terms() -> None:
    names = {"change": "paper-figures", "change-crossed": "crossed"}
    names |= {"change-maximal": "maximal", "change-by-group": "by-group"}
    assert {name: joint.level_model(load_model(name)).name for name in names} == names
    own = model_named("change-crossed of one sigma")
    level = joint.level_model(own)
    assert (level.name, level.terms) == (own.name, own.terms)
    assert level.priors["connection_mean"].parameters == {"mean": 1.0, "sd": 0.3}
    assert level.priors["sigma"] == own.priors["sigma"]


@pytest.mark.seconds
def test_before_after_and_change_are_one_set_of_draws(change_tables, change_tree, tmp_path) -> None:
    again = fit_change(*change_tables, "change-maximal", seed=1, **FAST)
    assert np.array_equal(again["before"]["word_mean"], change_tree["before"]["word_mean"])
    before, after = posterior_at(change_tree, "before"), posterior_at(change_tree, "after")
    rows = pair(*change_tables).rows
    for when, tree in (("before", before), ("after", after)):
        np.testing.assert_allclose(tree["observed_data"]["change"], rows[when])
    for name in ("connection_mean", "word_mean"):
        change = stacked(after, name) - stacked(before, name)
        assert np.allclose(change, stacked(change_tree, name), atol=1e-12)
    moved = stacked(change_tree, "connection_mean")
    slope = change_tree["constant_data"]["slope"].to_numpy()
    rest = stacked(before, "connection_mean") - slope * moved  # drawn independently of the change
    for one, other in zip(rest.T, moved.T, strict=True):
        assert abs(np.corrcoef(one, other)[0, 1]) < 4.5 / len(moved) ** 0.5
    frame = comparison.changes(change_tree)
    assert np.allclose(frame["after"] - frame["before"], frame["mean"], atol=1e-12)
    names = ["level", "protected_word", "connection", "mean", "sd", "low", "high"]
    pd.testing.assert_frame_equal(frame[names], bb.summary(change_tree)[names])
    save_posterior(change_tree, tmp_path / "change.nc")
    back = load_posterior(tmp_path / "change.nc")
    pd.testing.assert_frame_equal(comparison.changes(back), frame, atol=1e-6)  # single precision
    assert set(bb.predictive_check(change_tree)["connection"]) == {"all", *CONNECTIONS[:4]}


@pytest.mark.seconds
def test_a_maximal_change_has_both_ends_whose_slopes_the_effects_share(change_tables) -> None:
    """Word means are sums of effects: draws before are the remainder plus slope times change."""
    tree = fit_change(*change_tables, "change-maximal", seed=1, method="exact", **FAST)
    assert tree["before"]["word_mean"].dims == ("chain", "draw", "protected_word", "connection")
    slope = tree["constant_data"]["slope"]
    first, second = (slope.sel(connection=name).item() for name in ("associated", "different"))
    assert first == second  # both rows share the effects of their attributes
    ends = [bb.contrasts(posterior_at(tree, when)) for when in ("before", "after")]
    change = bb.contrasts(tree)
    keys = ["level", "protected_group", "protected_word", "first", "second"]
    for frame in ends:
        pd.testing.assert_frame_equal(frame[keys], change[keys])
    moved = ends[1]["mean"] - ends[0]["mean"]
    words = change["level"] == "word"
    np.testing.assert_allclose(moved[words], change.loc[words, "mean"], atol=1e-12)
    # The overall change has no sampled effects. Allow five errors of their mean.
    error = 5 * change["sd"] / np.sqrt(tree["posterior"].sizes["draw"])
    assert (abs(moved - change["mean"]) <= error).all()
    orders = comparison.order_changes(tree)
    pairs = change[(change["first"] == "associated") & (change["second"] == "different")]
    np.testing.assert_allclose(orders["mean"], pairs["mean"], atol=1e-12)
    mirrored = comparison.order_changes(tree, "different", "associated", ci_kind="eti")
    orders = comparison.order_changes(tree, ci_kind="eti")
    for name, other in (("mean", "mean"), ("before", "before"), ("low", "high")):
        np.testing.assert_allclose(orders[name], -mirrored[other], atol=1e-9)


DUMMIES = {
    "change": [["protected_word", "connection"]],
    "change-crossed": [["protected_word", "connection"], ["attribute"]],
    "change-maximal": [
        ["connection"],
        ["protected_word"],
        ["protected_word", "attribute_set"],
        ["attribute"],
        ["attribute", "protected_group"],
    ],
}
"""Units with effects among stereotypes, keyed by model."""


@pytest.mark.parametrize("model", DUMMIES)
def test_slopes_are_least_squares_about_means(monkeypatch, model, debiased_religion) -> None:
    """Compare with NumPy's least squares, with a column for every level of every effect."""
    monkeypatch.setattr("bayesbias.comparison.joint.PRIOR_PAIRS", 0.0)
    pairs = pair(*debiased_religion)
    kept = pairs.rows[pairs.rows["connection"].isin(["associated", "different"])]
    kept = kept.reset_index(drop=True)
    design = comparison.Pairs(kept, pairs.unpaired, 0).design()
    labels = [kept[names].astype(str).agg(" ".join, axis=1) for names in DUMMIES[model]]
    columns = [pd.get_dummies(each).to_numpy(float) for each in labels]
    change, before = (kept[name].to_numpy(np.float64) for name in ("change", "before"))
    found = slopes(design, before, load_model(model))
    of = kept["connection"].to_numpy()
    parts = [of == "associated", of == "different"] if model == "change" else [of != ""]
    x, ends = np.hstack(columns), np.column_stack([change, before])
    one, other = (ends - x @ np.linalg.lstsq(x, ends)[0]).T
    expected = [one[at] @ other[at] / (one[at] @ one[at]) for at in parts]
    # Repeatedly subtracting means converges to least squares.
    assert np.unique(found) == pytest.approx(np.unique(expected), abs=1e-6)


def test_what_covariates_add_moves_no_slope(change_tables: tuple[pd.DataFrame, ...]) -> None:
    rng, plain = np.random.default_rng(1), pair(*change_tables).design()
    x, before = rng.normal(size=(len(plain.y), 2)), rng.normal(size=len(plain.y))
    design = replace(plain, covariates=("one", "other"), x=x, covariate_unit=np.ones(2))
    moved = replace(design, y=design.y + x @ [3.0, -2.0])
    for model in DUMMIES:
        wanted = slopes(design, before, load_model(model))
        found = slopes(moved, before + x @ [1.0, 4.0], load_model(model))
        np.testing.assert_allclose(found, wanted, atol=1e-9)


def test_two_pairs_have_no_slope() -> None:
    rows = [("he", "nurse", "different", 0.9), ("he", "pilot", "associated", 0.5)]
    moved = [("he", "nurse", "different", 0.8), ("he", "pilot", "associated", 0.7)]
    design = pair(pair_table(rows), pair_table(moved)).design()
    assert slopes(design, np.array([0.9, 0.5]), load_model("change")).tolist() == [0.0, 0.0]


@pytest.mark.seconds
def test_rows_without_a_partner_are_counted_in_a_warning(change_tables) -> None:
    before, after = change_tables
    with pytest.warns(bb.warnings.LeftOut) as caught:
        tree = fit_change(before.drop(index=[3, 4, 5]), after.drop(index=[7]), seed=1, **FAST)
    left_out = [each.message for each in caught if each.category is bb.warnings.LeftOut]
    found = [(each.about, each.n, each.total) for each in left_out]
    assert found == [("the table before", 1, 29), ("the table after", 3, 31)]
    assert caught[0].filename == __file__
    counts = {name: tree.attrs[name] for name in ("n_unpaired_before", "n_unpaired_after")}
    assert counts == {"n_unpaired_before": 1, "n_unpaired_after": 3}
    assert tree.attrs["n_pairs"] == 28


OF_THREE_GROUPS = {"own_lean_sd": {"rate": 2.0}}
"""A prior of effects that a list of two groups does not have."""


@pytest.mark.seconds
def test_repeated_rows_of_changes_and_of_many_embeddings_are_reported() -> None:
    table, rng = distances(), np.random.default_rng(1)
    tables = table, plus(table, 0.02 * rng.standard_normal(len(table)))
    twice = [pd.concat([each, each.iloc[2:5]]) for each in tables]
    with pytest.warns(bb.warnings.RepeatedRows) as caught:
        fit_change(*twice, seed=1, **FAST)
    both = [table.assign(embedding=name) for table, name in zip(twice, "ef", strict=True)]
    with pytest.warns(bb.warnings.RepeatedRows) as again:
        bb.fit_many(pd.concat(both), seed=1, draws=50, chains=1)
    for told in (caught, again):
        repeats = [one.message for one in told if one.category is bb.warnings.RepeatedRows]
        assert [(one.n, one.total) for one in repeats] == [(3, len(table) + 3)] * 2


def test_what_no_change_can_be_learned_from_is_refused(change_tables, change_tree) -> None:
    before, after = change_tables
    distance = before["cosine_distance"]
    still = ~after["connection"].isin(CONTROLS)
    for moved, fragment in (
        (before.assign(cosine_distance=distance + 1e-8), "in all 32 paired rows"),
        (before.assign(cosine_distance=1.05 * distance), "all assoc.* rows, .after"),
        (
            after.assign(cosine_distance=after["cosine_distance"].mask(still, distance)),
            "to stereotypes change by the same number",
        ),
        (pd.concat([after.assign(context=c) for c in "ab"]), "table after has contexts"),
    ):
        refused(fragment, fit_change, before, moved)
    for name in ("before", "after", "change"):
        refused(f"a column '{name}' of dist", fit_change, before.assign(**{name: distance}), after)
    refused("prior of own_lean_sd has", fit_change, before, after, priors=OF_THREE_GROUPS)
    refused("'paper' is for distances", fit_change, before, after, "paper")
    refused("are both 'human'", comparison.order_changes, change_tree, "human", "human")
    refused("unknown time 'during'", posterior_at, change_tree, "during")
    for needs_sds in (bb.sd_summary, bb.predict_words):
        refused("posterior_at keeps only means", needs_sds, posterior_at(change_tree, "after"))


@pytest.mark.seconds
@pytest.mark.parametrize("model", ["change-by-group", "change"])
def test_controls_that_did_not_change_are_data(change_tables, model) -> None:
    """Their change is zero, and the change of stereotypes is that of the tables without them."""
    before, after = change_tables
    still = after["connection"].isin(CONTROLS)
    distance = after["cosine_distance"].mask(still, before["cosine_distance"])
    options: dict[str, Any] = {"seed": 1, "draws": 4000, "chains": 2}
    got = fit_change(before, after.assign(cosine_distance=distance), model, **options)
    rows = comparison.changes(got).query("connection in @CONTROLS")
    spread = pair(before, after).design().spread
    # Four known errors of one row: the largest of 14 means of about 1,500 effective draws.
    assert rows["mean"].abs().max() < 0.04 * spread
    assert (got["posterior"]["sigma"].sel(connection="human") >= 0.01 * spread).all()
    few = options | {"draws": 500}  # the means of contrasts are exact, given the sds
    alone = fit_change(before[~still], after[~still], model, **few)
    same, other = (
        bb.contrasts(tree).query("second == 'different' and estimand != 'relative'")
        for tree in (got, alone)
    )
    # Zero changes of controls inform the words' levels, which cancel in this contrast.
    np.testing.assert_allclose(same["mean"], other["mean"], atol=0.15 * other["sd"].max())


@pytest.mark.seconds
@pytest.mark.parametrize("noise", [0.0, 1e-5, 1e-4])
def test_controls_that_hardly_changed_leave_the_sampler_exact(noise: float) -> None:
    """Changes as small as those of vectors in a text with few digits have sds, too."""
    before = bb.distance_table("glove-demo", "religion")
    rng = np.random.default_rng(0)
    still = before["connection"].isin(CONTROLS)
    moved = before["cosine_distance"] + rng.normal(scale=np.where(still, noise, 0.02))
    got = fit_change(before, before.assign(cosine_distance=moved), "change", seed=1, **FAST)
    assert got.attrs["method"] == "exact"
    assert got["sample_stats"]["pareto_k"] < 0.7


def test_only_stereotypes_that_have_vectors_change() -> None:
    """Words have likeness here, and no row of controls differs between units of a class."""
    vectors, words = leaning("xy")
    controls = {f"n{i}": row for i, row in enumerate(np.random.default_rng(2).normal(size=(6, 6)))}
    wordlist = replace(words, controls={"neutral": tuple(controls)})
    listed = {word for own in words.stereotypes.values() for word in own}
    rng = np.random.default_rng(3)
    moved = {
        w: v + 0.3 * rng.normal(size=6) * (w in listed) for w, v in (vectors | controls).items()
    }
    tables = (bb.distance_table(held, wordlist) for held in (vectors | controls, moved))
    rows = comparison.changes(fit_change(*tables, draws=200, seed=1))
    still = rows["connection"] == "neutral"
    assert rows["mean"][still].abs().max() < 0.05 * rows["mean"][~still].abs().max()


def test_warnings_of_either_fit_travel(change_tables, monkeypatch) -> None:
    real = fit_design

    def doubtful(design: object, *args: object, **options: object) -> DataTree:
        tree = real(design, *args, **options)  # type: ignore[arg-type]
        keep_warnings(tree, [DOUBT])
        return tree

    monkeypatch.setattr(joint, "fit_design", doubtful)
    tree = fit_change(*change_tables, seed=1, **FAST)
    expected = [DOUBT, replace(DOUBT, about="the distances before")]
    with pytest.warns(bb.SamplingWarning) as caught:
        assert comparison.changes(tree).attrs["warnings"] == [*map(str, expected)]
    assert [each.message for each in caught] == expected
