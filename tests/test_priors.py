"""Prior families compared with scipy.stats and PyMC, and tables drawn from the prior."""

import pickle
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from builders import grid, model_named, only_row, refused
from dense_oracle import covariance, in_rows
from scipy import stats

import bayesbias as bb
from bayesbias.model.indexing import make_design
from bayesbias.model.priors import FAMILIES, Prior

ORACLES = {
    "normal": ({"mean": 1.0, "sd": 0.3}, stats.norm(1.0, 0.3)),
    "exponential": ({"rate": 2.0}, stats.expon(scale=0.5)),
    "half_normal": ({"sd": 0.4}, stats.halfnorm(scale=0.4)),
    "half_cauchy": ({"scale": 0.7}, stats.halfcauchy(scale=0.7)),
    "gamma": ({"shape": 2.5, "rate": 0.1}, stats.gamma(2.5, scale=10.0)),
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
    for unit in (0.01, 0.3, 100.0):  # if x has density p, then u x has density p(x) / u
        scaled = prior.scaled(unit).log_density(unit * POINTS)
        np.testing.assert_allclose(scaled, density - np.log(unit), rtol=1e-9, atol=1e-9)


def test_every_family_has_an_oracle() -> None:
    assert {*ORACLES} == {*FAMILIES} - {"fixed", "lkj"}


@pytest.mark.parametrize(("n", "eta"), [(2, 2.0), (3, 2.0), (4, 0.7)])
def test_drawn_correlations_have_the_known_margins(n: int, eta: float) -> None:
    """Each follows a Beta(b, b) on (-1, 1) with b = eta - 1 + n/2 (Lewandowski et al., 2009)."""
    drawn = Prior("lkj", {"eta": eta}).draw((4000, n, n), np.random.default_rng(1))
    np.testing.assert_allclose(np.diagonal(drawn, axis1=1, axis2=2), 1.0, rtol=1e-12)
    np.testing.assert_array_equal(drawn, drawn.transpose(0, 2, 1))
    b = eta - 1 + n / 2
    for i, j in zip(*np.tril_indices(n, -1), strict=True):
        found = stats.kstest(drawn[:, i, j], stats.beta(b, b, loc=-1, scale=2).cdf)
        assert found.pvalue > 1e-3  # one seed in a thousand fails


@pytest.mark.parametrize("n", [3, 4])
def test_pymc_has_the_same_density_of_correlations(n: int) -> None:
    """They agree up to a constant. PyMC uses the Cholesky factor: d(LL')/dL = prod L_ii^(n-i)."""
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


N = 4000


def test_degrees_of_freedom_have_no_unit(toy_table: pd.DataFrame) -> None:
    spec = replace(model_named("robust"), scale="spread")
    fitted = spec.fitting(make_design(toy_table)).priors
    assert fitted["nu"] == spec.priors["nu"]
    assert fitted["sigma"] != spec.priors["sigma"]


@pytest.mark.parametrize(
    ("name", "rate"),
    [("paper", 2.0), ("crossed", 2.0), ("crossed with groups", 2.0), ("maximal", 10.0)],
)
def test_means_spread_as_the_model_says(toy_table: pd.DataFrame, name: str, rate: float) -> None:
    """Variances are linear in squared sds, which have the mean 2/rate² under an Exponential."""
    design = make_design(toy_table)
    spec = model_named(name).fitting(design)
    root = np.sqrt(2) / rate
    values = {term.sd: np.float64(root) for term in spec.terms}
    values |= {term.correlation: np.eye(3) for term in spec.terms if term.correlated}
    for term in spec.terms:
        if term.sd_by not in {"", term.by}:
            values[term.sd] = np.full(3, root)
    rows = in_rows(design, spec)
    total = rows @ covariance(design, spec, values) @ rows.T + root**2 * np.eye(len(rows))
    weight = {name: design.connection == at for at, name in enumerate(design.connections)}
    weight = {name: where / where.sum() for name, where in weight.items()}
    frame = bb.prior_predictive(model_named(name), toy_table, draws=N, seed=1)
    for statistic, of, w in (
        ("mean", "associated", weight["associated"]),
        ("mean", "human", weight["human"]),
        ("difference", "associated - different", weight["associated"] - weight["different"]),
    ):
        row = only_row(frame, statistic=statistic, of=of)
        expected = w @ total @ w
        center = 1.0 if statistic == "mean" else 0.0
        # Mixtures over exponential sds have kurtoses up to about 10: errors are 5% for the
        # variance of 4,000 draws and 2.5% for the sd. Allow four errors.
        assert row["sd"] == pytest.approx(np.sqrt(expected), rel=0.1)
        assert row["mean"] == pytest.approx(center, abs=4 * np.sqrt(expected / N))


def test_figures_of_the_observed_table(toy_table: pd.DataFrame) -> None:
    frame = bb.prior_predictive("crossed", toy_table, draws=20, seed=1)
    expected: dict[tuple[str, str], float] = {("share_outside", ""): 0.0}
    words = {}
    for name, part in toy_table.groupby("connection", observed=True):
        y = part["cosine_distance"]
        words[name] = y.groupby(part["protected_word"]).mean()
        expected |= {
            ("mean", name): y.mean(),
            ("sd", name): y.std(),
            ("sd_of_words", name): words[name].std(),
            ("sd_of_attributes", name): y.groupby(part["attribute"]).mean().std(),
        }
    del expected["sd_of_attributes", "human"]  # there is one
    for other in ("different", "neutral", "human"):
        apart = expected["mean", "associated"] - expected["mean", other]
        expected["difference", f"associated - {other}"] = apart
        alike = words["associated"].corr(words[other])
        expected["correlation", f"associated, {other}"] = alike
    found = frame.set_index(["statistic", "of"])["observed"]
    assert found.to_dict() == pytest.approx(expected)
    three = toy_table["protected_word"].unique()[:3]  # the fewest that can correlate
    for n in (2, 3):
        few = toy_table[toy_table["protected_word"].isin(three[:n])]
        frame = bb.prior_predictive("paper", few, draws=20, seed=1)
        assert ("correlation" in set(frame["statistic"])) == (n == 3)


def test_a_table_that_no_prior_expects_lies_at_its_edge(toy_table: pd.DataFrame) -> None:
    """Sds are divided by 1,000, and distances of 3 are impossible."""
    y = toy_table["cosine_distance"]
    narrow = toy_table.assign(cosine_distance=1 + (y - y.mean()) / 1000)
    frame = bb.prior_predictive("maximal", narrow, seed=1).set_index("statistic")
    assert (frame.loc[["sd", "sd_of_words"], "share_below"] < 0.02).all()
    assert (frame.loc[["sd", "sd_of_words"], "observed"] < 0.001).all()
    wide = bb.prior_predictive("maximal", narrow, priors={"sigma": {"rate": 0.1}}, seed=1)
    assert frame["mean"]["share_outside"] < 0.1  # residual sds of .1 on average; wide: 10
    assert only_row(wide, statistic="share_outside")["mean"] > 0.7
    assert 0 < frame.loc["share_outside", "share_below"] < 0.5  # ties with zero count half
    constant = bb.prior_predictive("paper", grid(4, 8, 0.5), draws=50, seed=1)
    assert "correlation" not in set(constant["statistic"])
    assert (constant.loc[constant["statistic"] == "sd", "observed"] == 0).all()


def test_other_outcomes_come_as_designs_and_have_no_bounds(toy_table: pd.DataFrame) -> None:
    design = replace(make_design(toy_table), outcome="change")
    frame = bb.prior_predictive("change", design, draws=20, seed=1)
    assert "share_outside" not in set(frame["statistic"])
    refused("is for changes in distances", bb.prior_predictive, "change", toy_table)


def test_seeds_chunks_and_what_is_refused(toy_table, monkeypatch) -> None:
    by_chance = bb.prior_predictive("robust", toy_table, draws=50)
    assert {"model": "robust", "draws": 50, "ci_prob": 0.89}.items() <= by_chance.attrs.items()
    seed = by_chance.attrs["seed"]
    again = bb.prior_predictive("robust", toy_table, draws=50, seed=seed)
    pd.testing.assert_frame_equal(again, by_chance)
    whole = bb.prior_predictive("maximal", toy_table, draws=N, seed=1)
    monkeypatch.setattr("bayesbias.model.prior_predictive.NUMBERS_AT_ONCE", 32 * 1500)
    parts = bb.prior_predictive("maximal", toy_table, draws=N, seed=1)
    # Residuals are in a different order. A share of 4,000 draws has an error of at most .008.
    np.testing.assert_allclose(parts["share_below"], whole["share_below"], atol=4 * 0.008 * 2**0.5)
    refused("draws must be a whole number", bb.prior_predictive, "paper", toy_table, draws=0)
    refused("unknown model 'papr'", bb.prior_predictive, "papr", toy_table)
