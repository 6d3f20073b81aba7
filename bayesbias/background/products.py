"""Products of unit vectors and directions, in float32."""

from __future__ import annotations

import numpy as np

from .._core.arrays import FloatArray
from ..embeddings.chunks import Vector

SHORTEST = float(np.finfo(np.float32).tiny)
"""Vectors whose length float32 cannot hold in full have no direction."""

AT_ONCE = 5
"""Directions that `kernels.project` takes at a time."""


def padded(directions: FloatArray) -> Vector:
    """Round directions, (count, n_dims), to float32, with zeros below up to a multiple of five."""
    count, n_dims = directions.shape
    rows = np.zeros((-(-count // AT_ONCE) * AT_ONCE, n_dims), dtype=np.float32)
    rows[:count] = directions
    return rows


def products(vectors: Vector, directions: Vector) -> Vector:
    """Compute the products of every vector, brought to unit length, with every direction.

    They are taken in float32, as which the vectors come, and are off by less than 3e-7 times the
    length of a direction. The sums of a vector do not depend on the vectors around it.

    Parameters
    ----------
    vectors : (n, n_dims) float32
    directions : (5 * m, n_dims) float32
        As `padded` returns them.

    Returns
    -------
    (5 * m, n) float32
        NaN for vectors that are all zeros, not finite, or shorter than `SHORTEST`.
    """
    from ..embeddings.formats.kernels import project

    if vectors.shape[1] != directions.shape[1]:
        raise ValueError(
            f"vectors of {vectors.shape[1]} and of {directions.shape[1]} dimensions: the embedding "
            "changed while it was read; try again"
        )
    out = np.empty((len(directions), len(vectors)), dtype=np.float32)
    project(vectors, directions, out)
    odd = np.flatnonzero(np.isnan(out[0]))
    if len(odd):  # mended in float64, which has the range for their squares
        rows = vectors[odd].astype(np.float64)
        with np.errstate(invalid="ignore", divide="ignore", over="ignore"):
            lengths = np.sqrt((rows * rows).sum(axis=1, keepdims=True))
            there = (lengths > SHORTEST) & np.isfinite(lengths)
            unit = (rows / np.where(there, lengths, np.nan)).astype(np.float32)
        mended = np.empty((len(directions), len(odd)), dtype=np.float32)
        project(unit, directions, mended)
        out[:, odd] = mended
    return out
