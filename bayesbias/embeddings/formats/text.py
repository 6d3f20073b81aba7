"""Text formats of word2vec, GloVe and fastText: a word and its numbers on each line."""

from __future__ import annotations

import codecs
import warnings
from collections.abc import Collection, Iterator
from functools import partial
from itertools import batched, chain
from pathlib import Path
from typing import IO

import numpy as np

from ..source import ODD, Chunk, Embedding, Vector, rows_of_chunk
from .binary import parse_header

LONGEST_LINE = 1 << 24
"""Bytes; a million numbers of 16 characters each."""


def chunks(source: Embedding, wanted: Collection[str] | None = None) -> Iterator[Chunk]:
    """Yield words and vectors; of words that are not wanted no number is parsed."""
    path = source.path
    with source.stream() as (stream, tick):
        lines = _lines(stream, path)
        first = next(lines, (1, b""))
        promised, dims = parse_header(first[1], path) or (None, _dims_of_first(first[1], path))
        if promised is None:
            lines = chain([first], lines)
        count = 0
        for block in batched(lines, rows_of_chunk(dims)):
            words, ranks, parts = [], [], []
            for rank, (number, line) in enumerate(block, start=count + 1):
                where = f"{path}: line {number:,}"
                head, fields = _split(line, dims, where)
                word = head.decode(errors=ODD)
                if wanted is None or word in wanted:
                    words.append(word)
                    ranks.append(rank)
                    parts.append((where, fields))
            count += len(block)
            tick()
            if words:
                yield Chunk(words, _matrix(parts, dims), np.array(ranks, dtype=np.int64))
        if promised is not None and promised != count:
            what = "ends after" if count < promised else "goes on to"
            raise ValueError(
                f"{path} {what} word {count:,}, but its header promises {promised:,}; the "
                "file was cut off or its header is wrong"
            )


def _lines(stream: IO[bytes], path: Path) -> Iterator[tuple[int, bytes]]:
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


def _split(line: bytes, dims: int, where: str) -> tuple[bytes, bytes]:
    """Split a line before its last ``dims`` fields, for words may hold spaces."""
    if line.count(b" ") == dims:
        word, _, fields = line.partition(b" ")
        return word, fields
    word, *numbers = line.rsplit(None, dims)
    more = word.split(b" ")[1:]
    if len(numbers) < dims or (more and all(map(_is_number, more))):  # GloVe has the word '. . .'
        raise _miscounted(len(numbers) + len(more), dims, where)
    return word, b" ".join(numbers)


def _matrix(lines: list[tuple[str, bytes]], dims: int) -> Vector:
    """Parse the numbers of lines, (n, dims)."""
    rows = []
    with warnings.catch_warnings(action="error"), np.errstate(over="ignore"):
        for where, fields in lines:
            try:
                rows.append(np.fromstring(fields.decode("ascii"), sep=" "))
            except (ValueError, DeprecationWarning):
                wrong = next((one for one in fields.split() if not _is_number(one)), fields)
                text = f"{where} has {_shown(wrong)} where a number should be"
                raise ValueError(text) from None
            if rows[-1].size != dims:
                raise _miscounted(rows[-1].size, dims, where)
        return np.array(rows, dtype=np.float32)


def _miscounted(count: int, dims: int, where: str) -> ValueError:
    text = f"{where} has {count:,} numbers, not {dims:,} as the header or the first line says"
    return ValueError(f"{text}; the file was cut off, or is two files joined")


def _shown(field: bytes) -> str:
    return repr(field[:40].decode(errors="replace"))


def _is_number(text: bytes) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True
