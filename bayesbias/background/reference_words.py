"""Words that replace a list's own: any words, equally frequent words, or those of a topic."""

from __future__ import annotations

from collections.abc import Container, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal, get_args

import numpy as np
import pandas as pd
from numpy.random import Generator, default_rng
from numpy.typing import NDArray

from .._core.arrays import FloatArray, unit_rows
from .._core.checks import check_numbers, unknown_name
from .._core.random import Seed, as_seed_sequence
from ..embeddings.load import VectorsLike
from ..tables.cosines import attach_cosines
from ..tables.wordlist_lint import WORD_TABLES
from ..tables.wordlists import WordList, WordListLike, load_wordlist
from .pool import Pool, TooFewWordsError, draw_pool

Match = Literal["random", "frequency", "topics"]
Vary = Literal["protected", "stereotypes", "both"]
Rows = NDArray[np.int64]

N_MATCHED = 5
"""Matched words for each stereotype."""

TOLERANCE = 0.2
"""Two words are equally frequent if their ranks differ by no more than this share."""

NEIGHBORS = 1_000
"""Neighbors of a word that are looked at first; few topics reach farther."""


def matched_controls(
    vectors: VectorsLike,
    wordlist: WordListLike,
    *,
    n: int = N_MATCHED,
    case: str = "exact",
    seed: Seed = None,
    allow_pickle: bool = False,
    progressbar: bool = True,
) -> WordList:
    """Add control words to a list that are as frequent as its stereotypes.

    Cosine distances follow the frequency of words: rare words are farther from most others. Words
    about human life are more frequent than most stereotypes, so that *associated - human* is above
    zero for stereotypes of any meaning. With matched words zero means: like equally frequent words.

    Parameters
    ----------
    vectors
        An embedding to draw from, as for `background.distribution`. Files begin with the most
        frequent word, and a word's place is its rank; where gensim's vectors have counts, these
        count.
    wordlist : str, Path, mapping or WordList
        With stereotypes.
    n : int
        Matched words for each stereotype that the embedding has. Their ranks differ from that of
        the stereotype by a fifth at most.
    case, allow_pickle, progressbar
        As for `load_vectors`.
    seed : int, SeedSequence, Generator or None

    Returns
    -------
    WordList
        The list with the control set ``matched``: words of letters alone, none of them the list's
        own, none of them twice. In tables they are the connection ``matched``.

    Examples
    --------
    >>> import bayesbias as bb
    >>> wordlist = bb.matched_controls("glove-demo", "gender", case="fallback", seed=1)
    >>> vectors = bb.load_vectors("glove-demo", wordlist, case="fallback")
    >>> table = bb.distance_table(vectors, wordlist)
    """
    loaded = load_wordlist(wordlist)
    rng = default_rng(as_seed_sequence(seed))
    pool = draw_pool(
        vectors,
        loaded.words,
        rng=rng,
        case=case,
        by_rank=True,
        allow_pickle=allow_pickle,
        progressbar=progressbar,
    )
    return with_matched(loaded, pool, rng, n=n)


def with_matched(wordlist: WordList, pool: Pool, rng: Generator, *, n: int = N_MATCHED) -> WordList:
    """Add words of a pool, as frequent as the stereotypes of a list; see `matched_controls`."""
    check_numbers(n=n)
    stereotypes = dict.fromkeys(word for words in wordlist.stereotypes.values() for word in words)
    present = [word for word in stereotypes if word in pool.found_ranks]
    if not present:
        raise ValueError(
            f"none of the stereotypes of {wordlist.name!r} is in the embedding, so that no words "
            "can be as frequent"
        )
    taken = set(wordlist.words)
    free = np.array([word not in taken for word in pool.words])
    rows = ReferenceWords(pool, "frequency").as_frequent(present, n, free, rng)
    words = tuple(pool.words[row] for row in rows.tolist())
    return replace(wordlist, controls={**wordlist.controls, "matched": words})


def check_choice(vary: str, match: str = "random") -> None:
    """Raise a ValueError for an unknown choice."""
    for name, given, known in (("vary", vary, Vary), ("match", match, Match)):
        if given not in get_args(known):
            raise ValueError(unknown_name(name, given, get_args(known)))


def words_present(wordlist: WordList, found: Container[str]) -> WordList:
    """Return the list without the words that the embedding lacks."""
    kept: dict[str, Any] = {}
    for kind in WORD_TABLES:
        present = {
            name: tuple(word for word in words if word in found)
            for name, words in getattr(wordlist, kind).items()
        }
        kept[kind] = {name: words for name, words in present.items() if words}
    return replace(wordlist, **kept)


class ReferenceWords:
    """Draws words of a pool for the words of a list."""

    def __init__(self, pool: Pool, match: Match) -> None:
        self.pool, self.match = pool, match
        letters = np.array([word.isalpha() for word in pool.words])
        by_rank = np.argsort(pool.ranks, kind="stable")
        self.by_rank = by_rank[letters[by_rank]]
        self.unit = unit_rows(pool.vectors) if match == "topics" else np.zeros((0, 0))

    def draw(
        self, sets: Mapping[str, Sequence[str]], free: NDArray[np.bool_], rng: Generator
    ) -> dict[str, int]:
        """Draw a row for every word of some sets; rows that are drawn are no longer free."""
        drawn: dict[str, int] = {}
        for words in sets.values():
            wanted = [word for word in words if word not in drawn]
            if wanted:  # not all of them are in an earlier set
                rows = self._of_set(wanted, free, rng)
                free[rows] = False
                drawn |= dict(zip(wanted, rows.tolist(), strict=True))
        return drawn

    def _of_set(self, words: Sequence[str], free: NDArray[np.bool_], rng: Generator) -> Rows:
        if self.match == "frequency":
            return self.as_frequent(words, 1, free, rng)
        rows = np.flatnonzero(free)
        if len(rows) < len(words):
            raise TooFewWordsError(
                f"the embedding has {len(free)} words to choose from, fewer than the list needs; "
                "take a larger vocabulary"
            )
        if self.match == "topics":
            vectors = unit_rows([self.pool.found[word] for word in words])
            return topic(self.unit, free, len(words), mean_cosine(vectors), rng)
        return rng.choice(rows, len(words), replace=False)

    def as_frequent(
        self, words: Sequence[str], n: int, free: NDArray[np.bool_], rng: Generator
    ) -> Rows:
        """Draw n equally frequent words for each of some words, none of them twice.

        They are words of letters alone, since numbers, signs and phrases do not compare.
        """
        free = free.copy()
        ranks = self.pool.ranks[self.by_rank]
        drawn: list[int] = []
        for word in words:
            rank = self.pool.found_ranks[word]
            ends = rank * (1 - TOLERANCE), rank * (1 + TOLERANCE)
            near = self.by_rank[slice(*np.searchsorted(ranks, ends))]
            near = near[free[near]]
            if len(near) < n:
                raise TooFewWordsError(
                    f"{word!r} is word {rank:,} by frequency, and the embedding has "
                    f"{len(near)} words left of ranks {ends[0]:,.0f} to {ends[1]:,.0f} to choose "
                    f"{n} from; take a larger vocabulary"
                )
            rows = rng.choice(near, n, replace=False)
            free[rows] = False
            drawn += rows.tolist()
        return np.array(drawn, dtype=np.int64)


@dataclass(frozen=True, eq=False)
class DrawnList:
    """A list with other words, in the rows of a table.

    ``words`` and ``attributes`` replace those of the table in the order in which these occur;
    their vectors, (n, n_dims), have unit length; ``distances``, (n_rows,), are those of the rows.
    """

    words: list[str]
    attributes: list[str]
    word_vectors: FloatArray
    attribute_vectors: FloatArray
    distances: FloatArray

    def to_table(self, table: pd.DataFrame) -> pd.DataFrame:
        """Return the table with these words, their distances and cosines."""
        columns = {}
        for name, names in (("protected_word", self.words), ("attribute", self.attributes)):
            columns[name] = np.array(names, dtype=object)[pd.factorize(table[name])[0]]
        drawn = table.assign(**columns, cosine_distance=self.distances)
        every, rows = np.unique([*self.words, *self.attributes], return_index=True)
        vectors = np.vstack([self.word_vectors, self.attribute_vectors])[rows]
        attach_cosines(drawn, every.tolist(), vectors @ vectors.T)
        return drawn


def draw_lists(
    table: pd.DataFrame,
    wordlist: WordList,
    words: ReferenceWords,
    *,
    vary: Vary,
    n_lists: int,
    rng: Generator,
) -> Iterator[DrawnList]:
    """Draw lists in the rows of a list's own table, with other words.

    Every word of the table is in the pool's ``found``; the words that do not vary stay.
    """
    pool = words.pool
    varied = [
        {} if vary == stays else sets
        for sets, stays in ((wordlist.groups, "stereotypes"), (wordlist.stereotypes, "protected"))
    ]
    (row, own_words), (column, own_attributes) = (
        pd.factorize(table[name]) for name in ("protected_word", "attribute")
    )
    names = [own_words.tolist(), own_attributes.tolist()]
    vectors = [unit_rows([pool.found[word] for word in side]) for side in names]
    taken = {word for side in names for word in side}
    may_be_drawn = np.array([word not in taken for word in pool.words])
    for _ in range(n_lists):
        free, new_names, new_vectors = may_be_drawn.copy(), [], []
        for sets, side, unit in zip(varied, names, vectors, strict=True):
            drawn = words.draw(sets, free, rng)
            new_names.append([pool.words[drawn[w]] if w in drawn else w for w in side])
            changed = unit.copy()
            if places := [place for place, word in enumerate(side) if word in drawn]:
                changed[places] = unit_rows(pool.vectors[[drawn[side[i]] for i in places]])
            new_vectors.append(changed)
        distances = (1.0 - (new_vectors[0] @ new_vectors[1].T)[row, column]).clip(0.0, 2.0)
        yield DrawnList(new_names[0], new_names[1], new_vectors[0], new_vectors[1], distances)


def mean_cosine(vectors: FloatArray) -> float:
    """Return the mean cosine of all pairs of unit vectors; 1 for a single one."""
    n = len(vectors)
    return float((np.square(vectors.sum(axis=0)).sum() - n) / (n * (n - 1))) if n > 1 else 1.0


def topic(
    vectors: FloatArray, free: NDArray[np.bool_], size: int, cohesion: float, rng: Generator
) -> Rows:
    """Draw a topic: ``size`` words among the neighbors of a random word, as coherent as a set.

    ``vectors`` are unit rows, ``free`` are those that may be drawn, ``cohesion`` is the wanted mean
    cosine of pairs. The rows are drawn from the largest neighborhood that is as coherent, or the
    nearest ones. Larger neighborhoods are tried until one is less coherent.
    """
    n_free = int(free.sum())
    middle = rng.choice(np.flatnonzero(free))
    distances = np.where(free, -(vectors @ vectors[middle]), np.inf)
    looked_at, reach = min(NEIGHBORS, n_free), n_free
    while reach >= looked_at:  # all that were looked at are coherent: look farther
        near = np.argpartition(distances, looked_at - 1)[:looked_at]
        near = near[np.lexsort((near, distances[near]))]
        n = np.arange(2, len(near) + 1)
        squares = np.square(np.cumsum(vectors[near], axis=0)[1:]).sum(axis=1)
        coherent = n[(squares - n) / (n * (n - 1)) >= cohesion]
        reach = max(size, int(coherent.max(initial=size)))
        if looked_at == n_free:
            break
        looked_at = min(4 * looked_at, n_free)
    return np.asarray(rng.choice(near[:reach], size, replace=False))
