"""How much a language model prefers stereotypical sentences, and how sure that is.

The difference of the two scores of a pair is modelled like a distance elsewhere in the package:
bias types stand for protected words, language models for connections, and sentence pairs, which
all models read, for attributes.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from dataclasses import replace
from itertools import combinations
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
from numpy.random import Generator, default_rng

from ..cards import ModelCard, load_card
from ..checks import check
from ..design import Design
from ..fitting import Seed, fit_design
from ..geometry import FloatArray
from ..intervals import DEFAULT_CI_PROB, check_probability, describe_draws, hdi
from ..posterior import index_of, labels, observed
from ..predictive import predict_rows
from ..priors import Prior
from ..schema import require_columns, table_hash, unknown_name
from ..summaries import carry_warnings, scales
from .measures import ALL_TYPES
from .pairs_posterior import NULLS, SCALES, PairLevel, levels, scales_of

if TYPE_CHECKING:
    from xarray import DataTree

NEEDED_COLUMNS = ("model", "measure", "pair_id", "bias_type", "difference")

PARAMETERS = {
    "connection_sd": "type_sd",
    "attribute_sd": "pair_sd",
    "sigma": "residual_sd",
    "nu": "nu",
}
"""What the standard deviations of the cards mean here."""

SMALLEST_CHECK = 1
"""Predictive draws at least."""


def pair_design(paired: pd.DataFrame, measure: str | None = None) -> Design:
    """Index paired scores as a design: bias types, models, pairs, and the differences.

    Parameters
    ----------
    paired : DataFrame
        From `paired_scores`; at least ``NEEDED_COLUMNS``.
    measure : str, optional
        Which measure; needed if there are several.

    Raises
    ------
    ValueError
        If the measure is unknown or not named, a pair is there twice, a bias type is empty, or a
        model has no pair of some type.
    """
    chosen = one_measure(paired, measure)
    twice = chosen.duplicated(["model", "pair_id"])
    if twice.any():
        row = chosen[twice].iloc[0]
        raise ValueError(f"pair {row['pair_id']!r} is there twice under {row['model']!r}")
    _check_types(chosen)
    indices, names = {}, {}
    for column in ("bias_type", "model", "pair_id"):
        ordered = column == "bias_type"  # models and pairs stay as they come
        codes, found = pd.factorize(chosen[column].astype(str), sort=ordered)
        indices[column], names[column] = codes.astype(np.int64), tuple(map(str, found))
    return Design(
        words=names["bias_type"],
        groups=("pairs",),
        connections=names["model"],
        attributes=names["pair_id"],
        kinds=("pair",),
        word_group=np.zeros(len(names["bias_type"]), dtype=np.int64),
        attribute_kind=np.zeros(len(names["pair_id"]), dtype=np.int64),
        word=indices["bias_type"],
        connection=indices["model"],
        attribute=indices["pair_id"],
        y=chosen["difference"].to_numpy(dtype=np.float64),
        outcome="difference",
    )


def one_measure(paired: pd.DataFrame, measure: str | None) -> pd.DataFrame:
    """Give the rows of one measure, which must be named where there are several."""
    require_columns(paired, NEEDED_COLUMNS)
    known = [str(name) for name in paired["measure"].unique()]
    if measure is None and len(known) != 1:
        raise ValueError(
            f"name the measure to model; there are {', '.join(known) or 'no scores at all'}"
        )
    if measure is not None and measure not in known:
        raise ValueError(unknown_name("measure", measure, known))
    return paired[paired["measure"] == (measure or known[0])].reset_index(drop=True)


def _check_types(chosen: pd.DataFrame) -> None:
    empty = chosen["bias_type"].isna() | (chosen["bias_type"].astype(str).str.strip() == "")
    if empty.any():
        row = int(empty.to_numpy().argmax())
        raise ValueError(f"row {row}, pair {chosen['pair_id'].iloc[row]!r}, has an empty bias_type")
    counts = pd.crosstab(chosen["bias_type"], chosen["model"])
    lacking = np.argwhere(counts.to_numpy() == 0)
    if len(lacking):
        bias_type, model = counts.index[lacking[0, 0]], counts.columns[lacking[0, 1]]
        raise ValueError(
            f"the model {model!r} has no pair of the bias type {bias_type!r}, which others have; "
            "score all models on the same pairs"
        )


def fit_pairs(
    paired: pd.DataFrame,
    measure: str | None = None,
    model: str | Path | ModelCard = "pll",
    method: str = "auto",
    *,
    draws: int = 1000,
    chains: int = 4,
    seed: Seed = None,
    priors: Mapping[str, Any] | None = None,
    unit: float | None = None,
    tune: int = 1000,
    target_accept: float = 0.9,
    progressbar: bool = True,
) -> DataTree:
    """Model the differences of paired scores, by bias type and language model.

    Parameters
    ----------
    paired : DataFrame
        From `paired_scores`, of one language model or several.
    measure : str, optional
        Which measure; needed if there are several.
    model : str, Path or ModelCard
        ``pll`` (Normal, exact sampler), ``pll-robust`` (Student-t, NUTS), or a card of your own.
        Effects of pairs are left out where there is one language model, whose residuals hold them.
    unit : float, optional
        How large in the scores at hand is what the card's priors call one nat. By default 1 for
        sums of log probabilities and SSS; the mean of 1 / n over the pairs for AUL, a mean over n
        tokens; of 1 / n² for AULA, whose weights are about 1 / n besides.
    priors : mapping, optional
        Overrides, in the unit of the scores: ``{"connection_mean": {"sd": 1.0}}``.
    method, draws, chains, seed, tune, target_accept, progressbar
        As for `bayesbias.fit`.

    Returns
    -------
    xarray.DataTree
        As `bayesbias.fit` gives it, with ``protected_word`` the bias types, ``connection`` the
        language models and ``attribute`` the pairs; read it with `pair_summary` and the like. The
        attributes ``measure``, ``unit`` and ``model_scales`` say what was modelled: with several
        language models, differences divided by the relative size of each model's (`model_scales`);
        what is read from it is in the unit of the scores again.

    Raises
    ------
    ValueError
        If paired scores, card, unit or a number is not valid.
    """
    chosen = one_measure(paired, measure)
    relative = model_scales(chosen)
    scale = chosen["model"].astype(str).map(relative)
    design = pair_design(chosen.assign(difference=chosen["difference"] / scale))
    named = str(chosen["measure"].iloc[0])
    size = _unit(named, chosen) if unit is None else unit
    if not (isinstance(size, int | float) and math.isfinite(size) and size > 0):
        raise ValueError(f"unit must be a positive number; got {unit!r}")
    card = card_in_units(load_card(model), size)
    if len(design.connections) == 1:
        card = without_pair_effects(card)
    tree = fit_design(
        design,
        card,
        method,
        draws=draws,
        chains=chains,
        seed=seed,
        priors=priors,
        tune=tune,
        target_accept=target_accept,
        progressbar=progressbar,
        table_hash=table_hash(chosen[list(NEEDED_COLUMNS)]),
    )
    tree.attrs |= {"measure": named, "unit": float(size), SCALES: json.dumps(relative)}
    return tree


def model_scales(chosen: pd.DataFrame) -> dict[str, float]:
    """How large each model's differences are, against the geometric mean of all models'.

    A model that is surer of its words has larger differences for the same preferences. Effects of
    pairs are shared by models only once that is divided out; otherwise the larger model's spread
    would pass for noise of its own. The sds that are divided by are taken as known.
    """
    sds = chosen.groupby("model", sort=False)["difference"].std(ddof=1)
    if len(sds) == 1:
        return {str(sds.index[0]): 1.0}
    for name, sd in sds.items():
        if not sd > 0:
            raise ValueError(f"the differences of {name!r} are all equal, or there is one only")
    relative = sds / np.exp(np.log(sds).mean())
    return {str(name): float(value) for name, value in relative.items()}


def _unit(measure: str, chosen: pd.DataFrame) -> float:
    """What one nat of a whole sentence is in a score, from the number of tokens alone."""
    power = {"aul": 1, "aula": 2}.get(measure, 0)
    if power == 0:
        return 1.0
    if "n_scored" not in chosen.columns:
        raise ValueError(
            f"{measure} is a mean over tokens: the frame needs the column n_scored, or pass unit="
        )
    return float((1.0 / chosen["n_scored"].to_numpy(dtype=np.float64) ** power).mean())


def card_in_units(card: ModelCard, unit: float) -> ModelCard:
    """Rescale a card's priors, so that one of their units is `unit` in the outcome."""
    if unit == 1:
        return card
    return card.with_priors(
        {name: _scaled(prior, unit) for name, prior in card.priors.items() if name != "nu"}
    )


def _scaled(prior: Prior, unit: float) -> Prior:
    parameters = dict(prior.parameters)
    for name, value in parameters.items():
        if name in {"mean", "sd", "scale"}:
            parameters[name] = value * unit
        elif name == "rate":
            parameters[name] = value / unit
        elif name == "log_mean":
            parameters[name] = value + math.log(unit)
    return Prior(prior.family, parameters, f"{prior.reason}; times {unit:.3g}, the unit")


def without_pair_effects(card: ModelCard) -> ModelCard:
    """Give a card for one row a pair, whose effect cannot be told from its residual."""
    priors = {name: prior for name, prior in card.priors.items() if name != "attribute_sd"}
    return replace(card, attribute_effects="none", priors=priors)


def pair_summary(tree: DataTree, ci_prob: float = DEFAULT_CI_PROB) -> pd.DataFrame:
    r"""Posterior of how much stereotypical sentences are preferred, overall and by bias type.

    Parameters
    ----------
    tree : DataTree
        From `fit_pairs`.
    ci_prob : float
        Probability of the intervals, in (0, 1).

    Returns
    -------
    DataFrame
        ``level``: overall (the types of the data, weighted by their pairs), population (the types
        that these stand for: what a new one may be like) or bias_type; ``bias_type``, ``model``;
        ``quantity``: mean_difference, in the unit of the scores; standardised, the same over the
        spread of single pairs; p_stereotypical, the probability that the stereotypical sentence
        of a new pair scores higher, under the Normal card
        :math:`\Phi(\theta / \sqrt{\omega^2 + \sigma^2})`. Of each ``mean``, ``sd``, ``hdi_low``,
        ``hdi_high``, and ``p_above``: the probability that it is above its value without
        preference, 0, 0 and one half.
    """
    check_probability(ci_prob)
    frames = []
    for level in levels(tree):
        for quantity, draws in level.draws.items():
            frame = describe_draws(draws, ci_prob)
            frame["p_above"] = _share_above(draws - NULLS[quantity])
            frames.append(_labelled(frame, level, quantity, model=labels(tree, "connection")))
    return carry_warnings(pd.concat(frames, ignore_index=True), tree)


def model_contrasts(tree: DataTree, ci_prob: float = DEFAULT_CI_PROB) -> pd.DataFrame:
    """Posterior differences between language models: which is more biased, and how sure is that.

    Parameters
    ----------
    tree : DataTree
        From `fit_pairs`, of two language models or more.

    Returns
    -------
    DataFrame
        ``level``, ``bias_type``, ``quantity`` as in `pair_summary`, ``first``, ``second``, and of
        first - second ``mean``, ``sd``, ``hdi_low``, ``hdi_high`` and ``p_direction``, the
        probability of the sign that it most likely has. A model that is surer of its words has
        larger differences of scores altogether: compare p_stereotypical or standardised, not
        mean_difference alone.

    Raises
    ------
    ValueError
        If there is one model only.
    """
    check_probability(ci_prob)
    models = labels(tree, "connection")
    pairs = list(combinations(range(len(models)), 2))
    if not pairs:
        raise ValueError(f"there is the model {models[0]!r} only; score another to compare")
    frames = []
    for level in levels(tree):
        for quantity, draws in level.draws.items():
            apart = np.stack([draws[:, one] - draws[:, other] for one, other in pairs], axis=1)
            frame = describe_draws(apart, ci_prob)
            above = _share_above(apart)
            frame["p_direction"] = np.maximum(above, 1 - above)
            first, second = zip(*pairs, strict=True)
            names = {"first": [models[i] for i in first], "second": [models[i] for i in second]}
            frames.append(_labelled(frame, level, quantity, **names))
    return carry_warnings(pd.concat(frames, ignore_index=True), tree)


def _share_above(draws: FloatArray) -> FloatArray:
    return np.asarray((draws > 0).mean(axis=0) + 0.5 * (draws == 0).mean(axis=0))


def _labelled(
    frame: pd.DataFrame, level: PairLevel, quantity: str, **names: list[str]
) -> pd.DataFrame:
    for name, values in reversed(names.items()):
        frame.insert(0, name, values)
    frame.insert(0, "quantity", quantity)
    frame.insert(0, "bias_type", level.bias_type)
    frame.insert(0, "level", level.level)
    return frame


def pair_scales(tree: DataTree, ci_prob: float = DEFAULT_CI_PROB) -> pd.DataFrame:
    """Posterior of the spreads: of bias types, of pairs, and of residuals.

    Returns
    -------
    DataFrame
        ``parameter`` (type_sd, pair_sd, residual_sd, nu), ``model`` (empty for what models
        share: pair_sd, in the unit of a model of middling size), ``mean``, ``sd``, ``hdi_low``,
        ``hdi_high``.
    """
    frame = scales(tree, ci_prob).rename(columns={"of": "model"})
    frame["parameter"] = frame["parameter"].map(PARAMETERS)
    size = frame["model"].map(scales_of(tree)).fillna(1.0)
    for name in ("mean", "sd", "hdi_low", "hdi_high"):
        frame[name] *= size
    return frame


def pair_check(
    tree: DataTree,
    ci_probs: tuple[float, ...] = (0.5, DEFAULT_CI_PROB),
    *,
    seed: int | Generator = 0,
) -> pd.DataFrame:
    """Share of the differences inside their posterior predictive intervals, by model.

    Returns
    -------
    DataFrame
        As `bayesbias.check`, with the column ``model`` (``all`` for all).
    """
    return check(tree, ci_probs, seed=seed).rename(columns={"connection": "model"})


def preference_check(
    tree: DataTree,
    ci_prob: float = DEFAULT_CI_PROB,
    *,
    n_draws: int = 1000,
    seed: int | Generator = 0,
) -> pd.DataFrame:
    """Share of stereotypical preferences: observed, and in data that the model would give.

    Whether the spread of differences has the right shape near zero, which decides
    p_stereotypical: a Normal card that is widened by a few extreme pairs predicts shares too
    close to one half, and ``pll-robust`` then does better.

    Returns
    -------
    DataFrame
        ``model``, ``bias_type`` (``all`` for all), ``n_pairs``, ``observed`` in percent, ties
        half, ``predicted`` with ``hdi_low`` and ``hdi_high``, and ``p_as_low``: the share of
        predicted data sets with as low a share as observed, ties half; near 0 or 1 the model
        does not expect what was seen.
    """
    check_probability(ci_prob)
    if isinstance(n_draws, bool) or not isinstance(n_draws, int) or n_draws < SMALLEST_CHECK:
        raise ValueError(f"n_draws must be a whole number from 1 on; got {n_draws!r}")
    rng = default_rng(seed)
    posterior = tree["posterior"]
    chosen = rng.permutation(posterior.sizes["chain"] * posterior.sizes["draw"])[:n_draws]
    y, word, model = (
        observed(tree),
        index_of(tree, "word_index"),
        index_of(tree, "connection_index"),
    )
    made = predict_rows(tree, np.arange(len(y)), rng, chosen)
    rows = []
    for place, name in enumerate(labels(tree, "connection")):
        parts = [(ALL_TYPES, model == place)]
        types = labels(tree, "protected_word")
        parts += [(one, (model == place) & (word == i)) for i, one in enumerate(types)]
        for bias_type, where in parts:
            seen = float(_percent(y[None, where])[0])
            shares = _percent(made[:, where])
            low, high = hdi(shares[:, None], ci_prob)[0]
            as_low = float((shares < seen).mean() + 0.5 * (shares == seen).mean())
            predicted = (float(shares.mean()), float(low), float(high))
            rows.append((name, bias_type, int(where.sum()), seen, *predicted, as_low))
    columns = ["model", "bias_type", "n_pairs", "observed", "predicted"]
    frame = pd.DataFrame(rows, columns=[*columns, "hdi_low", "hdi_high", "p_as_low"])
    return carry_warnings(frame, tree)


def _percent(differences: FloatArray) -> FloatArray:
    positive, ties = (differences > 0).mean(axis=1), (differences == 0).mean(axis=1)
    return np.asarray(100.0 * (positive + 0.5 * ties))
