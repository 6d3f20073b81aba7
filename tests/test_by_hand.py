"""Frames recomputed by plain loops over made-up draws, without any fit."""

from itertools import combinations

import numpy as np
import pandas as pd
import pytest
import xarray as xr
from builders import groups_by_sets, rows_of, unit
from numpy.random import default_rng
from scipy.stats import norm
from xarray import DataTree

import bayesbias as bb
from bayesbias import comparison
from bayesbias._core.intervals import describe_draws
from bayesbias.background.reference_words import mean_cosine, topic
from bayesbias.background.vocabulary_contrasts import placed_among
from bayesbias.comparison.before_after import warn_if_only_listed_changed
from bayesbias.comparison.many import _raw
from bayesbias.comparison.ranks import closeness_dots
from bayesbias.comparison.runs import Contrasts
from bayesbias.model.tree import keep_warnings
from bayesbias.posterior.summaries import compare_draws
from bayesbias.tables.levels import AVERAGE
from bayesbias.tables.word_pairs import block_means, lean_changes, word_pairs
from bayesbias.warnings import OnlyListedChanged

CHAINS, DRAWS, NAMES = 2, 15, ["a", "b", "c", "d"]
X = np.array([1930.0, 1900.0, 1950.0, 1910.0])
ROWS = [("one", ""), ("two", ""), ("one", "x"), ("two", "y")]
KEYS = ["wordlist", "protected_group"]
SDS = ["embedding_sd", "list_sd", "interaction_sd"]


@pytest.fixture(scope="module")
def many() -> DataTree:
    """Return made-up draws of two lists, overall and in one group each, in four embeddings."""
    rng, size = default_rng(1), (CHAINS, DRAWS)
    coords = {
        "embedding": NAMES,
        "wordlist": ("contrast_row", [name for name, _ in ROWS]),
        "protected_group": ("contrast_row", [group for _, group in ROWS]),
    }
    contrast = rng.normal(-0.02, 0.1, (*size, len(ROWS), 4))
    average = rng.normal(0, 0.1, (*size, 4))
    sample = ("chain", "draw")
    posterior = {
        "contrast": ((*sample, "contrast_row", "embedding"), contrast),
        "average": ((*sample, "embedding"), average),
        "slope": ((*sample, "contrast_row"), rng.normal(0, 1, (*size, len(ROWS)))),
    }
    posterior |= {name: (sample, rng.gamma(2, size=size)) for name in SDS}
    raw = rng.gamma(2, size=(2, len(ROWS), 4))
    raw[:, 1, 2] = raw[:, 3, 0] = np.nan  # cells that were not measured
    dims = ("contrast_row", "embedding")
    constants = {"raw_mean": (dims, raw[0]), "raw_sd": (dims, raw[1]), "x": ("embedding", X)}
    groups = {"posterior": posterior, "constant_data": constants}
    tree = xr.DataTree.from_dict({n: xr.Dataset(v, coords) for n, v in groups.items()})
    tree.attrs |= {"first": "associated", "second": "different", "spread": 0.2}
    keep_warnings(tree, [])
    return tree


def cells(tree: DataTree, level: str) -> list[tuple[dict[str, str], list[int], np.ndarray]]:
    """Return each row's labels, places of measured embeddings, and (n_draws, n) draws."""
    contrast = tree["posterior"]["contrast"].values.reshape(CHAINS * DRAWS, len(ROWS), 4)
    found = []
    if level == "overall":
        average = tree["posterior"]["average"].values.reshape(-1, 4)
        found.append(({"wordlist": AVERAGE}, [0, 1, 2, 3], average))
    for row, (wordlist, group) in enumerate(ROWS):
        if (group != "") == (level == "group"):
            raw = tree["constant_data"]["raw_mean"].values[row]
            places = [place for place in range(4) if np.isfinite(raw[place])]
            label = {"wordlist": wordlist} | ({"protected_group": group} if group else {})
            found.append((label, places, contrast[:, row, places]))
    return found


@pytest.mark.parametrize("level", ["overall", "group"])
def test_ranks_and_differences_are_counted_draw_by_draw(many: DataTree, level: str) -> None:
    ranked = bb.rank_embeddings(many, 0.8, "eti", level=level)
    apart = comparison.embedding_differences(many, 0.8, 0.03, "eti", level=level)
    assert (ranked.attrs["ci_prob"], ranked.attrs["ci_kind"]) == (0.8, "eti")
    for label, places, draws in cells(many, level):
        own = rows_of(ranked, label).set_index("embedding")
        names = [NAMES[place] for place in places]
        assert sorted(own.index) == names
        assert own["expected_rank"].is_monotonic_increasing
        own = own.loc[names]
        expected = describe_draws(draws, 0.8, "eti")
        np.testing.assert_allclose(own[[*expected]], expected)
        lower = draws[:, :, None] > draws[:, None, :]  # which other contrasts are lower
        ranks = 1 + lower.sum(axis=2)
        np.testing.assert_allclose(own["expected_rank"], ranks.mean(axis=0))
        for place in range(len(names)):
            column = "p_most" if place == 0 else f"p_rank_{place + 1}"
            np.testing.assert_allclose(own[column], (ranks == place + 1).mean(axis=0))
        pairs = rows_of(apart, label)
        assert list(zip(pairs["first"], pairs["second"], strict=True)) == [*combinations(names, 2)]
        gaps = np.column_stack([one - other for one, other in combinations(draws.T, 2)])
        described = compare_draws(gaps, 0.8, 0.03, "eti")
        np.testing.assert_allclose(pairs[[*described]], described)


def test_raw_moments_are_measured_and_averaged_over_lists(many: DataTree) -> None:
    ranked, raw = bb.rank_embeddings(many, 0.8), many["constant_data"].to_dataset()
    reach = norm.ppf(0.9)
    np.testing.assert_allclose(ranked["raw_mean"] - ranked["raw_low"], reach * ranked["raw_sd"])
    np.testing.assert_allclose(ranked["raw_high"] - ranked["raw_mean"], reach * ranked["raw_sd"])
    for label, places, _ in cells(many, "overall"):
        own = rows_of(ranked, label).set_index("embedding")
        for place in places:
            lists = [0, 1] if label["wordlist"] == AVERAGE else [int(label["wordlist"] == "two")]
            means, sds = (raw[f"raw_{of}"].values[lists, place] for of in ("mean", "sd"))
            expected = means.mean(), np.sqrt((sds**2).sum()) / len(lists)
            np.testing.assert_allclose(own.loc[NAMES[place], ["raw_mean", "raw_sd"]], expected)


def test_shares_of_variance_and_dots_are_functions_of_draws(many: DataTree) -> None:
    frame = comparison.variance_shares(many, 0.8, "eti")
    sds = np.column_stack([many["posterior"][name].values.ravel() for name in SDS])
    shares = np.array([[sd**2 / sum(v**2 for v in of) for sd in of] for of in sds])
    assert frame["part"].tolist() == ["embedding", "list", "embedding × list"]
    np.testing.assert_allclose(
        frame[["mean", "sd", "low", "high"]], describe_draws(shares, 0.8, "eti")
    )
    of_sds = describe_draws(sds, 0.8, "eti")[["mean", "low", "high"]]
    np.testing.assert_allclose(frame[["sd_mean", "sd_low", "sd_high"]], of_sds)
    dots = closeness_dots(many, n=5)
    for label, places, draws in cells(many, "overall"):
        own = rows_of(dots, label).set_index("embedding").loc[[NAMES[place] for place in places]]
        np.testing.assert_allclose(own["p_closer"], (draws < 0).mean(axis=0))
        for number in range(5):
            expected = np.quantile(draws, 0.1 + 0.2 * number, axis=0)
            np.testing.assert_allclose(own[f"q{number + 1:02d}"], expected)


def test_a_trend_is_the_slope_and_the_difference_of_both_ends(many: DataTree) -> None:
    frame = bb.trend(many, 0.8, "eti")
    slope = many["posterior"]["slope"].values.reshape(-1, len(ROWS))
    contrast = many["posterior"]["contrast"].values.reshape(-1, len(ROWS), 4)
    ends = contrast[:, :, 2] - contrast[:, :, 1]  # 1950 and 1900
    assert frame[KEYS].drop_duplicates().to_numpy().tolist() == [[AVERAGE, ""], *map(list, ROWS)]
    for quantity, draws in (("slope", slope), ("last - first", ends)):
        every = np.column_stack([draws[:, :2].mean(axis=1), draws])
        expected = describe_draws(every, 0.8, "eti")
        own = frame[frame["quantity"] == quantity]
        np.testing.assert_allclose(own[[*expected]], expected)
        above = (every > 0).mean(axis=0)
        np.testing.assert_allclose(own["p_direction"], np.where(above > 0.5, above, 1 - above))


def test_copies_of_an_embedding_are_averaged() -> None:
    """The variance of a mean of copies is that of the sum over n²."""
    covariance = np.array([[4.0, 1.0, 0.5], [1.0, 9.0, 0.5], [0.5, 0.5, 1.0]])
    runs = Contrasts(np.array([0, 0, 2]), np.array([1.0, 2.0, 5.0]), covariance)
    mean, sd = _raw([runs], 4)
    np.testing.assert_allclose(mean, [[1.5, np.nan, 5.0, np.nan]])
    np.testing.assert_allclose(sd, [[np.sqrt((4 + 9 + 2) / 4), np.nan, 1.0, np.nan]])


def test_changes_are_counted_draw_by_draw(change_tree: DataTree) -> None:
    """Means lie on both sides of 1, and some words have no rows of a connection."""
    rng, tree = default_rng(2), change_tree.copy()
    for name, sd in (("before", 0.2), ("posterior", 0.1)):
        data = tree[name].to_dataset().copy(deep=True)
        for variable in ("word_mean", "connection_mean"):
            made = rng.normal((name == "before") + 0.02, sd, data[variable].shape)
            data[variable].values[:] = made
        tree[name] = data
    words = tree["before"]["word_mean"].values.reshape(-1, 4, 4)
    moved = words + tree["posterior"]["word_mean"].values.reshape(-1, 4, 4)
    groups = [ends.reshape(-1, 2, 2, 4).mean(axis=2) for ends in (words, moved)]
    first = tree["before"]["connection_mean"].values.reshape(-1, 1, 4)
    last = first + tree["posterior"]["connection_mean"].values.reshape(-1, 1, 4)
    before = np.concatenate([first, groups[0], words], axis=1)
    after = np.concatenate([last, groups[1], moved], axis=1)
    frame = comparison.changes(tree, 0.8, 0.05, "eti")
    expected = compare_draws((after - before).reshape(len(after), -1), 0.8, 0.05, "eti")
    np.testing.assert_allclose(frame[[*expected]], expected)
    assert [*frame][:5] == ["level", "protected_group", "protected_word", "connection", "before"]
    np.testing.assert_allclose(frame["p_moved"], 1 - frame["p_rope"])
    np.testing.assert_allclose(frame["before"], before.mean(axis=0).ravel())
    np.testing.assert_allclose(frame["after"], after.mean(axis=0).ravel())
    nearer = np.abs(after - 1) < np.abs(before - 1)
    np.testing.assert_allclose(frame["p_toward_one"], nearer.mean(axis=0).ravel())
    aligned = comparison.alignment(tree, 0.8, "eti")
    ranges = [ends.max(axis=2) - ends.min(axis=2) for ends in (before, after)]
    described = describe_draws(ranges[1] - ranges[0], 0.8, "eti")
    np.testing.assert_allclose(aligned[[*described]], described)
    np.testing.assert_allclose(aligned[["before", "after"]].T, [r.mean(axis=0) for r in ranges])
    np.testing.assert_allclose(aligned["p_narrower"], (ranges[1] < ranges[0]).mean(axis=0))
    same = (before.argsort(axis=2) == after.argsort(axis=2)).all(axis=2)
    np.testing.assert_allclose(aligned["p_same_order"], same.mean(axis=0))
    orders = comparison.order_changes(tree, "human", "different", 0.8, 0.05, ci_kind="eti")
    gaps = [ends[:, 3:, 3] - ends[:, 3:, 1] for ends in (before, after)]  # of words
    own = orders[orders["level"] == "word"]
    for when, gap in zip(("before", "after"), gaps, strict=True):
        end = describe_draws(gap, 0.8, "eti")
        columns = [when, f"{when}_low", f"{when}_high"]
        np.testing.assert_allclose(own[columns], end[["mean", "low", "high"]])
        np.testing.assert_allclose(own[f"p_closer_{when}"], (gap < 0).mean(axis=0))
    turned = np.sign(gaps[0]) != np.sign(gaps[1])
    np.testing.assert_allclose(own["p_turned"], turned.mean(axis=0))
    np.testing.assert_allclose(own["mean"], (gaps[1] - gaps[0]).mean(axis=0))


@pytest.mark.parametrize(
    ("n_words", "n_changed", "told"),
    [(20, 1, True), (20, 2, False), (19, 0, False), (40, 2, True), (40, 3, False)],
)
def test_a_warning_counts_words_outside_the_list(n_words: int, n_changed: int, told: bool) -> None:
    """Twenty words and 95% are enough; lengths and listed words do not count.

    Vectors of other dimensions are another embedding.
    """
    rng = default_rng(3)
    before = {f"w{i}": rng.normal(size=3) for i in range(n_words)}
    after = {w: 3 * v if i >= n_changed else v[::-1] for i, (w, v) in enumerate(before.items())}
    listed = {f"l{i}": rng.normal(size=3) for i in range(9)}
    before |= listed
    after |= {word: -vector for word, vector in listed.items()}
    if told:
        with pytest.warns(OnlyListedChanged) as caught:
            warn_if_only_listed_changed(before, after, listed)
        message = caught[0].message
        assert (message.unchanged, message.words) == (n_words - n_changed, n_words)
    else:
        warn_if_only_listed_changed(before, after, listed)
    wider = {word: np.append(vector, 0.0) for word, vector in after.items()}
    warn_if_only_listed_changed(before, wider, listed)


def test_a_place_among_reference_lists_counts_ties_half() -> None:
    means = {"x": [0.1, 0.2, 0.2, 0.3, 0.4], "y": [-0.3, -0.2, -0.2, -0.2, 0.1]}
    keys = {"level": "group", "first": "associated", "second": "different"}
    rows = [
        {**keys, "list": place, "protected_group": group, "mean": mean}
        for group, of in means.items()
        for place, mean in enumerate(of)
    ]
    own = pd.DataFrame({**keys, "protected_group": ["y", "x", "w"], "mean": [-0.2, 0.5, 0.0]})
    own = own.assign(estimand="relative", sd=1.0, low=-1.0, high=1.0)
    own.loc[2, "level"] = "word"
    found = placed_among(own, pd.DataFrame(rows)).set_index("protected_group")
    assert [*found.index] == ["y", "x"]
    assert found["percentile"].to_dict() == {"y": (1 + 3 / 2) / 5, "x": 1.0}
    # One list is below y's mean and three equal it; none is above x's.
    assert found["p_value"].to_dict() == {"y": 1.0, "x": 2 * (0 + 1) / 6}
    for group, of in means.items():
        row = found.loc[group]
        assert row["reference_mean"] == pytest.approx(np.mean(of))
        assert row["excess"] == pytest.approx(row["mean"] - np.mean(of))
        assert row["reference_sd"] == pytest.approx(np.std(of, ddof=1))
        ends = np.quantile(of, [0.025, 0.975])
        np.testing.assert_allclose(row[["reference_low", "reference_high"]].astype(float), ends)


@pytest.mark.parametrize("cohesion", [-1.0, 0.2, 0.5, 2.0])
def test_a_topic_is_drawn_from_the_largest_coherent_neighborhood(cohesion, monkeypatch) -> None:
    monkeypatch.setattr("bayesbias.background.reference_words.NEIGHBORS", 12)
    rng, size = default_rng(4), 3
    vectors = unit(rng.normal(size=(30, 4)) + 0.5)
    cosines, free = vectors @ vectors.T, np.arange(30) % 5 > 0
    assert mean_cosine(vectors[:3]) == pytest.approx(cosines[[0, 0, 1], [1, 2, 2]].mean())
    assert mean_cosine(vectors[:1]) == 1.0
    for seed in range(10):
        middle = default_rng(seed).choice(np.flatnonzero(free))
        near = [row for row in np.argsort(-cosines[middle]).tolist() if free[row]][:12]
        sizes = [n for n in range(2, 13) if mean_cosine(vectors[near[:n]]) >= cohesion]
        largest = max([size, *sizes])
        drawn = [topic(vectors, free, size, cohesion, default_rng(seed)) for _ in range(2)]
        np.testing.assert_array_equal(*drawn)
        assert len({*drawn[0].tolist()}) == size
        assert {*drawn[0].tolist()} <= {*near[:largest]}
        if largest == size:
            assert {*drawn[0].tolist()} == {*near[:size]}


@pytest.mark.parametrize("groups", ["xy", "xyz"])
def test_leans_are_differences_of_mean_distances_of_shared_rows(groups: str) -> None:
    """The second table lacks a word and is in reverse order."""
    rng, table = default_rng(6), groups_by_sets(groups, 3, 3, "human")
    whole, later = (table.assign(cosine_distance=rng.uniform(0.5, 1.2, len(table))) for _ in "ab")
    there = table["protected_word"] != "x0"
    found = lean_changes(comparison.pair(whole, later[there][::-1]).rows)
    tables = [whole[there], later[there]]
    expected = {}
    for attribute in table.loc[table["connection"] != "human", "attribute"].unique():
        own, ends = attribute[0], []
        for one in tables:
            rows = one[one["attribute"] == attribute].groupby("protected_group")["cosine_distance"]
            mean = rows.mean()
            first = own if len(groups) == 3 else groups[0]
            ends.append(mean.drop(first).mean() - mean[first])
        sign = 1 if len(groups) == 3 or own == groups[0] else -1
        expected[attribute] = (*ends, sign * (ends[1] - ends[0]))
    assert set(found["attribute"]) == set(expected)
    for row in found.itertuples():
        assert (row.before, row.after, row.toward) == pytest.approx(expected[row.attribute])
    for _, rows in found.groupby("attribute_set", sort=False):
        assert rows["before"].abs().is_monotonic_decreasing


def test_deviations_are_those_of_brute_force() -> None:
    """Deviations are from means with equal weights of groups and sets."""
    pairs = word_pairs(bb.distance_table("glove-demo", "religion"))
    sets = pairs["attribute_set"].unique()
    wide = pairs.pivot(index="protected_word", columns="attribute", values="cosine_distance")
    of = pairs.drop_duplicates("attribute").set_index("attribute")["attribute_set"]
    group = pairs.drop_duplicates("protected_word").set_index("protected_word")["protected_group"]
    word = np.mean([wide.loc[:, of[of == s].index].mean(axis=1) for s in sets], axis=0)
    word = pd.Series(word, wide.index)
    kinds = group.unique()
    column = np.mean([wide.loc[group[group == g].index].mean(axis=0) for g in kinds], axis=0)
    column = pd.Series(column, wide.columns)
    whole = np.mean([word[group[group == g].index].mean() for g in kinds])
    expected = pairs["protected_word"].map(word) + pairs["attribute"].map(column) - whole
    np.testing.assert_allclose(pairs["deviation"], expected - pairs["cosine_distance"], atol=1e-12)
    blocks = block_means(pairs)
    assert (len(blocks), blocks["own"].sum()) == (9, 3)
    for column in ("cosine_distance", "deviation", "own"):
        block = pairs.groupby(["protected_group", "attribute_set"], sort=False)[column].mean()
        np.testing.assert_allclose(blocks[column], block)


@pytest.mark.filterwarnings("ignore::bayesbias.warnings.WordsInTwoSets")
def test_stereotypes_that_all_groups_share_change_no_difference_between_blocks() -> None:
    words = {"cat": ["quiet", "small"], "dog": ["loyal", "loud"]}
    groups = {"cat": ["cat", "kitten"], "dog": ["dog", "puppy", "dogs"]}
    alone, shared = (
        word_pairs(bb.distance_table("glove-demo", {"groups": groups, "stereotypes": sets}))
        for sets in (words, {name: [*words[name], "clever", "friendly"] for name in words})
    )
    assert len(shared) == len(alone) + 10
    columns = ["protected_group", "attribute_set", "own", "cosine_distance"]
    expected = block_means(alone)[columns].sort_values(columns[:2], ignore_index=True)
    found = block_means(shared)[columns].sort_values(columns[:2], ignore_index=True)
    pd.testing.assert_frame_equal(found, expected)
