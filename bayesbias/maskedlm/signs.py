"""Which sentence of a pair is preferred: the model ``pairs-signs``, and the shares it finds.

Only the signs of differences count. What decides them beside a stereotype is in the model: how many
tokens the sentences have, which way the stereotype runs, and the words that a pair contrasts.
"""

from __future__ import annotations

import json
import warnings
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
from numpy.random import Generator, SeedSequence, default_rng

from .._core.arrays import FloatArray
from .._core.checks import Argument
from .._core.random import as_seed_sequence
from .._core.resources import OWN_FRAMES
from ..model.design import IntArray
from ..model.spec import ModelSpec
from ..model.tree import SamplingWarning, describe, in_order
from ..sampling.fit import ESS_LIMIT, RHAT_LIMIT
from ..sampling.options import FitOptions
from ..tables.schema import codes_and_names
from .datasets import contrast_words
from .probit import ProbitPriors, Rows, State, chain

if TYPE_CHECKING:
    from scipy.sparse import csr_array
    from xarray import Dataset, DataTree

TOKENS = "token_difference"

EQUAL = "_equal_length"
"""Ending of the names of shares in which the sentences of a pair have as many tokens."""

COVARIATES = (TOKENS, "direction")
"""Columns of paired scores with a slope; one that is absent or the same in all rows has none."""

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

LEAST_SHAPE = 0.25
"""Of the weights of a cluster with half of a type's pairs, or more."""

OWN_TERMS = ("word_mean", "cluster_effect")
SHARED_TERMS = ("context_effect", "shared_cluster_effect", "attribute_effect")
"""Effects of one language model, and those that language models share."""


@dataclass(frozen=True)
class SignDesign:
    """Preferences of one measure, and the types, models, pairs and clusters they belong to.

    ``y`` is 1 where the stereotypical sentence is preferred, 0 where the other is, 1/2 in a tie;
    ``x`` has the covariates in their sds, (n_rows, n_covariates).
    """

    bias_types: tuple[str, ...]
    language_models: tuple[str, ...]
    pairs: tuple[str, ...]
    clusters: tuple[str, ...]
    covariates: tuple[str, ...]
    bias_type: IntArray
    language_model: IntArray
    pair: IntArray
    cluster: IntArray
    x: FloatArray
    y: FloatArray

    @property
    def positive(self) -> np.ndarray:
        """Whether the stereotypical sentence is preferred; ties in turn, so that half of them are.

        The turns are those of each language model, in the order of its rows.
        """
        found = self.y > 0.5
        for model in range(len(self.language_models)):
            ties = np.flatnonzero((self.y == 0.5) & (self.language_model == model))
            found[ties[::2]] = True
        return found

    @cached_property
    def words(self) -> csr_array:
        """How much of each cluster is each word, rows of length one, (n_clusters, n_words).

        A word counts by the pairs that have it: *black / white* and *poor / white* have much in
        common. Clusters that are no contrasts of words are words of their own.
        """
        from scipy.sparse import csr_array

        pairs = np.zeros(len(self.pairs), dtype=np.int64)
        pairs[self.pair] = self.cluster
        said = [contrast_words(name) for name in self.clusters]
        word, _ = codes_and_names(pd.Series([each for words in said for each in words]))
        cluster = np.repeat(np.arange(len(said)), [len(words) for words in said])
        size = np.bincount(word, np.bincount(pairs)[cluster])[word]
        length = np.sqrt(np.bincount(cluster, size**2))
        return csr_array((size / length[cluster], (cluster, word)))

    @cached_property
    def shape(self) -> FloatArray:
        """Of the gamma weights of clusters: (1 - h)², h the share of a type's pairs like theirs.

        Those are their own pairs, and others' by as much as they share words. A weight of shape 1
        is the Bayesian bootstrap's. It takes the spread of large clusters for smaller than it is,
        since their type's mean follows them; variances divided by (1 - h)² do not (the estimator
        CV3: MacKinnon, Nielsen and Webb, 2023, Journal of Econometrics 232).
        """
        n = np.zeros((len(self.bias_types), len(self.clusters)))
        np.add.at(n, (self.bias_type, self.cluster), 1.0)
        n /= n.sum(axis=1, keepdims=True)
        share = (n @ (self.words @ self.words.T)).max(axis=0)
        return np.asarray(np.maximum((1 - share) ** 2, LEAST_SHAPE))

    def weights(self, rng: Generator) -> FloatArray:
        """Draw weights of clusters, gamma of their shapes and of mean one, (n_clusters,).

        Those of contrasts that share words go together, by a Gaussian copula: what a language model
        finds in *white* it finds in *black / white* and in *poor / white*, so that they are less
        than two contrasts.
        """
        from scipy.special import gammaincinv, ndtr

        normal = self.words @ rng.standard_normal(self.words.shape[1])
        return np.asarray(gammaincinv(self.shape, ndtr(normal)) / self.shape)


def sign_design(chosen: pd.DataFrame) -> SignDesign:
    """Index paired scores of one measure, rows as `paired_scores` makes them.

    Without a column ``cluster`` every pair is one of its own.
    """
    types, type_names = codes_and_names(chosen["bias_type"].astype(str))
    names = sorted(type_names)
    order = np.array([names.index(name) for name in type_names])
    models, model_names = codes_and_names(chosen["model"])
    pairs, pair_names = codes_and_names(chosen["pair_id"])
    clusters, cluster_names = codes_and_names(
        chosen["cluster" if "cluster" in chosen.columns else "pair_id"].astype(str)
    )
    of_pair = np.zeros(len(pair_names), dtype=np.int64)
    of_pair[pairs] = clusters
    if (of_pair[pairs] != clusters).any():
        pair = pair_names[int(pairs[(of_pair[pairs] != clusters).argmax()])]
        raise ValueError(f"pair {pair!r} is in two clusters; give it one for all language models")
    found = {name: x for name in COVARIATES if (x := _covariate(chosen, name)) is not None}
    difference = chosen["difference"].to_numpy(dtype=np.float64)
    if not np.isfinite(difference).all():
        row = int(np.argmin(np.isfinite(difference)))
        raise ValueError(f"difference must be finite; got {difference[row]} in row {row}")
    return SignDesign(
        bias_types=tuple(names),
        language_models=tuple(model_names),
        pairs=tuple(pair_names),
        clusters=tuple(cluster_names),
        covariates=tuple(found),
        bias_type=order[types],
        language_model=models.astype(np.int64),
        pair=pairs.astype(np.int64),
        cluster=clusters.astype(np.int64),
        x=np.column_stack([*found.values()]) if found else np.zeros((len(chosen), 0)),
        y=0.5 + 0.5 * np.sign(difference),
    )


def _covariate(chosen: pd.DataFrame, name: str) -> FloatArray | None:
    """Values of a covariate in its sds, or None where it is absent or says nothing."""
    if name not in chosen.columns:
        return None
    if name == "direction":
        values = np.where(chosen[name].astype(str) == "antistereo", -1.0, 1.0)
    else:
        values = chosen[name].to_numpy(dtype=np.float64)
    if not np.isfinite(values).all():
        row = int(np.argmin(np.isfinite(values)))
        raise ValueError(f"{name} must be finite; got {values[row]} in row {row}")
    sd = float(values.std())
    return values / (sd if name != "direction" else 1.0) if sd > 0 else None


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
    values |= _shares(values, design, weighing)
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


def _shares(
    values: dict[str, FloatArray], design: SignDesign, sequence: SeedSequence
) -> dict[str, FloatArray]:
    """Draws of the shares of pairs whose stereotypical sentence is preferred.

    The share is an average over the pairs of the data, and over clusters like theirs: in every
    draw clusters, with their pairs and effects, get new weights (the Bayesian bootstrap: Rubin,
    1981, Annals of Statistics 9; of `SignDesign.weights`), the same for all language models. So a
    contrast of words that many pairs have counts as often as it does in the data, and that there
    might have been other contrasts is in the interval.
    """
    chains, draws = values["mean"].shape[:2]
    effects = values.pop("cluster_effect")
    rng = default_rng(sequence)
    versions = {"": np.ones(len(design.covariates))}
    if TOKENS in design.covariates:
        versions[EQUAL] = np.array([name != TOKENS for name in design.covariates], dtype=float)
    found: dict[str, list[FloatArray]] = {}
    for at in np.ndindex(chains, draws):
        here = {name: draw[at] for name, draw in values.items()}
        weight = design.weights(rng)[design.cluster]
        for ending, slopes in versions.items():
            shares = _share_of_draw(here, effects[at], design, weight, slopes)
            for name, share in shares.items():
                found.setdefault(name + ending, []).append(share)
    return {
        name: np.stack(drawn).reshape(chains, draws, *drawn[0].shape)
        for name, drawn in found.items()
    }


def _share_of_draw(
    draw: dict[str, FloatArray],
    effects: FloatArray,
    design: SignDesign,
    weight: FloatArray,
    of_slopes: FloatArray,
) -> dict[str, FloatArray]:
    """Shares by type and model, over all pairs by model, and of a new type by model.

    ``weight`` is that of every row, ``of_slopes`` what each covariate's slopes are multiplied by.
    """
    from scipy.special import ndtr

    n_types, n_models = len(design.bias_types), len(design.language_models)
    model, cell = design.language_model, design.bias_type * n_models + design.language_model
    own = draw["cluster_sd"] ** 2 + draw.get("shared_cluster_sd", 0.0) ** 2
    variance = 1.0 + draw.get("pair_sd", 0.0) ** 2
    slopes = np.einsum("rx,xr->r", design.x * of_slopes, draw["slope"][:, model])
    types = draw["type_mean"]
    if "shared_type_effect" in draw:
        types = types + draw["shared_type_effect"][:, None]
    of_cluster = effects[design.cluster, model]
    if effects.shape[1] > n_models:  # what language models share
        of_cluster = of_cluster + effects[design.cluster, -1]
    known = types[design.bias_type, model] + slopes + of_cluster
    preferred = ndtr(known / np.sqrt(variance))
    between = draw["type_sd"] ** 2 + draw.get("shared_type_sd", 0.0) ** 2
    anywhere = ndtr((draw["mean"][model] + slopes) / np.sqrt(variance + own + between)[model])
    n_cells = n_types * n_models
    in_cell = np.bincount(cell, weight * preferred, n_cells) / np.bincount(cell, weight, n_cells)
    of_model = np.bincount(model, weight)
    return {
        "share": in_cell.reshape(n_types, n_models),
        "overall_share": np.bincount(model, weight * preferred) / of_model,
        "population_share": np.bincount(model, weight * anywhere) / of_model,
    }


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
