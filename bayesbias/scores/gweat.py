"""gWEAT, the generalisation of WEAT to any number of groups."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import ArrayLike

from .._core.arrays import FloatArray, cosine_similarity
from ..embeddings.word_sets import WordVectors
from .list_rows import ListRows
from .registry import ListScore, Properties, Weights
from .result import ScoreResult, Words, of_words
from .subspace import group_means


@dataclass(frozen=True, eq=False, kw_only=True, repr=False)
class GweatResult(ScoreResult):
    """gWEAT of target groups and attribute sets; see `gweat`."""

    per_group: FloatArray


def gweat_of(targets: Sequence[ArrayLike], attributes: Sequence[ArrayLike]) -> GweatResult:
    """GWEAT on arrays: Σ_i (X̄_i - μ)·(Ā_i - Ā) on unit vectors.

    Parameters
    ----------
    targets : sequence of n (n_words_i, n_dims) array_like
        X̄_i is the mean unit vector of each, μ the mean of the X̄_i.
    attributes : sequence of n (n_attributes_i, n_dims) array_like
        Ā_i is the mean unit vector of each, Ā the mean of the Ā_i; set i belongs to group i.

    Returns
    -------
    GweatResult
        ``score`` = Σ ``per_group``. 0 without association; positive where groups go with their
        sets; for n = 2 it is (mean_X s - mean_Y s)/2, in [-1, 1] times ‖â - b̂‖.

    References
    ----------
    Swinger et al. (2019), What are the biases in my word embedding?; Schröder, Schulz, Hammer
    (2024), equation 3.
    """
    if len(targets) != len(attributes) or len(targets) < 2:
        raise ValueError(
            "gWEAT needs two or more target groups and as many attribute sets; "
            f"got {len(targets)} and {len(attributes)}"
        )
    x, a = group_means(targets), group_means(attributes)
    per_group = np.asarray(((x - x.mean(axis=0)) * (a - a.mean(axis=0))).sum(axis=1))
    return GweatResult(score=float(per_group.sum()), per_group=per_group)


def gweat(vectors: WordVectors, X: Words, Y: Words, A: Words, B: Words) -> GweatResult:
    """GWEAT of two groups X, Y and their attribute sets A, B; see `gweat_of`.

    Equals (mean_X s - mean_Y s)/2 with the s of `weat`. For more groups see `gweat_groups`.
    """
    return gweat_groups(vectors, [X, Y], [A, B])


def gweat_groups(
    vectors: WordVectors, targets: Sequence[Iterable[str]], attributes: Sequence[Iterable[str]]
) -> GweatResult:
    """GWEAT of any number of target groups, each with the attribute set of the same place."""
    names = [f"target group {at}" for at in range(len(targets))]
    sets_of = [f"attribute set {at}" for at in range(len(attributes))]
    made = of_words(
        lambda *rows: gweat_of(rows[: len(names)], rows[len(names) :]),
        vectors,
        dict(zip(names + sets_of, [*targets, *attributes], strict=True)),
        parts=[],
        apart=names,
    )
    return replace(made, words=tuple(names))


def _resampled(rows: ListRows, weights: Weights) -> FloatArray:
    """Trace less the mean of the mean cosines between groups and sets."""
    n = len(rows.protected)
    own, every = np.zeros(len(weights.protected[0])), np.zeros(len(weights.protected[0]))
    for group in range(n):
        for at in range(n):
            cosines = cosine_similarity(rows.protected[group], rows.stereotypes[at])
            mean = ((weights.protected[group] @ cosines) * weights.stereotypes[at]).sum(axis=1)
            every += mean
            own += mean if group == at else 0.0
    return own - every / n


SCORE = ListScore(
    value=lambda rows: gweat_of(rows.protected, rows.stereotypes).score,
    scope="all",
    resampled=_resampled,
    properties=Properties(
        comparable=(False, "its extremes depend on the attributes"),
        trustworthy=(False, "it is 0 when X and Y have the same associations"),
        range=("-‖â - b̂‖ (two groups)", "‖â - b̂‖ (two groups)"),
    ),
)
