"""WEAT, the word embedding association test: statistic, effect size and exact p-value."""

from __future__ import annotations

from typing import Literal, get_args

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike

from .._core.arrays import FloatArray
from ..embeddings.word_sets import WordVectors
from ..tables.wordlists import WordList
from .association import psi
from .list_rows import ListRows, list_rows, selections
from .permutation import Alternative, PermutationTest, permutation_test
from .registry import ListScore
from .result import ScoreResult, Words, read_sets, score_result

Ddof = Literal[0, 1, "pooled"]

EQUAL = 1e-12
"""Associations whose standard deviation is below this count as all equal. They are means of
cosines, at most 1, which float64 holds to 1e-16; rounding of a mean stays well below."""


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
        "pooled". NaN where all associations are equal (`weat` raises there).

    Examples
    --------
    >>> effect_sizes([0.3, 0.1], [-0.1, -0.3], 0).round(2).tolist()
    1.79
    """
    if ddof not in get_args(Ddof):
        raise ValueError(f"ddof must be one of {get_args(Ddof)}, got {ddof!r}")
    x, y = np.asarray(s_x, dtype=np.float64), np.asarray(s_y, dtype=np.float64)
    n_x, n_y = x.shape[-1], y.shape[-1]
    if not n_x or not n_y:
        raise ValueError(f"X and Y need at least one association each; got {n_x} and {n_y}")
    if ddof == "pooled":
        if n_x + n_y < 3:
            raise ValueError("ddof='pooled' needs at least three words in X and Y together")
        sd = np.sqrt((x.var(axis=-1) * n_x + y.var(axis=-1) * n_y) / (n_x + n_y - 2))
    else:
        sd = np.concatenate([x, y], axis=-1).std(axis=-1, ddof=ddof)
    difference = x.mean(axis=-1) - y.mean(axis=-1)
    return np.where(sd > EQUAL, difference / np.where(sd > EQUAL, sd, 1.0), np.nan)


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
    """Word embedding association test: is X nearer than Y to A, and Y to B.

    With s(w) = mean_A cos(w, a) - mean_B cos(w, b), the statistic is S = Σ_X s - Σ_Y s and the
    effect size d = (mean_X s - mean_Y s)/sd s. The p-value is that of the permutation test over
    all splits of X∪Y into |X| and |Y| words, exact or exactly bounded.

    Parameters
    ----------
    vectors : KeyedVectors, mapping of str to array, or None
    X, Y : lists of words, compared with each other
    A, B : lists of attribute words
        A word in both counts in both means.
    ddof : {1, 0, "pooled"}
        Which sd, see `effect_sizes`.
    alternative : {"two-sided", "greater", "less"}
        Caliskan et al. print p-values of "greater"; see `permutation_test`.

    Returns
    -------
    ScoreResult
        ``score`` is d, also ``effect_size``; ``statistic``, ``p_value``, ``p_bounds``;
        ``separability``, the share of pairs of words of X and of Y of which the first has the
        larger association, 1/2 if neither set lies higher (the area under the ROC curve);
        ``association``, s of every word. Positive values: X goes with A and Y with B.

    Raises
    ------
    ValueError
        If a set is empty or all missing, X and Y share a word, or all associations are equal.

    References
    ----------
    Caliskan, Bryson, Narayanan (2017), Science 356, 183-186.

    Examples
    --------
    >>> import bayesbias as bb
    >>> weat7 = bb.load_wordlist("weat7")
    >>> vectors = bb.load_vectors("glove-demo", weat7)
    >>> found = weat(vectors, *weat7.groups.values(), *weat7.stereotypes.values())
    >>> round(found.effect_size, 3), round(found.p_value, 4)
    (1.281, 0.0045)
    """
    sets = read_sets(vectors, {"X": X, "Y": Y, "A": A, "B": B}, disjoint=["X", "Y"])
    x, y = (psi(sets.rows[name], sets.rows["A"], sets.rows["B"]) for name in "XY")
    effect = float(effect_sizes(x, y, ddof))
    if np.isnan(effect):
        raise ValueError(
            "the effect size is undefined: all words have the same association "
            f"{x[0]:.6g} (sd below {EQUAL:g}); the statistic is 0 and every split ties"
            if ddof != "pooled"
            else "the effect size is undefined: no association varies within X or Y; try ddof=1"
        )
    test = permutation_test(x, y, alternative=alternative)
    return score_result(
        effect,
        sets,
        ["X", "Y"],
        {"association": np.concatenate([x, y])},
        effect_size=effect,
        statistic=float(test.statistic),
        p_value=float(test.p_value),
        p_bounds=(float(test.low), float(test.high)),
        separability=_separability(x, y),
    )


def associations(vectors: WordVectors, wordlist: WordList) -> pd.DataFrame:
    """Associations of the words of a list, pair of groups by pair, and how far apart they lie.

    Parameters
    ----------
    vectors : KeyedVectors or mapping of str to array
    wordlist : WordList
        With stereotypes for every group.

    Returns
    -------
    DataFrame
        One row a protected word and pair of groups: ``first`` and ``second`` group, the word's
        ``group``, ``word``, ``association`` s(w); ``effect_size`` and ``separability`` of the pair,
        as `weat` gives them.

    References
    ----------
    Schröder et al. (2024), Semantic properties of cosine based bias scores, figures 1 and 2.

    Examples
    --------
    >>> import bayesbias as bb
    >>> weat7 = bb.load_wordlist("weat7")
    >>> frame = associations(bb.load_vectors("glove-demo", weat7), weat7)
    >>> frame.groupby("group")["association"].mean().round(3).to_dict()
    {'arts': -0.002, 'math': 0.043}
    """
    rows, _ = list_rows(vectors, wordlist)
    pairs = [_of_pair(rows.of_groups(groups)) for groups in selections(rows, "pair")]
    return pd.concat(pairs, ignore_index=True)


def _of_pair(rows: ListRows) -> pd.DataFrame:
    values = _associations(rows)
    return pd.DataFrame(
        {
            "first": rows.groups[0],
            "second": rows.groups[1],
            "group": np.repeat(rows.groups, list(map(len, rows.protected_words))),
            "word": [word for words in rows.protected_words for word in words],
            "association": np.concatenate(values),
            "effect_size": _effect_size(rows),
            "separability": _separability(*values),
        }
    )


def _separability(x: FloatArray, y: FloatArray) -> float:
    return float(((x[:, None] > y) + (x[:, None] == y) / 2).mean())


def _associations(rows: ListRows) -> tuple[FloatArray, FloatArray]:
    A, B = (units.mean(axis=0) for units in rows.stereotype_units)
    x, y = (units @ (A - B) for units in rows.protected_units)
    return x, y


def _effect_size(rows: ListRows) -> float:
    value = float(effect_sizes(*_associations(rows)))
    if np.isnan(value):
        raise ValueError("undefined: all words have the same association")
    return value


def _statistic(rows: ListRows) -> float:
    x, y = _associations(rows)
    return float(x.sum() - y.sum())


def _test(rows: ListRows, alternative: Alternative) -> PermutationTest:
    return permutation_test(*_associations(rows), alternative=alternative)


EFFECT_SIZE = ListScore(_effect_size, "pair", choices="effect size, ddof=1", test=_test, width=4.0)
STATISTIC = ListScore(_statistic, "pair", choices="sum", test=_test)  # S and d order splits alike
