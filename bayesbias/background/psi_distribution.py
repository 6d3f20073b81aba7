"""The reference distribution of an association: ψ of every word of an embedding.

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
from .relative_bias import N_RESAMPLES, RelativeBias
from .relative_bias import relative_bias as against_random_pairs

FEWEST_WORDS = 3
"""A Normal fit with a skew needs so many."""

About = Literal["reference", "zero"]
Tail = Literal["lower", "upper", "two"]
Kind = Literal["normal", "empirical", "sets"]


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
    ks : float
        Largest distance of the distribution functions (Kolmogorov and Smirnov), in [0, 1]. With
        hundreds of thousands of words every test rejects; look at its size.
    """

    mean: float
    sd: float
    skew: float
    kurtosis: float
    outside_95: float
    ks: float


@dataclass(frozen=True, eq=False, repr=False)
class Distribution:
    """ψ of every word of an embedding, and the position of sets of words in it.

    Parameters
    ----------
    name : str
    psi : (n_words,) float64
        ψ(w) = mean_Z cos - mean_Z2 cos, in the order of the file.
    vocabulary : list of str
    Z, Z2 : tuple of str
        The attribute words that were found.
    missing : tuple of str
        The attribute words that were not.
    case : str
        How words are looked up.
    ranks : slice
        The words, in the file's order, that sets are compared with; all by default.
    """

    name: str
    psi: FloatArray
    vocabulary: list[str]
    Z: tuple[str, ...]
    Z2: tuple[str, ...]
    missing: tuple[str, ...] = ()
    case: str = "exact"
    ranks: slice = slice(None)

    @cached_property
    def ranked(self) -> FloatArray:
        """ψ of the words that sets are compared with, in ascending order."""
        return np.sort(self.psi[self.ranks])

    @property
    def n_words(self) -> int:
        """Words that sets are compared with."""
        return len(self.psi[self.ranks])

    @cached_property
    def mean(self) -> float:
        """Mean ψ: the bias of the vocabulary itself."""
        return float(self.psi[self.ranks].mean())

    @cached_property
    def sd(self) -> float:
        """Standard deviation of ψ, divisor n - 1; a ValueError if it is zero."""
        sd = float(self.psi[self.ranks].std(ddof=1))
        if not sd > 0:
            raise ValueError("ψ is the same for all words, so that nothing stands out")
        return sd

    @cached_property
    def fit(self) -> NormalFit:
        """How well a Normal distribution describes ψ."""
        from scipy import stats

        z = (self.ranked - self.mean) / self.sd
        return NormalFit(
            mean=self.mean,
            sd=self.sd,
            skew=float(stats.skew(z)),
            kurtosis=float(stats.kurtosis(z)),
            outside_95=float((np.abs(z) > stats.norm.ppf(0.975)).mean()),
            ks=float(stats.ks_1samp(z, stats.norm.cdf, method="asymp").statistic),
        )

    def among(self, first: int, stop: int | None = None) -> Distribution:
        """Take the words from rank ``first`` up to before ``stop`` as the reference.

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
        """ψ by word, of the words that are in the vocabulary."""
        if isinstance(words, str):
            raise TypeError(f"words must be several words; for one word pass [{words!r}]")
        asked = list(dict.fromkeys(words))
        forms = {form for word in asked for form in (word, word.lower())}
        rows = {word: row for row, word in enumerate(self.vocabulary) if word in forms}
        chosen = choose(asked, rows, self.case)
        present = [word for word in asked if word in chosen]
        psi = self.psi[[rows[chosen[word]] for word in present]]
        return pd.Series(psi, index=present, name=self.name)

    def psi_of_set(self, words: Iterable[str], what: str = "the set") -> pd.Series[float]:
        """ψ of the words that are in the vocabulary; a ValueError if no word is."""
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
    ) -> float:
        """Φ of the mean ψ of a set of words: how far out it is among all words.

        Parameters
        ----------
        words : iterable of str
        about : {"reference", "zero"}
            Center of the comparison: the mean of all words, or 0.
        tail : {"lower", "upper", "two"}
            Share below (Φ itself), share above, or twice the smaller of these.
        kind : {"normal", "empirical", "sets"}
            ``normal`` compares with the Normal fitted to single words, as Smarda does;
            ``empirical`` with the words themselves, where ties count half; ``sets`` with the means
            of random sets of as many words, which spread less by the square root of their number.

        Returns
        -------
        float
            In [0, 1]; Smarda (2021), Φ(ψ_X; μ, σ).
        """
        from scipy.special import ndtr

        for name, given, known in (
            ("about", about, About),
            ("tail", tail, Tail),
            ("kind", kind, Kind),
        ):
            if given not in get_args(known):
                raise ValueError(unknown_name(name, str(given), get_args(known)))
        psi = self.psi_of_set(words)
        above_mean = float(psi.mean()) - (self.mean if about == "reference" else 0.0)
        if kind == "empirical":
            ends = [
                np.searchsorted(self.ranked, self.mean + above_mean, side)
                for side in ("left", "right")
            ]
            lower = float(np.mean(ends)) / self.n_words
            upper = 1 - lower
        else:
            z = above_mean / (self.sd if kind == "normal" else self._sd_of_mean(len(psi)))
            lower, upper = float(ndtr(z)), float(ndtr(-z))
        return {"lower": lower, "upper": upper, "two": min(1.0, 2 * min(lower, upper))}[tail]

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
        every = self.psi[self.ranks]
        return against_random_pairs(every, *sides, n_resamples=n_resamples, seed=seed)

    def __repr__(self) -> str:
        return (
            f"Distribution({self.name!r}, {self.n_words:,} words, mean {self.mean:.4f}, "
            f"sd {self.sd:.4f}, skew {self.fit.skew:.2f})"
        )
