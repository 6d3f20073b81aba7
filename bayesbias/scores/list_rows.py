"""The vectors of a word list, whole, for some of its groups, or for some of its words."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import combinations, permutations
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from .._core.arrays import FloatArray, unit_rows
from ..embeddings.word_sets import WordVectors, look_up
from ..tables.wordlists import WordListLike, load_wordlist

Indices = NDArray[np.intp]
Scope = Literal["all", "pair", "ordered"]


@dataclass(frozen=True, eq=False)
class Picks:
    """Which words to take, by set: index arrays, (n,) or for many resamplings (n_resamples, n)."""

    protected: tuple[Indices, ...]
    stereotypes: tuple[Indices, ...]
    defining: Indices

    def of_groups(self, at: Sequence[int]) -> Picks:
        """Return those of some groups, in the order given."""
        return Picks(_at(self.protected, at), _at(self.stereotypes, at), self.defining)

    def of_resampling(self, at: int) -> Picks:
        """Return those of one resampling."""
        protected = tuple(picks[at] for picks in self.protected)
        return Picks(protected, tuple(picks[at] for picks in self.stereotypes), self.defining[at])


@dataclass(frozen=True, eq=False)
class ListRows:
    """Vectors of a word list as the embedding holds them, group by group, and their words.

    ``protected_units`` and ``stereotype_units`` are the same vectors at unit length. ``defining``
    (n_sets, n_groups, n_dims) are the words in the same place of every group, None where groups
    are of different sizes in the list, so that its words do not form pairs.
    """

    groups: tuple[str, ...]
    protected: tuple[FloatArray, ...]
    stereotypes: tuple[FloatArray, ...]
    protected_units: tuple[FloatArray, ...]
    stereotype_units: tuple[FloatArray, ...]
    protected_words: tuple[tuple[str, ...], ...]
    stereotype_words: tuple[tuple[str, ...], ...]
    defining: FloatArray | None
    defining_words: tuple[tuple[str, ...], ...] = ()

    @property
    def targets(self) -> FloatArray:
        """All stereotype words, (n_attributes, n_dims)."""
        return np.vstack(self.stereotypes)

    @property
    def defining_sets(self) -> FloatArray:
        """``defining``, or a ValueError if groups differ in size or no place has all its words."""
        if self.defining is None:
            raise ValueError("needs groups of equal size, whose words form pairs in order")
        if not len(self.defining):
            raise ValueError("no place of the list has its words of all groups in the embedding")
        return self.defining

    def of_groups(self, at: Sequence[int]) -> ListRows:
        """Return the rows of some groups, in the order given."""
        return ListRows(
            groups=_at(self.groups, at),
            protected=_at(self.protected, at),
            stereotypes=_at(self.stereotypes, at),
            protected_units=_at(self.protected_units, at),
            stereotype_units=_at(self.stereotype_units, at),
            protected_words=_at(self.protected_words, at),
            stereotype_words=_at(self.stereotype_words, at),
            defining=None if self.defining is None else self.defining[:, list(at)],
            defining_words=tuple(_at(words, at) for words in self.defining_words),
        )

    def sizes(self) -> tuple[list[int], list[int], int]:
        """How many words every group and stereotype set has, and how many defining sets."""
        n_sets = 0 if self.defining is None else len(self.defining)
        return list(map(len, self.protected)), list(map(len, self.stereotypes)), n_sets

    def of_words(self, picks: Picks) -> ListRows:
        """Return the rows of some words, any of which may come more than once."""
        return replace(
            self,
            protected=_taken(self.protected, picks.protected),
            stereotypes=_taken(self.stereotypes, picks.stereotypes),
            protected_units=_taken(self.protected_units, picks.protected),
            stereotype_units=_taken(self.stereotype_units, picks.stereotypes),
            protected_words=tuple(map(_at, self.protected_words, picks.protected)),
            stereotype_words=tuple(map(_at, self.stereotype_words, picks.stereotypes)),
            defining=None if self.defining is None else self.defining[picks.defining],
            defining_words=_at(self.defining_words, picks.defining),
        )


def list_rows(
    vectors: WordVectors, wordlist: WordListLike
) -> tuple[ListRows, dict[str, tuple[str, ...]]]:
    """Read the vectors of a word list: rows by group, and the missing words by set."""
    wordlist = load_wordlist(wordlist)
    groups = tuple(wordlist.groups)
    without = [group for group in groups if group not in wordlist.stereotypes]
    if not groups:
        raise ValueError(f"the list {wordlist.name!r} has no groups with stereotypes")
    if without:
        raise ValueError(
            f"the list {wordlist.name!r} has no stereotypes of {', '.join(without)}; "
            "scores of a list need them for every group"
        )
    protected = {f"group {group}": wordlist.groups[group] for group in groups}
    stereotypes = {f"stereotypes of {group}": wordlist.stereotypes[group] for group in groups}
    found = look_up(vectors, protected | stereotypes)
    rows = ListRows(
        groups=groups,
        protected=tuple(found.rows[key] for key in protected),
        stereotypes=tuple(found.rows[key] for key in stereotypes),
        protected_units=tuple(unit_rows(found.rows[key]) for key in protected),
        stereotype_units=tuple(unit_rows(found.rows[key]) for key in stereotypes),
        protected_words=tuple(found.words[key] for key in protected),
        stereotype_words=tuple(found.words[key] for key in stereotypes),
        defining=None,
    )
    if len({len(words) for words in wordlist.groups.values()}) == 1:
        rows = _with_places(rows, list(zip(*wordlist.groups.values(), strict=True)))
    return rows, found.missing


def selections(rows: ListRows, scope: Scope) -> Iterator[tuple[int, ...]]:
    """Groups that a score is computed on: all at once, every pair, or every ordered pair."""
    every = range(len(rows.groups))
    if scope == "all":
        yield tuple(every)
    elif scope == "pair":
        yield from combinations(every, 2)
    else:
        yield from permutations(every, 2)


def _with_places(rows: ListRows, places: Sequence[tuple[str, ...]]) -> ListRows:
    """Add the defining sets: the places all of whose words are there."""
    positions = [{word: i for i, word in enumerate(words)} for words in rows.protected_words]
    whole = [
        place
        for place in places
        if all(word in of for word, of in zip(place, positions, strict=True))
    ]
    columns = [
        matrix[[of[place[group]] for place in whole]]
        for group, (matrix, of) in enumerate(zip(rows.protected, positions, strict=True))
    ]
    return replace(rows, defining=np.stack(columns, axis=1), defining_words=tuple(whole))


def _at[T](values: Sequence[T], at: Iterable[int]) -> tuple[T, ...]:
    return tuple(values[i] for i in at)


def _taken(rows: Sequence[FloatArray], at: Sequence[Indices]) -> tuple[FloatArray, ...]:
    return tuple(matrix[picks] for matrix, picks in zip(rows, at, strict=True))
