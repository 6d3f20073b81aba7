"""All words of an embedding, and looking them up."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bayesbias.embeddings import vocabulary
from bayesbias.embeddings.vocabulary import Vocabulary, rows_in, table_of

words_of_text = st.text(
    st.characters(codec="utf-8", exclude_characters="\n"), min_size=1, max_size=8
)


@given(words=st.lists(words_of_text, min_size=1, max_size=30), asked=st.lists(words_of_text))
def test_a_vocabulary_is_the_list_of_its_words(words: list[str], asked: list[str]) -> None:
    vocabulary = Vocabulary.of(words)
    assert len(vocabulary) == len(words)
    assert list(vocabulary) == words == [vocabulary[row] for row in range(len(words))]
    wanted = [*asked, *words[::2]]
    assert vocabulary.rows(wanted) == {w: words.index(w) for w in wanted if w in words}
    again = [row for row, word in enumerate(words) if word in words[:row]]
    assert vocabulary.duplicates().tolist() == again
    kept = np.arange(len(words)) % 3 > 0
    assert list(vocabulary.subset(kept)) == [w for w, k in zip(words, kept, strict=True) if k]


def test_what_a_vocabulary_refuses() -> None:
    with pytest.raises(ValueError, match=r"'a\\nb' holds a line break"):
        Vocabulary.of(["c", "a\nb"])
    with pytest.raises(IndexError, match="row 2 of a vocabulary of 2"):
        Vocabulary.of(["a", "b"])[2]
    assert Vocabulary.of(["a"]).rows(["a\nb", "a"]) == {"a": 0}


@given(wanted=st.sets(st.binary(max_size=3)), words=st.lists(st.binary(max_size=3)))
def test_rows_of_wanted_words_are_found(wanted: set[bytes], words: list[bytes]) -> None:
    wanted = {word for word in wanted if b"\n" not in word}
    words = [word for word in words if b"\n" not in word]
    hashes = vocabulary.hashes_of(b"".join(word + b"\n" for word in words))
    expected = [row for row, word in enumerate(words) if word in wanted]
    assert rows_in(hashes, table_of(wanted)) == expected


def test_hashes_that_share_a_place_are_told_apart(monkeypatch: pytest.MonkeyPatch) -> None:
    """All of them in one place of the table, its last one, so that a search goes round."""
    size = table_of([b"a", b"b", b"c"]).size
    made = np.arange(1, 5, dtype=np.uint64) * np.uint64(2 * size) - np.uint64(1)
    monkeypatch.setattr(vocabulary, "hashes_of", lambda *_: made[:3])
    assert rows_in(made, table_of([b"a", b"b", b"c"])) == [0, 1, 2]
