"""Text formats of word2vec, GloVe and fastText: a word and its numbers on each line."""

from __future__ import annotations

import codecs
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from itertools import chain
from pathlib import Path
from typing import IO

import numpy as np

from ..._core.checks import is_number
from ..chunks import Chunk, Entry, ReadBuffer, Vector, rows_of_chunk
from ..source import Source, Tick
from .headers import Header, parse_header

ENDINGS = (".txt", ".vec")

LONGEST_LINE = 1 << 24
"""Bytes; a million numbers of 16 characters each."""

LINES_A_TICK = 4096
"""Lines between two steps of the progress bar."""


def pick(source: Source, wanted: Collection[bytes] | None) -> Iterator[Entry]:
    """Yield the wanted words; no other word's numbers are parsed."""
    path = source.path
    with source.stream() as (stream, tick):
        header, dims, first, content, lines = _opened(stream, path, tick)
        count = 0
        for number, line in chain([(first, content)] if content else [], lines):
            cut = end_of_word(line, dims, f"{path}: line {number:,}")
            if wanted is None or line[:cut] in wanted:
                numbers = line[cut + 1 :].lstrip(b" ")
                vector = parsed(numbers, dims, f"{path}: line {number:,}")
                yield line[:cut], vector, count + 1
            count += 1
        if header:
            check_count(header, count)


def iterate(source: Source, rows: int | None = None) -> Iterator[Chunk]:
    """Yield all words and vectors in chunks."""
    with source.stream() as (stream, tick):
        header, dims, first, content, _ = _opened(stream, source.path, tick)
        buffer = ReadBuffer(stream, content and content + b"\n")
        lines = _Lines(source.path, dims, first, buffer)
        most = rows_of_chunk(dims, rows)
        count = 0
        while not lines.buffer.ended:
            lines.refill()
            while len(chunk := lines.take(most)):
                count += len(chunk)
                yield chunk
            tick()
        if header:
            check_count(header, count)


@dataclass
class _Lines:
    """The lines of a text file from one with a word on, and the number of the next."""

    path: Path
    n_dims: int
    number: int
    buffer: ReadBuffer

    def refill(self) -> None:
        """Read on; a last line without an end gets one."""
        if len(self.buffer.left) >= LONGEST_LINE:
            raise ValueError(_endless(self.path, self.number))
        self.buffer.refill()
        if self.buffer.ended:
            self.buffer.letters[self.buffer.filled] = ord("\n")
            self.buffer.filled += 1

    def take(self, most: int) -> Chunk:
        """Take whole lines, ``most`` words of them at most, odd ones one by one."""
        from .kernels import split_text

        n_rows = min(most, len(self.buffer.left) // (2 * self.n_dims) + 1)
        matrix, taken = np.empty((n_rows, self.n_dims), dtype=np.float32), 0
        names = bytearray()
        letters = np.empty(len(self.buffer.left) + 1, dtype=np.uint8)
        while True:
            used, n, n_names, lines, odd = split_text(self.buffer.left, matrix[taken:], letters)
            names += letters[:n_names].data
            taken += n
            self.buffer.offset += used
            self.number += lines
            if not odd or taken == n_rows:
                return Chunk(bytes(names), matrix[:taken])
            word, matrix[taken] = self._odd_line()
            names += word + b"\n"
            taken += 1

    def _odd_line(self) -> tuple[bytes, Vector]:
        """Read one line as carefully as `pick` does."""
        left = self.buffer.left
        end = int(np.argmax(left == ord("\n"))) + 1
        line = left[:end].tobytes().rstrip(b" \r\n")
        where = f"{self.path}: line {self.number:,}"
        cut = end_of_word(line, self.n_dims, where)
        self.buffer.offset += end
        self.number += 1
        return line[:cut], parsed(line[cut + 1 :].lstrip(b" "), self.n_dims, where)


def _opened(
    stream: IO[bytes], path: Path, tick: Tick
) -> tuple[Header | None, int, int, bytes, Iterator[tuple[int, bytes]]]:
    """Return the header, how many numbers a line has, the first line below it, and all others.

    Of the first line there is the number and, unless it still has to be read, the content.
    """
    lines = _lines(stream, path, tick)
    number, line = next(lines, (1, b""))
    if header := parse_header(line, path):
        return header, header.dims, number + 1, b"", lines
    return None, dims_of_first(line, path), number, line, lines


def check_count(header: Header, count: int) -> None:
    """Compare the number of words with what the header promised."""
    if count != header.count:
        what = "ends after" if count < header.count else "goes on to"
        raise ValueError(
            f"{header.path} {what} word {count:,}, but its header promises {header.count:,}; the "
            "file was cut off or its header is wrong"
        )


def _lines(stream: IO[bytes], path: Path, tick: Tick) -> Iterator[tuple[int, bytes]]:
    """Yield the lines that are not blank with their numbers, without the spaces at their end."""
    number = 0
    while line := stream.readline(LONGEST_LINE):
        number += 1
        if len(line) == LONGEST_LINE:
            raise ValueError(_endless(path, number))
        if number == 1:
            line = line.removeprefix(codecs.BOM_UTF8)
        if line := line.rstrip(b" \r\n"):
            yield number, line
        if number % LINES_A_TICK == 0:
            tick()


def _endless(path: Path, number: int) -> str:
    return f"{path}: line {number:,} does not end; this is not a text file"


def dims_of_first(line: bytes, path: Path) -> int:
    """Count the numbers at the end of the first line; what stands before them is the word."""
    fields = line.split(b" ")
    dims = 0
    while dims < len(fields) - 1 and is_number(fields[-1 - dims]):
        dims += 1
    if dims < 2:
        raise ValueError(
            f"{path}: the first line is neither a header, '<number of words> <dimensions>', nor a "
            f"word followed by numbers with spaces between them; it begins {_shown(line)}"
        )
    return dims


def end_of_word(line: bytes, dims: int, where: str) -> int:
    """Find where the word ends: before the last ``dims`` fields, for words may hold spaces."""
    spaces = line.count(b" ")
    if spaces == dims:
        return line.index(b" ")
    if spaces < dims:
        raise _miscounted(where, spaces, dims, "the file was cut off, or is two files joined")
    spaced = line.rsplit(b" ", dims)[0]
    word, *more = spaced.split(b" ")
    more = [field for field in more if field]
    if not more:  # several spaces stand between the word and its numbers
        return len(word)
    if all(map(is_number, more)):  # else they belong to the word: GloVe 840B has '. . .'
        advice = "all vectors of a file must have the same number of dimensions"
        raise _miscounted(where, dims + len(more), dims, advice)
    return len(spaced)


def _miscounted(where: str, count: int, dims: int, advice: str) -> ValueError:
    text = f"{where} has {count:,} numbers, not {dims:,} as the header or the first line says"
    return ValueError(f"{text}; {advice}")


def parsed(numbers: bytes, dims: int, where: str) -> Vector:
    """Parse ``dims`` float32 numbers of the fields of a line behind its word."""
    fields = numbers.split(b" ")
    if len(fields) != dims:  # spaces among the numbers were taken for one
        raise _miscounted(where, len(fields), dims, "the line is damaged")
    try:
        with np.errstate(over="ignore"):  # becomes inf, which load_vectors refuses by word
            return np.array([float(field) for field in fields], dtype=np.float32)
    except ValueError:
        wrong = next(field for field in fields if not is_number(field))
        raise ValueError(f"{where} has {_shown(wrong)} where a number should be") from None


def _shown(field: bytes) -> str:
    return repr(field[:40].decode(errors="replace"))
