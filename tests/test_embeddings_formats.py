"""Every format, bit for bit in chunks of any size, and its conversion as a whole or not at all."""

import io
import os
import pickle
import struct
from collections.abc import Callable, Collection
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from builders import refused
from embedding_toys import (
    FORMATS,
    WORDS,
    File,
    Table,
    as_binary,
    as_text,
    check,
    keyed,
    npz,
    tables,
    zipped,
)
from gensim.models import FastText, Word2Vec
from gensim.models.fasttext import save_facebook_model
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from pandas.testing import assert_frame_equal
from safetensors.numpy import save

import bayesbias as bb
from bayesbias.embeddings import source
from bayesbias.embeddings.formats import word2vec
from bayesbias.embeddings.formats.arrays import read_tensors
from bayesbias.embeddings.formats.keyed import known_ranks
from bayesbias.embeddings.load import load_vectors
from bayesbias.embeddings.registry import open_embedding

Entries = list[tuple[str, list[float], int]]


def entries(path: Path, size: int = 3 << 20, wanted: Collection[str] | None = None) -> Entries:
    """Read all entries of a file in chunks of some bytes, or of one row."""
    found: Entries = []
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(source, "READ_SIZE", size)
        chunks = [*open_embedding(path, progressbar=False).chunks(wanted)]
    for chunk in chunks:
        assert 0 < chunk.vectors.nbytes <= size or len(chunk) == 1
        found += zip(chunk.words, chunk.vectors.tolist(), chunk.ranks.tolist(), strict=True)
    return found


def written(words: Table) -> Entries:
    rows = enumerate(words.items(), start=1)
    return [(word, np.float32(row).tolist(), rank) for rank, (word, row) in rows]


@pytest.mark.parametrize("size", [1, 50, 1000])
@pytest.mark.parametrize("name", FORMATS)
def test_every_format_in_chunks_of_any_size(file: File, name: str, size: int) -> None:
    path = file(name, FORMATS[name])
    assert entries(path, size) == written(WORDS)
    wanted = {"Bill", "kraków", "none"}
    assert entries(path, size, wanted) == [one for one in written(WORDS) if one[0] in wanted]


@pytest.mark.seconds
@settings(max_examples=50)
@given(words=tables(), size=st.integers(1, 200), newline=st.booleans(), chunk=st.integers(1, 99))
def test_binary_chunks_do_not_depend_on_where_reads_end(file, words, size, newline, chunk) -> None:
    path = file("made.bin", as_binary(words, newline))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(word2vec, "SCAN_SIZE", size)
        assert entries(path, chunk) == written(words)


@pytest.mark.seconds
@given(words=tables(), header=st.booleans(), end=st.sampled_from(["\n", " \n", "\r\n"]))
def test_text_comes_back_bit_for_bit(file: File, words: Table, header: bool, end: str) -> None:
    dims = len(next(iter(words.values())))
    path = file("made.txt", as_text(words, f"{len(words)} {dims}" if header else None, end))
    assert entries(path, 30) == written(words)


@pytest.mark.seconds
@given(
    numbers=st.lists(
        st.one_of(
            st.floats(allow_nan=False, allow_infinity=False).map(repr),
            st.floats(-1e30, 1e30).map(lambda x: f"{x:.3e}"),
            st.from_regex(r"[+-]?[0-9]{1,20}\.?[0-9]{0,20}([eE][+-]?[0-9]{1,3})?", fullmatch=True),
        ),
        min_size=2,
        max_size=6,
    )
)
def test_numbers_are_rounded_as_python_does(file: File, numbers: list[str]) -> None:
    with np.errstate(over="ignore"):
        expected = np.array([float(number) for number in numbers], dtype=np.float32)
    for count in (1, 3):
        found = entries(file("numbers.txt", f"word {' '.join(numbers)}\n" * count))
        assert_array_equal(np.float32([row for _, row, _ in found]), [expected] * count)


@pytest.mark.parametrize("name", ["twice.bin", "twice.txt"])
def test_of_a_word_that_stands_twice_the_first_counts(file: File, name: str) -> None:
    row = as_binary({"a": (1.0, 2.0)}, header="3 2") if ".bin" in name else b"3 2\na 1 2\n"
    more = [b"b " + struct.pack("<2f", 3, 4), b"a " + struct.pack("<2f", 5, 6)]
    more = more if ".bin" in name else [b"b 3 4\n", b"a 5 6\n"]
    path = file(name, row + b"".join(more))
    check(load_vectors(path), {"a": (1, 2), "b": (3, 4)})
    with pytest.warns(bb.warnings.RepeatedWords) as told:
        check(load_vectors(path, ["a", "b"]), {"a": (1, 2), "b": (3, 4)})
    assert told[0].message == bb.warnings.RepeatedWords(("a",), about=str(path))


@pytest.mark.parametrize("key", ["", "_{word}"])
@pytest.mark.parametrize("name", ["twice.npz", "twice.npy", "twice.safetensors"])
def test_of_a_row_that_stands_twice_the_first_counts(file: File, name: str, key: str) -> None:
    words, matrix = [key[:1] + word for word in "aba"], np.float32([[1, 2], [3, 4], [5, 6]])
    np.save(made := io.BytesIO(), matrix)
    file("twice.txt", "\n".join(words))
    contents = {"y": made.getvalue(), "s": save({"m": matrix})}
    path = file(name, contents.get(name[-1], npz(words=np.array(words), vectors=matrix)))
    check(load_vectors(path, key=key), {"a": (1, 2), "b": (3, 4)})
    with pytest.warns(bb.warnings.RepeatedWords) as told:
        check(load_vectors(path, ["a", "b"], key=key), {"a": (1, 2), "b": (3, 4)})
    assert told[0].message.words == ("a",)


@pytest.mark.parametrize("dims", [8, 50])
@pytest.mark.parametrize("change", ["CRLF", "big-endian"])
def test_binary_files_of_other_programs(file: File, change: str, dims: int) -> None:
    rows = np.random.default_rng(3).normal(size=(20, dims)).astype(">f4")
    numbers, end = (rows.astype("<f4"), b"\r\n") if change == "CRLF" else (rows, b"\n")
    lines = [f"20 {dims}".encode(), *(b"w%d " % i + row.tobytes() for i, row in enumerate(numbers))]
    path = file("other.bin", end.join([*lines, b""]))
    check(load_vectors(path), {f"w{i}": row for i, row in enumerate(rows)})
    check(load_vectors(path, ["w3"]), {"w3": rows[3]})


GLOVE_840B = "the 1 2\n. . . 3 4\nat name@domain.com 5 6\n"


@pytest.mark.parametrize(
    ("content", "asked", "expected"),
    [
        (GLOVE_840B, None, {"the": (1, 2), ". . .": (3, 4), "at name@domain.com": (5, 6)}),
        (GLOVE_840B, [". . ."], {". . .": (3, 4)}),
        ("1 1 2\n2 3 4\n\xa0 5 6\n", None, {"1": (1, 2), "2": (3, 4), "\xa0": (5, 6)}),
        ("\u2028 7 8\nwide  9 10\n, 1 2\n", None, {"\u2028": (7, 8), "wide": (9, 10), ",": (1, 2)}),
        ("b 3 4\n", ["b", "\udcff"], {"b": (3, 4)}),  # a lone surrogate counts as missing
        ("good 1 2\nbad x y\n", ["good"], {"good": (1, 2)}),  # only requested words are parsed
        ("a 1 2\nb 0 0\nc nan 1\n", ["a"], {"a": (1, 2)}),
    ],
)
def test_odd_words_and_unwanted_numbers(file, content, asked, expected) -> None:
    check(load_vectors(file("odd.txt", content), asked), expected)


ROWS = [(0.25, 0.5), (0.75, -1.5), (2.5, 0.125)]
MARKED = [
    *("MESH:1 MESH:2 MESH:3", "GO:0008150 GO:0003674 GO:0005575", "12:00 the 12:30"),
    *("he:1 she:1 it:1", "1,000 2,000 3,000", "a=1 a=2 a=3", "f(1 f(2 f(3", "w|3 w|2 w|1"),
    *("chr1:1-20 chr2:1-20 chr3:1-20", "doi:10.1 doi:10.2 doi:10.3", "x->3 x->2 x->1"),
    *(":a: :b: c", "b, c d", "x= y z", "d a: b;", "v[ b c", ":[ b c"),
]


@pytest.mark.parametrize("sep", [" ", "\t", ";"])
@pytest.mark.parametrize("words", MARKED)
def test_marks_in_words_do_not_separate(file: File, words: str, sep: str) -> None:
    rows = dict(zip(words.split(), ROWS, strict=True))
    content = "".join(f"{word}{sep}{a}{sep}{b}\n" for word, (a, b) in rows.items())
    for header in ("", "3 2\n"):
        check(load_vectors(file("v.txt", header + content)), rows)
    if "[" not in (first := next(iter(rows))):
        check(load_vectors(file("v.txt", f"1 2\n{first}{sep}.25{sep}.5\n")), {first: ROWS[0]})


IDS = {"0": (0.25, 0.5), "1": (0.75, -1.5), "2": (2.5, 0.125)}
WHOLE = {"a": (0.0, 1.0, 2.0), "b": (1.0, 5.0, 7.0), "c": (1.0, 3.0, 4.0)}
KINDS: dict[str, tuple[str, Table]] = {
    "numbers in words": (
        "3 2\nwindows 95 .25 .5\nboeing 747 .75 -1.5\ncovid 19 2.5 .125\n",
        dict(zip(["windows 95", "boeing 747", "covid 19"], ROWS, strict=True)),
    ),
    "numbers in words before TABs": (
        "topic 1\t.25\t.5\ntopic 2\t.75\t-1.5\ntopic 3\t2.5\t.125\n",
        dict(zip(["topic 1", "topic 2", "topic 3"], ROWS, strict=True)),
    ),
    "blanks and TABs": (
        "a .5 1.5\t2\t3\nb 1.5 .5\t3\t4\n",
        {"a": (0.5, 1.5, 2, 3), "b": (1.5, 0.5, 3, 4)},
    ),
    "hashtags": (
        "#a .25 .5\n#b 1.5 2\n#c 3 4\n",
        {"#a": (0.25, 0.5), "#b": (1.5, 2), "#c": (3, 4)},
    ),
    "stuck": ("a:.25 .5\nb:.75 -1.5\nc:2.5 .125\n", dict(zip("abc", ROWS, strict=True))),
    "stuck to marks": (
        "a:1:.5 2\nb:2:.2 .5\nc:3:4 .5\n",
        {"a:1": (0.5, 2), "b:2": (0.2, 0.5), "c:3": (4, 0.5)},
    ),
    "blanks, then commas": (
        "a b .5,2\nc .2,.5\nd .3,.5\n",
        {"a b": (0.5, 2), "c": (0.2, 0.5), "d": (0.3, 0.5)},
    ),
    "stuck and whole": ("a:1 2\nb:4 3\nc:5 7\n", {"a": (1, 2), "b": (4, 3), "c": (5, 7)}),
    "stuck, as promised": ("2 2\na:1 .5\nb:4 .25\n", {"a": (1, 0.5), "b": (4, 0.25)}),
    "repeated if split": ("a:1 2 5\na:2 3 4\n", {"a:1": (2, 5), "a:2": (3, 4)}),
    "array([": ("a array([0.25, 2.])\nb array([1.5, 2])\n", {"a": (0.25, 2), "b": (1.5, 2)}),
    "array([ as printed": (
        "a array([0.2 2.])\nb array([1.5 2.])\n",
        {"a": (0.2, 2), "b": (1.5, 2)},
    ),
    "tensor([": ("2 2\na: tensor([0.5, 3])\nb: tensor([1, 2])\n", {"a": (0.5, 3), "b": (1, 2)}),
    "quoted bracket": ('a,"[",0.5, 3"]"\nb,"[",1.5, 2"]"\n', {"a": (0.5, 3), "b": (1.5, 2)}),
    "one line with a mark": ("the | .25 .5\n", {"the": (0.25, 0.5)}),
    "one list": ("the: [.25, .5]\n", {"the": (0.25, 0.5)}),
    "a vector that counts": ("a,0,1,2\nb,1.5,.5,2\n", {"a": (0, 1, 2), "b": (1.5, 0.5, 2)}),
    "a vector of TSV": ("a\t0\t1\nb\t1\t0\n", {"a": (0, 1), "b": (1, 0)}),
    "named": ("#Words,0,1\na,1,0\nb,1,1\n", {"a": (1, 0), "b": (1, 1)}),
    "many names": (f"mot,{','.join('0123456789')}\nil{',1' * 10}", {"il": (1.0,) * 10}),
    "whole": ("3 2\na .5 10\nb .2 3\nc .5 12\n", {"a": (0.5, 10), "b": (0.2, 3), "c": (0.5, 12)}),
    "decimal words": ("2 2\n1.5 .25 .5\n2.5 .75 -1.5\n", {"1.5": ROWS[0], "2.5": ROWS[1]}),
    "TSV": (
        '""""\t3\t.5\na\t1.5\t2\n"b""c"\t1\t2\n',
        {'"': (3, 0.5), "a": (1.5, 2), 'b"c': (1, 2)},
    ),
    "blanks": (
        'a .5 1.5\n"b c" 1 2\n"d ""e""" 3 4\n""""  5 6\n',
        {"a": (0.5, 1.5), "b c": (1, 2), 'd "e"': (3, 4), '"': (5, 6)},
    ),
    "no quotes before blanks": (
        'a 1 2\n"b" 3 .5\nc" 1 2\n"d" "e" 4 5\n" " 6 7\n',
        {"a": (1, 2), '"b"': (3, 0.5), 'c"': (1, 2), '"d" "e"': (4, 5), '" "': (6, 7)},
    ),
    "a phrase after many words": (
        "".join(f"w{i} .25 .5\n" for i in range(300)) + '"b c" 1 2\n',
        {f"w{i}": (0.25, 0.5) for i in range(300)} | {"b c": (1, 2)},
    ),
    "no quotes": ('a\t1\t2\n"\t3\t.5\n""""\t1\t2\n', {"a": (1, 2), '"': (3, 0.5), '""""': (1, 2)}),
}


@pytest.mark.parametrize("kind", KINDS)
def test_lines_of_every_kind(file: File, kind: str) -> None:
    content, expected = KINDS[kind]
    check(load_vectors(file("v.txt", content)), expected)


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        ("0 .25 .5\n1 .75 -1.5\n2 2.5 .125\n", IDS),
        ("7 .25 .5\n5 .75 -1.5\n9 2.5 .125\n", dict(zip("759", ROWS, strict=True))),
        ("0 1 5\n1 3 4\n2 9 2\n", {"0": (1, 5), "1": (3, 4), "2": (9, 2)}),
        ("0 1 2\n1 5 7\n1 3 4\n", WHOLE),
    ],
)
def test_ids_beside_as_many_words_are_words(file: File, content: str, expected: Table) -> None:
    file("labels.txt", "a\nb\nc\n")
    check(load_vectors(file("v.txt", content)), expected)


@pytest.mark.parametrize("content", ["121", "1\nwords\nonly\n"])
def test_a_number_without_words_is_refused(file: File, content: str) -> None:
    refused("not words followed by two or more numbers", load_vectors, file("v.txt", content))


def test_counts_in_their_order_are_not_parts_of_words(file: File) -> None:
    path = file("v.txt", "3 2\nthe 99 .25 .5\nof 95 .75 -1.5\nand 7 2.5 .125\n")
    refused("promises 2 dimensions, but the lines have 3", load_vectors, path)


@pytest.mark.parametrize("write", [as_binary, as_text])
def test_words_that_are_not_utf8_do_no_harm(file: File, write: Callable[[Table], bytes]) -> None:
    content = write({"é": (5, 6), "a?": (1, 2), "b": (3, 4)})
    path = file("broken", content.replace(b"a?", b"a\xff"))
    check(load_vectors(path, ["b"]), {"b": (3, 4)})
    check(load_vectors(path), {"é": (5, 6), "a\\xff": (1, 2), "b": (3, 4)})


def test_words_with_spaces_in_a_text_named_as_binary_files_are(file) -> None:
    path = file("a.bin", b"2 2\nnew york 0.1 0.2\nold town 0.5 0.25\n")
    assert load_vectors(path)["old town"].tolist() == [0.5, 0.25]


def test_a_fasttext_model_makes_vectors_of_words_that_it_lacks(tmp_path: Path) -> None:
    """This can be turned off, and the number of these words is reported."""
    sentences = [["king", "queen", "man"], ["queen", "woman", "king"]] * 5
    model = FastText(sentences, vector_size=8, min_count=1, seed=1, bucket=50, min_n=2, max_n=3)
    path = tmp_path / "model.bin"
    save_facebook_model(model, str(path))
    for held in (path, model):
        words = ["king", "woman", "absent"]
        with pytest.warns(bb.warnings.VectorsFromSubwords) as told:
            made = load_vectors(held, words)
        assert told[0].message.words == ("absent",)
        assert set(made.index_to_key) == {*words}
        for word in words:  # float32 sums of the same n-grams, trained and read back
            assert_allclose(made[word], model.wv[word], rtol=1e-5, atol=1e-8)
        assert set(load_vectors(held, words, subwords=False).index_to_key) == {"king", "woman"}
    assert len(bb.load_vectors(path)) == 4
    pets = {"groups": {"a": ["king"], "b": ["queen"]}, "stereotypes": {"a": ["man"], "b": ["maid"]}}
    for vectors in (path, model, model.wv):
        with pytest.warns(bb.warnings.VectorsFromSubwords):
            assert set(bb.distance_table(vectors, pets)["attribute"]) == {"man", "maid"}


def test_words_beyond_the_limit_or_without_the_key_are_not_made_of_n_grams(tmp_path: Path) -> None:
    sentences = [["king_n", "queen_n", "Man_n"], ["queen_n", "king_v", "queen_n"]] * 5
    model = FastText(sentences, vector_size=8, min_count=1, seed=1, bucket=50, min_n=2, max_n=3)
    save_facebook_model(model, str(path := tmp_path / "model.bin"))
    for held in (path, model):
        few = load_vectors(held, ["queen_n", "Man_n", "King_n"], "fallback", limit=1)
        assert few.index_to_key == ["queen_n"]
        assert load_vectors(held, ["queen_n", "KING_n"], "lower", limit=1).index_to_key == [
            "queen_n"
        ]
        with pytest.warns(bb.warnings.VectorsFromSubwords) as told:
            made = load_vectors(held, ["king", "queen", "absent"], key="{word}_n", limit=3)
        assert told[0].message.words == ("absent",)
        for word in made.index_to_key:
            assert_allclose(made[word], model.wv[f"{word}_n"], rtol=1e-5, atol=1e-8)


def test_our_own_file_keeps_words_vectors_license_and_provenance(file: File) -> None:
    path = file("mine.v1.npz", b"")
    bb.save_vectors(keyed(WORDS), path, license="PDDL", provenance="somewhere")
    check(load_vectors(path), WORDS)
    check(load_vectors(path, ["queen"]), {"queen": WORDS["queen"]})
    with np.load(path, allow_pickle=False) as arrays:
        assert (str(arrays["license"]), str(arrays["provenance"])) == ("PDDL", "somewhere")
    refused(r"must end in \.npz; got .*a\.bin", bb.save_vectors, keyed(WORDS), "a.bin")


def test_arrays_with_their_words_and_frames(tmp_path: Path) -> None:
    frame = pd.DataFrame(list(WORDS.values()), index=list(WORDS)).rename(columns=str)
    frame.to_parquet(tmp_path / "index.parquet")
    frame.reset_index().to_parquet(tmp_path / "column.parquet")
    np.save(tmp_path / "a.npy", frame.to_numpy(np.float64))
    content = save({"embeddings": np.ascontiguousarray(frame, dtype=np.float32)})
    (tmp_path / "a.safetensors").write_bytes(content)
    (tmp_path / "cut.safetensors").write_bytes(content[:-3])
    whole = np.arange(1, 1 + 3 * len(WORDS)).reshape(-1, 3)
    for kind in ("i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8", "f2", "f8"):
        (tmp_path / f"{kind}.safetensors").write_bytes(save({"of": whole.astype(kind)}))
        assert_array_equal(read_tensors(tmp_path / f"{kind}.safetensors")["of"], whole)
    refused(r"a\.txt", load_vectors, tmp_path / "a.npy", error=FileNotFoundError)
    (tmp_path / "a.txt").write_text("\n".join([*WORDS, ""]), encoding="utf-8")
    (tmp_path / "cut.txt").write_text("\n".join(WORDS), encoding="utf-8")
    refused(r"cut\.safetensors is damaged, or is not a", load_vectors, tmp_path / "cut.safetensors")
    for name in ("a.npy", "a.safetensors", "index.parquet", "column.parquet"):
        check(load_vectors(tmp_path / name), WORDS)
        check(load_vectors(tmp_path / name, ["king"]), {"king": WORDS["king"]})


def test_gensims_own_files(tmp_path: Path) -> None:
    keyed(WORDS).save(str(tmp_path / "a.kv"))
    check(load_vectors(tmp_path / "a.kv", allow_pickle=True), WORDS)
    model = Word2Vec([["king", "queen"]] * 3, vector_size=3, min_count=1, workers=1)
    model.save(str(tmp_path / "a.model"))
    loaded = load_vectors(tmp_path / "a.model", ["king"], allow_pickle=True)
    assert_array_equal(loaded["king"], model.wv["king"])
    keyed(WORDS).save(str(tmp_path / "b.kv"), sep_limit=1)
    assert (tmp_path / "b.kv.vectors.npy").is_file()
    check(load_vectors(tmp_path / "b.kv", ["king"], allow_pickle=True), {"king": WORDS["king"]})
    (tmp_path / "b.kv.vectors.npy").unlink()
    missing = r"copy b\.kv\.vectors\.npy next to it"
    read = partial(load_vectors, allow_pickle=True)
    refused(missing, read, tmp_path / "b.kv", error=FileNotFoundError)


@pytest.mark.parametrize("name", ["vectors", "vectors_vocab", "vectors_ngrams"])
def test_arrays_of_another_model_are_refused(tmp_path: Path, name: str) -> None:
    """gensim itself stops at a fastText model whose arrays are too small."""
    model = FastText([["king", "queen"]] * 3, vector_size=4, min_count=1, bucket=9, workers=1)
    held = keyed(WORDS) if name == "vectors" else model.wv
    held.save(str(tmp_path / "a.kv"), sep_limit=1)
    place = tmp_path / f"a.kv.{name}.npy"
    array, read = np.load(place), partial(load_vectors, allow_pickle=True)
    others = [np.vstack([array, array]), array[1:], array[:, 1:]]
    for other in others[: 3 if name == "vectors" else 1]:
        np.save(place, other)
        refused(rf"a\.kv\.{name}\.npy next to it is of other", read, tmp_path / "a.kv")


@pytest.mark.parametrize("protocol", range(pickle.HIGHEST_PROTOCOL + 1))
def test_pickles_of_every_protocol(file: File, protocol: int) -> None:
    path = file("v", pickle.dumps(dict(WORDS), protocol=protocol))
    refused("allow_pickle=True", load_vectors, path)
    check(load_vectors(path, allow_pickle=True), WORDS)


def test_a_matrix_in_an_archive_has_no_words_beside_it(file: File) -> None:
    np.save(made := io.BytesIO(), MATRIX)
    path = file("a.zip", zipped({"vectors.npy": made.getvalue(), "words.txt": b"a"}))
    refused("unpack", load_vectors, f"{path}::vectors.npy", error=FileNotFoundError)


def test_a_pickle_is_not_opened_unless_allowed(tmp_path: Path) -> None:
    canary = tmp_path / "ran"

    class Program:
        def __reduce__(self) -> tuple[Any, ...]:
            return (Path.touch, (canary,))

    for name in ("a.kv", "a.model"):
        (tmp_path / name).write_bytes(pickle.dumps(Program()))
        refused("allow_pickle=True", load_vectors, tmp_path / name)
    assert not canary.exists()


@pytest.mark.parametrize("shown", [True, False])
def test_the_bar_is_drawn_on_a_terminal_if_wanted(file, shown, monkeypatch, capsys) -> None:
    monkeypatch.setenv("FORCE_COLOR", "1")
    monkeypatch.setattr(source, "SLOW_SIZE", 1)
    path = file("[b]packed.bin.gz", FORMATS["packed.bin.gz"])
    bb.load_vectors(path, ["king"], progressbar=shown)
    captured = capsys.readouterr()
    assert captured.out == ""
    assert ("[b]packed" in captured.err) is shown


MATRIX = np.array(list(WORDS.values()), dtype=np.float32)


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Write WORDS in the native format, by hand, to the working folder."""
    made = tmp_path / "native"
    made.mkdir()
    np.save(made / "vectors.npy", MATRIX)
    (made / "words.txt").write_text("".join(f"{word}\n" for word in WORDS), encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    return made


@pytest.mark.parametrize("name", ["packed.bin.gz", "fasttext.vec", "glove.zip", "in memory"])
def test_every_format_can_be_converted(tmp_path: Path, name: str) -> None:
    (tmp_path / name).write_bytes(FORMATS.get(name, b""))
    source, made = (tmp_path / name if name in FORMATS else keyed(WORDS)), tmp_path / "made"
    assert bb.convert_vectors(source, made) == (6, 3)
    assert sorted(os.listdir(tmp_path)) == sorted([name, "made"])
    # Any program can read it.
    np.testing.assert_array_equal(np.load(made / "vectors.npy"), MATRIX)
    assert (made / "words.txt").read_text(encoding="utf-8").split("\n")[:-1] == list(WORDS)


@pytest.mark.parametrize("odd", ["\ufeffa", "\ufeff", "a\rb", "\u2028"])
def test_odd_words_are_kept_in_a_folder(tmp_path: Path, odd: str) -> None:
    bb.convert_vectors({odd: (1.0, 2.0), "b": (3.0, 4.0)}, tmp_path / "made")
    check(load_vectors(tmp_path / "made"), {odd: (1.0, 2.0), "b": (3.0, 4.0)})


MIXED = ["k", "c", "t", "a", "p", "e", "m", "b", "s", "d", "r", "f"]
COUNTS = [5, 90, 3, 70, 8, 1, 60, 2, 40, 9, 30, 4]
RANKS_OF = {w: 1 + sorted(COUNTS)[::-1].index(n) for w, n in zip(MIXED, COUNTS, strict=True)}
VECTOR_OF = {word: (row + 0.5, 1.5) for row, word in enumerate(MIXED)}


def lines_of(words: Collection[str]) -> str:
    return "".join(f"{word} {VECTOR_OF[word[-1]][0]} 1.5\n" for word in words)


def sources_of_ranks(folder: Path) -> dict[str, tuple[object, dict[str, int] | None, str]]:
    """Return sources with the ranks of their words, or None, and the pattern of their keys."""
    frame = pd.DataFrame.from_dict(VECTOR_OF, orient="index", columns=["d0", "d1"])
    frame.assign(count=COUNTS).rename_axis("word").reset_index().to_parquet(folder / "c.parquet")
    rows = ["k", "c", "k", "t", "a", "p", "c", "e", "m", "b", "s", "d", "r", "f"]
    (folder / "twice.txt").write_text(lines_of(rows))
    (folder / "keys.txt").write_text(lines_of([f"{'nv'[w in 'kat']}_{w}" for w in MIXED]))
    a_to_z = sorted([*MIXED, "a"])
    (folder / "sorted.txt").write_text(lines_of(a_to_z))
    bb.save_vectors(VECTOR_OF, folder / "unknown.npz")
    return {
        "counts": (folder / "c.parquet", RANKS_OF, ""),
        "twice": (folder / "twice.txt", {word: rows.index(word) + 1 for word in MIXED}, ""),
        "keys": (folder / "keys.txt", {w: MIXED.index(w) + 1 for w in "kta"}, "v_{word}"),
        "in order": (
            keyed(VECTOR_OF, [*range(12, 0, -1)]),
            {w: MIXED.index(w) + 1 for w in MIXED},
            "",
        ),
        "sorted": (folder / "sorted.txt", None, ""),
        "unknown": (folder / "unknown.npz", None, ""),
        "dict": (VECTOR_OF, None, ""),
        "matrix": ((MIXED, np.array([*VECTOR_OF.values()])), None, ""),
    }


SOURCES = ["counts", "twice", "keys", "in order", "sorted", "unknown", "dict", "matrix"]


@pytest.mark.filterwarnings("ignore::bayesbias.warnings.ColumnsNotRead")
@pytest.mark.parametrize("name", SOURCES)
def test_a_folder_has_the_ranks_of_its_source(tmp_path: Path, name: str) -> None:
    source, ranks, key = sources_of_ranks(tmp_path)[name]
    bb.convert_vectors(source, tmp_path / "one", key=key)
    bb.convert_vectors(tmp_path / "one", tmp_path / "two")
    with pytest.warns(bb.warnings.LeftOut) as told:  # of the sample
        bb.convert_vectors("glove-demo", tmp_path / "over")  # with ranks, which are replaced
    assert told[0].message.n == 6_000
    bb.convert_vectors(source, tmp_path / "over", key=key, force=True)
    for folder in ("one", "two", "over"):
        for asked in (None, [*(ranks or MIXED)]):
            found = load_vectors(tmp_path / folder, asked)
            known = known_ranks(found)
            assert (known is None) == (ranks is None)
            if ranks is not None and known is not None:
                assert dict(zip(found.index_to_key, known.tolist(), strict=True)) == ranks
            assert all(tuple(found[word]) == VECTOR_OF[word] for word in ranks or MIXED)


@pytest.mark.filterwarnings("ignore::bayesbias.warnings.ColumnsNotRead")
def test_a_limit_is_about_ranks_wherever_words_are(tmp_path: Path, monkeypatch) -> None:
    source = sources_of_ranks(tmp_path)["counts"][0]
    bb.convert_vectors(source, tmp_path / "made")
    monkeypatch.setattr("bayesbias.embeddings.source.READ_SIZE", 8)  # one row
    expected = [word for word in MIXED if RANKS_OF[word] <= 4]
    assert load_vectors(tmp_path / "made", limit=4).index_to_key == expected
    assert bb.convert_vectors(tmp_path / "made", tmp_path / "few", limit=4) == (4, 2)
    few = load_vectors(tmp_path / "few")
    assert known_ranks(few).tolist() == [RANKS_OF[word] for word in expected]


REFUSED: list[tuple[object, str, bool, str]] = [
    (keyed(WORDS), "native", False, "native already exists; pass force=True"),
    ("bad.bin", "native", True, "ends after word .* promises 6"),
    ("native", "native", True, "is the source itself"),
    (keyed(WORDS), "other", True, r"other has other files \(notes.txt"),
    (keyed(WORDS), "bad", True, "bad is a file or has the suffix of one"),
    (keyed(WORDS), "nowhere/a", True, r"there is no folder .*nowhere"),
    ({"a\nb": [1, 2]}, "native", True, "contains a line break"),
    ({"a": [1, 2], "b\ud83d": [1, 2]}, "native", True, "half of a surrogate pair"),
    ({"a\r": [1, 2], "b": [1, 2]}, "native", True, "end with a carriage return"),
    ({"a\rb": [1, 2]}, "native", True, "end with a carriage return"),
    ((["a"][:0], np.ones((0, 2))), "native", True, "there are no words to write"),
]


@pytest.mark.parametrize(("source", "target", "force", "fragment"), REFUSED)
def test_what_is_refused_leaves_an_earlier_folder(folder, source, target, force, fragment) -> None:
    Path("bad.bin").write_bytes(as_binary(WORDS)[:-1])
    Path("bad").touch()
    Path("other").mkdir()
    Path("other", "notes.txt").touch()
    before = sorted(os.listdir())
    refused(fragment, bb.convert_vectors, source, target, error=(ValueError, OSError), force=force)
    assert sorted(os.listdir()) == before
    check(bb.load_vectors(folder), WORDS)
    bb.convert_vectors({"other": (1, 2, 3)}, folder, force=True)
    check(bb.load_vectors(folder), {"other": (1, 2, 3)})


def words(content: bytes) -> Callable[[Path], object]:
    return lambda folder: (folder / "words.txt").write_bytes(content)


def array(matrix: np.ndarray) -> Callable[[Path], object]:
    return lambda folder: np.save(folder / "vectors.npy", matrix, allow_pickle=True)


def ranks(given: np.ndarray) -> Callable[[Path], object]:
    return lambda folder: np.save(folder / "ranks.npy", given, allow_pickle=True)


BAD: list[tuple[Callable[[Path], object], str]] = [
    (words(b"a\nb\n"), "vectors .2 in words.txt, and 6"),
    (words(b"a\nb"), "words.txt does not end with"),
    (lambda f: os.truncate(f / "vectors.npy", 196), "damaged, or is not a .npy file"),
    (array(np.ones((6, 3), bool)), "bool values"),
    (array(np.ones((6, 3), complex)), "complex128 values"),
    (array(np.ones(6)), r"and shape \(6,\)"),
    (array(np.ones((0, 3), np.float32)), "vectors .6 in words.txt, and 0"),
    (array(np.array([{}])), "damaged, or is not a .npy file"),
    (ranks(np.arange(1, 6)), "does not belong to the words"),
    (ranks(np.ones(6)), "does not belong to the words"),
    (ranks(np.array([{}])), "is damaged"),
]


@pytest.mark.parametrize(("damage", "what"), BAD)
def test_damaged_folders(folder: Path, damage: Callable[[Path], object], what: str) -> None:
    damage(folder)
    for asked in (["king"], None):
        with pytest.raises(ValueError, match=what) as caught:
            bb.load_vectors(folder, asked)
        assert str(folder) in str(caught.value)


@pytest.fixture
def text(tmp_path: Path, one_landmark: None, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Write an embedding as text, with an odd line, next to an empty folder of caches."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    demo = bb.load_vectors("glove-demo")
    words = dict.fromkeys([*demo.index_to_key[:3000], *bb.load_wordlist("weat7").words])
    lines = [f"{word} {' '.join(map(str, demo[word]))}" for word in words if word in demo]
    path = tmp_path / "text.txt"
    path.write_text("\n".join([*lines[:40], "an odd line", *lines[40:], ""]))
    return path


CACHED = {"case": "fallback", "draws": 50, "seed": 1, "progressbar": False}


@pytest.mark.seconds
@pytest.mark.filterwarnings("ignore::bayesbias.warnings.OddLines")
def test_a_cached_text_has_the_numbers_ranks_and_notices_of_the_text(text, monkeypatch) -> None:
    plain = bb.analyze(text, "weat7", reference_lists=2, **CACHED)
    for place in ("first", "again"):
        with pytest.warns(bb.warnings.OddLines):
            found = bb.analyze(text, "weat7", cache=True, reference_lists=2, **CACHED)
        for name in ("table", "contrasts", "reference"):
            assert_frame_equal(getattr(found, name), getattr(plain, name))
        if place == "first":  # from now on, the text cannot be parsed
            monkeypatch.setattr("bayesbias.embeddings.formats.text._matrix", None)
    unknown = {"groups": {"a": ["qa"], "b": ["qb"]}, "stereotypes": {"a": ["qc"], "b": ["qd"]}}
    refused(f"is in {text} ", bb.analyze, text, unknown, cache=True, matched=0, **CACHED)


@pytest.mark.seconds
@pytest.mark.filterwarnings("ignore::bayesbias.warnings.OddLines")
def test_a_cache_that_cannot_be_written_stops_nothing(text: Path) -> None:
    text.with_name("cache").touch()
    with pytest.warns(bb.warnings.NotCached):
        found = bb.analyze(text, "weat7", cache=True, reference_lists=0, matched=0, **CACHED)
    assert set(found.table["protected_word"]) > {"math", "numbers"}


@pytest.mark.parametrize("size", [1, 7, 1 << 14])
def test_numbers_in_text_do_not_depend_on_where_slices_end(tmp_path, monkeypatch, size) -> None:
    """Each value is Python's, also if the parser gets a number in two parts."""
    numbers = np.random.default_rng(1).standard_normal((60, 40)) * 1e-3
    rows = [" ".join(map(repr, row)) for row in numbers.tolist()]
    path = tmp_path / "v.txt"
    path.write_text("".join(f"w{i} {row}\n" for i, row in enumerate(rows)))
    assert path.stat().st_size > 2 * (1 << 14)
    monkeypatch.setattr("bayesbias.embeddings.formats.text.SLICE", size)
    found = load_vectors(path, progressbar=False).vectors
    expected = [[float(value) for value in row.split()] for row in rows]
    assert_array_equal(found, np.float32(expected))
