r"""Sensitivity of draws to the power of a density, by power-scaling (Kallioinen et al., 2024).

If a density :math:`p`, such as that of all priors, is raised to the power :math:`\alpha`, draws
have the weights :math:`p^{\alpha - 1}`, whose tail is smoothed. Sensitivity is the cumulative
Jensen-Shannon distance (Nguyen and Vreeken, 2015) between draws with and without these weights, as
a gradient in :math:`\log_2 \alpha` near 1. ArviZ computes the same, but importing it takes longer.

Reference: Kallioinen, Paananen, Bürkner, and Vehtari (2024), Detecting and diagnosing prior and
likelihood sensitivity with power-scaling, Statistics and Computing 34.
"""

from __future__ import annotations

import numpy as np

from .._core.arrays import FloatArray
from ..sampling.pareto import smoothed_tail

ALPHAS = (0.99, 1.01)
"""Powers on both sides of 1."""

TAIL_PROBABILITY = 0.05
"""Share of draws in a tail, for the number of draws that are as good as independent there."""


def power_sensitivity(draws: FloatArray, log_density: FloatArray) -> FloatArray:
    """Return the (k,) sensitivities of (n, k) draws, one chain after another, to a density's power.

    The (n,) ``log_density`` is that of the draws.
    """
    share = min(
        effective_share(log_density <= np.quantile(log_density, p))
        for p in (TAIL_PROBABILITY, 1 - TAIL_PROBABILITY)
    )
    gradients = []
    for alpha in ALPHAS:
        logs, _ = smoothed_tail((alpha - 1) * log_density, share)
        weights = np.exp(logs)
        ends = [[_distance(x, weights), _distance(-x, weights)] for x in draws.T]
        gradients.append(np.max(ends, axis=1) / abs(np.log2(alpha)))
    return np.asarray(np.mean(gradients, axis=0))


def _distance(draws: FloatArray, weights: FloatArray) -> float:
    """Return the cumulative Jensen-Shannon distance from (n,) draws to weighted ones."""
    order, n = draws.argsort(), len(draws)
    widths = np.diff(draws[order])
    plain = np.linspace(1 / n, 1 - 1 / n, n - 1)
    weighted = np.cumsum(weights[order] / weights[order].sum())[:-1]
    mean = (plain + weighted) / 2
    total, areas = 0.0, [float(cdf @ widths) for cdf in (plain, weighted)]
    for cdf, (own, other) in ((plain, areas), (weighted, areas[::-1])):
        logs = np.log2(cdf, out=np.zeros(n - 1), where=cdf > 0)
        logs -= np.log2(mean, out=np.zeros(n - 1), where=mean > 0)
        total += max(0.0, float((widths * (cdf * logs)).sum() + (other - own) / np.log(4)))
    return float(np.sqrt(total / sum(areas)))


def effective_share(values: np.ndarray) -> float:
    """Return the effective sample size of (n,) values, relative to their number.

    Autocorrelations of both halves are added up by Geyer's initial monotone sequence
    (Vehtari, Gelman, Simpson, Carpenter, and Bürkner, 2021, Bayesian Analysis 16).
    """
    n = len(values) // 2
    halves = np.stack([values[:n], values[-n:]]).astype(np.float64)
    if n < 3 or np.ptp(halves) == 0:
        return 1.0
    means = halves.mean(axis=1, keepdims=True)
    spectrum = np.abs(np.fft.rfft(halves - means, 2 * n)) ** 2
    covariance = np.fft.irfft(spectrum, 2 * n)[:, :n].mean(axis=0) / n
    within = covariance[0] * n / (n - 1)
    correlation = 1 - (within - covariance) / (covariance[0] + means.var(ddof=1))
    correlation[0] = 1
    pairs = correlation[: (n - 1) // 2 * 2].reshape(-1, 2)
    sums = pairs.sum(axis=1)
    last = int((sums < 0).argmax()) if (sums < 0).any() else len(sums) - 1
    times = 2 * np.minimum.accumulate(sums[:last]).sum() + max(float(pairs[last, 0]), 0.0) - 1
    return float(1 / max(times, 1 / np.log10(halves.size)))
