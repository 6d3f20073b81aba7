"""Tidy frames of a posterior of sentence pairs: preferences, contrasts of models, spreads."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import combinations
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from .._core.arrays import FloatArray
from .._core.intervals import DEFAULT_CI_KIND, DEFAULT_CI_PROB, describe_draws
from ..model.tree import labels, stacked
from ..posterior.summaries import carry_warnings, in_front
from .shares import EQUAL

if TYPE_CHECKING:
    from xarray import DataTree

NO_PREFERENCE = 0.5
"""Share of stereotypical preferences of a model that has none."""

SDS = ("type_sd", "cluster_sd", "sigma")
"""Sds of the model of preferences."""


def pair_summary(
    tree: DataTree, ci_prob: float = DEFAULT_CI_PROB, ci_kind: str = DEFAULT_CI_KIND
) -> pd.DataFrame:
    """Posterior of how often stereotypical sentences are preferred, overall and by bias type.

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
        that these stand for: what a new one can be like) or bias_type; ``bias_type``, ``model``;
        ``quantity``: p_stereotypical, the share of pairs whose stereotypical sentence is preferred;
        and where the difference in token counts is known, p_equal_length, the same if both
        sentences of a pair had as many tokens. Both are averaged over the pairs of the data and
        over new clusters like theirs, so that intervals cover other contrasts of words. Of each
        ``mean``, ``sd``, ``low``, ``high``, and ``p_above``: the probability that it is above one
        half.
    """
    models = _models_of(tree)
    frames = {}
    for head, draws in _quantities(tree):
        above = _share_above(draws - NO_PREFERENCE)
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
        probability of the sign that it most likely has.

    Raises
    ------
    ValueError
        If there is one model only.
    """
    models = _several(tree)
    pairs = list(combinations(range(len(models)), 2))
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


def model_ranks(tree: DataTree) -> pd.DataFrame:
    """Posterior probability of every rank of every language model: which is the most stereotyped.

    Parameters
    ----------
    tree : DataTree
        From `fit_pairs`, of two language models or more.

    Returns
    -------
    DataFrame
        ``level``, ``bias_type``, ``quantity`` as in `pair_summary`, ``model``, ``rank`` (1 for the
        largest, that of most stereotypical preferences), ``probability``: share of the draws in
        which the model has this rank. Those of a model sum to one, and so do those of a rank.

    Raises
    ------
    ValueError
        If there is one model only.

    Examples
    --------
    >>> import bayesbias as bb
    >>> post = bb.maskedlm.fit_pairs(bb.maskedlm.read_scores("logs"), seed=1)  # doctest: +SKIP
    >>> bb.maskedlm.model_ranks(post).query("rank == 1")  # doctest: +SKIP
    """
    models = _several(tree)
    places = range(1, len(models) + 1)
    rows = []
    for head, draws in _quantities(tree):
        rank = (-draws).argsort(axis=1).argsort(axis=1) + 1
        rows += [
            (*head, name, place, float((rank[:, at] == place).mean()))
            for at, name in enumerate(models)
            for place in places
        ]
    columns = ["level", "bias_type", "quantity", "model", "rank", "probability"]
    return carry_warnings(pd.DataFrame(rows, columns=columns), tree)


def _models_of(tree: DataTree) -> list[str]:
    return labels(tree, "language_model")


def _several(tree: DataTree) -> list[str]:
    models = _models_of(tree)
    if len(models) < 2:
        raise ValueError(f"there is the model {models[0]!r} only; score another to compare")
    return models


def _quantities(tree: DataTree) -> Iterator[tuple[tuple[str, str, str], FloatArray]]:
    """Yield level, bias type and name of every quantity, with its draws, (n_draws, n_models)."""
    endings = {"p_stereotypical": ""}
    if f"share{EQUAL}" in tree["posterior"]:
        endings["p_equal_length"] = EQUAL
    for level in ("overall", "population"):
        for quantity, ending in endings.items():
            yield (level, "", quantity), stacked(tree, f"{level}_share{ending}")
    for at, name in enumerate(labels(tree, "bias_type")):
        for quantity, ending in endings.items():
            yield ("bias_type", name, quantity), stacked(tree, f"share{ending}")[:, at]


def _joined(frames: Mapping[tuple[str, str, str], pd.DataFrame], *names: str) -> pd.DataFrame:
    """Join the frames of all quantities, with what they are of in the first columns."""
    indexed = {head: frame.set_index(list(names)) for head, frame in frames.items()}
    return pd.concat(indexed, names=["level", "bias_type", "quantity"]).reset_index()


def _share_above(draws: FloatArray) -> FloatArray:
    return np.asarray((draws > 0).mean(axis=0) + 0.5 * (draws == 0).mean(axis=0))


def pair_scales(
    tree: DataTree, ci_prob: float = DEFAULT_CI_PROB, ci_kind: str = DEFAULT_CI_KIND
) -> pd.DataFrame:
    """Posterior of the spreads of bias types, clusters and pairs, and of the slopes of covariates.

    All are on the scale of shares.

    Returns
    -------
    DataFrame
        ``parameter`` (type_sd, cluster_sd, sigma of the pairs of a cluster, and the slopes, such as
        ``slope of token_difference``), ``model``, ``mean``, ``sd``, ``low``, ``high``.
    """
    draws = {name: stacked(tree, name) for name in SDS}
    for at, name in enumerate(labels(tree, "covariate")):
        draws[f"slope of {name}"] = stacked(tree, "slope")[:, at]
    frames = [
        in_front(describe_draws(values, ci_prob, ci_kind), parameter=name, model=_models_of(tree))
        for name, values in draws.items()
    ]
    return carry_warnings(pd.concat(frames, ignore_index=True), tree)
