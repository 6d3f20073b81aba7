"""How a posterior was sampled, and how much it leans on its priors, in numbers."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from .._core.checks import unknown_name
from ..model.arviz_groups import log_priors
from ..model.likelihood import draw_chunks, log_likelihood
from ..model.tree import add_draws, outcome_of, spec_of, varying
from .summaries import carry_warnings

if TYPE_CHECKING:
    from xarray import DataTree

OF_EXACT = ("pareto_k", "importance_ess", "n_proposals")
"""Statistics of the exact sampler."""

SENSITIVE = 0.05
"""Sensitivity from which it counts (Kallioinen et al., 2024): a normal posterior whose mean moves
by a quarter of its sd whenever alpha doubles has this much."""


def diagnostics(tree: DataTree) -> pd.DataFrame:
    """Return the diagnostics of a posterior, ``diagnostic`` and ``value``.

    They are ``chains`` and ``draws`` of each; of the exact sampler ``pareto_k``,
    ``importance_ess`` and ``n_proposals``; of NUTS ``divergences``, the largest ``rhat``, and the
    smallest ``ess_bulk`` and ``ess_tail`` of all parameters.
    """
    import arviz_stats as az

    stats, sizes = tree["sample_stats"], tree["posterior"].sizes
    values: dict[str, float] = {"chains": sizes["chain"], "draws": sizes["draw"]}
    if "pareto_k" in stats:
        values |= {name: float(stats[name]) for name in OF_EXACT}
    else:
        posterior = varying(tree)
        values["divergences"] = int(stats["diverging"].sum())
        values["rhat"] = max(float(rhat.max()) for rhat in az.rhat(posterior).data_vars.values())
        for kind in ("bulk", "tail"):
            sizes_of = az.ess(posterior, method=kind).data_vars.values()
            values[f"ess_{kind}"] = min(float(ess.min()) for ess in sizes_of)
    return pd.DataFrame({"diagnostic": list(values), "value": list(map(float, values.values()))})


def prior_sensitivity(tree: DataTree, variables: Sequence[str] | None = None) -> pd.DataFrame:
    r"""Sensitivity of a posterior to its priors and to the data, by power-scaling.

    Raising the priors, or the likelihood, to a power :math:`\alpha` close to 1 reweights the draws;
    the sensitivity is the gradient of the cumulative Jensen-Shannon distance to the reweighted
    posterior in :math:`\log_2 \alpha` (Kallioinen et al., 2024). "The prior" is that of
    ``connection_mean``, of the standard deviations and of ``nu``, all together; the distributions
    of effects around them are part of the model and stay.

    Parameters
    ----------
    tree : DataTree
        A posterior from `fit`.
    variables : sequence of str, optional
        Posterior variables to look at, such as ``word_mean``; by default those with a prior.

    Returns
    -------
    DataFrame
        ``parameter``, ``of`` (its labels, or empty), ``prior`` and ``likelihood`` (sensitivities,
        from 0 on), ``diagnosis``: empty where the prior has little weight, ``prior-data conflict``
        where both are at least ``SENSITIVE``, ``strong prior or weak data`` where the prior alone
        is.

    References
    ----------
    Kallioinen, Paananen, Bürkner and Vehtari (2024), Detecting and diagnosing prior and likelihood
    sensitivity with power-scaling, Statistics and Computing 34.

    Examples
    --------
    >>> frame = bb.prior_sensitivity(post).query("parameter == 'connection_mean'")
    >>> frame[["of", "diagnosis"]].values.tolist()
    [['associated', ''], ['different', ''], ['neutral', ''], ['human', '']]
    """
    import arviz_stats as az
    from xarray import DataTree

    posterior = varying(tree)
    names = list(variables or (name for name in spec_of(tree).needed_priors if name in posterior))
    for name in names:
        if name not in posterior:
            raise ValueError(unknown_name("variable", name, map(str, posterior)))
    rows = np.arange(tree["observed_data"].sizes["row"])
    densities = [log_likelihood(tree, rows, draws).sum(axis=1) for draws in draw_chunks(tree)]
    scaled = DataTree.from_dict({"posterior": posterior})
    add_draws(scaled, "log_prior", log_priors(tree))
    add_draws(scaled, "log_likelihood", {outcome_of(tree): np.concatenate(densities)})
    parts = []
    for name in names:
        dims = [posterior.coords[dim].values.astype(str) for dim in posterior[name].dims[2:]]
        of = [", ".join(label) for label in product(*dims)]
        parts.append(pd.DataFrame({"parameter": name, "of": of}))
    frame = pd.concat(parts, ignore_index=True)
    for group in ("prior", "likelihood"):
        sensitivity = az.psense(scaled, var_names=names, group=group)
        frame[group] = np.concatenate([np.ravel(sensitivity[name]) for name in names])
    low = [frame["prior"] < SENSITIVE, frame["likelihood"] < SENSITIVE]
    frame["diagnosis"] = np.select(low, ["", "strong prior or weak data"], "prior-data conflict")
    return carry_warnings(frame, tree)
