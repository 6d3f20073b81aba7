"""gensim's own files, which are pickles."""

from __future__ import annotations

import pickle
from pathlib import Path
from typing import Any

import pytest
from embedding_toys import WORDS, File, check, keyed
from gensim.models import Word2Vec
from numpy.testing import assert_array_equal

from bayesbias.embeddings.load import load_vectors


def test_gensims_own_files(tmp_path: Path) -> None:
    keyed(WORDS).save(str(tmp_path / "a.kv"))
    check(load_vectors(tmp_path / "a.kv", allow_pickle=True), WORDS)
    model = Word2Vec([["king", "queen"]] * 3, vector_size=3, min_count=1, workers=1)
    model.save(str(tmp_path / "a.model"))
    loaded = load_vectors(tmp_path / "a.model", ["king"], allow_pickle=True)
    assert_array_equal(loaded["king"], model.wv["king"])
    assert_array_equal(load_vectors(model, ["king"])["king"], model.wv["king"])


def test_large_arrays_beside_a_gensim_file(tmp_path: Path) -> None:
    keyed(WORDS).save(str(tmp_path / "a.kv"), sep_limit=1)
    assert (tmp_path / "a.kv.vectors.npy").is_file()
    check(load_vectors(tmp_path / "a.kv", ["king"], allow_pickle=True), {"king": WORDS["king"]})


@pytest.mark.parametrize("name", ["a.kv", "a.model"])
def test_a_pickle_is_not_opened_unless_allowed(tmp_path: Path, name: str) -> None:
    canary = tmp_path / "ran"

    class Program:
        def __reduce__(self) -> tuple[Any, ...]:
            return (Path.touch, (canary,))

    (tmp_path / name).write_bytes(pickle.dumps(Program()))
    with pytest.raises(ValueError, match=r"can run any program.*allow_pickle=True"):
        load_vectors(tmp_path / name)
    assert not canary.exists()


@pytest.mark.parametrize(
    "content",
    [b"", b"text", pickle.dumps({"a": 1}), pickle.dumps(7), b"\x80\x05cno.such\nthing\n."],
)
def test_a_pickle_of_something_else(file: File, content: bytes) -> None:
    with pytest.raises(ValueError, match=r"a\.kv is no file of gensim's vectors"):
        load_vectors(file("a.kv", content), allow_pickle=True)
