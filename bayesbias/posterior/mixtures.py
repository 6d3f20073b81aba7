"""Contrasts as mixtures of Normal distributions, one for each draw of the sds (Rao-Blackwell)."""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import lru_cache

import numpy as np
import pandas as pd

from .._core.arrays import FloatArray
from .._core.intervals import ERROR_SHARE, describe_mixtures
from ..model.design import Design
from ..model.spec import ModelSpec
from ..model.tree import DataTree, design_of, n_draws, spec_of, stacked
from ..sampling.collapsed import moments
from ..sampling.effects import shared_effects
from ..sampling.parameters import parameter_blocks, parameters_of
from ..sampling.reduction import Collapsed, collapse
from .estimands import shared_gaps, slope_gaps
from .summaries import Reading, is_exact

MOST_WORK, N_MIXED = 3e10, 500
"""Multiplications from which only so many draws of the sds are averaged over. The sds move
contrasts little, so this average varies less than that of all draws of the contrasts."""


def effect_weights(posterior: Collapsed) -> dict[str, FloatArray]:
    """Return (n_shared, ...) weights of the shared effects in each variable."""
    return shared_effects(posterior, np.eye(len(posterior.layout.shared_parameter)))


def contrast_weights(posterior: Collapsed) -> FloatArray:
    """Return (n_shared, n_levels, n_pairs) weights of the shared effects in `shared_gaps`."""
    values = effect_weights(posterior).__getitem__
    return shared_gaps(posterior.design, posterior.spec, values)


def drawn_parameters(tree: DataTree) -> FloatArray:
    """Return a posterior's draws of the sds and correlations, (n_draws, n_parameters)."""
    design, spec = design_of(tree), spec_of(tree)
    blocks = parameter_blocks(design, spec.fitting(design))
    return parameters_of(blocks, {block.name: stacked(tree, block.name) for block in blocks})


type Choice = Callable[[FloatArray], FloatArray]
"""Function that derives rows from overall and group contrasts, (n, 1 + n_groups, n_pairs)."""


def mixtures(tree: DataTree, choose: Choice = np.asarray) -> tuple[FloatArray, FloatArray]:
    """Return means and sds, (n_draws, n), of contrasts given each draw of the sds.

    The contrasts are linear functions of the shared effects of a Normal model, so they are Normal
    given the sds. The error of slopes on log rank is added. Means are NaN for rows that are not
    identified, whose weights are NaN.
    """
    return _mixtures(design_of(tree), spec_of(tree), drawn_parameters(tree).tobytes(), choose)


@lru_cache(maxsize=4)  # several frames of a posterior need the same mixtures
def _mixtures(
    design: Design, spec: ModelSpec, parameters: bytes, choose: Choice
) -> tuple[FloatArray, FloatArray]:
    """Return `mixtures` of a design and its model, given the content of its parameters."""
    return mixtures_of(design, spec, np.frombuffer(parameters), choose)


def mixtures_of(
    design: Design, spec: ModelSpec, parameters: FloatArray, choose: Choice
) -> tuple[FloatArray, FloatArray]:
    """Return `mixtures` of a design and its model, given draws of the parameters."""
    posterior = collapse(design, spec, means_only=True)
    weights = choose(contrast_weights(posterior))
    weights = weights.reshape(len(weights), -1)
    errors = choose(slope_gaps(design, posterior.spec)).reshape(-1, weights.shape[1])
    given = parameters.reshape(-1, posterior.n_parameters)
    is_known = ~np.isnan(weights[0])
    means, variances = moments(posterior, mixed(posterior, given), np.nan_to_num(weights))
    sds = np.sqrt(variances + np.nan_to_num(errors**2).sum(axis=0))
    return np.where(is_known, means[..., 0], np.nan), sds


def mixed(posterior: Collapsed, parameters: FloatArray) -> FloatArray:
    """Return the parameters to average over: evenly spaced ones if each costs much time.

    Each takes the solution of equations for the means, and for missing pairs.
    """
    work = max(posterior.system.size, posterior.n_gaps**2) ** 1.5
    some = max(1, len(parameters) // N_MIXED) if len(parameters) * work > MOST_WORK else 1
    return parameters[::some]


def use_moments(
    frame: pd.DataFrame, tree: DataTree, reading: Reading, choose: Choice = np.asarray
) -> None:
    """Describe the first rows of a frame by `mixtures`, if they are exact.

    The result is an average over draws of the sds (Rao-Blackwell), so it depends little on the
    seed. Rows of other models, and rows before or after a change, are summaries of draws.
    """
    if not is_exact(tree):
        return
    means, sds = mixtures(tree, choose)
    known = np.isfinite(means[0])
    exact = describe_mixtures(means[:, known], sds[:, known], **reading)
    frame.loc[: len(exact) - 1, exact.columns] = exact
    frame.attrs["error_share"] = ERROR_SHARE * math.sqrt(n_draws(tree) / len(means))
