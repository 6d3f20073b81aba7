"""Compare two posteriors of one table, in units of the Monte Carlo error of their difference."""

from __future__ import annotations

import warnings

import numpy as np
import pandas as pd
from xarray import Dataset

import bayesbias as bb
from bayesbias.model.tree import n_draws, varying

ENDS = (0.055, 0.945)  # ends of central 89% intervals

HIGHEST_Z = 5.5
"""In 400 comparisons with normal errors of known sd, one exceeds 3.7 with a probability of 1 in 10.
The errors of NUTS are estimates, and interval ends have heavier tails, so the limit is higher."""

HIGHEST_RMS = 1.5
"""Parameters of a posterior are correlated, so the mean square is like that of fewer independent
normals. With ten normals, it would exceed 1.5² once in 80 runs; with twenty, once in 900 runs."""


def exact_and_nuts(
    table: pd.DataFrame, spec: str, draws: int = 2000, seed: int = 1, chains: int = 4
) -> tuple[Dataset, Dataset, int]:
    """Return draws of the exact sampler and of PyMC's NUTS, and the number of divergences."""
    options = {"draws": draws, "chains": chains, "seed": seed}
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", category=DeprecationWarning)  # fork
        # Sds near zero may have few effective draws; their standard errors allow for that.
        warnings.filterwarnings("ignore", category=bb.SamplingWarning)
        nuts = bb.fit(table, spec, method="nuts", progressbar=False, **options)
    exact = bb.fit(table, spec, method="exact", draws=4000, seed=seed)
    diverging = int(nuts["sample_stats"]["diverging"].sum())
    ours = varying(exact)
    n = n_draws(exact)
    ours.attrs["efficiency"] = min(n, float(exact["sample_stats"]["importance_ess"])) / n
    return ours, varying(nuts)[list(ours.data_vars)], diverging


def z_scores(ours: Dataset, theirs: Dataset, probability: float | None = None) -> pd.Series:
    """Return differences in means or quantiles, divided by their Monte Carlo errors."""
    import arviz as az

    over, method = ("chain", "draw"), {"method": "mean"}
    if probability is not None:
        method = {"method": "quantile", "prob": probability}
    values, errors = [], []
    for draws in (ours, theirs):
        is_mean = probability is None
        values.append(draws.mean(over) if is_mean else draws.quantile(probability, over))
        errors.append(az.mcse(draws, **method) / np.sqrt(draws.attrs.get("efficiency", 1.0)))
    found = {
        name: (values[0][name] - values[1][name]) / np.hypot(errors[0][name], errors[1][name])
        for name in map(str, ours.data_vars)
    }
    return pd.concat({name: pd.Series(np.ravel(z.values)) for name, z in found.items()})
