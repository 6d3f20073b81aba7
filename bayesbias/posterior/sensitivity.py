"""How much a posterior leans on its priors, by power-scaling."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from .._core.checks import unknown_name
from ..model.likelihood import log_likelihood, row_chunks
from ..model.tree import add_draws, labels, n_draws, spec_of, stacked, variable_dims, varying
from .summaries import carry_warnings

if TYPE_CHECKING:
    from xarray import DataArray, DataTree

SENSITIVE = 0.05
"""Sensitivity from which it counts (Kallioinen et al., 2024): a normal posterior whose mean moves
by a quarter of its sd whenever alpha doubles has this much."""


def prior_sensitivity(tree: DataTree, variables: Sequence[str] | None = None) -> pd.DataFrame:
    r"""Sensitivity of a posterior to its priors and to the data, by power-scaling.

    Raising the priors, or the likelihood, to a power :math:`\alpha` close to 1 reweights the draws;
    the sensitivity is the gradient of the cumulative Jensen-Shannon distance to the reweighted
    posterior in :math:`\log_2 \alpha`. No refit is needed.

    What is scaled as "the prior" are the priors that the model states, all together: of
    ``connection_mean``, of the standard deviations, of ``nu``. The distributions of word means and
    attribute effects around them are part of the model and stay as they are, since scaling them
    would change how effects are pooled and not what was assumed beforehand.

    Parameters
    ----------
    tree : DataTree
        A posterior from `fit`.
    variables : sequence of str, optional
        Posterior variables to look at; by default those with a prior in the model. ``word_mean``
        is another.

    Returns
    -------
    DataFrame
        ``parameter``, ``of`` (its labels, or empty), ``prior`` and ``likelihood`` (sensitivities,
        from 0 on), ``diagnosis``: empty where the prior has little weight, ``prior-data conflict``
        where both are at least ``SENSITIVE``, ``strong prior or weak data`` where the prior alone
        is.

    Raises
    ------
    ValueError
        If a variable is unknown.

    References
    ----------
    Kallioinen, Paananen, Bürkner and Vehtari (2024), Detecting and diagnosing prior and likelihood
    sensitivity with power-scaling, Statistics and Computing 34.
    """
    import arviz as az
    from xarray import DataTree

    names = list(spec_of(tree).needed_priors) if variables is None else list(variables)
    posterior = varying(tree)
    for name in names:
        if name not in posterior:
            raise ValueError(unknown_name("variable", name, map(str, posterior)))
    scaled = with_log_densities(tree)
    scaled["posterior"] = DataTree(posterior[names])
    prior = az.psense(scaled, var_names=names, group="prior")
    likelihood = az.psense(scaled, var_names=names, group="likelihood")
    frame = pd.concat(
        [_frame(tree, name, prior[name], likelihood[name]) for name in names], ignore_index=True
    )
    frame["diagnosis"] = np.select(
        [frame["prior"] < SENSITIVE, frame["likelihood"] < SENSITIVE],
        ["", "strong prior or weak data"],
        "prior-data conflict",
    )
    return carry_warnings(frame, tree)


def with_log_densities(tree: DataTree) -> DataTree:
    """Return a copy with the groups that power-scaling reads, for use with ArviZ's functions.

    ``log_prior`` holds the log density of each of the model's priors, summed over its dimension;
    ``log_likelihood`` that of all rows together.
    """
    total = np.zeros(n_draws(tree))
    for rows in row_chunks(tree):
        total += log_likelihood(tree, rows).sum(axis=1)
    priors = {}
    for name, prior in spec_of(tree).priors.items():
        density = prior.log_density(stacked(tree, name))
        priors[name] = density.reshape(len(total), -1).sum(axis=1)
    copy = tree.copy()
    add_draws(copy, "log_prior", priors)
    add_draws(copy, "log_likelihood", {"cosine_distance": total})
    return copy


def _frame(tree: DataTree, name: str, prior: DataArray, likelihood: DataArray) -> pd.DataFrame:
    dims = variable_dims(spec_of(tree))[name]
    index = list(product(*(labels(tree, dim) for dim in dims)))
    if prior.dims == ("pair",):
        kinds = labels(tree, dims[0])
        index = [(one, other) for i, other in enumerate(kinds) for one in kinds[:i]]
    return pd.DataFrame(
        {
            "parameter": name,
            "of": [", ".join(label) for label in index],
            "prior": np.ravel(prior.values),
            "likelihood": np.ravel(likelihood.values),
        }
    )
