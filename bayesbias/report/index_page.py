"""The index page of several lists: one sentence and a link for each."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property
from html import escape
from urllib.parse import quote

from ..records.found import ListRecord
from . import parts
from .numbers import counted
from .page import LIMITS, REPORT, Page, box
from .sentences import Answer, list_deck, list_sentence, marked_up, plain


class IndexPage(Page[Mapping[str, ListRecord]]):
    """A page of answers with links to reports; records are keyed by folder name."""

    kicker = "Cosine distances in a word embedding"

    @property
    def title(self) -> str:
        embedding = next(iter(self.record.values())).embedding
        return f"{counted(len(self.record), 'word list')} in {embedding}"

    @cached_property
    def answer(self) -> Answer:
        records = self.record.values()
        doubts = [f"{one.title}: {text}" for one in records for text in parts.alerts(one)]
        return Answer((self.title,), "Each sentence leads a page of its own.", None, doubts)

    def main(self) -> str:
        rows = []
        for folder, one in self.record.items():
            link = f'<a href="{escape(quote(f"{folder}/{REPORT}"))}">{escape(one.title)}</a>'
            text = f"{marked_up(list_sentence(one))} {escape(list_deck(one))}"
            rows.append(f"<p><b>{link}</b>: {text}</p>")
        return "".join(rows) + box(LIMITS)

    def folded(self) -> str:
        answers = (f"{plain(list_sentence(one))} {list_deck(one)}" for one in self.record.values())
        return "\n\n".join(answers)
