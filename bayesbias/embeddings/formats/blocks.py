"""Whole embedding files in blocks of words and vectors, at the speed of reading.

Where `read_entries` picks single words out of a file, a block holds all words that come next,
their vectors as one matrix. Both read the same formats, refuse the same damage in the same words,
and give the same numbers, bit for bit.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Buffer, Generator, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from queue import SimpleQueue
from threading import Event, Semaphore
from typing import IO, Any
from weakref import finalize

import numpy as np
from numpy.typing import NDArray

from ..vocabulary import Hashes, hashes_of
from .headers import Vector

Bytes = NDArray[np.uint8]
Starts = NDArray[np.int64]

READ_SIZE = 3 << 20
"""Bytes read at a time: few enough to stay in a processor's shared cache until they are used."""

AHEAD = 2
"""Blocks that are made before they are asked for."""


@dataclass(frozen=True, eq=False)
class Block:
    r"""Some words of an embedding that follow each other, with their vectors.

    Parameters
    ----------
    names : bytes
        The words as the file spells them, each with ``\n`` behind it.
    hashes : (n,) uint64
        Of the words; see `vocabulary.hashes_of`.
    numbers : (n_bytes,) uint8
        Memory with the vectors in it, float32, and perhaps with other things between them.
    starts : (n,) int64
        Where each vector begins in it, in ascending order.
    n_dims : int
    """

    names: bytes
    hashes: Hashes
    numbers: Bytes
    starts: Starts
    n_dims: int

    @classmethod
    def of(cls, names: bytes, hashes: Hashes, vectors: Vector) -> Block:
        """Make a block of words and their (n, n_dims) float32 vectors."""
        count, n_dims = vectors.shape
        numbers = np.ascontiguousarray(vectors).reshape(-1).view(np.uint8)
        return cls(names, hashes, numbers, 4 * n_dims * np.arange(count), n_dims)

    def __len__(self) -> int:
        return len(self.starts)

    def vector(self, row: int) -> Vector:
        """Give one vector, (n_dims,) float32, as long as somebody holds the block."""
        start = self.starts[row]
        return self.numbers[start : start + 4 * self.n_dims].view(np.float32)

    @cached_property
    def vectors(self) -> Vector:
        """The vectors as an (n, n_dims) float32 matrix; copied if they do not lie together."""
        size = 4 * self.n_dims
        packed = len(self) * size
        if not len(self) or self.starts[-1] + size - self.starts[0] > packed:
            from .kernels import gather

            rows = np.empty((len(self), size), dtype=np.uint8)
            gather(self.numbers, self.starts, rows)
            return rows.view(np.float32)
        together = self.numbers[self.starts[0] : self.starts[0] + packed]
        return together.view(np.float32).reshape(len(self), self.n_dims)


class Memory:
    """Memory that is used again when nobody holds what was made of it any more.

    Fresh memory for every block would take longer to get from the system than to fill, and giving
    it back would stop all threads.
    """

    def __init__(self) -> None:
        self._free: defaultdict[int, list[Bytes]] = defaultdict(list)

    def bytes(self, size: int) -> Bytes:
        """Give so many bytes of anything."""
        step = 1 << max(size.bit_length() - 4, 0)  # what is about as long is of one kind
        room = -(-size // step) * step
        free = self._free[room]
        try:
            buffer = free.pop()
        except IndexError:  # not asked before, since another thread may take the last one
            buffer = np.empty(room, dtype=np.uint8)
        numbers = np.frombuffer(buffer.data, dtype=np.uint8, count=size)
        # Every view of the numbers holds on to this array, since it does not own its memory.
        finalize(numbers, free.append, buffer).atexit = False
        return numbers

    def matrix(self, n_rows: int, n_dims: int) -> Vector:
        """Give an (n_rows, n_dims) matrix of anything."""
        return self.bytes(4 * n_rows * n_dims).view(np.float32).reshape(n_rows, n_dims)


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

    def __init__(self, path: Path, vectors: Vector, names: Bytes) -> None:
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
        names = lines_of(self.names[: self.n_names], self.taken, self.path)
        return Block.of(names, hashes_of(names, self.taken), self.vectors[: self.taken])


def rows_at_once(n_dims: int, rows: int | None) -> int:
    """Rows of a block: those asked for, or as many as `READ_SIZE` holds."""
    if rows is None:
        return max(1, READ_SIZE // (4 * n_dims))
    if rows < 1:
        raise ValueError(f"rows must be a whole number from 1 on; got {rows!r}")
    return rows


def lines_of(names: Bytes, count: int, path: Path) -> bytes:
    """Give ``count`` words with a newline behind each; a ValueError if one has another in it."""
    lines = names.tobytes()
    if lines.count(b"\n") != count:
        raise ValueError(
            f"{path} holds a word with a line break in it; the file is damaged, or not of words"
        )
    return lines


def last_word(names: bytes) -> bytes:
    """Give the last of some words, each with a newline behind it."""
    return names[:-1].rpartition(b"\n")[2]


def fill_buffer(stream: IO[bytes], buffer: Buffer, filled: int) -> int:
    """Read on into a buffer until it is full or the file ends; give how far it is filled."""
    view = memoryview(buffer)
    while filled < len(view):
        got = stream.readinto(view[filled:])  # type: ignore[attr-defined]
        if not got:
            break
        filled += got
    return filled


def ahead[T](blocks: Iterator[T]) -> Generator[T]:
    """Give what an iterator gives, while a thread makes the next ones, `AHEAD` of them at most.

    With one only, each side would wait for the other at every block.
    """
    over = object()
    made: SimpleQueue[Any] = SimpleQueue()
    room, stopped = Semaphore(AHEAD), Event()

    def make() -> None:
        for block in blocks:
            room.acquire()
            if stopped.is_set():
                return
            made.put(block)

    with ThreadPoolExecutor(max_workers=1) as thread:
        making = thread.submit(make)
        making.add_done_callback(lambda _: made.put(over))
        try:
            while (block := made.get()) is not over:
                room.release()
                yield block
            making.result()  # raises what ended the walk
        finally:
            stopped.set()
            room.release()
