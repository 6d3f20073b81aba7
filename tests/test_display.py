from __future__ import annotations

import re
from html.parser import HTMLParser

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bayesbias._core.display import Sheet, Shown, visible

SCRIPT = "<script>alert('1')</script>"


class Thing(Shown):
    """Shows which form it is asked for."""

    def _sheet(self, *, roomy: bool) -> Sheet:
        return Sheet("thing", (("a", "long" if roomy else "short"),))


class Recorder:
    """What IPython's printer does with plain text."""

    def __init__(self) -> None:
        self.texts: list[str] = []

    def text(self, text: str, /) -> None:
        self.texts.append(text)


class Cells(HTMLParser):
    def __init__(self, html: str) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.texts: list[str] = []
        self.feed(html)

    def handle_starttag(self, tag: str, attrs: object) -> None:
        self.tags.append(tag)
        self.texts.append("")

    def handle_data(self, data: str) -> None:
        self.texts[-1] += data


def test_text_is_aligned_and_numbers_stand_on_the_right() -> None:
    sheet = Sheet(
        "Words", (("a", "5", "x y"), ("ccc", "−1,226", "")), ("set", "size", "which"), "note"
    )
    assert sheet.text().splitlines() == [
        "Words",
        "  set    size  which",
        "  a         5  x y",
        "  ccc  −1,226",
        "  note",
    ]


def test_an_empty_sheet_is_its_title() -> None:
    assert Sheet("t", ()).text() == "t"
    assert Cells(Sheet("t", ()).html()).tags == ["table", "caption", "tbody"]


def test_wide_letters_take_two_cells() -> None:
    lines = Sheet("t", (("日本", "x"), ("abcd", "y"))).text().splitlines()
    assert lines[1:] == ["  日本  x", "  abcd  y"]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a\x1b[31mb", "a\\x1b[31mb"),
        ("a\nb\tc", "a\\nb\\tc"),
        ("a\u202eb", "a\\u202eb"),
        ("\ud800", "\\ud800"),
        ("می\u200cخواهم", "می\u200cخواهم"),  # a letter's form in Persian, no mark of direction
        ("שלום", "שלום"),
    ],
)
def test_what_would_move_the_cursor_is_an_escape(text: str, expected: str) -> None:
    assert visible(text) == expected
    assert expected in Sheet(text, ()).text()


def test_html_is_a_table_of_texts() -> None:
    cells = Cells(Sheet(SCRIPT, ((SCRIPT, '"&'),), (SCRIPT, "b"), SCRIPT).html())
    tags = ["table", "caption", "thead", "tr", "th", "th", "tbody", "tr", "th", "td", "p", "small"]
    assert cells.tags == tags
    assert [text for text in cells.texts if text] == [SCRIPT, SCRIPT, "b", SCRIPT, '"&', SCRIPT]


@given(st.lists(st.tuples(st.text(), st.text(), st.text()), min_size=1))
def test_any_texts_give_one_line_a_row(rows: list[tuple[str, str, str]]) -> None:
    sheet = Sheet("t", tuple(rows), ("a", "b", "c"))
    assert len(sheet.text().split("\n")) == 2 + len(rows)
    assert len(f"{sheet.text()}|".splitlines()) == 2 + len(rows)  # a blank last line counts
    cells = Cells(sheet.html())
    assert cells.tags.count("td") == 2 * len(rows)
    assert not re.search(r"<(?!/?(table|caption|thead|tbody|tr|th|td)\b)", sheet.html())
    sheet.html().encode()


def test_a_thing_shows_itself_where_it_is_asked() -> None:
    recorder = Recorder()
    Thing()._repr_pretty_(recorder, False)
    Thing()._repr_pretty_(recorder, True)
    assert recorder.texts == [str(Thing()), "Thing(...)"] == ["thing\n  a  short", "Thing(...)"]
    assert "long" in Thing()._repr_html_()
    assert repr(Thing()).startswith("<")
