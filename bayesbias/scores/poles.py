"""Scores of words between two attribute sets: ψ, WEAM, WEAT, NAS, SC-WEAT, and SemAxis."""

from __future__ import annotations

from typing import Literal, get_args

import numpy as np
from numpy.typing import ArrayLike

from .._core.arrays import FloatArray, as_floats, unit_rows
from ..embeddings.word_sets import WordVectors
from .permutation import Alternative, of_the_same_data, permutation_test
from .result import ScoreResult, Words, read_sets, score_result
from .subspace import DEPENDENT

Ddof = Literal[0, 1, "pooled"]

EQUAL = 1e-12
"""Associations with a standard deviation at or below this are treated as equal. They are means of
cosines, which float64 stores to about 1e-16. If vectors have less precision, that is the limit."""


def psi(words: ArrayLike, A: ArrayLike, B: ArrayLike) -> FloatArray:
    """Compute ψ(w) = s(w, A, B) = mean_A cos(w, a) - mean_B cos(w, b) for every word.

    Parameters
    ----------
    words : (n_words, n_dims) array_like
    A, B : (n_a, n_dims), (n_b, n_dims) array_like

    Returns
    -------
    (n_words,) array
        Values in [-‖â - b̂‖, ‖â - b̂‖] ⊂ [-2, 2]: positive for words closer to A, and 0 for words
        equally close to both.

    Examples
    --------
    >>> psi([[1.0, 0.0], [0.6, 0.8]], [[2.0, 0.0]], [[0.0, 1.0]]).round(2).tolist()
    [1.0, -0.2]
    """
    sets = read_sets(None, {"words": words, "A": A, "B": B}).rows
    unit = {name: unit_rows(rows) for name, rows in sets.items()}
    to_a, to_b = ((unit["words"] @ unit[name].T).mean(axis=1) for name in "AB")
    return np.asarray(to_a - to_b)


def weam(vectors: WordVectors | None, words: Words, A: Words, B: Words) -> ScoreResult:
    """Compute the mean association of a word set with A rather than B, and ψ of every word.

    Returns
    -------
    ScoreResult
        ``score`` is the mean of ``psi``, and positive if the words are closer to A. ``psi`` is
        ``to_a`` (the mean cosine with A) minus ``to_b`` (with B). The largest ψ that any word can
        have for these sets is ``limit``, ‖â - b̂‖. The limit differs between embeddings, so their
        ψ, S, and gWEAT are on different scales.

    References
    ----------
    Smarda (2021), where ``score`` is ψ of a set X, and ``to_a`` is WEAM(w, Z). Schröder et al.
    (2024), Semantic properties of cosine based bias scores, theorem 1, for the limit.
    """
    sets = read_sets(vectors, {"words": words, "A": A, "B": B})
    units, a, b = map(unit_rows, sets.rows.values())
    to_a, to_b = ((units @ pole.T).mean(axis=1) for pole in (a, b))
    parts = {"psi": to_a - to_b, "to_a": to_a, "to_b": to_b}
    limit = float(np.linalg.norm(a.mean(axis=0) - b.mean(axis=0)))
    return score_result(parts["psi"].mean(), sets, ["words"], parts, limit=limit)


def effect_sizes(
    s_x: ArrayLike, s_y: ArrayLike, ddof: Ddof = 1, *, error: float = 0.0
) -> FloatArray:
    """Compute effect sizes d = (mean_X s - mean_Y s)/sd s for one or more data sets.

    Parameters
    ----------
    s_x, s_y : (..., n_x), (..., n_y) array_like
        Associations of the words in X and Y.
    ddof : {1, 0, "pooled"}
        The sd of X∪Y with divisor N - 1 or N, or the pooled sd within X and Y (Cohen's d, divisor
        n_x + n_y - 2). Caliskan et al. computed d with ddof 1.
    error : float
        Size of the errors of associations, such as 2^-23 for cosines of float32 vectors.

    Returns
    -------
    (...) array
        If n_x = n_y, |d| ≤ 2 with ddof 0, and |d| ≤ 2·sqrt((N - 1)/N) with ddof 1. With "pooled", d
        is unbounded. If the sd is 0, or at most `error`, d is NaN, and `weat` raises an error. It
        is also NaN if an association is missing or masked.

    Examples
    --------
    >>> effect_sizes([0.3, 0.1], [-0.1, -0.3], 0).round(2).tolist()
    1.79
    """
    if ddof not in get_args(Ddof):
        raise ValueError(f"ddof must be one of {get_args(Ddof)}; got {ddof!r}")
    x, y = map(as_floats, (s_x, s_y))
    n_x, n_y = (s.shape[-1] if s.ndim else 0 for s in (x, y))
    if not n_x or not n_y:
        raise ValueError(f"X and Y need at least one association each; they have {n_x} and {n_y}")
    x, y = of_the_same_data(x, y)
    if ddof != "pooled":
        sd = np.concatenate([x, y], axis=-1).std(axis=-1, ddof=ddof)
    elif n_x + n_y > 2:
        sd = np.sqrt((x.var(axis=-1) * n_x + y.var(axis=-1) * n_y) / (n_x + n_y - 2))
    else:
        raise ValueError("ddof='pooled' needs at least three words in the two sets together")
    difference = x.mean(axis=-1) - y.mean(axis=-1)
    varies = sd > max(EQUAL, error)
    return np.where(varies, difference / np.where(varies, sd, 1.0), np.nan)


def weat(
    vectors: WordVectors | None,
    X: Words,
    Y: Words,
    A: Words,
    B: Words,
    *,
    ddof: Ddof = 1,
    alternative: Alternative = "two-sided",
) -> ScoreResult:
    """Compute the word embedding association test (WEAT) of whether X is closer to A and Y to B.

    Let s(w) = mean_A cos(w, a) - mean_B cos(w, b). The statistic is S = Σ_X s - Σ_Y s, and the
    effect size is d = (mean_X s - mean_Y s)/sd s. The p-value comes from a permutation test over
    all splits of X∪Y into |X| and |Y| words. It is exact for up to 36 words, and an upper bound for
    more words (see `permutation_test`).

    Parameters
    ----------
    X, Y, A, B : lists of words
        A word in both A and B is part of both means.
    ddof : {1, 0, "pooled"}
        See `effect_sizes`.
    alternative : {"two-sided", "greater", "less"}
        Caliskan et al. report one-sided p-values ("greater"); see `permutation_test`.

    Returns
    -------
    ScoreResult
        ``score`` and ``effect_size`` are d. ``statistic``, ``p_value``, and ``p_bounds`` come from
        the test; ``association`` is s of every word. If d > 0, X leans more toward A than Y does.

    References
    ----------
    Caliskan, Bryson, Narayanan (2017), Science 356, 183-186.

    Examples
    --------
    >>> import bayesbias as bb
    >>> weat7 = bb.load_wordlist("weat7")
    >>> vectors = bb.load_vectors("glove-demo", weat7)
    >>> result = weat(vectors, *weat7.groups.values(), *weat7.stereotypes.values())
    >>> round(result.effect_size, 3), round(result.p_value, 4)
    (1.281, 0.0045)
    """
    sets = read_sets(vectors, {"X": X, "Y": Y, "A": A, "B": B}, disjoint=["X", "Y"])
    x, y = (psi(sets.rows[name], sets.rows["A"], sets.rows["B"]) for name in "XY")
    effect = weat_effect(x, y, ddof, sets.precision)
    test = permutation_test(x, y, alternative=alternative, error=sets.precision)
    return score_result(
        effect,
        sets,
        ["X", "Y"],
        {"association": np.concatenate([x, y])},
        effect_size=effect,
        statistic=float(test.statistic),
        p_value=float(test.p_value),
        p_bounds=(float(test.low), float(test.high)),
    )


def weat_effect(x: FloatArray, y: FloatArray, ddof: Ddof = 1, error: float = 0.0) -> float:
    """Return the effect size of associations; raise ValueError if it is undefined."""
    effect = float(effect_sizes(x, y, ddof, error=error))
    if np.isnan(effect):
        why = "associations do not vary within X or within Y; use ddof=1"
        if ddof != "pooled":
            why = f"all words have the same association, {x[0]:.6g}"
        raise ValueError(f"the effect size is undefined: {why}")
    return effect


def nas(
    vectors: WordVectors | None,
    words: Words,
    A: Words,
    B: Words,
    *,
    ddof: Ddof = 1,
    alternative: Alternative | None = None,
) -> ScoreResult:
    """Compute normalized association scores (NAS, or WEFAT), optionally with SC-WEAT's test.

    (mean_A cos(w, a) - mean_B cos(w, b)) / sd_{A∪B} cos(w, ·)

    Parameters
    ----------
    words, A, B : lists of words
    ddof : {1, 0, "pooled"}
        Divisor of the sd of the attributes' cosines; see `effect_sizes`.
    alternative : {"two-sided", "greater", "less"}, optional
        Test every word over all splits of A∪B into |A| and |B| attributes, as SC-WEAT does.

    Returns
    -------
    ScoreResult
        ``score`` is the mean ``effect_size`` of the words, and positive if they are closer to A.
        With N/2 words each in A and B, values are within ±2 for ddof 0 and ±2·sqrt((N - 1)/N) for
        ddof 1. If `alternative` is set, every word also has ``p_value``, ``p_low``, and ``p_high``.

    References
    ----------
    Caliskan, Bryson, Narayanan (2017), WEFAT; Chan (2022), sweater, where the score is called NAS;
    Toney-Wails and Caliskan (2021), ValNorm, for SC-WEAT.
    """
    sets = read_sets(vectors, {"words": words, "A": A, "B": B}, disjoint=["A", "B"])
    unit = {name: unit_rows(rows) for name, rows in sets.rows.items()}
    to_a, to_b = (unit["words"] @ unit[name].T for name in "AB")
    parts = {"effect_size": word_effects(to_a, to_b, ddof, sets.precision)}
    if alternative is not None:
        test = permutation_test(to_a, to_b, alternative=alternative, error=sets.precision)
        parts |= {"p_value": test.p_value, "p_low": test.low, "p_high": test.high}
    return score_result(parts["effect_size"].mean(), sets, ["words"], parts)


def word_effects(
    to_a: FloatArray, to_b: FloatArray, ddof: Ddof = 1, error: float = 0.0
) -> FloatArray:
    """Return the effect size of every word's cosines; raise ValueError if one is undefined."""
    effects = effect_sizes(to_a, to_b, ddof, error=error)
    if np.isnan(effects).any():
        raise ValueError(
            f"the effect size is undefined for words {np.flatnonzero(np.isnan(effects)).tolist()}, "
            "because their cosines do not vary; use weam"
        )
    return effects


def semaxis(
    vectors: WordVectors | None, words: Words, A: Words, B: Words, *, unit: bool = False
) -> ScoreResult:
    """Compute every word's cosine with mean(A) - mean(B), the axis from pole B to pole A.

    Parameters
    ----------
    words, A, B : lists of words
    unit : bool
        Scale pole words to unit length before averaging them.

    Returns
    -------
    ScoreResult
        Every word's ``position`` is in [-1, 1] and positive toward A; ``score`` is the mean.

    References
    ----------
    An, Kwak, Ahn (2018), SemAxis.
    """
    sets = read_sets(vectors, {"words": words, "A": A, "B": B})
    poles = (unit_rows(sets.rows[name]) if unit else sets.rows[name] for name in "AB")
    position = unit_rows(sets.rows["words"]) @ semantic_axis(*poles)
    return score_result(position.mean(), sets, ["words"], {"position": position})


def semantic_axis(A: FloatArray, B: FloatArray) -> FloatArray:
    """Return the unit vector from the mean of pole B toward the mean of pole A."""
    axis = A.mean(axis=0) - B.mean(axis=0)
    length = np.linalg.norm(axis)
    if length <= DEPENDENT * np.linalg.norm(np.vstack([A, B]), axis=1).max():
        raise ValueError("the poles A and B have the same mean vector, so there is no axis")
    return np.asarray(axis / length)
