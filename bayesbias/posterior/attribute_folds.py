"""Which model expects unseen attribute words better: K-fold cross-validation over words.

Rows that share an attribute word are not exchangeable, and a list of attributes stands for words
that were not listed. So whole words are left out.
"""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pandas as pd
from numpy.random import Generator, SeedSequence, default_rng
from scipy.special import logsumexp

from .._core.arrays import FloatArray
from .._core.checks import check_numbers
from .._core.random import Seed, as_seed_sequence
from ..model.design import Design, IntArray, index_table
from ..model.spec import ModelSpec, load_model
from ..model.tree import SamplingWarning
from ..sampling.exact import sample_exact
from ..sampling.fit import PARETO_K_LIMIT
from ..sampling.reduction import collapse
from ..tables.schema import validate
from .loo import ranked

ModelLike = str | Path | ModelSpec


def attribute_kfold(
    table: pd.DataFrame,
    models: Mapping[str, ModelLike] | Sequence[ModelLike] = ("paper", "crossed"),
    *,
    folds: int = 10,
    seed: Seed = None,
    draws: int = 1000,
) -> pd.DataFrame:
    r"""Compare models by leaving whole attribute words out.

    Attribute words are dealt into folds at random, those of one attribute set evenly. Every model
    is fitted exactly without a fold's words, and each of them is predicted with all its rows
    together: a new word's effect, and the protected words' means, are integrated out.

    .. math:: \mathrm{elpd} = \sum_a \log \frac1S \sum_s p(y_a | \text{draw}_s)

    Parameters
    ----------
    table : DataFrame
        A long-form table.
    models : mapping of str to model, or sequence of models
        Normal models, as `fit` takes them; a mapping names them.
    folds : int
        From 2 to the number of attribute words, which leaves one word out at a time.
    seed : int, SeedSequence, Generator or None
        Of the folds, which all models share, and of the draws. None takes fresh entropy, which
        ``.attrs["seed"]`` records.
    draws : int
        Posterior draws of every fit.

    Returns
    -------
    DataFrame
        A row a model, the best first: ``model``, ``elpd``, ``se``, ``elpd_diff`` to the
        best model (0 or below), ``dse``, ``mcse`` (Monte Carlo error of elpd),
        ``n_attributes``. Standard errors are over attribute words.

    Raises
    ------
    ValueError
        If a model is not Normal, a connection has a single attribute word, or a number is wrong.

    Warns
    -----
    SamplingWarning
        If the exact sampler's Pareto k is too high in some fold.

    References
    ----------
    Vehtari and Lampinen (2002), Neural Computation 14, on K-fold cross-validation; Roberts et
    al. (2017), Ecography 40, on leaving groups out where rows share them.
    """
    check_numbers(draws=draws)
    specs = _named_specs(models)
    table = validate(table)
    design = index_table(table)
    _check_folds(table, folds, len(design.attributes))
    sequence = as_seed_sequence(seed)
    dealing, *fitting = sequence.spawn(1 + len(specs))
    fold_of = _deal(table, design, folds, default_rng(dealing))
    found = {
        name: _predicted_words(design, spec, fold_of, draws, own)
        for (name, spec), own in zip(specs.items(), fitting, strict=True)
    }
    frame = ranked({name: elpd for name, (elpd, _) in found.items()})
    frame["mcse"] = [float(np.sqrt((found[name][1] ** 2).sum())) for name in frame["model"]]
    frame["n_attributes"] = len(design.attributes)
    frame.attrs["seed"] = sequence.entropy
    return frame


def _predicted_words(
    design: Design, spec: ModelSpec, fold_of: IntArray, draws: int, sequence: SeedSequence
) -> FloatArray:
    """Log predictive density of every attribute word and its Monte Carlo error, (2, n)."""
    found = np.empty((2, len(fold_of)))
    worst_k, folds = -np.inf, np.unique(fold_of)
    for fold, child in zip(folds, sequence.spawn(len(folds)), strict=True):
        training = design.take(np.flatnonzero(fold_of[design.attribute] != fold))
        fitted = sample_exact(collapse(training, spec), draws, default_rng(child))
        worst_k = max(worst_k, fitted.pareto_k)
        given = word_means_given(training, fitted.values)
        for attribute in np.flatnonzero(fold_of == fold):
            log_density = new_attribute_log_density(given, design, int(attribute))
            found[:, attribute] = _log_mean(log_density)
    if worst_k >= PARETO_K_LIMIT:
        warnings.warn(
            f"{spec.name}: Pareto k of the exact sampler reaches {worst_k:.2f} in some fold, above "
            f"{PARETO_K_LIMIT}, so that its elpd is not to be trusted; raise draws",
            SamplingWarning,
            stacklevel=3,
        )
    return found


def _log_mean(log_values: FloatArray) -> tuple[float, float]:
    """Log of the mean of exp(log_values), and its standard error by the delta method."""
    n = len(log_values)
    log_mean = float(logsumexp(log_values)) - np.log(n)
    return log_mean, float(np.exp(log_values - log_mean).std() / np.sqrt(n))


def _deal(table: pd.DataFrame, design: Design, folds: int, rng: Generator) -> IntArray:
    """Fold of every attribute word: shuffled, sorted by their set, dealt out one by one."""
    sets = table.groupby(table["attribute"].astype(str), sort=False)["attribute_set"].first()
    shuffled = rng.permutation(len(design.attributes))
    names = sets.astype(str).reindex(list(design.attributes)).to_numpy()
    order = shuffled[np.argsort(names[shuffled], kind="stable")]
    fold_of = np.empty(len(order), dtype=np.int64)
    fold_of[order] = np.arange(len(order)) % folds
    return fold_of


def _named_specs(models: Mapping[str, ModelLike] | Sequence[ModelLike]) -> dict[str, ModelSpec]:
    if isinstance(models, str | Path | ModelSpec):
        models = [models]
    if isinstance(models, Mapping):
        specs = {name: load_model(spec, "distance") for name, spec in models.items()}
    else:
        loaded = [load_model(spec, "distance") for spec in models]
        specs = {spec.name: spec for spec in loaded}
        if len(specs) < len(loaded):
            raise ValueError("two models have the same name; give a mapping of names to models")
    if not specs:
        raise ValueError("at least one model is needed")
    for name, spec in specs.items():
        if spec.likelihood != "normal":
            told = f"refits by the exact sampler, which needs a normal likelihood; {name!r} has "
            told += f"{spec.likelihood}. "
        elif spec.terms_of("context"):
            told = f"predicts words without context effects, and {name!r} has them; "
        else:
            continue
        raise ValueError(f"attribute_kfold {told}compare_models takes posteriors of any model")
    return specs


def _check_folds(table: pd.DataFrame, folds: int, n_attributes: int) -> None:
    if not isinstance(folds, int) or not 2 <= folds <= n_attributes:
        raise ValueError(
            f"folds must be a whole number from 2 to {n_attributes}, the number of attribute "
            f"words; got {folds!r}"
        )
    words = table.groupby(table["connection"].astype(str))["attribute"].nunique()
    single = words.index[words == 1]
    if len(single):
        raise ValueError(
            f"the connection(s) {', '.join(single)} have a single attribute word; left out, it "
            "leaves nothing to predict it from"
        )


@dataclass(frozen=True)
class WordMeansGiven:
    """The Gaussians of the word means given all other parameters, draw by draw.

    Given those, the means of different cells are independent; averaging over Gaussians rather than
    over draws of the means makes predictive densities far less noisy.
    """

    mean: FloatArray  # (n_draws, n_words * n_connections), cells counted word by word
    variance: FloatArray  # likewise
    residual_variance: FloatArray  # (n_draws, n_connections)
    attribute_variance: FloatArray  # (n_draws, n_kinds), zero without attribute effects


def word_means_given(design: Design, values: Mapping[str, FloatArray]) -> WordMeansGiven:
    """Condition the word means on a design and on what `sample_exact` drew from it of all else."""
    n_words, n = len(design.words), len(design.connections)
    n_draws = len(values["connection_mean"])
    cell = design.word * n + design.connection
    rows = np.bincount(cell, minlength=n_words * n).astype(float)
    sums = np.broadcast_to(np.bincount(cell, design.y, minlength=n_words * n), (n_draws, len(rows)))
    attribute_variance = np.zeros((n_draws, len(design.kinds)))
    if "attribute_effect" in values:
        incidence = np.zeros((len(design.attributes), len(rows)))
        np.add.at(incidence, (design.attribute, cell), 1.0)
        sums = sums - values["attribute_effect"] @ incidence
        attribute_variance += values["attribute_sd"].reshape(n_draws, -1) ** 2
    parents = values["connection_mean"][:, None, :]
    if "group_mean" in values:
        parents = values["group_mean"][:, design.word_group, :]
    parents = np.broadcast_to(parents, (n_draws, n_words, n)).reshape(n_draws, -1)
    residual = np.broadcast_to(values["sigma"].reshape(n_draws, -1) ** 2, (n_draws, n))
    spread = np.tile(values["connection_sd"] ** 2, (1, n_words))
    noise = np.tile(residual, (1, n_words))
    total = noise + rows * spread  # this form holds where a spread is zero
    return WordMeansGiven(
        mean=(parents * noise + spread * sums) / total,
        variance=spread * noise / total,
        residual_variance=residual,
        attribute_variance=attribute_variance,
    )


def new_attribute_log_density(given: WordMeansGiven, design: Design, attribute: int) -> FloatArray:
    r"""Joint log density of all rows of an attribute word that the draws have not seen, (n_draws,).

    With :math:`k_u` rows in cell u, their mean :math:`\bar y_u` and squares :math:`q_u` about it,
    residual variance :math:`\sigma_u^2`, cell mean Normal(:math:`m_u, v_u`), :math:`t_u =
    \sigma_u^2 + k_u v_u` and effect variance :math:`\omega^2`, the rows are Gaussian with
    covariance blocks :math:`\sigma_u^2 I + v_u 11^T` plus :math:`\omega^2 11^T` over all, whose
    inverse and determinant have closed forms (Sherman and Morrison, 1950, Annals of Mathematical
    Statistics 21), twice over. The design holds the word's rows, and the same words and connections
    as the one that was fitted.
    """
    rows = np.flatnonzero(design.attribute == attribute)
    n = len(design.connections)
    cell, at = np.unique(design.word[rows] * n + design.connection[rows], return_inverse=True)
    k = np.bincount(at).astype(float)
    mean = np.bincount(at, design.y[rows]) / k
    squares = np.bincount(at, (design.y[rows] - mean[at]) ** 2)
    noise, apart = given.residual_variance[:, cell % n], mean - given.mean[:, cell]
    total = noise + k * given.variance[:, cell]
    effect = given.attribute_variance[:, design.attribute_kind[attribute]]
    shared = 1 + effect * (k / total).sum(axis=1)
    log_det = ((k - 1) * np.log(noise) + np.log(total)).sum(axis=1) + np.log(shared)
    quadratic = (squares / noise + k * apart**2 / total).sum(axis=1)
    quadratic -= effect * (k * apart / total).sum(axis=1) ** 2 / shared
    return np.asarray(-0.5 * (len(rows) * np.log(2 * np.pi) + log_det + quadratic))
