r"""Models of how often language models prefer stereotypical sentences.

A preference is 1 if the stereotypical sentence of a pair has the higher score, 0 if it has the
lower score, and 1/2 in a tie. The model ``pairs-signs`` is linear in the effects of bias types,
clusters of pairs, and covariates. `bayesbias.sampling.fit.fit_design` samples it exactly.

`Y` contains the preferences, with one row per pair and one column per language model. `H` contains
the eigenvectors of their covariance. The columns of `Y H` are uncorrelated, so each column is
fitted separately. Multiplying the effects by `Hᵀ` gives the effects for each language model.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Unpack

import numpy as np
import pandas as pd

from .._core.arrays import FloatArray
from .._core.random import as_seed_sequence
from .._core.warnings import warn
from ..model.layout import describe, in_order
from ..model.spec import ModelSpec, Priors, load_model
from ..model.tree import keep_warnings, stacked, warnings_of
from ..sampling.fit import fit_design
from ..sampling.options import FitKeywords, FitOptions, fit_options, shows_fit_keywords
from ..sampling.variation import settled_parts
from ..tables.schema import table_hash
from ..warnings import LeftOut
from .preferences import NEEDED_COLUMNS, TOKENS, Preferences, one_measure, preferences
from .shares import SHARE_DIMS, shares

if TYPE_CHECKING:
    from xarray import DataTree

DEFAULT_MODEL = "pairs-signs"
"""The default model of sentence pairs."""

VARIABLES = {
    "mean": "connection_mean",
    "type": "word_mean",
    "cluster": "cluster_effect",
    "type_sd": "connection_sd",
    "cluster_sd": "cluster_sd",
    "sigma": "sigma",
    "slope": "slope",
}
"""Variables of the model, keyed by their names in `shares`."""

SD_OF_PREFERENCES = 0.5
"""Standard deviation of equally many zeros and ones, which sets the scale of the priors."""

SD_OF_SETTLED = 0.1
"""Known error of preferences if clusters and covariates, or covariates alone, determine them.

Their residual sd would be zero otherwise. This is the sd of a preference of 1 or 0 that is the
other one with a probability of .01.
"""


class EqualPreferencesError(ValueError):
    """The preferences of language models do not differ between pairs, so no model can be fitted."""


@shows_fit_keywords
def fit_pairs(
    paired: pd.DataFrame,
    measure: str | None = None,
    model: str | Path | ModelSpec = DEFAULT_MODEL,
    *,
    priors: Priors | None = None,
    options: FitOptions | None = None,
    **keywords: Unpack[FitKeywords],
) -> DataTree:
    """Model how often stereotypical sentences are preferred, by bias type and language model.

    Parameters
    ----------
    paired : DataFrame
        From `paired_scores` or `read_scores`, for one or more language models. The columns
        ``cluster``, ``direction``, and ``token_difference`` are used if present. Without
        ``cluster``, pairs are treated as independent. The other two columns add slopes;
        ``token_difference`` is not used, with a warning, if a value is missing. A tie counts as
        half. Pairs that lack a model's score are left out with a warning. If clusters and
        covariates determine all preferences, these get a known error with an sd of 0.1.
    measure : str, optional
        Measure to model; required if `paired` has several measures.
    model : str, Path, or ModelSpec
        ``pairs-signs`` or your own model of preferences.
    priors : mapping, optional
        Parameters of priors to change, such as ``{"cluster_sd": {"sd": 0.2}}``.
    options, **keywords
        Fit options, as in `bayesbias.fit`.

    Returns
    -------
    xarray.DataTree
        A posterior with the dimensions ``bias_type``, ``language_model``, and ``covariate``. It
        contains ``share``, ``overall_share``, and ``population_share``. Summarize it with
        `pair_summary` and related functions. The attribute ``measure`` names the measure.

    Raises
    ------
    ValueError
        If a model's preferences are all equal, or if two models have the same preferences.
    """
    chosen = one_measure(paired, measure)
    data = preferences(chosen)
    if data.n_left_out:
        total = data.n_left_out + len(data.y)
        warn(LeftOut(data.n_left_out, total, "pair", "they lack scores of some models"))
    spec = load_model(model, "preference").with_priors(dict(priors or {}))
    if (names := {term.name for term in spec.terms}) != {"word_mean", "cluster_effect", "slope"}:
        raise ValueError(
            f"the model {spec.name!r} must have exactly the terms word_mean, cluster_effect, and "
            f"slope; got {', '.join(sorted(names)) or 'none'}"
        )
    spec = spec if data.design.covariates else spec.without("slope")
    settings = fit_options(options, keywords)
    sequence = as_seed_sequence(settings.seed)
    adding, *children = sequence.spawn(1 + len(data.models))
    axes = np.ones((1, 1))
    if len(data.models) > 1:
        axes = np.linalg.eigh(np.cov(data.y.T))[1]
    fits = [
        _along(axis, data, spec, settings.of_fit(seed=child))
        for axis, child in zip(axes.T, children, strict=True)
    ]
    effects = {name: np.stack([fit[name] for _, fit in fits], axis=-1) for name in fits[0][1]}
    tree = _laid_out(shares(effects, axes, data.design, adding), data, [fit for fit, _ in fits])
    first, read = fits[0][0].attrs, (*NEEDED_COLUMNS, "cluster", "direction", TOKENS)
    describe(tree, spec, **{name: str(first[name]) for name in ("method", "method_reason")})
    keep_warnings(tree, dict.fromkeys(doubt for fit, _ in fits for doubt in warnings_of(fit)))
    tree.attrs |= {
        "seed": str(sequence.entropy),
        "measure": str(chosen["measure"].iloc[0]),
        "table_hash": table_hash(chosen[[name for name in read if name in chosen.columns]]),
    }
    return tree


def _along(
    axis: FloatArray, data: Preferences, spec: ModelSpec, options: FitOptions
) -> tuple[DataTree, dict[str, FloatArray]]:
    """Fit the preferences along one axis on the scale of the priors, and rescale the draws."""
    along = data.y @ axis
    if along.std() < 1e-9:
        alike = np.array(data.models)[np.abs(axis) > 1e-9]
        how = "the same" if len(alike) == 1 else "the same, opposite, or a sum of others"
        raise EqualPreferencesError(
            f"intervals cannot be estimated, because the preferences of {' and '.join(alike)} are "
            f"{how} for every pair; use more pairs or fewer models"
        )
    scale = float(along.std()) / SD_OF_PREFERENCES
    mean = spec.priors["connection_mean"].parameters["mean"] * float(axis.sum()) / scale
    design = data.design_of(along / scale, "along" if len(axis) > 1 else data.models[0])
    if settled_parts(design, spec) or settled_parts(design, spec.without("cluster_effect")):
        design = replace(design, rounding=SD_OF_SETTLED / scale)
    tree = fit_design(
        design,
        spec.with_priors({"connection_mean": {"mean": mean}}),
        options=options,
    )
    names = [name for name in VARIABLES if name != "slope" or data.design.covariates]
    values = {name: scale * stacked(tree, VARIABLES[name])[..., 0] for name in names}
    return tree, {"slope": np.zeros((len(values["mean"]), 0))} | values


def _laid_out(
    values: Mapping[str, FloatArray], data: Preferences, fits: list[DataTree]
) -> DataTree:
    """Arrange the draws by chain."""
    import xarray as xr

    sizes = {name: fits[0]["posterior"].sizes[name] for name in ("chain", "draw")}
    coords = {name: np.arange(size) for name, size in sizes.items()} | {
        "bias_type": list(data.design.words),
        "language_model": list(data.models),
        "covariate": list(data.design.covariates),
    }
    drawn = {
        name: ((*sizes, *SHARE_DIMS[name]), draws.reshape(*sizes.values(), *draws.shape[1:]))
        for name, draws in values.items()
    }
    observed = {"preference": (("pair", "language_model"), data.y)}
    groups = {
        "posterior": in_order(xr.Dataset(drawn, coords)),
        "observed_data": xr.Dataset(observed, {"language_model": list(data.models)}),
    }
    return xr.DataTree.from_dict(groups)
