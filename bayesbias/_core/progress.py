"""Bars that show on a terminal how much is done."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager


@contextmanager
def job_bar(
    total: int, description: str, *, done: int = 0, shown: bool | None = None
) -> Iterator[Callable[[int], None]]:
    """Show on stderr how many of some jobs are done, and yield what counts further ones.

    Parameters
    ----------
    total, done : int
        Jobs in all, and those that were done before.
    description : str
        Stands beside the bar.
    shown : bool, optional
        None shows the bar on a terminal and in a notebook only.
    """
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

    console = Console(stderr=True)
    seen = console.is_terminal or console.is_jupyter
    if total == 0 or not (seen if shown is None else shown):
        yield lambda _: None
        return
    columns = (BarColumn(bar_width=24), MofNCompleteColumn(), TimeElapsedColumn())
    text = TextColumn("{task.description}", markup=False)
    with Progress(*columns, text, console=console, transient=seen) as bar:
        task = bar.add_task(description, total=total, completed=done)
        yield lambda count: bar.advance(task, count)
