"""Scores along pairs of words: RIPA and Direct Bias, and how far the pairs agree."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from itertools import combinations
from typing import Literal, get_args

import numpy as np
import pandas as pd

from .._core.arrays import FloatArray, unit_rows
from .._core.checks import unknown_name
from ..embeddings.word_sets import WordVectors, look_up
from .list_rows import ListRows
from .registry import ListScore
from .result import ScoreResult, Tuples, Words, read_sets, read_tuples, score_result, without_shared
from .subspace import DEPENDENT, pair_differences, principal_components

Relation = Literal["component", "mean"]

PAIRS_BY_PLACE = "pairs are the words in the same place of each group"


def ripa(
    vectors: WordVectors | None,
    targets: Words,
    pairs: Tuples,
    *,
    relation: Relation = "component",
    drop_shared: bool = False,
) -> ScoreResult:
    """Relational inner product association of targets with a relation, w·b.

    The relation vector b of one pair is (x - y)/‖x - y‖, and of several the first principal
    component of their differences x - y, of unit length.

    Parameters
    ----------
    vectors : KeyedVectors, mapping of str to array, or None
    targets : list of words
        Vectors are taken as they are; their lengths matter.
    pairs : list of (x, y) word pairs; one with a missing word is left out
    relation : {"component", "mean"}
        ``component`` is the article's; ``mean`` averages the products with the single pairs, as
        WEFE does. They are the same for one pair.
    drop_shared : bool
        Leave out targets that also stand in a pair: their direction is what the score is
        measured along.

    Returns
    -------
    ScoreResult
        ``per_target``, positive towards the x, and ``score``, their mean; 0 means that w is as
        near to the x as to the y by inner product. With ``component`` it lies in [-‖w‖, ‖w‖].
        ``product_I`` is w·(x - y)/‖x - y‖ of pair I; ``sd`` is their population sd over pairs.

    Raises
    ------
    ValueError
        If a tuple is no pair, the vectors of a pair are equal, or the relation is unknown.

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
    if relation not in get_args(Relation):
        raise ValueError(unknown_name("relation", relation, get_args(Relation)))
    members, kept, missing = read_tuples(vectors, "pairs", pairs, pairs=True)
    sets = read_sets(
        vectors, {"targets": without_shared(targets, kept) if drop_shared else targets}
    )
    sets.missing.update(missing)
    differences = pair_differences(*np.stack(members, axis=1))
    rows = sets.rows["targets"]
    products = rows @ unit_rows(differences).T
    along = products.mean(axis=1) if relation == "mean" else rows @ _relation_vector(differences)
    parts = {"per_target": along, "sd": products.std(axis=1)}
    parts |= {f"product_{at}": product for at, product in enumerate(products.T)}
    return score_result(along.mean(), sets, "targets", parts, pairs=kept)


def _relation_vector(differences: FloatArray) -> FloatArray:
    """First principal component of the pairs' differences, of unit length, (n_dims,).

    The differences are not centered, as a single one would vanish. It points from the second words
    to the first in the sum over pairs.
    """
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
    drop_shared: bool = False,
) -> ScoreResult:
    """Direct Bias: mean over targets of |cos(t, g)|^c, or (sqrt Σ_k cos(t, g_k)²)^c.

    The directions g are the first k principal components of the defining words, centered within
    their sets. For one pair the first component is the pair's difference.

    Parameters
    ----------
    vectors : KeyedVectors, mapping of str to array, or None
    targets : list of words
    defining_sets : list of pairs (or longer tuples) of words, such as [("she", "he")]
        A set of which a word is missing is left out whole.
    k : int, optional
        Number of components; the size of the sets less one if not given, 1 for pairs.
    c : float
        Strictness, 0 or more; 1 in the literature.
    unit : bool
        Bring defining words to unit length first, as Bolukbasi et al. do.
    drop_shared : bool
        Leave out targets that also stand in a defining set: their direction is what the score is
        measured along.

    Returns
    -------
    ScoreResult
        ``score`` and ``per_target`` in [0, 1], 0 for targets orthogonal to the components;
        ``component_I``, the signed cosines, positive towards the first words of the sets;
        ``explained``, the share of variance along each, and ``k``, their number.

    References
    ----------
    Bolukbasi et al. (2016), section 5.2; Manzini et al. (2019) for more than two groups.
    """
    if not 0 <= c < np.inf:
        raise ValueError(
            f"c must not be negative, infinite or NaN, got {c}; 1 is usual, 0 only counts targets"
        )
    members, kept, missing = read_tuples(vectors, "defining sets", defining_sets)
    sets = read_sets(
        vectors, {"targets": without_shared(targets, kept) if drop_shared else targets}
    )
    sets.missing.update(missing)
    found = principal_components([unit_rows(rows) for rows in members] if unit else members, k)
    components = unit_rows(sets.rows["targets"]) @ found.directions.T
    per_target = _lengths(components) ** c
    parts = {"per_target": per_target}
    parts |= {f"component_{at}": component for at, component in enumerate(components.T)}
    details = {"explained": found.explained, "k": len(found.directions), "defining_sets": kept}
    return score_result(per_target.mean(), sets, "targets", parts, **details)


def _lengths(components: FloatArray) -> FloatArray:
    return np.minimum(np.linalg.norm(components, axis=1), 1.0)


def direction_correlations(
    vectors: WordVectors, sets: Tuples | Mapping[str, Iterable[str]], *, unit: bool = True
) -> pd.DataFrame:
    """Cosines with each other of the directions in which pairs of words, or groups, differ.

    Parameters
    ----------
    vectors : KeyedVectors or mapping of str to array
    sets : list of pairs of words, or mapping of three or more groups to lists of words
    unit : bool
        Bring the words of pairs to unit length first; those of groups always are.

    Returns
    -------
    DataFrame
        Square and symmetric, in [-1, 1]; rows and columns are the directions as ``first -
        second``. For pairs ``component`` comes last, which Direct Bias measures along: it does not
        represent a pair whose entry there is low. Groups that are equally far from each other have
        .5 between directions with a common first or second group.

    References
    ----------
    Schröder et al. (2024), Semantic properties of cosine based bias scores, figure 3; Schröder,
    Schulz, Hammer (2024), The SAME score, on more than two groups.
    """
    if isinstance(sets, Mapping):
        if len(sets) < 3:
            raise ValueError(f"there are {len(sets)} groups; directions need three or more groups")
        rows = look_up(vectors, {f"group {name}": words for name, words in sets.items()}).rows
        means = {
            name: unit_rows(group).mean(axis=0)
            for name, group in zip(sets, rows.values(), strict=True)
        }
        names = [f"{first} - {second}" for first, second in combinations(means, 2)]
        directions = np.stack([means[i] - means[j] for i, j in combinations(means, 2)])
    else:
        members, kept, _ = read_tuples(vectors, "pairs", sets, pairs=True)
        pairs = [unit_rows(rows) for rows in members] if unit else members
        names = [*(f"{first} - {second}" for first, second in kept), "component"]
        component = principal_components(pairs, 1).directions
        directions = np.vstack([np.stack([first - second for first, second in pairs]), component])
    lengths = np.linalg.norm(directions, axis=1)
    if (lengths <= DEPENDENT).any():
        at = names[int(np.argmin(lengths))]
        raise ValueError(f"{at} is no direction: both have the same vector; leave one out")
    cosines = np.clip(unit_rows(directions) @ unit_rows(directions).T, -1.0, 1.0)
    return pd.DataFrame(cosines, index=names, columns=names)


def _ripa(rows: ListRows) -> float:
    x, y = rows.defining_sets[:, 0], rows.defining_sets[:, 1]
    return float((rows.targets @ _relation_vector(pair_differences(x, y))).mean())


def _direct_bias(rows: ListRows) -> float:
    sets = rows.defining_sets
    units = sets / np.linalg.norm(sets, axis=2, keepdims=True)
    directions = principal_components(list(units)).directions
    return float(_lengths(np.vstack(rows.stereotype_units) @ directions.T).mean())


RIPA = ListScore(
    _ripa,
    "pair",
    choices="first component of the pairs, vectors as they are",
    note=PAIRS_BY_PLACE,
    reading="stereotypes towards the first group",
)
DIRECT_BIAS = ListScore(
    _direct_bias,
    "all",
    choices="c=1, k=groups-1, unit length",
    note=PAIRS_BY_PLACE,
    reading="more difference between groups",
    width=1.0,
)
