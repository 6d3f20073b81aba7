"""The native format, and conversion to it, which is complete or leaves nothing."""

import os
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from builders import refused
from embedding_toys import FORMATS, WORDS, as_binary, check, keyed
from pandas.testing import assert_frame_equal

import bayesbias as bb

MATRIX = np.array(list(WORDS.values()), dtype=np.float32)


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Write WORDS in the native format, by hand, to the working folder."""
    made = tmp_path / "native"
    made.mkdir()
    np.save(made / "vectors.npy", MATRIX)
    (made / "words.txt").write_text("".join(f"{word}\n" for word in WORDS), encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    return made


def test_loading_all_and_some_words(folder: Path) -> None:
    check(bb.load_vectors("native"), WORDS)  # a name without a slash can also be a folder
    some = bb.load_vectors(folder, ["queen", "kraków", "missing"])
    check(some, {word: WORDS[word] for word in ("kraków", "queen")})
    refused("is a folder; give the path", bb.load_vectors, folder.parent, error=IsADirectoryError)


@pytest.mark.parametrize("name", ["packed.bin.gz", "fasttext.vec", "glove.zip", "in memory"])
def test_every_format_can_be_converted(tmp_path: Path, name: str) -> None:
    (tmp_path / name).write_bytes(FORMATS.get(name, b""))
    source, made = (tmp_path / name if name in FORMATS else keyed(WORDS)), tmp_path / "made"
    assert bb.convert_vectors(source, made) == (6, 3)
    assert sorted(os.listdir(tmp_path)) == sorted([name, "made"])
    # Any program can read it.
    np.testing.assert_array_equal(np.load(made / "vectors.npy"), MATRIX)
    assert (made / "words.txt").read_text(encoding="utf-8").split("\n")[:-1] == list(WORDS)


REFUSED: list[tuple[object, str, bool, str]] = [
    (keyed(WORDS), "native", False, "native already exists; pass force=True"),
    ("bad.bin", "native", True, "ends after word .* promises 6"),
    ("native", "native", True, "is the source itself"),
    (keyed(WORDS), "other", True, r"other has other files \(notes.txt"),
    (keyed(WORDS), "bad", True, "bad is a file or has the suffix of one"),
    (keyed(WORDS), "new.bin", True, r"new\.bin is a file or has the suffix of one"),
    (keyed(WORDS), "nowhere/a", True, r"there is no folder .*nowhere"),
    ({"a\nb": [1]}, "native", True, "contains a line break"),
    ((["a"][:0], np.ones((0, 1))), "native", True, "there are no words to write"),
]


@pytest.mark.parametrize(("source", "target", "force", "fragment"), REFUSED)
def test_what_is_refused_leaves_an_earlier_folder(folder, source, target, force, fragment) -> None:
    Path("bad.bin").write_bytes(as_binary(WORDS)[:-1])
    Path("bad").touch()
    Path("other").mkdir()
    Path("other", "notes.txt").touch()
    before = sorted(os.listdir())
    refused(fragment, bb.convert_vectors, source, target, error=(ValueError, OSError), force=force)
    assert sorted(os.listdir()) == before
    check(bb.load_vectors(folder), WORDS)
    bb.convert_vectors({"other": (1, 2, 3)}, folder, force=True)
    check(bb.load_vectors(folder), {"other": (1, 2, 3)})


def words(content: bytes) -> Callable[[Path], object]:
    return lambda folder: (folder / "words.txt").write_bytes(content)


def array(matrix: np.ndarray) -> Callable[[Path], object]:
    return lambda folder: np.save(folder / "vectors.npy", matrix, allow_pickle=True)


def null_in_header(folder: Path) -> None:
    content = (folder / "vectors.npy").read_bytes().replace(b"'descr'", b"'\0\ncr'")
    (folder / "vectors.npy").write_bytes(content)


BAD: list[tuple[Callable[[Path], object], str]] = [
    (words(b"a\nb\n"), "vectors .2 in words.txt, and 6"),
    (words(b"a\nb"), "words.txt does not end with"),
    (lambda f: (f / "vectors.npy").write_bytes(b"x" * 99), "damaged, or is not a .npy file"),
    (lambda f: os.truncate(f / "vectors.npy", 196), "damaged, or is not a .npy file"),
    (array(np.ones((6, 3), int)), "int64 values"),
    (array(np.ones((0, 3), np.float32)), r"and shape \(0, 3\)"),
    (null_in_header, "damaged, or is not a .npy file"),
    (array(np.array([{}])), "damaged, or is not a .npy file"),
]


@pytest.mark.parametrize(("damage", "what"), BAD)
def test_damaged_folders(folder: Path, damage: Callable[[Path], object], what: str) -> None:
    damage(folder)
    for asked in (["king"], None):
        with pytest.raises(ValueError, match=what) as caught:
            bb.load_vectors(folder, asked)
        assert str(folder) in str(caught.value)


@pytest.fixture
def text(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Write an embedding as text, with an odd line, next to an empty folder of caches."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    demo = bb.load_vectors("glove-demo")
    lines = [f"{word} {' '.join(map(str, demo[word]))}" for word in demo.index_to_key]
    path = tmp_path / "text.txt"
    path.write_text("\n".join([*lines[:40], "an odd line", *lines[40:], ""]))
    return path


CACHED = {"case": "fallback", "draws": 50, "seed": 1, "progressbar": False}


@pytest.mark.filterwarnings("ignore::bayesbias.warnings.OddLines")
def test_a_cached_text_has_the_numbers_ranks_and_notices_of_the_text(text, monkeypatch) -> None:
    plain = bb.analyze(text, "weat7", reference_lists=2, **CACHED)
    for place in ("first", "again"):
        with pytest.warns(bb.warnings.OddLines):
            found = bb.analyze(text, "weat7", cache=True, reference_lists=2, **CACHED)
        for name in ("table", "contrasts", "reference"):
            assert_frame_equal(getattr(found, name), getattr(plain, name))
        if place == "first":  # from now on, the text cannot be parsed
            monkeypatch.setattr("bayesbias.embeddings.formats.text._matrix", None)


@pytest.mark.filterwarnings("ignore::bayesbias.warnings.OddLines")
def test_a_cache_that_cannot_be_written_stops_nothing(text: Path) -> None:
    text.with_name("cache").touch()
    with pytest.warns(bb.warnings.NotCached):
        found = bb.analyze(text, "weat7", cache=True, reference_lists=0, matched=0, **CACHED)
    assert set(found.table["protected_word"]) > {"math", "numbers"}
