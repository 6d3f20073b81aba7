"""`bayesbias docs`: pages without a checkout and without a network."""

from __future__ import annotations

import re
import webbrowser
from pathlib import Path

import pytest
from cli_toy import refused

import bayesbias
from bayesbias.cli import main
from bayesbias.cli.files import pages, text_of

PACKAGE = Path(bayesbias.__file__).parent


def test_pages_are_listed_and_shown(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["docs"]) == 0
    listed = capsys.readouterr().out
    for name, page in pages().items():
        assert re.search(rf"^ ?{re.escape(name)} ", listed, flags=re.MULTILINE)
        assert page.read_text(encoding="utf-8").startswith(("# ", "<!doctype html>"))
    assert main(["docs", "reading"]) == 0
    assert "89%" in capsys.readouterr().out
    assert all("8<" not in text_of(page) for page in pages().values())


def test_the_lesson_opens_in_a_browser(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    opened: list[str] = []
    monkeypatch.setattr(webbrowser, "open", opened.append)
    assert main(["docs", "lesson"]) == 0
    (page,) = (Path(address.removeprefix("file://")) for address in opened)
    assert page.read_bytes() == pages()["lesson"].read_bytes()
    assert str(page) in capsys.readouterr().out


@pytest.mark.usefixtures("toy")
def test_an_unknown_page_is_refused(capsys: pytest.CaptureFixture[str]) -> None:
    assert "did you mean 'scores'" in refused(capsys, ["docs", "score"])


def test_messages_name_pages_that_exist_and_no_path_of_a_checkout() -> None:
    for path in PACKAGE.rglob("*.py"):
        text = path.read_text(encoding="utf-8")
        assert not re.search(r"docs/\w+\.md|README\.md|CONTRIBUTING", text), path
        assert set(re.findall(r"bayesbias docs ([a-z][\w-]*)", text)) <= set(pages()), path
