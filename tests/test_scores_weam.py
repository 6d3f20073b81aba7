from __future__ import annotations

import math

import numpy as np
import pytest
from builders import cosine, normals
from hypothesis import given
from hypothesis import strategies as st

from bayesbias.scores import association_limit, psi, weam
from bayesbias.scores.weam import association_limit_of, psi_of

ROUNDING = 1e-12
"""Means of a few cosines in float64."""


@given(seed=st.integers(0, 10_000))
def test_psi_is_the_difference_of_mean_cosines(seed: int) -> None:
    W, A, B = normals(seed, 4, 2, 5, dims=3)
    expected = [
        sum(cosine(w, a) for a in A) / 2 - sum(cosine(w, b) for b in B) / 5 for w in W.tolist()
    ]
    assert np.allclose(psi_of(W, A, B), expected, atol=ROUNDING)


@given(seed=st.integers(0, 10_000))
def test_no_word_exceeds_the_limit_and_one_reaches_it(seed: int) -> None:
    W, A, B = normals(seed, 20, 3, 2, dims=3)
    limit = association_limit_of(A, B)
    assert np.abs(psi_of(W, A, B)).max() <= limit + ROUNDING
    best = sum(np.array(a) / np.linalg.norm(a) for a in A) / 3
    best = best - sum(np.array(b) / np.linalg.norm(b) for b in B) / 2
    assert psi_of([best, -best], A, B) == pytest.approx([limit, -limit], abs=ROUNDING)


def test_on_words() -> None:
    toy = {"a": [2.0, 0.0], "b": [0.0, 3.0], "w": [3.0, 4.0], "v": [0.0, 1.0]}
    result = weam(toy, ["w", "v", "gone"], ["a"], ["b"])
    assert result.psi.tolist() == pytest.approx([0.6 - 0.8, -1.0])
    assert result.score == pytest.approx(-0.6)
    assert result.to_a.tolist() == pytest.approx([0.6, 0.0])  # WEAM(w, Z) of Smarda
    assert result.to_b.tolist() == pytest.approx([0.8, 1.0])
    assert result.words == ("w", "v")
    assert result.missing == {"words": ("gone",)}
    assert result.limit == association_limit(toy, ["a"], ["b"]) == pytest.approx(math.sqrt(2))
    assert psi(toy, ["w"], ["a"], ["b"]).psi.tolist() == pytest.approx([-0.2])


def test_limit_is_zero_for_equal_sets_and_two_for_opposite() -> None:
    assert association_limit_of([[1.0, 0.0]], [[5.0, 0.0]]) == 0
    assert association_limit_of([[1.0, 0.0]], [[-1.0, 0.0]]) == 2
