"""Correlation of scores with downstream bias by class, sample and model, with intervals."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from numpy.random import default_rng
from numpy.typing import ArrayLike, NDArray

from .._core.arrays import FloatArray
from .._core.checks import unknown_name
from .._core.intervals import DEFAULT_CI_PROB, check_probability
from .._core.random import Seed, as_seed_sequence
from ..tables.schema import require_columns

IntArray = NDArray[np.int64]

LEVELS = ("class", "sample", "model")
"""What the rows of a correlation are: classes of one model, its samples, or models."""

COEFFICIENTS = ("pearson", "spearman")

N_RESAMPLES = 2000
"""Resamplings of clusters; the ends of an interval then vary by a few percent of its width."""

FEWEST_CLUSTERS = 5
"""Fewer clusters have too few different resamplings for an interval."""


@dataclass(frozen=True)
class Correlation:
    """Correlation of scores with downstream bias; see `correlate`.

    Parameters
    ----------
    r, low, high : float
        In [-1, 1].
    n, n_clusters : int
        Rows, and independent units among them.
    method : str
        One of ``COEFFICIENTS``.
    interval : str
        ``fisher z`` or ``cluster bootstrap``.
    ci_prob : float
    seed : int, optional
        Entropy that clusters were resampled with.
    """

    r: float
    low: float
    high: float
    n: int
    n_clusters: int
    method: str
    interval: str
    ci_prob: float
    seed: Any = None


def correlate(
    scores: ArrayLike,
    biases: ArrayLike,
    *,
    clusters: ArrayLike | None = None,
    method: str = "pearson",
    ci_prob: float = DEFAULT_CI_PROB,
    n_resamples: int = N_RESAMPLES,
    seed: Seed = None,
) -> Correlation:
    """Correlation of a score with downstream bias, with its interval.

    Where every row is a unit of its own (classes, models) there are few rows, and the interval is
    Fisher's z: a bootstrap of ten rows repeats rows and comes out too short. Where rows share
    clusters (samples of one class) they are not independent, z would be far too short, and whole
    clusters are resampled instead.

    Parameters
    ----------
    scores, biases : (n,) array_like
    clusters : (n,) array_like, optional
        Which rows belong together.
    method : {"pearson", "spearman"}
    ci_prob : float
    n_resamples, seed
        Of the bootstrap.

    Returns
    -------
    Correlation

    Raises
    ------
    ValueError
        If there are fewer than four rows, fewer than five clusters, or either side is constant.
    """
    if method not in COEFFICIENTS:
        raise ValueError(unknown_name("method", method, COEFFICIENTS))
    check_probability(ci_prob)
    score, bias = paired(scores, biases, fewest=4)
    for name, side in (("scores", score), ("biases", bias)):
        if np.ptp(side) == 0:
            raise ValueError(f"all {len(side)} {name} are equal, so nothing correlates with them")
    r = _coefficient(score, bias, method)
    cluster = np.arange(len(score)) if clusters is None else _codes(clusters, len(score))
    n_clusters = int(cluster.max()) + 1
    if n_clusters == len(score):
        interval, (low, high), used = "fisher z", _fisher(r, len(score), method, ci_prob), None
    else:
        sequence = as_seed_sequence(seed)
        both, used = np.stack([score, bias]), sequence.entropy
        values = _resampled(both, cluster, method, n_resamples, default_rng(sequence))
        low, high = np.quantile(values, [(1 - ci_prob) / 2, (1 + ci_prob) / 2]).tolist()
        interval = "cluster bootstrap"
    return Correlation(r, low, high, len(score), n_clusters, method, interval, ci_prob, used)


def correlations(
    frame: pd.DataFrame,
    *,
    levels: Sequence[str] = LEVELS,
    method: str = "pearson",
    ci_prob: float = DEFAULT_CI_PROB,
    n_resamples: int = N_RESAMPLES,
    seed: Seed = None,
) -> pd.DataFrame:
    """Correlations of a score with downstream bias by class, by sample and by model.

    Parameters
    ----------
    frame : DataFrame
        ``model``, ``class``, ``score``, ``bias``, one row a sample; or one a class, for which the
        levels of classes and of samples agree.
    levels : sequence of {"class", "sample", "model"}
        ``class``: within every model, class means of the signed score with class means of the
        signed bias. ``sample``: within every model, all its rows, clustered by class. ``model``:
        means over classes of abs(score) with means over classes of abs(bias).
    method, ci_prob, n_resamples, seed
        As for `correlate`.

    Returns
    -------
    DataFrame
        ``level``, ``model`` (empty at the level of models), ``r``, ``low``, ``high``, ``n``,
        ``n_clusters``, ``interval``.

    Notes
    -----
    Intervals of different models are not independent when the models share data.
    """
    require_columns(frame, ("model", "class", "score", "bias"))
    for level in levels:
        if level not in LEVELS:
            raise ValueError(unknown_name("level", level, LEVELS))
    means = frame.groupby(["model", "class"], sort=False)[["score", "bias"]].mean().reset_index()
    parts: list[tuple[str, str, pd.DataFrame]] = []
    for level in levels:
        rows = frame if level == "sample" else means
        if level == "model":
            sizes = means[["score", "bias"]].abs().groupby(means["model"], sort=False).mean()
            parts.append((level, "", sizes.assign(**{"class": range(len(sizes))})))
        else:
            parts += [(level, str(name), of) for name, of in rows.groupby("model", sort=False)]
    sequence = as_seed_sequence(seed)
    how: Any = {"method": method, "ci_prob": ci_prob, "n_resamples": n_resamples, "seed": sequence}
    found = [
        {"level": level, "model": model}
        | vars(correlate(rows["score"], rows["bias"], clusters=rows["class"], **how))
        for level, model, rows in parts
    ]
    columns = ["level", "model", "r", "low", "high", "n", "n_clusters", "interval"]
    result = pd.DataFrame(found, columns=columns)
    result.attrs = {"ci_prob": ci_prob, "seed": sequence.entropy}
    return result


def paired(scores: ArrayLike, biases: ArrayLike, *, fewest: int) -> tuple[FloatArray, FloatArray]:
    """Scores and biases as arrays of one length; a ValueError says what is wrong with them."""
    score, bias = (np.asarray(each, dtype=np.float64) for each in (scores, biases))
    if score.ndim != 1 or score.shape != bias.shape or len(score) < fewest:
        raise ValueError(
            f"scores and biases must be {fewest} or more numbers each, in the same order; "
            f"got shapes {score.shape} and {bias.shape}"
        )
    wrong = ~(np.isfinite(score) & np.isfinite(bias))
    if wrong.any():
        row = int(np.argmax(wrong))
        raise ValueError(
            f"row {row} is not finite (score {score[row]}, bias {bias[row]}); leave undefined "
            "scores out"
        )
    return score, bias


def normal_quantile(ci_prob: float) -> float:
    """Return how many sds an interval of that probability reaches from the mean of a Normal."""
    from scipy.special import ndtri

    return float(ndtri((1 + ci_prob) / 2))


def _codes(clusters: ArrayLike, n: int) -> IntArray:
    codes, _ = pd.factorize(np.asarray(clusters))
    if codes.shape != (n,) or (codes < 0).any():
        raise ValueError(f"clusters must name one cluster for each of the {n} rows")
    return np.asarray(codes, dtype=np.int64)


def _coefficient(score: FloatArray, bias: FloatArray, method: str) -> float:
    if method == "spearman":
        score, bias = (np.asarray(pd.Series(each).rank(), float) for each in (score, bias))
    first, second = score - score.mean(), bias - bias.mean()
    r = (first @ second) / np.sqrt((first @ first) * (second @ second))
    return float(np.clip(r, -1, 1))


def _fisher(r: float, n: int, method: str, ci_prob: float) -> tuple[float, float]:
    """Interval by Fisher's z (1921); of ranks by Bonett and Wright (2000), Psychometrika 65."""
    if abs(r) == 1:
        return r, r
    variance = (1 + r**2 / 2 if method == "spearman" else 1) / (n - 3)
    half = normal_quantile(ci_prob) * np.sqrt(variance)
    low, high = np.tanh(np.arctanh(r) + np.array([-half, half]))
    return float(low), float(high)


def _resampled(
    both: FloatArray, cluster: IntArray, method: str, n_resamples: int, seed: Seed
) -> FloatArray:
    """Correlations of resamplings of whole clusters; those with one value only are drawn again."""
    rows_of = [np.flatnonzero(cluster == each) for each in range(int(cluster.max()) + 1)]
    if len(rows_of) < FEWEST_CLUSTERS:
        raise ValueError(
            f"{len(rows_of)} clusters are too few; {FEWEST_CLUSTERS} or more are needed"
        )
    if n_resamples < 100:
        raise ValueError(
            f"n_resamples must be at least 100, got {n_resamples}; {N_RESAMPLES} is usual"
        )
    rng = default_rng(as_seed_sequence(seed))
    values: list[float] = []
    while len(values) < n_resamples:
        rows = np.concatenate([rows_of[at] for at in rng.integers(len(rows_of), size=len(rows_of))])
        score, bias = both[:, rows]
        if np.ptp(score) > 0 and np.ptp(bias) > 0:
            values.append(_coefficient(score, bias, method))
    return np.array(values)
