"""Hard debiasing, of two classes and of more, and what all methods share."""

import dataclasses

import numpy as np
import pytest
from builders import refused
from debias_toys import (
    EQUALISE,
    GENDER,
    NEUTRAL,
    PAIRS,
    RELIGION,
    SINGLE,
    SPECIFIC,
    TRIPLES,
    direction_of,
    published_steps,
    toy,
    unit,
    vectors_of,
)
from hypothesis import given, settings
from hypothesis import strategies as st

import bayesbias as bb
from bayesbias.debias import DefiningSets, debiasing, hard, multiclass_hard
from bayesbias.scores import same


def test_it_agrees_with_the_published_algorithm_word_by_word() -> None:
    vectors = bb.load_vectors("glove-demo")
    sets = bb.debias.load_defining_sets("gender").in_case("fallback", vectors)
    pairs, equalise = (
        [members for members in tuples if all(word in vectors for word in members)]
        for tuples in (sets.defining, sets.equalise)
    )
    words = vectors.index_to_key
    rows = dict(zip(words, unit(vectors, words), strict=True))
    expected = published_steps(rows, direction_of(vectors, pairs), sets.kept, equalise)
    copy = vectors.vectors.copy()
    result = hard(vectors, sets)
    assert np.array_equal(vectors.vectors, copy)
    assert result.index_to_key == words
    by_hand = np.stack([expected[word] for word in words])
    np.testing.assert_allclose(result.vectors, by_hand, rtol=0, atol=SINGLE)
    assert len(equalise) > 40


@pytest.mark.parametrize(("sets", "k"), [(GENDER, 1), (GENDER, 3), (RELIGION, 3)])
def test_neutral_words_lose_the_subspace_and_equalised_ones_are_equally_far(sets, k: int) -> None:
    vectors = toy()
    result = multiclass_hard(vectors, sets, k=k)
    centered = [unit(vectors, m) - unit(vectors, m).mean(axis=0) for m in sets.defining]
    directions = np.linalg.svd(np.vstack(centered))[2][:k]
    neutral = unit(result, NEUTRAL)
    assert np.abs(neutral @ directions.T).max() < SINGLE
    assert np.linalg.norm(result.vectors, axis=1) == pytest.approx(1, abs=SINGLE)
    for members in sets.equalise:
        assert np.ptp(unit(result, members) @ neutral.T, axis=0).max() < SINGLE


def test_equalising_triples_in_one_direction_warns() -> None:
    with pytest.warns(UserWarning, match=r"takes 2 directions, and k=1 are removed"):
        multiclass_hard(toy(), RELIGION, k=1)


def test_doing_it_twice_changes_nothing_more() -> None:
    # Equalised defining pairs differ along the removed directions only, so these are found again.
    once = hard(toy(), GENDER, k=2)
    assert np.array_equal(multiclass_hard(toy(), GENDER, k=2).vectors, once.vectors)
    assert hard(once, GENDER, k=2).vectors == pytest.approx(once.vectors, abs=3 * SINGLE)


def test_the_subspace_of_means_makes_same_vanish() -> None:
    vectors = toy()
    result = multiclass_hard(vectors, RELIGION, subspace="means")
    # SAME of the debiased words against the groups as they were.
    mixed = {word: vectors[word] for each in TRIPLES for word in each}
    mixed |= {word: result[word] for word in NEUTRAL}
    assert same(vectors, NEUTRAL, RELIGION.groups).score > 0.1
    assert same(mixed, NEUTRAL, RELIGION.groups).score < SINGLE
    assert debiasing(result).parameters == {"k": 2, "subspace": "means", "equalise": True}


@settings(max_examples=25)
@given(st.integers(0, 50), st.floats(0.01, 100))
def test_lengths_and_the_order_of_pairs_do_not_matter(seed: int, scale: float) -> None:
    vectors = toy(seed)
    scaled = vectors_of(tuple(vectors.index_to_key), vectors.vectors * scale)
    turned = dataclasses.replace(
        GENDER,
        defining=tuple(pair[::-1] for pair in PAIRS[::-1]),
        equalise=tuple(pair[::-1] for pair in EQUALISE[::-1]),
    )
    result = hard(vectors, GENDER).vectors
    # A product of float32 numbers rounds once, and neutralising may enlarge that ten times.
    assert hard(scaled, turned).vectors == pytest.approx(result, abs=10 * SINGLE)


def test_the_record_tells_what_was_done_and_what_was_missing() -> None:
    sets = DefiningSets(
        (*PAIRS, ("gal", "he")), (*EQUALISE, ("nun", "monk")), (*SPECIFIC, "gone"), name="more"
    )
    vectors = toy()
    result = hard(vectors, sets)
    record = debiasing(result)
    assert record.method == "hard"
    assert record.lists == "more"
    assert record.missing == {
        "defining sets": ("gal",),
        "specific words": ("gone",),
        "equalise sets": ("nun", "monk"),
    }
    assert debiasing(vectors) is None
    assert np.array_equal(result.vectors, hard(vectors, GENDER).vectors)


def test_forms_that_words_were_read_in_are_kept() -> None:
    vectors = bb.load_vectors(toy(), words=["SHE", *GENDER.kept, *NEUTRAL], case="fallback")
    assert bb.resolved_forms(hard(vectors, GENDER)) == bb.resolved_forms(vectors) == {"SHE": "she"}


def test_rows_of_zeros_stay_with_a_warning_and_other_bad_vectors_are_refused() -> None:
    vectors = toy()
    row = vectors.key_to_index["word3"]
    vectors.vectors[row] = 0
    with pytest.warns(UserWarning, match="vectors of 1 word.* are all zeros and were left so"):
        result = hard(vectors, GENDER)
    assert not result["word3"].any()
    assert np.isfinite(result.vectors).all()
    vectors.vectors[row] = np.inf
    refused("vectors of word3 are not finite", hard, vectors, GENDER)
    vectors = toy()
    vectors.vectors[vectors.key_to_index["king"]] = vectors["queen"]
    refused("equalise set queen, king: its words do not differ", hard, vectors, GENDER)
    rows = np.array([[1.0, -1, 0], [-1, 1, 0], [1, -1, 0]])
    few = vectors_of(("she", "he", "gendered"), rows)
    refused("nothing is left of the vector.* gendered", hard, few, DefiningSets([["she", "he"]]))
