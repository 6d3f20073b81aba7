"""Correlation where scores and biases are both uncertain."""

from __future__ import annotations

import numpy as np
import pytest
from builders import refused
from scipy import stats

from bayesbias.extrinsic import TprGaps, correlate, correlate_draws
from bayesbias.extrinsic.latent import _noise

Draws = tuple[np.ndarray, np.ndarray]


def units(n: int, rho: float, reliability: float, rng: np.random.Generator) -> Draws:
    """Draws of two sides: true values of sd 1, and noise in estimates and around them."""
    sd = np.sqrt(1 / reliability - 1)
    true = rng.multivariate_normal([0, 0], [[1, rho], [rho, 1]], n).T
    estimates = true + sd * rng.normal(size=true.shape)
    first, second = (each + sd * rng.normal(size=(500, n)) for each in estimates)
    return first, second


def test_the_posterior_is_that_of_the_normal_density_itself() -> None:
    """Means, sds and correlation on a coarse grid, by scipy's density of all 2n numbers."""
    rng = np.random.default_rng(1)
    mix = rng.normal(size=(5, 5))
    first = [-0.4, 0.1, 0.3, 0.9, 1.0] + rng.normal(size=(300, 5)) @ mix / 4
    second = np.array([0.2, -0.3, 0.6, 0.5, 1.1])
    mean, noise = first.mean(axis=0), _noise(first)
    assert noise == pytest.approx(np.cov(first, rowvar=False), abs=0.01)  # hardly shrunk
    scale = mean.std(ddof=1), second.std(ddof=1)
    zeros, eye = np.zeros((5, 5)), np.eye(5)
    top = 1 + 6 / np.sqrt(5)  # flat up to there, in sds of the means
    sds, rhos = (np.arange(12) + 0.5) / 12 * top, (np.arange(20) + 0.5) / 10 - 1
    wide = 1e4 * np.kron(np.eye(2), np.ones((5, 5)))  # flat means, nearly
    weights = np.zeros(20)
    for one in sds * scale[0]:
        for other in sds * scale[1]:
            for at, rho in enumerate(rhos):
                across = rho * one * other * eye
                blocks = [[noise + one**2 * eye, across], [across, zeros + other**2 * eye]]
                density = stats.multivariate_normal(np.zeros(10), np.block(blocks) + wide)
                weights[at] += density.pdf([*mean, *second])
    expected = weights @ rhos / weights.sum()
    found = correlate_draws(first, second)
    assert found.r == pytest.approx(expected, abs=0.01)  # 12 nodes and 20 cells
    assert found.p_positive == pytest.approx(weights[10:].sum() / weights.sum(), abs=0.01)


def test_without_noise_it_is_the_usual_interval() -> None:
    rng = np.random.default_rng(2)
    x, y = rng.multivariate_normal([0, 0], [[1, 0.6], [0.6, 1]], 80).T
    found, usual = correlate_draws(3 * x + 1, y), correlate(x, y)
    assert found.of_means == pytest.approx(usual.r)
    assert found.reliabilities == (1, 1)
    # A posterior under a flat prior and an interval by Fisher's z differ by about 1/n.
    assert (found.r, found.low, found.high) == pytest.approx(
        (usual.r, usual.low, usual.high), abs=0.02
    )


def test_noise_attenuates_what_the_means_show_and_not_the_posterior() -> None:
    """Spearman's formula: .8 at reliabilities of .5 shows as .4."""
    first, second = units(100, 0.8, 0.5, np.random.default_rng(3))
    found = correlate_draws(first, second)
    seen = correlate(first.mean(axis=0), second.mean(axis=0))
    # Of 100 units: the sd of a correlation of .4 is .08, of a reliability of .5 some .07.
    assert found.of_means == pytest.approx(0.4, abs=0.2)
    assert found.reliabilities == pytest.approx((0.5, 0.5), abs=0.2)
    assert found.low < 0.8 < found.high
    assert seen.high < 0.8


def test_it_covers_as_it_says_where_the_means_alone_do_not() -> None:
    """Sets of 8 units of any correlation, reliabilities of .5."""
    rng, inside, usual = np.random.default_rng(4), 0, 0
    for _ in range(40):
        rho = rng.uniform(-1, 1)
        first, second = units(8, rho, 0.5, rng)
        found = correlate_draws(first, second)
        seen = correlate(first.mean(axis=0), second.mean(axis=0))
        inside += found.low <= rho <= found.high
        usual += seen.low <= rho <= seen.high
    assert inside >= 31  # of 40 at .89; fewer have probability .01
    assert usual < inside - 4


def test_units_of_independent_noise_do_not_seem_to_share_it() -> None:
    draws = np.random.default_rng(5).normal(size=(300, 40))
    apart, seen = (each - np.diag(np.diag(each)) for each in (_noise(draws), np.cov(draws.T)))
    assert np.abs(apart).max() < 0.1 * np.abs(seen).max()
    exact = draws * (np.arange(40) > 0)  # one unit that is known exactly
    assert _noise(exact)[0].tolist() == [0.0] * 40
    assert (_noise(np.ones((9, 4))) == 0).all()


def test_draws_of_a_gap_have_the_moments_of_two_betas() -> None:
    gaps = TprGaps(
        ("a", "b"), ("f", "m"), np.array([[0.9, 1.0], [0.5, np.nan]]), np.array([[10, 4], [2, 0]])
    )
    draws = gaps.gap_draws(20_000, seed=1)
    betas = stats.beta(9.5, 1.5), stats.beta(4.5, 0.5)
    sd = np.sqrt(sum(each.var() for each in betas))
    assert draws.shape == (20_000, 2)
    assert draws[:, 0].mean() == pytest.approx(betas[0].mean() - betas[1].mean(), abs=4 * sd / 141)
    assert draws[:, 0].std() == pytest.approx(sd, rel=0.03)  # its own sd is .5% of it
    assert np.isnan(draws[:, 1]).all()
    assert (gaps.gap_draws(5, seed=2)[:, 0] == gaps.gap_draws(5, seed=2)[:, 0]).all()


def test_what_cannot_be_correlated_is_refused() -> None:
    four = [0.1, 0.2, 0.4, 0.3]
    refused(r"more of them than units.* got shape \(4, 4\)", correlate_draws, np.eye(4), four)
    refused("scores must be finite", correlate_draws, np.full((9, 4), np.nan), four)
    refused("all 4 biases are equal", correlate_draws, four, [1, 1, 1, 1])
    refused("4 or more numbers each", correlate_draws, four[:3], four[:3])
    refused("same order; got shapes", correlate_draws, [*four, 1.0], four)
