"""`bayesbias scores`: what it prints, writes, refuses, and says on which stream."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from cli_toy import BALANCED, BALANCED_WORDS, write_vectors

import bayesbias as bb
from bayesbias.cli import main
from bayesbias.scores import SCORES
from bayesbias.scores.table import SCORE_TABLE_COLUMNS


@pytest.fixture
def toy(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """A list and an embedding in the working folder; arguments of a fast call on them."""
    monkeypatch.chdir(tmp_path)
    write_vectors(Path("toy.txt"), BALANCED_WORDS)
    Path("toy.toml").write_text(BALANCED, encoding="utf-8")
    return ["scores", "toy.toml", "--vectors", "toy.txt", "--n-resamples", "20"]


def test_it_prints_every_score_and_how_to_read_it_and_missing_words_on_stderr(
    toy: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(toy) == 0
    shown = capsys.readouterr()
    for name in SCORES:
        assert f" {name} " in shown.out
    assert "toy in toy.txt: scores, 89% bootstrap intervals" in shown.out
    assert "Lower than 1 means closer to all stereotypes: mac." in shown.out
    assert "Lower than 0 means closer to own stereotype: rnd." in shown.out
    assert "posterior" not in shown.out.lower()
    assert shown.out.startswith("Too few words of the stereotypes of women (2 of 3).\n")
    assert " men, women † " in shown.out
    assert "† marks numbers of a set that lost more than 20% of its words" in shown.out
    assert max(map(len, shown.out.splitlines()[:10])) <= 80
    assert shown.err == "bayesbias: not in the embedding, and left out: absent\n"
    assert "absent" not in shown.out


def test_the_file_is_the_table_and_the_terminal_rounds_it(
    toy: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    assert main([*toy, "--out", "toy.csv", "--seed", "3", "--ci-prob", "0.5"]) == 0
    assert capsys.readouterr().out.endswith("Table: toy.csv\n")
    frame = pd.read_csv("toy.csv")
    assert list(frame.columns) == list(SCORE_TABLE_COLUMNS)
    words = bb.load_wordlist("toy.toml")
    vectors = bb.load_vectors("toy.txt", words=words)
    expected = bb.score_table(vectors, words, n_resamples=20, seed=3, ci_prob=0.5)
    for column in ("value", "low", "high", "p_value"):
        assert np.allclose(frame[column], expected[column], equal_nan=True)


def test_posteriors_join_the_table(toy: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert main([*toy, "--posterior", "--model", "paper", "--out", "toy.csv"]) == 0
    shown = capsys.readouterr().out
    assert "toy in toy.txt: posterior means, 89% highest-density" in " ".join(shown.split())
    bootstrap, posterior = (
        shown.index(f"{kind} intervals ") for kind in ("Bootstrap", "Posterior")
    )
    assert bootstrap < shown.index("posterior means") < posterior  # each under its own table
    assert "Posterior intervals are about these words, and narrower" in shown
    frame = pd.read_csv("toy.csv")
    rows = frame[frame["interval"] == "posterior"]
    assert list(rows["score"]) == ["mac", "gweat", "weat_mean_difference", "weat_effect_size"]
    assert rows["choices"].str.contains("model paper").all()
    assert ((rows["low"] < rows["value"]) & (rows["value"] < rows["high"])).all()
