"""The page and the write-up of each kind of record."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..records.base import Record
from ..records.found import ChangeRecord, ListRecord, PairRecord, SweepRecord

if TYPE_CHECKING:
    from .page import Page
    from .write_up import WriteUp


def page_of(record: Record) -> Page[Any]:
    """Return the page about a record; only its own module is imported."""
    if isinstance(record, ListRecord):
        from .list_page import ListPage

        return ListPage(record)
    if isinstance(record, ChangeRecord):
        from .change_page import ChangePage

        return ChangePage(record)
    if isinstance(record, PairRecord):
        from .pairs_page import PairsPage

        return PairsPage(record)
    if isinstance(record, SweepRecord):
        from .sweep_page import SweepPage

        return SweepPage(record)
    raise TypeError(f"there is no page of a {type(record).__name__}")


def paper_of(record: Record) -> WriteUp | None:
    """Return paragraphs for a paper about a record, if there are any for its kind."""
    from .write_up import change_paper, list_paper

    if isinstance(record, ListRecord):
        return list_paper(record)
    return change_paper(record) if isinstance(record, ChangeRecord) else None
