"""In which form a word is looked up, and what is remembered of it."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from embedding_toys import WORDS, check, keyed
from numpy.testing import assert_array_equal

from bayesbias.embeddings.load import in_lower_case, load_vectors, matched_forms, save_vectors


def test_exact_takes_the_word_as_it_stands() -> None:
    vectors = load_vectors(keyed(WORDS), ["Bill", "bill", "King"])
    check(vectors, {"bill": WORDS["bill"], "Bill": WORDS["Bill"]})
    assert matched_forms(vectors) == {}


def test_lower_takes_the_lower_cased_word_under_the_name_asked_for() -> None:
    vectors = load_vectors(keyed(WORDS), ["Bill", "bill", "King", "Paris"], case="lower")
    expected = {"King": WORDS["king"], "Bill": WORDS["bill"], "bill": WORDS["bill"]}
    check(vectors, expected)
    assert matched_forms(vectors) == {"King": "king", "Bill": "bill"}


def test_fallback_prefers_the_exact_form() -> None:
    vectors = load_vectors(keyed(WORDS), ["Bill", "King", "Paris", "KRAKÓW"], case="fallback")
    assert vectors.index_to_key == ["King", "Paris", "Bill", "KRAKÓW"]
    assert_array_equal(vectors["Bill"], np.float32(WORDS["Bill"]))
    assert matched_forms(vectors) == {"King": "king", "KRAKÓW": "kraków"}
    assert vectors.get_vecattr("Bill", "matched_form") == "Bill"
    assert vectors.get_vecattr("King", "matched_form") == "king"


def test_what_was_read_is_remembered_through_loading_and_saving_again(tmp_path: Path) -> None:
    first = load_vectors(keyed(WORDS), ["King", "queen"], case="fallback")
    assert matched_forms(load_vectors(first, ["King"])) == {"King": "king"}
    save_vectors(first, tmp_path / "again.npz")
    assert matched_forms(load_vectors(tmp_path / "again.npz")) == {"King": "king"}


def test_words_that_are_there_in_lower_case_only_are_remembered() -> None:
    asked = ["King", "Bill", "Queen", "lost"]
    assert in_lower_case(load_vectors(keyed(WORDS), asked)) == ("King", "Queen")
    assert in_lower_case(load_vectors(keyed(WORDS), asked, case="fallback")) == ()
    assert in_lower_case(load_vectors(keyed(WORDS))) == ()
    assert in_lower_case(keyed(WORDS)) == ()


def test_matched_forms_know_nothing_of_vectors_from_elsewhere() -> None:
    vectors = keyed(WORDS)
    assert matched_forms(vectors) == {}
    loaded = load_vectors(vectors, ["King"], case="fallback")
    loaded.add_vectors(["later"], np.ones((1, 3), np.float32))
    assert matched_forms(loaded) == {"King": "king"}
