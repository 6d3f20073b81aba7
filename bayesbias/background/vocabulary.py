"""Compute ψ of every word of an embedding for many pairs of attribute sets, in one pass.

Let û be the unit vector of a word, and let m and m' be the mean unit vectors of Z and Z'. Then ψ(w)
= û·(m - m'), so one product of the vectors and a few directions gives ψ for all experiments. The
attribute words are in the same file and are read first.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from itertools import combinations
from pathlib import Path

import numpy as np
import pandas as pd

from .._core.arrays import FloatArray, unit_rows
from .._core.checks import Argument, ArgumentError, check_choice, check_words
from .._core.warnings import warn
from ..embeddings.load import VectorsLike
from ..embeddings.registry import open_embedding
from ..embeddings.source import Embedding, Vector, first_of_each, vectors_by_word
from ..embeddings.word_sets import WordSets, look_up
from ..tables.spellings import CASES, choose, forms_of
from ..tables.wordlists import WordList, Words, load_wordlist
from ..warnings import LeftOut, MissingSet
from .psi_distribution import Distribution

CALISKAN = tuple(f"weat{number}" for number in range(1, 11))
"""The ten tests of Caliskan, Bryson, and Narayanan (2017), as bundled word lists."""

SHORTEST = float(np.finfo(np.float32).tiny)
"""Vectors this short or shorter have no direction, because float32 stores them too coarsely."""

BLOCK = 512
"""Number of vectors converted to float64 at a time, few enough to stay in the processor's cache."""


@dataclass(frozen=True)
class Experiment:
    """Word sets X and Y, attribute sets Z and Z2, and labels for all four sets.

    The stereotype associates X with Z and Y with Z2.
    """

    name: str
    X: Words
    Y: Words
    Z: Words
    Z2: Words
    labels: tuple[str, ...] = ("X", "Y", "Z", "Z2")

    def __post_init__(self) -> None:
        for side in ("X", "Y", "Z", "Z2"):
            words = getattr(self, side)
            check_words(f"{side} of the experiment {self.name!r}", words)
            object.__setattr__(self, side, tuple(words))
        if len(self.labels) != 4 or self.labels[0] == self.labels[1]:
            raise ValueError(
                f"the experiment {self.name!r} needs labels for X, Y, Z, and Z2, and those of X "
                f"and Y must differ; got {self.labels!r}"
            )

    @property
    def sets(self) -> dict[str, Words]:
        """X and Y, keyed by label."""
        return {self.labels[0]: self.X, self.labels[1]: self.Y}


def experiments(wordlists: Iterable[str | Path | WordList] = CALISKAN) -> dict[str, Experiment]:
    """For each word list, make an experiment from every pair of groups that have stereotypes.

    Every list needs two or more groups with stereotypes. Experiments are named after their lists.
    If a list has more than two, the name also includes the experiment's two groups.
    """
    if isinstance(wordlists, str | Path | WordList):
        wordlists = (wordlists,)
    made: dict[str, Experiment] = {}
    for words in map(load_wordlist, wordlists):
        groups = [name for name in words.groups if name in words.stereotypes]
        if len(groups) < 2:
            raise ValueError(
                f"the list {words.name!r} needs two or more groups with stereotypes; it has "
                f"{len(groups)}"
            )
        for pair in combinations(groups, 2):
            name = words.name if len(groups) == 2 else f"{words.name}: {', '.join(pair)}"
            if name in made:
                raise ValueError(f"two experiments are called {name!r}; give each list a name")
            X, Y = (words.groups[group] for group in pair)
            Z, Z2 = (words.stereotypes[group] for group in pair)
            made[name] = Experiment(name, X, Y, Z, Z2, (*pair, *map(words.set_name, pair)))
    return made


def distributions(
    source: VectorsLike,
    experiments: Mapping[str, Experiment | tuple[Iterable[str], Iterable[str]]],
    *,
    case: str = "exact",
    allow_pickle: bool = False,
    progressbar: bool = True,
) -> dict[str, Distribution]:
    """Compute the reference distributions of many experiments at once.

    Parameters
    ----------
    source
        See `load_vectors`. A file is read in chunks, and only words and their ψ are kept. If a word
        occurs twice, the first vector is used. Words whose vectors are all zeros or not finite are
        left out with a warning.
    experiments : mapping of str to Experiment or (Z, Z2)
        `experiments()` makes them from word lists. Z and Z2 are lists of attribute words; ψ is
        positive for words closer to Z. An experiment is left out with a warning if any of its sets
        repeats a word or has no known words. If no experiment remains, a ValueError is raised.
    case : {"exact", "lower", "fallback"}
        How words are looked up, both here and in methods of the result.
    allow_pickle, progressbar : bool
        See `load_vectors`.
    """
    check_choice("case", case, CASES)
    if not isinstance(experiments, Mapping):
        raise TypeError(
            "experiments must be a mapping of names; for word lists, pass "
            "bb.background.experiments(wordlists)"
        )
    if not experiments:
        raise ValueError("there are no experiments; pass one or more word lists")
    sets = {name: _sets_of(name, given) for name, given in experiments.items()}
    embedding = open_embedding(source, allow_pickle=allow_pickle, progressbar=progressbar)
    known = _known_sets(embedding, sets, case)
    poles = [
        [unit_rows(word_sets.rows[side]).mean(axis=0) for side in ("Z", "Z2")]
        for word_sets in known.values()
    ]
    vocabulary, psi = _psi(embedding, np.stack([Z - Z2 for Z, Z2 in poles]))
    made = {}
    for (name, word_sets), values in zip(known.items(), psi, strict=True):
        missing = (*word_sets.missing.get("Z", ()), *word_sets.missing.get("Z2", ()))
        made[name] = Distribution(name, values, vocabulary, missing, case)
    return made


def _sets_of(
    name: str, given: Experiment | tuple[Iterable[str], Iterable[str]]
) -> dict[str, Words]:
    """Return the sets of an experiment, which may be given as two lists or iterators."""
    if isinstance(given, Experiment):
        return {side: getattr(given, side) for side in ("Z", "Z2", "X", "Y")}
    pair = () if isinstance(given, str | Mapping) else tuple(given)
    if len(pair) != 2:
        raise TypeError(
            f"{name!r} must be an Experiment or two lists of words, (Z, Z2); got {given!r:.80}"
        )
    sets = dict(zip(("Z", "Z2"), pair, strict=True))
    for side, words in sets.items():
        check_words(f"{side} of {name!r}", words)
    return {side: tuple(words) for side, words in sets.items()}


def _known_sets(
    embedding: Embedding, sets: Mapping[str, Mapping[str, Words]], case: str
) -> dict[str, WordSets]:
    """Look up the sets of every experiment; warn about experiments that lack a whole set."""
    words = {word for of_one in sets.values() for listed in of_one.values() for word in listed}
    found = vectors_by_word(embedding, {form for word in words for form in forms_of(word, case)})
    vectors = {word: found[form] for word, form in choose(words, found, case).items()}
    known: dict[str, WordSets] = {}
    reasons = []
    for name, of_one in sets.items():
        try:
            known[name] = look_up(vectors, of_one)
        except ValueError as error:
            lower = ("for an embedding in lower case, pass ", Argument("case", "fallback"))
            hint = lower if case == "exact" else ()
            reasons.append(
                MissingSet(1, len(sets), "experiment", str(error), hint=hint, about=name)
            )
    if not known:
        first = reasons[0]
        raise ArgumentError(f"{first.about}: {first.reason}", "; " * bool(first.hint), *first.hint)
    for reason in reasons:
        warn(reason)
    return known


def _psi(embedding: Embedding, directions: FloatArray) -> tuple[pd.Index[str], FloatArray]:
    """Return the words that have a direction, and their ψ, (n_experiments, n_words)."""
    words: list[str] = []
    parts = []
    for chunk in first_of_each(embedding.chunks()):
        words += chunk.words
        parts.append(products(chunk.vectors, directions))
    vocabulary, psi = pd.Index(words, dtype=object), np.concatenate(parts, axis=1)
    kept = ~np.isnan(psi[0])
    if not kept.all():
        why, lost = "their vectors are all zeros or not finite", tuple(vocabulary[~kept])
        warn(LeftOut(len(lost), len(kept), "word", why, lost))
        vocabulary, psi = vocabulary[kept], psi[:, kept]
    return vocabulary, psi


def products(vectors: Vector, directions: FloatArray) -> FloatArray:
    """Compute the dot products of all vectors, scaled to unit length, with all directions.

    The products of a vector do not depend on the other vectors. They are NaN for vectors that are
    all zeros, not finite, or not longer than `SHORTEST`.
    """
    sums = np.empty((len(directions), len(vectors)))
    for start in range(0, len(vectors), BLOCK):
        block = slice(start, start + BLOCK)
        rows = vectors[block].astype(np.float64)
        with np.errstate(invalid="ignore", over="ignore"):
            lengths = np.sqrt(np.einsum("nd,nd->n", rows, rows))
            usable = (lengths > SHORTEST) & np.isfinite(lengths)
            dots = np.einsum("kd,nd->kn", directions, rows)
            sums[:, block] = dots / np.where(usable, lengths, np.nan)
    return sums
