"""Φ of sets planted where theory says, and the Normal beside the background."""

import numpy as np
import pytest
from background_toys import NEAR, UP, random_vectors
from builders import refused
from scipy import stats

from bayesbias import background as bg
from bayesbias.background.normal_fit import normal_fit, qq


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


def test_zero_is_not_the_baseline(planted: bg.Distribution) -> None:
    at_zero = ["w20", "w21"]
    assert planted.phi(at_zero, "zero") == pytest.approx(0.5, abs=1e-6)
    assert planted.phi(at_zero) == pytest.approx(stats.norm.cdf(-0.4), abs=NEAR)


def test_tails_fit_together(planted: bg.Distribution) -> None:
    for kind in ("normal", "empirical"):
        lower, upper, one, two = (
            planted.phi(UP, tail=tail, kind=kind) for tail in ("lower", "upper", "one", "two")
        )
        assert lower + upper == pytest.approx(1, abs=1e-12)
        assert one == min(lower, upper)
        assert two == 2 * one


def test_empirical_ranks_count_ties_half() -> None:
    found = bg.distribution(random_vectors(), ["w1"], ["w2"])
    order = np.argsort(found.psi)
    middle = f"w{order[700]}"
    assert found.phi([middle], kind="empirical") == pytest.approx(700.5 / 3000, abs=1e-15)


def test_phi_leaves_missing_words_out_and_refuses_what_it_cannot_do() -> None:
    found = bg.distribution(random_vectors(), ["w1"], ["w2"])
    assert found.phi(["w5", "w6", "absent"]) == found.phi(["w6", "w5"])
    refused(r"none of the 2 words of the set is in .*absent, no", found.phi, ["absent", "no"])
    refused("the set is empty", found.phi, [])
    refused(r"for one word pass \['w1'\]", found.phi, "w1", error=TypeError)
    for name, wrong in (("about", "mean"), ("tail", "three"), ("kind", "t"), ("against", "all")):
        refused(f"unknown {name} '{wrong}'", found.phi, ["w1"], **{name: wrong})


def test_moments_and_distances_as_scipy_has_them() -> None:
    values = np.sort(np.random.default_rng(5).gamma(3, size=5000))
    fit = normal_fit(values)
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
    frame = planted.qq(9)
    middle = frame[frame["probability"].between(0.04, 0.96)]
    assert middle["gap"].abs().max() < 0.03


def test_quantiles_beside_quantiles() -> None:
    frame = qq(np.sort(np.random.default_rng(1).standard_normal(1000)), 5)
    assert {0.1, 0.3, 0.5, 0.7, 0.9, 0.001, 0.999} <= set(frame["probability"].round(6))
    assert frame["probability"].is_monotonic_increasing
    refused("points must be a whole number from 1 on; got 0", qq, np.arange(9.0), 0)
