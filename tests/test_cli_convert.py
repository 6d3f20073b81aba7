"""`bayesbias convert`: what it prints, writes and refuses."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from bayesbias.cli import main


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("toy.txt").write_text("a 1 2\nb 3 4\nc 5 6\n", encoding="utf-8")
    Path("twice.txt").write_text("a 1 2\nb 3 4\na 5 6\n", encoding="utf-8")


def test_it_makes_a_folder_that_other_commands_take(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["convert", "toy.txt", "toy"]) == 0
    assert "toy: 3 words of 2 dimensions." in capsys.readouterr().out
    assert np.load("toy/vectors.npy").tolist() == [[1, 2], [3, 4], [5, 6]]
    assert Path("toy/words.txt").read_bytes() == b"a\nb\nc\n"


def test_of_words_that_stand_twice_the_first_is_kept(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["convert", "twice.txt", "toy"]) == 0
    assert "1 word(s) stand in the embedding more than once (a)" in capsys.readouterr().err
    assert np.load("toy/vectors.npy").tolist() == [[1, 2], [3, 4]]


def test_an_earlier_folder_is_replaced_only_if_asked(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["convert", "toy.txt", "toy"]) == 0
    assert main(["convert", "toy.txt", "toy"]) == 2
    assert "toy is there already; pass --force to replace it" in capsys.readouterr().err
    assert main(["convert", "toy.txt", "toy", "--force"]) == 0
