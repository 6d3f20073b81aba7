"""Commands killed by SIGKILL at a file operation leave old results or new ones.

``python tests/test_kills.py FILE.csv`` kills every command at every operation, reruns it after each
kill, and writes the table in the docs.
"""

import os
import re
import shutil
import signal
import sys
import tempfile
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

FORCED = "--out here/out --force"
COMMANDS = {
    "table": "table toy.toml --out here/out.csv --force -v toy@.txt",
    "scores": "scores toy.toml -v toy.txt --n-resamples 99 --out here/out.csv --force --seed @",
    "fit": "fit a.csv -m paper --draws 200 --out here/out.nc --force --seed @",
    "calibrate": "calibrate independent -m t-cells-sets --out here/out.csv --force -n @",
    "run": f"run toy.toml -v toy.txt {' '.join(FAST)} {FORCED} --seed @",
    "compare": f"compare a.csv b.csv -m change --draws 200 {FORCED} --seed @",
    "background": f"background toy.toml -v toy.txt {FORCED} --draws @",
    "convert": "convert toy@.txt here/out --force",
    "debias": f"debias --method soft -v glove-demo {FORCED} --strength @",
    "sweep": "sweep sweep@.toml --out here/out",
    "mlm score": f"mlm score --model m --data pairs.csv --dataset crows-pairs {FORCED} --name @",
    "mlm report": f"mlm report scored --draws 200 {FORCED} --seed @",
}
"""Commands. The number at ``@`` makes their results differ."""

OLD, NEW = 300, 400
STEPS = {"background": 17, "compare": 31, "run": 41, "sweep": 83}
"""Tests kill these commands at every n-th operation, and other commands at every third."""

KINDS = ("old", "new", "table alone", "mixed")
"""States after a kill. A table alone has lost its cosines."""


def run(command: str, number: int) -> int:
    return main([*COMMANDS[command].replace("@", str(number)).split(), "-q"])


def prepare(command: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Write the inputs of a command, and results with a different number."""
    Path("here").mkdir()
    Path("toy.toml").write_text(LIST, encoding="utf-8")
    for name, words in (("", WORDS), (OLD, WORDS), (NEW, WORDS[::-1])):
        write_vectors(Path(f"toy{name}.txt"), list(words))
    if command in ("compare", "fit"):
        for name, number in (("a", OLD), ("b", NEW)):
            shutil.copy(f"toy{number}.txt", "other.txt")
            assert main(["table", "toy.toml", "-v", "other.txt", "-o", f"{name}.csv", "-q"]) == 0
    if command == "sweep":
        text = write_inputs(Path(), draws=OLD).read_text()
        text = text.replace(', "kin.toml"', "").replace('"paper", ', "")
        for number in (OLD, NEW):
            changed = text.replace('wild = "wild.npz"\n', "").replace("= 300", f"= {number}")
            Path(f"sweep{number}.toml").write_text(changed)
    if command == "mlm report":
        write_scored(Path("scored"))
    if command == "mlm score":
        pretend_to_score(monkeypatch)
    assert run(command, OLD) == 0


def pretend_to_score(monkeypatch: pytest.MonkeyPatch) -> None:
    """Replace the language model with one without torch, because a real one takes minutes."""
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


def killed_at(command: str, operation: int) -> bool:
    """Run a command that kills itself at an operation, and return whether it was killed."""
    child = os.fork()
    if child == 0:
        count = 0

        def kill() -> None:
            nonlocal count
            count += 1
            if count == operation:
                os.kill(os.getpid(), signal.SIGKILL)

        with before_every_write(kill):
            code = run(command, NEW)
        os._exit(code)
    status = os.waitpid(child, 0)[1]
    assert os.WIFSIGNALED(status) or status == 0
    return os.WIFSIGNALED(status)


def kill_at_operations(command: str, step: int, monkeypatch: pytest.MonkeyPatch) -> dict[str, int]:
    """Kill at every ``step``-th operation, count the states, and rerun the command each time."""
    prepare(command, monkeypatch)
    here, base = Path("here"), Path("base")
    here.rename(base)

    def reset() -> None:
        shutil.rmtree(here, ignore_errors=True)
        shutil.copytree(base, here)

    reset()
    before = files(here, "results/")
    assert run(command, NEW) == 0
    after = files(here, "results/")
    assert before != after
    left, reruns = dict.fromkeys(KINDS, 0), set[str]()
    operation = 1
    while True:
        reset()
        if not killed_at(command, operation):
            break
        names = {re.sub("[0-9a-f]{32}", "", str(path)) for path in here.rglob("*")}
        state = f"{sorted(names)}{sorted(files(here).items())}"
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # an old folder was restored
            recover(here / "out")
        found = files(here, "results/")
        alone = [{"out.csv": whole.get("out.csv")} for whole in (before, after)]
        kinds = {"old": found == before, "new": found == after, "table alone": found in alone}
        left[next((kind for kind, holds in kinds.items() if holds), "mixed")] += 1
        if state not in reruns:
            reruns.add(state)
            assert run(command, NEW) == 0
            assert files(here, "results/") == after
        operation += step
    return left


@pytest.mark.slow
@pytest.mark.parametrize("command", COMMANDS)
def test_a_kill_leaves_the_old_or_the_new(command, tmp_path, monkeypatch) -> None:
    monkeypatch.chdir(tmp_path)
    left = kill_at_operations(command, STEPS.get(command, 3), monkeypatch)
    assert left["mixed"] == 0
    assert sum(left.values()) >= 1


if __name__ == "__main__":
    rows = []
    target = Path(sys.argv[1]).resolve()
    warnings.simplefilter("ignore")
    for name in sys.argv[2:] or COMMANDS:
        with tempfile.TemporaryDirectory() as folder, pytest.MonkeyPatch.context() as patch:
            patch.chdir(folder)
            left = kill_at_operations(name, 1, patch)
        rows.append({"command": name, "every": 1, "kills": sum(left.values()), **left})
        print(rows[-1], flush=True)
        pd.DataFrame(rows).to_csv(target, index=False)
