"""RIPA, the relational inner product association, in which the length of words counts."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import ArrayLike

from .._core.arrays import FloatArray
from ..embeddings.word_sets import WordVectors, as_rows, look_up_tuples
from .list_rows import ListRows
from .registry import PAIRS_BY_PLACE, ListScore, Properties
from .result import ScoreResult, Words, of_words
from .subspace import pair_directions


@dataclass(frozen=True, eq=False, kw_only=True, repr=False)
class RipaResult(ScoreResult):
    """RIPA of targets along word pairs; see `ripa`."""

    per_target: FloatArray
    sd: FloatArray
    products: FloatArray
    pairs: tuple[tuple[str, ...], ...] = ()


def ripa_of(targets: ArrayLike, first: ArrayLike, second: ArrayLike) -> RipaResult:
    """RIPA on arrays, (n_targets, n_dims) and twice (n_pairs, n_dims); see `ripa`."""
    products = as_rows("targets", targets) @ pair_directions(first, second).T
    per_target, sd = products.mean(axis=1), np.asarray(products.std(axis=1))
    score = float(products.mean())
    return RipaResult(score=score, per_target=per_target, sd=sd, products=products)


def ripa(vectors: WordVectors, targets: Words, pairs: Iterable[Sequence[str]]) -> RipaResult:
    """Relational inner product association of targets along word pairs.

    Parameters
    ----------
    vectors : KeyedVectors or mapping of str to array
    targets : list of words
        Vectors are taken as they are; their lengths matter.
    pairs : list of (x, y) word pairs; one with a missing word is left out

    Returns
    -------
    RipaResult
        ``products`` (n_targets, n_pairs), w·(x - y)/‖x - y‖, in [-‖w‖, ‖w‖], positive towards
        the x; their mean ``per_target`` and population ``sd`` over pairs; ``score``, the mean
        over targets. 0 means that w is as near to x as to y by inner product.

    References
    ----------
    Ethayarajh, Duvenaud, Hirst (2019), Understanding undesirable word embedding associations.
    """
    rows, kept, missing = look_up_tuples(vectors, "pairs", pairs)
    wrong = [members for members in kept if len(members) != 2]
    if wrong:
        raise ValueError(f"RIPA takes pairs of words; got {wrong[0]!r}")
    x, y = (np.stack([each[side] for each in rows]) for side in (0, 1))
    made = of_words(ripa_of, vectors, {"targets": targets}, parts=["targets"], first=x, second=y)
    return replace(made, missing={**made.missing, **missing}, pairs=kept)


def _value(rows: ListRows) -> float:
    sets = rows.defining_sets
    return ripa_of(rows.targets, sets[:, 0], sets[:, 1]).score


SCORE = ListScore(
    value=_value,
    scope="pair",
    choices="vectors as they are",
    note=PAIRS_BY_PLACE,
    reading="stereotypes towards the first group",
    properties=Properties(
        comparable=(False, "it grows with the length of the target"),
        trustworthy=(False, "it is a signed mean, so that opposite targets cancel"),
        range=("-max ‖w‖", "max ‖w‖"),
    ),
)
