"""Opening files: little memory, and the bar that shows how far a long read has come."""

from __future__ import annotations

import gzip
import subprocess
import sys
from pathlib import Path

import pytest
from embedding_toys import FORMATS, File, as_binary

from bayesbias.embeddings import source
from bayesbias.embeddings.load import load_vectors

PEAK_OF_READING = """
import sys, tracemalloc
from pathlib import Path
from bayesbias.embeddings.registry import embedding_at
tracemalloc.start()
for path in sys.argv[1:]:
    assert len(list(embedding_at(Path(path)).pick({b"w7"}))) == 1
print(tracemalloc.get_traced_memory()[1])
"""


def test_memory_does_not_grow_with_the_file(file: File) -> None:
    rows = {f"w{i}": [float(i % 7)] * 300 for i in range(20_000)}
    content = as_binary(rows)
    paths = [file("a.bin", content), file("a.bin.gz", gzip.compress(content, 1))]
    command = [sys.executable, "-c", PEAK_OF_READING, *map(str, paths)]
    peak = int(subprocess.run(command, capture_output=True, text=True, check=True).stdout)
    # A few reads of 256 KiB, and modules imported on the way; the files hold 24 MB.
    assert len(content) > 24e6
    assert peak < 4e6


def bar_text(
    path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], shown: bool
) -> str:
    monkeypatch.setattr(source, "SLOW_SIZE", 1)
    load_vectors(path, ["king"], progressbar=shown)
    captured = capsys.readouterr()
    assert captured.out == ""
    return captured.err


@pytest.mark.parametrize("name", ["plain.bin", "packed.bin.gz", "glove.txt", "glove.zip"])
def test_the_bar_is_drawn_on_a_terminal(
    file: File, name: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
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
