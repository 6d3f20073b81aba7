"""The directions of bias, from the words that define them."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from .._core.arrays import FloatArray, unit_rows
from .._core.checks import unknown_name
from ..embeddings.word_sets import look_up_tuples
from ..scores.subspace import bias_subspace, principal_components
from .defining_sets import DefiningSets

SUBSPACES = ("components", "means")
"""How a bias subspace is found: principal components of centred sets, or differences of means."""

VectorsByWord = Mapping[str, NDArray[np.floating]]


def bias_directions(
    found: VectorsByWord, sets: DefiningSets, k: int | None = None, subspace: str = "components"
) -> FloatArray:
    """Compute the bias subspace of defining sets, (k, n_dims) of orthonormal rows.

    ``components``: principal components of the sets, each centred on its mean (Bolukbasi et al.,
    Manzini et al.), as many as there are classes less one if k is not given. ``means``: the span
    of the differences of the classes' means (Schröder et al., the subspace of SAME), whose
    dimension is not chosen. Sets with a missing word are left out whole.
    """
    if subspace not in SUBSPACES:
        raise ValueError(unknown_name("subspace", subspace, SUBSPACES))
    if k is not None and (isinstance(k, bool) or not isinstance(k, int)):
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
    return [unit_rows(each) for each in rows]
