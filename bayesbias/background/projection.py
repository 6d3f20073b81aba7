"""ψ of every word of an embedding for many pairs of attribute sets, in one pass over the file.

With û the unit vector of a word and m, m' the mean unit vectors of Z and Z', ψ(w) = û·(m - m'), so
that all experiments together are one product of the vectors with a few directions.

The directions need the attribute words, which are in the same file. These are looked for first, and
only as far as the last of them: files are ordered by frequency, and attributes are common words. A
file that lacks one of them is read twice from end to end.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from .._core.arrays import FloatArray, unit_rows
from ..embeddings.load import choose
from ..embeddings.registry import Embedding
from ..embeddings.source import Vector

Pair = tuple[Sequence[str], Sequence[str]]
"""Words of Z and of Z2."""

Forms = dict[str, str]
"""Word to the form that was read."""

SHORTEST = float(np.finfo(np.float32).tiny)
"""Vectors whose length float32 cannot hold in full have no direction."""


@dataclass(frozen=True, eq=False)
class Projection:
    """ψ of a vocabulary: (n_words,) for each experiment, NaN for words without a direction.

    ``found`` has, for Z and Z2 of each, the words that were; ``twice`` the rows of repeated words.
    """

    vocabulary: list[str]
    psi: list[FloatArray]
    found: list[tuple[Forms, Forms]]
    twice: NDArray[np.int64]


def project(
    embedding: Embedding, pairs: Sequence[Pair], case: str, rows: int | None = None
) -> Projection:
    """Compute ψ of every word for every pair of attribute sets.

    A side without any word has an empty ``found``; its pair's ψ mean nothing.
    """
    vectors, n_dims = _attributes(embedding, pairs, case, rows)
    found = [(_chosen(Z, vectors, case), _chosen(Z2, vectors, case)) for Z, Z2 in pairs]
    means = [[_mean(side, vectors, n_dims) for side in pair] for pair in found]
    directions = np.stack([Z - Z2 for Z, Z2 in means])
    words: list[str] = []
    parts = []
    for chunk in embedding.chunks(rows):
        words += chunk.words
        parts.append(products(chunk.vectors, directions))
    twice = np.flatnonzero(pd.Index(words, dtype=object).duplicated())
    return Projection(words, list(np.concatenate(parts, axis=1)), found, twice)


def _attributes(
    embedding: Embedding, pairs: Sequence[Pair], case: str, rows: int | None
) -> tuple[dict[str, Vector], int]:
    """Find the vectors of attribute words, in any form that may count, and their length."""
    words = {word for pair in pairs for side in pair for word in side}
    first_choice = {word.lower() for word in words} if case == "lower" else words
    start = next(embedding.chunks(rows), None)
    if start is None:
        raise ValueError("the embedding holds no words")
    vectors: dict[str, Vector] = {}
    for chunk in embedding.chunks(rows, {form for word in words for form in (word, word.lower())}):
        for word, vector in zip(chunk.words, chunk.vectors, strict=True):
            vectors.setdefault(word, vector)
        if vectors.keys() >= first_choice:
            break
    for form, vector in vectors.items():
        if not (np.isfinite(vector).all() and vector.any()):
            raise ValueError(
                f"the vector of the attribute word {form!r} is all zeros or not finite; "
                "leave it out"
            )
    return vectors, start.vectors.shape[1]


def _chosen(words: Sequence[str], found: Mapping[str, Vector], case: str) -> Forms:
    forms = choose(words, found, case)
    return {word: forms[word] for word in words if word in forms}


def _mean(found: Forms, vectors: Mapping[str, Vector], n_dims: int) -> FloatArray:
    """Compute the mean unit vector of words; zeros if there are none."""
    if not found:
        return np.zeros(n_dims)
    rows = np.stack([vectors[form] for form in found.values()])
    return np.asarray(unit_rows(rows).mean(axis=0))


def products(vectors: Vector, directions: FloatArray) -> FloatArray:
    """Compute the products of every vector, brought to unit length, with every direction.

    The sums of a vector do not depend on the vectors around it. NaN for vectors that are all zeros,
    not finite, or shorter than `SHORTEST`.
    """
    if vectors.shape[1] != directions.shape[1]:
        raise ValueError(
            f"vectors of {vectors.shape[1]} and of {directions.shape[1]} dimensions: the embedding "
            "changed while it was read; try again"
        )
    rows = vectors.astype(np.float64)
    with np.errstate(invalid="ignore", over="ignore"):
        lengths = np.sqrt(np.einsum("nd,nd->n", rows, rows))
        usable = (lengths > SHORTEST) & np.isfinite(lengths)
        sums = np.einsum("kd,nd->kn", directions, rows) / np.where(usable, lengths, np.nan)
    return np.asarray(sums)
