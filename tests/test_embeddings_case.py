"""In which form a word is looked up, and what is remembered of it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from embedding_toys import WORDS, Table, check, keyed

from bayesbias.embeddings.convert import save_vectors
from bayesbias.embeddings.load import load_vectors, resolved_forms
from bayesbias.embeddings.word_sets import look_up
from bayesbias.tables.spellings import first_spellings


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
    assert resolved_forms(vectors) == {word: f for word, f in read_as.items() if f != word}
    assert [vectors.get_vecattr(word, "matched_form") for word in read_as] == [*read_as.values()]


def test_what_was_read_is_remembered_through_loading_and_saving_again(tmp_path: Path) -> None:
    first = load_vectors(keyed(WORDS), ["King", "queen"], case="fallback")
    assert resolved_forms(load_vectors(first, ["King"])) == {"King": "king"}
    save_vectors(first, tmp_path / "again.npz")
    assert resolved_forms(load_vectors(tmp_path / "again.npz")) == {"King": "king"}


ODD: Table = {"New_York": (1, 0, 0), "café": (0, 1, 0), "naive": (0, 0, 1), "London": (1, 1, 0)}
NFD = "cafe\u0301"
"""As a Mac writes it: the accent is a letter of its own."""


@pytest.mark.parametrize(
    ("asked", "choices", "read_as"),
    [
        ("New York", {}, "New_York"),  # as word2vec writes phrases
        (NFD, {}, "café"),
        (NFD.upper(), {"case": "lower"}, "café"),
        ("naïve", {"strip_accents": True}, "naive"),
        ("NAÏVE", {"strip_accents": True, "case": "fallback"}, "naive"),
        ("café", {"strip_accents": True}, "café"),  # its own form comes first
    ],
)
def test_forms_that_stand_for_a_word(asked: str, choices: dict[str, Any], read_as: str) -> None:
    vectors = load_vectors(keyed(ODD), [asked], **choices)
    check(vectors, {asked: ODD[read_as]})
    assert resolved_forms(vectors).get(asked, asked) == read_as


def test_other_spellings_of_missing_words_are_remembered() -> None:
    others = {"CAFÉ": "café", "naïve": "naive", "NAÏVE": "naive", "london": "London"}
    vectors = load_vectors(keyed(ODD), [*others, "café", "lost"])
    assert vectors.others == others
    assert load_vectors(keyed(ODD)).others == {}
    with pytest.raises(ValueError, match=r"'naïve' is there as 'naive': .* or strip_accents=True"):
        load_vectors(keyed(ODD), ["naïve", "lost"])


def test_two_spellings_of_one_vector_are_one_word_of_a_set() -> None:
    vectors = load_vectors(keyed(WORDS), ["King", "king", "queen"], case="fallback")
    assert first_spellings(vectors, ["King", "king", "queen", "lost"]) == {
        "King": "King",
        "king": "King",
        "queen": "queen",
    }
    found = look_up(vectors, {"X": ["king", "King", "queen"], "Y": ["King", "lost"]})
    assert found.words == {"X": ("king", "queen"), "Y": ("King",)}
    assert found.missing == {"Y": ("lost",)}
