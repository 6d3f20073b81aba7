"""The background distribution of an association: ψ of every word of an embedding.

Smarda (2021) points out that 0 is not the baseline: the vocabulary as a whole may lean to one of
two attribute sets, so the lean of a set is compared with that of words in general.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Literal, get_args

import numpy as np
import pandas as pd

from .._core.arrays import FloatArray
from .._core.checks import Argument, ArgumentError, unknown_name
from .._core.display import abridged
from .._core.random import Seed
from ..embeddings.load import choose
from .relative_bias import N_RESAMPLES, RelativeBias, random_sums
from .relative_bias import relative_bias as against_random_pairs

FEWEST_WORDS = 3
"""A Normal fit with a skew needs so many."""

CHECKED = (0.001, 0.01, 0.025, 0.05, 0.25, 0.5, 0.75, 0.95, 0.975, 0.99, 0.999)
"""Probabilities at which the fit is checked: the middle, and the tails that p-values use."""

About = Literal["reference", "zero"]
Tail = Literal["lower", "upper", "one", "two"]
Kind = Literal["normal", "empirical"]
Against = Literal["words", "sets"]


@dataclass(frozen=True)
class NormalFit:
    """A Normal fitted to values by their moments, and how far it is from them.

    Parameters
    ----------
    mean, sd : float
        The sd with divisor n - 1.
    skew, kurtosis : float
        Third and fourth standardized moment, the fourth less 3; both 0 for a Normal.
    outside_95 : float
        Share of values beyond mean ± 1.96 sd; .05 for a Normal.
    largest_gap : float
        Largest distance between a quantile and that of the Normal at `CHECKED` probabilities, in
        sd.
    ks : float
        Largest distance of the distribution functions (Kolmogorov and Smirnov), in [0, 1]. With
        hundreds of thousands of words every test rejects; look at its size.
    """

    mean: float
    sd: float
    skew: float
    kurtosis: float
    outside_95: float
    largest_gap: float
    ks: float


@dataclass(frozen=True, eq=False)
class Distribution:
    """ψ of every word of an embedding, and the position of sets of words in it.

    Parameters
    ----------
    name : str
    psi : (n_words,) float64
        ψ(w) = mean_Z cos - mean_Z2 cos, in the order of the vocabulary, which is that of the file.
    vocabulary : list of str
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
        """Standard deviation of ψ, divisor n - 1; a ValueError if it is zero."""
        sd = float(self.background.std(ddof=1))
        if not sd > 0:
            raise ValueError("ψ is the same for all words, so that nothing stands out")
        return sd

    @cached_property
    def ranked(self) -> FloatArray:
        """ψ of the background in ascending order."""
        return np.sort(self.background)

    @cached_property
    def fit(self) -> NormalFit:
        """How well a Normal distribution describes the background."""
        from scipy.special import ndtr, ndtri

        z = (self.ranked - self.mean) / self.sd
        limit = ndtri(0.975)
        outside = np.searchsorted(z, -limit) + len(z) - np.searchsorted(z, limit, "right")
        cdf, steps = ndtr(z), np.arange(len(z) + 1) / len(z)
        centered = z - z.mean()
        variance = np.mean(centered**2)
        return NormalFit(
            mean=self.mean,
            sd=self.sd,
            skew=float(np.mean(centered**3) / variance**1.5),
            kurtosis=float(np.mean(centered**4) / variance**2 - 3),
            outside_95=float(outside / len(z)),
            largest_gap=float(np.abs(np.quantile(z, CHECKED) - ndtri(CHECKED)).max()),
            ks=float(max((cdf - steps[:-1]).max(), (steps[1:] - cdf).max())),
        )

    def among(self, first: int, stop: int | None = None) -> Distribution:
        """Take the words from rank ``first`` up to before ``stop`` as the background.

        Embedding files are in order of frequency, so that ``among(0, 50_000)`` is the 50,000 most
        frequent words. The sets that are compared with it may have any rank.
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
        there = [word for word in asked if word in chosen]
        psi = self.psi[[rows[chosen[word]] for word in there]]
        return pd.Series(psi, index=there, name=self.name)

    def psi_of_set(self, words: Iterable[str], what: str = "the set") -> pd.Series[float]:
        """ψ of the words that are there; a ValueError if none is."""
        asked = words if isinstance(words, str) else list(words)
        psi = self.psi_of(asked)
        if psi.empty:
            raise ArgumentError(
                f"{self.name}: none of the {len(asked)} words of {what} is in the vocabulary "
                f"({abridged(asked)}); check their spelling; for an embedding in lower case pass ",
                Argument("case", "fallback"),
            )
        return psi

    def phi(
        self,
        words: Iterable[str],
        about: About = "reference",
        tail: Tail = "lower",
        *,
        kind: Kind = "normal",
        against: Against = "words",
        n_resamples: int = N_RESAMPLES,
        seed: Seed = None,
    ) -> float:
        """Φ of the mean ψ of a set of words: how far out in the background it lies.

        Parameters
        ----------
        words : iterable of str
        about : {"reference", "zero"}
            Center of the comparison: the mean of the background, or 0.
        tail : {"lower", "upper", "one", "two"}
            Share below (Φ itself), share above, the smaller of these, or twice the smaller.
        kind : {"normal", "empirical"}
            The fitted Normal, or ranks in the background itself, where ties count half;
            ``about="zero"`` shifts the background to the mean 0.
        against : {"words", "sets"}
            Compare the set's mean with single words, as Smarda does, or with the means of random
            sets of as many words, which spread less by the square root of their number.
        n_resamples, seed
            Random sets for ``kind="empirical", against="sets"``.

        Returns
        -------
        float
            In [0, 1]; Smarda (2021), Φ(ψ_X; μ, σ).
        """
        from scipy.special import ndtr

        choices = {"about": (about, About), "tail": (tail, Tail), "kind": (kind, Kind)}
        for name, (given, known) in (choices | {"against": (against, Against)}).items():
            if given not in get_args(known):
                raise ValueError(unknown_name(name, str(given), get_args(known)))
        psi = self.psi_of_set(words)
        size, value = len(psi), float(psi.mean())
        if kind == "normal":
            sd = self.sd if against == "words" else self._sd_of_mean(size)
            z = (value - (self.mean if about == "reference" else 0.0)) / sd
            lower, upper = float(ndtr(z)), float(ndtr(-z))
        else:
            values = self.ranked
            if against == "sets":
                values = random_sums(self.background, (size,), n_resamples, seed)[:, 0] / size
            value += self.mean if about == "zero" else 0.0
            below, above = int((values < value).sum()), int((values > value).sum())
            lower = (len(values) + below - above) / 2 / len(values)
            upper = 1 - lower
        smaller = min(lower, upper)
        return {"lower": lower, "upper": upper, "one": smaller, "two": min(1.0, 2 * smaller)}[tail]

    def _sd_of_mean(self, size: int) -> float:
        """Sd of the mean of a random set, S·sqrt((1 - n/N)/n); S has the divisor N - 1."""
        if size >= self.n_words:
            raise ValueError(f"a set of {size} words leaves none of the {self.n_words}")
        return float(self.sd * np.sqrt((1 - size / self.n_words) / size))

    def relative_bias(
        self,
        X: Iterable[str],
        Y: Iterable[str],
        *,
        n_resamples: int = N_RESAMPLES,
        seed: Seed = None,
    ) -> RelativeBias:
        """Σ_X ψ - Σ_Y ψ next to its distribution over random pairs of disjoint sets.

        Words that are not in the vocabulary are left out; no word may be in both sets. The random
        pairs, `n_resamples`, are of as many words. Smarda (2021), relative bias.
        """
        x, y = self.psi_of_set(X, "X"), self.psi_of_set(Y, "Y")
        if shared := [word for word in x.index if word in y.index]:
            raise ValueError(f"X and Y share {', '.join(shared)}; take the word out of one of them")
        sides = (np.asarray(psi, dtype=np.float64) for psi in (x, y))
        return against_random_pairs(self.background, *sides, n_resamples=n_resamples, seed=seed)

    def __repr__(self) -> str:
        return (
            f"Distribution({self.name!r}, {self.n_words:,} words, mean {self.mean:.4f}, "
            f"sd {self.sd:.4f}, skew {self.fit.skew:.2f})"
        )
