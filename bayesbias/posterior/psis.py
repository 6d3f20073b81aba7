"""Leave-one-out by Pareto-smoothed importance sampling, of all units at once.

ArviZ smooths the weights of one unit after another; the arithmetic here is the same, over arrays.
"""

from __future__ import annotations

import numpy as np

from .._core.arrays import FloatArray

PRIOR_SCALE, PRIOR_SHAPE, PRIOR_DRAWS = 3.0, 0.5, 10.0
"""Of the scale of the tail; its shape is drawn to a half as by ten draws (Zhang and Stephens)."""


def psis_loo(
    log_density: FloatArray, efficiency: float = 1.0
) -> tuple[FloatArray, FloatArray, FloatArray]:
    r"""Compute the log density of every unit given all others, of draws given all units.

    .. math:: \log p(y_i | y_{-i}) \approx \log \sum_s w_{is} \, p(y_i | \theta_s), \quad
       w_{is} \propto 1 / p(y_i | \theta_s)

    with the largest weights of every unit replaced by quantiles of the generalized Pareto
    distribution that is fitted to them.

    Parameters
    ----------
    log_density : (n_draws, n_units) float
    efficiency : float
        How many independent draws one is worth, in (0, 1].

    Returns
    -------
    (n_units,) float
        Log densities of units left out.
    (n_units,) float
        Shapes k of the tails of their weights, not a number where there is no tail.
    (n_units,) float
        How much higher their log densities are with the unit among the data.

    References
    ----------
    Vehtari, Simpson, Gelman, Yao and Gabry (2024), Journal of Machine Learning Research 25; Zhang
    and Stephens (2009), Technometrics 51, for the fit of the tail.
    """
    density = np.ascontiguousarray(log_density.T)
    weights = density.min(axis=1, keepdims=True) - density  # of which the largest is 0
    n = density.shape[1]
    n_tail = int(3 * np.sqrt(n / efficiency) if n * efficiency > 225 else n / 5)
    last = np.argpartition(weights, n - n_tail - 1, axis=1)[:, n - n_tail - 1 :]
    last = np.take_along_axis(last, np.take_along_axis(weights, last, axis=1).argsort(axis=1), 1)
    ordered = np.exp(np.take_along_axis(weights, last, axis=1))
    cutoff, tails = ordered[:, :1], ordered[:, 1:]
    with np.errstate(invalid="ignore", divide="ignore", over="ignore"):
        shape, scale = _pareto(tails - cutoff)
        quantiles = np.log1p(-np.arange(0.5, n_tail) / n_tail)
        excess = scale[:, None] * np.expm1(-shape[:, None] * quantiles) / shape[:, None]
        smooth = np.log(np.minimum(cutoff + excess, 1.0))
    fitted = np.isfinite(shape) & (scale > 0)
    weights[np.flatnonzero(fitted)[:, None], last[fitted, 1:]] = smooth[fitted]
    elpd = _log_sum(weights + density) - _log_sum(weights)
    return elpd, shape, _log_sum(density) - np.log(n) - elpd


def _pareto(tails: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Fit shape and scale of generalized Pareto distributions to sorted rows, (n_units, n)."""
    n = tails.shape[1]
    m = 30 + int(np.sqrt(n))
    quartile = tails[:, int(n / 4 + 0.5) - 1]
    grid = 1 - np.sqrt(m / (np.arange(1, m + 1) - 0.5))
    theta = grid / (PRIOR_SCALE * quartile[:, None]) + 1 / tails[:, -1:]
    shapes = np.stack(
        [np.log1p(-theta[:, at, None] * tails).mean(axis=1) for at in range(m)], axis=1
    )
    profile = n * (np.log(-theta / shapes) - shapes - 1)
    weights = np.exp(profile - _log_sum(profile)[:, None])
    weights[weights < 10 * np.finfo(float).eps] = 0.0
    best = (theta * weights).sum(axis=1) / weights.sum(axis=1)
    shape = np.log1p(-best[:, None] * tails).mean(axis=1)
    drawn = (n * shape + PRIOR_DRAWS * PRIOR_SHAPE) / (n + PRIOR_DRAWS)
    usual = quartile > tails[:, 0]  # else this is no such tail
    return np.where(usual, np.where(np.isnan(drawn), np.inf, drawn), np.nan), -shape / best


def _log_sum(values: FloatArray) -> FloatArray:
    """Log of the sum of exponentials of every row."""
    top = values.max(axis=1)
    return np.asarray(top + np.log(np.exp(values - top[:, None]).sum(axis=1)))
