"""Whole files debiased in blocks: the same as in memory, readable by gensim, or nothing at all."""

import json
from pathlib import Path

import numpy as np
import pytest
from builders import refused
from debias_toys import GENDER, NEUTRAL, RELIGION, toy
from gensim.models import KeyedVectors

import bayesbias as bb
from bayesbias import debias
from bayesbias.debias import DefiningSets, debias_file, debiasing

OPTIONS = {
    "hard": {"k": 2},
    "multiclass_hard": {"subspace": "means"},
    "soft": {"strength": 1.0},
    "double_hard": {"n_words": 10, "candidates": 3, "seed": 1},
    "half_sibling": {"alpha": 2.0},
}

SINGLE = 1e-6
"""Text in %.9g gives back every float32; products through BLAS may round once by block size."""


@pytest.fixture
def source(tmp_path: Path) -> Path:
    path = tmp_path / "toy.bin"
    toy().save_word2vec_format(str(path), binary=True)
    return path


def written_as(path: Path) -> KeyedVectors:
    """What gensim reads; it takes .gz by itself and the format from us."""
    binary = ".bin" in path.suffixes
    return KeyedVectors.load_word2vec_format(str(path), binary=binary)


@pytest.mark.parametrize("method", OPTIONS)
@pytest.mark.parametrize("ending", [".bin", ".txt", ".vec", ".bin.gz", ".txt.gz", ".npz"])
def test_the_file_is_what_the_function_gives(method: str, ending: str, source: Path) -> None:
    expected = getattr(debias, method)(bb.load_vectors(source), GENDER, **OPTIONS[method])
    out = source.with_name(f"out{ending}")
    written = debias_file(source, out, method, GENDER, **OPTIONS[method])
    found = bb.load_vectors(out) if ending == ".npz" else written_as(out)
    assert found.index_to_key == expected.index_to_key
    assert np.array_equal(found.vectors, expected.vectors)
    assert written.record == debiasing(expected)
    assert (written.words, written.dims, written.out) == (len(expected), 8, out)


@pytest.mark.parametrize("method", OPTIONS)
def test_blocks_of_any_size_give_the_same_file(method: str, source: Path) -> None:
    files = []
    for size in (1, 7, 10_000):
        out = source.with_name(f"out{size}.bin")
        debias_file(source, out, method, GENDER, chunk_size=size, **OPTIONS[method])
        files.append(out)
    if method in ("hard", "multiclass_hard", "double_hard"):
        assert len({path.read_bytes() for path in files}) == 1
    first, *others = (written_as(path).vectors for path in files)
    for other in others:
        assert other == pytest.approx(first, abs=SINGLE)


def text_of(vectors: KeyedVectors, *, header: bool) -> str:
    lines = [f"{len(vectors)} {vectors.vector_size}"] if header else []
    lines += [" ".join([word, *map(repr, vectors[word].tolist())]) for word in vectors.index_to_key]
    return "\n".join(lines) + "\n"


@pytest.mark.parametrize("header", [True, False])
def test_text_sources_with_and_without_header(header: bool, tmp_path: Path) -> None:
    path = tmp_path / "toy.txt"
    path.write_text(text_of(toy(), header=header), encoding="utf-8")
    debias_file(path, tmp_path / "out.bin", "hard", GENDER)
    found = written_as(tmp_path / "out.bin")
    assert np.array_equal(found.vectors, debias.hard(toy(), GENDER).vectors)


def test_sources_held_in_memory(tmp_path: Path) -> None:
    vectors = toy()
    bb.save_vectors(vectors, tmp_path / "toy.npz")
    vectors.save(str(tmp_path / "toy.kv"))
    expected = debias.hard(vectors, GENDER).vectors
    debias_file(tmp_path / "toy.npz", tmp_path / "a.bin", "hard", GENDER)
    assert np.array_equal(written_as(tmp_path / "a.bin").vectors, expected)
    with pytest.raises(ValueError, match="allow_pickle=True"):
        debias_file(tmp_path / "toy.kv", tmp_path / "b.bin", "hard", GENDER)
    debias_file(tmp_path / "toy.kv", tmp_path / "b.bin", "hard", GENDER, allow_pickle=True)
    assert (tmp_path / "b.bin").read_bytes() == (tmp_path / "a.bin").read_bytes()
    debias_file("glove-demo", tmp_path / "demo.bin")
    assert len(written_as(tmp_path / "demo.bin")) == len(bb.load_vectors("glove-demo"))


def test_a_packed_file_is_the_same_on_every_run(source: Path) -> None:
    for name in ("a.bin.gz", "b.bin.gz"):
        debias_file(source, source.with_name(name), "hard", GENDER)
    first, second = (source.with_name(name).read_bytes() for name in ("a.bin.gz", "b.bin.gz"))
    assert first == second


def test_the_record_lies_beside_the_file(source: Path) -> None:
    sets = DefiningSets([*GENDER.defining, ("gal", "guy")], name="mine")
    written = debias_file(source, source.with_name("out.bin"), "hard", sets, k=1)
    assert written.record_path == source.with_name("out.bin.json")
    told = json.loads(written.record_path.read_text(encoding="utf-8"))
    assert told["source"] == "toy.bin"
    assert told["out"] == "out.bin"
    assert (told["words"], told["dims"]) == (written.words, 8)
    assert (told["method"], told["lists"]) == ("hard", "mine")
    assert told["missing"] == {"defining sets": ["gal", "guy"]}
    assert told["parameters"]["k"] == 1
    debias_file(source, source.with_name("out.npz"), "hard", sets)
    with np.load(source.with_name("out.npz")) as arrays:
        assert json.loads(str(arrays["provenance"]))["method"] == "hard"


def test_odd_words_come_through(tmp_path: Path) -> None:
    vectors = toy()
    rows = dict(zip(vectors.index_to_key, vectors.vectors, strict=True))
    odd = {b"\xff\xfe": rows["word1"], "naïve".encode(): rows["word2"], b"she": rows["word3"]}
    path = tmp_path / "odd.bin"
    entries = [*((word.encode(), row) for word, row in rows.items()), *odd.items()]
    content = b"".join(word + b" " + row.tobytes() for word, row in entries)
    path.write_bytes(f"{len(entries)} 8\n".encode() + content)
    debias_file(path, tmp_path / "out.bin", "hard", GENDER)
    found = (tmp_path / "out.bin").read_bytes()
    for word in odd:
        assert word + b" " in found
    # The first of two entries of a word counts, here and in gensim, and is a class word.
    assert found.count(b"she ") == 2
    ours = bb.load_vectors(tmp_path / "out.bin", words=["she", "word1"])
    assert ours["she"] == pytest.approx(debias.hard(vectors, GENDER)["she"], abs=SINGLE)


def test_words_with_spaces_are_written_so_that_gensim_reads_them(tmp_path: Path) -> None:
    path = tmp_path / "spaces.txt"
    path.write_text(text_of(toy(), header=False) + ". . " + "0.5 " * 7 + "1\n", encoding="utf-8")
    with pytest.warns(UserWarning, match=r"1 word\(s\) hold spaces"):
        debias_file(path, tmp_path / "out.txt", "hard", GENDER)
    assert written_as(tmp_path / "out.txt").index_to_key[-1] == "._."


def test_zeros_stay_and_are_told_of(tmp_path: Path) -> None:
    vectors = toy()
    vectors.vectors[vectors.key_to_index[NEUTRAL[0]]] = 0
    vectors.save_word2vec_format(str(tmp_path / "toy.bin"), binary=True)
    for method in ("hard", "soft"):
        with pytest.warns(UserWarning, match=r"vectors of 1 word\(s\) are all zeros"):
            debias_file(tmp_path / "toy.bin", tmp_path / "out.bin", method, GENDER)
        assert not written_as(tmp_path / "out.bin")[NEUTRAL[0]].any()


BAD = {
    "unknown method": ({"method": "hrad"}, "unknown debiasing method 'hrad'; did you mean 'hard'"),
    "unknown option": ({"strength": 1.0}, "unknown option of hard 'strength'"),
    "unknown lists": ({"sets": "gendr"}, "did you mean 'gender'"),
    "nothing there": (
        {"sets": DefiningSets([["gal", "guy"]])},
        "no tuple of defining sets is in the embedding",
    ),
    "k too large": ({"k": 4}, "k must lie in 1 to 3"),
    "three classes": ({"sets": RELIGION}, "hard debiasing is for two classes"),
    "ending": ({"out": "out.dat"}, "out.dat does not tell how to write vectors"),
    "bare gz": ({"out": "out.gz"}, "out.gz does not tell how to write vectors"),
    "itself": ({"out": "toy.bin"}, "toy.bin is the source itself"),
    "itself by another way": ({"out": "../{name}/toy.bin"}, "toy.bin is the source itself"),
    "block": ({"chunk_size": 0}, "chunk_size must be at least one word"),
}


@pytest.mark.parametrize("case", BAD)
def test_bad_input_writes_nothing(case: str, source: Path) -> None:
    changed, words = BAD[case]
    options = {"method": "hard", "sets": GENDER, "out": "out.bin"} | changed
    name = options.pop("out").format(name=source.parent.name)
    before = source.read_bytes()
    refused(words, debias_file, source, source.parent / name, **options)
    assert [path.name for path in source.parent.iterdir()] == ["toy.bin"]
    assert source.read_bytes() == before


def test_places_that_cannot_be_written(source: Path) -> None:
    with pytest.raises(FileNotFoundError, match="there is no folder"):
        debias_file(source, source.parent / "none" / "out.bin", "hard", GENDER)
    (source.parent / "folder.bin").mkdir()
    with pytest.raises(IsADirectoryError, match="is a folder"):
        debias_file(source, source.parent / "folder.bin", "hard", GENDER)
    with pytest.raises(FileNotFoundError, match="no embedding file"):
        debias_file(source.parent / "none.bin", source.parent / "out.bin", "hard", GENDER)
    assert sorted(path.name for path in source.parent.iterdir()) == ["folder.bin", "toy.bin"]


@pytest.mark.parametrize("place", ["cut", "bad"])
def test_a_damaged_source_leaves_nothing_behind(place: str, source: Path) -> None:
    content = source.read_bytes()
    if place == "cut":
        source.write_bytes(content[:-3])
    else:
        at = content.index(f"{NEUTRAL[-1]} ".encode()) + len(NEUTRAL[-1]) + 1
        source.write_bytes(content[:at] + b"\xff" * 8 + content[at + 8 :])
    with pytest.raises(ValueError, match="cut off" if place == "cut" else "are not finite"):
        debias_file(source, source.with_name("out.bin"), "hard", GENDER)
    assert [path.name for path in source.parent.iterdir()] == ["toy.bin"]
