"""Folders of results: a page with its figures, and all that is known about one list."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from ..workflows.wordlist import Analysis
    from .writer import Page

Tell = Callable[[str], None]


def write_report(
    page: Page, record: Mapping[str, Any], folder: Path, tell: Tell = lambda _: None
) -> None:
    """Draw and write a page, and last of all the record, whose command it shows."""
    from ..workflows import output
    from .writer import write_page

    write_page(page, record, folder, tell)
    output.write_record(record, folder)


def write_list(
    analysis: Analysis,
    folder: Path,
    command: str,
    tell: Tell = lambda _: None,
) -> None:
    """Write everything about one list into its folder, the record last."""
    from ..workflows import output
    from .list_page import list_page
    from .write_up import NAMES, write_up

    output.write_frames(analysis.frames, analysis.posteriors, folder)
    shutil.copyfile(folder / f"posterior-{analysis.lead.spec.name}.nc", folder / "posterior.nc")
    paper = write_up(analysis)
    for part, name in NAMES.items():
        text = getattr(paper, part)
        (folder / name).write_text(text, encoding="utf-8", errors="backslashreplace")
    write_report(list_page(analysis), output.record_of(analysis, command), folder, tell)
