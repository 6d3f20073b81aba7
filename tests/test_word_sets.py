"""Word sets and tuples as scores read them from an embedding."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from bayesbias.embeddings.word_sets import as_rows, look_up, look_up_tuples, refuse_overlap

TOY = {
    **{"he": [1.0, 0.0], "she": [0.0, 1.0], "void": [0.0, 0.0], "bad": [np.nan, 1.0]},
    **{"her": [1.0], "hers": [2.0]},
}


def test_missing_words_are_left_out_and_reported() -> None:
    found = look_up(TOY, {"X": ["he", "xe"], "Y": ["she"]})
    assert found.rows["X"].tolist() == [[1, 0]]
    assert found.words == {"X": ("he",), "Y": ("she",)}
    assert found.missing == {"X": ("xe",)}
    refuse_overlap("X", "Y", {"X": ["he"], "Y": ["she"]})
    assert as_rows("X", [[1, 2]]).dtype == found.rows["X"].dtype == np.float64


def test_tuples_with_a_missing_word_are_left_out_whole() -> None:
    pairs = [("he", "xe"), ("ze", "xe"), ("he", "she")]
    rows, found, missing = look_up_tuples(TOY, "pairs", pairs)
    assert [pair.tolist() for pair in rows] == [[[1, 0], [0, 1]]]
    assert found == (("he", "she"),)
    assert missing == {"pairs": ("xe", "ze")}


def of(*words: str) -> Callable[[], object]:
    return lambda: look_up(TOY, {"X": words})


REFUSALS: list[tuple[Callable[[], object], str]] = [
    (of(), "X is empty"),
    (of("xe", "ze"), r"none of the 2 words of X is in the embedding \(xe, ze\)"),
    (of("he", "he"), "X holds he more than once"),
    (of("he", "void"), "vectors of void are all zeros or not finite"),
    (of("bad"), "vectors of bad are all zeros or not finite"),
    (of("he", "her", "she", "hers"), "of her, hers and of he are of different length"),
    (lambda: look_up(TOY, {"X": "he"}), "X must be a list of words; got the string 'he'"),
    (lambda: look_up(TOY, {"X": ["he"], "Y": ["her"]}), "of different length: not of one embed"),
    (lambda: refuse_overlap("X", "Y", {"X": ["he"], "Y": ["she", "he"]}), "X and Y share he"),
    (lambda: look_up_tuples(TOY, "pairs", []), "pairs is empty"),
    (lambda: look_up_tuples(TOY, "pairs", [("he", "xe")]), "no tuple of pairs .* words: xe"),
    (lambda: look_up_tuples(TOY, "pairs", "he"), "pairs must hold pairs or longer tuples"),
    (lambda: look_up_tuples(TOY, "pairs", [("he",)]), "pairs must hold pairs or longer tuples"),
    (lambda: as_rows("X", [1.0, 2.0]), "X must be a matrix with at least one row"),
    (lambda: as_rows("X", np.empty((0, 3))), "X must be a matrix with at least one row"),
    (lambda: as_rows("X", [[1.0], [np.inf]]), r"row\(s\) \[1\] of X are not finite"),
]


@pytest.mark.parametrize(("call", "message"), REFUSALS)
def test_refusals(call: Callable[[], object], message: str) -> None:
    with pytest.raises((ValueError, TypeError), match=message):
        call()
