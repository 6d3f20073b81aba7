"""Commands leave their old results or the new ones, whenever they are killed."""

import shutil
import warnings
from pathlib import Path

import pytest
from cli_toy import FAST, LIST, WORDS, write_scored, write_vectors
from moments import files, states
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
    "mlm report": f"mlm report scored --draws 200 {FORCED} --seed @",
}
"""Commands. The number at ``@`` makes their results differ."""

OLD, NEW = 300, 400


def run(command: str, number: int) -> int:
    return main([*COMMANDS[command].replace("@", str(number)).split(), "-q"])


def prepare(command: str) -> None:
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
    assert run(command, OLD) == 0


@pytest.mark.slow
@pytest.mark.parametrize("command", COMMANDS)
def test_a_kill_leaves_the_old_or_the_new(command, tmp_path, monkeypatch) -> None:
    """A table alone has lost its cosines. The next run ends as if nothing had been killed."""
    monkeypatch.chdir(tmp_path)
    prepare(command)
    here = Path("here")
    before = files(here, "results/")
    copies = states(here, Path("copies"), lambda: run(command, NEW))
    after = files(here, "results/")
    assert before != after
    alone = [{"out.csv": whole.get("out.csv")} for whole in (before, after)]
    left = {"old": 0, "new": 0, "table alone": 0}
    for place, copy in enumerate(copies):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # an old folder was restored
            recover(copy / "out")
        found = files(copy, "results/")
        assert found in (before, after, *alone), place
        left["old" if found == before else "new" if found == after else "table alone"] += 1
    shutil.rmtree(here)
    copies[len(copies) // 2].rename(here)
    assert run(command, NEW) == 0
    assert files(here, "results/") == after
    assert left["old"]
    print(command, len(copies), left)
