"""The page and the write-up of each kind of record, and the index page of several lists."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cached_property
from html import escape
from typing import Any
from urllib.parse import quote

from ..records.found import ChangeRecord, ListRecord, PairRecord, Record, SweepRecord
from . import parts
from .change_page import ChangePage
from .list_page import ListPage
from .numbers import counted
from .page import LIMITS, REPORT, Page, box
from .pairs_page import PairsPage
from .sentences import Answer, list_deck, list_sentence, marked_up, plain
from .sweep_page import SweepPage
from .write_up import WriteUp, change_paper, list_paper

PAGES: Mapping[type[Record], Callable[[Any], Page[Any]]] = {
    ListRecord: ListPage,
    ChangeRecord: ChangePage,
    PairRecord: PairsPage,
    SweepRecord: SweepPage,
}
PAPERS: Mapping[type[Record], Callable[[Any], WriteUp]] = {
    ListRecord: list_paper,
    ChangeRecord: change_paper,
}


def page_of(record: Record) -> Page[Any]:
    """Return the page about a record."""
    return PAGES[type(record)](record)


def paper_of(record: Record) -> WriteUp | None:
    """Return paragraphs for a paper about a record, if there are any for its kind."""
    kind = type(record)
    return PAPERS[kind](record) if kind in PAPERS else None


class IndexPage(Page[Mapping[str, ListRecord]]):
    """A page of answers with links to reports; records are keyed by folder name."""

    def __init__(self, record: Mapping[str, ListRecord]) -> None:
        embedding = next(iter(record.values())).embedding
        title = f"{counted(len(record), 'word list')} in {embedding}"
        super().__init__(record, title, f"Word distances in {parts.LEARNED}")

    @cached_property
    def answer(self) -> Answer:
        """The title, and the doubts about each list."""
        records = self.record.values()
        doubts = [f"{one.title}: {text}" for one in records for text in parts.alerts(one)]
        return Answer((self.title,), "Each sentence leads a page of its own.", None, doubts)

    def main(self) -> str:
        """Return a link and the answer of each list."""
        rows = []
        for folder, one in self.record.items():
            link = f'<a href="{escape(quote(f"{folder}/{REPORT}"))}">{escape(one.title)}</a>'
            text = f"{marked_up(list_sentence(one))} {escape(list_deck(one))}"
            rows.append(f"<p><b>{link}</b>: {text}</p>")
        return "".join(rows) + box(LIMITS)

    def folded(self) -> str:
        """Return all answers as text."""
        answers = (f"{plain(list_sentence(one))} {list_deck(one)}" for one in self.record.values())
        return "\n\n".join(answers)
