"""Folders of results: a page with its figures, and all that is known about one list."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from ..workflows.wordlist import Analysis
    from .page import Page

Tell = Callable[[str], None]


def write_report(
    page: Page,
    record: Mapping[str, Any],
    folder: Path,
    tell: Tell = lambda _: None,
    *,
    title: str = "",
) -> None:
    """Draw a page's figures and write it, and last of all the record, whose command it shows.

    With a `title` it is written as Markdown, too.
    """
    from ..workflows import output
    from .figures import draw_figures
    from .markdown import page_markdown
    from .page import render

    drawn = {}
    if page.figures:
        tell("drawing plots")
        drawn = draw_figures(page.figures, folder / output.PLOTS)
    tell("writing the report")
    output.write_page(render(page, drawn, record["command"], record["versions"]), folder)
    if title:
        text = page_markdown(page, title, record["command"])
        (folder / "report.md").write_text(text, "utf-8", errors="backslashreplace")
    output.write_record(record, folder)


def write_list(
    analysis: Analysis,
    folder: Path,
    command: str,
    tell: Tell = lambda _: None,
) -> None:
    """Write everything about one list into its folder, the record last."""
    from ..workflows import output
    from .lists import list_page
    from .write_up import NAMES, write_up

    output.write_frames(analysis.frames, analysis.posteriors, folder)
    shutil.copyfile(folder / f"posterior-{analysis.lead.spec.name}.nc", folder / "posterior.nc")
    paper = write_up(analysis)
    for part, name in NAMES.items():
        text = getattr(paper, part)
        (folder / name).write_text(text, encoding="utf-8", errors="backslashreplace")
    record, wordlist = output.record_of(analysis, command), analysis.wordlist
    title = f"{wordlist.title or wordlist.name}, in {analysis.settings.embedding}"
    write_report(list_page(analysis), record, folder, tell, title=title)
