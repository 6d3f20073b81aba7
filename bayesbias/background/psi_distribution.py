"""The reference distribution of an association: ψ of every word of an embedding.

The vocabulary as a whole may lean to one of two attribute sets, so the lean of a set is compared
with that of words in general (Smarda, 2021).

Relative bias compares two sets. Let T = Σ_X ψ - Σ_Y ψ for a random pair of disjoint sets of n and m
of the N words, whose ψ have mean μ and variance S² (divisor N - 1). X, Y and X ∪ Y are samples
without replacement, and the sum over such a sample of k words has the variance k(1 - k/N) S². From
Var(A - B) = 2 Var A + 2 Var B - Var(A + B) follows

    E T = (n - m) μ,    Var T = S² (n + m - (n - m)²/N).
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Literal

import numpy as np
import pandas as pd
from numpy.random import Generator, default_rng
from numpy.typing import NDArray

from .._core.arrays import FloatArray
from .._core.checks import Argument, ArgumentError, check_choice, check_numbers
from .._core.display import abridged
from .._core.random import Seed, as_seed_sequence
from ..embeddings.word_sets import refuse_overlap
from ..tables.spellings import forms_of

FEWEST_WORDS = 3

N_RESAMPLES = 100_000
"""Random pairs of sets, as many as Smarda takes."""

AT_ONCE = 2_000_000
"""Words drawn at a time: about 50 MB."""

LEAST_ACCEPTED = 0.2
"""Share of draws without a repeated word from which drawing again is quicker than shuffling."""

CHOICES = {
    "about": ("reference", "zero"),
    "tail": ("lower", "upper", "two"),
    "kind": ("normal", "empirical", "sets"),
}
"""Choices of `Distribution.phi`."""


@dataclass(frozen=True, eq=False, kw_only=True)
class RelativeBias:
    """Σ_X ψ - Σ_Y ψ, and its distribution over random pairs of disjoint sets.

    Parameters
    ----------
    statistic : float
        Positive if X leans to Z more than Y does.
    expected, sd : float
        Mean and standard deviation over random pairs, in closed form.
    n_x, n_y : int
        Sizes of the sets.
    reference : (n_resamples,) float64
        The statistic of random pairs.
    """

    statistic: float
    expected: float
    sd: float
    n_x: int
    n_y: int
    reference: FloatArray = field(repr=False)

    @property
    def z(self) -> float:
        """The statistic less its expected value, in standard deviations."""
        return (self.statistic - self.expected) / self.sd

    def p_normal(self) -> float:
        """Two-sided p-value by the closed form and a Normal."""
        from scipy.special import ndtr

        return 2 * float(ndtr(-abs(self.z)))

    def p_simulated(self) -> float:
        """Two-sided p-value by random pairs, (b + 1)/(n_resamples + 1)."""
        as_far = np.abs(self.reference - self.expected) >= abs(self.statistic - self.expected)
        return float((as_far.sum() + 1) / (len(as_far) + 1))


@dataclass(frozen=True, eq=False, repr=False)
class Distribution:
    """ψ of every word of an embedding, and the position of sets of words in it.

    Parameters
    ----------
    name : str
    psi : (n_words,) float64
        ψ(w) = mean_Z cos - mean_Z2 cos, in the order of the file.
    vocabulary : Index of str
    missing : tuple of str
        Attribute words that the embedding lacks.
    case : str
        How words are looked up.
    ranks : slice
        The words, in the file's order, that sets are compared with.
    """

    name: str
    psi: FloatArray
    vocabulary: pd.Index[str]
    missing: tuple[str, ...] = ()
    case: str = "exact"
    ranks: slice = slice(None)

    @property
    def reference(self) -> FloatArray:
        """ψ of the words that sets are compared with."""
        return self.psi[self.ranks]

    @cached_property
    def ranked(self) -> FloatArray:
        """The same in ascending order."""
        return np.sort(self.reference)

    @property
    def n_words(self) -> int:
        """How many these are."""
        return len(self.reference)

    @cached_property
    def mean(self) -> float:
        """Mean ψ: the bias of the vocabulary itself."""
        return float(self.reference.mean())

    @cached_property
    def sd(self) -> float:
        """Standard deviation of ψ, divisor n - 1; a ValueError if it is zero."""
        sd = float(self.reference.std(ddof=1))
        if not sd > 0:
            raise ValueError("ψ is the same for all words, so no word stands out")
        return sd

    def among(self, first: int, stop: int | None = None) -> Distribution:
        """Take the words from rank ``first`` up to before ``stop`` as the reference.

        Embedding files are in order of frequency, so ``among(0, 50_000)`` is the 50,000 most
        frequent words. The sets that are compared with it may have any rank.
        """
        part = replace(self, ranks=slice(first, stop))
        if first < 0 or part.n_words < FEWEST_WORDS:
            raise ValueError(
                f"ranks {first} to {stop} of {len(self.psi)} words hold {part.n_words}; a "
                f"background needs {FEWEST_WORDS} or more, from rank 0 on"
            )
        return part

    def psi_of(self, words: Iterable[str], what: str = "the set") -> pd.Series[float]:
        """ψ by word, of the words that are in the vocabulary; a ValueError if no word is."""
        if isinstance(words, str):
            raise TypeError(f"words must be several words; for one word pass [{words!r}]")
        asked, psi = list(dict.fromkeys(words)), {}
        for word in asked:
            rows = self.vocabulary.get_indexer(pd.Index(forms_of(word, self.case)))
            if (rows >= 0).any():
                psi[word] = self.psi[rows[rows >= 0][0]]
        if not psi:
            raise ArgumentError(
                f"{self.name}: none of the {len(asked)} words of {what} is in the vocabulary "
                f"({abridged(asked)}); check their spelling; for an embedding in lower case pass ",
                Argument("case", "fallback"),
            )
        return pd.Series(psi, name=self.name)

    def phi(
        self,
        words: Iterable[str],
        about: Literal["reference", "zero"] = "reference",
        tail: Literal["lower", "upper", "two"] = "lower",
        *,
        kind: Literal["normal", "empirical", "sets"] = "normal",
    ) -> float:
        """Φ of the mean ψ of a set of words: how extreme it is among all words.

        Parameters
        ----------
        words : iterable of str
        about : {"reference", "zero"}
            Center of the comparison: the mean of all words, or 0.
        tail : {"lower", "upper", "two"}
            Share below (Φ itself), share above, or twice the smaller of these.
        kind : {"normal", "empirical", "sets"}
            Compare with the Normal fitted to single words, as Smarda does; with the words
            themselves, where ties count half; or with means of random sets of as many words.
        """
        from scipy.special import ndtr

        for (name, known), given in zip(CHOICES.items(), (about, tail, kind), strict=True):
            check_choice(name, given, known)
        psi = self.psi_of(words)
        size, above_mean = len(psi), psi.mean() - (self.mean if about == "reference" else 0.0)
        if kind == "empirical":
            ends = [self.ranked.searchsorted(self.mean + above_mean, s) for s in ("left", "right")]
            lower = float(np.mean(ends)) / self.n_words
            upper = 1 - lower
        else:
            if kind == "sets" and size >= self.n_words:
                raise ValueError(f"a set of {size} words leaves none of the {self.n_words}")
            # Means of random sets, without replacement, spread less than single words.
            spread = np.sqrt((1 - size / self.n_words) / size) if kind == "sets" else 1.0
            z = above_mean / (self.sd * spread)
            lower, upper = float(ndtr(z)), float(ndtr(-z))
        return {"lower": lower, "upper": upper, "two": min(1.0, 2 * min(lower, upper))}[tail]

    def relative_bias(
        self,
        X: Iterable[str],
        Y: Iterable[str],
        *,
        n_resamples: int = N_RESAMPLES,
        seed: Seed = None,
    ) -> RelativeBias:
        """Σ_X ψ - Σ_Y ψ next to its distribution over random pairs of disjoint sets.

        Words that are not in the vocabulary are left out; no word may be in both sets.
        """
        check_numbers(n_resamples=n_resamples)
        x, y = self.psi_of(X, "X"), self.psi_of(Y, "Y")
        refuse_overlap("X", "Y", {"X": x.index, "Y": y.index})
        n, m, total = len(x), len(y), self.n_words
        if n + m > total:
            raise ValueError(
                f"the reference distribution has {total} words, fewer than the {n + m} that sets "
                f"of {n} and {m} need; take a larger vocabulary or smaller sets"
            )
        rng, most = default_rng(as_seed_sequence(seed)), max(1, AT_ONCE // (n + m))
        drawn = np.empty(n_resamples)
        for start in range(0, n_resamples, most):
            part = drawn[start : start + most]
            psi = self.reference[random_rows(total, n + m, len(part), rng)]
            part[:] = psi[:, :n].sum(axis=1) - psi[:, n:].sum(axis=1)
        return RelativeBias(
            statistic=float(x.to_numpy().sum() - y.to_numpy().sum()),
            expected=(n - m) * self.mean if n != m else 0.0,
            sd=self.sd * float(np.sqrt(n + m - (n - m) ** 2 / total)),
            n_x=n,
            n_y=m,
            reference=drawn,
        )

    def __repr__(self) -> str:
        size = f"{self.n_words:,} words, mean {self.mean:.4f}, sd {self.sd:.4f}"
        return f"Distribution({self.name!r}, {size})"


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
