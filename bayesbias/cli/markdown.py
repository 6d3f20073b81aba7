"""Markdown on a terminal, with tables of which no cell is cut off."""

from __future__ import annotations

from collections.abc import Iterator
from typing import ClassVar

from rich.console import Console, ConsoleOptions, RenderResult
from rich.markdown import Markdown, MarkdownElement, TableElement
from rich.table import Table


class _FoldedTable(TableElement):
    """A table whose cells are continued on the next line, where rich cuts them off."""

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        return self._folded(super().__rich_console__(console, options))

    @staticmethod
    def _folded(result: RenderResult) -> Iterator[Table]:
        for table in result:
            assert isinstance(table, Table)
            for column in table.columns:
                column.overflow = "fold"
            yield table


class Page(Markdown):
    """A page of Markdown with folded tables."""

    elements: ClassVar[dict[str, type[MarkdownElement]]] = {
        **Markdown.elements,
        "table_open": _FoldedTable,
    }
