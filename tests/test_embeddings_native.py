"""The native form, and converting into it: whole or not at all."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from embedding_toys import FORMATS, WORDS, File, as_binary, check, keyed
from numpy.testing import assert_array_equal

import bayesbias as bb


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """WORDS in the native form, written by hand."""
    made = tmp_path / "native"
    made.mkdir()
    np.save(made / "vectors.npy", np.array(list(WORDS.values()), dtype=np.float32))
    (made / "words.txt").write_text("".join(f"{word}\n" for word in WORDS), encoding="utf-8")
    return made


def left_over(place: Path) -> list[str]:
    return sorted(path.name for path in place.iterdir())


def test_loading_all_and_some_words(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    check(bb.load_vectors(folder), WORDS)
    some = bb.load_vectors(str(folder), ["queen", "kraków", "missing"])
    check(some, {word: WORDS[word] for word in ("kraków", "queen")})
    monkeypatch.chdir(folder.parent)  # a name without a slash is a folder, too
    check(bb.load_vectors("native", ["king"]), {"king": WORDS["king"]})
    found = bb.load_vectors(folder, ["King", "Bill"], case="fallback")
    assert bb.resolved_forms(found) == {"King": "king"}


@pytest.mark.parametrize("name", ["packed.bin.gz", "fasttext.vec", "glove.zip"])
def test_every_format_can_be_converted(tmp_path: Path, name: str) -> None:
    (tmp_path / name).write_bytes(FORMATS[name])
    made = tmp_path / "made"
    assert bb.convert_vectors(tmp_path / name, made) == (6, 3)
    assert left_over(made) == ["vectors.npy", "words.txt"]
    assert left_over(tmp_path) == sorted([name, "made"])
    check(bb.load_vectors(made), WORDS)
    # Any program can read it.
    assert_array_equal(np.load(made / "vectors.npy"), np.float32(list(WORDS.values())))
    assert (made / "words.txt").read_text(encoding="utf-8").split("\n")[:-1] == list(WORDS)


def test_loaded_vectors_and_bundled_ones_can_be_converted(tmp_path: Path) -> None:
    bb.convert_vectors(keyed(WORDS), tmp_path / "a")
    check(bb.load_vectors(tmp_path / "a"), WORDS)
    count, n_dims = bb.convert_vectors("glove-demo", tmp_path / "demo")
    assert n_dims == 100
    demo = bb.load_vectors("glove-demo")
    assert count == len(demo)
    assert_array_equal(np.load(tmp_path / "demo" / "vectors.npy"), demo.vectors)


def test_words_that_stand_twice(file: File, tmp_path: Path) -> None:
    path = file("twice.txt", b"a 1 2\nb 3 4\na 5 6\nc 7 8\nb 9 9\n")
    with pytest.warns(UserWarning, match=r"2 word\(s\) stand in .* more than once \(a, b\)"):
        assert bb.convert_vectors(path, tmp_path / "made") == (3, 2)
    check(bb.load_vectors(tmp_path / "made"), {"a": (1, 2), "b": (3, 4), "c": (7, 8)})


def test_an_earlier_folder_stays_unless_it_may_go(folder: Path, tmp_path: Path) -> None:
    other = keyed({"other": (1, 2, 3)})
    with pytest.raises(ValueError, match=r"native is there already; pass force=True"):
        bb.convert_vectors(other, folder)
    (tmp_path / "bad.bin").write_bytes(as_binary(WORDS)[:-1])
    with pytest.raises(ValueError, match="ends before the end of the 6"):
        bb.convert_vectors(tmp_path / "bad.bin", folder, force=True)
    check(bb.load_vectors(folder), WORDS)
    bb.convert_vectors(other, folder, force=True)
    check(bb.load_vectors(folder), {"other": (1, 2, 3)})
    assert left_over(tmp_path) == ["bad.bin", "native"]


def test_where_a_folder_cannot_be_made(folder: Path, tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(NotADirectoryError, match="file is a file; give the name of a folder"):
        bb.convert_vectors(keyed(WORDS), tmp_path / "file")
    with pytest.raises(FileNotFoundError, match=r"there is no folder .*nowhere"):
        bb.convert_vectors(keyed(WORDS), tmp_path / "nowhere" / "a")
    with pytest.raises(ValueError, match="is the source itself"):
        bb.convert_vectors(folder, folder, force=True)
    (folder / "notes.txt").touch()
    with pytest.raises(ValueError, match=r"native holds other files \(notes.txt"):
        bb.convert_vectors(keyed(WORDS), folder, force=True)


def words(content: bytes) -> Callable[[Path], object]:
    return lambda folder: (folder / "words.txt").write_bytes(content)


def array(matrix: np.ndarray) -> Callable[[Path], object]:
    return lambda folder: np.save(folder / "vectors.npy", matrix, allow_pickle=True)


BAD = {
    "fewer words": (words(b"a\nb\n"), "2 words but 6 vectors"),
    "cut words": (words(b"a\nb"), "words.txt does not end with"),
    "no array": (lambda f: (f / "vectors.npy").write_bytes(b"x" * 99), "damaged, or no .npy file"),
    "cut array": (lambda f: os.truncate(f / "vectors.npy", 196), "damaged, or no .npy file"),
    "integers": (array(np.ones((6, 3), int)), "int64 numbers"),
    "nothing": (array(np.ones((0, 3), np.float32)), "holds no vectors"),
    "null in the header": (
        lambda f: (f / "vectors.npy").write_bytes(
            (f / "vectors.npy").read_bytes().replace(b"'descr'", b"'\0\ncr'")
        ),
        "damaged, or no .npy file",
    ),
    "pickle": (array(np.array([{}])), "damaged, or no .npy file"),
}


@pytest.mark.parametrize("case", BAD)
def test_damaged_folders(folder: Path, case: str) -> None:
    damage, what = BAD[case]
    damage(folder)
    for read in (lambda: bb.load_vectors(folder, ["king"]), lambda: list(bb.iter_vectors(folder))):
        with pytest.raises(ValueError, match=what) as caught:
            read()
        assert str(folder) in str(caught.value)


def test_a_folder_of_something_else_is_no_embedding(tmp_path: Path) -> None:
    (tmp_path / "words.txt").touch()
    with pytest.raises(IsADirectoryError, match="is a folder; give the path"):
        bb.load_vectors(tmp_path)
