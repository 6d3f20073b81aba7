"""The model of preferences: its sampler against quadrature and NUTS, its shares, bad input."""

import warnings

import numpy as np
import pandas as pd
import pytest
from builders import refused
from scipy.special import log_ndtr, logsumexp
from scipy.stats import binom, gamma, norm, spearmanr
from xarray import DataTree

from bayesbias.maskedlm import (
    fit_pairs,
    model_contrasts,
    null_rates,
    observed_shares,
    pair_scales,
    pair_summary,
    word_contrast,
)
from bayesbias.maskedlm.sign_design import sign_design
from bayesbias.model.tree import stacked
from bayesbias.sampling.options import FitOptions

FAST = {"draws": 500, "tune": 100, "chains": 2}


def preferred(
    seed: int = 1, models: tuple[str, ...] = ("one",), n_clusters: int = 40, size: int = 3
) -> pd.DataFrame:
    """Pairs of two types in clusters, which language models mostly agree on."""
    rng = np.random.default_rng(seed)
    cluster = np.repeat(np.arange(n_clusters), size)
    types = np.array(["age", "race"])[cluster % 2]
    mean = np.where(types == "age", 0.5, -0.3) + rng.standard_normal(n_clusters)[cluster]
    tokens = rng.integers(-1, 2, len(cluster))
    frames = []
    for shift, name in enumerate(models):
        difference = mean + 0.6 * shift - tokens + rng.standard_normal(len(cluster))
        named = {
            "model": name,
            "measure": "pll",
            "pair_id": np.arange(len(cluster)).astype(str),
            "bias_type": types,
            "direction": np.where(cluster % 5 == 0, "antistereo", "stereo"),
            "cluster": cluster.astype(str),
            "difference": difference,
            "token_difference": tokens,
        }
        frames.append(pd.DataFrame(named))
    return pd.concat(frames, ignore_index=True)


@pytest.fixture(scope="module")
def both() -> DataTree:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # few draws
        return fit_pairs(preferred(models=("one", "other")), seed=1, **FAST)


def test_one_cluster_effect_agrees_with_quadrature() -> None:
    """One type, no covariates: the mean and the sd of clusters, on a grid, effects by quadrature.

    The mean is that of a language model, Normal(0, 1), and the type's deviation, Normal(0, t) with
    t ~ Gamma(2, 5): their sum is a mixture of Normals over t.
    """
    paired = preferred(n_clusters=60).assign(bias_type="age")
    paired = paired.drop(columns=["token_difference", "direction"])
    tree = fit_pairs(paired, seed=3, draws=2000, tune=100, chains=2)
    above = (paired["difference"] > 0).groupby(paired["cluster"]).sum().to_numpy()
    n = paired.groupby("cluster").size().to_numpy()
    theta, sd = np.linspace(-2.5, 3.5, 121), np.linspace(0.01, 5, 100)
    node, weight = np.polynomial.hermite_e.hermegauss(41)
    eta = theta[:, None, None] + sd[:, None] * node
    inside = above[:, None, None, None] * log_ndtr(eta)
    inside = inside + (n - above)[:, None, None, None] * log_ndtr(-eta)
    log_likelihood = logsumexp(inside, axis=3, b=weight / weight.sum()).sum(axis=0)
    t = np.linspace(0.001, 3, 600)
    prior = norm.pdf(theta[:, None], 0, np.sqrt(1 + t**2)) @ gamma.pdf(t, 2, scale=1 / 5)
    log_posterior = log_likelihood + np.log(prior)[:, None] + norm.logpdf(sd)
    grid = np.exp(log_posterior - log_posterior.max())
    grid /= grid.sum()
    for name, values, marginal in (
        ("type_mean", theta, grid.sum(axis=1)),
        ("cluster_sd", sd, grid.sum(axis=0)),
    ):
        mean = values @ marginal
        spread = np.sqrt(values**2 @ marginal - mean**2)
        found = stacked(tree, name).ravel()
        # 4,000 draws worth some 300: four errors of a mean, in posterior sds, and of an sd.
        assert found.mean() == pytest.approx(mean, abs=4 * spread / np.sqrt(300))
        assert found.std() == pytest.approx(spread, rel=4 / np.sqrt(2 * 300))


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")
def test_two_models_agree_with_nuts() -> None:
    """All terms at once, against the same model written out in PyMC."""
    import pymc as pm

    paired = preferred(models=("one", "other"), n_clusters=60)
    tree = fit_pairs(paired, seed=1, draws=3000, tune=500, chains=2)
    design = sign_design(paired)
    t, m = design.bias_type, design.language_model
    with pm.Model():
        mean = pm.Normal("mean", 0, 1, shape=2)
        type_sd = pm.HalfNormal("type_sd", 0.5, shape=2)
        shared_type_sd = pm.Gamma("shared_type_sd", 2, 5)
        cluster_sd = pm.HalfNormal("cluster_sd", 1, shape=2)
        shared_cluster_sd = pm.HalfNormal("shared_cluster_sd", 1)
        pair_sd = pm.HalfNormal("pair_sd", 1)
        slope = pm.Normal("slope", 0, 2, shape=(2, 2))
        own = pm.Normal("own", shape=(2, 2)) * type_sd
        of_types = pm.Normal("types", shape=2) * shared_type_sd
        clusters = pm.Normal("clusters", shape=(60, 2)) * cluster_sd
        of_clusters = pm.Normal("shared", shape=60) * shared_cluster_sd
        of_pairs = pm.Normal("pairs", shape=180) * pair_sd
        eta = mean[m] + own[t, m] + of_types[t] + (design.x * slope[:, m].T).sum(axis=1)
        c = design.cluster
        eta = eta + clusters[c, m] + of_clusters[c] + of_pairs[design.pair]
        log_p = pm.logcdf(pm.Normal.dist(), (2 * design.positive - 1) * eta)
        pm.Potential("likelihood", log_p.sum())
        reference = pm.sample(
            1500, tune=1000, chains=2, random_seed=[1, 2], target_accept=0.95, progressbar=False
        )
    for name in ("mean", "slope", "cluster_sd", "shared_cluster_sd", "pair_sd", "type_sd"):
        expected, found = stacked(reference, name), stacked(tree, name)
        # Both are worth some 300 draws: four errors of a difference of means.
        error = 4 * np.sqrt(2 / 300) * expected.std(axis=0)
        assert (np.abs(found.mean(axis=0) - expected.mean(axis=0)) < error).all(), name


def test_shares_follow_what_was_observed(both: DataTree) -> None:
    paired = preferred(models=("one", "other"))
    frame = pair_summary(both)
    assert list(frame.columns[:4]) == ["level", "bias_type", "quantity", "model"]
    frame = frame[frame["quantity"] == "p_stereotypical"]
    found = frame[frame["level"] == "bias_type"].set_index(["model", "bias_type"])
    observed = (paired["difference"] > 0).groupby([paired["model"], paired["bias_type"]]).mean()
    for key, share in observed.items():
        # Types of 20 clusters are drawn towards each other by less than a posterior sd.
        assert abs(found["mean"][key] - share) < found["sd"][key]
    sizes = paired.groupby(["bias_type", "model"]).size().unstack().to_numpy()
    assert sizes.min() == sizes.max()
    overall = frame[frame["level"] == "overall"]["mean"].to_numpy()
    by_type = found["mean"].unstack("model").mean().to_numpy()
    np.testing.assert_allclose(overall, by_type, atol=0.01)  # weights are drawn for each


def test_pairs_and_clusters_cancel_between_models(both: DataTree) -> None:
    contrasts = model_contrasts(both)
    row = contrasts[contrasts["level"] == "overall"].iloc[0]  # of p_stereotypical
    assert (row["first"], row["second"]) == ("one", "other")
    assert row["high"] < 0
    alone = pair_summary(both)
    alone = alone[alone["quantity"] == row["quantity"]]
    assert row["sd"] < 0.9 * np.hypot(*alone[alone["level"] == "overall"]["sd"])


def test_scales_have_every_spread_and_slope(both: DataTree) -> None:
    frame = pair_scales(both).set_index(["parameter", "model"])
    assert frame.loc[("slope of token_difference", "one"), "high"] < 0
    names = set(frame.index.get_level_values(0))
    assert names >= {"type_sd", "shared_type_sd", "cluster_sd", "shared_cluster_sd", "pair_sd"}


def test_equal_seeds_give_equal_posteriors_whatever_the_scale_of_scores() -> None:
    paired = preferred(n_clusters=12)
    options = {"draws": 20, "tune": 5, "chains": 2, "seed": 4}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        one = fit_pairs(paired, **options)
        other = fit_pairs(paired.assign(difference=10 * paired["difference"]), **options)
    assert one["posterior"].equals(other["posterior"])
    assert one["posterior"]["share"].dims == ("chain", "draw", "bias_type", "language_model")


def test_ties_count_half_and_columns_may_be_absent() -> None:
    paired = preferred(n_clusters=4).drop(columns=["cluster", "direction", "token_difference"])
    design = sign_design(paired.assign(difference=0.0))
    assert design.positive.mean() == 0.5
    assert design.covariates == ()
    assert design.clusters == design.pairs
    same = sign_design(preferred().assign(direction="stereo"))
    assert same.covariates == ("token_difference",)


@pytest.mark.parametrize(
    ("change", "options", "match"),
    [
        ({}, {"method": "nuts"}, "a Gibbs sampler of its own: leave method at 'auto'"),
        ({}, {"model": "maximal"}, "'maximal' is for distances"),
        ({"difference": np.nan}, {}, "difference must be finite; got nan in row 0"),
        ({"token_difference": np.inf}, {}, "token_difference must be finite; got inf in row 0"),
        (lambda f: {"cluster": f.index.astype(str)}, {}, "pair '0' is in two clusters"),
        ({}, {"priors": {"sigma": {"rate": 1.0}}}, "unknown parameter 'sigma'"),
    ],
)
def test_preferences_that_cannot_be_modelled(change, options, match: str) -> None:
    paired = preferred(n_clusters=4, models=("one", "other"))
    changed = change(paired) if callable(change) else change
    refused(match, fit_pairs, paired.assign(**changed), **options)


def test_observed_shares_of_single_pairs_are_binomial() -> None:
    paired = preferred(n_clusters=200, size=1)
    frame = observed_shares(paired, 0.89, n_resamples=20_000, seed=1)
    row = frame[frame["bias_type"] == "all"].iloc[0]
    share = (paired["difference"] > 0).mean()
    low, high = binom.ppf([0.055, 0.945], 200, share) / 200
    assert row["share"] == share
    assert row["n_clusters"] == 200
    # Quantiles of a discrete distribution: one pair more or less.
    assert row["low"] == pytest.approx(low, abs=1.01 / 200)
    assert row["high"] == pytest.approx(high, abs=1.01 / 200)
    together = observed_shares(paired.assign(cluster="all"), 0.89, seed=1)
    assert (together["low"] == together["high"]).all()


def test_observed_shares_name_the_largest_cluster() -> None:
    paired = preferred(n_clusters=8, size=3)
    paired.loc[paired["bias_type"] == "age", "cluster"] = ["gay / straight"] * 7 + ["0"] * 5
    frame = observed_shares(paired, seed=1).set_index("bias_type")
    assert frame["largest_cluster"]["age"] == frame["largest_cluster"]["all"] == "gay / straight"
    assert frame["largest_share"]["age"] == 7 / 12
    assert frame["largest_share"]["all"] == 7 / 24
    assert frame["largest_share"]["race"] == 3 / 12


def test_a_contrast_is_the_same_whichever_sentence_comes_first() -> None:
    first, second = "Most Black kids don't learn.", "Most white kids don't learn!"
    assert word_contrast(first, second) == word_contrast(second, first) == "black / white"
    assert word_contrast("He told her.", "Her he told.") == "he her told / he her told"
    assert word_contrast("A man.", "A rich man.") == " / rich"


def test_contrasts_that_share_words_are_weighted_together() -> None:
    """Against the rank correlation of Gaussian copulas, 6 / pi asin(rho / 2) (Kruskal, 1958)."""
    clusters = np.repeat(["black / white", "poor / white", "/ poor", "age"], [2, 1, 1, 1])
    paired = preferred(n_clusters=5, size=1).assign(cluster=clusters, bias_type="all")
    design = sign_design(paired)
    drawn = design.weights.draw(np.random.default_rng(1), 4000)
    # Pairs with black, white, poor: 2, 3, 2.
    white = 9 / np.sqrt((4 + 9) * (9 + 4))
    poor = 2 / np.sqrt(9 + 4)
    expected = np.eye(4)
    expected[0, 1] = expected[1, 0] = 6 / np.pi * np.arcsin(white / 2)
    expected[1, 2] = expected[2, 1] = 6 / np.pi * np.arcsin(poor / 2)
    found = spearmanr(drawn).statistic
    np.testing.assert_allclose(found, expected, atol=4 / np.sqrt(4000))  # four errors
    like = np.array([2 + white, 1 + 2 * white + poor, 1 + poor, 1]) / 5  # pairs of five
    shape = np.maximum(1 - like, 0.5) ** 2
    # Four errors of means, whose sds are at most 2; heavy tails for the sds.
    np.testing.assert_allclose(drawn.mean(axis=0), 1, atol=4 * 2 / np.sqrt(4000))
    np.testing.assert_allclose(drawn.std(axis=0), 1 / np.sqrt(shape), rtol=0.1)


def test_a_share_is_less_sure_where_all_contrasts_share_a_word() -> None:
    paired = preferred(n_clusters=30, size=1)
    paired["difference"] = np.where(paired["cluster"].astype(int) < 15, 1.0, -1.0)
    other = np.where(paired["cluster"].astype(int) < 15, "white", "rich")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # few draws
        apart, together = (
            pair_summary(
                fit_pairs(paired.assign(cluster=names), seed=1, draws=300, tune=50, chains=1)
            )
            for names in (paired["cluster"], paired["cluster"] + " / " + other)
        )
    row = apart["level"] == "overall"
    assert (together[row]["sd"] > 1.5 * apart[row]["sd"]).all()


def test_null_rates_count_intervals_that_exclude_one_half() -> None:
    """Two models without a preference, and one that prefers every stereotype."""
    paired = preferred(models=("a", "b", "biased"), n_clusters=60, size=1)
    rng = np.random.default_rng(1)
    paired["difference"] = rng.permutation(np.tile([1.0, -1.0], 90))
    paired.loc[paired["model"] == "biased", "difference"] = 1.0
    frame = null_rates(paired, options=FitOptions(draws=200, tune=50, chains=1, seed=1))
    row = frame[(frame["quantity"] == "p_stereotypical") & (frame["bias_type"] == "all")].iloc[0]
    assert row["n_models"] == 3
    assert row["n_excluding"] == 1
    assert set(frame["quantity"]) == {"p_stereotypical", "p_equal_length"}
    assert set(frame["bias_type"]) == {"all", "age", "race"}


def test_shares_at_equal_length_take_the_tokens_away() -> None:
    """The stereotypical sentence is always the longer one, and the shorter one always wins."""
    paired = preferred(n_clusters=80, size=2)
    rng = np.random.default_rng(2)
    tokens = rng.integers(0, 2, len(paired))
    noise = rng.permutation(np.resize([1.0, -1.0], len(paired)))
    paired = paired.assign(token_difference=tokens, difference=np.where(tokens, -9.0, noise))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        frame = pair_summary(fit_pairs(paired, seed=1, **FAST))
    overall = frame[frame["level"] == "overall"].set_index("quantity")
    assert overall.loc["p_stereotypical", "high"] < 0.4
    assert overall.loc["p_equal_length", "low"] < 0.5 < overall.loc["p_equal_length", "high"]
