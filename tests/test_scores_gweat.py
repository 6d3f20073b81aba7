from __future__ import annotations

import numpy as np
import pytest
from builders import normals, refused
from hypothesis import given
from hypothesis import strategies as st

from bayesbias.scores import gweat, gweat_groups, gweat_of, psi_of

ROUNDING = 1e-12
"""Means of a few products of unit vectors in float64."""


@given(seed=st.integers(0, 10_000), n=st.integers(2, 4))
def test_against_plain_loops(seed: int, n: int) -> None:
    random = np.random.default_rng(seed)
    X = [random.normal(size=(random.integers(1, 4), 3)) for _ in range(n)]
    A = [random.normal(size=(random.integers(1, 4), 3)) for _ in range(n)]

    def means(sets):
        return [sum(v / np.sqrt(sum(v * v)) for v in rows) / len(rows) for rows in sets]

    x, a = means(X), means(A)
    mu, every = sum(x) / n, sum(a) / n
    expected = [sum((x[i] - mu) * (a[i] - every)) for i in range(n)]
    result = gweat_of(X, A)
    assert result.per_group == pytest.approx(expected, abs=ROUNDING)
    assert result.score == pytest.approx(sum(expected), abs=ROUNDING)


@given(seed=st.integers(0, 10_000))
def test_of_two_groups_is_half_the_difference_of_mean_associations(seed: int) -> None:
    X, Y, A, B = normals(seed, 3, 5, 2, 4, dims=4)
    half = (psi_of(X, A, B).mean() - psi_of(Y, A, B).mean()) / 2
    assert gweat_of([X, Y], [A, B]).score == pytest.approx(half, abs=ROUNDING)


TOY = {"x": [1.0, 0.0], "y": [0.0, 1.0], "a": [2.0, 0.0], "b": [0.0, 3.0]}


def test_on_words() -> None:
    assert gweat(TOY, ["x"], ["y"], ["a"], ["b"]).score == pytest.approx(1.0)
    assert gweat(TOY, ["x"], ["y"], ["b"], ["a"]).score == pytest.approx(-1.0)
    result = gweat_groups(TOY, [["x"], ["y"]], [["a", "gone"], ["b"]])
    assert result.missing == {"attribute set 0": ("gone",)}


def test_bad_input_is_named() -> None:
    refused("as many attribute sets; got 2 and 1", gweat_of, [[[1.0]], [[1.0]]], [[[1.0]]])
    refused("target group 0 and target group 1 share x", gweat, TOY, ["x"], ["x"], ["a"], ["b"])
