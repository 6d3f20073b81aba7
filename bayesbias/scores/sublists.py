"""Parts of word lists: random sub-lists, lists without one pair, lists without groups."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from math import ceil
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from ..embeddings.word_sets import WordVectors
from ..tables.wordlists import WordList
from .list_rows import ListRows, Parts, Picks, list_rows

Reference = WordVectors | Literal["shuffled"] | None
"""An embedding to compare with, or the list's own words with their groups shuffled."""

Lists = dict[float, list[ListRows]]
"""Sub-lists by share."""


def sublists(
    rows: ListRows, shares: Sequence[float], repeats: int, random: np.random.Generator
) -> Lists:
    """Random sub-lists for every share; the whole list is always there, as share 1."""
    lists = {
        share: [rows.of_words(_picks(rows, share, random)) for _ in range(repeats)]
        for share in sorted(set(shares) - {1.0})
    }
    return lists | {1.0: [rows]}


def _picks(rows: ListRows, share: float, random: np.random.Generator) -> Picks:
    def some(size: int) -> NDArray[np.intp]:
        return np.sort(random.permutation(size)[: ceil(share * size - 1e-9)])

    return rows.sizes.apply(some)


def reference_lists(
    reference: Reference,
    wordlist: WordList,
    rows: ListRows,
    given: Lists,
    random: np.random.Generator,
) -> Lists:
    """Sub-lists as large and as many as those given, of the reference; empty without one."""
    if reference is None:
        return {}
    if isinstance(reference, str):
        if reference != "shuffled":
            raise ValueError(
                f"reference must be an embedding or 'shuffled', got {reference!r}; "
                "load an embedding with load_vectors first"
            )
        repeats = max(map(len, given.values()))
        dealt = {share: lists if share < 1 else [rows] * repeats for share, lists in given.items()}
        return {share: [_shuffled(each, random) for each in ls] for share, ls in dealt.items()}
    other, _ = list_rows(reference, wordlist)
    return sublists(other, list(given), max(map(len, given.values())), random)


def without_each(rows: ListRows) -> Iterator[tuple[str, ListRows]]:
    """The list without each pair in turn or, where its words form none, without each word.

    Yields the words left out, and the rest. What would leave a group without words is not left
    out.
    """
    units = rows.defining_words or [(word,) for words in rows.protected_words for word in words]
    for unit in units:
        kept = tuple(
            np.array([i for i, word in enumerate(words) if word not in unit], dtype=np.intp)
            for words in rows.protected_words
        )
        if all(map(len, kept)):
            sets = [i for i, each in enumerate(rows.defining_words) if each != unit]
            every = tuple(np.arange(len(each)) for each in rows.stereotypes)
            yield ", ".join(unit), rows.of_words(Parts(kept, every, np.array(sets, dtype=np.intp)))


def _shuffled(rows: ListRows, random: np.random.Generator) -> ListRows:
    """The protected words dealt out to the groups, and to the pairs, at random."""
    words = [word for words in rows.protected_words for word in words]
    order = random.permutation(len(words))
    dealt = np.split(order, np.cumsum([len(each) for each in rows.protected])[:-1])
    every = np.vstack(rows.protected)
    defining = rows.defining
    if defining is not None and len(defining):
        members = defining.reshape(-1, defining.shape[2])
        defining = members[random.permutation(len(members))].reshape(defining.shape)
    return replace(
        rows,
        protected=tuple(every[at] for at in dealt),
        protected_words=tuple(tuple(words[i] for i in at) for at in dealt),
        defining=defining,
    )
