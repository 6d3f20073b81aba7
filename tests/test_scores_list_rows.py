from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from builders import refused
from gensim.models import KeyedVectors

from bayesbias import (
    WordList,
    load_vectors,
    load_wordlist,
    score_table,
)
from bayesbias.scores import ripa
from bayesbias.scores.list_rows import Parts, list_rows, selections

TOY = {word: np.eye(9)[at] for at, word in enumerate("abcdefgh")}


def toy_list(**groups: tuple[str, ...]) -> WordList:
    groups = groups or {"one": ("a", "b"), "two": ("c", "d"), "three": ("e", "gone")}
    stereotypes = dict.fromkeys(groups, ("g", "h"))
    return WordList(name="toy", groups=groups, stereotypes=stereotypes)


def test_rows_by_group_and_the_missing() -> None:
    rows, missing = list_rows(TOY, toy_list())
    assert rows.groups == ("one", "two", "three")
    assert [each.shape for each in rows.protected] == [(2, 9), (2, 9), (1, 9)]
    assert rows.targets.shape == (6, 9)
    assert missing == {"group three": ("gone",)}


def test_words_in_the_same_place_are_defining_sets_if_all_are_there() -> None:
    rows, _ = list_rows(TOY, toy_list())
    assert rows.defining_words == (("a", "c", "e"),)
    assert rows.defining_sets.shape == (1, 3, 9)
    pair = rows.of_groups([1, 0])
    assert pair.groups == ("two", "one")
    assert pair.defining_words == (("c", "a"),)
    assert np.array_equal(pair.defining_sets[0, 0], TOY["c"])


def test_groups_of_different_size_have_no_defining_sets() -> None:
    rows, _ = list_rows(TOY, toy_list(one=("a", "b"), two=("c",)))
    with pytest.raises(ValueError, match="groups of equal size"):
        _ = rows.defining_sets
    rows, _ = list_rows(TOY, toy_list(one=("a", "lost"), two=("gone", "d")))
    with pytest.raises(ValueError, match="no place of the list"):
        _ = rows.defining_sets


def test_some_words() -> None:
    rows, _ = list_rows(TOY, toy_list(one=("a", "b"), two=("c", "d")))
    at = np.array
    some = rows.of_words(Parts((at([1, 1]), at([0])), (at([0]), at([1, 0])), at([1])))
    assert some.protected_words == (("b", "b"), ("c",))
    assert some.stereotype_words == (("g",), ("h", "g"))
    assert some.defining_words == (("b", "d"),)
    assert np.array_equal(some.protected[0], [TOY["b"], TOY["b"]])


def test_selections() -> None:
    rows, _ = list_rows(TOY, toy_list())
    assert list(selections(rows, "all")) == [(0, 1, 2)]
    assert list(selections(rows, "pair")) == [(0, 1), (0, 2), (1, 2)]
    assert len(list(selections(rows, "ordered"))) == 6


def test_lists_without_what_is_needed_are_refused() -> None:
    with pytest.raises(ValueError, match="no groups with stereotypes"):
        list_rows(TOY, WordList(name="n", controls={"neutral": ("a",)}))
    partly = WordList(name="p", groups={"one": ("a",), "two": ("b",)}, stereotypes={"one": ("c",)})
    refused("has no stereotypes of two", list_rows, TOY, partly)


def test_arguments_the_wrong_way_round_are_told() -> None:
    words = load_wordlist("gender")
    vectors = load_vectors("glove-demo", words)
    with pytest.raises(TypeError, match=r"a word list is given by its name.*got a KeyedVectors"):
        score_table(words, vectors)  # type: ignore[arg-type]


def test_what_is_not_the_vectors_of_one_embedding_is_told() -> None:
    told = "the vectors of one embedding come first, as bb.load_vectors returns them, .*; got a "
    wordlist, many = load_wordlist("gender"), r"mapping of embeddings; .* that of 'a'"
    table = pd.DataFrame({"protected_word": ["he"]})
    for given, kind in (
        (table, "DataFrame"),
        ("glove-demo", "str"),
        ({"a": TOY}, many),
        ({"a": "glove-demo"}, many),
        ({"a": KeyedVectors(2)}, many),
    ):
        refused(told + kind, score_table, given, wordlist, error=TypeError)
        refused(told + kind, ripa, given, ["he"], [("he", "she")], error=TypeError)
