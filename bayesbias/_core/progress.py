"""The progress bar of long work: on stderr, and gone when the work has ended."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager

Update = Callable[[int], object]
"""Called with how much has been done in all."""


@contextmanager
def progress_bar(
    description: str,
    total: int,
    *,
    done: int = 0,
    shown: bool | None = None,
    in_bytes: bool = False,
) -> Iterator[Update]:
    """Draw a bar while a block runs; the block calls what it is given with what has been done.

    Parameters
    ----------
    description : str
        Shown before the bar as it stands.
    total, done : int
        Work in all, and what was done before.
    shown : bool, optional
        None draws on a terminal and in a notebook only, for a log would get empty lines.
    in_bytes : bool
        Name the amounts as file sizes, else as counts.
    """
    if total == 0 or shown is False:
        yield lambda _: None
        return
    from rich.console import Console
    from rich.progress import (
        BarColumn,
        DownloadColumn,
        MofNCompleteColumn,
        Progress,
        TextColumn,
        TimeRemainingColumn,
    )

    console = Console(stderr=True)
    seen = console.is_terminal or console.is_jupyter
    if not (seen or shown):
        yield lambda _: None
        return
    amount = DownloadColumn() if in_bytes else MofNCompleteColumn()
    text = TextColumn("{task.description}", markup=False)
    columns = (text, BarColumn(bar_width=24), amount, TimeRemainingColumn())
    with Progress(*columns, console=console, transient=seen) as bar:
        task = bar.add_task(description, total=total, completed=done)
        yield lambda completed: bar.update(task, completed=completed)
