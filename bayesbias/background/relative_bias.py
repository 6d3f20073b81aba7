"""Relative bias: the difference of two sets' sums of ψ next to random pairs of disjoint sets.

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
from typing import Any

import numpy as np
from numpy.random import Generator, default_rng
from numpy.typing import NDArray

from .._core.arrays import FloatArray
from .._core.checks import check_numbers
from .._core.random import Seed, as_seed_sequence
from ..scores.permutation import Alternative, named_alternative

N_RESAMPLES = 100_000
"""Random pairs, as many as Smarda takes."""

AT_ONCE = 2_000_000
"""Words drawn at a time: about 50 MB."""

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
        Sizes of the sets, and words of the reference distribution.
    reference : (n_resamples,) float64
        The statistic of random pairs.
    seed : int
        Their entropy.
    """

    statistic: float
    expected: float
    sd: float
    n_x: int
    n_y: int
    n_words: int
    reference: FloatArray = field(repr=False)
    seed: Any = None

    @property
    def z(self) -> float:
        """How many standard deviations the statistic lies above what is expected."""
        return (self.statistic - self.expected) / self.sd

    def p_normal(self, alternative: Alternative = "two-sided") -> float:
        """p-value by the closed form and a Normal."""
        from scipy.special import ndtr

        z = {"two-sided": -abs(self.z), "less": self.z, "greater": -self.z}
        lower = float(ndtr(z[named_alternative(alternative)]))
        return 2 * lower if alternative == "two-sided" else lower

    def p_simulated(self, alternative: Alternative = "two-sided") -> float:
        """p-value by random pairs, (b + 1)/(n_resamples + 1); two-sided about what is expected."""
        away, observed = self.reference - self.expected, self.statistic - self.expected
        if named_alternative(alternative) == "two-sided":
            away, observed = np.abs(away), abs(observed)
        as_far = away <= observed if alternative == "less" else away >= observed
        return float((as_far.sum() + 1) / (len(away) + 1))


def relative_bias(
    reference: FloatArray,
    x: FloatArray,
    y: FloatArray,
    *,
    n_resamples: int = N_RESAMPLES,
    seed: Seed = None,
) -> RelativeBias:
    """Relative bias of two sets' ψ, (n_x,) and (n_y,), next to the ψ of all words, (n_words,)."""
    n, m, total = len(x), len(y), len(reference)
    variance = float(reference.var(ddof=1)) * (n + m - (n - m) ** 2 / total)
    sequence = as_seed_sequence(seed)
    sums = random_sums(reference, (n, m), n_resamples, sequence)
    if not variance > 0:
        raise ValueError("the reference distribution does not vary, so that nothing stands out")
    return RelativeBias(
        statistic=float(x.sum() - y.sum()),
        expected=(n - m) * float(reference.mean()) if n != m else 0.0,
        sd=float(np.sqrt(variance)),
        n_x=n,
        n_y=m,
        n_words=total,
        reference=sums[:, 0] - sums[:, 1],
        seed=sequence.entropy,
    )


def random_sums(
    values: FloatArray, sizes: Sequence[int], n_resamples: int = N_RESAMPLES, seed: Seed = None
) -> FloatArray:
    """Sums of (n_words,) values over random disjoint sets of some sizes, (n_resamples, n_sets)."""
    check_numbers(n_resamples=n_resamples, sizes=min(sizes))
    total = sum(sizes)
    if total > len(values):
        raise ValueError(
            f"the reference distribution has {len(values)} words, fewer than the {total} that sets "
            f"of {' and '.join(map(str, sizes))} need; take a larger vocabulary or smaller sets"
        )
    rng = default_rng(as_seed_sequence(seed))
    starts, most = np.cumsum([0, *sizes[:-1]]), max(1, AT_ONCE // total)
    sums = np.empty((n_resamples, len(sizes)))
    for start in range(0, n_resamples, most):
        part = sums[start : start + most]
        rows = random_rows(len(values), total, len(part), rng)
        part[:] = np.add.reduceat(values[rows], starts, axis=1)
    return sums


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
