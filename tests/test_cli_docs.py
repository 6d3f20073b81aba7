"""`bayesbias docs`: pages without a checkout and without a network."""

from __future__ import annotations

import re
import webbrowser
from pathlib import Path

import pytest
from cli_toy import refused

import bayesbias
from bayesbias.cli import main
from bayesbias.cli.docs import terms, text_of, topics

PACKAGE = Path(bayesbias.__file__).parent


def test_topics_are_listed_and_shown(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["docs"]) == 0
    listed = capsys.readouterr().out
    assert listed.startswith("Start with `bayesbias docs first-hour`")
    for name, page in topics().items():
        assert re.search(rf"^ ?{re.escape(name)} ", listed, flags=re.MULTILINE)
        assert page.read_text(encoding="utf-8").startswith(("# ", "<!doctype html>"))
    assert main(["docs", "reading"]) == 0
    shown = capsys.readouterr().out
    assert "Reading a posterior" in shown
    assert "89%" in shown


def test_included_tables_stand_in_their_places(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["docs", "published_tables"]) == 0
    shown = capsys.readouterr().out
    assert "8<" not in shown
    page = topics()["published_tables"]
    after = text_of(page).partition("## Variance components")[0].partition("By group, where")[2]
    folder = PACKAGE.parent / "docs" / "tables"
    tables = (folder / "published_tables.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\|.*\|$", after, flags=re.MULTILINE)
    assert len(rows) == 20  # a head, a line, 18 tables
    assert "\n".join(rows) in tables.partition("[start:groups]")[2].partition("[end:groups]")[0]


def test_a_term_leads_to_its_page(capsys: pytest.CaptureFixture[str]) -> None:
    rows = topics()["glossary"].read_text(encoding="utf-8").count("\n| **")
    assert len({meaning for meaning, _ in terms().values()}) == rows
    assert {page for _, page in terms().values()} <= set(topics())
    for asked in ("rope", "ROPE", "pareto-k"):
        assert main(["docs", asked]) == 0
    shown = " ".join(capsys.readouterr().out.split())
    assert "rope: region of practical equivalence" in shown
    assert "`bayesbias docs reading` says more." in shown
    assert "pareto k: how far the importance weights may be trusted" in shown


def test_the_lesson_opens_in_a_browser(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    opened: list[str] = []
    monkeypatch.setattr(webbrowser, "open", opened.append)
    assert main(["docs", "lesson"]) == 0
    (page,) = (Path(address.removeprefix("file://")) for address in opened)
    assert page.read_bytes() == topics()["lesson"].read_bytes()
    assert str(page) in capsys.readouterr().out


@pytest.mark.usefixtures("toy")
def test_an_unknown_topic_is_refused(capsys: pytest.CaptureFixture[str]) -> None:
    assert "did you mean 'scores'" in refused(capsys, ["docs", "score"])


def test_messages_name_pages_that_are_there_and_no_path_of_a_checkout() -> None:
    for path in PACKAGE.rglob("*.py"):
        text = path.read_text(encoding="utf-8")
        assert not re.search(r"docs/\w+\.md|README\.md|CONTRIBUTING", text), path
        named = set(re.findall(r"bayesbias docs ([a-z][\w-]*)", text))
        assert named <= {*topics(), *(term.replace(" ", "-") for term in terms())}, path
