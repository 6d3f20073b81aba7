"""Whole files debiased in blocks: the same as in memory, or nothing at all."""

import json
from dataclasses import asdict
from pathlib import Path

import numpy as np
import pytest
from builders import refused
from debias_toys import GENDER, NEUTRAL, toy

import bayesbias as bb
from bayesbias import debias
from bayesbias.debias import debias_file, debiasing

OPTIONS = {
    "hard": {"k": 2},
    "multiclass_hard": {"subspace": "means"},
    "soft": {"strength": 1.0},
    "double_hard": {"n_words": 10, "candidates": 3, "seed": 1},
    "half_sibling": {"alpha": 2.0},
}

SINGLE = 1e-6
"""Products through BLAS may round once by block size."""


@pytest.fixture
def source(tmp_path: Path) -> Path:
    path = tmp_path / "toy.bin"
    toy().save_word2vec_format(str(path), binary=True)
    return path


@pytest.mark.parametrize("method", OPTIONS)
@pytest.mark.parametrize("size", [20, 10_000])
def test_the_file_is_what_the_function_gives(
    method: str, size: int, source: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    expected = getattr(debias, method)(bb.load_vectors(source), GENDER, **OPTIONS[method])
    out = source.with_name("out")
    monkeypatch.setattr("bayesbias.embeddings.source.READ_SIZE", 4 * 8 * size)
    written = debias_file(source, out, method, GENDER, **OPTIONS[method])
    found = bb.load_vectors(out)
    assert found.index_to_key == expected.index_to_key
    assert found.vectors == pytest.approx(expected.vectors, abs=SINGLE)
    told = json.loads((out / "record.json").read_text(encoding="utf-8"))
    assert told == json.loads(json.dumps(written))
    assert (told["source"], told["words"], told["dims"]) == ("toy.bin", len(expected), 8)
    if size == 10_000:
        assert np.array_equal(found.vectors, expected.vectors)
        assert told | json.loads(json.dumps(asdict(debiasing(expected)))) == told


def test_sources_held_in_memory(tmp_path: Path) -> None:
    vectors = toy()
    bb.save_vectors(vectors, tmp_path / "toy.npz")
    vectors.save(str(tmp_path / "toy.kv"))
    expected = debias.hard(vectors, GENDER).vectors
    debias_file(tmp_path / "toy.npz", tmp_path / "a", "hard", GENDER)
    assert np.array_equal(bb.load_vectors(tmp_path / "a").vectors, expected)
    refused("allow_pickle=True", debias_file, tmp_path / "toy.kv", tmp_path / "b", "hard", GENDER)
    debias_file(tmp_path / "toy.kv", tmp_path / "b", "hard", GENDER, allow_pickle=True)
    for name in ("vectors.npy", "words.txt"):
        assert (tmp_path / "a" / name).read_bytes() == (tmp_path / "b" / name).read_bytes()


BAD = [
    ({"sets": "gendr"}, "did you mean 'gender'"),
    ({"k": 4}, "k must lie in 1 to 3"),
    ({"out": "out.bin"}, "out.bin has the ending of a file"),
    ({"out": "toy.bin", "force": True}, "toy.bin is the source itself"),
    ({"out": "here"}, "here is there already; pass force=True"),
    ({"out": "mine", "force": True}, r"mine holds other files \(notes.txt\)"),
    ({"out": "none/out"}, "there is no folder"),
    ({"source": "none.bin"}, "no embedding file"),
    ({"source": "cut.bin"}, "cut off"),
    ({"source": "nan.bin"}, "are not finite"),
]


@pytest.mark.parametrize(("changed", "fragment"), BAD)
def test_bad_input_writes_nothing(changed: dict[str, object], fragment: str, source: Path) -> None:
    here, content = source.parent, source.read_bytes()
    place = content.index(f"{NEUTRAL[-1]} ".encode()) + len(NEUTRAL[-1]) + 1
    (here / "cut.bin").write_bytes(content[:-3])
    (here / "nan.bin").write_bytes(content[:place] + b"\xff" * 8 + content[place + 8 :])
    (here / "here").mkdir()
    (here / "here" / "words.txt").touch()
    (here / "mine").mkdir()
    (here / "mine" / "notes.txt").touch()
    before = sorted(here.rglob("*"))
    options = {"source": "toy.bin", "out": "out", "method": "hard", "sets": GENDER} | changed
    for name in ("source", "out"):
        options[name] = here / str(options[name])
    refused(fragment, debias_file, error=Exception, **options)
    assert sorted(here.rglob("*")) == before
