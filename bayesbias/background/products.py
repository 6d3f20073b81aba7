"""Products of unit vectors and directions, compiled. Import this module inside functions only."""

from __future__ import annotations

from typing import Any

import numpy as np

from .._core.arrays import FloatArray
from ..embeddings.chunks import Vector
from ..embeddings.formats.kernels import REORDER, compiled

SHORTEST = float(np.finfo(np.float32).tiny)
"""Vectors whose length float32 cannot hold in full have no direction."""

_SMALL_SQUARE, _LARGE_SQUARE = np.float32(1e-20), np.float32(1e20)
"""Between these, sums of squares in float32 lose nothing to its range."""

AT_ONCE = 5
"""Directions that share one pass over a vector."""


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
    if vectors.shape[1] != directions.shape[1]:
        raise ValueError(
            f"vectors of {vectors.shape[1]} and of {directions.shape[1]} dimensions: the embedding "
            "changed while it was read; try again"
        )
    out = np.empty((len(directions), len(vectors)), dtype=np.float32)
    _project(vectors, directions, out)
    odd = np.flatnonzero(np.isnan(out[0]))
    if len(odd):  # mended in float64, which has the range for their squares
        rows = vectors[odd].astype(np.float64)
        with np.errstate(invalid="ignore", divide="ignore", over="ignore"):
            lengths = np.sqrt((rows * rows).sum(axis=1, keepdims=True))
            there = (lengths > SHORTEST) & np.isfinite(lengths)
            unit = (rows / np.where(there, lengths, np.nan)).astype(np.float32)
        mended = np.empty((len(directions), len(odd)), dtype=np.float32)
        _project(unit, directions, mended)
        out[:, odd] = mended
    return out


@compiled(REORDER)
def _project(vectors: Any, directions: Any, out: Any) -> None:  # noqa: ANN401
    """Fill ``out``; NaN where the square of a vector's length leaves the range of float32.

    Two vectors and five directions go at a time, which keeps the processor's registers full.
    """
    n, n_dims = vectors.shape
    for row in range(0, n, 2):
        other = min(row + 1, n - 1)  # past the end, the last vector once more
        v, w = vectors[row], vectors[other]
        of_v = of_w = np.float32(0.0)
        for d in range(n_dims):
            of_v += v[d] * v[d]
            of_w += w[d] * w[d]
        of_v, of_w = _scale(of_v), _scale(of_w)
        for k in range(0, directions.shape[0], 5):
            d0, d1, d2 = directions[k], directions[k + 1], directions[k + 2]
            d3, d4 = directions[k + 3], directions[k + 4]
            v0 = v1 = v2 = v3 = v4 = np.float32(0.0)
            w0 = w1 = w2 = w3 = w4 = np.float32(0.0)
            for d in range(n_dims):
                a, b, c, e, f = d0[d], d1[d], d2[d], d3[d], d4[d]
                v0 += v[d] * a
                v1 += v[d] * b
                v2 += v[d] * c
                v3 += v[d] * e
                v4 += v[d] * f
                w0 += w[d] * a
                w1 += w[d] * b
                w2 += w[d] * c
                w3 += w[d] * e
                w4 += w[d] * f
            for j, product in enumerate((v0, v1, v2, v3, v4)):
                out[k + j, row] = product * of_v
            for j, product in enumerate((w0, w1, w2, w3, w4)):
                out[k + j, other] = product * of_w


@compiled()
def _scale(square: Any) -> Any:  # noqa: ANN401
    """Compute what brings a vector to unit length from the square of its length."""
    if _SMALL_SQUARE < square < _LARGE_SQUARE:
        return np.float32(1.0) / np.sqrt(square)
    return np.float32(np.nan)
