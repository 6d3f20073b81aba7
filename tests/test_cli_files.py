"""`bayesbias convert`, `bayesbias docs` and `bayesbias check-limits`."""

from __future__ import annotations

import re
import webbrowser
from pathlib import Path

import numpy as np
import pytest
from builders import FAST, distances
from cli_toy import refused

import bayesbias as bb
from bayesbias.cli import main
from bayesbias.cli.files import pages, text_of

PACKAGE = Path(bb.__file__).parent
GAP = "associated - different"


def test_convert_makes_a_folder_that_other_commands_take(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("toy.txt").write_text("a 1 2\nb 3 4\na 5 6\n", encoding="utf-8")
    assert main(["convert", "toy.txt", "toy"]) == 0
    said = capsys.readouterr()
    assert "toy: 2 words of 2 dimensions." in said.out
    assert "1 word(s) stand in the embedding more than once (a)" in said.err
    assert np.load("toy/vectors.npy").tolist() == [[1, 2], [3, 4]]
    assert Path("toy/words.txt").read_bytes() == b"a\nb\n"
    assert main(["convert", "toy.txt", "toy"]) == 2
    assert "toy is there already; pass --force to replace it" in capsys.readouterr().err
    assert main(["convert", "toy.txt", "toy", "--force"]) == 0


@pytest.mark.usefixtures("toy")
def test_pages_are_listed_shown_and_opened(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    assert main(["docs"]) == 0
    listed = capsys.readouterr().out
    for name, page in pages().items():
        assert re.search(rf"^ ?{re.escape(name)} ", listed, flags=re.MULTILINE)
        assert page.read_text(encoding="utf-8").startswith(("# ", "<!doctype html>"))
    assert main(["docs", "reading"]) == 0
    assert "89%" in capsys.readouterr().out
    assert all("8<" not in text_of(page) for page in pages().values())
    opened: list[str] = []
    monkeypatch.setattr(webbrowser, "open", opened.append)
    assert main(["docs", "lesson"]) == 0
    assert opened == [pages()["lesson"].as_uri()]
    capsys.readouterr()
    assert "did you mean 'scores'" in refused(capsys, ["docs", "score"])


def test_messages_name_pages_that_exist_and_no_path_of_a_checkout() -> None:
    for path in PACKAGE.rglob("*.py"):
        text = path.read_text(encoding="utf-8")
        assert not re.search(r"docs/\w+\.md|README\.md|CONTRIBUTING", text), path
        assert set(re.findall(r"bayesbias docs ([a-z][\w-]*)", text)) <= set(pages()), path


def test_limits_give_exit_code_1_as_soon_as_one_interval_leaves_them(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    run = tmp_path
    bb.save_posterior(bb.fit(distances(), "paper", seed=3, **FAST), run / "posterior.nc")
    frame = bb.contrasts(bb.load_posterior(run / "posterior.nc"))
    row = frame[(frame["first"] == "associated") & (frame["second"] == "different")].iloc[0]
    limits = run / "limits.toml"
    for low, high, code in (
        (row["low"] - 1e-9, row["high"] + 1e-9, 0),
        (row["low"] + 1e-9, 1.0, 1),
        (-1.0, row["high"] - 1e-9, 1),
    ):
        limits.write_text(
            f'[limits]\n"{GAP}" = [{float(low)!r}, {float(high)!r}]\n"human" = [0, 2]\n'
        )
        assert main(["check-limits", str(run), str(limits)]) == code
        said = capsys.readouterr().out.splitlines()
        assert [line.split(":")[0] for line in said[:2]] == [("inside", "OUTSIDE")[code], "inside"]
        assert said[2] == f"{code} of 2 intervals leave their limits."
    for content, message in (
        ("", "no [limits], such as"),
        ("[limit]\n", "unknown key 'limit'; did you mean 'limits'"),
        ('[limits]\n"human" = [2, 1]\n', "'human' must be two numbers, the smaller first"),
        ('[limits]\n"humane" = [0, 1]\n', "unknown connection 'humane'; did you mean 'human'"),
    ):
        limits.write_text(content)
        assert main(["check-limits", str(run), str(limits)]) == 2
        assert message in capsys.readouterr().err
