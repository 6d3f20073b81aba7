"""Tidy frames from a posterior of sentence pairs: preferences, model contrasts, and spreads."""

from __future__ import annotations

from collections.abc import Callable
from itertools import combinations
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from .._core.arrays import FloatArray
from .._core.intervals import DEFAULT_CI_KIND, DEFAULT_CI_PROB, describe_draws
from ..model.tree import labels, stacked
from ..posterior.summaries import carry_warnings, compare_draws, in_front
from .shares import EQUAL

if TYPE_CHECKING:
    from xarray import DataTree

NO_PREFERENCE = 0.5
"""Share of pairs in which a model without a preference chooses the stereotypical sentence."""


def pair_summary(
    tree: DataTree, ci_prob: float = DEFAULT_CI_PROB, ci_kind: str = DEFAULT_CI_KIND
) -> pd.DataFrame:
    """Summarize how often stereotypical sentences are preferred, overall and by bias type.

    Parameters
    ----------
    tree : DataTree
        From `fit_pairs`.
    ci_prob, ci_kind
        Probability and kind of the intervals, as in `bayesbias.summary`.

    Returns
    -------
    DataFrame
        ``level`` is overall (the types in the data, weighted by their numbers of pairs), population
        (the mean of all types, including new ones), or bias_type. The ``quantity`` p_stereotypical
        is the share of pairs whose stereotypical sentence is preferred. If token counts vary,
        p_equal_length is this share for sentences with equal numbers of tokens. Except at level
        population, shares include similar new clusters, so intervals allow for other word
        contrasts. Other columns are ``bias_type``, ``model``, ``mean``, ``sd``, ``low``, ``high``,
        and ``p_above``, the probability that the share is above one half.
    """
    models = labels(tree, "language_model")

    def describe(draws: FloatArray) -> pd.DataFrame:
        above = (draws > NO_PREFERENCE).mean(axis=0) + 0.5 * (draws == NO_PREFERENCE).mean(axis=0)
        return in_front(describe_draws(draws, ci_prob, ci_kind), model=models).assign(p_above=above)

    return _by_quantity(tree, describe)


def model_contrasts(
    tree: DataTree, ci_prob: float = DEFAULT_CI_PROB, ci_kind: str = DEFAULT_CI_KIND
) -> pd.DataFrame:
    """Summarize posterior differences between language models.

    Parameters
    ----------
    tree : DataTree
        From `fit_pairs`, with two or more language models.
    ci_prob, ci_kind
        Probability and kind of the intervals, as in `pair_summary`.

    Returns
    -------
    DataFrame
        The columns are ``level``, ``bias_type``, and ``quantity``, as in `pair_summary`; ``first``
        and ``second``; and, for first - second, ``mean``, ``sd``, ``low``, ``high``, and
        ``p_direction``, the probability of the more likely sign.
    """
    models = np.array(_several(tree))
    first, second = (list(side) for side in zip(*combinations(range(len(models)), 2), strict=True))

    def describe(draws: FloatArray) -> pd.DataFrame:
        frame = compare_draws(draws[:, first] - draws[:, second], ci_prob, 0.0, ci_kind)
        return in_front(
            frame.drop(columns=["p_rope", "p_rope_ceiling"]),
            first=models[first],
            second=models[second],
        )

    return _by_quantity(tree, describe)


def model_ranks(tree: DataTree) -> pd.DataFrame:
    """Compute the posterior probability of every rank for every language model.

    Parameters
    ----------
    tree : DataTree
        From `fit_pairs`, with two or more language models.

    Returns
    -------
    DataFrame
        The columns are ``level``, ``bias_type``, and ``quantity``, as in `pair_summary`; ``model``;
        ``rank``, where 1 means the most stereotypical preferences; and ``probability``, the share
        of draws with this rank. Models that are equal in a draw share their ranks equally.
        Probabilities sum to one for each model and for each rank.
    """
    models = _several(tree)
    places = np.arange(1, len(models) + 1)

    def count(draws: FloatArray) -> pd.DataFrame:
        one, other = draws[:, :, None], draws[:, None, :]
        above, equal = (other > one).sum(axis=2)[..., None], (other == one).sum(axis=2)[..., None]
        probability = (((places > above) & (places <= above + equal)) / equal).mean(axis=0)
        columns = {"model": np.repeat(models, len(models)), "rank": np.tile(places, len(models))}
        return pd.DataFrame(columns | {"probability": probability.ravel()})

    return _by_quantity(tree, count)


def pair_scales(
    tree: DataTree, ci_prob: float = DEFAULT_CI_PROB, ci_kind: str = DEFAULT_CI_KIND
) -> pd.DataFrame:
    """Summarize the spreads of bias types, clusters, and pairs, and the slopes of covariates.

    All values are on the scale of shares.

    Returns
    -------
    DataFrame
        The columns are ``parameter`` (type_sd, cluster_sd, sigma within a cluster, and slopes, such
        as ``slope of token_difference``), ``model``, ``mean``, ``sd``, ``low``, and ``high``.
    """
    draws = {name: stacked(tree, name) for name in ("type_sd", "cluster_sd", "sigma")}
    for place, name in enumerate(labels(tree, "covariate")):
        draws[f"slope of {name}"] = stacked(tree, "slope")[:, place]
    models = labels(tree, "language_model")
    frames = [
        in_front(describe_draws(values, ci_prob, ci_kind), parameter=name, model=models)
        for name, values in draws.items()
    ]
    return carry_warnings(pd.concat(frames, ignore_index=True), tree)


def _several(tree: DataTree) -> list[str]:
    models = labels(tree, "language_model")
    if len(models) < 2:
        raise ValueError(f"only {models[0]!r} has scores; score another model for comparison")
    return models


def _by_quantity(tree: DataTree, make: Callable[[FloatArray], pd.DataFrame]) -> pd.DataFrame:
    """Join the frames that ``make`` returns for each quantity's draws, (n_draws, n_models)."""
    types, frames = labels(tree, "bias_type"), []
    levels = [("overall", ""), ("population", ""), *(("bias_type", name) for name in types)]
    for level, bias_type in levels:
        for quantity, ending in {"p_stereotypical": "", "p_equal_length": EQUAL}.items():
            share = f"share{ending}" if bias_type else f"{level}_share{ending}"
            if share in tree["posterior"]:
                draws = stacked(tree, share)
                draws = draws[:, types.index(bias_type)] if bias_type else draws
                head = {"level": level, "bias_type": bias_type, "quantity": quantity}
                frames.append(in_front(make(draws), **head))
    return carry_warnings(pd.concat(frames, ignore_index=True), tree)
