"""word2vec's binary format in blocks; see `binary` for the format."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import IO

import numpy as np

from . import blocks
from .binary import LONGEST_WORD, binary_header, check_end, no_word
from .blocks import Block, Bytes, Memory, Part, fill_buffer, last_word, lines_of, rows_at_once
from .headers import Header, Tick


def binary_parts(
    stream: IO[bytes], path: Path, tick: Tick, rows: int | None = None
) -> Iterator[Part]:
    """Read a file, on disk or unpacked on the way, in blocks of at most ``rows`` words."""
    header = binary_header(stream.readline(LONGEST_WORD), path)
    taking = _Taking(header, rows_at_once(header.dims, rows))
    while taking.done < header.count and len(part := taking.filled(stream)):
        tick()
        yield partial(taking.blocks, part)
    yield partial(taking.end, stream.read(LONGEST_WORD))


class _Taking:
    """How far a file has been taken apart, and the memory that this uses.

    Vectors stay where they were read to, since taking them out would be to copy the whole file.
    In front of what is read there is room for the entry that the read before has cut.
    """

    def __init__(self, header: Header, most: int) -> None:
        self.header = header
        self.n_bytes = 4 * header.dims
        self.room = LONGEST_WORD + 1 + self.n_bytes
        self.size = self.room + blocks.READ_SIZE
        self.n_rows = min(most, self.size // self.n_bytes + 1)
        self.names = np.empty(self.size + 1, dtype=np.uint8)
        self.memory = Memory()
        self.done = 0
        self.left = b""
        self.last = b""

    def filled(self, stream: IO[bytes]) -> Bytes:
        """Read on, behind room that is left free; give it with what was read, if there was any."""
        buffer = self.memory.bytes(self.size)
        stop = fill_buffer(stream, buffer.data, self.room)
        return buffer[: stop if stop > self.room else 0]

    def blocks(self, part: Bytes) -> Iterator[Block]:
        """Take whole entries, as many as a block may hold."""
        from .kernels import split_binary

        if self.done == self.header.count:  # read before that was known
            self.left += part[self.room :].tobytes()
            return
        start = self.room - len(self.left)
        part[start : self.room] = np.frombuffer(self.left, dtype=np.uint8)
        part = part[start:]
        taken, most = 0, 0
        while taken == most and self.done < self.header.count:
            most = min(self.n_rows, self.header.count - self.done)
            starts, hashes = np.empty(most, dtype=np.int64), np.empty(most, dtype=np.uint64)
            used, taken, n_names, lost = split_binary(
                part, self.n_bytes, LONGEST_WORD, starts, hashes, self.names
            )
            if taken:
                self.done += taken
                self.last = lines_of(self.names[:n_names], taken, self.header.path)
                yield Block(self.last, hashes[:taken], part, starts[:taken], self.header.dims)
            if lost:
                raise ValueError(no_word(self.header, self.done, last_word(self.last)))
            part = part[used:]
        self.left = part.tobytes()

    def end(self, rest: bytes) -> Iterator[Block]:
        """Compare what there was, and what stands behind it, with what the header promised."""
        check_end(self.header, self.done, last_word(self.last), self.left + rest)
        return iter(())
