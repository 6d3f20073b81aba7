"""A learnt debiasing: what happens to each row of an embedding, whatever the other rows are.

Every method learns a `Transform` from the words that it needs and, for some methods, from sums
over all words. Applying it needs one block of rows at a time, so that embeddings may be larger
than memory.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from .._core.arrays import FloatArray
from .._core.display import abridged
from .record import Debiasing

VANISHED = 1e-6
"""A row of which a smaller share of its length is left has no direction but that of rounding:
float32 rounds coordinates at 6e-8."""


@dataclass(frozen=True, eq=False)
class Step:
    """An affine change of rows: subtract a centre, remove directions, multiply by a matrix.

    Parameters
    ----------
    centre : (n_dims,) array, optional
    directions : (k, n_dims) array of orthonormal rows, optional
        Their span is projected out.
    matrix : (n_dims, n_dims) array, optional
        Rows are multiplied by it from the right.
    everywhere : bool
        Change all words; by default words that are kept stay as they are.
    """

    centre: FloatArray | None = None
    directions: FloatArray | None = None
    matrix: FloatArray | None = None
    everywhere: bool = False

    def of(self, rows: FloatArray) -> FloatArray:
        """Change rows, (n, n_dims) to (n, n_dims)."""
        if self.centre is not None:
            rows = rows - self.centre
        if self.directions is not None:
            rows = without(rows, self.directions)
        if self.matrix is not None:
            rows = rows @ self.matrix
        return rows


@dataclass(frozen=True, eq=False)
class Transform:
    """What a method does to every word.

    Parameters
    ----------
    record : Debiasing
    steps : sequence of Step
        Done one after another.
    kept : frozenset of str
        Words that the steps leave alone unless they are for all words.
    placed : mapping of str to (n_dims,) array
        Words that are given a vector outright, as equalised ones are.
    unit : bool
        Bring rows to unit length before the steps and after them.
    """

    record: Debiasing
    steps: Sequence[Step] = ()
    kept: frozenset[str] = frozenset()
    placed: Mapping[str, FloatArray] = field(default_factory=dict)
    unit: bool = True

    def apply(self, words: Sequence[str], rows: NDArray[np.floating]) -> NDArray[np.float32]:
        """Debias a block.

        Parameters
        ----------
        words : sequence of n str
        rows : (n, n_dims) array
            Rows of zeros, which have no direction, stay zeros.

        Returns
        -------
        (n, n_dims) float32 array

        Raises
        ------
        ValueError
            If a row is not finite, or nothing is left of one.
        """
        matrix = np.asarray(rows, dtype=np.float64)
        before = lengths(matrix, words)
        empty = before == 0
        if self.unit:
            matrix = matrix / np.where(empty, 1.0, before)[:, None]
            before = np.ones(len(matrix))
        free = np.array([word not in self.kept for word in words], dtype=bool)
        for step in self.steps:
            changed = step.of(matrix)
            matrix = changed if step.everywhere else np.where(free[:, None], changed, matrix)
        after = np.linalg.norm(matrix, axis=1)
        self._refuse_vanished(words, ~empty & (after <= VANISHED * before))
        if self.unit:
            matrix = matrix / np.where(empty, 1.0, after)[:, None]
        for at, word in enumerate(words):
            if word in self.placed:
                matrix[at] = self.placed[word]
        matrix[empty] = 0.0
        return matrix.astype(np.float32)

    def _refuse_vanished(self, words: Sequence[str], vanished: NDArray[np.bool_]) -> None:
        lost = [words[at] for at in np.flatnonzero(vanished).tolist()]
        names = [word for word in lost if word not in self.placed]
        if names:
            raise ValueError(
                f"nothing is left of the vector(s) of {abridged(names)} after {self.record.method} "
                "debiasing: they lie in what is removed; add them to the specific words, or remove "
                "less"
            )


def without(rows: FloatArray, directions: FloatArray) -> FloatArray:
    """Rows less their projections on the span of orthonormal directions.

    Sums run in an order that does not depend on the number of rows, as those of BLAS may, so that
    blocks of any size give the same bits.
    """
    parts = np.einsum("nd,kd->nk", rows, directions)
    return np.asarray(rows - np.einsum("nk,kd->nd", parts, directions))


def lengths(rows: FloatArray, words: Sequence[str]) -> FloatArray:
    """Euclidean lengths of finite rows, each summed by itself; (n, n_dims) to (n,)."""
    squares = np.einsum("nd,nd->n", rows, rows)
    bad = np.flatnonzero(~np.isfinite(squares)).tolist()
    if bad:
        raise ValueError(
            f"the vectors of {abridged([words[at] for at in bad])} are not finite; leave them out"
        )
    return np.asarray(np.sqrt(squares))
