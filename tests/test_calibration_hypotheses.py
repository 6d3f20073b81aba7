"""WEAT and SAME under right and wrong hypotheses."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest
from builders import refused

from bayesbias.calibration import hypothesis_rates
from bayesbias.calibration.hypotheses import same_p_values
from bayesbias.nulls import UnitVectorScenario
from bayesbias.scores import same_of


def test_the_p_value_of_same_counts_all_splits() -> None:
    """By `same_of` on the vectors themselves, one split at a time."""
    random = np.random.default_rng(0)
    words, targets = random.normal(size=(6, 5)), random.normal(size=(4, 5))
    words[:2] += targets[0]
    rows, ends = (each / np.linalg.norm(each, axis=1, keepdims=True) for each in (words, targets))
    scores = []
    for x in combinations(range(6), 2):
        y = [at for at in range(6) if at not in x]
        scores.append(same_of(targets, [words[list(x)], words[y]]).score)
    expected = np.mean(np.array(scores) >= scores[0] - 1e-12)
    found = same_p_values((rows @ ends.T)[None], (rows @ rows.T)[None], 2)
    assert found == pytest.approx([expected])
    assert 0 < expected < 1


def test_weat_needs_the_right_hypothesis_and_same_needs_none() -> None:
    frame = hypothesis_rates(UnitVectorScenario(n_words=4), effects=[0.0, 0.2], n=60, seed=1)
    rate = frame.set_index(["effect", "hypothesis", "score"])["rate"]
    assert rate[0.2, "right", "weat"] == rate[0.2, "right", "same"] == 1
    assert rate[0.2, "wrong", "same"] == 1
    # Of 60 null tables more than 10 are significant at 5% with probability 3e-4, for three cells.
    nothing = [(0.0, "right", "weat"), (0.0, "right", "same"), (0.2, "wrong", "weat")]
    assert (rate[nothing] <= 10 / 60).all()
    assert (frame["low"] <= frame["rate"]).all()
    assert (frame["rate"] <= frame["high"]).all()


def test_equal_seeds_give_equal_rates() -> None:
    made = UnitVectorScenario(n_words=2, n_attributes=2)
    first, second = (hypothesis_rates(made, [0.1], 120, seed=3, alpha=0.4) for _ in range(2))
    assert first.equals(second)
    assert first["rate"].between(0, 1, inclusive="neither").any()
    assert set(first["n"]) == {120}


def test_what_does_not_fit_is_refused() -> None:
    refused("has distances but no vectors", hypothesis_rates, "independent", [0.0], 1)
    refused("got 3 groups", hypothesis_rates, "three-groups")
    refused("sets of one even size", hypothesis_rates, UnitVectorScenario(n_attributes=3))
    refused(r"has 9 \+ 9 words", hypothesis_rates, UnitVectorScenario(n_words=9))
    refused("alpha must lie in", hypothesis_rates, alpha=2.0)
    refused("got int", hypothesis_rates, 3, error=TypeError)
