"""`bayesbias debias`: what it writes, says and refuses, and on which stream."""

import json
from pathlib import Path

import numpy as np
import pytest
from cli_toy import replaced
from debias_toys import toy

import bayesbias as bb
from bayesbias.cli import main
from bayesbias.debias import DefiningSets, hard, soft

LISTS = """
defining = [["she", "he"], ["woman", "man"], ["gal", "guy"]]
equalise = [["queen", "king"]]
specific = ["aunt"]
"""
SETS = DefiningSets([["she", "he"], ["woman", "man"]], [["queen", "king"]], ["aunt"])


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    monkeypatch.chdir(tmp_path)
    toy().save_word2vec_format("toy.bin", binary=True)
    Path("mine.toml").write_text(LISTS, encoding="utf-8")
    return ["debias", "--lists", "mine.toml", "--vectors", "toy.bin"]


def test_it_writes_the_vectors_in_the_case_of_the_embedding(
    here, capsys: pytest.CaptureFixture[str]
) -> None:
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
    assert json.loads(Path("lower", "record.json").read_text(encoding="utf-8"))["case"] == "lower"


def test_options_reach_the_method(here, capsys: pytest.CaptureFixture[str]) -> None:
    assert main([*here, "--method", "soft", "--strength", "2", "--out", "out", "-q"]) == 0
    assert capsys.readouterr().out == ""
    found = bb.load_vectors("out")
    assert np.array_equal(found.vectors, soft(toy(), SETS, strength=2).vectors)
    options = ["--k", "2", "--equalise", "False", "--case-variants", "--out", "k", "--case=exact"]
    assert main([*here, *options]) == 0
    told = json.loads(Path("k", "record.json").read_text(encoding="utf-8"))
    assert told["parameters"] == {"k": 2, "subspace": "components", "equalise": False}
    assert "AUNT" in told["missing"]["specific words"]


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (["--method", "hrad"], "unknown debiasing method 'hrad'; did you mean 'hard'"),
        (["--alpha", "3"], "unknown option of hard 'alpha'; known: equalise, k"),
        (["--case", "lowr"], "unknown case 'lowr'; did you mean 'lower'"),
        (["--out", "toy.bin", "--force"], "toy.bin is the source itself"),
        (["--vectors", "none.bin"], "no embedding file at none.bin"),
    ],
)
def test_bad_input_is_one_line_and_writes_nothing(options, words, here, capsys) -> None:
    force = ["--force"] if "--force" in options else []
    options = [option for option in options if option != "--force"]
    assert main([*replaced([*here, "--out", "out"], options), *force]) == 2
    shown = capsys.readouterr()
    assert words in shown.err
    assert shown.err.count("\n") == 1
    assert shown.out == ""
    assert sorted(path.name for path in Path().iterdir()) == ["mine.toml", "toy.bin"]
