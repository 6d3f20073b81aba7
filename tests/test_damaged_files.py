"""Damaged files of every kind are refused with one line that names the file."""

import gzip
import hashlib
import io
import json
import os
import pickle
import re
import struct
import zipfile
import zlib
from collections.abc import Callable
from functools import partial
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from builders import refused
from cli_toy import write_scored
from embedding_toys import WORDS, as_binary, as_text, npz, zipped
from limits import within_limits

import bayesbias as bb
from bayesbias.contextual.sentences import load_templates
from bayesbias.debias.defining_sets import load_defining_sets
from bayesbias.embeddings.formats.word_files import _pickled
from bayesbias.embeddings.load import load_vectors
from bayesbias.maskedlm.pair_files import read_pairs
from bayesbias.maskedlm.score_files import read_scored
from bayesbias.model.spec import model_text
from bayesbias.workflows.sweep_spec import load_sweep

THREE = {"one": (1.0, 2.0), "two": (3.0, 4.0), "three": (5.0, 6.0)}
B3, T3 = as_binary(THREE), as_text(THREE)
ZIP = zipped({"a.txt": as_text(WORDS)})
PASSWORD = bytearray(ZIP)
PASSWORD[6] |= 1  # the encryption flag, in the member's header and in the directory
PASSWORD[PASSWORD.index(b"PK\x01\x02") + 8] |= 1
CRC = zlib.crc32(as_text(WORDS)).to_bytes(4, "little")

BEFORE, AFTER = "ends after word .* promises {}", "continues to word .* promises {}"
NO_LINES = "its lines are not words followed by two or more numbers"


def with_member(archive: bytes, name: str, content: bytes) -> bytes:
    buffer = io.BytesIO(archive)
    with zipfile.ZipFile(buffer, "a") as packed:
        packed.writestr(name, content)
    return buffer.getvalue()


AB, ROWS = np.array(["a", "b"]), np.ones((2, 2))

HUGE = b"{'descr': '<f4', 'fortran_order': False, 'shape': (%d, 9)}" % 10**14
HUGE = b"\x93NUMPY\1\0v\0" + HUGE.ljust(117) + b"\n"

DAMAGED: list[tuple[str, bytes, str]] = [
    ("a.bin", B3[:-1], BEFORE.format("3; .*cut off")),
    ("a.bin", as_binary(THREE, header="9 2"), BEFORE.format("9")),
    ("a.bin", as_binary(THREE, header="2 2"), AFTER.format("2")),
    ("a.bin", b"3 1000000000000\nx", "3 words of 1,000,000,000,000 dimensions"),
    ("a.bin", b"0 2\n", "promises 0 words"),
    ("a.bin", b"3 2", NO_LINES),
    ("a.bin", b"2 2\n" + b"x" * 9000, "has no word where entry 1 of 2 should begin"),
    ("a.bin", b"2 2\none " + bytes(8) + b"x" * 9000, "where entry 2 of 2 should .*, after 'one'"),
    ("a.bin", struct.pack("<ii", 793712314, 12), "binary fastText model.*.vec"),
    ("a.bin.gz", gzip.compress(b""), "is empty"),
    ("a.txt.gz", gzip.compress(as_text(WORDS))[:-9], "cut off, damaged"),
    ("a.bin.gz", gzip.compress(B3)[:-8] + b"\0" * 8, "cut off, damaged.*CRC"),
    ("a.zip", zipped({"b.txt": b"", "c.txt": T3}), r"2 files; choose one .*, as in .*::c.txt$"),
    ("a.zip", zipped({"a.npy": b"", "c.txt": T3}), "2 files; choose one"),
    ("a.zip", zipped({}), "contains no files"),
    ("a.zip", ZIP.replace(CRC, b"abcd"), "CRC"),
    ("a.zip", bytes(PASSWORD), "is cut off, damaged, .*unpack it"),
    ("a.txt", b"5 4\n]", "not words followed by"),
    ("a.txt", b"\x0c", "is empty"),
    ("a.txt", b"Once upon a time\n", f"{NO_LINES}.*begins b'Once upon a time'"),
    ("a.txt", T3[:-5], r"followed by 2 numbers.*line 3, .*cut off"),
    ("a.txt", b"1 2\n" + T3 * 40, "continues to word 120, .* promises 1;.*delete its first line"),
    ("a.txt", T3 * 40 + b"prose of two\n" * 101, "101 lines that are not a word"),
    ("a.txt", as_text(THREE, "3 1"), "promises 1 dimensions, but the lines have 2; correct the"),
    ("a.txt", b"a 0,5 0,25\nb 0,5 0,75\n", f"{NO_LINES}.*not with decimal commas"),
    ("a.txt", b"1.5 2 a\n3 4.5 b\n", f"{NO_LINES}.*words must come before their numbers"),
    ("a.txt", b"".join(b"w%d %d 0.5 0.25\n" % (i, 9 * i) for i in range(9)), "delete the column"),
    ("a.npz", npz(words=AB, vectors=ROWS)[:-300], "cut off, damaged, or not"),
    ("a.npz", npz(a=np.ones(3)), "vectors.*not a file in the archive"),
    ("a.npz", npz(words=AB[:1].astype(object), vectors=ROWS[:1]), "damaged, or is not a file"),
    ("a.npz", npz(words=AB[:1], vectors=np.array([["x", "y"]])), "damaged, or is not a file"),
    ("a.npz", with_member(npz(vectors=ROWS), "words.npy", b"no array"), r"words has 1 entries|is"),
    ("a.npz", npz(words=AB, vectors=ROWS[:1]), r"words has 2 entries, but vectors has \(1, 2\)"),
    ("a.npz", with_member(npz(words=AB), "vectors.npy", HUGE), "or needs more memory than is"),
    ("a.npz", npz(words=AB, vectors=ROWS, sample_words=AB, sample_vectors=ROWS[:1]), "sample_word"),
    *(
        ("a.kv", content, "is a pickle, but not of vectors")
        for content in (pickle.dumps({"a": 1}), b"\x80\x05cno.such\nthing\n.")
    ),
    ("a.parquet", b"PAR1no table", "is damaged, or is not a table"),
]


# Packed contents include the time, but test names must be the same in all workers.
@pytest.mark.parametrize(
    ("name", "content", "fragment"), DAMAGED, ids=[f"{i}-{row[0]}" for i, row in enumerate(DAMAGED)]
)
def test_damaged_files_are_refused_in_a_line(file, name, content, fragment) -> None:
    """This holds even if the damage comes after the requested words."""
    path = file(name, content)
    behind = fragment.startswith(("ends", "goes on", "cut off, damaged"))
    for words in (None, ["one", "king"]) if behind else (None,):
        with pytest.raises(ValueError, match=fragment) as caught:
            load_vectors(path, words, allow_pickle=True)
        assert name in str(caught.value)
        assert "\n" not in str(caught.value)


def test_a_line_without_end_is_not_kept_in_memory(file, monkeypatch) -> None:
    monkeypatch.setattr("bayesbias.embeddings.formats.text.LONGEST_LINE", 50)
    refused(r"line 1 or a later one is too", load_vectors, file("a.txt", b"a 1 2\nb " + b"1 " * 60))


def load(path: Path) -> object:
    return bb.load_vectors(path, progressbar=False)


def refusal(path: Path, content: bytes | str, read: Callable[[Path], object]) -> str:
    """Return the reader's error message for bad content, and check that it names the file."""
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    with within_limits(), pytest.raises(ValueError, match=path.name) as told:
        read(path)
    return str(told.value)


def stereoset(path: Path) -> object:
    return read_pairs(path, "stereoset")


def crows(path: Path) -> object:
    return read_pairs(path, "crows-pairs")


def fasttext(
    words: bytes = b"cat\0" + bytes(9),
    n_words: int = 1,
    rows: int = 1,
    letters: tuple[int, int] = (3, 6),
) -> bytes:
    """Make a fastText model of one word in two dimensions, without buckets."""
    head = struct.pack("<2i12id", 793712314, 12, 2, 5, 1, 1, 5, 1, 2, 1, 0, *letters, 100, 1e-4)
    counts = struct.pack("<3i2q", n_words, n_words, 0, 1, 0)
    matrix = struct.pack("<?2q", False, rows, 2) + np.ones(2, dtype="<f4").tobytes()
    return head + counts + words + matrix


def operators(sign: str) -> bytes:
    """Make an array whose header is all operators, which raises MemoryError in CPython's parser."""
    header = (sign * (9_000 // len(sign)) + "1\n").encode()
    return b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header + bytes(8)


WHOLE = zipped({"v.txt": b"the 1 2 3 4\n"})
DIRECTORY = WHOLE.rindex(b"PK\x05\x06") + 16
OUTSIDE = WHOLE[:DIRECTORY] + struct.pack("<I", 2**31) + WHOLE[DIRECTORY + 4 :]
DEEP = "a = " + "[" * 5000
HEADS = "sent_more,sent_less,stereo_antistereo,bias_type\n"
LARGE = re.sub(r"= \d+(\.\d+)?", "= 1" + "0" * 400, model_text("paper"), count=1)

FOUND: list[tuple[str, bytes | str, Callable[[Path], object], str]] = [
    *(
        ("deep.toml", DEEP, read, "too deeply")
        for read in (bb.load_model, load_sweep, load_templates, load_defining_sets)
    ),
    ("m.toml", LARGE, bb.load_model, "too large"),
    ("dev.json", '{"data": ' * 100_000, stereoset, "too deeply"),
    ("c.csv", f"{HEADS}x,y,a,b,stereo,pets\n", crows, ""),
    # gensim would wait forever for the end of a word, or allocate all the memory in the header.
    ("m.bin", fasttext(words=b"cat"), load, "cannot be read"),
    ("m.bin", fasttext(n_words=2**31 - 1), load, "cannot be read"),
    ("m.bin", fasttext(rows=2**40), load, "cannot be read"),
    ("m.bin", fasttext()[:-4], load, "cannot be read"),
    *(("m.bin", fasttext(letters=two), load, "cannot be read") for two in ((-1, 6), (3, 2**30))),
    ("words.pkl", pickle.dumps(3)[:-1], partial(_pickled, allow=True), "words.pkl is damaged"),
    ("v.zip", OUTSIDE, load, "cut off, damaged"),
    ("v.npz", zipped({"words.npy": operators("-")}), load, "damaged"),
    *(("vectors.npy", operators(s), load, "damaged") for s in ("-", "not ")),
]


@pytest.mark.parametrize(
    ("name", "content", "read", "told"),
    FOUND,
    ids=[f"{i}-{row[0]}" for i, row in enumerate(FOUND)],
)
def test_damage_is_told_in_a_line(name, content, read, told, tmp_path) -> None:
    (tmp_path / "vectors.txt").write_text("a\n")
    assert told in refusal(tmp_path / name, content, read)


ODD = {
    "protected_word": [pa.array([b"a\xf3"]).view("string"), pa.array([[1, 2]])],
    "cosine_distance": [pa.array([{"a": 1}])],
    "context": [pa.array([[1]])],
}
"""Cells that are not text or numbers, keyed by column."""


@pytest.mark.parametrize(("name", "cell"), [(name, cell) for name in ODD for cell in ODD[name]])
def test_odd_parquet_files(name, cell, tmp_path, toy_table) -> None:
    columns = {head: pa.array(toy_table[head].astype(str).tolist()) for head in toy_table}
    cells = pa.concat_arrays([cell] * len(toy_table))
    pq.write_table(pa.table(columns | {name: cells}), tmp_path / "t.parquet")
    refused(r"t\.parquet.*(damaged|UTF8)", bb.read_table, tmp_path / "t.parquet")


def test_a_line_without_end(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.touch()
    os.truncate(path, 3 << 30)  # null bytes, which use no disk space
    with (
        within_limits(),
        pytest.raises(ValueError, match=r"t\.csv has zero bytes or a line of 1,048,576 bytes"),
    ):
        bb.read_table(path)


@pytest.mark.parametrize(
    ("name", "read"),
    [("t.csv", bb.read_table), ("m.toml", bb.load_model), ("l.toml", bb.load_wordlist)],
)
def test_a_device_is_no_file(name: str, read: Callable[[Path], object], tmp_path: Path) -> None:
    (tmp_path / name).symlink_to("/dev/zero")
    with within_limits(), pytest.raises(FileNotFoundError, match=name):
        read(tmp_path / name)


def test_records_and_scores_that_are_none(tmp_path: Path) -> None:
    def read(path: Path) -> object:
        return read_scored(path.parent)

    folder = write_scored(tmp_path / "scored")
    read_scored(folder)
    record, text = (folder / name for name in ("run.json", "scores.csv"))
    whole, scores = json.loads(record.read_text()), text.read_text()
    lacking = {"model": None, "dataset": ["crows-pairs"], "data_hash": {}, "unscored": [3]}
    for part, value in lacking.items():
        assert part in refusal(record, json.dumps(whole | {part: value}), read)
    for content in ("[" * 100_000, "[]", "9" * 5000, "1" + "0" * 400, "{", '{"made_by": 3}'):
        refusal(record, content, read)
    record.write_text(json.dumps(whole))
    for old, new in (("stereotypical", "first"), ("8,6,-", "8,x,-"), ("toy", "b")):
        refusal(text, scores.replace(old, new, 3), read)
    digest = hashlib.sha256(scores.encode()).hexdigest()
    record.write_text(json.dumps(whole | {"scores_hash": digest}))
    lines = scores.splitlines(keepends=True)
    for cut in ("".join(lines[:3]), scores[:-2], scores.replace("-", "-1", 1)):
        assert "not as" in refusal(text, cut, read)
    text.write_text(scores)
    read_scored(folder)
