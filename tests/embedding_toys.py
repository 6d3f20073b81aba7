"""Embedding files written by a few lines of their own, sound and damaged, for tests of readers."""

from __future__ import annotations

import gzip
import io
import struct
import zipfile
import zlib
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from gensim.models import KeyedVectors
from hypothesis import strategies as st
from numpy.testing import assert_array_equal

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
    head = header or f"{len(words)} {dims}"
    end = b"\n" if newline else b""
    entries = (f"{w} ".encode() + struct.pack(f"<{dims}f", *row) + end for w, row in words.items())
    return b"".join([head.encode(), b"\n", *entries])


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


File = Callable[[str, bytes | str], Path]
"""What the fixture ``file`` is: writes a content under a name, and returns the path."""


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


THREE = {"one": (1.0, 2.0), "two": (3.0, 4.0), "three": (5.0, 6.0)}
B3 = as_binary(THREE)
ZIP = zipped({"a.txt": as_text(WORDS)})

BEFORE, AFTER = "ends before the end of the {}", "goes on after the end of the {}"

BAD: dict[str, tuple[str, bytes, str]] = {
    "cut within a vector": ("a.bin", B3[:-1], BEFORE.format("3 .*after 'two'; .*cut off")),
    "cut between entries": ("a.bin", B3[:-14], BEFORE.format("3 .*'two'")),
    "header only": ("a.bin", b"3 2\n", BEFORE.format("3 entries")),
    "promises more": ("a.bin", as_binary(THREE, header="9 2"), BEFORE.format("9 entries")),
    "promises fewer": ("a.bin", as_binary(THREE, header="2 2"), AFTER.format("2 entries")),
    "absurd dimensions": (
        "a.bin",
        b"3 1000000000000\nx",
        "3 words of 1,000,000,000,000 dimensions",
    ),
    "absurd count": ("a.bin", as_binary(THREE, header=f"{10**17} 2"), BEFORE.format("1")),
    "no words": ("a.bin", b"0 2\n", "promises 0 words"),
    "text called bin": ("a.bin", as_text(THREE), "does not begin with.*name it .txt or .vec"),
    "header without end": ("a.bin", b"3 2", "does not begin with"),
    "no word in sight": (
        "a.bin",
        b"2 2\n" + b"x" * 9000,
        "no word where entry 1 of 2 should begin",
    ),
    "lost in the middle": (
        "a.bin",
        as_binary({"one": (1, 2)}, header="2 2") + b"x" * 9000,
        "no word where entry 2 of 2 should begin, after 'one'",
    ),
    "fastText model": ("a.bin", struct.pack("<ii", 793712314, 12), "binary fastText model.*.vec"),
    "packed, cut within": ("a.bin.gz", gzip.compress(B3[:-1]), BEFORE.format("3 entries")),
    "packed nothing": ("a.bin.gz", gzip.compress(b""), "does not begin with"),
    "packed no text": ("a.txt.gz", gzip.compress(b""), "first line is not"),
    "gzip cut off": ("a.txt.gz", gzip.compress(as_text(WORDS))[:-9], "cut off, damaged"),
    "gzip checksum": ("a.bin.gz", gzip.compress(B3)[:-8] + b"\0" * 8, "cut off, damaged.*CRC"),
    "gzip, not at all": ("a.txt.gz", as_text(WORDS), "not a .gz file"),
    "zip, not at all": ("a.zip", as_text(WORDS), "not a .zip file"),
    "zip of several": (
        "a.zip",
        zipped({"b.txt": b"", "a.txt": b""}),
        r"2 files; name one behind ::, such as .*a.zip::a.txt$",
    ),
    "zip of nothing": ("a.zip", zipped({}), "holds 0 files; name one"),
    "zip checksum": (
        "a.zip",
        ZIP.replace(zlib.crc32(as_text(WORDS)).to_bytes(4, "little"), b"abcd"),
        "CRC",
    ),
    "blank text": ("a.txt", b"\n \n", "first line is not a header"),
    "prose": ("a.txt", b"Once upon a time\n", "first line is not.*begins 'Once upon a time'"),
    "tabs": ("a.txt", b"word\t0.5\t0.5\n", "with spaces between them"),
    "two dimensions, fewer": (
        "a.txt",
        b"a 1 2 3\nb 1 2 3\nc 1 2\nd 1 2 3\n",
        "line 3 has 2 numbers, not 3 as the header or the first line says",
    ),
    "spaces for a number": ("a.txt", b"a 1 2 3\nb 1  2\n", "line 2 has 2 numbers, not 3"),
    "text cut off": ("a.txt", as_text(THREE)[:-5], "line 3 has 1 numbers, not 2.*cut off"),
    "text promises more": ("a.txt", as_text(THREE, "4 2"), "ends after word 3, .* promises 4"),
    "text promises fewer": ("a.txt", as_text(THREE, "2 2"), "goes on to word 3, .* promises 2"),
    "dimensions of header": ("a.txt", as_text(THREE, "3 1"), "line 2 has 2 numbers, not 1"),
    "absurd, but allowed": ("a.vec", b"1 999999\na 1 2\n", "line 2 has 2 numbers, not 999,999"),
    "no number": ("a.txt", b"a 1 2\nb 1 2,5\n", "line 2 has '2,5' where a number should be"),
    "no number, padded": ("a.txt", b"a 1 2\n\nb  1 \xff\n", "line 3 has .* where a number should"),
    "not finite": ("a.txt", b"a 1 2\nb 1 nan\nc inf 2\n", "of b, c are all zeros or not finite"),
    "all zeros": ("a.txt", b"a 1 2\nb 0 -0.0\n", "of b are all zeros"),
    "binary nan": ("a.bin", as_binary({"a": (1, float("nan"))}), "of a are all zeros or not fin"),
}
