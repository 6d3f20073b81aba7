"""Trends over decades: bias, coverage, and claims of slopes, with and without x."""

from __future__ import annotations

import numpy as np
import pandas as pd
from numpy.random import default_rng

from bayesbias._core.arrays import FloatArray, one_thread
from bayesbias.comparison.hierarchy import PRIORS, Hierarchy
from bayesbias.comparison.runs import Contrasts, list_contrasts, runs_of

from ._default import table_of

DECADES = np.arange(8.0)
SLOPES = (0.0, -0.003, -0.006, -0.012)
RESIDUAL_SDS = (0.0, 0.01)
ENDS = (0.055, 0.945)


def tables(rng: np.random.Generator) -> dict[tuple[str, str], pd.DataFrame]:
    """Return eight tables of one list without bias: two groups, two sets, ten human words.

    Effects of words, attributes, leans, and pairs are the same in all decades; noise is not.
    """
    group, column = np.repeat([0, 1], 6), np.repeat([0, 1, 2], [8, 8, 10])
    sign = np.array([1.0, -1.0, 0.0])[column]
    level = 0.85 + rng.normal(0, 0.03, (12, 1)) + rng.normal(0, 0.03, 26)
    leans = rng.normal(0, 0.03, (12, 1)) * sign + rng.normal(0, 0.03, 26) * (1 - 2 * group)[:, None]
    same = level + leans / 2 + rng.normal(0, 0.035, (12, 26))
    found = {}
    for decade in DECADES:
        distance = same + rng.normal(0, 0.05, same.shape)
        sets = ["g0", "g1", "human"]
        found[f"{decade:.0f}", "0"] = table_of(distance, (group, column, np.arange(2)), sets, "g")
    return found


def slope_of(
    contrasts: Contrasts, x: FloatArray | None, seed: int
) -> tuple[FloatArray, FloatArray]:
    """Return draws of the slope, and of the contrast of the last decade minus the first."""
    hierarchy = Hierarchy([contrasts], len(DECADES), x)
    drawn, slopes, _, _ = hierarchy.draw(PRIORS, 2000, default_rng(seed))
    of_embeddings, centered = drawn[:, 0], DECADES - DECADES.mean()
    if x is None:  # the least-squares slope of contrasts that were drawn together
        slopes = (of_embeddings @ centered / (centered @ centered))[:, None]
    return slopes[:, 0], of_embeddings[:, -1] - of_embeddings[:, 0]


def study(size: int = 60) -> pd.DataFrame:
    """Fit ``size`` sets of eight decades; contrasts are linear in the trend, which is added."""
    rows = []
    for seed in range(size):
        rng = default_rng(seed)
        runs = runs_of("list", tables(rng))
        with one_thread():
            found, _ = list_contrasts(runs, runs.embeddings, ("associated", "different"), rng)
        deviation = rng.standard_normal(len(DECADES))
        for residual_sd in RESIDUAL_SDS:
            for slope in SLOPES:
                truth = residual_sd * deviation + slope * DECADES
                moved = Contrasts(found[""].embedding, found[""].mean + truth, found[""].covariance)
                for method, x in (("fit_many(x=...)", DECADES), ("fit_many", None)):
                    draws, ends = slope_of(moved, x, seed)
                    (low, high), (first, last) = (np.quantile(d, ENDS) for d in (draws, ends))
                    rows.append(
                        {
                            **{"residual_sd": residual_sd, "truth": slope, "method": method},
                            **{"slope": draws.mean(), "coverage": low <= slope <= high},
                            "claims": low > 0 or high < 0,
                            "coverage_of_ends": first <= truth[-1] - truth[0] <= last,
                        }
                    )
    keys = ["residual_sd", "truth", "method"]
    return pd.DataFrame(rows).groupby(keys, sort=False).mean().reset_index().assign(sets=size)
