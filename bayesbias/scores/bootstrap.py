"""Intervals for scores: the words of every set drawn again, with replacement.

The words of a list are a sample of the words that could stand for a group or a stereotype. The
interval says how far the score would move with other words as varied as these; it says nothing
about how the embedding would differ if it were trained again.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pandas as pd

from .._core.arrays import FloatArray
from .._core.intervals import check_probability
from .._core.random import Seed, as_seed_sequence
from ..embeddings.word_sets import WordVectors
from ..tables.wordlists import WordList
from .list_rows import Indices, ListRows, Picks, list_rows
from .registry import ListScore, Scores, chosen_scores
from .result import ScoreResult

N_RESAMPLES = 1000
"""Resamplings; the ends of an 89% interval then vary by about a tenth of its half-width."""

type Job = tuple[ListScore, tuple[int, ...]]
"""A score, and the places of the groups that it is computed on."""


def bootstrap(
    score: str | ListScore,
    vectors: WordVectors,
    wordlist: WordList,
    *,
    groups: Sequence[str] | None = None,
    ci_prob: float = 0.89,
    n_resamples: int = N_RESAMPLES,
    seed: Seed = None,
) -> ScoreResult:
    """Percentile interval of a score on a word list, by resampling the words of every set.

    Protected words and stereotypes of every group are drawn with replacement, each set by
    itself; defining pairs are drawn as pairs.

    Parameters
    ----------
    score : str or ListScore
        A name of ``SCORES``, or a score of one's own.
    vectors : KeyedVectors
    wordlist : WordList
    groups : sequence of str, optional
        Which groups, in which order; all if not given. Scores of two groups need two.
    ci_prob : float
        Equal-tailed level, in (0, 1).
    n_resamples : int
    seed : int, SeedSequence, Generator or None

    Returns
    -------
    ScoreResult
        ``score``, ``low``, ``high`` and ``sd``; ``values``, the score under every resampling, NaN
        where it is undefined, which leaves it out of the others; ``seed``, which gives the same
        result again.

    Notes
    -----
    Scores that cannot be negative (SAME, Direct Bias, RNSB) are biased upwards by resampling, so
    that near 0 their interval can lie above the score. With fewer than about eight words a set
    the percentile interval is too short: it cannot show words that are not there.
    """
    rows, missing = list_rows(vectors, wordlist)
    named: Scores = [score] if isinstance(score, str) else {"score": score}
    (spec,) = chosen_scores(named).values()
    if groups is not None:
        absent = [group for group in groups if group not in rows.groups]
        if absent:
            raise ValueError(f"no group {absent[0]!r}; groups are {', '.join(rows.groups)}")
        rows = rows.of_groups([rows.groups.index(group) for group in groups])
    if spec.scope != "all" and len(rows.groups) != 2:
        raise ValueError(
            f"{score} compares two groups, and there are {len(rows.groups)}; pass groups=(a, b)"
        )
    value = spec.value(rows)
    sequence = as_seed_sequence(seed)
    every = tuple(range(len(rows.groups)))
    (values,) = resampled_values([(spec, every)], rows, resamples(rows, n_resamples, sequence))
    low, high = interval(values, ci_prob)
    details = {"low": low, "high": high, "sd": float(np.nanstd(values, ddof=1)), "values": values}
    details |= {"ci_prob": ci_prob, "seed": sequence.entropy}
    return ScoreResult(value, pd.DataFrame(), details, missing)


def resamples(rows: ListRows, n_resamples: int, seed: Seed) -> Picks:
    """Draw the words of every set with replacement, as many as it has: (n_resamples, n) each."""
    if n_resamples < 2:
        raise ValueError(
            f"n_resamples must be at least 2, got {n_resamples}; {N_RESAMPLES} is usual"
        )
    random = np.random.default_rng(as_seed_sequence(seed))
    protected, stereotypes, n_sets = rows.sizes()

    def drawn(size: int) -> Indices:
        return random.integers(size, size=(n_resamples, size))

    try:
        return Picks(tuple(map(drawn, protected)), tuple(map(drawn, stereotypes)), drawn(n_sets))
    except MemoryError:
        size = 8e-9 * n_resamples * (sum(protected) + sum(stereotypes) + n_sets)
        raise ValueError(
            f"n_resamples={n_resamples} needs {size:,.0f} GB for the words drawn, which this "
            f"machine does not have; {N_RESAMPLES} is usual"
        ) from None


def resampled_values(jobs: Sequence[Job], rows: ListRows, picks: Picks) -> FloatArray:
    """Compute scores under resamplings, (n_jobs, n_resamples); NaN where one is undefined."""
    values = np.empty((len(jobs), len(picks.defining)))
    one_by_one = [at for at, (spec, _) in enumerate(jobs) if spec.resampled is None]
    chosen = {jobs[at][1] for at in one_by_one}
    for resampling in range(values.shape[1]) if one_by_one else ():
        drawn = rows.of_words(picks.of_resampling(resampling))
        parts = {groups: drawn.of_groups(groups) for groups in chosen}
        for at in one_by_one:
            spec, groups = jobs[at]
            values[at, resampling] = spec.value_or_nan(parts[groups])
    for at, (spec, groups) in enumerate(jobs):
        if spec.resampled is not None:
            values[at] = spec.resampled(rows.of_groups(groups), picks.of_groups(groups))
    return values


def interval(values: FloatArray, ci_prob: float) -> tuple[float, float]:
    """Return the equal-tailed percentile interval of the values that are defined; NaN if none."""
    check_probability(ci_prob)
    defined = values[np.isfinite(values)]
    if not len(defined):
        return float("nan"), float("nan")
    low, high = np.quantile(defined, [(1 - ci_prob) / 2, (1 + ci_prob) / 2])
    return float(low), float(high)
