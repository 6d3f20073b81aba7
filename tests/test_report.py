"""Pages: literal text, one file that works offline, and the numbers from the frames."""

from __future__ import annotations

from dataclasses import replace
from html.parser import HTMLParser
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from builders import (
    HOSTILE,
    doubtful,
    drawn_page,
    hostile_analysis,
    religion_analysis,
)

import bayesbias as bb
from bayesbias.report import writer
from bayesbias.report.headline import headline
from bayesbias.report.numbers import borderline, graded, number, percent
from bayesbias.report.sweep_page import blocks_of
from bayesbias.workflows.output import versions
from bayesbias.workflows.results import ModelResult
from bayesbias.workflows.wordlist import Analysis


@pytest.fixture(scope="module")
def hostile() -> Analysis:
    return hostile_analysis()


@pytest.fixture(scope="module")
def demo() -> Analysis:
    return religion_analysis()


def shown(page: writer.Page) -> str:
    """Return a page without figures, because drawing is slow."""
    return writer.html(page, {"command": "bayesbias run", "versions": versions()}, {})


class Parsed(HTMLParser):
    """Elements, attributes, and visible text of a page, as a browser would find them."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.attributes: list[tuple[str, str, str]] = []
        self.text = ""
        self.feed(html)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.attributes += [(tag, key, value or "") for key, value in attrs]

    def handle_data(self, data: str) -> None:
        self.text += data

    def values(self, *names: str) -> list[str]:
        return [value for _, key, value in self.attributes if key in names]


def test_hostile_words_show_as_text(hostile: Analysis, tmp_path: Path) -> None:
    hostile_page = drawn_page(hostile, tmp_path)
    page = Parsed(hostile_page)
    foreign = {"script", "b-one", "iframe", "object", "embed", "link", "foreignobject"}
    assert not foreign & set(page.tags)
    assert page.tags.count("img") == page.tags.count("figure")
    assert not [key for _, key, _ in page.attributes if key.startswith("on")]
    for text in (*HOSTILE, "<b>one</b>", "<u>v</u>.txt", "<i>free</i>", "{% raw %}"):
        assert text in page.text
    assert page.tags.count("i") == page.tags.count("u") == 0
    # The page is one file, and its internal links work.
    for value in page.values("src", "href", "xlink:href", "action", "poster", "srcset"):
        assert value.startswith(("#", "data:image/svg+xml;base64,"))
    assert "@import" not in hostile_page
    policy = next(value for value in page.values("content") if "default-src" in value)
    assert policy.startswith("default-src 'none'; img-src data:; ")
    ids = page.values("id")
    links = [value[1:] for value in page.values("href", "xlink:href") if value.startswith("#")]
    assert len(ids) == len(set(ids))
    assert set(links) <= set(ids)
    labels = [value for tag, key, value in page.attributes if (tag, key) == ("img", "alt")]
    assert len(labels) == page.tags.count("figure") > 3
    assert all(len(label) > 30 for label in labels)


def test_doubts_stand_at_the_top_of_page_and_markdown(hostile: Analysis) -> None:
    lead = hostile.lead
    warned = ModelResult(doubtful(lead.posterior, "R-hat is <high>"), lead.frames)
    doubted = replace(hostile, results={"crossed": warned}, comparison=None).page()
    html, text = shown(doubted), writer.markdown(doubted, {"command": "again"})
    assert html.index("R-hat is &lt;high&gt;") < html.index('<section id="found">')
    assert text.index(r"R-hat is \<high\>") < text.index("## What was found")
    assert 'role="alert"' not in shown(hostile.page())


def test_the_page_leads_with_the_contrasts_of_the_lead_model(demo: Analysis) -> None:
    """Its interval ends are those of `bb.contrasts`, and the largest group is first."""
    rows = demo.contrasts.query("first == 'associated' and second == 'different'")
    groups = rows[rows["level"] == "group"].set_index("protected_group")
    groups = groups.loc[groups["mean"].abs().sort_values(ascending=False).index]
    overall, *shown = headline(demo).table.rows
    assert (overall[0], *(row[0] for row in shown)) == ("all groups", *groups.index)
    for cells, row in zip(shown, groups.to_dict("records"), strict=True):
        assert f"({number(row['low'])} … {number(row['high'])}" in cells[1]
        p = row["p_direction"] if row["mean"] < 0 else 1 - row["p_direction"]
        assert cells[2] == graded(p, 16 * demo.settings.n_draws)


@pytest.mark.parametrize(
    ("written", "expected"),
    [
        (number(-0.0004), "0.000"),
        (graded(0.998), "over 99%, almost certainly"),
        (graded(0.946), "95%, very probably"),  # the wording follows the displayed number
        (graded(0.944, 4000), "94%, probably, borderline"),
        (percent(0.9996), "over 99%"),
        (percent(0.0004, 1), "under 0.1%"),
        (borderline({"sd": 0.05, "low": -0.16, "high": -0.002}, 4000, 0.02), ", borderline"),
        (borderline({"sd": 0.05, "low": -0.16, "high": -0.004}, 4000, 0.02), ""),
    ],
)
def test_how_numbers_are_written(written: str, expected: str) -> None:
    assert written == expected


def test_a_table_writes_intervals_marks_and_dashes() -> None:
    frame = pd.DataFrame({"mean": [0.1, -0.2], "low": [0, -0.3], "high": [0.2, -0.1]})
    frame = frame.assign(who=["<a>", "b|c"], thin=[False, True], rows=[1234, 5], x=[np.nan, 2])
    frame.attrs["ci_prob"] = 0.89
    frame["p_moved"] = 0.5
    made = writer.table(frame, "t", "who", "mean", "interval", "rows", "x", "p_moved")
    assert made.heads == ("who", "mean", "89% interval", "rows", "x", "probability that it moved")
    assert made.numeric == (False, True, True, True, True, False)  # words wrap
    assert made.rows[0] == ("<a>", "0.100", "0.000 … 0.200", "1,234", "–", "50%, unclear")
    assert made.rows[1][2] == "−0.300 … −0.100 †"
    frame.attrs |= {"n_draws": 1e6, "rope": 0.05}
    marked = writer.table(frame.assign(sd=0.1), "t", "interval")
    assert marked.rows == (("0.000 … 0.200, borderline",), ("−0.300 … −0.100 †",))
    page = writer.Page("", "", "", [writer.Section("", "", [made])])
    assert r"| b\|c | −0.200 |" in writer.markdown(page, {"command": ""})


def test_blocks_stay_whole_in_figures() -> None:
    sizes = {"a": 40, "b": 50, "c": 20, "d": 200}
    frame = pd.DataFrame({"list": np.repeat(list(sizes), list(sizes.values()))})
    parts = dict(blocks_of(frame, "list"))
    assert [list(part["list"].unique()) for part in parts.values()] == [["a"], ["b", "c"], ["d"]]
    assert max(map(len, parts.values())) < 80


@pytest.mark.filterwarnings("error:invalid value")
def test_a_group_without_any_stereotype_in_the_embedding_still_has_a_page(tmp_path: Path) -> None:
    words = {
        "groups": {"young": ["student", "youth"], "old": ["retired", "elderly"]},
        "stereotypes": {"young": ["reckless"], "old": ["no-such-word"]},
    }
    found = bb.analyze("glove-demo", words, draws=200, reference_lists=3, seed=1)
    found.report(tmp_path / "out")
    text = (tmp_path / "out" / "report.md").read_text()
    assert "No stereotype of the group old was measured" in text
    assert not found.lead["influence"]["mean_without"].isna().any()
