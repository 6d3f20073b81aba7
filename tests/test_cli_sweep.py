"""`bayesbias sweep`: what it prints, writes, refuses, and how it ends."""

from __future__ import annotations

import json
import re
import shutil
from pathlib import Path

import pandas as pd
import pytest
from builders import kept_results
from cli_toy import refused
from sweep_inputs import write_inputs

from bayesbias._core.resources import bundled_folder
from bayesbias.cli import main

FILES = {
    "cells.csv",
    "differences.csv",
    "contrasts.csv",
    "missing.csv",
    "plots",
    "ranks.csv",
    "report.html",
    "report.md",
    "results",
    "run.json",
    "shares.csv",
    "summary.csv",
}


@pytest.fixture(scope="module")
def inputs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the inputs, one embedding of which is not there, and few cells."""
    folder = tmp_path_factory.mktemp("inputs")
    config = write_inputs(folder)
    text = config.read_text(encoding="utf-8").replace('"wild.npz"', '"lost <b>.npz"')
    config.write_text(text.replace("Small sweep", "Small <i>sweep</i>"), encoding="utf-8")
    return folder


@pytest.fixture(scope="module")
def out(inputs: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Results of the first run."""
    folder = tmp_path_factory.mktemp("results") / "sweep"
    assert main(["sweep", str(inputs / "sweep.toml"), "--out", str(folder), "-q"]) == 1
    return folder


def test_it_writes_what_the_page_on_sweeps_says(out: Path) -> None:
    assert {path.name for path in out.iterdir()} == FILES
    assert len(kept_results(out)) == 8 + 1  # cells, and the model of all
    cells = pd.read_csv(out / "cells.csv")
    assert list(cells["state"]) == ["done"] * 8 + ["failed"] * 4
    assert set(cells["error"].dropna()) == {"FileNotFoundError"}
    record = json.loads((out / "run.json").read_text())
    assert (record["failed"], record["cells"]) == (4, 12)
    assert set(record["models"]) == {"paper", "crossed"}
    contrasts = pd.read_csv(out / "contrasts.csv")
    assert set(contrasts["embedding"]) == {"calm", "rough"}
    names = {path.name for path in (out / "plots").iterdir()}
    assert names == {
        f"sweep-{what}.{kind}"
        for what in (
            *("associated-human", "associated-neutral", "associated-different"),
            "joint",
        )
        for kind in ("png", "svg")
    }


def test_the_second_run_takes_what_is_there_and_tells_all(
    inputs: Path, out: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = shutil.copytree(out, tmp_path / "sweep")  # other tests look at the first run's
    before = kept_results(out)
    frames = {name: (out / name).read_bytes() for name in ("summary.csv", "contrasts.csv")}
    record = json.loads((out / "run.json").read_text())
    stale = out / "plots" / "sweep-associated-human-7.png"
    stale.touch()
    record["files"].append("plots/sweep-associated-human-7.png")
    (out / "run.json").write_text(json.dumps(record))
    (out / "plots" / "mine.png").touch()
    command = ["sweep", str(inputs / "sweep.toml"), "--out", str(out), "--jobs", "1000000"]
    assert main(command) == 1  # with as many processes as there is to do
    shown = capsys.readouterr()
    assert "8 of 12 cells have a result; 9 results already existed." in shown.out
    assert "associated − different, overall" in shown.out
    assert shown.out.endswith(f"Report: {out / 'report.html'}\n")
    assert shown.err.startswith(
        "bayesbias: warning: wild: 4 of 12 cells are left out: no embedding file"
    )
    assert shown.err.count("\n") == 1
    assert before == kept_results(out)
    assert frames == {name: (out / name).read_bytes() for name in frames}
    assert not stale.exists()
    assert (out / "plots" / "mine.png").exists()


def test_the_report_shows_texts_as_texts(out: Path) -> None:
    text = (out / "report.html").read_text(encoding="utf-8")
    assert len(re.findall(r"<figure\b", text)) == 4
    assert "<h1>Small &lt;i&gt;sweep&lt;/i&gt;</h1>" in text
    assert "lost &lt;b&gt;.npz" in text
    assert "lost <b>" not in text
    assert "3 embeddings × 2 lists × 2 models: 8 of 12 cells have a result." in text


def test_results_of_something_else_are_not_run_over(
    inputs: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "summary.csv").write_text("mine")
    assert main(["sweep", str(inputs / "sweep.toml"), "--out", str(tmp_path)]) == 2
    assert "holds results already (summary.csv)" in capsys.readouterr().err
    assert [path.name for path in tmp_path.iterdir()] == ["summary.csv"]
    assert main(["sweep", str(inputs / "sweep.toml"), "--out", str(tmp_path / "summary.csv")]) == 2
    assert "is a file; give --out the name of a folder" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        ("good.toml --jobs 0", "--jobs must be 1 or more"),
        ("none.toml", "no sweep configuration at"),
        ("lost.toml", "no cell can be fitted: no embedding file at"),
        ("good.toml --out damaged", "results is a file"),
        ("model.toml", "`bayesbias sweep --help` shows a sweep's file"),
    ],
)
def test_what_cannot_be_run_writes_nothing(
    arguments: str,
    told: str,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.chdir(tmp_path)
    for name, source in (("good", "glove-demo"), ("lost", "no.bin")):
        Path(f"{name}.toml").write_text(f'lists = ["religion"]\n[embeddings]\na = "{source}"\n')
    Path("model.toml").write_bytes((bundled_folder("models") / "paper.toml").read_bytes())
    Path("damaged").mkdir()
    Path("damaged/results").touch()
    assert told in refused(capsys, ["sweep", *arguments.split()], most=2)


def missing(name: str) -> None:
    raise ModuleNotFoundError(name)


@pytest.mark.parametrize(
    ("change", "told"),
    [
        ({"CONNECT_SECONDS": 0.3}, "no Dask scheduler answers at tcp://127.0.0.1:9"),
        ({"import_module": missing}, "pip install 'bayesbias[dask]'"),
    ],
)
def test_a_scheduler_that_is_not_there_is_an_error(
    inputs: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
    change: dict[str, object],
    told: str,
) -> None:
    for name, value in change.items():
        monkeypatch.setattr(f"bayesbias.cli.sweep.{name}", value)
    arguments = ["--out", str(inputs / "out"), "--dask", "tcp://127.0.0.1:9"]
    assert main(["sweep", str(inputs / "sweep.toml"), *arguments]) == 2
    said = capsys.readouterr().err
    assert told in said
    assert ("use only a cluster that you trust" in said) == ("CONNECT_SECONDS" in change)
    assert not (inputs / "out").exists()
