"""word2vec's binary format in blocks; see `binary` for the format."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import IO

import numpy as np

from . import blocks
from .binary import LONGEST_WORD, binary_header, check_end, no_word
from .blocks import Block, Memory, fill_buffer, last_word, lines_of, rows_at_once
from .headers import Header, Tick
from .vocabulary import hashes_of


def binary_blocks(
    stream: IO[bytes], path: Path, tick: Tick, rows: int | None = None
) -> Iterator[Block]:
    """Read a file, on disk or unpacked on the way, in blocks of at most ``rows`` words."""
    header = binary_header(stream.readline(LONGEST_WORD), path)
    reading = _Reading(header, rows_at_once(header.dims, rows))
    while reading.done < header.count:
        reading.fill(stream)
        before = reading.done
        while block := reading.take():
            yield block
        if reading.done == before:  # no whole entry in a full buffer: the file has ended
            break
        tick()
    check_end(header, reading.done, reading.last, reading.left() + stream.read(LONGEST_WORD))


class _Reading:
    """How far a file has been taken apart, and the memory that this uses.

    Vectors stay where they were read to, since taking them out would be to copy the whole file.
    """

    def __init__(self, header: Header, most: int) -> None:
        self.header = header
        self.size = max(blocks.READ_SIZE, 4 * header.dims + 2 * LONGEST_WORD)
        self.names = np.empty(self.size + 1, dtype=np.uint8)
        self.n_rows = min(most, self.size // (4 * header.dims) + 1)
        self.memory = Memory()
        self.part = np.empty(0, dtype=np.uint8)
        self.done = 0
        self.last = b""

    def left(self) -> bytes:
        """Give what has been read and not been taken."""
        return self.part.tobytes()

    def fill(self, stream: IO[bytes]) -> None:
        """Read on, behind what has not been taken yet, in memory that no block uses."""
        buffer = self.memory.bytes(self.size)
        buffer[: len(self.part)] = self.part
        self.part = buffer[: fill_buffer(stream, buffer.data, len(self.part))]

    def take(self) -> Block | None:
        """Take whole entries, as many as a block may hold."""
        from .kernels import split_binary

        left = min(self.n_rows, self.header.count - self.done)
        starts = np.empty(left, dtype=np.int64)
        used, taken, n_names, lost = split_binary(
            self.part, 4 * self.header.dims, LONGEST_WORD, starts, self.names
        )
        if not taken and lost:
            raise ValueError(no_word(self.header, self.done, self.last))
        if not taken:
            return None
        names = lines_of(self.names[:n_names], taken, self.header.path)
        numbers, self.part = self.part, self.part[used:]
        self.done += taken
        self.last = last_word(names)
        return Block(names, hashes_of(names, taken), numbers, starts[:taken], self.header.dims)
