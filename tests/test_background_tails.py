"""Φ of sets planted where theory says, and the Normal next to the background."""

import numpy as np
import pytest
from background_toys import NEAR, UP, random_vectors
from scipy import stats

from bayesbias import background as bg


@pytest.mark.parametrize(
    ("choice", "expected"),
    [
        ({}, stats.norm.cdf(2)),
        ({"tail": "upper"}, stats.norm.sf(2)),
        ({"tail": "one"}, stats.norm.sf(2)),
        ({"tail": "two"}, 2 * stats.norm.sf(2)),
        ({"about": "zero"}, stats.norm.cdf(2.4)),
        ({"about": "zero", "tail": "two"}, 2 * stats.norm.sf(2.4)),
        ({"kind": "empirical"}, stats.norm.cdf(2)),
        ({"kind": "empirical", "about": "zero"}, stats.norm.cdf(2.4)),
        ({"kind": "empirical", "tail": "two"}, 2 * stats.norm.sf(2)),
        ({"against": "sets"}, stats.norm.cdf(4)),
        ({"against": "sets", "tail": "upper"}, stats.norm.sf(4)),
        ({"against": "sets", "kind": "empirical"}, stats.norm.cdf(4)),
    ],
)
def test_a_planted_set_gets_the_phi_that_theory_says(planted, choice, expected) -> None:
    """Mean ψ two sd above the mean, 2.4 above 0, and four sd of means of four words."""
    assert planted.phi(UP, **choice) == pytest.approx(expected, abs=NEAR, rel=0.05)


def test_empirical_ranks_count_ties_half() -> None:
    found = bg.distribution(random_vectors(), ["w1"], ["w2"])
    order = np.argsort(found.psi)
    middle = f"w{order[700]}"
    assert found.phi([middle], kind="empirical") == pytest.approx(700.5 / 3000, abs=1e-15)


def test_moments_and_distances_as_scipy_has_them() -> None:
    values = np.random.default_rng(5).gamma(3, size=5000)
    fit = bg.Distribution("gamma", values, [], ("a",), ("b",)).fit
    z = (values - values.mean()) / values.std(ddof=1)
    assert fit.skew == pytest.approx(stats.skew(values), rel=1e-9)
    assert fit.kurtosis == pytest.approx(stats.kurtosis(values), rel=1e-9)
    assert fit.ks == pytest.approx(stats.kstest(z, "norm").statistic, rel=1e-9)
    assert fit.outside_95 == pytest.approx((np.abs(z) > stats.norm.ppf(0.975)).mean(), abs=1e-12)
    assert fit.largest_gap > 1  # the 99.9% quantile of a gamma(3) lies 1.7 sd beyond a Normal's


def test_a_normal_background_fits(planted: bg.Distribution) -> None:
    fit = planted.fit
    # Standard errors at 200,000 draws: skew .0055, kurtosis .011, share .0005.
    assert abs(fit.skew) < 0.03
    assert fit.outside_95 == pytest.approx(0.05, abs=0.003)
    assert fit.ks < 0.005  # 1.95/sqrt(n), the .001 point of Kolmogorov's distribution, is .0044
