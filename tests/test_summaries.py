"""Summaries, sensitivity, and predictive checks against NumPy and ArviZ; refusals."""

import json
from collections.abc import Callable
from itertools import chain, permutations, product

import numpy as np
import pandas as pd
import pytest
import xarray as xr
from builders import DOUBT, doubtful, grid, only_row, refused
from scipy.stats import expon, kstest, norm
from xarray import DataTree

import bayesbias as bb
from bayesbias import comparison, prior_sensitivity, sd_summary, summary
from bayesbias._core.intervals import hdi
from bayesbias.model.indexing import make_design
from bayesbias.model.prior_predictive import draw_prior
from bayesbias.posterior.diagnostics import SENSITIVE
from bayesbias.posterior.posterior_scores import posterior_scores
from bayesbias.posterior.predictive import p_unrelated, predictive_check
from bayesbias.posterior.summaries import compare_draws, is_exact, level_means
from bayesbias.records.naming import naming_of
from bayesbias.tables.cosines import attach_cosines
from bayesbias.tables.levels import at_level
from bayesbias.warnings import NoLikeness

CONNECTIONS = ["associated", "different", "neutral", "human"]


def test_words_have_their_draws_and_groups_the_average_of_their_words(crossed_posterior) -> None:
    frame, posterior = summary(crossed_posterior), crossed_posterior["posterior"]
    words = posterior["word_mean"].stack(sample=["chain", "draw"])
    means = words.transpose("sample", "protected_word", "connection").data  # he, son, she, hers
    overall = posterior["connection_mean"].stack(sample=["chain", "draw"]).transpose().data
    groups = means.reshape(-1, 2, 2, 4).mean(axis=2)
    for level, draws in (("overall", overall), ("group", groups), ("word", means)):
        rows, flat = at_level(frame, level), draws.reshape(len(draws), -1)
        np.testing.assert_allclose(rows["mean"], flat.mean(axis=0))
        np.testing.assert_allclose(rows["sd"], flat.std(axis=0, ddof=1))
        np.testing.assert_allclose(rows[["low", "high"]], hdi(flat, 0.89))
    she = frame[frame["protected_word"] == "she"]
    assert she["protected_group"].tolist() == ["woman"] * 4
    assert she["connection"].tolist() == CONNECTIONS


def test_groups_of_listed_words_are_the_average_of_their_words(toy_table: pd.DataFrame) -> None:
    levels, means = level_means(bb.fit(toy_table, draws=50, chains=1, seed=1), "listed")
    for group, rows in levels[levels["level"] == "word"].groupby("protected_group"):
        own = levels.index[(levels["level"] == "group") & (levels["protected_group"] == group)]
        np.testing.assert_allclose(means[:, own[0]], means[:, rows.index].mean(axis=1))
    lacking = (toy_table["protected_word"] == "he") & (toy_table["connection"] == "neutral")
    tree = bb.fit(toy_table[~lacking], draws=50, chains=1, seed=1)
    refused("'he' has no neutral rows", level_means, tree, "listed")


def test_ties_count_half_for_either_direction() -> None:
    found = compare_draws(np.array([[0.0, 0.0, -1.0], [0.0, 1.0, 0.0], [0.0, 1.0, -1.0]]), 0.89, 0)
    assert found["p_direction"].tolist() == pytest.approx([0.5, 5 / 6, 5 / 6])


def test_only_normal_models_have_exact_distributions(toy_table: pd.DataFrame) -> None:
    design, rng = make_design(toy_table), np.random.default_rng(1)
    found = {
        name: is_exact(draw_prior(design, bb.load_model(name).fitting(design), 5, rng))
        for name in ("by-group", "robust")
    }
    assert found == {"by-group": True, "robust": False}


def test_scales_and_priors_name_what_they_belong_to(crossed_posterior: DataTree) -> None:
    frame = sd_summary(crossed_posterior)
    of = {"connection_sd": CONNECTIONS, "attribute_sd": [""], "sigma": CONNECTIONS}
    assert frame.groupby("parameter")["of"].apply(list).to_dict() == of
    assert [*frame.index] == [*range(len(frame))]
    own = float(crossed_posterior["posterior"]["attribute_sd"].mean())
    assert only_row(frame, parameter="attribute_sd")["mean"] == pytest.approx(own)
    priors = prior_sensitivity(crossed_posterior)
    of_priors = of | {"connection_mean": CONNECTIONS, "contrast": ["overall"]}
    assert priors.groupby("parameter")["of"].apply(list).to_dict() == of_priors
    other = prior_sensitivity(crossed_posterior, ["word_mean", "attribute_effect"])
    assert other.loc[0, ["parameter", "of"]].tolist() == ["word_mean", "he, associated"]
    assert len(other) == 16 + 8


def test_connections_without_rows_are_not_made_up(toy_table: pd.DataFrame) -> None:
    some = toy_table[toy_table["connection"] != "neutral"]
    frame = summary(bb.fit(some, "paper", method="exact", draws=500, chains=1, seed=1))
    assert set(frame["connection"]) == {"associated", "different", "human"}
    assert not frame.isna().any(axis=None)


def test_scaled_are_the_models_priors_and_not_the_effects(crossed_posterior: DataTree) -> None:
    """Compare with ArviZ on densities computed with SciPy."""
    import arviz as az

    posterior = crossed_posterior["posterior"].to_dataset()
    tree = bb.add_groups(crossed_posterior, "log_likelihood")
    prior = norm(1, 0.3).logpdf(posterior["connection_mean"]).sum(axis=-1)
    for name in ("connection_sd", "sigma", "attribute_sd"):
        density = expon(scale=0.5).logpdf(posterior[name])
        prior = prior + (density.sum(axis=-1) if density.ndim > 2 else density)
    tree["log_prior"] = xr.Dataset({"all": (("chain", "draw"), prior)})
    frame = prior_sensitivity(crossed_posterior, draws=10**6).query("parameter == 'sigma'")
    for group in ("prior", "likelihood"):
        theirs = az.psense(tree, var_names=["sigma"], group=group)["sigma"]
        np.testing.assert_allclose(frame[group], theirs, rtol=1e-6)
    assert "log_prior" not in crossed_posterior.children


def test_the_fewest_draws_are_enough_for_many_chains(toy_table: pd.DataFrame) -> None:
    post = bb.fit(toy_table, "crossed", draws=8, chains=50, seed=1)
    for draws in (25, 100, 400):
        assert prior_sensitivity(post, draws=draws)[["prior", "likelihood"]].notna().all(axis=None)


def test_a_prior_beside_the_data_is_a_conflict_and_one_that_decides_is_strong() -> None:
    """The mean of 20 words is .85, with an sd of .02; a prior of 1.1 (.05) is far from it."""
    rng = np.random.default_rng(0)
    y = 0.85 + 0.1 * rng.standard_normal((20, 1)) + 0.05 * rng.standard_normal((20, 6))
    above, below, alone = (
        prior_sensitivity(
            bb.fit(grid(20, 6, y.ravel(), ("neutral",)), "paper", method="exact", seed=1, **given),
            ["connection_mean"],
        ).iloc[0]
        for given in (
            {"priors": {"connection_mean": {"mean": 1.1, "sd": 0.05}}},
            {"priors": {"connection_mean": {"mean": 0.6, "sd": 0.05}}},
            {"priors": {"connection_mean": {"mean": 0.85, "sd": 0.001}}},
        )
    )
    for beside in (above, below):
        assert beside["diagnosis"] == "prior-data conflict"
        # Precisions are 400 and about 2,000, so the median is more than three sds from the prior.
        assert beside["prior_tail"] < norm.cdf(-3)
    assert alone["diagnosis"] == "strong prior or weak data"
    assert alone["prior_tail"] == pytest.approx(0.5, abs=0.1)


def test_an_sd_that_few_words_leave_uncertain_is_no_conflict(toy_table: pd.DataFrame) -> None:
    """The prior of the sds expects what the data show."""
    with pytest.warns(NoLikeness):
        frame = prior_sensitivity(bb.fit(toy_table, seed=1)).set_index("parameter")
    assert (frame.loc[["level_sd"], ["prior", "likelihood"]] > SENSITIVE).all(axis=None)
    assert not (frame["diagnosis"] == "prior-data conflict").any()
    assert (frame["diagnosis"] == "").tolist() == (frame["prior"] < 0.05).tolist()
    assert frame.loc[["contrast"], "prior_tail"].isna().all()


def test_one_probability_is_enough_and_none_is_refused(crossed_posterior: DataTree) -> None:
    one, listed = (predictive_check(crossed_posterior, p, seed=1) for p in (0.5, [0.5]))
    pd.testing.assert_frame_equal(one, listed)
    for probabilities in ([], None, "0.5", [1.0], 50):
        refused("ci_probs", predictive_check, crossed_posterior, probabilities)


@pytest.mark.parametrize("kind", ["hdi", "eti"])
def test_a_model_that_fits_has_its_probability_inside(kind: str) -> None:
    """With 2,000 rows in one cell, the posterior barely matters."""
    y = 0.9 + 0.1 * np.random.default_rng(0).standard_normal(2000)
    post = bb.fit(grid(1, 2000, y, ("neutral",)), "paper", method="exact", seed=1, draws=500)
    frame = predictive_check(post, (0.5, 0.89), ci_kind=kind, n_draws=None, seed=0)
    frame = frame.set_index(["ci_prob", "connection"])
    for ci_prob in (0.5, 0.89):
        error = np.sqrt(ci_prob * (1 - ci_prob) / 2000)
        # Allow four joint standard errors of sampled rows and of interval ends from 2,000 draws.
        assert frame.loc[(ci_prob, "all"), "coverage"] == pytest.approx(ci_prob, abs=6 * error)


def test_counts_add_up_over_connections_and_come_from_the_seed(crossed_posterior: DataTree) -> None:
    frame = predictive_check(crossed_posterior, (0.5, 0.89))
    assert list(frame.columns) == ["ci_prob", "connection", "n_rows", "n_inside", "coverage"]
    for _, part in frame.groupby("ci_prob"):
        whole, parts = part.iloc[0], part.iloc[1:]
        assert whole["connection"] == "all"
        assert parts["n_rows"].sum() == whole["n_rows"] == 32
        assert parts["n_inside"].sum() == whole["n_inside"]
    np.testing.assert_allclose(frame["coverage"], frame["n_inside"] / frame["n_rows"])
    rows = predictive_check(crossed_posterior, (0.5, 0.89), by="row", seed=frame.attrs["seed"])
    assert rows.attrs == {name: frame.attrs[name] for name in ("ci_kind", "seed", "warnings")}
    assert rows.index.equals(pd.RangeIndex(2 * 32))
    inside = rows["distance"].between(rows["low"], rows["high"])
    found = inside.groupby([rows["ci_prob"], rows["connection"]]).sum()
    for row in frame[frame["connection"] != "all"].to_dict("records"):
        assert found[row["ci_prob"], row["connection"]] == row["n_inside"]
    again = predictive_check(crossed_posterior, (0.5, 0.89), seed=frame.attrs["seed"])
    pd.testing.assert_frame_equal(again, frame)
    assert frame.attrs["p_unrelated"] == {}  # the table has no cosines


def table_of(parts: list[np.ndarray]) -> pd.DataFrame:
    """Return a table of two groups, their sets, and maybe controls, with (n, dims) vectors each."""
    names = [[f"{part}{i}" for i in range(len(rows))] for part, rows in enumerate(parts)]
    vectors = dict(zip(chain.from_iterable(names), np.vstack(parts), strict=True))
    x, y, a, b, *controls = names
    wordlist = bb.WordList(
        "toy",
        {"p": x, "q": y},
        {"p": a, "q": b},
        {"human": [*chain(*controls)]} if controls else {},
    )
    return bb.distance_table(vectors, wordlist)


@pytest.mark.parametrize("copies", [1, 4])
def test_copies_of_a_word_count_once(copies: int) -> None:
    """Use near copies of three words; all words, and all attributes, are otherwise orthogonal."""
    rng, parts = np.random.default_rng(5), []
    for _ in range(2):
        axes = np.linalg.qr(rng.standard_normal((40, 6)))[0].T
        halves = np.repeat(axes, copies, axis=0).reshape(2, 3 * copies, 40)
        parts += list(halves + 1e-4 * rng.standard_normal(halves.shape))
    post = bb.fit(table_of(parts), seed=1, draws=50)
    frame = bb.effective_sizes(post)
    assert frame["n_words"].tolist() == [3 * copies] * 4
    np.testing.assert_allclose(frame["n_effective"], 3.0, rtol=1e-3)  # noise of 1e-4 per axis
    p = predictive_check(post, seed=1).attrs["p_unrelated"]
    assert set(p) == {"protected_word", "attribute"}


def test_groups_that_share_their_stereotypes_share_a_set() -> None:
    vectors = dict(zip("abcdefghi", np.random.default_rng(2).normal(size=(9, 5)), strict=True))
    groups = {"x": ["a", "b"], "y": ["c"], "z": ["d"]}
    sets = {"x": ["e", "f"], "y": ["e", "f"], "z": ["g", "h", "i"]}
    with pytest.warns(bb.warnings.WordsInTwoSets):
        table = bb.distance_table(vectors, words := {"groups": groups, "stereotypes": sets})
    frame = bb.effective_sizes(bb.fit(table, seed=1, draws=50)).set_index("name")
    names = naming_of(bb.load_wordlist(words)).of(table)
    assert names.set_keys == {"x": "x_stereotype", "y": "x_stereotype", "z": "z_stereotype"}
    assert names.by_key == {"x_stereotype": "x stereotypes", "z_stereotype": "z stereotypes"}
    assert frame.loc[[*names.by_key], "n_words"].tolist() == [2, 3]
    assert "y_stereotype" not in frame.index
    checked = bb.list_check(table)
    assert len(checked) == 4 + 5
    assert (checked["n_effective"] > 0).all()


def p_of(seed: int, *, strangers: bool) -> list[float]:
    """Return p for two clusters of three words, and for words with unrelated cosines."""
    rng = np.random.default_rng(seed)
    vectors = np.repeat(rng.standard_normal((8, 30)), 3, axis=0)
    vectors += 0.5 * rng.standard_normal((24, 30))
    table, rng = table_of(np.split(vectors, 4)), np.random.default_rng(seed)
    if strangers:
        words = [*table["protected_word"].unique(), *table["attribute"].unique()]
        unit = rng.standard_normal((len(words), 10))
        unit /= np.linalg.norm(unit, axis=1, keepdims=True)
        attach_cosines(table, words, unit @ unit.T)
    return list(p_unrelated(make_design(table), rng).values())


@pytest.mark.seconds
@pytest.mark.parametrize("lacking", ["nothing", "a cell", "all stereotypes"])
def test_p_of_leans_by_trying_all_orders(lacking: str) -> None:
    """Words of controls have likeness, too, but no leans; nor have words in missing cells."""
    rows = np.random.default_rng(4).standard_normal((17, 5))
    table = table_of(np.split(rows, [4, 7, 10, 14]))  # groups of 4 and 3, whose sums count alike
    if lacking != "nothing":
        lost = table["protected_word"].eq(table["protected_word"].iloc[0])
        lost &= table["connection"] != "human"
        if lacking == "a cell":
            lost &= table["attribute_set"].eq(table["attribute_set"].iloc[0])
        table = table[~lost].reset_index(drop=True)
    design = make_design(table)
    found = p_unrelated(design, np.random.default_rng(1))
    words = table.groupby("protected_group")["protected_word"].unique()
    table = table[table["connection"] != "human"]
    if lacking != "all stereotypes":
        assert p_unrelated(make_design(table), np.random.default_rng(1)) == found
    for unit, across, block in (
        ("protected_word", "attribute_set", "protected_group"),
        ("attribute", "protected_group", "attribute_set"),
    ):
        means = table.pivot_table("cosine_distance", unit, across, observed=True)
        leans = means.sub(means.mean(axis=1), axis=0)
        names = words if unit == "protected_word" else table.groupby(block)[unit].unique()
        like = pd.DataFrame(design.likeness_of(unit)[0], design.coords[unit], design.coords[unit])
        sums = []
        for order in product(*(permutations(own) for own in names)):
            sums.append(0.0)
            for own, moved in zip(names, order, strict=True):
                some = (leans.reindex(moved) - leans.reindex(own).mean()).fillna(0.0)
                pairs = like.loc[own, own].to_numpy() * (some @ some.T.to_numpy()).to_numpy()
                sums[-1] += pairs.sum() - pairs.trace()
        exact = np.mean(np.array(sums) >= sums[0] - 1e-12)
        sd = np.sqrt(exact * (1 - exact) / 1000)  # of 1,000 drawn orders
        assert found[unit] == pytest.approx(exact, abs=3 * sd)


def test_clusters_of_words_lean_alike() -> None:
    assert np.mean([p_of(seed, strangers=False) for seed in range(5)]) < 0.2


@pytest.mark.slow
def test_p_is_uniform_where_cosines_say_nothing() -> None:
    """Run a Kolmogorov-Smirnov test at 0.1% for each factor, on 200 tables."""
    p = np.array([p_of(seed, strangers=True) for seed in range(200)])
    assert all(kstest(column, "uniform").pvalue > 0.001 for column in p.T)


SCORES = (bb.summary, bb.sd_summary, bb.contrasts, bb.predictive_check, bb.prior_sensitivity)

Call = Callable[[DataTree], object]

FACET = {"man": "x", "woman": "y"}


def of_draws(post: DataTree, n: int) -> DataTree:
    """Return the first draws of each chain."""
    return post.isel(draw=slice(n), missing_dims="ignore")


ARGUMENTS: list[tuple[Call, str]] = [
    (lambda post: bb.summary(post, ci_prob=89), r"for 89%, pass 0\.89"),
    (lambda post: bb.predictive_check(post, (50,)), r"for 50%, pass 0\.5"),
    (lambda post: bb.contrasts(post, rope=-0.1), r"rope is a half-width, a distance in \[0, 2\]"),
    (lambda post: bb.contrasts(post, over="list"), "unknown value of over 'list'; did you mean"),
    (lambda post: bb.contrasts(post, named="hes"), "unknown protected word 'hes'"),
    (lambda post: bb.influence(post, second="humans"), "connection 'humans'; did you mean 'human'"),
    (lambda post: bb.influence(post, second="associated"), "first and second are both 'assoc"),
    (lambda post: bb.prior_sensitivity(post, ["word_means"]), "did you mean 'word_mean'"),
    (lambda post: bb.contrasts(post, between={}), "no facets; main"),
    (lambda post: bb.contrasts(post, between={"f": {"boy": "x"}}), "in facet f: 'boy'"),
    (lambda p: bb.contrasts(p, between={"f": {"man": "x"}, "g": {"woman": "y"}}), "has no label"),
    (lambda p: bb.contrasts(p, between={"f": FACET, "g": FACET}), "no group is labeled"),
    (lambda p: bb.contrasts(p, between={"f": {"man": "x", "woman": "x"}}), "two or more diff"),
    (lambda post: bb.contrasts(post, between=["groups"]), "unknown value of between"),
    (lambda post: bb.contrasts(post, named="he", between="groups"), "cannot be combined"),
    (lambda post: bb.contrasts(post, named="he", over="listed"), "cannot be combined"),
    (lambda post: bb.contrasts(post, rope=(-0.1, 0.1)), "rope is a half-width"),
    (lambda post: bb.contrasts(post, rope=2.1), "rope is a half-width"),
    (lambda post: bb.contrasts(post, ci_prob="89%"), "ci_prob must lie in"),
    (lambda post: bb.prior_sensitivity(post, draws=0), "draws must be a whole number, 25 or more"),
    (bb.hypothesis, "pass one or more statements"),
    (lambda post: bb.hypothesis(post, ["man < woman"]), "pass one or more statements"),
    (lambda post: bb.hypothesis(post, "associated - different"), "exactly one < or >, not 0"),
    (lambda post: bb.hypothesis(post, "associated < 0 < 1"), "use exactly one < or >, not 2"),
    (lambda post: bb.hypothesis(post, "assocated < 0"), "did you mean 'associated'"),
    (lambda post: bb.hypothesis(post, "mann: human < 0"), "connection 'mann'; did you mean 'man'"),
    (lambda post: bb.hypothesis(post, "human human < 1"), "'human' is not a number or a name"),
    (lambda post: bb.hypothesis(post, "associated + associated < neutral + human"), "not 3"),
    (bb.effective_sizes, "has no cosines"),
    (comparison.changes, r"pass one from bb.fit_change"),
    (bb.rank_embeddings, "not a posterior of many embeddings"),
    (lambda post: bb.contrasts(post.sel(protected_word=["he"]), over="listed"), "labels of prot"),
    (lambda post: bb.summary(post.sel(protected_group=["woman"])), "labels of protected_group"),
    (lambda post: bb.predictive_check(post.isel(connection=[1, 0, 2, 3])), "labels of connection"),
    (lambda post: bb.summary(post["posterior"]), "no group 'posterior'; pass the whole"),
    (lambda post: bb.contrasts(post.drop_nodes("observed_data")), "no group 'observed_data'"),
    (lambda post: bb.summary(post.isel(draw=slice(0, 0))), "no values along draw"),
    (lambda post: bb.prior_sensitivity(of_draws(post, 6)), "25 in total; got 6 per chain and 12"),
    (lambda post: bb.compare_models(dict.fromkeys("ab", of_draws(post, 6))), "25 in total; got 6"),
    (lambda post: bb.compare_models(dict.fromkeys("ab", of_draws(post, 3))), "got 3 per chain"),
    (lambda post: bb.summary(post.sel(protected_word="he")), r"sel\(protected_word=\['he'\]\)"),
]


def test_bad_arguments_and_selected_posteriors_are_named(crossed_posterior: DataTree) -> None:
    for call, fragment in ARGUMENTS:
        refused(fragment, call, crossed_posterior)


def test_posteriors_of_too_few_connections_are_refused(toy_table: pd.DataFrame) -> None:
    def post(*connections: str) -> DataTree:
        rows = toy_table[toy_table["connection"].isin(connections)]
        return bb.fit(rows, "paper", method="exact", draws=500, chains=1, seed=1)

    for read in (bb.contrasts, bb.predict_words):
        refused("has only the connection different", read, post("different"))
    refused("need associated or different", bb.posterior_scores, post("neutral", "human"))


def test_what_cannot_be_compared_is_refused(crossed_posterior, toy_table) -> None:
    paper, robust = (bb.fit(toy_table, "paper", draws=50, seed=1) for _ in range(2))
    two = {"paper": paper, "crossed": bb.fit(toy_table, "crossed", draws=50, seed=1)}
    robust.attrs["spec"] = json.dumps(bb.load_model("robust").to_dict())
    for given, leave_out, fragment in (
        ({"paper": paper, "b": DataTree()}, "row", "'paper' and 'b' must be fitted to one"),
        ({"a": DataTree(), "b": DataTree()}, "row", "'a' and 'b' must be .*table_hash"),
        ({"paper": paper}, "row", "two or more posteriors; got 1"),
        (two, "word", "unknown value of leave_out 'word'"),
        (two | {"robust": robust}, "attribute", "'robust' has a student_t likelihood"),
        (two, "attribute", "cannot leave out attributes of .* only one: human"),
    ):
        refused(fragment, bb.compare_models, given, leave_out)
    refused("keyed by name", bb.compare_models, [crossed_posterior], error=TypeError)


def test_doubts_travel_with_every_frame(crossed_posterior: DataTree) -> None:
    for read in (*SCORES, posterior_scores):
        with pytest.warns(bb.SamplingWarning) as caught:
            assert read(doubtful(crossed_posterior)).attrs["warnings"] == [str(DOUBT)]
        assert caught[0].message == DOUBT
        assert caught[0].filename == __file__
