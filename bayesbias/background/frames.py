"""Reference distributions as tidy frames: fits, densities, single words, and Smarda's tables."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np
import pandas as pd

from .._core.intervals import check_probability
from .._core.random import Seed, as_seed_sequence
from ..scores.permutation import permutation_test
from .psi_distribution import N_RESAMPLES, Distribution
from .vocabulary import Experiment

POINTS = 256
"""Number of points at which a density is computed."""

WIDTH = 1.959964
"""Half the width of the middle 95% of a Normal, in sds."""

SINGLE = float(np.finfo(np.float32).eps)
"""Precision of the vectors, which `distributions` reads as float32."""

PHI: dict[str, dict[str, Any]] = {
    "phi_reference": {},
    "phi_zero": {"about": "zero"},
    "p_reference": {"tail": "two"},
    "p_zero": {"about": "zero", "tail": "two"},
    "rank": {"kind": "empirical"},
    "p_rank": {"tail": "two", "kind": "empirical"},
    "p_sets": {"tail": "two", "kind": "sets"},
}
"""Columns of `standalone`, with the options of `Distribution.phi` for each column."""

Experiments = Mapping[str, Experiment]
Distributions = Mapping[str, Distribution]


def fits(distributions: Distributions) -> pd.DataFrame:
    """Describe how well a Normal fits each reference distribution.

    Returns
    -------
    DataFrame
        ``experiment``, ``n_words``, ``mean``, and ``sd`` (divisor n - 1); ``skew`` and
        ``kurtosis``, both 0 for a Normal; ``outside_95``, the share of words beyond mean ± 1.96 sd
        (.05 for a Normal); and ``ks``, the largest distance between the distribution functions
        (Kolmogorov-Smirnov). With many words, tests reject even a close fit, so rely on ``ks``.
    """
    from scipy import stats

    _require_some("distributions", distributions)
    rows = []
    for name, one in distributions.items():
        z = (one.ranked - one.mean) / one.sd
        outside = (np.abs(z) > stats.norm.ppf(0.975)).mean()
        ks = stats.ks_1samp(z, stats.norm.cdf, method="asymp").statistic
        shape = (stats.skew(z), stats.kurtosis(z), outside, ks)
        rows.append((name, one.n_words, one.mean, one.sd, *map(float, shape)))
    columns = ["experiment", "n_words", "mean", "sd", "skew", "kurtosis", "outside_95", "ks"]
    return pd.DataFrame(rows, columns=columns)


def densities(distributions: Distributions) -> pd.DataFrame:
    """Compute densities of reference distributions and of the fitted Normals, for plots.

    Returns
    -------
    DataFrame
        ``experiment``; ``psi``, which covers the middle 99.98% of words plus a margin; ``density``,
        a smoothed histogram; ``normal``, the fitted density; and in every row of an experiment, its
        ``mean`` and the limits ``low`` and ``high`` of the Normal's middle 95%.
    """
    from scipy.ndimage import gaussian_filter1d

    _require_some("distributions", distributions)
    parts = []
    for name, one in distributions.items():
        low, high = np.quantile(one.ranked, [1e-4, 1 - 1e-4])
        margin = 0.1 * (high - low)
        counts, edges = np.histogram(one.ranked, POINTS, (low - margin, high + margin))
        step = edges[1] - edges[0]
        width = 0.9 * one.ranked.std() * one.n_words**-0.2
        density = gaussian_filter1d(counts / (one.n_words * step), width / step, mode="constant")
        psi = (edges[:-1] + edges[1:]) / 2
        normal = np.exp(-(((psi - one.mean) / one.sd) ** 2) / 2) / (one.sd * np.sqrt(2 * np.pi))
        columns = {"experiment": name, "psi": psi, "density": density, "normal": normal}
        reach = WIDTH * one.sd
        ends = {"mean": one.mean, "low": one.mean - reach, "high": one.mean + reach}
        parts.append(pd.DataFrame(columns | ends))
    return pd.concat(parts, ignore_index=True)


def words(distribution: Distribution, sets: Mapping[str, Iterable[str]]) -> pd.DataFrame:
    """Compute ψ of each word in the given sets, and the word's position in the distribution.

    Returns
    -------
    DataFrame
        ``set``, ``word``, ``psi``, ``z`` (ψ minus the distribution's mean, in sds), and ``rank``
        (the share of words with smaller ψ). Words outside the vocabulary are left out.
    """
    _require_some("sets of words", sets)
    psi = {label: distribution.psi_of(listed, label) for label, listed in sets.items()}
    frame = pd.concat(psi, names=["set", "word"]).rename("psi").reset_index()
    frame["z"] = (frame["psi"] - distribution.mean) / distribution.sd
    frame["rank"] = np.searchsorted(distribution.ranked, frame["psi"]) / distribution.n_words
    return frame


def _require_some(what: str, given: Mapping[str, object]) -> None:
    """Raise a ValueError if a mapping is empty."""
    if not given:
        raise ValueError(f"there are no {what}; pass one or more")


def _require_pairs(distributions: Distributions, experiments: Experiments) -> None:
    """Raise a ValueError unless distributions and experiments have the same names, and some."""
    if alone := sorted(distributions.keys() ^ experiments.keys()):
        what = "experiment" if alone[0] in distributions else "distribution"
        raise ValueError(
            f"there is no {what} called {alone[0]!r}; pass the experiments from which the "
            "distributions were made"
        )
    _require_some("distributions", distributions)


def standalone(distributions: Distributions, experiments: Experiments) -> pd.DataFrame:
    """Compare each set with its reference distribution, as in Smarda's table 2.

    Returns
    -------
    DataFrame
        One row per set: ``experiment``, ``role`` (X or Y), ``set``, ``n_words``, and ``n_missing``.
        ``psi`` is the set's mean. ``phi_reference`` and ``phi_zero`` are Φ of ``psi`` under Normals
        with the means ``reference_mean`` and 0; both have the sd ``reference_sd``. ``rank`` is the
        share of words with smaller ψ; ties count half. The two-tailed p-values ``p_reference`` and
        ``p_zero`` use these Normals, ``p_rank`` uses ranks, and ``p_sets`` uses random sets.
    """
    _require_pairs(distributions, experiments)
    rows = []
    for name, one in distributions.items():
        for role, (label, listed) in zip("XY", experiments[name].sets.items(), strict=True):
            psi = one.psi_of(listed, role)
            row = {"experiment": name, "role": role, "set": label, "n_words": len(psi)}
            n_found = sum(map(len, one.places_of(set(listed)).values()))
            row |= {"n_missing": len(set(listed)) - n_found, "psi": float(psi.mean())}
            row |= {"reference_mean": one.mean, "reference_sd": one.sd}
            row |= {column: one.phi(listed, **options) for column, options in PHI.items()}
            rows.append(row)
    return pd.DataFrame(rows)


def relative(
    distributions: Distributions,
    experiments: Experiments,
    *,
    alpha: float = 0.05,
    n_resamples: int = N_RESAMPLES,
    seed: Seed = None,
) -> pd.DataFrame:
    """Compute and interpret the relative bias of each experiment, as in Smarda's table 3.

    Parameters
    ----------
    distributions : mapping of str to Distribution
        The result of `bayesbias.background.distributions` for ``experiments``.
    experiments : mapping of str to Experiment
    alpha : float
        Significance level for ``reading``, in (0, 1). Smarda writes "α = 0.5" but means .05.
    n_resamples, seed
        Number of random pairs of sets, and the seed for drawing them.

    Returns
    -------
    DataFrame
        One row per experiment. ``n_x`` and ``n_y`` are the sizes of the sets; ``statistic`` is Σ_X
        ψ - Σ_Y ψ; ``expected``, ``sd``, and ``z`` come from the closed form for random pairs.
        ``p_normal`` and ``p_simulated`` are two-sided; ``p_weat`` is WEAT's two-sided p over the
        splits of X∪Y. ``x_side`` and ``y_side`` are +1 (toward Z) or -1 (toward Z2) if the set's
        mean is outside the middle 1 - alpha of the Normal for all words, and otherwise 0. Let d be
        the mean of a set minus the mean of all words. ``x_share`` is X's share of the difference of
        means, d_X/(d_X - d_Y) (NaN if the means are equal); ``x_distance_share`` is |d_X|/(|d_X| +
        |d_Y|). ``reading`` states which sets are outside and whether ``p_simulated`` < alpha.
    """
    check_probability(alpha, "alpha")
    _require_pairs(distributions, experiments)
    rows, sequence = [], as_seed_sequence(seed)
    seeds = sequence.spawn(len(distributions))
    for (name, one), seed_of_one in zip(distributions.items(), seeds, strict=True):
        sets = experiments[name].X, experiments[name].Y
        bias = one.relative_bias(*sets, n_resamples=n_resamples, seed=seed_of_one)
        psi = [one.psi_of(listed).to_numpy() for listed in sets]
        x, y = (float(values.mean() - one.mean) for values in psi)
        x_side, y_side = (
            int(np.sign(d)) if one.phi(listed, tail="two") < alpha else 0
            for d, listed in zip((x, y), sets, strict=True)
        )
        row = {of: getattr(bias, of) for of in ("n_x", "n_y", "statistic", "expected", "sd", "z")}
        row |= {"p_normal": bias.p_normal(), "p_simulated": bias.p_simulated()}
        row |= {"p_weat": float(permutation_test(*psi, error=SINGLE).p_value)}
        row |= {"x_side": x_side, "y_side": y_side, "x_share": x / (x - y) if x != y else np.nan}
        row |= {"x_distance_share": abs(x) / (abs(x) + abs(y)) if x or y else np.nan}
        row["reading"] = _reading(bias.p_simulated() < alpha, x_side, y_side)
        rows.append({"experiment": name, **row})
    frame = pd.DataFrame(rows)
    frame.attrs = {"alpha": alpha, "seed": sequence.entropy}
    return frame


def _reading(beyond: bool, x_side: int, y_side: int) -> str:
    """Describe which sets are outside, and whether their difference exceeds that of random sets."""
    sets = "X and Y inside"
    if x_side and y_side:
        sets = f"X and Y outside on {'one side' if x_side == y_side else 'opposite sides'}"
    elif x_side or y_side:
        sets = f"only {'X' if x_side else 'Y'} outside"
    return f"{sets}, difference {'beyond' if beyond else 'within'} that of random sets"
