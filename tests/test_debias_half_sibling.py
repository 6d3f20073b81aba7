"""Half-sibling regression against ridge regressions, word by word."""

import numpy as np
import pytest
from debias_toys import GENDER, NEUTRAL, RELIGION, toy, unit, vectors_of

from bayesbias.debias import debiasing, half_sibling

SINGLE = 1e-5
"""The toy's coordinates go up to about 10, which float32 rounds at 5e-7; sums of ten."""


@pytest.mark.parametrize(("sets", "alpha"), [(GENDER, 0.5), (GENDER, 60.0), (RELIGION, 2.0)])
def test_each_word_loses_what_a_ridge_regression_predicts(sets, alpha: float) -> None:
    vectors = toy()
    result = half_sibling(vectors, sets, alpha=alpha)
    design = np.stack([vectors[word] for word in sorted(sets.kept)]).astype(float).T
    penalty = np.sqrt(alpha) * np.eye(design.shape[1])
    for word in NEUTRAL[:20]:
        # Ridge as least squares on rows added for the penalty.
        weights = np.linalg.lstsq(
            np.vstack([design, penalty]),
            np.r_[vectors[word].astype(float), np.zeros(design.shape[1])],
        )[0]
        assert result[word] == pytest.approx(vectors[word] - design @ weights, abs=SINGLE)
    record = debiasing(result)
    assert record.parameters == {"alpha": alpha, "unit": False, "class_words": len(sets.kept)}
    for word in sets.kept:
        assert np.array_equal(result[word], vectors[word])


def test_the_penalty_is_on_the_scale_of_the_vectors() -> None:
    vectors = toy()
    words = tuple(vectors.index_to_key)
    larger = vectors_of(words, 10 * vectors.vectors)
    first = half_sibling(vectors, GENDER, alpha=1).vectors
    assert half_sibling(larger, GENDER, alpha=100).vectors / 10 == pytest.approx(first, abs=SINGLE)
    assert not np.allclose(half_sibling(larger, GENDER, alpha=1).vectors / 10, first, atol=1e-3)
    huge = half_sibling(vectors, GENDER, alpha=1e12, unit=True)
    assert huge.vectors == pytest.approx(unit(vectors, words), abs=SINGLE)
