"""What the commands print: results on stdout, progress and warnings on stderr."""

from __future__ import annotations

import dis
import logging
import sys
import warnings
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from contextvars import ContextVar
from typing import TYPE_CHECKING

from .._core.checks import Argument, NamesArguments
from .._core.display import Sheet, stages

if TYPE_CHECKING:
    import pandas as pd

NAME = "bayesbias"

OPTIONS = {
    ("compare", "key"): "bayesbias convert OLD NEW --key",
    ("compare", "n_words"): "--recover-words",
    ("compare", "wordlist"): "--list",
    ("run", "covariates"): "--covariate",
}
"""Options of commands whose names differ from their arguments, or another command's option."""

COMMAND: ContextVar[str] = ContextVar("command", default="")
"""The name of the current command."""

CONTROLS = {code: None for code in (*range(0x20), *range(0x7F, 0xA0)) if chr(code) not in "\n\t"}
"""Control characters (Unicode's category Cc) except newline and tab."""

QUIET: ContextVar[bool] = ContextVar("quiet", default=False)
"""Whether to print nothing on stdout and show no progress."""


def say(*lines: str) -> None:
    """Print lines on stdout without formatting."""
    for line in () if QUIET.get() else lines:
        print(plain(line))


def frame(title: str, frame: pd.DataFrame, *names: str) -> None:
    """Print columns of a frame as a table, with numbers formatted as in reports."""
    from ..report.tables import table as made_of

    made = made_of(frame, title, names)
    table(title, made.heads, made.rows)


def table(title: str, heads: Sequence[str], rows: Iterable[Sequence[str]]) -> None:
    """Print a table on stdout."""
    say(Sheet(title, tuple(map(tuple, rows)), tuple(heads)).text(), "")


def steps() -> AbstractContextManager[Callable[[str], object]]:
    """Show the current step; yield the function that announces the next one."""
    return stages(shown=False if QUIET.get() else None)


def plain(text: str) -> str:
    """Remove control characters, which could affect the terminal."""
    return text if text.isprintable() else text.translate(CONTROLS)


def complain(text: str) -> None:
    """Print one line on stderr, after the program's name."""
    print(f"{NAME}: {' '.join(plain(text).split())}", file=sys.stderr)


def as_option(argument: Argument) -> str:
    """Return the command-line option for an argument."""
    flag = OPTIONS.get((COMMAND.get(), argument.name)) or f"--{argument.name.replace('_', '-')}"
    alone = argument.value is None or argument.value is True
    return flag if alone else f"{flag} {argument.value}"


def in_one_line(error: Exception | Warning | str) -> str:
    """Format an error or warning: arguments become options, and file errors name the file."""
    if isinstance(error, NamesArguments):
        return error.spelled(as_option)
    if isinstance(error, OSError) and error.errno is not None and error.strerror:
        names = [str(name) for name in (error.filename, error.filename2) if name is not None]
        return f"{' and '.join(names)}: {error.strerror}" if names else error.strerror
    if isinstance(error, MemoryError):
        return f"there is not enough memory: {str(error) or 'use smaller numbers'}"
    return str(error) or type(error).__name__


def of_wrong_input(error: Exception) -> bool:
    """Return whether this package raised an error on purpose, which its last instruction shows.

    Otherwise, the error is a mistake in the code, or comes from another package.
    """
    trace = error.__traceback__
    while trace and trace.tb_next:
        trace = trace.tb_next
    if trace is None or isinstance(error, AssertionError):
        return False
    if not str(trace.tb_frame.f_globals.get("__name__")).startswith(f"{NAME}."):
        return False
    code = trace.tb_frame.f_code.co_code
    return code[trace.tb_lasti] == dis.opmap["RAISE_VARARGS"]


@contextmanager
def tidy_warnings() -> Iterator[None]:
    """Show each warning once, on one line, and hide warnings for developers."""
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
        logging.disable(logging.INFO)  # PyMC's progress messages
        try:
            yield
        finally:
            logging.disable(logging.NOTSET)
