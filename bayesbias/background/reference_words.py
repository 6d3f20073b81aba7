"""Draw replacements for the words of a list: random words, equally frequent words, or topics."""

from __future__ import annotations

from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import chain, islice
from typing import Any, Literal

import numpy as np
from numpy.random import Generator, SeedSequence, default_rng
from numpy.typing import NDArray

from .._core.arrays import FloatArray, unit_rows
from .._core.checks import check_numbers
from .._core.random import Seed, as_seed_sequence
from .._core.warnings import warn
from ..embeddings.formats.keyed import Vectors, chunks_of, is_ranked, with_words
from ..embeddings.load import VectorsLike
from ..embeddings.registry import open_embedding
from ..embeddings.source import Chunk, Embedding, Vector
from ..tables.spellings import KeyedVectors, choose, every_form, forms_of
from ..tables.wordlist_lint import WORD_TABLES
from ..tables.wordlists import WordList, WordListLike, load_wordlist
from ..warnings import UnknownFrequency

Match = Literal["random", "frequency", "topics"]
Vary = Literal["protected", "stereotypes", "both"]
Free = NDArray[np.bool_]
Rows = NDArray[np.int64]

N_MATCHED = 5
"""Number of matched words for each stereotype."""

TOLERANCE = 0.2
"""Two words are equally frequent if their ranks differ by no more than this share."""

NEIGHBORS = 1_000
"""Largest number of neighbors from which a topic is drawn; no bundled list needs that many."""

POOL_SIZE = 20_000
"""Number of words drawn from an embedding, far more than a list needs."""


WORDS_SEED = 0
"""Seed of all draws of words: a list always has the same controls and reference lists."""


class TooFewWordsError(ValueError):
    """Raised if an embedding has too few words to draw from."""


@dataclass(frozen=True, eq=False)
class Pool:
    """A random sample of an embedding's words, and the requested words that the embedding has."""

    words: tuple[str, ...]
    vectors: Vector  # (n_words, n_dims)
    ranks: Rows  # (n_words,): frequency ranks, starting at 1
    found: dict[str, Vector]  # keyed by requested word
    found_ranks: dict[str, int]

    @cached_property
    def units(self) -> FloatArray:
        """The vectors at unit length."""
        return unit_rows(self.vectors)

    @cached_property
    def place(self) -> dict[str, int]:
        """The row of each word."""
        return {word: row for row, word in enumerate(self.words)}

    @cached_property
    def by_rank(self) -> Rows:
        """Rows of the words that consist of letters only, in order of frequency."""
        letters = np.array([word.isalpha() for word in self.words], dtype=bool)
        rows = np.argsort(self.ranks, kind="stable")
        return np.asarray(rows[letters[rows]])

    def without(self, words: Sequence[str]) -> Free:
        """Mark the words of the pool that are not among the given words."""
        free = np.ones(len(self.words), dtype=bool)
        free[[self.place[word] for word in words if word in self.place]] = False
        return free

    @property
    def keyed(self) -> Vectors:
        """The requested words with their vectors and ranks."""
        ranks = [self.found_ranks[word] for word in self.found]
        return Vectors([*self.found], np.array([*self.found.values()]), ranks=ranks)

    def ranks_of(self, words: Sequence[str], drawn: Mapping[str, int]) -> FloatArray:
        """Return the ranks of words, or of the words drawn to replace them."""
        own = (self.ranks[drawn[w]] if w in drawn else self.found_ranks[w] for w in words)
        return np.array([*own], dtype=np.float64)

    def units_of(self, words: Sequence[str]) -> FloatArray:
        """Return the unit vectors of words that were found."""
        return unit_rows([self.found[word] for word in words])

    def replaced(
        self, units: FloatArray, words: Sequence[str], drawn: Mapping[str, int]
    ) -> FloatArray:
        """Return the unit vectors of words, with those of the words drawn to replace some."""
        places = [place for place, word in enumerate(words) if word in drawn]
        units = units.copy()
        units[places] = self.units[[drawn[words[place]] for place in places]]
        return units


@dataclass(frozen=True, eq=False)
class Pools:
    """Words drawn for several lists in one pass, from which each list gets its own pool."""

    drawn: tuple[np.ndarray[Any, Any], ...]  # words, vectors, and ranks, in the order of the draw
    found: dict[str, tuple[Vector, int]]  # vectors and ranks, keyed by form
    case: str
    size: int

    def first(self, lists: Iterable[Iterable[str]]) -> Iterator[np.ndarray[Any, Any]]:
        """Yield the words, vectors, and ranks that can be in the pools of some lists."""
        most = self.size + 2 * max(len(_forms(words)) for words in lists)
        yield from (np.ascontiguousarray(part[:most]) for part in self.drawn)

    def of(self, words: Iterable[str]) -> Pool:
        """Return the pool of a list with these words, as if it were the only list."""
        asked = tuple(words)
        forms = _forms(asked)
        found = {form: self.found[form] for form in self.found if form in forms}
        others = [row for row, word in enumerate(self.drawn[0]) if word not in forms][: self.size]
        if not others:
            raise TooFewWordsError(
                "there are no words with ranks asked for, except those in the list; pass the name "
                "or path of the embedding, or load it without a list of words"
            )
        names, vectors, ranks = (part[others] for part in self.drawn)
        chosen = {word: found[form] for word, form in choose(asked, found, self.case).items()}
        return Pool(
            words=tuple(names),
            vectors=vectors,
            ranks=ranks,
            found={word: vector for word, (vector, _) in chosen.items()},
            found_ranks={word: rank for word, (_, rank) in chosen.items()},
        )


def draw_pool(source: VectorsLike, words: Iterable[str], **how: Any) -> Pool:  # noqa: ANN401
    """Draw the pool of one list, as `draw_pools` does."""
    asked = tuple(words)
    return draw_pools(source, [asked], **how).of(asked)


def draw_pools(
    source: VectorsLike,
    lists: Sequence[Sequence[str]],
    *,
    rng: Generator,
    case: str = "exact",
    ranks: tuple[int, int | None] = (0, None),
    size: int = POOL_SIZE,
    by_rank: bool = False,
    allow_pickle: bool = False,
    progressbar: bool = True,
) -> Pools:
    """Draw pools from the words of rank ``first`` up to, but not including, ``stop``.

    In one pass, every word gets a random number, and the words with the smallest numbers are kept.
    With `by_rank`, the number is multiplied by the word's rank, so all of the most frequent words
    are kept. Among less frequent words, a pool has about the same number of words between any
    rank and twice that rank. Words from the extra sample of some embeddings can be drawn, too.
    Enough words are drawn for each list to leave its own words out.
    The embedding keeps the vectors of the lists' words in memory.
    """
    of_lists, (first, stop) = [_forms(words) for words in lists], ranks
    wanted = set[str]().union(*of_lists)
    most = size + 2 * max(map(len, of_lists))  # twice, because files may repeat words
    found: dict[str, tuple[Vector, int]] = {}
    drawn: list[np.ndarray[Any, Any]] = []  # random numbers, words, vectors, and ranks
    embedding = open_embedding(source, allow_pickle=allow_pickle, progressbar=progressbar)
    if embedding.makes:
        raise TooFewWordsError("an encoder has no list of words to draw from")
    forms = {form for word in chain(*lists) for form in every_form(word)}
    for chunk in _chunks(embedding, forms, and_sample=by_rank):
        real = np.array([word != "" for word in chunk.words])  # not lines of a copy left out
        keys = np.zeros(len(chunk))
        keys[real] = rng.random(int(real.sum()))
        keys *= chunk.ranks if by_rank else 1.0
        usable = (chunk.ranks > first) & (chunk.ranks <= (np.inf if stop is None else stop))
        usable &= np.isfinite(chunk.vectors).all(axis=1) & chunk.vectors.any(axis=1)
        for row, word in enumerate(chunk.words):
            if word in wanted:
                found.setdefault(word, (chunk.vectors[row].copy(), int(chunk.ranks[row])))
        names = np.array(chunk.words, dtype=object)
        new = [part[usable] for part in (keys, names, chunk.vectors, chunk.ranks)]
        both = [np.concatenate(pair) for pair in zip(drawn, new, strict=True)] if drawn else new
        smallest = np.argsort(both[0], kind="stable")[:most]
        drawn = [part[smallest] for part in both]
    by_frequency = sorted(found, key=lambda form: found[form][1])
    if by_rank and found and not is_ranked(embedding, by_frequency):
        warn(UnknownFrequency(embedding.loaded is None, about=embedding.name))
    return Pools(tuple(drawn[1:]) or (np.empty(0),) * 3, found, case, size)


def _forms(words: Iterable[str]) -> set[str]:
    """Return the forms of a list's words that are not drawn for it."""
    return {form for word in words for form in (*forms_of(word), *forms_of(word.lower()))}


def _chunks(embedding: Embedding, forms: set[str], *, and_sample: bool) -> Iterator[Chunk]:
    yield from embedding.keeping(forms)
    if and_sample and (more := getattr(embedding.loaded, "sample", None)) is not None:
        yield from chunks_of(more)


def word_seeds() -> list[SeedSequence]:
    """Return seeds for the pool, the matched controls and, the fourth, reference lists."""
    return SeedSequence(WORDS_SEED).spawn(4)


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


def with_drawn(vectors: KeyedVectors, words: Sequence[str], pool: Pool) -> KeyedVectors:
    """Add the vectors of words of a pool to vectors that may lack them."""
    new = [word for word in words if word not in vectors.key_to_index]
    rows = [pool.place[word] for word in new]
    return with_words(vectors, new, pool.vectors[rows], pool.ranks[rows].tolist())


def topic_neighbors(pool: Pool, wordlist: WordList, *, n: int = N_MATCHED) -> list[int]:
    """Return rows of a pool: the n nearest words of each stereotype that are not on the list."""
    taken = {word.lower() for word in wordlist.words}
    rows = list[int]()
    for stereotype in dict.fromkeys(w for own in wordlist.stereotypes.values() for w in own):
        if stereotype in pool.found:
            cosines = pool.units @ unit_rows([pool.found[stereotype]])[0]
            nearest = np.argsort(-cosines, kind="stable").tolist()
            free = (
                r for r in nearest if pool.words[r].isalpha() and pool.words[r].lower() not in taken
            )
            for row in islice(free, n):
                rows.append(row)
                taken.add(pool.words[row].lower())
    return rows


def words_present(wordlist: WordList, found: Container[str]) -> WordList:
    """Return the list without the words that are not in the embedding."""
    kept: dict[str, Any] = {}
    for kind in WORD_TABLES:
        present = {
            name: tuple(word for word in words if word in found)
            for name, words in getattr(wordlist, kind).items()
        }
        kept[kind] = {name: words for name, words in present.items() if words}
    return replace(wordlist, **kept)


def draw_lists(
    pool: Pool, wordlist: WordList, *, vary: Vary, match: Match, n_lists: int, rng: Generator
) -> Iterator[dict[str, int]]:
    """Draw lists, and yield each as a dict that maps replaced words to rows of the pool.

    A word is drawn only once per list. The pool's ``found`` must contain all words of ``wordlist``.
    """
    sets = [] if vary == "stereotypes" else list(wordlist.groups.values())
    sets += [] if vary == "protected" else list(wordlist.stereotypes.values())
    may_be_drawn = pool.without(wordlist.words)
    for _ in range(n_lists):
        free, drawn = may_be_drawn.copy(), dict[str, int]()
        for words in sets:
            wanted = [word for word in words if word not in drawn]
            if wanted:  # other words are in an earlier set
                rows = _rows_for(pool, wanted, match, free, rng)
                free[rows] = False
                drawn |= dict(zip(wanted, rows.tolist(), strict=True))
        yield drawn


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
