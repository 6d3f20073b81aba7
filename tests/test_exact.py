"""Exact draws against a brute-force grid, against NUTS, and under hard designs."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd
import pytest
from builders import grid
from scipy.stats import multivariate_normal

import bayesbias as bb
from bayesbias.model.design import Design, make_design
from bayesbias.model.spec import ModelSpec, load_model
from bayesbias.sampling.collapsed import log_density
from bayesbias.sampling.exact import (
    Coordinates,
    _along_sds,
    _bounds,
    _resolution,
    draw_effects,
    sample_exact,
)
from bayesbias.sampling.fit import fit, fit_design
from bayesbias.sampling.importance import importance_resample
from bayesbias.sampling.parameters import log_prior
from bayesbias.sampling.reduction import collapse


def grid_moments(table: pd.DataFrame) -> tuple[float, float, float]:
    """Posterior mean and sd of connection_mean and mean of connection_sd, by brute force.

    A grid over both log sds, on each point the dense Gaussian of all rows and of the mean.
    """
    y = table["cosine_distance"].to_numpy() - 1
    word = pd.factorize(table["protected_word"])[0]
    same = word[:, None] == word
    log_tau, log_sigma = np.linspace(-9, 1, 161), np.linspace(-3.4, -1.6, 61)
    weights, means, squares, taus = [], [], [], []
    for tau in np.exp(log_tau):
        for sigma in np.exp(log_sigma):
            within = tau**2 * same + sigma**2 * np.eye(len(y))
            evidence = multivariate_normal(np.zeros(len(y)), within + 0.09).logpdf(y)
            log_prior = -2 * (tau + sigma) + np.log(tau) + np.log(sigma)
            precision = 1 / 0.09 + np.linalg.solve(within, np.ones(len(y))).sum()
            mean = np.linalg.solve(within, y).sum() / precision
            weights.append(evidence + log_prior)
            means.append(1 + mean)
            squares.append(1 / precision + (1 + mean) ** 2)
            taus.append(tau)
    weight = np.exp(np.array(weights) - max(weights))
    weight /= weight.sum()
    mean = float(weight @ means)
    return mean, float(np.sqrt(weight @ squares - mean**2)), float(weight @ taus)


def test_draws_match_a_brute_force_grid() -> None:
    rng = np.random.default_rng(5)
    mean, noise = 0.9 + 0.1 * rng.standard_normal(4), 0.08 * rng.standard_normal(20)
    table = grid(4, 5, mean.repeat(5) + noise, ("neutral",))
    mean, sd, tau = grid_moments(table)
    draws = sample_exact(collapse(make_design(table), load_model("paper")), 40_000, _rng())
    values = draws.values["connection_mean"][:, 0]
    # 40,000 independent draws: standard error sd / 200; four of them, and as much for the sds.
    assert values.mean() == pytest.approx(mean, abs=4 * sd / 200)
    assert values.std() == pytest.approx(sd, rel=0.03)  # heavy tails: kurtosis widens its error
    taus = draws.values["connection_sd"][:, 0]
    assert taus.mean() == pytest.approx(tau, abs=4 * taus.std() / 200)


def _rng() -> np.random.Generator:
    return np.random.default_rng(1)


@pytest.mark.parametrize("spec", ["paper", "paper-figures", "crossed"])
def test_one_row_in_a_connection_gives_a_wide_finite_posterior(
    toy_table: pd.DataFrame, spec: str
) -> None:
    human = toy_table.index[toy_table["connection"] == "human"]
    post = fit(toy_table.drop(index=human[1:]), spec, method="exact", seed=2)
    sd = post["posterior"]["connection_mean"].std(("chain", "draw")).to_series()
    assert np.isfinite(sd).all()
    assert sd["human"] > 1.3 * sd["neutral"]


def test_hundred_thousand_rows_and_five_hundred_words() -> None:
    rng = np.random.default_rng(0)
    table = grid(500, 200, 0.9 + 0.05 * rng.standard_normal(100_000))
    post = fit(table, "crossed", method="exact", draws=250, seed=1)
    means = post["posterior"]["connection_mean"]
    assert float(abs(means.mean(("chain", "draw")) - 0.9).max()) < 0.005  # five sds of the truth
    assert float(post["sample_stats"]["pareto_k"]) < 0.7


def test_prior_of_the_parameters_is_that_of_sds_and_correlations(toy_table: pd.DataFrame) -> None:
    """Carried over by a determinant of central differences."""
    posterior = collapse(make_design(toy_table), load_model("maximal"))
    spec, n, step = posterior.spec, posterior.n_parameters, 1e-5
    points = np.random.default_rng(3).normal(np.where(posterior.is_sd, -2, 0), 0.5, (4, n))

    def values(parameters: np.ndarray) -> dict[str, np.ndarray]:
        drawn = draw_effects(posterior, parameters, _rng())
        return {block.name: drawn[block.name] for block in posterior.blocks}

    def independent(found: dict[str, np.ndarray]) -> np.ndarray:
        """Sds, and what is below the diagonal of the matrix of correlations."""
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


def test_coordinates_carry_the_density_of_log_sds_over(toy_table: pd.DataFrame) -> None:
    """The two densities differ by the derivative of one coordinate after the other."""
    posterior = collapse(make_design(toy_table), load_model("paper"))
    n = posterior.n_parameters
    coordinates = Coordinates(posterior, np.exp(np.linspace(-6, 0, n)))
    log_sds = np.random.default_rng(2).normal(-2, 1, (5, n))
    points = coordinates.points(log_sds)
    np.testing.assert_allclose(coordinates.parameters(points), log_sds, atol=1e-12)  # rounding
    step = 1e-5
    after, before = (coordinates.parameters(points + move) for move in (step, -step))
    slope = (after - before) / (2 * step)
    expected = log_density(posterior, log_sds) + np.log(slope).sum(axis=1)
    # Central differences: step squared times third derivatives, at most some thousands.
    np.testing.assert_allclose(coordinates.log_density(points), expected, atol=1e-5)


@pytest.mark.parametrize("spec", ["paper", "crossed"])
def test_offsets_are_where_the_data_begin_to_tell_an_sd(toy_table: pd.DataFrame, spec: str) -> None:
    posterior = collapse(make_design(toy_table), load_model(spec))
    mode = np.linspace(-3, -2, posterior.n_parameters)
    offset = np.log(_resolution(posterior, *_along_sds(posterior, mode)))
    assert ((offset > -12) & (offset < 0)).all()

    def told(index: int, log_sd: float) -> float:
        """Change in the density of the sd itself from one of e^-12, all others at the mode."""
        points = np.repeat(mode[None], 2, axis=0)
        points[:, index] = log_sd, -12
        here, zero = log_density(posterior, points) - points[:, index]
        return float(abs(here - zero))

    for index, log_sd in enumerate(offset):
        assert told(index, log_sd) >= 0.25
        assert max(told(index, at) for at in np.arange(-12, log_sd - 0.2, 0.25)) < 0.25


@pytest.mark.parametrize(("sd", "moved"), [(0.01, 0.0), (1.0, 0.0), (np.exp(4), 4.0)])
def test_the_mode_is_sought_in_the_scale_of_wide_outcomes(
    toy_table: pd.DataFrame, sd: float, moved: float
) -> None:
    design = make_design(toy_table)
    design = replace(design, y=design.y * sd / design.y.std())
    found = _bounds(collapse(design, load_model("paper")))
    assert found == pytest.approx((-12 + moved, 3 + moved), abs=1e-12)  # rounding of a logarithm


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
    """Distances near .4 of sixteen words, and a prior of their mean of 1, give or take .055."""
    noise = 0.03 * np.random.default_rng(0).standard_normal(16 * 16)
    table = grid(16, 16, 0.4 + noise, ("associated", "different"))
    spec = load_model("paper").with_priors({"connection_mean": {"sd": 0.055}})
    return make_design(table), spec


def test_two_modes_are_drawn_in_their_shares(contradicted: tuple[Design, ModelSpec]) -> None:
    """Held against sums over a grid of all three sds."""
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


def test_two_modes_are_told(contradicted: tuple[Design, ModelSpec]) -> None:
    with pytest.warns(bb.SamplingWarning, match="modes: the prior of connection_mean and the data"):
        fit_design(*contradicted, draws=500, seed=1)


def test_draws_do_not_depend_on_rounding_of_the_likeness(toy_table: pd.DataFrame) -> None:
    """Unrelated words have equal variances in all directions, whose choice is rounding."""
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
        np.testing.assert_allclose(values, draws[1][name], atol=1e-9)  # 1e-13, over 1e-4 of sds
