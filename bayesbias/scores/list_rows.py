"""The vectors of a word list, whole, for some of its groups, or for some of its words."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations, permutations
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from .._core.arrays import FloatArray, unit_rows
from ..embeddings.word_sets import WordVectors, look_up
from ..tables.wordlists import WordListLike, load_wordlist

Indices = NDArray[np.intp]
WordArray = NDArray[np.str_]
Scope = Literal["all", "pair", "ordered"]


@dataclass(frozen=True, eq=False)
class Picks:
    """Which words to take, by set: index arrays, (n,) or for many resamplings (n_resamples, n)."""

    protected: tuple[Indices, ...]
    stereotypes: tuple[Indices, ...]
    defining: Indices

    def of_resampling(self, number: int) -> Picks:
        """Return those of one resampling."""
        protected, stereotypes = (
            tuple(picks[number] for picks in sets) for sets in (self.protected, self.stereotypes)
        )
        return Picks(protected, stereotypes, self.defining[number])


@dataclass(frozen=True, eq=False)
class ListRows:
    """Vectors of a word list as the embedding holds them, group by group, and their words.

    ``defining`` (n_sets, n_groups, n_dims) are the words in the same place of every group, None
    where groups have different sizes in the list, so that its words do not form pairs.
    """

    groups: tuple[str, ...]
    protected: tuple[FloatArray, ...]
    stereotypes: tuple[FloatArray, ...]
    protected_words: tuple[WordArray, ...]
    stereotype_words: tuple[WordArray, ...]
    defining: FloatArray | None

    @cached_property
    def protected_units(self) -> tuple[FloatArray, ...]:
        """Protected words at unit length."""
        return tuple(map(unit_rows, self.protected))

    @cached_property
    def stereotype_units(self) -> tuple[FloatArray, ...]:
        """Stereotypes at unit length."""
        return tuple(map(unit_rows, self.stereotypes))

    @property
    def defining_sets(self) -> FloatArray:
        """``defining``, or a ValueError if groups differ in size or no place has all its words."""
        if self.defining is None:
            raise ValueError("needs groups of equal size, whose words form pairs in order")
        if not len(self.defining):
            raise ValueError("no place of the list has its words of all groups in the embedding")
        return self.defining

    def sizes(self) -> tuple[list[int], list[int], int]:
        """How many words every group and stereotype set has, and how many defining sets."""
        n_sets = 0 if self.defining is None else len(self.defining)
        return list(map(len, self.protected)), list(map(len, self.stereotypes)), n_sets

    def of_groups(self, places: Sequence[int]) -> ListRows:
        """Return the rows of some groups, in the order given."""

        def of[T](sets: tuple[T, ...]) -> tuple[T, ...]:
            return tuple(sets[place] for place in places)

        return ListRows(
            of(self.groups),
            of(self.protected),
            of(self.stereotypes),
            of(self.protected_words),
            of(self.stereotype_words),
            None if self.defining is None else self.defining[:, list(places)],
        )

    def of_words(self, picks: Picks) -> ListRows:
        """Return the rows of some words, which may repeat."""

        def taken[T: np.generic](
            sets: tuple[NDArray[T], ...], chosen: tuple[Indices, ...]
        ) -> tuple[NDArray[T], ...]:
            return tuple(rows[index] for rows, index in zip(sets, chosen, strict=True))

        return ListRows(
            self.groups,
            taken(self.protected, picks.protected),
            taken(self.stereotypes, picks.stereotypes),
            taken(self.protected_words, picks.protected),
            taken(self.stereotype_words, picks.stereotypes),
            None if self.defining is None else self.defining[picks.defining],
        )


def list_rows(
    vectors: WordVectors, wordlist: WordListLike
) -> tuple[ListRows, dict[str, tuple[str, ...]]]:
    """Read the vectors of a word list: rows by group, and the missing words by set."""
    wordlist = load_wordlist(wordlist)
    groups = tuple(wordlist.groups)
    if not groups:
        raise ValueError(f"the list {wordlist.name!r} has no groups with stereotypes")
    if without := [group for group in groups if group not in wordlist.stereotypes]:
        raise ValueError(
            f"the list {wordlist.name!r} has no stereotypes of {', '.join(without)}; "
            "scores of a list need them for every group"
        )
    protected = {f"group {group}": wordlist.groups[group] for group in groups}
    stereotypes = {f"stereotypes of {group}": wordlist.stereotypes[group] for group in groups}
    found = look_up(vectors, protected | stereotypes)
    rows = [tuple(found.rows[name] for name in kind) for kind in (protected, stereotypes)]
    words = [
        tuple(np.array(found.words[name]) for name in kind) for kind in (protected, stereotypes)
    ]
    defining = None
    if len({len(listed) for listed in wordlist.groups.values()}) == 1:
        by_word = [
            dict(zip(names.tolist(), matrix, strict=True))
            for names, matrix in zip(words[0], rows[0], strict=True)
        ]
        places = [
            [of_group.get(word) for word, of_group in zip(place, by_word, strict=True)]
            for place in zip(*wordlist.groups.values(), strict=True)
        ]
        whole = [place for place in places if not any(row is None for row in place)]
        shape = len(whole), len(groups), rows[0][0].shape[1]
        defining = np.array(whole, dtype=np.float64).reshape(shape)
    return ListRows(groups, rows[0], rows[1], words[0], words[1], defining), found.missing


def selections(rows: ListRows, scope: Scope) -> list[tuple[int, ...]]:
    """Groups that a score is computed on: all at once, every pair, or every ordered pair."""
    places = range(len(rows.groups))
    if scope == "all":
        return [tuple(places)]
    return list(combinations(places, 2) if scope == "pair" else permutations(places, 2))
