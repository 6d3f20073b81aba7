"""An embedding that is about to be read, and the chunks of words and vectors that it yields."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import IO, TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from .._core.packing import opened, parts_of
from .._core.progress import progress_bar

if TYPE_CHECKING:
    from gensim.models import KeyedVectors

Vector = NDArray[np.float32]
Ranks = NDArray[np.int64]

Tick = Callable[[], object]
"""What a reader calls now and then, so that the progress bar moves on."""

ODD = "backslashreplace"
"""How bytes that are no UTF-8 become text."""

LARGEST_DIMS = 1_000_000
"""More dimensions than any embedding has; a damaged header must not ask for memory."""

READ_SIZE = 3 << 20
"""Bytes of the vectors of a chunk."""

SLOW_SIZE = 1 << 26
"""Bytes; smaller files are read before a bar would be of use."""

_HEADER = re.compile(rb"\s*(\d{1,18})\s+(\d{1,18})\s*")


@dataclass(frozen=True, eq=False)
class Chunk:
    """Some words of an embedding in its order, their (n, n_dims) vectors, and frequency ranks.

    Ranks, (n,), count from 1 on: the place of a word in the file, unless the file has others.
    """

    words: list[str]
    vectors: Vector
    ranks: Ranks

    def __len__(self) -> int:
        return len(self.words)


type ChunksOf = Callable[[Embedding, int | None, Collection[str] | None], Iterator[Chunk]]
"""The generator of a format."""


@dataclass(eq=False)
class Embedding:
    """A file or folder with the generator of its format, and its vectors once they are loaded."""

    path: Path
    format: ChunksOf
    allow_pickle: bool = False
    progressbar: bool = True
    loaded: KeyedVectors | None = None

    def chunks(
        self, rows: int | None = None, wanted: Collection[str] | None = None
    ) -> Iterator[Chunk]:
        """Yield all words or the wanted ones with their vectors, in the order of the source."""
        return self.format(self, rows, wanted)

    @contextmanager
    def stream(self) -> Iterator[tuple[IO[bytes], Tick]]:
        """Open the file, unpacked as it is read, under a progress bar if it is large."""
        size = parts_of(self.path)[0].stat().st_size
        if size == 0:
            raise ValueError(f"{self.path} is empty")
        shown = None if self.progressbar and size >= SLOW_SIZE else False
        with (
            progress_bar(f"reading {self.path.name}", size, shown=shown, in_bytes=True) as update,
            opened(self.path) as (raw, stream, _),
        ):
            yield stream, lambda: update(raw.tell())


def parse_header(line: bytes, path: Path) -> tuple[int, int] | None:
    """Read '<number of words> <dimensions>'; None if the line is something else."""
    match = _HEADER.fullmatch(line)
    if match is None:
        return None
    count, dims = int(match[1]), int(match[2])
    if count == 0 or not 0 < dims <= LARGEST_DIMS:
        raise ValueError(
            f"{path}: the header promises {count:,} words of {dims:,} dimensions; there must be a "
            f"word, and 1 to {LARGEST_DIMS:,} dimensions"
        )
    return count, dims


def rows_of_chunk(n_dims: int, rows: int | None) -> int:
    """Rows of a chunk: those asked for, or as many as `READ_SIZE` holds."""
    if rows is not None and rows < 1:
        raise ValueError(f"rows must be a whole number from 1 on; got {rows!r}")
    return rows or max(1, READ_SIZE // (4 * n_dims))


def array_chunks(
    words: Sequence[str],
    matrix: Vector,
    rows: int | None = None,
    wanted: Collection[str] | None = None,
    ranks: Ranks | None = None,
) -> Iterator[Chunk]:
    """Cut words and their (n_words, n_dims) vectors into chunks, or the wanted ones of them."""
    most = rows_of_chunk(matrix.shape[1], rows)
    ranks = np.arange(1, len(words) + 1) if ranks is None else ranks
    if wanted is not None:
        places = [row for row, word in enumerate(words) if word in wanted]
        words, matrix, ranks = [words[row] for row in places], matrix[places], ranks[places]
    for start in range(0, len(words), most):
        some = slice(start, start + most)
        yield Chunk(list(words[some]), np.asarray(matrix[some], dtype=np.float32), ranks[some])


def first_of_each(chunks: Iterable[Chunk], again: list[str]) -> Iterator[Chunk]:
    """Yield chunks without the words that have stood before, which are added to a list."""
    seen: set[str] = set()
    for chunk in chunks:
        kept = []
        for row, word in enumerate(chunk.words):
            if word in seen:
                again.append(word)
            else:
                kept.append(row)
                seen.add(word)
        if len(kept) == len(chunk):
            yield chunk
        elif kept:
            yield Chunk([chunk.words[row] for row in kept], chunk.vectors[kept], chunk.ranks[kept])


def one_line(error: Exception) -> str:
    """Return another library's message on one line."""
    return " ".join(str(error).split()) or type(error).__name__
