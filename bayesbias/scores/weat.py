"""WEAT, the word embedding association test: statistic, effect size and exact p-value."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, get_args

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike

from .._core.arrays import FloatArray
from ..embeddings.word_sets import WordVectors
from ..tables.wordlists import WordList
from .list_rows import ListRows, list_rows, selections
from .permutation import Alternative, PermutationTest, permutation_test
from .registry import ListScore, Properties, Weights
from .resampling import ratio
from .result import Result, Words, of_words
from .weam import psi_of, resampled_mean_psi, resampled_psi

Ddof = Literal[0, 1, "pooled"]

EQUAL = 1e-12
"""Associations whose standard deviation is below this count as all equal. They are means of
cosines, at most 1, which float64 holds to 1e-16; rounding of a mean stays well below."""


@dataclass(frozen=True, eq=False, kw_only=True, repr=False)
class WeatResult(Result):
    """WEAT of two word sets and two attribute sets; see `weat`."""

    effect_size: float
    statistic: float
    p_value: float
    p_bounds: tuple[float, float]
    alternative: Alternative
    ddof: Ddof
    n_x: int
    n_y: int
    association: FloatArray

    @property
    def score(self) -> float:
        """The effect size d, under the name that every single-number score has."""
        return self.effect_size

    @property
    def separability(self) -> float:
        """Share of pairs of words of X and of Y of which the first has the larger association.

        In [0, 1], 1/2 if neither set lies higher: the area under the ROC curve of a classifier by
        association (Schröder et al., 2024, Semantic properties of cosine based bias scores). The
        effect size near 2 says that sets are apart; this says whether they overlap.
        """
        return _separability(self.association[: self.n_x], self.association[self.n_x :])


def effect_sizes(s_x: ArrayLike, s_y: ArrayLike, ddof: Ddof = 1) -> FloatArray:
    """Effect sizes d = (mean_X s - mean_Y s)/sd s of one or of many data sets.

    Parameters
    ----------
    s_x, s_y : (..., n_x), (..., n_y) array_like
        Associations of the words of X and Y.
    ddof : {1, 0, "pooled"}
        The sd is that of X∪Y with divisor N - 1 or N, or the pooled sd within X and Y (Cohen's d,
        divisor n_x + n_y - 2). 1 is what Caliskan et al. themselves computed.

    Returns
    -------
    (...) array
        For n_x = n_y, |d| ≤ 2 for ddof 0 and ≤ 2·sqrt((N - 1)/N) for ddof 1; unbounded for
        "pooled". NaN where all associations are equal (`weat_of` raises there).
    """
    if ddof not in (0, 1, "pooled"):
        raise ValueError(f"ddof must be one of {get_args(Ddof)}, got {ddof!r}")
    x, y = np.asarray(s_x, dtype=np.float64), np.asarray(s_y, dtype=np.float64)
    n_x, n_y = x.shape[-1], y.shape[-1]
    if not n_x or not n_y:
        raise ValueError(f"X and Y need at least one association each; got {n_x} and {n_y}")
    if ddof == "pooled":
        if n_x + n_y < 3:
            raise ValueError("ddof='pooled' needs at least three words in X and Y together")
        squares = x.var(axis=-1) * n_x + y.var(axis=-1) * n_y
        sd = np.sqrt(squares / (n_x + n_y - 2))
    else:
        sd = np.concatenate([x, y], axis=-1).std(axis=-1, ddof=ddof)
    return ratio(x.mean(axis=-1) - y.mean(axis=-1), sd, EQUAL)


def weat_of(
    X: ArrayLike,
    Y: ArrayLike,
    A: ArrayLike,
    B: ArrayLike,
    *,
    ddof: Ddof = 1,
    alternative: Alternative = "two-sided",
) -> WeatResult:
    """WEAT on arrays of vectors, (n, n_dims) each; see `weat` for the rest."""
    return weat_of_associations(
        psi_of(X, A, B), psi_of(Y, A, B), ddof=ddof, alternative=alternative
    )


def weat_of_associations(
    s_x: ArrayLike, s_y: ArrayLike, *, ddof: Ddof = 1, alternative: Alternative = "two-sided"
) -> WeatResult:
    """WEAT from the associations s(w, A, B) of the words of X, (n_x,), and of Y, (n_y,)."""
    x, y = (_one_data_set(name, each) for name, each in (("X", s_x), ("Y", s_y)))
    effect = float(effect_sizes(x, y, ddof))
    if np.isnan(effect):
        raise ValueError(
            "the effect size is undefined: all words have the same association "
            f"{x[0]:.6g} (sd below {EQUAL:g}); the statistic is 0 and every split ties"
            if ddof != "pooled"
            else "the effect size is undefined: no association varies within X or Y; try ddof=1"
        )
    test = permutation_test(x, y, alternative=alternative)
    return WeatResult(
        effect_size=effect,
        statistic=float(test.statistic),
        p_value=float(test.p_value),
        p_bounds=(float(test.low), float(test.high)),
        alternative=alternative,
        ddof=ddof,
        n_x=len(x),
        n_y=len(y),
        association=np.concatenate([x, y]),
    )


def _separability(x: FloatArray, y: FloatArray) -> float:
    first, second = x[:, None], y
    return float(((first > second) + (first == second) / 2).mean())


def _one_data_set(name: str, associations: ArrayLike) -> FloatArray:
    values = np.asarray(associations, dtype=np.float64)
    if values.ndim != 1 or not np.isfinite(values).all():
        raise ValueError(
            f"the associations of {name} must be one finite number a word; got shape "
            f"{values.shape}{'' if values.ndim != 1 else ' with NaN or infinite values'}"
        )
    return values


def weat(
    vectors: WordVectors,
    X: Words,
    Y: Words,
    A: Words,
    B: Words,
    *,
    ddof: Ddof = 1,
    alternative: Alternative = "two-sided",
) -> WeatResult:
    """Word embedding association test: is X nearer than Y to A, and Y to B.

    With s(w) = mean_A cos(w, a) - mean_B cos(w, b), the statistic is S = Σ_X s - Σ_Y s and the
    effect size d = (mean_X s - mean_Y s)/sd s. The p-value is that of the permutation test over
    all splits of X∪Y into |X| and |Y| words, exact or exactly bounded.

    Parameters
    ----------
    vectors : KeyedVectors or mapping of str to array
    X, Y : lists of words, compared with each other
    A, B : lists of attribute words
    ddof : {1, 0, "pooled"}
        Which sd, see `effect_sizes`.
    alternative : {"two-sided", "greater", "less"}
        Caliskan et al. print p-values of "greater"; see `permutation_test`.

    Returns
    -------
    WeatResult
        ``statistic``, ``effect_size`` (also ``score``), ``p_value``, ``p_bounds``,
        ``association`` (s of the words of X, then of Y) and ``missing`` words, which are left
        out. Positive values: X goes with A and Y with B.

    Raises
    ------
    ValueError
        If a set is empty or all missing, X and Y share a word, or all associations are equal.

    Notes
    -----
    X and Y may differ in size. A word in both A and B counts in both means.

    References
    ----------
    Caliskan, Bryson, Narayanan (2017), Science 356, 183-186.
    """
    sets = {"X": X, "Y": Y, "A": A, "B": B}
    choices = {"ddof": ddof, "alternative": alternative}
    return of_words(weat_of, vectors, sets, parts=["X", "Y"], apart=["X", "Y"], **choices)


def associations(vectors: WordVectors, wordlist: WordList) -> pd.DataFrame:
    """Associations s(w, A, B) of single protected words, for every pair of groups of a list.

    Parameters
    ----------
    vectors : KeyedVectors or mapping of str to array
    wordlist : WordList
        With stereotypes for every group.

    Returns
    -------
    DataFrame
        One row a pair of groups and word of either: ``first`` and ``second``, whose stereotypes
        are A and B; ``group``, ``word``, ``association``, positive towards the first group's; and
        of the pair ``effect_size`` (ddof 1) and ``separability``. bayesbias.plots.associations
        draws it.

    Raises
    ------
    ValueError
        If a group has no stereotypes, or all words of a pair have the same association.

    References
    ----------
    Schröder et al. (2024), Semantic properties of cosine based bias scores.

    Examples
    --------
    >>> import bayesbias as bb
    >>> weat7 = bb.load_wordlist("weat7")
    >>> frame = bb.scores.associations(bb.load_vectors("glove-demo", words=weat7), weat7)
    >>> frame.groupby("group")["association"].mean().round(3).to_dict()
    {'arts': -0.002, 'math': 0.043}
    """
    rows, _ = list_rows(vectors, wordlist)
    pairs = [rows.of_groups(at) for at in selections(rows, "pair")]
    return pd.concat(map(_of_pair, pairs), ignore_index=True)


def _of_pair(rows: ListRows) -> pd.DataFrame:
    """Associations of the words of two groups, and what WEAT says of them."""
    values, sizes = _associations(rows), list(map(len, rows.protected_words))
    return pd.DataFrame(
        {
            "first": rows.groups[0],
            "second": rows.groups[1],
            "group": np.repeat(rows.groups, sizes),
            "word": [word for words in rows.protected_words for word in words],
            "association": np.concatenate(values),
            "effect_size": _effect_size(rows),
            "separability": _separability(*values),
        }
    )


def resampled_effect_sizes(
    values: Sequence[FloatArray], shares: Sequence[FloatArray]
) -> FloatArray:
    """Difference of two weighted means over the sd of both together, ddof 1, (n_resamples,).

    ``values`` are (n, n_resamples) or (n, 1), ``shares`` (n, n_resamples). Deviations are squared,
    not values: a difference of squares would lose half the digits, and equal values would differ.
    """
    (x, y), (w_x, w_y) = values, shares
    n_x, n_y = len(x), len(y)
    mean_x, mean_y = (w_x * x).sum(axis=0), (w_y * y).sum(axis=0)
    mean = (n_x * mean_x + n_y * mean_y) / (n_x + n_y)
    squares = n_x * (w_x * (x - mean) ** 2).sum(axis=0) + n_y * (w_y * (y - mean) ** 2).sum(axis=0)
    return ratio(mean_x - mean_y, np.sqrt(squares / (n_x + n_y - 1)), EQUAL)


def _associations(rows: ListRows) -> tuple[FloatArray, FloatArray]:
    x, y = (psi_of(each, *rows.stereotypes) for each in rows.protected)
    return x, y


def _effect_size(rows: ListRows) -> float:
    value = float(effect_sizes(*_associations(rows)))
    if np.isnan(value):
        raise ValueError("undefined: all words have the same association")
    return value


def _statistic(rows: ListRows) -> float:
    x, y = _associations(rows)
    return float(x.sum() - y.sum())


def _resampled_effect_size(rows: ListRows, weights: Weights) -> FloatArray:
    values = [resampled_psi(rows, weights, group) for group in (0, 1)]
    return resampled_effect_sizes(values, [each.T for each in weights.protected])


def _resampled_statistic(rows: ListRows, weights: Weights) -> FloatArray:
    first, second = (
        resampled_mean_psi(rows, weights, group) * len(rows.protected[group]) for group in (0, 1)
    )
    return first - second


def _test(rows: ListRows, alternative: Alternative) -> PermutationTest:
    return permutation_test(*_associations(rows), alternative=alternative)


EFFECT_SIZE = ListScore(
    value=_effect_size,
    scope="pair",
    choices="effect size, ddof=1",
    resampled=_resampled_effect_size,
    test=_test,
    width=4.0,
    properties=Properties(
        comparable=(
            True,
            "for |X| = |Y| the extremes ±2 are reached for any attributes with â ≠ b̂",
        ),
        trustworthy=(False, "it is 0 when X and Y have the same associations, however strong"),
        range=("-2 (ddof 0)", "2 (ddof 0)"),
        source="Schröder et al. (2024), Semantic properties, theorems 3, 4, lemma 1",
    ),
)

STATISTIC = ListScore(
    value=_statistic,
    scope="pair",
    choices="sum",
    resampled=_resampled_statistic,
    test=_test,  # S and d order the splits alike
    properties=Properties(
        comparable=(
            False,
            "it is a sum of word associations, whose extremes depend on the attributes",
        ),
        trustworthy=(False, "it is 0 when X and Y have the same associations"),
        range=("-(|X| + |Y|)·‖â - b̂‖", "(|X| + |Y|)·‖â - b̂‖"),
    ),
)
