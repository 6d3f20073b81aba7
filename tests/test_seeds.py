"""What a reader is led with does not depend on the seed."""

from __future__ import annotations

import numpy as np
import pytest

import bayesbias as bb
from bayesbias.report.numbers import graded


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "case"), [("religion", "exact"), ("gender", "exact"), ("weat6", "fallback")]
)
def test_twenty_seeds_give_the_same_words(name: str, case: str) -> None:
    table = bb.analyze("glove-demo", name, case=case, seed=1, reference_lists=0).table
    words, percents, ends = [], [], []
    for seed in range(20):
        rows = bb.contrasts(bb.fit(table, seed=seed)).query(
            "level != 'word' and first == 'associated' and second == 'different'"
        )
        words.append([graded(p).split(", ")[1] for p in rows["p_direction"]])
        percents.append((100 * rows["p_direction"]).round().to_numpy())
        ends.append(rows[["low", "high"]].to_numpy(dtype=float))
    assert all(one == words[0] for one in words)
    assert np.ptp(percents, axis=0).max() <= 1
    # One step of the three digits that are shown, from the middle of the seeds.
    assert abs(np.array(ends) - np.median(ends, axis=0)).max() <= 0.001
