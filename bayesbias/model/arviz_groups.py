"""Add the groups that ArviZ's functions need: log densities and predictions for rows."""

from __future__ import annotations

from collections.abc import Callable, Collection
from typing import TYPE_CHECKING

import numpy as np
from numpy.random import default_rng

from .._core.arrays import FloatArray, IntArray
from .._core.checks import check_choice
from .._core.random import Seed, as_seed_sequence
from .defaults import EXTRA_GROUPS
from .layout import add_draws
from .likelihood import Rows, row_chunks
from .prior_predictive import draw_prior
from .tree import Analyzed, design_of, n_draws, outcome_of, posterior_in, spec_of, stacked

if TYPE_CHECKING:
    from xarray import DataTree


def add_groups(
    tree: DataTree | Analyzed,
    groups: str | Collection[str] = EXTRA_GROUPS,
    *,
    seed: Seed = None,
) -> DataTree:
    """Return a copy of a posterior with additional groups for ArviZ's functions.

    Each value takes 8 bytes, so a group with 4,000 draws for each of 10,000 rows takes 320 MB.

    Parameters
    ----------
    tree : DataTree
        A posterior from `fit` or `fit_change`.
    groups : str or collection of str
        ``log_likelihood`` is for `az.loo` and `az.compare`; `az.psense_summary` also needs
        ``log_prior``. ``posterior_predictive`` is for `az.plot_ppc_dist`; `az.loo_pit` also needs
        ``log_likelihood``. ``prior_predictive`` also adds or replaces ``prior``, for
        `az.plot_prior_posterior`. Other existing groups are unchanged.
    seed : int, SeedSequence, Generator, or None
        Seed for the predictive and prior draws; None uses a fresh seed.

    Returns
    -------
    DataTree

    Examples
    --------
    >>> import bayesbias as bb
    >>> wordlist = bb.load_wordlist("religion")
    >>> table = bb.distance_table(bb.load_vectors("glove-demo", wordlist), wordlist)
    >>> post = bb.add_groups(bb.fit(table, "paper", seed=1, draws=100), seed=1)
    >>> sorted(post.children)[:4]
    ['constant_data', 'log_likelihood', 'log_prior', 'observed_data']
    """
    wanted = (groups,) if isinstance(groups, str) else groups
    for group in wanted:
        check_choice("group", group, EXTRA_GROUPS)
    tree = posterior_in(tree).copy()
    rng, outcome = default_rng(as_seed_sequence(seed)), outcome_of(tree)
    missing = {group for group in wanted if group not in tree.children}
    if "prior_predictive" in missing:
        prior = draw_prior(design_of(tree), spec_of(tree), tree["posterior"].sizes["draw"], rng)
        of_prior = Rows(prior)
        _add_rows(prior, "prior_predictive", outcome, lambda rows: of_prior.predict(rows, rng))
        tree["prior"] = prior["posterior"].to_dataset()
        tree["prior_predictive"] = prior["prior_predictive"].to_dataset()
    fitted = Rows(tree)
    if "posterior_predictive" in missing:
        _add_rows(tree, "posterior_predictive", outcome, lambda rows: fitted.predict(rows, rng))
    if "log_likelihood" in missing:
        _add_rows(tree, "log_likelihood", outcome, fitted.log_likelihood)
    if "log_prior" in missing:
        add_draws(tree, "log_prior", log_priors(tree))
    return tree


def _add_rows(
    tree: DataTree, group: str, outcome: str, values: Callable[[IntArray], FloatArray]
) -> None:
    """Add (n_draws, n_rows) values in chunks of rows, to keep intermediate arrays small."""
    chunks = [values(rows) for rows in row_chunks(tree)]
    add_draws(tree, group, {outcome: np.concatenate(chunks, axis=1)})


def log_priors(tree: DataTree) -> dict[str, FloatArray]:
    """Return the (n_draws,) log densities of each prior that is not fixed, summed over elements."""
    return {
        name: prior.log_density(stacked(tree, name)).reshape(n_draws(tree), -1).sum(axis=1)
        for name, prior in spec_of(tree).priors.items()
        if prior.family != "fixed"
    }
