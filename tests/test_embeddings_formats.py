"""Formats in chunks of any size, of all words or the wanted ones, and what a new format needs."""

from __future__ import annotations

import gzip
import subprocess
import sys
from collections.abc import Collection
from pathlib import Path

import numpy as np
import pytest
from embedding_toys import FORMATS, WORDS, File, Table, as_binary, as_text, keyed, tables
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_array_equal

import bayesbias as bb
from bayesbias.embeddings import source
from bayesbias.embeddings.formats import binary
from bayesbias.embeddings.registry import open_embedding

Entries = list[tuple[str, list[float], int]]


def entries(path: Path, size: int = 3 << 20, wanted: Collection[str] | None = None) -> Entries:
    """All entries of a file by way of chunks of some bytes, or of one row."""
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


@given(words=tables(), size=st.integers(1, 200), newline=st.booleans(), chunk=st.integers(1, 99))
def test_binary_chunks_do_not_depend_on_where_reads_end(
    file: File, words: Table, size: int, newline: bool, chunk: int
) -> None:
    path = file("made.bin", as_binary(words, newline))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(binary, "SCAN_SIZE", size)
        assert entries(path, chunk) == written(words)


@given(words=tables(), header=st.booleans(), end=st.sampled_from(["\n", " \n", "\r\n"]))
def test_text_comes_back_bit_for_bit(file: File, words: Table, header: bool, end: str) -> None:
    dims = len(next(iter(words.values())))
    path = file("made.txt", as_text(words, f"{len(words)} {dims}" if header else None, end))
    assert entries(path, 30) == written(words)


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


def test_loaded_vectors_come_in_chunks_too(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(source, "READ_SIZE", 50)
    parts = list(bb.iter_vectors(keyed(WORDS)))
    assert [len(words) for words, _ in parts] == [4, 2]
    assert_array_equal(np.vstack([rows for _, rows in parts]), np.float32(list(WORDS.values())))


PEAK_OF_READING = """
import sys, tracemalloc
from bayesbias.embeddings.registry import open_embedding
tracemalloc.start()
for path in sys.argv[1:]:
    assert sum(map(len, open_embedding(path).chunks(wanted={"w7"}))) == 1
    assert sum(map(len, open_embedding(path).chunks())) == 20_000
print(tracemalloc.get_traced_memory()[1])
"""


def test_memory_does_not_grow_with_the_file(file: File) -> None:
    row = np.ones(300, dtype="<f4").tobytes()
    content = b"20000 300\n" + b"".join(f"w{i} ".encode() + row for i in range(20_000))
    paths = [file("a.bin", content), file("a.bin.gz", gzip.compress(content, 1))]
    command = [sys.executable, "-c", PEAK_OF_READING, *map(str, paths)]
    peak = int(subprocess.run(command, capture_output=True, text=True, check=True).stdout)
    # A few chunks of 3 MB, and modules imported on the way; the files hold 24 MB.
    assert len(content) > 24e6
    assert peak < 15e6


@pytest.mark.parametrize("shown", [True, False])
def test_the_bar_is_drawn_on_a_terminal_if_wanted(
    file: File, shown: bool, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("FORCE_COLOR", "1")
    monkeypatch.setattr(source, "SLOW_SIZE", 1)
    path = file("[b]packed.bin.gz", FORMATS["packed.bin.gz"])
    bb.load_vectors(path, ["king"], progressbar=shown)
    captured = capsys.readouterr()
    assert captured.out == ""
    assert ("[b]packed" in captured.err) is shown
