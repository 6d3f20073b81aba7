"""Where words lie between two attribute sets: ψ, its mean WEAM, and SemAxis."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from .._core.arrays import FloatArray, cosine_similarity, unit_rows
from ..embeddings.word_sets import WordVectors
from .list_rows import ListRows
from .registry import ListScore
from .result import ScoreResult, Words, read_sets, score_result
from .subspace import DEPENDENT


def psi(words: ArrayLike, A: ArrayLike, B: ArrayLike) -> FloatArray:
    """ψ(w) = s(w, A, B) = mean_A cos(w, a) - mean_B cos(w, b) for every word.

    Parameters
    ----------
    words : (n_words, n_dims) array_like
    A, B : (n_a, n_dims), (n_b, n_dims) array_like

    Returns
    -------
    (n_words,) array
        In [-‖â - b̂‖, ‖â - b̂‖] ⊂ [-2, 2]; positive for words nearer to A; 0 for words equally
        near to both.

    References
    ----------
    Caliskan, Bryson, Narayanan (2017); Smarda (2021), where it is ψ.

    Examples
    --------
    >>> psi([[1.0, 0.0], [0.6, 0.8]], [[2.0, 0.0]], [[0.0, 1.0]]).round(2).tolist()
    [1.0, -0.2]
    """
    sets = read_sets(None, {"words": words, "A": A, "B": B}).rows
    to_a, to_b = (_mean_cosines(sets["words"], sets[name]) for name in "AB")
    return to_a - to_b


def _mean_cosines(words: FloatArray, others: FloatArray) -> FloatArray:
    return np.asarray(cosine_similarity(words, others).mean(axis=1))


def association_limit(vectors: WordVectors | None, A: Words, B: Words) -> float:
    """‖â - b̂‖, the largest ψ that any word can have for these attribute sets, in [0, 2].

    â and b̂ are the means of the unit vectors of A and B. The limit differs between embeddings, so
    that ψ, S and gWEAT of different embeddings are not on one scale.

    References
    ----------
    Schröder et al. (2024), Semantic properties of cosine based bias scores, theorem 1, table 2.
    """
    sets = read_sets(vectors, {"A": A, "B": B})
    a, b = (unit_rows(sets.rows[name]).mean(axis=0) for name in "AB")
    return float(np.linalg.norm(a - b))


def weam(vectors: WordVectors | None, words: Words, A: Words, B: Words) -> ScoreResult:
    """Mean association of a word set with A rather than B, with ψ of every word.

    Parameters
    ----------
    vectors : KeyedVectors, mapping of str to array, or None
    words, A, B : lists of words

    Returns
    -------
    ScoreResult
        ``score``, the mean of ``psi``, in [-``limit``, ``limit``] with ``limit`` = ‖â - b̂‖.
        Positive: nearer to A. ``to_a`` and ``to_b`` are the mean cosines of every word with A and
        with B, of which ``psi`` is the difference.

    References
    ----------
    Smarda (2021), where ``score`` is ψ of a set X, and ``to_a`` is WEAM(w, Z).
    """
    sets = read_sets(vectors, {"words": words, "A": A, "B": B})
    to_a, to_b = (_mean_cosines(sets.rows["words"], sets.rows[name]) for name in "AB")
    parts = {"psi": to_a - to_b, "to_a": to_a, "to_b": to_b}
    limit = association_limit(None, sets.rows["A"], sets.rows["B"])
    return score_result(parts["psi"].mean(), sets, "words", parts, limit=limit)


def semaxis(
    vectors: Any,  # noqa: ANN401
    words: Words,
    A: Words,
    B: Words,
    *,
    neighbors: int = 0,
    unit: bool = False,
) -> ScoreResult:
    """Cosine of words with the axis from pole B to pole A, mean(A) - mean(B).

    Parameters
    ----------
    vectors : KeyedVectors, mapping of str to array, or None
    words, A, B : lists of words
    neighbors : int
        Replace every pole word by the mean of itself and this many nearest words of the
        embedding: gensim's KeyedVectors with the whole vocabulary, not only the list's.
    unit : bool
        Bring pole words to unit length before they are averaged.

    Returns
    -------
    ScoreResult
        ``position`` of every word in [-1, 1], positive towards A; ``score``, their mean.

    References
    ----------
    An, Kwak, Ahn (2018), SemAxis; Chan (2022), sweater, where ``neighbors`` is ``l``.
    """
    sets = read_sets(vectors, {"words": words, "A": A, "B": B})
    if neighbors and not hasattr(vectors, "most_similar"):
        raise TypeError("neighbors needs gensim's KeyedVectors; this embedding has none")
    if neighbors < 0:
        raise ValueError(f"neighbors must not be negative, got {neighbors}")
    poles = []
    for name in "AB":
        rows = sets.rows[name]
        if neighbors:
            near = [vectors.most_similar(word, topn=neighbors) for word in sets.words[name]]
            rows = np.stack(
                [
                    np.vstack([row, *(vectors[word] for word, _ in words)]).mean(axis=0)
                    for row, words in zip(rows, near, strict=True)
                ]
            )
        poles.append(unit_rows(rows) if unit else rows)
    position = unit_rows(sets.rows["words"]) @ _axis(*poles)
    return score_result(position.mean(), sets, "words", {"position": position})


def _axis(A: FloatArray, B: FloatArray) -> FloatArray:
    """Unit vector from the mean of pole B to that of pole A."""
    axis = A.mean(axis=0) - B.mean(axis=0)
    length = np.linalg.norm(axis)
    if length <= DEPENDENT * np.linalg.norm(np.vstack([A, B]), axis=1).max():
        raise ValueError("the poles A and B have the same mean vector, so there is no axis")
    return np.asarray(axis / length)


def _mean_psi(rows: ListRows) -> float:
    A, B = (units.mean(axis=0) for units in rows.stereotype_units)
    return float(rows.protected_units[0].mean(axis=0) @ (A - B))


WEAM = ListScore(_mean_psi, "ordered", choices="mean of ψ of the first group", width=4.0)
SEMAXIS = ListScore(
    lambda rows: float((rows.protected_units[0] @ _axis(*rows.stereotypes)).mean()),
    "ordered",
    choices="mean of the first group, vectors as they are",
    width=2.0,
)
