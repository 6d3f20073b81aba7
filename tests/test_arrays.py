"""Unit rows and cosines, against cosines that can be done by hand."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from numpy.testing import assert_allclose
from numpy.typing import NDArray

from bayesbias._core.arrays import cosine_distance, cosine_similarity, unit_rows

Matrix = NDArray[np.float64]

EAST, NORTH, NORTH_EAST, WEST = [1.0, 0.0], [0.0, 2.0], [3.0, 3.0], [-0.5, 0.0]

# float64 rounding of a few products and sums of numbers of size one
ROUNDING = 1e-12

components = st.floats(-100, 100, allow_nan=False).map(lambda x: round(x, 3))


@st.composite
def matrices(draw: st.DrawFn, n_dims: int = 3) -> Matrix:
    n = draw(st.integers(1, 5))
    rows: Matrix = draw(arrays(np.float64, (n, n_dims), elements=components))
    assume(bool((np.abs(rows).max(axis=1) > 0).all()))
    return rows


def rotations() -> st.SearchStrategy[Matrix]:
    """Orthogonal 3 x 3 matrices (rotations and reflections) by Householder's formula."""
    normals = arrays(np.float64, 3, elements=components).filter(lambda v: bool(v.any()))
    return normals.map(lambda v: np.eye(3) - 2 * np.outer(v, v) / (v @ v))


def test_cosines_done_by_hand() -> None:
    half = math.sqrt(0.5)
    expected = np.array([[1.0, 0.0, half, -1.0], [0.0, 1.0, half, 0.0]])
    rows = [EAST, NORTH, NORTH_EAST, WEST]
    assert_allclose(cosine_similarity([EAST, NORTH], rows), expected, atol=ROUNDING)
    assert_allclose(cosine_distance([EAST, NORTH], rows), 1 - expected, atol=ROUNDING)


@pytest.mark.parametrize("scale", [1e-300, 1e-160, 1.0, 1e160, 1e300])
def test_squares_neither_overflow_nor_vanish(scale: float) -> None:
    assert_allclose(unit_rows([[3 * scale, 4 * scale]]), [[0.6, 0.8]], atol=ROUNDING)


@pytest.mark.parametrize(
    ("rows", "named"),
    [
        ([EAST, [0, 0]], r"row\(s\) \[1\]"),
        ([[np.nan, 1], EAST, [np.inf, 0]], r"row\(s\) \[0, 2\]"),
        ([[], []], r"row\(s\) \[0, 1\]"),
    ],
)
def test_rows_without_direction_are_named(rows: list[list[float]], named: str) -> None:
    with pytest.raises(ValueError, match=named + " are all zeros or not finite"):
        unit_rows(rows)


@pytest.mark.parametrize("wrong", [[1.0, 2.0], 3.0, [[[1.0]]]])
def test_only_matrices_are_taken(wrong: object) -> None:
    with pytest.raises(ValueError, match=r"must be a matrix, one row a vector; got shape"):
        unit_rows(np.asarray(wrong))


def test_rounding_does_not_leave_the_range() -> None:
    rows = np.random.default_rng(0).normal(size=(200, 50))
    unit = rows / np.linalg.norm(rows, axis=1, keepdims=True)
    assert (unit @ unit.T).max() > 1  # such rows there are
    cosines = cosine_similarity(rows, np.vstack([rows, -rows]))
    assert cosines.max() == 1
    assert cosines.min() == -1


@given(matrices(), matrices(), st.floats(1e-6, 1e6), st.floats(1e-6, 1e6))
def test_scale_of_vectors_does_not_matter(a: Matrix, b: Matrix, s: float, t: float) -> None:
    assert_allclose(cosine_distance(s * a, t * b), cosine_distance(a, b), atol=ROUNDING)


@given(matrices(), matrices(), rotations())
def test_rotation_does_not_matter(a: Matrix, b: Matrix, turn: Matrix) -> None:
    # A turned vector of size s errs by about s * 1e-16, and may be as short as 1e-3.
    assert_allclose(cosine_distance(a @ turn, b @ turn), cosine_distance(a, b), atol=1e-9)
