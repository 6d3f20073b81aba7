"""Chunks of an embedding: words that follow each other, with their vectors as one matrix."""

from __future__ import annotations

from collections.abc import Buffer, Generator, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from queue import SimpleQueue
from threading import Event, Semaphore
from typing import IO, Any

import numpy as np
from numpy.typing import NDArray

from .vocabulary import ODD, Vocabulary

Bytes = NDArray[np.uint8]
Vector = NDArray[np.float32]
Entry = tuple[bytes, Vector, int]
"""A word as the file spells it, its (n_dims,) vector, and its frequency rank, from 1 on.

Files of embeddings begin with the most frequent word, so that the place of a word is its rank.
"""

READ_SIZE = 3 << 20
"""Bytes of a chunk: few enough to stay in a processor's shared cache until they are used."""

AHEAD = 2
"""Chunks that are made before they are asked for."""


@dataclass(frozen=True, eq=False)
class Chunk:
    r"""Some words of an embedding that follow each other, with their (n, n_dims) vectors.

    The names are as the file spells them, each with ``\n`` behind it. ``ranks``, (n,), are their
    frequency ranks where these are not their places in the file.
    """

    names: bytes
    vectors: Vector
    ranks: NDArray[np.int64] | None = None

    def __len__(self) -> int:
        return len(self.vectors)

    def words(self, errors: str = ODD) -> list[str]:
        """Return the words as text."""
        return self.names.decode(errors=errors).split("\n")[:-1]

    @cached_property
    def vocabulary(self) -> Vocabulary:
        """The words with their hashes."""
        return Vocabulary(self.names)


def array_chunks(
    words: Sequence[str],
    matrix: Vector,
    rows: int | None = None,
    ranks: NDArray[np.int64] | None = None,
) -> Iterator[Chunk]:
    """Cut words and their (n_words, n_dims) vectors, which are in memory, into chunks."""
    most = rows_of_chunk(matrix.shape[1], rows)
    for start in range(0, len(words), most):
        some = Vocabulary.of(words[start : start + most])
        vectors = np.ascontiguousarray(matrix[start : start + most], dtype=np.float32)
        own = None if ranks is None else ranks[start : start + most]
        yield Chunk(bytes(some.names), vectors, own)


def rows_of_chunk(n_dims: int, rows: int | None) -> int:
    """Rows of a chunk: those asked for, or as many as `READ_SIZE` holds."""
    if rows is None:
        return max(1, READ_SIZE // (4 * n_dims))
    if rows < 1:
        raise ValueError(f"rows must be a whole number from 1 on; got {rows!r}")
    return rows


def checked_lines(names: Bytes, count: int, path: Path) -> bytes:
    """Return ``count`` newline-terminated words as bytes; a ValueError if one holds a newline."""
    lines = names.tobytes()
    if lines.count(b"\n") != count:
        raise ValueError(
            f"{path} holds a word with a line break in it; the file is damaged, or not of words"
        )
    return lines


def fill_buffer(stream: IO[bytes], buffer: Buffer, filled: int) -> int:
    """Read on into a buffer until it is full or the file ends; return how far it is filled."""
    view = memoryview(buffer)
    while filled < len(view):
        got = stream.readinto(view[filled:])  # type: ignore[attr-defined]
        if not got:
            break
        filled += got
    return filled


class ReadBuffer:
    """What has been read of a binary stream, at first ``content``, and not been used yet."""

    def __init__(self, stream: IO[bytes], content: bytes = b"") -> None:
        self.stream = stream
        self.letters = np.empty(max(READ_SIZE, 2 * len(content)), dtype=np.uint8)
        self.letters[: len(content)] = np.frombuffer(content, dtype=np.uint8)
        self.offset, self.filled = 0, len(content)
        self.ended = False

    @property
    def left(self) -> Bytes:
        """What has not been used."""
        return self.letters[self.offset : self.filled]

    def refill(self) -> None:
        """Read on behind what is left; if nothing has been used, the buffer doubles."""
        left = self.left.copy()
        if len(left) == len(self.letters):
            self.letters = np.empty(2 * len(left), dtype=np.uint8)
        self.letters[: len(left)] = left
        self.offset, self.filled = 0, fill_buffer(self.stream, self.letters.data, len(left))
        self.ended = self.filled < len(self.letters)


def ahead[T](chunks: Iterator[T]) -> Generator[T]:
    """Yield what an iterator yields, while a thread makes the next ones, `AHEAD` of them at most.

    With one only, each side would wait for the other at every chunk.
    """
    over = object()
    made: SimpleQueue[Any] = SimpleQueue()
    room, stopped = Semaphore(AHEAD), Event()

    def make() -> None:
        for chunk in chunks:
            room.acquire()
            if stopped.is_set():
                return
            made.put(chunk)

    with ThreadPoolExecutor(max_workers=1) as thread:
        making = thread.submit(make)
        making.add_done_callback(lambda _: made.put(over))
        try:
            while (chunk := made.get()) is not over:
                room.release()
                yield chunk
            making.result()  # raises what ended the reading
        finally:
            stopped.set()
            room.release()
