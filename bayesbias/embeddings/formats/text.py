"""Read lines of text, each a word and its numbers, as word2vec, GloVe, fastText, and others write.

A word is everything before the last `dims` fields of a line. Lines that do not fit are left out and
counted. Numbers are read by pandas in blocks, with the same values as Python's ``float``.
"""

from __future__ import annotations

import codecs
import time
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import batched
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from ..._core.warnings import warn
from ...tables.encodings import Decoder
from ...tables.raw_rows import within_quotes
from ...warnings import ColumnsNotRead, OddLines, SlowText, WrongHeader
from ..source import Chunk, Embedding, Vector, rows_of_chunk
from .layout import QUOTED, SHOWN, Layout, unfulfilled
from .separators import BLANKS, END, without_types

LONGEST_LINE = 1 << 24
"""Largest number of bytes in a line, enough for a million numbers of 16 characters."""

BLOCK_SIZE = 1 << 20
"""Bytes of text to read at a time."""

SLICE = 1 << 14
"""Bytes of text that the parser of numbers takes at a time."""

MOST_ODD, MOST_ODD_SHARE = 100, 1e-3
"""Lines that may be left out: this many, or this share of all lines if that is more."""

NANS = ["nan", "NaN", "NAN", "-nan"]
"""How programs write what is not a number; words with such vectors count as missing."""

MARGIN = 1.03
"""Factor for the number of lines that the length of the first lines lets expect."""

SLOW = 5.0
"""Seconds of reading after which a hint names the faster folder."""

_HINTED: set[Path] = set()
"""Files for which the hint was given."""

type Line = tuple[int, bytes]
"""The number of a line in the file, from 1, and its first letters."""

type Entry = tuple[int, str, bytes, Line]
"""The rank of a word, the word, the text of its numbers, and its line."""


@dataclass
class Tally:
    """The lines read so far, and those that were left out.

    `number` counts all lines, `lines` those from the first word on; the last of them is `last`.
    """

    path: Path
    layout: Layout
    lines: int = 0
    odd: list[Line] = field(default_factory=list)
    number: int = 0
    last: int = 0
    header: bool = False
    decoder: Decoder = field(default_factory=Decoder)

    def leave_out(self, line: Line) -> None:
        """Count a line that does not fit; stop if there are too many."""
        self.odd.append(line)
        if len(self.odd) > max(MOST_ODD, MOST_ODD_SHARE * self.lines):
            raise ValueError(f"{self.notice()}. Two files were joined, or the file is damaged")

    def notice(self) -> OddLines:
        """Return the notice about the lines that were left out."""
        some = [f"line {number:,}, {text!r}" for number, text in self.odd[:3]]
        return OddLines(len(self.odd), self.layout.dims, tuple(some), about=str(self.path))

    def close(self, *, ended: bool) -> None:
        """Check the end of the file and the number of lines; warn about what was left out."""
        if not ended and self.odd and self.odd[-1][0] == self.last:
            raise ValueError(f"{self.notice()}; the file was cut off. Download or copy it again")
        if 2 * (len(self.odd) - self.layout.above) >= self.lines:
            raise ValueError(f"{self.notice()}. The file is damaged, or not a file of vectors")
        promised = self.lines if self.layout.promised is None else self.layout.promised
        if promised != self.lines:
            cut = self.lines < promised and not ended
            if cut or abs(promised - self.lines) > max(MOST_ODD, MOST_ODD_SHARE * promised):
                text = unfulfilled(self.path, self.lines, promised)
                raise ValueError(f"{text}. If it is complete, delete its first line")
            warn(WrongHeader(self.lines, promised, about=str(self.path)))
        self.tell()

    def tell(self) -> None:
        """Warn about lines and columns that were left out, and about another encoding."""
        if self.odd:
            warn(self.notice())
        if self.layout.numbered:
            warn(ColumnsNotRead(("the numbers of rows",), about=str(self.path)))
        self.decoder.close(self.path)


def text_chunks(source: Embedding, wanted: Collection[str] | None = None) -> Iterator[Chunk]:
    """Yield the words and vectors of a text file; parse numbers only for wanted words."""
    began = time.monotonic()
    tally = Tally(source.path, source.layout, header=source.layout.header)
    with source.stream() as (stream, tick):
        rest = stream.read(len(codecs.BOM_UTF8)).removeprefix(codecs.BOM_UTF8)
        while block := stream.read(BLOCK_SIZE):
            *lines, rest = (rest + block).split(b"\n")
            if max(map(len, (rest, *lines))) > LONGEST_LINE:
                raise ValueError(
                    f"{source.path}: line {tally.number + 1:,} or a later one is too long"
                )
            if not tally.number:
                source.expect((len(block) - len(rest)) / max(len(lines), 1) / MARGIN)
            yield from _chunks(lines, tally, wanted)
            tick()
            if source.limit is not None and tally.lines >= source.limit:
                tally.tell()
                return
        yield from _chunks([rest], tally, wanted)
    tally.close(ended=not rest.strip())
    if (seconds := time.monotonic() - began) > SLOW and source.path not in _HINTED:
        _HINTED.add(source.path)
        warn(SlowText(round(seconds), str(source.path)))


def _chunks(lines: list[bytes], tally: Tally, wanted: Collection[str] | None) -> Iterator[Chunk]:
    """Yield the words and vectors of the next lines, in chunks of limited size."""
    for entries in batched(_entries(lines, tally, wanted), rows_of_chunk(tally.layout.dims)):
        ranks, words, texts, places = zip(*entries, strict=True)
        content = b"\n".join(texts)
        del entries, texts  # the parser uses their memory
        rows, vectors = _parsed(content, places, tally)
        if rows:
            yield Chunk([words[row] for row in rows], vectors, np.array(ranks)[rows])


def _entries(lines: list[bytes], tally: Tally, wanted: Collection[str] | None) -> Iterator[Entry]:
    """Yield the wanted words of the next lines with the text of their numbers.

    Lines are let go as soon as they were used, so that memory has room for the parser.
    """
    layout = tally.layout
    after, between, others = layout.after, layout.between, layout.dims - 1
    blanks, marked = END + between, after != between
    lines.reverse()
    while lines:
        line = lines.pop()
        tally.number += 1
        text = (without_types(line) if layout.named else line).rstrip(blanks)
        if not text or tally.header:
            tally.header = tally.header and not text
            continue
        if len(tally.odd) < layout.above:
            tally.leave_out((tally.number, line[:SHOWN]))
            continue
        tally.lines, tally.last = tally.lines + 1, tally.number
        word, _, rest = text.partition(after)
        word = word.strip(BLANKS)
        odd = marked and after in rest.partition(between)[0].lstrip()  # the word has the mark, too
        if odd or not word or layout.numbered or rest.count(between) != others:
            parts = layout.fields(text)
            if parts is None:
                tally.leave_out((tally.number, line[:SHOWN]))
                continue
            word, rest = parts[0], between.join(parts[1])
        name = tally.decoder(word)
        quoted = layout.quoted or (not marked and after in word and QUOTED.fullmatch(word))
        if quoted and name[:1] == name[-1:] == '"' and name[1:-1].strip():
            name = within_quotes(name)
        if wanted is None or name in wanted:
            yield tally.lines, name, rest, (tally.number, line[:SHOWN])


def _parsed(content: bytes, lines: Sequence[Line], tally: Tally) -> tuple[list[int], Vector]:
    """Parse the numbers of some lines; leave out lines whose fields are not numbers."""
    try:
        return [*range(len(lines))], _matrix(content, len(lines), tally.layout)
    except ValueError:
        if len(lines) == 1:
            tally.leave_out(lines[0])
            return [], np.empty((0, tally.layout.dims), np.float32)
    texts, half = content.split(b"\n"), len(lines) // 2
    one, first = _parsed(b"\n".join(texts[:half]), lines[:half], tally)
    other, second = _parsed(b"\n".join(texts[half:]), lines[half:], tally)
    return [*one, *(half + row for row in other)], np.concatenate([first, second])


class _Slices:
    """Text for pandas in short slices: its parser has room for as many fields as a slice has bytes.

    That room would stay with the process, because later blocks use other parts of it.
    """

    def __init__(self, content: bytes) -> None:
        self._rest = memoryview(content)

    def read(self, n: int) -> bytes:
        """Return at most `SLICE` bytes."""
        n = min(n, SLICE)
        some, self._rest = bytes(self._rest[:n]), self._rest[n:]
        return some

    def __iter__(self) -> Iterator[bytes]:
        """Return the lines; pandas asks for this method, and does not call it."""
        return iter(bytes(self._rest).splitlines())


def _matrix(content: bytes, n: int, layout: Layout) -> Vector:
    """Parse rows of numbers; raise a ValueError if one of `n` is not a row of `dims` numbers."""
    options: dict[str, Any] = {"dtype": np.float64, "na_values": NANS, "quoting": 3}
    options |= {"keep_default_na": False, "header": None, "low_memory": False}
    options |= {"lineterminator": "\n", "skip_blank_lines": False}
    if not layout.between.isspace():  # blanks may stand before other marks
        content = content.replace(b" " + layout.between, layout.between)
    column = content.replace(layout.between, b"\n")  # pandas takes long for hundreds of columns
    sep = layout.between[1:2] or layout.between  # without quotes
    slices: Any = _Slices(column)  # pandas only reads, but its types ask for more methods
    with np.errstate(over="ignore"):
        frame = pd.read_csv(slices, sep=sep.decode(), **options)
        numbers: Vector = frame.to_numpy(np.float32)
    if numbers.shape != (n * layout.dims, 1):
        raise ValueError("not a row of numbers")
    return numbers.reshape(n, layout.dims)
