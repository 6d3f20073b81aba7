"""Represent an embedding to be read, and its chunks of words and vectors."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import IO, Any

import numpy as np
from numpy.typing import NDArray

from .._core.display import progress_bar
from .._core.reading import opened, parts_of
from ..tables.spellings import WORD, every_form

Vector = NDArray[np.float32]
Ranks = NDArray[np.int64]

LARGEST_DIMS = 1_000_000
"""Largest number of dimensions, so that a damaged header cannot use up the memory."""

READ_SIZE = 3 << 20
"""Number of bytes of vectors in a chunk."""

HEAD_SIZE = 1 << 18
"""Number of bytes at the beginning of a file that show what it is."""

GROWTH = 1.05
"""Factor by which a matrix grows while a file of unknown length is read."""

SLOW_SIZE = 1 << 26
"""Smallest file, in bytes, that is read with a progress bar."""


@dataclass(frozen=True, eq=False)
class Chunk:
    """Some words in an embedding, in order, with (n, n_dims) vectors and frequency ranks.

    The (n,) ranks are the words' positions, counted from 1, unless the source contains ranks.
    """

    words: list[str]
    vectors: Vector
    ranks: Ranks

    def __len__(self) -> int:
        return len(self.words)

    def take(self, rows: Sequence[int]) -> Chunk:
        """Return a chunk with only the given rows."""
        places = np.array(rows, dtype=np.int64)
        return Chunk([self.words[row] for row in rows], self.vectors[places], self.ranks[places])


type ChunksOf = Callable[[Embedding, Collection[str] | None], Iterator[Chunk]]
"""Generator function that reads a format."""


@dataclass(eq=False)
class Embedding:
    """A file or folder, the generator for its format, and its vectors once they are loaded.

    If there is a `key`, such as ``/c/en/{word}``, words are the parts of keys in this place, and
    other keys are left out. An encoder `makes` vectors of any word and has no vocabulary. Readers
    set the number of words that they expect. A copy in the cache goes by the `name` of its text.
    Native folders may be `ranked` by a file of ranks; False means that ranks are unknown.
    """

    path: Path
    format: ChunksOf
    allow_pickle: bool = False
    progressbar: bool = True
    loaded: Any = None
    key: str = ""
    makes: bool = False
    packed: bool = False
    layout: Any = None
    limit: int | None = None
    expected: int = 0
    kept: tuple[set[str], Chunk] | None = None
    name: str = ""
    ranked: bool | None = None

    def __post_init__(self) -> None:
        self.name = self.name or str(self.path)

    def chunks(self, wanted: Collection[str] | None = None) -> Iterator[Chunk]:
        """Yield all words, or only the wanted words, with their vectors, in the source's order."""
        if self.kept and wanted is not None and self.kept[0] >= (wanted := set(wanted)):
            chunk = self.kept[1]
            return array_chunks(chunk.words, chunk.vectors, chunk.ranks, wanted)
        if self.key and wanted is not None:
            wanted = {*map(self.key_of, wanted)}
        found = self._up_to_limit(self.format(self, wanted))
        return _untagged(found, *self.key.split(WORD)) if self.key else found

    def key_of(self, word: str) -> str:
        """Return the key of a word."""
        return self.key.replace(WORD, word) if self.key else word

    def keeping(self, forms: Collection[str]) -> Iterator[Chunk]:
        """Yield all words, and keep those among `forms`, which are not read again."""
        some = []
        for chunk in self.chunks():
            if rows := [row for row, word in enumerate(chunk.words) if word in forms]:
                some.append(chunk.take(rows))
            yield chunk
        if self.loaded is None:  # else, the vectors are in memory anyway
            self.kept = set(forms), gathered(some)

    def keep(self, words: Iterable[str]) -> None:
        """Read some words and keep them, unless all are in memory or made when they are needed."""
        if not self.makes:
            forms = {form for word in words for form in every_form(word)}
            some = gathered(self.chunks(forms))
            self.kept = (forms, some) if self.loaded is None else None

    def _up_to_limit(self, chunks: Iterator[Chunk]) -> Iterator[Chunk]:
        """Leave out words whose frequency rank is beyond the limit."""
        for chunk in chunks:
            few = chunk.ranks <= (np.inf if self.limit is None else self.limit)
            if few.all():
                yield chunk
            elif few.any():
                yield chunk.take(np.flatnonzero(few).tolist())
            elif self.loaded is None and not self.ranked:
                return  # ranks are positions, so no more words are to come

    def expect(self, bytes_of_word: float) -> None:
        """Set the number of words that a file of this size may have."""
        if bytes_of_word and not self.packed:
            most = self.path.stat().st_size / bytes_of_word
            self.expected = int(min(most, self.limit or np.inf))

    @contextmanager
    def local(self) -> Iterator[Path]:
        """Yield the path of the file, which is unpacked to a temporary folder if it is packed."""
        if not self.packed:
            yield self.path
            return
        with TemporaryDirectory(prefix="bayesbias-") as folder:
            path = Path(folder, "unpacked")
            with path.open("wb") as file, self.stream() as (stream, tick):
                while block := stream.read(READ_SIZE):
                    file.write(block)
                    tick()
            yield path

    @contextmanager
    def stream(self) -> Iterator[tuple[IO[bytes], Callable[[], object]]]:
        """Yield the file's decompressed stream and a function that advances the progress bar."""
        size = parts_of(self.path)[0].stat().st_size
        shown = None if self.progressbar and size >= SLOW_SIZE else False
        with (
            progress_bar(f"reading {self.path.name}", size, shown=shown, in_bytes=True) as update,
            opened(self.path) as (raw, stream, _),
        ):
            yield stream, lambda: update(raw.tell())


def _untagged(chunks: Iterable[Chunk], before: str, after: str) -> Iterator[Chunk]:
    """Keep the keys with a prefix and suffix, and remove both."""
    key = re.compile(f"{re.escape(before)}(.+){re.escape(after)}", re.DOTALL)
    for chunk in chunks:
        found = {row: one[1] for row, one in enumerate(map(key.fullmatch, chunk.words)) if one}
        yield replace(chunk.take([*found]), words=[*found.values()])


def rows_of_chunk(n_dims: int) -> int:
    """Return the number of rows in a chunk of `READ_SIZE` bytes."""
    return max(1, READ_SIZE // (4 * n_dims))


def array_chunks(
    words: Sequence[str], matrix: Vector, ranks: Ranks, wanted: Collection[str] | None = None
) -> Iterator[Chunk]:
    """Split words and their (n_words, n_dims) vectors into chunks; keep only ``wanted`` words."""
    if wanted is not None:
        places = [row for row, word in enumerate(words) if word in wanted]
        words, matrix, ranks = [words[row] for row in places], matrix[places], ranks[places]
    most = rows_of_chunk(matrix.shape[1])
    for start in range(0, len(words), most):
        some = slice(start, start + most)
        yield Chunk(list(words[some]), np.asarray(matrix[some], dtype=np.float32), ranks[some])


def vectors_by_word(embedding: Embedding, words: Collection[str]) -> dict[str, Vector]:
    """Return the vectors of words in an embedding; if a word occurs twice, use its first vector."""
    vectors: dict[str, Vector] = {}
    for chunk in embedding.chunks(wanted=set(words)):
        for word, vector in zip(chunk.words, chunk.vectors, strict=True):
            vectors.setdefault(word, vector)
    return vectors


def gathered(chunks: Iterable[Chunk], expected: Callable[[], int] = int) -> Chunk:
    """Join chunks; the vectors are in memory only once.

    The matrix gets the number of rows that is expected once the first chunk is there. If there are
    more, it grows in place.
    """
    words: list[str] = []
    ranks: Ranks = np.empty(0, dtype=np.int64)
    matrix: Vector = np.empty((0, 1), dtype=np.float32)
    for chunk in chunks:
        (n, dims), start = chunk.vectors.shape, len(words)
        if not n:
            continue
        if not start:  # rows that are expected, but never filled, take no memory
            size = max(n, expected())
            matrix, ranks = np.empty((size, dims), dtype=np.float32), np.empty(size, dtype=np.int64)
        elif start + n > len(matrix):
            size = max(start + n, int(GROWTH * len(matrix)))
            matrix.resize((size, dims), refcheck=False)
            ranks.resize(size, refcheck=False)
        matrix[start : start + n], ranks[start : start + n] = chunk.vectors, chunk.ranks
        words += chunk.words
    matrix.resize((len(words), matrix.shape[1]), refcheck=False)
    ranks.resize(len(words), refcheck=False)
    return Chunk(words, matrix, ranks)


def first_of_each(chunks: Iterable[Chunk], places: dict[str, int] | None = None) -> Iterator[Chunk]:
    """Yield the chunks, leaving out words that occurred earlier.

    An empty dict of `places` gets the place of each word among the words that are left.
    """
    known = {} if places is None else places
    for chunk in chunks:
        rows = []
        for row, word in enumerate(chunk.words):
            if word not in known:
                known[word] = len(known)
                rows.append(row)
        if rows:
            yield chunk if len(rows) == len(chunk) else chunk.take(rows)
