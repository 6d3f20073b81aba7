"""Estimands of contrasts against plain arithmetic; unmeasured words against closed forms."""

from dataclasses import replace
from itertools import product

import numpy as np
import pandas as pd
import pytest
from builders import ALONE, by_name, leaning, model_named, only_row, plus, refused, table_of
from scipy.stats import norm
from xarray import DataTree

import bayesbias as bb
from bayesbias.model.effects import word_means
from bayesbias.model.indexing import make_design
from bayesbias.model.spec import load_model
from bayesbias.model.tree import LIKENESS, stacked
from bayesbias.posterior.estimands import double_weights, means_of_groups, relative_weights
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


def test_a_lists_baseline_words_enter_no_other_number() -> None:
    vectors, words = leaning("xyz")
    people = {f"p{i}": row for i, row in enumerate(np.random.default_rng(1).normal(size=(6, 6)))}
    with_baseline = replace(words, baseline={"people": list(people)})
    assert bb.load_wordlist({**vars(words), "baseline": {"people": [*people]}}) == with_baseline
    options = {"draws": 250, "seed": 1, **ALONE}
    one, other = (bb.analyze(vectors | people, held, **options) for held in (words, with_baseline))
    pd.testing.assert_frame_equal(one.contrasts, other.contrasts)
    assert other.frames["baseline"]["protected_group"].tolist() == list(words.groups)
    assert "the baseline words people (" in other.write_up().markdown
    refused(r"groups.x\[1\]", replace, words, baseline={"people": ["x1"]})


def test_a_group_without_a_connection_has_the_mean_of_its_columns() -> None:
    """Group w owns no set, so its associated mean is over the sets that others own."""
    table = table_of("wxyz")
    design = make_design(table[table["attribute_set"] != "w"].reset_index(drop=True))
    rng, spec = np.random.default_rng(1), load_model("by-group").fitting(design)
    shape = len(design.groups), len(design.columns)
    drawn = {"connection_mean": rng.normal(size=(5, 3)), "cell": rng.normal(size=(5, *shape))}
    found = means_of_groups(design, spec, drawn.__getitem__)
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
        expected = means_of_groups(design, spec, means.__getitem__)
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


@pytest.mark.parametrize("groups", ["xyz", "wxyz"])
def test_levels_of_groups_and_of_columns_cancel(groups: str) -> None:
    weights = relative_weights(make_design(table_of(groups, "human")))
    np.testing.assert_allclose(weights.sum(axis=1), 0, atol=1e-14)
    np.testing.assert_allclose(weights.sum(axis=2), 0, atol=1e-14)
    assert not weights[:, :, -1].any()  # controls


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
