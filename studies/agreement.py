"""How far two posteriors of one table are apart, in Monte Carlo standard errors of both."""

from __future__ import annotations

import warnings

import numpy as np
import pandas as pd
from xarray import Dataset

import bayesbias as bb
from bayesbias.model.tree import n_draws, varying

ENDS = (0.055, 0.945)
"""Ends of central 89% intervals."""

HIGHEST_Z = 5.5
"""Of 400 comparisons of normal errors with known sd, one beyond 3.7 is a 1 in 10 chance; here the
errors of NUTS are themselves estimates, and ends of intervals have heavier tails."""

HIGHEST_RMS = 1.5
"""Parameters of a posterior move together, so that the mean of squares is that of fewer normals
than there are: of ten, 1.5² would be exceeded once in 80 runs, and of twenty once in 900."""


def exact_and_nuts(
    table: pd.DataFrame, spec: str, draws: int = 2000, seed: int = 1, chains: int = 4
) -> tuple[Dataset, Dataset, int]:
    """Draws of the exact sampler and of PyMC's NUTS, and how many transitions diverged."""
    options = {"draws": draws, "chains": chains, "seed": seed}
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", category=DeprecationWarning)  # of forking
        # Sds near zero may leave few effective draws: their errors are larger then, and known.
        warnings.filterwarnings("ignore", category=bb.SamplingWarning)
        nuts = bb.fit(table, spec, method="nuts", progressbar=False, **options)
    exact = bb.fit(table, spec, method="exact", draws=4000, seed=seed)
    diverging = int(nuts["sample_stats"]["diverging"].sum())
    ours = varying(exact)
    n = n_draws(exact)
    ours.attrs["efficiency"] = min(n, float(exact["sample_stats"]["importance_ess"])) / n
    return ours, varying(nuts)[list(ours.data_vars)], diverging


def z_scores(ours: Dataset, theirs: Dataset, probability: float | None = None) -> pd.Series:
    """Difference of every parameter's mean, or quantile, over the Monte Carlo error of both."""
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
