"""The index page of several lists: one sentence and a link for each."""

from __future__ import annotations

from collections.abc import Mapping
from html import escape
from urllib.parse import quote

from ..records.lists import ListRecord
from .answer import Answer
from .numbers import counted
from .page import LIMITS, REPORT, Page, box
from .parts import alerts
from .sentences import list_deck, list_sentence, marked_up


def index_page(records: Mapping[str, ListRecord]) -> Page:
    """Return a page of answers with links to reports; `records` is keyed by folder name."""
    rows, doubts = list[str](), list[str]()
    for folder, record in records.items():
        link = f'<a href="{escape(quote(f"{folder}/{REPORT}"))}">{escape(record.title)}</a>'
        text = f"{marked_up(list_sentence(record))} {escape(list_deck(record))}"
        rows.append(f"<p><b>{link}</b>: {text}</p>")
        doubts += [f"{record.title}: {text}" for text in alerts(record, record.frames["thin"])]
    lists = counted(len(records), "word list")
    embedding = next(iter(records.values())).embedding
    sentence = (f"{lists} in {embedding}",)
    return Page(
        title=f"{lists} in {embedding}",
        kicker="Cosine distances in a word embedding",
        answer=Answer(sentence, "Each sentence leads a page of its own.", None, doubts),
        main="".join(rows) + box(LIMITS),
        side="",
    )
