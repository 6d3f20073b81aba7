"""WEAM and ψ: how much nearer words are to one attribute set than to another."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from .._core.arrays import FloatArray, cosine_similarity, unit_rows
from ..embeddings.word_sets import WordVectors, as_rows, look_up
from .list_rows import ListRows
from .registry import ListScore, Properties, Weights
from .result import ScoreResult, Words, of_words


@dataclass(frozen=True, eq=False, kw_only=True, repr=False)
class WeamResult(ScoreResult):
    """Mean association of a word set; see `weam`."""

    psi: FloatArray
    to_a: FloatArray
    to_b: FloatArray
    limit: float


def psi_of(words: ArrayLike, A: ArrayLike, B: ArrayLike) -> FloatArray:
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
    """
    return mean_cosines(words, A, "A") - mean_cosines(words, B, "B")


def mean_cosines(words: ArrayLike, Z: ArrayLike, name: str = "Z") -> FloatArray:
    """WEAM(w, Z) = mean_Z cos(w, z) for every word, (n_words,), in [-1, 1]; Smarda (2021)."""
    return np.asarray(cosine_similarity(as_rows("words", words), as_rows(name, Z)).mean(axis=1))


def association_limit_of(A: ArrayLike, B: ArrayLike) -> float:
    """‖â - b̂‖, the largest ψ that any word can have for these attribute sets.

    â and b̂ are the means of the unit vectors of A and B. In [0, 2]; it differs between
    embeddings, so that ψ, S and gWEAT of different embeddings are not on one scale.

    References
    ----------
    Schröder et al. (2024), Semantic properties of cosine based bias scores, theorem 1, table 2.
    """
    difference = unit_rows(as_rows("A", A)).mean(axis=0) - unit_rows(as_rows("B", B)).mean(axis=0)
    return float(np.linalg.norm(difference))


def weam_of(words: ArrayLike, A: ArrayLike, B: ArrayLike) -> WeamResult:
    """Mean of ψ over a word set; parameters as for `psi_of`."""
    to_a, to_b = mean_cosines(words, A, "A"), mean_cosines(words, B, "B")
    psi, limit = to_a - to_b, association_limit_of(A, B)
    return WeamResult(score=float(psi.mean()), psi=psi, to_a=to_a, to_b=to_b, limit=limit)


def weam(vectors: WordVectors, words: Words, A: Words, B: Words) -> WeamResult:
    """Mean association of a word set with A rather than B, with ψ of every word.

    Parameters
    ----------
    vectors : KeyedVectors or mapping of str to array
    words, A, B : lists of words

    Returns
    -------
    WeamResult
        ``score``, the mean of ``psi``, in [-``limit``, ``limit``] with ``limit`` = ‖â - b̂‖.
        Positive: nearer to A. ``to_a`` and ``to_b`` are the mean cosines of every word with A and
        with B, of which ``psi`` is the difference.

    References
    ----------
    Smarda (2021), where ``score`` is ψ of a set X, and ``to_a`` is WEAM(w, Z).
    """
    return of_words(weam_of, vectors, {"words": words, "A": A, "B": B}, parts=["words"])


def psi(vectors: WordVectors, words: Words, A: Words, B: Words) -> WeamResult:
    """ψ of every word, as ``.psi``, and their mean; the same as `weam`."""
    return weam(vectors, words, A, B)


def association_limit(vectors: WordVectors, A: Words, B: Words) -> float:
    """‖â - b̂‖ of two word sets; see `association_limit_of`. Missing words are left out."""
    sets = look_up(vectors, {"A": A, "B": B})
    return association_limit_of(sets.rows["A"], sets.rows["B"])


def resampled_psi(rows: ListRows, weights: Weights, group: int) -> FloatArray:
    """Compute ψ of a group's words under resampled stereotypes, (n_words, n_resamples)."""
    to_a, to_b = (
        cosine_similarity(rows.protected[group], each) @ weight.T
        for each, weight in zip(rows.stereotypes, weights.stereotypes, strict=True)
    )
    return np.asarray(to_a - to_b)


def resampled_mean_psi(rows: ListRows, weights: Weights, group: int = 0) -> FloatArray:
    """Compute the mean ψ of a group's words under resampled words of all sets, (n_resamples,)."""
    psi = resampled_psi(rows, weights, group)
    return np.asarray((weights.protected[group].T * psi).sum(axis=0))


SCORE = ListScore(
    value=lambda rows: weam_of(rows.protected[0], *rows.stereotypes).score,
    scope="ordered",
    choices="mean of ψ of the first group",
    resampled=resampled_mean_psi,
    width=4.0,
    properties=Properties(
        comparable=(False, "its extremes are ±‖â - b̂‖, which depends on the attributes"),
        trustworthy=(True, "it is the difference of the two mean cosines itself"),
        range=("-‖â - b̂‖", "‖â - b̂‖"),
        source="Schröder et al. (2024), Semantic properties, theorems 1, 2",
        name="psi",
    ),
)
