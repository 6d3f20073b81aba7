from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from score_toys import normals

from bayesbias._core.arrays import cosine_similarity
from bayesbias.scores import nas_of, permutation_p_values, sc_weat, sc_weat_of


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


def test_choices() -> None:
    W, A, B = normals(0, 3, 4, 3)
    cosines = cosine_similarity(W, np.vstack([A, B]))
    usual = sc_weat_of(W, A, B)
    assert (usual.ddof, usual.alternative, usual.method) == (1, "two-sided", "enumerate")
    assert np.array_equal(usual.p_value, permutation_p_values(cosines, 4).p_value)
    chosen = sc_weat_of(W, A, B, ddof=0, alternative="greater", method="sampled", seed=3)
    assert (chosen.ddof, chosen.alternative, chosen.method) == (0, "greater", "sampled")
    assert np.array_equal(chosen.effect_size, nas_of(W, A, B, ddof=0).effect_size)
    sampled = permutation_p_values(cosines, 4, alternative="greater", method="sampled", seed=3)
    assert np.array_equal(chosen.p_value, sampled.p_value)
    assert np.array_equal((chosen.p_low, chosen.p_high), (sampled.low, sampled.high))


def test_on_words() -> None:
    toy = {"w": [1.0, 0.0], "a": [1.0, 0.1], "c": [1.0, 0.3], "b": [0.1, 1.0], "d": [0.0, 1.0]}
    result = sc_weat(toy, ["w"], ["a", "c"], ["b", "d", "gone"])
    assert result.p_value.tolist() == pytest.approx([2 / 6])  # of six splits the two extreme ones
    assert result.missing == {"B": ("gone",)}
    assert result.per_word()["word"].tolist() == ["w"]
