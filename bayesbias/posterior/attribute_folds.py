"""Which model expects unseen attribute words better: K-fold cross-validation over words.

Rows that share an attribute word are not exchangeable, and a list of attributes stands for words
that were not listed. So whole words are left out.
"""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
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
from .new_attributes import new_attribute_log_density, word_means_given

ModelLike = str | Path | ModelSpec


def attribute_kfold(
    table: pd.DataFrame,
    models: Mapping[str, ModelLike] | Sequence[ModelLike] = ("paper", "crossed"),
    *,
    folds: int = 10,
    seed: Seed = 0,
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
        Of the folds, which all models share, and of the draws.
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
    dealing, *fitting = as_seed_sequence(seed).spawn(1 + len(specs))
    fold_of = _deal(table, design, folds, default_rng(dealing))
    found = {
        name: _predicted_words(design, spec, fold_of, draws, sequence)
        for (name, spec), sequence in zip(specs.items(), fitting, strict=True)
    }
    frame = ranked({name: words.elpd for name, words in found.items()})
    frame["mcse"] = [float(np.sqrt((found[name].mcse ** 2).sum())) for name in frame["model"]]
    frame["n_attributes"] = len(design.attributes)
    return frame


@dataclass(frozen=True)
class _Words:
    """Log predictive density of every attribute word, and its Monte Carlo error."""

    elpd: FloatArray
    mcse: FloatArray


def _predicted_words(
    design: Design, spec: ModelSpec, fold_of: IntArray, draws: int, sequence: SeedSequence
) -> _Words:
    n = len(fold_of)
    found = _Words(np.empty(n), np.empty(n))
    worst_k, folds = -np.inf, np.unique(fold_of)
    for fold, child in zip(folds, sequence.spawn(len(folds)), strict=True):
        training = _rows_of(design, fold_of[design.attribute] != fold)
        fitted = sample_exact(collapse(training, spec), draws, default_rng(child))
        worst_k = max(worst_k, fitted.pareto_k)
        given = word_means_given(training, fitted.values)
        for attribute in np.flatnonzero(fold_of == fold):
            log_density = new_attribute_log_density(given, design, int(attribute))
            found.elpd[attribute], found.mcse[attribute] = _log_mean(log_density)
    if worst_k >= PARETO_K_LIMIT:
        warnings.warn(
            f"{spec.name}: Pareto k of the exact sampler reaches {worst_k:.2f} in some fold, above "
            f"{PARETO_K_LIMIT}, so that its elpd is not to be trusted; raise draws",
            SamplingWarning,
            stacklevel=3,
        )
    return found


def _rows_of(design: Design, kept: np.ndarray) -> Design:
    """Some rows of a design; its words, attributes and connections stay, with or without rows."""
    return replace(
        design,
        word=design.word[kept],
        connection=design.connection[kept],
        attribute=design.attribute[kept],
        context=design.context[kept] if design.contexts else design.context,
        set=design.set[kept] if design.sets else design.set,
        y=design.y[kept],
    )


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
            raise ValueError(
                f"attribute_kfold refits by the exact sampler, which needs a normal likelihood; "
                f"{name!r} has {spec.likelihood}. compare_models takes posteriors of any model"
            )
        if spec.terms_of("context"):
            raise ValueError(
                f"attribute_kfold predicts words without context effects, and {name!r} has them; "
                "compare_models takes posteriors of any model"
            )
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
