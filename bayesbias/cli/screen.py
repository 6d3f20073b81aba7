"""What the commands say, and where: results on stdout, progress and warnings on stderr."""

from __future__ import annotations

import logging
import re
import sys
import unicodedata
import warnings
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass

NAME = "bayesbias"

LEAST_WIDTH = 60
"""Columns of a table at least: a narrower terminal breaks its lines, and no cell is lost."""


@dataclass(frozen=True)
class Screen:
    """Where a command speaks; a quiet one says nothing on stdout and shows no progress."""

    quiet: bool = False

    def say(self, text: str = "") -> None:
        """Print a line on stdout, as it stands."""
        if not self.quiet:
            print(plain(text))

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
        """Show on a terminal how many of some steps are done; give what tells of the next."""
        from rich.console import Console
        from rich.progress import BarColumn, Progress, SpinnerColumn, TextColumn, TimeElapsedColumn

        console = Console(stderr=True)
        if self.quiet or not console.is_terminal:
            yield lambda _: None
            return
        columns = (SpinnerColumn(), BarColumn(bar_width=24), TimeElapsedColumn())
        text = TextColumn("{task.description}", markup=False)
        with Progress(*columns, text, console=console, transient=True) as bar:
            task = bar.add_task("starting", total=total + 1)

            def tell(what: str) -> None:
                bar.update(task, advance=1, description=plain(what))

            yield tell


class StoppedError(Exception):
    """The user stopped a command; the text says what is kept."""


def plain(text: str) -> str:
    """Take control characters out, which could make a terminal do what the text's maker wants."""
    return "".join(
        letter for letter in text if letter in "\n\t" or unicodedata.category(letter) != "Cc"
    )


def complain(text: str) -> None:
    """Print one line on stderr, with the program's name before it."""
    print(f"{NAME}: {as_options(' '.join(plain(text).split()))}", file=sys.stderr)


def as_options(text: str) -> str:
    """Write arguments of functions, as errors name them, as options of the command line."""
    text = text.replace("allow_pickle=True", "--allow-pickle")
    text = text.replace("force=True", "--force").replace('duplicates="first"', "--first")
    text = re.sub(r"^n_words\b", "--recover-words", text)
    text = re.sub(r"^(draws|chains|tune) must\b", r"--\1 must", text)
    text = re.sub(r"\btarget_accept (must|towards)\b", r"--target-accept \1", text)
    return re.sub(r"""\b(case|method)=(["'])(\w+)\2""", r"--\1 \3", text)


def in_one_line(error: Exception) -> str:
    """Tell an error as a sentence; one of the system's own with the file that it is about."""
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
            complain(f"warning: {message}")

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
