"""Words in the place of a list's own: any words, equally frequent ones, or those of a topic."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, get_args

import numpy as np
import pandas as pd
from numpy.random import Generator
from numpy.typing import NDArray

from .._core.arrays import FloatArray, unit_rows
from .._core.checks import Argument, ArgumentError, unknown_name
from ..tables.wordlists import WordList
from .pool import Pool, TooFewWordsError

Match = Literal["random", "frequency", "topics"]
Vary = Literal["protected", "stereotypes", "both"]

TOLERANCE = 0.2
"""A word is as frequent as another if its rank differs by no more than this share."""

NEIGHBOURS = 1_000
"""Neighbours of a word that are looked at first; few topics reach farther."""


def check_choice(vary: str, match: str, tolerance: float) -> None:
    """Raise a ValueError for an unknown choice or a tolerance that is none."""
    if vary not in get_args(Vary):
        raise ValueError(unknown_name("vary", vary, get_args(Vary)))
    if match not in get_args(Match):
        raise ValueError(unknown_name("match", match, get_args(Match)))
    if not 0 < tolerance < 1:
        raise ArgumentError(Argument("tolerance"), f" must lie between 0 and 1; got {tolerance!r}")


@dataclass(frozen=True)
class Slots:
    """The sets of a list whose words are replaced, without those that the embedding lacks.

    ``protected`` and ``stereotypes`` hold the words by set; one is empty if its words stay.
    """

    protected: Mapping[str, Sequence[str]]
    stereotypes: Mapping[str, Sequence[str]]

    @classmethod
    def of(cls, wordlist: WordList, vary: Vary) -> Slots:
        """Return the sets of a list that vary."""
        return cls(
            wordlist.groups if vary != "stereotypes" else {},
            wordlist.stereotypes if vary != "protected" else {},
        )


@dataclass(frozen=True)
class Substitutes:
    """Rows of a pool by the word of the list that they stand for, for each kind of word."""

    protected: dict[str, int]
    attributes: dict[str, int]


class ReferenceWords:
    """Draws words of a pool for the words of a list."""

    def __init__(self, pool: Pool, match: Match, tolerance: float = TOLERANCE) -> None:
        self.pool, self.match, self.tolerance = pool, match, tolerance
        letters = np.array([word.isalpha() for word in pool.words])
        self.by_rank = np.argsort(pool.ranks, kind="stable")
        self.by_rank = self.by_rank[letters[self.by_rank]]
        self.sorted_ranks = pool.ranks[self.by_rank]
        self.unit = unit_rows(pool.vectors) if match == "topics" else np.zeros((0, 0))

    def draw(self, slots: Slots, rng: Generator) -> Substitutes:
        """Draw a word for every slot, none of them twice."""
        free = np.ones(len(self.pool.words), dtype=bool)
        return Substitutes(
            self._of_sets(slots.protected, free, rng), self._of_sets(slots.stereotypes, free, rng)
        )

    def _of_sets(
        self, sets: Mapping[str, Sequence[str]], free: NDArray[np.bool_], rng: Generator
    ) -> dict[str, int]:
        found: dict[str, int] = {}
        for words in sets.values():
            wanted = [word for word in words if word not in found]
            if not wanted:  # all of them are in an earlier set
                continue
            rows = self._of_set(wanted, free, rng)
            free[rows] = False
            found |= dict(zip(wanted, rows, strict=True))
        return found

    def _of_set(self, words: Sequence[str], free: NDArray[np.bool_], rng: Generator) -> list[int]:
        if self.match == "topics":
            own = unit_rows(np.stack([self.pool.found[word] for word in words]))
            return _listed(topic(self.unit, free, len(own), mean_cosine(own), rng))
        if self.match == "frequency":
            return self.as_frequent(words, 1, free, rng)
        rows = self._enough(free, len(words))
        return _listed(rng.choice(rows, len(words), replace=False))

    def as_frequent(
        self, words: Sequence[str], n: int, free: NDArray[np.bool_], rng: Generator
    ) -> list[int]:
        """Draw n words of like frequency rank for each of some words, none of them twice.

        They are words of letters alone: numbers, signs and phrases are no words to compare with.
        """
        free = free.copy()
        found: list[int] = []
        for word in words:
            rank = self.pool.found_ranks[word]
            ends = rank * (1 - self.tolerance), rank * (1 + self.tolerance)
            low, high = np.searchsorted(self.sorted_ranks, ends)
            near = self.by_rank[low:high]
            near = near[free[near]]
            if len(near) < n:
                raise TooFewWordsError(
                    f"{word!r} is word {rank:,} by frequency, and the embedding has "
                    f"{len(near)} words left of ranks {ends[0]:,.0f} to {ends[1]:,.0f} to choose "
                    f"{n} from; take a larger vocabulary or tolerance"
                )
            rows = rng.choice(near, n, replace=False)
            free[rows] = False
            found += rows.tolist()
        return found

    def _enough(self, free: NDArray[np.bool_], size: int) -> NDArray[np.int64]:
        rows = np.flatnonzero(free)
        if len(rows) < size:
            raise TooFewWordsError(
                f"the embedding has {len(free)} words to choose from, fewer than the list needs; "
                "take a larger vocabulary"
            )
        return rows


def _listed(rows: NDArray[np.int64]) -> list[int]:
    return [int(row) for row in rows]


def substituted(table: pd.DataFrame, pool: Pool, drawn: Substitutes) -> pd.DataFrame:
    """Return a long-form table with the words drawn in the place of those they stand for."""
    columns = []
    for name, own in (("protected_word", drawn.protected), ("attribute", drawn.attributes)):
        codes, named = pd.factorize(table[name])
        words = [str(word) for word in named]
        rows = [own.get(word) for word in words]
        vectors = unit_rows(
            np.stack(
                [
                    pool.found[word] if row is None else pool.vectors[row]
                    for word, row in zip(words, rows, strict=True)
                ]
            )
        )
        names = [
            word if row is None else pool.words[row] for word, row in zip(words, rows, strict=True)
        ]
        columns.append((codes, vectors, np.array(names, dtype=object)[codes]))
    (word, of_words, protected), (attribute, of_attributes, attributes) = columns
    distance = 1.0 - (of_words @ of_attributes.T)[word, attribute]
    return table.assign(
        protected_word=protected, attribute=attributes, cosine_distance=distance.clip(0.0, 2.0)
    )


def reference_distances(
    table: pd.DataFrame, words: ReferenceWords, slots: Slots, n_lists: int, rng: Generator
) -> Iterator[pd.DataFrame]:
    """Yield tables in the rows of a list's own, with other words."""
    for _ in range(n_lists):
        yield substituted(table, words.pool, words.draw(slots, rng))


def mean_cosine(vectors: FloatArray) -> float:
    """Return the mean cosine of all pairs of unit vectors; 1 for a single one."""
    n = len(vectors)
    return float((np.square(vectors.sum(axis=0)).sum() - n) / (n * (n - 1))) if n > 1 else 1.0


def topic(
    vectors: FloatArray, free: NDArray[np.bool_], size: int, cohesion: float, rng: Generator
) -> NDArray[np.int64]:
    """Draw a topic: words among the neighbours of a random word, as coherent as a set.

    Parameters
    ----------
    vectors : (n_words, n_dims) float
        Unit rows.
    free : (n_words,) bool
        Words that may be drawn.
    size : int
    cohesion : float
        Mean cosine of the pairs that is wanted.
    rng : numpy.random.Generator

    Returns
    -------
    (size,) int
        Rows, drawn from the largest neighbourhood that is as coherent, or the nearest ones. Larger
        neighbourhoods are tried until one is less coherent.
    """
    n_free = int(free.sum())
    if n_free < size:
        raise TooFewWordsError(
            f"the embedding has {n_free} words left for a topic of {size}; take more vectors"
        )
    middle = rng.choice(np.flatnonzero(free))
    apart = np.where(free, -(vectors @ vectors[middle]), np.inf)
    looked_at, reach = min(NEIGHBOURS, n_free), n_free
    while reach >= looked_at:  # all that were looked at are coherent: look farther
        near = np.argpartition(apart, looked_at - 1)[:looked_at]
        near = near[np.lexsort((near, apart[near]))]
        n = np.arange(2, len(near) + 1)
        squares = np.square(np.cumsum(vectors[near], axis=0)[1:]).sum(axis=1)
        coherent = n[(squares - n) / (n * (n - 1)) >= cohesion]
        reach = max(size, int(coherent.max(initial=size)))
        if looked_at == n_free:
            break
        looked_at = min(4 * looked_at, n_free)
    return np.asarray(rng.choice(near[:reach], size, replace=False))
