"""Many embeddings in one model, and several trainings on the same text."""

from collections.abc import Mapping
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any
from unittest.mock import Mock

import numpy as np
import pandas as pd
import pytest
from builders import FAST, by_name, groups_by_sets, leaning, plus, refused, sloped_model
from xarray import DataTree

import bayesbias as bb
from bayesbias import comparison
from bayesbias.comparison import embedding_differences, variance_shares
from bayesbias.comparison.many import MOST_RUNS
from bayesbias.comparison.order import look_ordered, values_of_x
from bayesbias.comparison.runs import list_contrasts, moments_of_runs, rotation, runs_of
from bayesbias.model.indexing import make_design
from bayesbias.model.spec import load_model
from bayesbias.posterior.mixtures import contrast_weights
from bayesbias.sampling.effects import draw_effects
from bayesbias.sampling.importance import PARETO_K_LIMIT
from bayesbias.sampling.parameters import parameters_of
from bayesbias.sampling.reduction import collapse
from bayesbias.warnings import HighJointParetoK

PLANTED = {"one": {"a": -0.2, "b": -0.1, "c": 0.0}, "two": {"a": -0.2, "b": -0.1, "c": 0.0}}


def tables(
    planted: Mapping[str, Mapping[str, float]] = PLANTED,
    *,
    trainings: int = 1,
    n_words: int = 4,
    seed: int = 1,
) -> pd.DataFrame:
    """Return lists in embeddings with planted contrasts, and noise by pair and by run."""
    rng = np.random.default_rng(seed)
    frames = []
    for wordlist, of_list in planted.items():
        base = groups_by_sets("xy", n_words, 5)
        side = np.where(base["connection"] == "associated", 0.5, -0.5)
        shared = rng.normal(0, 0.05, len(base))
        for embedding, contrast in of_list.items():
            for training in range(trainings):
                y = 0.9 + contrast * side + shared + rng.normal(0, 0.03, len(base))
                own = {"embedding": embedding, "wordlist": wordlist, "replicate": str(training)}
                frames.append(base.assign(cosine_distance=y, **own))
    return pd.concat(frames, ignore_index=True)


def list_of(name: str, groups: str, stereotype: str = "s") -> bb.WordList:
    """Return groups of three words and their stereotypes, named as in `leaning`."""
    words = {g: [f"{g}{i}" for i in range(3)] for g in groups}
    return bb.WordList(name, words, {g: [f"{g}_{stereotype}{i}" for i in range(4)] for g in groups})


@cache
def fitted(trainings: int = 1) -> DataTree:
    return bb.fit_many(tables(trainings=trainings), draws=250, seed=1)


def controlled(shared: float) -> pd.DataFrame:
    """Return three groups and controls in three embeddings that share this part of variances."""
    rng = np.random.default_rng(1)
    base = groups_by_sets("xyz", 6, 8, "human")
    is_biased = (base["connection"] == "associated") & (base["protected_group"] == "x")

    def noise() -> np.ndarray:
        lean = rng.normal(0, 0.05, (18, 4))
        cell = base["protected_word"].factorize()[0], base["attribute_set"].factorize()[0]
        return np.asarray(lean[cell] + rng.normal(0, 0.1, len(base)))

    common, frames = noise(), []
    for embedding in "abc":
        y = -0.1 * is_biased + np.sqrt(shared) * common + np.sqrt(1 - shared) * noise()
        own = {"embedding": embedding, "wordlist": "one", "cosine_distance": 0.9 + y}
        frames.append(base.assign(**own))
    return pd.concat(frames, ignore_index=True)


@cache
def fitted_groups() -> DataTree:
    return bb.fit_many(controlled(0.5), draws=250, seed=1)


@pytest.mark.seconds
def test_lists_can_have_their_embeddings_in_any_order() -> None:
    one, two = (part for _, part in tables().groupby("wordlist"))
    turned = pd.concat([two[two["embedding"] == name] for name in "cab"])
    found = [bb.fit_many([one, part], draws=25, seed=1) for part in (two, turned)]
    pd.testing.assert_frame_equal(*map(bb.rank_embeddings, found))


@pytest.mark.filterwarnings("ignore::bayesbias.warnings.RepeatedPairs")
@pytest.mark.parametrize("column", ["context", "note"])
def test_contexts_and_repeated_rows_count(column: str) -> None:
    """A run's own contrast is that of all its rows; the first rows alone give one .003 away."""
    once = tables({"one": {"a": -0.05, "b": 0.05}})
    rng = np.random.default_rng(1)
    again = plus(once, rng.normal(0, 0.05, len(once)))
    table = pd.concat([once.assign(**{column: "1"}), again.assign(**{column: "2"})])
    found = bb.rank_embeddings(bb.fit_many(table, draws=100, chains=2, seed=1))
    for name, rows in table.groupby("embedding"):
        own = rows.groupby("connection")["cosine_distance"].mean()
        mean = found.set_index("embedding").loc[name, "raw_mean"]
        assert mean == pytest.approx(own["associated"] - own["different"], abs=0.001)


@pytest.mark.parametrize(("n_embeddings", "n_trainings"), [(1, 4), (3, 1), (4, 3)])
def test_runs_are_rotated_by_an_orthonormal_matrix(n_embeddings: int, n_trainings: int) -> None:
    average, between, within = rotation(n_embeddings, n_trainings)
    every = np.concatenate([average, between, within])
    np.testing.assert_allclose(every @ every.T, np.eye(n_embeddings * n_trainings), atol=1e-12)
    copies = np.arange(n_embeddings * n_trainings).reshape(n_embeddings, n_trainings)
    assert np.ptp(average) == 0  # below, there is rounding
    np.testing.assert_allclose(np.ptp(between[:, copies], axis=2), 0, atol=1e-12)
    np.testing.assert_allclose(within[:, copies].sum(axis=2), 0, atol=1e-12)


@pytest.mark.seconds
@pytest.mark.parametrize("shared", [0.0, 0.8])
def test_runs_correlate_by_what_they_share(shared: float) -> None:
    """Use a table whose shares are estimated from 18 words."""
    tables = controlled(shared).groupby("embedding")
    runs, found = runs_of("one", {(str(name), ""): part for name, part in tables}), []
    pair = "associated", "different"
    contrasts, _ = list_contrasts(runs, ["a", "b", "c"], pair, np.random.default_rng(1))
    for one in contrasts.values():
        sds = np.sqrt(np.diag(one.covariance))
        found.append((one.covariance / np.outer(sds, sds))[np.triu_indices(3, 1)].mean())
    assert np.mean(found) == pytest.approx(shared, abs=0.2)


@pytest.mark.seconds
def test_a_groups_contrast_is_found_in_every_embedding() -> None:
    post = fitted_groups()
    ranked = bb.rank_embeddings(post, level="group")
    assert list(ranked["protected_group"].unique()) == ["x", "y", "z"]
    biased = ranked["protected_group"] == "x"
    assert (ranked.loc[biased, "high"] < 0).all()
    assert ((ranked["low"] < 0) & (ranked["high"] > 0))[~biased].mean() > 0.6
    apart = embedding_differences(post, level="group")
    assert list(apart)[:4] == ["wordlist", "protected_group", "first", "second"]
    refused("unknown level 'word'", bb.rank_embeddings, post, level="word")
    for odd in (None, "x"):
        refused("ci_prob must lie in", bb.rank_embeddings, post, odd)
    refused("no list identifies contrasts for single", bb.rank_embeddings, fitted(), level="group")


@pytest.mark.seconds
def test_what_covariates_add_to_distances_does_not_move_contrasts() -> None:
    """Sets differ in the covariate, and each embedding has its own slope on it."""
    table, rng = controlled(0.5), np.random.default_rng(2)
    table["share"] = by_name(table["attribute"], rng.normal) + (table["connection"] == "associated")
    slope = table["embedding"].map({"a": 0.05, "b": -0.03, "c": 0.1}).astype(float)
    moved, options = plus(table, slope * table["share"]), {"draws": 100, "seed": 1}
    fits = [bb.fit_many(each, covariates="share", **options) for each in (table, moved)]
    ranked = [bb.rank_embeddings(post, level="group") for post in fits]
    one, other = (rows.set_index(["protected_group", "embedding"]).sort_index() for rows in ranked)
    # The slope's prior, one spread per sd, takes about one percent of it.
    assert (abs(other["mean"] - one["mean"]) / one["sd"]).max() < 0.1
    means = (slope * table["share"]).groupby([table["embedding"], table["connection"]]).mean()
    added = means.unstack()["associated"] - means.unstack()["different"]
    assert added.abs().max() > one["sd"].max()  # without covariates, it would show


@pytest.mark.seconds
def test_planted_orders_are_found() -> None:
    ranked, apart = bb.rank_embeddings(fitted()), embedding_differences(fitted())
    parts = [part for _, part in tables().groupby("wordlist")]  # equal seeds, and any order of rows
    again = bb.fit_many(parts, draws=250, seed=1)
    np.testing.assert_array_equal(again["posterior"]["contrast"], fitted()["posterior"]["contrast"])
    for _, rows in ranked.groupby("wordlist"):
        assert list(rows["embedding"]) == ["a", "b", "c"]
    assert variance_shares(fitted(trainings=2)).loc[0, "mean"] > 0.5  # of embeddings, as planted
    assert ranked.loc[0, "p_most"] > 0.95
    described = [
        *("mean", "sd", "low", "high"),
        *(f"raw_{k}" for k in ("mean", "sd", "low", "high")),
    ]
    of_ranks = ["expected_rank", "p_most", "p_rank_2", "p_rank_3"]
    assert [*ranked] == ["wordlist", "embedding", *described, *of_ranks]
    runs = [run for _, run in tables().groupby(["wordlist", "embedding"])]
    spreads = [run["cosine_distance"].std(ddof=0) for run in runs]
    assert fitted().attrs["spread"] == pytest.approx(np.mean(spreads))
    settled = apart[(apart["first"] == "a") & (apart["second"] == "c")]
    assert (settled["high"] < 0).all()
    # The 89% intervals of nine differences cover the planted values, except for one or two.
    truth = {"ab": -0.1, "ac": -0.2, "bc": -0.1}
    planted = (apart["first"] + apart["second"]).map(truth)
    assert planted.between(apart["low"], apart["high"]).sum() >= 7


def test_words_that_an_embedding_lacks_fake_no_difference() -> None:
    """The only biased words are missing from one embedding."""
    table = tables({"one": {"a": 0.0, "b": 0.0}}, n_words=6)
    biased = table["protected_word"].isin(["x0", "y0"])
    associated = table["connection"] == "associated"
    table.loc[biased & associated, "cosine_distance"] -= 0.4
    with pytest.warns(bb.warnings.PairsNotShared) as told:
        post = bb.fit_many(table[~(biased & (table["embedding"] == "b"))], draws=250, seed=1)
    assert (told[0].message.n, told[0].message.total) == (20, 120)
    row = embedding_differences(post).iloc[0]
    assert row["low"] < 0 < row["high"]
    assert abs(row["mean"]) < 0.03  # on average, words of a are 0.13 lower than those of b


@pytest.mark.seconds
def test_a_cell_that_was_not_measured_is_predicted_and_not_ranked() -> None:
    planted = {"one": PLANTED["one"], "two": {"a": -0.2, "b": -0.1}, "three": {"c": 0.0}}
    with pytest.warns(bb.warnings.ListInOneEmbedding) as told:
        post = bb.fit_many(tables(planted), draws=250, seed=1)
    found = [one.message for one in told if not isinstance(one.message, bb.warnings.NoLikeness)]
    assert found == [bb.warnings.ListInOneEmbedding("three", "c")]
    ranked = bb.rank_embeddings(post)
    assert list(ranked[ranked["wordlist"] == "two"]["embedding"]) == ["a", "b"]
    assert set(ranked[ranked["wordlist"] == "average"]["embedding"]) == {"a", "b", "c"}
    sd = post["posterior"]["contrast"].std(("chain", "draw"))
    of_list = sd[(sd["wordlist"] == "two").to_numpy()]
    assert of_list.sel(embedding="c").item() > 1.2 * of_list.sel(embedding="a").item()


def test_tables_are_those_of_each_list_and_embedding() -> None:
    vectors, other = leaning("xyz")[0], leaning("xyz", n=3)[0]
    both, pair = list_of("both", "xyz"), list_of("pair", "xy")
    given = {"one": vectors, "two": other}
    whole = bb.distance_tables(given, [both, pair], matched=0)
    loop = [
        bb.distance_table(held, words, embedding=name).assign(wordlist=words.name)
        for name, held in given.items()
        for words in (both, pair)
    ]
    expected = pd.concat(loop, ignore_index=True)
    pd.testing.assert_frame_equal(whole[[*expected]], expected)
    for arguments, fragment in (
        ((given, [pair, pair]), "2 lists are called 'pair'"),
        ((given, []), "there is no word list"),
        (([], "gender"), "a mapping of names"),
        (({"x": {"x0": [1.0, 0.0]}}, pair), "the list 'pair' in 'x'"),
    ):
        refused(fragment, bb.distance_tables, *arguments, error=Exception, matched=0)


@pytest.mark.filterwarnings("ignore::bayesbias.warnings.MissingWords")
def test_a_list_gets_matched_controls_even_if_an_embedding_lacks_a_stereotype() -> None:
    words = bb.load_wordlist("weat7")
    sets = {name: (*own, "qxqx") for name, own in words.stereotypes.items()}
    table = bb.distance_tables({"one": "glove-demo"}, [replace(words, stereotypes=sets)])
    assert (table["connection"] == "matched").any()


@pytest.mark.seconds
@pytest.mark.usefixtures("one_landmark")
def test_matched_controls_are_those_of_an_analysis_or_ones_own() -> None:
    words, own = bb.load_wordlist("weat7"), ("table", "window", "paper")
    analyzed = bb.analyze(
        "glove-demo", words, seed=5, draws=50, reference_lists=0, progressbar=False
    )
    of_tables = bb.distance_tables({"one": "glove-demo"}, [words])
    mine = bb.distance_tables({"one": "glove-demo"}, [replace(words, controls={"matched": own})])
    found = [
        set(table.loc[table["connection"] == "matched", "attribute"])
        for table in (analyzed.table, of_tables, mine)
    ]
    assert found == [found[1], found[1], {*own}]


@pytest.mark.seconds
@pytest.mark.filterwarnings("ignore::bayesbias.warnings.RepeatedPairs")
def test_what_cannot_be_compared_is_refused(tmp_path) -> None:
    table = tables(n_words=2)
    is_a, is_b, is_c = (table["embedding"] == name for name in "abc")
    alone = ((table["wordlist"] == "one") == is_a) & ~is_c
    words = table["protected_word"].where(~is_b, "other " + table["protected_word"])
    same = table[~is_c].assign(embedding="a")
    distances = 0.5 * same["cosine_distance"][::2] + 0.1
    copied = pd.concat([same[::2], same[::2].assign(embedding="copy", cosine_distance=distances)])
    joined = table[~(is_b & table["protected_group"].eq("x"))]
    swapped = table["protected_group"].where(
        ~is_b, table["protected_group"].map({"x": "y", "y": "x"})
    )
    upper = table["protected_group"].where(~is_b, table["protected_group"].str.upper())
    sets = table["attribute_set"].where(~is_b, "b's " + table["attribute_set"])
    moved = table["attribute_set"].where(table.index != table.index[is_b][0], "other")
    twice = pd.concat([table, table[is_b].assign(replicate="1")])
    many = pd.concat([table[::9].assign(replicate=str(i)) for i in range(1 + MOST_RUNS // 6)])
    for rows, options, fragment in (
        (table[is_a], {}, "only one embedding, 'a', with one training"),
        (table[alone], {}, "no list was measured in two embeddings"),
        (table.assign(protected_word=words), {}, "the list 'one' is in all of a, b, c"),
        (copied, {}, "have the same distances"),
        (twice, {}, r"training runs in the list 'one' .a 1, b 2, c 1"),
        (joined, {}, "only the group .* has words in all"),
        (
            table.assign(protected_group=swapped),
            {},
            "'x0' is in the group 'x' in a 0 but 'y' in b",
        ),
        (
            table.assign(protected_group=upper),
            {},
            "'x0' is in the group 'x' in a 0 but 'X' in b",
        ),
        (table.assign(attribute_set=sets), {}, "'x' is in the set .* in a 0 but"),
        (table.assign(attribute_set=moved), {}, "attribute_set 'other' in one row and"),
        (many, {}, r"copies\), but at most 500 are supported"),
        (table, {"second": "human"}, "no human rows"),
        (table, {"x": {"a": 1, "b": 2}}, "x has no value for c"),
        (table, {"x": {"a": 1, 2: 2}}, "unknown embedding '2'"),
        (table, {"x": {"2": 1, 2: 2}}, "x contains 2 more than once"),
        (table, {"x": pd.Series([1, 2, 3], [*"aba"])}, "x contains a more than once"),
        (table, {"x": {"a": 1, "b": 2, "c": 3}}, "x has 3 different values.*at least 4"),
        (table, {"x": {"a": 1, "b": np.nan, "c": 3}}, "x must be a finite number; got nan for 'b'"),
        (table, {"x": {"a": 1, "b": pd.Timestamp("2020"), "c": 3}}, "finite number; got 2020"),
        (table, {"method": "nuts"}, "always uses the exact sampler"),
        (table, {"model": "robust"}, "needs a Normal model, such as by-group; 'robust' has"),
        (table, {"model": sloped_model(tmp_path)}, "slopes of covariates"),
        (table.drop(columns="embedding"), {}, "is missing columns"),
        (table.replace({"wordlist": {"one": "average"}}), {}, "list name 'average'"),
        (table.assign(wordlist=table["wordlist"].mask(is_b)), {}, "there is no wordlist in row"),
    ):
        refused(fragment, bb.fit_many, rows, **options)
    refused("x must be a dict or a Series", bb.fit_many, table, x=[1, 2, 3], error=TypeError)
    for size in (1e160, 1e308, 1e-170, 1e-320):  # their squares are 0 or infinite
        x = {name: size * at for at, name in zip((0, 1, -1, 0.5), "abcd", strict=True)}
        refused("x differ from their mean.*multiply", values_of_x, x, [*"abcd"])
    for size in (1e90, 1e-90):
        x = {name: size * at for at, name in enumerate("abcd")}
        assert values_of_x(x, [*"abcd"]).tolist() == [*x.values()]
    refused("x has 2 different", values_of_x, dict.fromkeys("abc", 1.0) | {"d": 2.0}, [*"abcd"])


def test_parameters_come_back_from_what_they_make(toy_table: pd.DataFrame) -> None:
    posterior = collapse(make_design(toy_table), load_model("maximal"))
    points = np.random.default_rng(1).normal(-1, 0.5, (5, posterior.n_parameters))
    drawn = draw_effects(posterior, points, None)
    np.testing.assert_allclose(parameters_of(posterior.blocks, drawn), points, atol=1e-10)


@pytest.mark.parametrize(
    ("names", "ordered"),
    [
        (["1900", "1910", "1920", "1930"], True),
        (["d1950s", "d1960s", "d1970s", "d1980s"], True),
        (["2019-05", "2019-06", "2019-07", "2020-01"], True),
        (["coha_1900", "coha_1910", "coha_1920"], False),
        (["glove", "word2vec", "d1970", "d1980"], False),
        (["glove50", "glove100", "glove200", "glove300"], False),
    ],
)
def test_names_that_look_ordered(names: list[str], ordered: bool) -> None:
    assert look_ordered(names) is ordered


@pytest.mark.seconds
def test_runs_use_their_own_priors_of_slopes_in_any_order() -> None:
    """Distances of one embedding vary a third as much, and so does its slope."""
    base, rng = groups_by_sets("xy", 4, 4), np.random.default_rng(1)
    share = by_name(base["attribute"], rng.normal) + (base["connection"] == "associated")
    own = {
        name: base.assign(
            **{"embedding": name, "wordlist": "one", "share": share},
            cosine_distance=0.9 + scale * (rng.normal(0, 0.5, len(base)) + 0.8 * share),
        )
        for name, scale in (("a", 0.03), ("b", 0.1), ("c", 0.1))
    }
    found = []
    for order in ("abc", "bac"):
        table = pd.concat([own[name] for name in order])
        post = bb.fit_many(table, "maximal", covariates="share", draws=250, seed=1)
        raw = post["constant_data"].data_vars["raw_mean"].values[0]
        found.append(dict(zip(order, raw, strict=True)))
    # The sd of b's contrast is about .02; draws of its sds move the mean by a tenth of this.
    assert found[0]["b"] == pytest.approx(found[1]["b"], abs=0.004)


@pytest.mark.seconds
def test_many_runs_with_many_missing_pairs() -> None:
    """More missing pairs than are integrated out, in three runs with likeness."""
    vectors, wordlist = leaning("xy")
    rng = np.random.default_rng(3)
    rows = []
    for name in "abc":
        held = {word: row + 0.3 * rng.normal(size=len(row)) for word, row in vectors.items()}
        rows.append(bb.distance_table(held, wordlist, embedding=name).assign(wordlist="one"))
    gone = rng.permutation(len(rows[0]))[:18]
    kept = pd.concat([table.drop(index=table.index[gone]) for table in rows])
    few = pd.concat([table.drop(index=table.index[gone[:6]]) for table in rows])
    means = [
        bb.rank_embeddings(bb.fit_many(each, draws=250, seed=1)).set_index("embedding")["mean"]
        for each in (kept, few)
    ]
    # Half of the sd of a contrast: twelve pairs less move it, but not far.
    assert np.isfinite(means[0]).all()
    assert (means[0] - means[1]).abs().max() < 0.15


@pytest.mark.seconds
def test_controls_that_all_embeddings_share_leave_contrasts_of_stereotypes_as_they_are() -> None:
    """Copies that were debiased have such controls; their rows differ by exactly nothing."""
    rng = np.random.default_rng(6)
    start = groups_by_sets("xy", 4, 6, "neutral")
    start["cosine_distance"] = 0.9 + 0.05 * rng.standard_normal(len(start))
    is_control = (start["connection"] == "neutral").to_numpy()
    shifts = 0.05 * rng.standard_normal((3, len(start)))

    def raw_sds(noise: float, rows: np.ndarray) -> np.ndarray:
        moved = [plus(start, np.where(is_control, noise * shift, shift)) for shift in shifts]
        runs = [part[rows].assign(embedding=name) for part, name in zip(moved, "abc", strict=True)]
        return bb.fit_many(runs, seed=1, draws=50)["constant_data"]["raw_sd"].to_numpy()[0]

    every, equal = np.ones(len(start), bool), raw_sds(0.0, np.ones(len(start), bool))
    # Controls inform the sds of effects, by which the sds of contrasts differ.
    np.testing.assert_allclose(equal, raw_sds(1e-3, every), rtol=0.05)
    np.testing.assert_allclose(equal, raw_sds(0.0, ~is_control), rtol=0.15)


@pytest.mark.seconds
def test_each_list_and_group_has_its_own_trend() -> None:
    """Only x of the first list has a trend, of -.1 a step, beside third groups' stereotypes."""
    rng, base, frames = np.random.default_rng(1), groups_by_sets("xyz", 4, 5), []
    moves = (base["connection"] == "associated") & (base["protected_group"] == "x")
    for step, embedding in enumerate("abcd"):
        for name in ("one", "two"):
            y = 0.9 - 0.1 * step * moves * (name == "one") + rng.normal(0, 0.03, len(base))
            frames.append(base.assign(cosine_distance=y, embedding=embedding, wordlist=name))
    x = dict(zip("abcd", range(4), strict=True))
    frame = bb.trend(bb.fit_many(pd.concat(frames, ignore_index=True), x=x, draws=250, seed=1))
    found = frame.query("quantity == 'slope'").set_index(["wordlist", "protected_group"])["mean"]
    # overall is the mean of the groups; noise of .03 in 20 pairs, and a prior that shrinks
    np.testing.assert_allclose(found["one"][["", *"xyz"]], [-0.033, -0.1, 0, 0], atol=0.02)
    np.testing.assert_allclose(found["two"][["", *"xyz"]], 0, atol=0.02)


@pytest.mark.seconds
def test_correlations_of_runs_have_no_unit_and_no_sign() -> None:
    """A run may have another unit and mean, and all may be negated, such as similarities."""
    table = tables({"one": {"b": -0.1, "a": 0.0}}, trainings=2)
    one, y = (table["embedding"] == "a") & (table["replicate"] == "1"), table["cosine_distance"]
    found = []
    for moved in (y, y.where(~one, 3 * y - 1.8), y.where(~one, y - 0.6), 1.8 - y):
        parts = table.assign(cosine_distance=moved).groupby(["embedding", "replicate"], sort=False)
        runs = runs_of("one", {(str(name), str(run)): part for (name, run), part in parts})
        pair, rng = ("associated", "different"), np.random.default_rng(1)
        contrast = list_contrasts(runs, ["b", "a"], pair, rng)[0][""]
        assert contrast.embedding.tolist() == [0, 0, 1, 1]
        variances = np.diag(contrast.covariance)
        found.append(contrast.covariance / np.minimum.outer(variances, variances))
    for other in found[1:]:  # Correlations from 500 draws differ by .01.
        np.testing.assert_allclose(other, found[0], atol=0.015)


def test_runs_with_other_names_of_words_have_the_same_variance() -> None:
    """Nothing but Monte Carlo errors tells which word has which distances."""
    table = tables({"one": {"a": -0.1}})
    names = {"x0": "x1", "x1": "x2", "x2": "x0", "y1": "y3", "y3": "y1"}
    renamed = table.assign(protected_word=table["protected_word"].replace(names))
    runs = runs_of("one", {("a", ""): table, ("b", ""): renamed})
    pair = "associated", "different"
    contrast = list_contrasts(runs, ["a", "b"], pair, np.random.default_rng(1))[0][""]
    variances = np.diag(contrast.covariance)
    assert variances[1] == pytest.approx(variances[0], rel=1e-6)  # rounding, in a sum of 500


def test_draws_of_a_similar_run_are_reweighted(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(comparison.runs, "DRAWS", 4000)
    sampled = Mock(wraps=comparison.runs.sample_exact)
    monkeypatch.setattr(comparison.runs, "sample_exact", sampled)
    table, rng = tables({"one": {"a": -0.1}}), np.random.default_rng(0)
    spec = load_model("by-group")
    first, similar, other = (
        collapse(make_design(plus(table, rng.normal(0, sd, len(table)))), spec)
        for sd in (0, 0.015, 0.2)
    )
    weights = contrast_weights(first)[:, :1, 0]
    mean, variance, _ = moments_of_runs([first, similar, other], weights, rng)
    assert sampled.call_count == 2  # not of the similar run
    for place, run in enumerate((first, similar, other)):
        own_mean, own_variance, _ = moments_of_runs([run], weights, rng)
        # Of 4,000 draws, variances have a Monte Carlo error of about 1%.
        assert variance[place] == pytest.approx(own_variance[0], rel=0.05)
        assert mean[place] == pytest.approx(own_mean[0], abs=0.05 * np.sqrt(own_variance[0, 0]))
    assert variance[1, 0] > 1.05 * variance[0, 0]  # of more noise


@pytest.mark.parametrize("part", ["runs", "hierarchy"])
def test_every_unreliable_part_is_told(part: str, monkeypatch: pytest.MonkeyPatch) -> None:
    if part == "runs":
        draw = comparison.runs.sample_exact

        def worse(*args: Any, **options: Any) -> Any:
            return replace(draw(*args, **options), pareto_k=0.9)

        monkeypatch.setattr(comparison.runs, "sample_exact", worse)
    else:
        draw = comparison.hierarchy.Hierarchy.draw
        monkeypatch.setattr(
            comparison.hierarchy.Hierarchy, "draw", lambda *args: (*draw(*args)[:3], 0.9)
        )
    with pytest.warns(HighJointParetoK) as told:
        post = bb.fit_many(tables({"one": {"b": -0.1, "a": 0.0}}), draws=50, seed=1)
    found = told.pop(HighJointParetoK).message
    assert (found.k, found.limit) == (0.9, PARETO_K_LIMIT)
    assert post["sample_stats"]["pareto_k"] == 0.9
    assert post["posterior"]["embedding"].values.tolist() == ["b", "a"]


@pytest.mark.seconds
def test_a_posterior_of_many_embeddings_is_read_back(tmp_path: Path) -> None:
    post, path = bb.fit_many(tables(), seed=1, **FAST), tmp_path / "many.nc"
    bb.save_posterior(post, path)
    again = bb.load_posterior(path)
    assert again.attrs == post.attrs
    for read in (bb.rank_embeddings, embedding_differences, variance_shares):
        pd.testing.assert_frame_equal(read(again), read(post), rtol=1e-5)  # in single precision
    refused("is not a posterior that", bb.save_posterior, DataTree(), path)
    assert bb.load_posterior(path).attrs == post.attrs  # the file is unchanged
