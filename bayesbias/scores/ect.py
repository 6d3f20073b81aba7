"""ECT, the embedding coherence test."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from .._core.arrays import FloatArray, cosine_similarity, unit_rows
from ..embeddings.word_sets import WordVectors, as_rows
from .registry import ListScore, Properties
from .result import ScoreResult, Words, joined, of_words

TIE_DIGITS = 12
"""Cosines equal to this many digits tie; float64 holds them to 1e-16."""


@dataclass(frozen=True, eq=False, kw_only=True, repr=False)
class EctResult(ScoreResult):
    """Embedding coherence; see `ect`."""

    to_x: FloatArray
    to_y: FloatArray
    normalised: bool


def ect_of(X: ArrayLike, Y: ArrayLike, attributes: ArrayLike, *, unit: bool = False) -> EctResult:
    """ECT on arrays, (n_x, n_dims), (n_y, n_dims), (n_attributes, n_dims); see `ect`."""
    x, y, a = as_rows("X", X), as_rows("Y", Y), as_rows("attributes", attributes)
    if unit:
        x, y = unit_rows(x), unit_rows(y)
    means = np.stack([x.mean(axis=0), y.mean(axis=0)])
    to_x, to_y = cosine_similarity(means, a)
    return EctResult(score=_spearman(to_x, to_y), to_x=to_x, to_y=to_y, normalised=unit)


def ect(
    vectors: WordVectors, X: Words, Y: Words, A: Words, B: Words = (), *, unit: bool = False
) -> EctResult:
    """Embedding coherence test: whether both groups' means rank the attributes alike.

    Spearman's correlation, over the attributes a, of cos(μ_X, a) and cos(μ_Y, a).

    Parameters
    ----------
    vectors : KeyedVectors or mapping of str to array
    X, Y : lists of words; μ_X and μ_Y are their mean vectors
    A, B : lists of attribute words, joined; B may be left out
    unit : bool
        Bring the words of X and Y to unit length before they are averaged.

    Returns
    -------
    EctResult
        ``score`` in [-1, 1]; 1 where both groups rank the attributes alike, so that higher is
        less biased; ``to_x`` and ``to_y``, the cosines.

    Raises
    ------
    ValueError
        If there are fewer than two attributes, or a group is equally near to all of them.

    References
    ----------
    Dev and Phillips (2019), Attenuating bias in word vectors.
    """
    sets = {"X": X, "Y": Y, "attributes": joined(A, B)}
    return of_words(ect_of, vectors, sets, parts=["attributes"], apart=["X", "Y"], unit=unit)


def _spearman(first: FloatArray, second: FloatArray) -> float:
    """Correlation of ranks, ties at their mean rank."""
    if len(first) < 2:
        raise ValueError("ECT ranks attributes and needs at least two; one is left")
    ranks = [_ranks(each) for each in (first, second)]
    if any(np.ptp(each) == 0 for each in ranks):
        raise ValueError("ECT is undefined: a group's mean is equally near to every attribute")
    return float(np.corrcoef(ranks[0], ranks[1])[0, 1])


def _ranks(values: FloatArray) -> FloatArray:
    _, place, counts = np.unique(values.round(TIE_DIGITS), return_inverse=True, return_counts=True)
    return np.asarray((np.cumsum(counts) - (counts - 1) / 2.0)[place])


SCORE = ListScore(
    value=lambda rows: ect_of(rows.protected[0], rows.protected[1], rows.targets).score,
    scope="pair",
    choices="vectors as they are",
    note="higher is less biased",
    no_bias=1.0,
    direction="lower",
    reading="more difference between groups",
    width=2.0,
    properties=Properties(
        comparable=(
            True,
            "-1 and 1 are reached for any two groups whose means point in different directions, "
            "and not in opposite ones",
        ),
        trustworthy=(False, "it is 1 when both rank the words alike, however near one is to them"),
        range=("-1", "1"),
    ),
)
