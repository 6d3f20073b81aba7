"""Factor stacks of small matrices, and solve linear systems with them.

Matrices are stacked along the last axis. Loops over rows and columns process all matrices at once.
"""

from __future__ import annotations

import numpy as np

from .._core.arrays import FloatArray

LARGEST_DENSE = 40
"""Size of the largest triangular system that is solved in a stack, as if it were not triangular."""

LARGEST_BY_HAND = 8
"""Size of the largest block for which these loops are faster than LAPACK."""


def cholesky_blocks(matrices: FloatArray) -> FloatArray:
    """Write Cholesky factors to the lower triangles of (m, d, d, n) blocks, and return the blocks.

    The diagonal of a block without a factor contains NaN.
    """
    m, d, _, n = matrices.shape
    if d > LARGEST_BY_HAND:
        factors = cholesky(np.moveaxis(matrices, -1, 1).reshape(m * n, d, d))
        return np.ascontiguousarray(np.moveaxis(factors.reshape(m, n, d, d), 1, -1))
    with np.errstate(invalid="ignore", divide="ignore"):
        for j in range(d):
            column = matrices[:, j:, j]
            for k in range(j):
                column -= matrices[:, j:, k] * matrices[:, j, None, k]
            column /= np.sqrt(column[:, :1])
    return matrices


def solve_blocks(factor: FloatArray, right: FloatArray, *, transposed: bool = False) -> FloatArray:
    """Solve Lx = b, or L'x = b, for an (m, d, d, n) lower triangular L and an (m, d, k, n) b.

    The solution overwrites b if the blocks are small.
    """
    rows = np.swapaxes(factor, 1, 2) if transposed else factor
    d = factor.shape[1]
    if d > LARGEST_BY_HAND:
        # If a factor contains NaN, its solution is also NaN.
        whole = np.linalg.solve(np.moveaxis(rows, -1, 1), np.moveaxis(right, -1, 1))
        return np.ascontiguousarray(np.moveaxis(whole, 1, -1))
    for i in reversed(range(d)) if transposed else range(d):
        right[:, i] /= factor[:, i, i, None]
        rest = slice(i) if transposed else slice(i + 1, d)
        right[:, rest] -= rows[:, rest, i, None] * right[:, i, None]
    return right


def solve_lower(factors: FloatArray, right: FloatArray) -> FloatArray:
    """Solve Lx = b for (n, d, d) lower triangular L and (n, d, k) b."""
    return _solve(factors, right, transposed=False)


def solve_transposed(factors: FloatArray, right: FloatArray) -> FloatArray:
    """Solve L'x = b for (n, d, d) lower triangular L and (n, d) b."""
    return _solve(factors, right[..., None], transposed=True)[..., 0]


def _solve(factors: FloatArray, right: FloatArray, *, transposed: bool) -> FloatArray:
    if factors.shape[1] <= LARGEST_DENSE:
        rows = np.swapaxes(factors, 1, 2) if transposed else factors
        return np.asarray(np.linalg.solve(rows, right))
    from scipy.linalg.lapack import dtrtrs

    pairs = zip(factors, right, strict=True)
    return np.array([dtrtrs(one.T, b, lower=0, trans=not transposed)[0] for one, b in pairs])


def cholesky(matrices: FloatArray) -> FloatArray:
    """Return Cholesky factors of a stack, with NaN for matrices that rounding made indefinite."""
    try:
        return np.linalg.cholesky(matrices)
    except np.linalg.LinAlgError:
        if len(matrices) == 1:
            return np.where(np.eye(matrices.shape[1], dtype=bool), np.nan, 0.0)[None]
    half = len(matrices) // 2
    return np.concatenate([cholesky(matrices[:half]), cholesky(matrices[half:])])
