"""`bayesbias run --compare-to`: what changed since an earlier run, by runs that differ in one."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pandas as pd
import pytest
from cli_toy import LIST, WORDS, refused, write_vectors

from bayesbias.cli import main
from bayesbias.cli.options import SEED
from bayesbias.report import figures

FEW = ["--model", "paper", "--draws", "100", "--matched", "0", "--reference-lists", "0"]
RUN = ["run", "toy.toml", "--vectors", "toy.txt", *FEW]


@pytest.fixture(scope="module")
def first(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("since")
    (folder / "toy.toml").write_text(LIST, encoding="utf-8")
    write_vectors(folder / "toy.txt", WORDS)
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        patch.setattr(figures, "draw_figures", lambda *_: {})
        assert main([*RUN, "--out", "old"]) == 0
    return folder


@pytest.fixture
def here(first: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, one_plot: None) -> Path:
    shutil.copytree(first, tmp_path, dirs_exist_ok=True)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def compared(capsys: pytest.CaptureFixture[str], *more: str) -> str:
    capsys.readouterr()
    assert main([*RUN, "--out", "new", "--compare-to", "old", *more]) == 0
    return capsys.readouterr().out


def test_the_same_run_says_that_nothing_changed(
    here: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = compared(capsys)
    assert "Since the run in old: nothing changed that decides the numbers." in out
    frame = pd.read_csv("new/since.csv", keep_default_na=False)
    assert set(frame["level"]) == {"overall", "group"}
    assert (frame["change"] == 0).all()
    page = Path("new/report.html").read_text(encoding="utf-8")
    assert "Since an earlier run" in page
    assert "nothing changed that decides the numbers" in page
    record = json.loads(Path("new/run.json").read_text(encoding="utf-8"))
    assert "--compare-to" not in record["command"]
    assert main([*RUN, "--out", "new", "--force"]) == 0  # and its files go with it
    assert not Path("new/since.csv").exists()


def test_each_part_that_changed_is_named(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = compared(capsys, "--seed", "7", "--rope", "0.05")
    assert "the settings changed; the list, the embedding, the models and the versions did" in out
    assert f"Setting: seed: {SEED} → 7." in out
    assert "Setting: rope: 0.02 → 0.05." in out
    Path("toy.toml").write_text(LIST.replace('"dancer"', '"walk2", "absent"'), encoding="utf-8")
    out = compared(capsys, "--force")
    assert "the list changed; the embedding, the settings" in out
    assert "before only dancer (women_stereotype); now only absent (women_stereotype), walk2" in out
    Path("toy.toml").write_text(LIST, encoding="utf-8")
    lines = Path("toy.txt").read_text(encoding="utf-8").splitlines()
    moved = " ".join(["nurse", *["0.5"] * 8])
    lines = [moved if line.startswith("nurse ") else line for line in lines]
    Path("toy.txt").write_text("\n".join(lines) + "\n", encoding="utf-8")
    out = compared(capsys, "--force")
    assert "the embedding changed; the list, the settings" in out
    n_rows = len(pd.read_csv("old/table.csv"))
    assert f"Embedding: 4 of {n_rows} distances of the same words, by up to" in out
    old, new = (
        pd.read_csv(f"{run}/contrasts.csv", keep_default_na=False) for run in ("old", "new")
    )
    since = pd.read_csv("new/since.csv", keep_default_na=False)
    kept = old["level"] != "word"
    assert since["change"].tolist() == pytest.approx((new["mean"] - old["mean"])[kept].tolist())


def test_models_and_versions(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    record = json.loads(Path("old/run.json").read_text(encoding="utf-8"))
    record["versions"]["numpy"] = "1.0"
    record["models"]["paper"]["priors"]["sigma"]["rate"] = 9.0
    Path("old/run.json").write_text(json.dumps(record), encoding="utf-8")
    out = compared(capsys)
    assert "the models and the versions changed" in out
    assert "Model: paper: priors." in out
    assert "Version: numpy: 1.0 → " in out


def test_what_is_no_run_is_refused_before_any_work(
    here: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    told = refused(capsys, [*RUN, "--out", "new", "--compare-to", "nowhere"])
    assert "no earlier run at nowhere; give a folder that" in told
    Path("old/run.json").write_text("{}", encoding="utf-8")
    assert "is no record of a run" in refused(capsys, [*RUN, "--out", "new", "--compare-to", "old"])
    assert not Path("new").exists()
