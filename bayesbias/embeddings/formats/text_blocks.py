"""Text formats in blocks; see `text` for the formats."""

from __future__ import annotations

import codecs
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO

import numpy as np
from numpy.typing import NDArray

from . import blocks, text
from .blocks import Block, Filling, Memory, fill_buffer, rows_at_once
from .headers import Header, Tick, parse_header
from .text import check_count, dims_of_first, end_of_word, parsed


@dataclass
class _Source:
    """A text file, the part of it that has been read and not yet used, and where that stands."""

    stream: IO[bytes]
    path: Path
    n_dims: int
    line: int
    buffer: bytearray
    filled: int = 0
    position: int = 0
    ended: bool = False
    memory: Memory = field(default_factory=Memory)
    names: NDArray[np.uint8] = field(default_factory=lambda: np.empty(0, dtype=np.uint8))

    def refill(self) -> None:
        """Read on, behind what has not been used yet; a longer line makes the buffer longer."""
        left = self.filled - self.position
        self.buffer[:left] = self.buffer[self.position : self.filled]
        if left == len(self.buffer):
            if left >= text.LONGEST_LINE:
                raise ValueError(
                    f"{self.path}: line {self.line:,} does not end; this is not a text file"
                )
            self.buffer = self.buffer + bytearray(left)
        self.filled = fill_buffer(self.stream, self.buffer, left)
        self.position = 0
        if self.filled < len(self.buffer) and not self.ended:
            self.ended = True  # a last line without an end gets one
            self.buffer[self.filled] = ord("\n")
            self.filled += 1


def text_blocks(
    stream: IO[bytes], path: Path, tick: Tick, rows: int | None = None
) -> Iterator[Block]:
    """Read a file, on disk or unpacked on the way, in blocks of at most ``rows`` words."""
    header, source = _opened(stream, path)
    most = rows_at_once(source.n_dims, rows)
    count = 0
    while not source.ended:
        source.refill()
        while len(block := _take(source, most)):
            count += len(block)
            yield block
        tick()
    if header:
        check_count(header, count)


def _opened(stream: IO[bytes], path: Path) -> tuple[Header | None, _Source]:
    """Find out how many numbers a line has, and put the first line back if it holds a word."""
    number = 0
    raw = line = b""
    while not line and (raw := stream.readline(text.LONGEST_LINE)):
        number += 1
        if len(raw) == text.LONGEST_LINE:
            raise ValueError(f"{path}: line {number:,} does not end; this is not a text file")
        if number == 1:
            raw = raw.removeprefix(codecs.BOM_UTF8)
        line = raw.rstrip(b" \r\n")
    header = parse_header(line, path)
    if header:
        return header, _Source(stream, path, header.dims, number + 1, bytearray(blocks.READ_SIZE))
    dims = dims_of_first(line, path)
    buffer = bytearray(max(blocks.READ_SIZE, 2 * len(raw)))
    buffer[: len(raw)] = raw
    return None, _Source(stream, path, dims, max(number, 1), buffer, len(raw))


def _take(source: _Source, most: int) -> Block:
    """Take whole lines of the buffer, odd ones one by one."""
    from .kernels import split_text

    part = np.frombuffer(source.buffer, dtype=np.uint8)[source.position : source.filled]
    n_rows = min(most, len(source.buffer) // (2 * source.n_dims) + 1)
    if len(source.names) <= len(part):
        source.names = np.empty(len(source.buffer) + 1, dtype=np.uint8)
    matrix = source.memory.matrix(n_rows, source.n_dims)
    filling = Filling(source.path, matrix, source.names)
    start, odd = 0, True
    while odd and not filling.full:
        used, taken, n_names, lines, odd = split_text(
            part[start:], filling.vectors[filling.taken :], filling.names[filling.n_names :]
        )
        filling.count(taken, n_names)
        source.line += lines
        start += used
        if odd and not filling.full:
            start += _take_odd(source, source.position + start, filling)
    source.position += start
    return filling.block()


def _take_odd(source: _Source, start: int, filling: Filling) -> int:
    """Read one line as carefully as `text_entries` does, and tell how long it is."""
    end = source.buffer.index(b"\n", start) + 1
    line = bytes(source.buffer[start:end]).rstrip(b" \r\n")
    where = f"{source.path}: line {source.line:,}"
    cut = end_of_word(line, source.n_dims, where)
    filling.add(line[:cut], parsed(line[cut + 1 :].lstrip(b" "), source.n_dims, where))
    source.line += 1
    return end - start
