"""Whole files in chunks: the same words, numbers and complaints as reading word by word.

The oracle is `pick`, which has tests of its own against gensim and against files written by hand,
and shares no parsing with the compiled loops.
"""

from __future__ import annotations

import gzip
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from embedding_toys import BAD, FORMATS, File, as_binary, as_text, picked, tables
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_array_equal

from bayesbias.embeddings import chunks
from bayesbias.embeddings.registry import embedding_at

Entries = list[tuple[bytes, list[float]]]


def by_chunks(path: Path, rows: int | None = None) -> Entries:
    """All entries of a file by way of chunks."""
    found: Entries = []
    for chunk in embedding_at(path, progressbar=False).iterate(rows):
        assert rows is None or 0 < len(chunk) <= rows
        names = chunk.names.split(b"\n")
        assert names.pop() == b""
        assert len(names) == len(chunk.vocabulary) == len(chunk)
        found += zip(names, chunk.vectors.tolist(), strict=True)
    return found


def by_words(path: Path) -> Entries:
    return [(name, vector.tolist()) for name, vector, _ in picked(path)]


@pytest.mark.parametrize("rows", [None, 1, 2, 5])
@pytest.mark.parametrize("name", FORMATS)
def test_every_format_in_chunks_of_any_size(file: File, name: str, rows: int | None) -> None:
    path = file(name, FORMATS[name])
    assert by_chunks(path, rows) == by_words(path)


@given(words=tables(), size=st.integers(1, 200), newline=st.booleans(), rows=st.integers(1, 9))
def test_binary_chunks_do_not_depend_on_where_reads_end(
    file: File, words: dict[str, tuple[float, ...]], size: int, newline: bool, rows: int
) -> None:
    path = file("made.bin", as_binary(words, newline))
    expected = by_words(path)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(chunks, "READ_SIZE", size)
        patch.setattr("bayesbias.embeddings.formats.binary.LONGEST_WORD", 60)
        assert by_chunks(path, rows) == expected


@given(words=tables(), size=st.integers(1, 200), header=st.booleans(), rows=st.integers(1, 9))
def test_text_chunks_do_not_depend_on_where_reads_end(
    file: File, words: dict[str, tuple[float, ...]], size: int, header: bool, rows: int
) -> None:
    dims = len(next(iter(words.values())))
    path = file("made.txt", as_text(words, f"{len(words)} {dims}" if header else None))
    expected = by_words(path)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(chunks, "READ_SIZE", size)
        assert by_chunks(path, rows) == expected


@given(
    numbers=st.lists(
        st.one_of(
            st.floats(allow_nan=False, allow_infinity=False).map(repr),
            st.floats(-10, 10).map(lambda x: f"{x:.5f}"),
            st.floats(-1e30, 1e30).map(lambda x: f"{x:.3e}"),
            st.from_regex(r"[+-]?[0-9]{1,20}\.?[0-9]{0,20}([eE][+-]?[0-9]{1,3})?", fullmatch=True),
        ),
        min_size=2,
        max_size=6,
    )
)
def test_numbers_are_rounded_as_python_does(file: File, numbers: list[str]) -> None:
    """Bit for bit, whether the quick way or the careful one reads them."""
    with np.errstate(over="ignore"):
        expected = np.array([float(number) for number in numbers], dtype=np.float32)
    ((_, found),) = by_chunks(file("numbers.txt", f"word {' '.join(numbers)}\n"))
    assert_array_equal(np.float32(found), expected)


ODD_LINES = [
    b"the 1 2\n. . . 3 4\nat name@domain.com 5 6\n, 7 8\n",
    "1 1 2\n2 3 4\n\xa0 5 6\n\u2028 7 8\nwide  9 10\n".encode(),
    b"a 1 2\n\n \nb  +1.5 -.5\nc 1e-3 1E2 \r\n",
    b"a\xff 1 2\nb 3 4",
    b"a 0.12345678901234567890 2\nb nan inf\n",
]


@pytest.mark.parametrize("content", ODD_LINES)
@pytest.mark.parametrize("rows", [None, 1])
def test_odd_lines_are_read_as_carefully_as_before(
    file: File, content: bytes, rows: int | None
) -> None:
    path = file("odd.txt", content)
    assert str(by_chunks(path, rows)) == str(by_words(path))  # as text, since nan is not nan


OF_VECTORS = ("not finite", "too large", "all zeros", "binary ", "fastText")
"""Faults of single vectors, which a chunk has as they are, and what gensim reads."""

UNREADABLE = [case for case in BAD if not case.startswith(OF_VECTORS)]


@pytest.mark.parametrize("case", UNREADABLE)
def test_damage_is_refused_in_the_same_words(file: File, case: str) -> None:
    name, content, what = BAD[case]
    path = file(name, content)
    with pytest.raises(ValueError, match=what) as caught:
        by_chunks(path)
    with pytest.raises(ValueError, match=what) as before:
        by_words(path)
    assert str(caught.value) == str(before.value)


@pytest.mark.parametrize("cut", [0.3, 0.6, 0.95])
def test_a_corrupted_gzip_stream(file: File, cut: float) -> None:
    rng = np.random.default_rng(3)
    rows = {f"w{i}": tuple(rng.standard_normal(20)) for i in range(500)}
    packed = bytearray(gzip.compress(as_text(rows)))
    for at in range(int(cut * len(packed)), int(cut * len(packed)) + 9):
        packed[at] ^= 0x5A
    with pytest.raises(ValueError, match=r"bad\.txt\.gz(: line| is cut off, damaged)"):
        by_chunks(file("bad.txt.gz", bytes(packed)))


@pytest.mark.parametrize(
    ("change", "what"),
    [
        (lambda data: data[:-1], r"ends within entry 1,000 of .* \(after the word 'w998xxxx'\)"),
        (lambda data: data[:40_000], r"ends within entry \d+ of the 1,000"),
        (lambda data: data + b"x", r"goes on after the 1,000 .* \(after the word 'w999xxxxx'\)"),
        (lambda data: data.replace(b"w900xxxx ", b"w900\nxxx "), "a word with a line break"),
        (
            lambda data: data.replace(b"1000 20\n", b"900 20\n"),
            r"goes on after the 900 .*'w899xxx'",
        ),
        (lambda data: data.replace(b"1000 20\n", b"1001 20\n"), "ends after entry 1,000 of"),
        (lambda data: data.replace(b"w500xxx ", b"x" * 5_000), "no word where entry 501 of 1,000"),
    ],
)
def test_damage_far_into_a_file(file: File, change: Any, what: str) -> None:
    rng = np.random.default_rng(5)
    words = {f"w{i}{'x' * (i % 7)}": tuple(rng.standard_normal(20)) for i in range(1_000)}
    path = file("made.bin", change(as_binary(words)))
    for rows in (None, 50):
        with pytest.raises(ValueError, match=what):
            by_chunks(path, rows)


@pytest.mark.parametrize("content", [b"2 3\na " + b"\0" * 12 + b"b", b"1 1\n" + b"x" * 9_000])
def test_an_error_leaves_no_file_open(
    file: File, content: bytes, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = file("made.bin", content)
    opened: list[Any] = []
    real = Path.open

    def noted(self: Path, *arguments: Any, **options: Any) -> Any:
        opened.append(real(self, *arguments, **options))
        return opened[-1]

    monkeypatch.setattr(Path, "open", noted)
    with pytest.raises(ValueError, match="made") as caught:  # which holds on to all that ran
        by_chunks(path)
    assert caught
    assert opened
    assert all(file.closed for file in opened)
