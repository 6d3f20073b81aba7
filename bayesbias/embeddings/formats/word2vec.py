"""Read word2vec's binary and text formats, and the text formats of GloVe and fastText.

A binary file has a header line, then a word, a space, and float32 numbers for each entry. Each line
of a text file has a word and its numbers; the header is optional.
"""

from __future__ import annotations

import codecs
from collections.abc import Callable, Collection, Iterator, Sequence
from functools import partial
from itertools import chain
from pathlib import Path
from typing import IO

import numpy as np

from ..source import LARGEST_DIMS, ODD, Embedding, Entry

LONGEST_WORD = 4096
"""Largest number of bytes in a word; word2vec cuts words off after 100 bytes."""

SCAN_SIZE = 1 << 18
"""Bytes to read at a time; a block that fits in the processor's cache is scanned fastest."""

LONGEST_LINE = 1 << 24
"""Largest number of bytes in a line, enough for a million numbers of 16 characters."""


def binary_entries(source: Embedding, wanted: Collection[str] | None = None) -> Iterator[Entry]:
    """Yield the entries of a binary file."""
    path = source.path
    with source.stream() as (stream, tick):
        line = stream.readline(LONGEST_WORD)
        header = parse_header(line, path) if line.endswith(b"\n") else None
        if header is None:
            raise ValueError(
                f"{path} does not begin with the line '<number of words> <dimensions>' of "
                "word2vec's binary format; if it contains text, rename it to end in .txt or .vec"
            )
        for rank, word, numbers in _scanned(stream, *header, path, tick):
            if wanted is None or word in wanted:
                yield rank, word, np.frombuffer(numbers, dtype="<f4")


def parse_header(line: bytes, path: Path) -> tuple[int, int] | None:
    """Return the numbers of words and dimensions in a header; return None for any other line."""
    fields = line.split()
    if len(fields) != 2 or not all(field.isdigit() and len(field) < 19 for field in fields):
        return None
    count, dims = map(int, fields)
    if count == 0 or not 0 < dims <= LARGEST_DIMS:
        raise ValueError(
            f"{path}: the header promises {count:,} words of {dims:,} dimensions; there must be at "
            f"least one word, and 1 to {LARGEST_DIMS:,} dimensions"
        )
    return count, dims


def _scanned(
    stream: IO[bytes], count: int, dims: int, path: Path, tick: Callable[[], object]
) -> Iterator[tuple[int, str, bytes]]:
    """Yield each word's rank (from 1), the word itself, and the bytes of its vector."""
    done, last, n_bytes = 0, "", 4 * dims
    buffer, offset = b"", 0
    while done < count and (more := stream.read(max(SCAN_SIZE, n_bytes))):
        buffer, offset = buffer[offset:] + more, 0
        while done < count:
            space = buffer.find(b" ", offset, offset + LONGEST_WORD)
            if space < 0 and len(buffer) - offset >= LONGEST_WORD:
                raise ValueError(
                    f"{path} has no word where entry {done + 1:,} of {count:,} should begin, after "
                    f"{last[:60]!r}; the file is damaged or not in word2vec's binary format"
                )
            end = space + 1 + n_bytes
            if space < 0 or end > len(buffer):
                break
            # Some writers end an entry with a newline, which then precedes the next word.
            last = buffer[offset:space].lstrip(b"\n").decode(errors=ODD)
            offset, done = end, done + 1
            yield done, last, buffer[space + 1 : end]
        tick()
    # Reading to the end also makes gzip and zip verify their checksums.
    rest = (buffer[offset:] + stream.read(LONGEST_WORD)).strip(b"\r\n")
    _require_promised(path, done + 1 if rest and done == count else done, count)


def text_entries(source: Embedding, wanted: Collection[str] | None = None) -> Iterator[Entry]:
    """Yield the entries of a text file; parse numbers only for wanted words."""
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
                    with np.errstate(over="ignore"):
                        row = np.array(fields.split(), dtype=np.float32).reshape(dims)
                    yield count, word, row
            except ValueError:
                raise ValueError(
                    f"{path}: line {number:,} is not a word followed by {dims:,} numbers, as the "
                    f"header or the first line requires; it begins {line[:40]!r}. The file was cut "
                    "off, or two files were joined"
                ) from None
        _require_promised(path, count, count if promised is None else promised)


def _require_promised(path: Path, count: int, promised: int) -> None:
    """Raise an error if a file has more or fewer words than its header promises."""
    if count != promised:
        what = "ends after" if count < promised else "continues to"
        raise ValueError(
            f"{path} {what} word {count:,}, but its header promises {promised:,}; the file was cut "
            "off, or its header is wrong. Download or copy it again"
        )


def _lines(
    stream: IO[bytes], path: Path, tick: Callable[[], object]
) -> Iterator[tuple[int, bytes]]:
    """Yield the number and text of each line that is not blank, without trailing spaces."""
    for number, line in enumerate(iter(partial(stream.readline, LONGEST_LINE), b""), start=1):
        if not number % 1_000:
            tick()
        if len(line) == LONGEST_LINE:
            raise ValueError(f"{path}: line {number:,} is too long for a text file of vectors")
        text = (line.removeprefix(codecs.BOM_UTF8) if number == 1 else line).rstrip(b" \r\n")
        if text:
            yield number, text


def _dims_of_first(line: bytes, path: Path) -> int:
    """Count the numbers at the end of the first line; the text before them is the word."""
    dims = _numbers_at_end(line.split(b" ")[1:])
    if dims < 2:
        raise ValueError(
            f"{path}: the first line must be a header ('<number of words> <dimensions>') or a word "
            f"followed by numbers, all separated by spaces; it begins {line[:40]!r}"
        )
    return dims


def _split(line: bytes, dims: int) -> tuple[bytes, bytes]:
    """Split a line before its last ``dims`` fields, since words may contain spaces."""
    if line.count(b" ") == dims:
        word, _, fields = line.partition(b" ")
        return word, fields
    word, *numbers = line.rsplit(None, dims)
    more = word.split(b" ")[1:]
    if len(numbers) < dims or (more and _numbers_at_end(more) == len(more)):
        raise ValueError  # GloVe has the word '. . .'
    return word, b" ".join(numbers)


def _numbers_at_end(fields: Sequence[bytes]) -> int:
    """Count the numbers at the end of some fields."""
    for count, field in enumerate(reversed(fields)):
        try:
            float(field)
        except ValueError:
            return count
    return len(fields)
