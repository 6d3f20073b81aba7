"""Bias subspaces: the directions along which protected groups differ.

Scores measure along these directions, and debiasing methods remove them.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike

from .._core.arrays import FloatArray, unit_rows
from .._core.checks import Argument, ArgumentError, is_whole
from ..embeddings.word_sets import as_sets

DEPENDENT = 1e-6
"""A basis leaves out directions whose singular value is below this share of the largest one.
Embeddings are stored in float32, which rounds a coordinate by up to 6e-8 of its size, so rounding
errors would determine such a direction."""


def group_means(groups: Sequence[ArrayLike]) -> FloatArray:
    """Compute the (n_groups, n_dims) means â_i of groups' unit vectors, with lengths in [0, 1]."""
    rows = as_sets({f"group {at}": group for at, group in enumerate(groups)})
    return np.stack([unit_rows(group).mean(axis=0) for group in rows.values()])


def differences_of_means(means: FloatArray) -> FloatArray:
    """Compute the (n_groups - 1, n_dims) differences â_i - â_0 of mean unit vectors."""
    if len(means) < 2:
        raise ValueError(f"a bias subspace needs at least two groups; got {len(means)}")
    differences = means[1:] - means[0]
    if np.linalg.norm(differences, axis=1).max() <= DEPENDENT:
        raise ValueError("the groups have the same mean vector, so no direction separates them")
    return np.asarray(differences)


def span(rows: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return orthonormal rows with the same span as the given rows, and the singular values."""
    _, lengths, directions = np.linalg.svd(rows, full_matrices=False)
    rank = int((lengths > DEPENDENT * lengths.max()).sum())
    return directions[:rank], lengths[:rank]


def bias_subspace(means: FloatArray) -> FloatArray:
    """Return a (rank, n_dims) orthonormal basis of the differences â_i - â_0 of group means.

    The rank is n_groups - 1, or less if the differences are linearly dependent. Source: Schröder,
    Schulz, Hammer (2024), The SAME score, equations 13-15.
    """
    return span(differences_of_means(means))[0]


def principal_components(
    defining_sets: Sequence[ArrayLike], k: int | None = None
) -> tuple[FloatArray, FloatArray]:
    """Compute the first k principal components of words centered on the mean of their defining set.

    Return (k, n_dims) orthonormal rows and the (k,) shares of variance along them, largest first.
    Each row points toward the sets' first members rather than their last. The default k is one less
    than the size of the largest set. Sources: Bolukbasi et al. (2016), section 5.1; Manzini et al.
    (2019) for sets of more than two words.
    """
    named = {f"defining set {at}": members for at, members in enumerate(defining_sets)}
    rows = [*as_sets(named).values()]
    if not rows:
        raise ValueError("principal components need at least one defining set")
    wanted = max(map(len, rows)) - 1 if k is None else k
    centered = np.vstack([members - members.mean(axis=0) for members in rows])
    directions, lengths = span(centered)
    if not (rank := len(lengths)):
        raise ValueError("in every defining set, all vectors are equal; add other words")
    if not is_whole(wanted) or not 1 <= wanted <= rank:
        raise ArgumentError(
            Argument("k"),
            f" must be from 1 to {rank}, a whole number up to the number of independent directions "
            f"of the defining sets; got {wanted}",
        )
    toward_first = sum(directions[:wanted] @ (members[0] - members[-1]) for members in rows)
    signs = np.where(np.asarray(toward_first) < 0, -1.0, 1.0)[:, None]
    return signs * directions[:wanted], lengths[:wanted] ** 2 / (lengths**2).sum()


def lengths_along(units: FloatArray, directions: FloatArray) -> FloatArray:
    """Compute the lengths (in [0, 1]) of projections of unit vectors onto orthonormal rows."""
    return np.minimum(np.linalg.norm(units @ directions.T, axis=1), 1.0)
