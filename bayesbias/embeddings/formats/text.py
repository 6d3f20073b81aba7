"""Text formats of word2vec, GloVe and fastText: a word and its numbers on each line."""

from __future__ import annotations

import codecs
from collections.abc import Container, Iterator
from pathlib import Path
from typing import IO

import numpy as np

from .headers import Entry, Header, Tick, Vector, parse_header

ENDINGS = (".txt", ".vec")

LONGEST_LINE = 1 << 24
"""Bytes; a million numbers of 16 characters each."""

LINES_A_TICK = 4096
"""Lines between two steps of the progress bar."""


def text_entries(
    stream: IO[bytes], path: Path, wanted: Container[bytes] | None, tick: Tick
) -> Iterator[Entry]:
    """Walk a text file, with or without a header; only wanted words' numbers are parsed."""
    lines = _lines(stream, path, tick)
    number, line = next(lines, (1, b""))
    header = parse_header(line, path)
    dims = header.dims if header else dims_of_first(line, path)
    count = 0
    if header:
        number, line = next(lines, (1, b""))
    while line:
        cut = end_of_word(line, dims, f"{path}: line {number:,}")
        if wanted is None or line[:cut] in wanted:
            numbers = line[cut + 1 :].lstrip(b" ")
            yield line[:cut], parsed(numbers, dims, f"{path}: line {number:,}")
        count += 1
        number, line = next(lines, (number, b""))
    if header:
        check_count(header, count)


def check_count(header: Header, count: int) -> None:
    """Compare the number of words with what the header promised."""
    if count != header.count:
        what = "ends after" if count < header.count else "goes on to"
        raise ValueError(
            f"{header.path} {what} word {count:,}, but its header promises {header.count:,}; the "
            "file was cut off or its header is wrong"
        )


def _lines(stream: IO[bytes], path: Path, tick: Tick) -> Iterator[tuple[int, bytes]]:
    """Give the lines that are not blank with their numbers, without the spaces at their end."""
    number = 0
    while line := stream.readline(LONGEST_LINE):
        number += 1
        if len(line) == LONGEST_LINE:
            raise ValueError(f"{path}: line {number:,} does not end; this is not a text file")
        if number == 1:
            line = line.removeprefix(codecs.BOM_UTF8)
        if line := line.rstrip(b" \r\n"):
            yield number, line
        if number % LINES_A_TICK == 0:
            tick()


def dims_of_first(line: bytes, path: Path) -> int:
    """Count the numbers at the end of the first line; what stands before them is the word."""
    fields = line.split(b" ")
    dims = 0
    while dims < len(fields) - 1 and _is_number(fields[-1 - dims]):
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
        raise ValueError(
            f"{where} has {spaces:,} numbers, not {dims:,} as the header or the first line says; "
            "the file was cut off, or is two files joined"
        )
    spaced = line.rsplit(b" ", dims)[0]
    word, *more = spaced.split(b" ")
    more = [field for field in more if field]
    if not more:  # several spaces stand between the word and its numbers
        return len(word)
    if all(map(_is_number, more)):  # else they belong to the word: GloVe 840B has '. . .'
        raise ValueError(
            f"{where} has {dims + len(more):,} numbers, not {dims:,} as the header or the first "
            "line says; all vectors of a file must have the same number of dimensions"
        )
    return len(spaced)


def _is_number(field: bytes) -> bool:
    try:
        float(field)
    except ValueError:
        return False
    return True


def parsed(numbers: bytes, dims: int, where: str) -> Vector:
    """Make ``dims`` float32 numbers of the fields of a line behind its word."""
    fields = numbers.split(b" ")
    if len(fields) != dims:  # spaces among the numbers were taken for one
        raise ValueError(
            f"{where} has {len(fields):,} numbers, not {dims:,} as the header or the first line "
            "says; the line is damaged"
        )
    try:
        with np.errstate(over="ignore"):  # becomes inf, which load_vectors refuses by word
            return np.array([float(field) for field in fields], dtype=np.float32)
    except ValueError:
        wrong = next(field for field in fields if not _is_number(field))
        raise ValueError(f"{where} has {_shown(wrong)} where a number should be") from None


def _shown(field: bytes) -> str:
    return repr(field[:40].decode(errors="replace"))
