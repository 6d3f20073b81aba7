"""How much higher a distance before is where its change is larger, within words."""

from __future__ import annotations

import numpy as np

from .._core.arrays import FloatArray
from ..model.design import Design, IntArray

PRIOR_PAIRS = 5.0
"""Pairs that the slope common to all connections counts for in that of each."""


def slopes(design: Design, before: FloatArray, *, crossed: bool) -> FloatArray:
    """Slope of before on change among single pairs of a design of changes, by connection.

    It is about the means of cells, and if crossed of attributes too, and is drawn towards the slope
    common to all, which counts for ``PRIOR_PAIRS`` pairs.
    """
    n = len(design.connections)
    cell = design.word * n + design.connection
    keys = (cell, design.attribute) if crossed else (cell,)
    change, level = _within(design.y, keys), _within(before, keys)
    squares = np.bincount(design.connection, change**2, minlength=n)
    products = np.bincount(design.connection, change * level, minlength=n)
    total = squares.sum()
    if total == 0:
        return np.zeros(n)
    weight = PRIOR_PAIRS * total / len(design.y)
    return np.asarray((products + weight * products.sum() / total) / (squares + weight))


def _within(values: FloatArray, keys: tuple[IntArray, ...], sweeps: int = 20) -> FloatArray:
    """Take the means of every factor out, in turn where there are several."""
    rest = values.copy()
    for _ in range(sweeps if len(keys) > 1 else 1):
        for key in keys:
            count = np.maximum(np.bincount(key), 1)
            rest = rest - (np.bincount(key, rest) / count)[key]
    return rest
