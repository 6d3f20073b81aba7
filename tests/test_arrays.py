"""Unit rows, against numbers by hand."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from numpy.testing import assert_allclose

from bayesbias._core.arrays import unit_rows

rows = arrays(np.float64, (4, 3), elements=st.floats(-100, 100).map(lambda x: round(x, 3))).filter(
    lambda matrix: bool(matrix.any(axis=1).all())
)


@given(rows, st.floats(1e-300, 1e300))
def test_rows_have_length_one_whatever_their_scale(matrix: np.ndarray, scale: float) -> None:
    """Also where squares would overflow or vanish."""
    assert_allclose(unit_rows([[3 * scale, 4 * scale]]), [[0.6, 0.8]], atol=1e-12)
    found = unit_rows(matrix)
    assert_allclose(found, matrix / np.linalg.norm(matrix, axis=1, keepdims=True), atol=1e-12)


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ([[1, 0], [0, 0]], r"row\(s\) \[1\] are all zeros or not finite"),
        ([[np.nan, 1], [1, 0], [np.inf, 0]], r"row\(s\) \[0, 2\] are all zeros or not finite"),
        ([[], []], r"row\(s\) \[0, 1\] are all zeros"),
        ([1.0, 2.0], r"must be a matrix, one row a vector; got shape \(2,\)"),
    ],
)
def test_rows_without_direction_are_named(wrong: object, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        unit_rows(np.asarray(wrong))
