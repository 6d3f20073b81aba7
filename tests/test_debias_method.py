"""A debiasing method as a function, for files, and as a command; what all of them refuse."""

import inspect
import json
from collections.abc import Callable, Iterator
from dataclasses import asdict
from pathlib import Path

import numpy as np
import pytest
from builders import refused
from cli_toy import replaced
from debias_toys import GENDER, NEUTRAL, toy

import bayesbias as bb
from bayesbias import debias
from bayesbias.cli import main
from bayesbias.debias import (
    DEBIASING_METHODS,
    Debiaser,
    DefiningSets,
    Material,
    debias_file,
    debiasing,
    debiasing_method,
    fit_debiaser,
    hard,
    method_options,
    soft,
)

LISTS = """
defining = [["she", "he"], ["woman", "man"], ["gal", "guy"]]
equalise = [["queen", "king"]]
specific = ["aunt"]
"""
SETS = DefiningSets([["she", "he"], ["woman", "man"]], [["queen", "king"]], ["aunt"])

OPTIONS = {
    "hard": {"k": 2},
    "multiclass_hard": {"subspace": "means"},
    "soft": {"strength": 1.0},
    "double_hard": {"n_words": 10, "candidates": 3, "seed": 1},
    "half_sibling": {"alpha": 2.0},
}

SINGLE = 1e-6
"""Products through BLAS may round once by chunk size."""


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    monkeypatch.chdir(tmp_path)
    toy().save_word2vec_format("toy.bin", binary=True)
    Path("mine.toml").write_text(LISTS, encoding="utf-8")
    return ["debias", "--lists", "mine.toml", "--vectors", "toy.bin"]


@pytest.fixture
def toy_halves() -> Iterator[Callable]:
    """A method that multiplies some coordinates of neutral words, while a test runs."""

    @debiasing_method()
    def toy_halves(
        material: Material, *, first: int | None = None, factor: float = 0.5
    ) -> Debiaser:
        """Halve the first coordinates."""
        factors = np.ones(len(material.vectors["she"]))
        factors[:first] = factor
        return material.debiaser(
            {"factor": factor}, equalise=False, neutral=lambda rows: rows * factors, unit=False
        )

    yield toy_halves
    del DEBIASING_METHODS["toy_halves"]


def test_a_new_method_is_a_function_and_debiases_files(toy_halves, here) -> None:
    vectors = toy()
    by_hand = vectors.vectors.copy()
    neutral = [word not in SETS.kept for word in vectors.index_to_key]
    by_hand[neutral, :3] *= 0.25
    result = toy_halves(vectors, SETS, first=3, factor=0.25)
    assert np.array_equal(result.vectors, by_hand)
    assert debiasing(result).method == "toy_halves"
    assert debiasing(result).parameters == {"factor": 0.25}
    rows = fit_debiaser(vectors, "toy_halves", SETS, first=3, factor=0.25).transform_rows(
        vectors.index_to_key[40:50], vectors.vectors[40:50]
    )
    assert np.array_equal(rows, by_hand[40:50])
    options = ["--method", "toy_halves", "--first", "3", "--factor", ".25"]
    assert main([*here, *options, "--out", "command"]) == 0
    assert np.array_equal(bb.load_vectors("command").vectors, by_hand)


@pytest.mark.parametrize("method", OPTIONS)
def test_the_file_is_what_the_function_gives(method: str, here, monkeypatch) -> None:
    expected = getattr(debias, method)(bb.load_vectors("toy.bin"), GENDER, **OPTIONS[method])
    written = debias_file("toy.bin", "out", method, GENDER, **OPTIONS[method])
    found = bb.load_vectors("out")
    assert found.index_to_key == expected.index_to_key
    assert np.array_equal(found.vectors, expected.vectors)
    told = json.loads(Path("out/record.json").read_text(encoding="utf-8"))
    assert told == json.loads(json.dumps(written))
    assert told | json.loads(json.dumps(asdict(debiasing(expected)))) == told
    assert (told["source"], told["words"], told["dims"]) == ("toy.bin", len(expected), 8)
    monkeypatch.setattr("bayesbias.embeddings.source.READ_SIZE", 4 * 8 * 20)
    debias_file("toy.bin", "out", method, GENDER, force=True, **OPTIONS[method])
    assert bb.load_vectors("out").vectors == pytest.approx(expected.vectors, abs=SINGLE)
    function = getattr(debias, method)
    _, _, *options = inspect.signature(function).parameters
    assert options == method_options(method)
    assert all(f"\n{option} : " in function.__doc__ for option in options)


def test_the_command_writes_the_vectors_in_the_case_of_the_embedding(here, capsys) -> None:
    expected = hard(toy(), SETS).vectors
    assert main([*here, "--out", "out"]) == 0
    shown = capsys.readouterr()
    assert "(case fallback): 2 defining sets, 1 equalise sets, 1 specific words" in shown.out
    assert shown.err == "bayesbias: not in the embedding, of the defining sets: gal, guy\n"
    assert np.array_equal(bb.load_vectors("out").vectors, expected)
    upper = LISTS.replace("she", "She").replace("queen", "Queen").replace("aunt", "Aunt")
    Path("mine.toml").write_text(upper, encoding="utf-8")
    assert main([*here, "--case", "exact", "--out", "exact"]) == 0
    assert "if it is in lower case, pass --case fallback" in capsys.readouterr().err
    assert main([*here, "--case", "lower", "--out", "lower"]) == 0
    assert np.array_equal(bb.load_vectors("lower").vectors, expected)


def test_options_of_the_command_reach_the_method(here, capsys) -> None:
    assert main([*here, "--method", "soft", "--strength", "2", "--out", "out", "-q"]) == 0
    assert capsys.readouterr().out == ""
    assert np.array_equal(bb.load_vectors("out").vectors, soft(toy(), SETS, strength=2).vectors)
    options = ["--k", "2", "--equalise", "False", "--out", "k", "--case=exact"]
    assert main([*here, *options]) == 0
    told = json.loads(Path("k", "record.json").read_text(encoding="utf-8"))
    assert told["parameters"] == {"k": 2, "subspace": "components", "equalise": False}
    assert (told["case"], told["missing"]) == ("exact", {"defining sets": ["gal", "guy"]})


def test_bad_input_of_the_command_is_one_line_and_writes_nothing(here, capsys) -> None:
    for options, fragment in (
        (["--method", "hrad"], "unknown debiasing method 'hrad'; did you mean 'hard'"),
        (["--alpha", "3"], "unknown option of hard 'alpha'; known: equalise, k"),
        (["--case", "lowr"], "unknown case 'lowr'; did you mean 'lower'"),
        (["--vectors", "none.bin"], "no embedding file at none.bin"),
    ):
        assert main(replaced([*here, "--out", "out"], options)) == 2
        shown = capsys.readouterr()
        assert fragment in shown.err
        assert shown.err.count("\n") == 1
    assert sorted(path.name for path in Path().iterdir()) == ["mine.toml", "toy.bin"]


BAD_FILES = [
    ({"out": "out.bin"}, "out.bin has the ending of a file"),
    ({"out": "toy.bin", "force": True}, "toy.bin is the source itself"),
    ({"out": "here"}, "here already exists; pass force=True"),
    ({"out": "mine", "force": True}, r"mine holds other files \(notes.txt\)"),
    ({"out": "none/out"}, "there is no folder"),
    ({"source": "cut.bin"}, "cut off"),
    ({"source": "nan.bin"}, "are not finite"),
    ({"source": "toy.kv"}, "allow_pickle=True"),
]


def test_bad_files_are_refused_and_nothing_is_written(here) -> None:
    content = Path("toy.bin").read_bytes()
    place = content.index(f"{NEUTRAL[-1]} ".encode()) + len(NEUTRAL[-1]) + 1
    Path("cut.bin").write_bytes(content[:-3])
    Path("nan.bin").write_bytes(content[:place] + b"\xff" * 8 + content[place + 8 :])
    toy().save("toy.kv")
    for name in ("here/words.txt", "mine/notes.txt"):
        Path(name).parent.mkdir()
        Path(name).touch()
    before = sorted(Path().rglob("*"))
    for changed, fragment in BAD_FILES:
        options = {"source": "toy.bin", "out": "out", "sets": GENDER} | changed
        refused(fragment, debias_file, error=Exception, **options)
        assert sorted(Path().rglob("*")) == before
    debias_file("toy.kv", "out", "hard", GENDER, allow_pickle=True)
