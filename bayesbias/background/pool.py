"""Random words of an embedding, drawn in one pass, and what lies among lists of such words."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from .._core.arrays import FloatArray
from ..embeddings.formats.keyed import chunks_of, sample_of
from ..embeddings.load import choose, open_embedding
from ..embeddings.source import Chunk, Vector

if TYPE_CHECKING:
    from .psi_of_source import Source

POOL_SIZE = 20_000
"""Words of a pool: lists of some dozens hardly ever meet in it."""


class TooFewWordsError(ValueError):
    """An embedding has too few words to draw from."""


@dataclass(frozen=True, eq=False)
class Pool:
    """A random sample of an embedding's words, and the words that were asked for, if there.

    Parameters
    ----------
    words : tuple of str
    vectors : (n_words, n_dims) float32
    ranks : (n_words,) int
        Frequency ranks, from 1 on.
    found, found_ranks : dict
        Vector and frequency rank of each word that was asked for and is there.
    """

    words: tuple[str, ...]
    vectors: Vector
    ranks: NDArray[np.int64]
    found: dict[str, Vector]
    found_ranks: dict[str, int]

    def with_found(self, words: Iterable[str]) -> Pool:
        """Return the pool as if some of its words had been asked for, too."""
        place = {word: row for row, word in enumerate(self.words)}
        rows = {word: place[word] for word in words if word in place and word not in self.found}
        return replace(
            self,
            found=self.found | {word: self.vectors[row] for word, row in rows.items()},
            found_ranks=self.found_ranks
            | {word: int(self.ranks[row]) for word, row in rows.items()},
        )

    def sets(self, sizes: Iterable[int], rng: np.random.Generator) -> list[NDArray[np.int64]]:
        """Rows of random sets of some sizes, no word in two of them."""
        wanted = list(sizes)
        if sum(wanted) > len(self.words):
            raise TooFewWordsError(
                f"the embedding has {len(self.words)} words to choose from, fewer than the "
                f"{sum(wanted)} that the list needs; take a larger vocabulary"
            )
        rows = rng.choice(len(self.words), sum(wanted), replace=False)
        return np.split(rows, np.cumsum(wanted)[:-1])


def draw_pool(
    source: Source,
    words: Iterable[str],
    *,
    case: str = "exact",
    ranks: tuple[int, int | None] = (0, None),
    size: int = POOL_SIZE,
    by_rank: bool = False,
    rng: np.random.Generator,
    allow_pickle: bool = False,
    progressbar: bool = True,
) -> Pool:
    """Draw a pool among the words from rank ``first`` up to before ``stop``.

    Every word gets a random number, and those with the smallest are kept, which needs neither
    the number of words nor a second pass; how the file is cut into chunks makes no difference.
    With `by_rank` the number is multiplied by the word's rank: about equally many words are kept
    between any rank and its double, so that words as frequent as any other are among them. These
    are also drawn from words that an embedding has besides its vocabulary.
    """
    embedding = open_embedding(source, allow_pickle=allow_pickle, progressbar=progressbar)
    sample = _Sample(tuple(words), ranks, size, by_rank=by_rank)
    for chunk in embedding.chunks():
        sample.add(chunk, rng)
    loaded = embedding.source.loaded
    if by_rank and loaded is not None and (more := sample_of(loaded)) is not None:
        for chunk in chunks_of(more):
            sample.add(chunk, rng)
    return sample.pool(case)


class _Sample:
    """The words with the smallest random numbers so far, and those asked for."""

    def __init__(
        self,
        asked: tuple[str, ...],
        between: tuple[int, int | None],
        size: int,
        *,
        by_rank: bool,
    ) -> None:
        self.asked, self.between, self.size, self.by_rank = asked, between, size, by_rank
        self.wanted = {form for word in asked for form in (word, word.lower())}
        self.found: dict[str, Vector] = {}
        self.found_ranks: dict[str, int] = {}
        self.ranks = np.empty(0, dtype=np.int64)
        self.names: list[str] = []
        self.keys = np.empty(0)
        self.rows: Vector | None = None

    def add(self, chunk: Chunk, rng: np.random.Generator) -> None:
        """Keep what is wanted of a chunk."""
        drawn = rng.random(len(chunk))
        ranks = chunk.ranks
        if self.by_rank:
            drawn *= ranks
        first, stop = self.between
        usable = (ranks > first) & (ranks <= (np.inf if stop is None else stop))
        usable &= np.isfinite(chunk.vectors).all(axis=1) & chunk.vectors.any(axis=1)
        for row, word in enumerate(chunk.words):
            if word not in self.wanted:
                continue
            usable[row] = False
            if word not in self.found:
                self.found[word], self.found_ranks[word] = (
                    chunk.vectors[row].copy(),
                    int(ranks[row]),
                )
        limit = self.keys.max() if len(self.keys) == self.size else np.inf
        rows = np.flatnonzero(usable & (drawn < limit))
        keys = np.concatenate([self.keys, drawn[rows]])
        kept = np.argsort(keys, kind="stable")[: self.size]
        names = self.names + [chunk.words[row] for row in rows.tolist()]
        before = chunk.vectors[:0] if self.rows is None else self.rows
        self.keys, self.names = keys[kept], [names[at] for at in kept.tolist()]
        self.ranks = np.concatenate([self.ranks, ranks[rows]])[kept]
        self.rows = np.concatenate([before, chunk.vectors[rows]])[kept]

    def pool(self, case: str) -> Pool:
        """Return what was kept, in random order."""
        if self.rows is None or not len(self.rows):
            raise TooFewWordsError(
                "these vectors hold no words but the list's own; give the name or path of the "
                "embedding, or load it whole, without naming words"
                if self.between == (0, None)
                else f"the embedding has no words to sample from at ranks {self.between}"
            )
        words = tuple(self.names)
        chosen = choose(self.asked, self.found, case)
        return Pool(
            words,
            self.rows,
            self.ranks,
            {word: self.found[form] for word, form in chosen.items()},
            {word: self.found_ranks[form] for word, form in chosen.items()},
        )


def among_references(values: FloatArray, drawn: FloatArray) -> dict[str, FloatArray]:
    """Place values, (n,), among those of reference lists, (n_lists, n): columns of a frame.

    Ties count half. The p-value is two-sided, 2 (b + 1)/(n_lists + 1), at most 1, with b the lists
    as far out on its side; low and high are the middle 95%.
    """
    below, above = (drawn < values).sum(axis=0), (drawn > values).sum(axis=0)
    ties = len(drawn) - below - above
    as_far = np.minimum(below, above) + ties
    low, high = np.quantile(drawn, [0.025, 0.975], axis=0)
    return {
        "percentile": (below + ties / 2) / len(drawn),
        "p_value": np.minimum(1.0, 2 * (as_far + 1) / (len(drawn) + 1)),
        "reference_mean": drawn.mean(axis=0),
        "reference_sd": drawn.std(axis=0, ddof=min(1, len(drawn) - 1)),
        "reference_low": low,
        "reference_high": high,
    }
