"""The page and the write-up of each kind of record, and the index page of several lists."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property
from html import escape
from importlib import import_module
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

from ..records.found import ChangeRecord, ListRecord, PairRecord, Record, SweepRecord
from . import parts
from .numbers import counted
from .page import REPORT, Page, limits
from .sentences import Answer, list_deck, list_sentence, marked_up, plain

if TYPE_CHECKING:
    from .write_up import WriteUp

PAGES = {
    ListRecord: ("list_page", "ListPage"),
    ChangeRecord: ("change_page", "ChangePage"),
    PairRecord: ("pairs_page", "PairsPage"),
    SweepRecord: ("sweep_page", "SweepPage"),
}
"""Module and name of each kind of record's page; only this module is imported."""


def page_of(record: Record) -> Page[Any]:
    """Return the page about a record."""
    module, name = PAGES[type(record)]
    page: Page[Any] = getattr(import_module(f".{module}", __package__), name)(record)
    return page


def paper_of(record: Record) -> WriteUp | None:
    """Return paragraphs for a paper about a record, if there are any for its kind."""
    from .write_up import change_paper, list_paper

    if isinstance(record, ListRecord):
        return list_paper(record)
    return change_paper(record) if isinstance(record, ChangeRecord) else None


class IndexPage(Page[Mapping[str, ListRecord]]):
    """A page of answers with links to reports; records are keyed by folder name."""

    def __init__(self, record: Mapping[str, ListRecord]) -> None:
        embedding = next(iter(record.values())).embedding
        title = f"{counted(len(record), 'word list')} in {embedding}"
        super().__init__(record, title, f"Word distances in an embedding: {parts.LEARNED}")

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
        return "".join(rows) + limits()

    def folded(self) -> str:
        """Return all answers as text."""
        answers = (f"{plain(list_sentence(one))} {list_deck(one)}" for one in self.record.values())
        return "\n\n".join(answers)
