"""The Bayesian view of paired scores: recovery, coverage, closed forms, bad input."""

from functools import partial

import numpy as np
import pandas as pd
import pytest
from builders import refused
from scipy.integrate import quad
from scipy.stats import norm
from scipy.stats import t as student
from xarray import DataTree

from bayesbias.maskedlm import (
    fit_pairs,
    model_contrasts,
    pair_check,
    pair_design,
    pair_scales,
    pair_summary,
    preference_check,
)
from bayesbias.maskedlm.bayes import model_scales, spec_for, spec_in_units
from bayesbias.maskedlm.pairs_posterior import (
    _Residuals,
    _weights,
    levels,
    predict_new_pairs,
    scales_of,
)
from bayesbias.model.spec import load_model
from bayesbias.model.tree import spec_of, stacked

fit_means = partial(fit_pairs, model="pll")
"""The Normal model of mean differences."""

TYPES = {"age": 1.5, "gender": 0.5, "race": -1.0, "religion": 0.0}
"""True mean differences of the made pairs."""

PAIR_SD, RESIDUAL_SD = 3.0, 2.0


def made(
    seed: int = 1,
    n_pairs: int = 60,
    models: dict[str, float] | None = None,
    df: float | None = None,
) -> pd.DataFrame:
    """Pairs of four types under models that are shifted by so much."""
    rng = np.random.default_rng(seed)
    types = np.repeat(list(TYPES), n_pairs)
    own = PAIR_SD * rng.standard_normal(len(types))
    frames = []
    for name, shift in (models or {"one": 0.0}).items():
        noise = rng.standard_t(df, len(types)) if df else rng.standard_normal(len(types))
        mean = np.array([TYPES[each] for each in types]) + shift
        frames.append(scored(name, types, mean + own + RESIDUAL_SD * noise))
    return pd.concat(frames, ignore_index=True)


def scored(model: str, types: np.ndarray, differences: np.ndarray) -> pd.DataFrame:
    ids = np.arange(len(types)).astype(str)
    named = {"model": model, "measure": "pll", "pair_id": ids, "bias_type": types}
    return pd.DataFrame(named).assign(difference=differences, n_scored=12.0)


def at(frame: pd.DataFrame, level: str, quantity: str) -> pd.DataFrame:
    return frame[(frame["level"] == level) & (frame["quantity"] == quantity)]


@pytest.fixture(scope="module")
def alone() -> DataTree:
    return fit_means(made(), seed=1)


@pytest.fixture(scope="module")
def both() -> DataTree:
    return fit_means(made(models={"one": 0.0, "other": 1.0}), seed=1)


def test_one_model_has_no_pair_effects_and_is_exact_and_repeatable(alone: DataTree) -> None:
    assert [term.name for term in spec_of(alone).terms] == ["word_mean"]
    assert "attribute_sd" not in alone["posterior"]
    assert alone.attrs["method"] == "exact"
    assert (alone.attrs["measure"], alone.attrs["unit"]) == ("pll", 1.0)
    assert fit_means(made(), seed=1).identical(alone)
    spread = stacked(alone, "sigma").mean()
    assert spread == pytest.approx(np.hypot(PAIR_SD, RESIDUAL_SD), rel=4 / np.sqrt(480))  # 4 errors


def test_pair_effects_are_shared_by_models(both: DataTree) -> None:
    frame = pair_scales(both).set_index(["parameter", "model"])["mean"]
    errors = 4 / np.sqrt(2 * 240)  # four standard errors of an sd from 240 pairs
    assert frame["pair_sd", ""] == pytest.approx(PAIR_SD, rel=errors)
    residual = pair_scales(both).set_index(["parameter", "bias_type"])["mean"]["residual_sd"]
    assert list(residual.index) == list(TYPES)
    # Two rows a pair tell what they do not share: four errors of an sd of 60 of these.
    np.testing.assert_allclose(residual, RESIDUAL_SD, rtol=2 * errors)
    kept = {"type_sd", "shared_type_sd", "pair_sd", "residual_sd"}
    assert set(frame.index.get_level_values(0)) == kept


def test_summary_has_every_level_and_model(both: DataTree) -> None:
    frame = pair_summary(both)
    assert list(frame.columns[:4]) == ["level", "bias_type", "quantity", "model"]
    assert len(frame) == (2 + len(TYPES)) * 3 * 2
    assert frame.attrs["warnings"] == []
    mean = frame[frame["quantity"] == "mean_difference"].set_index(["bias_type", "model"])["mean"]
    for name, value in TYPES.items():
        # Four standard errors of a mean of 60 pairs, sd 3.6.
        assert mean[name, "one"] == pytest.approx(value, abs=4 * 3.6 / np.sqrt(60))


def test_p_stereotypical_is_phi_of_the_standardised_mean(alone: DataTree) -> None:
    frame = pair_summary(alone)
    means = stacked(alone, "word_mean")[:, :, 0]
    sigma = stacked(alone, "sigma")
    by_hand = norm.cdf(means / sigma)
    shown = at(frame, "bias_type", "p_stereotypical")
    np.testing.assert_allclose(shown["mean"], by_hand.mean(axis=0), rtol=1e-12)
    overall = at(frame, "overall", "p_stereotypical")
    # Types of equal size; of 60 pairs, their weights have an sd of a tenth.
    assert overall["mean"].item() == pytest.approx(by_hand.mean(), abs=1e-3)
    centre = stacked(alone, "connection_mean")[:, 0]
    wide = np.hypot(stacked(alone, "connection_sd"), sigma)
    new = at(frame, "population", "p_stereotypical")
    assert new["mean"].item() == pytest.approx(norm.cdf(centre[:, None] / wide).mean())


SLOPES = {"token_difference": -6.0, "direction": 1.0}


def clustered(seed: int, models: tuple[str, ...], n_clusters: int = 40) -> pd.DataFrame:
    """Pairs of two types in clusters of five, with lengths and directions that matter.

    Clusters have an sd of 3 that models share and one of 1 of each model's own; residuals have an
    sd of 1 in the one type and of 3 in the other; means are 1 and -1 at equal length.
    """
    rng = np.random.default_rng(seed)
    cluster = np.repeat(np.arange(2 * n_clusters), 5)
    types = np.where(cluster < n_clusters, "calm", "loud")
    tokens = rng.choice([-1.0, 0.0, 0.0, 1.0, 3.0], len(cluster))
    direction = np.where(np.arange(len(cluster)) % 3, "stereo", "antistereo")
    known = SLOPES["token_difference"] * tokens / np.tile(tokens, len(models)).std()
    known += SLOPES["direction"] * np.where(direction == "stereo", 1.0, -1.0)
    known += np.where(types == "calm", 1.0, -1.0)
    shared = 3.0 * rng.standard_normal(cluster.max() + 1)[cluster]
    frames = []
    for model in models:
        own = rng.standard_normal(cluster.max() + 1)[cluster]
        noise = np.where(types == "calm", 1.0, 3.0) * rng.standard_normal(len(cluster))
        frame = scored(model, types, known + shared + own + noise)
        frames.append(frame.assign(cluster=cluster, token_difference=tokens, direction=direction))
    return pd.concat(frames, ignore_index=True)


def test_clusters_slopes_and_sds_by_type_are_found_again() -> None:
    tree = fit_means(clustered(1, ("one", "other")), seed=1)
    assert tree.attrs["method"] == "exact"
    frame = pair_scales(tree)
    mean = frame.set_index(["parameter", "model", "bias_type"])["mean"]
    errors = 4 / np.sqrt(2 * 80)  # four standard errors of an sd of 80 clusters
    assert mean["shared_cluster_sd", "", ""] == pytest.approx(3.0, rel=errors)
    for model in ("one", "other"):
        assert mean["cluster_sd", model, ""] == pytest.approx(
            1.0, rel=3 * errors
        )  # below residuals
    assert mean["residual_sd", "", "calm"] == pytest.approx(1.0, rel=4 / np.sqrt(2 * 320))
    assert mean["residual_sd", "", "loud"] == pytest.approx(3.0, rel=4 / np.sqrt(2 * 320))
    for name, value in SLOPES.items():
        for model in ("one", "other"):  # four errors of a slope over 400 rows of residual sd 2
            found = mean[f"slope of {name}", model, ""]
            assert found == pytest.approx(value, abs=4 * 2.3 / np.sqrt(400))
    equal = at(pair_summary(tree), "bias_type", "mean_equal_length")
    directed = SLOPES["direction"] / 3  # of three pairs two are of the one direction
    for name, value in (("calm", 1.0), ("loud", -1.0)):
        found = equal[equal["bias_type"] == name]["mean"].to_numpy()
        # Four errors of a mean of 40 clusters of sd 3.2.
        np.testing.assert_allclose(found, value + directed, atol=4 * 3.4 / np.sqrt(40))


def test_scales_of_models_are_apart_from_their_covariates() -> None:
    """Lengths alone make the spread of the second model: it is no larger in all else."""
    paired = clustered(4, ("one", "other"))
    other = paired["model"] == "other"
    paired.loc[other, "difference"] += 40 * paired.loc[other, "token_difference"]
    found = model_scales(paired)
    assert found["other"] / found["one"] == pytest.approx(1.0, abs=0.1)  # residuals of 400 pairs


def test_clusters_widen_what_one_model_is_told_to_prefer() -> None:
    paired = clustered(2, ("one",))
    widths = []
    for frame in (paired, paired.drop(columns="cluster")):
        overall = at(pair_summary(fit_means(frame, seed=1)), "overall", "mean_equal_length")
        widths.append(overall["sd"].item())
    # Five pairs of a cluster agree with r = 10 / (10 + 5): sqrt(1 + 4 r) times the error.
    assert widths[0] / widths[1] == pytest.approx(np.sqrt(1 + 4 * 2 / 3), rel=0.15)


def test_what_is_told_is_averaged_over_weighted_pairs_of_the_data() -> None:
    """One draw, by loops over its rows."""
    paired = clustered(3, ("one", "other"))
    tree = fit_means(paired, seed=1, draws=100, chains=1)
    posterior = {str(name): each.values[0, 7] for name, each in tree["posterior"].items()}
    x, loud = tree["constant_data"]["covariates"].values, 1  # of the types in order
    weights, size = _weights(tree)[7], model_scales(paired)
    sums = np.zeros((3, 2))
    for row in range(400, 800):  # of the model "other"
        if paired["bias_type"][row] == "calm":
            continue
        cluster = int(paired["cluster"][row])
        mean = posterior["word_mean"][loud, 1] + posterior["context_effect"][loud]
        mean += posterior["attribute_effect"][cluster] + posterior["cluster_effect"][cluster, 1]
        means = [mean + posterior["slope"][1, 1] * x[row, 1]]
        means.insert(0, means[0] + posterior["slope"][0, 1] * x[row, 0])
        for place, each in enumerate(means):
            share = norm.cdf(each / posterior["sigma"][loud])
            sums[:, place] += weights[cluster] * np.array([1, each, share])
    drawn = {level.bias_type: level.draws for level in levels(tree)}["loud"]
    named = ("mean_difference", "p_stereotypical"), ("mean_equal_length", "p_equal_length")
    for place, (mean_of, share_of) in enumerate(named):
        weight, total, share = sums[:, place]
        assert drawn[mean_of][7, 1] == pytest.approx(size["other"] * total / weight)
        assert drawn[share_of][7, 1] == pytest.approx(share / weight)


def test_means_are_those_of_the_pairs_and_as_sure_as_clusters_allow() -> None:
    """Against the plain mean, and its sd by a bootstrap of clusters; sizes tell of differences."""
    rng = np.random.default_rng(5)
    sizes = np.r_[np.ones(60, int), 2 * np.ones(20, int), 15, 25, 40]
    effects = np.r_[rng.normal(0, 1, 80), 2.0, 2.5, 3.0]  # large clusters are unlike small ones
    cluster = np.repeat(np.arange(len(sizes)), sizes)
    differences = effects[cluster] + rng.standard_normal(len(cluster))
    paired = scored("one", np.repeat("age", len(cluster)), differences).assign(cluster=cluster)
    row = at(pair_summary(fit_means(paired, seed=1)), "overall", "mean_difference").iloc[0]
    assert row["mean"] == pytest.approx(differences.mean(), abs=0.15)  # a third of its sd
    sums = np.bincount(cluster, differences)
    taken = rng.integers(len(sizes), size=(4000, len(sizes)))
    resampled = sums[taken].sum(axis=1) / sizes[taken].sum(axis=1)
    assert 0.8 * resampled.std() < row["sd"] < 1.5 * resampled.std()


def test_a_new_type_has_new_clusters_and_the_covariates_of_the_pairs() -> None:
    tree = fit_means(clustered(3, ("one", "other")).query("bias_type == 'loud'"), seed=1)
    x = np.asarray(tree["constant_data"]["covariates"])
    centre, slope = stacked(tree, "connection_mean"), stacked(tree, "slope")
    names = ("attribute_sd", "cluster_sd", "sigma", "connection_sd")
    sds = [stacked(tree, name) for name in names]
    spread = np.sqrt(sum(each.reshape(len(centre), -1) ** 2 for each in sds))
    summary = pair_summary(tree)
    for model, rows in enumerate((slice(0, 200), slice(200, 400))):
        for quantity, tokens in (("p_stereotypical", 1.0), ("p_equal_length", 0.0)):
            moved = centre[:, [model]] + slope[:, :, model] @ (x[rows] * [tokens, 1.0]).T
            by_hand = norm.cdf(moved / spread[:, [model]]).mean()
            shown = at(summary, "population", quantity)["mean"].iloc[model]
            assert shown == pytest.approx(by_hand, rel=1e-9)
    theta = stacked(tree, "word_mean")[:, 0]
    whole = predict_new_pairs(tree, np.random.default_rng(1), np.arange(4000))
    moments = theta[:, 0, None] + np.einsum("nk,rk->nr", slope[:, :, 0], x[:200])
    # Means of 4,000 draws of sd 4.
    atol = 5 * 4.5 / np.sqrt(4000)
    np.testing.assert_allclose(whole[:, :200].mean(0), moments.mean(0), atol=atol)
    same = np.corrcoef(whole[:, 0], whole[:, 1])[0, 1]  # two pairs of one cluster
    shared, own = sds[0] ** 2 + sds[1][:, 0] ** 2, sds[2][:, 0] ** 2
    assert same == pytest.approx(shared.mean() / (shared + own).mean(), abs=5 / np.sqrt(4000))


@pytest.mark.parametrize("nu", [2.5, 30.0])
def test_student_shares_average_over_pair_effects(nu: float) -> None:
    """Against scipy's quadrature of T((m + b) / s) over b ~ Normal(0, w)."""
    residuals = _Residuals(np.array([[1.5]]), np.array([[2.0]]), np.array([[nu]]))
    found = residuals.share_above(np.array([[0.8]]))[0, 0]
    expected = quad(
        lambda b: norm.pdf(b, 0, 2) * student.cdf((0.8 + b) / 1.5, nu), -25, 25, epsabs=1e-10
    )[0]
    assert found == pytest.approx(expected, abs=1e-4)  # 31 nodes


def test_contrasts_between_models(both: DataTree) -> None:
    frame = model_contrasts(both)
    assert set(zip(frame["first"], frame["second"], strict=True)) == {("one", "other")}
    row = at(frame, "overall", "mean_difference").iloc[0]
    # The same pairs: only residuals count, 2 sqrt(2) over 240 pairs; four standard errors.
    assert row["mean"] == pytest.approx(-1.0, abs=4 * 2 * np.sqrt(2 / 240))
    assert row["sd"] < 1.5 * 2 * np.sqrt(2 / 240)
    assert row["p_direction"] > 0.99


def test_a_model_that_is_only_surer_is_not_more_biased() -> None:
    """All differences times ten: the same preferences, ten times the mean difference."""
    paired = made(models={"one": 0.0, "loud": 0.0})
    paired.loc[paired["model"] == "loud", "difference"] *= 10
    tree = fit_means(paired, seed=1)
    frame = model_contrasts(tree)
    overall = frame[frame["level"] == "overall"].set_index("quantity")
    shares = overall.loc["p_stereotypical"]
    assert abs(shares["mean"]) < 3 * shares["sd"]
    assert shares["sd"] < 0.03  # shared pairs: less than the .032 of one model's 240 pairs
    summary = pair_summary(tree)
    mean = at(summary, "overall", "mean_difference")
    mean = mean.set_index("model")["mean"]
    # Residuals differ: ten times four standard errors of the difference of two means.
    assert mean["loud"] == pytest.approx(10 * mean["one"], abs=10 * 4 * 2 * np.sqrt(2 / 240))


def test_checks_name_models_and_hold_on_data_of_the_model(both: DataTree) -> None:
    coverage = pair_check(both, (0.89,), seed=0).set_index("model")["coverage"]
    # Predictions of new pairs; 480 rows of 240 pairs, four binomial errors of 240.
    assert coverage["all"] == pytest.approx(0.89, abs=4 * np.sqrt(0.89 * 0.11 / 240))
    frame = preference_check(both, seed=1)
    assert len(frame) == 2 * (1 + len(TYPES))
    differences = made(models={"one": 0.0, "other": 1.0})
    seen = differences[differences["model"] == "other"]["difference"]
    row = frame[(frame["model"] == "other") & (frame["bias_type"] == "all")].iloc[0]
    assert row["observed"] == pytest.approx(100 * (seen > 0).mean())
    assert frame["p_as_low"].between(0.005, 0.995).all()
    refused("n_draws must be a whole number from 1 on; got 0", preference_check, both, n_draws=0)


def test_predictions_of_new_pairs_have_the_moments_of_the_model(both: DataTree) -> None:
    rng, draws = np.random.default_rng(5), np.arange(4000)
    made_pairs = predict_new_pairs(both, rng, draws)
    first, second = made_pairs[:, 0], made_pairs[:, 240]  # one pair under both models
    size = scales_of(both)["one"]
    errors = 4 / np.sqrt(2 * 4000) + 4 / np.sqrt(2 * 240)  # of the draws, and of the posterior
    assert first.std() * size == pytest.approx(np.hypot(PAIR_SD, RESIDUAL_SD), rel=errors)
    shared = PAIR_SD**2 / (PAIR_SD**2 + RESIDUAL_SD**2)
    assert np.corrcoef(first, second)[0, 1] == pytest.approx(shared, abs=0.1)


def test_a_normal_widened_by_a_few_pairs_is_found_out() -> None:
    paired = made(n_pairs=100)
    paired["difference"] = np.random.default_rng(2).normal(0.6, 1, len(paired))
    paired.loc[::25, "difference"] = -40.0
    frame = preference_check(fit_means(paired, seed=1), seed=0)
    row = frame[frame["bias_type"] == "all"].iloc[0]
    assert row["observed"] > 65
    assert row["p_as_low"] > 0.99


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::RuntimeWarning")
@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_student_t_does_not_follow_a_few_pairs() -> None:
    rng = np.random.default_rng(2)
    paired = made(n_pairs=60)
    mean = 0.6 + paired["bias_type"].map(TYPES)
    paired["difference"] = rng.normal(mean, 1)
    paired.loc[::25, "difference"] = rng.normal(-20, 4, len(paired.loc[::25]))
    options = {"method": "nuts", "draws": 1000, "chains": 2, "progressbar": False}
    options |= {"target_accept": 0.99}  # at .9, a transition in four runs diverged
    tree = fit_means(paired, model="pll-robust", seed=1, **options)  # no SamplingWarning
    frame = preference_check(tree, seed=0)
    assert 0.05 < frame[frame["bias_type"] == "all"]["p_as_low"].item() < 0.95
    summary = pair_summary(tree)
    row = at(summary, "overall", "p_stereotypical")
    truth = 0.96 * norm.cdf(mean).mean()
    assert row["mean"].item() == pytest.approx(truth, abs=0.06)  # three posterior sds of .02
    normal = pair_summary(fit_means(paired, seed=1))
    row = at(normal, "overall", "p_stereotypical")
    assert row["mean"].item() < truth - 0.06  # drawn towards one half


CROWS_PAIRS_SIZES = (87, 60, 262, 159, 63, 516, 105, 84, 172)
"""Pairs of the bias types of CrowS-Pairs."""


@pytest.mark.slow
@pytest.mark.parametrize("own_sd", [0.0, 0.7])
def test_intervals_cover_what_they_should(own_sd: float) -> None:
    """89% intervals of type means and of their contrasts, 40 data sets of CrowS-Pairs' size.

    With ``own_sd`` 0 both models have the same means, as models that learnt from the same texts
    nearly do: independent types in the model would take that for equal types.
    """
    inside, total = np.zeros(2), np.zeros(2)
    for seed in range(40):
        rng = np.random.default_rng(1000 + seed)
        truth = rng.normal(0.5, 1.0, (9, 1)) + own_sd * rng.standard_normal((9, 2))
        types = np.repeat(np.arange(9), CROWS_PAIRS_SIZES)
        own = PAIR_SD * rng.standard_normal(len(types))
        frames = []
        for at_model, model in enumerate(("one", "other")):
            noise = RESIDUAL_SD * rng.standard_normal(len(types))
            frames.append(scored(model, types.astype(str), truth[types, at_model] + own + noise))
        tree = fit_means(pd.concat(frames), method="exact", seed=seed, draws=500, chains=2)
        values = (truth.T.ravel(), truth[:, 0] - truth[:, 1])
        for kind, frame in enumerate((pair_summary(tree), model_contrasts(tree))):
            rows = at(frame, "bias_type", "mean_difference")
            if kind == 0:
                rows = rows.sort_values(["model", "bias_type"])
            inside[kind] += ((rows["low"] <= values[kind]) & (values[kind] <= rows["high"])).sum()
            total[kind] += len(rows)
    # 720 intervals of means, two and two of the same pairs, and 360 of contrasts: four binomial
    # errors of 360. Contrasts that are all zero shrink to it and are covered more often.
    errors = 4 * np.sqrt(0.89 * 0.11 / 360)
    assert inside[0] / total[0] == pytest.approx(0.89, abs=errors)
    assert inside[1] / total[1] > 0.89 - errors


def test_priors_follow_the_unit_of_the_measure() -> None:
    spec = spec_in_units(load_model("pll-robust"), 0.1)
    priors = spec.priors
    assert str(priors["connection_mean"]) == "normal(mean 0, sd 0.3)"
    assert str(priors["sigma"]) == "exponential(rate 2)"
    assert priors["nu"] == load_model("pll-robust").priors["nu"]
    assert str(priors["context_sd"]) == "exponential(rate 5)"


def test_effects_that_cannot_be_told_apart_are_left_out() -> None:
    spec = load_model("pll")
    alone = spec_for(pair_design(made(n_pairs=3)), spec)
    assert alone.needed_priors == ("connection_mean", "connection_sd", "sigma")
    several = made(n_pairs=3, models={"one": 0.0, "other": 1.0})
    assert spec_for(pair_design(several), spec) == spec.without("cluster_effect", "slope")
    clustered = several.assign(
        cluster=several["pair_id"].astype(int) // 2, token_difference=range(len(several))
    )
    assert spec_for(pair_design(clustered), spec) == spec
    one = spec_for(pair_design(clustered[clustered["model"] == "one"]), spec)
    assert [term.name for term in one.terms] == ["word_mean", "attribute_effect", "slope"]
    one_type = several[several["bias_type"] == "age"]
    kept = spec_for(pair_design(one_type), spec).needed_priors
    assert "attribute_sd" in kept
    assert "context_sd" not in kept
    assert fit_means(one_type, seed=1).attrs["method"] == "exact"


@pytest.mark.parametrize(("measure", "unit"), [("aul", 1 / 12), ("aula", 1 / 144), ("sss", 1.0)])
def test_units_come_from_the_number_of_tokens(measure: str, unit: float) -> None:
    paired = made(n_pairs=5).assign(measure=measure)
    paired["difference"] *= unit
    tree = fit_means(paired, seed=1)
    assert tree.attrs["unit"] == pytest.approx(unit)
    whole = pair_summary(fit_means(made(n_pairs=5), seed=1))
    some = pair_summary(tree)
    # The same data in another unit, the same prior in it: the same probabilities.
    share = [f[f["quantity"] == "p_stereotypical"]["mean"].to_numpy() for f in (whole, some)]
    np.testing.assert_allclose(*share, atol=0.02)  # of 4,000 draws, by importance weights


def test_designs_of_pairs_say_what_they_hold() -> None:
    design = pair_design(made(models={"z": 0.0, "a": 0.0}))
    assert design.words == tuple(TYPES)
    assert design.connections == ("z", "a")
    assert len(design.attributes) == 240
    assert design.outcome == "difference"


@pytest.mark.parametrize(
    ("change", "match"),
    [
        (lambda f: f.drop(columns="difference"), r"lacks the column\(s\) difference"),
        (lambda f: f.assign(bias_type=[" ", *f["bias_type"][1:]]), "has an empty bias_type"),
        (lambda f: pd.concat([f, f]), "pair '0' is there twice under 'one'"),
        (
            lambda f: pd.concat([f, f[f["bias_type"] != "age"].assign(model="other")]),
            "'other' has no pair of the bias type 'age'",
        ),
        (lambda f: pd.concat([f, f.assign(measure="cps")]), "name the measure.*pll, cps"),
        (lambda f: f.assign(difference=np.nan), "difference must be finite"),
        (lambda f: f.iloc[:0], "no scores at all"),
    ],
)
def test_pairs_that_cannot_be_modelled(change, match: str) -> None:
    refused(match, fit_means, change(made(n_pairs=3)))


def test_options_that_do_not_fit() -> None:
    paired = made(n_pairs=3)
    with pytest.raises(ValueError, match="'crossed' is for distances, and here are differences"):
        fit_means(paired, model="crossed")
    refused("unknown measure 'cps'", fit_means, paired, "cps")
    refused("unit must be a positive number; got -1", fit_means, paired, unit=-1)
    with pytest.raises(ValueError, match="needs the column n_scored, or pass unit="):
        fit_means(paired.assign(measure="aul").drop(columns="n_scored"))
    with pytest.raises(ValueError, match="'loud' are all equal"):
        fit_means(pd.concat([paired, paired.assign(model="loud", difference=1.0)]))
    refused("there is the model 'one' only", model_contrasts, fit_means(paired, seed=1))
    refused("ci_prob must lie in", pair_summary, fit_means(paired, seed=1), ci_prob=89)
