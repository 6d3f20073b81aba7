"""Read word2vec's binary format: a header line, then a word, a space, and float32 numbers each.

Gensim also writes keys that contain blanks, such as phrases, so the first blank does not always end
a key. A reader that takes it for the end continues in the middle of numbers, which shows: the
numbers are of odd sizes, and the next key contains control characters. Then other ends are tried.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO

import numpy as np
from numpy.typing import NDArray

from ..._core.warnings import warn
from ...tables.encodings import Decoder
from ...warnings import KeysWithBlanks
from ..source import Chunk, Embedding, rows_of_chunk
from .layout import check_header, header_of, unfulfilled
from .matrices import check_dims

LONGEST_WORD = 4096
"""Largest number of bytes in a word; word2vec cuts words off after 100 bytes."""

SCAN_SIZE = 1 << 18
"""Bytes to read at a time; a block that fits in the processor's cache is scanned fastest."""

USUAL = 1e-7, 1e5
"""Absolute values of nearly all numbers in embeddings. Shifted bytes are seldom such numbers."""

AROUND = 1e-6, 1e6
"""The same for a file whose numbers are larger or smaller, as multiples of their median."""

MEDIANS = 1e-20, 1e20
"""Medians of numbers of other scales; bytes in the wrong order are beyond if most are zero."""

CHECKED = 64
"""Numbers at the beginning of a vector that are checked, more than the longest usual key has."""

FEW_DIMS = 16
"""With fewer dimensions, shifted numbers can look usual, so every end of a key is tried."""

FEWEST_KEYS = 8
"""Fewest entries, and numbers other than 0, that show in which order the bytes of numbers are."""

LITTLE_ENDIAN, BIG_ENDIAN = "<f4", ">f4"
"""Types of numbers; word2vec writes the first on nearly all computers."""

MOST_SPANS = 512
"""Number of entries to locate at a time."""

_CONTROL = re.compile(rb"[\0-\x1f\x7f]")

Span = tuple[int, int, int]
"""Where an entry begins, where its key ends, and where its vector ends."""


def binary_chunks(source: Embedding, wanted: Collection[str] | None = None) -> Iterator[Chunk]:
    """Yield the words and vectors of a binary file."""
    path, decode = source.path, Decoder()
    with source.stream() as (stream, tick):
        count, dims = _header(stream.readline(LONGEST_WORD), path)
        source.expect(4 * dims + 1)
        scan = Scan(path, count, dims)
        for spans in scan.spans(stream):
            found = [(decode(scan.key(span)), span) for span in spans]
            rows = [row for row, (word, _) in enumerate(found) if wanted is None or word in wanted]
            if rows:
                vectors = scan.numbers([spans[row] for row in rows], dims)
                ranks = np.array(rows) + scan.done - len(spans) + 1
                yield Chunk([found[row][0] for row in rows], vectors, ranks)
            if source.limit is not None and source.limit <= scan.done < scan.count:
                break
            tick()
    if scan.blanks:
        warn(KeysWithBlanks(len(scan.blanks), tuple(scan.blanks), about=str(path)))
    decode.close(path)


def _header(line: bytes, path: Path) -> tuple[int, int]:
    """Return the numbers of words and dimensions in a header."""
    numbers = header_of(line)
    if numbers is None or len(numbers) != 2:
        raise ValueError(
            f"{path} is word2vec's binary format, but its first line is not '<number of words> "
            f"<dimensions>'; it begins {line[:40]!r}"
        )
    count, dims = numbers
    check_header(path, count, dims)
    check_dims(dims, str(path))
    return count, dims


@dataclass
class Scan:
    """The state of reading a binary file: a buffer of its bytes, and how far it was read."""

    path: Path
    count: int
    dims: int
    buffer: bytes = b""
    ended: bool = False
    done: int = 0
    last: bytes = b""
    blanks: list[str] = field(default_factory=list)
    type: str = LITTLE_ENDIAN
    usual: tuple[float, float] = USUAL

    def spans(self, stream: IO[bytes]) -> Iterator[list[Span]]:
        """Yield where the next entries are in the buffer, until all are `done`."""
        offset = 0
        while self.done < self.count and not self.ended:
            more = stream.read(max(SCAN_SIZE, 4 * self.dims))
            self.buffer, self.ended, offset = self.buffer[offset:] + more, not more, 0
            while spans := self._spans(offset):
                self.last, offset = self.key(spans[-1]), spans[-1][2]
                self.done += len(spans)
                yield spans
        # `_by_first_blank` looks ahead: either all was read, and gzip and zip have verified their
        # checksums, or the buffer has more than the last entry.
        rest = self.buffer[offset:].strip(b"\r\n")
        self.buffer = b""
        found = self.done + bool(rest and self.done == self.count)
        if found != self.count:
            raise ValueError(unfulfilled(self.path, found, self.count))

    def key(self, span: Span) -> bytes:
        """Return the key of an entry in the buffer."""
        return self.buffer[span[0] : span[1]].removeprefix(b"\r\n").lstrip(b"\n")

    def numbers(self, spans: Sequence[Span], n: int) -> NDArray[np.float32]:
        """Return the first `n` numbers of each entry in the buffer."""
        parts = (self.buffer[space + 1 : space + 1 + 4 * n] for _, space, _ in spans)
        return np.frombuffer(b"".join(parts), dtype=self.type).reshape(len(spans), n)

    def _spans(self, offset: int) -> list[Span]:
        """Locate the next entries in the buffer, up to one whose key may contain blanks."""
        spans = self._by_first_blank(offset)
        if not self.done:
            if not self.ended and len(spans) < min(CHECKED, self.count, rows_of_chunk(self.dims)):
                return []  # more are needed to know how the numbers are written
            self.type = self._type(spans)
            self.usual = self._usual(spans)
        for place, doubtful in enumerate(self._doubtful(spans)):
            if doubtful and (found := self._resolved(spans[place], place)) != spans[place]:
                return [*spans[:place], found]
        return spans

    def _by_first_blank(self, offset: int) -> list[Span]:
        """Locate entries as if no key contained a blank."""
        spans: list[Span] = []
        ahead = 0 if self.ended else 2 * LONGEST_WORD + 4 * self.dims
        most = min(self.count - self.done, MOST_SPANS, rows_of_chunk(self.dims))
        while len(spans) < most and offset + ahead < len(self.buffer):
            space = self.buffer.find(b" ", offset, offset + LONGEST_WORD)
            if space < 0 and len(self.buffer) - offset >= LONGEST_WORD and not spans:
                raise ValueError(
                    f"{self.path} has no word where entry {self.done + 1:,} of {self.count:,} "
                    f"should begin, after {self.last[:60].decode(errors='replace')!r}; the file is "
                    "damaged or not in word2vec's binary format"
                )
            end = space + 1 + 4 * self.dims
            if space < 0 or end > len(self.buffer):
                break
            spans.append((offset, space, end))
            offset = end
        return spans

    def _type(self, spans: Sequence[Span]) -> str:
        """Return the type of numbers: big-endian if only that makes most of them usual.

        Keys with blanks also shift numbers, but then, the next keys begin with parts of numbers.
        """
        n = int(np.count_nonzero(self.numbers(spans, min(self.dims, CHECKED))))
        if min(len(spans), n) < FEWEST_KEYS or 2 * sum(self._odd(spans)) <= n:
            return self.type
        if not (all(map(self._clean, spans)) and self._followed(spans[-1][2], len(spans) - 1)):
            return self.type
        self.type = BIG_ENDIAN
        return BIG_ENDIAN if 8 * sum(self._odd(spans)) < n else LITTLE_ENDIAN

    def _usual(self, spans: Sequence[Span]) -> tuple[float, float]:
        """Return the usual sizes in the file; other ones only if nearly all first numbers agree."""
        sizes = np.abs(self.numbers(spans, min(self.dims, CHECKED)))
        sizes = sizes[sizes != 0]
        n = len(sizes)
        if min(len(spans), n) < FEWEST_KEYS or 8 * sum(self._odd(spans)) <= n:
            return self.usual
        median = float(np.median(np.nan_to_num(sizes, nan=np.inf)))
        around = AROUND[0] * median, AROUND[1] * median
        within = int(((sizes > around[0]) & (sizes < around[1])).sum())
        return around if MEDIANS[0] < median < MEDIANS[1] and 8 * within > 7 * n else self.usual

    def _doubtful(self, spans: Sequence[Span]) -> list[bool]:
        """Return which entries have unusual numbers, or are followed by control characters."""
        if self.dims < FEW_DIMS:
            return [True] * len(spans)
        clean = [*map(self._clean, spans[1:]), False]
        return [n > 0 or not next_ for n, next_ in zip(self._odd(spans), clean, strict=False)]

    def _odd(self, spans: Sequence[Span]) -> list[int]:
        """Count the numbers of unusual size at the beginning of each vector."""
        sizes = np.abs(self.numbers(spans, min(self.dims, CHECKED)))
        with np.errstate(invalid="ignore"):
            usual = (sizes == 0) | ((sizes > self.usual[0]) & (sizes < self.usual[1]))
        counts: list[int] = (~usual).sum(axis=1).tolist()
        return counts

    def _clean(self, span: Span) -> bool:
        """Return whether a key in the buffer has no control characters and is UTF-8."""
        key = self.key(span)
        try:
            return _CONTROL.search(key) is None and key.decode() is not None
        except UnicodeDecodeError:
            return False

    def _followed(self, end: int, place: int) -> bool:
        """Return whether the next key, or the end of the file, comes after an entry."""
        if self.done + place + 1 == self.count:
            return self.ended and not self.buffer[end:].strip(b"\r\n")
        space = self.buffer.find(b" ", end, end + LONGEST_WORD)
        return space >= 0 and self._clean((end, space, space))

    def _ends_after(self, span: Span, last: int) -> set[int]:
        """Return where entries after one end, up to a place, if no key contains a blank.

        A key that goes on to there would contain whole entries, which the header counts.
        """
        ends: set[int] = set()
        end = span[2]
        while end < last and self._odd([span]) == [0]:
            space = self.buffer.find(b" ", end, end + LONGEST_WORD)
            span = end, space, space + 1 + 4 * self.dims
            if space < 0 or span[2] > last or not self._clean(span):
                break
            end = span[2]
            ends.add(end)
        return ends

    def _resolved(self, span: Span, place: int) -> Span:
        """Find where the key of an entry ends; refuse the file if that is ambiguous."""
        start, space, _ = span
        tried: list[Span] = []
        while space >= 0 and (end := space + 1 + 4 * self.dims) <= len(self.buffer):
            if tried and not self._clean((start, space, end)):
                break
            tried.append((start, space, end))
            space = self.buffer.find(b" ", space + 1, start + LONGEST_WORD)
        odd = dict(zip(tried, self._odd(tried), strict=True))
        most = min(self.dims, CHECKED) // 8
        whole = self._ends_after(span, tried[-1][2] if tried else 0)
        fits = [each for each in tried if each[2] not in whole and self._followed(each[2], place)]
        best = min(fits, key=odd.__getitem__, default=span)
        alone = len(fits) <= 1 or sum(odd[each] == odd[best] for each in fits) == 1
        if fits == [span] or (alone and odd[best] <= most):
            if best != span:
                self.blanks.append(self.key(best).decode())
            return best
        key = self.key((start, space, space))[:60].decode(errors="replace")
        raise ValueError(
            f"{self.path}: entry {self.done + place + 1:,} has no clear end. The file is damaged, "
            f"or its keys contain blanks, as {key!r} may; word2vec's binary format cannot mark "
            "where such keys end. Save the vectors as text, or with underscores in the keys"
        )
