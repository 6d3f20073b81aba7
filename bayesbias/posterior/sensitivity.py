"""How much a posterior leans on its priors, by power-scaling."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from itertools import product
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from .._core.arrays import FloatArray
from .._core.checks import unknown_name
from ..model.arviz_groups import log_priors
from ..model.likelihood import draw_chunks, log_likelihood
from ..model.tree import add_draws, labels, outcome_of, spec_of, variable_dims, varying
from .summaries import carry_warnings

if TYPE_CHECKING:
    from xarray import DataTree

SENSITIVE = 0.05
"""Sensitivity from which it counts (Kallioinen et al., 2024): a normal posterior whose mean moves
by a quarter of its sd whenever alpha doubles has this much."""

ALPHAS = 0.99, 1.01
"""Powers that the gradient is taken between, those of ArviZ."""


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

    Examples
    --------
    >>> import bayesbias as bb
    >>> wordlist = bb.load_wordlist("religion")
    >>> vectors = bb.load_vectors("glove-demo", wordlist)
    >>> table = bb.distance_table(vectors, wordlist)
    >>> post = bb.fit(table, seed=1)
    >>> frame = bb.prior_sensitivity(post)
    >>> "diagnosis" in frame
    True
    """
    posterior = varying(tree)
    named = [name for name in spec_of(tree).needed_priors if name in posterior]
    names = named if variables is None else list(variables)
    for name in names:
        if name not in posterior:
            raise ValueError(unknown_name("variable", name, map(str, posterior)))
    shape = posterior.sizes["chain"], posterior.sizes["draw"]
    densities = {
        "prior": np.sum(list(log_priors(tree).values()), axis=0),
        "likelihood": _log_likelihood_of_all(tree),
    }
    weights = {
        component: [_scaled_weights(np.reshape(density, shape), alpha) for alpha in ALPHAS]
        for component, density in densities.items()
    }
    frame = pd.concat(
        [
            _frame(
                tree,
                name,
                posterior[name].dims,
                **{
                    component: _sensitivity(posterior[name].values, *pair)
                    for component, pair in weights.items()
                },
            )
            for name in names
        ],
        ignore_index=True,
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
    copy = tree.copy()
    add_draws(copy, "log_prior", log_priors(tree))
    add_draws(copy, "log_likelihood", {outcome_of(tree): _log_likelihood_of_all(tree)})
    return copy


def _log_likelihood_of_all(tree: DataTree) -> FloatArray:
    """Log likelihood of all rows together, (n_draws,)."""
    rows = np.arange(tree["observed_data"].sizes["row"])
    parts = [log_likelihood(tree, rows, draws).sum(axis=1) for draws in draw_chunks(tree)]
    return np.concatenate(parts)


def _scaled_weights(density: FloatArray, alpha: float) -> FloatArray:
    """Weights of the draws when a density, (n_chains, n_draws), is raised to a power."""
    from arviz_stats.base import array_stats

    weights = np.exp(array_stats.power_scale_lw(density, alpha=alpha, axis=(0, 1)))
    return np.asarray(weights / weights.sum())


def _sensitivity(values: FloatArray, lower: FloatArray, upper: FloatArray) -> FloatArray:
    """Sensitivities of a variable, (n_chains, n_draws, ...), to powers below and above 1."""
    from arviz_stats.base import array_stats

    ary = np.moveaxis(values.reshape(*values.shape[:2], -1), -1, 0)
    weights = (np.broadcast_to(each, ary.shape) for each in (lower, upper))
    return np.asarray(array_stats.power_scale_sense(ary, *weights, *ALPHAS))


def _frame(
    tree: DataTree, name: str, found: tuple[Hashable, ...], **components: FloatArray
) -> pd.DataFrame:
    """Label the sensitivities of a variable that has some dimensions."""
    dims = variable_dims(spec_of(tree))[name]
    index = list(product(*(labels(tree, dim) for dim in dims)))
    if "pair" in found:
        kinds = labels(tree, dims[0])
        index = [(one, other) for i, other in enumerate(kinds) for one in kinds[:i]]
    return pd.DataFrame(
        {
            "parameter": name,
            "of": [", ".join(label) for label in index],
            **components,
        }
    )
