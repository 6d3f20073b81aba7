"""In which form a word is looked up, and what is remembered of it."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from embedding_toys import WORDS, check, keyed

from bayesbias.embeddings.load import in_lower_case, load_vectors, matched_forms, save_vectors


@pytest.mark.parametrize(
    ("case", "asked", "read_as"),
    [
        ("exact", ["Bill", "bill", "King"], {"bill": "bill", "Bill": "Bill"}),
        ("lower", ["Bill", "bill", "King"], {"King": "king", "Bill": "bill", "bill": "bill"}),
        (
            "fallback",  # prefers the exact form
            ["Bill", "King", "Paris", "KRAKÓW"],
            {"King": "king", "Paris": "Paris", "Bill": "Bill", "KRAKÓW": "kraków"},
        ),
    ],
)
def test_words_are_read_in_a_form_and_called_as_asked(
    case: str, asked: list[str], read_as: dict[str, str]
) -> None:
    vectors = load_vectors(keyed(WORDS), [*asked, "Missing"], case=case)
    check(vectors, {word: WORDS[form] for word, form in read_as.items()})
    assert matched_forms(vectors) == {word: f for word, f in read_as.items() if f != word}
    assert [vectors.get_vecattr(word, "matched_form") for word in read_as] == [*read_as.values()]


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
