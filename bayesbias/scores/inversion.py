r"""Tail probabilities of the sum of k words that are drawn from n words without replacement.

Let each of n words be drawn independently with odds :math:`e^{a + z s_j}`. Given that k words are
drawn, all subsets are equally likely but for the factor :math:`e^{z S}` of their sum S. Therefore

.. math::
    P(S \ge x) = \frac{1}{\binom{n}{k}} \frac{1}{(2 \pi i)^2} \iint
    \prod_j (1 + e^{a + z s_j}) \, e^{-k a - z x} \, \frac{da \, dz}{z}

for :math:`a = a_0 + i \theta` with :math:`|\theta| \le \pi` and :math:`z = c + i t` with c > 0. At
the saddlepoint, where the words' mean number is k and their mean sum is x, the integrand falls like
a Gaussian in both directions, so that the trapezoid rule converges exponentially. If all sums are
multiples of a unit u apart, 1/z becomes :math:`u / (1 - e^{-z u})` with :math:`|t| \le \pi / u`.

References
----------
Robinson (1982), Saddlepoint approximations for permutation tests and confidence intervals, Journal
of the Royal Statistical Society B 44. Strawderman and Wells (1998), Approximately exact inference
for the common odds ratio, Journal of the American Statistical Association 93, on inversion along
the path through the saddlepoint.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import ceil, lgamma

import numpy as np
from numpy.typing import NDArray

from .._core.arrays import FloatArray

REACH = 8.5
"""Half-width of the integral in sds of the integrand, whose tail is then below 1e-15."""

STEP = 0.4
"""Step along t in 1 / sd of the sum. Copies of the sum's distribution are then 2π/.4 = 15.7 sds
apart, and the pole at z = 0, at least 1 / sd away, adds an error of at most e^(-2π/.4) = 1.5e-7."""

FEWEST = 1.5
"""Smallest sd of the number of drawn words. Below it, only a few words still vary."""

NEGLIGIBLE = 1e-6
"""The integral stops where the last terms are below this share of the sum."""

MOST_STEPS = 400
"""Largest number of steps along t. If few subsets reach the threshold, terms do not fall."""

STEPS_AT_ONCE = 24
"""Number of steps along t that are added before terms are compared with the sum."""


@dataclass(frozen=True)
class Tilt:
    """Words that are drawn independently with odds exp(offset + c s), k of them on average."""

    c: float
    offset: float
    chances: FloatArray  # (n_words,)
    sum_sd: float  # of the sum, given the number of words
    size_sd: float  # of the number of words


def inverted_tail(
    scores: FloatArray, chosen: int, threshold: float, unit: float = 0.0
) -> float | None:
    """Compute the share of subsets of a given size whose sum reaches a threshold.

    Parameters
    ----------
    scores : (n_words,) array
        Scores with mean zero, at least two of them different.
    chosen : int
        Number of words in a subset, from 1 to n_words - 1.
    threshold : float
        With a ``unit``, a possible sum.
    unit : float
        If positive, all sums differ by multiples of it.

    Returns
    -------
    float or None
        The share, with a relative error below 1e-3 (at most 1.1e-4 in comparisons with counts of
        all subsets of 38 and 44 words), or None if too few subsets reach the threshold.
    """
    if (tilt := _saddlepoint(scores, chosen, threshold)) is None or tilt.size_sd < FEWEST:
        return None
    theta, angle = _angles(tilt)
    step = STEP / tilt.sum_sd
    last = ceil(np.pi / unit / step) if unit else MOST_STEPS
    step = np.pi / unit / last if unit else step
    total = 0.0
    for start in range(0, min(last, MOST_STEPS) + 1, STEPS_AT_ONCE):
        index = np.arange(start, min(start + STEPS_AT_ONCE, last + 1))
        t = np.asarray(step * index, dtype=np.float64)
        sums = _sums_over_angles(scores, chosen, threshold, tilt=tilt, theta=theta, t=t)
        z = tilt.c + 1j * t
        terms = (sums * (unit / -np.expm1(-z * unit) if unit else 1 / z)).real
        total += float(terms @ np.where((index == 0) | (bool(unit) & (index == last)), 0.5, 1.0))
        if np.abs(terms[-5:]).max() < NEGLIGIBLE * abs(total) or (unit and index[-1] == last):
            n = len(scores)
            logs = np.logaddexp(0, tilt.offset + tilt.c * scores).sum() - chosen * tilt.offset
            logs += lgamma(chosen + 1) + lgamma(n - chosen + 1) - lgamma(n + 1)
            scale = np.exp(logs - tilt.c * threshold) * angle * step / (2 * np.pi**2)
            return float(np.clip(scale * total, 0.0, 1.0))
    return None


def _saddlepoint(scores: FloatArray, chosen: int, threshold: float) -> Tilt | None:
    """Return the tilt whose mean sum is the threshold, or c = 1 / sd if that c is larger."""
    from scipy.optimize import brentq

    def excess(c: float) -> float:
        return float(_tilted(scores, chosen, c).chances @ scores) - threshold

    low = high = 1 / _tilted(scores, chosen, 0.0).sum_sd
    if excess(low) >= 0:
        return _tilted(scores, chosen, low)
    while excess(high) < 0:
        high *= 2
        if high * np.ptp(scores) > 700:  # exp overflows; only the largest scores are left
            return None
    return _tilted(scores, chosen, float(brentq(excess, low, high, rtol=1e-8)))


def _tilted(scores: FloatArray, chosen: int, c: float) -> Tilt:
    from scipy.optimize import brentq
    from scipy.special import expit

    tilted = c * scores
    ends = -tilted.max() - 40, 40 - tilted.min()
    offset = float(brentq(lambda a: expit(a + tilted).sum() - chosen, *ends, xtol=1e-11))
    chances = np.asarray(expit(offset + tilted))
    variances = chances * (1 - chances)
    mean = variances @ scores / variances.sum()
    sum_sd = np.sqrt(variances @ (scores - mean) ** 2)
    return Tilt(c, offset, chances, float(sum_sd), float(np.sqrt(variances.sum())))


def _angles(tilt: Tilt) -> tuple[FloatArray, float]:
    """Return the angles at which the number of words is read off, and their distance."""
    n = 2 * ceil(REACH * tilt.size_sd)
    angle = 2 * np.pi / n
    half = min(n // 2, ceil(REACH / tilt.size_sd / angle))
    return np.asarray(angle * np.arange(-half, min(half + 1, n - half)), dtype=np.float64), angle


def _sums_over_angles(
    scores: FloatArray,
    chosen: int,
    threshold: float,
    *,
    tilt: Tilt,
    theta: FloatArray,
    t: FloatArray,
) -> NDArray[np.complex128]:
    """Return the integrand without its kernel at each t, summed over the angles."""
    phases = theta[None, :, None] + t[:, None, None] * scores
    factors: NDArray[np.complex128] = 1 + tilt.chances * (np.exp(1j * phases) - 1)
    products = factors.prod(axis=2)
    products *= np.exp(-1j * (chosen * theta[None] + t[:, None] * threshold))
    return np.asarray(products.sum(axis=1))
