"""Effective sizes of groups and sets."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from gensim.models import KeyedVectors

import bayesbias as bb


def table_of(copies: int) -> pd.DataFrame:
    """Two groups and sets, each of three unrelated words in so many nearly equal copies."""
    rng = np.random.default_rng(5)
    names = {part: [f"{part}{i}{c}" for i in range(3) for c in range(copies)] for part in "xyab"}
    keyed = KeyedVectors(40)
    for words in names.values():
        axes = np.repeat(np.linalg.qr(rng.standard_normal((40, 3)))[0].T, copies, axis=0)
        keyed.add_vectors(words, axes + 1e-4 * rng.standard_normal(axes.shape))
    groups, sets = ({"p": names[one], "q": names[two]} for one, two in ("xy", "ab"))
    wordlist = bb.WordList(name="toy", groups=groups, stereotypes=sets)
    return bb.distance_table(keyed, wordlist)


@pytest.mark.parametrize("copies", [1, 4])
def test_copies_of_a_word_count_once(copies: int) -> None:
    """Three unrelated clusters; chance cosines above the base count a little: 1/40 each."""
    frame = bb.effective_sizes(bb.fit(table_of(copies), seed=1, draws=50))
    assert frame["n_words"].tolist() == [3 * copies] * 4
    np.testing.assert_allclose(frame["n_effective"], 3.0, rtol=0.15)


def test_tables_without_vectors_are_refused() -> None:
    table = bb.nulls.Scenario().table(seed=1)
    with pytest.raises(ValueError, match="carries no cosines"):
        bb.effective_sizes(bb.fit(table, seed=1, draws=50))
