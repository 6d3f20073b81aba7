"""NAS, the normalised association score of Caliskan et al.'s WEFAT, and SC-WEAT, its test."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import ArrayLike

from .._core.arrays import FloatArray, cosine_similarity
from ..embeddings.word_sets import WordVectors, as_rows, look_up, refuse_overlap
from .result import Result
from .weat import Ddof, effect_sizes


@dataclass(frozen=True, eq=False, kw_only=True, repr=False)
class NasResult(Result):
    """Normalised associations of single words; see `nas`."""

    score: float
    effect_size: FloatArray
    ddof: Ddof


def nas_of(words: ArrayLike, A: ArrayLike, B: ArrayLike, *, ddof: Ddof = 1) -> NasResult:
    """NAS on arrays, (n_words, n_dims), (n_a, n_dims), (n_b, n_dims); see `nas`."""
    rows = as_rows("words", words)
    to_a = cosine_similarity(rows, as_rows("A", A))
    to_b = cosine_similarity(rows, as_rows("B", B))
    effects = effect_sizes(to_a, to_b, ddof)
    if np.isnan(effects).any():
        raise ValueError(
            f"word(s) {np.flatnonzero(np.isnan(effects)).tolist()} are equally near to every "
            "attribute, so that the association has no sd to be divided by; use weam"
        )
    return NasResult(score=float(effects.mean()), effect_size=effects, ddof=ddof)


def nas(
    vectors: WordVectors,
    words: Iterable[str],
    A: Iterable[str],
    B: Iterable[str],
    *,
    ddof: Ddof = 1,
) -> NasResult:
    """Normalised association score (WEFAT) of every word, and their mean.

    (mean_A cos(w, a) - mean_B cos(w, b)) / sd_{A∪B} cos(w, ·)

    Parameters
    ----------
    vectors : KeyedVectors
    words, A, B : lists of words
    ddof : {1, 0, "pooled"}
        As for WEAT, over the attributes; the R package sweater takes 1.

    Returns
    -------
    NasResult
        ``effect_size`` of every word, and ``score``, their mean. Positive: nearer to A. For
        equal |A| and |B|, within ±2 for ddof 0 and ±2·sqrt((N - 1)/N) for ddof 1.

    References
    ----------
    Caliskan, Bryson, Narayanan (2017), WEFAT; Chan (2022), sweater, where it is called NAS.
    """
    sets = look_up(vectors, {"words": words, "A": A, "B": B})
    refuse_overlap("A", "B", sets.words)
    result = nas_of(sets.rows["words"], sets.rows["A"], sets.rows["B"], ddof=ddof)
    return replace(result, words=sets.words["words"], missing=sets.missing)
