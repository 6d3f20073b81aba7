from __future__ import annotations

import numpy as np
import pytest
from builders import normals, refused
from hypothesis import given
from hypothesis import strategies as st

from bayesbias.scores import ect, ect_of

ROUNDING = 1e-10
"""A correlation of a few ranks in float64."""


@given(seed=st.integers(0, 10_000), n=st.integers(2, 8), unit=st.booleans())
def test_against_the_formula_of_rank_differences(seed: int, n: int, unit: bool) -> None:
    X, Y, A = normals(seed, 3, 2, n)
    result = ect_of(X, Y, A, unit=unit)
    assert result.normalised is unit

    def ranks(rows):
        mean = sum(row / np.sqrt(sum(row * row)) if unit else row for row in rows) / len(rows)
        cosines = [float(mean @ a) / np.sqrt(sum(a * a)) for a in A]
        return [sorted(cosines).index(c) for c in cosines]

    squares = sum((p - q) ** 2 for p, q in zip(ranks(X), ranks(Y), strict=True))
    # Without ties, Spearman's rho is 1 - 6 Σd²/(n(n² - 1)).
    assert result.score == pytest.approx(1 - 6 * squares / (n * (n * n - 1)), abs=ROUNDING)
    assert -1 <= result.score <= 1


def test_ties_take_their_mean_rank() -> None:
    from scipy.stats import spearmanr

    A = np.array([[1.0, 0.0], [1.0, 0.0], [0.0, 1.0], [1.0, 1.0]])
    result = ect_of([[2.0, 1.0]], [[0.5, 1.0]], A)
    expected = spearmanr(result.to_x, result.to_y).statistic
    assert result.score == pytest.approx(expected, abs=ROUNDING)


TOY = {"x": [1.0, 0.1], "y": [0.1, 1.0], "a": [1.0, 0.0], "b": [0.0, 1.0], "c": [1.0, 1.0]}


def test_on_words() -> None:
    result = ect(TOY, ["x"], ["y"], ["a"], ["b", "gone"])
    assert result.score == pytest.approx(-1)
    assert result.words == ("a", "b")
    assert result.missing == {"attributes": ("gone",)}
    assert ect(TOY, ["x"], ["y"], ["a", "b"]).score == pytest.approx(-1)
    assert ect(TOY, ["x"], ["a"], ["b", "c", "a"]).score == pytest.approx(1)


def test_bad_input_is_named() -> None:
    refused("needs at least two", ect, TOY, ["x"], ["y"], ["a"])
    refused("must be a list of words", ect, TOY, ["x"], ["y"], ["a"], "bc", error=TypeError)
