"""ψ of every word of an embedding for many pairs of attribute sets, in one walk of the file.

With û the unit vector of a word and m, m' the mean unit vectors of Z and Z', ψ(w) = û·(m - m'), so
that all experiments together are one product of a block of vectors with a few directions.

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
from ..embedding_files.vocabulary import Vocabulary, hashes_of, maybe_wanted, wanted_marks
from ..geometry import FloatArray, unit_rows
from ..vectors import choose

Pair = tuple[Sequence[str], Sequence[str]]
"""Words of Z and of Z2."""

Blocks = Callable[[], Iterator[Block]]
"""Starts a new walk of the embedding."""

ROWS, LANES = 4, 32
"""What `kernels.project` wants directions to be padded to: their number, and their length."""

FIRST_ROWS = 1 << 16
"""Words for which there is room from the start."""


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
    grown = _Growing(len(pairs), np.float64)
    names, hashes = BytesIO(), _Growing(1, np.uint64)
    stale = 0
    for block in blocks():
        names.write(block.names)
        hashes.add(block.hashes[None])
        if attributes.find(block):  # directions have changed: this block has to be walked again
            grown.add(np.zeros((len(pairs), len(block))))
            stale = grown.filled
        else:
            grown.add(_psi(block, attributes.padded()))
    attributes.require_words()
    psi = grown.arrays()
    if stale:
        _project_again(blocks, attributes.padded(), psi, stale)
    vocabulary = Vocabulary(names.getvalue(), *hashes.arrays())
    return Projected(vocabulary, psi, attributes.found())


def _project_again(blocks: Blocks, padded: FloatArray, psi: list[FloatArray], stale: int) -> None:
    start = 0
    for block in blocks():
        stop = start + len(block)
        for values, fresh in zip(psi, _psi(block, padded), strict=False):
            values[start:stop] = fresh
        start = stop
        if start >= stale:
            return


class _Growing[T: np.float64 | np.uint64]:
    """Arrays that grow while room that is not used yet takes no memory.

    Parameters
    ----------
    count : int
        How many arrays, of one length.
    kind : type
        Of their numbers.
    """

    def __init__(self, count: int, kind: type[T]) -> None:
        self._arrays = [np.empty(FIRST_ROWS, dtype=kind) for _ in range(count)]
        self.filled = 0

    def add(self, rows: NDArray[T]) -> None:
        """Put a row of (count or more, n) behind each array."""
        stop = self.filled + rows.shape[1]
        for at, row in enumerate(rows[: len(self._arrays)]):
            if stop > len(self._arrays[at]):
                # The system gives memory when it is written to: the new half is not there yet.
                wider = np.empty(max(stop, 2 * len(self._arrays[at])), dtype=row.dtype)
                wider[: self.filled] = self._arrays[at][: self.filled]
                self._arrays[at] = wider
            self._arrays[at][self.filled : stop] = row
        self.filled = stop

    def arrays(self) -> list[NDArray[T]]:
        """Give the arrays as far as they are filled."""
        return [array[: self.filled] for array in self._arrays]


def _padded(directions: FloatArray) -> FloatArray:
    """Add zeros to directions, (count, n_dims), up to the sizes that the kernel wants."""
    count, n_dims = directions.shape
    padded = np.zeros((-(-count // ROWS) * ROWS, -(-n_dims // LANES) * LANES))
    padded[:count, :n_dims] = directions
    return padded


def _psi(block: Block, padded: FloatArray) -> FloatArray:
    """ψ of the words of a block, a row a direction; NaN where a vector has no direction."""
    from ..embedding_files import kernels

    products = np.empty((len(padded), len(block)))
    kernels.project(block.vectors, padded, products)
    return products


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
        self._padded: FloatArray | None = None

    def find(self, block: Block) -> bool:
        """Keep the attribute words of a block; tell whether there are new ones."""
        n_dims = block.vectors.shape[1]
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
                self.units[form] = _unit(form, block.vectors[row])
        if len(self.units) > before:
            self._padded = None
        return len(self.units) > before

    def found(self) -> list[tuple[dict[str, str], dict[str, str]]]:
        """Word to form for both sides of every pair."""
        return [(self._chosen(Z), self._chosen(Z2)) for Z, Z2 in self.pairs]

    def padded(self) -> FloatArray:
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


def _unit(form: str, vector: FloatArray) -> FloatArray:
    if not (np.isfinite(vector).all() and vector.any()):
        raise ValueError(
            f"the vector of the attribute word {form!r} is all zeros or not finite; leave it out"
        )
    return np.asarray(unit_rows(np.asarray(vector, dtype=np.float64)[None])[0])
