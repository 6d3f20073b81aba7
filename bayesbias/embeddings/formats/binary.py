"""word2vec's binary format: a header line, then word, space and float32 numbers again and again.

Words are found by stepping from vector to vector; a vector is looked at only if it is wanted.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from pathlib import Path

import numpy as np

from ..chunks import Chunk, Entry, ReadBuffer, checked_lines, rows_of_chunk
from ..source import Source
from .headers import Header, parse_header

ENDINGS = (".bin",)

FASTTEXT_MAGIC = (793712314).to_bytes(4, "little")
"""First bytes of a binary fastText model (``FASTTEXT_FILEFORMAT_MAGIC_INT32`` in its source)."""

LONGEST_WORD = 4096
"""Bytes. word2vec itself cuts words at 100."""

SCAN_SIZE = 1 << 18
"""Bytes that `pick` reads at a time: what stays in the processor's cache is scanned fastest."""


def pick(source: Source, wanted: Collection[bytes] | None) -> Iterator[Entry]:
    """Yield the wanted words; every other vector is stepped over.

    Mapping the file into memory instead takes half as long again, since every page of it causes
    a fault, and it needs the pages to be given back for memory not to grow.
    """
    with source.stream() as (stream, tick):
        header = binary_header(stream.readline(LONGEST_WORD), source.path)
        count, n_bytes = header.count, 4 * header.dims
        done, last, buffer, offset = 0, b"", b"", 0
        while done < count and (more := stream.read(max(SCAN_SIZE, n_bytes))):
            buffer, offset = buffer[offset:] + more, 0
            while done < count:
                space = buffer.find(b" ", offset, offset + LONGEST_WORD)
                if space < 0 and len(buffer) - offset >= LONGEST_WORD:
                    raise ValueError(no_word(header, done, last))
                end = space + 1 + n_bytes
                if space < 0 or end > len(buffer):
                    break
                # Some writers end an entry with a newline, which stands before the next word then.
                last = buffer[offset:space].lstrip(b"\n")
                if wanted is None or last in wanted:
                    vector = np.frombuffer(buffer[space + 1 : end], dtype="<f4")
                    yield last, vector, done + 1
                offset, done = end, done + 1
            tick()
        # Reading on to the end also makes gzip and zip compare their checksums.
        check_end(header, done, last, buffer[offset:] + stream.read(LONGEST_WORD))


def iterate(source: Source, rows: int | None = None) -> Iterator[Chunk]:
    """Yield all words and vectors in chunks."""
    from .kernels import split_binary

    with source.stream() as (stream, tick):
        header = binary_header(stream.readline(LONGEST_WORD), source.path)
        n_bytes, most = 4 * header.dims, rows_of_chunk(header.dims, rows)
        buffer = ReadBuffer(stream)
        done, last = 0, b""
        while done < header.count and not buffer.ended:
            buffer.refill()
            names = np.empty(len(buffer.left) + 1, dtype=np.uint8)
            taken = n_rows = 0
            while taken == n_rows and done < header.count:
                n_rows = min(most, header.count - done, len(buffer.left) // n_bytes + 1)
                matrix = np.empty((n_rows, header.dims), dtype=np.float32)
                used, taken, n_names, lost = split_binary(
                    buffer.left, LONGEST_WORD, matrix.view(np.uint8), names
                )
                if taken:
                    words = checked_lines(names[:n_names], taken, source.path)
                    done, last = done + taken, words[:-1].rpartition(b"\n")[2]
                    yield Chunk(words, matrix[:taken])
                if lost:
                    raise ValueError(no_word(header, done, last))
                buffer.offset += used
            tick()
        check_end(header, done, last, buffer.left.tobytes() + stream.read(LONGEST_WORD))


def binary_header(line: bytes, path: Path) -> Header:
    """Read the first line of a file in word2vec's binary format."""
    if line.startswith(FASTTEXT_MAGIC):
        raise ValueError(
            f"{path} is a binary fastText model, not word2vec's binary format; unpack it, or give "
            "the .vec file that fastText writes beside it"
        )
    header = parse_header(line, path) if line.endswith(b"\n") else None
    if header is None:
        raise ValueError(
            f"{path} does not begin with the line '<number of words> <dimensions>' of word2vec's "
            "binary format; if it holds text, name it .txt or .vec"
        )
    return header


def check_end(header: Header, done: int, last: bytes, left: bytes) -> None:
    """Compare what the header promised with what there was.

    There were ``done`` whole entries, the last of them of the word ``last``, and ``left`` is what
    stands behind it, or the beginning of that.
    """
    left = left.strip(b"\r\n")
    if done == header.count and not left:
        return
    if done == header.count:
        raise ValueError(
            f"{header.path} goes on after the {header.count:,} entries that its header promises"
            f"{_after(last)}; its header is wrong or two files were joined"
        )
    how = f"within entry {done + 1:,}" if left else f"after entry {done:,}"
    raise ValueError(
        f"{header.path} ends {how} of the {header.count:,} that its header promises"
        f"{_after(last)}; the file was cut off: fetch or copy it again"
    )


def no_word(header: Header, done: int, last: bytes) -> str:
    """Word the error that no word ends where one should, after the word ``last``."""
    return (
        f"{header.path}: no word where entry {done + 1:,} of {header.count:,} should "
        f"begin{_after(last)}; the file is damaged or not in word2vec's binary format"
    )


def _after(word: bytes) -> str:
    return f" (after the word {word.decode(errors='replace')[:60]!r})" if word else ""
