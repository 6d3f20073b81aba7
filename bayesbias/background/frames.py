"""Reference distributions as tidy frames: fits, strata, densities, Smarda's tables."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

import numpy as np
import pandas as pd

from .._core.arrays import FloatArray
from .._core.random import Seed, as_seed_sequence
from ..scores.permutation import permutation_test
from .experiment import Experiment
from .psi_distribution import Distribution
from .relative_bias import N_RESAMPLES

CUTS = (1_000, 10_000, 50_000, 100_000)
"""Ranks at which the strata of word frequency end; the last stratum goes on to the end."""

GRID = 256
"""Points of a density."""

ALPHA = 0.05
"""Level of the readings. Smarda's "α = 0.5" is to be read so."""

FROM_RELATIVE_BIAS = ("n_x", "n_y", "statistic", "expected", "sd", "z")
"""Columns of `relative` that are attributes of a `RelativeBias`."""

Experiments = Mapping[str, Experiment]
Distributions = Mapping[str, Distribution]


def fits(distributions: Distributions) -> pd.DataFrame:
    """Return a row a distribution: ``experiment``, ``n_words`` and the fields of `NormalFit`."""
    rows = [
        {"experiment": name, "n_words": each.n_words, **vars(each.fit)}
        for name, each in distributions.items()
    ]
    return pd.DataFrame(rows)


def strata(distributions: Distributions, cuts: Sequence[int] = CUTS) -> pd.DataFrame:
    """Compute reference distributions of words of different frequency, in the order of the file.

    Parameters
    ----------
    distributions : mapping of str to Distribution
    cuts : sequence of int
        Ascending ranks at which strata end; those beyond the vocabulary do not count.

    Returns
    -------
    DataFrame
        One row an experiment and stratum: ``experiment``, ``first`` and ``last`` (ranks counted
        from 1), ``n_words``, ``mean``, ``sd``, ``skew``, ``kurtosis``; and ``shift``, the mean
        less that of the whole vocabulary, in its sd.
    """
    if list(cuts) != sorted(set(cuts)) or not all(cut > 0 for cut in cuts):
        raise ValueError(f"cuts must be ascending ranks above 0; got {tuple(cuts)}")
    rows = []
    for name, each in distributions.items():
        total = len(each.psi)
        ends = [cut for cut in cuts if cut < total - 2] + [total]
        for first, stop in zip([0, *ends[:-1]], ends, strict=True):
            part = each.among(first, stop)
            spread = (part.mean, part.sd, part.fit.skew, part.fit.kurtosis)
            shift = (part.mean - each.mean) / each.sd
            rows.append((name, first + 1, stop, part.n_words, *spread, shift))
    columns = ["experiment", "first", "last", "n_words", "mean", "sd", "skew", "kurtosis", "shift"]
    return pd.DataFrame(rows, columns=columns)


def densities(distributions: Distributions, points: int = GRID) -> pd.DataFrame:
    """Compute densities of reference distributions and of the fitted Normals, for drawing.

    Returns
    -------
    DataFrame
        ``experiment``, ``psi``, ``density`` (a histogram smoothed by a Gaussian of Silverman's
        width) and ``normal``; attributes ``ticks`` (experiment to the ends of the middle 95% of
        the Normal) and ``means``.
    """
    parts, ticks, means = [], {}, {}
    for name, each in distributions.items():
        x, y = _density(each.ranked, points)
        z = (x - each.mean) / each.sd
        normal = np.exp(-(z**2) / 2) / (each.sd * np.sqrt(2 * np.pi))
        parts.append(pd.DataFrame({"experiment": name, "psi": x, "density": y, "normal": normal}))
        ticks[name] = (each.mean - 1.959964 * each.sd, each.mean + 1.959964 * each.sd)
        means[name] = each.mean
    frame = pd.concat(parts, ignore_index=True)
    frame.attrs = {"ticks": ticks, "means": means}
    return frame


def words(distribution: Distribution, sets: Mapping[str, Iterable[str]]) -> pd.DataFrame:
    """Compute ψ of single words of some sets, and where each lies in the reference distribution.

    Returns
    -------
    DataFrame
        ``set``, ``word``, ``psi``, ``z`` (in sd of the distribution, from its mean) and
        ``rank``, the share of the distribution below; words that are not there have no row.
    """
    parts = []
    for label, listed in sets.items():
        part = distribution.psi_of(listed).rename_axis("word").reset_index(name="psi")
        part.insert(0, "set", label)
        part["z"] = (part["psi"] - distribution.mean) / distribution.sd
        part["rank"] = np.searchsorted(distribution.ranked, part["psi"]) / distribution.n_words
        parts.append(part)
    return pd.concat(parts, ignore_index=True)


def standalone(distributions: Distributions, experiments: Experiments) -> pd.DataFrame:
    """Compute where each set lies in its reference distribution, as in Smarda's table 2.

    Parameters
    ----------
    distributions : mapping of str to Distribution
        As `distributions` gives them for the experiments.
    experiments : mapping of str to Experiment

    Returns
    -------
    DataFrame
        One row a set: ``experiment``, ``role`` (X or Y), ``set``, ``n_words``, ``n_missing``;
        ``psi``, the mean over the set; ``reference_mean`` and ``reference_sd``;
        ``phi_reference``, ``phi_zero``, Φ of ψ under a Normal about the distribution's mean
        and about 0; ``p_reference``, ``p_zero``, two-tailed; ``rank``, the share of words below;
        ``p_rank``, two-tailed by ranks; and ``p_sets``, two-tailed against the means of random
        sets of this size.
    """
    rows = []
    for name, each in _paired(distributions, experiments):
        own = experiments[name]
        for role, label, listed in zip("XY", own.labels, (own.X, own.Y), strict=False):
            psi = each.found(listed, role)
            rows.append(
                {
                    "experiment": name,
                    "role": role,
                    "set": label,
                    "n_words": len(psi),
                    "n_missing": len(set(listed)) - len(psi),
                    "psi": float(psi.mean()),
                    "reference_mean": each.mean,
                    "reference_sd": each.sd,
                    "phi_reference": each.phi(listed),
                    "phi_zero": each.phi(listed, "zero"),
                    "p_reference": each.phi(listed, tail="two"),
                    "p_zero": each.phi(listed, "zero", "two"),
                    "rank": each.phi(listed, kind="empirical"),
                    "p_rank": each.phi(listed, tail="two", kind="empirical"),
                    "p_sets": each.phi(listed, tail="two", against="sets"),
                }
            )
    return pd.DataFrame(rows)


def relative(
    distributions: Distributions,
    experiments: Experiments,
    *,
    alpha: float = ALPHA,
    n_resamples: int = N_RESAMPLES,
    seed: Seed = None,
) -> pd.DataFrame:
    """Compute the relative bias of each experiment, as in Smarda's table 3, and its reading.

    Parameters
    ----------
    distributions, experiments
        As for `standalone`.
    alpha : float
        Level of the readings, in (0, 1).
    n_resamples, seed
        Random pairs of sets; every experiment uses random numbers of its own.

    Returns
    -------
    DataFrame
        One row an experiment: ``experiment``, ``n_x``, ``n_y``; ``statistic``, Σ_X ψ - Σ_Y ψ;
        ``expected`` and ``sd`` over random pairs in closed form, ``z``; ``p_normal`` and
        ``p_simulated``, two-sided; ``p_weat``, WEAT's exact two-sided p over the splits of X∪Y,
        which no other word enters; ``x_biased`` and ``y_biased``, +1 (to Z), -1 (to Z2) or 0,
        where a set's mean lies outside the middle 1 - alpha of all words, as in Smarda;
        ``x_share``, which part of the difference of the means comes from X's being off the
        mean of all words, d_X/(d_X - d_Y) with d the mean of a set less that of all words (the
        rest comes from Y's): above 1 or below 0 where both sets lie on one side, so that one
        takes back what the other adds; NaN where the means are equal; ``x_distance_share``,
        |d_X|/(|d_X| + |d_Y|) in [0, 1], which of the two lies further off; and ``reading``.
    """
    if not 0 < alpha < 1:
        raise ValueError(f"alpha must lie in (0, 1), got {alpha}; for a 5% level pass 0.05")
    rows = []
    sequence = as_seed_sequence(seed)
    seeds = sequence.spawn(len(distributions))
    for (name, each), own in zip(_paired(distributions, experiments), seeds, strict=True):
        X, Y = experiments[name].X, experiments[name].Y
        found = each.relative_bias(X, Y, n_resamples=n_resamples, seed=own)
        psi = [each.psi_of(listed).to_numpy() for listed in (X, Y)]
        off = [float(values.mean() - each.mean) for values in psi]
        outside = [each.phi(listed, tail="two") < alpha for listed in (X, Y)]
        sides = [int(np.sign(far)) if out else 0 for far, out in zip(off, outside, strict=True)]
        rows.append(
            {
                "experiment": name,
                **{field: getattr(found, field) for field in FROM_RELATIVE_BIAS},
                "p_normal": found.p_normal(),
                "p_simulated": found.p_simulated(),
                "p_weat": float(permutation_test(*psi).p_value),
                "x_biased": sides[0],
                "y_biased": sides[1],
                "x_share": _share(off[0], -off[1]),
                "x_distance_share": _share(abs(off[0]), abs(off[1])),
                "reading": reading(found.p_simulated() < alpha, *sides),
            }
        )
    frame = pd.DataFrame(rows)
    frame.attrs = {"alpha": alpha, "seed": sequence.entropy}
    return frame


def reading(significant: bool, x_side: int, y_side: int) -> str:
    """Return what a relative bias and the positions of two sets come to, in words.

    Parameters
    ----------
    significant : bool
        Whether the difference of X and Y is beyond the middle 1 - alpha of random sets.
    x_side, y_side : int
        +1 for a set whose mean lies outside the middle of the vocabulary's words towards Z, -1
        towards Z2, 0 for one inside.
    """
    relative_part = f"difference {'beyond' if significant else 'within'} that of random sets"
    if not x_side and not y_side:
        return f"X and Y inside, {relative_part}"
    if x_side == y_side:
        return f"X and Y outside on one side, {relative_part}"
    if x_side and y_side:
        return f"X and Y outside on opposite sides, {relative_part}"
    return f"{'X' if x_side else 'Y'} alone outside, {relative_part}"


def _share(part: float, rest: float) -> float:
    """Part of the sum of two numbers, NaN of none."""
    return part / (part + rest) if part + rest else float("nan")


def _paired(
    distributions: Distributions, experiments: Experiments
) -> list[tuple[str, Distribution]]:
    lacking = [name for name in distributions if name not in experiments]
    if lacking:
        raise ValueError(f"there is no experiment for the distribution(s) {', '.join(lacking)}")
    return list(distributions.items())


def _density(ranked: FloatArray, points: int) -> tuple[FloatArray, FloatArray]:
    """Kernel density on a grid over the middle 99.98% of the values, through fine bins."""
    from scipy.ndimage import gaussian_filter1d

    low, high = np.quantile(ranked, [1e-4, 1 - 1e-4])
    margin = 0.1 * (high - low)
    counts, edges = np.histogram(ranked, bins=points, range=(low - margin, high + margin))
    step = edges[1] - edges[0]
    width = 0.9 * ranked.std() * len(ranked) ** -0.2
    smooth = gaussian_filter1d(counts / (len(ranked) * step), width / step, mode="constant")
    return (edges[:-1] + edges[1:]) / 2, np.asarray(smooth)
