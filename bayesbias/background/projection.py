"""ψ of every word of an embedding for many pairs of attribute sets, in one pass over the file.

With û the unit vector of a word and m, m' the mean unit vectors of Z and Z', ψ(w) = û·(m - m'), so
that all experiments together are one product of the vectors with a few directions. The products
are taken in float32, as which vectors come in files: ψ is off by less than 3e-7.

The directions need the attribute words, which are in the same file. These are looked for first, and
only as far as the last of them: files are ordered by frequency, and attributes are common words. A
file that lacks one of them is read twice from end to end.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass

import numpy as np

from .._core.arrays import FloatArray, unit_rows
from ..embeddings.chunks import Vector
from ..embeddings.load import choose
from ..embeddings.registry import Embedding
from ..embeddings.vocabulary import ODD, Lookup, Rows, Vocabulary

Pair = tuple[Sequence[str], Sequence[str]]
"""Words of Z and of Z2."""

ROOM = 1 << 21
"""Words for which there is room at first; what is not used of it takes addresses, not memory."""

Forms = dict[str, str]
"""Word to the form that was read."""

SHORTEST = float(np.finfo(np.float32).tiny)
"""Vectors whose length float32 cannot hold in full have no direction."""

AT_ONCE = 5
"""Directions that `kernels.project` takes at a time."""


@dataclass(frozen=True, eq=False)
class Projection:
    """ψ of a vocabulary: (n_words,) for each experiment, NaN for words without a direction.

    ``found`` has, for Z and Z2 of each, the words that were; ``twice`` the rows of repeated words.
    """

    vocabulary: Vocabulary
    psi: list[FloatArray]
    found: list[tuple[Forms, Forms]]
    twice: Rows


def project(
    embedding: Embedding, pairs: Sequence[Pair], case: str, rows: int | None = None
) -> Projection:
    """Compute ψ of every word for every pair of attribute sets.

    A side without any word has an empty ``found``; its pair's ψ mean nothing.
    """
    vectors, n_dims = _attributes(embedding, pairs, case, rows)
    found = [(_chosen(Z, vectors, case), _chosen(Z2, vectors, case)) for Z, Z2 in pairs]
    means = [[_mean(side, vectors, n_dims) for side in pair] for pair in found]
    directions = padded(np.stack([Z - Z2 for Z, Z2 in means]))
    psi, names, count = np.empty((len(pairs), ROOM)), bytearray(), 0
    for chunk in embedding.iterate(rows):
        names += chunk.names
        if count + len(chunk) > psi.shape[1]:
            filled, psi = psi[:, :count], np.empty((len(pairs), 2 * psi.shape[1]))
            psi[:, :count] = filled
        psi[:, count : count + len(chunk)] = products(chunk.vectors, directions)[: len(pairs)]
        count += len(chunk)
    vocabulary = Vocabulary(names)
    return Projection(vocabulary, list(psi[:, :count]), found, vocabulary.duplicates())


def _attributes(
    embedding: Embedding, pairs: Sequence[Pair], case: str, rows: int | None
) -> tuple[dict[str, Vector], int]:
    """Find the vectors of attribute words, in any form that may count, and their length."""
    words = {word for pair in pairs for side in pair for word in side}
    forms = {form for word in words for form in (word, word.lower())}
    first_choice = {word.lower() for word in words} if case == "lower" else words
    wanted = {form.encode(errors=ODD): form for form in forms}
    lookup, found, n_dims = Lookup(wanted), dict[str, Vector](), 0
    with closing(embedding.iterate(rows)) as chunks:
        for chunk in chunks:
            n_dims = chunk.vectors.shape[1]
            for row, name in lookup.find(chunk.vocabulary):
                found.setdefault(wanted[name], chunk.vectors[row].copy())
            if found.keys() >= first_choice:
                break
    if not n_dims:
        raise ValueError("the embedding holds no words")
    for form, vector in found.items():
        if not (np.isfinite(vector).all() and vector.any()):
            raise ValueError(
                f"the vector of the attribute word {form!r} is all zeros or not finite; "
                "leave it out"
            )
    return found, n_dims


def _chosen(words: Sequence[str], found: Mapping[str, Vector], case: str) -> Forms:
    forms = choose(words, found, case)
    return {word: forms[word] for word in words if word in forms}


def _mean(found: Forms, vectors: Mapping[str, Vector], n_dims: int) -> FloatArray:
    """Compute the mean unit vector of words; zeros if there are none."""
    if not found:
        return np.zeros(n_dims)
    rows = np.stack([vectors[form] for form in found.values()])
    return np.asarray(unit_rows(rows).mean(axis=0))


def padded(directions: FloatArray) -> Vector:
    """Round directions, (count, n_dims), to float32, with zeros below up to a multiple of five."""
    count, n_dims = directions.shape
    rows = np.zeros((-(-count // AT_ONCE) * AT_ONCE, n_dims), dtype=np.float32)
    rows[:count] = directions
    return rows


def products(vectors: Vector, directions: Vector) -> Vector:
    """Compute the products of every vector, brought to unit length, with every direction.

    They are taken in float32, as which the vectors come, and are off by less than 3e-7 times the
    length of a direction. The sums of a vector do not depend on the vectors around it. NaN for
    vectors that are all zeros, not finite, or shorter than `SHORTEST`.
    """
    from ..embeddings.formats.kernels import project

    if vectors.shape[1] != directions.shape[1]:
        raise ValueError(
            f"vectors of {vectors.shape[1]} and of {directions.shape[1]} dimensions: the embedding "
            "changed while it was read; try again"
        )
    out = np.empty((len(directions), len(vectors)), dtype=np.float32)
    project(vectors, directions, out)
    odd = np.flatnonzero(np.isnan(out[0]))
    if len(odd):  # mended in float64, which has the range for their squares
        rows = vectors[odd].astype(np.float64)
        with np.errstate(invalid="ignore", divide="ignore", over="ignore"):
            lengths = np.sqrt((rows * rows).sum(axis=1, keepdims=True))
            there = (lengths > SHORTEST) & np.isfinite(lengths)
            unit = (rows / np.where(there, lengths, np.nan)).astype(np.float32)
        mended = np.empty((len(directions), len(odd)), dtype=np.float32)
        project(unit, directions, mended)
        out[:, odd] = mended
    return out
