"""The command line: `bayesbias run`, `table`, `fit`, `scores`, `lists`, `models`, and more."""

from __future__ import annotations

import sys
from collections.abc import Sequence

from cyclopts import App, CycloptsError
from cyclopts import Parameter as Option

from . import (
    background,
    calibrate,
    catalogue,
    compare,
    debias,
    files,
    mlm,
    options,
    run,
    scores,
    sweep,
    tables,
)
from .screen import NAME, StoppedError, complain, in_one_line, tidy_warnings

BAD_INPUT, INTERRUPTED, CLOSED_PIPE = 2, 130, 141
"""Exit codes: bad input, so that nothing was written; Ctrl-C; the reader of stdout has gone, as in
``bayesbias lists | head``."""

WHOLE = "every result is there as a whole, or as it was before"

HELP = f"""Ask whether a word embedding is biased, and how sure you can be.

Start with `bayesbias run religion`, which needs no file of yours, and open the report that it
names.

{options.EXIT_CODES}
"""


def _version() -> str:
    from .. import __version__

    return f"{NAME} {__version__}"


app = App(
    NAME,
    help=HELP,
    help_format="markdown",
    version=_version,
    default_parameter=Option(
        negative=(), show_default=lambda value: None if value is False else value
    ),
)
for command in (
    run.run,
    tables.table,
    tables.fit,
    scores.scores,
    calibrate.calibrate,
    background.background,
    files.convert,
    compare.compare,
    sweep.sweep,
    debias.debias,
    files.docs,
    files.check_limits,
    mlm.app,
    catalogue.lists_app,
    catalogue.models_app,
):
    app.command(command)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line.

    Parameters
    ----------
    arguments : sequence of str, optional
        Without the program's name; those of the process by default.

    Returns
    -------
    int
        The exit code; see ``bayesbias --help``.
    """
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="replace")  # a letter that a terminal lacks
    tokens = list(sys.argv[1:] if arguments is None else arguments)
    if tokens[:1] in (["-q"], ["--quiet"]):
        tokens = [*tokens[1:], tokens[0]]
    try:
        with tidy_warnings():
            return _run(tokens)
    except CycloptsError as error:
        complain(_usage(error, tokens))
        return BAD_INPUT
    except (BrokenPipeError, SystemExit):  # rich exits when the pipe that it prints to is closed
        sys.stdout = None  # or the interpreter flushes it at its end
        return CLOSED_PIPE
    except (ValueError, OSError, ImportError) as error:
        complain(in_one_line(error))
        return BAD_INPUT
    except (StoppedError, KeyboardInterrupt) as stop:
        complain(f"interrupted; {str(stop) or WHOLE}")
        return INTERRUPTED


def _run(tokens: list[str]) -> int:
    """Run a command, and return its exit code."""
    chain, *_ = app.parse_commands(tokens)
    command, bound, _ = app.parse_args(tokens, exit_on_error=False, print_error=False)
    with options.under_way(chain, bound):
        code = command(*bound.args, **bound.kwargs)
    sys.stdout.flush()
    return code if isinstance(code, int) else 0


def _usage(error: CycloptsError, tokens: list[str]) -> str:
    """Write what is wrong with the arguments, and where help is."""
    chain = list(error.command_chain or ())
    text = str(error).partition(" Available commands:")[0].strip()
    if chain in (["lists"], ["models"]) and "Did you mean" not in text:
        text = f"{text} To see one: `{NAME} {chain[0]} show {tokens[-1]}`."
    return f"{text} See `{' '.join([NAME, *chain])} --help`."
