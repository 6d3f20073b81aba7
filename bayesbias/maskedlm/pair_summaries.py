"""Tidy frames of a posterior of sentence pairs: preferences, contrasts of models, spreads."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import combinations
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from .._core.arrays import FloatArray
from .._core.intervals import DEFAULT_CI_KIND, DEFAULT_CI_PROB, describe_draws
from ..model.tree import labels
from ..posterior.summaries import carry_warnings, scales
from .pairs_posterior import NULLS, levels, scales_of

if TYPE_CHECKING:
    from xarray import DataTree

PARAMETERS = {
    "connection_sd": "type_sd",
    "context_sd": "shared_type_sd",
    "attribute_sd": "pair_sd",
    "sigma": "residual_sd",
    "nu": "nu",
}
"""What the standard deviations of the models mean here."""


def pair_summary(
    tree: DataTree, ci_prob: float = DEFAULT_CI_PROB, ci_kind: str = DEFAULT_CI_KIND
) -> pd.DataFrame:
    r"""Posterior of how much stereotypical sentences are preferred, overall and by bias type.

    Parameters
    ----------
    tree : DataTree
        From `fit_pairs`.
    ci_prob : float
        Probability of the intervals, in (0, 1).
    ci_kind : {"hdi", "eti"}
        Highest-density or equal-tailed intervals.

    Returns
    -------
    DataFrame
        ``level``: overall (the types of the data, weighted by their pairs), population (the types
        that these stand for: what a new one may be like) or bias_type; ``bias_type``, ``model``;
        ``quantity``: mean_difference, in the unit of the scores; standardised, the same over the
        spread of single pairs; p_stereotypical, the probability that the stereotypical sentence
        of a new pair scores higher, under the Normal model
        :math:`\Phi(\theta / \sqrt{\omega^2 + \sigma^2})`. Of each ``mean``, ``sd``, ``low``,
        ``high``, and ``p_above``: the probability that it is above its value without
        preference, 0, 0 and one half.
    """
    models = labels(tree, "connection")
    frames = {}
    for head, draws in _quantities(tree):
        above = _share_above(draws - NULLS[head[-1]])
        frames[head] = describe_draws(draws, ci_prob, ci_kind).assign(p_above=above, model=models)
    return carry_warnings(_joined(frames, "model"), tree)


def model_contrasts(
    tree: DataTree, ci_prob: float = DEFAULT_CI_PROB, ci_kind: str = DEFAULT_CI_KIND
) -> pd.DataFrame:
    """Posterior differences between language models: which is more biased, and how sure is that.

    Parameters
    ----------
    tree : DataTree
        From `fit_pairs`, of two language models or more.

    Returns
    -------
    DataFrame
        ``level``, ``bias_type``, ``quantity`` as in `pair_summary`, ``first``, ``second``, and of
        first - second ``mean``, ``sd``, ``low``, ``high`` and ``p_direction``, the
        probability of the sign that it most likely has. A model that is surer of its words has
        larger differences of scores altogether: compare p_stereotypical or standardised, not
        mean_difference alone.

    Raises
    ------
    ValueError
        If there is one model only.
    """
    models = labels(tree, "connection")
    pairs = list(combinations(range(len(models)), 2))
    if not pairs:
        raise ValueError(f"there is the model {models[0]!r} only; score another to compare")
    first, second = map(list, zip(*pairs, strict=True))
    frames = {}
    for head, draws in _quantities(tree):
        apart = draws[:, first] - draws[:, second]
        above = _share_above(apart)
        frames[head] = describe_draws(apart, ci_prob, ci_kind).assign(
            p_direction=np.maximum(above, 1 - above),
            first=[models[at] for at in first],
            second=[models[at] for at in second],
        )
    return carry_warnings(_joined(frames, "first", "second"), tree)


def _quantities(tree: DataTree) -> Iterator[tuple[tuple[str, str, str], FloatArray]]:
    """Yield level, bias type and name of every quantity, with its draws."""
    for level in levels(tree):
        for quantity, draws in level.draws.items():
            yield (level.level, level.bias_type, quantity), draws


def _joined(frames: Mapping[tuple[str, str, str], pd.DataFrame], *names: str) -> pd.DataFrame:
    """Join the frames of all quantities, with what they are of in the first columns."""
    indexed = {head: frame.set_index(list(names)) for head, frame in frames.items()}
    return pd.concat(indexed, names=["level", "bias_type", "quantity"]).reset_index()


def _share_above(draws: FloatArray) -> FloatArray:
    return np.asarray((draws > 0).mean(axis=0) + 0.5 * (draws == 0).mean(axis=0))


def pair_scales(
    tree: DataTree, ci_prob: float = DEFAULT_CI_PROB, ci_kind: str = DEFAULT_CI_KIND
) -> pd.DataFrame:
    """Posterior of the spreads: of bias types, of pairs, and of residuals.

    Returns
    -------
    DataFrame
        ``parameter`` (shared_type_sd of what all models find in a bias type, type_sd of what one
        finds beyond it, pair_sd, residual_sd, nu), ``model`` (empty for what models share, which
        is in the unit of a model of middling size), ``mean``, ``sd``, ``low``, ``high``.
        With one model type_sd is all of it.
    """
    frame = scales(tree, ci_prob, ci_kind).rename(columns={"of": "model"})
    frame["parameter"] = frame["parameter"].map(PARAMETERS)
    size = frame["model"].map(scales_of(tree)).fillna(1.0)
    for name in ("mean", "sd", "low", "high"):
        frame[name] *= size
    return frame
