from __future__ import annotations

import math
import statistics

import numpy as np
import pytest
from builders import normals, refused
from hypothesis import given
from hypothesis import strategies as st

from bayesbias.scores import ripa, ripa_of

ROUNDING = 1e-10
"""Inner products of five numbers in float64."""


@given(seed=st.integers(0, 10_000))
def test_against_plain_loops(seed: int) -> None:
    W, X, Y = (rows.tolist() for rows in normals(seed, 4, 3, 3))
    result = ripa_of(W, X, Y)
    for at, w in enumerate(W):
        products = []
        for x, y in zip(X, Y, strict=True):
            b = [p - q for p, q in zip(x, y, strict=True)]
            length = math.sqrt(sum(v * v for v in b))
            products.append(sum(p * q for p, q in zip(w, b, strict=True)) / length)
        assert result.products[at] == pytest.approx(products, abs=ROUNDING)
        assert result.per_target[at] == pytest.approx(statistics.fmean(products), abs=ROUNDING)
        assert result.sd[at] == pytest.approx(statistics.pstdev(products), abs=ROUNDING)
    assert result.score == pytest.approx(result.per_target.mean())
    longer = ripa_of(10 * np.array(W), X, Y)
    assert longer.score == pytest.approx(10 * result.score, abs=10 * ROUNDING)


TOY = {"he": [1.0, 0.0], "she": [0.0, 1.0], "t": [4.0, 1.0]}


def test_on_words() -> None:
    result = ripa(TOY, ["t", "gone"], [("he", "she"), ("he", "lost")])
    assert result.score == pytest.approx(3 / math.sqrt(2))
    assert result.missing == {"targets": ("gone",), "pairs": ("lost",)}
    assert result.pairs == (("he", "she"),)
    assert ripa(TOY, ["t"], [("she", "he")]).score == pytest.approx(-3 / math.sqrt(2))


def test_bad_input_is_named() -> None:
    refused("RIPA takes pairs of words", ripa, TOY, ["t"], [("he", "she", "t")])
    refused("two equal vectors", ripa_of, [[1.0, 0.0]], [[1.0, 1.0]], [[1.0, 1.0]])
