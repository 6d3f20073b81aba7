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
    """Draw a bar while a block runs; the block calls what it gets with the amount done.

    ``total`` is the work in all and ``done`` what was done before, named as file sizes if
    ``in_bytes``. If ``shown`` is None it is drawn on a terminal and in a notebook only.
    """
    from rich import progress
    from rich.console import Console

    console = Console(stderr=True)
    seen = console.is_terminal or console.is_jupyter
    if total == 0 or not (seen if shown is None else shown):
        yield lambda _: None
        return
    amount = progress.DownloadColumn() if in_bytes else progress.MofNCompleteColumn()
    text = progress.TextColumn("{task.description}", markup=False)
    columns = (text, progress.BarColumn(bar_width=24), amount, progress.TimeRemainingColumn())
    with progress.Progress(*columns, console=console, transient=seen) as bar:
        task = bar.add_task(description, total=total, completed=done)
        yield lambda completed: bar.update(task, completed=completed)
