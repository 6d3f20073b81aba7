"""The directions of bias, and the equalised vectors that have no other difference."""

from __future__ import annotations

import warnings

import numpy as np
from numpy.typing import ArrayLike

from .._core.arrays import FloatArray, unit_rows
from .._core.checks import is_whole, unknown_name
from .._core.resources import OWN_FRAMES
from ..embeddings.word_sets import look_up_tuples
from ..scores.subspace import bias_subspace, principal_components
from .defining_sets import DefiningSets
from .sums import VANISHED, VectorsByWord, without

SUBSPACES = ("components", "means")
"""How a bias subspace is found: principal components of centered sets, or differences of means."""


def bias_directions(
    found: VectorsByWord, sets: DefiningSets, k: int | None = None, subspace: str = "components"
) -> FloatArray:
    """Compute the bias subspace of defining sets, (k, n_dims) of orthonormal rows.

    ``components``: principal components of the sets, each centered on its mean (Bolukbasi et al.,
    Manzini et al.), as many as there are classes less one if k is not given. ``means``: the span
    of the differences of the classes' means (Schröder et al., the subspace of SAME), whose
    dimension is not chosen. Sets with a missing word are left out whole.
    """
    if subspace not in SUBSPACES:
        raise ValueError(unknown_name("subspace", subspace, SUBSPACES))
    if k is not None and not is_whole(k):
        raise ValueError(f"k must be a whole number of directions; got {k!r}")
    unit = unit_sets(found, sets)
    if subspace == "components":
        return principal_components(unit, sets.n_classes - 1 if k is None else k).directions
    if k is not None:
        raise ValueError('k is for subspace="components"; the span of means has its own size')
    return bias_subspace(list(np.stack(unit, axis=1)))


def unit_sets(found: VectorsByWord, sets: DefiningSets) -> list[FloatArray]:
    """Return the unit vectors of each defining set that is there as a whole, a row a class."""
    rows, _, _ = look_up_tuples(found, "defining sets", sets.defining)
    return [unit_rows(members) for members in rows]


def equalised_words(
    found: VectorsByWord, lists: DefiningSets, directions: FloatArray
) -> dict[str, FloatArray]:
    """Compute the new vectors of the words of equalise sets.

    A set with a missing word is left out whole, for one word alone cannot be equalised.
    """
    placed: dict[str, FloatArray] = {}
    for members in lists.equalise:
        if all(word in found for word in members):
            try:
                rows = equalised([found[word] for word in members], directions)
            except ValueError as error:
                raise ValueError(f"equalise set {', '.join(members)}: {error}") from None
            placed |= dict(zip(members, rows, strict=True))
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


def warn_of_few_directions(n_classes: int, k: int) -> None:
    """Warn that sets are equalised in fewer directions than they differ in."""
    warnings.warn(
        f"equalising sets of {n_classes} words takes {n_classes - 1} directions, and k={k} are "
        "removed; words of a set may get one vector. Leave k out, or pass equalise=False",
        skip_file_prefixes=OWN_FRAMES,
    )
