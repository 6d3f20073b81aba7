"""The model of preferences: its shares and differences against what was planted, and bad input."""

import numpy as np
import pandas as pd
import pytest
from builders import refused
from scipy.stats import binom
from xarray import DataTree

import bayesbias as bb
from bayesbias.maskedlm import (
    fit_pairs,
    model_contrasts,
    model_ranks,
    observed_shares,
    pair_scales,
    pair_summary,
    preferences,
)
from bayesbias.maskedlm.shares import word_shares


def preferred(
    models: tuple[str, ...] = ("one",), n_clusters: int = 40, size: int = 3, seed: int = 1
) -> pd.DataFrame:
    """Pairs of two types in clusters, which language models mostly agree on."""
    rng = np.random.default_rng(seed)
    cluster = np.repeat(np.arange(n_clusters), size)
    types = np.array(["age", "race"])[cluster % 2]
    mean = np.where(types == "age", 0.5, -0.3) + rng.standard_normal(n_clusters)[cluster]
    tokens = rng.integers(-1, 2, len(cluster))
    pairs = pd.DataFrame({"pair_id": np.arange(len(cluster)).astype(str), "bias_type": types})
    pairs["direction"] = np.where(cluster % 5 == 0, "antistereo", "stereo")
    pairs = pairs.assign(measure="pll", cluster=cluster.astype(str), token_difference=tokens)
    frames = []
    for shift, name in enumerate(models):
        difference = mean + 0.6 * shift - tokens + rng.standard_normal(len(cluster))
        frames.append(pairs.assign(model=name, difference=difference))
    return pd.concat(frames, ignore_index=True)


BOTH = ("one", "other")


def shares_of(tree: DataTree, quantity: str = "p_stereotypical") -> pd.DataFrame:
    frame = pair_summary(tree)
    frame = frame[(frame["quantity"] == quantity) & (frame["level"] != "population")]
    return frame.set_index(["bias_type", "model"])


def test_shares_and_their_differences_follow_what_was_observed() -> None:
    paired = preferred(BOTH)
    tree = fit_pairs(paired, seed=1, chains=2)
    found, won = shares_of(tree), paired["difference"] > 0
    for key, share in won.groupby([paired["bias_type"], paired["model"]]).mean().items():
        # Types of 20 clusters are drawn toward each other by less than a posterior sd.
        assert abs(found["mean"][key] - share) < found["sd"][key]
    overall = won.groupby(paired["model"]).mean()
    # Shrinkage of slopes and clusters moves the mean of all pairs hardly.
    np.testing.assert_allclose(found["mean"][""][overall.index], overall, atol=0.02)
    row = model_contrasts(tree).query("level == 'overall'").iloc[0]
    assert (row["first"], row["second"]) == BOTH
    assert row["mean"] == pytest.approx(overall["one"] - overall["other"], abs=0.02)
    assert row["sd"] < 0.9 * np.hypot(*found["sd"][""])  # pairs and clusters cancel
    ranks = model_ranks(tree).query("rank == 1 and level == 'overall'").iloc[:2]
    assert ranks["probability"].sum() == pytest.approx(1.0)
    scales = pair_scales(tree).set_index(["parameter", "model"])
    assert scales.loc[("slope of token_difference", "one"), "high"] < 0
    assert {"type_sd", "cluster_sd", "sigma"} <= set(scales.index.get_level_values(0))


def test_an_interval_is_that_of_means_of_clusters_where_these_are_many() -> None:
    """Against the sampling variance of a mean of clusters of one size, which has a closed form."""
    paired = preferred(n_clusters=300, size=4)
    paired = paired.assign(bias_type="age").drop(columns=["token_difference", "direction"])
    found = shares_of(fit_pairs(paired, seed=1, chains=2)).loc[("age", "one")]
    of_clusters = (paired["difference"] > 0).groupby(paired["cluster"]).mean()
    assert found["mean"] == pytest.approx(of_clusters.mean(), abs=0.005)  # 2,000 draws of sd .02
    # Estimates of two variances from 300 clusters: five percent each.
    assert found["sd"] == pytest.approx(of_clusters.std() / np.sqrt(300), rel=0.15)


def test_posteriors_do_not_depend_on_the_scale_of_scores_nor_on_the_order_of_models() -> None:
    paired, options = preferred(BOTH, n_clusters=12), {"draws": 50, "seed": 4}
    one = fit_pairs(paired, **options)
    ten = fit_pairs(paired.assign(difference=10 * paired["difference"]), **options)
    assert one["posterior"].equals(ten["posterior"])
    turned = fit_pairs(paired.sort_values("model", ascending=False), **options | {"draws": 500})
    means = turned["posterior"]["overall_share"].mean(("chain", "draw"))
    expected = one["posterior"]["overall_share"].mean(("chain", "draw"))
    # Fifty draws of four chains, of sds of .1.
    np.testing.assert_allclose(means.sel(language_model=[*BOTH]), expected, atol=0.04)


def test_ties_count_half_and_columns_and_pairs_may_be_absent() -> None:
    paired = preferred(n_clusters=4).drop(columns=["cluster", "direction", "token_difference"])
    data = preferences(paired.assign(difference=0.0))
    assert (data.y == 0.5).all()
    assert data.design.covariates == ()
    assert data.design.attributes == tuple(paired["pair_id"])
    same = preferences(preferred().assign(direction="stereo"))
    assert same.design.covariates == ("token_difference",)
    two = preferred(BOTH)
    two.loc[two["model"] == "other", "token_difference"] *= np.resize([1, 2], len(two) // 2)
    names = preferences(two).design.covariates[:2]
    assert names == ("token_difference, one", "token_difference, other")
    assert preferences(two.iloc[3:]).n_left_out == 3
    with pytest.warns(UserWarning, match="3 pair\\(s\\) are left out"):
        fit_pairs(two.iloc[3:], seed=1, draws=10)


def test_the_model_has_a_form_in_pymc() -> None:
    data = preferences(preferred())
    model = bb.build_model(data.design_of(data.y[:, 0], "one"), "pairs-signs")
    names = {variable.name for variable in model.free_RVs}
    assert {"word_mean", "cluster_effect", "slope", "cluster_sd", "sigma"} <= names


NUMBERS = "needs finite numbers in difference and token_difference"


@pytest.mark.parametrize(
    ("change", "options", "match"),
    [
        ({}, {"model": "maximal"}, "'maximal' is for distances"),
        ({"difference": np.nan}, {}, "row 0, pair '0' .*, needs finite numbers in difference"),
        ({"token_difference": np.inf}, {}, NUMBERS),
        (lambda f: {"cluster": f.index.astype(str)}, {}, "pair '0' .*, is in two clusters"),
        (lambda f: {"pair_id": f.index.astype(str)}, {}, "the language models share no pair"),
        (lambda f: {"pair_id": "0"}, {}, "pair '0' .*, occurs twice under this model"),
        ({"bias_type": " "}, {}, "row 0, pair '0' .*, has an empty bias_type"),
        ({"difference": 1.0}, {}, "so no interval can be learned"),
        ({}, {"measure": "sss"}, "unknown measure 'sss'"),
        ({}, {"priors": {"nu": {"rate": 1.0}}}, "unknown parameter 'nu'"),
    ],
)
def test_preferences_that_cannot_be_modelled(change, options, match: str) -> None:
    paired = preferred(BOTH, n_clusters=4)
    changed = change(paired) if callable(change) else change
    refused(match, fit_pairs, paired.assign(**changed), **options)


def test_observed_shares_of_single_pairs_are_binomial_and_name_the_largest_cluster() -> None:
    paired = preferred(n_clusters=200, size=1)
    row = observed_shares(paired, 0.89, n_resamples=20_000, seed=1).iloc[0]
    assert row["share"] == (paired["difference"] > 0).mean()
    assert (row["bias_type"], row["n_clusters"]) == ("all", 200)
    # Quantiles of a discrete distribution: one pair more or less.
    expected = binom.ppf([0.055, 0.945], 200, row["share"]) / 200
    np.testing.assert_allclose(row[["low", "high"]].to_list(), expected, atol=1.01 / 200)
    together = observed_shares(paired.assign(cluster="all"), 0.89, seed=1)
    assert (together["low"] == together["high"]).all()
    paired = preferred(n_clusters=8, size=3)
    paired.loc[paired["bias_type"] == "age", "cluster"] = ["gay / straight"] * 7 + ["0"] * 5
    frame = observed_shares(paired, seed=1).set_index("bias_type")
    assert frame["largest_cluster"]["age"] == frame["largest_cluster"]["all"] == "gay / straight"
    assert frame["largest_share"].to_dict() == {"all": 7 / 24, "age": 7 / 12, "race": 3 / 12}


def test_contrasts_that_share_words_go_together_and_make_a_share_less_sure() -> None:
    names = ["black / white", "poor / white", "/ poor", "age"]
    shared = word_shares(names, np.array([2, 1, 1, 1]))
    # Pairs with black, white, poor: 2, 3, 2.
    expected = np.eye(4)
    expected[0, 1] = expected[1, 0] = 9 / np.sqrt((4 + 9) * (9 + 4))
    expected[1, 2] = expected[2, 1] = 2 / np.sqrt(9 + 4)
    np.testing.assert_allclose((shared @ shared.T).toarray(), expected, atol=1e-12)
    paired = preferred(n_clusters=30, size=2)
    early = paired["cluster"].astype(int) < 15
    paired["difference"] = np.where(early, 1.0, -1.0)
    paired.loc[::7, "difference"] *= -1
    with_words = paired["cluster"] + " / " + np.where(early, "white", "rich")
    apart, together = (
        shares_of(fit_pairs(paired.assign(cluster=names), seed=1, draws=500))["sd"][""]
        for names in (paired["cluster"], with_words)
    )
    assert (together > 1.5 * apart).all()


def test_shares_at_equal_length_take_the_tokens_away() -> None:
    """The stereotypical sentence is always the longer one, and the shorter one always wins."""
    paired = preferred(n_clusters=80, size=2)
    rng = np.random.default_rng(2)
    tokens = rng.integers(0, 2, len(paired))
    noise = rng.permutation(np.resize([1.0, -1.0], len(paired)))
    paired = paired.assign(token_difference=tokens, difference=np.where(tokens, -9.0, noise))
    tree = fit_pairs(paired, seed=1, draws=500)
    assert shares_of(tree)["high"].loc[("", "one")] < 0.4
    equal = shares_of(tree, "p_equal_length").loc[("", "one")]
    assert equal["low"] < 0.5 < equal["high"]
