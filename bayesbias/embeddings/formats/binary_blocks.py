"""word2vec's binary format, in blocks or in pieces; see `binary` for the format."""

from __future__ import annotations

import os
from collections.abc import Callable, Generator, Iterator
from contextlib import closing
from dataclasses import dataclass
from functools import partial
from itertools import islice, pairwise
from pathlib import Path
from typing import IO

import numpy as np

from . import blocks, pieces
from .binary import LONGEST_WORD, binary_header, check_end, no_word
from .blocks import Block, Memory, fill_buffer, last_word, lines_of, rows_at_once
from .headers import Header, Tick
from .pieces import Looks, Piece, found_in, in_order

LEAD = 64
"""Entries, and one more for every 64 bytes of a vector, that a search for an entry looks at."""

LONG_WORD = 64
"""Bytes for which there is room, on average; a file of longer words is read by one thread."""


@dataclass(frozen=True)
class Place:
    """A place in a file where an entry begins or the last one has ended.

    Parameters
    ----------
    offset : int
        Bytes from the start of the file.
    done : int
        Entries before it.
    last : bytes
        The word of the last of them.
    """

    offset: int
    done: int = 0
    last: bytes = b""

    def behind(self, stop: int, piece: Piece) -> Place:
        """Give the place where a piece ends that begins here."""
        words = piece.names[-2 * LONGEST_WORD :].tobytes()
        return Place(stop, self.done + len(piece), last_word(words) or self.last)


def binary_start(stream: IO[bytes], path: Path) -> tuple[Header, Place]:
    """Read the header of a file, and give the place behind it."""
    header = binary_header(stream.readline(LONGEST_WORD), path)
    return header, Place(stream.tell())


def binary_blocks(
    stream: IO[bytes], header: Header, place: Place, tick: Tick, rows: int | None = None
) -> Iterator[Block]:
    """Read a file, on disk or unpacked on the way, from a place on to its end.

    Vectors stay where they were read to, since taking them out would be to copy the whole file.
    In front of what is read there is room for the entry that the read before has cut.
    """
    from .span_kernels import split_binary

    n_bytes, memory = 4 * header.dims, Memory()
    room = LONGEST_WORD + 1 + n_bytes
    size = room + blocks.READ_SIZE
    n_rows = min(rows_at_once(header.dims, rows), size // n_bytes + 1)
    letters = np.empty(size + 1, dtype=np.uint8)
    done, last, left = place.done, place.last, b""
    while done < header.count:
        buffer = memory.bytes(size)
        stop = fill_buffer(stream, buffer.data, room)
        if stop == room:
            break
        part = buffer[room - len(left) : stop]
        part[: len(left)] = np.frombuffer(left, dtype=np.uint8)
        taken = most = 0
        while taken == most and done < header.count:
            most = min(n_rows, header.count - done)
            starts, hashes = np.empty(most, dtype=np.int64), np.empty(most, dtype=np.uint64)
            used, taken, n_names, lost = split_binary(
                part, len(part), n_bytes, LONGEST_WORD, starts, hashes, letters
            )
            if taken:
                names = lines_of(letters[:n_names], taken, header.path)
                done, last = done + taken, last_word(names)
                yield Block(names, hashes[:taken], part, starts[:taken], header.dims)
            if lost:
                raise ValueError(no_word(header, done, last))
            part = part[used:]
        left = part.tobytes()
        tick()
    # Reading on to the end also makes gzip and zip compare their checksums.
    check_end(header, done, last, left + stream.read(LONGEST_WORD))


@dataclass(frozen=True)
class _Span:
    """The entries that begin between two places of an open file.

    Parameters
    ----------
    file : int
        Descriptor.
    n_dims : int
    first : int
        Where the first entry of the file begins.
    start, stop : int
        Bytes from the start of the file.
    room : int
        As many bytes as the longest span has, so that memory is of one size.
    memory : Memory
    """

    file: int
    n_dims: int
    first: int
    start: int
    stop: int
    room: int
    memory: Memory

    def look(self, looks: Looks) -> tuple[int, int, Piece] | None:
        """Give where the first of the entries begins, where the last ends, and them.

        None if these are no entries. If nothing is wrong with the file they most likely are, but
        that is certain only if the entries before them end where they begin.
        """
        from .span_kernels import look_at_binary

        look, memory, n_bytes = looks(self.n_dims), self.memory, 4 * self.n_dims
        longest = LONGEST_WORD + 1 + n_bytes
        most = self.room // (n_bytes + 1) + 1
        buffer = memory.bytes(max(pieces.CHUNK, longest))
        scratch = np.empty((2, len(buffer) // n_bytes + 1), dtype=np.int64)
        letters = memory.bytes(most * LONG_WORD + len(buffer))
        products = memory.matrix(look.count, most)
        hashes = memory.bytes(8 * most).view(np.uint64)
        vectors = memory.matrix(look.most_found, self.n_dims)
        rows = np.empty(len(vectors), dtype=np.int64)
        start, stop, done, n_names, n_found, whole = look_at_binary(
            self.file,
            max(self.first, self.start - (LEAD + n_bytes // 64) * n_bytes),
            self.start,
            self.stop,
            LONGEST_WORD,
            look.table,
            look.directions,
            buffer,
            scratch,
            hashes,
            letters,
            products,
            rows,
            vectors,
        )
        if not whole:
            return None
        names = letters[:n_names]
        found = found_in(names, rows[:n_found], vectors[:n_found].copy())
        return start, stop, Piece(names, hashes[:done], products[:, :done], found, look)


def binary_pieces(
    file: int,
    header: Header,
    place: Place,
    looks: Looks,
    *,
    memory: Memory,
    reached: Callable[[Place], object],
    first: int | None = None,
    rows: int | None = None,
) -> Generator[Piece]:
    """Look at a file on disk from its first entry on, several spans of it at a time.

    Ends where a span does not begin with the entry behind the one before it, or holds more than
    the header promises: what is there has to be read with care, which `binary_blocks` does.

    Parameters
    ----------
    file : int
        Descriptor.
    header : Header
    place : Place
        Where the first entry begins.
    looks : function
    memory : Memory
    reached : function
        Called with the place behind each piece, before it is given.
    first : int, optional
        Pieces that are wanted, counted from the start; all by default.
    rows : int, optional
        Words of a piece, about.
    """
    begin = place.offset
    places = pieces.cut_places(os.fstat(file).st_size - begin, header.dims, rows)
    room = max((stop - start for start, stop in pairwise(places)), default=0)
    spans = [
        _Span(file, header.dims, begin, begin + start, begin + stop, room, memory)
        for start, stop in islice(pairwise(places), first)
    ]
    with closing(in_order(partial(_Span.look, looks=looks), spans)) as walked:
        for taken in walked:
            if taken is None:
                return
            start, stop, piece = taken
            if start != place.offset or place.done + len(piece) > header.count:
                return
            place = place.behind(stop, piece)
            reached(place)
            if len(piece):
                yield piece
