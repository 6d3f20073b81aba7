"""Does a Normal describe a reference distribution? Moments, and quantiles next to quantiles."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pandas as pd

from .._core.arrays import FloatArray

CHECKED = (0.001, 0.01, 0.025, 0.05, 0.25, 0.5, 0.75, 0.95, 0.975, 0.99, 0.999)
"""Probabilities at which the fit is checked: the middle, and the tails that p-values are of."""


@dataclass(frozen=True)
class NormalFit:
    """A Normal fitted to values by their moments, and how far it is from them.

    Parameters
    ----------
    mean, sd : float
        The sd with divisor n - 1.
    skew, kurtosis : float
        Third and fourth standardised moment, the fourth less 3; both 0 for a Normal.
    outside_95 : float
        Share of values beyond mean ± 1.96 sd; .05 for a Normal.
    largest_gap : float
        Largest distance between a quantile and that of the Normal at `CHECKED` probabilities, in
        sd.
    ks : float
        Largest distance of the distribution functions (Kolmogorov and Smirnov), in [0, 1]. With
        hundreds of thousands of words every test rejects; read how large it is.
    """

    mean: float
    sd: float
    skew: float
    kurtosis: float
    outside_95: float
    largest_gap: float
    ks: float


def normal_fit(ranked: FloatArray) -> NormalFit:
    """Fit a Normal to values in ascending order."""
    from scipy.special import ndtr, ndtri

    mean, sd = float(ranked.mean()), float(ranked.std(ddof=1))
    if not sd > 0:
        raise ValueError("ψ is the same for all words; nothing stands out")
    z = (ranked - mean) / sd
    limit = ndtri(0.975)
    below = np.searchsorted(z, -limit, side="left") + len(z) - np.searchsorted(z, limit, "right")
    cdf, steps = ndtr(z), np.arange(len(z) + 1) / len(z)
    gaps = np.abs(np.quantile(z, CHECKED) - ndtri(CHECKED))
    centred = z - z.mean()
    spread = np.mean(centred**2)
    return NormalFit(
        mean=mean,
        sd=sd,
        skew=float(np.mean(centred**3) / spread**1.5),
        kurtosis=float(np.mean(centred**4) / spread**2 - 3),
        outside_95=float(below / len(z)),
        largest_gap=float(gaps.max()),
        ks=float(max((cdf - steps[:-1]).max(), (steps[1:] - cdf).max())),
    )


def qq(ranked: FloatArray, points: int = 99) -> pd.DataFrame:
    """Quantiles of values in ascending order next to a Normal's; see `Distribution.qq`."""
    from scipy.special import ndtri

    if points < 1:
        raise ValueError(f"points must be a whole number from 1 on; got {points!r}")
    p = np.unique(np.concatenate([(np.arange(points) + 0.5) / points, CHECKED]))
    mean, sd = ranked.mean(), ranked.std(ddof=1)
    normal, observed = mean + sd * ndtri(p), np.quantile(ranked, p)
    return pd.DataFrame(
        {"probability": p, "normal": normal, "observed": observed, "gap": (observed - normal) / sd}
    )
