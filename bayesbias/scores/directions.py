"""Scores along directions: SAME for groups of words, and RIPA and Direct Bias for pairs."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import combinations, repeat
from typing import Literal, get_args

import numpy as np
import pandas as pd

from .._core.arrays import FloatArray, unit_rows
from .._core.checks import check_choice, check_once
from ..embeddings.word_sets import WordVectors, look_up_tuples
from .result import ScoreResult, Tuples, Words, read_sets, read_tuples, score_result
from .subspace import (
    DEPENDENT,
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
    """Compute SAME: how far targets point along the directions in which protected groups differ.

    Let â_i be the mean unit vector of group i and B an orthonormal basis of all â_i - â_0. The bias
    of a target t is ‖B t/‖t‖‖; for two groups, it is |cos(t, â_0 - â_1)|. SAME is the mean bias.

    Parameters
    ----------
    targets : list of words
    groups : mapping or sequence of two or more lists of words, one list per group

    Returns
    -------
    ScoreResult
        ``score`` and ``per_target`` are in [0, 1]: 0 if a target is equally close to all groups,
        and 1 if it is in the bias subspace. The order of the groups does not matter. ``rank`` is
        the dimension of the subspace. For two groups, the result also has ``signed``, cos(t, â_0 -
        â_1), which is positive toward the first group. The mean of ``signed`` is ``skew``, and its
        population sd is ``stereotype``.

    References
    ----------
    Schröder, Schulz, Hammer (2024), The SAME score, equations 11-16.

    Examples
    --------
    >>> round(same(vectors, wordlist.stereotypes["jew"], wordlist.groups).score, 3)
    0.163
    """
    named = dict(groups if isinstance(groups, Mapping) else enumerate(groups))
    if len(named) < 2:
        raise ValueError(f"SAME compares protected groups and needs two or more; got {len(named)}")
    check_once("groups", map(str, named))
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
    """Compute cos(t, â_0 - â_1), where t is any unit vector and â_0 and â_1 are group means."""
    return np.asarray(units @ unit_rows(-differences_of_means(means))[0])


def ripa(
    vectors: WordVectors | None, targets: Words, pairs: Tuples, *, relation: Relation = "component"
) -> ScoreResult:
    """Compute the relational inner product association (RIPA), w·b, for a relation vector b.

    For one pair, b is (x - y)/‖x - y‖. For several pairs, b is the first principal component
    (a unit vector) of the uncentered differences x - y.

    Parameters
    ----------
    targets : list of words
        The vectors of targets are not scaled, so their lengths matter.
    pairs : list of (x, y) word pairs; pairs with a missing word are left out
    relation : {"component", "mean"}
        ``mean`` averages the inner products with each pair's relation vector, as WEFE does.

    Returns
    -------
    ScoreResult
        ``per_target`` is positive toward x, and ``score`` is its mean. For one pair, 0 means that w
        has equal inner products with x and y. Values are in [-‖w‖, ‖w‖]. ``product_I`` is
        w·(x - y)/‖x - y‖ for pair I; ``sd`` is the population sd of these products.

    References
    ----------
    Ethayarajh, Duvenaud, Hirst (2019), Understanding undesirable word embedding associations,
    section 5.

    Examples
    --------
    >>> vectors = {"he": [1.0, 0.0], "she": [0.0, 1.0], "boss": [4.0, 1.0]}
    >>> round(ripa(vectors, ["boss"], [("he", "she")]).score, 4)
    2.1213
    """
    check_choice("relation", relation, get_args(Relation))
    sets, members, kept = read_tuples(vectors, targets, "pairs", pairs)
    if wrong := [pair for pair in kept if len(pair) != 2]:
        raise ValueError(f"each pair must have two words; got {wrong[0]!r}")
    rows, stacked = sets.rows["targets"], np.stack(members)
    along, products = relation_vector(stacked), rows @ unit_rows(pair_differences(stacked)).T
    per_target = products.mean(axis=1) if relation == "mean" else rows @ along
    parts = {"per_target": per_target, "sd": products.std(axis=1)}
    parts |= {f"product_{number}": product for number, product in enumerate(products.T)}
    return score_result(per_target.mean(), sets, ["targets"], parts, pairs=kept)


def relation_vector(pairs: FloatArray) -> FloatArray:
    """Return the first principal component of the pairs' differences, as a unit vector.

    The differences are not centered, because centering would reduce a single difference to zero. On
    average over the pairs, the vector points from the second word to the first.
    """
    differences = pair_differences(pairs)
    direction = np.linalg.svd(differences, full_matrices=False)[2][0]
    return np.asarray(direction if differences.sum(axis=0) @ direction >= 0 else -direction)


def pair_differences(pairs: FloatArray) -> FloatArray:
    """Subtract the second vector of each pair; raise ValueError if they differ by rounding only."""
    differences = pairs[:, 0] - pairs[:, 1]
    lengths = np.linalg.norm(pairs, axis=2).max(axis=1)
    same = np.linalg.norm(differences, axis=1) <= DEPENDENT * lengths
    if equal := np.flatnonzero(same).tolist():
        raise ValueError(f"the vectors of a pair must differ; leave out these pairs: {equal}")
    return differences


def direction_agreement(vectors: WordVectors, pairs: Iterable[Sequence[str]]) -> pd.DataFrame:
    """Compute how far the directions of defining pairs agree, with each other and with their sum.

    A direction that several pairs are to define should be that of each of them. Check this before
    you use Direct Bias, RIPA, or hard debiasing (Schröder et al., 2024, Semantic properties of
    cosine based bias scores, section 5.3; The SAME score, section 3.2).

    Parameters
    ----------
    vectors : KeyedVectors or mapping of str to array
    pairs : list of (x, y) word pairs; pairs with a missing word are left out

    Returns
    -------
    DataFrame
        One row per ``pair`` and ``other`` pair, and one per pair and ``first component``, the
        first principal component that `direct_bias` uses. ``cosine`` is between the differences of
        unit vectors, x - y, in [-1, 1].

    Examples
    --------
    >>> glove = bb.load_vectors("glove-demo")
    >>> frame = bb.scores.direction_agreement(glove, [("he", "she"), ("man", "woman")])
    >>> frame.round(2)
             pair            other  cosine
    0     he, she       man, woman    0.64
    1     he, she  first component    0.88
    2  man, woman  first component    0.93
    """
    members, kept, _ = look_up_tuples(vectors, "pairs", pairs)
    units = [unit_rows(rows) for rows in members]
    directions = unit_rows(pair_differences(np.stack([rows[[0, -1]] for rows in units])))
    names = [", ".join(map(str, pair)) for pair in kept]
    component, _ = principal_components(units, 1)
    with_component = zip(names, repeat("first component"), directions @ component[0], strict=False)
    pairwise = combinations(range(len(names)), 2)
    rows = [(names[i], names[j], directions[i] @ directions[j]) for i, j in pairwise]
    return pd.DataFrame([*rows, *with_component], columns=["pair", "other", "cosine"])


def direct_bias(
    vectors: WordVectors | None,
    targets: Words,
    defining_sets: Tuples,
    *,
    k: int | None = None,
    c: float = 1.0,
    unit: bool = True,
) -> ScoreResult:
    """Compute Direct Bias, the mean over targets t of (sqrt Σ_i cos(t, g_i)²)^c.

    The directions g_i are the first k principal components of the defining words, centered within
    their sets. For one pair, the bias is |cos(t, g)|^c, where g is the pair's difference.

    Parameters
    ----------
    targets : list of words
    defining_sets : list of pairs (or longer tuples) of words, such as [("she", "he")]
        If any word in a set is missing, the whole set is left out.
    k : int, optional
        Number of components. The default is one less than the size of the sets (1 for pairs).
    c : float
        The strictness, 0 or more. The literature uses 1.
    unit : bool
        Scale defining words to unit length first, as Bolukbasi et al. do.

    Returns
    -------
    ScoreResult
        ``score`` and ``per_target`` are in [0, 1]. If c > 0, the value of targets orthogonal to the
        components is 0. ``component_I`` is the cosine with component I, positive toward the first
        words of the sets; ``explained`` is the share of variance along each component.

    References
    ----------
    Bolukbasi et al. (2016), section 5.2; Manzini et al. (2019) for more than two groups.
    """
    if not 0 <= c < np.inf:
        raise ValueError(f"c must be finite and not negative (the default is 1); got {c}")
    sets, members, kept = read_tuples(vectors, targets, "defining sets", defining_sets)
    rows = [unit_rows(rows) for rows in members] if unit else members
    directions, explained = principal_components(rows, k)
    units = unit_rows(sets.rows["targets"])
    parts = {"per_target": lengths_along(units, directions) ** c}
    cosines = enumerate(directions @ units.T)
    parts |= {f"component_{number}": component for number, component in cosines}
    details = {"explained": explained, "k": len(directions), "defining_sets": kept}
    return score_result(parts["per_target"].mean(), sets, ["targets"], parts, **details)
