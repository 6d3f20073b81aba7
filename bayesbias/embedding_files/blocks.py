"""Whole embedding files in blocks of words and vectors, at the speed of reading.

Where `read_entries` picks single words out of a file, a block holds all words that come next,
their vectors as one matrix. Both read the same formats, refuse the same damage in the same words,
and give the same numbers, bit for bit.
"""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import IO
from weakref import finalize

import numpy as np
from numpy.typing import NDArray

from .headers import Vector
from .vocabulary import Hashes, hashes_of

READ_SIZE = 1 << 20
"""Bytes read at a time: they stay in the processor's cache until they have been taken apart."""


@dataclass(frozen=True, eq=False)
class Block:
    r"""Some words of an embedding that follow each other, with their vectors.

    Parameters
    ----------
    names : bytes
        The words as the file spells them, each with ``\n`` behind it.
    hashes : (n,) uint64
        Of the words; see `vocabulary.hashes_of`.
    vectors : (n, n_dims) float32
    """

    names: bytes
    hashes: Hashes
    vectors: Vector

    def __len__(self) -> int:
        return len(self.vectors)


class Memory:
    """Memory for the matrices of blocks, used again when nobody holds a block any more.

    Fresh memory for every block would take longer to get from the system than to fill.
    """

    def __init__(self) -> None:
        self._free: list[bytearray] = []

    def matrix(self, n_rows: int, n_dims: int) -> Vector:
        """Give an (n_rows, n_dims) matrix of anything."""
        size = 4 * n_rows * n_dims
        buffer = self._free.pop() if self._free else bytearray(size)
        if len(buffer) < size:
            buffer = bytearray(size)
        numbers = np.frombuffer(buffer, dtype=np.float32, count=n_rows * n_dims)
        # Every view of the numbers holds on to this array, since it does not own its memory.
        finalize(numbers, self._free.append, buffer).atexit = False
        return numbers.reshape(n_rows, n_dims)


class Filling:
    """A block while it is being filled, up to a number of rows.

    Parameters
    ----------
    path : Path
        For messages.
    vectors : (n_rows, n_dims) float32
    names : (n_bytes,) uint8
        Room for the words; it can be used again after `block`.
    """

    def __init__(self, path: Path, vectors: Vector, names: NDArray[np.uint8]) -> None:
        self.path = path
        self.vectors = vectors
        self.names = names
        self.taken = 0
        self.n_names = 0

    @property
    def full(self) -> bool:
        """Whether there is no row left."""
        return self.taken == len(self.vectors)

    def add(self, name: bytes, vector: Vector) -> None:
        """Take one more word."""
        line = np.frombuffer(name + b"\n", dtype=np.uint8)
        self.names[self.n_names : self.n_names + len(line)] = line
        self.vectors[self.taken] = vector
        self.count(1, len(line))

    def count(self, taken: int, n_names: int) -> None:
        """Tell of words that were written into the rows that were left."""
        self.taken += taken
        self.n_names += n_names

    def block(self) -> Block:
        """Give what has been taken."""
        names = self.names[: self.n_names].tobytes()
        if names.count(b"\n") != self.taken:
            raise ValueError(
                f"{self.path} holds a word with a line break in it; the file is damaged, or not "
                "of words"
            )
        return Block(names, hashes_of(names, self.taken), self.vectors[: self.taken])


def rows_at_once(n_dims: int, rows: int | None) -> int:
    """Rows of a block: those asked for, or as many as `READ_SIZE` holds."""
    if rows is None:
        return max(1, READ_SIZE // (4 * n_dims))
    if rows < 1:
        raise ValueError(f"rows must be a whole number from 1 on; got {rows!r}")
    return rows


def last_word(names: bytes) -> bytes:
    """Give the last of some words, each with a newline behind it."""
    return names[:-1].rpartition(b"\n")[2]


def fill_buffer(stream: IO[bytes], buffer: bytearray | memoryview, filled: int) -> int:
    """Read on into a buffer until it is full or the file ends; give how far it is filled."""
    view = memoryview(buffer)
    while filled < len(buffer):
        got = stream.readinto(view[filled:])  # type: ignore[attr-defined]
        if not got:
            break
        filled += got
    return filled


def ahead[T](blocks: Iterator[T]) -> Iterator[T]:
    """Give what an iterator gives, while a thread makes the next one."""
    over = object()
    with ThreadPoolExecutor(max_workers=1) as thread:
        coming = thread.submit(next, blocks, over)
        while (block := coming.result()) is not over:
            coming = thread.submit(next, blocks, over)
            yield block  # type: ignore[misc]
