"""The vectors of a word list, or of some of its groups or words."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations, permutations
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from .._core.arrays import FloatArray, unit_rows
from .._core.display import abridged
from ..embeddings.word_sets import WordVectors, look_up, refuse_overlap
from ..tables.wordlists import WordListLike, load_wordlist

Indices = NDArray[np.intp]
Mask = NDArray[np.bool_]
WordArray = NDArray[np.str_]
Scope = Literal["all", "pair", "ordered"]


@dataclass(frozen=True, eq=False)
class Picks:
    """Resampled words of every set, as index arrays of shape (n_resamples, n_words).

    ``defining`` has those of sets of matched words, by the number of complete sets.
    """

    protected: tuple[Indices, ...]
    stereotypes: tuple[Indices, ...]
    defining: Mapping[int, Indices]


@dataclass(frozen=True, eq=False)
class ListRows:
    """A word list's unscaled vectors, group by group, with their words.

    ``listed`` has the vectors of each group's words as they are listed, with NaN for missing words.
    ``protected_names`` and ``stereotype_names`` are the words, with one name for all spellings of a
    vector. ``precision`` is that of the vectors as given, as in `WordSets`. ``whole`` contains the
    rows from which a resampling was drawn.
    """

    groups: tuple[str, ...]
    protected: tuple[FloatArray, ...]
    stereotypes: tuple[FloatArray, ...]
    protected_words: tuple[WordArray, ...]
    stereotype_words: tuple[WordArray, ...]
    protected_names: tuple[WordArray, ...]
    stereotype_names: tuple[WordArray, ...]
    listed: tuple[FloatArray, ...]
    precision: float = 0.0
    whole: ListRows | None = None

    @cached_property
    def protected_units(self) -> tuple[FloatArray, ...]:
        """Protected words at unit length."""
        return tuple(map(unit_rows, self.protected))

    @cached_property
    def stereotype_units(self) -> tuple[FloatArray, ...]:
        """Stereotypes at unit length."""
        return tuple(map(unit_rows, self.stereotypes))

    @cached_property
    def defining(self) -> FloatArray | None:
        """Words at the same position in their groups, of shape (n_sets, n_groups, n_dims).

        Sets with a missing word are left out. It is None if groups differ in size, because their
        words then form no sets.
        """
        if len({len(rows) for rows in self.listed}) != 1:
            return None
        sets = np.stack(self.listed, axis=1)
        return sets[~np.isnan(sets).any(axis=(1, 2))]

    @cached_property
    def counted(self) -> tuple[NDArray[np.bool_], ...]:
        """Whether each stereotype is in no earlier set, so that targets count it once."""
        earlier = [np.concatenate([[""], *self.stereotype_names[:at]]) for at in self.places]
        sets = zip(self.stereotype_names, earlier, strict=True)
        return tuple(~np.isin(names, before) for names, before in sets)

    @property
    def places(self) -> range:
        """The positions of the groups."""
        return range(len(self.groups))

    @property
    def targets(self) -> FloatArray:
        """The stereotypes of all groups; one that several groups share counts once."""
        return self._targets(self.stereotypes)

    @property
    def target_units(self) -> FloatArray:
        """The targets at unit length."""
        return self._targets(self.stereotype_units)

    def _targets(self, sets: Sequence[FloatArray]) -> FloatArray:
        return np.vstack([rows[own] for rows, own in zip(sets, self.counted, strict=True)])

    def require_different_stereotypes(self) -> None:
        """Raise a ValueError if sets of stereotypes share words."""
        given = self.whole or self
        sets = zip(given.stereotype_words, given.counted, strict=True)
        if shared := [str(word) for words, own in sets for word in words[~own]]:
            raise ValueError(
                f"undefined, as stereotypes of {' and '.join(self.groups)} share {abridged(shared)}"
            )

    @property
    def defining_sets(self) -> FloatArray:
        """Return ``defining``; raise ValueError if there is no complete set of matched words."""
        if self.defining is None:
            raise ValueError(
                "all groups must be the same size, so that words at the same position form sets"
            )
        if not len(self.defining):
            raise ValueError("every set of matched words has a word that is not in the embedding")
        return self.defining

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
            of(self.protected_names),
            of(self.stereotype_names),
            of(self.listed),
            self.precision,
        )

    @property
    def found_places(self) -> tuple[Indices, ...]:
        """The positions of each group's words among those that are listed."""
        return tuple(np.flatnonzero(~np.isnan(rows).any(axis=1)) for rows in self.listed)

    @property
    def words(self) -> dict[str, Any]:
        """The words as fields of a `WordList`."""
        sets = {"groups": self.protected_words, "stereotypes": self.stereotype_words}
        return {
            role: {name: own.tolist() for name, own in zip(self.groups, of, strict=True)}
            for role, of in sets.items()
        }

    def kept(self, protected: Sequence[Mask], stereotypes: Sequence[Mask]) -> ListRows:
        """Return the rows of some words of each group and set; the others count as missing."""

        def of[T: np.generic](
            sets: tuple[NDArray[T], ...], masks: Sequence[Mask]
        ) -> tuple[NDArray[T], ...]:
            return tuple(rows[mask] for rows, mask in zip(sets, masks, strict=True))

        listed = tuple(rows.copy() for rows in self.listed)
        for rows, places, mask in zip(listed, self.found_places, protected, strict=True):
            rows[places[~mask]] = np.nan
        return ListRows(
            self.groups,
            of(self.protected, protected),
            of(self.stereotypes, stereotypes),
            of(self.protected_words, protected),
            of(self.stereotype_words, stereotypes),
            of(self.protected_names, protected),
            of(self.stereotype_names, stereotypes),
            listed,
            self.precision,
        )

    def resampled(self, picks: Picks, number: int, places: Sequence[int]) -> ListRows:
        """Return the rows of a resampling; ``places`` are the positions of the groups."""

        def of[T: np.generic](
            sets: tuple[NDArray[T], ...], drawn: tuple[Indices, ...]
        ) -> tuple[NDArray[T], ...]:
            return tuple(rows[drawn[at][number]] for rows, at in zip(sets, places, strict=True))

        drawn = ListRows(
            self.groups,
            of(self.protected, picks.protected),
            of(self.stereotypes, picks.stereotypes),
            of(self.protected_words, picks.protected),
            of(self.stereotype_words, picks.stereotypes),
            of(self.protected_names, picks.protected),
            of(self.stereotype_names, picks.stereotypes),
            self.listed,
            self.precision,
            whole=self,
        )
        sets = self.defining
        vars(drawn)["defining"] = None if sets is None else sets[picks.defining[len(sets)][number]]
        vars(drawn)["counted"] = of(self.counted, picks.stereotypes)
        # Picking unit vectors is faster than scaling vectors again.
        vars(drawn)["protected_units"] = of(self.protected_units, picks.protected)
        vars(drawn)["stereotype_units"] = of(self.stereotype_units, picks.stereotypes)
        return drawn


def list_rows(
    vectors: WordVectors, wordlist: WordListLike
) -> tuple[ListRows, dict[str, tuple[str, ...]]]:
    """Return the vectors of a word list by group, and its missing words by set."""
    wordlist = load_wordlist(wordlist)
    groups = tuple(wordlist.groups)
    if not groups:
        raise ValueError(f"scores require groups, but the list {wordlist.name!r} has none")
    if without := [group for group in groups if group not in wordlist.stereotypes]:
        raise ValueError(
            f"the list {wordlist.name!r} has no stereotypes of {', '.join(without)}; "
            "scores require stereotypes of every group"
        )
    protected = {f"group {group}": wordlist.groups[group] for group in groups}
    stereotypes = {f"stereotypes of {group}": wordlist.stereotypes[group] for group in groups}
    found = look_up(vectors, protected | stereotypes)
    for one, other in combinations(protected, 2):
        refuse_overlap(one, other, found.words, found.spellings)
    kinds = (protected, stereotypes)
    rows = [tuple(found.rows[name] for name in kind) for kind in kinds]
    words = [tuple(np.array(found.words[name]) for name in kind) for kind in kinds]
    names = [tuple(map(found.names, kind)) for kind in kinds]
    missing = np.full(rows[0][0].shape[1], np.nan)
    listed = []
    for name, group in protected.items():
        known = dict(zip(found.words[name], found.rows[name], strict=True))
        listed.append(np.array([known.get(word, missing) for word in group]))
    sets = (rows[0], rows[1], words[0], words[1], names[0], names[1])
    return ListRows(groups, *sets, tuple(listed), found.precision), found.missing


def selections(rows: ListRows, scope: Scope) -> list[tuple[int, ...]]:
    """Return the groups for each computation: all at once, every pair, or every ordered pair."""
    places = range(len(rows.groups))
    if scope == "all":
        return [tuple(places)]
    return list(combinations(places, 2) if scope == "pair" else permutations(places, 2))
