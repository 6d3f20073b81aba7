"""Random words of an embedding, drawn in one pass, and places among lists of such words."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from .._core.arrays import FloatArray, unit_rows
from ..embeddings.formats.keyed import chunks_of
from ..embeddings.load import VectorsLike, choose, open_embedding
from ..embeddings.source import Chunk, Embedding, Vector
from ..tables.spellings import forms_of

POOL_SIZE = 20_000

Rows = NDArray[np.int64]


class TooFewWordsError(ValueError):
    """An embedding has too few words to draw from."""


@dataclass(frozen=True, eq=False)
class Pool:
    """A random sample of an embedding's words, and the words that were asked for, if there.

    Frequency ranks count from 1.
    """

    words: tuple[str, ...]
    vectors: Vector  # (n_words, n_dims)
    ranks: Rows  # (n_words,)
    found: dict[str, Vector]  # by word that was asked for
    found_ranks: dict[str, int]

    @cached_property
    def units(self) -> FloatArray:
        """The vectors at unit length."""
        return unit_rows(self.vectors)

    @cached_property
    def by_rank(self) -> Rows:
        """Rows of words of letters alone, in order of frequency."""
        letters = np.array([word.isalpha() for word in self.words], dtype=bool)
        rows = np.argsort(self.ranks, kind="stable")
        return np.asarray(rows[letters[rows]])

    def units_of(self, words: Sequence[str], drawn: Mapping[str, int]) -> FloatArray:
        """Return the unit vectors of words, those drawn in the place of some of them."""
        return unit_rows([self.vectors[drawn[w]] if w in drawn else self.found[w] for w in words])


def draw_pool(
    source: VectorsLike,
    words: Iterable[str],
    *,
    rng: Generator,
    case: str = "exact",
    ranks: tuple[int, int | None] = (0, None),
    size: int = POOL_SIZE,
    by_rank: bool = False,
    allow_pickle: bool = False,
    progressbar: bool = True,
) -> Pool:
    """Draw a pool among the words from rank ``first`` up to before ``stop``.

    Every word gets a random number, and those with the smallest are kept, in one pass. With
    `by_rank` the number is multiplied by the word's rank: about equally many words are kept
    between any rank and its double, so that some are as frequent as any other word. These
    are also drawn from words that an embedding has besides its vocabulary.
    """
    asked, (first, stop) = tuple(words), ranks
    wanted = {form for word in asked for form in (*forms_of(word), *forms_of(word.lower()))}
    found: dict[str, tuple[Vector, int]] = {}
    drawn: list[np.ndarray[Any, Any]] = []  # random numbers, words, vectors and ranks
    embedding = open_embedding(source, allow_pickle=allow_pickle, progressbar=progressbar)

    for chunk in _chunks(embedding, and_sample=by_rank):
        keys = rng.random(len(chunk)) * (chunk.ranks if by_rank else 1.0)
        usable = (chunk.ranks > first) & (chunk.ranks <= (np.inf if stop is None else stop))
        usable &= np.isfinite(chunk.vectors).all(axis=1) & chunk.vectors.any(axis=1)
        for row, word in enumerate(chunk.words):
            if word in wanted:
                usable[row] = False
                found.setdefault(word, (chunk.vectors[row].copy(), int(chunk.ranks[row])))
        names = np.array(chunk.words, dtype=object)
        new = [part[usable] for part in (keys, names, chunk.vectors, chunk.ranks)]
        both = [np.concatenate(pair) for pair in zip(drawn, new, strict=True)] if drawn else new
        smallest = np.argsort(both[0], kind="stable")[:size]
        drawn = [part[smallest] for part in both]
    if not drawn or not len(drawn[0]):
        raise TooFewWordsError(
            "these vectors hold no words but the list's own; give the name or path of the "
            "embedding, or load it whole, without naming words"
            if ranks == (0, None)
            else f"the embedding has no words to sample from at ranks {ranks}"
        )
    chosen = {word: found[form] for word, form in choose(asked, found, case).items()}
    known = {word: vector for word, (vector, _) in chosen.items()}
    known_ranks = {word: rank for word, (_, rank) in chosen.items()}
    return Pool(tuple(drawn[1]), drawn[2], drawn[3], known, known_ranks)


def _chunks(embedding: Embedding, *, and_sample: bool) -> Iterator[Chunk]:
    yield from embedding.chunks()
    if and_sample and (more := getattr(embedding.loaded, "sample", None)) is not None:
        yield from chunks_of(more)
