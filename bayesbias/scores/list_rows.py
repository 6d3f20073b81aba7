"""The vectors of a word list, whole, for some of its groups, or for some of its words."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import combinations, permutations
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from .._core.arrays import FloatArray
from ..embeddings.word_sets import WordVectors, look_up
from ..tables.wordlists import WordListLike, load_wordlist

Indices = NDArray[np.intp]
Scope = Literal["all", "pair", "ordered"]


@dataclass(frozen=True, eq=False)
class ListRows:
    """Vectors of a word list as the embedding holds them, group by group, and their words.

    ``defining`` (n_sets, n_groups, n_dims) are the words in the same place of every group, None
    where groups are of different sizes in the list, so that its words do not form pairs.
    """

    groups: tuple[str, ...]
    protected: tuple[FloatArray, ...]
    stereotypes: tuple[FloatArray, ...]
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
            protected_words=_at(self.protected_words, at),
            stereotype_words=_at(self.stereotype_words, at),
            defining=None if self.defining is None else self.defining[:, list(at)],
            defining_words=tuple(_at(each, at) for each in self.defining_words),
        )

    @property
    def sizes(self) -> Parts[int]:
        """How many words every set has, and how many defining sets there are."""
        n_sets = 0 if self.defining is None else len(self.defining)
        return Parts(tuple(map(len, self.protected)), tuple(map(len, self.stereotypes)), n_sets)

    def of_words(self, picks: Picks) -> ListRows:
        """Return the rows of some words, of which any may come more than once."""
        return replace(
            self,
            protected=_taken(self.protected, picks.protected),
            stereotypes=_taken(self.stereotypes, picks.stereotypes),
            protected_words=tuple(map(_at, self.protected_words, picks.protected)),
            stereotype_words=tuple(map(_at, self.stereotype_words, picks.stereotypes)),
            defining=None if self.defining is None else self.defining[picks.defining],
            defining_words=_at(self.defining_words, picks.defining),
        )


@dataclass(frozen=True, eq=False)
class Parts[T]:
    """One thing for every set of a list: protected words, stereotypes, and the defining sets."""

    protected: tuple[T, ...]
    stereotypes: tuple[T, ...]
    defining: T

    def of_groups(self, at: Sequence[int]) -> Parts[T]:
        """Return those of some groups, in the order given."""
        return Parts(_at(self.protected, at), _at(self.stereotypes, at), self.defining)

    def apply[U](self, function: Callable[[T], U]) -> Parts[U]:
        """Return what a function makes of each."""
        protected, stereotypes = map(function, self.protected), map(function, self.stereotypes)
        return Parts(tuple(protected), tuple(stereotypes), function(self.defining))


type Picks = Parts[Indices]
"""Which words to take: index arrays, of shape (n,) or for many resamplings (n_resamples, n)."""


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
    """Add the defining sets, the places of which every word is there."""
    at = [{word: i for i, word in enumerate(words)} for words in rows.protected_words]
    whole = [each for each in places if all(w in of for w, of in zip(each, at, strict=True))]
    columns = [
        each[[of[place[group]] for place in whole]]
        for group, (each, of) in enumerate(zip(rows.protected, at, strict=True))
    ]
    return replace(rows, defining=np.stack(columns, axis=1), defining_words=tuple(whole))


def _at[T](each: Sequence[T], at: Iterable[int]) -> tuple[T, ...]:
    return tuple(each[i] for i in at)


def _taken(rows: Sequence[FloatArray], at: Sequence[Indices]) -> tuple[FloatArray, ...]:
    return tuple(each[of] for each, of in zip(rows, at, strict=True))
