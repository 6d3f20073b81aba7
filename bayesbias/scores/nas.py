"""NAS, the normalized association score of Caliskan et al.'s WEFAT, and SC-WEAT, its test."""

from __future__ import annotations

import numpy as np

from .._core.arrays import FloatArray, cosine_similarity
from ..embeddings.word_sets import WordSets, WordVectors
from .list_rows import ListRows
from .permutation import Alternative, permutation_test
from .registry import ListScore
from .result import ScoreResult, Words, read_sets, score_result
from .weat import Ddof, effect_sizes


def nas(
    vectors: WordVectors | None, words: Words, A: Words, B: Words, *, ddof: Ddof = 1
) -> ScoreResult:
    """Normalized association score (WEFAT) of every word, and their mean.

    (mean_A cos(w, a) - mean_B cos(w, b)) / sd_{A∪B} cos(w, ·)

    Parameters
    ----------
    vectors : KeyedVectors, mapping of str to array, or None
    words, A, B : lists of words
    ddof : {1, 0, "pooled"}
        As for WEAT, over the attributes; the R package sweater takes 1.

    Returns
    -------
    ScoreResult
        ``effect_size`` of every word, and ``score``, their mean. Positive: nearer to A. For
        equal |A| and |B|, within ±2 for ddof 0 and ±2·sqrt((N - 1)/N) for ddof 1.

    References
    ----------
    Caliskan, Bryson, Narayanan (2017), WEFAT; Chan (2022), sweater, where it is called NAS.
    """
    sets = read_sets(vectors, {"words": words, "A": A, "B": B}, disjoint=["A", "B"])
    effects = _effects(*_cosines(sets), ddof)
    return score_result(effects.mean(), sets, "words", {"effect_size": effects})


def sc_weat(
    vectors: WordVectors | None,
    words: Words,
    A: Words,
    B: Words,
    *,
    ddof: Ddof = 1,
    alternative: Alternative = "two-sided",
) -> ScoreResult:
    """Single-category WEAT: the effect size of `nas` for every word, with its exact p-value.

    The p-value is that of the permutation test over all splits of A∪B into |A| and |B|
    attributes, for one word at a time.

    Parameters
    ----------
    vectors : KeyedVectors, mapping of str to array, or None
    words, A, B : lists of words
    ddof, alternative
        As for `weat`.

    Returns
    -------
    ScoreResult
        ``effect_size``, ``p_value``, ``p_low`` and ``p_high`` of every word; ``score`` is the
        mean effect size. Positive: nearer to A.

    References
    ----------
    Toney-Wails and Caliskan (2021), ValNorm.
    """
    sets = read_sets(vectors, {"words": words, "A": A, "B": B}, disjoint=["A", "B"])
    to_a, to_b = _cosines(sets)
    test, effects = (
        permutation_test(to_a, to_b, alternative=alternative),
        _effects(to_a, to_b, ddof),
    )
    parts = {"effect_size": effects, "p_value": test.p_value, "p_low": test.low}
    return score_result(effects.mean(), sets, "words", parts | {"p_high": test.high})


def _cosines(sets: WordSets) -> tuple[FloatArray, FloatArray]:
    to_a, to_b = (cosine_similarity(sets.rows["words"], sets.rows[name]) for name in "AB")
    return to_a, to_b


def _effects(to_a: FloatArray, to_b: FloatArray, ddof: Ddof = 1) -> FloatArray:
    effects = effect_sizes(to_a, to_b, ddof)
    if np.isnan(effects).any():
        raise ValueError(
            f"word(s) {np.flatnonzero(np.isnan(effects)).tolist()} are equally near to every "
            "attribute, so that the association has no sd to be divided by; use weam"
        )
    return effects


def _mean_effect(rows: ListRows) -> float:
    to_a, to_b = (rows.protected_units[0] @ units.T for units in rows.stereotype_units)
    return float(_effects(to_a, to_b).mean())


NAS = ListScore(
    _mean_effect,
    "ordered",
    choices="mean of the first group, ddof=1",
    note="mean of the effect sizes of SC-WEAT",
    width=4.0,
)
