"""RIPA, the relational inner product association, in which the length of words counts."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Literal, get_args

import numpy as np
from numpy.typing import ArrayLike

from .._core.arrays import FloatArray, unit_rows
from .._core.checks import unknown_name
from ..embeddings.word_sets import WordVectors, as_rows, look_up_tuples
from .list_rows import ListRows
from .registry import PAIRS_BY_PLACE, ListScore, Properties
from .result import ScoreResult, Words, not_among, of_words
from .subspace import pair_differences

Relation = Literal["component", "mean"]
"""What stands for several pairs; see `ripa`."""


@dataclass(frozen=True, eq=False, kw_only=True, repr=False)
class RipaResult(ScoreResult):
    """RIPA of targets along word pairs; see `ripa`."""

    per_target: FloatArray
    sd: FloatArray
    products: FloatArray
    relation: Relation
    pairs: tuple[tuple[str, ...], ...] = ()


def ripa_of(
    targets: ArrayLike, first: ArrayLike, second: ArrayLike, *, relation: Relation = "component"
) -> RipaResult:
    """RIPA on arrays, (n_targets, n_dims) and twice (n_pairs, n_dims); see `ripa`."""
    if relation not in get_args(Relation):
        raise ValueError(unknown_name("relation", relation, get_args(Relation)))
    rows, differences = as_rows("targets", targets), pair_differences(first, second)
    products = rows @ unit_rows(differences).T
    mean = np.asarray(products.mean(axis=1))
    per_target = mean if relation == "mean" else np.asarray(rows @ relation_vector(differences))
    return RipaResult(
        score=float(per_target.mean()),
        per_target=per_target,
        sd=np.asarray(products.std(axis=1)),
        products=products,
        relation=relation,
    )


def relation_vector(differences: FloatArray) -> FloatArray:
    """First principal component of the pairs' differences, of unit length, (n_dims,).

    The differences are not centred, as a single one would vanish. It points from the second words
    to the first in the sum over pairs.
    """
    direction = np.linalg.svd(differences, full_matrices=False)[2][0]
    return np.asarray(direction if differences.sum(axis=0) @ direction >= 0 else -direction)


def ripa(
    vectors: WordVectors,
    targets: Words,
    pairs: Iterable[Sequence[str]],
    *,
    relation: Relation = "component",
    drop_shared: bool = False,
) -> RipaResult:
    """Relational inner product association of targets with a relation, w·b.

    The relation vector b of one pair is (x - y)/‖x - y‖, and of several the first principal
    component of their differences x - y, of unit length.

    Parameters
    ----------
    vectors : KeyedVectors or mapping of str to array
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
    RipaResult
        ``per_target``, positive towards the x, and ``score``, their mean; 0 means that w is as
        near to the x as to the y by inner product. With ``component`` it lies in [-‖w‖, ‖w‖], and
        targets along b reach that; with ``mean`` in ±‖w‖ times the length of the mean of the
        pairs' directions, which is below 1 unless all point the same way. ``products`` (n_targets,
        n_pairs) are w·(x - y)/‖x - y‖, and ``sd`` is their population sd over pairs.

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
    rows, kept, missing = look_up_tuples(vectors, "pairs", pairs)
    wrong = [members for members in kept if len(members) != 2]
    if wrong:
        raise ValueError(f"RIPA takes pairs of words; got {wrong[0]!r}")
    targets = not_among(targets, kept) if drop_shared else targets
    x, y = (np.stack([each[side] for each in rows]) for side in (0, 1))
    made = of_words(
        lambda rows: ripa_of(rows, x, y, relation=relation),
        vectors,
        {"targets": targets},
        parts=["targets"],
    )
    return replace(made, missing={**made.missing, **missing}, pairs=kept)


def _value(rows: ListRows) -> float:
    sets = rows.defining_sets
    return ripa_of(rows.targets, sets[:, 0], sets[:, 1]).score


SCORE = ListScore(
    value=_value,
    scope="pair",
    choices="first component of the pairs, vectors as they are",
    note=PAIRS_BY_PLACE,
    reading="stereotypes towards the first group",
    properties=Properties(
        comparable=(
            False,
            "it has no extremes, as it grows with the length of the target; for targets of one "
            "length they are -‖w‖ and ‖w‖, whatever the pairs",
        ),
        trustworthy=(False, "it is a signed mean, so that opposite targets cancel"),
        range=("-∞", "∞"),
    ),
)
