"""Intervals for scores: the words of every set drawn again, with replacement.

The words of a list are a sample of the words that could stand for a group or a stereotype. The
interval says how far the score would move with other words as varied as these; it says nothing
about how the embedding would differ if it were trained again.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np
from numpy.typing import ArrayLike

from .._core.arrays import FloatArray
from .._core.intervals import check_probability
from ..embeddings.word_sets import WordVectors, as_rows
from ..tables.wordlists import WordList
from .list_rows import Indices, ListRows, Picks, list_rows
from .permutation import Seed
from .registry import ListScore, named_score
from .resampling import Weights, weights_of
from .result import Result

DRAWS = 1000
"""Resamplings; the ends of an 89% interval then vary by about a tenth of its half-width."""


@dataclass(frozen=True, eq=False, kw_only=True, repr=False)
class BootstrapResult(Result):
    """A score with its bootstrap interval; see `bootstrap`."""

    name: str
    score: float
    low: float
    high: float
    ci_prob: float
    sd: float
    draws: FloatArray
    undefined: int


def bootstrap(
    score: str,
    vectors: WordVectors,
    wordlist: WordList,
    *,
    groups: Sequence[str] | None = None,
    ci_prob: float = 0.89,
    draws: int = DRAWS,
    seed: Seed = 0,
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
    draws : int
    seed : int, SeedSequence or Generator

    Returns
    -------
    BootstrapResult
        ``low`` and ``high``; ``draws``, the values; ``undefined``, how many of them were
        undefined (such as when all drawn words are the same) and left out.

    Notes
    -----
    Scores that cannot be negative (SAME, Direct Bias, RNSB) are biased upwards by resampling, so
    that near 0 their interval can lie above the score. With fewer than about eight words a set
    the percentile interval is too short: it cannot show words that are not there.
    """
    rows, missing = list_rows(vectors, wordlist)
    spec = named_score(score)
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
    values = list_draws(spec, rows, resampled(rows, draws, seed))
    return _result(score, value, values, ci_prob, missing=missing)


def bootstrap_of(
    function: Callable[..., float],
    *sets: ArrayLike,
    ci_prob: float = 0.89,
    draws: int = DRAWS,
    seed: Seed = 0,
) -> BootstrapResult:
    """Percentile interval of any function of word sets given as arrays.

    Parameters
    ----------
    function : callable
        Called with as many (n_words_i, n_dims) arrays as there are sets.
    *sets : (n_words_i, n_dims) array_like
        Each is resampled by rows, on its own.
    ci_prob, draws, seed
        As for `bootstrap`.

    Returns
    -------
    BootstrapResult
    """
    if draws < 2:
        raise ValueError(f"draws must be at least 2, got {draws}; {DRAWS} is usual")
    rows = [as_rows(f"set {at}", each) for at, each in enumerate(sets)]
    random = np.random.default_rng(seed)
    value = float(function(*rows))
    values = np.empty(draws)
    for at in range(draws):
        picked = [each[random.integers(len(each), size=len(each))] for each in rows]
        values[at] = or_nan(partial(function, *picked))
    return _result(getattr(function, "__name__", "score"), value, values, ci_prob)


@dataclass(frozen=True, eq=False)
class Resampled:
    """Resamplings of a word list: the picks one by one, and as weights of all at once."""

    picks: list[Picks]
    weights: Weights

    def of_groups(self, at: Sequence[int]) -> Resampled:
        """The same resamplings, of some groups only."""
        return Resampled([each.of_groups(at) for each in self.picks], self.weights.of_groups(at))


def resampled(rows: ListRows, draws: int, seed: Seed) -> Resampled:
    """Draw the words of every set with replacement, as many as it has, ``draws`` times."""
    if draws < 2:
        raise ValueError(f"draws must be at least 2, got {draws}; 1000 is usual")
    random = np.random.default_rng(seed)

    def pick(size: int) -> Indices:
        return random.integers(size, size=(draws, size))

    protected = [pick(len(each)) for each in rows.protected]
    stereotypes = [pick(len(each)) for each in rows.stereotypes]
    n_sets = 0 if rows.defining is None else len(rows.defining)
    defining = pick(n_sets)
    picks = [
        Picks(tuple(p[at] for p in protected), tuple(s[at] for s in stereotypes), defining[at])
        for at in range(draws)
    ]
    weights = Weights(
        tuple(weights_of(p, len(r)) for p, r in zip(protected, rows.protected, strict=True)),
        tuple(weights_of(s, len(r)) for s, r in zip(stereotypes, rows.stereotypes, strict=True)),
        weights_of(defining, n_sets),
    )
    return Resampled(picks, weights)


def list_draws(spec: ListScore, rows: ListRows, drawn: Resampled) -> FloatArray:
    """Values of a score under resamplings, (n_draws,); NaN where it is undefined."""
    if spec.draws is not None:
        return spec.draws(rows, drawn.weights)
    return np.array([or_nan(partial(spec.value, rows.of_words(at))) for at in drawn.picks])


def interval(values: FloatArray, ci_prob: float) -> tuple[float, float]:
    """Equal-tailed percentile interval of the values that are defined; NaN if none is."""
    check_probability(ci_prob)
    defined = values[np.isfinite(values)]
    if not len(defined):
        return float("nan"), float("nan")
    low, high = np.quantile(defined, [(1 - ci_prob) / 2, (1 + ci_prob) / 2])
    return float(low), float(high)


def or_nan(compute: Callable[[], float]) -> float:
    """What a function gives, NaN where it raises a ValueError."""
    try:
        return float(compute())
    except ValueError:
        return float("nan")


def _result(
    name: str,
    value: float,
    values: FloatArray,
    ci_prob: float,
    *,
    missing: dict[str, tuple[str, ...]] | None = None,
) -> BootstrapResult:
    low, high = interval(values, ci_prob)
    defined = values[np.isfinite(values)]
    return BootstrapResult(
        name=name,
        score=value,
        low=low,
        high=high,
        ci_prob=ci_prob,
        sd=float(defined.std(ddof=1)) if len(defined) > 1 else float("nan"),
        draws=values,
        undefined=len(values) - len(defined),
        missing=missing or {},
    )
