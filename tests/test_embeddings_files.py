"""Files that are loaded whole, by gensim, numpy, pyarrow or safetensors; and damage of any file."""

from __future__ import annotations

import io
import pickle
import zipfile
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from embedding_toys import BAD, WORDS, ZIP, File, check, keyed
from gensim.models import FastText, Word2Vec
from gensim.models.fasttext import save_facebook_model
from numpy.testing import assert_allclose, assert_array_equal
from safetensors.numpy import save

from bayesbias.embeddings.convert import save_vectors
from bayesbias.embeddings.distances import distance_table
from bayesbias.embeddings.load import iter_vectors, load_vectors

FRAME = pd.DataFrame(list(WORDS.values()), index=list(WORDS))


def test_a_fasttext_model_makes_vectors_of_words_that_it_lacks(tmp_path: Path) -> None:
    """Unless it is told not to; the number of these words is reported."""
    sentences = [["king", "queen", "man"], ["queen", "woman", "king"]] * 5
    model = FastText(sentences, vector_size=8, min_count=1, seed=1, bucket=50, min_n=2, max_n=3)
    path = tmp_path / "model.bin"
    save_facebook_model(model, str(path))
    for source in (path, model):
        words = ["king", "woman", "absent"]
        with pytest.warns(UserWarning, match=r"1 word\(s\) are not in the vocabulary .*\(absent\)"):
            made = load_vectors(source, words)
        assert set(made.index_to_key) == {*words}
        for word in words:  # float32 sums of the same n-grams, trained and read back
            assert_allclose(made[word], model.wv[word], rtol=1e-5, atol=1e-8)
        assert set(load_vectors(source, words, subwords=False).index_to_key) == {"king", "woman"}
    assert sum(len(words) for words, _ in iter_vectors(path)) == 4
    pets = {"groups": {"a": ["king"], "b": ["queen"]}, "stereotypes": {"a": ["man"], "b": ["maid"]}}
    for vectors in (path, model, model.wv):
        with pytest.warns(UserWarning, match=r"\(maid\)"):
            assert set(distance_table(vectors, pets)["attribute"]) == {"man", "maid"}


def test_our_own_file_keeps_words_vectors_licence_and_provenance(tmp_path: Path) -> None:
    path = tmp_path / "mine.v1.npz"
    save_vectors(keyed(WORDS), path, licence="PDDL", provenance="somewhere")
    check(load_vectors(path), WORDS)
    check(load_vectors(path, ["queen"]), {"queen": WORDS["queen"]})
    with np.load(path, allow_pickle=False) as arrays:
        assert (str(arrays["licence"]), str(arrays["provenance"])) == ("PDDL", "somewhere")
    with pytest.raises(ValueError, match=r"a\.bin must end in it"):
        save_vectors(keyed(WORDS), tmp_path / "a.bin")


def test_an_array_with_its_words_in_a_text_file(tmp_path: Path) -> None:
    np.save(tmp_path / "a.npy", FRAME.to_numpy(np.float64))
    content = save({"embeddings": np.ascontiguousarray(FRAME, dtype=np.float32)})
    (tmp_path / "a.safetensors").write_bytes(content)
    for name in ("a.npy", "a.safetensors"):
        (tmp_path / "a.txt").unlink(missing_ok=True)
        with pytest.raises(FileNotFoundError, match=r"a\.txt"):
            load_vectors(tmp_path / name)
        (tmp_path / "a.txt").write_text("\n".join([*WORDS, ""]), encoding="utf-8")
        check(load_vectors(tmp_path / name), WORDS)
    for damaged in (content[:-3], save({}), save({"a": np.ones(3), "b": np.ones(3)})):
        (tmp_path / "a.safetensors").write_bytes(damaged)
        with pytest.raises(ValueError, match=r"a\.safetensors is damaged, or no \.safetensors"):
            load_vectors(tmp_path / "a.safetensors")


def test_a_parquet_file_has_words_as_index_or_first_column(tmp_path: Path) -> None:
    path = tmp_path / "a.parquet"
    for frame in (FRAME, FRAME.reset_index()):
        frame.rename(columns=str).to_parquet(path)
        check(load_vectors(path), WORDS)
        check(load_vectors(path, ["king"]), {"king": WORDS["king"]})
    for content in (b"no table", path.read_bytes()[:-9]):
        path.write_bytes(content)
        with pytest.raises(ValueError, match=r"a\.parquet: "):
            load_vectors(path)


def test_gensims_own_files(tmp_path: Path) -> None:
    keyed(WORDS).save(str(tmp_path / "a.kv"))
    check(load_vectors(tmp_path / "a.kv", allow_pickle=True), WORDS)
    model = Word2Vec([["king", "queen"]] * 3, vector_size=3, min_count=1, workers=1)
    model.save(str(tmp_path / "a.model"))
    loaded = load_vectors(tmp_path / "a.model", ["king"], allow_pickle=True)
    assert_array_equal(loaded["king"], model.wv["king"])
    keyed(WORDS).save(str(tmp_path / "b.kv"), sep_limit=1)
    assert (tmp_path / "b.kv.vectors.npy").is_file()
    check(load_vectors(tmp_path / "b.kv", ["king"], allow_pickle=True), {"king": WORDS["king"]})


def test_a_pickle_is_not_opened_unless_allowed(tmp_path: Path) -> None:
    canary = tmp_path / "ran"

    class Program:
        def __reduce__(self) -> tuple[Any, ...]:
            return (Path.touch, (canary,))

    for name in ("a.kv", "a.model"):
        (tmp_path / name).write_bytes(pickle.dumps(Program()))
        with pytest.raises(ValueError, match=r"can run any program.*allow_pickle=True"):
            load_vectors(tmp_path / name)
    assert not canary.exists()


def npz(**arrays: Any) -> bytes:
    buffer = io.BytesIO()
    np.savez(buffer, **arrays)
    return buffer.getvalue()


def with_member(archive: bytes, name: str, content: bytes) -> bytes:
    buffer = io.BytesIO(archive)
    with zipfile.ZipFile(buffer, "a") as packed:
        packed.writestr(name, content)
    return buffer.getvalue()


AB, ROWS = np.array(["a", "b"]), np.ones((2, 2))
LONG = npz(words=np.array(["a"] * 99), vectors=np.ones((99, 9)))
PASSWORD = bytearray(ZIP)
PASSWORD[6] |= 1  # the flag of encryption, in the member's header and in the directory
PASSWORD[PASSWORD.index(b"PK\x01\x02") + 8] |= 1

DAMAGED: list[tuple[str, bytes, str]] = [
    *BAD.values(),
    *(("a.npz", content, "damaged, or no file of save_vectors") for content in (b"", b"no zip")),
    ("a.npz", with_member(npz(vectors=ROWS), "words.npy", b"no array"), r"words has shape \(\)"),
    ("a.npz", npz(a=np.ones(3)), "words.*not a file in the archive"),
    ("a.npz", npz(words=AB[:1].astype(object), vectors=np.ones((1, 2))), "damaged, or no file"),
    ("a.npz", npz(words=AB[:1], vectors=np.array([["x", "y"]])), "damaged, or no file"),
    ("a.npz", npz(words=AB, vectors=ROWS[:1]), r"words has shape \(2,\), and vectors \(1, 2\)"),
    ("a.npz", npz(words=AB[:1], vectors=np.ones(1)), r"vectors has shape \(1,\), not"),
    ("a.npz", npz(words=AB, vectors=np.ones((2, 0))), r"vectors has shape \(2, 0\), not"),
    ("a.npz", npz(words=AB[:, None], vectors=ROWS), r"words has shape \(2, 1\)"),
    ("a.npz", npz(words=AB, vectors=ROWS, ranks=np.array(3)), r"ranks has shape \(\)"),
    ("a.npz", npz(words=AB, vectors=ROWS, ranks=AB), "damaged, or no file"),
    ("a.npz", npz(words=AB, vectors=ROWS, read_as=np.array("a")), r"read_as has shape \(\)"),
    (
        "a.npz",
        npz(words=AB, vectors=ROWS, sample_words=AB, sample_vectors=ROWS[:1]),
        "sample_words",
    ),
    ("a.npz", LONG[:-300], "damaged, or no file"),
    *(
        ("a.kv", content, "is no file of gensim's vectors")
        for content in (b"", b"text", pickle.dumps({"a": 1}), b"\x80\x05cno.such\nthing\n.")
    ),
    ("a.zip", bytes(PASSWORD), "is cut off, damaged, .*unpack it first"),
]


# Packed contents have the time in them, and names of tests must be the same in all workers.
@pytest.mark.parametrize(
    ("name", "content", "fragment"), DAMAGED, ids=[f"{i}-{row[0]}" for i, row in enumerate(DAMAGED)]
)
def test_damaged_files_are_refused_in_a_line(
    file: File, name: str, content: bytes, fragment: str
) -> None:
    """Also where the damage is behind the words that are asked for."""
    path = file(name, content)
    behind = fragment.startswith(("ends", "goes on", "cut off, damaged"))
    for words in (None, ["one", "king"]) if behind else (None,):
        with pytest.raises(ValueError, match=fragment) as caught:
            load_vectors(path, words, allow_pickle=True)
        assert name in str(caught.value)
        assert "\n" not in str(caught.value)


def test_a_line_without_end_is_not_kept_in_memory(
    file: File, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("bayesbias.embeddings.formats.text.LONGEST_LINE", 50)
    with pytest.raises(ValueError, match=r"line 2 does not end; this is not a text file"):
        load_vectors(file("a.txt", b"a 1 2\nb " + b"1 " * 60))
