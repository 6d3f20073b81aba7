"""Draws to means, sds and highest-density intervals, with their probability checked."""

from __future__ import annotations

import numpy as np
import pandas as pd

from .arrays import FloatArray

DEFAULT_CI_PROB = 0.89
"""Probability of intervals unless asked otherwise."""


def check_probability(ci_prob: float) -> float:
    """Give back a probability that lies in (0, 1), or raise a ValueError that says what to do."""
    if isinstance(ci_prob, bool) or not 0 < ci_prob < 1:
        article = "an" if f"{ci_prob:g}".startswith(("8", "11", "18")) else "a"
        hint = f"; for {article} {ci_prob:g}% interval pass {ci_prob / 100:g}"
        hint = hint if 1 < ci_prob < 100 else ""
        raise ValueError(f"ci_prob must lie in (0, 1), got {ci_prob}{hint}")
    return float(ci_prob)


def hdi(draws: FloatArray, ci_prob: float) -> FloatArray:
    """Highest-density interval of every column, (n_draws, n) to (n, 2), by ArviZ."""
    from arviz_stats.base import array_stats

    return np.asarray(array_stats.hdi(draws, check_probability(ci_prob), axis=0))


def describe_draws(draws: FloatArray, ci_prob: float) -> pd.DataFrame:
    """Mean, sd and HPDI of every column: ``mean``, ``sd``, ``low``, ``high``.

    The frame says in ``.attrs["ci_prob"]`` how probable its intervals are.
    """
    interval = hdi(draws, ci_prob)
    frame = pd.DataFrame(
        {
            "mean": draws.mean(axis=0),
            "sd": draws.std(axis=0, ddof=1),
            "low": interval[:, 0],
            "high": interval[:, 1],
        }
    )
    frame.attrs["ci_prob"] = check_probability(ci_prob)
    return frame
