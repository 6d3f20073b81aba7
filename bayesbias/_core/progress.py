"""The one progress bar: on stderr, on a terminal or in a notebook only, gone when it has ended."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager

Advance = Callable[[int], object]
"""Called with how much has been done in all."""


@contextmanager
def progress_bar(
    description: str, total: int, *, shown: bool = True, in_bytes: bool = False
) -> Iterator[Advance]:
    """Draw a bar while a block runs; the block calls what it is given with what has been done.

    Parameters
    ----------
    description : str
        Shown before the bar as it stands.
    total : int
    shown : bool
        Draw nothing if False.
    in_bytes : bool
        Name the amounts as file sizes, else as counts.
    """
    if not shown:
        yield lambda _: None
        return
    from rich.console import Console
    from rich.markup import escape
    from rich.progress import (
        BarColumn,
        DownloadColumn,
        MofNCompleteColumn,
        Progress,
        TextColumn,
        TimeRemainingColumn,
    )

    console = Console(stderr=True)
    if not (console.is_terminal or console.is_jupyter):  # else rich writes an empty line to a log
        yield lambda _: None
        return
    amount = DownloadColumn() if in_bytes else MofNCompleteColumn()
    columns = (TextColumn("{task.description}"), BarColumn(), amount, TimeRemainingColumn())
    with Progress(*columns, console=console, transient=True) as bar:
        task = bar.add_task(escape(description), total=total)
        yield lambda done: bar.update(task, completed=done)
