"""Damaged embedding files in every format are refused with one line that names the file."""

import gzip
import io
import pickle
import struct
import zipfile
import zlib
from typing import Any

import numpy as np
import pytest
from builders import refused
from embedding_toys import WORDS, as_binary, as_text, zipped

from bayesbias.embeddings.load import load_vectors

THREE = {"one": (1.0, 2.0), "two": (3.0, 4.0), "three": (5.0, 6.0)}
B3, T3 = as_binary(THREE), as_text(THREE)
ZIP = zipped({"a.txt": as_text(WORDS)})
PASSWORD = bytearray(ZIP)
PASSWORD[6] |= 1  # the encryption flag, in the member's header and in the directory
PASSWORD[PASSWORD.index(b"PK\x01\x02") + 8] |= 1
CRC = zlib.crc32(as_text(WORDS)).to_bytes(4, "little")

BEFORE, AFTER = "ends after word .* promises {}", "continues to word .* promises {}"
NO_LINES = "its lines are not words followed by two or more numbers"


def npz(**arrays: Any) -> bytes:
    buffer = io.BytesIO()
    np.savez(buffer, **arrays)
    return buffer.getvalue()


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
    ("a.bin", b"3 2\n", BEFORE.format("3")),
    ("a.bin", as_binary(THREE, header="9 2"), BEFORE.format("9")),
    ("a.bin", as_binary(THREE, header="2 2"), AFTER.format("2")),
    ("a.bin", b"3 1000000000000\nx", "3 words of 1,000,000,000,000 dimensions"),
    ("a.bin", b"0 2\n", "promises 0 words"),
    ("a.bin", b"3 2", NO_LINES),
    ("a.bin", b"2 2\n" + b"x" * 9000, "has no word where entry 1 of 2 should begin"),
    ("a.bin", b"2 2\none " + bytes(8) + b"x" * 9000, "where entry 2 of 2 should .*, after 'one'"),
    ("a.bin", struct.pack("<ii", 793712314, 12), "binary fastText model.*.vec"),
    ("a.bin.gz", gzip.compress(B3[:-1]), BEFORE.format("3")),
    ("a.bin.gz", gzip.compress(b""), "is empty"),
    ("a.txt.gz", gzip.compress(as_text(WORDS))[:-9], "cut off, damaged"),
    ("a.bin.gz", gzip.compress(B3)[:-8] + b"\0" * 8, "cut off, damaged.*CRC"),
    ("a.zip", zipped({"b.txt": b"", "a.txt": b""}), r"2 files; choose one .*, as in .*::a.txt$"),
    ("a.zip", zipped({}), "contains no files"),
    ("a.zip", ZIP.replace(CRC, b"abcd"), "CRC"),
    ("a.zip", bytes(PASSWORD), "is cut off, damaged, .*unpack it"),
    ("a.txt", b"5 4\n]", "not words followed by"),
    ("a.txt", b"\x0c", "is empty"),
    ("a.txt", b"Once upon a time\n", f"{NO_LINES}.*begins b'Once upon a time'"),
    ("a.txt", T3[:-5], r"followed by 2 numbers.*line 3, .*cut off"),
    ("a.txt", as_text(THREE, "4 2")[:-1], "ends after word 3, .* promises 4; the file was cut off"),
    ("a.txt", b"1 2\n" + T3 * 40, "continues to word 120, .* promises 1;.*delete its first line"),
    ("a.txt", T3 * 40 + b"prose of two\n" * 101, "101 lines that are not a word"),
    ("a.txt", as_text(THREE, "3 1"), "promises 1 dimensions, but the lines have 2; correct the"),
    ("a.vec", b"1 999999\na 1 2\n", "promises 999,999 dimensions, but the lines have 2"),
    ("a.txt", b"a 0,5 0,25\nb 0,5 0,75\n", f"{NO_LINES}.*not with decimal commas"),
    ("a.txt", b"1.5 2 a\n3 4.5 b\n", f"{NO_LINES}.*words must come before their numbers"),
    ("a.txt", b"".join(b"w%d %d 0.5 0.25\n" % (i, 9 * i) for i in range(9)), "delete the column"),
    ("a.npz", b"no zip", NO_LINES),
    (
        "a.npz",
        npz(words=np.array(["a"] * 99), vectors=np.ones((99, 9)))[:-300],
        "cut off, damaged, or not",
    ),
    ("a.npz", npz(a=np.ones(3)), "vectors.*not a file in the archive"),
    ("a.npz", npz(words=AB[:1].astype(object), vectors=ROWS[:1]), "damaged, or is not a file"),
    ("a.npz", npz(words=AB[:1], vectors=np.array([["x", "y"]])), "damaged, or is not a file"),
    ("a.npz", npz(words=AB, vectors=ROWS, ranks=AB), "damaged, or is not a file"),
    ("a.npz", with_member(npz(vectors=ROWS), "words.npy", b"no array"), r"words has 1 entries|is"),
    ("a.npz", npz(words=AB, vectors=ROWS[:1]), r"words has 2 entries, but vectors has \(1, 2\)"),
    ("a.npz", with_member(npz(words=AB), "vectors.npy", HUGE), "or needs more memory than is"),
    ("a.npz", npz(words=AB, vectors=np.ones((2, 0))), r"vectors has shape \(2, 0\), not"),
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
