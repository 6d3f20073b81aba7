"""A random sample of an embedding's words with their vectors, drawn in one pass over the file."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from ..embeddings.chunks import Chunk, Vector
from ..embeddings.load import choose, open_embedding
from ..embeddings.vocabulary import ODD, Lookup

if TYPE_CHECKING:
    from .psi_distribution import Source

POOL_SIZE = 20_000
"""Words of a pool: lists of some dozens hardly ever meet in it."""


@dataclass(frozen=True, eq=False)
class Pool:
    """Random words of an embedding, and the words that were asked for.

    Parameters
    ----------
    words : tuple of str
        A simple random sample of the vocabulary, without the words asked for.
    vectors : (n_words, n_dims) float32
    found : dict of str to (n_dims,) float32
        Vectors of the words asked for, as far as they are there.
    n_vocabulary : int
        Words of the embedding that the sample is from.
    """

    words: tuple[str, ...]
    vectors: Vector
    found: dict[str, Vector]
    n_vocabulary: int

    def sets(self, sizes: Iterable[int], rng: np.random.Generator) -> list[NDArray[np.int64]]:
        """Rows of random sets of some sizes, no word in two of them."""
        wanted = list(sizes)
        if sum(wanted) > len(self.words):
            raise ValueError(
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
    rng: np.random.Generator,
    allow_pickle: bool = False,
    progressbar: bool = True,
) -> Pool:
    """Draw a pool.

    Every word gets a random number, and those with the smallest are kept, which needs neither
    the number of words nor a second pass; how the file is cut into chunks makes no difference.

    Parameters
    ----------
    source
        As for `distribution`.
    words : iterable of str
        Words to find in the same pass; they are not in the sample.
    case : {"exact", "lower", "fallback"}
    ranks : (first, stop)
        Sample only among words from rank ``first`` up to before ``stop`` in the file's order.
    size : int
        Words of the pool at most.
    rng : numpy.random.Generator

    Raises
    ------
    ValueError
        If there are no words to sample from.
    """
    embedding = open_embedding(source, allow_pickle=allow_pickle, progressbar=progressbar)
    sample = _Sample(tuple(words), ranks, size)
    for chunk in embedding.iterate():
        sample.add(chunk, rng)
    return sample.pool(case)


class _Sample:
    """The words with the smallest random numbers so far, and those asked for."""

    def __init__(self, asked: tuple[str, ...], ranks: tuple[int, int | None], size: int) -> None:
        self.asked, self.ranks, self.size = asked, ranks, size
        forms = {form for word in asked for form in (word, word.lower())}
        self.wanted = {form.encode(errors=ODD): form for form in forms}
        self.lookup = Lookup(self.wanted)
        self.found: dict[str, Vector] = {}
        self.names: list[bytes] = []
        self.keys = np.empty(0)
        self.rows: Vector | None = None
        self.seen = self.n_vocabulary = 0

    def add(self, chunk: Chunk, rng: np.random.Generator) -> None:
        """Keep what is wanted of a chunk."""
        keys = rng.random(len(chunk))
        ranks = np.arange(self.seen, self.seen + len(chunk))
        self.seen += len(chunk)
        first, stop = self.ranks
        usable = (ranks >= first) & (ranks < (np.inf if stop is None else stop))
        usable &= np.isfinite(chunk.vectors).all(axis=1) & chunk.vectors.any(axis=1)
        for row, name in self.lookup.find(chunk.vocabulary):
            usable[row] = False
            self.found.setdefault(self.wanted[name], chunk.vectors[row].copy())
        self.n_vocabulary += int(usable.sum())
        limit = self.keys.max() if len(self.keys) == self.size else np.inf
        rows = np.flatnonzero(usable & (keys < limit))
        self._keep(
            keys[rows], [chunk.vocabulary.name(row) for row in rows.tolist()], chunk.vectors[rows]
        )

    def _keep(self, keys: NDArray[np.float64], names: list[bytes], vectors: Vector) -> None:
        if self.rows is None:
            self.rows = vectors[:0]
        keys = np.concatenate([self.keys, keys])
        kept = np.argsort(keys, kind="stable")[: self.size]
        names = self.names + names
        self.names = [names[at] for at in kept.tolist()]
        self.keys, self.rows = keys[kept], np.concatenate([self.rows, vectors])[kept]

    def pool(self, case: str) -> Pool:
        """Return what was kept, in random order."""
        if self.rows is None or not len(self.rows):
            raise ValueError(f"the embedding has no words to sample from at ranks {self.ranks}")
        chosen = choose(self.asked, self.found, case)
        return Pool(
            tuple(name.decode(errors=ODD) for name in self.names),
            self.rows,
            {word: self.found[form] for word, form in chosen.items()},
            self.n_vocabulary,
        )
