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

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from io import BytesIO

import numpy as np
from numpy.typing import NDArray

from ..embedding_files.blocks import Block
from ..embedding_files.headers import Vector
from ..embedding_files.vocabulary import Vocabulary, hashes_of, maybe_wanted, wanted_marks
from ..geometry import FloatArray, unit_rows
from ..vectors import choose

Pair = tuple[Sequence[str], Sequence[str]]
"""Words of Z and of Z2."""

Blocks = Callable[[], Iterator[Block]]
"""Starts a new walk of the embedding."""

ROWS, LANES = 5, 32
"""What `kernels.project` wants directions to be padded to: their number, and their length."""

FIRST_WORDS = 1 << 21
"""Words for which there is room from the start; what is not used takes addresses, not memory."""


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
    """

    vocabulary: Vocabulary
    psi: list[FloatArray]
    found: list[tuple[dict[str, str], dict[str, str]]]


def project(blocks: Blocks, pairs: Sequence[Pair], case: str) -> Projected:
    """Give ψ of every word for every pair of attribute sets.

    Parameters
    ----------
    blocks : function
        Called once or twice; gives the blocks of the embedding from the start.
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
    psi = _Growing(len(pairs), np.float64)
    names, hashes = BytesIO(), _Growing(1, np.uint64)
    stale = 0
    for block in blocks():
        names.write(block.names)
        hashes.more(len(block))[0] = block.hashes
        room = psi.more(len(block))
        if attributes.find(block):  # directions have changed: this block has to be walked again
            stale = psi.filled
        else:
            _project(block, attributes.padded(), room)
    attributes.require_words()
    if stale:
        _project_again(blocks, attributes.padded(), psi.rows(), stale)
    vocabulary = Vocabulary(names.getvalue(), hashes.rows()[0])
    return Projected(vocabulary, list(psi.rows()), attributes.found())


def _project_again(blocks: Blocks, padded: Vector, psi: FloatArray, stale: int) -> None:
    start = 0
    for block in blocks():
        stop = start + len(block)
        _project(block, padded, psi[:, start:stop])
        start = stop
        if start >= stale:
            return


class _Growing[T: np.float64 | np.uint64]:
    """Rows that grow to the right while room that is not used yet takes no memory.

    Parameters
    ----------
    count : int
        How many rows.
    kind : type
        Of their numbers.
    """

    def __init__(self, count: int, kind: type[T]) -> None:
        self._room = np.empty((count, FIRST_WORDS), dtype=kind)
        self.filled = 0

    def more(self, n: int) -> NDArray[T]:
        """Give the next n places of all rows, (count, n), to be written to."""
        start, stop = self.filled, self.filled + n
        count, n_places = self._room.shape
        if stop > n_places:
            # The system gives memory when it is written to: the new half is not there yet.
            wider = np.empty((count, max(stop, 2 * n_places)), dtype=self._room.dtype)
            wider[:, :start] = self._room[:, :start]
            self._room = wider
        self.filled = stop
        return self._room[:, start:stop]

    def rows(self) -> NDArray[T]:
        """Give the rows as far as they are filled."""
        return self._room[:, : self.filled]


def _padded(directions: FloatArray) -> Vector:
    """Add zeros to directions, (count, n_dims), up to the sizes that the kernel wants."""
    count, n_dims = directions.shape
    shape = (-(-count // ROWS) * ROWS, -(-n_dims // LANES) * LANES)
    padded = np.zeros(shape, dtype=np.float32)
    padded[:count, :n_dims] = directions
    return padded


def _project(block: Block, padded: Vector, out: FloatArray) -> None:
    """Put ψ of the words of a block into a row a pair; NaN where a vector has no direction."""
    from ..embedding_files import kernels

    kernels.project(block.numbers, block.starts, block.n_dims, padded, out)


class _Attributes:
    """The attribute words of all experiments, as they come by in the file."""

    def __init__(self, pairs: Sequence[Pair], case: str) -> None:
        self.pairs, self.case = pairs, case
        words = {word for pair in pairs for side in pair for word in side}
        forms = {form for word in words for form in (word, word.lower())}
        self.wanted = {form.encode(errors="backslashreplace"): form for form in forms}
        self.marks = wanted_marks(self.wanted)
        self.units: dict[str, FloatArray] = {}
        self.hashes = set(hashes_of(b"".join(form + b"\n" for form in self.wanted), len(forms)))
        self.n_dims = 0
        self._padded: Vector | None = None

    def find(self, block: Block) -> bool:
        """Keep the attribute words of a block; tell whether there are new ones."""
        n_dims = block.n_dims
        if n_dims != (self.n_dims or n_dims):
            raise ValueError(f"vectors of {self.n_dims} and of {n_dims} dimensions")
        self.n_dims = n_dims
        likely = maybe_wanted(block.hashes, self.marks)
        rows = [row for row in likely if block.hashes[row] in self.hashes]
        if not rows:
            return False
        names = block.names.split(b"\n")
        before = len(self.units)
        for row in rows:
            form = self.wanted.get(names[row])
            if form is not None and form not in self.units:
                self.units[form] = _unit(form, block.vector(row))
        if len(self.units) > before:
            self._padded = None
        return len(self.units) > before

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
        forms = choose(words, self.units, self.case)
        return {word: forms[word] for word in words if word in forms}

    def _mean(self, found: Mapping[str, str]) -> FloatArray:
        if not found:
            return np.zeros(self.n_dims)
        return np.asarray(np.mean([self.units[form] for form in found.values()], axis=0))


def _unit(form: str, vector: Vector) -> FloatArray:
    if not (np.isfinite(vector).all() and vector.any()):
        raise ValueError(
            f"the vector of the attribute word {form!r} is all zeros or not finite; leave it out"
        )
    return np.asarray(unit_rows(np.asarray(vector, dtype=np.float64)[None])[0])
