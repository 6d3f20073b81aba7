"""How scores are distributed, and how measures fare with fewer pairs."""

from __future__ import annotations

from collections.abc import Sequence
from math import ceil

import numpy as np
import pandas as pd
from numpy.random import Generator, default_rng

from .._core.arrays import FloatArray
from .._core.checks import check_numbers
from .._core.random import Seed, as_seed_sequence
from .datasets import ROLES
from .measures import ALL_TYPES, STATISTICS, groups, sides_by_type, weighted

RATES = (0.3, 0.4, 0.5, 0.6, 0.7, 0.8)
"""Shares of the pairs that Liu (2024) samples."""


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
        (Shapiro and Wilk, 1965). KLS and JSS assume that scores are Normal. With many pairs the
        test finds small deviations, so look at W and skewness too. Fewer than three pairs only have
        a mean, and equal scores have no shape: what is not defined is NaN.
    """
    from scipy.stats import shapiro, skew

    rows = []
    for head, part in groups(paired):
        for bias_type, pairs in [*part.groupby("bias_type", sort=True), (ALL_TYPES, part)]:
            for role in ROLES:
                values = pairs[role].to_numpy(dtype=np.float64)
                shape = [np.nan] * 4
                if len(values) >= 3:
                    shape[0] = values.std(ddof=1)
                    if np.ptp(values) > 0:  # logs of differences have zeros for one sentence
                        shape[1:] = skew(values), *shapiro(values)
                rows.append((*head, str(bias_type), role, len(values), values.mean(), *shape))
    columns = ["model", "measure", "bias_type", "role", "n_pairs"]
    columns += ["mean", "sd", "skewness", "shapiro_w", "shapiro_p"]
    return pd.DataFrame(rows, columns=columns)


def sampling_robustness(
    paired: pd.DataFrame, rates: Sequence[float] = RATES, *, repeats: int = 20, seed: Seed = None
) -> pd.DataFrame:
    """Compute how measures change with fewer pairs: the study of Liu (2024), figure 5.

    Each sample draws a share of the pairs of every bias type without replacement, rounded up.

    Parameters
    ----------
    paired : DataFrame
        From `paired_scores`.
    rates : sequence of float
        Shares, in (0, 1].
    repeats : int
        Samples at each rate, 2 or more.
    seed : int, SeedSequence, Generator or None

    Returns
    -------
    DataFrame
        ``model``, ``measure``, ``statistic``, ``rate``, ``n_pairs``, ``full`` (from all pairs),
        and of the samples ``mean``, ``sd``, ``low`` and ``high`` (their extremes).

    Notes
    -----
    A small sd alone is no merit: a measure that is always 50 has none. Samples of most of the pairs
    share most of the pairs, so that sds at high rates are small for every measure.
    """
    sequence = as_seed_sequence(seed)
    rng, rows = default_rng(sequence), []
    for head, part in groups(paired):
        types = list(sides_by_type(part).values())
        full = weighted(types)
        for rate in rates:
            size, drawn = _drawn_together([types], rate, repeats, rng)
            for name, whole, values in zip(STATISTICS, full, drawn[:, 0].T, strict=True):
                spread = (values.mean(), values.std(ddof=1), values.min(), values.max())
                rows.append((*head, name, rate, size, whole, *spread))
    columns = ["model", "measure", "statistic", "rate", "n_pairs", "full"]
    frame = pd.DataFrame(rows, columns=[*columns, "mean", "sd", "low", "high"])
    frame.attrs["seed"] = sequence.entropy
    return frame


def order_robustness(
    paired: pd.DataFrame, rates: Sequence[float] = RATES, *, repeats: int = 100, seed: Seed = None
) -> pd.DataFrame:
    """Compute how often the order of models stays with fewer pairs.

    Each sample draws a share of the pairs of every bias type, the same for all models. It is the
    order in these pairs that stays or does not; `model_ranks` is about pairs that are not there.

    Parameters
    ----------
    paired : DataFrame
        From `paired_scores`, of two models or more; pairs that a model lacks are left out.
    rates, repeats, seed
        As for `sampling_robustness`.

    Returns
    -------
    DataFrame
        ``measure``, ``statistic``, ``rate``, ``n_models``, ``n_pairs`` of a sample, ``same_order``
        (share of samples with the order of all pairs, in [0, 1]), ``tau`` (mean Kendall
        correlation with it, in [-1, 1]) and ``order``, the models from the highest value down.

    References
    ----------
    Liu (2024), figure 5 (its criterion); Kendall (1938), A new measure of rank correlation.
    """
    from scipy.stats import kendalltau

    sequence = as_seed_sequence(seed)
    rng, rows = default_rng(sequence), []
    for measure, part in paired.groupby("measure", sort=False):
        models = list(dict.fromkeys(part["model"]))
        shared = part[part.groupby("pair_id")["model"].transform("nunique") == len(models)]
        if len(models) < 2 or shared.empty:
            raise ValueError(
                f"an order needs two models or more that share pairs of {measure}; there are "
                f"{', '.join(models)}"
            )
        shared = shared.sort_values("pair_id")
        sides = [list(sides_by_type(shared[shared["model"] == m]).values()) for m in models]
        full = np.array([weighted(types) for types in sides])
        for rate in rates:
            n_pairs, drawn = _drawn_together(sides, rate, repeats, rng)
            for place, statistic in enumerate(STATISTICS):
                values, whole = drawn[:, :, place], full[:, place]
                ranked = np.argsort(-whole, kind="stable")
                same = (np.diff(values[:, ranked], axis=1) <= 0).all(axis=1).mean()
                tau = np.mean([kendalltau(sample, whole).statistic for sample in values])
                order = " > ".join(models[row] for row in ranked)
                head = (measure, statistic, rate, len(models), n_pairs)
                rows.append((*head, float(same), float(tau), order))
    columns = ["measure", "statistic", "rate", "n_models", "n_pairs", "same_order", "tau", "order"]
    frame = pd.DataFrame(rows, columns=columns)
    frame.attrs["seed"] = sequence.entropy
    return frame


def _drawn_together(
    sides: Sequence[Sequence[FloatArray]], rate: float, repeats: int, rng: Generator
) -> tuple[int, FloatArray]:
    """Measure models on samples of the same pairs; (repeats, n_models, n_statistics) values."""
    check_numbers(repeats=repeats)
    if repeats < 2 or not 0 < rate <= 1:
        raise ValueError(
            f"rates must be shares in (0, 1] and repeats 2 or more; got {rate} and {repeats}"
        )
    sizes = [types.shape[1] for types in sides[0]]
    kept, values = [ceil(rate * size) for size in sizes], []
    for _ in range(repeats):
        rows = [rng.permutation(size)[:n] for size, n in zip(sizes, kept, strict=True)]
        values.append([weighted([s[:, r] for s, r in zip(m, rows, strict=True)]) for m in sides])
    return sum(kept), np.array(values)
