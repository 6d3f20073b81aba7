"""ψ of every word of an embedding for many pairs of attribute sets, in one walk of the file.

With û the unit vector of a word and m, m' the mean unit vectors of Z and Z', ψ(w) = û·(m - m'), so
that all experiments together are one product of the vectors with a few directions. The products
are taken in float32, as which vectors come in files: ψ is off by less than 3e-7.

The attribute words are in the file that is walked, most likely at its front: files are ordered by
frequency, and attributes are common words. So the front is looked through first, and then the
whole file is projected on directions made of what was found. If more attribute words come up on
the way, the pieces up to the last of them are walked again.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass
from itertools import islice

import numpy as np
from numpy.typing import NDArray

from .._core.arrays import FloatArray, unit_rows
from ..embeddings.formats.headers import Vector
from ..embeddings.formats.pieces import Look, Piece, Walk
from ..embeddings.load import choose
from ..embeddings.vocabulary import Hashes, Rows, Vocabulary, table_of

Pair = tuple[Sequence[str], Sequence[str]]
"""Words of Z and of Z2."""

ROOM, LETTERS = 1 << 21, 16
"""Words for which there is room at a time, and bytes of a word; what is not used of it takes
addresses, not memory."""


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


def project(walk: Walk, pairs: Sequence[Pair], case: str) -> Projected:
    """Give ψ of every word for every pair of attribute sets.

    Parameters
    ----------
    walk : function
        Called for the front, for all words, and perhaps for the front again.
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
    with closing(walk(attributes.look)) as front:
        for piece in front:
            if not attributes.find(piece) or attributes.complete:
                break
    last = attributes.settle()
    psi, hashes = _Growing(len(pairs), np.float64), _Growing(1, np.uint64)
    names = _Growing(1, np.uint8, LETTERS)
    looks: list[Look] = []
    counts: list[int] = []
    with closing(walk(attributes.look)) as pieces:
        for piece in pieces:
            if attributes.find(piece):
                last = attributes.settle()
            psi.more(len(piece))[:] = piece.products
            hashes.more(len(piece))[0] = piece.hashes
            names.more(len(piece.names))[0] = piece.names
            looks.append(piece.look)
            counts.append(len(piece))
    vocabulary, rows = Vocabulary(names.rows()[0], hashes.rows()[0]), psi.rows()
    stale = max((at for at, look in enumerate(looks, 1) if look is not last), default=0)
    if stale:
        n_words = sum(counts[:stale])
        with closing(walk(lambda _: last, first=stale)) as pieces:
            _replace(rows[:, :n_words], vocabulary.hashes[:n_words], islice(pieces, stale))
    return Projected(vocabulary, list(rows), attributes.found(), vocabulary.duplicates())


def _replace(psi: FloatArray, hashes: Hashes, pieces: Iterable[Piece]) -> None:
    """Put the products of pieces in the place of ψ; see that they are of the same words."""
    start = 0
    for piece in pieces:
        stop = start + len(piece)
        if not np.array_equal(piece.hashes, hashes[start:stop]):
            break
        psi[:, start:stop] = piece.products
        start = stop
    if start < len(hashes):
        raise ValueError("the embedding changed while it was read; try again")


class _Growing[T: np.float64 | np.uint64 | np.uint8]:
    """Rows of numbers that grow to the right, with room for so many of each word at a time."""

    def __init__(self, count: int, kind: type[T], of_word: int = 1) -> None:
        self._pieces = [np.empty((count, of_word * ROOM), dtype=kind)]
        self._used = [0]

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


class _Attributes:
    """The attribute words of all experiments, as they come by in the file."""

    def __init__(self, pairs: Sequence[Pair], case: str) -> None:
        self.pairs, self.case = pairs, case
        self.words = {word for pair in pairs for side in pair for word in side}
        forms = {form for word in self.words for form in (word, word.lower())}
        self.wanted = {form.encode(errors="backslashreplace"): form for form in forms}
        self.table = table_of(self.wanted)
        self.vectors: dict[str, Vector] = {}
        self._settled: Look | None = None
        self._n_dims = 0

    def look(self, n_dims: int) -> Look:
        """Give the words to look for, and directions once there are some."""
        if n_dims != (self._n_dims or n_dims):
            raise ValueError(f"vectors of {self._n_dims} and of {n_dims} dimensions")
        self._n_dims = n_dims
        return self._settled or Look.of(self.table, np.empty((0, n_dims)))

    def find(self, piece: Piece) -> bool:
        """Keep the attribute words of a piece; tell whether there were new ones."""
        before = len(self.vectors)
        for name, vector in piece.found:
            form = self.wanted.get(name)
            if form is not None and form not in self.vectors:
                self.vectors[form] = _checked(form, vector)
        return len(self.vectors) > before

    @property
    def complete(self) -> bool:
        """Whether every word has been found, in the form that is preferred."""
        forms = (word.lower() if self.case == "lower" else word for word in self.words)
        return all(form in self.vectors for form in forms)

    def settle(self) -> Look:
        """Make directions of what has been found; a ValueError if there were no words."""
        if not self._n_dims:
            raise ValueError("the embedding holds no words")
        directions = np.stack([self._mean(Z) - self._mean(Z2) for Z, Z2 in self.found()])
        self._settled = Look.of(self.table, directions)
        return self._settled

    def found(self) -> list[tuple[dict[str, str], dict[str, str]]]:
        """Word to form for both sides of every pair."""
        return [(self._chosen(Z), self._chosen(Z2)) for Z, Z2 in self.pairs]

    def _chosen(self, words: Iterable[str]) -> dict[str, str]:
        found = {form for word in words for form in (word, word.lower())} & self.vectors.keys()
        forms = choose(words, dict.fromkeys(found), self.case)
        return {word: forms[word] for word in words if word in forms}

    def _mean(self, found: Mapping[str, str]) -> FloatArray:
        if not found:
            return np.zeros(self._n_dims)
        rows = np.stack([self.vectors[form] for form in found.values()])
        return np.asarray(unit_rows(rows).mean(axis=0))


def _checked(form: str, vector: Vector) -> Vector:
    if not (np.isfinite(vector).all() and vector.any()):
        raise ValueError(
            f"the vector of the attribute word {form!r} is all zeros or not finite; leave it out"
        )
    return vector
