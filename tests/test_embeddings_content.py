"""Files as people have them: their content decides what they are, and odd lines are counted."""

import bz2
import gzip
import io
import json
import lzma
import pickle
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from backports import zstd
from builders import refused
from embedding_toys import (
    WORDS,
    File,
    Table,
    as_binary,
    as_text,
    check,
    keyed,
    npz,
    tarred,
    zipped,
)
from gensim.models import KeyedVectors
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_array_equal
from safetensors.numpy import save

import bayesbias as bb
from bayesbias.embeddings.formats import text, word2vec
from bayesbias.embeddings.formats.separators import has_decimal_commas
from bayesbias.embeddings.load import load_vectors

MATRIX = np.array([*WORDS.values()], dtype=np.float32)


def lines(after: str, between: str, words: Table = WORDS, end: str = "\n") -> bytes:
    rows = (word + after + between.join(map(str, row)) + end for word, row in words.items())
    return "".join(rows).encode()


@pytest.mark.parametrize("between", [" ", "\t", ",", ";", "  ", ", ", "|"])
@pytest.mark.parametrize("after", [" ", "\t", ",", ";", ":", "|", "  "])
def test_separators_are_found(file: File, after: str, between: str) -> None:
    for header in ("", "6 3\n", "6\t3\n", "6 3 54\n", "6\n"):
        path = file("vectors", header.encode() + lines(after, between))
        check(load_vectors(path), WORDS)
        check(load_vectors(path, ["Bill"]), {"Bill": WORDS["Bill"]})
    check(load_vectors(file("ends", lines(after, between, end=between + "\n"))), WORDS)


def test_lines_that_end_in_text_have_no_decimal_commas() -> None:
    assert has_decimal_commas([b"he 1,5 2,5", b"she 0,5 1,5"])
    assert not has_decimal_commas([b"he 1,5 x", b"she 0,5 y"])


@pytest.mark.parametrize("n_words", [1, 2, 3])
def test_keys_of_equally_many_words(file: File, n_words: int) -> None:
    keys = {" ".join([word, *"xyz"[: n_words - 1]]): row for word, row in WORDS.items()}
    for header in ("", "6 3\n"):
        check(load_vectors(file("keys", header.encode() + lines("\t", " ", keys))), keys)


@pytest.mark.parametrize("header", ["", "word,a,b,c\n"])
def test_one_byte_does_not_refuse_a_vocabulary(file: File, header: str) -> None:
    rows = "M\xe4dchen,1,0,0\ngar\x81on,0,1,0.5\nhe,0,0,1\n"
    with pytest.warns(bb.warnings.ReadAsLatin1):
        found = load_vectors(file("v.csv", (header + rows).encode("latin-1")))
    assert found.index_to_key == ["M\xe4dchen", "gar\x81on", "he"]
    np.testing.assert_array_equal(found["gar\x81on"], [0, 1, 0.5])


MARKS = [" [", ": [", "[", "\t[", ";[", " [ ", ": ", " = ", "->", " | ", "\u00a0", "\u3000"]


@pytest.mark.parametrize("between", [" ", "\t", ", ", " | "])
@pytest.mark.parametrize("after", MARKS)
def test_marks_are_neither_words_nor_lost_numbers(file: File, after: str, between: str) -> None:
    for header in ("", "6 3\n", "6 3 54\n"):
        content = lines(after, between, end="]\n" if "[" in after else "\n")
        check(load_vectors(file("v", header.encode() + content)), WORDS)


PACKED: dict[str, Callable[[bytes], bytes]] = {
    "plain": bytes,
    "gz": gzip.compress,
    "bz2": bz2.compress,
    "xz": lzma.compress,
    "zst": zstd.compress,
    "tar": tarred,
    "tar.gz": lambda content: gzip.compress(tarred(content)),
    "zip of gz": lambda content: zipped({"v.gz": gzip.compress(content)}),
    "zip of a Mac": lambda content: zipped({"v": content, "__MACOSX/._v": b"\0\5\x16\7"}),
}


FRAME = pd.DataFrame(MATRIX, index=[*WORDS], columns=["d0", "d1", "d2"])


def made(write: Callable[[str], object]) -> Callable[[Path], bytes]:
    """Return a function that returns what a function writes into a folder."""
    return lambda folder: write(f"{folder}/made.npz") or (folder / "made.npz").read_bytes()


CONTENT: dict[str, Callable[[Path], bytes]] = {
    "text": lambda _: as_text(WORDS),
    "binary": lambda _: as_binary(WORDS),
    "csv": lambda _: pd.DataFrame(MATRIX, index=[*WORDS]).to_csv().encode(),
    "npz": made(lambda path: bb.save_vectors(keyed(WORDS), path)),
    "parquet": made(FRAME.to_parquet),
    "gensim": made(lambda path: keyed(WORDS).save(path)),
}


@pytest.mark.parametrize("packing", PACKED)
@pytest.mark.parametrize("kind", CONTENT)
def test_content_decides_what_a_file_is(tmp_path: Path, kind: str, packing: str) -> None:
    content = PACKED[packing](CONTENT[kind](tmp_path))
    for name in ("v", "v.model", "v.bin", "v.txt", "v.gz"):
        (tmp_path / name).write_bytes(content)
        check(load_vectors(tmp_path / name, allow_pickle=True), WORDS)


FRENCH: Table = {"père": (1, 2), "mère": (3, 4), "enfant": (5, 6)}
GOT: Table = {"a": (1, 2.5), "New York": (3.5, 4), "Blink 182": (5, 6.5)}
CAFE: Table = {"caf\u00e9" if word == "a" else word: row for word, row in GOT.items()}
NULL: Table = {"null" if word == "a" else word: row for word, row in GOT.items()}
R: Table = {'a "b" c': (1.5, 2.5), "x\\": (3.5, 4)}
LISTS = pd.DataFrame({"id": [*GOT], "v": [str([*row]) for row in GOT.values()]})
COUNTED = pd.DataFrame([[9, 1, 2.5], [7, 3.5, 4], [8, 5, 6.5]], [*GOT], ["Freq", 0, 1])
AS_TEXT = as_text(GOT).decode()
NUMPY = [str([*map(np.float32, row)]) for row in GOT.values()]
TENSORS = [f"tensor({[*row]}, device='cuda:0', grad_fn=<A>)" for row in GOT.values()]
ARRAYS = [repr(np.array(row, dtype=np.float32)) for row in GOT.values()]
BARE = pd.DataFrame({"word": [*WORDS], "n": 3, "v": [str(row)[1:-1] for row in WORDS.values()]})
WIDE = pd.DataFrame([*GOT.values()], index=[*GOT], columns=["d0", "d1"])

ODD: list[tuple[bytes | str, Table, str]] = [
    (as_text(FRENCH).decode().encode("latin-1"), FRENCH, "ReadAsLatin1"),
    (as_binary(FRENCH).replace("è".encode(), b"\xe8"), FRENCH, "ReadAsLatin1"),
    ("é 1 2.5\nà 3 4\n".encode("latin-1"), {"é": (1, 2.5), "à": (3, 4)}, "ReadAsLatin1"),
    ("4 2\n" + AS_TEXT, GOT, "WrongHeader"),
    ("# by me\n" + AS_TEXT, GOT, "OddLines"),
    (AS_TEXT + "b 1 2,5\n c 3 4\nd 1_0 2\n 7 8\n", GOT | {"c": (3, 4)}, "OddLines"),
    ("4 2\n" + AS_TEXT + "b1.5 2\n", GOT, "OddLines"),
    ("4 2\n" + AS_TEXT + "  1.5 2\n", GOT, "OddLines"),  # the word is a blank
    (AS_TEXT + "zero 0 0\n", GOT, "EmptyVectors"),
    ("".join(f"{word}: {[*row]}\n" for word, row in WORDS.items()), WORDS, ""),
    ("".join(f'"{word}" {a} {b}\n' for word, (a, b) in GOT.items()), GOT, ""),
    (LISTS.to_csv(index=False), GOT, ""),
    ("; 1 2.5\n[ 3.5 4\n", {";": (1, 2.5), "[": (3.5, 4)}, ""),
    (COUNTED.to_csv(), GOT, "ColumnsNotRead"),
    (WIDE.rename({"a": "caf\u00e9"}).to_csv().encode("latin-1"), CAFE, "ReadAsLatin1"),
    (WIDE.to_csv(), GOT, ""),
    (WIDE.rename({"a": "null"}).to_csv(), NULL, ""),
    (WIDE.to_csv(sep=";", decimal=","), GOT, ""),
    ("\ufeff" + WIDE.to_csv(sep="\t", lineterminator="\r\n"), GOT, ""),
    (WIDE.assign(word=[*GOT]).to_csv(index=False), GOT, ""),
    (WIDE.rename(columns={"d0": 0, "d1": 1}).to_csv(), GOT, ""),
    (WIDE.assign(count=[30, 20, 10]).to_csv(), GOT, "ColumnsNotRead"),
    ('"a",1,2.5\n"b, ""c""",3.5,4\n', {"a": (1, 2.5), 'b, "c"': (3.5, 4)}, ""),
    *(
        (f'{head}"a {mark}b{mark} c"{sep}1.5{sep}2.5\n"x\\"{sep}3.5{sep}4\n', R, "")
        for mark in ('\\"', '""')  # as R's functions write.table and write.csv do
        for sep in " \t,"
        for head in ("", f'"word"{sep}"V1"{sep}"V2"\n')
        if sep != " " or not head
    ),
    ("one 1 2.5", {"one": (1, 2.5)}, ""),  # without the end of a line
    ("1 2\none 1 2.5", {"one": (1, 2.5)}, ""),
    ("7 1.5 2.5\n8 3.5 4.5\n", {"7": (1.5, 2.5), "8": (3.5, 4.5)}, ""),  # words are ids
    (":a: 1 2.5\n:b: 3 4\n", {":a:": (1, 2.5), ":b:": (3, 4)}, ""),
    ("".join(f"{word} {np.array(row)}\n" for word, row in WORDS.items()), WORDS, ""),  # aligned
    ("".join(f"\t{line}\n" for line in AS_TEXT.splitlines()), GOT, ""),
    (WIDE.reset_index().to_csv(header=False), GOT, "ColumnsNotRead"),
    ("3 2 100\n" + AS_TEXT, GOT, ""),
    (WIDE.to_csv(header=False, quoting=1), GOT, ""),
    (WIDE.to_csv(header=False, quoting=1, sep=" "), GOT, ""),
    (LISTS.to_csv(index=False, header=False), GOT, ""),
    (LISTS.replace(", ", "\n ", regex=True).to_csv(index=False), GOT, ""),  # as NumPy prints them
    ("# my\tvectors\n" + WIDE.to_csv(sep="\t", header=False), GOT, "OddLines"),
    *((WIDE.to_json(orient=way), GOT, "") for way in ("columns", "index", "split")),
    (WIDE.reset_index(names="word").to_json(), GOT, ""),
    (
        '{"word": "\\ud800", "v": [1, 2]}\n{"word": "b", "v": [3, 4]}',
        {"\ud800": (1, 2), "b": (3, 4)},
        "",
    ),
    *((LISTS.assign(v=v).to_csv(index=False), GOT, "") for v in (NUMPY, TENSORS, ARRAYS)),
    *(
        ("".join(f"{word}{sep}{v}\n" for word, v in zip(GOT, cells, strict=True)), GOT, "")
        for cells in (NUMPY, TENSORS, ARRAYS)
        for sep in ("\t", ": ")
    ),
    *((BARE.to_csv(index=False, sep=sep), WORDS, "ColumnsNotRead") for sep in ",;\t"),
    (BARE.drop(columns="n").to_csv(index=False), WORDS, "OddLines"),
    (BARE.drop(columns="n").to_csv(index=False, header=False), WORDS, ""),
    *((WIDE.set_axis([1, 2], axis=1).to_csv(sep=sep, quoting=2), GOT, "") for sep in ",\t"),
    *(("word 1 2\n" + AS_TEXT, GOT, "OddLines"), ("word 0 1\n" + AS_TEXT, GOT, "OddLines")),
    *(("d0" + sep + WIDE.to_csv(sep=sep)[4:], GOT, "OddLines") for sep in ",\t"),  # of R
    ('"1" "a" 1 2.5\n"2" "New York" 3.5 4\n"3" "Blink 182" 5 6.5\n', GOT, "ColumnsNotRead"),
    ("a:1,2.5\nb:3,4.5\nc:d,e:1,0.5\n", {"a": (1, 2.5), "b": (3, 4.5), "c:d,e": (1, 0.5)}, ""),
]


@pytest.mark.parametrize(("content", "expected", "notice"), ODD)
def test_what_is_odd_is_read_and_said(file, content, expected, notice) -> None:
    path = file("odd.txt", content)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        check(load_vectors(path), expected)
    assert [type(each.message).__name__ for each in caught] == ([notice] if notice else [])


@pytest.mark.parametrize("write", [as_text, as_binary])
def test_a_damaged_word_before_the_first_good_one_is_said(file: File, write) -> None:
    content = write({"ca?": (1, 2), "père": (3, 4), "mère": (5, 6), "eau": (7, 8)})
    path = file("v.txt", content.replace(b"ca?", b"ca\xe9"))
    for limit in (None, 2):
        with pytest.warns(bb.warnings.ReadAsLatin1) as told:
            assert load_vectors(path, limit=limit).index_to_key[:2] == ["caé", "père"]
        assert (told[0].message.n, told[0].message.words) == (1, ("caé",))


@pytest.mark.parametrize(("promised", "told"), [(149, ""), (50, ""), (250, ""), (49, "continues")])
def test_a_header_may_be_wrong_by_a_hundred_words(file: File, promised: int, told: str) -> None:
    rows = {f"w{i}": (i + 0.25, 1.5) for i in range(150)}
    path = file("v.txt", f"{promised} 2\n".encode() + lines(" ", " ", rows))
    if told:
        refused(told, load_vectors, path)
    else:
        with pytest.warns(bb.warnings.WrongHeader):
            check(load_vectors(path), rows)


def test_entries_beyond_those_promised_are_found_wherever_reads_end(file, monkeypatch) -> None:
    path = file("v.bin", as_binary(WORDS, header=f"{len(WORDS) - 1} 3"))
    last = len("queen ") + 12
    entries = len(as_binary(WORDS).partition(b"\n")[2])
    for size in (1, entries - last, entries - last + 1, entries):
        monkeypatch.setattr(word2vec, "SCAN_SIZE", size)
        refused("continues", load_vectors, path)


@pytest.mark.parametrize(("promised", "told"), [(137, ""), (166, ""), (136, "continues")])
def test_a_long_file_may_lack_a_share_of_its_words(file, promised, told, monkeypatch) -> None:
    monkeypatch.setattr(text, "MOST_ODD", 0)
    monkeypatch.setattr(text, "MOST_ODD_SHARE", 0.1)
    test_a_header_may_be_wrong_by_a_hundred_words(file, promised, told)


@pytest.mark.parametrize(("odd", "told"), [(6, ""), (7, "Two files were joined")])
def test_a_long_file_may_have_a_share_of_odd_lines(file, odd: int, told: str, monkeypatch) -> None:
    monkeypatch.setattr(text, "MOST_ODD", 0)
    monkeypatch.setattr(text, "MOST_ODD_SHARE", 0.1)
    lines = [f"w{i} {i} 1 {i % 7}" for i in range(67 - odd)] + [f"odd{i} 1" for i in range(odd)]
    path = file("v.txt", "\n".join(lines) + "\n")
    if told:
        refused(told, load_vectors, path)
    else:
        with pytest.warns(bb.warnings.OddLines):
            assert len(load_vectors(path)) == len(lines) - odd


def wrapped(at: int) -> str:
    """Write vectors of five numbers with a line break after some of them."""
    rows = np.random.default_rng(at).normal(size=(26, 5)).round(4).tolist()
    parts = [" ".join(map(str, row[i : i + at])) + "\n" for row in rows for i in range(0, 5, at)]
    n = len(parts) // 26
    return "".join(f"{'' if i % n else f'w{i} '}{part}" for i, part in enumerate(parts))


RUSSIAN = ("a 1 2\n", "он 1 2\nона 3 4\n")
UTF_16 = [text.encode(f"utf-16{end}") for text in RUSSIAN for end in ("", "-le", "-be")]
UTF_32 = ["a 1 2\n".encode(f"utf-32{end}") for end in ("", "-le", "-be")]
COUNTS = [f"w{i} {i / 7:.4f} {i - 0.5} " for i in range(20)]
NO_EMBEDDINGS: list[tuple[bytes | str, str]] = [
    *((content, "text in UTF-32: save it as UTF-8") for content in UTF_32),
    *(
        (
            as_text(FRENCH, end=f"{sep}0.05\n").replace(b" ", sep.encode()).replace(b".", b","),
            "commas",
        )
        for sep in ",;| "
    ),
    *(
        ("".join(f"{line}{count(i)}\n" for i, line in enumerate(COUNTS)), "column 3 .*counts")
        for count in (lambda i: 900 - i, lambda i: 9e3 / (i + 1) // 1)
    ),
    ('{"a": [1, 2]}\n{"a": [1, 3]}', "word 'a' has different vectors"),
    (pd.DataFrame(np.eye(3), ["w1", "w2", "w3"], ["d1", "d2", "d3"]).to_json(), "words may be"),
    ("w,d0,d1\na,1.5,2\nb,x,3\nc,.5,.5\n", "'d0' are numbers, but that of the word 'b' is 'x'"),
    *((content, "text in UTF-16: save it as UTF-8") for content in UTF_16),
    *((wrapped(at), f"each vector goes on over {n} lines") for at, n in ((2, 3), (3, 2), (4, 2))),
    ("# one\n" + wrapped(3), "each vector goes on over 2 lines"),
    ("a 1 2\n3 4\nb 5 6\n7 8\n", "left out 2 lines"),
    *(
        (f"a{sep}N{sep}1.5{sep}2\nb{sep}V{sep}.5{sep}4\n", "another column next to the words")
        for sep in ",;\t"
    ),
    (WIDE.assign(p="N")[["p", *WIDE]].to_csv(header=False, quoting=1), "another column next to"),
    ('a,N,"1.5,2,3"\nb,V,".5,4,2"\n', "another column next to the words"),
    (json.dumps({"dim": 2, **GOT}), "a list of numbers, but that of 'dim' is 2"),
    (
        zipped({"mimetype": b"application/vnd.oasis", "content.xml": b""}),
        "a document of Excel.*CSV",
    ),
    (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", "a document of Excel.*CSV"),
    (gzip.compress(b"X\n\0\0\0\3\0\4\3\1"), "a file of R: save .* with write.csv"),
    ("<!DOCTYPE html><html>", "is a web page: the download failed"),
    ("version https://git-lfs.github.com/spec/v1\n", "pointer of Git LFS.*git lfs pull"),
    (b"7z\xbc\xaf\x27\x1c", "a 7z archive: unpack it"),
    (zipped({"a/data.pkl": b"\x80\x02}.", "a/data/0": b""}), "a PyTorch file: load it with torch"),
    (bytes(range(256)) * 9, "binary file of unknown kind"),
    ("a 1 2\rb 3 4\r", "ends its lines as old Macs did"),
    ("2 3\na 1 2\nb 3 4\n", "promises 3 dimensions, but the lines have 2; correct the first line"),
]


@pytest.mark.parametrize(("content", "told"), NO_EMBEDDINGS)
def test_other_files_are_named_with_what_to_do(file: File, content: bytes | str, told: str) -> None:
    refused(rf"vectors\.bin.*{told}", load_vectors, file("vectors.bin", content))


PARTS = ["he", "home run", "family doctor", "naïve", "New York City", "a", "東京 駅"]


DIMS = st.integers(2, 40) | st.just(3000)
"""The last vectors are longer than two of the longest keys."""


@pytest.mark.seconds
@given(st.integers(0, 2**32 - 1), DIMS, st.booleans(), st.integers(1, 9000))
@settings(max_examples=60)
def test_keys_with_blanks_are_right_or_refused(file, seed, dims, newline, size) -> None:
    """Wherever reads end; with 16 or more dimensions, they are always right."""
    rng = np.random.default_rng(seed)
    words = [f"{rng.choice(PARTS)}{i}" if rng.random() < 0.7 else f"w{i}" for i in range(30)]
    matrix = rng.normal(size=(30, dims)) * 10.0 ** rng.integers(-2, 2)
    path = file("blanks.bin", as_binary(dict(zip(words, matrix.tolist(), strict=True)), newline))
    with warnings.catch_warnings(), pytest.MonkeyPatch.context() as patch:
        warnings.simplefilter("ignore", bb.warnings.KeysWithBlanks)
        patch.setattr(word2vec, "SCAN_SIZE", size)
        try:
            found = load_vectors(path)
        except ValueError as error:
            assert dims < 16, error  # noqa: PT017
            assert "keys contain blanks" in str(error)  # noqa: PT017
            return
    assert found.index_to_key == words
    assert_array_equal(found.vectors, matrix.astype(np.float32))


LINES = "\n".join(WORDS)
BESIDE: dict[str, bytes | str] = {
    "v.txt": LINES,
    "v-vocab.txt": LINES.replace("\n", "\r\n") + "\r\n",
    "v.tsv": "\ufeff" + LINES + "\n\n",
    "words.txt": LINES.replace("\n", "\r"),
    "vocab.txt": "".join(f"{word} {9 - i}\n" for i, word in enumerate(WORDS)),
    "metadata.tsv": "Id\tWord\n" + "".join(f"{i}\t{word}\n" for i, word in enumerate(WORDS)),
    "v.csv": "word\n" + LINES,
    "words.csv": "n,word\n" + "".join(f"{i},{word}\n" for i, word in enumerate(WORDS)),
    "vocab.json": json.dumps({word: i for i, word in enumerate(WORDS)}),
    "v-vocab.pkl": pickle.dumps([*WORDS], protocol=2),
    "labels.txt": LINES.encode("utf-16"),
    "v_words.txt": LINES.encode("utf-32"),
    "v_vocab.txt": "".join(f"{i}\t{word}\n" for i, word in enumerate(WORDS)),
    "v.words": "".join(f"{i} {word}\n" for i, word in enumerate(WORDS)),
    "tokens.txt": "word count\n" + "".join(f"{word} 3\n" for word in WORDS),
    "tokens.csv": "text,label\n" + "".join(f"{word},{i}\n" for i, word in enumerate(WORDS)),
    "vocab.csv": pd.Series([*WORDS]).to_csv(),
    "v-vocab.csv": "word;freq;pos\n" + "".join(f'"{word}";3;N\n' for word in WORDS),
    "v-words.csv": '"vocab"\n' + "".join(f'"{word}"\n' for word in WORDS),
    "words.json": json.dumps({"words": [*WORDS], "count": [3] * 6}),
    "v-words.json": json.dumps(dict(enumerate(WORDS))),
}


LEFT_OUT = {
    "vocab.txt": ["the column 9, 8, 7, and 3 more"],
    "metadata.tsv": ["'Id'"],
    "words.csv": ["'n'"],
    "v_vocab.txt": ["the numbers of rows"],
    "v.words": ["the numbers of rows"],
    "tokens.txt": ["'count'"],
    "tokens.csv": ["'label'"],
    "vocab.csv": ["the numbers of rows"],
    "v-vocab.csv": ["'freq', 'pos'"],
}
"""What the warning names that is not read of those files."""


@pytest.mark.parametrize("words", BESIDE)
@pytest.mark.parametrize("matrix", ["v.npy", "v-w.npy", "v.tsv.gz"])
def test_words_are_found_next_to_a_matrix(file: File, words: str, matrix: str) -> None:
    buffer = io.BytesIO()
    np.save(buffer, MATRIX)
    as_lines = "# made by numpy\n" + FRAME.to_csv(sep="\t", header=False, index=False)
    path = file(matrix, gzip.compress(as_lines.encode()) if ".gz" in matrix else buffer.getvalue())
    refused(r"has no words; .* one word per line", load_vectors, path, error=FileNotFoundError)
    near = file(words, BESIDE[words])
    if words.endswith(".pkl"):
        refused("allow_pickle=True; otherwise, get the words as", load_vectors, path)
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        check(load_vectors(path, allow_pickle=True), WORDS)
    assert [str(one.message).split(": ")[-1] for one in told] == LEFT_OUT.get(words, [])
    near.write_bytes(pickle.dumps(Path) if words.endswith(".pkl") else b"one")
    refused(r"is not a list of words|unequal", load_vectors, path, allow_pickle=True)


WITH_NUMBERS: list[tuple[str, list[str], list[str]]] = [
    ("windows 95\nboeing 747\ncovid 19\n", ["windows 95", "boeing 747", "covid 19"], []),
    ("1,000\n2,000\n3,500", ["1,000", "2,000", "3,500"], []),
    ("1 pm\n2 pm\n3 am", ["1 pm", "2 pm", "3 am"], []),
    ("1 covid 19\n2 area 51\n3 he", ["covid 19", "area 51", "he"], ["the numbers of rows"]),
    ("the 90\nhe 20\nshe 3", ["the", "he", "she"], ["the column 90, 20, 3"]),
    ("word n\nhe 3\nshe 4\nit 3", ["he", "she", "it"], ["'n'"]),
    ("I\na\nb", ["I", "a", "b"], []),
    ("   90 the\n    8 he\n    3 she\n", ["the", "he", "she"], ["the column 90, 8, 3"]),
    ("the  90\nhe    8\nshe   3\n", ["the", "he", "she"], ["the column 90, 8, 3"]),
]


ORDERS = [
    *((name, True) for name in ("index", "Row", "idx", "row_id", "row_number", "word_id")),
    *((name, True) for name in ("token_id", "id", "row_idx", "word_index", "vector_id", "indices")),
    *((name, False) for name in ("", "Unnamed: 0", "#", "rank", "freq_rank", "count", "n", "pos")),
    *((name, False) for name in ("cluster", "label", "order", "place", "tf")),
]


@pytest.mark.parametrize("first", [0, 1])
@pytest.mark.parametrize("sep", ["\t", ",", ";"])
@pytest.mark.parametrize("left", [True, False])
@pytest.mark.parametrize("case", ORDERS)
def test_words_follow_a_column_that_numbers_rows(file: File, case, left, sep, first) -> None:
    """Other columns of numbers, and those without a name, may be ranks, counts, or clusters."""
    name, orders = case
    words, rows = ["ant", "bird", "cat", "dog", "eel"], [3, 0, 4, 2, 1]
    lines = [["word", name, "pos"], *([words[row], str(row + first), "x"] for row in rows)]
    text = "\n".join(sep.join([line[left], line[not left], line[2]]) for line in lines)
    np.save(path := file("v.npy", b""), np.eye(5))
    file("v.csv" if sep == "," else "v.tsv", text)
    with pytest.warns(bb.warnings.ColumnsNotRead) as told:
        found = load_vectors(path)
    assert [*found.index_to_key] == (words if orders else [words[row] for row in rows])
    shown = told[0].message.columns
    assert (len(shown), "orders" in shown[0]) == (2, orders)
    assert (repr(name) if name else "the column") in shown[0]


@pytest.mark.parametrize(
    ("content", "words"),
    [
        ("2\tb\n3\tc\n1\ta", "bca"),  # a frequency rank
        ("3\tc\n1\ta\n2\tb", "cab"),
        ("c\t3\nb\t2\na\t1", "cba"),
        ("0\tb\t2\n1\tc\t0\n2\ta\t1", "bca"),
        ("3\n1\tb\t9\n2\tc\t1\n0\ta\t5", "abc"),  # a Dictionary of gensim
        (",word,count\n2,b,90\n0,a,80\n1,c,7", "bac"),  # a sorted table of pandas
        ("row\tword\tid\n0\tb\t2\n1\tc\t1\n2\ta\t0", "bca"),
        ("row\tword\tid\n4\tb\t2\n5\tc\t1\n9\ta\t0", "bca"),
        ("word\tvocab_id\tindex\nb\t5\t1\nc\t8\t2\na\t9\t0", "abc"),
        ("word\tid\nb\t7\nc\t2\na\t0", "bca"),  # not the numbers of rows
        ("row\tword\tid\n1\tb\t1\n2\tc\t2\n0\ta\t0", "abc"),
        ("row\tword\tid\n1\tb\t2\n2\tc\t1\n0\ta\t0", "numbers the rows differently"),
        ("b\t1\nc\t2\na\t0", "Put names above"),
        ("1\tb\n2\tc\n0\ta", "Put names above"),
        ("b\t1\tx\nc\t2\tx\na\t0\tx", "Put names above"),
        ("3\n1\tb\t9\n7\tc\t1\n0\ta\t5", "unequal numbers"),  # ids that are no rows
    ],
)
def test_lines_keep_their_order_unless_a_column_numbers_rows(file, content, words) -> None:
    np.save(path := file("v.npy", b""), np.eye(3))
    file("v.txt", content)
    if len(words) > 3:
        refused(words, load_vectors, path)
        return
    with pytest.warns(bb.warnings.ColumnsNotRead):
        assert load_vectors(path).index_to_key == [*words]


@pytest.mark.parametrize(("name", "order"), [("freq_rank", [0, 1, 2, 3]), ("row", [1, 0, 3, 2])])
@pytest.mark.parametrize("second", ["", "\tcluster"])
def test_words_next_to_numbers_whatever_their_columns(file: File, name, second, order) -> None:
    path = file("vectors.tsv", "1\t2\t3\n4\t5\t6\n7\t8\t9\n3\t1\t2\n")
    words, ranks, clusters = ["he", "she", "it", "we"], [2, 1, 4, 3], [1, 0, 3, 2]
    lines = [f"word\t{name}{second}"]
    for word, rank, cluster in zip(words, ranks, clusters, strict=True):
        lines.append(f"{word}\t{rank}" + f"\t{cluster}" * bool(second))
    file("metadata.tsv", "\n".join(lines) + "\n")
    with pytest.warns(bb.warnings.ColumnsNotRead):
        found = load_vectors(path)
    assert found.index_to_key == [words[line] for line in order]
    np.testing.assert_array_equal(found.vectors, [[1, 2, 3], [4, 5, 6], [7, 8, 9], [3, 1, 2]])


@pytest.mark.parametrize(("content", "words", "told"), WITH_NUMBERS)
def test_numbers_in_words_are_kept_and_counts_are_named(file, content, words, told) -> None:
    np.save(path := file("v.npy", b""), np.eye(3))
    file("v.txt", content)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        assert load_vectors(path).index_to_key == words
    assert [str(one.message).split(": ")[-1] for one in caught] == told


@pytest.mark.parametrize("word", ["I", "he", "é"])
def test_one_short_word(file: File, word: str) -> None:
    np.save(path := file("v.npy", b""), np.eye(3)[:1])
    file("v.txt", word)
    check(load_vectors(path), {word: (1, 0, 0)})
    bb.convert_vectors({word: [1.0, 2.0]}, path.parent / "folder")
    check(load_vectors(path.parent / "folder"), {word: (1, 2)})


def test_no_words_at_all(file: File) -> None:
    np.save(path := file("v.npy", b""), np.empty((0, 3)))
    file("v.txt", b"")
    refused("has no words", load_vectors, path)


STARTS = [
    "PK",
    "PKM",
    "PAR1",
    "GGUF",
    "Rar!",
    "%PDF-",
    "BZh",
    "BZh9",
    "{}",
    "[]",
    "<html>",
    "<head>",
]


@pytest.mark.parametrize("word", STARTS)
def test_first_words_like_the_first_bytes_of_other_files(file: File, word: str) -> None:
    check(load_vectors(file("v", f"{word} .5 1\nhe 2 4\n")), {word: (0.5, 1), "he": (2, 4)})


@pytest.mark.parametrize("factor", [1, 1e6, 1e-8])
@pytest.mark.parametrize("dims", [3, 8, 50])
def test_binary_files_of_few_dimensions_or_other_scales(file, dims, factor) -> None:
    rng = np.random.default_rng(dims)
    matrix = (factor * rng.normal(size=(1000, dims))).astype(np.float32)
    keys = [f"w{i}" for i in range(1000)]
    path = file("v.bin", as_binary(dict(zip(keys, matrix.tolist(), strict=True)), newline=False))
    found = load_vectors(path)
    assert found.index_to_key == keys
    assert_array_equal(found.vectors, matrix)


@pytest.mark.parametrize("order", ["<f4", ">f4"])
@pytest.mark.parametrize("dims", [2, 3, 50])
@pytest.mark.parametrize("share", [0.1, 1])
def test_binary_files_of_counts_or_zeros_in_any_order_of_bytes(file, order, dims, share) -> None:
    """Short files are read to the end before the order is known."""
    rng = np.random.default_rng(dims)
    matrix = rng.poisson(3, size=(500, dims)) * (rng.random((500, dims)) < share)
    matrix[:, 0] = 1
    rows = (b"w%d " % i + row.astype(order).tobytes() for i, row in enumerate(matrix))
    found = load_vectors(file("v.bin", b"500 %d\n" % dims + b"".join(rows)))
    assert_array_equal(found.vectors, matrix)


IDS: list[tuple[str, list[str]]] = [
    ("word,d0,d1\n1,.5,1.5\n2,1,3.5\n", ["1", "2"]),
    ("word,d0,d1\n1e5,.5,1.5\n007,1,3.5\n", ["1e5", "007"]),
    ("pos,id,token,d0,d1\nN,1,1.50,.5,1.5\nV,2,2,1,3.5\n", ["1.50", "2"]),
    (",d0,d1\n012,.5,1.5\n7,1,3.5\n", ["012", "7"]),
    ("id,wort,d0,d1\n1,er,.5,1.5\n2,sie,1,3.5\n", ["er", "sie"]),
    ("word,d0,d1\n[UNK],.5,1.5\n[PAD],1,3.5\n", ["[UNK]", "[PAD]"]),
    ('id,vector\n1,"[.5,1.5]"\n3,"[1,3.5]"\n', ["1", "3"]),
]


@pytest.mark.parametrize(("content", "words"), IDS)
def test_words_that_look_like_numbers(file: File, content: str, words: list[str]) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", bb.warnings.ColumnsNotRead)
        check(
            load_vectors(file("v.csv", content)),
            dict(zip(words, [(0.5, 1.5), (1, 3.5)], strict=True)),
        )


def test_numbers_of_rows_are_no_words(file: File) -> None:
    refused("has no words", load_vectors, file("v.csv", ",d0,d1\n0,.5,2\n1,1,3\n"))


def test_an_extra_word_is_not_taken_for_a_header(file: File) -> None:
    np.save(path := file("v.npy", b""), MATRIX)
    file("v.txt", "the\n" + LINES)
    refused("unequal numbers.* first line of v.txt is a header, delete", load_vectors, path)


@pytest.mark.parametrize("form", ["{:g}\t", "{:9.4f} ", "{:g} "])
@pytest.mark.parametrize("factor", [1, 8])
def test_numbers_beside_as_many_words_are_a_matrix(file: File, form: str, factor: int) -> None:
    rows = MATRIX * factor  # eight times, all are whole
    path = file("v.tsv", "".join("".join(map(form.format, row)) + "\n" for row in rows))
    file("metadata.tsv", LINES)
    check(load_vectors(path), dict(zip(WORDS, rows.tolist(), strict=True)))
    file("metadata.tsv", "one")
    if factor == 8 and "g" in form:  # each line may begin with an id
        assert load_vectors(path).vector_size == 2


@pytest.mark.parametrize("dims", [0, 1])
@pytest.mark.parametrize("name", ["v.npy", "v.npz", "v.safetensors", "v.bin", "v.vec", "held"])
def test_vectors_have_two_numbers_or_more(file: File, name: str, dims: int) -> None:
    some = np.ascontiguousarray(MATRIX[:, :dims])
    np.save(made := io.BytesIO(), some)
    contents = {
        "v.npy": made.getvalue(),
        "v.npz": npz(words=np.array([*WORDS]), vectors=some),
        "v.safetensors": save({"a": some}),
        "v.bin": as_binary(dict(zip(WORDS, some.tolist(), strict=True))),
        "v.vec": as_text(dict(zip(WORDS, some.tolist(), strict=True)), f"6 {dims}"),
    }
    file("v.txt", LINES)
    vectors: Any = KeyedVectors(dims)
    vectors.index_to_key, vectors.vectors = [*WORDS], some
    source = file(name, contents[name]) if name in contents else vectors
    refused(f"two or more|of {dims} dimensions", load_vectors, source)


def test_earlier_npz_files_and_long_words(tmp_path: Path) -> None:
    np.savez(tmp_path / "old.npz", words=np.array([*WORDS]), vectors=MATRIX)
    check(load_vectors(tmp_path / "old.npz"), WORDS)
    words = [*map(str, range(2000)), "x" * 10_000]
    bb.save_vectors((words, np.ones((2001, 2))), tmp_path / "new.npz")
    assert load_vectors(tmp_path / "new.npz").index_to_key == words
    with np.load(tmp_path / "new.npz") as arrays:
        assert arrays["words_utf8"].nbytes < 20_000  # an array of text has 80 MB


@pytest.mark.parametrize("kind", CONTENT)
def test_a_limit_reads_the_first_words(tmp_path: Path, kind: str) -> None:
    (tmp_path / "v").write_bytes(CONTENT[kind](tmp_path))
    first = dict([*WORDS.items()][:2])
    how: dict[str, Any] = {"limit": 2, "allow_pickle": True}
    check(load_vectors(tmp_path / "v", **how), first)
    check(load_vectors(tmp_path / "v", ["Paris", "queen"], **how), {"Paris": WORDS["Paris"]})
    assert bb.convert_vectors(tmp_path / "v", tmp_path / "folder", **how) == (2, 3)
    assert bb.convert_vectors(tmp_path / "folder", tmp_path / "less", limit=1) == (1, 3)
    refused("limit must be a whole number, 1 or more; got 0", load_vectors, tmp_path / "v", limit=0)


@pytest.mark.parametrize("above", [b"# mine\n", b"# mine\n\nword d0 d1 d2\n"])
def test_a_limit_counts_no_lines_above_the_words_and_silences_no_notices(file, above) -> None:
    path = file("v", above + lines(" ", " "))
    with pytest.warns(bb.warnings.OddLines):
        assert load_vectors(path, limit=2).index_to_key == ["king", "Paris"]


def test_an_open_file_is_no_path(file: File) -> None:
    refused("pass its path", load_vectors, io.StringIO(AS_TEXT), error=TypeError)


@pytest.mark.parametrize("sep", [" ", "\t", ",", ";"])
@pytest.mark.parametrize("start", [0, 1])
def test_names_of_columns_that_count_are_no_vector(file: File, sep: str, start: int) -> None:
    """A vector that counts up is kept if it is short, has points, or is above whole numbers."""
    some = np.arange(start, start + 5)
    table: Table = {"a": (0.5, -1.5, 2.5, 3.5, 4.5), "b": (1.5, 0.25, 2.5, 3.25, 4.5)}
    content = lines(sep, sep, table).decode()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", bb.warnings.OddLines)
        check(load_vectors(file("v", f"Lemma{sep}{sep.join(map(str, some))}\n{content}")), table)
    for first, others in (
        (some / 1.0, table),
        (some, {"a": (4, 3, 2, 1, 0), "b": (1, 2, 3, 4, 7)}),
        (some[:4], {word: row[:4] for word, row in table.items()}),
    ):
        rows: Table = {"Lemma": first.tolist(), **others}
        check(load_vectors(file("v", lines(sep, sep, rows))), rows)


def test_slow_text_is_followed_by_a_hint_once(file: File, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("bayesbias.embeddings.formats.text.SLOW", -1.0)
    path = file("slow.txt", as_text(WORDS))
    with pytest.warns(bb.warnings.SlowText):
        load_vectors(path)
    check(load_vectors(path), WORDS)
