"""ψ of every word of an embedding for many pairs of attribute sets, in one walk of the file.

With û the unit vector of a word and m, m' the mean unit vectors of Z and Z', ψ(w) = û·(m - m'), so
that all experiments together are one product of a block of vectors with a few directions. The
products are taken in float32, as which vectors come in files: ψ is off by less than 3e-7.

The attribute words are in the file that is walked. A block is projected on directions made of the
attribute words found so far; when the walk has ended, the blocks up to the last new attribute word
are walked again. Files are ordered by frequency and attributes are common words, so that this is a
small part.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from dataclasses import dataclass
from itertools import takewhile

import numpy as np
from numpy.typing import NDArray

from ..embedding_files.blocks import Block, Part, in_turns
from ..embedding_files.headers import Vector
from ..embedding_files.vocabulary import Rows, Vocabulary, rows_in, table_of
from ..geometry import FloatArray, unit_rows
from ..vectors import choose

Pair = tuple[Sequence[str], Sequence[str]]
"""Words of Z and of Z2."""

Parts = Callable[[], Generator[Part]]
"""Starts a new walk of the embedding."""

ROWS, LANES = 5, 16
"""What `kernels.project` wants directions to be padded to: their number, and their length."""

PIECE, LETTERS = 1 << 21, 16
"""Words for which there is room at a time, and bytes of a word; what is not used of it takes
addresses, not memory."""

_Task = tuple[Block, Vector, FloatArray]
"""Words, padded directions, and the places of the words' ψ."""


@dataclass(frozen=True, eq=False)
class Projected:
    """ψ of a vocabulary.

    Parameters
    ----------
    vocabulary : Vocabulary
    psi : list of (n_words,) float64
        One array an experiment; NaN for words without a direction.
    found : list of pairs of dict
        For Z and Z2 of each experiment, word to the form that was read.
    twice : (n,) int64
        Rows, in order, of words that have stood before.
    """

    vocabulary: Vocabulary
    psi: list[FloatArray]
    found: list[tuple[dict[str, str], dict[str, str]]]
    twice: Rows


def project(parts: Parts, pairs: Sequence[Pair], case: str) -> Projected:
    """Give ψ of every word for every pair of attribute sets.

    Parameters
    ----------
    parts : function
        Called once or twice; gives the parts of the embedding from the start.
    pairs : sequence of (Z, Z2)
    case : {"exact", "lower", "fallback"}
        As for `load_vectors`.

    Raises
    ------
    ValueError
        If the embedding holds no words, or an attribute word has no direction. A side without any
        word is told by ``found``; its pair's ψ mean nothing.
    """
    attributes = _Attributes(pairs, case)
    psi, hashes = _Growing(len(pairs), PIECE, np.float64), _Growing(1, PIECE, np.uint64)
    names = _Growing(1, LETTERS * PIECE, np.uint8)
    stale = 0

    def first(part: Part) -> Iterator[_Task]:
        nonlocal stale
        for block in part():
            names.more(len(block.names))[0] = np.frombuffer(block.names, dtype=np.uint8)
            hashes.more(len(block))[0] = block.hashes
            room = psi.more(len(block))
            if attributes.find(block):  # directions have changed: it has to be walked again
                stale = psi.filled
            else:
                yield block, attributes.padded(), room

    with closing(parts()) as walk:
        in_turns(walk, first, _project)
    attributes.require_words()
    rows, padded = psi.rows(), attributes.padded()
    start = 0

    def again(part: Part) -> Iterator[_Task]:
        nonlocal start
        for block in part():
            stop = start + len(block)
            if stop > rows.shape[1]:
                raise ValueError("the embedding changed while it was read; try again")
            yield block, padded, rows[:, start:stop]
            start = stop

    with ThreadPoolExecutor(max_workers=1) as thread, closing(parts()) as walk:
        vocabulary = Vocabulary(names.pop_rows()[0].tobytes(), hashes.rows()[0])
        going = thread.submit(in_turns, takewhile(lambda _: start < stale, walk), again, _project)
        twice = vocabulary.duplicates()
        going.result()
    return Projected(vocabulary, list(rows), attributes.found(), twice)


class _Growing[T: np.float64 | np.uint64 | np.uint8]:
    """Rows of numbers that grow to the right, by pieces; what has been given stays where it is."""

    def __init__(self, count: int, piece: int, kind: type[T]) -> None:
        self._pieces = [np.empty((count, piece), dtype=kind)]
        self._used = [0]

    @property
    def filled(self) -> int:
        """How many places of a row have been given."""
        return sum(self._used)

    def more(self, n: int) -> NDArray[T]:
        """Give the next n places of all rows, (count, n), to be written to."""
        count, n_places = self._pieces[-1].shape
        if self._used[-1] + n > n_places:
            self._pieces.append(np.empty((count, max(n, n_places)), dtype=self._pieces[0].dtype))
            self._used.append(0)
        start = self._used[-1]
        self._used[-1] += n
        return self._pieces[-1][:, start : start + n]

    def rows(self) -> NDArray[T]:
        """Give the rows, (count, filled), in one piece from now on."""
        if len(self._pieces) > 1:
            used = zip(self._pieces, self._used, strict=True)
            self._pieces = [np.concatenate([piece[:, :n] for piece, n in used], axis=1)]
            self._used = [self._pieces[0].shape[1]]
        return self._pieces[0][:, : self._used[0]]

    def pop_rows(self) -> NDArray[T]:
        """Give the rows, and keep no memory for them here."""
        rows = self.rows()
        self._pieces.clear()
        return rows


def _padded(directions: FloatArray) -> Vector:
    """Add zeros to directions, (count, n_dims), up to the sizes that the kernel wants."""
    count, n_dims = directions.shape
    shape = (-(-count // ROWS) * ROWS, -(-n_dims // LANES) * LANES)
    padded = np.zeros(shape, dtype=np.float32)
    padded[:count, :n_dims] = directions
    return padded


def _project(task: _Task) -> None:
    """Put ψ of the words of a block into a row a pair; NaN where a vector has no direction."""
    from ..embedding_files import kernels

    block, padded, out = task
    kernels.project(block.numbers, block.starts, block.n_dims, padded, out)


class _Attributes:
    """The attribute words of all experiments, as they come by in the file."""

    def __init__(self, pairs: Sequence[Pair], case: str) -> None:
        self.pairs, self.case = pairs, case
        words = {word for pair in pairs for side in pair for word in side}
        forms = {form for word in words for form in (word, word.lower())}
        self.wanted = {form.encode(errors="backslashreplace"): form for form in forms}
        self.table = table_of(self.wanted)
        self.vectors: dict[str, Vector] = {}
        self.n_dims = 0
        self._padded: Vector | None = None

    def find(self, block: Block) -> bool:
        """Keep the attribute words of a block; tell whether there are new ones."""
        n_dims = block.n_dims
        if n_dims != (self.n_dims or n_dims):
            raise ValueError(f"vectors of {self.n_dims} and of {n_dims} dimensions")
        self.n_dims = n_dims
        rows = rows_in(block.hashes, self.table)
        if not rows:
            return False
        names = block.names.split(b"\n")
        before = len(self.vectors)
        for row in rows:
            form = self.wanted.get(names[row])
            if form is not None and form not in self.vectors:
                self.vectors[form] = _checked(form, block.vector(row).copy())
        if len(self.vectors) > before:
            self._padded = None
        return len(self.vectors) > before

    def found(self) -> list[tuple[dict[str, str], dict[str, str]]]:
        """Word to form for both sides of every pair."""
        return [(self._chosen(Z), self._chosen(Z2)) for Z, Z2 in self.pairs]

    def padded(self) -> Vector:
        """Mean difference m - m' of every pair from what has been found; see `_padded`."""
        if self._padded is None:
            rows = [self._mean(Z) - self._mean(Z2) for Z, Z2 in self.found()]
            self._padded = _padded(np.stack(rows))
        return self._padded

    def require_words(self) -> None:
        """Raise a ValueError if there was nothing to look into."""
        if not self.n_dims:
            raise ValueError("the embedding holds no words")

    def _chosen(self, words: Iterable[str]) -> dict[str, str]:
        forms = choose(words, self.vectors, self.case)
        return {word: forms[word] for word in words if word in forms}

    def _mean(self, found: Mapping[str, str]) -> FloatArray:
        if not found:
            return np.zeros(self.n_dims)
        rows = np.stack([self.vectors[form] for form in found.values()])
        return np.asarray(unit_rows(rows).mean(axis=0))


def _checked(form: str, vector: Vector) -> Vector:
    if not (np.isfinite(vector).all() and vector.any()):
        raise ValueError(
            f"the vector of the attribute word {form!r} is all zeros or not finite; leave it out"
        )
    return vector
