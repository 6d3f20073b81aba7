"""SemAxis: where words lie on the axis between two poles."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from .._core.arrays import FloatArray, unit_rows
from ..embeddings.word_sets import WordVectors, as_rows, look_up
from .registry import ListScore, Properties
from .result import ScoreResult, Words
from .subspace import DEPENDENT


@dataclass(frozen=True, eq=False, kw_only=True, repr=False)
class SemAxisResult(ScoreResult):
    """Places of words on a semantic axis; see `semaxis`."""

    position: FloatArray
    neighbours: int
    normalised: bool


def semaxis_of(
    words: ArrayLike, A: ArrayLike, B: ArrayLike, *, unit: bool = False
) -> SemAxisResult:
    """SemAxis on arrays, (n_words, n_dims), (n_a, n_dims), (n_b, n_dims); see `semaxis`."""
    a, b = as_rows("A", A), as_rows("B", B)
    if unit:
        a, b = unit_rows(a), unit_rows(b)
    axis = a.mean(axis=0) - b.mean(axis=0)
    longest = max(np.linalg.norm(a, axis=1).max(), np.linalg.norm(b, axis=1).max())
    if np.linalg.norm(axis) <= DEPENDENT * longest:
        raise ValueError("the poles A and B have the same mean vector, so there is no axis")
    position = unit_rows(as_rows("words", words)) @ unit_rows(axis[None, :])[0]
    score = float(position.mean())
    return SemAxisResult(score=score, position=position, neighbours=0, normalised=unit)


def semaxis(
    vectors: WordVectors,
    words: Words,
    A: Words,
    B: Words,
    *,
    neighbours: int = 0,
    unit: bool = False,
) -> SemAxisResult:
    """Cosine of words with the axis from pole B to pole A, mean(A) - mean(B).

    Parameters
    ----------
    vectors : KeyedVectors or mapping of str to array
    words, A, B : lists of words
    neighbours : int
        Replace every pole word by the mean of itself and this many nearest words of the
        embedding. The embedding must hold its whole vocabulary for that, not only the list's.
    unit : bool
        Bring pole words to unit length before they are averaged.

    Returns
    -------
    SemAxisResult
        ``position`` of every word in [-1, 1], positive towards A; ``score``, their mean.

    References
    ----------
    An, Kwak, Ahn (2018), SemAxis; Chan (2022), sweater, where ``neighbours`` is ``l``.
    """
    sets = look_up(vectors, {"words": words, "A": A, "B": B})
    poles = [_softened(vectors, sets.words[p], sets.rows[p], neighbours) for p in "AB"]
    result = semaxis_of(sets.rows["words"], *poles, unit=unit)
    return replace(result, words=sets.words["words"], missing=sets.missing, neighbours=neighbours)


def _softened(vectors: Any, words: Words, rows: FloatArray, neighbours: int) -> FloatArray:  # noqa: ANN401
    """Means of every word and its nearest neighbours, (n_words, n_dims)."""
    if neighbours < 0:
        raise ValueError(f"neighbours must not be negative, got {neighbours}")
    if neighbours == 0:
        return rows
    if not hasattr(vectors, "most_similar"):
        raise TypeError("neighbours needs gensim's KeyedVectors; this embedding cannot tell them")
    means = []
    for word, row in zip(words, rows, strict=True):
        near = [vectors[each] for each, _ in vectors.most_similar(word, topn=neighbours)]
        means.append(np.vstack([row, *near]).mean(axis=0))
    return np.stack(means)


SCORE = ListScore(
    value=lambda rows: semaxis_of(rows.protected[0], *rows.stereotypes).score,
    scope="ordered",
    choices="mean of the first group, vectors as they are",
    width=2.0,
    properties=Properties(
        comparable=(True, "it is a mean of cosines with the axis; -1 and 1 are reached"),
        trustworthy=(
            False,
            "it is a mean, so that opposite words cancel; a single word with 0 is equally near to "
            "the poles only if pole words are of unit length",
        ),
        range=("-1", "1"),
    ),
)
