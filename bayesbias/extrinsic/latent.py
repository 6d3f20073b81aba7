"""Correlation of scores with downstream bias where both are uncertain."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from .._core.arrays import FloatArray
from .._core.intervals import DEFAULT_CI_PROB, check_probability
from .correlation import correlate

N_RHO, N_SD = 201, 24
"""Midpoints of the grid of correlations, and Gauss-Legendre nodes of each sd: with twice as many,
ends of intervals of up to 200 units move by less than .002."""


@dataclass(frozen=True)
class LatentCorrelation:
    """Correlation of what scores and biases would be without noise; see `correlate_draws`.

    Parameters
    ----------
    r, low, high : float
        Posterior mean and equal-tailed interval, in [-1, 1].
    p_positive : float
        Posterior probability that it is above 0.
    of_means : float
        Correlation of the means of the draws, which noise draws towards 0.
    reliabilities : tuple of two float
        Share of the variance of the means that is not noise, of scores and of biases, in [0, 1].
        ``of_means`` is on average about ``r`` times the root of their product.
    n : int
        Units.
    ci_prob : float
    """

    r: float
    low: float
    high: float
    p_positive: float
    of_means: float
    reliabilities: tuple[float, float]
    n: int
    ci_prob: float


def correlate_draws(
    scores: ArrayLike, biases: ArrayLike, *, ci_prob: float = DEFAULT_CI_PROB
) -> LatentCorrelation:
    r"""Correlation of scores with downstream bias, with the uncertainty of both.

    The correlation of estimates is smaller than that of what they estimate, by the root of the
    product of their reliabilities (Spearman, 1904), and so is that of single draws of two
    posteriors. Here the true values of a unit are Normal with a correlation :math:`\rho`, the
    estimates are those plus noise whose covariance is that of the draws, and :math:`\rho` is what
    is asked for. Its prior is uniform on (-1, 1), that of the two sds and means flat.

    Parameters
    ----------
    scores, biases : (n_draws, n) array_like
        Draws of every unit's score, such as the contrasts of embeddings or of occupations, and of
        its downstream bias (`TprGaps.gap_draws`); or (n,) values that are known exactly. The two
        need not have equally many draws. Draws must not be pooled across units: a model that draws
        units to one another takes part of the noise out already
        (`bayesbias.unpooled_contrasts`).
    ci_prob : float

    Returns
    -------
    LatentCorrelation

    Raises
    ------
    ValueError
        If there are fewer than four units, they are not the same on both sides, a number is not
        finite, or all means of a side are equal.

    References
    ----------
    Spearman (1904), The proof and measurement of association between two things; Fuller (1987),
    Measurement error models, section 1.1.

    Examples
    --------
    >>> from bayesbias.extrinsic import correlate_draws
    >>> found = correlate_draws([0.1, 0.2, 0.3, 0.5, 0.6], [0.0, 0.2, 0.1, 0.4, 0.6])
    >>> found.low < found.r < found.high < 1
    True
    """
    check_probability(ci_prob)
    score, score_noise = _moments("scores", scores)
    bias, bias_noise = _moments("biases", biases)
    of_means = correlate(score, bias, ci_prob=ci_prob)  # which also checks them
    rho = (np.arange(N_RHO) + 0.5) * 2 / N_RHO - 1
    share = _posterior(_standardised(score, score_noise), _standardised(bias, bias_noise), rho)
    ends = np.append(rho - 1 / N_RHO, 1.0)
    below = np.append(0.0, np.cumsum(share))
    low, high = np.interp([(1 - ci_prob) / 2, (1 + ci_prob) / 2], below, ends)
    return LatentCorrelation(
        r=float(share @ rho),
        low=float(low),
        high=float(high),
        p_positive=float(1 - np.interp(0.0, ends, below)),
        of_means=of_means.r,
        reliabilities=(_reliability(score, score_noise), _reliability(bias, bias_noise)),
        n=len(score),
        ci_prob=float(ci_prob),
    )


def _moments(name: str, given: ArrayLike) -> tuple[FloatArray, FloatArray]:
    """Means of the units (n,), and the covariance of their noise (n, n)."""
    draws = np.asarray(given, dtype=np.float64)
    if draws.ndim == 1:
        return draws, np.zeros((len(draws), len(draws)))
    if draws.ndim != 2 or len(draws) <= draws.shape[1]:
        raise ValueError(
            f"{name} must be draws of shape (n_draws, n), more of them than units, or (n,) values; "
            f"got shape {draws.shape}"
        )
    if not np.isfinite(draws).all():
        raise ValueError(f"{name} must be finite; leave out units that are undefined")
    return draws.mean(axis=0), _noise(draws)


def _noise(draws: FloatArray) -> FloatArray:
    """Covariance of the draws, its correlations shrunk by what is chance among so many draws.

    Without it a hundred units that are independent would seem to share noise. Schäfer and
    Strimmer (2005), A shrinkage approach to large-scale covariance matrix estimation.
    """
    covariance = np.cov(draws, rowvar=False)
    sd = np.sqrt(np.diagonal(covariance))
    scale = np.outer(sd, sd)
    r = np.divide(covariance, scale, out=np.zeros_like(scale), where=scale > 0)
    np.fill_diagonal(r, 0.0)
    chance, found = ((1 - r**2) ** 2).sum() / (len(draws) - 1), (r**2).sum()
    kept = 1 - min(chance / found, 1.0) if found > 0 else 0.0
    return np.asarray(np.where(np.eye(len(sd), dtype=bool), covariance, kept * covariance))


def _standardised(mean: FloatArray, noise: FloatArray) -> tuple[FloatArray, FloatArray]:
    scale = mean.std(ddof=1)
    return (mean - mean.mean()) / scale, noise / scale**2


def _reliability(mean: FloatArray, noise: FloatArray) -> float:
    """1 - noise/variance of the means, noise being what it adds to that variance on average."""
    n = len(mean)
    added = (np.trace(noise) - noise.sum() / n) / (n - 1)
    return float(np.clip(1 - added / mean.var(ddof=1), 0, 1))


def _posterior(
    score: tuple[FloatArray, FloatArray], bias: tuple[FloatArray, FloatArray], rho: FloatArray
) -> FloatArray:
    """Posterior probabilities of correlations, sds integrated over a grid, (n_rho,)."""
    n = len(score[0])
    at, weight = np.polynomial.legendre.leggauss(N_SD)
    sds = (at + 1) / 2 * (1 + 6 / np.sqrt(n))  # of standardised means: hardly ever above that
    first, second = ([_whitened(*side, sd) for sd in sds] for side in (score, bias))
    log_density = np.empty((N_SD, N_SD, len(rho)))
    for i, one in enumerate(first):
        for j, other in enumerate(second):
            log_density[i, j] = _log_likelihood(one, other, sds[i] * sds[j], rho)
    density = np.exp(log_density - log_density.max())
    marginal = np.einsum("i,j,ijr->r", weight, weight, density)
    return np.asarray(marginal / marginal.sum())


type Whitened = tuple[FloatArray, FloatArray, float]
"""Inverse Cholesky factor L⁻¹ of a side's covariance, L⁻¹ (means, ones), and log det L."""


def _whitened(mean: FloatArray, noise: FloatArray, sd: float) -> Whitened:
    factor = np.linalg.cholesky(noise + sd**2 * np.eye(len(mean)))
    inverse = np.linalg.solve(factor, np.eye(len(mean)))
    columns = inverse @ np.column_stack([mean, np.ones(len(mean))])
    return inverse, columns, float(np.log(np.diagonal(factor)).sum())


def _log_likelihood(
    first: Whitened, second: Whitened, product: float, rho: FloatArray
) -> FloatArray:
    """Log likelihood at two sds and all correlations, the two means integrated out, (n_rho,).

    Whitened by side, the covariance is I with ρ M across, M = τ₁τ₂ L₁⁻¹L₂⁻ᵀ; along the singular
    vectors of M it falls into 2 by 2 blocks.
    """
    (one, u, log_one), (other, v, log_other) = first, second
    left, d, right = np.linalg.svd(product * one @ other.T)
    (y_u, x_u), (y_v, x_v) = (left.T @ u).T, (right @ v).T
    q = 1 - (rho[:, None] * d) ** 2
    inverse, across = 1 / q, rho[:, None] * d / q

    def inner(a: FloatArray, b: FloatArray, weights: FloatArray) -> FloatArray:
        return weights @ (a * b)

    square = inner(y_u, y_u, inverse) + inner(y_v, y_v, inverse) - 2 * inner(y_u, y_v, across)
    xx, vv = inner(x_u, x_u, inverse), inner(x_v, x_v, inverse)
    xv = -inner(x_u, x_v, across)
    xy = inner(x_u, y_u, inverse) - inner(x_u, y_v, across)
    vy = inner(x_v, y_v, inverse) - inner(x_v, y_u, across)
    determinant = xx * vv - xv**2
    explained = (vv * xy**2 - 2 * xv * xy * vy + xx * vy**2) / determinant
    logs = np.log(q).sum(axis=1) + np.log(determinant)
    return np.asarray(-(square - explained + logs) / 2 - log_one - log_other)
