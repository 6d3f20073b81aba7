"""Diagnose how a posterior was sampled, and how it depends on priors and single words."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import product
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd
from numpy.random import default_rng

from .._core.arrays import FloatArray
from .._core.checks import check_choice, check_numbers
from ..model.arviz_groups import log_priors
from ..model.design import Design
from ..model.frequency import refitted
from ..model.layout import add_draws
from ..model.likelihood import Rows, row_chunks
from ..model.priors import Prior
from ..model.tree import DataTree, design_of, n_draws, outcome_of, spec_of, varying
from ..sampling.collapsed import moments
from ..sampling.doubts import of_chains
from ..sampling.options import LEAST_CHAIN, LEAST_DRAWS
from ..sampling.reduction import collapse
from ..tables.levels import OVERALL
from .contrasts import contrast_draws, default_draws
from .estimands import compares_stereotypes, pair_place, require_overall
from .mixtures import contrast_weights, drawn_parameters
from .summaries import reads_posterior, require_draws

if TYPE_CHECKING:
    from xarray import Dataset

OF_EXACT = ("pareto_k", "importance_ess", "n_proposals")
"""Names of the exact sampler's statistics."""

SENSITIVE = 0.05
"""Smallest sensitivity that is reported as high (Kallioinen et al., 2024). A Normal posterior has
this sensitivity if, near alpha = 1, its mean moves by a quarter of the sd per doubling of alpha."""

CONTRAST = "contrast"
"""Name of the default rows of `contrasts` among the parameters."""

TAIL = 0.05
"""Share of a prior beyond an estimate, on either side, below which the two are in conflict."""

N_PRIOR = 20_000
"""Number of draws from each prior that tails are counted in."""

DRAWS = 20
"""Number of draws of the sds over which `influence` averages; more draws would change little."""


def diagnostics(tree: DataTree) -> pd.DataFrame:
    """Return the diagnostics of a posterior, in the columns ``diagnostic`` and ``value``.

    Every posterior has the rows ``chains`` and ``draws`` (per chain). The exact sampler adds
    ``pareto_k``, ``importance_ess``, and ``n_proposals``. NUTS adds ``divergences``, the largest
    ``rhat``, and the smallest ``ess_bulk`` and ``ess_tail`` across all parameters.
    """
    stats, sizes = tree["sample_stats"], tree["posterior"].sizes
    values: dict[str, float] = {"chains": sizes["chain"], "draws": sizes["draw"]}
    if "pareto_k" in stats:
        values |= {name: float(stats[name]) for name in OF_EXACT}
    else:
        values |= of_chains(tree)
    return pd.DataFrame({"diagnostic": list(values), "value": list(map(float, values.values()))})


@reads_posterior
def prior_sensitivity(
    tree: DataTree, variables: Sequence[str] | None = None, draws: int = 1000
) -> pd.DataFrame:
    r"""Compute the sensitivity of a posterior to its priors and to the data, by power-scaling.

    The draws are reweighted as if the priors, or the likelihood, were raised to a power `α` near 1.
    Sensitivity is the gradient in `log₂ α` of the cumulative Jensen-Shannon distance from the
    posterior to the reweighted posterior (Kallioinen et al., 2024). All priors of the model are
    scaled together. The distributions of effects are part of the model and are not scaled.

    Parameters
    ----------
    tree : DataTree
        A posterior from `fit`.
    variables : sequence of str, optional
        Posterior variables to check, such as ``word_mean``; by default, ``contrast``, the default
        rows of `contrasts`, and all variables that have a prior.
    draws : int
        Approximate number of draws to use, 25 or more, spread evenly across the posterior.

    Returns
    -------
    DataFrame
        ``parameter``; ``of``, its labels if it has any; ``prior`` and ``likelihood``, sensitivities
        of 0 or more; ``prior_tail``, the share of the prior beyond the posterior median, on the
        side where it is smaller (NaN without a prior); and ``diagnosis``. This is empty if
        ``prior`` is below ``SENSITIVE``. Otherwise, it is ``prior-data conflict`` if the median is
        in the outer 5% of the prior, or else ``strong prior or weak data``.

    Notes
    -----
    The authors call it a conflict if both sensitivities are high. That rule does not work here,
    because these likelihoods are given all effects: nearly every sd is sensitive to them, even if
    the prior expects what a few words show, and means are not, even if the prior is far off. What
    matters is whether the contrasts depend on priors.

    References
    ----------
    Kallioinen, Paananen, Bürkner, and Vehtari (2024), Detecting and diagnosing prior and likelihood
    sensitivity with power-scaling, Statistics and Computing 34.

    Examples
    --------
    >>> frame = bb.prior_sensitivity(post).query("parameter == 'contrast'")
    >>> frame[["of", "diagnosis"]].values.tolist()
    [['overall', ''], ['jew', ''], ['christian', ''], ['muslim', '']]
    """
    import arviz_stats as az
    import xarray as xr

    check_numbers(least=LEAST_DRAWS, draws=draws)
    require_draws(tree)
    most = tree["posterior"].sizes["draw"] // LEAST_CHAIN
    step = max(1, min(n_draws(tree) // draws, most))
    tree = tree.isel(draw=slice(None, None, step), missing_dims="ignore")
    posterior, spec = _with_contrasts(varying(tree), tree), spec_of(tree)
    checked = (CONTRAST, *spec.needed_priors)
    chosen = [variables] if isinstance(variables, str) else variables
    names = [*(chosen or (name for name in checked if name in posterior))]
    for name in names:
        check_choice("variable", name, map(str, posterior))
    fitted = Rows(tree)
    densities = [fitted.log_likelihood(rows).sum(axis=1) for rows in row_chunks(tree)]
    scaled = xr.DataTree.from_dict({"posterior": posterior})
    add_draws(scaled, "log_prior", log_priors(tree))
    add_draws(scaled, "log_likelihood", {outcome_of(tree): np.sum(densities, axis=0)})
    parts, tails = [], []
    for name in names:
        dims = [posterior.coords[dim].values.astype(str) for dim in posterior[name].dims[2:]]
        of = [", ".join(label) for label in product(*dims)]
        parts.append(pd.DataFrame({"parameter": name, "of": of}))
        tails.append(_tail(spec.priors.get(name), posterior[name].values))
    frame = pd.concat(parts, ignore_index=True)
    for group in ("prior", "likelihood"):
        sensitivity = az.psense(scaled, var_names=names, group=group)
        frame[group] = np.concatenate([np.ravel(sensitivity[name]) for name in names])
    frame["prior_tail"] = np.concatenate(tails)
    in_tail = frame["prior_tail"] < TAIL
    found = np.where(in_tail, "prior-data conflict", "strong prior or weak data")
    frame["diagnosis"] = np.where(frame["prior"] < SENSITIVE, "", found)
    return frame


def _with_contrasts(posterior: Dataset, tree: DataTree) -> Dataset:
    """Add draws of the default rows of `contrasts`, if the table has own and other stereotypes."""
    if not compares_stereotypes(design_of(tree)):
        return posterior
    keys, draws = default_draws(tree)
    shape = (*(posterior.sizes[dim] for dim in ("chain", "draw")), len(keys))
    names = keys["protected_group"].replace(OVERALL, f"group {OVERALL}")
    of = names.replace("", OVERALL).tolist()
    row = f"{CONTRAST}_row"
    return posterior.assign_coords({row: of}).assign(
        {CONTRAST: (("chain", "draw", row), draws.reshape(shape))}
    )


def _tail(prior: Prior | None, draws: FloatArray) -> FloatArray:
    """Return the share of a prior beyond the medians of (chains, draws, ...) values."""
    medians = np.median(draws, axis=(0, 1)).ravel()
    if prior is None or prior.family == "lkj":
        return np.full(len(medians), np.nan)
    below = np.searchsorted(np.sort(prior.draw((N_PRIOR,), default_rng(0))), medians) / N_PRIOR
    return np.minimum(below, 1 - below)


@reads_posterior
def influence(
    tree: DataTree, first: str = "associated", second: str = "different", draws: int = DRAWS
) -> pd.DataFrame:
    """Compute how the overall contrast changes if one protected word or attribute is left out.

    The posterior mean without a word is exact, given the sds from the full fit. Slopes on word
    frequency are estimated again from the words that are left.

    Parameters
    ----------
    tree : DataTree
        A posterior of a Normal model, from `fit`.
    first, second : str
        Two connections. The contrast is first - second, as in the overall rows of `contrasts`.
    draws : int
        Number of draws of the sds to average over, spread evenly across the posterior.

    Returns
    -------
    DataFrame
        ``factor`` (protected_word or attribute); ``name``; ``of``, its group or set; ``n_rows``;
        ``mean`` and ``mean_without``, the contrast with and without the word; ``change``,
        mean_without - mean; and ``sds``, the change divided by the contrast's posterior sd. Large
        changes come first. The frame omits words without rows for either connection, and words that
        have all the rows for one.

    Raises
    ------
    ValueError
        If no group has both connections.

    Examples
    --------
    >>> bb.influence(post).iloc[:3, :6].round(3)
          factor          name                    of  n_rows  mean  mean_without
    0  attribute  conservative  christian_stereotype      15 -0.04        -0.022
    1  attribute   judgemental  christian_stereotype      15 -0.04        -0.052
    2  attribute    uneducated     muslim_stereotype      15 -0.04        -0.047
    """
    design, spec = design_of(tree), spec_of(tree)
    place, sign = pair_place(design.connections, first, second)
    require_overall(design, spec, first, second)
    check_numbers(draws=draws)
    chosen = np.linspace(0, n_draws(tree) - 1, min(draws, n_draws(tree))).astype(np.int64)
    parameters = drawn_parameters(tree)[chosen]

    def overall_mean(part: Design) -> float:
        posterior = collapse(part, spec.fitting(design), means_only=True)
        weights = sign * contrast_weights(posterior)[:, 0, [place]]
        return float(moments(posterior, parameters, weights)[0].mean())

    mean, rows = overall_mean(design), []
    ends = [design.connections.index(name) for name in (first, second)]
    compared = np.isin(design.connection, ends)
    for factor, name, of, is_own in _units(design):
        rest = np.flatnonzero(~is_own)
        if compared[is_own].any() and set(ends) <= set(design.connection[rest].tolist()):
            without = overall_mean(refitted(design, rest))
            rows.append((factor, name, of, int(is_own.sum()), mean, without, without - mean))
    columns = ["factor", "name", "of", "n_rows", "mean", "mean_without", "change"]
    frame = pd.DataFrame(rows, columns=columns)
    frame["sds"] = frame["change"] / contrast_draws(tree, "population")[1][:, 0, place].std()
    order = np.lexsort((frame["name"], frame["factor"], -frame["change"].abs()))
    frame = frame.iloc[order].reset_index(drop=True)
    frame.attrs = {"first": first, "second": second}
    return frame


def _units(design: Design) -> Iterator[tuple[str, str, str, np.ndarray]]:
    """Yield the factor, name, group or set, and row mask of each word and attribute."""
    for index, name in enumerate(design.words):
        yield "protected_word", name, design.groups[design.word_group[index]], design.word == index
    for index, name in enumerate(design.attributes):
        is_own = design.attribute == index
        sets = {design.sets[i] for i in design.set[is_own] if i >= 0} if design.sets else set()
        yield "attribute", name, ", ".join(sorted(sets)), is_own
