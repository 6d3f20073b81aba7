"""Exact draws compared with sums over a grid of sds and with NUTS, and on hard designs."""

from collections.abc import Callable
from dataclasses import replace
from types import SimpleNamespace as Fields
from typing import Any

import numpy as np
import pandas as pd
import pytest
from builders import grid, model_named
from dense_oracle import covariance, in_rows
from scipy.stats import expon, gamma, loggamma, multivariate_normal, norm

import bayesbias as bb
from bayesbias.model.design import Design
from bayesbias.model.indexing import make_design
from bayesbias.model.priors import Prior
from bayesbias.model.spec import ModelSpec, load_model
from bayesbias.sampling.collapsed import log_density
from bayesbias.sampling.effects import draw_effects
from bayesbias.sampling.exact import (
    Drawn,
    _all_modes,
    _along_sds,
    _drawn,
    _first_reliable,
    _has_pole,
    _surroundings,
    bounds_of,
    sample_exact,
)
from bayesbias.sampling.fit import fit, fit_design
from bayesbias.sampling.importance import importance_resample
from bayesbias.sampling.parameters import Block, log_prior
from bayesbias.sampling.reduction import collapse

MODELS = (
    *("paper-figures", "crossed", "crossed with groups", "contextual", "maximal"),
    *("change", "change-crossed", "change-maximal"),
)
"""Models of distances and changes. Language-model pairs have the same with one connection."""

N_DRAWS, N_POINTS, COARSE = 160_000, 25, 13

TOLERANCE = 0.013
"""Tolerance in posterior sds: four standard errors of this many effective draws."""


@pytest.fixture(scope="module")
def neutral() -> Design:
    """Return 17 rows: five words in two groups, four neutral attributes, gaps, two contexts."""
    rng = np.random.default_rng(11)
    word, attribute = (0.08 * rng.standard_normal(n) for n in (5, 4))
    distances = 0.9 + (word[:, None] + attribute).ravel() + 0.06 * rng.standard_normal(20)
    table = grid(5, 4, distances, ("neutral",)).assign(context=["one", "two"] * 10)
    return make_design(table.drop(index=[2, 9, 16]))


@pytest.mark.seconds
@pytest.mark.parametrize(
    "name", ["paper", *(pytest.param(name, marks=pytest.mark.slow) for name in MODELS)]
)
def test_moments_are_those_of_sums_over_a_grid(neutral: Design, name: str) -> None:
    spec = model_named(name)
    design = replace(neutral, y=neutral.y - 0.9) if spec.outcome == "change" else neutral
    posterior = collapse(design, spec)
    names = [block.name for block in posterior.blocks if not block.n_correlated]
    expected = grid_moments(design, posterior.spec, names)
    drawn = sample_exact(posterior, N_DRAWS, np.random.default_rng(1)).values
    for each, (mean, sd) in expected.items():
        values = drawn[each].reshape(N_DRAWS)
        assert abs(values.mean() - mean) < TOLERANCE * sd, each
        assert values.std() == pytest.approx(sd, rel=0.03), each  # sds have heavy tails


def grid_moments(
    design: Design, spec: ModelSpec, names: list[str]
) -> dict[str, tuple[float, float]]:
    """Return the mean and sd of the connection mean and of each sd parameter.

    Use the dense Normal of all rows on a grid of log sds, which a coarser grid has located.
    """
    rows = in_rows(design, spec)
    correlations = {term.correlation: np.eye(1) for term in spec.terms if term.correlated}

    def of_rows(**sds: float) -> np.ndarray:
        values = {name: np.array([sds.get(name, 0.0)]) for name in names}
        return np.asarray(rows @ covariance(design, spec, values | correlations) @ rows.T)

    of_mean = of_rows()  # the prior of the connection mean does not depend on the sds
    parts = [of_rows(**{name: 1.0}) - of_mean for name in names]
    parts[names.index("sigma")] = np.eye(len(rows))
    prior = spec.priors["connection_mean"].parameters
    y, variance = design.y - prior["mean"], prior["sd"] ** 2

    def on(axes: list[np.ndarray]) -> tuple[np.ndarray, ...]:
        """Return weights, sds, and the mean's conditional mean and variance at all points."""
        sds = np.exp(np.stack(np.meshgrid(*axes, indexing="ij"), axis=-1).reshape(-1, len(axes)))
        log_prior = np.log(sds).sum(axis=1)  # the density is that of log sds
        for sd, name in zip(sds.T, names, strict=True):
            log_prior += spec.priors[name].log_density(sd)
        found = []
        for some in np.array_split(sds, 1 + len(sds) // 20_000):
            factor = np.linalg.cholesky(np.einsum("nk,kij->nij", some**2, parts) + of_mean)
            right = np.stack([y, np.ones(len(y))], axis=1)
            apart, one = np.moveaxis(np.linalg.solve(factor, right), -1, 0)
            log_det = 2 * np.log(np.diagonal(factor, axis1=1, axis2=2)).sum(axis=1)
            evidence = -0.5 * ((apart**2).sum(axis=1) + log_det)
            shift, shrunk = (apart * one).sum(axis=1), (one**2).sum(axis=1)
            found.append((evidence, variance * shift, variance - variance**2 * shrunk))
        evidence, mean, left = (np.concatenate(each) for each in zip(*found, strict=True))
        weight = np.exp(evidence + log_prior - (evidence + log_prior).max())
        return weight / weight.sum(), sds, prior["mean"] + mean, left

    weight, sds, *_ = on([np.linspace(-8.0, 1.0, COARSE)] * len(names))
    center = weight @ np.log(sds)
    spread = np.sqrt(weight @ (np.log(sds) - center) ** 2) + 0.2
    ends = zip(np.maximum(center - 7 * spread, -9.0), center + 6 * spread, strict=True)
    weight, sds, mean, left = on([np.linspace(low, high, N_POINTS) for low, high in ends])
    overall = weight @ mean
    found = {"connection_mean": (overall, np.sqrt(weight @ (left + mean**2) - overall**2))}
    for name, sd in zip(names, sds.T, strict=True):
        found[name] = weight @ sd, np.sqrt(weight @ sd**2 - (weight @ sd) ** 2)
    return found


def _rng() -> np.random.Generator:
    return np.random.default_rng(1)


@pytest.mark.seconds
def test_hundred_thousand_rows_and_five_hundred_words() -> None:
    rng = np.random.default_rng(0)
    table = grid(500, 200, 0.9 + 0.05 * rng.standard_normal(100_000))
    post = fit(table, "crossed", method="exact", draws=250, seed=1)
    means = post["posterior"]["connection_mean"]
    assert float(abs(means.mean(("chain", "draw")) - 0.9).max()) < 0.005  # five posterior sds
    assert float(post["sample_stats"]["pareto_k"]) < 0.7


def test_prior_of_the_parameters_is_that_of_sds_and_correlations(toy_table: pd.DataFrame) -> None:
    """Transform it by the determinant of central differences."""
    posterior = collapse(make_design(toy_table), load_model("maximal"))
    spec, n, step = posterior.spec, posterior.n_parameters, 1e-5
    points = np.random.default_rng(3).normal(np.where(posterior.is_sd, -2, 0), 0.5, (4, n))

    def values(parameters: np.ndarray) -> dict[str, np.ndarray]:
        drawn = draw_effects(posterior, parameters, _rng())
        return {block.name: drawn[block.name] for block in posterior.blocks}

    def independent(found: dict[str, np.ndarray]) -> np.ndarray:
        """Return the sds and the correlations below the diagonal."""
        below = {"level_correlation": found["level_correlation"][:, *np.tril_indices(3, -1)]}
        return np.concatenate([each.reshape(n, -1) for each in (found | below).values()], axis=1)

    for point in points:
        ends = [independent(values(point + sign * step * np.eye(n))) for sign in (1, -1)]
        jacobian = np.linalg.slogdet((ends[0] - ends[1]) / (2 * step))[1]
        densities = [
            spec.priors[name].log_density(each[0]).sum()
            for name, each in values(point[None]).items()
        ]
        found = log_prior(spec, posterior.blocks, point[None])[0]
        assert found == pytest.approx(sum(densities) + jacobian, abs=1e-7)  # of differences


def test_one_thread_of_linear_algebra_while_sampling_and_as_many_as_before_after(
    toy_table: pd.DataFrame, monkeypatch: pytest.MonkeyPatch
) -> None:
    from threadpoolctl import threadpool_info, threadpool_limits

    def threads() -> set[int]:
        return {each["num_threads"] for each in threadpool_info() if each["user_api"] == "blas"}

    within: list[set[int]] = []

    def watched(*arguments: Any) -> Any:
        within.append(threads())
        return importance_resample(*arguments)

    monkeypatch.setattr("bayesbias.sampling.exact.importance_resample", watched)
    posterior = collapse(make_design(toy_table), load_model("paper"))
    with threadpool_limits(2, user_api="blas"):
        assert threads() == {2}
        sample_exact(posterior, 100, _rng())
        assert threads() == {2}
    assert within == [{1}]


@pytest.fixture(scope="module")
def contradicted() -> tuple[Design, ModelSpec]:
    """Return distances near .4 for sixteen words, with a prior for their mean of 1 ± .055."""
    noise = 0.03 * np.random.default_rng(0).standard_normal(16 * 16)
    table = grid(16, 16, 0.4 + noise, ("associated", "different"))
    spec = load_model("paper").with_priors({"connection_mean": {"sd": 0.055}})
    return make_design(table), spec


@pytest.mark.seconds
def test_two_modes_are_drawn_in_their_shares(contradicted: tuple[Design, ModelSpec]) -> None:
    """Compare with sums over a grid of the three sds. Fits of this posterior have a warning."""
    posterior = collapse(*contradicted)
    wide, narrow = np.linspace(-11, 1, 181), np.linspace(-3.8, -3.2, 25)
    points = np.stack(np.meshgrid(wide, wide, narrow, indexing="ij"), axis=-1).reshape(-1, 3)
    density = log_density(posterior, points)
    weight = np.exp(density - density.max())
    both = np.minimum(points[:, 0], points[:, 1]) > -2
    expected = weight[both].sum() / weight.sum()
    assert 0.05 < expected < 0.95
    for seed in range(4):
        drawn = sample_exact(posterior, 4000, np.random.default_rng(seed))
        found = (drawn.values["connection_sd"].min(axis=1) > np.exp(-2)).mean()
        assert drawn.n_modes > 1
        error = np.sqrt(expected * (1 - expected) / min(drawn.importance_ess, 4000))
        assert found == pytest.approx(expected, abs=4 * error + 0.005)  # and the grid's own
    with pytest.warns(bb.warnings.PriorConflict):
        fit_design(*contradicted, draws=500, seed=1)


def drawn_sd(density: Callable[[np.ndarray], np.ndarray], mode: float, n_draws: int) -> Drawn:
    """Draw the log of one sd of two observations from a density."""
    one = Fields(is_sd=np.array([True]), n_parameters=1, design=Fields(y=np.array([-1.0, 1.0])))
    one.spec = Fields(priors={"sd": Prior("half_normal", {"sd": 1})})
    one.blocks = [Block("sd", (), slice(0, 1))]
    known = _surroundings(one, density, np.array([mode]))
    return _drawn(*known, n_draws, np.random.default_rng(1))


@pytest.mark.parametrize(("share", "n"), [(0.004, 1), (0.02, 2), (0.5, 2)])
def test_a_mode_counts_from_a_hundredth_of_the_draws(share: float, n: int) -> None:
    def density(points: np.ndarray) -> np.ndarray:
        peaks = norm([-1, -4], 0.2).logpdf(points) + np.log([1 - share, share])
        return np.asarray(np.logaddexp(*peaks.T))

    _, log_sds, n_modes, _ = drawn_sd(density, -1.0, 10_000)
    assert n_modes == n
    # five standard errors of independent draws
    assert (log_sds < -2.5).mean() == pytest.approx(share, abs=5 * np.sqrt(share / 10_000))


@pytest.mark.parametrize("levels", [np.positive, np.sign])
def test_rounding_errors_at_tiny_sds_are_no_mass(levels: np.ufunc) -> None:
    """A half-normal sd; its density below e^-9 is wrong by ±40, as of words shared by two sets.

    Errors of few levels are often equal at neighbors.
    """

    def density(points: np.ndarray) -> np.ndarray:
        log_sd = points[:, 0]
        error = np.where(log_sd < -9, 40 * levels(np.sin(1e6 * log_sd)), 0)
        return log_sd - np.exp(2 * log_sd) / 2 + error

    drawn, log_sds, n_modes, _ = drawn_sd(density, 0.0, 20_000)
    assert drawn.pareto_k < 0.7
    assert n_modes == 1
    moments = [np.exp(power * log_sds).mean() for power in (1, 2)]
    # four standard errors of 20,000 draws with sds of .60 and 1.41
    assert moments == pytest.approx([np.sqrt(2 / np.pi), 1], abs=0.04)


@pytest.mark.parametrize(("shape", "lost"), [(0.05, True), (0.3, True), (1, False), (2, False)])
def test_a_pole_with_much_mass_below_all_trials_is_found(shape: float, *, lost: bool) -> None:
    """Gamma sds have a pole if their shape is below one, and a known share below e^-12."""
    trial = np.linspace(-12, 3, 61)
    assert _has_pole(trial, loggamma(shape).logpdf(trial)[None]).tolist() == [lost]
    assert (gamma(shape).cdf(np.exp(-12)) > 0.002) == lost
    narrow = loggamma(shape, loc=-8).logpdf(trial)[None]  # an offset is enough
    assert _has_pole(trial, narrow).tolist() == [lost]


@pytest.mark.parametrize("shape", [0.3, 0.45])
def test_sds_with_little_mass_below_the_lowest_range_are_drawn(shape: float) -> None:
    drawn, log_sds, _, _ = drawn_sd(
        lambda points: loggamma(shape).logpdf(points[:, 0]), 0.0, 20_000
    )
    assert drawn.pareto_k < 0.7
    for at in (-12, -8, -4, -1):
        share = gamma(shape).cdf(np.exp(at))
        error = np.sqrt(share * (1 - share) / 20_000)
        assert (log_sds < at).mean() == pytest.approx(share, abs=4 * error), at


@pytest.mark.seconds
def test_sds_of_a_millionth_are_no_pole() -> None:
    table = bb.distance_table("glove-demo", "weat7")
    y, found = table["cosine_distance"], []
    for scale in (1e-2, 1e-4):
        moved = table.assign(cosine_distance=y.mean() + scale * (y - y.mean()))
        tree = bb.fit(moved, "crossed", method="exact", seed=1)
        assert tree["sample_stats"]["pareto_k"] < 0.7
        found.append(bb.contrasts(tree)[["mean", "sd", "low", "high"]] / scale)
    coarse, fine = found
    # Errors of 4,000 draws; another seed moves means by .02 of a width.
    near = 0.05 * (coarse["high"] - coarse["low"])
    for column in ("mean", "sd"):
        assert ((fine[column] - coarse[column]).abs() < near).all()


def test_a_prior_with_a_pole_gives_a_warning(neutral: Design) -> None:
    priors = {"connection_sd": Prior("gamma", {"shape": 0.05, "rate": 0.05})}
    how = {"method": "exact", "draws": 50, "seed": 1}
    with pytest.warns(bb.warnings.HighParetoK):
        fit_design(neutral, load_model("paper"), priors=priors, **how)


@pytest.mark.parametrize(
    ("ks", "kept", "left"),
    [
        ((0.5, 0.1), 0.5, 1),
        ((0.9, 0.6, 0.1), 0.6, 1),
        ((np.inf, 0.8), 0.8, 0),
        ((np.nan, 0.9), 0.9, 0),
    ],
)
def test_proposals_are_fitted_again_while_pareto_k_is_high(ks, kept: float, left: int) -> None:
    tries = ((Fields(pareto_k=k), np.zeros(0), 1, np.zeros(0)) for k in ks)
    assert _first_reliable(tries)[0].pareto_k == kept
    assert len([*tries]) == left


@pytest.mark.parametrize("first", [0, 1])
def test_all_modes_are_found_from_any_of_them(first: int) -> None:
    """Two Gaussian peaks of a log sd, 3 apart and .2 wide: no slope connects them."""
    peaks = np.array([-4.0, -1.0])

    def density(points: np.ndarray) -> np.ndarray:
        return np.logaddexp(*(-(((points[:, 0] - at) / 0.2) ** 2) / 2 for at in peaks))

    one = Fields(is_sd=np.array([True]), n_parameters=1, design=Fields(y=np.array([-1.0, 1.0])))
    start = peaks[[first]]
    trial = np.linspace(-12, 3, 61)
    along = _along_sds(one, density, start, trial)
    found = _all_modes(one, density, Fields(mode=start, trial=trial, along=along))
    # L-BFGS stops at small gradients; its forward differences are off by a step of 1e-6.
    np.testing.assert_allclose(found[:, 0], [peaks[first], peaks[1 - first]], atol=1e-3)


def test_words_that_sets_share_bring_no_rounding_errors() -> None:
    """At tiny sds, rounding errors of this list were once above its mode, and k was infinite."""
    groups = {"m": ["he", "man", "boy"], "w": ["she", "woman", "girl"]}
    stereotypes = {"m": ["career", "work", "home"], "w": ["home", "family", "work"]}
    words = bb.WordList(name="both", groups=groups, stereotypes=stereotypes)
    controlled = bb.matched_controls("glove-demo", words, seed=1)
    with pytest.warns(bb.warnings.WordsInTwoSets):
        design = make_design(bb.distance_table("glove-demo", controlled))
    posterior = collapse(design, load_model("by-group").fitting(design))
    drawn = sample_exact(posterior, 1000, np.random.default_rng(1), effects=False)
    assert drawn.pareto_k < 0.7
    assert drawn.n_modes == 1


def test_a_plateau_where_prior_and_likelihood_cancel_has_no_mass_below() -> None:
    """A density rises as sd² up to the resolution of the data, and one df makes it level above.

    Compare with sums over a grid of the sds of the connection and of the residuals.
    """
    n, sigma = 200, 0.02
    noise = np.random.default_rng(0).standard_normal((2, n))
    apart = np.array([[1], [-1]]) * sigma / np.sqrt(2 * n) * 2  # two standard errors
    y = 1 + sigma * (noise - noise.mean(axis=1, keepdims=True)) + apart
    prior = Prior("gamma", {"shape": 2, "rate": 3})
    spec = load_model("paper").with_priors({"connection_sd": prior})
    posterior = collapse(make_design(grid(2, n, y.ravel(), ("neutral",))), spec)
    wide, narrow = np.linspace(-11, 2.5, 271), np.linspace(-4.3, -3.5, 41)
    points = np.stack(np.meshgrid(wide, narrow, indexing="ij"), axis=-1).reshape(-1, 2)
    density = log_density(posterior, points)
    weights = np.exp(density - density.max())
    drawn = sample_exact(posterior, 40_000, np.random.default_rng(1)).parameters[:, 0]
    for below in (-6.025, -5.025, -3.975):  # between points of the grid
        expected = weights[points[:, 0] < below].sum() / weights.sum()
        error = np.sqrt(expected / len(drawn))
        assert (drawn < below).mean() == pytest.approx(expected, abs=4 * error), below


def test_the_range_of_sds_moves_with_the_scale_of_large_outcomes() -> None:
    y = np.array([-1.0, 1.0])  # with an sd of one
    ranges = [bounds_of(Fields(design=Fields(y=scale * y))) for scale in (0.1, 1, 1e5)]
    assert ranges[0] == ranges[1]
    np.testing.assert_allclose(np.subtract(ranges[2], ranges[1]), np.log(1e5))


def test_draws_do_not_depend_on_rounding_of_the_likeness(toy_table: pd.DataFrame) -> None:
    """Unrelated words have equal variances in all directions, so rounding selects the axes."""
    design = make_design(toy_table)
    spec = load_model("by-group").fitting(design)
    draws = []
    for size in (0.0, 1e-13):
        noise = size * np.random.default_rng(1).standard_normal((2, 20, 20))
        matrices = [
            np.eye(len(names)) + (part + part.T)[: len(names), : len(names)]
            for names, part in zip((design.words, design.attributes), noise, strict=True)
        ]
        alike = replace(design, word_likeness=matrices[0], attribute_likeness=matrices[1])
        posterior = collapse(alike, spec)
        parameters = np.full((3, posterior.n_parameters), -2.0)
        draws.append(draw_effects(posterior, parameters, np.random.default_rng(2)))
    for name, values in draws[0].items():
        np.testing.assert_allclose(values, draws[1][name], atol=1e-9)  # 1e-13 / sds of 1e-4


def test_the_stored_density_is_that_of_the_log_sds(toy_table: pd.DataFrame) -> None:
    """Integrate the means of `paper` out of a dense Normal, given each draw of the sds."""
    tree = bb.fit(toy_table, "paper", draws=100, chains=2, seed=1)
    names = [*tree["posterior"]["connection"].values]
    stats = tree["sample_stats"]["lp"].values.ravel()
    drawn = tree["posterior"].to_dataset().stack(sample=("chain", "draw"))
    of = toy_table["connection"].astype(str).to_numpy()
    word = toy_table["protected_word"].astype(str).to_numpy()
    same = of[:, None] == of
    both = same & (word[:, None] == word)
    y, gaps = toy_table["cosine_distance"].to_numpy(), []
    for i in range(0, len(stats), 10):
        sds = drawn["connection_sd"].isel(sample=i).to_numpy()
        sigma = float(drawn["sigma"].isel(sample=i).to_numpy().ravel()[0])
        by_row = sds[[names.index(name) for name in of]]
        covariance = 0.3**2 * same + by_row**2 * both + sigma**2 * np.eye(len(y))
        density = multivariate_normal(np.ones(len(y)), covariance).logpdf(y)
        all_sds = np.array([*sds, sigma])
        density += (expon(scale=1 / 2).logpdf(all_sds) + np.log(all_sds)).sum()
        gaps.append(stats[i] - density)
    np.testing.assert_allclose(gaps, gaps[0], atol=1e-6)  # equal up to a constant
