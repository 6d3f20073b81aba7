"""Lists and embeddings that are damaged: one line says what is wrong, and nothing is written."""

from __future__ import annotations

import gzip
import zipfile
from pathlib import Path

import numpy as np
import pytest
from cli_toy import LIST, WORDS, refused


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        (LIST.replace('women = ["she", "maid"]\n', ""), "one group, 'men'"),
        (LIST.replace("[groups]", "[groups"), "not valid TOML"),
        (LIST.replace('["nurse", "dancer"]', "[]"), "the set is empty"),
        ('[groups]\nmen = ["he"]\n[stereotypes]\nmen = ["pilot"]', "one group"),
        (LIST.replace('["walk", "eat", "gone"]', '["gone", "lost"]'), "connection(s) human"),
        (LIST.replace('["she", "maid"]', '["lost"]'), "these groups has a vector: women (lost)"),
        (LIST.replace("title", "titel"), "did you mean 'title'"),
    ],
)
def test_bad_lists(
    toy: list[str], content: str, expected: str, capsys: pytest.CaptureFixture[str]
) -> None:
    Path("toy.toml").write_text(content, encoding="utf-8")
    assert expected in refused(capsys, toy)


def binary_vectors(n_promised: int) -> bytes:
    parts = [word.encode() + b" " + np.full(4, 0.5, np.float32).tobytes() + b"\n" for word in WORDS]
    return b"%d 4\n" % n_promised + b"".join(parts)


TEXT = "\n".join(f"{word} 0.1 0.2 0.3" for word in WORDS)

BAD_VECTORS: dict[str, tuple[str, bytes, str]] = {
    "empty": ("v.txt", b"", "v.txt is empty"),
    "truncated": ("v.bin", binary_vectors(len(WORDS))[:-9], "v.bin"),
    "promises": ("v.bin", binary_vectors(len(WORDS) + 3), "v.bin"),
    "text promises": ("v.vec", f"99 3\n{TEXT}\n".encode(), "99"),
    "dimensions": ("v.txt", TEXT.replace("nurse 0.1", "nurse").encode(), "line 8"),
    "not finite": ("v.txt", TEXT.replace("nurse 0.1", "nurse nan").encode(), "nurse"),
    "zeros": ("v.txt", TEXT.replace("nurse 0.1 0.2 0.3", "nurse 0 0 0").encode(), "nurse"),
    "no word": ("v.txt", b"other 0.1 0.2\nwords 0.3 0.4\n", "none of the 15 words is in v.txt"),
    "gzip cut": ("v.txt.gz", gzip.compress(TEXT.encode() * 50)[:-40], "v.txt.gz"),
    "no gzip": ("v.bin.gz", b"nonsense", "v.bin.gz"),
    "no zip": ("v.zip", b"nonsense", "v.zip"),
    "no npz": ("v.npz", b"nonsense", "v.npz"),
    "pickle": ("v.kv", b"\x80\x04.", "--allow-pickle"),
}


@pytest.mark.parametrize("case", BAD_VECTORS)
def test_bad_vectors(toy: list[str], case: str, capsys: pytest.CaptureFixture[str]) -> None:
    name, content, expected = BAD_VECTORS[case]
    Path(name).write_bytes(content)
    toy[3] = name
    assert expected in refused(capsys, toy)


def test_bad_pickles_and_zips(toy: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    Path("v.kv").write_bytes(b"\x80\x04.")
    toy[3] = "v.kv"
    assert "v.kv" in refused(capsys, [*toy, "--allow-pickle"])
    with zipfile.ZipFile("v.zip", "w") as archive:
        archive.writestr("a.txt", TEXT)
        archive.writestr("b.txt", TEXT)
    toy[3] = "v.zip"
    assert "v.zip" in refused(capsys, toy)
