"""The directions of bias, equalized vectors, and passes over an embedding of any size."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .._core.arrays import FloatArray, unit_rows
from .._core.checks import Argument, ArgumentError, is_whole
from .._core.display import abridged
from ..embeddings.formats.keyed import require_directions
from ..embeddings.source import Embedding
from ..embeddings.word_sets import look_up_tuples
from ..scores.subspace import principal_components
from .defining_sets import DefiningSets

VectorsByWord = Mapping[str, NDArray[np.floating]]

VANISHED = 1e-6
"""If a row keeps this share of its length or less, rounding errors determine its direction:
float32 rounds coordinates by up to 6e-8 of their size."""


def bias_directions(vectors: VectorsByWord, sets: DefiningSets, k: int | None = None) -> FloatArray:
    """Compute orthonormal rows of shape (k, n_dims) that span the bias subspace of defining sets.

    The rows are the principal components of the sets, with each set centered on its mean (Bolukbasi
    et al., Manzini et al.). The default k is the number of classes minus one. If any word of a set
    is missing, the whole set is left out.
    """
    if k is not None and not is_whole(k):
        raise ArgumentError(Argument("k"), f" must be a whole number of directions; got {k!r}")
    unit = unit_sets(vectors, sets)
    return principal_components(unit, sets.n_classes - 1 if k is None else k)[0]


def unit_sets(vectors: VectorsByWord, sets: DefiningSets) -> list[FloatArray]:
    """Return the unit vectors of each complete defining set, one row per class."""
    rows, _, _ = look_up_tuples(vectors, "defining sets", sets.defining)
    return [unit_rows(members) for members in rows]


def equalized_words(
    vectors: VectorsByWord, lists: DefiningSets, directions: FloatArray
) -> dict[str, FloatArray]:
    """Compute new vectors for the words in complete equalize sets."""
    placed: dict[str, FloatArray] = {}
    present = [members for members in lists.equalize if all(word in vectors for word in members)]
    for members in present:
        require_directions(members, np.array(rows := [vectors[word] for word in members]))
        unit = unit_rows(rows)
        outside = without(unit, directions)
        common = outside.mean(axis=0)
        inside = unit - outside
        leaning = inside - inside.mean(axis=0)
        sizes = np.linalg.norm(leaning, axis=1, keepdims=True)
        if (sizes <= VANISHED).any():
            raise ValueError(
                f"a word in the equalize set {', '.join(members)} is at the set's mean in the bias "
                "subspace; leave the set out, or increase k"
            )
        radius = np.sqrt(max(1.0 - float(common @ common), 0.0))
        placed |= dict(zip(members, common + radius * leaning / sizes, strict=True))
    return placed


def without(rows: FloatArray, directions: FloatArray) -> FloatArray:
    """Subtract from each row its projection onto the span of orthonormal directions.

    Unlike sums in BLAS, these sums do not depend on the number of rows.
    """
    parts = np.einsum("nd,kd->nk", rows, directions)
    return np.asarray(rows - np.einsum("nk,kd->nd", parts, directions))


@dataclass(frozen=True, eq=False)
class Moments:
    """Sums over the unit vectors u of all words and of the neutral words (those not ``kept``)."""

    count: int
    neutral_count: int
    total: FloatArray  # u, (n_dims,)
    second: FloatArray  # u uᵀ, (n_dims, n_dims)
    neutral_second: FloatArray


def moments(embedding: Embedding, kept: frozenset[str]) -> Moments:
    """Compute the moments of an embedding in one pass."""
    total: list[Any] = [0, 0, 0.0, 0.0, 0.0]
    for words, rows in unit_chunks(embedding):
        free = rows[[word not in kept for word in words]]
        parts = len(rows), len(free), rows.sum(axis=0), rows.T @ rows, free.T @ free
        total = [before + part for before, part in zip(total, parts, strict=True)]
    return Moments(*total)


def unit_chunks(embedding: Embedding) -> Iterator[tuple[list[str], FloatArray]]:
    """Yield all words with their unit vectors, except words without a direction."""
    for chunk in embedding.chunks():
        rows = np.asarray(chunk.vectors, dtype=np.float64)
        sizes = lengths(rows, chunk.words)
        usable = np.flatnonzero(sizes > 0).tolist()
        yield [chunk.words[row] for row in usable], rows[usable] / sizes[usable, None]


def lengths(rows: FloatArray, words: Sequence[str]) -> FloatArray:
    """Compute the Euclidean length of each row; raise a ValueError if a row is not finite."""
    squares = np.einsum("nd,nd->n", rows, rows)
    bad = [words[row] for row in np.flatnonzero(~np.isfinite(squares)).tolist()]
    if bad:
        raise ValueError(f"leave out words whose vectors are not finite: {abridged(bad)}")
    return np.asarray(np.sqrt(squares))
