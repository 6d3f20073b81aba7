"""Importance resampling of densities with known moments."""

import numpy as np
import pytest
from arviz_stats.base import array_stats
from scipy.integrate import quad
from scipy.stats import gamma, halfnorm, kstest, multivariate_normal, norm, t

from bayesbias.sampling.importance import (
    Proposal,
    _at_modes,
    _fitted_part,
    _resample,
    _two_pieces,
    curvature,
    find_mode,
    importance_resample,
    reweighed,
)
from bayesbias.sampling.pareto import smoothed_tail

BOUNDS = (-12.0, 12.0)
N = 4000


def rng() -> np.random.Generator:
    return np.random.default_rng(4)


def correlated(points: np.ndarray) -> np.ndarray:
    """Normal with means (1, -2, 0), sds (1, .1, 3), and a correlation of .95 between two."""
    return np.asarray(multivariate_normal(MEAN, COVARIANCE).logpdf(points)) - 700  # any constant


MEAN = np.array([1.0, -2.0, 0.0])
COVARIANCE = np.array([[1.0, 0.095, 0.0], [0.095, 0.01, 0.0], [0.0, 0.0, 9.0]])


def log_gamma(points: np.ndarray) -> np.ndarray:
    """Log of a Gamma(0.7, 1), with a long lower tail like the log of an sd that may be zero."""
    x = points[:, 0]
    return np.asarray(0.7 * x - np.exp(x))


def funnel(points: np.ndarray) -> np.ndarray:
    """Neal's funnel in ten dimensions: no Student-t covers both its neck and its mouth."""
    v, rest = points[:, 0], points[:, 1:]
    return np.asarray(-(v**2) / 18 - 0.5 * (rest**2).sum(axis=1) * np.exp(-v) - 4.5 * v)


def steep(points: np.ndarray) -> np.ndarray:
    """A steep density that is undefined above 2, which the first step reaches."""
    assert (points <= 2).all()
    return np.asarray(60 * points - np.exp(4 * points)).sum(axis=1)


@pytest.mark.parametrize(
    ("density", "start", "bounds", "mode"),
    [
        (correlated, np.zeros(3), BOUNDS, MEAN),
        # The first parameter follows the second, which is fixed there: the slope is .95 / .1.
        (correlated, np.zeros(3), (-1.9, 12.0), [1 + 9.5 * 0.1, -1.9, 0]),
        (steep, np.full(2, -3.0), (-5.0, 2.0), np.full(2, np.log(15) / 4)),
    ],
)
def test_the_mode_is_found_within_the_bounds(density, start, bounds, mode) -> None:
    # The search stops when a density of order 700 changes by less than 1e-6.
    np.testing.assert_allclose(find_mode(density, start, bounds), mode, atol=1e-2)


def test_a_correlated_normal_is_drawn_nearly_without_weights() -> None:
    found = importance_resample(correlated, MEAN, N, rng())
    sds = np.sqrt(np.diag(COVARIANCE))
    # Draws are independent: allow four errors of sd / sqrt(N).
    np.testing.assert_array_less(abs(found.points.mean(axis=0) - MEAN), 4 * sds / np.sqrt(N))
    np.testing.assert_allclose(found.points.std(axis=0), sds, rtol=4 / np.sqrt(2 * N))
    correlation = np.corrcoef(found.points.T)[0, 1]
    assert correlation == pytest.approx(0.95, abs=4 * (1 - 0.95**2) / np.sqrt(N))
    assert found.pareto_k < 0.5
    np.testing.assert_allclose(found.log_p, correlated(found.points))


@pytest.mark.parametrize("n", [1, 3, 16])
def test_few_proposals_are_wasted_on_a_normal(n: int) -> None:
    """A Student-t of the same scale keeps 1 / ∫ N²/t of them in each dimension."""
    sds = np.geomspace(0.1, 3, n)
    tried: list[int] = []

    def density(points: np.ndarray) -> np.ndarray:
        tried.append(len(points))
        return np.asarray(norm(2, sds).logpdf(points).sum(axis=1))

    found = importance_resample(density, np.full(n, 2.0), N, rng())
    df = max(5, n / 2)
    kept = quad(lambda x: norm.pdf(x) ** 2 / t(df).pdf(x), -30, 30)[0] ** -n
    error = 0.01 + 0.005 * n  # scales are estimated
    assert found.ess / found.n_proposals == pytest.approx(kept, rel=error)
    # One and a half effective proposals for each draw, and one pilot.
    assert found.n_proposals == pytest.approx(1.5 * N / kept, rel=error)
    assert sum(tried) == found.n_proposals + 2_000 + 2 * n * (n + 1) + 1
    few = importance_resample(density, np.full(n, 2.0), 10, rng())
    assert few.n_proposals == 4_000


def test_proposals_are_drawn_as_their_density_says() -> None:
    """Coordinates are two-piece Student-t, each piece in proportion to its scale."""
    factor = np.array([[[1.0, 0.0], [0.5, 2.0]], [[0.3, 0.1], [0.0, 0.2]]])
    center, lower = np.array([[-6.0, 0.0], [40.0, 1.0]]), np.array([[1.0, 2.0], [0.5, 1.0]])
    upper = np.array([[3.0, 1.0], [1.5, 0.7]])
    proposal = Proposal(np.array([0.3, 0.7]), center, factor, lower, upper)
    points = proposal.draw(20_000, rng())
    log_q = proposal.log_densities(points)
    apart = []
    for part, (own, n) in enumerate(zip(np.split(points, [6_000]), (6_000, 14_000), strict=True)):
        x = np.linalg.solve(factor[part], (points - center[part]).T).T
        scale = np.where(x < 0, lower[part], upper[part])
        density = np.log(2 / (lower + upper)[part]) + t(5).logpdf(x / scale)
        volume = np.log(abs(np.linalg.det(factor[part])))
        apart.append(log_q[part] - density.sum(axis=1) + volume - np.log(n / 20_000))
        coordinates = np.linalg.solve(factor[part], (own - center[part]).T)
        for of_own, low, up in zip(coordinates, lower[part], upper[part], strict=True):
            assert (of_own < 0).mean() == pytest.approx(low / (low + up), abs=0.02)  # 4 errors
            for piece in (-of_own[of_own < 0] / low, of_own[of_own > 0] / up):
                assert kstest(piece, lambda x: 2 * t(5).cdf(x) - 1).pvalue > 0.001  # seed is fixed
    assert np.ptp(apart) < 1e-9  # a constant


def test_a_component_with_one_effective_point_keeps_most_of_its_shape() -> None:
    """It moves there; its covariance has 5 times the number of parameters as its weight."""
    points = np.array([[1.0, 2.0], [7.0, 7.0], [8.0, 9.0]])
    factor = np.array([[1.0, 0.0], [0.4, 0.5]])
    former = [np.zeros(2), factor, np.array([1.0, 1.0]), np.array([3.0, 1.0])]
    center, found, lower, upper = _fitted_part(former, points, np.array([1.0, 0.0, 0.0]))
    np.testing.assert_allclose(center, points[0])
    scaled = factor * [2.0, 1.0]
    np.testing.assert_allclose(found @ found.T, 10 / 11 * scaled @ scaled.T)
    np.testing.assert_allclose([lower, upper], 1)


def test_no_proposal_is_wide_where_a_density_is_flat() -> None:
    one = _at_modes(lambda x: -50 * x[:, 0] ** 2 + 2 * x[:, 1] ** 2, np.zeros((1, 2)))
    np.testing.assert_allclose(one.factor[0], np.diag([0.1, 0.05**-0.5]), atol=1e-6)
    two = _at_modes(lambda x: -20 * x[:, 0], np.array([[0.0], [1.0]]))
    np.testing.assert_allclose(two.shares, [1 / 1.02, 0.02 / 1.02])  # exp(-20) of the mass


def test_draws_from_an_approximation_get_the_exact_density() -> None:
    drawn = importance_resample(lambda x: norm.logpdf(x[:, 0]), np.zeros(1), N, rng())
    ratios = norm(0.5).logpdf(drawn.points[:, 0]) - norm.logpdf(drawn.points[:, 0])
    again, chosen = reweighed(drawn, ratios, N, rng())
    np.testing.assert_array_equal(again.points, drawn.points[chosen])
    np.testing.assert_allclose(again.log_p, norm(0.5).logpdf(again.points[:, 0]))
    assert again.points.mean() == pytest.approx(0.5, abs=4 / np.sqrt(N))
    assert again.points.std() == pytest.approx(1, abs=0.06)
    # The mean square of the weights is exp(0.5²).
    assert again.ess == pytest.approx(drawn.ess * np.exp(-0.25), rel=0.05)
    assert again.pareto_k < 0.7
    heavy, _ = reweighed(drawn, -np.log(rng().random(N)), N, rng())
    assert heavy.pareto_k == pytest.approx(1, abs=0.25)  # the weights have no mean


def test_a_skewed_density_is_drawn_faithfully() -> None:
    found = importance_resample(log_gamma, np.zeros(1), N, rng())
    assert found.ess > 0.75 * found.n_proposals  # two scales fit its tails
    assert found.pareto_k < 0.7
    # At level .001, correct draws fail for one seed in a thousand. The seed is fixed.
    assert kstest(np.exp(found.points[:, 0]), gamma(0.7).cdf).pvalue > 0.001


def test_a_shape_that_no_proposal_covers_is_flagged() -> None:
    assert importance_resample(funnel, np.zeros(10), N, rng()).pareto_k > 0.7


def test_a_part_that_the_pilot_missed_is_found_by_drawing_again(monkeypatch) -> None:
    """Three percent of the mass is nine sds away, and this seed's pilot finds almost none of it."""

    def two(points: np.ndarray) -> np.ndarray:
        near = -0.5 * (points**2).sum(axis=1)
        far = -0.125 * ((points + 9) ** 2).sum(axis=1) + np.log(0.03 / 4)
        return np.logaddexp(near, far)

    found = importance_resample(two, np.zeros(2), N, np.random.default_rng(44))
    assert found.pareto_k < 0.7
    share = float((found.points[:, 0] < -4.5).mean())
    # The share is .03 / 1.03, minus its part above -4.5 (.012). The ess is over 7,000.
    assert share == pytest.approx(0.0288, abs=4 * np.sqrt(0.0288 / N))
    monkeypatch.setattr("bayesbias.sampling.importance.MOST_RETRIES", 0)
    assert importance_resample(two, np.zeros(2), N, np.random.default_rng(44)).pareto_k > 0.7


def test_resampling_takes_each_point_as_often_as_its_weight_says() -> None:
    weights = np.array([0.02, 0.4, 0.0, 0.08, 0.5])
    counts = np.bincount(_resample(weights, 1000, rng()), minlength=5)
    assert (np.abs(counts - 1000 * weights) <= 1).all()  # systematic: within one
    assert counts[2] == 0


def test_a_mode_without_curvature_leaves_the_drawing_to_the_others() -> None:
    """One of two modes is an isolated point, where the curvature cannot be computed."""

    def log_density(points: np.ndarray) -> np.ndarray:
        inside = np.abs(points[:, 0]) < 10
        alone = points[:, 0] == 50
        return np.where(inside, -0.5 * points[:, 0] ** 2, np.where(alone, -1.0, -np.inf))

    modes = np.array([[0.0], [50.0]])
    with np.errstate(invalid="ignore"):
        found = importance_resample(log_density, modes, 2_000, np.random.default_rng(1))
    assert kstest(found.points[:, 0], "norm").pvalue > 0.01
    with np.errstate(invalid="ignore"), pytest.raises(ValueError, match="not finite around"):
        importance_resample(log_density, modes[1:], 10, np.random.default_rng(1))


def two_peaks(points: np.ndarray) -> np.ndarray:
    """A quarter of the mass has a tenth of the other's width in each of two dimensions."""
    wide = multivariate_normal([-5, -5], np.eye(2)).logpdf(points)
    narrow = multivariate_normal([5, 5], 0.01 * np.eye(2)).logpdf(points)
    return np.asarray(np.logaddexp(np.log(0.75) + wide, np.log(0.25) + narrow))


def test_modes_are_proposed_as_often_as_their_mass_says() -> None:
    proposal = _at_modes(two_peaks, np.array([[-5.0, -5.0], [5.0, 5.0]]))
    np.testing.assert_allclose(proposal.shares, [0.75, 0.25], rtol=0.01)  # differences of .2 sds


def test_the_curvature_of_a_paraboloid_is_its_coefficients() -> None:
    """Differences have no error for squares; products between parameters do not count."""
    second = np.array([[4.0, 1.5], [1.5, 0.01]])
    found = curvature(lambda x: -0.5 * np.einsum("ni,ij,nj->n", x, second, x), np.array([3.0, -2]))
    np.testing.assert_allclose(found, [4, 0.01], rtol=1e-6)  # rounding of differences


def test_the_search_for_a_mode_is_scaled_by_the_curvature() -> None:
    """Sds of .001, 1, and 100: each direction is as long as another, so few steps are needed."""
    tried: list[int] = []

    def density(points: np.ndarray) -> np.ndarray:
        tried.append(len(points))
        return np.asarray(-0.5 * ((points - 1) ** 2 / np.array([1e-6, 1, 4])).sum(axis=1))

    found = find_mode(density, np.array([0.99, -3.0, 7.0]), BOUNDS)
    np.testing.assert_allclose(found, 1, atol=2e-3)  # forward differences
    assert len(tried) < 40  # 25; 61 without scales


@pytest.mark.parametrize(("low", "high"), [(1.0, 1.0), (0.5, 2.0), (3.0, 0.75)])
def test_two_pieces_are_those_of_a_two_piece_normal(low: float, high: float) -> None:
    n_low = round(4000 * low / (low + high))
    below, above = (halfnorm.ppf((np.arange(n) + 0.5) / n) for n in (n_low, 4000 - n_low))
    values = rng().permutation(np.r_[2 - low * below, 2 + high * above])
    found = _two_pieces(values, np.full(4000, 1 / 4000))
    assert found == pytest.approx((2, low, high), rel=1e-3)


@pytest.mark.parametrize("df", [1, 3, 30])
@pytest.mark.parametrize("n", [50, 224, 230, 4000])
def test_smoothed_weights_and_k_are_those_of_arviz(n: int, df: int) -> None:
    logs = 2 * np.log(np.abs(rng().standard_t(df, n)))
    weights, k = smoothed_tail(logs)
    expected, arviz_k = array_stats.psislw(-logs)
    np.testing.assert_allclose(weights - np.logaddexp.reduce(weights), expected, atol=1e-10)
    assert k == pytest.approx(arviz_k)


def test_a_tail_of_equal_weights_stays_and_has_no_shape() -> None:
    weights, k = smoothed_tail(np.zeros(1000))
    assert k == np.inf
    np.testing.assert_array_equal(weights, 0)
