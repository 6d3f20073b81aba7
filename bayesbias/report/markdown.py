"""A page as Markdown: its sentences, tables and figures, without what only a browser shows."""

from __future__ import annotations

import re
from collections.abc import Iterator

from .page import Page, Part, Section
from .tables import Table
from .wording import Headline, Line


def page_markdown(page: Page, title: str, command: str) -> str:
    """Write a page as Markdown; figures are links to the files in ``plots``."""
    lines = [f"# {escaped(title)}", ""]
    for doubt in page.doubts:
        lines += [f"**The sampler warned:** {escaped(doubt)}", ""]
    for each in page.sections:
        if found := list(_section(each, page.lead)):
            lines += [f"## {escaped(each.title)}", "", *found]
    return "\n".join([*lines, "## Made by", "", f"    {command}", ""])


def escaped(text: str) -> str:
    """Write a text so that Markdown shows it as it stands."""
    return re.sub(r"([\\`*_\[\]<>$])", r"\\\1", text)


def table_row(cells: list[str]) -> str:
    """Write the cells of a row of a table."""
    return f"| {' | '.join(escaped(cell).replace('|', chr(92) + '|') for cell in cells)} |"


def _section(section: Section, lead: str) -> Iterator[str]:
    for part in section.parts.values():
        yield from _part(part)
    for figure in section.figures:
        if figure.model in {"", lead}:
            caption, told = figure.texts
            yield from (f"![{escaped(told)}](plots/{figure.name}.png)", "", escaped(caption), "")


def _part(part: Part) -> Iterator[str]:
    if part is None:
        return
    if isinstance(part, Table):
        yield from _table(part)
        return
    if isinstance(part, Headline):
        yield from (escaped(part.about), "")
        part = part.lines
    for each in part:
        if isinstance(each, Line):
            yield f"- **{escaped(each.of)}**: {escaped(each.text)}"
        else:
            yield from (escaped(each), "")
    if part and isinstance(part[-1], Line):
        yield ""


def _table(table: Table) -> Iterator[str]:
    """Write a table, if it has rows."""
    if not table.rows:
        return
    numeric = [cell.key is not None for cell in table.rows[0]]
    yield from (f"**{escaped(table.caption)}**", "")
    yield table_row(list(table.heads))
    yield f"| {' | '.join('--:' if each else '---' for each in numeric)} |"
    for row in table.rows:
        yield table_row([cell.text for cell in row])
    yield ""
