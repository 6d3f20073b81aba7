"""Draw replacements for the words of a list: random words, equally frequent words, or topics."""

from __future__ import annotations

from collections.abc import Container, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import islice
from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.random import Generator, default_rng

from .._core.arrays import FloatArray, unit_rows
from .._core.checks import check_numbers
from .._core.random import Seed, as_seed_sequence
from ..embeddings.load import VectorsLike
from ..tables.wordlist_lint import WORD_TABLES
from ..tables.wordlists import WordList, WordListLike, load_wordlist
from .pools import Free, Pool, Rows, TooFewWordsError, draw_pool

Match = Literal["random", "frequency", "topics"]
Vary = Literal["protected", "stereotypes", "both"]
N_MATCHED = 5
"""Number of matched words for each stereotype."""

TOLERANCE = 0.2
"""Two words are equally frequent if their ranks differ by no more than this share."""

NEIGHBORS = 1_000
"""Largest number of neighbors from which a topic is drawn; no bundled list needs that many."""


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
    """Add control words that are as frequent as a list's stereotypes.

    Cosine distances depend on word frequency: rare words are farther from most other words. Words
    about human life are more frequent than most stereotypes, which raises *associated - human*
    no matter what the stereotypes mean. When *associated - matched* is zero, the stereotypes are
    no closer than equally frequent words.

    Parameters
    ----------
    vectors
        The embedding to draw from, in any form that `load_vectors` accepts. A word's rank comes
        from its position in the file, or from gensim's word counts if there are any.
    wordlist : str, Path, mapping, or WordList
        A list with stereotypes.
    n : int
        Number of matched words for each stereotype that the embedding contains. A matched word's
        rank differs from the stereotype's by at most a fifth.
    case, allow_pickle, progressbar
        See `load_vectors`.
    seed : int, SeedSequence, Generator, or None

    Returns
    -------
    WordList
        The list with the control set ``matched``: words that consist of letters only and are not on
        the list. In tables, their connection is ``matched``.

    Examples
    --------
    >>> import bayesbias as bb
    >>> wordlist = bb.matched_controls("glove-demo", "gender", case="fallback", seed=1)
    >>> len(wordlist.controls["matched"])
    125
    """
    loaded, rng = load_wordlist(wordlist), default_rng(as_seed_sequence(seed))
    reading: dict[str, Any] = {"allow_pickle": allow_pickle, "progressbar": progressbar}
    pool = draw_pool(vectors, loaded.words, rng=rng, case=case, by_rank=True, **reading)
    return with_matched(loaded, pool, rng, n=n)


def with_matched(wordlist: WordList, pool: Pool, rng: Generator, *, n: int = N_MATCHED) -> WordList:
    """Add words of a pool that are as frequent as the stereotypes; see `matched_controls`."""
    check_numbers(n=n)
    stereotypes = dict.fromkeys(word for words in wordlist.stereotypes.values() for word in words)
    present = [word for word in stereotypes if word in pool.found_ranks]
    if not present:
        raise ValueError(
            f"the embedding does not contain any stereotypes from {wordlist.name!r}, so there are "
            "no frequencies to match"
        )
    rows = equally_frequent(pool, present, n, pool.without(wordlist.words), rng)
    words = tuple(pool.words[row] for row in rows.tolist())
    return replace(wordlist, controls={**wordlist.controls, "matched": words})


def topic_neighbors(pool: Pool, wordlist: WordList, *, n: int = N_MATCHED) -> list[int]:
    """Return rows of a pool: the n nearest words of each stereotype that are not on the list."""
    taken = {word.lower() for word in wordlist.words}
    rows = list[int]()
    for stereotype in dict.fromkeys(w for own in wordlist.stereotypes.values() for w in own):
        if stereotype in pool.found:
            cosines = pool.units @ unit_rows([pool.found[stereotype]])[0]
            nearest = np.argsort(-cosines, kind="stable").tolist()
            free = (r for r in nearest if pool.letters[r] and pool.words[r].lower() not in taken)
            for row in islice(free, n):
                rows.append(row)
                taken.add(pool.words[row].lower())
    return rows


class Drawn(NamedTuple):
    """The rows of a pool that replace protected words and stereotypes, keyed by word."""

    protected: dict[str, int]
    stereotypes: dict[str, int]


def words_present(
    wordlist: WordList, found: Container[str], spellings: Mapping[str, str] | None = None
) -> WordList:
    """Return the list without the words that are not in the embedding.

    With ``spellings``, as in a `Pool`, each word is in its first spelling, once per set.
    """
    kept: dict[str, Any] = {}
    first = spellings or {}
    for kind in WORD_TABLES:
        present = {
            name: tuple(dict.fromkeys(first.get(word, word) for word in words if word in found))
            for name, words in getattr(wordlist, kind).items()
        }
        kept[kind] = {name: words for name, words in present.items() if words}
    return replace(wordlist, **kept)


def draw_lists(
    pool: Pool, wordlist: WordList, *, vary: Vary, match: Match, n_lists: int, rng: Generator
) -> Iterator[Drawn]:
    """Draw lists, and yield the words that replace those of each role.

    A word is drawn only once per list. If both roles vary, a word in both is replaced by the same
    word. The pool's ``found`` must contain all words of ``wordlist``.
    """
    protected = [] if vary == "stereotypes" else list(wordlist.groups.values())
    stereotypes = [] if vary == "protected" else list(wordlist.stereotypes.values())
    may_be_drawn = pool.without(wordlist.words)
    for _ in range(n_lists):
        free, drawn = may_be_drawn.copy(), dict[str, int]()
        for words in protected + stereotypes:
            wanted = [word for word in words if word not in drawn]
            if wanted:  # other words are in an earlier set
                rows = _rows_for(pool, wanted, match, free, rng)
                free[rows] = False
                drawn |= dict(zip(wanted, rows.tolist(), strict=True))
        roles = [{w: drawn[w] for words in of for w in words} for of in (protected, stereotypes)]
        yield Drawn(*roles)


def _rows_for(pool: Pool, words: Sequence[str], match: Match, free: Free, rng: Generator) -> Rows:
    """Draw a row of the pool for every word of a set."""
    if match == "frequency":
        return equally_frequent(pool, words, 1, free, rng)
    rows = np.flatnonzero(free)
    if len(rows) < len(words):
        raise TooFewWordsError(
            f"{len(rows)} of {len(free)} words can still be drawn, but the next set needs "
            f"{len(words)}; use a larger vocabulary or a wider range of ranks"
        )
    if match == "topics":
        cohesion = mean_cosine(pool.units_of(words))
        return topic(pool.units, free, len(words), cohesion, rng)
    return rng.choice(rows, len(words), replace=False)


def equally_frequent(pool: Pool, words: Sequence[str], n: int, free: Free, rng: Generator) -> Rows:
    """For each given word, draw n words of about the same frequency, without repeats.

    Only words that consist of letters are drawn; numbers, signs, and phrases are not comparable.
    """
    free = free.copy()
    ranks = pool.ranks[pool.by_rank]
    drawn: list[int] = []
    for word in words:
        rank = pool.found_ranks[word]
        ends = rank * (1 - TOLERANCE), rank * (1 + TOLERANCE)
        near = pool.by_rank[slice(*np.searchsorted(ranks, ends))]
        near = near[free[near]]
        if len(near) < n:
            raise TooFewWordsError(
                f"{word!r} has frequency rank {rank:,}, and too few unused words rank between "
                f"{ends[0]:,.0f} and {ends[1]:,.0f} (found {len(near)}, need {n}); use a larger "
                "vocabulary"
            )
        rows = rng.choice(near, n, replace=False)
        free[rows] = False
        drawn += rows.tolist()
    return np.array(drawn, dtype=np.int64)


def mean_cosine(vectors: FloatArray) -> float:
    """Return the mean cosine of all pairs of unit vectors; 1 for a single vector."""
    n = len(vectors)
    return float((np.square(vectors.sum(axis=0)).sum() - n) / (n * (n - 1))) if n > 1 else 1.0


def topic(vectors: FloatArray, free: Free, size: int, cohesion: float, rng: Generator) -> Rows:
    """Draw a topic: ``size`` neighbors of a random word, about as coherent as a given set.

    ``vectors`` are unit rows, ``free`` marks the rows that may be drawn, and ``cohesion`` is the
    mean cosine of pairs in the set. Rows are drawn from the largest neighborhood (up to `NEIGHBORS`
    words) that is at least as coherent as the set; if there is none, the nearest words are used.
    """
    middle = rng.choice(np.flatnonzero(free))
    distances = np.where(free, -(vectors @ vectors[middle]), np.inf)
    n_near = min(max(NEIGHBORS, size), int(free.sum()))
    near = np.argpartition(distances, n_near - 1)[:n_near]
    near = near[np.lexsort((near, distances[near]))]
    n = np.arange(2, n_near + 1)
    squares = np.square(np.cumsum(vectors[near], axis=0)[1:]).sum(axis=1)
    coherent = n[(squares - n) / (n * (n - 1)) >= cohesion]
    return np.asarray(rng.choice(near[: coherent.max(initial=size)], size, replace=False))
