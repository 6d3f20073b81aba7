"""The README's Python runs, and its word list loads."""

import re
from doctest import NORMALIZE_WHITESPACE
from pathlib import Path

import pytest
from printed import NumberChecker

from bayesbias.embeddings.distances import distance_table
from bayesbias.embeddings.load import load_vectors
from bayesbias.tables.wordlists import load_wordlist

README = (Path(__file__).resolve().parents[1] / "README.md").read_text(encoding="utf-8")


def blocks(language: str) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```$", README, flags=re.M | re.S)


@pytest.mark.slow
def test_python_blocks_run(capsys, tmp_path, monkeypatch) -> None:
    monkeypatch.chdir(tmp_path)
    for code in blocks("python"):
        exec(compile(code, "README.md", "exec"), {})  # the reader's own lines
    printed = capsys.readouterr().out
    assert "low" in printed
    assert "p_direction" in printed
    assert "coverage" in printed
    lines = [re.sub(r"^\d+ ", "", line) for line in printed.splitlines()]
    for row in table_rows():
        assert any(NumberChecker().check_output(row, line, NORMALIZE_WHITESPACE) for line in lines)


def table_rows() -> list[str]:
    """Return the rows of README's table of results, without the word for an empty group."""
    rows = re.findall(r"^\| .*\d \|$", README.replace("−", "-"), flags=re.M)
    assert rows
    return [re.sub(r"\||\(all\)", " ", row).strip() for row in rows]


def test_word_list_loads(tmp_path: Path) -> None:
    path = tmp_path / "arts.toml"
    path.write_text(blocks("toml")[0], encoding="utf-8")
    words = load_wordlist(path)
    assert set(words.groups) == {"artist", "scientist"}
    table = distance_table(load_vectors("glove-demo", words=words), words)
    assert len(table[table["connection"] == "associated"]) == 18


def test_files_that_it_names_are_there() -> None:
    root = Path(__file__).resolve().parents[1]
    for target in re.findall(r"\]\(([^)#:]+)\)", README):
        assert (root / target).exists(), target
