"""A random sample of an embedding's words with their vectors, drawn in one walk of the file."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from ..embeddings.formats.blocks import Block
from ..embeddings.formats.headers import Vector
from ..embeddings.load import choose, vector_blocks
from ..embeddings.vocabulary import ODD, rows_in, table_of

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
    the number of words nor a second walk; how the file is cut into blocks makes no difference.

    Parameters
    ----------
    source
        As for `distribution`.
    words : iterable of str
        Words to find on the way; they are not in the sample.
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
    walk = vector_blocks(source, allow_pickle=allow_pickle, progressbar=progressbar)
    sample = _Sample(tuple(words), ranks, size)
    for block in walk:
        sample.see(block, rng)
    return sample.pool(case)


class _Sample:
    """The words with the smallest random numbers so far, and those asked for."""

    def __init__(self, asked: tuple[str, ...], ranks: tuple[int, int | None], size: int) -> None:
        self.asked, self.ranks, self.size = asked, ranks, size
        forms = {form for word in asked for form in (word, word.lower())}
        self.wanted = {form.encode(errors=ODD): form for form in forms}
        self.table = table_of(self.wanted)
        self.found: dict[str, Vector] = {}
        self.names: list[bytes] = []
        self.keys = np.empty(0)
        self.rows: Vector | None = None
        self.seen = self.n_vocabulary = 0

    def see(self, block: Block, rng: np.random.Generator) -> None:
        """Take what is wanted of a block."""
        names = block.names.split(b"\n")[:-1]
        keys = rng.random(len(block))
        place = np.arange(self.seen, self.seen + len(block))
        self.seen += len(block)
        first, stop = self.ranks
        usable = (place >= first) & (place < (np.inf if stop is None else stop))
        usable &= np.isfinite(block.vectors).all(axis=1) & block.vectors.any(axis=1)
        for row in rows_in(block.hashes, self.table):
            form = self.wanted.get(names[row])
            if form is not None:
                usable[row] = False
                self.found.setdefault(form, block.vectors[row].copy())
        self.n_vocabulary += int(usable.sum())
        limit = self.keys.max() if len(self.keys) == self.size else np.inf
        self._keep(np.flatnonzero(usable & (keys < limit)), keys, names, block.vectors)

    def _keep(
        self,
        rows: NDArray[np.int64],
        keys: NDArray[np.float64],
        names: list[bytes],
        vectors: Vector,
    ) -> None:
        if self.rows is None:
            self.rows = vectors[:0].copy()
        all_keys = np.concatenate([self.keys, keys[rows]])
        all_names = self.names + [names[row] for row in rows.tolist()]
        all_rows = np.concatenate([self.rows, vectors[rows]])
        kept = np.argsort(all_keys, kind="stable")[: self.size]
        if len(kept) < len(all_keys):
            all_keys, all_rows = all_keys[kept], all_rows[kept]
            all_names = [all_names[at] for at in kept.tolist()]
        self.keys, self.names, self.rows = all_keys, all_names, all_rows

    def pool(self, case: str) -> Pool:
        """Give what was kept."""
        if self.rows is None or not len(self.rows):
            raise ValueError(f"the embedding has no words to sample from at ranks {self.ranks}")
        order = np.argsort(self.keys, kind="stable")
        chosen = choose(self.asked, self.found, case)
        return Pool(
            tuple(_texts(self.names[at] for at in order.tolist())),
            self.rows[order],
            {word: self.found[form] for word, form in chosen.items()},
            self.n_vocabulary,
        )


def _texts(names: Iterable[bytes]) -> Iterator[str]:
    return (name.decode(errors=ODD) for name in names)
