"""Contrasts and their probabilities, compared with NumPy on the draws."""

from itertools import chain, combinations

import numpy as np
import pandas as pd
import pytest
from builders import only_row, refused
from xarray import DataTree

import bayesbias as bb
from bayesbias import contrasts, fit
from bayesbias.model.likelihood import Rows
from bayesbias.model.tree import labels
from bayesbias.nulls import Scenario
from bayesbias.posterior.mixtures import mixtures
from bayesbias.posterior.summaries import compare_draws
from bayesbias.report.numbers import graded
from bayesbias.tables.descriptives import default_rows
from bayesbias.tables.levels import LEVELS, at_level

CONNECTIONS = ["associated", "different", "neutral", "human"]

LISTS = ["religion", "race", "gender", *(f"weat{i}" for i in range(1, 11))]


def test_a_contrast_is_taken_draw_by_draw(crossed_posterior: DataTree) -> None:
    frame = contrasts(crossed_posterior, rope=0.05)
    pairs = list(combinations(CONNECTIONS, 2))
    assert len(frame) == 7 * len(pairs)  # overall, 2 groups, 4 words
    for _, part in frame.groupby(["level", "protected_group", "protected_word"], sort=False):
        assert list(zip(part["first"], part["second"], strict=True)) == pairs
    joined = pd.concat([at_level(frame, level) for level in LEVELS], ignore_index=True)
    pd.testing.assert_frame_equal(joined, frame)
    means = crossed_posterior["posterior"]["word_mean"].stack(sample=["chain", "draw"])
    gaps = (means.sel(connection="associated") - means.sel(connection="human")).transpose().data
    words = frame[(frame["first"] == "associated") & (frame["second"] == "human")].iloc[3:]
    np.testing.assert_allclose(words["mean"], gaps.mean(axis=0))
    np.testing.assert_allclose(words["sd"], gaps.std(axis=0, ddof=1))
    above = (gaps > 0).mean(axis=0)
    np.testing.assert_allclose(words["p_direction"], np.maximum(above, 1 - above))
    np.testing.assert_allclose(words["p_rope"], (abs(gaps) < 0.05).mean(axis=0))
    farthest = np.bincount(abs(gaps).argmax(axis=1), minlength=4) / len(gaps)
    np.testing.assert_allclose(words["p_most"], farthest)
    assert frame.loc[frame["level"] != "word", "p_most"].isna().all()


def test_the_default_rope_follows_the_scale_of_the_distances() -> None:
    """A transformer's cosines vary 20 times less. Relative to that, results are the same."""
    table = Scenario(n_words=4, n_attributes=5, effect=0.08).table(seed=3)
    spread, frames = table["cosine_distance"].std(ddof=0), []
    for scale in (1.0, 0.05):
        scaled = 1 - (1 - table["cosine_distance"]) * scale
        frame = contrasts(fit(table.assign(cosine_distance=scaled), seed=1))
        assert frame.attrs["rope"] == pytest.approx(0.15 * scale * spread)
        frame[["mean", "low", "high"]] /= scale
        frames.append(frame[["mean", "low", "high", "p_direction", "p_rope"]])
    # Equal up to the draws and the prior of the mean, which is wide and does not scale.
    np.testing.assert_allclose(*frames, atol=0.02)


@pytest.mark.parametrize("kind", ["eti", "hdi"])
def test_numbers_given_the_sds_are_those_of_sampled_effects(crossed_posterior, kind) -> None:
    found = contrasts(crossed_posterior, 0.8, rope=0.1, ci_kind=kind)
    gap = only_row(found, level="overall", first="associated", second="human")
    means = crossed_posterior["posterior"]["connection_mean"]
    draws = (means.sel(connection="associated") - means.sel(connection="human")).values.ravel()
    expected = compare_draws(draws[:, None], 0.8, 0.1, kind).iloc[0]
    # For 2,000 draws, allow four errors of a mean, a share, and a 10% quantile (1.7 times the
    # mean's). The shortest of many intervals has errors three times as large.
    error, of_share = 4 * draws.std() / np.sqrt(2000), 4 * 0.5 / np.sqrt(2000)
    of_end = error * {"eti": 1.7, "hdi": 5.1}[kind]
    allowed = {"mean": error, "low": of_end, "high": of_end}
    for name, most in (allowed | {"p_direction": of_share, "p_rope": of_share}).items():
        assert gap[name] == pytest.approx(expected[name], abs=most)
    assert (found.attrs["ci_prob"], found.attrs["ci_kind"]) == (0.8, kind)


def test_means_of_the_listed_words_are_averages_over_their_rows(crossed_posterior) -> None:
    found = contrasts(crossed_posterior, over="listed")
    rows = np.arange(crossed_posterior["observed_data"].sizes["row"])
    expected = Rows(crossed_posterior).expected(rows)
    constants = crossed_posterior["constant_data"]
    connection, word = constants["connection_index"].values, constants["word_index"].values
    group = constants["group_index"].values
    names = labels(crossed_posterior, "connection")

    def mean(w: int, name: str) -> np.ndarray:
        return expected[:, (word == w) & (connection == names.index(name))].mean(axis=1)

    by_word = [mean(w, "associated") - mean(w, "different") for w in range(len(group))]
    first = (found["first"] == "associated") & (found["second"] == "different")
    ours = found[first].set_index("level")["mean"]
    assert ours["overall"] == pytest.approx(np.mean(by_word), abs=1e-12)
    by_group = [np.mean([by_word[w] for w in np.flatnonzero(group == g)]) for g in (0, 1)]
    np.testing.assert_allclose(ours["group"], by_group, atol=1e-12)
    np.testing.assert_allclose(ours["word"], np.mean(by_word, axis=1), atol=1e-12)


def test_a_set_near_to_all_is_in_the_listed_words_and_not_in_the_population() -> None:
    """Set B is .2 closer to both groups, so A's group would wrongly seem far from A."""
    table = Scenario().table(seed=1)
    table["cosine_distance"] -= 0.2 * (table["attribute_set"] == "B")
    post = fit(table, "maximal", draws=500, seed=1)
    group = {
        over: at_level(contrasts(post, over=over), "group")["mean"].to_numpy()
        for over in ("population", "listed")
    }
    assert np.abs(group["population"]).max() < 0.03  # three standard errors of 64 cells
    np.testing.assert_allclose(group["listed"], [0.2, -0.2], atol=0.03)


@pytest.mark.seconds
def test_a_named_word_is_where_its_rows_are() -> None:
    """One word of sixteen is .16 closer to its own attributes, which is four standard errors."""
    made = Scenario(word_sd=0.04, attribute_sd=0.04, effect=0.16, planted="one word")
    table = made.table(seed=1)
    post = bb.fit(table, "maximal", draws=500, seed=1)
    for odd in (None, 3):
        refused("named must be a protected word or a list", contrasts, post, named=odd)
    refused("named contains X1 more than once", contrasts, post, named=["X1", "Y2", "X1"])
    by_chance = contrasts(post, named="X1")
    again = contrasts(post, named="X1", seed=by_chance.attrs["seed"])
    pd.testing.assert_frame_equal(again, by_chance)
    found = contrasts(post, named=["Y2", "X1"], seed=1)
    pooled = contrasts(post)
    # The sign of one word is right as often as its direction says, however weak.
    weakest = at_level(pooled, "word").sort_values("p_direction")["protected_word"].iloc[0]
    weak = contrasts(post, named=weakest, seed=1)
    assert weak["p_direction"].min() < 0.75
    for frame in (by_chance, weak):
        np.testing.assert_array_equal(frame["p_all_signs"], frame["p_direction"])
    assert list(found) == [*pooled.columns.drop("p_most"), "p_all_signs"]
    # At most each sign, and at least Bonferroni's bound, which two fits of 2,000 draws each give.
    # A share has a standard error of at most .011, and the sum of three of .02; allow four.
    assert found["p_all_signs"].max() <= found["p_direction"].min() + 0.08
    assert found["p_all_signs"].min() >= found["p_direction"].sum() - 1 - 0.08
    assert found["protected_group"].tolist() == ["Y", "X"]
    assert set(found["estimand"]) == set(at_level(pooled, "word")["estimand"])
    distances = table.pivot_table("cosine_distance", "protected_word", "attribute")
    own = table[table["protected_word"] == "X1"].set_index("attribute")["connection"]
    against_others = distances.loc["X1"] - distances.drop(index="X1").mean()
    means = against_others.groupby(own).mean()
    one, shrunken = (only_row(frame, protected_word="X1") for frame in (found, pooled))
    assert one["mean"] == pytest.approx(means["associated"] - means["different"], abs=0.01)
    assert abs(shrunken["mean"]) < abs(one["mean"]) - 0.05
    assert one["high"] < 0


def test_every_row_but_those_of_words_is_an_average_over_sds() -> None:
    post = bb.fit(Scenario(controls=("human",)).table(seed=1), draws=50, chains=1, seed=1)
    means, sds = mixtures(post)
    known = np.isfinite(means[0])
    frame = contrasts(post).query("level != 'word'")
    assert len(frame) == known.sum() > 3
    np.testing.assert_allclose(frame["mean"], means[:, known].mean(axis=0), atol=1e-12)
    variance = (sds**2).mean(axis=0) + means.var(axis=0)
    np.testing.assert_allclose(frame["sd"], np.sqrt(variance[known]), rtol=1e-9)


@pytest.mark.slow
@pytest.mark.parametrize("name", LISTS)
def test_ten_seeds_give_the_same_words(name: str) -> None:
    table = bb.analyze("glove-demo", name, case="fallback", seed=1, reference_lists=0).table
    words, percents, means, ends = [], [], [], []
    for seed in range(10):
        rows = default_rows(bb.contrasts(bb.fit(table, seed=seed)))
        words.append([graded(p).split(", ")[1] for p in rows["p_direction"]])
        percents.append((100 * rows["p_direction"]).round().to_numpy())
        means.append(rows["mean"].to_numpy(dtype=float))
        ends.append(rows[["low", "high"]].to_numpy(dtype=float))
    assert all(one == words[0] for one in words)
    assert np.ptp(percents, axis=0).max() <= 1
    widths = np.ptp(ends, axis=2).mean(axis=0)
    assert (np.ptp(means, axis=0) / widths).max() < 0.1
    # As printed, at most one unit in the third digit from the median over seeds.
    shown = 1000 * np.array(ends).round(3)
    assert abs(shown - np.median(shown, axis=0).round()).max() < 1.5


def of_shared(sets: dict[str, list[str]], order: str) -> DataTree:
    """Fit distances between random vectors of three words in each group and of its stereotypes."""
    groups = {group: [f"{group}{i}" for i in range(3)] for group in sets}
    words = [*chain(*groups.values()), *sorted({*chain(*sets.values())})]
    numbers = np.random.default_rng(1).standard_normal((len(words), 20))
    listed = {"groups": {g: groups[g] for g in order}, "stereotypes": {g: sets[g] for g in order}}
    with pytest.warns(bb.warnings.WordsInTwoSets):
        return fit(
            bb.distance_table(dict(zip(words, numbers, strict=True)), listed), seed=1, draws=250
        )


@pytest.mark.parametrize("of_y", ["abc", "cab", "abcd"])
def test_groups_that_share_stereotypes_have_rows_in_any_order(of_y: str) -> None:
    """All stereotypes of x are also those of y; rows differ by Monte Carlo error only."""
    sets, frames = {"x": [*"abc"], "y": [*of_y], "z": [*"ef"], "w": [*"gh"]}, []
    for order in ("xyzw", "wyxz"):
        tree = of_shared(sets, order)
        rows = default_rows(contrasts(tree)).query("level != 'word'")
        frames.append(rows.set_index("protected_group").loc[["", *sets]])
        single = contrasts(tree, of="attribute").groupby("protected_group")["attribute"]
        assert single.agg(set).to_dict() == {group: {*words} for group, words in sets.items()}
    means, sds = ([frame[name] for frame in frames] for name in ("mean", "sd"))
    np.testing.assert_allclose(*means, atol=sds[0].min() / 10)
    np.testing.assert_allclose(*sds, rtol=0.1)


def test_a_group_whose_stereotypes_are_all_in_smaller_sets_is_named_instead_of_a_row() -> None:
    sets = {"x": ["a", "b", "c", "d"], "y": ["a", "b"], "z": ["c", "d"], "w": ["e", "f"]}
    tree = of_shared(sets, "xyzw")
    for of in ("protected_word", "attribute"):
        with pytest.warns(bb.warnings.NoGroupContrast) as told:
            frame = contrasts(tree, of=of)
        assert [one.message.groups for one in told] == [("x",)]
    assert {*frame["protected_group"]} == {*"yzw"}
