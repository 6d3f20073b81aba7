"""SC-WEAT, the single-category test: whether one word is nearer to A than to B."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Unpack

import numpy as np
from numpy.typing import ArrayLike

from .._core.arrays import FloatArray, cosine_similarity
from ..embeddings.word_sets import WordVectors
from .nas import nas_of
from .permutation import Alternative, PermutationChoices, permutation_p_values
from .result import Entropy, ScoreResult, Words, of_words
from .weat import Ddof, WeatChoices


@dataclass(frozen=True, eq=False, kw_only=True, repr=False)
class ScWeatResult(ScoreResult):
    """Effect size and p-value of single words; see `sc_weat`."""

    effect_size: FloatArray
    p_value: FloatArray
    p_low: FloatArray
    p_high: FloatArray
    ddof: Ddof
    alternative: Alternative
    method: str
    seed: Entropy


def sc_weat_of(
    words: ArrayLike,
    A: ArrayLike,
    B: ArrayLike,
    *,
    ddof: Ddof = 1,
    **choices: Unpack[PermutationChoices],
) -> ScWeatResult:
    """SC-WEAT on arrays, (n_words, n_dims), (n_a, n_dims), (n_b, n_dims); see `sc_weat`."""
    effects = nas_of(words, A, B, ddof=ddof)  # which checks the sets
    a, b = np.asarray(A), np.asarray(B)
    cosines = cosine_similarity(words, np.vstack([a, b]))
    values = permutation_p_values(cosines, len(a), **choices)
    return ScWeatResult(
        score=effects.score,
        effect_size=effects.effect_size,
        p_value=values.p_value,
        p_low=values.low,
        p_high=values.high,
        ddof=ddof,
        alternative=values.alternative,
        method=values.method,
        seed=values.seed,
    )


def sc_weat(
    vectors: WordVectors, words: Words, A: Words, B: Words, **choices: Unpack[WeatChoices]
) -> ScWeatResult:
    """Single-category WEAT: the effect size of `nas` for every word, with its exact p-value.

    The p-value is that of the permutation test over all splits of A∪B into |A| and |B|
    attributes, for one word at a time.

    Parameters
    ----------
    words, A, B : lists of words
    **choices
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
    return of_words(sc_weat_of, vectors, sets, parts=["words"], apart=["A", "B"], **choices)
