"""How much higher a distance before is where its change is larger, within words."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from .._core.arrays import FloatArray
from ..model.design import Design, IntArray
from ..model.spec import ModelSpec
from ..model.terms import Term
from ..tables.schema import CONTROLS

PRIOR_PAIRS = 5.0
"""Pairs that the slope common to all connections counts for in that of each."""


def slopes(design: Design, before: FloatArray, spec: ModelSpec) -> FloatArray:
    """Slope of before on change among single pairs of a design of changes, by connection.

    It is about the means of all units that the model gives effects to, and is drawn towards the
    slope common to all, which counts for ``PRIOR_PAIRS`` pairs. Connections whose rows share
    effects, as associated and different share those of an attribute, have one slope.
    """
    spec = spec.fitting(design)
    keys = [_units(design, term) for term in spec.summed_terms]
    keys += [] if spec.around_means else [design.connection]
    change, level = _within(design.y, keys), _within(before, keys)
    part = _sharing(design, spec)
    squares = np.bincount(part[design.connection], change**2)[part]
    products = np.bincount(part[design.connection], change * level)[part]
    total, common = change @ change, change @ level
    if total == 0:
        return np.zeros(len(part))
    weight = PRIOR_PAIRS * total / len(design.y)
    return np.asarray((products + weight * common / total) / (squares + weight))


def _units(design: Design, term: Term) -> IntArray:
    """Which effect of a term each row has, (n_rows,)."""
    first, *other = (design.codes(dim) for dim in term.dims)
    return first * (other[0].max() + 2) + other[0] + 1 if other else first


def _sharing(design: Design, spec: ModelSpec) -> IntArray:
    """Connections numbered such that those whose rows share effects have one number."""
    if all(term.by == "connection" for term in spec.summed_terms):
        return np.arange(len(design.connections))
    names = [name if name in CONTROLS else "stereotype" for name in design.connections]
    return np.unique(names, return_inverse=True)[1]


def _within(values: FloatArray, keys: Sequence[IntArray], sweeps: int = 20) -> FloatArray:
    """Take the means of every factor out, in turn where there are several."""
    rest = values.copy()
    for _ in range(sweeps if len(keys) > 1 else 1):
        for key in keys:
            count = np.maximum(np.bincount(key), 1)
            rest = rest - (np.bincount(key, rest) / count)[key]
    return rest
