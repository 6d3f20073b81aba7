"""Shares of pairs whose stereotypical sentence is preferred, of draws of ``pairs-signs``."""

from __future__ import annotations

import numpy as np
from numpy.random import SeedSequence, default_rng

from .._core.arrays import FloatArray
from .sign_design import EQUAL, TOKENS, SignDesign


def shares(
    values: dict[str, FloatArray], design: SignDesign, sequence: SeedSequence
) -> dict[str, FloatArray]:
    """Draws of the shares of pairs whose stereotypical sentence is preferred.

    The share is an average over the pairs of the data, and over clusters like theirs: in every
    draw clusters, with their pairs and effects, get new weights (the Bayesian bootstrap: Rubin,
    1981, Annals of Statistics 9; of `ClusterWeights`), the same for all language models. So a
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
        weight = design.weights.draw(rng)[0, design.cluster]
        for ending, slopes in versions.items():
            told = _share_of_draw(here, effects[at], design, weight, slopes)
            for name, share in told.items():
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
