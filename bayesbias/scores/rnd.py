"""RND, the relative norm distance of attributes from two group means."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, get_args

import numpy as np
from numpy.typing import ArrayLike

from .._core.arrays import FloatArray, cosine_similarity, unit_rows
from .._core.checks import unknown_name
from ..embeddings.word_sets import WordVectors, as_rows
from .registry import ListScore, Properties
from .result import ScoreResult, Words, joined, of_words

Distance = Literal["norm", "cosine"]


@dataclass(frozen=True, eq=False, kw_only=True, repr=False)
class RndResult(ScoreResult):
    """Relative norm distance; see `rnd`."""

    per_attribute: FloatArray
    normalised: bool
    average: bool
    distance: Distance


def rnd_of(
    X: ArrayLike,
    Y: ArrayLike,
    attributes: ArrayLike,
    *,
    unit: bool = False,
    average: bool = True,
    distance: Distance = "norm",
) -> RndResult:
    """RND on arrays, (n_x, n_dims), (n_y, n_dims), (n_attributes, n_dims); see `rnd`."""
    if distance not in get_args(Distance):
        raise ValueError(unknown_name("distance", distance, get_args(Distance)))
    x, y, a = as_rows("X", X), as_rows("Y", Y), as_rows("attributes", attributes)
    if unit:
        x, y, a = unit_rows(x), unit_rows(y), unit_rows(a)
    to_x, to_y = (_distances(each.mean(axis=0), a, distance) for each in (x, y))
    per_attribute = to_x - to_y
    return RndResult(
        score=float(per_attribute.mean() if average else per_attribute.sum()),
        per_attribute=per_attribute,
        normalised=unit,
        average=average,
        distance=distance,
    )


def _distances(mean: FloatArray, rows: FloatArray, distance: Distance) -> FloatArray:
    if distance == "norm":
        return np.asarray(np.linalg.norm(mean - rows, axis=1))
    return np.asarray(1 - cosine_similarity(rows, mean[None, :])[:, 0])


def rnd(
    vectors: WordVectors,
    X: Words,
    Y: Words,
    A: Words,
    B: Words = (),
    *,
    unit: bool = False,
    average: bool = True,
    distance: Distance = "norm",
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
    average : bool
        The mean over attributes, as in WEFE. Garg et al. print the sum, as sweater gives it, which
        grows with the list: pass ``False`` for it.
    distance : {"norm", "cosine"}
        ``cosine`` takes cosine distances from the means, 1 - cos(μ, a), in place of lengths.

    Returns
    -------
    RndResult
        ``score`` and ``per_attribute``; negative where attributes are nearer to X. The mean is
        within ±‖μ_X - μ_Y‖ (``cosine``: ±2); 0 where attributes are as far from X as from Y.

    References
    ----------
    Garg, Schiebinger, Jurafsky, Zou (2018), PNAS 115, equation 3.
    """
    sets = {"X": X, "Y": Y, "attributes": joined(A, B)}
    choices = {"unit": unit, "average": average, "distance": distance}
    return of_words(rnd_of, vectors, sets, parts=["attributes"], apart=["X", "Y"], **choices)


SCORE = ListScore(
    value=lambda rows: rnd_of(rows.protected[0], rows.protected[1], rows.stereotypes[0]).score,
    scope="ordered",
    choices="mean over attributes, vectors as they are",
    note="stereotypes of the first group; negative: nearer to the first",
    direction="lower",
    properties=Properties(
        comparable=(
            False,
            "its extremes over the words held against X and Y are ±‖μ_X - μ_Y‖, which depends on "
            "the groups",
        ),
        trustworthy=(
            False,
            "it is a mean, so that opposite words cancel; of vectors of unit length, a word with "
            "equal mean cosines counts as nearer to the group whose mean is shorter",
        ),
        range=("-‖μ_X - μ_Y‖", "‖μ_X - μ_Y‖"),
    ),
)
