"""The gradient of the collapsed likelihood, and NUTS over sds alone, against the exact sampler."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from builders import groups_by_sets, model_named
from numpy.random import default_rng
from scipy.special import ndtr
from test_collapsed import VARIANTS, irregular, likened, points_of, without_some  # noqa: F401
from xarray import DataArray, DataTree

import bayesbias as bb
from bayesbias.model.design import Design
from bayesbias.model.indexing import make_design
from bayesbias.model.placing import Scores, standardized
from bayesbias.model.priors import partial_correlations
from bayesbias.model.spec import load_model
from bayesbias.sampling.collapsed import log_density
from bayesbias.sampling.doubts import RHAT_LIMIT, of_chains
from bayesbias.sampling.gradient import LogLikelihood
from bayesbias.sampling.importance import ESS_LIMIT
from bayesbias.sampling.layout import CannotCollapse
from bayesbias.sampling.parameters import log_prior
from bayesbias.sampling.pymc_models import _partial, with_effects
from bayesbias.sampling.reduction import collapse
from studies.agreement import HIGHEST_RMS, HIGHEST_Z, z_scores

STEP = 1e-5


def check(design: Design, name: str) -> None:
    """Compare value and gradient with the density that dense algebra has checked."""
    posterior = collapse(design, model_named(name))
    (point,) = points_of(posterior, 1, seed=2)
    steps = STEP * np.eye(len(point))
    points = np.concatenate([point[None], point + steps, point - steps])
    expected = log_density(posterior, points) - log_prior(posterior.spec, posterior.blocks, points)
    value, gradient = LogLikelihood(posterior)(point)
    assert value == pytest.approx(expected[0], abs=1e-8)  # sums of terms of order 1,000
    up, down = np.split(expected[1:], 2)
    # A central difference has an error of order 1e-11 / 1e-5 from rounding of sums near 1,000.
    np.testing.assert_allclose(gradient, (up - down) / (2 * STEP), rtol=1e-6, atol=1e-4)


@pytest.mark.parametrize("name", ["paper-figures", "crossed", "maximal", "by-group", *VARIANTS])
def test_value_and_gradient_of_irregular_tables(irregular: Design, name: str) -> None:  # noqa: F811
    check(irregular, name)


@pytest.mark.parametrize("share", [0.0, 0.1])
def test_value_and_gradient_with_likeness_gaps_and_slopes(likened, share) -> None:  # noqa: F811
    check(without_some(likened, share), "by-group with slopes")


def test_value_and_gradient_with_a_known_error(irregular: Design) -> None:  # noqa: F811
    check(replace(irregular, rounding=0.03), "crossed")


def test_value_and_gradient_where_words_of_a_group_lack_controls() -> None:
    table, rng = groups_by_sets("xy", 3, 3, "human"), default_rng(1)
    table = table.assign(cosine_distance=0.9 + rng.normal(0, 0.05, len(table)))
    lacking = (table["protected_group"] == "y") & (table["connection"] == "human")
    check(make_design(table[~lacking]), "crossed")


def test_a_collapsed_model_has_the_correlations_of_the_whole_one(toy_table) -> None:
    spec = load_model("maximal")
    whole, collapsed = (
        {rv.name for rv in bb.build_model(toy_table, spec, collapsed=each).free_RVs}
        for each in (False, True)
    )
    assert collapsed < whole
    assert any(name.endswith("correlation_factor") for name in collapsed)


def test_effects_are_drawn_for_the_sds_of_each_chain(crossed_posterior, toy_table) -> None:
    posterior = collapse(make_design(toy_table), load_model("crossed"))
    made = with_effects(crossed_posterior, posterior, default_rng(1))["posterior"]
    for name in ("sigma", "connection_sd", "attribute_sd"):
        np.testing.assert_allclose(made[name], crossed_posterior["posterior"][name])


@pytest.mark.seconds
def test_pymc_has_the_same_partial_correlations() -> None:
    import pytensor.tensor as pt

    root = default_rng(1).normal(size=(4, 6))
    matrix = np.corrcoef(root)
    found = _partial(pt.constant(np.linalg.cholesky(matrix)), 4).eval()
    np.testing.assert_allclose(np.tanh(found), partial_correlations(matrix[None])[0])
    # That of rows 3 and 4 given the first two rows is the usual partial correlation.
    inverse = np.linalg.inv(matrix)
    expected = -inverse[3, 2] / np.sqrt(inverse[2, 2] * inverse[3, 3])
    assert np.tanh(found)[-1] == pytest.approx(expected)


def test_an_absurd_sd_has_no_density(likened: Design) -> None:  # noqa: F811
    posterior = collapse(likened, load_model("crossed"))
    value, gradient = LogLikelihood(posterior)(np.full(posterior.n_parameters, -15.0))
    assert value == -np.inf
    assert not gradient.any()


def test_scores_of_a_skewed_log_sd_are_normal() -> None:
    import pytensor
    import pytensor.tensor as pt

    def density(logs: np.ndarray) -> np.ndarray:
        return logs - np.exp(2 * (logs + 3))  # as for an sd that the data only bound from above

    known, score = np.linspace(-12, 3, 61), np.linspace(-5, 5, 201)
    one = Scores.of(known, density(known))
    shifts = np.linspace(0, 1, len(score))  # each sd has its own map
    start, *others = (np.tile(part, (len(score), 1)) for part in one)
    transform = standardized(Scores(start + shifts[:, None], *others))
    given = pt.dvector()
    sd = transform.backward(given)
    parts = [sd, transform.forward(sd), transform.log_jac_det(given)]
    sds, back, log_slope = pytensor.function([given], parts, mode="FAST_COMPILE")(score)
    assert back == pytest.approx(score, abs=1e-9)
    sds, log_slope = sds * np.exp(-shifts), log_slope - shifts
    assert np.exp(log_slope) == pytest.approx(np.gradient(sds, score), rel=0.05, abs=1e-6)
    fine = np.linspace(-40, 3, 100_001)
    below = np.cumsum(np.exp(density(fine)))
    found = np.interp(np.log(sds), fine, below / below[-1])
    assert found == pytest.approx(ndtr(score), abs=0.01)  # the map is rough by design
    assert np.interp(one.median, fine, below / below[-1]) == pytest.approx(0.5, abs=0.01)
    cut = Scores.of(known, np.where(known < -9, -np.inf, density(known)))  # beyond the resolution
    assert np.isfinite(np.concatenate(cut)).all()
    assert (cut.slope > 0).all()


def agreement(nuts: DataTree, exact: DataTree) -> pd.Series:
    draws = exact["posterior"].sizes["chain"] * exact["posterior"].sizes["draw"]
    ours = exact["posterior"].to_dataset()
    names = [name for name in ours.data_vars if float(ours[name].std(("chain", "draw")).min()) > 0]
    ours, theirs = ours[names], nuts["posterior"].to_dataset()[names]
    ours.attrs["efficiency"] = min(draws, float(exact["sample_stats"]["importance_ess"])) / draws
    return z_scores(ours, theirs)


def few_draws(table: pd.DataFrame) -> DataTree:
    return bb.fit(table, "crossed", method="nuts", tune=400, draws=400, chains=2, seed=1)


def by_hand(table: pd.DataFrame) -> DataTree:
    """Draw by PyMC's own model, and complete the draws."""
    import pymc as pm

    with bb.build_model(table, "crossed", collapsed=True):
        drawn = pm.sample(400, tune=400, chains=1, nuts_sampler="pymc", random_seed=1)
    return bb.from_pymc(drawn, table, "crossed", seed=2)


@pytest.mark.seconds
@pytest.mark.filterwarnings("ignore:.*fork:DeprecationWarning")
@pytest.mark.filterwarnings("ignore::bayesbias.SamplingWarning")
@pytest.mark.parametrize("sample", [few_draws, pytest.param(by_hand, marks=pytest.mark.slow)])
def test_nuts_over_sds_agrees_with_the_exact_sampler(sample) -> None:
    # In 256 rows, no sd is near zero, where chains of 400 steps may stay.
    table = bb.nulls.Scenario(effect=0.04, attribute_bias_sd=0.06).table(seed=4)
    nuts, exact = sample(table), bb.fit(table, "crossed", method="exact", draws=2000, seed=3)
    assert int(nuts["sample_stats"]["diverging"].sum()) == 0
    assert set(nuts["posterior"].data_vars) == set(exact["posterior"].data_vars)
    z = agreement(nuts, exact)
    assert z.abs().max() < HIGHEST_Z
    assert np.sqrt((z**2).mean()) < HIGHEST_RMS


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore:.*fork:DeprecationWarning")
@pytest.mark.filterwarnings("ignore::bayesbias.warnings.ChainsDisagree")
@pytest.mark.filterwarnings("ignore::bayesbias.warnings.Divergences")
@pytest.mark.filterwarnings("ignore::bayesbias.warnings.FewEffectiveDraws")
@pytest.mark.parametrize("model", ["crossed", "by-group"])
def test_nuts_of_default_length_converges_and_agrees(model: str) -> None:
    """Chains of a bundled list with likeness agree with the exact sampler.

    With this seed, the smallest effective size of by-group is 2,260, and R-hat is 1.003, which
    leaves room for other processors. Of 4,000 transitions of by-group, none diverges with the
    kernels of Haswell, and one with those of Sandy Bridge.
    """
    wordlist = bb.load_wordlist("religion")
    vectors = bb.load_vectors("glove-demo", wordlist, case="fallback")
    table = bb.distance_table(vectors, wordlist)
    nuts = bb.fit(table, model, method="nuts", seed=1, progressbar=False)
    found = of_chains(nuts)
    assert found["divergences"] <= 2
    assert found["rhat"] < RHAT_LIMIT
    assert min(found["ess_bulk"], found["ess_tail"]) > ESS_LIMIT
    z = agreement(nuts, bb.fit(table, model, method="exact", seed=2))
    assert z.abs().max() < HIGHEST_Z
    assert np.sqrt((z**2).mean()) < HIGHEST_RMS


def test_the_variable_that_mixes_worst_counts(crossed_posterior: DataTree) -> None:
    """All draws are independent, but one chain of one of several means is moved far away."""
    tree = crossed_posterior.copy()
    drawn = tree["posterior"].to_dataset()
    found = of_chains(tree)
    assert found["rhat"] < RHAT_LIMIT
    assert min(found["ess_bulk"], found["ess_tail"]) > ESS_LIMIT
    place = DataArray([0.0, 10.0], dims="chain") * DataArray([1, 0, 0, 0], dims="connection")
    tree["posterior"] = drawn.assign(connection_mean=drawn["connection_mean"] + place)
    found = of_chains(tree)
    assert found["rhat"] > 1.5
    assert max(found["ess_bulk"], found["ess_tail"]) < 20  # 2,000 draws in two places


def test_models_whose_likeness_cannot_be_used_are_not_collapsed(likened) -> None:  # noqa: F811
    with pytest.raises(CannotCollapse):
        bb.build_model(likened, model_named("by-group of sigma by word"), collapsed=True)
