"""The vectors of a word list, whole, for some of its groups, or for some of its words."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import combinations, permutations
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from .._core.arrays import FloatArray, unit_rows
from ..embeddings.word_sets import WordVectors, look_up
from ..tables.wordlists import WordListLike, load_wordlist

Indices = NDArray[np.intp]
WordArray = NDArray[np.str_]
Scope = Literal["all", "pair", "ordered"]

BY_GROUP = ("protected", "protected_units", "protected_words")
BY_SET = ("stereotypes", "stereotype_units", "stereotype_words")


@dataclass(frozen=True, eq=False)
class Picks:
    """Which words to take, by set: index arrays, (n,) or for many resamplings (n_resamples, n)."""

    protected: tuple[Indices, ...]
    stereotypes: tuple[Indices, ...]
    defining: Indices

    def of_resampling(self, at: int) -> Picks:
        """Return those of one resampling."""
        protected = tuple(picks[at] for picks in self.protected)
        return Picks(protected, tuple(picks[at] for picks in self.stereotypes), self.defining[at])


@dataclass(frozen=True, eq=False)
class ListRows:
    """Vectors of a word list as the embedding holds them, group by group, and their words.

    ``protected_units`` and ``stereotype_units`` are the same vectors at unit length. ``defining``
    (n_sets, n_groups, n_dims) are the words in the same place of every group, None where groups
    are of different sizes in the list, so that its words do not form pairs; ``defining_words``
    (n_sets, n_groups) are what they are called.
    """

    groups: tuple[str, ...]
    protected: tuple[FloatArray, ...]
    stereotypes: tuple[FloatArray, ...]
    protected_units: tuple[FloatArray, ...]
    stereotype_units: tuple[FloatArray, ...]
    protected_words: tuple[WordArray, ...]
    stereotype_words: tuple[WordArray, ...]
    defining: FloatArray | None
    defining_words: WordArray

    @property
    def targets(self) -> FloatArray:
        """All stereotype words, (n_attributes, n_dims)."""
        return np.vstack(self.stereotypes)

    @property
    def target_units(self) -> FloatArray:
        """The same at unit length."""
        return np.vstack(self.stereotype_units)

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
        return (
            list(map(len, self.protected)),
            list(map(len, self.stereotypes)),
            len(self.defining_words),
        )

    def of_groups(self, at: Sequence[int]) -> ListRows:
        """Return the rows of some groups, in the order given."""
        names = ("groups", *BY_GROUP, *BY_SET)
        chosen: dict[str, Any] = {name: tuple(getattr(self, name)[i] for i in at) for name in names}
        if self.defining is not None:
            columns = list(at)
            chosen["defining"] = self.defining[:, columns]
            chosen["defining_words"] = self.defining_words[:, columns]
        return replace(self, **chosen)

    def of_words(self, picks: Picks) -> ListRows:
        """Return the rows of some words, which may repeat."""
        taken: dict[str, Any] = {}
        for names, of_set in ((BY_GROUP, picks.protected), (BY_SET, picks.stereotypes)):
            for name in names:
                sets = zip(getattr(self, name), of_set, strict=True)
                taken[name] = tuple(words[index] for words, index in sets)
        if self.defining is not None:
            taken["defining"] = self.defining[picks.defining]
            taken["defining_words"] = self.defining_words[picks.defining]
        return replace(self, **taken)


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
    rows = ListRows(
        groups=groups,
        protected=tuple(found.rows[name] for name in protected),
        stereotypes=tuple(found.rows[name] for name in stereotypes),
        protected_units=tuple(unit_rows(found.rows[name]) for name in protected),
        stereotype_units=tuple(unit_rows(found.rows[name]) for name in stereotypes),
        protected_words=tuple(np.array(found.words[name]) for name in protected),
        stereotype_words=tuple(np.array(found.words[name]) for name in stereotypes),
        defining=None,
        defining_words=np.empty((0, len(groups)), dtype=np.str_),
    )
    if len({len(words) for words in wordlist.groups.values()}) == 1:
        rows = _with_places(rows, list(zip(*wordlist.groups.values(), strict=True)))
    return rows, found.missing


def selections(rows: ListRows, scope: Scope) -> Iterator[tuple[int, ...]]:
    """Groups that a score is computed on: all at once, every pair, or every ordered pair."""
    every = range(len(rows.groups))
    if scope == "all":
        yield tuple(every)
    else:
        yield from combinations(every, 2) if scope == "pair" else permutations(every, 2)


def _with_places(rows: ListRows, places: Sequence[tuple[str, ...]]) -> ListRows:
    """Add the defining sets: the places all of whose words are there."""
    by_word = [
        dict(zip(words.tolist(), matrix, strict=True))
        for words, matrix in zip(rows.protected_words, rows.protected, strict=True)
    ]
    whole = [
        place
        for place in places
        if all(word in of_group for word, of_group in zip(place, by_word, strict=True))
    ]
    if not whole:
        return replace(rows, defining=np.empty((0, len(by_word), rows.protected[0].shape[1])))
    defining = [[of_group[word] for word, of_group in zip(place, by_word, strict=True)]
                for place in whole]  # fmt: skip
    return replace(rows, defining=np.array(defining), defining_words=np.array(whole))
