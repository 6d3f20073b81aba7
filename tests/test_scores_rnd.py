from __future__ import annotations

import math

import numpy as np
import pytest
from builders import cosine, normals, refused
from hypothesis import given
from hypothesis import strategies as st

import bayesbias as bb
from bayesbias.scores import rnd, rnd_of

ROUNDING = 1e-10
"""Differences of lengths of vectors of five numbers in float64."""


@given(seed=st.integers(0, 10_000), unit=st.booleans())
def test_against_plain_loops(seed: int, unit: bool) -> None:
    X, Y, A = normals(seed, 3, 2, 4)
    result = rnd_of(X, Y, A, unit=unit)
    if unit:
        X, Y, A = (np.array([v / math.sqrt(sum(v * v)) for v in rows]) for rows in (X, Y, A))
    mean_x, mean_y = sum(X) / 3, sum(Y) / 2
    expected = [math.dist(mean_x, a) - math.dist(mean_y, a) for a in A]
    assert result.per_attribute == pytest.approx(expected, abs=ROUNDING)
    assert result.score == pytest.approx(sum(expected) / 4, abs=ROUNDING)
    assert abs(result.score) <= math.dist(mean_x, mean_y) + ROUNDING
    assert result.normalised is unit
    assert rnd_of(X, Y, A, average=False).score == pytest.approx(
        4 * rnd_of(X, Y, A).score, abs=ROUNDING
    )
    angles = [cosine(mean_y, a) - cosine(mean_x, a) for a in A]
    by_angle = rnd_of(X, Y, A, distance="cosine")
    assert by_angle.per_attribute == pytest.approx(angles, abs=ROUNDING)
    assert (result.average, by_angle.distance) == (True, "cosine")


@pytest.mark.parametrize(
    ("name", "wefe"),
    [("weat1", -0.0236038971), ("weat7", 0.7244526148), ("weat9", -1.2685563905)],
)
def test_value_of_wefe(name: str, wefe: float) -> None:
    """WEFE 1.0.1 on the bundled vectors: ``RND().run_query(Query([X, Y], [A]), model)``, float32.

    Garg et al. print the sum over attributes.
    """
    vectors, words = bb.load_vectors("glove-demo"), bb.load_wordlist(name)
    X, Y, A = *words.groups.values(), next(iter(words.stereotypes.values()))
    mean = rnd(vectors, X, Y, A)
    assert mean.score == pytest.approx(wefe, abs=1e-6)
    total = rnd(vectors, X, Y, A, average=False).score
    assert total == pytest.approx(len(mean.words) * wefe, abs=3e-5)


def test_on_words() -> None:
    toy = {"x": [0.0, 0.0, 1.0], "y": [3.0, 4.0, 1.0], "a": [0.0, 0.0, 1.0], "b": [3.0, 4.0, 1.0]}
    assert rnd(toy, ["x"], ["y"], ["a"]).score == pytest.approx(-5)
    both = rnd(toy, ["x"], ["y"], ["a"], ["b", "gone"])
    assert both.per_attribute.tolist() == pytest.approx([-5, 5])
    assert both.score == pytest.approx(0)
    assert both.missing == {"attributes": ("gone",)}
    refused("unknown distance 'cosin'", rnd, toy, ["x"], ["y"], ["a"], distance="cosin")
    refused("must be a list of words", rnd, toy, ["x"], ["y"], "a", error=TypeError)
