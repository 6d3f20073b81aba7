"""Distance tables of a two-dimensional embedding with cosines that are easy to compute by hand."""

import numpy as np
import pandas as pd
import pytest
from builders import refused
from gensim.models import KeyedVectors
from pandas.testing import assert_frame_equal

import bayesbias as bb
from bayesbias.embeddings.distances import distance_table, missing_words
from bayesbias.records.naming import naming_of
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
"""Lengths 1, 2, 5, 13, 1, 7, so every cosine is a fraction."""

BY_HAND = [
    ("he", "man", "soldier", "man_stereotype", "associated", 1 - 3 / 5),
    ("he", "man", "nurse", "woman_stereotype", "different", 1 + 5 / 13),
    ("he", "man", "null", "neutral", "neutral", 2.0),
    ("he", "man", "nan", "human", "human", 1.0),
    ("she", "woman", "nurse", "woman_stereotype", "associated", 1 - 12 / 13),
    ("she", "woman", "soldier", "man_stereotype", "different", 1 - 4 / 5),
    ("she", "woman", "null", "neutral", "neutral", 1.0),
    ("she", "woman", "nan", "human", "human", 2.0),
]


def word_list(**changed: object) -> WordList:
    content: dict[str, object] = {
        "name": "toy",
        "groups": {"man": ("he",), "woman": ("she",)},
        "stereotypes": {"man": ("soldier",), "woman": ("nurse",)},
        "controls": {"neutral": ("null",), "human": ("nan",)},
    }
    return WordList(**(content | changed))  # type: ignore[arg-type]


def test_distances_connections_and_sets_by_hand() -> None:
    table = distance_table(VECTORS, word_list()).astype({"connection": str})
    expected = pd.DataFrame(BY_HAND, columns=list(COLUMNS))
    keys = ["protected_word", "attribute"]
    table, expected = (frame.sort_values(keys, ignore_index=True) for frame in (table, expected))
    assert_frame_equal(table, expected, atol=1e-12)  # small integers are exact in float32


def test_a_pair_stands_once_and_no_word_meets_itself() -> None:
    words = word_list(
        stereotypes={"man": ("soldier", "nurse"), "woman": ("nurse",)},
        controls={"human": ("he", "nurse", "nan")},
    )
    with pytest.warns(bb.warnings.BayesbiasWarning) as told:
        table = distance_table(VECTORS, words)
    assert told[0].message == bb.warnings.WordsInTwoRoles(("he",), about="toy")
    assert told[1].message == bb.warnings.WordsInTwoSets(("nurse",), about="toy")
    assert told[2].message.names == ("nurse",)  # a control that is a stereotype
    assert not table.duplicated(["protected_word", "attribute"]).any()
    assert not (table["protected_word"] == table["attribute"]).any()
    own = table[(table["protected_word"] == "he") & (table["attribute"] == "nurse")]
    assert own["connection"].tolist() == ["associated"]  # the first connection counts


@pytest.mark.filterwarnings("ignore::bayesbias.warnings.WordsInTwoSets")
def test_other_groups_have_a_shared_word_in_the_same_set_whatever_words_are_missing() -> None:
    groups = {name: (name,) for name in "xyz"}
    sets = {"y": ("a", "b", "c"), "x": ("a", "b"), "z": ("d", "e")}
    rows = dict(zip("xyzabcde", np.random.default_rng(1).normal(size=(8, 3)), strict=True))
    for lost in (set(), {"c"}, {"a", "c"}):
        known = {word: rows[word] for word in rows if word not in lost}
        table = distance_table(known, WordList("toy", groups, sets))
        shared = table[table["attribute"].isin(["a", "b"])]
        assert shared.loc[shared["protected_word"].isin(["x", "z"]), "attribute_set"].unique() == [
            "x_stereotype"
        ]


def test_missing_words_are_absent_rows_and_reported() -> None:
    words = word_list(stereotypes={"man": ("soldier", "rancher"), "woman": ("nurse",)})
    assert "rancher" not in set(distance_table(VECTORS, words)["attribute"])
    with pytest.warns(bb.warnings.ThinSet) as told:
        distance_table(VECTORS, word_list(stereotypes={"man": ("rancher",), "woman": ("nurse",)}))
    assert told[0].message == bb.warnings.ThinSet("man_stereotype", 0, 1, about="toy")
    lost = missing_words(VECTORS, words)
    assert lost.to_numpy().tolist() == [["stereotype", "man_stereotype", "rancher"]]
    assert missing_words(VECTORS, word_list()).empty


def spelt(words: WordList) -> KeyedVectors:
    return bb.load_vectors(VECTORS, words, case="fallback")


def test_two_spellings_of_one_vector_count_once() -> None:
    """She and she are one protected word, Nurse and nurse one attribute; He is separate."""
    words = word_list(
        groups={"man": ("he",), "woman": ("she", "She")},
        stereotypes={"man": ("soldier", "Nurse"), "woman": ("nurse", "NURSE")},
        controls={"neutral": ("null", "He"), "human": ("nan",)},
    )
    with pytest.warns(bb.warnings.BayesbiasWarning) as told:
        table = distance_table(spelt(words), words)
    same = (("She", "she"), ("nurse", "Nurse"), ("NURSE", "Nurse"), ("He", "he"))
    assert told[0].message == bb.warnings.SameSpellings(same, about="toy")
    assert told[1].message == bb.warnings.WordsInTwoRoles(("he",), about="toy")
    found = [(row.protected_word, row.attribute.lower()) for row in table.itertuples()]
    assert sorted(found) == sorted([*((row[0], row[2]) for row in BY_HAND), ("she", "he")])
    own = table[table["attribute"] == "Nurse"].set_index("protected_word")["connection"]
    assert own["he"] == own["she"] == "associated"
    assert bb.undersized_sets(spelt(words), words).set_index("set")["found"]["woman"] == 1
    sets = words.groups["woman"], words.groups["man"], words.stereotypes["woman"], ("soldier",)
    with pytest.warns(bb.warnings.SameSpellings) as told:
        score = bb.scores.weat(spelt(words), *sets)
    assert [one.message.spellings for one in told] == [(("She", "she"),), (("NURSE", "nurse"),)]
    assert score.score == bb.scores.weat(VECTORS, ("she",), ("he",), ("nurse",), ("soldier",)).score
    words = word_list(groups={"man": ("he",), "woman": ("she", "He")})
    refused(r"'he' \(group man\) and 'He' \(group woman\)", distance_table, spelt(words), words)
    refused("share he .as He.", bb.score_table, spelt(words), words)
    sets = words.groups["man"], words.groups["woman"], ("nurse",), ("soldier",)
    refused("X and Y share he .as He.", bb.scores.weat, spelt(words), *sets)


def test_sets_that_lost_too_much_are_named_and_refused_if_asked() -> None:
    there = tuple("abcd")
    vectors = VECTORS | {word: (3.0, row + 1.0) for row, word in enumerate("abcdefg")}
    words = word_list(
        groups={"man": ("he", "null", "soldier"), "woman": ("she", "x1")},
        stereotypes={"man": (*there, "x2"), "woman": (*"efg", "x3")},
        controls={"human": (*there, "nan")},
    )
    # One of five is not more than a fifth, but one of four is. Two words are fewer than three.
    assert bb.undersized_sets(vectors, words).to_numpy().tolist() == [
        ["protected", "woman", 2, 1, 0.5],
        ["stereotype", "woman_stereotype", 4, 3, 0.25],
    ]
    words = word_list(stereotypes={"man": (*there, "x2"), "woman": (*"efg", "x3")}, controls={})
    wide = distance_table(vectors, words, max_missing=0.25)
    assert_frame_equal(wide, distance_table(vectors, words))
    refused(r"\(3 of 4 left\)", distance_table, vectors, words, max_missing=0.2)
    refused("max_missing must lie", distance_table, vectors, words, max_missing=20)


def test_vectors_come_before_words() -> None:
    for swapped in ("weat7", bb.load_wordlist("weat7"), {"groups": {"a": ["b"]}}):
        refused("vectors first", distance_table, swapped, "glove-demo", error=TypeError)
    for embeddings in ({}, "glove-demo"):
        refused("mapping of names", bb.distance_tables, embeddings, "weat7", error=TypeError)


def test_what_cannot_be_measured_is_refused() -> None:
    none = {"groups": {"man": ("xx",), "woman": ("yy",)}, "controls": {}}
    for message, changed in (
        ("no requested word is in", none | {"stereotypes": {"man": ("x1",), "woman": ("y1",)}}),
        ("groups has a", {"groups": {"man": ("xx",), "woman": ("she",)}}),
        ("no rows for human", {"controls": {"human": ("x1",)}}),
        ("only control", {"groups": {}, "stereotypes": {}}),
    ):
        refused(message, distance_table, VECTORS, word_list(**changed))
    same = word_list(stereotypes=dict.fromkeys(("man", "woman"), ("nurse",)))
    with pytest.warns(bb.warnings.WordsInTwoSets):
        refused("have the same stereotypes", distance_table, VECTORS, same)


def test_sets_do_not_depend_on_which_words_an_embedding_has() -> None:
    rng = np.random.default_rng(4)
    groups = {name: (f"{name}1", f"{name}2") for name in "abc"}
    stereotypes = {"a": ("x",), "b": ("x", "y"), "c": ("x", "y", "z")}
    words = WordList(name="nested", groups=groups, stereotypes=stereotypes, controls={})
    spaces = {word: rng.standard_normal(4) for word in words.words}
    with pytest.warns(bb.warnings.WordsInTwoSets):
        whole = distance_table(spaces, words)
    del spaces["y"]
    with pytest.warns(bb.warnings.WordsInTwoSets):
        few = distance_table(spaces, words)
    ids = ["protected_word", "attribute", "attribute_set", "connection"]
    both = whole[whole["attribute"] != "y"]
    assert set(map(tuple, few[ids].astype(str).values)) == set(
        map(tuple, both[ids].astype(str).values)
    )


def test_names_of_sets_go_with_the_groups_that_have_words() -> None:
    rng = np.random.default_rng(4)
    words = WordList(
        name="shared",
        groups={"c": ("none",), "a": ("a1", "a2"), "b": ("b1", "b2")},
        stereotypes={"c": ("x", "y"), "a": ("x", "y"), "b": ("z",)},
        controls={},
    )
    spaces = {word: rng.standard_normal(4) for word in words.words if word != "none"}
    with pytest.warns(bb.warnings.BayesbiasWarning):
        named = naming_of(words).of(distance_table(spaces, words))
    assert [*named.groups] == [*named.sets] == ["a", "b"]
