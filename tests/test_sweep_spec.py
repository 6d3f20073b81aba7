"""Configurations of sweeps: what they take, and what they say of what they do not take."""

from __future__ import annotations

from pathlib import Path

import pytest
from sweep_inputs import EXAMPLE

from bayesbias.workflows.sweep_spec import Embedding, SweepConfig, load_sweep

MINIMAL = 'lists = ["religion"]\n'
PLACES = '\n[embeddings]\ndemo = "glove-demo"\n'


def read(folder: Path, text: str) -> SweepConfig:
    path = folder / "sweep.toml"
    path.write_text(text, encoding="utf-8")
    return load_sweep(path)


def test_the_example_of_the_help_text_is_read(tmp_path: Path) -> None:
    config = read(tmp_path, EXAMPLE)
    assert [words.name for words in config.lists] == ["religion", "gender", "weat1"]
    assert [spec.name for spec in config.models] == ["crossed", "maximal"]
    assert config.seed == 1
    assert config.embeddings == (
        Embedding("demo", "glove-demo"),
        Embedding("lower", "glove-demo", "lower"),
    )
    assert config.n_cells == 2 * 3 * 2


def test_what_is_left_out_is_as_in_run(tmp_path: Path) -> None:
    config = read(tmp_path, MINIMAL + PLACES)
    assert [spec.name for spec in config.models] == ["by-group"]
    assert (config.seed, config.draws, config.chains, config.method) == (1, 1000, 4, "auto")
    assert (config.ci_prob, config.rope) == (0.89, None)
    assert (config.tune, config.target_accept) == (1000, 0.9)


def test_paths_are_relative_to_the_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    inside = tmp_path / "inside"
    inside.mkdir()
    (inside / "mine.toml").write_text(
        'groups = {a = ["x"], b = ["y"]}\nstereotypes = {a = ["u"], b = ["v"]}\n'
        'title = "t"\nnote = "n"\n',
        encoding="utf-8",
    )
    monkeypatch.chdir(tmp_path)
    config = read(inside, 'lists = ["mine.toml"]\n[embeddings]\na = "v.bin"\nb = "/abs/w.txt"\n')
    assert config.lists[0].name == "mine"
    assert [each.source for each in config.embeddings] == [str(inside / "v.bin"), "/abs/w.txt"]


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ('lsts = ["religion"]' + PLACES, "unknown key 'lsts'; did you mean 'lists'"),
        (PLACES, "lists must be a list of names or paths"),
        (MINIMAL, "embeddings must be a table of names and sources"),
        ('lists = ["religon"]' + PLACES, "unknown word list 'religon'; did you mean 'religion'"),
        ('lists = ["human"]' + PLACES, "has control words only"),
        ('lists = ["religion", "religion"]' + PLACES, "lists holds 'religion' twice"),
        (MINIMAL + 'models = ["papr"]' + PLACES, "unknown model 'papr'; did you mean 'paper'"),
        (MINIMAL + "seed = -1" + PLACES, "seed must be a whole number, 0 or more; got -1"),
        (MINIMAL + "draws = 0" + PLACES, "draws must be a whole number, 1 or more; got 0"),
        (MINIMAL + "target_accept = 1" + PLACES, r"target_accept must lie in \(0, 1\); got 1"),
        (MINIMAL + 'method = "nut"' + PLACES, "unknown method 'nut'; did you mean 'nuts'"),
        (MINIMAL + 'embeddings = ["x"]', "embeddings must be a table of names and sources"),
        (MINIMAL + "[embeddings]\na = 3", "embeddings.a must be a path"),
        ('[embeddings]\na = "x"\nlists = ["religion"]', "stand before"),
        (MINIMAL + '[embeddings]\na = "x"\nseed = 1', r"stand before \[embeddings\]"),
        (MINIMAL + '[embeddings]\na = {sorce = "x"}', "embeddings.a must be a path"),
        (MINIMAL + '[embeddings]\na = {source="x", case="low"}', "did you mean 'lower'"),
        (MINIMAL + '[embeddings]\n" " = "x"', "which cannot be printed"),
        (MINIMAL + '[embeddings]\n"a\\u0007" = "x"', "which cannot be printed"),
        ("lists = [", "Invalid value|Unclosed|Expected"),
    ],
)
def test_what_is_wrong_is_named(text: str, why: str, tmp_path: Path) -> None:
    with pytest.raises(ValueError, match=why) as caught:
        read(tmp_path, text)
    assert str(tmp_path / "sweep.toml") in str(caught.value)


def test_bytes_that_are_no_text_and_files_that_are_not_there(tmp_path: Path) -> None:
    (tmp_path / "sweep.toml").write_bytes(b"\xff\xfe")
    with pytest.raises(ValueError, match=r"sweep\.toml is not UTF-8"):
        load_sweep(tmp_path / "sweep.toml")
    with pytest.raises(FileNotFoundError, match="no sweep configuration"):
        load_sweep(tmp_path / "other.toml")
    with pytest.raises(FileNotFoundError, match="no word list at"):
        read(tmp_path, 'lists = ["nowhere.toml"]' + PLACES)
