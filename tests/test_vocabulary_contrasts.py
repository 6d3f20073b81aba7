"""Posterior contrasts against the vocabulary: what theory says of random and of planted lists."""

from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np
import pandas as pd
import pytest
from background_toys import leaning_list
from builders import only_row, refused
from numpy.random import default_rng

import bayesbias as bb
from bayesbias.background.reference_words import draw_lists, draw_pool, words_present
from bayesbias.background.vocabulary_contrasts import KEYS, VocabularyContrasts, list_contrasts

RNG = default_rng(0)


def words_of(table: pd.DataFrame) -> set[str]:
    return {*table["protected_word"], *table["attribute"]}


def overall(frame: pd.DataFrame) -> pd.DataFrame:
    return frame[frame["level"] == "overall"]


def embedding(lean: float) -> tuple[Any, bb.WordList]:
    return leaning_list(lean, n_words=800, dims=15, n=5, common=2.0)


@pytest.fixture(scope="module")
def lists() -> VocabularyContrasts:
    return bb.vocabulary_contrasts(*embedding(3.0), n_lists=30, draws=300, chains=1, seed=1)


def test_a_planted_contrast_lies_beyond_all_random_lists(lists: VocabularyContrasts) -> None:
    own = only_row(overall(lists.table), first="associated", second="different")
    assert own["mean"] < own["reference_low"] < own["reference_high"]
    assert own["percentile"] == 0
    assert own["p_value"] == 2 / 31
    # Random words lean to neither set of stereotypes: sd of the mean of 30 lists.
    assert abs(own["reference_mean"]) < 4 * own["reference_sd"] / np.sqrt(30)


def test_zero_is_not_the_baseline(lists: VocabularyContrasts) -> None:
    """All words lie near the neutral ones, and these, which lean elsewhere too, less than most.

    The contrast is positive, and yet low for a vocabulary in which it is larger.
    """
    own = only_row(overall(lists.table), first="different", second="neutral")
    assert own["mean"] > 0
    assert own["reference_low"] > 0
    assert own["excess"] == pytest.approx(own["mean"] - own["reference_mean"])
    assert own["excess"] < 0
    assert own["percentile"] < 0.05


@pytest.mark.parametrize("model", ["crossed", "by-group"])
def test_a_reference_list_is_read_as_a_fit_of_its_own_would_read_it(model: str) -> None:
    """Means given the table's sds against fits of the list: equal but for what sds do."""
    vectors, words = embedding(3.0)
    words = replace(words, controls={"matched": tuple(f"w{i}" for i in range(8))})
    table, pool = bb.distance_table(vectors, words), draw_pool(vectors, words.words, rng=RNG)
    own = words_present(words, pool.found)
    options = {"vary": "both", "match": "topics", "n_lists": 1}
    (drawn,) = draw_lists(pool, own, rng=default_rng(1), **options)
    found = list_contrasts(table, bb.fit(table, model, seed=1), pool, [drawn])
    known = pool.found | {word: pool.vectors[row] for word, row in drawn.items()}
    fitted = bb.contrasts(bb.fit(bb.distance_table(known, own), model, seed=2))
    fitted = fitted.query("level != 'word'")
    assert found[KEYS].to_numpy().tolist() == fitted[KEYS].to_numpy().tolist()
    # The mean of posterior means over sds against the one at the mean sds of another list.
    assert (abs(found["mean"] - fitted["mean"].to_numpy()) < 0.5 * fitted["sd"].to_numpy()).all()
    assert drawn.keys() == words_of(table) - {*words.controls["matched"]}


def test_equal_seeds_give_equal_results() -> None:
    first, second, other = (
        bb.vocabulary_contrasts(
            *embedding(1.0), "paper", vary="both", n_lists=5, draws=50, chains=1, seed=seed
        )
        for seed in (3, 3, 4)
    )
    pd.testing.assert_frame_equal(first.table, second.table)
    pd.testing.assert_frame_equal(first.reference, second.reference)
    assert (first.reference["mean"] != other.reference["mean"]).any()
    assert first.seed == 3


def test_what_is_refused() -> None:
    vectors, words = embedding(1.0)
    for options, what in (
        ({"vary": "all"}, "unknown vary 'all'"),
        ({"match": "length"}, "unknown match 'length'"),
        ({"n_lists": 1}, "n_lists must be a whole number, 2 or more; got 1"),
        ({"model": "robust"}, "need a Normal model.* the model 'robust' is student"),
        (
            {"ranks": (0, 7)},
            "2 of the embedding's 7 words to choose from are left, fewer than the 5 of",
        ),
    ):
        call = partial(bb.vocabulary_contrasts, vectors, words, **options)
        refused(what, call)
