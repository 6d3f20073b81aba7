"""Loading vectors: every format, words of every kind, and what is refused.

Files are written by a few lines of the tests' own and by gensim, both independent of the readers.
"""

from __future__ import annotations

import struct
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from embedding_toys import (
    WORDS,
    File,
    Table,
    as_binary,
    as_text,
    check,
    keyed,
    zipped,
)
from gensim.models import KeyedVectors
from numpy.testing import assert_array_equal

from bayesbias.embeddings.load import iter_vectors, load_vectors
from bayesbias.tables.wordlists import load_wordlist, wordlists


@pytest.mark.parametrize("name", ["a.bin", "a.txt", "a.bin.gz", "a.vec.gz"])
def test_files_written_by_gensim(tmp_path: Path, name: str) -> None:
    path = tmp_path / name
    rng = np.random.default_rng(5)
    theirs = KeyedVectors(20)
    theirs.add_vectors([f"w{i}" for i in range(500)], rng.standard_normal((500, 20), np.float32))
    theirs.save_word2vec_format(str(path), binary=".bin" in name)
    again = KeyedVectors.load_word2vec_format(str(path), binary=".bin" in name)
    ours = load_vectors(path)
    assert ours.index_to_key == again.index_to_key
    assert_array_equal(ours.vectors, again.vectors)
    some = load_vectors(path, {"w3", "w499", "w77"})
    assert some.index_to_key == ["w3", "w77", "w499"]
    assert_array_equal(some["w499"], again["w499"])


def test_googlenews_as_gensim_reads_it(shared_data: Path) -> None:
    path = shared_data / "vectors" / "googlenews_subset.bin"
    theirs = KeyedVectors.load_word2vec_format(str(path), binary=True)
    ours = load_vectors(path)
    assert ours.index_to_key == theirs.index_to_key
    assert_array_equal(ours.vectors, theirs.vectors)
    words = load_wordlist("religion")
    some = load_vectors(path, words)
    assert set(some.key_to_index) == set(words.words) & set(theirs.key_to_index)
    assert all((some[word] == theirs[word]).all() for word in some.key_to_index)
    again = load_vectors(path, reversed(words.words))  # the order of asking changes nothing
    assert again.index_to_key == some.index_to_key
    assert_array_equal(again.vectors, some.vectors)


@pytest.mark.parametrize("kind", [list, tuple, set, frozenset, iter, np.array])
def test_words_may_come_in_any_collection_and_more_than_once(kind: Callable[..., Any]) -> None:
    vectors = load_vectors(keyed(WORDS), kind(["queen", "king", "king"]))
    check(vectors, {"king": WORDS["king"], "queen": WORDS["queen"]})


@pytest.mark.parametrize("name", ["twice.bin", "twice.txt"])
def test_of_a_word_that_stands_twice_the_first_counts(file: File, name: str) -> None:
    row = as_binary({"a": (1.0, 2.0)}, header="3 2") if ".bin" in name else b"3 2\na 1 2\n"
    more = [b"b " + struct.pack("<2f", 3, 4), b"a " + struct.pack("<2f", 5, 6)]
    more = more if ".bin" in name else [b"b 3 4\n", b"a 5 6\n"]
    check(load_vectors(file(name, row + b"".join(more))), {"a": (1, 2), "b": (3, 4)})


# -- words that are not simple ----------------------------------------------------------------

GLOVE_840B = "the 1 2\n. . . 3 4\nat name@domain.com 5 6\n"


@pytest.mark.parametrize(
    ("content", "asked", "expected"),
    [
        (GLOVE_840B, None, {"the": (1, 2), ". . .": (3, 4), "at name@domain.com": (5, 6)}),
        (GLOVE_840B, [". . ."], {". . .": (3, 4)}),
        ("1 1 2\n2 3 4\n\xa0 5 6\n", None, {"1": (1, 2), "2": (3, 4), "\xa0": (5, 6)}),
        ("\u2028 7 8\nwide  9 10\n, 1 2\n", None, {"\u2028": (7, 8), "wide": (9, 10), ",": (1, 2)}),
        ("b 3 4\n", ["b", "\udcff"], {"b": (3, 4)}),  # a lone surrogate is just missing
        ("good 1 2\nbad x y\n", ["good"], {"good": (1, 2)}),  # only what is wanted is parsed
        ("a 1 2\nb 0 0\nc nan 1\n", ["a"], {"a": (1, 2)}),
    ],
)
def test_odd_words_and_unwanted_numbers(
    file: File, content: str, asked: list[str] | None, expected: Table
) -> None:
    check(load_vectors(file("odd.txt", content), asked), expected)


@pytest.mark.parametrize("name", ["broken.bin", "broken.txt"])
def test_words_that_are_not_utf8_do_no_harm(file: File, name: str) -> None:
    content = as_binary({"a?": (1, 2), "b": (3, 4)}) if ".bin" in name else b"a? 1 2\nb 3 4\n"
    path = file(name, content.replace(b"a?", b"a\xff"))
    check(load_vectors(path, ["b"]), {"b": (3, 4)})
    check(load_vectors(path), {"a\\xff": (1, 2), "b": (3, 4)})


# -- loaded vectors, gensim's files, ours -----------------------------------------------------


def test_a_copy_comes_back_from_loaded_vectors() -> None:
    source = keyed(WORDS)
    load_vectors(source, ["king"]).vectors[:] = 99
    check(load_vectors(source), WORDS)


# -- the bundled set --------------------------------------------------------------------------


def test_the_bundled_set_has_the_words_of_the_lists_of_papers() -> None:
    lacking = set()
    beyond = {"age", "disability", "gender-de", "gender-es", "nationality", "sexuality"}
    for name in set(wordlists()) - beyond:
        words = load_wordlist(name).words
        lacking |= set(words) - set(load_vectors("glove-demo", words, "fallback").key_to_index)
    assert lacking <= {"literaly", "gladiola"}  # not in GloVe: a slip of the pen, and a rare plural


def test_the_bundled_set_is_glove() -> None:
    vectors = load_vectors("glove-demo")
    assert vectors.vectors.shape[0] > 5_000
    # First numbers of 'the' in glove.6B.100d.txt, which the package's vectors are.
    assert_array_equal(vectors["the"][:3], np.float32([-0.038194, -0.24487, 0.72812]))
    assert vectors.most_similar("king", topn=2)[1][0] == "queen"


# -- bad input --------------------------------------------------------------------------------

REFUSALS: list[tuple[Any, dict[str, Any], str]] = [
    ("glove-dmo", {}, r"unknown embedding 'glove-dmo'; did you mean 'glove-demo'.*ending in \.bin"),
    ("", {}, "unknown embedding ''; known"),
    ("xyz", {}, "unknown embedding 'xyz'; known"),
    *((f"/none/a{end}", {}, f"no embedding file at .*a{end}") for end in (".bin", ".npz", ".gz")),
    ("a.docx", {}, r"a\.docx: unknown ending '\.docx'; known are \.bin, .*\.npz"),
    *((name, {}, f"{name} is empty") for name in ("a.bin", "a.txt", "a.gz", "a.zip", "a.bin.gz")),
    ("folder.bin", {}, r"folder\.bin is a folder; give"),
    (keyed(WORDS), {"case": "lowr"}, "unknown case 'lowr'; did you mean 'lower'"),
    (keyed(WORDS), {"words": "king"}, "unknown word list 'king'"),
    (keyed(WORDS), {"words": []}, "words is empty"),
    (keyed(WORDS), {"words": ["king", 7]}, "words must be text; got 7"),
    (["king"], {}, r"vectors come from a path.*got list"),
    (keyed(WORDS), {"words": ["y", "x"]}, r"none of the 2 words is in the vectors given \(x, y\)$"),
    (KeyedVectors(3), {}, "the vectors given holds no words"),
]


@pytest.mark.parametrize(("given_source", "options", "fragment"), REFUSALS)
def test_what_is_refused(
    given_source: Any,
    options: dict[str, Any],
    fragment: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "folder.bin").mkdir()
    (tmp_path / "a.docx").write_bytes(b"x")
    for name in ("a.bin", "a.txt", "a.gz", "a.zip", "a.bin.gz"):
        (tmp_path / name).touch()
    with pytest.raises((ValueError, TypeError, OSError), match=fragment):
        load_vectors(given_source, **options)


def test_one_file_of_several_in_a_zip(file: File, tmp_path: Path) -> None:
    other = as_text({word: row[:2] for word, row in WORDS.items()})
    members = {"glove/50d": as_text(WORDS), "glove/25d.txt": other, "w2v.bin": as_binary(WORDS)}
    path = file("many.zip", zipped(members))
    for name in ("glove/50d", "w2v.bin"):  # known by content, and by ending
        check(load_vectors(f"{path}::{name}"), WORDS)
        words, rows = next(iter_vectors(f"{path}::{name}"))
        assert words == [*WORDS]
        assert rows.tolist() == [list(row) for row in WORDS.values()]
    with pytest.raises(ValueError, match=r"unknown file in it '50d'; .*glove/50d"):
        load_vectors(f"{path}::50d")
    with pytest.raises(FileNotFoundError, match=r"no embedding file at .*few\.zip; "):
        load_vectors(f"{tmp_path}/few.zip::50d")
