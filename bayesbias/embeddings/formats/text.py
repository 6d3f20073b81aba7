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

from ..source import ODD, Chunk, Source, Vector, parse_header, rows_of_chunk

ENDINGS = (".txt", ".vec")

LONGEST_LINE = 1 << 24
"""Bytes; a million numbers of 16 characters each."""

FEW_LINES = 20
"""Lines that Python parses sooner than pandas."""

type Line = tuple[int, bytes]
"""The number of a line, from 1 on, and its content."""


def chunks(
    source: Source, rows: int | None = None, wanted: Collection[str] | None = None
) -> Iterator[Chunk]:
    """Yield words and vectors; of words that are not wanted no number is parsed."""
    path = source.path
    with source.stream() as (stream, tick):
        lines = _lines(stream, path)
        first = next(lines, (1, b""))
        header = parse_header(first[1], path)
        dims = header.dims if header else _dims_of_first(first[1], path)
        count = 0
        for block in batched(lines if header else chain([first], lines), rows_of_chunk(dims, rows)):
            chunk = _parsed(block, dims, path, wanted, count)
            count += len(block)
            tick()
            if len(chunk):
                yield chunk
        if header and count != header.count:
            what = "ends after" if count < header.count else "goes on to"
            raise ValueError(
                f"{path} {what} word {count:,}, but its header promises {header.count:,}; the "
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
    while dims < len(fields) - 1 and is_number(fields[-1 - dims]):
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
            numbers.append((number, line[cut + 1 :]))
    return Chunk(words, _matrix(numbers, dims, path), np.array(ranks, dtype=np.int64))


def _end_of_word(line: bytes, dims: int, path: Path, number: int) -> int:
    """Find where the word ends: before the last ``dims`` fields, for words may hold spaces."""
    spaces = line.count(b" ")
    if spaces == dims:
        return line.index(b" ")
    if spaces < dims:
        advice = "the file was cut off, or is two files joined"
        raise _miscounted(path, number, spaces, dims, advice)
    spaced = line.rsplit(b" ", dims)[0]
    word, *more = spaced.split(b" ")
    more = [field for field in more if field]
    if not more:  # several spaces stand between the word and its numbers
        return len(word)
    if all(map(is_number, more)):  # else they belong to the word: GloVe 840B has '. . .'
        advice = "all vectors of a file must have the same number of dimensions"
        raise _miscounted(path, number, dims + len(more), dims, advice)
    return len(spaced)


def _matrix(numbers: Sequence[Line], dims: int, path: Path) -> Vector:
    """Parse the numbers of lines, (n, dims): many by pandas, few or odd ones by Python."""
    with np.errstate(over="ignore"):  # inf, which is refused by word
        if len(numbers) > FEW_LINES:
            content = b"\n".join(fields.lstrip(b" ") for _, fields in numbers)
            with suppress(ValueError, OverflowError):
                matrix = _by_pandas(content, dims)
                if matrix.shape == (len(numbers), dims):
                    return matrix
        rows = [_row(fields, dims, path, number) for number, fields in numbers]
    return np.stack(rows) if rows else np.empty((0, dims), dtype=np.float32)


def _by_pandas(content: bytes, dims: int) -> Vector:
    options: dict[str, Any] = {"na_filter": False, "quoting": csv.QUOTE_NONE}
    frame = pd.read_csv(
        io.BytesIO(content),
        sep=" ",
        lineterminator="\n",
        names=range(dims),
        index_col=False,
        dtype=np.float32,
        **options,
    )
    return np.asarray(frame, dtype=np.float32)


def _row(fields: bytes, dims: int, path: Path, number: int) -> Vector:
    values = fields.lstrip(b" ").split(b" ")
    if len(values) != dims:  # spaces among the numbers were treated as one
        raise _miscounted(path, number, len(values), dims, "the line is damaged")
    if wrong := [value for value in values if not is_number(value)]:
        raise ValueError(f"{path}: line {number:,} has {_shown(wrong[0])} where a number should be")
    return np.array([float(value) for value in values], dtype=np.float32)


def _miscounted(path: Path, number: int, count: int, dims: int, advice: str) -> ValueError:
    return ValueError(
        f"{path}: line {number:,} has {count:,} numbers, not {dims:,} as the header or the first "
        f"line says; {advice}"
    )


def _shown(field: bytes) -> str:
    return repr(field[:40].decode(errors="replace"))


def is_number(text: str | bytes) -> bool:
    """Return whether a text is a number as Python writes one."""
    try:
        float(text)
    except ValueError:
        return False
    return True
