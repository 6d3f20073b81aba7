"""Writing an embedding word by word, in word2vec's formats."""

from __future__ import annotations

import gzip
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import IO, cast

import numpy as np
from numpy.typing import NDArray

from .sources import ODD

FORMATS = (".bin", ".txt", ".vec")
PACKED = ".gz"
LEVEL = 6
"""gzip's usual level: 9 takes twice as long and numbers hardly get smaller."""

Rows = NDArray[np.float32]
Writer = Callable[[Sequence[str], Rows], object]


def format_of(path: Path) -> str:
    """Ending that tells how to write a file: ``.bin``, ``.txt`` or ``.vec``, before any ``.gz``."""
    endings = [each.lower() for each in path.suffixes]
    if endings and endings[-1] == PACKED:
        endings.pop()
    if not endings or endings[-1] not in FORMATS:
        raise ValueError(
            f"{path.name} does not tell how to write vectors; give it one of the endings "
            f"{', '.join(FORMATS)}, also followed by {PACKED}, or .npz"
        )
    return endings[-1]


@contextmanager
def writer(path: Path, form: str, count: int, dims: int) -> Iterator[Writer]:
    """Open a file, write the header of so many words, and return what writes a chunk.

    It is packed by gzip if it ends in ``.gz``.
    """
    with path.open("wb") as raw, _packed(raw, path) as stream:
        stream.write(f"{count} {dims}\n".encode())
        entries = _binary if form == ".bin" else _text
        yield lambda words, rows: stream.write(
            b"".join(entries([each.encode(errors=ODD) for each in words], rows))
        )


@contextmanager
def _packed(raw: IO[bytes], path: Path) -> Iterator[IO[bytes]]:
    if path.suffix.lower() != PACKED:
        yield raw
        return
    # Without a name and a time in it, equal vectors make equal files.
    with gzip.GzipFile(filename="", mode="wb", fileobj=raw, compresslevel=LEVEL, mtime=0) as stream:
        yield cast("IO[bytes]", stream)


def _binary(words: Sequence[bytes], rows: Rows) -> Iterator[bytes]:
    """As word2vec and gensim do: word, space, little-endian float32 numbers, and no newline."""
    for word, row in zip(words, rows.astype("<f4", copy=False), strict=True):
        yield word + b" " + row.tobytes()


def _text(words: Sequence[bytes], rows: Rows) -> Iterator[bytes]:
    """Nine significant digits, which tell every float32 from every other."""
    line = " ".join(["%.9g"] * rows.shape[1])
    for word, row in zip(words, rows.tolist(), strict=True):
        yield word + b" " + (line % tuple(row)).encode() + b"\n"
