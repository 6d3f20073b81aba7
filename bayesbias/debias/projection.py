"""Neutralise and equalise: what hard debiasing does to words, for any number of classes."""

from __future__ import annotations

from functools import partial

import numpy as np
from numpy.typing import ArrayLike

from .._core.arrays import FloatArray, unit_rows
from ..embeddings.word_sets import look_up_tuples
from .debiaser import VANISHED, Debiaser, without
from .defining_sets import DefiningSets, SetsLike
from .directions import VectorsByWord, bias_directions
from .method import DebiasingMethod, VectorsLike


def fit_projection(
    method: DebiasingMethod,
    vectors: VectorsLike,
    sets: SetsLike,
    *,
    k: int | None,
    equalise: bool,
    subspace: str = "components",
) -> Debiaser:
    """Fit a method that projects the bias subspace out of neutral words."""
    _, lists, found = method.read(vectors, sets)
    directions = bias_directions(found, lists, k, subspace)
    parameters = {"k": len(directions), "subspace": subspace, "equalise": equalise}
    return Debiaser(
        record=method.record(lists, found, parameters, equalise=equalise),
        neutral=partial(without, directions=directions),
        kept=lists.kept,
        placed=equalised_words(found, lists, directions) if equalise else {},
    )


def equalised_words(
    found: VectorsByWord, lists: DefiningSets, directions: FloatArray
) -> dict[str, FloatArray]:
    """Compute the new vectors of the words of equalise sets.

    A set with a missing word is left out whole, for one word alone cannot be equalised.
    """
    placed: dict[str, FloatArray] = {}
    whole = [each for each in lists.equalise if all(word in found for word in each)]
    rows = look_up_tuples(found, "equalise sets", whole)[0] if whole else []
    for members, vectors in zip(whole, rows, strict=True):
        try:
            placed |= dict(zip(members, equalised(vectors, directions), strict=True))
        except ValueError as error:
            raise ValueError(f"equalise set {', '.join(members)}: {error}") from None
    return placed


def equalised(rows: ArrayLike, directions: FloatArray) -> FloatArray:
    """Compute the vectors of one set, (n_members, n_dims), at unit length, equal off the subspace.

    The directions are orthonormal rows, (k, n_dims).
    """
    unit = unit_rows(rows)
    outside = without(unit, directions)
    common = outside.mean(axis=0)
    inside = unit - outside
    leaning = inside - inside.mean(axis=0)
    sizes = np.linalg.norm(leaning, axis=1, keepdims=True)
    if (sizes <= VANISHED).any():
        raise ValueError("its words do not differ in the bias subspace; leave it out, or raise k")
    radius = np.sqrt(max(1.0 - float(common @ common), 0.0))
    return np.asarray(common + radius * leaning / sizes)
