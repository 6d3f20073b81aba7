"""NAS, the normalised association score of Caliskan et al.'s WEFAT, and SC-WEAT, its test."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from .._core.arrays import FloatArray, cosine_similarity
from ..embeddings.word_sets import WordVectors, as_rows
from .list_rows import ListRows
from .permutation import Alternative, permutation_test
from .registry import ListScore, Properties, Weights
from .result import ScoreResult, Words, of_words
from .weat import Ddof, effect_sizes, resampled_effect_sizes


@dataclass(frozen=True, eq=False, kw_only=True, repr=False)
class NasResult(ScoreResult):
    """Normalised associations of single words; see `nas`."""

    effect_size: FloatArray
    ddof: Ddof


@dataclass(frozen=True, eq=False, kw_only=True, repr=False)
class ScWeatResult(ScoreResult):
    """Effect size and p-value of single words; see `sc_weat`."""

    effect_size: FloatArray
    p_value: FloatArray
    p_low: FloatArray
    p_high: FloatArray
    ddof: Ddof
    alternative: Alternative


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


def nas(vectors: WordVectors, words: Words, A: Words, B: Words, *, ddof: Ddof = 1) -> NasResult:
    """Normalised association score (WEFAT) of every word, and their mean.

    (mean_A cos(w, a) - mean_B cos(w, b)) / sd_{A∪B} cos(w, ·)

    Parameters
    ----------
    vectors : KeyedVectors or mapping of str to array
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
    sets = {"words": words, "A": A, "B": B}
    return of_words(nas_of, vectors, sets, parts=["words"], apart=["A", "B"], ddof=ddof)


def sc_weat_of(
    words: ArrayLike,
    A: ArrayLike,
    B: ArrayLike,
    *,
    ddof: Ddof = 1,
    alternative: Alternative = "two-sided",
) -> ScWeatResult:
    """SC-WEAT on arrays, (n_words, n_dims), (n_a, n_dims), (n_b, n_dims); see `sc_weat`."""
    effects = nas_of(words, A, B, ddof=ddof)  # which checks the sets
    a, b = np.asarray(A), np.asarray(B)
    cosines = cosine_similarity(words, np.vstack([a, b]))
    test = permutation_test(cosines[:, : len(a)], cosines[:, len(a) :], alternative=alternative)
    return ScWeatResult(
        score=effects.score,
        effect_size=effects.effect_size,
        p_value=test.p_value,
        p_low=test.low,
        p_high=test.high,
        ddof=ddof,
        alternative=alternative,
    )


def sc_weat(
    vectors: WordVectors,
    words: Words,
    A: Words,
    B: Words,
    *,
    ddof: Ddof = 1,
    alternative: Alternative = "two-sided",
) -> ScWeatResult:
    """Single-category WEAT: the effect size of `nas` for every word, with its exact p-value.

    The p-value is that of the permutation test over all splits of A∪B into |A| and |B|
    attributes, for one word at a time.

    Parameters
    ----------
    vectors : KeyedVectors or mapping of str to array
    words, A, B : lists of words
    ddof, alternative
        As for `weat`.

    Returns
    -------
    ScWeatResult
        ``effect_size``, ``p_value``, ``p_low`` and ``p_high`` of every word; ``score`` is the
        mean effect size. Positive: nearer to A.

    References
    ----------
    Toney-Wails and Caliskan (2021), ValNorm.
    """
    sets = {"words": words, "A": A, "B": B}
    return of_words(
        sc_weat_of,
        vectors,
        sets,
        parts=["words"],
        apart=["A", "B"],
        ddof=ddof,
        alternative=alternative,
    )


def _resampled(rows: ListRows, weights: Weights) -> FloatArray:
    to_a, to_b = (cosine_similarity(rows.protected[0], each) for each in rows.stereotypes)
    turned = [each.T for each in weights.stereotypes]
    effects = [
        resampled_effect_sizes([a[:, None], b[:, None]], turned)
        for a, b in zip(to_a, to_b, strict=True)
    ]
    share = weights.protected[0].T
    return np.where(share > 0, share * np.stack(effects), 0.0).sum(axis=0)


SCORE = ListScore(
    value=lambda rows: nas_of(rows.protected[0], *rows.stereotypes).score,
    scope="ordered",
    choices="mean of the first group, ddof=1",
    resampled=_resampled,
    note="mean of the effect sizes of SC-WEAT",
    width=4.0,
    properties=Properties(
        comparable=(
            False,
            "the bound ±(|A| + |B|)/√(|A||B|), ±2 for sets of one size, depends on the sets, and "
            "is reached only where a word can be equally near to all of A, and to all of B",
        ),
        trustworthy=(
            False,
            "it is a mean, so that opposite words cancel; of a single word it is 0 only where ψ is",
        ),
        range=("-2 (ddof 0, |A| = |B|)", "2 (ddof 0, |A| = |B|)"),
    ),
)
