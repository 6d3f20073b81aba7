"""Pareto-smoothed importance weights, and the shape k of their tail.

The largest weights are replaced by the expected order statistics of a generalized Pareto
distribution (Vehtari, Simpson, Gelman, Yao, and Gabry, 2024, Journal of Machine Learning Research
25), fitted by the method of Zhang and Stephens (2009, Technometrics 51). ArviZ computes the same,
but takes longer to import than a fit takes.
"""

from __future__ import annotations

import numpy as np

from .._core.arrays import FloatArray

PRIOR_K, PRIOR_SIZE = 0.5, 10
"""Prior mean of k, and the number of weights that it counts as (Vehtari et al., 2024)."""

PRIOR_WIDTH = 3
"""Width of the prior of the scale, in inverse first quartiles (Zhang and Stephens, 2009)."""


def smoothed_tail(log_weights: FloatArray) -> tuple[FloatArray, float]:
    """Smooth the tail of (n,) log weights; return them, up to a constant, and Pareto k.

    The tail is the largest 3 √n weights, or a fifth if these are fewer. If it is too short for a
    fit, or if many of its weights are equal, they stay as they are and k is infinite.
    """
    n = len(log_weights)
    size = min(n // 5, int(3 * np.sqrt(n)))
    logs = log_weights - log_weights.max()
    order = logs.argsort()
    tail = order[n - size :]
    cutoff = np.exp(logs[order[n - size - 1]])
    excess = np.exp(logs[tail]) - cutoff
    if size < 5 or not excess[0] < excess[(size + 2) // 4 - 1]:
        return logs, np.inf
    k, scale = fit_pareto(excess)
    places = np.arange(0.5, size) / size
    logs[tail] = np.minimum(np.log(cutoff + scale * np.expm1(-k * np.log1p(-places)) / k), 0)
    return logs, k


def fit_pareto(excess: FloatArray) -> tuple[float, float]:
    """Return the shape k and the scale of a generalized Pareto distribution.

    The (n,) values are sorted and not negative. The likelihood is averaged over a grid of -k /
    scale, with k at its maximum for each value; k is then drawn toward `PRIOR_K`.
    """
    n = len(excess)
    grid = 1 - np.sqrt((m := 30 + int(np.sqrt(n))) / (np.arange(m) + 0.5))
    grid = grid / (PRIOR_WIDTH * excess[(n + 2) // 4 - 1]) + 1 / excess[-1]
    shapes = np.log1p(-grid[:, None] * excess).mean(axis=1)
    log_likelihood = n * (np.log(-grid / shapes) - shapes - 1)
    weights = np.exp(log_likelihood - log_likelihood.max())
    mean = float(grid @ weights / weights.sum())
    shape = float(np.log1p(-mean * excess).mean())
    return (n * shape + PRIOR_SIZE * PRIOR_K) / (n + PRIOR_SIZE), -shape / mean
