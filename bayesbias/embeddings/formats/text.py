"""Text formats of word2vec, GloVe and fastText: a word and its numbers on each line."""

from __future__ import annotations

import codecs
import csv
import io
from collections.abc import Collection, Iterator, Sequence
from contextlib import suppress
from itertools import batched, chain
from pathlib import Path
from typing import IO, Any

import numpy as np
import pandas as pd

from ..source import ODD, Chunk, Embedding, Vector, parse_header, rows_of_chunk

LONGEST_LINE = 1 << 24
"""Bytes; a million numbers of 16 characters each."""

FEW_LINES = 20
"""Lines that Python parses sooner than pandas."""

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
            chunk = _parsed(block, dims, path, wanted, count)
            count += len(block)
            tick()
            if len(chunk):
                yield chunk
        if promised is not None and promised != count:
            what = "ends after" if count < promised else "goes on to"
            raise ValueError(
                f"{path} {what} word {count:,}, but its header promises {promised:,}; the "
                "file was cut off or its header is wrong"
            )


def _lines(stream: IO[bytes], path: Path) -> Iterator[Line]:
    """Yield the lines that are not blank with their numbers, without the spaces at their end."""
    number = 0
    while line := stream.readline(LONGEST_LINE):
        number += 1
        if len(line) == LONGEST_LINE:
            raise ValueError(f"{path}: line {number:,} does not end; this is not a text file")
        if number == 1:
            line = line.removeprefix(codecs.BOM_UTF8)
        if line := line.rstrip(b" \r\n"):
            yield number, line


def _dims_of_first(line: bytes, path: Path) -> int:
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


def _parsed(
    block: Sequence[Line], dims: int, path: Path, wanted: Collection[str] | None, before: int
) -> Chunk:
    """Parse the lines whose words are wanted; ``before`` words stand before them."""
    words, ranks, numbers = [], [], []
    for rank, (number, line) in enumerate(block, start=before + 1):
        cut = _end_of_word(line, dims, path, number)
        word = line[:cut].decode(errors=ODD)
        if wanted is None or word in wanted:
            words.append(word)
            ranks.append(rank)
            numbers.append((number, line[cut + 1 :].lstrip(b" ")))
    return Chunk(words, _matrix(numbers, dims, path), np.array(ranks, dtype=np.int64))


def _end_of_word(line: bytes, dims: int, path: Path, number: int) -> int:
    """Find where the word ends: before the last ``dims`` fields, for words may hold spaces."""
    spaces = line.count(b" ")
    if spaces == dims:
        return line.index(b" ")
    word, *more = line.rsplit(b" ", dims)[0].split(b" ")
    more = [field for field in more if field]
    if spaces < dims or (more and all(map(_is_number, more))):  # GloVe 840B has the word '. . .'
        count = min(spaces, dims) + len(more)
        raise _miscounted(path, number, count, dims)
    return len(line.rsplit(b" ", dims)[0]) if more else len(word)


def _matrix(numbers: Sequence[Line], dims: int, path: Path) -> Vector:
    """Parse the numbers of lines, (n, dims): many by pandas, few or wrong ones one by one."""
    options: dict[str, Any] = {"na_filter": False, "quoting": csv.QUOTE_NONE, "index_col": False}
    with np.errstate(over="ignore"):  # inf, which is refused by word
        if len(numbers) > FEW_LINES:
            content = io.BytesIO(b"\n".join(fields for _, fields in numbers))
            with suppress(ValueError, OverflowError):
                frame = pd.read_csv(
                    content, sep=" ", lineterminator="\n", names=range(dims), dtype="f4", **options
                )
                if frame.shape == (len(numbers), dims):
                    return np.asarray(frame, dtype=np.float32)
        rows = [_row(fields, dims, path, number) for number, fields in numbers]
    return np.stack(rows) if rows else np.empty((0, dims), dtype=np.float32)


def _row(fields: bytes, dims: int, path: Path, number: int) -> Vector:
    values = fields.split(b" ")
    if len(values) != dims:  # spaces among the numbers were treated as one
        raise _miscounted(path, number, len(values), dims)
    if wrong := [value for value in values if not _is_number(value)]:
        raise ValueError(f"{path}: line {number:,} has {_shown(wrong[0])} where a number should be")
    return np.array([float(value) for value in values], dtype=np.float32)


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
