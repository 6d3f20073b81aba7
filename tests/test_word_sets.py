from __future__ import annotations

import numpy as np
import pytest

from bayesbias.embeddings.word_sets import as_rows, look_up, look_up_tuples, refuse_overlap

TOY = {"he": [1.0, 0.0], "she": [0.0, 1.0], "void": [0.0, 0.0], "bad": [np.nan, 1.0]}
SHORT = {"her": [1.0], "hers": [2.0]}


def test_missing_words_are_left_out_and_reported() -> None:
    found = look_up(TOY, {"X": ["he", "xe"], "Y": ["she"]})
    assert found.rows["X"].tolist() == [[1, 0]]
    assert found.rows["X"].dtype == np.float64
    assert found.words == {"X": ("he",), "Y": ("she",)}
    assert found.missing == {"X": ("xe",)}


@pytest.mark.parametrize(
    ("words", "match"),
    [
        ([], "X is empty"),
        (["xe", "ze"], r"none of the 2 words of X is in the embedding \(xe, ze\)"),
        (["he", "he"], "X holds he more than once"),
        (["he", "void"], "vectors of void are all zeros or not finite"),
        (["bad"], "vectors of bad are all zeros or not finite"),
        (["he", "her", "she", "hers"], "of her, hers and of he are of different length"),
    ],
)
def test_bad_sets_are_named(words: list[str], match: str) -> None:
    with pytest.raises(ValueError, match=match):
        look_up(TOY | SHORT, {"X": words})


def test_a_string_is_not_a_list_of_words() -> None:
    with pytest.raises(TypeError, match="X must be a list of words; got the string 'he'"):
        look_up(TOY, {"X": "he"})


def test_shared_words_are_refused() -> None:
    with pytest.raises(ValueError, match="X and Y share he"):
        refuse_overlap("X", "Y", {"X": ["he"], "Y": ["she", "he"]})
    refuse_overlap("X", "Y", {"X": ["he"], "Y": ["she"]})


def test_tuples_with_a_missing_word_are_left_out_whole() -> None:
    rows, found, missing = look_up_tuples(TOY, "pairs", [("he", "she"), ("he", "xe")])
    assert [each.tolist() for each in rows] == [[[1, 0], [0, 1]]]
    assert found == (("he", "she"),)
    assert missing == {"pairs": ("xe",)}
    assert look_up_tuples(TOY, "pairs", [("he", "she")])[2] == {}
    lost = look_up_tuples(TOY, "pairs", [("he", "xe"), ("ze", "xe"), ("he", "she")])[2]
    assert lost == {"pairs": ("xe", "ze")}
    with pytest.raises(ValueError, match=r"no tuple of pairs .* missing words: xe"):
        look_up_tuples(TOY, "pairs", [("he", "xe")])
    for wrong in ("he", ("he",)):
        with pytest.raises(ValueError, match="pairs must hold pairs or longer tuples"):
            look_up_tuples(TOY, "pairs", [wrong])


def test_arrays_are_checked() -> None:
    assert as_rows("X", [[1, 2]]).dtype == np.float64
    for wrong in ([1.0, 2.0], np.empty((0, 3)), [[]]):
        with pytest.raises(ValueError, match="X must be a matrix with at least one row"):
            as_rows("X", wrong)
    with pytest.raises(ValueError, match=r"row\(s\) \[1\] of X are not finite"):
        as_rows("X", [[1.0], [np.inf]])
