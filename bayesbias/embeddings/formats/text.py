"""Text formats of word2vec, GloVe and fastText: a word and its numbers on each line."""

from __future__ import annotations

import codecs
from collections.abc import Callable, Collection, Iterator, Sequence
from functools import partial
from itertools import chain
from pathlib import Path
from typing import IO

import numpy as np

from ..source import ODD, Embedding, Entry, Vector
from .binary import parse_header

LONGEST_LINE = 1 << 24
"""Bytes; a million numbers of 16 characters each."""

TICK = 1_000
"""Lines after which the progress bar moves."""


def entries(source: Embedding, wanted: Collection[str] | None = None) -> Iterator[Entry]:
    """Yield words and vectors; of words that are not wanted no number is parsed."""
    path = source.path
    with source.stream() as (stream, tick):
        lines = _lines(stream, path, tick)
        first = next(lines, (1, b""))
        promised, dims = parse_header(first[1], path) or (None, _dims_of_first(first[1], path))
        if promised is None:
            lines = chain([first], lines)
        count = 0
        for count, (number, line) in enumerate(lines, start=1):
            try:
                head, fields = _split(line, dims)
                word = head.decode(errors=ODD)
                if wanted is None or word in wanted:
                    yield count, word, _row(fields, dims)
            except ValueError:
                raise ValueError(
                    f"{path}: line {number:,} is not a word and {dims:,} numbers, as the header or "
                    f"the first line says; it begins {line[:40]!r}. The file was cut off, or is "
                    "two files joined"
                ) from None
        if promised is not None and promised != count:
            what = "ends after" if count < promised else "goes on to"
            raise ValueError(
                f"{path} {what} word {count:,}, but its header promises {promised:,}; the "
                "file was cut off or its header is wrong"
            )


def _lines(
    stream: IO[bytes], path: Path, tick: Callable[[], object]
) -> Iterator[tuple[int, bytes]]:
    """Yield the lines that are not blank with their numbers, without the spaces at their end."""
    for number, line in enumerate(iter(partial(stream.readline, LONGEST_LINE), b""), start=1):
        if number % TICK == 0:
            tick()
        if len(line) == LONGEST_LINE:
            raise ValueError(f"{path}: line {number:,} does not end; this is not a text file")
        text = (line.removeprefix(codecs.BOM_UTF8) if number == 1 else line).rstrip(b" \r\n")
        if text:
            yield number, text


def _dims_of_first(line: bytes, path: Path) -> int:
    """Count the numbers at the end of the first line; what stands before them is the word."""
    dims = _numbers_at_end(line.split(b" ")[1:])
    if dims < 2:
        raise ValueError(
            f"{path}: the first line is not a header, '<number of words> <dimensions>', and not a "
            f"word followed by numbers with spaces between them; it begins {line[:40]!r}"
        )
    return dims


def _split(line: bytes, dims: int) -> tuple[bytes, bytes]:
    """Split a line before its last ``dims`` fields, for words may hold spaces."""
    if line.count(b" ") == dims:
        word, _, fields = line.partition(b" ")
        return word, fields
    word, *numbers = line.rsplit(None, dims)
    more = word.split(b" ")[1:]
    if len(numbers) < dims or (more and _numbers_at_end(more) == len(more)):
        raise ValueError("too few or too many numbers")  # GloVe has the word '. . .'
    return word, b" ".join(numbers)


def _row(fields: bytes, dims: int) -> Vector:
    """Parse the numbers of a line, (dims,)."""
    with np.errstate(over="ignore"):
        row = np.array(fields.split(), dtype=np.float32)
    if row.size != dims:
        raise ValueError("too few numbers")
    return row


def _numbers_at_end(fields: Sequence[bytes]) -> int:
    """Count the numbers at the end of some fields."""
    for count, field in enumerate(reversed(fields)):
        try:
            float(field)
        except ValueError:
            return count
    return len(fields)
