"""Posterior contrasts against the vocabulary: what theory says of random and of planted lists."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest
from gensim.models import KeyedVectors
from refusals import refuses

import bayesbias as bb
from bayesbias.background.vocabulary_contrasts import VocabularyContrasts

DIMS = 15


def embedding(lean: float) -> tuple[Any, bb.WordList]:
    """Two groups that lean to their own stereotypes; all words lean to the neutral ones."""
    rng = np.random.default_rng(4)
    axes = np.eye(DIMS)
    rows = {f"w{i}": rng.standard_normal(DIMS) + 2 * axes[2] for i in range(800)}
    for at, group in enumerate("xy"):
        for i in range(5):
            rows[f"{group}{i}"] = rng.standard_normal(DIMS) + 2 * axes[2] + lean * axes[at]
            rows[f"{group}s{i}"] = rng.standard_normal(DIMS) + lean * axes[at]
    rows |= {f"n{i}": rng.standard_normal(DIMS) + 3 * axes[2] for i in range(6)}
    vectors = KeyedVectors(DIMS)
    vectors.add_vectors(list(rows), np.stack(list(rows.values())).astype(np.float32))
    words = bb.WordList(
        "planted",
        {g: [f"{g}{i}" for i in range(5)] for g in "xy"},
        {g: [*(f"{g}s{i}" for i in range(5)), "absent"] for g in "xy"},
        {"neutral": [f"n{i}" for i in range(6)]},
    )
    return vectors, words


@pytest.fixture(scope="module")
def planted() -> VocabularyContrasts:
    return bb.vocabulary_contrasts(*embedding(3.0), n_lists=30, draws=300, chains=1, seed=1)


def row(found: VocabularyContrasts, first: str, second: str) -> pd.Series[Any]:
    table = found.table
    return table[(table["first"] == first) & (table["second"] == second)].iloc[0]


def test_a_planted_contrast_lies_beyond_all_random_lists(planted: VocabularyContrasts) -> None:
    own = row(planted, "associated", "different")
    assert own["mean"] < own["reference_low"] < own["reference_high"]
    assert own["percentile"] == 0
    assert own["p_value"] == 2 / 31
    assert own["p_below"] > 0.99
    # Random words lean to neither set of stereotypes: sd of the mean of 30 lists.
    assert abs(own["reference_mean"]) < 4 * own["reference_sd"] / np.sqrt(30)


def test_zero_is_not_the_baseline(planted: VocabularyContrasts) -> None:
    """All words lie near the neutral ones, and these, which lean elsewhere too, less than most.

    The contrast is positive, and yet low for a vocabulary in which it is larger.
    """
    own = row(planted, "different", "neutral")
    assert own["mean"] > 0
    assert own["reference_low"] > 0
    assert own["excess"] == pytest.approx(own["mean"] - own["reference_mean"])
    assert own["excess"] < 0
    assert own["percentile"] < 0.05


def test_the_posterior_is_that_of_the_list_itself(planted: VocabularyContrasts) -> None:
    overall = bb.contrasts(planted.posterior).query("level == 'overall'")
    assert planted.table["mean"].tolist() == overall["mean"].tolist()
    assert len(planted.reference) == 30 * 3
    mean = planted.reference.query("first == 'associated' and second == 'different'")["mean"].mean()
    assert row(planted, "associated", "different")["reference_mean"] == pytest.approx(mean)


@pytest.mark.parametrize("vary", ["protected", "stereotypes"])
def test_equal_seeds_give_equal_results(vary: Any) -> None:
    first, second, other = (
        bb.vocabulary_contrasts(
            *embedding(1.0), "paper", vary=vary, n_lists=5, draws=50, chains=1, seed=seed
        )
        for seed in (3, 3, 4)
    )
    pd.testing.assert_frame_equal(first.table, second.table)
    pd.testing.assert_frame_equal(first.reference, second.reference)
    assert (first.reference["mean"] != other.reference["mean"]).any()
    assert first.vary == vary


def test_what_is_refused() -> None:
    vectors, words = embedding(1.0)
    for options, what in (
        ({"vary": "both"}, "unknown vary 'both'"),
        ({"n_lists": 1}, "n_lists must be a whole number from 2 on; got 1"),
        ({"model": "robust"}, "the model 'robust' is student.* need a Normal model"),
        ({"ranks": (0, 7)}, "has 7 words to choose from, fewer than the 10"),
    ):
        refuses(what, bb.vocabulary_contrasts, vectors, words, **options)
