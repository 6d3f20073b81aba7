"""Shell completion, asked as a shell asks it: by environment variables."""

from __future__ import annotations

from pathlib import Path

import pytest

import bayesbias as bb
from bayesbias.cli import main
from bayesbias.cli.completion import LIST_ENDINGS
from bayesbias.tables.wordlist_files import ENDINGS


@pytest.fixture
def complete(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> object:
    """What bash is told completes the last word of a line, in a folder with some files."""
    monkeypatch.chdir(tmp_path)
    for name in ("own.toml", "own.txt", "odd.json", ".hidden.toml", "notes.md"):
        (tmp_path / name).touch()
    (tmp_path / "lists").mkdir()
    (tmp_path / "lists" / "pets.toml").touch()

    def ask(line: str) -> list[str]:
        monkeypatch.setenv("_BAYESBIAS_COMPLETE", "complete_bash")
        monkeypatch.setenv("COMP_WORDS", line)
        monkeypatch.setenv("COMP_CWORD", str(len(line.split(" ")) - 1))
        assert main([]) == 0
        return capsys.readouterr().out.split()

    return ask


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("bayesbias ru", ["run"]),
        ("bayesbias run rel", ["religion"]),
        ("bayesbias run religion --mod", ["--model"]),
        ("bayesbias run o", ["odd.json", "own.toml"]),
        ("bayesbias run lists/", ["lists/pets.toml"]),
        ("bayesbias run no-folder/x", []),
        ("bayesbias run religion --vectors own.tx", ["own.txt"]),
        ("bayesbias run religion --vectors glove-d", ["glove-demo"]),
        ("bayesbias table religion -v word2vec-g", ["word2vec-google-news-300"]),
        ("bayesbias fit t.csv -m maximal-", ["maximal-topics"]),
        ("bayesbias models show ro", ["robust"]),
        ("bayesbias docs nuts", ["nutshell"]),
        ("bayesbias docs pareto", ["pareto-k"]),
    ],
)
def test_names_and_files_are_completed(complete: object, line: str, words: list[str]) -> None:
    assert complete(line) == words  # type: ignore[operator]


def test_all_lists_are_offered(complete: object) -> None:
    offered = complete("bayesbias lists show ")  # type: ignore[operator]
    assert LIST_ENDINGS == ENDINGS
    assert set(bb.wordlists()) | {"lists/", "own.toml", "odd.json"} == set(offered)
