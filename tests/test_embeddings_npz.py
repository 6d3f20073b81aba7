"""The form of `save_vectors`."""

from __future__ import annotations

import io
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from embedding_toys import WORDS, File, check, keyed

from bayesbias.embeddings.load import load_vectors, save_vectors


def test_our_own_file_keeps_words_vectors_licence_and_provenance(tmp_path: Path) -> None:
    path = tmp_path / "mine.v1.npz"
    save_vectors(keyed(WORDS), path, licence="PDDL", provenance="somewhere")
    check(load_vectors(path), WORDS)
    check(load_vectors(path, ["queen"]), {"queen": WORDS["queen"]})
    with np.load(path, allow_pickle=False) as arrays:
        assert str(arrays["licence"]) == "PDDL"
        assert str(arrays["provenance"]) == "somewhere"
    assert [entry.name for entry in tmp_path.iterdir()] == ["mine.v1.npz"]


def test_saving_needs_our_ending_and_a_folder(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match=r"a\.bin must end in it"):
        save_vectors(keyed(WORDS), tmp_path / "a.bin")
    with pytest.raises(FileNotFoundError, match="nowhere"):
        save_vectors(keyed(WORDS), tmp_path / "nowhere" / "a.npz")


AB, ROWS = np.array(["a", "b"]), np.ones((2, 2))


def npz(**arrays: Any) -> bytes:
    buffer = io.BytesIO()
    np.savez(buffer, **arrays)
    return buffer.getvalue()


def npy(array: Any) -> bytes:
    buffer = io.BytesIO()
    np.save(buffer, array)
    return buffer.getvalue()


@pytest.mark.parametrize(
    ("content", "what"),
    [
        (b"", "damaged, or no file of save_vectors"),
        (b"no zip at all", "damaged, or no file of save_vectors"),
        (npz(a=np.ones(3)), "words.*not a file in the archive"),
        (npz(words=np.array(["a"], dtype=object), vectors=np.ones((1, 2))), "damaged, or no file"),
        (npz(words=np.array(["a"]), vectors=np.array([["x", "y"]])), "damaged, or no file"),
        (npz(words=AB, vectors=np.ones((1, 2))), r"words has shape \(2,\), and vectors \(1, 2\)"),
        (npz(words=AB[:1], vectors=np.ones(1)), r"vectors has shape \(1,\), not"),
        (npz(words=AB, vectors=np.ones((2, 0))), r"vectors has shape \(2, 0\), not"),
        (npz(words=AB[:, None], vectors=ROWS), r"words has shape \(2, 1\)"),
        (npz(words=AB, vectors=ROWS, ranks=np.array(3)), r"ranks has shape \(\)"),
        (npz(words=AB, vectors=ROWS, ranks=AB), "damaged, or no file"),
        (npz(words=AB, vectors=ROWS, read_as=np.array("a")), r"read_as has shape \(\)"),
        (npz(words=AB, vectors=ROWS, sample_words=AB, sample_vectors=ROWS[:1]), "sample_words has"),
        (npy(np.ones(3)), "damaged, or no file"),
        (npz(words=np.array(["a"] * 99), vectors=np.ones((99, 9)))[:-300], "damaged, or no file"),
    ],
)
def test_damaged_npz(file: File, content: bytes, what: str) -> None:
    with pytest.raises(ValueError, match=rf"a\.npz.*{what}"):
        load_vectors(file("a.npz", content))
