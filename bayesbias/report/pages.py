"""The page and the write-up of each kind of record."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ..records.base import Record
from ..records.changes import ChangeRecord
from ..records.lists import ListRecord
from ..records.pairs import PairRecord
from ..records.sweeps import SweepRecord
from .change_page import ChangePage
from .list_page import ListPage
from .page import Page
from .pairs_page import PairsPage
from .sweep_page import SweepPage
from .write_up import WriteUp, change_paper, list_paper

PAGES: dict[type[Record], type[Page[Any]]] = {
    ListRecord: ListPage,
    ChangeRecord: ChangePage,
    SweepRecord: SweepPage,
    PairRecord: PairsPage,
}

PAPERS: dict[type[Record], Callable[[Any], WriteUp]] = {
    ListRecord: list_paper,
    ChangeRecord: change_paper,
}


def page_of[R: Record](record: R) -> Page[R]:
    """Return the page about a record."""
    return PAGES[type(record)](record)


def paper_of(record: Record) -> WriteUp | None:
    """Return paragraphs for a paper about a record, if there are any for its kind."""
    write = PAPERS.get(type(record))
    return write(record) if write else None
