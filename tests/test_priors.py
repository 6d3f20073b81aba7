"""Prior families against scipy.stats and PyMC, and what a prior refuses."""

from __future__ import annotations

import pickle

import numpy as np
import pytest
from scipy import stats

from bayesbias.model.priors import FAMILIES, Family, Prior
from bayesbias.model.spec import load_model

ORACLES = {
    "normal": ({"mean": 1.0, "sd": 0.3}, stats.norm(1.0, 0.3)),
    "exponential": ({"rate": 2.0}, stats.expon(scale=0.5)),
    "half_normal": ({"sd": 0.4}, stats.halfnorm(scale=0.4)),
    "half_cauchy": ({"scale": 0.7}, stats.halfcauchy(scale=0.7)),
    "gamma": ({"shape": 2.0, "rate": 0.1}, stats.gamma(2.0, scale=10.0)),
    "lognormal": ({"log_mean": -1.0, "log_sd": 0.5}, stats.lognorm(0.5, scale=np.exp(-1.0))),
}

POINTS = np.array([1e-3, 0.1, 0.5, 1.0, 7.0])


@pytest.mark.parametrize("family", ORACLES)
def test_density_and_draws_are_those_of_scipy_and_pymc(family: str) -> None:
    import pymc as pm

    parameters, oracle = ORACLES[family]
    prior = Prior(family, parameters)
    density = prior.log_density(POINTS)
    np.testing.assert_allclose(density, oracle.logpdf(POINTS), rtol=1e-12)  # rounding of logs
    drawn = prior.draw((50, 80), np.random.default_rng(1))
    assert drawn.shape == (50, 80)
    assert stats.kstest(drawn.ravel(), oracle.cdf).pvalue > 1e-3  # one seed in a thousand fails
    with pm.Model():
        variable = prior.to_pymc("x")
    theirs = pm.logp(variable, POINTS).eval(mode="FAST_COMPILE")
    # PyMC folds the logs of constant parameters in single precision.
    np.testing.assert_allclose(theirs, density, rtol=1e-6, atol=1e-7)
    assert pickle.loads(pickle.dumps(prior)) == prior


@pytest.mark.parametrize(("n", "eta"), [(2, 2.0), (3, 2.0), (4, 0.7)])
def test_drawn_correlations_have_the_known_margins(n: int, eta: float) -> None:
    """Each has a Beta(b, b) on (-1, 1) with b = eta - 1 + n/2 (Lewandowski et al., 2009)."""
    drawn = Prior("lkj", {"eta": eta}).draw((4000, n, n), np.random.default_rng(1))
    np.testing.assert_allclose(np.diagonal(drawn, axis1=1, axis2=2), 1.0, rtol=1e-12)
    np.testing.assert_array_equal(drawn, drawn.transpose(0, 2, 1))
    b = eta - 1 + n / 2
    for i, j in zip(*np.tril_indices(n, -1), strict=True):
        found = stats.kstest(drawn[:, i, j], stats.beta(b, b, loc=-1, scale=2).cdf)
        assert found.pvalue > 1e-3  # one seed in a thousand fails


@pytest.mark.parametrize("n", [3, 4])
def test_pymc_has_the_same_density_of_correlations(n: int) -> None:
    """Up to a constant. PyMC has that of the Cholesky factor L; d(LL')/dL = prod L_ii^(n-i)."""
    import pymc as pm

    prior = Prior("lkj", {"eta": 2.5})
    with pm.Model():
        variable = prior.to_pymc("x", n=n)
    rng = np.random.default_rng(4)
    matrices = np.stack([np.corrcoef(rng.standard_normal((n, 2 * n))) for _ in range(5)])
    factors = np.linalg.cholesky(matrices)
    densities = [pm.logp(variable, factor) for factor in factors]
    theirs = np.array([density.eval(mode="FAST_COMPILE") for density in densities])
    diagonal = np.diagonal(factors, axis1=1, axis2=2)
    jacobian = np.log(diagonal) @ (n - 1 - np.arange(n))
    # PyMC folds the logs of constant parameters in single precision.
    assert np.ptp(theirs - jacobian - prior.log_density(matrices)) < 1e-6


def test_a_new_family_is_one_entry(monkeypatch: pytest.MonkeyPatch) -> None:
    """Weibull: all that reads a family's parameters finds them in its entry."""

    def weibull(x, power: float, width: float):
        return np.log(power / width) + (power - 1) * np.log(x / width) - (x / width) ** power

    def draw(rng: np.random.Generator, shape: tuple[int, ...], power: float, width: float):
        return width * rng.weibull(power, shape)

    parameters = {"power": "alpha", "width": "beta"}
    monkeypatch.setitem(FAMILIES, "weibull", Family(weibull, draw, "Weibull", parameters))
    given = {"power": 1.7, "width": 0.5}
    spec = load_model("crossed").with_priors({"sigma": {"family": "weibull", **given}})
    prior, expected = spec.priors["sigma"], stats.weibull_min(1.7, scale=0.5).logpdf(POINTS)
    np.testing.assert_allclose(prior.log_density(POINTS), expected, rtol=1e-12)  # rounding of logs
    drawn = prior.draw((2000,), np.random.default_rng(1))
    assert stats.kstest(drawn, stats.weibull_min(1.7, scale=0.5).cdf).pvalue > 1e-3
    with pytest.raises(ValueError, match="width of the weibull prior must be positive"):
        Prior("weibull", given | {"width": 0.0})
