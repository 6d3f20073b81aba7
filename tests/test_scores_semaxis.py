from __future__ import annotations

import math

import numpy as np
import pytest
from builders import normals, refused
from hypothesis import given
from hypothesis import strategies as st

from bayesbias.scores import same_of, semaxis, semaxis_of

ROUNDING = 1e-10
"""Cosines of vectors of five numbers in float64."""


@given(seed=st.integers(0, 10_000), unit=st.booleans())
def test_against_plain_loops(seed: int, unit: bool) -> None:
    W, A, B = normals(seed, 4, 3, 2)
    result = semaxis_of(W, A, B, unit=unit)
    if unit:
        A, B = (np.array([v / math.sqrt(sum(v * v)) for v in rows]) for rows in (A, B))
    axis = sum(A) / 3 - sum(B) / 2
    expected = [sum(w * axis) / math.sqrt(sum(w * w) * sum(axis * axis)) for w in W]
    assert result.position == pytest.approx(expected, abs=ROUNDING)
    assert result.score == pytest.approx(sum(expected) / 4, abs=ROUNDING)
    assert (result.neighbours, result.normalised) == (0, unit)
    assert semaxis_of(W, B, A).score == pytest.approx(-semaxis_of(W, A, B).score, abs=ROUNDING)


@given(seed=st.integers(0, 10_000))
def test_of_unit_poles_it_is_the_signed_same(seed: int) -> None:
    W, A, B = normals(seed, 4, 3, 2)
    signed = same_of(W, [A, B]).signed
    assert semaxis_of(W, A, B, unit=True).position == pytest.approx(signed, abs=ROUNDING)


@pytest.mark.parametrize("length", [1e-3, 1.0, 1e3])
@pytest.mark.parametrize("n_a", [1, 100])
@pytest.mark.parametrize(("apart", "tells"), [(5e-6, True), (5e-7, False)])
def test_poles_must_differ_by_a_millionth_of_the_longest(length, n_a, apart, tells) -> None:
    A = np.tile([length, 0.0], (n_a, 1))
    B = np.tile([length, -apart * length], (101 - n_a, 1))
    if tells:
        # A difference of 5e-6 of numbers near 1 is right to 1e-10 of itself.
        assert semaxis_of([[0.0, 1.0]], A, B).score == pytest.approx(1, abs=1e-8)
    else:
        refused("same mean vector", semaxis_of, [[0.0, 1.0]], A, B)


def test_poles_without_length_are_refused() -> None:
    refused("same mean vector", semaxis_of, [[0.0, 1.0]], [[0.0, 0.0]], [[0.0, 0.0]])


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
    refused("same mean vector", semaxis, TOY, ["w"], ["a"], ["c"])
    refused("must not be negative", semaxis, TOY, ["w"], ["a"], ["b"], neighbours=-1)
    sets = ["w"], ["a"], ["b"]
    refused("needs gensim's KeyedVectors", semaxis, TOY, *sets, error=TypeError, neighbours=1)
