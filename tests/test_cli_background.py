"""`bayesbias background`: what it prints, writes and refuses."""

from __future__ import annotations

import json
from pathlib import Path

import pandas as pd
import pytest
from cli_toy import BALANCED, BALANCED_WORDS, write_vectors

from bayesbias.cli import main


@pytest.fixture
def toy(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """A list and an embedding in the working folder; arguments of a fast call on them."""
    monkeypatch.chdir(tmp_path)
    write_vectors(Path("toy.txt"), [*BALANCED_WORDS, *(f"w{i}" for i in range(298))])
    Path("toy.toml").write_text(BALANCED, encoding="utf-8")
    return ["background", "toy.toml", "--vectors", "toy.txt", "--draws", "500"]


def test_it_writes_frames_and_plots(toy: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert main([*toy, "--out", "out", "--ranks", "0", "200", "--quiet"]) == 0
    assert capsys.readouterr().out == ""
    names = {path.relative_to("out").as_posix() for path in Path("out").rglob("*.*")}
    frames = {f"{name}.csv" for name in ("fits", "standalone", "relative", "strata", "words")}
    stems = ("background", "toy-words", "toy-relative")
    record = json.loads(Path("out/run.json").read_text())
    assert set(record["files"]) == names
    assert "--ranks 0 200 " in record["command"]
    assert names == frames | {"run.json"} | {
        f"plots/{s}.{kind}" for s in stems for kind in ("png", "svg")
    }
    assert pd.read_csv("out/fits.csv")["n_words"].tolist() == [200]
    assert pd.read_csv("out/words.csv")["word"].tolist() == BALANCED_WORDS[:6]
    assert main([*toy, "--out", "out"]) == 2
    assert (
        "holds results already (standalone.csv, run.json); pass --force" in capsys.readouterr().err
    )
    before = Path("out/relative.csv").read_bytes()
    assert main([*toy, "--out", "out", "--ranks", "0", "200", "--force"]) == 0
    assert Path("out/relative.csv").read_bytes() == before
    Path("toy.toml").rename("other.toml")
    assert main([toy[0], "other.toml", *toy[2:], "--out", "out", "--force"]) == 0
    assert {path.stem for path in Path("out/plots").iterdir()} == {
        "background",
        "other-words",
        "other-relative",
    }


def test_lists_without_words_are_told_of_and_left_out(
    toy: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    fast = ["--draws", "500"]
    assert main(["background", *fast]) == 0
    shown = capsys.readouterr()
    assert "weat7" in shown.out
    assert "weat6" not in shown.out
    left = [line for line in shown.err.splitlines() if "it is left out" in line]
    assert any("weat6: none of the 8 words of X" in line for line in left)
    assert all("in lower case pass --case fallback" in line for line in left)
    assert "Brett, Jay, Matthew, Neil and 10 more" in shown.err  # never all of them
    assert "not in the embedding, and left out: " in shown.err
    assert main(["background", "weat6", *fast]) == 2
    assert "weat6: none of the 8 words of X is" in capsys.readouterr().err
    assert main(["background", "weat6", "--case", "fallback", *fast]) == 0


def test_words_that_stand_twice(toy: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    text = Path("toy.txt").read_text(encoding="utf-8")
    Path("toy.txt").write_text(text + text.splitlines()[0] + "\n", encoding="utf-8")
    assert main(toy) == 2
    assert "more than once ('he')" in (said := capsys.readouterr().err)
    assert "--first" in said
    assert main([*toy, "--first"]) == 0
