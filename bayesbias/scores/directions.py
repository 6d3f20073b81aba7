"""Scores along directions: SAME of groups, RIPA and Direct Bias of pairs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Literal, get_args

import numpy as np

from .._core.arrays import FloatArray, unit_rows
from .._core.checks import check_choice
from ..embeddings.word_sets import WordVectors
from .result import ScoreResult, Tuples, Words, read_sets, read_tuples, score_result
from .subspace import (
    bias_subspace,
    differences_of_means,
    group_means,
    lengths_along,
    principal_components,
)

Relation = Literal["component", "mean"]


def same(
    vectors: WordVectors | None, targets: Words, groups: Mapping[str, Words] | Sequence[Words]
) -> ScoreResult:
    """SAME: how far targets point along the directions in which protected groups differ.

    With â_i the mean unit vector of group i and B an orthonormal basis of â_i - â_0, the bias
    of a target is ‖B t/‖t‖‖, for two groups |cos(t, â_0 - â_1)|; SAME is the mean over targets.

    Parameters
    ----------
    targets : list of words
    groups : lists of words by group, as a mapping or a sequence; two or more

    Returns
    -------
    ScoreResult
        ``score`` and ``per_target`` in [0, 1], 0 if a target is equally close to all groups and 1
        if it is in the bias subspace, for any order of the groups. ``rank``, the dimensions of the
        subspace. For two groups only: ``signed``, cos(t, â_0 - â_1), positive toward the first;
        ``skew``, its mean; ``stereotype``, its population sd.

    References
    ----------
    Schröder, Schulz, Hammer (2024), The SAME score, equations 11-16.
    """
    named = dict(groups if isinstance(groups, Mapping) else enumerate(groups))
    if len(named) < 2:
        raise ValueError(f"SAME compares protected groups and needs two or more; got {len(named)}")
    keys = {f"group {name}": words for name, words in named.items()}
    sets = read_sets(vectors, {"targets": targets} | keys)
    units = unit_rows(sets.rows["targets"])
    means = group_means([sets.rows[key] for key in keys])
    basis = bias_subspace(means)
    parts = {"per_target": lengths_along(units, basis)}
    details: dict[str, float] = {"rank": len(basis)}
    if len(named) == 2:
        parts["signed"] = signed = signed_cosines(units, means)
        details |= {"skew": float(signed.mean()), "stereotype": float(signed.std())}
    return score_result(parts["per_target"].mean(), sets, ["targets"], parts, **details)


def signed_cosines(units: FloatArray, means: FloatArray) -> FloatArray:
    """Compute cos(t, â_0 - â_1) of unit vectors with the difference of two groups' means."""
    return np.asarray(units @ unit_rows(-differences_of_means(means))[0])


def ripa(
    vectors: WordVectors | None, targets: Words, pairs: Tuples, *, relation: Relation = "component"
) -> ScoreResult:
    """Relational inner product association of targets with a relation, w·b.

    The relation vector b of one pair is (x - y)/‖x - y‖, and of several the first principal
    component of their differences x - y, of unit length.

    Parameters
    ----------
    targets : list of words
        Vectors are taken as they are; their lengths matter.
    pairs : list of (x, y) word pairs; one with a missing word is left out
    relation : {"component", "mean"}
        ``mean`` averages the products with the single pairs, as WEFE does.

    Returns
    -------
    ScoreResult
        ``per_target``, positive toward the x, and ``score``, their mean; 0 means that w has equal
        inner products with the x and the y. With ``component`` it is in [-‖w‖, ‖w‖]. ``product_I``
        is w·(x - y)/‖x - y‖ of pair I; ``sd`` is their population sd over pairs.

    Examples
    --------
    >>> vectors = {"he": [1.0, 0.0], "she": [0.0, 1.0], "boss": [4.0, 1.0]}
    >>> round(ripa(vectors, ["boss"], [("he", "she")]).score, 4)
    2.1213

    References
    ----------
    Ethayarajh, Duvenaud, Hirst (2019), Understanding undesirable word embedding associations,
    section 5.
    """
    check_choice("relation", relation, get_args(Relation))
    sets, members, kept = read_tuples(vectors, targets, "pairs", pairs)
    if wrong := [pair for pair in kept if len(pair) != 2]:
        raise ValueError(f"pairs must be pairs of words; got {wrong[0]!r}")
    rows, along = sets.rows["targets"], relation_vector(np.stack(members))
    products = rows @ unit_rows([first - second for first, second in members]).T
    per_target = products.mean(axis=1) if relation == "mean" else rows @ along
    parts = {"per_target": per_target, "sd": products.std(axis=1)}
    parts |= {f"product_{number}": product for number, product in enumerate(products.T)}
    return score_result(per_target.mean(), sets, ["targets"], parts, pairs=kept)


def relation_vector(pairs: FloatArray) -> FloatArray:
    """First principal component of the pairs' differences, of unit length, (n_dims,).

    The differences are not centered, as a single one would vanish. It points from the second words
    to the first in the sum over pairs.
    """
    differences = pairs[:, 0] - pairs[:, 1]
    if equal := np.flatnonzero(~differences.any(axis=1)).tolist():
        raise ValueError(f"pair(s) {equal} hold two equal vectors, which give no direction")
    direction = np.linalg.svd(differences, full_matrices=False)[2][0]
    return np.asarray(direction if differences.sum(axis=0) @ direction >= 0 else -direction)


def direct_bias(
    vectors: WordVectors | None,
    targets: Words,
    defining_sets: Tuples,
    *,
    k: int | None = None,
    c: float = 1.0,
    unit: bool = True,
) -> ScoreResult:
    """Direct Bias: mean over targets of |cos(t, g)|^c, or (sqrt Σ_k cos(t, g_k)²)^c.

    The directions g are the first k principal components of the defining words, centered within
    their sets; of one pair, its difference.

    Parameters
    ----------
    targets : list of words
    defining_sets : list of pairs (or longer tuples) of words, such as [("she", "he")]
        A set with a missing word is left out whole.
    k : int, optional
        Number of components; the size of the sets less one if not given, 1 for pairs.
    c : float
        Strictness, 0 or more; 1 in the literature.
    unit : bool
        Bring defining words to unit length first, as Bolukbasi et al. do.

    Returns
    -------
    ScoreResult
        ``score`` and ``per_target`` in [0, 1], 0 for targets orthogonal to the components;
        ``component_I``, the signed cosines, positive toward the first words of the sets;
        ``explained``, the share of variance along each, and ``k``, their number.

    References
    ----------
    Bolukbasi et al. (2016), section 5.2; Manzini et al. (2019) for more than two groups.
    """
    if not 0 <= c < np.inf:
        raise ValueError(
            f"c must not be negative, infinite or NaN, got {c}; 1 is usual, 0 only counts targets"
        )
    sets, members, kept = read_tuples(vectors, targets, "defining sets", defining_sets)
    rows = [unit_rows(rows) for rows in members] if unit else members
    directions, explained = principal_components(rows, k)
    units = unit_rows(sets.rows["targets"])
    parts = {"per_target": lengths_along(units, directions) ** c}
    cosines = enumerate(directions @ units.T)
    parts |= {f"component_{number}": component for number, component in cosines}
    details = {"explained": explained, "k": len(directions), "defining_sets": kept}
    return score_result(parts["per_target"].mean(), sets, ["targets"], parts, **details)
