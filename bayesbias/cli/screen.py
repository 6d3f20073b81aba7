"""What the commands say, and where: results on stdout, progress and warnings on stderr."""

from __future__ import annotations

import logging
import sys
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from cyclopts import Parameter as Option

from .._core.checks import Argument, NamesArguments

if TYPE_CHECKING:
    import pandas as pd

NAME = "bayesbias"

OPTIONS = {
    Argument("duplicates", "first"): "--first",
    Argument("n_words"): "--recover-words",
}
"""Options that are not called as the argument that they stand for."""

LEAST_WIDTH = 60
"""Columns of a table at least: a narrower terminal breaks its lines, and no cell is lost."""


@Option(name="*")
@dataclass(frozen=True)
class Screen:
    """Where a command prints.

    Parameters
    ----------
    quiet : bool
        Print nothing on stdout; show no progress.
    """

    quiet: Annotated[bool, Option(alias="-q")] = False

    def say(self, *lines: str) -> None:
        """Print lines on stdout, as they stand."""
        for line in () if self.quiet else lines:
            print(plain(line))

    def frame(self, title: str, frame: pd.DataFrame, columns: Mapping[str, str]) -> None:
        """Print a frame as a table: for each head a column, with a format as in ``mean:.3f``."""
        cells = [f"{{{column}}}" for column in columns.values()]
        rows = [[cell.format_map(row) for cell in cells] for row in frame.to_dict("records")]
        self.table(title, list(columns), rows)

    def table(self, title: str, heads: Sequence[str], rows: Sequence[Sequence[str]]) -> None:
        """Print a table on stdout; ``>`` ending a head marks numbers, ``|`` unbroken lines."""
        if self.quiet:
            return
        from rich.box import SIMPLE_HEAD
        from rich.console import Console
        from rich.table import Table
        from rich.text import Text

        table = Table(
            title=plain(title),
            title_justify="left",
            title_style="bold",
            box=SIMPLE_HEAD,
            padding=(0, 1, 0, 0),  # so that names keep their words whole at 80 columns
        )
        for head in heads:
            table.add_column(
                head.rstrip(">|"),
                justify="right" if head.endswith(">") else "left",
                overflow="fold",
                no_wrap=head.endswith("|"),
            )
        for row in rows:
            table.add_row(*(Text(plain(cell)) for cell in row))
        console = Console(markup=False, highlight=False, emoji=False)
        console.width = max(console.width, LEAST_WIDTH)
        console.print(table)

    @contextmanager
    def steps(self, total: int) -> Iterator[Callable[[str], None]]:
        """Show on a terminal how many of some steps are done; yield what announces the next.

        The bar appears with the first step, so that bars of reading stand before it.
        """
        from rich.console import Console
        from rich.progress import BarColumn, Progress, SpinnerColumn, TextColumn, TimeElapsedColumn

        columns = (SpinnerColumn(), BarColumn(bar_width=24), TimeElapsedColumn())
        text, console = TextColumn("{task.description}", markup=False), Console(stderr=True)
        hidden = self.quiet or not console.is_terminal
        bar = Progress(*columns, text, console=console, transient=True, disable=hidden)
        task = bar.add_task("starting", total=total + 1)

        def tell(what: str) -> None:
            bar.start()
            bar.update(task, advance=1, description=plain(what))

        try:
            yield tell
        finally:
            bar.stop()


SCREEN = Screen()


class StoppedError(Exception):
    """The user stopped a command; the text says what is kept."""


@contextmanager
def kept_in(folder: Path | None) -> Iterator[None]:
    """Tell who stops a command that finished parts are kept in a folder, if they are."""
    try:
        yield
    except KeyboardInterrupt:
        if folder is None or not folder.exists():
            raise
        kept = f"what was done is kept in {folder}, and the same command goes on"
        raise StoppedError(kept) from None


CONTROLS = {code: None for code in (*range(0x20), *range(0x7F, 0xA0)) if chr(code) not in "\n\t"}
"""All characters of Unicode's category Cc, which gets no others, but those that break lines."""


def plain(text: str) -> str:
    """Remove control characters, which could make a terminal do what the text's maker wants."""
    return text if text.isprintable() else text.translate(CONTROLS)


def complain(text: str) -> None:
    """Print one line on stderr, with the program's name before it."""
    print(f"{NAME}: {' '.join(plain(text).split())}", file=sys.stderr)


def as_option(argument: Argument) -> str:
    """Return an argument that a message names as the option of the command line that it is."""
    flag = OPTIONS.get(argument) or f"--{argument.name.replace('_', '-')}"
    plain_flag = argument in OPTIONS or argument.value is None or argument.value is True
    return flag if plain_flag else f"{flag} {argument.value}"


def in_one_line(error: Exception | Warning | str) -> str:
    """Write an error or warning as a sentence: arguments as options, and the file it is about."""
    if isinstance(error, NamesArguments):
        return error.spelled(as_option)
    if isinstance(error, OSError) and error.errno is not None and error.strerror:
        names = [str(name) for name in (error.filename, error.filename2) if name is not None]
        return f"{' and '.join(names)}: {error.strerror}" if names else error.strerror
    return str(error) or type(error).__name__


@contextmanager
def tidy_warnings() -> Iterator[None]:
    """Show the package's warnings as one line each, every text once, and developers' not at all."""
    shown: set[str] = set()

    def show(message: Warning | str, *_: object, **__: object) -> None:
        if str(message) not in shown:
            shown.add(str(message))
            complain(f"warning: {in_one_line(message)}")

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for category in (UserWarning, RuntimeWarning):
            warnings.simplefilter("always", category)
        warnings.showwarning = show
        logging.disable(logging.INFO)  # PyMC's account of itself
        try:
            yield
        finally:
            logging.disable(logging.NOTSET)
