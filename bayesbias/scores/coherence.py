"""Scores of attributes by the mean vectors of two groups: RND and ECT; and gWEAT of any number."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, get_args

import numpy as np

from .._core.arrays import FloatArray, cosine_similarity, unit_rows
from .._core.checks import unknown_name
from ..embeddings.word_sets import WordVectors
from .list_rows import ListRows
from .registry import ListScore
from .result import ScoreResult, Words, joined, read_sets, score_result

Distance = Literal["norm", "cosine"]

TIE_DIGITS = 12
"""Cosines equal to this many digits tie; float64 holds them to 1e-16."""


def rnd(
    vectors: WordVectors | None,
    X: Words,
    Y: Words,
    A: Words,
    B: Words = (),
    *,
    unit: bool = False,
    average: bool = True,
    distance: Distance = "norm",
) -> ScoreResult:
    """Relative norm distance: mean over attributes a of ‖μ_X - a‖ - ‖μ_Y - a‖.

    Parameters
    ----------
    vectors : KeyedVectors, mapping of str to array, or None
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
        ``cosine`` takes cosine distances from the means, 1 - cos(μ, a), instead of lengths.

    Returns
    -------
    ScoreResult
        ``score`` and ``per_attribute``; negative where attributes are nearer to X. The mean is
        within ±‖μ_X - μ_Y‖ (``cosine``: ±2); 0 where attributes are as far from X as from Y.

    References
    ----------
    Garg, Schiebinger, Jurafsky, Zou (2018), PNAS 115, equation 3.
    """
    if distance not in get_args(Distance):
        raise ValueError(unknown_name("distance", distance, get_args(Distance)))
    sets = read_sets(vectors, {"X": X, "Y": Y, "attributes": joined(A, B)}, disjoint=["X", "Y"])
    x, y, a = (unit_rows(rows) if unit else rows for rows in sets.rows.values())
    per_attribute = _relative_distances(x, y, a, distance)
    score = per_attribute.mean() if average else per_attribute.sum()
    return score_result(score, sets, "attributes", {"per_attribute": per_attribute})


def _relative_distances(
    X: FloatArray, Y: FloatArray, attributes: FloatArray, distance: Distance = "norm"
) -> FloatArray:
    means = np.stack([X.mean(axis=0), Y.mean(axis=0)])
    if distance == "cosine":
        to_x, to_y = 1 - cosine_similarity(means, attributes)
    else:
        to_x, to_y = (np.linalg.norm(mean - attributes, axis=1) for mean in means)
    return np.asarray(to_x - to_y)


def ect(
    vectors: WordVectors | None, X: Words, Y: Words, A: Words, B: Words = (), *, unit: bool = False
) -> ScoreResult:
    """Embedding coherence test: whether both groups' means rank the attributes alike.

    Spearman's correlation, over the attributes a, of cos(μ_X, a) and cos(μ_Y, a).

    Parameters
    ----------
    vectors : KeyedVectors, mapping of str to array, or None
    X, Y : lists of words; μ_X and μ_Y are their mean vectors
    A, B : lists of attribute words, joined; B may be left out
    unit : bool
        Bring the words of X and Y to unit length before they are averaged.

    Returns
    -------
    ScoreResult
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
    sets = read_sets(vectors, {"X": X, "Y": Y, "attributes": joined(A, B)}, disjoint=["X", "Y"])
    x, y = (unit_rows(sets.rows[name]) if unit else sets.rows[name] for name in "XY")
    to_x, to_y = _to_means([x, y], unit_rows(sets.rows["attributes"]))
    return score_result(_spearman(to_x, to_y), sets, "attributes", {"to_x": to_x, "to_y": to_y})


def _to_means(groups: Sequence[FloatArray], attribute_units: FloatArray) -> FloatArray:
    """Cosines of the groups' mean vectors with attributes, (n_groups, n_attributes)."""
    return np.asarray(unit_rows([rows.mean(axis=0) for rows in groups]) @ attribute_units.T)


def _spearman(first: FloatArray, second: FloatArray) -> float:
    from scipy.stats import rankdata

    if len(first) < 2:
        raise ValueError("ECT ranks attributes and needs at least two; one is left")
    ranks = rankdata(np.stack([first, second]).round(TIE_DIGITS), axis=1)
    if (ranks.min(axis=1) == ranks.max(axis=1)).any():
        raise ValueError("ECT is undefined: a group's mean is equally near to every attribute")
    return float(np.corrcoef(ranks[0], ranks[1])[0, 1])


def gweat(
    vectors: WordVectors | None, groups: Sequence[Words], attribute_sets: Sequence[Words]
) -> ScoreResult:
    """GWEAT: Σ_i (X̄_i - μ)·(Ā_i - Ā) of groups and their attribute sets, on unit vectors.

    X̄_i and Ā_i are the mean unit vectors of group i and of its attribute set, μ and Ā their means.

    Parameters
    ----------
    vectors : KeyedVectors, mapping of str to array, or None
    groups : two or more lists of words
    attribute_sets : as many lists of words; set i belongs to group i

    Returns
    -------
    ScoreResult
        ``score``, the sum of ``per_group``. 0 without association; positive where groups go with
        their sets; for two groups it is (mean_X s - mean_Y s)/2 with the s of `weat`, in [-1, 1]
        times ‖â - b̂‖.

    References
    ----------
    Swinger et al. (2019), What are the biases in my word embedding?; Schröder, Schulz, Hammer
    (2024), equation 3.
    """
    if len(groups) != len(attribute_sets) or len(groups) < 2:
        raise ValueError(
            "gWEAT needs two or more groups and as many attribute sets; "
            f"got {len(groups)} and {len(attribute_sets)}"
        )
    names = [f"group {at}" for at in range(len(groups))]
    named = dict(zip(names, groups, strict=True))
    named |= {f"attributes of {name}": s for name, s in zip(names, attribute_sets, strict=True)}
    sets = read_sets(vectors, named, disjoint=names)
    units = [unit_rows(rows) for rows in sets.rows.values()]
    sets.words["groups"] = tuple(names)
    per_group = _own_association(units[: len(names)], units[len(names) :])
    return score_result(per_group.sum(), sets, "groups", {"per_group": per_group})


def _own_association(
    group_units: Sequence[FloatArray], attribute_units: Sequence[FloatArray]
) -> FloatArray:
    x, a = (
        np.stack([units.mean(axis=0) for units in sets]) for sets in (group_units, attribute_units)
    )
    return np.asarray(((x - x.mean(axis=0)) * (a - a.mean(axis=0))).sum(axis=1))


def _rnd(rows: ListRows) -> float:
    X, Y = rows.protected
    return float(_relative_distances(X, Y, rows.stereotypes[0]).mean())


RND = ListScore(
    _rnd,
    "ordered",
    choices="mean over attributes, vectors as they are",
    note="stereotypes of the first group; negative: nearer to the first",
    direction="lower",
)
ECT = ListScore(
    lambda rows: _spearman(*_to_means(rows.protected, np.vstack(rows.stereotype_units))),
    "pair",
    choices="vectors as they are",
    note="higher is less biased",
    no_bias=1.0,
    direction="lower",
    reading="more difference between groups",
    width=2.0,
)
GWEAT = ListScore(
    lambda rows: float(_own_association(rows.protected_units, rows.stereotype_units).sum()), "all"
)
