"""`bayesbias lists` and `bayesbias models`."""

from __future__ import annotations

from pathlib import Path

import pytest
from cli_toy import LIST, refused

from bayesbias._core.resources import bundled_folder
from bayesbias.cli import main


@pytest.mark.usefixtures("toy")
def test_lists(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["lists"]) == 0
    out = capsys.readouterr().out
    assert "religion" in out
    assert "weat10" in out
    assert main(["lists", "show", "toy.toml"]) == 0
    out = capsys.readouterr().out
    assert "rancher" in out
    assert "Note: A note." in out


def test_a_model_is_shown_with_its_priors_and_reasons(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["models", "show", "change"]) == 0
    said = " ".join(capsys.readouterr().out.split())
    assert "change: The change of each distance, pair by pair" in said
    assert "connection_mean normal: mean 0, sd 0.3" in said
    assert "For changes of distances, as bb.fit_change fits them: `bayesbias compare`." in said
    assert "word_mean of protected_word by connection around" in said
    assert "Reference: Gelman and Hill (2007)" in said


@pytest.mark.usefixtures("toy")
def test_files_of_lists_and_cards_are_printed_as_they_stand(
    capsys: pytest.CaptureFixture[str],
) -> None:
    paper = bundled_folder("models") / "paper.toml"
    for command, file in (
        (["lists", "show", "religion", "--toml"], bundled_folder("wordlists") / "religion.toml"),
        (["models", "show", "crossed", "--toml"], bundled_folder("models") / "crossed.toml"),
        (["models", "show", str(paper), "--toml"], paper),
    ):
        assert main(command) == 0
        assert capsys.readouterr().out == file.read_text(encoding="utf-8")
    Path("mine.toml").write_text(LIST + "# a comment\n", encoding="utf-8")
    assert main(["lists", "show", "mine.toml", "--toml"]) == 0
    assert capsys.readouterr().out == LIST + "# a comment\n"
    assert "did you mean 'crossed'" in refused(capsys, ["models", "show", "crosed"])


@pytest.mark.usefixtures("toy")
def test_lists_check_tells_lines_and_exits_by_severity(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert main(["lists", "check", "toy.toml"]) == 0
    assert "nothing to report" in capsys.readouterr().out
    Path("twice.toml").write_text(LIST.replace('"clock"', '"walk"'), encoding="utf-8")
    assert main(["lists", "check", "twice.toml"]) == 0
    assert "twice.toml: warning: controls.human[" in capsys.readouterr().out
    Path("wrong.toml").write_text(LIST.replace('"son"', '"he"'), encoding="utf-8")
    assert main(["lists", "check", "wrong.toml"]) == 1
    out = capsys.readouterr().out
    assert "wrong.toml: error: groups.men[1]: 'he' is groups.men[0] already" in out
    assert main(["--quiet", "lists", "check", "wrong.toml"]) == 1
    assert capsys.readouterr().out == ""
