"""Which sentence of a pair is preferred: the model ``pairs-signs``, and the shares it finds.

Only the signs of differences count. What decides them beside a stereotype is in the model: how many
tokens the sentences have, which way the stereotype runs, and the words that a pair contrasts.
"""

from __future__ import annotations

import json
import warnings
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.random import default_rng

from .._core.arrays import FloatArray
from .._core.checks import Argument
from .._core.random import as_seed_sequence
from .._core.resources import OWN_FRAMES
from ..model.design import IntArray
from ..model.spec import ModelSpec
from ..model.tree import SamplingWarning, describe, in_order
from ..sampling.fit import ESS_LIMIT, RHAT_LIMIT
from ..sampling.options import FitOptions
from .probit import ProbitPriors, Rows, State, chain
from .sign_design import EQUAL, SignDesign
from .sign_shares import shares

if TYPE_CHECKING:
    from xarray import Dataset, DataTree

DIMS = {
    "mean": ("language_model",),
    "type_sd": ("language_model",),
    "type_mean": ("bias_type", "language_model"),
    "shared_type_effect": ("bias_type",),
    "shared_type_sd": (),
    "slope": ("covariate", "language_model"),
    "cluster_sd": ("language_model",),
    "shared_cluster_sd": (),
    "pair_sd": (),
    "share": ("bias_type", "language_model"),
    "overall_share": ("language_model",),
    "population_share": ("language_model",),
}
DIMS |= {f"{name}{EQUAL}": DIMS[name] for name in ("share", "overall_share", "population_share")}
"""Variables of the posterior, and their dimensions beside chain and draw."""


OWN_TERMS = ("word_mean", "cluster_effect")
SHARED_TERMS = ("context_effect", "shared_cluster_effect", "attribute_effect")
"""Effects of one language model, and those that language models share."""


def sign_spec(design: SignDesign, spec: ModelSpec) -> ModelSpec:
    """Leave out effects that a design cannot tell from others, and check those that stay.

    With one language model what types differ by is its own, and has the prior of what models share.
    """
    known = {*OWN_TERMS, *SHARED_TERMS}
    names = {term.name for term in spec.terms}
    if not set(OWN_TERMS) <= names <= known:
        raise ValueError(
            f"the model {spec.name!r} has the terms {', '.join(sorted(names))}; a model of "
            f"preferences has {' and '.join(OWN_TERMS)}, and may have {', '.join(SHARED_TERMS)}"
        )
    if len(design.language_models) == 1:
        of_types = spec.priors.get("context_sd", spec.priors["connection_sd"])
        return spec.without(*SHARED_TERMS).with_priors({"connection_sd": of_types})
    return spec.without("context_effect") if len(design.bias_types) == 1 else spec


@dataclass(frozen=True)
class _Coefficients:
    """Which coefficient is what: means, types by models, shared types, slopes by models."""

    n_types: int
    n_models: int
    n_covariates: int
    shared_types: bool

    @property
    def types(self) -> IntArray:
        """Of deviations of types from the mean of a model, (n_types, n_models)."""
        return self.n_models + np.arange(self.n_types * self.n_models).reshape(
            self.n_types, self.n_models
        )

    @property
    def shared(self) -> IntArray:
        """Of what models share in a type, (n_types,), or none."""
        start = self.n_models * (1 + self.n_types)
        return start + np.arange(self.n_types if self.shared_types else 0)

    @property
    def slopes(self) -> IntArray:
        """Of covariates by models, (n_covariates, n_models)."""
        start = self.n_models * (1 + self.n_types) + len(self.shared)
        n = self.n_covariates * self.n_models
        return start + np.arange(n).reshape(self.n_covariates, self.n_models)

    def matrix(self, design: SignDesign) -> FloatArray:
        """What each coefficient is multiplied by in each row, (n_rows, n_coefficients)."""
        rows = np.arange(len(design.y))
        width = self.n_models * (1 + self.n_types + self.n_covariates) + len(self.shared)
        found = np.zeros((len(rows), width))
        found[rows, design.language_model] = 1.0
        found[rows, self.types[design.bias_type, design.language_model]] = 1.0
        if self.shared_types:
            found[rows, self.shared[design.bias_type]] = 1.0
        for at, slopes in enumerate(self.slopes):
            found[rows, slopes[design.language_model]] = design.x[:, at]
        return found

    def priors(self, spec: ModelSpec) -> ProbitPriors:
        """The priors of a model, for these coefficients."""
        n = self.slopes.max(initial=self.n_models * (1 + self.n_types) + len(self.shared) - 1) + 1
        mean, sd = np.zeros(n), np.ones(n)
        for at, name in ((np.arange(self.n_models), "connection_mean"), (self.slopes, "slope")):
            mean[at] = spec.priors[name].parameters["mean"]
            sd[at] = spec.priors[name].parameters["sd"]
        learnt = [(of_model, spec.priors["connection_sd"]) for of_model in self.types.T]
        if self.shared_types:
            learnt.append((self.shared, spec.priors["context_sd"]))
        cluster = [spec.priors["cluster_sd"]] * self.n_models
        if "shared_cluster_sd" in spec.priors:
            cluster.append(spec.priors["shared_cluster_sd"])
        pair, slopes = spec.priors.get("attribute_sd"), self.slopes.ravel()
        return ProbitPriors(mean, sd, tuple(learnt), slopes, tuple(cluster), pair)


def fit_signs(
    design: SignDesign, spec: ModelSpec, options: FitOptions, attributes: dict[str, Any]
) -> DataTree:
    """Draw from the posterior of ``pairs-signs`` by Gibbs sampling, and lay it out.

    Raises
    ------
    ValueError
        If the model is not one of preferences, or a method other than ``auto`` is asked for.

    Warns
    -----
    SamplingWarning
        If R-hat or an effective sample size of a share or sd is beyond its limit.
    """
    if options.method != "auto":
        raise ValueError(
            f"the model {spec.name!r} has a Gibbs sampler of its own: leave method at 'auto'; got "
            f"{options.method!r}"
        )
    spec = sign_spec(design, spec)
    coefficients, rows = _rows_of(design, {term.name for term in spec.terms})
    priors = coefficients.priors(spec)
    sequence = as_seed_sequence(options.seed)
    weighing, *chains = sequence.spawn(1 + options.chains)
    drawn = []
    for child in chains:
        run = chain(rows, priors, default_rng(child), tune=options.tune, draws=options.draws)
        drawn.append(_stack([_named(state, coefficients, rows, priors) for state in run]))
    values = {name: np.stack([each[name] for each in drawn]) for name in drawn[0]}
    values |= shares(values, design, weighing)
    tree = _laid_out(values, design)
    origin = {"method": "gibbs", "method_reason": "a probit model", "seed": str(sequence.entropy)}
    describe(tree, spec, **origin)
    tree.attrs |= attributes
    doubts = list(_doubts(tree["posterior"].to_dataset()))
    tree.attrs["warnings"] = json.dumps([str(doubt) for doubt in doubts])
    for doubt in doubts:
        warnings.warn(doubt, skip_file_prefixes=OWN_FRAMES)
    return tree


def _rows_of(design: SignDesign, terms: Collection[str]) -> tuple[_Coefficients, Rows]:
    """Return what each coefficient is, and the rows as the sampler takes them."""
    n_models = len(design.language_models)
    coefficients = _Coefficients(
        len(design.bias_types), n_models, len(design.covariates), "context_effect" in terms
    )
    rows = Rows(
        positive=design.positive,
        fixed=coefficients.matrix(design),
        column=design.language_model,
        cluster=design.cluster,
        pair=design.pair,
        n_columns=n_models,
        shared="shared_cluster_effect" in terms,
        paired="attribute_effect" in terms,
    )
    return coefficients, rows


def _named(
    state: State, coefficients: _Coefficients, rows: Rows, priors: ProbitPriors
) -> dict[str, FloatArray]:
    """Name the parts of a state as the posterior has them."""
    n_models = coefficients.n_models
    mean, types = state.fixed[:n_models], state.fixed[coefficients.types]
    found = {
        "mean": mean,
        "type_sd": state.fixed_sd[coefficients.types[0]],
        "type_mean": mean + types,
        "slope": state.fixed[coefficients.slopes],
        "cluster_sd": state.cluster_sd[:n_models],
        "cluster_effect": state.cluster.astype(np.float32),
    }
    if coefficients.shared_types:
        found["shared_type_effect"] = state.fixed[coefficients.shared]
        found["shared_type_sd"] = state.fixed_sd[coefficients.shared[0]]
    if rows.shared:
        found["shared_cluster_sd"] = state.cluster_sd[-1]
    if priors.pair is not None:
        found["pair_sd"] = np.float64(state.pair_sd)
    return found


def _stack(states: Sequence[dict[str, FloatArray]]) -> dict[str, FloatArray]:
    return {name: np.stack([state[name] for state in states]) for name in states[0]}


def _laid_out(values: dict[str, FloatArray], design: SignDesign) -> DataTree:
    import xarray as xr

    chains, draws = values["mean"].shape[:2]
    names = {
        "bias_type": design.bias_types,
        "language_model": design.language_models,
        "covariate": design.covariates,
    }
    coords = {name: list(labels) for name, labels in names.items()}
    sampled = ("chain", "draw")
    posterior = xr.Dataset(
        {name: ((*sampled, *dims), values[name]) for name, dims in DIMS.items() if name in values},
        {"chain": np.arange(chains), "draw": np.arange(draws), **coords},
    )
    constants = {
        "bias_type_index": ("row", design.bias_type),
        "language_model_index": ("row", design.language_model),
        "pair_index": ("row", design.pair),
        "cluster_index": ("row", design.cluster),
        "x": (("row", "covariate"), design.x),
    }
    others = {"pair": list(design.pairs), "cluster": list(design.clusters)}
    return xr.DataTree.from_dict(
        {
            "posterior": in_order(posterior),
            "observed_data": xr.Dataset({"preference": ("row", design.y)}),
            "constant_data": xr.Dataset(constants, coords | others),
        }
    )


def _doubts(posterior: Dataset) -> Iterator[SamplingWarning]:
    """Doubts about the shares; sds of clusters mix slower, and matter little for these."""
    import arviz as az

    shares = posterior[["share", "overall_share"]]
    if shares.sizes["chain"] > 1:
        rhat = max(float(each.max()) for each in az.rhat(shares).data_vars.values())
        if not rhat < RHAT_LIMIT:
            told = f"R-hat of the shares is {rhat:.3f}, above {RHAT_LIMIT}: the chains disagree; "
            yield SamplingWarning(f"{told}raise ", Argument("draws"), " and ", Argument("tune"))
    least = min(float(each.min()) for each in az.ess(shares).data_vars.values())
    if not least >= ESS_LIMIT:
        told = f"the effective sample size of a share is {least:.0f}, fewer than {ESS_LIMIT}: raise"
        yield SamplingWarning(f"{told} ", Argument("draws"))
