"""Draw a pool of words from an embedding in one pass, for replacements and matched controls."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import chain
from typing import Any

import numpy as np
from numpy.random import Generator, SeedSequence
from numpy.typing import NDArray

from .._core.arrays import FloatArray, unit_rows
from .._core.characters import has_only_letters
from .._core.checks import Argument, ArgumentError, check_choice
from .._core.warnings import warn
from ..embeddings.formats.keyed import Vectors, chunks_of, is_ranked, with_words
from ..embeddings.load import VectorsLike
from ..embeddings.registry import open_embedding
from ..embeddings.source import Chunk, Embedding, Vector
from ..tables.spellings import CASES, KeyedVectors, choose, every_form, forms_of
from ..warnings import UnknownFrequency

Free = NDArray[np.bool_]
Rows = NDArray[np.int64]

type _Drawn = tuple[np.ndarray[Any, Any], ...]
"""Random numbers, words, vectors, and ranks, or the last three."""

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
    letters: Free  # (n_words,): whether a word consists of letters only
    found: dict[str, Vector]  # keyed by requested word
    found_ranks: dict[str, int]
    spellings: dict[str, str] = field(default_factory=dict)
    # keyed by requested word: the first one that has the same vector

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
        rows = np.argsort(self.ranks, kind="stable")
        return np.asarray(rows[self.letters[rows]])

    def without(self, words: Sequence[str]) -> Free:
        """Mark the words of the pool that are not among the given words."""
        free = np.ones(len(self.words), dtype=bool)
        free[[self.place[word] for word in words if word in self.place]] = False
        return free

    @property
    def keyed(self) -> Vectors:
        """The requested words with their vectors and ranks."""
        ranks = [self.found_ranks[word] for word in self.found]
        forms = [self.spellings.get(word, word) for word in self.found]
        return Vectors([*self.found], np.array([*self.found.values()]), forms, ranks=ranks)

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

    drawn: _Drawn  # words, vectors, and ranks, in the order of the draw
    found: dict[str, tuple[Vector, int]]  # vectors and ranks, keyed by form
    case: str
    size: int

    @cached_property
    def letters(self) -> Free:
        """Whether each drawn word consists of letters only."""
        return np.array([has_only_letters(word) for word in self.drawn[0]], dtype=bool)

    @cached_property
    def places(self) -> dict[str, list[int]]:
        """The rows of each drawn word, because files may repeat words."""
        places: dict[str, list[int]] = {}
        for row, word in enumerate(self.drawn[0]):
            places.setdefault(word, []).append(row)
        return places

    def first(self, lists: Iterable[Iterable[str]]) -> Iterator[np.ndarray[Any, Any]]:
        """Yield the words, vectors, and ranks that can be in the pools of some lists."""
        most = self.size + 2 * max(len(_forms(words)) for words in lists)
        yield from (np.ascontiguousarray(part[:most]) for part in self.drawn)

    def of(self, words: Iterable[str]) -> Pool:
        """Return the pool of a list with these words, as if it were the only list."""
        asked = tuple(words)
        forms = _forms(asked)
        found = {form: self.found[form] for form in self.found if form in forms}
        own = [row for form in forms for row in self.places.get(form, ())]
        others = np.delete(np.arange(len(self.drawn[0])), own)[: self.size]
        if not len(others):
            raise TooFewWordsError(
                "there are no words with ranks asked for, except those in the list; pass the name "
                "or path of the embedding, or load it without a list of words"
            )
        names, vectors, ranks = (part[others] for part in self.drawn)
        form_of, first = choose(asked, found, self.case), dict[str, str]()
        chosen = {word: found[form] for word, form in form_of.items()}
        return Pool(
            words=tuple(names),
            vectors=vectors,
            ranks=ranks,
            letters=self.letters[others],
            found={word: vector for word, (vector, _) in chosen.items()},
            found_ranks={word: rank for word, (_, rank) in chosen.items()},
            spellings={word: first.setdefault(form, word) for word, form in form_of.items()},
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
    check_choice("case", case, CASES)
    of_lists, (first, stop) = [_forms(words) for words in lists], _range_of(ranks)
    wanted = set[str]().union(*of_lists)
    most = size + 2 * max(map(len, of_lists))  # twice, because files may repeat words
    found: dict[str, tuple[Vector, int]] = {}
    kept: list[_Drawn] = []
    last = np.inf  # words with larger numbers are not drawn
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
        usable &= keys < last
        names = np.array(chunk.words, dtype=object)
        kept.append(tuple(part[usable] for part in (keys, names, chunk.vectors, chunk.ranks)))
        if sum(len(part[0]) for part in kept) > 2 * most:
            kept = [_smallest(kept, most)]
            last = kept[0][0][-1]
    by_frequency = sorted(found, key=lambda form: found[form][1])
    if by_rank and found and not is_ranked(embedding, by_frequency):
        warn(UnknownFrequency(embedding.loaded is None, about=embedding.name))
    drawn = _smallest(kept, most)[1:] if kept else (np.empty(0),) * 3
    return Pools(drawn, found, case, size)


def _range_of(ranks: object) -> tuple[int, int | None]:
    """Return the first rank and the one after the last; raise an ArgumentError if unusable."""
    match ranks:
        case (int(first), None) if first >= 0:
            return first, None
        case (int(first), int(stop)) if 0 <= first < stop:
            return first, stop
    need = " must be a first rank from 0 and a larger rank or None, such as (0, 50_000)"
    raise ArgumentError(Argument("ranks"), f"{need}; got {ranks!r}")


def _smallest(parts: Sequence[_Drawn], n: int) -> _Drawn:
    """Join parts, and keep the n rows with the smallest numbers, in their order."""
    whole = [np.concatenate(one) for one in zip(*parts, strict=True)]
    rows = np.argsort(whole[0], kind="stable")[:n]
    return tuple(part[rows] for part in whole)


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


def with_drawn(vectors: KeyedVectors, words: Sequence[str], pool: Pool) -> KeyedVectors:
    """Add the vectors of words of a pool to vectors that may lack them."""
    new = [word for word in words if word not in vectors.key_to_index]
    rows = [pool.place[word] for word in new]
    return with_words(vectors, new, pool.vectors[rows], pool.ranks[rows].tolist())
