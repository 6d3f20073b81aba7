"""The background distribution of an association: ψ of every word of an embedding.

Smarda (2021) points out that 0 is not the baseline: the vocabulary as a whole may lean to one of
two attribute sets, and whether a set of words leans is to be read against what words in general
do.
"""

from __future__ import annotations

import os
import warnings
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from .._core.arrays import FloatArray
from .._core.checks import Argument, ArgumentError, ArgumentWarning, unknown_name
from .._core.display import abridged
from .._core.random import Seed
from ..embeddings.load import CASES, choose, open_embedding
from ..embeddings.vocabulary import Vocabulary
from . import normal_fit, tails
from .experiment import Experiment
from .projection import Projection, project
from .relative_bias import N_RESAMPLES, RelativeBias, mean_sd, random_sums
from .relative_bias import relative_bias as against_random_pairs

if TYPE_CHECKING:
    from gensim.models import KeyedVectors

type Source = str | os.PathLike[str] | KeyedVectors
"""A path, the name of a bundled embedding, or loaded vectors."""

DUPLICATES = ("error", "first")
"""What to do with words that stand twice: refuse the source, or let the first one count."""

LACKING = ("error", "skip")
"""What to do with experiments of which a set has no word at all: refuse, or leave them out."""

FEWEST_WORDS = 3
"""A Normal fit with a skew needs so many."""


@dataclass(frozen=True, eq=False)
class Distribution:
    """ψ of every word of an embedding, and what it says of sets of words.

    Parameters
    ----------
    name : str
    psi : (n_words,) float64
        ψ(w) = mean_Z cos - mean_Z2 cos, in the order of the vocabulary, which is that of the file;
        rounded as float32 products are, by less than 3e-7.
    vocabulary : Vocabulary
        The words; ``vocabulary[row]`` is one, ``vocabulary.rows(words)`` their rows.
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
    vocabulary: Vocabulary
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
        """Quantiles of the background beside those of the fitted Normal; see `normal_fit.qq`."""
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
        rows = self.vocabulary.rows(sorted(forms))
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
            Random sets for ``kind="empirical", against="sets"``.

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
        found = self.found(words)
        size = len(found)
        value = float(found.mean())
        choice = tails.Choice(about, tail, kind, against)
        if kind == "empirical" and against == "sets":
            sums = random_sums(self.background, (size,), n_resamples, seed)[:, 0]
            return tails.empirical(np.sort(sums / size), value, self.mean, choice)
        if kind == "empirical":
            return tails.empirical(self.ranked, value, self.mean, choice)
        sd = self.sd
        if against == "sets":
            sd = mean_sd(self.sd, size, self.n_words)
        return tails.normal(value, self.mean, sd, choice)

    def relative_bias(
        self,
        X: Iterable[str],
        Y: Iterable[str],
        *,
        n_resamples: int = N_RESAMPLES,
        seed: Seed = None,
    ) -> RelativeBias:
        """Σ_X ψ - Σ_Y ψ beside its distribution over random pairs of disjoint sets.

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
        return against_random_pairs(
            self.background,
            np.asarray(x, dtype=np.float64),
            np.asarray(y, dtype=np.float64),
            n_resamples=n_resamples,
            seed=seed,
        )

    def found(self, words: Iterable[str], what: str = "the set") -> pd.Series[float]:
        """ψ of the words that are there, as `psi_of` gives it; a ValueError if none is."""
        asked = [words] if isinstance(words, str) else list(words)
        if not asked:
            raise ValueError(f"{what} is empty; at least one word is needed")
        found = self.psi_of(words if isinstance(words, str) else asked)
        if found.empty:
            raise ArgumentError(
                f"{self.name}: none of the {len(asked)} words of {what} is in the vocabulary "
                f"({abridged(asked)}); ",
                *self._remedy(asked),
            )
        return found

    def _remedy(self, asked: Iterable[str]) -> tuple[str | Argument, ...]:
        lowered = len(self.vocabulary.rows(sorted({word.lower() for word in asked})))
        if not lowered:
            return ("check their spelling, or take an embedding that has them",)
        return f"{lowered} of them are there in lower case: pass ", Argument("case", "fallback")

    def __repr__(self) -> str:
        return (
            f"Distribution({self.name!r}, {self.n_words:,} words, mean {self.mean:.4f}, "
            f"sd {self.sd:.4f}, skew {self.fit.skew:.2f})"
        )


def distribution(
    source: Source,
    Z: Iterable[str],
    Z2: Iterable[str],
    *,
    case: str = "exact",
    duplicates: str = "error",
    rows: int | None = None,
    allow_pickle: bool = False,
    progressbar: bool = True,
) -> Distribution:
    """Compute ψ of every word of an embedding for two attribute sets.

    Parameters
    ----------
    source : str, path or KeyedVectors
        As for `load_vectors`. A file is read in chunks, in memory that does not grow with the
        length of its vectors: what is kept is a number and the letters of every word.
    Z, Z2 : iterable of str
        Attribute words. ψ is positive for words nearer to Z.
    case : {"exact", "lower", "fallback"}
        How words are looked up, here and by the methods of the result.
    duplicates : {"error", "first"}
        Refuse a source that has a word twice, or let the first one count.
    rows : int, optional
        Words of a chunk; makes no difference to the numbers.
    allow_pickle, progressbar : bool
        As for `load_vectors`.

    Returns
    -------
    Distribution
        With ``psi``, ``mean``, ``sd``, ``fit``, ``phi(words)`` and ``relative_bias(X, Y)``.

    Raises
    ------
    ValueError
        If no word of a set is there, the source holds fewer than three words with a direction,
        or has words twice; or if the file is damaged.

    Warns
    -----
    UserWarning
        If words have no direction (all zeros, or not finite); they are left out.

    References
    ----------
    Smarda (2021), background distributions of word embeddings.
    """
    return _distributions(
        source,
        {"background": (_listed("Z", Z), _listed("Z2", Z2))},
        case=case,
        duplicates=duplicates,
        rows=rows,
        allow_pickle=allow_pickle,
        progressbar=progressbar,
    )["background"]


def distributions(
    source: Source,
    experiments: Mapping[str, Experiment | tuple[Iterable[str], Iterable[str]]],
    *,
    case: str = "exact",
    duplicates: str = "error",
    lacking: str = "error",
    rows: int | None = None,
    allow_pickle: bool = False,
    progressbar: bool = True,
) -> dict[str, Distribution]:
    """Compute the reference distributions of many experiments, in one pass over the embedding.

    Parameters
    ----------
    source
        As for `distribution`, and so are all other arguments.
    experiments : mapping of str to Experiment or (Z, Z2)
        `experiments()` makes them of word lists.
    lacking : {"error", "skip"}
        Refuse experiments of which Z or Z2 has no word in the embedding; or leave these out, and
        those of which X or Y has none, with a warning each.

    Returns
    -------
    dict of str to Distribution
        They share one vocabulary.

    Raises
    ------
    ValueError
        As `distribution` does, or if no experiment is left.

    Warns
    -----
    UserWarning
        As `distribution` does, and for every experiment that is left out.
    """
    if lacking not in LACKING:
        raise ValueError(unknown_name("lacking", str(lacking), LACKING))
    pairs = {}
    for name, each in experiments.items():
        Z, Z2 = (each.Z, each.Z2) if isinstance(each, Experiment) else each
        pairs[name] = (_listed(f"Z of {name}", Z), _listed(f"Z2 of {name}", Z2))
    if not pairs:
        raise ValueError("there are no experiments; name one or more")
    return _distributions(
        source,
        pairs,
        case=case,
        duplicates=duplicates,
        rows=rows,
        allow_pickle=allow_pickle,
        progressbar=progressbar,
        asked=experiments if lacking == "skip" else None,
    )


def _distributions(
    source: Source,
    pairs: Mapping[str, tuple[tuple[str, ...], tuple[str, ...]]],
    *,
    case: str,
    duplicates: str,
    rows: int | None,
    allow_pickle: bool,
    progressbar: bool,
    asked: Mapping[str, Any] | None = None,
) -> dict[str, Distribution]:
    """Compute all distributions, or with `asked`, by name, those that there are words for."""
    for kind, given, known in (("case", case, CASES), ("duplicates", duplicates, DUPLICATES)):
        if given not in known:
            raise ValueError(unknown_name(kind, str(given), known))
    embedding = open_embedding(source, allow_pickle=allow_pickle, progressbar=progressbar)
    projected = project(embedding, list(pairs.values()), case, rows)
    vocabulary, psi = _usable(projected, duplicates)
    made: dict[str, Distribution] = {}
    reasons: list[ValueError] = []
    for at, (name, pair) in enumerate(pairs.items()):
        Z, Z2 = projected.found[at]
        sides = zip((Z, Z2), pair, strict=True)
        lost = tuple(word for side, words in sides for word in words if word not in side)
        each = Distribution(name, psi[at], vocabulary, tuple(Z), tuple(Z2), lost, case)
        try:
            _require_sets(each, pair, None if asked is None else asked[name])
        except ValueError as error:
            if asked is None:
                raise
            reasons.append(error)
        else:
            made[name] = each
    if not made:
        raise reasons[0]
    for reason in reasons:
        warnings.warn(ArgumentWarning(*reason.args, "; it is left out"), stacklevel=3)
    return made


def _require_sets(
    each: Distribution, pair: tuple[tuple[str, ...], tuple[str, ...]], asked: object
) -> None:
    """Raise a ValueError if Z, Z2, or a set of the experiment asked for has no word."""
    for name, words, found in zip(("Z", "Z2"), pair, (each.Z, each.Z2), strict=True):
        if not found:
            raise ArgumentError(
                f"{each.name}: none of the {len(words)} words of {name} is in the embedding "
                f"({abridged(words)}); check their spelling and case (",
                Argument("case", "lower"),
                ", ",
                Argument("case", "fallback"),
                ")",
            )
    if isinstance(asked, Experiment):
        for name, words in (("X", asked.X), ("Y", asked.Y)):
            each.found(words, name)


def _usable(projected: Projection, duplicates: str) -> tuple[Vocabulary, list[FloatArray]]:
    """Leave out words without a direction, and words that have stood before."""
    vocabulary, psi, twice = projected.vocabulary, projected.psi, projected.twice
    if len(twice) and duplicates == "error":
        shown = ", ".join(repr(vocabulary[row]) for row in twice[:5].tolist())
        raise ArgumentError(
            f"{len(twice)} word(s) stand in the embedding more than once ({shown}), so that they "
            "would count twice and have two vectors; mend the file, or let the first of each "
            "count with ",
            Argument("duplicates", "first"),
        )
    kept = ~np.isnan(psi[0])
    if not kept.all():
        lost = np.flatnonzero(~kept)
        shown = ", ".join(repr(vocabulary[row]) for row in lost[:5].tolist())
        warnings.warn(
            f"{len(lost)} word(s) have no direction (all zeros, or not finite) and are left out: "
            f"{shown}",
            stacklevel=4,
        )
    kept[twice] = False
    if kept.sum() < FEWEST_WORDS:
        raise ValueError(
            f"the embedding holds {int(kept.sum())} words with a direction; a background needs "
            f"{FEWEST_WORDS} or more"
        )
    if kept.all():
        return vocabulary, psi
    return vocabulary.subset(kept), [values[kept] for values in psi]


def _listed(name: str, given: Iterable[str]) -> tuple[str, ...]:
    if isinstance(given, str):
        raise TypeError(f"{name} must be a list of words; got the string {given!r}")
    words = tuple(given)
    if not words:
        raise ValueError(f"{name} is empty; at least one word is needed")
    if len(set(words)) < len(words):
        twice = next(word for word in words if words.count(word) > 1)
        raise ValueError(f"{name} holds {twice!r} more than once; keep one of each")
    return words
