"""Importance resampling of densities whose moments are known."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import gamma, kstest, multivariate_normal, norm

from bayesbias.importance import find_mode, importance_resample

BOUNDS = (-12.0, 12.0)
N = 4000


def rng() -> np.random.Generator:
    return np.random.default_rng(4)


def correlated(points: np.ndarray) -> np.ndarray:
    """Normal of means (1, -2, 0), sds (1, .1, 3), first two correlated .95."""
    return np.asarray(multivariate_normal(MEAN, COVARIANCE).logpdf(points)) - 700  # any constant


MEAN = np.array([1.0, -2.0, 0.0])
COVARIANCE = np.array([[1.0, 0.095, 0.0], [0.095, 0.01, 0.0], [0.0, 0.0, 9.0]])


def log_gamma(points: np.ndarray) -> np.ndarray:
    """Log of a Gamma(0.7, 1): a long lower tail, as a log sd has that may be zero."""
    x = points[:, 0]
    return np.asarray(0.7 * x - np.exp(x))


def funnel(points: np.ndarray) -> np.ndarray:
    """Neal's funnel in ten dimensions: no Student-t reaches its neck and its mouth."""
    v, rest = points[:, 0], points[:, 1:]
    return np.asarray(-(v**2) / 18 - 0.5 * (rest**2).sum(axis=1) * np.exp(-v) - 4.5 * v)


def test_the_mode_is_found_and_stays_inside_the_bounds() -> None:
    np.testing.assert_allclose(find_mode(correlated, np.zeros(3), BOUNDS), MEAN, atol=1e-3)
    np.testing.assert_allclose(find_mode(correlated, np.zeros(3), (-1, 1))[1], -1)


def test_a_correlated_normal_is_drawn_nearly_without_weights() -> None:
    found = importance_resample(correlated, MEAN, N, rng())
    sds = np.sqrt(np.diag(COVARIANCE))
    # Independent draws: errors of sd / sqrt(N), four of them.
    np.testing.assert_array_less(abs(found.points.mean(axis=0) - MEAN), 4 * sds / np.sqrt(N))
    np.testing.assert_allclose(found.points.std(axis=0), sds, rtol=4 / np.sqrt(2 * N))
    correlation = np.corrcoef(found.points.T)[0, 1]
    assert correlation == pytest.approx(0.95, abs=4 * (1 - 0.95**2) / np.sqrt(N))
    assert found.pareto_k < 0.5
    assert found.ess > 0.5 * found.n_proposals  # Student-t(5) against a normal, three dimensions
    np.testing.assert_allclose(found.log_p, correlated(found.points))


def test_draws_seldom_repeat() -> None:
    """So that four thousand draws are worth four thousand, to an estimate of any kind."""
    for log_density, start in ((correlated, MEAN), (log_gamma, np.zeros(1))):
        found = importance_resample(log_density, start, N, rng())
        assert len(np.unique(found.points, axis=0)) > 0.99 * N
        assert found.n_proposals < 4 * N  # and no more work than that takes


def test_a_skewed_density_is_drawn_faithfully() -> None:
    found = importance_resample(log_gamma, np.zeros(1), N, rng())
    assert found.pareto_k < 0.7
    # A wrong shape is found at .001; right draws fail one time in a thousand, and the seed is set.
    assert kstest(np.exp(found.points[:, 0]), gamma(0.7).cdf).pvalue > 0.001


def test_a_shape_that_no_proposal_covers_is_flagged() -> None:
    assert importance_resample(funnel, np.zeros(10), N, rng()).pareto_k > 0.7


def test_two_far_modes_are_flagged_or_drawn() -> None:
    """A search from one start may miss a mode; what it must not do is fail silently at random."""

    def two(points: np.ndarray) -> np.ndarray:
        return np.logaddexp(norm(-3, 1).logpdf(points[:, 0]), norm(3, 1).logpdf(points[:, 0]))

    found = importance_resample(two, np.array([-3.0]), N, rng())
    share = float((found.points > 0).mean())
    assert found.pareto_k > 0.7 or share == pytest.approx(0.5, abs=4 * 0.5 / np.sqrt(N))


def test_equal_states_give_equal_draws() -> None:
    first, again = (importance_resample(log_gamma, np.zeros(1), 50, rng()) for _ in "12")
    np.testing.assert_array_equal(first.points, again.points)
    assert first.pareto_k == again.pareto_k


def test_minus_infinity_is_never_drawn() -> None:
    def half(points: np.ndarray) -> np.ndarray:
        return np.where(points[:, 0] > -1, -0.5 * points[:, 0] ** 2, -np.inf)

    found = importance_resample(half, np.ones(1), N, rng())
    assert (found.points > -1).all()


def test_a_part_that_the_pilot_missed_is_found_by_drawing_again(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Three parts in a hundred lie nine sds away, and the pilot of this seed sees hardly any."""

    def two(points: np.ndarray) -> np.ndarray:
        near = -0.5 * (points**2).sum(axis=1)
        far = -0.125 * ((points + 9) ** 2).sum(axis=1) + np.log(0.03 / 4)
        return np.logaddexp(near, far)

    found = importance_resample(two, np.zeros(2), N, np.random.default_rng(35))
    assert found.pareto_k < 0.7
    share = float((found.points[:, 0] < -4.5).mean())
    # Share .03 / 1.03 less what of it lies above -4.5 (.012); weights of ess over 7,000.
    assert share == pytest.approx(0.0288, abs=4 * np.sqrt(0.0288 / N))
    monkeypatch.setattr("bayesbias.importance.MOST_RETRIES", 0)
    assert importance_resample(two, np.zeros(2), N, np.random.default_rng(35)).pareto_k > 0.7
