"""The reference distribution of an association: ψ of every word in an embedding.

The vocabulary as a whole may be closer to one of two attribute sets than to the other, so a set's
association is compared with the associations of words in general (Smarda, 2021).

Relative bias compares two sets. The ψ of all N words have mean μ and variance S² (divisor N - 1).
Let T = Σ_X ψ - Σ_Y ψ for random disjoint sets of n and m words. X, Y, and X ∪ Y are samples without
replacement, and the sum over such a sample of k words has variance k(1 - k/N) S². Because
Var(A - B) = 2 Var A + 2 Var B - Var(A + B), it follows that

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
from .._core.checks import ArgumentError, check_choice, check_numbers, check_words, is_whole
from .._core.display import abridged
from .._core.random import Seed, as_seed_sequence
from .._core.substitutions import note_substitution
from .._core.warnings import warn
from ..embeddings.word_sets import refuse_overlap
from ..tables.spellings import forms_of, spelling_hint
from ..warnings import SameSpellings

FEWEST_WORDS = 3

N_RESAMPLES = 100_000
"""Number of random pairs of sets; Smarda uses the same number."""

AT_ONCE = 2_000_000
"""Number of words drawn at a time, which takes about 50 MB."""

TIE = 1e-12
"""Two means or sums of ψ are tied if they differ by less than this share of the values' size; their
errors are at most the number of words times 2^-53."""

LEAST_ACCEPTED = 0.2
"""Smallest share of draws without a repeated word for which redrawing is faster than shuffling."""

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
        Positive if the sum of ψ is larger for X than for Y.
    expected, sd : float
        Mean and standard deviation over random pairs, in closed form.
    n_x, n_y : int
        Sizes of the sets.
    reference : (n_resamples,) float64
        The statistic of each random pair.
    """

    statistic: float
    expected: float
    sd: float
    n_x: int
    n_y: int
    reference: FloatArray = field(repr=False)

    @property
    def z(self) -> float:
        """The statistic minus its expected value, in standard deviations."""
        return (self.statistic - self.expected) / self.sd

    def p_normal(self) -> float:
        """Return the two-sided p-value under a Normal with the closed-form mean and sd."""
        from scipy.special import ndtr

        return 2 * float(ndtr(-abs(self.z)))

    def p_simulated(self) -> float:
        """Return the two-sided p-value: (b + 1)/(n_resamples + 1) if b pairs are as extreme."""
        tie = TIE * (self.n_x + self.n_y) * self.sd
        observed = abs(self.statistic - self.expected) - tie
        as_far = np.abs(self.reference - self.expected) >= observed
        return float((as_far.sum() + 1) / (len(as_far) + 1))


@dataclass(frozen=True, eq=False, repr=False)
class Distribution:
    """ψ of every word in an embedding, and the positions of word sets among these values.

    Parameters
    ----------
    name : str
    psi : (n_words,) float64
        ψ(w) = mean_Z cos - mean_Z2 cos, in the order of the file.
    vocabulary : Index of str
    missing : tuple of str
        Attribute words that are not in the embedding.
    case : str
        How words are looked up.
    ranks : slice
        Positions in ``psi`` of the words that sets are compared with.
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
        """The reference ψ in ascending order."""
        return np.sort(self.reference)

    @property
    def n_words(self) -> int:
        """Number of words that sets are compared with."""
        return len(self.reference)

    @cached_property
    def mean(self) -> float:
        """Mean ψ: the bias of the vocabulary itself."""
        return float(self.reference.mean())

    @cached_property
    def sd(self) -> float:
        """Standard deviation of ψ, with divisor n - 1. If it is zero, a ValueError is raised."""
        sd = float(self.reference.std(ddof=1))
        if not sd > 0:
            raise ValueError("ψ is the same for all words, so its sd is zero")
        return sd

    def among(self, first: int, stop: int | None = None) -> Distribution:
        """Use the words from rank ``first`` up to, but not including, ``stop`` as the reference.

        Most embeddings list frequent words first, so ``among(0, 50_000)`` uses the 50,000 most
        frequent words. The words that you compare with the reference may have any rank.
        """
        ends = [first] if stop is None else [first, stop]
        if not all(map(is_whole, ends)) or first < 0 or (stop is not None and stop <= first):
            raise ValueError(
                "ranks must be a first rank from 0 and a larger rank or None; got "
                f"{first!r} and {stop!r}"
            )
        part = replace(self, ranks=slice(first, stop))
        if part.n_words < FEWEST_WORDS:
            raise ValueError(
                f"ranks {first} to {stop} include {part.n_words} of {len(self.psi)} words; "
                f"include {FEWEST_WORDS} or more words"
            )
        return part

    def psi_of(self, words: Iterable[str], what: str = "the set") -> pd.Series[float]:
        """Return ψ of the words that are in the vocabulary; raise a ValueError if none are.

        Spellings of one word in the vocabulary count once, with a warning.
        """
        check_words("words", words)
        asked, psi = list(dict.fromkeys(words)), {}
        for row, (word, *same) in self.places_of(asked).items():
            note_substitution(word, self.vocabulary[row])
            psi[word] = self.psi[row]
            if same:
                warn(SameSpellings(tuple((other, word) for other in same), about=what))
        if not psi:
            pairs = [(word, form) for word in asked for form in forms_of(word, "fallback")]
            others = {word: form for word, form in pairs if form in self.vocabulary}
            hint = spelling_hint(others, self.case, strip_accents=False)
            text = f"{self.name}: no word in {what} is in the vocabulary ({abridged(asked)})"
            raise ArgumentError(f"{text}; ", *(hint or ("check the spelling",)))
        return pd.Series(psi, name=self.name)

    def places_of(self, words: Iterable[str]) -> dict[int, list[str]]:
        """Return the words, keyed by the position in the vocabulary at which they are found."""
        found: dict[int, list[str]] = {}
        for word in words:
            rows = self.vocabulary.get_indexer(pd.Index(forms_of(word, self.case)))
            if (rows >= 0).any():
                found.setdefault(int(rows[rows >= 0][0]), []).append(word)
        return found

    def phi(
        self,
        words: Iterable[str],
        about: Literal["reference", "zero"] = "reference",
        tail: Literal["lower", "upper", "two"] = "lower",
        *,
        kind: Literal["normal", "empirical", "sets"] = "normal",
    ) -> float:
        """Compute Φ of a set's mean ψ, which shows how extreme the set is among all words.

        Parameters
        ----------
        words : iterable of str
        about : {"reference", "zero"}
            Center of the comparison: the mean of all words, or 0.
        tail : {"lower", "upper", "two"}
            The share below (Φ itself), the share above, or twice the smaller of the two.
        kind : {"normal", "empirical", "sets"}
            ``normal`` compares the mean with a Normal fitted to single words, as Smarda does;
            ``empirical`` compares it with the words themselves, where ties count half; ``sets``
            compares it with a Normal for the means of random sets of the same size.
        """
        from scipy.special import ndtr

        for (name, known), given in zip(CHOICES.items(), (about, tail, kind), strict=True):
            check_choice(name, given, known)
        psi = self.psi_of(words)
        size, above_mean = len(psi), psi.mean() - (self.mean if about == "reference" else 0.0)
        if kind == "empirical":
            tie = TIE * np.abs(self.ranked[[0, -1]]).max()
            place = self.mean + above_mean
            ends = self.ranked.searchsorted([place - tie, place + tie])
            lower = float(np.mean(ends)) / self.n_words
            upper = 1 - lower
        else:
            if kind == "sets" and size >= self.n_words:
                raise ValueError(f"a set of {size} words needs more than {size} reference words")
            # Means of random sets, drawn without replacement, vary less than single words.
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
        """Compare Σ_X ψ - Σ_Y ψ with its distribution over random pairs of disjoint sets.

        Words that are not in the vocabulary are left out. A word must not be in both sets.
        """
        check_numbers(n_resamples=n_resamples)
        x, y = self.psi_of(X, "X"), self.psi_of(Y, "Y")
        places = ((name, self.places_of(words)) for name, words in (("X", x.index), ("Y", y.index)))
        refuse_overlap("X", "Y", {name: [self.vocabulary[p] for p in of] for name, of in places})
        n, m, total = len(x), len(y), self.n_words
        if n + m > total:
            raise ValueError(
                f"the reference distribution has {total} words, but sets of {n} and {m} words "
                f"need {n + m}; use a larger vocabulary or smaller sets"
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
    """Draw random sets of rows without repeats, as an array of shape (draws, size)."""
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
