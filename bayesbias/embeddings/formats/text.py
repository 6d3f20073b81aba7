"""Read lines of text, each a word and its numbers, as word2vec, GloVe, fastText, and others write.

A word is everything before the last `dims` fields of a line. Lines that do not fit are left out and
counted. Numbers are read by pandas in blocks, with the same values as Python's ``float``.
"""

from __future__ import annotations

import codecs
import io
import time
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from ..._core.warnings import warn
from ...tables.encodings import Decoder
from ...warnings import OddLines, SlowText, WrongHeader
from ..source import Chunk, Embedding, Vector, rows_of_chunk
from .layout import END, Layout, unfulfilled

LONGEST_LINE = 1 << 24
"""Largest number of bytes in a line, enough for a million numbers of 16 characters."""

BLOCK_SIZE = 1 << 20
"""Bytes of text to read at a time."""

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

Line = tuple[int, bytes]
"""The number of a line in the file, from 1, and its text."""

Found = tuple[int, str, bytes, Line]
"""The rank of a word, the word, its numbers as text, and the line."""


@dataclass
class Tally:
    """The lines read so far, and those that were left out."""

    path: Path
    layout: Layout
    lines: int = 0
    odd: list[Line] = field(default_factory=list)
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
        some = [f"line {number:,}, {text[:40]!r}" for number, text in self.odd[:3]]
        return OddLines(len(self.odd), self.layout.dims, tuple(some), about=str(self.path))

    def close(self, *, ended: bool) -> None:
        """Check the end of the file and the number of lines; warn about lines left out."""
        if not ended and self.odd and self.odd[-1][0] == self.last:
            raise ValueError(f"{self.notice()}; the file was cut off. Download or copy it again")
        if 2 * len(self.odd) > self.lines:
            raise ValueError(f"{self.notice()}. The file is damaged, or not a file of vectors")
        promised = self.lines if self.layout.promised is None else self.layout.promised
        if promised != self.lines:
            cut = self.lines < promised and not ended
            if cut or abs(promised - self.lines) > max(MOST_ODD, MOST_ODD_SHARE * promised):
                text = unfulfilled(self.path, self.lines, promised)
                raise ValueError(f"{text}. If it is complete, delete its first line")
            warn(WrongHeader(self.lines, promised, about=str(self.path)))
        if self.odd:
            warn(self.notice())
        self.decoder.close(self.path)


def text_chunks(source: Embedding, wanted: Collection[str] | None = None) -> Iterator[Chunk]:
    """Yield the words and vectors of a text file; parse numbers only for wanted words."""
    if source.layout is None:
        raise TypeError("the layout of a text file must be known before it is read")
    began = time.monotonic()
    tally = Tally(source.path, source.layout, header=source.layout.header)
    with source.stream() as (stream, tick):
        rest, number, start = b"", 0, codecs.BOM_UTF8
        while block := stream.read(BLOCK_SIZE):
            *whole, rest = (rest + block.removeprefix(start)).split(b"\n")
            if start:
                known = source.layout.promised or np.inf
                size = (len(block) - len(rest)) / max(len(whole), 1) or np.inf
                source.expect(known, size if source.layout.promised else size / MARGIN)
            start = b""
            if max(map(len, (rest, *whole))) > LONGEST_LINE:
                raise ValueError(f"{source.path}: line {number + 1:,} or a later one is too long")
            yield from _chunks([*enumerate(whole, start=number + 1)], tally, wanted)
            number += len(whole)
            tick()
            if source.limit is not None and tally.lines >= source.limit:
                return
        yield from _chunks([(number + 1, rest)], tally, wanted)
    tally.close(ended=not rest.strip())
    if (seconds := time.monotonic() - began) > SLOW and source.path not in _HINTED:
        _HINTED.add(source.path)
        warn(SlowText(round(seconds), str(source.path)))


def _chunks(lines: Sequence[Line], tally: Tally, wanted: Collection[str] | None) -> Iterator[Chunk]:
    """Yield the words and vectors of some lines, in chunks of limited size."""
    layout = tally.layout
    after, between, others = layout.after, layout.between, layout.dims - 1
    blanks = END if between.isspace() else END + between
    found: list[Found] = []
    for line in lines:
        text = line[1].rstrip(blanks)
        if not text or tally.header:
            tally.header = tally.header and not text
            continue
        tally.lines, tally.last = tally.lines + 1, line[0]
        word, _, rest = text.partition(after)
        if not word or rest.count(between) != others:
            parts = layout.fields(text)
            if parts is None:
                tally.leave_out(line)
                continue
            word, rest = parts[0], between.join(parts[1])
        name = tally.decoder(word)
        if layout.quoted and name[:1] == name[-1:] == '"' and len(name) > 2:
            name = name[1:-1].replace('""', '"')
        if wanted is None or name in wanted:
            found.append((tally.lines, name, rest, line))
    most = rows_of_chunk(layout.dims)
    for start in range(0, len(found), most):
        some, rows = _parsed(found[start : start + most], tally)
        if some:
            yield Chunk([each[1] for each in some], rows, np.array([each[0] for each in some]))


def _parsed(found: Sequence[Found], tally: Tally) -> tuple[Sequence[Found], Vector]:
    """Parse the numbers of some lines; leave out lines whose fields are not numbers."""
    try:
        return found, _matrix([each[2] for each in found], tally.layout)
    except ValueError:
        pass
    kept, rows = [], []
    for each in found:
        try:
            rows.append(_matrix([each[2]], tally.layout))
            kept.append(each)
        except ValueError:
            tally.leave_out(each[3])
    return kept, np.concatenate(rows) if rows else np.empty((0, tally.layout.dims), np.float32)


def _matrix(texts: Sequence[bytes], layout: Layout) -> Vector:
    """Parse rows of numbers; raise a ValueError if one of them is not a row of `dims` numbers."""
    options: dict[str, Any] = {"dtype": np.float64, "na_values": NANS, "quoting": 3}
    options |= {"keep_default_na": False, "header": None, "index_col": False, "low_memory": False}
    content = io.BytesIO(b"\n".join(texts))
    with np.errstate(over="ignore"):
        frame = pd.read_csv(content, sep=layout.between.decode(), **options)
        matrix: Vector = frame.to_numpy(np.float32)
    if matrix.shape != (len(texts), layout.dims):
        raise ValueError("not a row of numbers")
    return matrix
