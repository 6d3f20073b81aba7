"""RIPA, the relational inner product association, in which the length of words counts."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import ArrayLike

from .._core.arrays import FloatArray
from ..embeddings.word_sets import WordVectors, as_rows, look_up, look_up_tuples
from .result import Result
from .subspace import pair_directions


@dataclass(frozen=True, eq=False, kw_only=True, repr=False)
class RipaResult(Result):
    """RIPA of targets along word pairs; see `ripa`."""

    score: float
    per_target: FloatArray
    sd: FloatArray
    products: FloatArray
    pairs: tuple[tuple[str, ...], ...] = ()


def ripa_of(targets: ArrayLike, first: ArrayLike, second: ArrayLike) -> RipaResult:
    """RIPA on arrays: w·(x - y)/‖x - y‖ for every target and pair.

    Parameters
    ----------
    targets : (n_targets, n_dims) array_like
        Not brought to unit length.
    first, second : (n_pairs, n_dims) array_like

    Returns
    -------
    RipaResult
        See `ripa`.
    """
    products = as_rows("targets", targets) @ pair_directions(first, second).T
    return RipaResult(
        score=float(products.mean()),
        per_target=products.mean(axis=1),
        sd=np.asarray(products.std(axis=1)),
        products=products,
    )


def ripa(
    vectors: WordVectors, targets: Iterable[str], pairs: Iterable[Sequence[str]]
) -> RipaResult:
    """Relational inner product association of targets along word pairs.

    Parameters
    ----------
    vectors : KeyedVectors
        Vectors as they are; their lengths matter.
    targets : list of words
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
    sets = look_up(vectors, {"targets": targets})
    x, y = (np.stack([each[side] for each in rows]) for side in (0, 1))
    result = ripa_of(sets.rows["targets"], x, y)
    return replace(result, words=sets.words["targets"], missing=sets.missing | missing, pairs=kept)
