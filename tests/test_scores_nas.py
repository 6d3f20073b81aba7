from __future__ import annotations

import math
import statistics
from itertools import combinations

import numpy as np
import pytest
from builders import cosine, normals
from hypothesis import given, settings
from hypothesis import strategies as st

from bayesbias._core.arrays import cosine_similarity
from bayesbias.scores import (
    nas,
    nas_of,
    sc_weat,
    sc_weat_of,
    weat_of_associations,
)

ROUNDING = 1e-10
"""A difference of mean cosines over their sd, in float64."""


@given(seed=st.integers(0, 10_000))
def test_against_plain_loops(seed: int) -> None:
    W, A, B = (rows.tolist() for rows in normals(seed, 3, 4, 2))
    for ddof, sd in ((0, statistics.pstdev), (1, statistics.stdev)):
        expected = []
        for w in W:
            a, b = [cosine(w, each) for each in A], [cosine(w, each) for each in B]
            expected.append((statistics.fmean(a) - statistics.fmean(b)) / sd(a + b))
        result = nas_of(W, A, B, ddof=ddof)
        assert result.ddof == ddof
        assert result.effect_size == pytest.approx(expected, rel=ROUNDING, abs=ROUNDING)
        assert result.score == pytest.approx(statistics.fmean(expected), rel=ROUNDING, abs=ROUNDING)


def test_is_weat_of_one_word_with_attributes_in_place_of_words() -> None:
    w, A, B = normals(0, 1, 4, 4)
    to_a, to_b = ([cosine(w[0], each) for each in rows] for rows in (A, B))
    effect = weat_of_associations(to_a, to_b).effect_size
    assert nas_of(w, A, B).score == pytest.approx(effect, rel=ROUNDING)


def test_words_and_bad_input() -> None:
    toy = {"w": [1.0, 0.0], "e": [0.0, 0.0, 1.0], "a": [1.0, 0.1], "b": [0.1, 1.0]}
    result = nas(toy, ["w", "gone"], ["a"], ["b"])
    assert result.missing == {"words": ("gone",)}
    assert result.score == pytest.approx(math.sqrt(2))  # ±1/2 apart: difference over its sd
    with pytest.raises(ValueError, match=r"word\(s\) \[0\] are equally near to every attribute"):
        nas_of([[0.0, 0.0, 1.0]], [[1.0, 0, 0]], [[0, 1.0, 0]])


@settings(max_examples=25)
@given(seed=st.integers(0, 10_000))
def test_p_values_count_the_splits_of_the_attributes(seed: int) -> None:
    W, A, B = normals(seed, 3, 4, 3)
    result = sc_weat_of(W, A, B, alternative="greater")
    for cosines, p in zip(cosine_similarity(W, np.vstack([A, B])), result.p_value, strict=True):
        observed = cosines[:4].mean() - cosines[4:].mean()
        reached = 0
        for chosen in combinations(range(7), 4):
            rest = [i for i in range(7) if i not in chosen]
            difference = cosines[list(chosen)].mean() - cosines[rest].mean()
            reached += difference >= observed - 1e-12  # rounding of means of seven cosines
        assert p == pytest.approx(reached / 35)
    assert np.array_equal(result.effect_size, nas_of(W, A, B).effect_size)
    assert np.array_equal(result.p_low, result.p_high)


def test_sc_weat_on_words() -> None:
    toy = {"w": [1.0, 0.0], "a": [1.0, 0.1], "c": [1.0, 0.3], "b": [0.1, 1.0], "d": [0.0, 1.0]}
    result = sc_weat(toy, ["w"], ["a", "c"], ["b", "d", "gone"])
    assert result.p_value.tolist() == pytest.approx([2 / 6])  # of six splits the two extreme ones
    assert result.missing == {"B": ("gone",)}
    assert result.per_word()["word"].tolist() == ["w"]
