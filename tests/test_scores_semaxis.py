from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bayesbias.scores import semaxis, semaxis_of

ROUNDING = 1e-10
"""Cosines of vectors of five numbers in float64."""


@given(seed=st.integers(0, 10_000), unit=st.booleans())
def test_against_plain_loops(seed: int, unit: bool) -> None:
    random = np.random.default_rng(seed)
    W, A, B = (random.normal(size=(n, 5)) for n in (4, 3, 2))
    result = semaxis_of(W, A, B, unit=unit)
    if unit:
        A, B = (np.array([v / math.sqrt(sum(v * v)) for v in rows]) for rows in (A, B))
    axis = sum(A) / 3 - sum(B) / 2
    expected = [sum(w * axis) / math.sqrt(sum(w * w) * sum(axis * axis)) for w in W]
    assert result.position == pytest.approx(expected, abs=ROUNDING)
    assert result.score == pytest.approx(sum(expected) / 4, abs=ROUNDING)
    assert semaxis_of(W, B, A).score == pytest.approx(-semaxis_of(W, A, B).score, abs=ROUNDING)


def test_poles_are_widened_by_their_neighbours() -> None:
    from gensim.models import KeyedVectors

    vectors = KeyedVectors(2)
    rows = np.array([[1, 0], [0, 1], [1, 0.5], [0.1, 1], [1, 1]], dtype=np.float32)
    vectors.add_vectors(["a", "b", "near_a", "near_b", "w"], rows)
    result = semaxis(vectors, ["w"], ["a"], ["b"], neighbours=1)
    axis = (rows[0] + rows[2]) / 2 - (rows[1] + rows[3]) / 2
    expected = axis.sum() / np.linalg.norm(axis) / math.sqrt(2)
    assert result.score == pytest.approx(float(expected), abs=1e-6)  # float32
    assert result.neighbours == 1


TOY = {"a": [1.0, 0.0], "b": [0.0, 1.0], "c": [1.0, 0.0], "w": [1.0, 0.0]}


def test_on_words() -> None:
    result = semaxis(TOY, ["w", "gone"], ["a"], ["b"])
    assert result.score == pytest.approx(math.sqrt(0.5))
    assert result.missing == {"words": ("gone",)}


def test_bad_input_is_named() -> None:
    with pytest.raises(ValueError, match="same mean vector"):
        semaxis(TOY, ["w"], ["a"], ["c"])
    with pytest.raises(ValueError, match="must not be negative"):
        semaxis(TOY, ["w"], ["a"], ["b"], neighbours=-1)
    with pytest.raises(TypeError, match="needs gensim's KeyedVectors"):
        semaxis(TOY, ["w"], ["a"], ["b"], neighbours=1)
