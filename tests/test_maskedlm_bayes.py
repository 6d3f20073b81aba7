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
from bayesbias.maskedlm.bayes import spec_for, spec_in_units
from bayesbias.maskedlm.pairs_posterior import _Residuals, predict_new_pairs, scales_of
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
    assert frame["residual_sd", "one"] == pytest.approx(RESIDUAL_SD, rel=2 * errors)  # a difference
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
    means, sigma = stacked(alone, "word_mean")[:, :, 0], stacked(alone, "sigma")[:, 0]
    by_hand = norm.cdf(means / sigma[:, None])
    shown = at(frame, "bias_type", "p_stereotypical")
    np.testing.assert_allclose(shown["mean"], by_hand.mean(axis=0), rtol=1e-12)
    overall = at(frame, "overall", "p_stereotypical")
    assert overall["mean"].item() == pytest.approx(by_hand.mean())  # types of equal size
    centre = stacked(alone, "connection_mean")[:, 0]
    wide = np.hypot(stacked(alone, "connection_sd")[:, 0], sigma)
    new = at(frame, "population", "p_stereotypical")
    assert new["mean"].item() == pytest.approx(norm.cdf(centre / wide).mean())


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
    assert spec_for(pair_design(several), spec) == spec
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
