"""How scores are distributed, and how measures fare with fewer pairs."""

from __future__ import annotations

from collections.abc import Sequence
from math import ceil

import numpy as np
import pandas as pd
from numpy.random import Generator, default_rng

from .._core.arrays import FloatArray
from .._core.random import Seed, as_seed_sequence
from .datasets import ROLES
from .measures import ALL_TYPES, STATISTICS, groups, sides_by_type, weighted

RATES = (0.3, 0.4, 0.5, 0.6, 0.7, 0.8)
"""Shares of the pairs that Liu (2024) samples."""

FEWEST_FOR_SHAPIRO = 3
"""Scores that the Shapiro-Wilk test needs."""


def score_analysis(paired: pd.DataFrame) -> pd.DataFrame:
    """Location, spread and normality of both sets of scores, as Liu (2024) tabulates them.

    Parameters
    ----------
    paired : DataFrame
        From `paired_scores`.

    Returns
    -------
    DataFrame
        ``model``, ``measure``, ``bias_type`` (``all`` for all pairs together), ``role``,
        ``n_pairs``, ``mean``, ``sd`` (n - 1), ``skewness``, ``shapiro_w`` and ``shapiro_p``
        (Shapiro and Wilk, 1965). KLS and JSS suppose that scores are Normal. With many pairs the
        test finds small deviations, so look at W and skewness too: they say how large one is. Of
        fewer than three pairs there is the mean only.
    """
    rows = []
    for (model, measure), part in groups(paired):
        named = [(str(name), some) for name, some in part.groupby("bias_type", sort=True)]
        for bias_type, some in [*named, (ALL_TYPES, part)]:
            head = (model, measure, bias_type)
            rows += [(*head, role, len(some), *_shape(some[role])) for role in ROLES]
    columns = ["model", "measure", "bias_type", "role", "n_pairs"]
    columns += ["mean", "sd", "skewness", "shapiro_w", "shapiro_p"]
    return pd.DataFrame(rows, columns=columns)


def _shape(scores: pd.Series[float]) -> tuple[float, ...]:
    from scipy.stats import shapiro, skew

    values = scores.to_numpy(dtype=np.float64)
    if len(values) < FEWEST_FOR_SHAPIRO:
        return (float(values.mean()), *[np.nan] * 4)
    tested = shapiro(values)
    found = (values.mean(), values.std(ddof=1), skew(values), tested.statistic, tested.pvalue)
    return tuple(map(float, found))


def sampling_robustness(
    paired: pd.DataFrame,
    rates: Sequence[float] = RATES,
    *,
    repeats: int = 20,
    seed: Seed = None,
) -> pd.DataFrame:
    """Compute how measures change when fewer pairs are at hand: the study of Liu (2024), figure 5.

    Of every bias type a share of the pairs is drawn without replacement, rounded up; measures of
    types are weighted by their pairs.

    Parameters
    ----------
    paired : DataFrame
        From `paired_scores`.
    rates : sequence of float
        Shares, in (0, 1].
    repeats : int
        Samples at each rate.
    seed : int, SeedSequence, Generator or None

    Returns
    -------
    DataFrame
        ``model``, ``measure``, ``statistic``, ``rate``, ``n_pairs``, ``full`` (from all pairs),
        and of the samples ``mean``, ``sd``, ``low`` and ``high`` (their extremes).

    Notes
    -----
    A small sd alone is no merit: a measure that is always 50 has none. KLS stays close to 50
    because the two sds are close, whatever the means do; and samples of most of the pairs share
    most of the pairs, so that sds at high rates are small for every measure.

    Raises
    ------
    ValueError
        If a rate is not in (0, 1], or repeats is below 2.
    """
    if repeats < 2:
        raise ValueError(f"repeats must be 2 or more, got {repeats}; one sample has no spread")
    for rate in rates:
        if not 0 < rate <= 1:
            raise ValueError(f"rates are shares in (0, 1]; got {rate}")
    sequence = as_seed_sequence(seed)
    rng = default_rng(sequence)
    rows = []
    for (model, measure), part in groups(paired):
        types = list(sides_by_type(part).values())
        full = weighted(types)
        for rate in rates:
            drawn = np.array([weighted(_sampled(types, rate, rng)) for _ in range(repeats)])
            size = sum(ceil(rate * one.shape[1]) for one in types)
            for place, name in enumerate(STATISTICS):
                values = drawn[:, place]
                found = (values.mean(), values.std(ddof=1), values.min(), values.max())
                rows.append((model, measure, name, rate, size, full[place], *map(float, found)))
    columns = ["model", "measure", "statistic", "rate", "n_pairs", "full"]
    frame = pd.DataFrame(rows, columns=[*columns, "mean", "sd", "low", "high"])
    frame.attrs["seed"] = sequence.entropy
    return frame


def _sampled(types: Sequence[FloatArray], rate: float, rng: Generator) -> list[FloatArray]:
    return [rng.permutation(one.T)[: ceil(rate * one.shape[1])].T for one in types]
