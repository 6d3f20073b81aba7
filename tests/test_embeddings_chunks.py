"""Whole embeddings in chunks, and the thread that reads ahead."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from embedding_toys import WORDS, File, as_binary, keyed
from numpy.testing import assert_array_equal

import bayesbias as bb
from bayesbias.embeddings import chunks
from bayesbias.embeddings.chunks import ahead
from bayesbias.embeddings.load import iter_vectors, save_vectors


def test_sources_that_are_loaded_whole_come_in_chunks_too(tmp_path: Path) -> None:
    save_vectors(keyed(WORDS), tmp_path / "a.npz")
    for source in (keyed(WORDS), tmp_path / "a.npz"):
        found = list(iter_vectors(source, rows=4))
        assert [len(words) for words, _ in found] == [4, 2]
        assert [word for words, _ in found for word in words] == list(WORDS)
        matrix = np.vstack([vectors for _, vectors in found])
        assert_array_equal(matrix, np.float32(list(WORDS.values())))
    assert sum(len(words) for words, _ in iter_vectors("glove-demo")) > 5_000


def test_words_that_are_not_utf8_are_spelt_as_load_vectors_spells_them(file: File) -> None:
    path = file("a.txt", b"a\xff 1 2\nb\xc3 3 4\nc 5 6\n")
    ((words, _),) = iter_vectors(path)
    assert words == bb.load_vectors(path).index_to_key == ["a\\xff", "b\\xc3", "c"]


def test_bad_rows(file: File) -> None:
    for source in (file("a.bin", as_binary(WORDS)), keyed(WORDS)):
        with pytest.raises(ValueError, match="rows must be a whole number from 1 on; got 0"):
            list(iter_vectors(source, rows=0))


def test_a_chunk_stays_as_it_is_while_others_are_read(file: File) -> None:
    path = file("a.bin", as_binary({f"w{i}": (float(i), 1.0, 2.0) for i in range(4_000)}))
    kept = [vectors for _, vectors in iter_vectors(path, rows=10)]
    assert [vectors[0, 0] for vectors in kept] == [10.0 * at for at in range(len(kept))]


@pytest.mark.timeout(20)
def test_reading_ahead_keeps_order_passes_errors_on_and_ends_its_thread() -> None:
    begun: list[int] = []

    def numbers() -> Iterator[int]:
        for number in range(10):
            begun.append(number)
            if number == 8:
                raise ZeroDivisionError
            yield number

    before = threading.active_count()
    found = []
    with pytest.raises(ZeroDivisionError):
        found.extend(ahead(numbers()))
    begun.clear()
    some = ahead(numbers())
    assert [next(some), next(some)] == [0, 1]
    some.close()
    assert len(begun) <= 2 + chunks.AHEAD + 1
    assert threading.active_count() == before
