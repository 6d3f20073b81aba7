"""word2vec's binary format: a header line, then word, space and float32 numbers again and again."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator
from itertools import batched
from pathlib import Path
from typing import IO

import numpy as np

from ..source import LARGEST_DIMS, ODD, Chunk, Embedding, rows_of_chunk

LONGEST_WORD = 4096
"""Bytes. word2vec itself cuts words at 100."""

SCAN_SIZE = 1 << 18
"""Bytes that are read at a time: what stays in the processor's cache is scanned fastest."""


def chunks(source: Embedding, wanted: Collection[str] | None = None) -> Iterator[Chunk]:
    """Yield words and vectors."""
    path = source.path
    with source.stream() as (stream, tick):
        line = stream.readline(LONGEST_WORD)
        header = parse_header(line, path) if line.endswith(b"\n") else None
        if header is None:
            raise ValueError(
                f"{path} does not begin with the line '<number of words> <dimensions>' of "
                "word2vec's binary format; if it holds text, name it .txt or .vec"
            )
        entries = _entries(stream, *header, path, tick)
        if wanted is not None:
            entries = (entry for entry in entries if entry[1] in wanted)
        for block in batched(entries, rows_of_chunk(header[1])):
            ranks, words, vectors = zip(*block, strict=True)
            matrix = np.frombuffer(bytearray().join(vectors), dtype="<f4").reshape(len(block), -1)
            yield Chunk(list(words), matrix, np.array(ranks))


def parse_header(line: bytes, path: Path) -> tuple[int, int] | None:
    """Read '<number of words> <dimensions>'; None if the line is something else."""
    fields = line.split()
    if len(fields) != 2 or not all(field.isdigit() and len(field) < 19 for field in fields):
        return None
    count, dims = map(int, fields)
    if count == 0 or not 0 < dims <= LARGEST_DIMS:
        raise ValueError(
            f"{path}: the header promises {count:,} words of {dims:,} dimensions; there must be a "
            f"word, and 1 to {LARGEST_DIMS:,} dimensions"
        )
    return count, dims


def _entries(
    stream: IO[bytes], count: int, dims: int, path: Path, tick: Callable[[], object]
) -> Iterator[tuple[int, str, bytes]]:
    """Yield the rank of every word, from 1, the word, and the bytes of its vector."""
    done, last, n_bytes = 0, "", 4 * dims
    buffer, offset = b"", 0
    while done < count and (more := stream.read(max(SCAN_SIZE, n_bytes))):
        buffer, offset = buffer[offset:] + more, 0
        while done < count:
            space = buffer.find(b" ", offset, offset + LONGEST_WORD)
            if space < 0 and len(buffer) - offset >= LONGEST_WORD:
                raise ValueError(
                    f"{path}: no word where entry {done + 1:,} of {count:,} should begin, after "
                    f"{last[:60]!r}; the file is damaged or not in word2vec's binary format"
                )
            end = space + 1 + n_bytes
            if space < 0 or end > len(buffer):
                break
            # Some writers end an entry with a newline, which stands before the next word then.
            last = buffer[offset:space].lstrip(b"\n").decode(errors=ODD)
            offset, done = end, done + 1
            yield done, last, buffer[space + 1 : end]
        tick()
    # Reading on to the end also makes gzip and zip compare their checksums.
    rest = (buffer[offset:] + stream.read(LONGEST_WORD)).strip(b"\r\n")
    if done < count or rest:
        how = "ends before" if done < count else "goes on after"
        raise ValueError(
            f"{path} {how} the end of the {count:,} entries that its header promises, after "
            f"{last[:60]!r}; the file was cut off, or its header is wrong: fetch or copy it again"
        )
