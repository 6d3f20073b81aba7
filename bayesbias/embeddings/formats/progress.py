"""The bar that shows how far a long read has come."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO

from .headers import Tick

SLOW_SIZE = 1 << 26
"""Bytes; smaller files are read before a bar would be of use."""


@contextmanager
def reading_bar(raw: IO[bytes], path: Path, *, shown: bool) -> Iterator[Tick]:
    """Give the function to call when some more of the open file has been read."""
    size = path.stat().st_size
    if not shown or size < SLOW_SIZE:
        yield lambda: None
        return
    from rich.console import Console
    from rich.markup import escape
    from rich.progress import BarColumn, DownloadColumn, Progress, TextColumn, TimeRemainingColumn

    console = Console(stderr=True)
    if not (console.is_terminal or console.is_jupyter):  # else rich writes an empty line to a log
        yield lambda: None
        return
    columns = (TextColumn("{task.description}"), BarColumn(), DownloadColumn())
    with Progress(*columns, TimeRemainingColumn(), console=console, transient=True) as bar:
        task = bar.add_task(f"reading {escape(path.name)}", total=size)
        yield lambda: bar.update(task, completed=raw.tell())
