"""The report as Markdown and as PDF."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pandas as pd
import pytest
from cli_toy import LIST, WORDS, refused, write_vectors
from markdown_it import MarkdownIt

from bayesbias.cli import main
from bayesbias.report import pdf
from bayesbias.report.wording.numbers import number

RUN = ["run", "toy.toml", "--vectors", "toy.txt", "--model", "paper", "--draws", "100"]
RUN += ["--matched", "0", "--reference-lists", "0"]


@pytest.fixture
def toy_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, one_plot: None) -> None:
    monkeypatch.chdir(tmp_path)
    Path("toy.toml").write_text(LIST.replace("Toy", "Toy | <b> *x*"), encoding="utf-8")
    write_vectors(Path("toy.txt"), WORDS)


@pytest.mark.usefixtures("toy_run")
def test_markdown_has_the_sentences_and_tables_of_the_page() -> None:
    assert main([*RUN, "--out", "res", "--format", "md"]) == 0
    text = Path("res/report.md").read_text(encoding="utf-8")
    page = MarkdownIt("commonmark", {"html": False}).enable("table").render(text)
    assert "<h1>Toy | &lt;b&gt; *x*, in toy.txt</h1>" in page
    html = Path("res/report.html").read_text(encoding="utf-8")
    titles = re.findall(r"<h2[^>]*>(.*?)</h2>", html)
    for title in ("What was found", "Groups and words", "Does the model fit"):
        assert title in titles
        assert f"<h2>{title}</h2>" in page
    frame = pd.read_csv("res/summary.csv", keep_default_na=False)
    for mean in frame["mean"]:
        assert f">{number(mean)}<" in page
    n_columns = {len(re.findall("<t[hd]", row)) for row in re.findall(r"<tr>.*?</tr>", page, re.S)}
    assert min(n_columns) > 1
    record = json.loads(Path("res/run.json").read_text(encoding="utf-8"))
    assert "report.md" in record["files"]
    assert "--format" not in record["command"]
    assert main([*RUN, "--out", "res", "--force"]) == 0
    assert not Path("res/report.md").exists()


@pytest.mark.usefixtures("toy_run")
def test_what_cannot_be_written_is_refused_before_any_work(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(pdf, "BROWSERS", ("no-such-browser",))
    told = refused(capsys, [*RUN, "--out", "res", "--format", "pdf"])
    assert "none is on the path; install one, or open report.html in any browser" in told
    told = refused(capsys, [*RUN, "--out", "res", "--format", "docx"])
    assert "unknown format 'docx'" in told
    assert not Path("res").exists()


@pytest.mark.usefixtures("toy_run")
def test_a_browser_that_fails_leaves_nothing(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(pdf, "BROWSERS", ("false",))
    told = refused(capsys, [*RUN, "--out", "res", "--format", "pdf"])
    assert "the browser could not print report.html" in told
    assert not Path("res").exists()


@pytest.mark.browser
@pytest.mark.usefixtures("toy_run")
def test_a_browser_prints_it() -> None:
    assert main([*RUN, "--out", "res", "--format", "pdf"]) == 0
    content = Path("res/report.pdf").read_bytes()
    assert content.startswith(b"%PDF-")
    assert len(re.findall(rb"/Type\s*/Page\b", content)) > 2
