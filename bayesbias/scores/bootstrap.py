"""Intervals for scores: the words of every set drawn again, with replacement.

The words of a list are a sample of the words that could stand for a group or a stereotype. The
interval says how far the score would move with other words as varied as these; it says nothing
about how the embedding would differ if it were trained again.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from .._core.arrays import FloatArray
from .._core.random import Seed, as_seed_sequence
from ..embeddings.word_sets import WordVectors, as_rows
from ..tables.wordlists import WordList
from .list_rows import list_rows
from .registry import named_scores
from .resampling import N_RESAMPLES, check_resamples, interval, resampled_values, resamples
from .result import Entropy, Result


@dataclass(frozen=True, eq=False, kw_only=True, repr=False)
class BootstrapResult(Result):
    """A score with its bootstrap interval; see `bootstrap`."""

    name: str
    score: float
    low: float
    high: float
    ci_prob: float
    sd: float
    values: FloatArray
    undefined: int
    seed: Entropy


def bootstrap(
    score: str,
    vectors: WordVectors,
    wordlist: WordList,
    *,
    groups: Sequence[str] | None = None,
    ci_prob: float = 0.89,
    n_resamples: int = N_RESAMPLES,
    seed: Seed = None,
) -> BootstrapResult:
    """Percentile interval of a score on a word list, by resampling the words of every set.

    Protected words and stereotypes of every group are drawn with replacement, each set by
    itself; defining pairs are drawn as pairs.

    Parameters
    ----------
    score : str
        A name of ``SCORES``.
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
    BootstrapResult
        ``low`` and ``high``; ``values``, the score under every resampling; ``undefined``, how
        many of them were undefined (such as when all drawn words are the same) and left out;
        ``seed``, which gives the same result again.

    Notes
    -----
    Scores that cannot be negative (SAME, Direct Bias, RNSB) are biased upwards by resampling, so
    that near 0 their interval can lie above the score. With fewer than about eight words a set
    the percentile interval is too short: it cannot show words that are not there.
    """
    rows, missing = list_rows(vectors, wordlist)
    spec = named_scores([score])[score]
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
    values = resampled_values(spec, rows, resamples(rows, n_resamples, sequence))
    return _result(score, value, values, ci_prob, seed=sequence.entropy, missing=missing)


def bootstrap_of(
    function: Callable[..., float],
    *sets: ArrayLike,
    ci_prob: float = 0.89,
    n_resamples: int = N_RESAMPLES,
    seed: Seed = None,
) -> BootstrapResult:
    """Percentile interval of any function of word sets given as arrays.

    Parameters
    ----------
    function : callable
        Called with as many (n_words_i, n_dims) arrays as there are sets.
    *sets : (n_words_i, n_dims) array_like
        Each is resampled by rows, on its own.
    ci_prob, n_resamples, seed
        As for `bootstrap`.

    Returns
    -------
    BootstrapResult
    """
    check_resamples(n_resamples)
    rows = [as_rows(f"set {at}", each) for at, each in enumerate(sets)]
    sequence = as_seed_sequence(seed)
    random = np.random.default_rng(sequence)
    value = float(function(*rows))
    values = np.full(n_resamples, np.nan)
    for at in range(n_resamples):
        picked = [each[random.integers(len(each), size=len(each))] for each in rows]
        try:
            values[at] = function(*picked)
        except ValueError:
            continue  # undefined for these words, and counted as such
    name = getattr(function, "__name__", "score")
    return _result(name, value, values, ci_prob, seed=sequence.entropy)


def _result(
    name: str,
    value: float,
    values: FloatArray,
    ci_prob: float,
    **rest: Any,  # noqa: ANN401
) -> BootstrapResult:
    low, high = interval(values, ci_prob)
    defined = values[np.isfinite(values)]
    sd = float(defined.std(ddof=1)) if len(defined) > 1 else float("nan")
    rest |= {"name": name, "score": value, "ci_prob": ci_prob, "low": low, "high": high, "sd": sd}
    return BootstrapResult(values=values, undefined=len(values) - len(defined), **rest)
