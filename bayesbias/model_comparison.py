"""Which model expects unseen distances better: PSIS-LOO over rows, K-fold over attribute words.

Leaving out a row asks for one more distance between words that were all seen; leaving out an
attribute word asks for a word that was not. The second is what a list of attributes stands for,
and rows that share a word are not exchangeable, so the two may disagree.
"""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd
from numpy.random import Generator, SeedSequence, default_rng
from scipy.special import logsumexp

from .cards import ModelCard, load_card
from .design import Design, IntArray, make_design
from .exact import sample_exact
from .fitting import PARETO_K_LIMIT, Seed, as_seed_sequence
from .geometry import FloatArray
from .posterior import SamplingWarning
from .predictive import (
    log_likelihood,
    new_attribute_log_density,
    row_blocks,
    word_means_given,
)
from .reduction import collapse
from .schema import validate

if TYPE_CHECKING:
    from xarray import DataTree

Card = str | Path | ModelCard


@dataclass(frozen=True)
class PointwiseLoo:
    """Leave-one-out of every row of a posterior.

    Parameters
    ----------
    elpd : (n_rows,) float
        Log density of the row given all others.
    p_loo : (n_rows,) float
        How much higher it is with the row among the data.
    pareto_k : (n_rows,) float
        Shape of the tail of the row's importance weights.
    good_k : float
        Highest k that so many draws allow, min(1 - 1 / log10(draws), 0.7).
    """

    elpd: FloatArray
    p_loo: FloatArray
    pareto_k: FloatArray
    good_k: float

    @property
    def n_bad_k(self) -> int:
        """How many rows have a k beyond ``good_k``."""
        return int((self.pareto_k > self.good_k).sum())


def compare_models(posteriors: Mapping[str, DataTree]) -> pd.DataFrame:
    r"""Compare posteriors of one table by leave-one-row-out cross-validation.

    .. math:: \mathrm{elpd} = \sum_i \log p(y_i | y_{-i}), \quad
       \mathrm{se} = \sqrt{n \, \mathrm{var}_i \, \log p(y_i | y_{-i})}

    by Pareto-smoothed importance sampling. The standard errors count rows as independent; see
    `attribute_kfold` for a comparison that does not.

    Parameters
    ----------
    posteriors : mapping of str to DataTree
        Two or more posteriors from `fit`, all of the same table, by the name of the model.

    Returns
    -------
    DataFrame
        A row a model, the best first: ``model``, ``elpd``, ``se``, ``p_loo`` (effective number of
        parameters), ``elpd_difference`` to the best model (0 or below), ``se_difference``,
        ``n_bad_k`` (rows whose Pareto k is beyond what so many draws allow, 0.7 at most).

    Raises
    ------
    ValueError
        With fewer than two posteriors, or posteriors of different tables.

    Warns
    -----
    SamplingWarning
        If rows have bad Pareto k.

    References
    ----------
    Vehtari, Gelman and Gabry (2017), Statistics and Computing 27; Vehtari, Simpson, Gelman, Yao
    and Gabry (2024), Journal of Machine Learning Research 25.
    """
    _check_same_table(posteriors)
    found = {name: pointwise_loo(tree) for name, tree in posteriors.items()}
    frame = _ranked({name: loo.elpd for name, loo in found.items()})
    frame.insert(3, "p_loo", [float(found[name].p_loo.sum()) for name in frame["model"]])
    frame["n_bad_k"] = [found[name].n_bad_k for name in frame["model"]]
    for name, loo in found.items():
        if loo.n_bad_k:
            warnings.warn(
                f"{name}: {loo.n_bad_k} of {len(loo.elpd)} rows have Pareto k above "
                f"{loo.good_k:.2f}, whose share of the elpd is not to be relied on; raise draws "
                "or compare by attribute_kfold",
                SamplingWarning,
                stacklevel=2,
            )
    return frame


def pointwise_loo(tree: DataTree) -> PointwiseLoo:
    """Leave-one-out of every row by ArviZ's PSIS, in blocks of rows so that memory is bounded."""
    from arviz_stats.base import array_stats

    n_draws = tree["posterior"].sizes["chain"] * tree["posterior"].sizes["draw"]
    efficiency = _relative_efficiency(tree, n_draws)
    parts = [
        array_stats.loo(log_likelihood(tree, rows).T, chain_axis=None, r_eff=efficiency)
        for rows in row_blocks(tree)
    ]
    elpd, k, p_loo = (np.concatenate(part) for part in zip(*parts, strict=True))
    good_k = min(1 - 1 / np.log10(max(n_draws, 2)), PARETO_K_LIMIT)
    return PointwiseLoo(elpd=elpd, p_loo=p_loo, pareto_k=k, good_k=good_k)


def attribute_kfold(
    table: pd.DataFrame,
    models: Mapping[str, Card] | Sequence[Card] = ("paper", "crossed"),
    *,
    folds: int = 10,
    seed: Seed = 0,
    draws: int = 1000,
) -> pd.DataFrame:
    r"""Compare model cards by leaving whole attribute words out.

    Attribute words are dealt into folds at random, those of one attribute set evenly. Every model
    is fitted exactly without a fold's words, and each of them is predicted with all its rows
    together: a new word's effect, and the protected words' means, are integrated out.

    .. math:: \mathrm{elpd} = \sum_a \log \frac1S \sum_s p(y_a | \text{draw}_s)

    Parameters
    ----------
    table : DataFrame
        A long-form table.
    models : mapping of str to card, or sequence of cards
        Normal cards, as `fit` takes them; a mapping names them.
    folds : int
        From 2 to the number of attribute words, which leaves one word out at a time.
    seed : int, SeedSequence, Generator or None
        Of the folds, which all models share, and of the draws.
    draws : int
        Posterior draws of every fit.

    Returns
    -------
    DataFrame
        A row a model, the best first: ``model``, ``elpd``, ``se``, ``elpd_difference`` to the
        best model (0 or below), ``se_difference``, ``mcse`` (Monte Carlo error of elpd),
        ``n_attributes``. Standard errors are over attribute words.

    Raises
    ------
    ValueError
        If a card is not Normal, a connection has a single attribute word, or a number is wrong.

    Warns
    -----
    SamplingWarning
        If the exact sampler's Pareto k is too high in some fold.

    References
    ----------
    Vehtari and Lampinen (2002), Neural Computation 14, on K-fold cross-validation; Roberts et
    al. (2017), Ecography 40, on leaving groups out where rows share them.
    """
    cards = _named_cards(models)
    table = validate(table)
    design = make_design(table)
    _check_folds(table, folds, len(design.attributes))
    dealing, *fitting = as_seed_sequence(seed).spawn(1 + len(cards))
    fold_of = _deal(table, design, folds, default_rng(dealing))
    found = {
        name: _predicted_words(design, card, fold_of, draws, sequence)
        for (name, card), sequence in zip(cards.items(), fitting, strict=True)
    }
    frame = _ranked({name: words.elpd for name, words in found.items()})
    frame["mcse"] = [float(np.sqrt((found[name].mcse ** 2).sum())) for name in frame["model"]]
    frame["n_attributes"] = len(design.attributes)
    return frame


def _check_same_table(posteriors: Mapping[str, DataTree]) -> None:
    if len(posteriors) < 2:
        raise ValueError(f"a comparison takes two posteriors or more; got {len(posteriors)}")
    hashes = {name: str(tree.attrs.get("table_hash")) for name, tree in posteriors.items()}
    first, *others = hashes
    apart = [name for name in others if hashes[name] != hashes[first]]
    if "None" in hashes.values() or apart:
        names = ", ".join(map(repr, apart or posteriors))
        raise ValueError(
            f"models are compared on one table, and the posterior(s) {names} were not fitted to "
            f"that of {first!r}: their table_hash differs or is absent"
        )


def _ranked(pointwise: Mapping[str, FloatArray]) -> pd.DataFrame:
    """Sums with their standard errors and differences to the best, the best first."""
    totals = {name: float(values.sum()) for name, values in pointwise.items()}
    order = sorted(totals, key=lambda name: -totals[name])
    best = pointwise[order[0]]
    rows = [
        (
            name,
            totals[name],
            _standard_error(pointwise[name]),
            totals[name] - totals[order[0]],
            _standard_error(pointwise[name] - best),
        )
        for name in order
    ]
    columns = ["model", "elpd", "se", "elpd_difference", "se_difference"]
    return pd.DataFrame(rows, columns=columns)


def _standard_error(values: FloatArray) -> float:
    """Of a sum of independent values."""
    return float(np.sqrt(len(values) * values.var()))


def _relative_efficiency(tree: DataTree, n_draws: int) -> float:
    """Effective draws a draw: 1 if they are independent, else their mean over parameters."""
    if tree.attrs.get("method") == "exact" or tree["posterior"].sizes["chain"] == 1:
        return 1.0
    import arviz as az

    ess = az.ess(tree["posterior"].to_dataset(), method="mean")
    return (
        float(np.concatenate([values.values.ravel() for values in ess.values()]).mean()) / n_draws
    )


@dataclass(frozen=True)
class _Words:
    """Log predictive density of every attribute word, and its Monte Carlo error."""

    elpd: FloatArray
    mcse: FloatArray


def _predicted_words(
    design: Design, card: ModelCard, fold_of: IntArray, draws: int, sequence: SeedSequence
) -> _Words:
    n = len(fold_of)
    found = _Words(np.empty(n), np.empty(n))
    worst_k, folds = -np.inf, np.unique(fold_of)
    for fold, child in zip(folds, sequence.spawn(len(folds)), strict=True):
        training = _rows_of(design, fold_of[design.attribute] != fold)
        fitted = sample_exact(collapse(training, card), draws, default_rng(child))
        worst_k = max(worst_k, fitted.pareto_k)
        given = word_means_given(training, fitted.values)
        for attribute in np.flatnonzero(fold_of == fold):
            log_density = new_attribute_log_density(given, design, int(attribute))
            found.elpd[attribute], found.mcse[attribute] = _log_mean(log_density)
    if worst_k >= PARETO_K_LIMIT:
        warnings.warn(
            f"{card.name}: Pareto k of the exact sampler reaches {worst_k:.2f} in some fold, above "
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


def _named_cards(models: Mapping[str, Card] | Sequence[Card]) -> dict[str, ModelCard]:
    if isinstance(models, str | Path | ModelCard):
        models = [models]
    if isinstance(models, Mapping):
        cards = {name: load_card(card) for name, card in models.items()}
    else:
        loaded = [load_card(card) for card in models]
        cards = {card.name: card for card in loaded}
        if len(cards) < len(loaded):
            raise ValueError("two cards have the same name; give a mapping of names to cards")
    if not cards:
        raise ValueError("at least one model card is needed")
    for name, card in cards.items():
        if card.likelihood != "normal":
            raise ValueError(
                f"attribute_kfold refits by the exact sampler, which needs a normal likelihood; "
                f"{name!r} has {card.likelihood}. compare_models takes posteriors of any card"
            )
    return cards


def _check_folds(table: pd.DataFrame, folds: int, n_attributes: int) -> None:
    if isinstance(folds, bool) or int(folds) != folds or not 2 <= folds <= n_attributes:
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
