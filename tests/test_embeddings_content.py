"""Files as people have them: their content decides what they are, and odd lines are counted."""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import tarfile
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from backports import zstd
from embedding_toys import WORDS, File, Table, as_binary, as_text, check, keyed, zipped

import bayesbias as bb
from bayesbias.embeddings.load import load_vectors

MATRIX = np.array([*WORDS.values()], dtype=np.float32)


def lines(after: str, between: str, words: Table = WORDS, end: str = "\n") -> bytes:
    rows = (word + after + between.join(map(str, row)) + end for word, row in words.items())
    return "".join(rows).encode()


@pytest.mark.parametrize("header", ["", "6 3\n", "6\t3\n", "6 3 54\n", "6\n"])
@pytest.mark.parametrize("between", [" ", "\t", ",", ";", "  ", ", ", "|"])
@pytest.mark.parametrize("after", [" ", "\t", ",", ";", ":", "|", "  "])
def test_separators_are_found(file: File, after: str, between: str, header: str) -> None:
    path = file("vectors", header.encode() + lines(after, between))
    check(load_vectors(path), WORDS)
    check(load_vectors(path, ["Bill"]), {"Bill": WORDS["Bill"]})


def tarred(content: bytes) -> bytes:
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w:gz") as archive:
        for name, some in (("a/._v.txt", b"\0\5\x16\7"), ("a/v.txt", content)):
            archive.addfile(info := tarfile.TarInfo(name), io.BytesIO(some))
            info.size = len(some)
    return buffer.getvalue()


def tar(content: bytes) -> bytes:
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w") as archive:
        info = tarfile.TarInfo("a/v.txt")
        info.size = len(content)
        archive.addfile(info, io.BytesIO(content))
    return buffer.getvalue()


PACKED: dict[str, Callable[[bytes], bytes]] = {
    "plain": bytes,
    "gz": gzip.compress,
    "bz2": bz2.compress,
    "xz": lzma.compress,
    "zst": zstd.compress,
    "tar": tar,
    "tar.gz": lambda content: gzip.compress(tar(content)),
    "zip of gz": lambda content: zipped({"v.gz": gzip.compress(content)}),
    "zip of a Mac": lambda content: zipped({"v": content, "__MACOSX/._v": b"\0\5\x16\7"}),
}


def npz(folder: Path) -> bytes:
    bb.save_vectors(keyed(WORDS), folder / "made.npz")
    return (folder / "made.npz").read_bytes()


def parquet(folder: Path) -> bytes:
    frame = pd.DataFrame(MATRIX, index=[*WORDS], columns=["d0", "d1", "d2"])
    frame.to_parquet(folder / "made.parquet")
    return (folder / "made.parquet").read_bytes()


def saved(folder: Path) -> bytes:
    keyed(WORDS).save(str(folder / "made"))
    return (folder / "made").read_bytes()


CONTENT: dict[str, Callable[[Path], bytes]] = {
    "text": lambda _: as_text(WORDS),
    "binary": lambda _: as_binary(WORDS),
    "csv": lambda _: pd.DataFrame(MATRIX, index=[*WORDS]).to_csv().encode(),
    "npz": npz,
    "parquet": parquet,
    "gensim": saved,
}


@pytest.mark.parametrize("packing", PACKED)
@pytest.mark.parametrize("kind", CONTENT)
@pytest.mark.parametrize("name", ["v", "v.model", "v.bin", "v.txt", "v.gz"])
def test_content_decides_what_a_file_is(tmp_path: Path, kind: str, packing: str, name: str) -> None:
    content = CONTENT[kind](tmp_path)
    (tmp_path / name).write_bytes(PACKED[packing](content))
    check(load_vectors(tmp_path / name, allow_pickle=True), WORDS)
