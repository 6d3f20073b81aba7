"""Reliability: whether raters agree on cases, and whether items measure one thing."""

from __future__ import annotations

import warnings
from dataclasses import dataclass, field

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike

from .._core.arrays import FloatArray
from .._core.checks import check_numbers
from .._core.intervals import DEFAULT_CI_PROB, check_probability
from .._core.random import Seed, as_seed_sequence
from .resampling import N_RESAMPLES, interval

FEWEST_CASES = 3
"""Below this no interval of a ratio of mean squares says anything."""

FEWEST_ITEMS = 3
"""Two items do not identify the loadings of a factor."""

SWEEPS = 2000
"""Most sweeps of the one-factor fit; some tens are usual."""

CONVERGED = 1e-7
"""Largest change of a loading in the last sweep, as a share of the largest item sd."""


@dataclass(frozen=True)
class InternalConsistency:
    """Alpha and omega of a set of items; see `internal_consistency`.

    Parameters
    ----------
    alpha, alpha_low, alpha_high : float
        At most 1; below 0 where items covary negatively.
    omega, omega_low, omega_high : float
        In [0, 1].
    n_cases, n_items : int
    items : DataFrame
        ``item``, ``loading`` (in the items' unit), ``item_rest`` (correlation with the sum of the
        other items), ``alpha_without`` (alpha if the item is left out).
    ci_prob : float
    seed : int or sequence of int
        Entropy that cases were resampled with, for omega.
    """

    alpha: float
    alpha_low: float
    alpha_high: float
    omega: float
    omega_low: float
    omega_high: float
    n_cases: int
    n_items: int
    items: pd.DataFrame = field(repr=False)
    ci_prob: float
    seed: object = field(repr=False)


def rater_agreement(
    ratings: pd.DataFrame | ArrayLike, ci_prob: float = DEFAULT_CI_PROB
) -> pd.DataFrame:
    r"""Intraclass correlations of several ratings of the same cases, with F-based intervals.

    With :math:`MS_R`, :math:`MS_C` and :math:`MS_E` the mean squares of n cases, k raters and the
    remainder, consistency is :math:`ICC(3,1) = (MS_R - MS_E)/(MS_R + (k-1) MS_E)`, and absolute
    agreement :math:`ICC(2,1)` has :math:`k (MS_C - MS_E)/n` more below. Of means of the k raters,
    :math:`ICC(\cdot,k) = k r/(1 + (k-1) r)`.

    Parameters
    ----------
    ratings : (n_cases, n_raters) DataFrame or array_like
        Words in rows and scores in columns, or trainings of one text (`bayesbias.replicates`).
        Taken as they are: bring scores of different units to one sd first.
    ci_prob : float
        Probability of the intervals, in (0, 1). They suppose Normal cases and remainders.

    Returns
    -------
    DataFrame
        Four rows: ``form`` (``ICC(2,1)``, ``ICC(3,1)``, ``ICC(2,k)``, ``ICC(3,k)``), ``kind``
        (``agreement``: a rater's level counts; ``consistency``: it does not), ``of`` (``one
        rater`` or ``mean of raters``), ``value``, at most 1, ``low``, ``high``, ``n_cases``,
        ``n_raters``.

    Raises
    ------
    ValueError
        If there are fewer than three cases or two raters, a value is missing or not finite, or
        all cases have the same mean.

    References
    ----------
    Shrout and Fleiss (1979), Psychological Bulletin 86; McGraw and Wong (1996), Psychological
    Methods 1, who call them ICC(A,1), ICC(C,1), ICC(A,k) and ICC(C,k). Du, Fang and Nguyen (2021),
    Assessing the reliability of word embedding gender bias measures, EMNLP: ICC(2,1) of trainings,
    ICC(3,1) of scores as they are.

    Examples
    --------
    >>> import bayesbias as bb
    >>> found = bb.scores.rater_agreement([[9, 2, 5], [6, 1, 3], [8, 4, 6], [7, 1, 2]])
    >>> found["value"].round(2).tolist()
    [0.17, 0.71, 0.38, 0.88]
    """
    check_probability(ci_prob)
    values = _complete(ratings, "raters", fewest=2)
    n, k = values.shape
    consistency = _consistency(values, ci_prob)
    agreement = _agreement(values, ci_prob)
    rows = [
        ("ICC(2,1)", "agreement", "one rater", *agreement),
        ("ICC(3,1)", "consistency", "one rater", *consistency),
        ("ICC(2,k)", "agreement", "mean of raters", *_stepped_up(agreement, k)),
        ("ICC(3,k)", "consistency", "mean of raters", *_stepped_up(consistency, k)),
    ]
    columns = ["form", "kind", "of", "value", "low", "high"]
    frame = pd.DataFrame(rows, columns=columns).assign(n_cases=n, n_raters=k)
    frame.attrs = {"ci_prob": ci_prob}
    return frame


def internal_consistency(
    items: pd.DataFrame | ArrayLike,
    ci_prob: float = DEFAULT_CI_PROB,
    *,
    n_resamples: int = N_RESAMPLES,
    seed: Seed = None,
) -> InternalConsistency:
    r"""Cronbach's alpha and McDonald's omega of items, with intervals.

    With S the items' covariance matrix, :math:`\alpha = \frac{k}{k-1}(1 - \sum_i S_{ii} /
    \sum_{ij} S_{ij})`, which is ICC(3,k) of `rater_agreement`, and :math:`\omega = (\sum_i
    \lambda_i)^2 / ((\sum_i \lambda_i)^2 + \sum_i \psi_i)` of one factor with loadings
    :math:`\lambda` and unique variances :math:`\psi_i = S_{ii} - \lambda_i^2`. The loadings are
    those of least squares off the diagonal (minres), with no :math:`\psi_i` below zero; unlike
    maximum likelihood they exist for more items than cases. Where one factor is the truth and all
    items load alike, both are equal, and otherwise alpha is the lower one. Omega cannot be
    negative, so that of unrelated items and few cases it is too high.

    Parameters
    ----------
    items : (n_cases, n_items) DataFrame or array_like
        Such as distances from protected words (cases) to a group's stereotypes (items).
    ci_prob : float
        Of alpha's interval, by Feldt's F, and omega's, of percentiles of the bootstrap over cases.
    n_resamples : int
    seed : int, SeedSequence, Generator or None

    Returns
    -------
    InternalConsistency

    Raises
    ------
    ValueError
        If there are fewer than three cases or items, a value is missing or not finite, or all
        cases have the same mean.

    Warns
    -----
    UserWarning
        If the one-factor fit has not come to an end.

    References
    ----------
    Cronbach (1951), Psychometrika 16; Feldt, Woodruff and Salih (1987), Applied Psychological
    Measurement 11; McDonald (1999), Test theory, chapter 6; Harman and Jones (1966), Factor
    analysis by minimizing residuals, Psychometrika 31.

    Examples
    --------
    >>> import bayesbias as bb
    >>> answers = [[1, 2, 2], [2, 2, 3], [3, 4, 3], [4, 4, 5], [5, 4, 5]]
    >>> round(bb.scores.internal_consistency(answers, seed=1).alpha, 3)
    0.939
    """
    check_probability(ci_prob)
    check_numbers(n_resamples=n_resamples)
    values = _complete(items, "items", fewest=FEWEST_ITEMS)
    n, k = values.shape
    sequence = as_seed_sequence(seed)
    alpha = _stepped_up(_consistency(values, ci_prob), k)
    covariance = np.cov(values.T)
    loadings = one_factor(covariance[None])[0]
    drawn = np.random.default_rng(sequence).integers(n, size=(n_resamples, n))
    low, high = interval(omega_of(covariances(values[drawn])), ci_prob)
    names = items.columns if isinstance(items, pd.DataFrame) else range(k)
    return InternalConsistency(
        *alpha,
        omega=float(omega_of(covariance[None])[0]),
        omega_low=low,
        omega_high=high,
        n_cases=n,
        n_items=k,
        items=_item_frame(covariance, list(names), loadings),
        ci_prob=ci_prob,
        seed=sequence.entropy,
    )


def alpha_of(covariance: FloatArray) -> FloatArray:
    """Cronbach's alpha of covariance matrices, (..., k, k) to (...,); NaN if sums do not vary."""
    k = covariance.shape[-1]
    own = np.trace(covariance, axis1=-2, axis2=-1)
    total = covariance.sum(axis=(-2, -1))
    varies = total > np.finfo(float).eps * own
    share = np.divide(own, total, out=np.full(own.shape, np.nan), where=varies)
    return np.asarray(k / (k - 1) * (1 - share))


def omega_of(covariance: FloatArray) -> FloatArray:
    """McDonald's omega of covariance matrices, (n, k, k) to (n,); NaN if no item varies."""
    loadings = one_factor(covariance)
    common = loadings.sum(axis=1) ** 2
    unique = np.trace(covariance, axis1=1, axis2=2) - (loadings**2).sum(axis=1)
    total = common + unique
    share = np.divide(common, total, out=np.full(len(total), np.nan), where=total > 0)
    return np.asarray(share)


def one_factor(covariance: FloatArray) -> FloatArray:
    r"""Loadings of one factor by minres, (n, k, k) to (n, k), positive in the sum.

    Minimises :math:`\sum_{i \ne j} (S_{ij} - \lambda_i \lambda_j)^2` over one loading after the
    other, each at most an item's sd, from the first principal component on.
    """
    variances = np.diagonal(covariance, axis1=1, axis2=2)
    sd = np.sqrt(variances)
    largest, vectors = np.linalg.eigh(covariance)
    loadings = vectors[:, :, -1] * np.sqrt(largest[:, -1:].clip(0))
    for _ in range(SWEEPS):
        before = loadings.copy()
        for i in range(loadings.shape[1]):
            own = loadings[:, i]
            along = (covariance[:, i] * loadings).sum(axis=1) - variances[:, i] * own
            length = (loadings**2).sum(axis=1) - own**2
            best = np.divide(along, length, out=np.zeros(len(own)), where=length > 0)
            loadings[:, i] = np.clip(best, -sd[:, i], sd[:, i])
        moved = np.abs(loadings - before).max(axis=1)
        if (moved <= CONVERGED * sd.max(axis=1)).all():
            break
    else:
        warnings.warn(
            f"the one-factor fit still moves after {SWEEPS} sweeps: items hardly have a factor in "
            "common, and omega means little",
            stacklevel=3,
        )
    return np.asarray(loadings * np.where(loadings.sum(axis=1, keepdims=True) < 0, -1, 1))


def covariances(values: FloatArray) -> FloatArray:
    """Covariance matrices of the columns, (n, n_cases, k) to (n, k, k)."""
    centred = values - values.mean(axis=1, keepdims=True)
    return np.asarray(centred.transpose(0, 2, 1) @ centred / (values.shape[1] - 1))


def _complete(given: pd.DataFrame | ArrayLike, columns: str, *, fewest: int) -> FloatArray:
    """Return values as a matrix without gaps; a ValueError says what is wrong with them."""
    try:
        values = np.asarray(given, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise ValueError(
            f"numbers are needed, cases in rows and {columns} in columns: {error}. Of a long-form "
            "table bb.list_consistency(table) makes them, or bb.scores.list_items(table, "
            "'stereotypes', group)"
        ) from None
    if values.ndim != 2 or len(values) < FEWEST_CASES or values.shape[1] < fewest:
        raise ValueError(
            f"{FEWEST_CASES} cases or more are needed in rows, and {fewest} {columns} or more in "
            f"columns; got shape {values.shape}"
        )
    wrong = ~np.isfinite(values)
    if wrong.any():
        row, column = np.argwhere(wrong)[0].tolist()
        raise ValueError(
            f"row {row} has {values[row, column]} in column {column}; leave out cases or {columns} "
            "without all values"
        )
    if np.ptp(values.mean(axis=1)) <= np.finfo(float).eps * np.abs(values).max():
        raise ValueError(f"the means over {columns} are equal, so that nothing tells cases apart")
    return values


def _mean_squares(values: FloatArray) -> tuple[float, float, float]:
    """Mean squares of cases, of raters, and of the remainder."""
    n, k = values.shape
    rows, columns = values.mean(axis=1), values.mean(axis=0)
    rest = values - rows[:, None] - columns + values.mean()
    error = (rest**2).sum() / ((n - 1) * (k - 1))
    return float(k * rows.var(ddof=1)), float(n * columns.var(ddof=1)), float(error)


def _consistency(values: FloatArray, ci_prob: float) -> tuple[float, float, float]:
    """ICC(3,1) with its interval; McGraw and Wong (1996), tables 4 and 7."""
    from scipy.stats import f

    n, k = values.shape
    case, _, error = _mean_squares(values)
    if error <= np.finfo(float).eps * case:
        return 1.0, 1.0, 1.0
    upper, df = (1 + ci_prob) / 2, (n - 1, (n - 1) * (k - 1))
    ratio = case / error
    of = [ratio, ratio / f.ppf(upper, *df), ratio * f.ppf(upper, *df[::-1])]
    value, low, high = ((each - 1) / (each + k - 1) for each in of)
    return float(value), float(low), float(high)


def _agreement(values: FloatArray, ci_prob: float) -> tuple[float, float, float]:
    """ICC(2,1) with its interval, by Satterthwaite's degrees of freedom; as above."""
    from scipy.stats import f

    n, k = values.shape
    case, rater, error = _mean_squares(values)
    value = (case - error) / (case + (k - 1) * error + k * (rater - error) / n)
    if value >= 1 - np.finfo(float).eps * n * k:
        return 1.0, 1.0, 1.0
    a = k * value / (n * (1 - value))
    b = 1 + k * value * (n - 1) / (n * (1 - value))
    spread = (a * rater) ** 2 / (k - 1) + (b * error) ** 2 / ((n - 1) * (k - 1))
    freedom = (a * rater + b * error) ** 2 / spread
    upper, rest = (1 + ci_prob) / 2, k * rater + (k * n - k - n) * error
    least, most = f.ppf(upper, n - 1, freedom), f.ppf(upper, freedom, n - 1)
    low = n * (case - least * error) / (least * rest + n * case)
    high = n * (most * case - error) / (rest + n * most * case)
    return float(value), float(low), float(high)


def _stepped_up(values: tuple[float, float, float], k: int) -> tuple[float, float, float]:
    """Reliability of the mean of k, by Spearman and Brown; -inf where that has no end."""
    below = [1 + (k - 1) * each for each in values]
    mean, low, high = (
        k * each / under if under > 0 else -np.inf
        for each, under in zip(values, below, strict=True)
    )
    return mean, low, high


def _item_frame(covariance: FloatArray, names: list[object], loadings: FloatArray) -> pd.DataFrame:
    """One row an item: what it has in common with the others, and alpha without it."""
    sums, own = covariance.sum(axis=0), np.diag(covariance)
    rest = (covariance.sum() - 2 * sums + own).clip(0)
    scale = np.sqrt(own * rest)
    item_rest = np.divide(sums - own, scale, out=np.full(len(own), np.nan), where=scale > 0)
    without = [np.delete(np.delete(covariance, i, 0), i, 1) for i in range(len(own))]
    return pd.DataFrame(
        {
            "item": names,
            "loading": loadings,
            "item_rest": item_rest,
            "alpha_without": [float(alpha_of(each)) for each in without],
        }
    )
