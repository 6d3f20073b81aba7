"""Commands that are killed or stopped at any of their writes leave old results or new ones."""

from __future__ import annotations

import shutil
import warnings
from pathlib import Path
from types import SimpleNamespace

import pandas as pd
import pytest
from cli_toy import FAST, LIST, WORDS, pair_scores, write_scored, write_vectors
from moments import before_every_write, files
from sweep_inputs import write_inputs

from bayesbias._core.files import recover
from bayesbias.cli import main

COMMANDS = {
    "run": f"run toy.toml -v toy.txt {' '.join(FAST)} --out here/out --force --seed",
    "compare": "compare a.csv b.csv -m change --draws 200 --out here/out --force --seed",
    "background": "background toy.toml -v toy.txt --out here/out --force --draws",
    "convert": "convert toy.txt here/out --force",
    "debias": "debias --method soft -v glove-demo --out here/out --force --strength",
    "sweep": "sweep sweep.toml --out here/out",
    "mlm score": "mlm score --model m --data pairs.csv --dataset crows-pairs --out here/out "
    "--force --name",
    "mlm report": "mlm report scored --draws 200 --out here/out --force --seed",
}
"""They write something else when they are run with another number."""


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    Path("here").mkdir()
    Path("toy.toml").write_text(LIST, encoding="utf-8")
    write_vectors(Path("toy.txt"), list(WORDS))
    return tmp_path / "here"


def prepare(command: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Write what a command reads besides, and results of other numbers."""
    if command == "compare":
        for name, words in (("a", WORDS), ("b", WORDS[::-1])):
            write_vectors(Path("other.txt"), list(words))
            assert main(["table", "toy.toml", "-v", "other.txt", "-o", f"{name}.csv", "-q"]) == 0
    if command == "sweep":
        config = write_inputs(Path(), draws=200)
        text = config.read_text().replace(', "kin.toml", "titles.toml"', "")
        config.write_text(text.replace('wild = "wild.npz"\n', "").replace('"paper", ', ""))
    if command == "mlm report":
        write_scored(Path("scored"))
    if command == "mlm score":
        pretend_to_score(monkeypatch)
    if command.startswith("convert"):
        write_vectors(Path("other.txt"), list(WORDS[::-1]))
        assert main(["convert", "other.txt", "here/out", "-q"]) == 0
    else:
        assert main(arguments(command, 300)) == 0
    if command == "sweep":
        config.write_text(config.read_text().replace("draws = 200", "draws = 300"))


def pretend_to_score(monkeypatch: pytest.MonkeyPatch) -> None:
    """Put a model without torch in the place of one that takes minutes."""
    pairs = {"sent_more": "She is bad.", "sent_less": "He is bad."}
    kinds = {"stereo_antistereo": "stereo", "bias_type": "gender"}
    pd.DataFrame([pairs | kinds]).to_csv("pairs.csv")
    Path("m").mkdir()

    def load(*_: object, name: str, **__: object) -> SimpleNamespace:
        return SimpleNamespace(kind="masked", name=name, content_hash="0")

    monkeypatch.setattr("bayesbias.maskedlm.load_language_model", load)
    monkeypatch.setattr(
        "bayesbias.maskedlm.score_pairs", lambda _, model, *__, **___: pair_scores(model.name)
    )
    monkeypatch.setattr("bayesbias._core.transformer_files.place_of", lambda _: None)
    monkeypatch.setattr("bayesbias.workflows.output.versions", lambda *_: {})


def arguments(command: str, number: int) -> list[str]:
    given = COMMANDS[command].split()
    varied = given[-1].startswith("--") and given[-1] != "--force"
    return [*given, *([str(number)] if varied else []), "-q"]


@pytest.mark.slow
@pytest.mark.parametrize("command", COMMANDS)
def test_a_kill_at_any_write_leaves_the_old_or_the_new(
    command: str, here: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    prepare(command, monkeypatch)
    before, seen, n_writes = files(here, "results/"), [], 0
    aside = here.parent / "aside"

    def look() -> None:
        nonlocal n_writes
        n_writes += 1
        if not seen or files(here, "results/") != files(seen[-1], "results/"):
            seen.append(aside / str(len(seen)))
            shutil.copytree(here, seen[-1])

    with before_every_write(look):
        assert main(arguments(command, 400)) == 0
    after = files(here, "results/")
    assert before != after
    mixed = 0
    for copy in seen:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # that an old folder is back
            recover(copy / "out")
        mixed += files(copy, "results/") not in (before, after)
    assert mixed == 0
    assert n_writes > 5
    print(f"{command}: {n_writes} writes, {mixed} mixed")
