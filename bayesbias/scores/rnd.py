"""RND, the relative norm distance of attributes from two group means."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from .._core.arrays import FloatArray, unit_rows
from ..embeddings.word_sets import WordVectors, as_rows
from .registry import ListScore
from .result import ScoreResult, Words, joined, of_words


@dataclass(frozen=True, eq=False, kw_only=True, repr=False)
class RndResult(ScoreResult):
    """Relative norm distance; see `rnd`."""

    per_attribute: FloatArray
    normalised: bool


def rnd_of(X: ArrayLike, Y: ArrayLike, attributes: ArrayLike, *, unit: bool = False) -> RndResult:
    """RND on arrays, (n_x, n_dims), (n_y, n_dims), (n_attributes, n_dims); see `rnd`."""
    x, y, a = as_rows("X", X), as_rows("Y", Y), as_rows("attributes", attributes)
    if unit:
        x, y, a = unit_rows(x), unit_rows(y), unit_rows(a)
    to_x = np.linalg.norm(x.mean(axis=0) - a, axis=1)
    to_y = np.linalg.norm(y.mean(axis=0) - a, axis=1)
    return RndResult(score=float((to_x - to_y).mean()), per_attribute=to_x - to_y, normalised=unit)


def rnd(
    vectors: WordVectors, X: Words, Y: Words, A: Words, B: Words = (), *, unit: bool = False
) -> RndResult:
    """Relative norm distance: mean over attributes a of ‖μ_X - a‖ - ‖μ_Y - a‖.

    Parameters
    ----------
    vectors : KeyedVectors or mapping of str to array
    X, Y : lists of words; μ_X and μ_Y are their mean vectors
    A : list of attribute words
    B : list of attribute words, optional
        Joined to A. Where A goes with X and B with Y the two cancel; take them one at a time.
    unit : bool
        Bring all vectors to unit length first, as Garg et al. do.

    Returns
    -------
    RndResult
        ``score`` and ``per_attribute``; negative where attributes are nearer to X. Within
        ±‖μ_X - μ_Y‖; 0 where attributes are as far from X as from Y.

    References
    ----------
    Garg, Schiebinger, Jurafsky, Zou (2018), PNAS 115.
    """
    sets = {"X": X, "Y": Y, "attributes": joined(A, B)}
    return of_words(rnd_of, vectors, sets, parts=["attributes"], apart=["X", "Y"], unit=unit)


SCORE = ListScore(
    value=lambda rows: rnd_of(rows.protected[0], rows.protected[1], rows.stereotypes[0]).score,
    scope="ordered",
    choices="vectors as they are",
    note="stereotypes of the first group; negative: nearer to the first",
    direction="lower",
)
