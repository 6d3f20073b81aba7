"""Properties that a wrong sign, term, or constant in the mathematics breaks.

The expected values come from plain arithmetic, dense Normals, or a symmetry. Tables are small and
random; Hypothesis chooses their seeds.
"""

from dataclasses import replace
from itertools import combinations

import numpy as np
import pandas as pd
import pytest
from builders import by_name, groups_by_sets, only_row, plus, table_of
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.random import default_rng
from test_frequency import ranked_table
from xarray import DataTree

import bayesbias as bb
from bayesbias import comparison
from bayesbias.comparison.joint import posterior_at, slopes
from bayesbias.comparison.runs import _in_spreads, list_contrasts, runs_of
from bayesbias.model.effects import level_shares
from bayesbias.model.indexing import make_design
from bayesbias.model.spec import load_model
from bayesbias.model.tree import labels, stacked, varying
from bayesbias.posterior.contrasts import _probability_of_most
from bayesbias.posterior.splits import split_by_baseline
from bayesbias.sampling.parameters import log_prior
from bayesbias.sampling.reduction import collapse
from bayesbias.tables.cosines import attach_cosines, joined_tables, table_cosines

QUICK = {"draws": 100, "chains": 2, "seed": 1}

seeds = st.integers(0, 10**6)
few = settings(max_examples=3, deadline=None)


def own_means(table: pd.DataFrame, **options: object) -> pd.Series:
    """Return means of the contrasts of stereotypes, by level and group."""
    frame = bb.contrasts(bb.fit(table, "by-group", **QUICK), **options)
    frame = frame[(frame["first"] == "associated") & (frame["second"] == "different")]
    return frame[frame["level"] != "word"].set_index(["level", "protected_group"])["mean"]


def test_a_set_that_only_one_group_owns() -> None:
    """Group and set determine which cells are own cells, so plain means are compared."""
    table = table_of("wxyz", seed=3)
    table = table[table["attribute_set"].isin(["w", "human"])].reset_index(drop=True)
    cells = table[table["attribute_set"] == "w"].groupby("protected_group")["cosine_distance"]
    raw = cells.mean()
    expected = raw["w"] - raw.drop("w").mean()
    assert own_means(table)["overall", ""] == pytest.approx(expected, abs=0.005)


def test_the_parts_of_two_groups_are_relative_to_a_baseline() -> None:
    """They are differences of mean distances, and average to the overall contrast."""
    table = table_of("xy", seed=8)
    other = table[table["attribute_set"] == "human"].assign(attribute_rank=np.nan)
    other = other.assign(cosine_distance=other["cosine_distance"] * 0.8)
    tree = bb.fit(table, "by-group", **QUICK)
    found = split_by_baseline(tree, other).set_index(["baseline", "protected_group"])["mean"]
    means = table.groupby(["protected_group", "attribute_set"])["cosine_distance"].mean()
    for g, h in ("xy", "yx"):
        for baseline, scale in (("human", 1.0), ("neighbors", 0.8)):
            gap = scale * (means[g, "human"] - means[h, "human"])
            expected = means[g, g] - means[h, g] - gap
            assert found[baseline, g] == pytest.approx(expected, abs=0.005)
    is_lacking = (table["protected_group"] == "y") & (table["attribute_set"] == "human")
    of_one = bb.fit(table[~is_lacking], "by-group", **QUICK)
    assert {*split_by_baseline(of_one, other)["baseline"]} == {"neighbors"}


def test_a_set_that_both_groups_own_says_nothing_about_either() -> None:
    table = table_of("xy", seed=9)
    shared = table[table["attribute_set"] == "x"].assign(attribute_set="z", connection="associated")
    shared["attribute"] = shared["attribute"].str.replace("x", "z")
    shared["cosine_distance"] += 0.3 * (shared["protected_group"] == "x")
    both = pd.concat([table, shared], ignore_index=True)
    one, other = (split_by_baseline(bb.fit(rows, **QUICK))["mean"] for rows in (table, both))
    np.testing.assert_allclose(other, one, atol=0.005)


def test_a_group_without_other_sets_leaves_the_contrast_of_the_other_group() -> None:
    table = table_of("xy", seed=4)
    table = table[(table["protected_group"] != "y") | (table["attribute_set"] != "x")]
    raw = table.groupby(["protected_group", "attribute_set"])["cosine_distance"].mean()
    found = own_means(table.reset_index(drop=True))
    assert found["group", "x"] == pytest.approx(raw["x", "x"] - raw["x", "y"], abs=0.005)
    assert ("group", "y") not in found.index


def test_the_default_rope_is_a_share_of_the_spread_of_stereotypes() -> None:
    """Controls have another spread; of a change, the spread is that before it."""
    table = table_of("xy", seed=1)
    human = table["connection"] == "human"
    table = plus(table, human * default_rng(1).normal(0, 0.5, len(table)))
    spread = table.loc[~human, "cosine_distance"].std(ddof=0)
    tree = bb.fit(table, "paper", **QUICK)
    # A tenth of a percent: only rounding differs.
    assert bb.contrasts(tree).attrs["rope"] == pytest.approx(0.15 * spread, rel=1e-3)
    moved = plus(table, default_rng(2).normal(0, 0.02, len(table)))
    change = bb.fit_change(table, moved, "change", **QUICK)
    assert comparison.changes(change).attrs["rope"] == pytest.approx(0.15 * spread, rel=1e-3)


def test_the_design_of_several_runs_does_not_depend_on_their_order() -> None:
    """Runs have the same pairs, but other distances, cosines, and values of a covariate."""
    runs = {}
    for seed, name in enumerate(("a", "b", "c")):
        table = with_cosines(table_of("xyz", seed=seed), seed)
        share = by_name(table["attribute"], default_rng(seed).random)
        runs[name, ""] = table.assign(share=share)
    one, other = (
        runs_of("one", dict(items), covariates="share").design
        for items in (runs.items(), reversed(runs.items()))
    )
    assert not np.allclose(one.y, other.y)
    for name in ("x", "word_likeness", "attribute_likeness"):
        ours = getattr(one, name)
        assert ours.size
        np.testing.assert_allclose(ours, getattr(other, name), atol=1e-12, err_msg=name)


@pytest.mark.seconds
def test_a_run_has_the_mean_and_variance_of_a_fit_to_it_alone() -> None:
    """Its distances are at equal frequency, and errors of slopes add to its variance."""
    runs = {(name, ""): ranked_table(seed=seed) for seed, name in enumerate("ab", start=1)}
    joint = runs_of("one", runs)
    found, _ = list_contrasts(joint, ["a", "b"], ("associated", "different"), default_rng(1))
    for run, table in enumerate(runs.values()):
        frame = bb.contrasts(bb.fit(table, draws=500, chains=2, seed=1))
        frame = frame.query("first == 'associated' and second == 'different'")
        frame = frame[frame["level"] != "word"].set_index("protected_group")
        assert set(frame.index) == set(found)
        for group, row in frame.iterrows():
            # Moments are averaged over 500 or 1,000 draws of sds, which move them by 1%.
            own = found[str(group)]
            assert own.mean[run] == pytest.approx(row["mean"], abs=0.05 * row["sd"])
            assert np.sqrt(own.covariance[run, run]) == pytest.approx(row["sd"], rel=0.04)
    opposite, _ = list_contrasts(joint, ["a", "b"], ("different", "associated"), default_rng(1))
    for group, own in found.items():
        np.testing.assert_allclose(opposite[group].mean, -own.mean, atol=1e-12)


def test_priors_in_spreads_are_those_of_the_distances() -> None:
    """If sds are divided by the spread, their log density moves by a constant."""
    posterior, spread = collapse(make_design(table_of("xyz", seed=1)), load_model("maximal")), 0.2
    points = default_rng(1).normal(-2, 0.7, (5, posterior.n_parameters))
    priors = [
        log_prior(spec, posterior.blocks, points - scale * posterior.is_sd)
        for spec, scale in (
            (posterior.spec, 0.0),
            (_in_spreads(posterior.spec, spread), np.log(spread)),
        )
    ]
    assert np.ptp(priors[0]) > 1
    assert np.ptp(priors[0] - priors[1]) < 1e-9  # rounding


def test_a_less_precise_run_never_counts_against() -> None:
    """The best linear combination of two runs that correlate gives weights of 0 or more."""
    rng, base = default_rng(3), table_of("xy", seed=3)
    noise = rng.normal(0, 0.03, len(base))
    own = [0.9 + scale * noise + rng.normal(0, 0.002, len(base)) for scale in (1.0, 3.0)]
    runs = {(n, ""): base.assign(cosine_distance=y) for n, y in zip("ab", own, strict=True)}
    pair = "associated", "different"
    found, _ = list_contrasts(runs_of("one", runs), ["a", "b"], pair, default_rng(1))
    for contrast in found.values():
        covariance = contrast.covariance
        assert covariance[1, 1] > 2 * covariance[0, 0]
        assert covariance[0, 1] > 0.5 * covariance[0, 0]
        weights = np.linalg.solve(covariance, np.ones(2))
        assert (weights >= -1e-9 * weights.max()).all()


@few
@given(seeds)
def test_slopes_of_few_pairs_lie_between_their_own_and_the_common_one(seed: int) -> None:
    """They equal a regression with five more pairs of the common slope and mean square."""
    rng, table = default_rng(seed), table_of("xy", seed=seed)
    table = table[(table["connection"] != "human") | table["protected_word"].eq("x0")]
    before = table["cosine_distance"].to_numpy() + rng.normal(0, 0.05, len(table))
    design = replace(make_design(table), y=rng.normal(0, 0.05, len(table)))
    codes = design.connection
    x, y = (v - (np.bincount(codes, v) / np.bincount(codes))[codes] for v in (design.y, before))
    spec = load_model("change")
    if not spec.fitting(design).around_means:
        pytest.skip("the model has effects beside the means of connections")
    words = np.unique(np.stack([codes, design.word]), axis=1, return_inverse=True)[1].ravel()
    x, y = (v - (np.bincount(words, v) / np.bincount(words))[words] for v in (design.y, before))
    more, common = 5 * (x @ x) / len(x), (x @ y) / (x @ x)
    parts = [codes == c for c in range(len(design.connections))]
    expected = [(x[p] @ y[p] + more * common) / (x[p] @ x[p] + more) for p in parts]
    np.testing.assert_allclose(slopes(design, before, spec), expected, rtol=1e-6)


def test_controls_before_a_change_are_where_they_were() -> None:
    """The distances before regress on the change with another slope in controls."""
    rng, before = default_rng(7), groups_by_sets("xy", 6, 8, "human")
    human = (before["connection"] == "human").to_numpy()
    level = by_name(before["protected_word"], rng.normal).to_numpy()
    noise = rng.normal(0, 0.02, (2, len(before)))
    before["cosine_distance"] = 0.9 + np.where(human, 0.1 * level, 0) + noise[0]
    change = np.where(human, 0.05 * level - noise[0], noise[0]) + noise[1] / 2
    tree = bb.fit_change(before, plus(before, change), "change-by-group", **QUICK, method="exact")
    slope = tree["constant_data"]["slope"].to_series()
    assert slope["associated"] > 0.3
    assert slope["human"] < -0.3
    draws = posterior_at(tree, "before")["posterior"].to_dataset()
    of_human = draws["word_mean"].sel(connection="human")
    group = of_human["protected_word"].str.get(0)
    cells = draws["cell"].sel(attribute_column="human", protected_group=group)
    rest = of_human - draws["connection_mean"].sel(connection="human") - cells
    own = draws["level"] + draws["kind_level"].sel(attribute_kind="human")
    np.testing.assert_allclose(rest.transpose(*own.dims), own, atol=1e-12)
    means = draws.mean(("chain", "draw"))
    found = (means["level"] + means["kind_level"].sel(attribute_kind="human")).to_series()
    rows = before[before["connection"] == "human"].groupby(["protected_group", "protected_word"])
    raw = rows["cosine_distance"].mean()
    expected = (raw - raw.groupby("protected_group").transform("mean")).droplevel(0)
    # Means of 8 rows have an sd of 0.007, and effects with an sd of 0.1 hardly shrink.
    np.testing.assert_allclose(
        found - found.groupby(lambda word: word[0]).transform("mean"),
        expected[found.index],
        atol=0.03,
    )


def test_a_copy_of_a_word_stays_in_a_change() -> None:
    table = table_of("xy", seed=2)
    ends = [plus(table, default_rng(seed).normal(0, 0.05, len(table))) for seed in (1, 2)]
    first = table["protected_word"] == "x0"
    ends = [pd.concat([end, end[first].assign(protected_word="copy")]) for end in ends]
    with pytest.warns(bb.warnings.ExactCopies):
        tree = bb.fit_change(*ends, draws=25, chains=1, seed=1)
    assert "copy" in labels(tree, "protected_word")


def test_a_group_without_rows_gets_the_shares_of_all() -> None:
    table = table_of("xyz", seed=1)
    lost = (table["protected_group"] == "z") & (table["connection"] == "different")
    lost |= table["attribute"].isin(["x0", "x1", "x2"])  # sets weigh the same, of any size
    design = make_design(table[~lost].reset_index(drop=True))
    shares = level_shares(design, "attribute_set")
    for g, c in np.ndindex(shares.shape[:2]):
        rows = (design.codes("protected_group") == g) & (design.connection == c)
        rows = rows if rows.any() else design.connection == c
        own = {*design.codes("attribute_set")[rows].tolist()}
        expected = [(s in own) / len(own) for s in range(len(design.sets))]
        np.testing.assert_allclose(shares[g, c], expected)


def test_tied_words_share_the_first_place(crossed_posterior: DataTree) -> None:
    tied = crossed_posterior.copy()
    tied["posterior"] = tied["posterior"].to_dataset().copy(deep=True)
    means = tied["posterior"]["word_mean"]
    means[:] = means.isel(protected_word=0)
    frame = bb.contrasts(tied)
    words = frame[frame["level"] == "word"]
    np.testing.assert_allclose(words.groupby(["first", "second"])["p_most"].sum(), 1.0)
    assert words["p_most"].nunique() == 1
    gaps = default_rng(1).normal(size=(50, 4, 2)) / 100
    gaps[:, 2] = np.nan  # a word without a contrast is never the farthest
    known = gaps[:, [0, 1, 3]]
    np.testing.assert_array_equal(_probability_of_most(gaps), _probability_of_most(known))
    most = np.abs(known).argmax(axis=1)
    expected = [(most == word).mean(axis=0) for word in range(3)]
    np.testing.assert_allclose(_probability_of_most(gaps), np.ravel(expected))


def test_reversed_pairs_have_the_other_sign() -> None:
    tree = bb.fit(
        plus(table_of("xy", seed=2), default_rng(1).normal(0, 0.05, 72)), "crossed", **QUICK
    )
    keys = ["factor", "name"]
    one, other = (
        bb.influence(tree, *pair).set_index(keys).sort_index()
        for pair in (("associated", "different"), ("different", "associated"))
    )
    np.testing.assert_allclose(other[["mean", "change"]], -one[["mean", "change"]], atol=1e-12)
    np.testing.assert_allclose(one["mean_without"], one["mean"] + one["change"], atol=1e-12)
    assert not one.index.get_level_values("name").str.startswith("human").any()  # not compared
    frame = bb.contrasts(tree).query("level == 'overall'")
    overall = only_row(frame, first="associated", second="different")
    assert one["mean"].iloc[0] == pytest.approx(overall["mean"], abs=0.003)  # 20 of 200 draws
    np.testing.assert_allclose(one["change"] / one["sds"], overall["sd"], rtol=0.15)  # 200 draws


def with_cosines(table: pd.DataFrame, seed: int) -> pd.DataFrame:
    words = [*table["protected_word"].unique(), *table["attribute"].unique()]
    vectors = default_rng(seed).normal(size=(len(words), 5))
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    attach_cosines(table, words, vectors @ vectors.T)
    return table


def test_the_check_of_likeness_ignores_levels_of_words_and_attributes() -> None:
    rng, table = default_rng(4), table_of("xyz", seed=4)
    table = plus(table, rng.normal(0, 0.05, len(table)))
    found = []
    for scale in (0.0, 0.1):
        moved = table
        for column in ("protected_word", "attribute"):
            moved = plus(moved, scale * by_name(table[column], rng.normal))
        tree = bb.fit(with_cosines(moved, 1), "maximal", draws=20, chains=2, seed=1, method="exact")
        found.append(bb.predictive_check(tree, n_draws=2, seed=1).attrs["p_unrelated"])
    assert found[0] == found[1]
    assert set(found[0]) == {"protected_word", "attribute"}


def test_words_that_never_meet_in_a_table_are_unrelated() -> None:
    one = pd.DataFrame([[1.0, 0.4], [0.4, 1.0]], ["a", "b"], ["a", "b"])
    two = pd.DataFrame([[1.0, 0.8], [0.8, 1.0]], ["b", "c"], ["b", "c"])
    tables = [table_of("xy", seed=1), table_of("xy", seed=2)]
    for table, cosines in zip(tables, (one, two), strict=True):
        attach_cosines(table, [*cosines], cosines.to_numpy())
    found = table_cosines(joined_tables(tables), [*"abc"])
    expected = [[1.0, 0.4, 0.0], [0.4, 1.0, 0.8], [0.0, 0.8, 1.0]]
    np.testing.assert_allclose(found, expected, atol=1e-3)  # kept as integers


def test_doubled_rows_keep_means_and_narrow_the_mean_of_a_connection() -> None:
    """With n independent rows per connection, sds shrink by the square root of two."""
    rng, table = default_rng(1), groups_by_sets("xy", 20, 1)
    table = table.assign(
        protected_word=[f"w{i}" for i in range(len(table))],
        cosine_distance=0.9 + 0.1 * rng.standard_normal(len(table)),
    )
    more = table.assign(protected_word=table["protected_word"] + "'")
    frames = []
    for rows in (table, pd.concat([table, more], ignore_index=True)):
        tree = bb.fit(rows, "paper", draws=500, chains=2, seed=1, method="exact")
        frame = bb.contrasts(tree).query("level == 'overall'")
        frames.append(only_row(frame, first="associated", second="different"))
    one, other = frames
    assert other["mean"] == pytest.approx(one["mean"], abs=0.15 * one["sd"])
    # 20 rows per cell: the sd of the residuals has an error of 10%.
    assert one["sd"] / other["sd"] == pytest.approx(np.sqrt(2), rel=0.1)


def test_the_words_of_a_group_average_to_its_row() -> None:
    """With three groups, each word's contrast is its own group's, plus its deviation."""
    table = table_of("xyz", seed=4)
    effects = default_rng(5).normal(0, 0.1, len(table)) - 0.2 * (
        (table["protected_group"] == "z") & (table["connection"] == "associated")
    )
    frame = bb.contrasts(bb.fit(plus(table, effects), seed=1, draws=500))
    frame = frame.query("first == 'associated' and second == 'different'")
    of_words = frame.query("level == 'word'").groupby("protected_group")["mean"].mean()
    of_groups = frame.query("level == 'group'").set_index("protected_group")["mean"]
    # an sd of .06 in 2,000 draws, and deviations that sum to zero only in expectation
    np.testing.assert_allclose(of_words, of_groups[of_words.index], atol=0.01)


def test_correlations_are_the_entries_below_the_diagonal() -> None:
    tree = bb.fit(table_of("xyz", seed=4), "maximal", seed=1, draws=20, chains=2, method="exact")
    shown, matrix = varying(tree)["level_correlation"], tree["posterior"]["level_correlation"]
    pairs = [str(name).split(", ") for name in shown["level_correlation_pair"].to_numpy()]
    names = [str(name) for name in matrix[matrix.dims[-1]].to_numpy()]
    assert [*map(tuple, pairs)] == [*combinations(names, 2)]
    for place, (one, other) in enumerate(pairs):
        expected = matrix[..., names.index(other), names.index(one)]
        np.testing.assert_array_equal(shown[..., place], expected)


@pytest.mark.parametrize("covariates", [(), ("chance",)])
def test_another_word_of_any_group_is_expected_where_its_words_are(
    covariates: tuple[str, ...],
) -> None:
    """A covariate that each row has another value of says nothing about another word."""
    table = table_of("xyz", seed=2)
    table["chance"] = default_rng(3).normal(size=len(table))
    tree = bb.fit(table, "by-group", covariates=covariates, **QUICK)
    frame = bb.predict_words(tree, attributes="listed", seed=1)
    means = table.groupby(["protected_group", "connection"], observed=True)["cosine_distance"]
    expected = means.mean().unstack()
    for row in frame.to_dict("records"):
        own = expected.loc[row["protected_group"]]
        # Distances within a group and set have an sd of .001; two different sets are one mean.
        assert row["mean"] == pytest.approx(own[row["first"]] - own[row["second"]], abs=0.005)
    # One new distance for each of 4 and 8 attributes, whatever the number of listed words: the sd
    # is that of the residuals or more. In 200 draws, it has an error of 5%.
    sigma = stacked(tree, "sigma").mean(axis=0)
    sds = frame.query("first == 'associated' and second == 'different'")["sd"]
    assert (sds > 0.8 * np.hypot(sigma[0] / 2, sigma[1] / np.sqrt(8))).all()
