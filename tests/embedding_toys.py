"""Embedding files in all formats, written without the package, for tests of readers."""

import gzip
import io
import struct
import tarfile
import zipfile
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from gensim.models import KeyedVectors
from hypothesis import strategies as st
from numpy.testing import assert_array_equal

Table = Mapping[str, Sequence[float]]

# Float32 represents these numbers exactly, so reading must return them bit for bit.
WORDS: Table = {
    "king": (1.0, 0.5, -0.25),
    "Paris": (0.0, 2.0, 8.0),
    "bill": (-1.5, 0.125, 3.0),
    "Bill": (4.0, 4.0, -4.0),
    "kraków": (0.75, -0.75, 1.0),
    "queen": (1.0, 0.25, -0.5),
}


def as_binary(words: Table, newline: bool = False, header: str = "") -> bytes:
    """Write word2vec's binary format, exactly as documented."""
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
            archive.writestr(zipfile.ZipInfo(name), content, zipfile.ZIP_DEFLATED)
    return buffer.getvalue()


def tarred(content: bytes) -> bytes:
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w") as archive:
        info = tarfile.TarInfo("a/v.txt")
        info.size = len(content)
        archive.addfile(info, io.BytesIO(content))
    return buffer.getvalue()


def npz(**arrays: Any) -> bytes:
    buffer = io.BytesIO()
    np.savez(buffer, **arrays)
    return buffer.getvalue()


def keyed(words: Table, counts: Sequence[int] = ()) -> Any:
    vectors = KeyedVectors(len(next(iter(words.values()))))
    vectors.add_vectors(list(words), np.array(list(words.values()), dtype=np.float32))
    for word, count in zip(words, counts, strict=bool(counts)):
        vectors.set_vecattr(word, "count", count)
    return vectors


def check(vectors: Any, words: Table) -> None:
    """Check that the vectors have exactly these words, in this order, bit for bit."""
    assert isinstance(vectors, KeyedVectors)
    assert vectors.index_to_key == list(words)
    assert vectors.vectors.dtype == np.float32
    assert_array_equal(vectors.vectors, np.array(list(words.values()), dtype=np.float32))
    assert {word: vectors.key_to_index[word] for word in words} == {
        word: row for row, word in enumerate(words)
    }


File = Callable[[str, bytes | str], Path]
"""Type of the fixture ``file``, which writes content under a name and returns the path."""


HEADER = "6 3"
FORMATS = {
    "plain.bin": as_binary(WORDS),
    "newlines.bin": as_binary(WORDS, newline=True),
    "packed.bin.gz": gzip.compress(as_binary(WORDS)),
    "packed.zip": zipped({"deep/inside.bin": as_binary(WORDS)}),
    "glove.txt": as_text(WORDS),
    "word2vec.txt": as_text(WORDS, HEADER),
    "fasttext.vec": as_text(WORDS, HEADER, end=" \n"),
    "windows.txt": as_text(WORDS, HEADER, end="\r\n"),
    "bom.txt": b"\xef\xbb\xbf" + as_text(WORDS),
    "unended.txt": as_text(WORDS).rstrip(b"\n"),
    "blank-lines.txt": as_text(WORDS, HEADER) + b"\n\n",
    "glove.txt.gz": gzip.compress(as_text(WORDS)),
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
