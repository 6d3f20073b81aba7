"""Text formats of word2vec, GloVe and fastText: a word and its numbers on each line."""

from __future__ import annotations

import codecs
import warnings
from collections.abc import Collection, Iterator, Sequence
from contextlib import suppress
from functools import partial
from itertools import batched, chain
from pathlib import Path
from typing import IO

import numpy as np

from ..source import ODD, Chunk, Embedding, Vector, parse_header, rows_of_chunk

LONGEST_LINE = 1 << 24
"""Bytes; a million numbers of 16 characters each."""

type Line = tuple[int, bytes]
"""The number of a line, from 1 on, and its content."""


def chunks(
    source: Embedding, rows: int | None = None, wanted: Collection[str] | None = None
) -> Iterator[Chunk]:
    """Yield words and vectors; of words that are not wanted no number is parsed."""
    path = source.path
    with source.stream() as (stream, tick):
        lines = _lines(stream, path)
        first = next(lines, (1, b""))
        promised, dims = parse_header(first[1], path) or (None, _dims_of_first(first[1], path))
        if promised is None:
            lines = chain([first], lines)
        count = 0
        for block in batched(lines, rows_of_chunk(dims, rows)):
            words, ranks, numbers = [], [], []
            for rank, (number, line) in enumerate(block, start=count + 1):
                head, fields = _split(line, dims, path, number)
                word = head.decode(errors=ODD)
                if wanted is None or word in wanted:
                    words.append(word)
                    ranks.append(rank)
                    numbers.append((number, fields))
            count += len(block)
            tick()
            if words:
                yield Chunk(words, _matrix(numbers, dims, path), np.array(ranks, dtype=np.int64))
        if promised is not None and promised != count:
            what = "ends after" if count < promised else "goes on to"
            raise ValueError(
                f"{path} {what} word {count:,}, but its header promises {promised:,}; the "
                "file was cut off or its header is wrong"
            )


def _lines(stream: IO[bytes], path: Path) -> Iterator[Line]:
    """Yield the lines that are not blank with their numbers, without the spaces at their end."""
    for number, line in enumerate(iter(partial(stream.readline, LONGEST_LINE), b""), start=1):
        if len(line) == LONGEST_LINE:
            raise ValueError(f"{path}: line {number:,} does not end; this is not a text file")
        text = (line.removeprefix(codecs.BOM_UTF8) if number == 1 else line).rstrip(b" \r\n")
        if text:
            yield number, text


def _dims_of_first(line: bytes, path: Path) -> int:
    """Count the numbers at the end of the first line; what stands before them is the word."""
    fields = line.split(b" ")
    dims = 0
    while dims < len(fields) - 1 and _is_number(fields[-1 - dims]):
        dims += 1
    if dims < 2:
        raise ValueError(
            f"{path}: the first line is not a header, '<number of words> <dimensions>', and not a "
            f"word followed by numbers with spaces between them; it begins {_shown(line)}"
        )
    return dims


def _split(line: bytes, dims: int, path: Path, number: int) -> tuple[bytes, bytes]:
    """Split a line before its last ``dims`` fields, for words may hold spaces."""
    if line.count(b" ") == dims:
        word, _, fields = line.partition(b" ")
        return word, fields
    word, *numbers = line.rsplit(None, dims)
    more = word.split(b" ")[1:]
    if len(numbers) < dims or (more and all(map(_is_number, more))):  # GloVe has the word '. . .'
        raise _miscounted(path, number, len(numbers) + len(more), dims)
    return word, b" ".join(numbers)


def _matrix(numbers: Sequence[Line], dims: int, path: Path) -> Vector:
    """Parse the numbers of lines, (n, dims)."""
    content = b" ".join(fields for _, fields in numbers)
    with (
        np.errstate(over="ignore"),
        warnings.catch_warnings(action="error"),
        suppress(ValueError, DeprecationWarning),
    ):
        flat = np.fromstring(content.decode("ascii"), sep=" ").astype(np.float32)
        if flat.size == len(numbers) * dims:
            return flat.reshape(-1, dims)
    for number, fields in numbers:
        values = fields.split()
        if wrong := [value for value in values if not _is_number(value)]:
            text = f"{path}: line {number:,} has {_shown(wrong[0])} where a number should be"
            raise ValueError(text)
        if len(values) != dims:
            raise _miscounted(path, number, len(values), dims)
    raise ValueError(f"{path} holds numbers that cannot be read")


def _miscounted(path: Path, number: int, count: int, dims: int) -> ValueError:
    text = f"{path}: line {number:,} has {count:,} numbers, not {dims:,} as the header or the first"
    return ValueError(f"{text} line says; the file was cut off, or is two files joined")


def _shown(field: bytes) -> str:
    return repr(field[:40].decode(errors="replace"))


def _is_number(text: bytes) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True
