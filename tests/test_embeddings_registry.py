"""One registry of formats: a new one needs its two functions and a line."""

from __future__ import annotations

import gzip
from collections.abc import Collection, Iterator
from pathlib import Path

import numpy as np
import pytest
from embedding_toys import check

import bayesbias as bb
from bayesbias.embeddings import registry
from bayesbias.embeddings.chunks import Chunk, Entry
from bayesbias.embeddings.registry import Format
from bayesbias.embeddings.source import Source

WORDS_OF_TOY = {"one": (1.0, 2.0), "two": (3.0, 4.0), "three": (5.0, 6.0)}


def toy_rows(source: Source) -> Iterator[Entry]:
    with source.stream() as (stream, _):
        for rank, line in enumerate(stream, start=1):
            word, *numbers = line.split(b";")
            yield word, np.array(numbers, dtype=np.float32), rank


def pick_toy(source: Source, wanted: Collection[bytes] | None) -> Iterator[Entry]:
    return (each for each in toy_rows(source) if wanted is None or each[0] in wanted)


def iterate_toy(source: Source, rows: int | None) -> Iterator[Chunk]:
    for word, vector, _ in toy_rows(source):
        yield Chunk(word + b"\n", vector[None])


@pytest.fixture
def toy_format(monkeypatch: pytest.MonkeyPatch) -> None:
    toy = Format(pick_toy, iterate_toy, endings=(".toy",), packed=True)
    monkeypatch.setitem(registry.FORMATS, "toy", toy)


@pytest.mark.usefixtures("toy_format")
@pytest.mark.parametrize("name", ["a.toy", "a.toy.gz"])
def test_everything_knows_a_format_that_is_registered(tmp_path: Path, name: str) -> None:
    lines = "".join(f"{word};{row[0]};{row[1]}\n" for word, row in WORDS_OF_TOY.items()).encode()
    path = tmp_path / name
    path.write_bytes(gzip.compress(lines) if name.endswith(".gz") else lines)
    check(bb.load_vectors(path), WORDS_OF_TOY)
    check(bb.load_vectors(path, ["three", "TWO"], case="fallback"), {
        "TWO": WORDS_OF_TOY["two"], "three": WORDS_OF_TOY["three"]
    })  # fmt: skip
    assert [words for words, _ in bb.iter_vectors(path)] == [[word] for word in WORDS_OF_TOY]
    assert bb.convert_vectors(path, tmp_path / "made") == (3, 2)
    check(bb.load_vectors(tmp_path / "made"), WORDS_OF_TOY)
    found = bb.background.distribution(path, ["one"], ["two"])
    assert list(found.vocabulary) == list(WORDS_OF_TOY)
    (tmp_path / "a.docx").touch()
    with pytest.raises(ValueError, match=r"known are .*\.toy, "):
        bb.load_vectors(tmp_path / "a.docx")


def test_an_ending_is_known_only_while_its_format_is(tmp_path: Path) -> None:
    (tmp_path / "a.toy").write_bytes(b"one;1;2\n")
    with pytest.raises(ValueError, match=r"a\.toy: unknown ending '\.toy'; known are \.bin"):
        bb.load_vectors(tmp_path / "a.toy")
