"""Posterior predictive checks of sentence pairs: whether a model expects what was seen.

Predictions are of new pairs. Those of the very pairs would know their fitted effects, which two
models' scores already tell by half, and would find nearly everything expected.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd
from numpy.random import SeedSequence, default_rng

from .._core.arrays import FloatArray
from .._core.checks import check_numbers
from .._core.intervals import DEFAULT_CI_KIND, DEFAULT_CI_PROB, check_probability, interval
from .._core.random import Seed, as_seed_sequence
from ..model.tree import index_of, labels, observed
from ..posterior.predictive import DEFAULT_DRAWS
from ..posterior.summaries import carry_warnings
from .measures import ALL_TYPES
from .pairs_posterior import of_signs, predict_new_pairs

if TYPE_CHECKING:
    from xarray import DataTree


UNEXPECTED = 0.025
"""A predicted share is taken not to fit if this part or less of it lies beyond the observed."""


def pair_check(
    tree: DataTree,
    ci_probs: Sequence[float] = (0.5, DEFAULT_CI_PROB),
    *,
    ci_kind: str = DEFAULT_CI_KIND,
    n_draws: int = DEFAULT_DRAWS,
    seed: Seed = None,
) -> pd.DataFrame:
    """Share of the differences inside predictive intervals for new pairs, by model.

    A model that fits has about ``ci_prob`` of them inside. More inside the narrow interval than
    asked for means that most pairs differ less, and a few far more, than a Normal expects.

    Parameters
    ----------
    tree : DataTree
        From `fit_pairs`, of a model of differences.
    ci_probs : sequence of float
        Probabilities of the predictive intervals, in (0, 1).
    ci_kind : {"hdi", "eti"}
        Highest-density or equal-tailed intervals.
    n_draws : int
        Predictive draws a pair.
    seed : int, SeedSequence, Generator or None

    Returns
    -------
    DataFrame
        ``ci_prob``, ``model`` (``all`` for all), ``n_rows``, ``n_inside``, ``coverage``.

    Raises
    ------
    ValueError
        If a probability or n_draws is not valid, or the model is one of preferences.
    """
    wanted = [check_probability(ci_prob) for ci_prob in ci_probs]
    sequence = as_seed_sequence(seed)
    y, draws = observed(tree), _predicted(tree, n_draws, sequence)
    rows = []
    for ci_prob in wanted:
        bounds = interval(draws, ci_prob, ci_kind)
        inside = (bounds[:, 0] <= y) & (y <= bounds[:, 1])
        for name, where in _by_model(tree):
            n, n_inside = int(where.sum()), int(inside[where].sum())
            rows.append((ci_prob, name, n, n_inside, n_inside / n))
    frame = pd.DataFrame(rows, columns=["ci_prob", "model", "n_rows", "n_inside", "coverage"])
    frame.attrs["seed"] = sequence.entropy
    return carry_warnings(frame, tree)


def preference_check(
    tree: DataTree,
    ci_prob: float = DEFAULT_CI_PROB,
    ci_kind: str = DEFAULT_CI_KIND,
    *,
    n_draws: int = DEFAULT_DRAWS,
    seed: Seed = None,
) -> pd.DataFrame:
    """Share of stereotypical preferences: observed, and in data that the model would give.

    Whether the spread of differences has the right shape near zero, which decides
    p_stereotypical: a Normal model that is widened by a few extreme pairs predicts shares too
    close to one half; take them from ``pairs-signs``.

    Returns
    -------
    DataFrame
        ``model``, ``bias_type`` (``all`` for all), ``n_pairs``, ``observed`` in percent, ties
        half, ``predicted`` with ``low`` and ``high``, and ``p_as_low``: the share of
        predicted data sets with as low a share as observed, ties half; near 0 or 1 the model
        does not expect what was seen.
    """
    check_probability(ci_prob)
    sequence = as_seed_sequence(seed)
    y, drawn = observed(tree), _predicted(tree, n_draws, sequence)
    word, types = index_of(tree, "word_index"), labels(tree, "protected_word")
    rows = []
    for name, of_model in _by_model(tree)[1:]:
        parts = [(ALL_TYPES, of_model)]
        parts += [(one, of_model & (word == at)) for at, one in enumerate(types)]
        for bias_type, where in parts:
            seen = float(_percent(y[None, where])[0])
            shares = _percent(drawn[:, where])
            low, high = interval(shares[:, None], ci_prob, ci_kind)[0]
            as_low = float((shares < seen).mean() + 0.5 * (shares == seen).mean())
            predicted = (float(shares.mean()), float(low), float(high))
            rows.append((name, bias_type, int(where.sum()), seen, *predicted, as_low))
    columns = ["model", "bias_type", "n_pairs", "observed", "predicted"]
    frame = pd.DataFrame(rows, columns=[*columns, "low", "high", "p_as_low"])
    frame.attrs["seed"] = sequence.entropy
    return carry_warnings(frame, tree)


def misfits(checked: pd.DataFrame) -> pd.DataFrame:
    """Return the rows of a `preference_check` over all pairs that the model does not expect."""
    expected = checked["p_as_low"].between(UNEXPECTED, 1 - UNEXPECTED)
    return checked[(checked["bias_type"] == ALL_TYPES) & ~expected]


def _predicted(tree: DataTree, n_draws: int, sequence: SeedSequence) -> FloatArray:
    """Predictive draws of new pairs in the place of all rows, (n_draws, n_rows)."""
    check_numbers(n_draws=n_draws)
    if of_signs(tree):
        raise ValueError(
            "a posterior of preferences predicts no differences of scores: hold its shares against "
            "those of observed_shares, or fit a model of differences, such as pll"
        )
    rng = default_rng(sequence)
    posterior = tree["posterior"]
    chosen = rng.permutation(posterior.sizes["chain"] * posterior.sizes["draw"])[:n_draws]
    return predict_new_pairs(tree, rng, chosen)


def _by_model(tree: DataTree) -> list[tuple[str, np.ndarray]]:
    """Which rows are all, and which are of each model."""
    model = index_of(tree, "connection_index")
    parts = [(ALL_TYPES, np.ones(len(model), bool))]
    return parts + [(name, model == at) for at, name in enumerate(labels(tree, "connection"))]


def _percent(differences: FloatArray) -> FloatArray:
    positive, ties = (differences > 0).mean(axis=1), (differences == 0).mean(axis=1)
    return np.asarray(100.0 * (positive + 0.5 * ties))
