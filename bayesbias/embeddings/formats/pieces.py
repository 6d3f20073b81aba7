"""What is looked for while a whole embedding is walked, and what was found of it piece by piece.

A piece is what a thread can take without knowing how far the others have come. Pieces come in the
order of the file all the same.
"""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Callable, Generator, Iterable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from functools import cached_property
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from ..._core.arrays import FloatArray
from ..vocabulary import Hashes, Rows, rows_in
from .blocks import Block, Bytes
from .headers import Entry, Vector

CAN_READ_ANYWHERE = hasattr(os, "pread")
"""Whether several threads can read a file side by side; else one reads it from end to end."""

SMALLEST_SPAN, LARGEST_SPAN = 4 << 20, 32 << 20
"""Bytes of a file that are a piece: so many that waking a thread takes no time to speak of."""

GROWTH = 4
"""In between, a piece has a quarter of what lies before it, so that who looks for something at the
front does not read much more than that."""

CHUNK = 1 << 18
"""Bytes of a piece read at a time: what stays in a processor's own cache until it is used."""

TWICE = 64
"""Words that may be found in a piece more than once before it has to be read with care."""

AHEAD = 3
"""Pieces for each thread that may be begun before they are asked for."""

MOST_THREADS = 4
"""More would wait for the memory."""

ROWS, LANES = 5, 16
"""What `span_kernels.project` wants directions to be padded to: their number, and their length."""


@dataclass(frozen=True, eq=False)
class Look:
    """Words to look for, and directions to take products with.

    Parameters
    ----------
    table : (2**k,) uint64
        Of the words, as `vocabulary.table_of` makes it.
    directions : (5 * m, 16 * l) float32
        Padded with zeros.
    count : int
        How many of these rows there are.
    """

    table: Hashes
    directions: Vector
    count: int

    @cached_property
    def most_found(self) -> int:
        """Words that may be found in a piece."""
        return int(np.count_nonzero(self.table)) + TWICE

    @classmethod
    def of(cls, table: Hashes, directions: FloatArray) -> Look:
        """Pad directions, (count, n_dims), to the sizes that the compiled loop wants."""
        count, n_dims = directions.shape
        shape = (-(-count // ROWS) * ROWS, -(-n_dims // LANES) * LANES)
        padded = np.zeros(shape, dtype=np.float32)
        padded[:count, :n_dims] = directions
        return cls(table, padded, count)


@dataclass(frozen=True, eq=False)
class Piece:
    r"""Some words of an embedding that follow each other, and what a look at them found.

    Parameters
    ----------
    names : (n_bytes,) uint8
        The words as the file spells them, each with ``\n`` behind it.
    hashes : (n,) uint64
    products : (count, n) float32
        Of unit vectors and directions; see `span_kernels.project`.
    found : sequence of Entry
        Words that have the hash of one looked for, with their vectors, in the order of the file.
    look : Look
    """

    names: Bytes
    hashes: Hashes
    products: NDArray[np.float32]
    found: Sequence[Entry]
    look: Look

    def __len__(self) -> int:
        return len(self.hashes)


Looks = Callable[[int], Look]
"""Gives what to look for now, in vectors of so many dimensions; any thread may call it."""


class Walk(Protocol):
    """Looks at an embedding, from the start; gives ``first`` pieces, or all, or more than asked."""

    def __call__(self, looks: Looks, *, first: int | None = None) -> Generator[Piece]:
        """Begin."""


def piece_of(block: Block, looks: Looks) -> Piece:
    """Look at a block."""
    from .span_kernels import project

    look = looks(block.n_dims)
    products = np.empty((look.count, len(block)), dtype=np.float32)
    project(block.numbers, block.starts, block.n_dims, look.directions, products, 0)
    rows = rows_in(block.hashes, look.table)
    vectors = np.array([block.vector(row) for row in rows])
    names = np.frombuffer(block.names, dtype=np.uint8)
    found = found_in(names, np.array(rows), vectors)
    return Piece(names, block.hashes, products, found, look)


def found_in(names: Bytes, rows: Rows, vectors: Vector) -> list[Entry]:
    """Give the words of some rows with their vectors."""
    if not len(rows):
        return []
    ends = np.flatnonzero(names == ord("\n"))
    starts = np.append(0, ends + 1)
    words = (names[starts[row] : ends[row]].tobytes() for row in rows)
    return list(zip(words, vectors, strict=True))


def cut_places(n_bytes: int, n_dims: int, rows: int | None) -> list[int]:
    """Places where so many bytes are cut into spans, from 0 to the last.

    Spans are as long as ``rows`` vectors, or small at the front and larger further on.
    """
    if rows is not None and rows < 1:
        raise ValueError(f"rows must be a whole number from 1 on; got {rows!r}")
    places = [0]
    while places[-1] < n_bytes:
        size = min(max(SMALLEST_SPAN, places[-1] // GROWTH), LARGEST_SPAN)
        if rows is not None:
            size = min(size, 4 * n_dims * rows)
        places.append(min(places[-1] + max(size, 4 * n_dims), n_bytes))
    return places


def in_order[S, T](work: Callable[[S], T], spans: Iterable[S]) -> Generator[T]:
    """Give what work makes of each, in order; some threads do it side by side.

    They are `AHEAD` pieces for each thread ahead at most. Nothing new is begun once the iterator
    is closed or something was raised.
    """
    n_threads = min(os.cpu_count() or 1, MOST_THREADS)
    waiting: deque[Future[T]] = deque()
    with ThreadPoolExecutor(max_workers=n_threads) as threads:
        try:
            for span in spans:
                waiting.append(threads.submit(work, span))
                if len(waiting) > AHEAD * n_threads:
                    yield waiting.popleft().result()
            while waiting:
                yield waiting.popleft().result()
        finally:
            for future in waiting:
                future.cancel()
