"""Relative bias: the difference of two sets' sums of ψ next to random pairs of disjoint sets.

Let T = Σ_X ψ - Σ_Y ψ for a random pair of disjoint sets of n and m of the N words, whose ψ have
mean μ and variance S² (divisor N - 1). X, Y and X ∪ Y are samples without replacement, and the sum
over such a sample of k words has the variance k(1 - k/N) S². From Var(A - B) = 2 Var A + 2 Var B -
Var(A + B) follows

    E T = (n - m) μ,    Var T = S² (n + m - (n - m)²/N).

For sets of equal size that is 2n S²: the corrections for the finite vocabulary cancel.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.random import Generator, default_rng
from numpy.typing import NDArray

from .._core.arrays import FloatArray
from .._core.checks import check_numbers
from .._core.random import Seed, as_seed_sequence

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

    def p_normal(self) -> float:
        """Two-sided p-value by the closed form and a Normal."""
        from scipy.special import ndtr

        return 2 * float(ndtr(-abs(self.z)))

    def p_simulated(self) -> float:
        """Two-sided p-value by random pairs, (b + 1)/(n_resamples + 1)."""
        as_far = np.abs(self.reference - self.expected) >= abs(self.statistic - self.expected)
        return float((as_far.sum() + 1) / (len(as_far) + 1))


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
    check_numbers(n_resamples=n_resamples)
    if n + m > total:
        raise ValueError(
            f"the reference distribution has {total} words, fewer than the {n + m} that sets of "
            f"{n} and {m} need; take a larger vocabulary or smaller sets"
        )
    variance = float(reference.var(ddof=1)) * (n + m - (n - m) ** 2 / total)
    if not variance > 0:
        raise ValueError("the reference distribution does not vary, so that nothing stands out")
    sequence = as_seed_sequence(seed)
    rng, most = default_rng(sequence), max(1, AT_ONCE // (n + m))
    drawn = np.empty(n_resamples)
    for start in range(0, n_resamples, most):
        part = drawn[start : start + most]
        psi = reference[random_rows(total, n + m, len(part), rng)]
        part[:] = psi[:, :n].sum(axis=1) - psi[:, n:].sum(axis=1)
    return RelativeBias(
        statistic=float(x.sum() - y.sum()),
        expected=(n - m) * float(reference.mean()) if n != m else 0.0,
        sd=float(np.sqrt(variance)),
        n_x=n,
        n_y=m,
        n_words=total,
        reference=drawn,
        seed=sequence.entropy,
    )


def random_rows(n_words: int, size: int, draws: int, rng: Generator) -> NDArray[np.int64]:
    """Rows of random sets without repetition, (draws, size), in random order."""
    if np.exp(-(size**2) / (2 * n_words)) < LEAST_ACCEPTED:
        # Nearly every draw would repeat a word, so shuffle all words instead.
        return np.stack([rng.permutation(n_words)[:size] for _ in range(draws)])
    rows = rng.integers(n_words, size=(draws, size))
    while True:
        ranked = np.sort(rows, axis=1)
        repeated = np.flatnonzero((ranked[:, 1:] == ranked[:, :-1]).any(axis=1))
        if not len(repeated):
            return rows
        rows[repeated] = rng.integers(n_words, size=(len(repeated), size))
