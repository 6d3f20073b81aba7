"""Relative bias: the difference of two sets' sums of ψ beside random pairs of disjoint sets.

Let T = Σ_X ψ - Σ_Y ψ for a random pair of disjoint sets of n and m of the N words, whose ψ have
mean μ and variance S² (divisor N - 1). X, Y and X ∪ Y are samples without replacement, and the sum
over such a sample of k words has the variance k(1 - k/N) S². From Var(A - B) = 2 Var A + 2 Var B -
Var(A + B) follows

    E T = (n - m) μ,    Var T = S² (n + m - (n - m)²/N).

For sets of equal size that is 2n S²: the corrections for the finite vocabulary cancel.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.random import Generator, SeedSequence
from numpy.typing import NDArray

from .._core.arrays import FloatArray
from ..scores.permutation import Alternative, named_alternative
from .tails import Choice, Tail, normal

Seed = int | SeedSequence | Generator | None

TAILS: dict[Alternative, Tail] = {"two-sided": "two", "greater": "upper", "less": "lower"}
"""The share of the background that an alternative asks for."""

DRAWS = 100_000
"""Random pairs, as many as Smarda takes."""

AT_ONCE = 2_000_000
"""Words drawn at a time: some 50 MB."""

LEAST_ACCEPTED = 0.2
"""Share of draws without a repeated word from which drawing again is quicker than shuffling."""


@dataclass(frozen=True, eq=False, kw_only=True)
class RelativeBias:
    """Σ_X ψ - Σ_Y ψ, and its distribution over random pairs of disjoint sets.

    Parameters
    ----------
    statistic : float
        Of the sets at hand; positive if X leans to Z more than Y does.
    expected, sd : float
        Mean and standard deviation over random pairs, in closed form.
    n_x, n_y, n_words : int
        Sizes of the sets, and words of the background.
    draws : (n_draws,) float64
        The statistic of random pairs.
    """

    statistic: float
    expected: float
    sd: float
    n_x: int
    n_y: int
    n_words: int
    draws: FloatArray = field(repr=False)

    @property
    def z(self) -> float:
        """How many standard deviations the statistic lies above what is expected."""
        return (self.statistic - self.expected) / self.sd

    def p_normal(self, alternative: Alternative = "two-sided") -> float:
        """p-value by the closed form and a Normal."""
        named_alternative(alternative)
        choice = Choice("background", TAILS[alternative], "normal", "sets")
        return normal(self.statistic, self.expected, self.sd, choice)

    def p_simulated(self, alternative: Alternative = "two-sided") -> float:
        """p-value by the random pairs, (b + 1)/(draws + 1); two-sided about what is expected."""
        named_alternative(alternative)
        away, own = self.draws - self.expected, self.statistic - self.expected
        if alternative == "two-sided":
            away, own = np.abs(away), abs(own)
        as_far = away <= own if alternative == "less" else away >= own
        return float((as_far.sum() + 1) / (len(away) + 1))


def relative_bias(
    background: FloatArray, x: FloatArray, y: FloatArray, *, draws: int = DRAWS, seed: Seed = 0
) -> RelativeBias:
    """Relative bias of two sets' ψ, (n_x,) and (n_y,), in a background, (n_words,)."""
    n, m, total = len(x), len(y), len(background)
    variance = float(background.var(ddof=1)) * (n + m - (n - m) ** 2 / total)
    sums = random_sums(background, (n, m), draws, seed)
    if not variance > 0:
        raise ValueError("the background does not vary, so that nothing stands out")
    return RelativeBias(
        statistic=float(x.sum() - y.sum()),
        expected=(n - m) * float(background.mean()) if n != m else 0.0,
        sd=float(np.sqrt(variance)),
        n_x=n,
        n_y=m,
        n_words=total,
        draws=sums[:, 0] - sums[:, 1],
    )


def mean_sd(sd: float, size: int, n_words: int) -> float:
    """Sd of the mean of a random set, S·sqrt((1 - n/N)/n); S has the divisor N - 1."""
    if size >= n_words:
        raise ValueError(f"a set of {size} words leaves none of the {n_words} of the background")
    return float(sd * np.sqrt((1 - size / n_words) / size))


def random_sums(
    values: FloatArray, sizes: Sequence[int], draws: int = DRAWS, seed: Seed = 0
) -> FloatArray:
    """Sums of values over random disjoint sets.

    Parameters
    ----------
    values : (n_words,) float64
    sizes : sequence of int
        Words of each set; sets of one draw share no word.
    draws : int
    seed : int, SeedSequence, Generator or None

    Returns
    -------
    (draws, n_sets) float64

    Raises
    ------
    ValueError
        If there are fewer words than the sets need, or a number is below one.
    """
    if draws < 1 or min(sizes) < 1:
        raise ValueError(f"draws and sizes must be 1 or more; got {draws} and {tuple(sizes)}")
    total = sum(sizes)
    if total > len(values):
        raise ValueError(
            f"the background has {len(values)} words, fewer than the {total} that sets of "
            f"{' and '.join(map(str, sizes))} need; take a larger vocabulary or smaller sets"
        )
    rng = np.random.default_rng(seed)
    starts = np.cumsum([0, *sizes[:-1]])
    parts = []
    for start in range(0, draws, max(1, AT_ONCE // total)):
        count = min(max(1, AT_ONCE // total), draws - start)
        rows = random_rows(len(values), total, count, rng)
        parts.append(np.add.reduceat(values[rows], starts, axis=1))
    return np.concatenate(parts)


def random_rows(n_words: int, size: int, draws: int, rng: Generator) -> NDArray[np.int64]:
    """Rows of random sets without repetition, (draws, size), in random order."""
    if np.exp(-(size**2) / (2 * n_words)) < LEAST_ACCEPTED:
        # Few draws would hold no word twice, so shuffle all words instead.
        return np.stack([rng.permutation(n_words)[:size] for _ in range(draws)])
    rows = rng.integers(n_words, size=(draws, size))
    while True:
        ranked = np.sort(rows, axis=1)
        twice = np.flatnonzero((ranked[:, 1:] == ranked[:, :-1]).any(axis=1))
        if not len(twice):
            return rows
        rows[twice] = rng.integers(n_words, size=(len(twice), size))
