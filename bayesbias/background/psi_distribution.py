"""The background distribution of an association: ψ of every word of an embedding.

Smarda (2021) points out that 0 is not the baseline: the vocabulary as a whole may lean to one of
two attribute sets, and whether a set of words leans is to be compared with what words in general
do.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
import pandas as pd

from .._core.arrays import FloatArray
from .._core.checks import Argument, ArgumentError
from .._core.display import abridged
from .._core.random import Seed
from ..embeddings.load import choose
from . import normal_fit, tails
from .relative_bias import N_RESAMPLES, RelativeBias, mean_sd, random_sums
from .relative_bias import relative_bias as against_random_pairs

FEWEST_WORDS = 3
"""A Normal fit with a skew needs so many."""


@dataclass(frozen=True, eq=False)
class Distribution:
    """ψ of every word of an embedding, and what it says of sets of words.

    Parameters
    ----------
    name : str
    psi : (n_words,) float64
        ψ(w) = mean_Z cos - mean_Z2 cos, in the order of the vocabulary, which is that of the file.
    vocabulary : list of str
        The words.
    Z, Z2 : tuple of str
        The attribute words that were found.
    missing : tuple of str
        The attribute words that were not.
    case : str
        How words are looked up.
    ranks : slice
        Which words, counted in the file's order, are the background; all by default.
    """

    name: str
    psi: FloatArray
    vocabulary: list[str]
    Z: tuple[str, ...]
    Z2: tuple[str, ...]
    missing: tuple[str, ...] = ()
    case: str = "exact"
    ranks: slice = slice(None)

    @property
    def background(self) -> FloatArray:
        """ψ of the words that are the background, in the file's order."""
        return self.psi[self.ranks]

    @property
    def n_words(self) -> int:
        """Words of the background."""
        return len(self.background)

    @cached_property
    def mean(self) -> float:
        """Mean ψ of the background: the bias of the vocabulary itself."""
        return float(self.background.mean())

    @cached_property
    def sd(self) -> float:
        """Standard deviation of ψ, divisor n - 1."""
        return float(self.background.std(ddof=1))

    @cached_property
    def ranked(self) -> FloatArray:
        """ψ of the background in ascending order."""
        return np.sort(self.background)

    @cached_property
    def fit(self) -> normal_fit.NormalFit:
        """How well a Normal distribution describes the background."""
        return normal_fit.normal_fit(self.ranked)

    def qq(self, points: int = 99) -> pd.DataFrame:
        """Quantiles of the background next to those of the fitted Normal.

        Parameters
        ----------
        points : int
            Probabilities (i - ½)/points; those at which `fit` is checked join them.

        Returns
        -------
        DataFrame
            ``probability``, ``normal``, ``observed`` and ``gap``, observed - normal in sd.
        """
        return normal_fit.qq(self.ranked, points)

    def among(self, first: int, stop: int | None = None) -> Distribution:
        """Take the words from rank ``first`` up to before ``stop`` as the background.

        Embedding files are in order of frequency, so that ``among(0, 50_000)`` is the 50,000 most
        frequent words. Words that are asked about may have any rank.
        """
        ranks = slice(first, stop)
        count = len(range(*ranks.indices(len(self.psi))))
        if first < 0 or count < FEWEST_WORDS:
            raise ValueError(
                f"ranks {first} to {stop} of {len(self.psi)} words hold {count}; a background "
                f"needs {FEWEST_WORDS} or more, from rank 0 on"
            )
        return replace(self, ranks=ranks)

    def psi_of(self, words: Iterable[str]) -> pd.Series[float]:
        """ψ of the words that are there, by word; the rest is left out."""
        if isinstance(words, str):
            raise TypeError(f"words must be several words; for one word pass [{words!r}]")
        asked = list(dict.fromkeys(words))
        forms = {form for word in asked for form in (word, word.lower())}
        rows = {word: row for row, word in enumerate(self.vocabulary) if word in forms}
        chosen = choose(asked, rows, self.case)
        found = [word for word in asked if word in chosen]
        return pd.Series(
            self.psi[[rows[chosen[word]] for word in found]], index=found, name=self.name
        )

    def phi(
        self,
        words: Iterable[str],
        about: tails.About = "reference",
        tail: tails.Tail = "lower",
        *,
        kind: tails.Kind = "normal",
        against: tails.Against = "words",
        n_resamples: int = N_RESAMPLES,
        seed: Seed = None,
    ) -> float:
        """Φ of the mean ψ of a set of words: how far out in the background it lies.

        Parameters
        ----------
        words : iterable of str
            Words that are not in the vocabulary are left out.
        about : {"reference", "zero"}
            Centre of the comparison: the mean of the background, or 0.
        tail : {"lower", "upper", "one", "two"}
            Share below (Φ itself), share above, the smaller of these, or twice the smaller.
        kind : {"normal", "empirical"}
            The fitted Normal, or ranks in the background itself; ``about="zero"`` shifts the
            background to the mean 0.
        against : {"words", "sets"}
            Compare the set's mean with single words, as Smarda does, or with the means of random
            sets of as many words, which spread less by the square root of their number.
        n_resamples, seed
            Random sets for ``kind="empirical", against="sets"``; pass a seed to have the same
            again, since a number cannot keep one.

        Returns
        -------
        float
            In [0, 1].

        Raises
        ------
        ValueError
            If none of the words is there, or a choice is unknown.

        References
        ----------
        Smarda (2021), Φ(ψ_X; μ, σ).
        """
        tails.check_choices(about, tail, kind, against)
        found = self.found(words)
        size, value = len(found), float(found.mean())
        if kind == "normal":
            sd = self.sd if against == "words" else mean_sd(self.sd, size, self.n_words)
            return tails.normal(value, self.mean if about == "reference" else 0.0, sd, tail)
        ranked = self.ranked
        if against == "sets":
            ranked = np.sort(random_sums(self.background, (size,), n_resamples, seed)[:, 0] / size)
        return tails.empirical(ranked, value + (self.mean if about == "zero" else 0.0), tail)

    def relative_bias(
        self,
        X: Iterable[str],
        Y: Iterable[str],
        *,
        n_resamples: int = N_RESAMPLES,
        seed: Seed = None,
    ) -> RelativeBias:
        """Σ_X ψ - Σ_Y ψ next to its distribution over random pairs of disjoint sets.

        Parameters
        ----------
        X, Y : iterable of str
            Words that are not in the vocabulary are left out. No word may be in both.
        n_resamples : int
            Random pairs of sets of as many words.
        seed : int, SeedSequence, Generator or None

        Returns
        -------
        RelativeBias

        Raises
        ------
        ValueError
            If a set is empty or missing, both share a word, or the background has fewer words
            than both sets together.

        References
        ----------
        Smarda (2021), relative bias.
        """
        x, y = self.found(X, "X"), self.found(Y, "Y")
        if shared := [word for word in x.index if word in y.index]:
            raise ValueError(f"X and Y share {', '.join(shared)}; take the word out of one of them")
        sides = (np.asarray(each, dtype=np.float64) for each in (x, y))
        return against_random_pairs(self.background, *sides, n_resamples=n_resamples, seed=seed)

    def found(self, words: Iterable[str], what: str = "the set") -> pd.Series[float]:
        """ψ of the words that are there, as `psi_of` gives it; a ValueError if none is."""
        asked = words if isinstance(words, str) else list(words)
        if not asked:
            raise ValueError(f"{what} is empty; at least one word is needed")
        found = self.psi_of(asked)
        if found.empty:
            lowered = len({word.lower() for word in asked}.intersection(self.vocabulary))
            remedy: tuple[str | Argument, ...] = (
                (f"{lowered} of them are there in lower case: pass ", Argument("case", "fallback"))
                if lowered
                else ("check their spelling, or take an embedding that has them",)
            )
            raise ArgumentError(
                f"{self.name}: none of the {len(asked)} words of {what} is in the vocabulary "
                f"({abridged(asked)}); ",
                *remedy,
            )
        return found

    def __repr__(self) -> str:
        return (
            f"Distribution({self.name!r}, {self.n_words:,} words, mean {self.mean:.4f}, "
            f"sd {self.sd:.4f}, skew {self.fit.skew:.2f})"
        )
