"""The table on a two-dimensional embedding whose cosines can be done by hand."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest
from gensim.models import KeyedVectors
from pandas.testing import assert_frame_equal

import bayesbias as bb
from bayesbias.embeddings.distances import distance_table, missing_words
from bayesbias.tables.schema import COLUMNS
from bayesbias.tables.wordlists import WordList

VECTORS = {
    "he": (1, 0),
    "she": (0, 2),
    "soldier": (3, 4),
    "nurse": (-5, 12),
    "null": (-1, 0),
    "nan": (0, -7),
}
"""Lengths 1, 2, 5, 13, 1, 7, so that every cosine is a fraction."""

BY_HAND = {
    ("he", "soldier"): 1 - 3 / 5,
    ("he", "nurse"): 1 + 5 / 13,
    ("he", "null"): 2.0,
    ("he", "nan"): 1.0,
    ("she", "soldier"): 1 - 4 / 5,
    ("she", "nurse"): 1 - 12 / 13,
    ("she", "null"): 1.0,
    ("she", "nan"): 2.0,
}


NOT_THERE = {
    "groups": {"man": ("xx",), "woman": ("yy",)},
    "stereotypes": {"man": ("x1",), "woman": ("y1",)},
    "controls": {},
}
"""Words of no vector."""


def embedding(**changed: tuple[float, float]) -> KeyedVectors:
    vectors = VECTORS | changed
    keyed = KeyedVectors(2)
    keyed.add_vectors(list(vectors), np.array(list(vectors.values()), dtype=np.float32))
    return keyed


def word_list(**changed: object) -> WordList:
    content: dict[str, object] = {
        "name": "toy",
        "groups": {"man": ("he",), "woman": ("she",)},
        "stereotypes": {"man": ("soldier",), "woman": ("nurse",)},
        "controls": {"neutral": ("null",), "human": ("nan",)},
    }
    return WordList(**(content | changed))  # type: ignore[arg-type]


@pytest.fixture
def table() -> pd.DataFrame:
    return distance_table(embedding(), word_list())


def test_distances_are_one_minus_the_cosine_by_hand(table: pd.DataFrame) -> None:
    pairs = zip(table["protected_word"], table["attribute"], strict=True)
    found = dict(zip(pairs, table["cosine_distance"], strict=True))
    assert found == pytest.approx(BY_HAND, abs=1e-12)  # small integers are exact in float32


def test_connections_groups_and_sets(table: pd.DataFrame) -> None:
    rows = {tuple(row) for row in table[list(COLUMNS[:-1])].astype(str).to_numpy()}
    assert rows == {
        ("he", "man", "soldier", "man_stereotype", "associated"),
        ("he", "man", "nurse", "woman_stereotype", "different"),
        ("he", "man", "null", "neutral", "neutral"),
        ("he", "man", "nan", "human", "human"),
        ("she", "woman", "nurse", "woman_stereotype", "associated"),
        ("she", "woman", "soldier", "man_stereotype", "different"),
        ("she", "woman", "null", "neutral", "neutral"),
        ("she", "woman", "nan", "human", "human"),
    }
    assert tuple(table.columns) == COLUMNS


def test_a_pair_stands_once_and_no_word_meets_itself() -> None:
    words = word_list(
        stereotypes={"man": ("soldier", "nurse"), "woman": ("nurse",)},
        controls={"human": ("he", "nurse", "nan")},
    )
    with pytest.warns(UserWarning, match="he of 'toy': protected words that are attributes too"):
        table = distance_table(embedding(), words)
    assert not table.duplicated(["protected_word", "attribute"]).any()
    assert not (table["protected_word"] == table["attribute"]).any()
    own = table[(table["protected_word"] == "he") & (table["attribute"] == "nurse")]
    assert own["connection"].tolist() == ["associated"]  # the first connection counts


def test_missing_words_are_absent_rows_and_reported() -> None:
    words = word_list(stereotypes={"man": ("soldier", "rancher"), "woman": ("nurse",)})
    table = distance_table(embedding(), words)
    assert "rancher" not in set(table["attribute"])
    lost = missing_words(embedding(), words)
    assert lost.to_numpy().tolist() == [["stereotype", "man_stereotype", "rancher"]]
    assert missing_words(embedding(), word_list()).empty


def spelt(words: WordList) -> KeyedVectors:
    return bb.load_vectors(embedding(), words, case="fallback")


def test_two_spellings_of_one_vector_count_once() -> None:
    """She and she are one protected word, Nurse and nurse one attribute, He is its own."""
    words = word_list(
        groups={"man": ("he",), "woman": ("she", "She")},
        stereotypes={"man": ("soldier", "Nurse"), "woman": ("nurse", "NURSE")},
        controls={"neutral": ("null", "He"), "human": ("nan",)},
    )
    with pytest.warns(UserWarning, match="of 'toy'") as told:
        table = distance_table(spelt(words), words)
    texts = [str(each.message) for each in told]
    assert texts[0].startswith("She as she, nurse as Nurse, NURSE as Nurse, He as he of 'toy'")
    assert texts[1].startswith("he of 'toy': protected words that are attributes too")
    found = {(row.protected_word, row.attribute.lower()) for row in table.itertuples()}
    assert found == BY_HAND.keys() | {("she", "he")}
    assert len(table) == len(found)
    own = dict(zip(table["protected_word"] + table["attribute"], table["connection"], strict=True))
    assert own["heNurse"] == own["sheNurse"] == "associated"
    assert bb.undersized_sets(spelt(words), words).set_index("set")["found"]["woman"] == 1


def test_one_word_in_two_groups_is_refused_however_it_is_spelt() -> None:
    words = word_list(groups={"man": ("he",), "woman": ("she", "He")})
    with pytest.raises(ValueError, match=r"'he' \(group man\) and 'He' \(group woman\) read the"):
        distance_table(spelt(words), words)


def test_sets_that_lost_too_much_are_named_and_refused_if_asked() -> None:
    there = tuple("abcd")
    vectors = embedding(**{word: (3.0, at + 1.0) for at, word in enumerate(there)})
    words = word_list(
        groups={"man": ("he", "null", "soldier"), "woman": ("she", "x1")},
        stereotypes={"man": (*there, "x2"), "woman": (*"abc", "x3")},
        controls={"human": (*there, "nan")},
    )
    thin = bb.undersized_sets(vectors, words)
    # One of five is a fifth, and not more; one of four is; two words are fewer than three.
    assert thin.to_numpy().tolist() == [
        ["protected", "woman", 2, 1, 0.5],
        ["stereotype", "woman_stereotype", 4, 3, 0.25],
    ]
    words = word_list(stereotypes={"man": (*there, "x2"), "woman": (*"abc", "x3")}, controls={})
    assert_frame_equal(
        distance_table(vectors, words, max_missing=0.25), distance_table(vectors, words)
    )
    with pytest.raises(ValueError, match=r"than 20%.*woman_stereotype \(3 of 4\).*max_missing"):
        distance_table(vectors, words, max_missing=0.2)
    with pytest.raises(ValueError, match=r"max_missing must lie in \[0, 1\]; got 20"):
        distance_table(vectors, words, max_missing=20)


@pytest.mark.parametrize(
    ("vectors", "changed", "message"),
    [
        ({"nurse": (0, 0)}, {}, "the vectors of nurse are all zeros or not finite"),
        ({"he": (np.nan, 1)}, {}, "the vectors of he are all zeros or not finite"),
        ({"he": (np.inf, 1), "she": (0, 0)}, {}, "of he, she are all zeros or not finite"),
        ({}, {"groups": {"man": ("xx",), "woman": ("she",)}}, "groups has a vector: man"),
        ({}, NOT_THERE, "none of the 4 words of 'toy' has a vector"),
        ({}, {"controls": {"human": ("x1",)}}, r"no rows for the connection\(s\) human of 'toy'"),
        ({}, {"groups": {}, "stereotypes": {}}, "the list 'toy' has control words only"),
    ],
)
def test_what_cannot_be_measured_is_refused(
    vectors: dict[str, tuple[float, float]], changed: dict[str, object], message: str
) -> None:
    with pytest.raises(ValueError, match=message):
        distance_table(embedding(**vectors), word_list(**changed))


"""Vectors as users hold them, made of KeyedVectors."""

"""Four sets of words of the list."""


@pytest.mark.parametrize(
    ("vectors", "error", "message"),
    [
        ([1.0, 2.0], TypeError, "vectors come from a path, .* or .words, array.; got list"),
        ({"a": {"he": [1]}}, TypeError, "mapping of embeddings: take one at a time, .* of 'a'"),
        ({"he": [1, 2], "she": [1]}, ValueError, "must be numbers, all of one length"),
        (pd.DataFrame({"x": [1.0]}), ValueError, "names each word once; got 0"),
        ((["he", "he"], np.eye(2)), ValueError, "names each word once; got one of them twice"),
        ((["he", "she"], np.eye(3)), ValueError, "2 words need as many rows"),
        ("glove-dmo", ValueError, "did you mean 'glove-demo'"),
    ],
)
def test_what_is_no_embedding_is_refused(
    vectors: Any, error: type[Exception], message: str
) -> None:
    with pytest.raises(error, match=message):
        distance_table(vectors, "religion")


def test_vectors_come_first() -> None:
    with pytest.raises(ValueError, match=r"the vectors come first, the words second: distance_t"):
        distance_table(word_list(), embedding())  # type: ignore[arg-type]
