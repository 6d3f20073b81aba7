"""word2vec's binary format in blocks; see `binary` for the format."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import IO

import numpy as np

from . import blocks
from .binary import LONGEST_WORD, binary_header, check_end, no_word
from .blocks import Block, Filling, Memory, fill_buffer, last_word, rows_at_once
from .headers import Header, Tick


def binary_blocks(
    stream: IO[bytes], path: Path, tick: Tick, rows: int | None = None
) -> Iterator[Block]:
    """Read a file, on disk or unpacked on the way, in blocks of at most ``rows`` words."""
    header = binary_header(stream.readline(LONGEST_WORD), path)
    reading = _Reading(header, rows_at_once(header.dims, rows))
    filled = 0
    while reading.done < header.count:
        filled = fill_buffer(stream, reading.buffer, filled)
        position = 0
        while block := reading.take(position, filled):
            position += reading.used
            yield block
        if not position:  # no whole entry in a full buffer: the file has ended
            break
        filled -= position
        reading.buffer[:filled] = reading.buffer[position : position + filled]
        tick()
    left = bytes(reading.buffer[:filled]) + stream.read(LONGEST_WORD)
    check_end(header, reading.done, reading.last, left)


class _Reading:
    """How far a file has been taken apart, and the memory that this uses."""

    def __init__(self, header: Header, most: int) -> None:
        self.header = header
        self.buffer = bytearray(max(blocks.READ_SIZE, 4 * header.dims + 2 * LONGEST_WORD))
        self.bytes = np.frombuffer(self.buffer, dtype=np.uint8)
        self.names = np.empty(len(self.buffer) + 1, dtype=np.uint8)
        self.n_rows = min(most, len(self.buffer) // (4 * header.dims) + 1)
        self.memory = Memory()
        self.done = self.used = 0
        self.last = b""

    def take(self, start: int, stop: int) -> Block | None:
        """Take whole entries of a part of the buffer; ``used`` tells how many bytes they had."""
        from .kernels import split_binary

        left = self.header.count - self.done
        matrix = self.memory.matrix(self.n_rows, self.header.dims)
        filling = Filling(self.header.path, matrix, self.names)
        self.used, taken, n_names, lost = split_binary(
            self.bytes[start:stop], left, LONGEST_WORD, matrix.view(np.uint8), self.names
        )
        if not taken and lost:
            raise ValueError(no_word(self.header, self.done, self.last))
        if not taken:
            return None
        filling.count(taken, n_names)
        block = filling.block()
        self.done += taken
        self.last = last_word(block.names)
        return block
