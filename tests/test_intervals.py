"""Intervals compared with brute force and closed forms, and invalid kinds and probabilities."""

import numpy as np
import pytest
from builders import refused
from scipy.stats import chi2, norm, t

from bayesbias._core.intervals import (
    check_probability,
    describe_draws,
    describe_mixtures,
    hdi,
    interval,
    mixture_quantiles,
)
from bayesbias.posterior.summaries import compare_draws


def shortest(values: np.ndarray, ci_prob: float) -> tuple[float, float]:
    """Try every window of floor(prob n) gaps between sorted draws, as ArviZ counts them."""
    ordered = np.sort(values)
    inside = int(np.floor(ci_prob * len(ordered)))
    widths = [ordered[i + inside] - ordered[i] for i in range(len(ordered) - inside)]
    best = int(np.argmin(widths))
    return ordered[best], ordered[best + inside]


@pytest.mark.parametrize("ci_prob", [0.5, 0.89, 0.99])
def test_intervals_of_draws(ci_prob: float) -> None:
    draws = np.random.default_rng(1).gamma(2.0, size=(501, 3))
    expected = [shortest(column, ci_prob) for column in draws.T]
    np.testing.assert_array_equal(hdi(draws, ci_prob), expected)
    ends = np.transpose([draws.min(axis=0), draws.max(axis=0)])
    np.testing.assert_array_equal(hdi(draws, np.nextafter(1, 0)), ends)
    frame = describe_draws(draws, ci_prob, "eti")
    tail = (1 - ci_prob) / 2
    tails = np.quantile(draws, [tail, 1 - tail], axis=0).T
    np.testing.assert_allclose(frame[["low", "high"]], tails, rtol=1e-12)  # rounding
    assert frame.attrs == {"ci_prob": ci_prob, "ci_kind": "eti"}


def test_draws_are_described_column_by_column() -> None:
    grid = norm.ppf((np.arange(10_000) + 0.5) / 10_000)
    frame = describe_draws(np.column_stack([grid, 3 + 2 * grid]), 0.89)
    assert list(frame.columns) == ["mean", "sd", "low", "high"]
    np.testing.assert_allclose(frame["mean"], [0, 3], atol=1e-9)  # symmetric by construction
    np.testing.assert_allclose(frame["sd"], [1, 2], rtol=0.001)  # the grid truncates the tails
    half = norm.ppf(0.945)
    # For 10,000 quantiles, windows with equal lengths (within rounding) differ by a few of them.
    np.testing.assert_allclose(frame["low"], [-half, 3 - 2 * half], atol=0.05)
    np.testing.assert_allclose(frame["high"] - frame["low"], [2 * half, 4 * half], rtol=0.001)


def test_refusals() -> None:
    refused("unknown ci_kind 'hpd'; did you mean 'hdi'", interval, np.zeros((3, 1)), 0.8, "hpd")
    refused(r"\(0, 1\); got 89; for 89%, pass 0.89", check_probability, 89)
    refused(r"must lie in \(0, 1\); got 0$", check_probability, 0)
    refused("got nan$", check_probability, float("nan"))


@pytest.mark.parametrize("ci_prob", [0.5, 0.89])
def test_mixtures_are_described_by_their_exact_distribution(ci_prob: float) -> None:
    """One Normal has a closed form; a skewed mixture has equal densities at both ends."""
    means = np.array([[0.1, 0.0], [0.1, 0.0], [0.1, 0.3]])
    sds = np.array([[0.2, 0.1], [0.2, 0.1], [0.2, 0.4]])
    frame = describe_mixtures(means, sds, ci_prob, "hdi", 0.05)
    one, skewed = frame.iloc[0], frame.iloc[1]
    half = 0.2 * norm.ppf((1 + ci_prob) / 2)
    # The distribution is interpolated between 97 points, and evaluated at 6,001 within six sds.
    np.testing.assert_allclose(one[["low", "high"]], [0.1 - half, 0.1 + half], atol=2e-3 * 0.2)
    assert one["p_direction"] == pytest.approx(norm.cdf(0.5))
    assert one["p_rope"] == pytest.approx(norm.cdf(-0.25) - norm.cdf(-0.75))
    assert one["p_rope_ceiling"] == pytest.approx(norm.cdf(0.25) - norm.cdf(-0.25))
    parts, centered = norm(means[:, 1], sds[:, 1]), norm(means[:, 1] - 0.1, sds[:, 1])
    assert skewed["p_direction"] == pytest.approx(parts.sf(0).mean())
    around_zero, in_rope = ((of.cdf(0.05) - of.cdf(-0.05)).mean() for of in (centered, parts))
    assert around_zero < in_rope  # the mode is nearer to zero than the mean
    assert skewed[["p_rope", "p_rope_ceiling"]].tolist() == pytest.approx([in_rope] * 2)
    ends = skewed[["low", "high"]].to_numpy(dtype=float)
    density = [parts.pdf(end).mean() for end in ends]
    # Where the density is steep, half a step of the grid moves it by a few percent.
    assert density[0] == pytest.approx(density[1], rel=0.05)
    assert parts.cdf(ends[1]).mean() - parts.cdf(ends[0]).mean() == pytest.approx(ci_prob, abs=1e-4)
    assert skewed["mean"] == pytest.approx(0.1)
    assert skewed["sd"] ** 2 == pytest.approx((0.01 + 0.01 + 0.16) / 3 + np.var([0, 0, 0.3]))
    tails = describe_mixtures(means, sds, ci_prob, "eti", 0.05)[["low", "high"]].to_numpy()[1]
    expected = (1 - ci_prob) / 2, (1 + ci_prob) / 2
    np.testing.assert_allclose([parts.cdf(end).mean() for end in tails], expected, atol=1e-4)


def test_differences_are_counted_by_sign_and_by_size() -> None:
    """The ROPE is open, draws of zero count half for each sign, and sds have n - 1."""
    draws = np.array([-0.3, -0.2, 0.0, 0.0, 0.1])[:, None]
    row = compare_draws(draws, 0.5, 0.2).iloc[0]
    assert row["sd"] == pytest.approx(np.sqrt(((draws + 0.08) ** 2).sum() / 4))
    assert (row["p_direction"], row["p_rope"]) == pytest.approx((0.6, 0.6))
    assert row["p_rope_ceiling"] == pytest.approx(4 / 5)  # all but -0.3 lie within .2 of -.08
    skewed = compare_draws(np.array([0.0, 0.0, 0.0, 0.9])[:, None], 0.5, 0.2).iloc[0]
    assert (skewed["p_rope"], skewed["p_rope_ceiling"]) == (0.75, 0.75)
    quantiles = mixture_quantiles(np.array([[0.5]]), np.array([[2.0]]), np.array([0.1, 0.9]))
    np.testing.assert_allclose(quantiles[:, 0], 0.5 + 2 * norm.ppf([0.1, 0.9]), rtol=1e-9)


def test_quantiles_of_mixtures_of_narrow_and_wide_parts() -> None:
    """Quantiles of eight parts whose sds differ by up to a thousand have their probabilities."""
    rng, probability = np.random.default_rng(0), (np.arange(100) + 0.5) / 100
    means, sds = rng.normal(0, 0.05, (8, 20)), 10 ** rng.uniform(-3, 0, (8, 20))
    for column, at in enumerate(mixture_quantiles(means, sds, probability).T):
        reached = norm(means[:, column, None], sds[:, column, None]).cdf(at).mean(axis=0)
        np.testing.assert_allclose(reached, probability, atol=1e-8)  # the last step is 1e-12 wide


@pytest.mark.parametrize("ci_kind", ["hdi", "eti"])
@pytest.mark.parametrize("ci_prob", [0.89, 0.999, 0.99999])
def test_intervals_of_mixtures_reach_into_heavy_tails(ci_kind: str, ci_prob: float) -> None:
    """Parts whose precisions are chi-squared variables make a Student-t distribution."""
    df, n = 3, 20_000
    sds = np.sqrt(df / chi2(df).ppf((np.arange(n) + 0.5) / n))[:, None]
    row = describe_mixtures(np.zeros((n, 1)), sds, ci_prob, ci_kind, 0.05).iloc[0]
    mass = np.diff(norm(0, sds).cdf([row["low"], row["high"]]).mean(axis=0))[0]
    assert 1 - mass == pytest.approx(1 - ci_prob, rel=0.02)  # interpolated in steps of .05
    if ci_prob < 0.9999:  # 20,000 parts have fewer extremes
        assert row["high"] == pytest.approx(t(df).ppf((1 + ci_prob) / 2), rel=0.03)
        assert row["low"] == pytest.approx(-row["high"], rel=0.03)
    alike = describe_mixtures(np.zeros((2, 1)), np.ones((2, 1)), 1 - 1e-10, ci_kind, 0.05).iloc[0]
    assert alike["high"] == pytest.approx(norm.isf(5e-11), rel=0.05)  # 6.5 sds


@pytest.mark.parametrize("sign", [1, -1])
def test_intervals_reach_a_mode_that_is_far_away_on_one_side(sign: int) -> None:
    """One part in a hundred is 9.95 sds of the mixture from the mean, outside the usual grid."""
    means = np.where(np.arange(100) == 7, 1000.0 * sign, 0.0)[:, None]
    row = describe_mixtures(means, np.ones((100, 1)), 0.995, "eti", 0.05).iloc[0]
    far, near = (row["high"], row["low"]) if sign > 0 else (row["low"], row["high"])
    # A quarter of the far part lies beyond its end; steps of the grid in growing tails are wide.
    assert abs(far - sign * (1000 + norm.ppf(0.75))) < 50
    assert abs(near - sign * norm.ppf(0.0025 / 0.99)) < 20
