"""Estimands of contrasts against plain arithmetic; unmeasured words against closed forms."""

from collections.abc import Sequence
from dataclasses import replace
from itertools import product

import numpy as np
import pandas as pd
import pytest
from builders import (
    ALONE,
    by_name,
    groups_by_sets,
    leaning,
    model_named,
    only_row,
    plus,
    refused,
    table_of,
)
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import norm
from xarray import DataTree

import bayesbias as bb
from bayesbias.model.effects import group_means, word_means
from bayesbias.model.indexing import make_design
from bayesbias.model.spec import load_model
from bayesbias.model.tree import LIKENESS, design_of, spec_of, stacked
from bayesbias.posterior.estimands import (
    cell_draws,
    double_weights,
    means_of_groups,
    relative_weights,
)
from bayesbias.posterior.splits import split_by_baseline
from bayesbias.posterior.summaries import mean_draws
from bayesbias.tables.descriptives import default_rows


def raw(table: pd.DataFrame) -> pd.DataFrame:
    """Return mean distances, groups by columns."""
    cells = table.groupby(["protected_group", "attribute_set"], observed=True)
    return cells["cosine_distance"].mean().unstack()


def by_hand(cells: pd.DataFrame, group: str) -> float:
    """Compute own set minus other groups, less the same difference in third sets."""
    pairs = []
    for other in set(cells.index) - {group}:
        lead = cells.loc[group] - cells.loc[other]
        third = sorted(set(cells.index) - {group, other})
        pairs.append(lead[group] - lead[third].mean())
    return float(np.mean(pairs))


def leading(table: pd.DataFrame) -> pd.DataFrame:
    post = bb.fit(table, "by-group", draws=250, seed=1)
    return default_rows(bb.contrasts(post)).set_index(["level", "protected_group"])


def test_sets_and_groups_cancel_in_the_overall_contrast() -> None:
    """Overall closeness of a group or set does not matter, even if two groups share a set."""
    table = table_of("abc", controls="")
    shared = table["attribute_set"].replace("c", "b"), table["protected_group"].replace("c", "b")
    table["connection"] = np.where(shared[0] == shared[1], "associated", "different")
    table["attribute_set"] = shared[0]
    rng, moved = np.random.default_rng(1), table.copy()
    for column in ("protected_group", "attribute_set"):
        moved = plus(moved, by_name(moved[column], rng.normal, 0, 0.2))
    weights = double_weights(make_design(table))
    np.testing.assert_allclose(weights.sum(axis=0), 0, atol=1e-12)
    np.testing.assert_allclose(weights.sum(axis=1), 0, atol=1e-12)
    one, other = (leading(rows).loc[("overall", ""), "mean"] for rows in (table, moved))
    assert one == pytest.approx(other, abs=5e-3)  # the prior shrinks cells by one thousandth
    complete = make_design(table_of("abc"))
    mean = relative_weights(complete).mean(axis=0)
    np.testing.assert_allclose(double_weights(complete), mean, atol=1e-12)


@pytest.mark.parametrize("controls", ["human", "matched", ""])
def test_a_groups_contrast_is_relative_to_third_sets_but_never_to_controls(controls: str) -> None:
    """Rows have an sd of .001, so posterior means are within a few .001 of the raw means."""
    table = table_of("xyz", controls)
    cells, frame = raw(table), leading(table)
    found = {g: frame.loc[("group", g), "mean"].item() for g in "xyz"}
    for group, value in found.items():
        assert value == pytest.approx(by_hand(cells, group), abs=0.01)
    own = np.mean([cells.loc[g, g] for g in "xyz"])
    different = np.mean([cells.loc[g, h] for g, h in product("xyz", "xyz") if g != h])
    assert frame.loc[("overall", ""), "mean"].item() == pytest.approx(own - different, abs=0.01)
    assert np.mean([*found.values()]) == pytest.approx(own - different, abs=0.01)
    assert set(frame["frequency"]) == {"no ranks"}


@pytest.mark.parametrize("groups", ["xy", "xyz"])
def test_words_vary_around_their_group_as_measured(groups: str) -> None:
    """Differences within a group are those of raw means. Rows of words average to their group's."""
    table, rng = table_of(groups), np.random.default_rng(6)
    pairs = table["protected_word"] + " " + table["attribute_set"]
    table = plus(table, by_name(pairs, rng.normal, 0, 0.05))
    frame = bb.contrasts(bb.fit(table, draws=250, seed=1))
    frame = frame.query("first == 'associated' and second == 'different'")
    means = table.pivot_table("cosine_distance", "protected_word", "attribute_set")
    for group in groups:
        rows = frame[(frame["protected_group"] == group) & (frame["level"] == "word")]
        found = rows.set_index("protected_word")["mean"]
        own, others = means.loc[found.index, group], sorted(set(groups) - {group})
        lead = own - means.loc[found.index, others].mean(axis=1)
        # Means of four rows have an error of .0005, so effects of .05 shrink by less than .001.
        np.testing.assert_allclose(found - found.mean(), lead - lead.mean(), atol=0.003)
        level = {"level": "group", "protected_group": group} if "z" in groups else {}
        base = only_row(frame, **({"level": "overall"} | level))["mean"]
        # Three words pull a cell with an sd of .2 by a fiftieth of their mean deviation.
        assert found.mean() == pytest.approx(base, abs=0.01)


@pytest.mark.seconds
def test_baseline_words_stand_for_how_close_a_set_is_to_everybody() -> None:
    """Subtract the contrast in a group without stereotypes. Other groups do not matter."""
    table = table_of("wxyz")
    table = table[table["attribute_set"] != "w"].reset_index(drop=True)
    cells, frame = raw(table), bb.baseline_contrasts(table, "w", draws=250, seed=1)
    for group, others in {"x": ["y", "z"], "y": ["x", "z"], "z": ["x", "y"]}.items():
        lead = cells.loc[group] - cells.loc["w"]
        (mean,) = frame.loc[frame["protected_group"] == group, "mean"]
        assert mean == pytest.approx(lead[group] - lead[others].mean(), abs=0.01)
    assert set(frame["estimand"]) == {"within, less w"}
    assert [*frame.index] == [*range(len(frame))]
    controls = table[table["attribute_set"] == "x"]
    names = {"attribute": "of " + controls["attribute"], "attribute_set": "m"}
    controls = controls.assign(connection="matched", **names)
    also = bb.baseline_contrasts(pd.concat([table, controls]), "w", draws=250, seed=1)
    for own in (frame, also):  # controls move distances, and are no comparison of their own
        assert own["protected_group"].tolist() == ["x", "y", "z"]
    refused("unknown group 'people'", bb.baseline_contrasts, table, "people")
    refused("'x' has associated rows .*x-0", bb.baseline_contrasts, table, "x")


@pytest.mark.seconds
def test_a_lists_baseline_words_enter_no_other_number() -> None:
    vectors, words = leaning("xyz")
    people = {f"p{i}": row for i, row in enumerate(np.random.default_rng(1).normal(size=(6, 6)))}
    with_baseline = replace(words, baseline={"people": list(people)})
    assert bb.load_wordlist({**vars(words), "baseline": {"people": [*people]}}) == with_baseline
    options = {"draws": 50, "seed": 1, **ALONE}
    one, other = (bb.analyze(vectors | people, held, **options) for held in (words, with_baseline))
    pd.testing.assert_frame_equal(one.contrasts, other.contrasts)
    assert other.frames["baseline"]["protected_group"].tolist() == list(words.groups)
    assert "the baseline words people (" in other.write_up().markdown
    refused(r"groups.x\[1\]", replace, words, baseline={"people": ["x1"]})


def test_a_group_without_a_connection_has_the_mean_of_its_columns() -> None:
    """Group w owns no set, so the model's mean is over the sets that others own.

    No frame shows this mean.
    """
    table = table_of("wxyz")
    design = make_design(table[table["attribute_set"] != "w"].reset_index(drop=True))
    rng, spec = np.random.default_rng(1), load_model("by-group").fitting(design)
    shape = len(design.groups), len(design.columns)
    drawn = {"connection_mean": rng.normal(size=(5, 3)), "cell": rng.normal(size=(5, *shape))}
    found = group_means(design, drawn["connection_mean"], drawn["cell"])
    shown = means_of_groups(design, spec, drawn.__getitem__)
    assert [*zip(*np.nonzero(np.isnan(shown[0])), strict=True)] == [(0, 0)]
    np.testing.assert_array_equal(shown[~np.isnan(shown)], found[~np.isnan(shown)])
    for (g, group), (c, connection) in product(
        enumerate(design.groups), enumerate(design.connections)
    ):
        kinds = [
            "human" if k == "human" else "associated" if k == group else "different"
            for k in design.columns
        ]
        own = [j for j, kind in enumerate(kinds) if kind == connection] or [0, 1, 2]
        at = [design.connections.index(kinds[j]) for j in own]
        cells = drawn["connection_mean"][:, at] + drawn["cell"][:, g, own]
        np.testing.assert_allclose(found[:, g, c], cells.mean(axis=1))


def test_a_group_named_overall_has_its_own_row() -> None:
    table = table_of("xyz").replace({"protected_group": {"x": "overall"}})
    frame = bb.prior_sensitivity(bb.fit(table, draws=100, seed=1)).query("parameter == 'contrast'")
    assert [*frame["of"]] == ["overall", "group overall", "y", "z"]


@pytest.mark.parametrize("name", ["by-group", "maximal"])
def test_words_vary_around_their_groups_mean_over_sets_of_any_size(name: str) -> None:
    """Group v owns two sets, of four words and one; group w owns none."""
    table = table_of("uvwx")
    table = table[~table["attribute"].isin(["w0", "w1", "w2"])]
    owners = table["attribute_set"].replace("w", "v")
    is_own, controls = owners == table["protected_group"], owners == "human"
    kind = np.where(controls, "human", np.where(is_own, "associated", "different"))
    design = make_design(table.assign(connection=kind).reset_index(drop=True))
    rng, spec = np.random.default_rng(1), load_model(name).fitting(design)
    means = {"connection_mean": rng.normal(size=(5, 3))}
    means |= {
        term.name: rng.normal(size=(5, *term.shape(design)))
        for term in spec.terms_of("protected_group")
    }
    effects = {
        term.name: rng.normal(size=(5, *term.shape(design)))
        for term in spec.terms_of("protected_word")
    }
    none = {of: np.zeros_like(drawn) for of, drawn in effects.items()}
    words = word_means(design, spec, means | effects)
    groups = word_means(design, spec, means | none)
    if name == "by-group":
        expected = group_means(design, means["connection_mean"], means["cell"])
        np.testing.assert_allclose(groups, expected[:, design.word_group], atol=1e-12)
    owned = {"u": {"u"}, "v": {"v", "w"}, "w": {"u", "v", "w", "x"}, "x": {"x"}}  # w: others' sets
    lean = {of: effects["lean"][:, :, at] for at, of in enumerate(design.sets)}
    others = word_means(design, spec, means | effects | {"lean": none["lean"]})
    for at, group in enumerate(design.word_group):
        own = np.mean([lean[of][:, at] for of in owned[design.groups[group]]], axis=0)
        np.testing.assert_allclose((words - others)[:, at, 0], own, atol=1e-12)


@pytest.mark.parametrize("controls", ["human", ""])
def test_two_groups_identify_the_double_difference_only(controls: str) -> None:
    table = table_of("xy", controls)
    assert np.isnan(relative_weights(make_design(table))).all()
    post = bb.fit(table, draws=250, seed=1)
    contrasts = bb.contrasts(post)
    frame = default_rows(contrasts)
    assert frame["level"].tolist() == ["overall"]
    assert frame["estimand"].tolist() == ["double difference"]
    every = contrasts.query("first == 'associated' and second == 'different'")
    # The same contrast at 20 draws of the sds, which barely change it.
    overall = only_row(every, level="overall")["mean"]
    assert bb.influence(post)["mean"].iloc[0] == pytest.approx(overall, abs=1e-3)
    names = {"overall": {"double difference"}, "group": {"within"}, "word": {"double difference"}}
    assert every.groupby("level")["estimand"].agg(set).to_dict() == names
    refused("does not identify a contrast for 'x'", bb.hypothesis, post, "x: bias < 0")
    keys = {"level": "group", "protected_group": "x", "first": "associated", "second": "different"}
    listed = only_row(bb.contrasts(post, over="listed"), **keys)
    found = bb.hypothesis(post, "x: bias < 0", over="listed")["mean"].item()
    assert found == pytest.approx(listed["mean"], abs=1e-12)


@pytest.mark.parametrize("column", ["protected_group", "attribute_set"])
def test_the_overall_contrast_of_one_group_or_of_one_set_is_a_plain_difference(column: str) -> None:
    table = table_of("xyz", controls="")
    table = table[table[column] == "y"].reset_index(drop=True)
    overall = leading(table).loc[("overall", "")]
    means = table.groupby("connection", observed=True)["cosine_distance"].mean()
    assert overall["estimand"] == "plain difference"
    # the prior shrinks cells by a few thousandths
    assert overall["mean"] == pytest.approx(means["associated"] - means["different"], rel=0.02)


def with_sets(owners: Sequence[str], n_words: int = 1) -> pd.DataFrame:
    """Return distances of words to sets with these owners; a set of nobody has the owner "t"."""
    groups = sorted({*owners} - {"t"})
    rows = product(groups, range(n_words), enumerate(owners))
    return pd.DataFrame(
        {
            "protected_word": f"{group}{word}",
            "protected_group": group,
            "attribute": f"{owner}{j}",
            "attribute_set": f"set {j} of {owner}",
            "connection": "associated" if owner == group else "different",
            "cosine_distance": 1.0,
        }
        for group, word, (j, owner) in rows
    )


SETS = st.lists(st.sampled_from("abct"), max_size=4).map(lambda more: ["a", "b", *more])
"""Owners of two to six sets, of two or three groups and of nobody."""


@pytest.mark.seconds
@settings(max_examples=60, deadline=None)
@given(SETS, st.integers(0, 2**16))
def test_every_group_weighs_the_same_whatever_the_number_of_its_sets(
    owners: list[str], seed: int
) -> None:
    """The overall contrast is the mean over g of m(g, S_g) - m(g, S_h), and that of the groups."""
    design, rng = make_design(with_sets(owners)), np.random.default_rng(seed)
    weights = double_weights(design)
    np.testing.assert_allclose(weights.sum(axis=0), 0, atol=1e-12)
    np.testing.assert_allclose(weights.sum(axis=1), 0, atol=1e-12)
    means = pd.DataFrame(rng.normal(size=weights.shape), design.groups, design.columns)
    sets = {g: [name for name in design.columns if name.endswith(g)] for g in design.groups}
    differences = [
        means.loc[g, sets[g]].mean() - means.loc[g, sets[h]].mean()
        for g, h in product(design.groups, repeat=2)
        if g != h
    ]
    assert (weights * means.to_numpy()).sum() == pytest.approx(np.mean(differences), abs=1e-12)
    relative = relative_weights(design)
    if not np.isnan(relative).any():
        np.testing.assert_allclose(relative.mean(axis=0), weights, atol=1e-12)


@pytest.mark.parametrize("owners", ["aabt", "aaabb", "abtt", "ab"])
def test_parts_of_two_groups_average_to_the_overall_contrast(owners: str) -> None:
    rng, table = np.random.default_rng(1), with_sets([*owners], 3)
    controls = groups_by_sets("ab", 3, 4, "human").query("connection == 'human'")
    table = pd.concat([table, controls], ignore_index=True)
    post = bb.fit(table.assign(cosine_distance=rng.uniform(0.7, 1.1, len(table))), draws=50, seed=1)
    design = design_of(post)
    means = cell_draws(design, spec_of(post), mean_draws(post)).mean(axis=0)
    overall = (double_weights(design) * means).sum()
    assert split_by_baseline(post)["mean"].mean() == pytest.approx(overall, abs=1e-12)


@pytest.mark.parametrize("groups", ["xyz", "wxyz"])
def test_levels_of_groups_and_of_columns_cancel(groups: str) -> None:
    weights = relative_weights(make_design(table_of(groups, "human")))
    np.testing.assert_allclose(weights.sum(axis=1), 0, atol=1e-14)
    np.testing.assert_allclose(weights.sum(axis=2), 0, atol=1e-14)
    assert not weights[:, :, -1].any()  # controls


def unbalanced(moved: float = 0.0) -> pd.DataFrame:
    """Return two words of x and six of y; set x is closer to all of them by `moved`."""
    table = groups_by_sets("xy", 6, 4, "human")
    table = table[~table["protected_word"].isin(["x2", "x3", "x4", "x5"])]
    rng = np.random.default_rng(2)
    y = 0.9 + 0.02 * rng.standard_normal(len(table)) - moved * (table["attribute_set"] == "x")
    return table.assign(cosine_distance=y).reset_index(drop=True)


def test_sets_cancel_in_the_overall_contrast_of_listed_words() -> None:
    """Words of y outnumber words of x, so an average over words would favor set x."""
    one, other = (bb.fit(unbalanced(moved), draws=200, seed=1) for moved in (0.0, 0.3))
    rows = [default_rows(bb.contrasts(post, over="listed")) for post in (one, other)]
    cells = raw(unbalanced())
    expected = (cells.loc["x", "x"] - cells.loc["x", "y"] + cells.loc["y", "y"]) / 2
    expected -= cells.loc["y", "x"] / 2
    for frame in rows:
        assert frame["level"].tolist() == ["overall"]
        assert frame["estimand"].tolist() == ["double difference"]
        # Three errors of a mean of 8 and a mean of 24 residuals, with an sd of .02
        assert frame["mean"].item() == pytest.approx(expected, abs=0.013)
    found = bb.hypothesis(other, "all < 0", over="listed")
    assert found["estimand"].tolist() == ["double difference"]
    assert found["mean"].item() == pytest.approx(rows[1]["mean"].item(), abs=1e-12)


@pytest.mark.parametrize("over", ["population", "listed"])
def test_an_average_over_words_is_not_called_a_double_difference(over: str) -> None:
    """In `paper`, set x's closeness to all words does not cancel."""
    post = bb.fit(unbalanced(0.3), "paper", draws=200, seed=1)
    overall = default_rows(bb.contrasts(post, over=over))
    assert overall["level"].tolist() == ["overall"]
    assert overall["estimand"].tolist() == ["within"]
    assert overall["mean"].item() > 0.1
    assert bb.hypothesis(post, "all > 0", over=over)["estimand"].tolist() == ["within"]


def without_own_sets(moved: float = 0.0) -> pd.DataFrame:
    """Return groups w, x, y, and z, of which w has no sets and is farther from everything."""
    table = table_of("wxyz")
    table = table[table["attribute_set"] != "w"].reset_index(drop=True)
    return plus(table, moved * (table["protected_group"] == "w"))


@pytest.mark.seconds
@pytest.mark.parametrize("model", ["by-group", "crossed", "paper", "maximal"])
def test_a_group_without_own_sets_has_no_distance_to_them(model: str) -> None:
    post = bb.fit(without_own_sets(), model, draws=400, seed=1)
    frames = [
        bb.contrasts(post),
        bb.predict_words(post, seed=1),
        bb.predict_words(post, seed=1, attributes="listed"),
        bb.contrasts(post, named="w0", seed=1),
    ]
    for frame in frames:
        own = frame[frame["protected_group"] == "w"]
        assert {*own["first"], *own["second"]} == {"different", "human"}
        assert frame["mean"].notna().all()
    between = bb.contrasts(post, between="groups").query("first == 'associated'")
    assert not (between[["protected_group", "other_group"]] == "w").any(axis=None)
    means = bb.summary(post).query("protected_group == 'w'")
    assert {*means["connection"]} == {"different", "human"}
    for question in ("w < 0", "w: associated < human", "word w0: associated < different"):
        refused("'w", bb.hypothesis, post, question)
    refused("'w' has no associated rows", bb.hypothesis, post, "w: associated < 1")


def test_overall_contrasts_with_controls_are_over_the_groups_that_have_both_ends() -> None:
    post = bb.fit(without_own_sets(0.3), draws=100, seed=1)
    frame = bb.contrasts(post).query("level != 'word'")
    rows = frame[(frame["first"] == "associated") & (frame["second"] == "human")]
    overall = only_row(rows, level="overall")
    groups = rows[rows["level"] == "group"]
    assert groups["protected_group"].tolist() == ["x", "y", "z"]
    assert {overall["estimand"], *groups["estimand"]} == {"within"}
    # Both are means of the same draws, apart from rounding.
    assert overall["mean"] == pytest.approx(groups["mean"].mean(), abs=1e-9)


@pytest.mark.seconds
@pytest.mark.parametrize("model", ["change-by-group", "change-maximal"])
def test_changes_of_a_group_without_own_sets_have_no_associated_rows(model: str) -> None:
    before = without_own_sets()
    noise = 0.01 * np.random.default_rng(1).standard_normal(len(before))
    change = bb.fit_change(before, plus(before, noise), model, draws=400, seed=1)
    means = bb.comparison.changes(change)
    assert means["mean"].notna().all()
    assert {*means.query("protected_group == 'w'")["connection"]} == {"different", "human"}
    assert len(bb.comparison.alignment(change)) == 1 + 4 + before["protected_word"].nunique()
    turned = bb.comparison.order_changes(change, "associated", "human")
    assert turned.query("level == 'group'")["protected_group"].tolist() == ["x", "y", "z"]


@pytest.mark.parametrize("model", ["crossed", "paper"])
def test_without_group_means_the_overall_contrast_stays_that_of_all_words(model: str) -> None:
    """A group without own sets takes away neither the spread of words nor the exact moments."""
    post = bb.fit(without_own_sets(), model, draws=100, seed=1)
    row = only_row(bb.contrasts(post), level="overall", first="associated", second="different")
    means = stacked(post, "connection_mean")
    gaps = means[:, 0] - means[:, 1]
    assert row["estimand"] == "within"
    # The row's moments are exact given the sds; those of 400 draws differ by chance.
    assert row["sd"] == pytest.approx(gaps.std(), rel=0.15)
    assert row["mean"] == pytest.approx(gaps.mean(), abs=0.2 * row["sd"])
    assert np.isfinite(bb.influence(post)["mean"]).all()


def test_connections_that_no_group_has_both_of_have_no_overall_contrast() -> None:
    table = without_own_sets()
    table = table[(table["connection"] != "human") | (table["protected_group"] == "w")]
    moved = plus(table, 0.01 * np.random.default_rng(1).standard_normal(len(table)))
    runs = [each.assign(embedding=name) for name, each in zip("xy", (table, moved), strict=True)]
    text = "no group has both associated and human rows"
    refused(text, bb.fit_many, runs, second="human", seed=1)
    post = bb.fit(table, draws=50, seed=1)
    refused(text, bb.influence, post, "associated", "human")
    rows = bb.contrasts(post).query("first == 'associated' and second == 'human'")
    assert rows.empty


def test_predictions_have_rows_where_the_table_has() -> None:
    table = without_own_sets()
    table = table.assign(length=table["attribute"].str.len() + 0.1 * table.index)
    frame = bb.predictions(
        bb.fit(table, covariates="length", draws=50, seed=1), table, {"length": [1]}
    )
    rows = frame.groupby("protected_group")["connection"].agg(set)
    assert rows.to_dict() == table.groupby("protected_group")["connection"].agg(set).to_dict()
    assert np.isfinite(frame["mean"]).all()


@pytest.mark.seconds
def test_closeness_of_a_group_without_own_sets_changes_no_row_of_others() -> None:
    keys = ["level", "protected_group", "protected_word", "first", "second"]
    one, other = (
        bb.contrasts(bb.fit(without_own_sets(moved), draws=100, seed=1))
        .query("first == 'associated' and level != 'word'")
        .set_index(keys)["mean"]
        for moved in (0.0, 0.3)
    )
    assert one.index.equals(other.index)
    np.testing.assert_allclose(one, other, atol=0.005)  # the prior shrinks cells by a thousandth


N = 4000
"""Number of posterior draws."""


def assert_tails(row: pd.Series, mean: np.ndarray, variance: np.ndarray, ci_prob: float) -> None:
    """Check the tails beyond an equal-tailed interval of a mixture of Normals.

    The share of N draws beyond an end has a binomial error. Allow four errors.
    """
    tail = (1 - ci_prob) / 2
    for end, expected in ((row["low"], tail), (row["high"], 1 - tail)):
        found = norm.cdf(end, mean, np.sqrt(variance)).mean()
        assert found == pytest.approx(expected, abs=4 * np.sqrt(tail * (1 - tail) / N))


@pytest.fixture(scope="module")
def maximal(toy_table: pd.DataFrame) -> DataTree:
    return bb.fit(toy_table, "maximal", seed=1)


def test_another_word_of_paper_has_the_normal_of_its_connection(toy_table: pd.DataFrame) -> None:
    tree = bb.fit(toy_table, "paper", seed=1)
    mean, sd = stacked(tree, "connection_mean"), stacked(tree, "connection_sd")
    frame = bb.predict_words(tree, 0.8, ci_kind="eti", seed=2)
    assert len(frame) == 2 * 6  # groups, pairs of connections
    for group in ("man", "woman"):
        for second, at in (("different", 1), ("human", 3)):
            row = only_row(frame, protected_group=group, first="associated", second=second)
            assert_tails(row, mean[:, 0] - mean[:, at], sd[:, 0] ** 2 + sd[:, at] ** 2, 0.8)


def test_another_word_of_a_group_has_the_effects_of_its_group(toy_table: pd.DataFrame) -> None:
    tree = bb.fit(toy_table, model_named("crossed with groups"), seed=1)
    mean = stacked(tree, "connection_mean")[:, None] + stacked(tree, "group_effect")
    sd = stacked(tree, "connection_sd")
    frame = bb.predict_words(tree, 0.8, ci_kind="eti", seed=2)
    for at, group in enumerate(("man", "woman")):
        row = only_row(frame, protected_group=group, first="neutral", second="human")
        assert_tails(row, mean[:, at, 2] - mean[:, at, 3], (sd[:, 2:] ** 2).sum(axis=1), 0.8)


def test_leaning_is_all_that_parts_sets_for_another_word_of_maximal(maximal: DataTree) -> None:
    """The leans toward two sets are l and -l, and a word has the same level for both."""
    mean, lean = stacked(maximal, "connection_mean"), stacked(maximal, "lean_sd")
    frame = bb.predict_words(maximal, 0.8, ci_kind="eti", seed=2)
    row = only_row(frame, protected_group="woman", first="associated", second="different")
    assert_tails(row, mean[:, 0] - mean[:, 1], 2 * lean**2, 0.8)


def test_attributes_listed_are_those_of_the_group_with_gaps_filled(maximal: DataTree) -> None:
    """Attribute effects are known, but a mean over a few attributes includes their residuals."""
    frame = bb.predict_words(maximal, 0.8, ci_kind="eti", attributes="listed", seed=3)
    assert np.isfinite(frame["mean"]).all()
    mean = stacked(maximal, "connection_mean")
    attribute, lean = stacked(maximal, "attribute_effect"), stacked(maximal, "attribute_lean")
    names = [str(each) for each in maximal["posterior"]["attribute"].values]

    def of(*words: str) -> np.ndarray:
        at = [names.index(word) for word in words]
        return attribute[:, at].mean(axis=1) + lean[:, at, 0].mean(axis=1)

    apart = mean[:, 0] - mean[:, 2] + of("soldier", "rancher") - of("clock", "park")
    sd, alike = stacked(maximal, "level_sd"), stacked(maximal, "level_correlation")
    kinds = list(maximal["posterior"]["attribute_kind"].values)
    s, n = kinds.index("stereotype"), kinds.index("neutral")
    variance = sd[:, s] ** 2 + sd[:, n] ** 2 - 2 * alike[:, s, n] * sd[:, s] * sd[:, n]
    variance += stacked(maximal, "lean_sd") ** 2 / 2
    sigma = stacked(maximal, "sigma")
    variance += sigma[:, 0] ** 2 / 2
    variance += sigma[:, 2] ** 2 / 2
    row = only_row(frame, protected_group="man", first="associated", second="neutral")
    assert_tails(row, apart, variance, 0.8)


@pytest.mark.seconds
def test_new_words_resemble_no_listed_ones() -> None:
    tree = bb.fit(bb.distance_table("glove-demo", "religion"), draws=50, seed=1)
    unrelated = tree.copy()
    for name in LIKENESS.values():
        del unrelated["constant_data"][name]
    one, other = (bb.predict_words(post, seed=1) for post in (tree, unrelated))
    pd.testing.assert_frame_equal(one, other)


def test_seeds_are_kept_and_repeat_a_prediction(maximal: DataTree) -> None:
    by_chance = bb.predict_words(maximal)
    assert {"ci_prob": 0.89, "ci_kind": "hdi"}.items() <= by_chance.attrs.items()
    again = bb.predict_words(maximal, seed=by_chance.attrs["seed"])
    pd.testing.assert_frame_equal(again, by_chance)
    assert not bb.predict_words(maximal, seed=1).equals(by_chance)
