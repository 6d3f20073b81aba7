"""How commands that make a report end: its page and record in a folder, and where they are."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from .options import WARNED
from .screen import Screen

if TYPE_CHECKING:
    from ..report.page import Page


def write_report(
    page: Page,
    record: Mapping[str, Any],
    folder: Path,
    tell: Callable[[str], None] = lambda _: None,
) -> None:
    """Draw a page's figures and write it, and last of all the record, whose command it shows."""
    from ..report.figures import draw_figures
    from ..report.page import render
    from ..workflows import output

    drawn = {}
    if page.figures:
        tell("drawing plots")
        drawn = draw_figures(page.figures, folder / output.PLOTS)
    tell("writing the report")
    output.write_page(render(page, drawn, record["command"], record["versions"]), folder)
    output.write_record(record, folder)


def finish(
    screen: Screen,
    lines: Iterable[str],
    out: Path,
    *,
    open_report: bool = False,
    doubtful: bool = False,
) -> int:
    """Say what was found and where the report is, open it if asked; return the exit code."""
    page = out / "report.html"
    screen.say(*lines, f"Report: {page}")
    if open_report:
        typer.launch(page.absolute().as_uri())
    return WARNED if doubtful else 0
