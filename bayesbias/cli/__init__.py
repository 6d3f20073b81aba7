"""The command line: `bayesbias run`, `table`, `fit`, `scores`, `lists`, `models`."""

from __future__ import annotations

import re
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, cast

import typer

from .._core.files import record_writes
from . import (
    background,
    calibrate,
    catalogue,
    compare,
    convert,
    debias,
    docs,
    limits,
    mlm,
    options,
    run,
    scores,
    sweep,
    tables,
)
from .screen import NAME, StoppedError, complain, in_one_line, tidy_warnings

BAD_INPUT = 2
"""Exit code where the input does not allow a result; nothing has been written."""

INTERRUPTED = 130
"""Exit code after Ctrl-C, as shells give it."""

CLOSED_PIPE = 141
"""Exit code where the reader of stdout has gone, as in ``bayesbias lists | head``."""

_USAGE_ERROR = cast("type[Exception]", typer.BadParameter.__mro__[1])
"""What all wrong options and arguments raise, wherever typer keeps it."""

app = typer.Typer(
    name=NAME,
    rich_markup_mode="markdown",
    context_settings={"help_option_names": ["-h", "--help"]},
)


def _version(wanted: bool) -> None:
    if wanted:
        from .. import __version__

        print(f"{NAME} {__version__}")
        raise typer.Exit


@app.callback(
    invoke_without_command=True,
    help="Ask whether a word embedding is biased, and how sure one may be.\n\n"
    "Start with `bayesbias run religion`, which needs no file of yours, and open the report that "
    f"it names.\n\n{options.EXIT_CODES}",
)
def _root(
    context: typer.Context,
    quiet: options.Quiet = False,
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Say the version.")
    ] = False,
) -> None:
    context.obj = quiet
    options.help_alone(context)


for each in (
    run.run,
    tables.table,
    tables.fit,
    scores.scores,
    calibrate.calibrate,
    background.background,
    convert.convert,
    compare.compare,
    sweep.sweep,
    docs.docs,
):
    app.command()(each)
app.command("check-limits")(limits.check_limits)
app.add_typer(
    mlm.mlm_app,
    name="mlm",
    help="Sentence pairs under masked and causal language models: `score` them, then `report`.",
)
app.command("debias", cls=debias.DebiasCommand, help=debias.debias.__doc__)(lambda: None)
app.add_typer(catalogue.lists_app, name="lists")
app.add_typer(catalogue.models_app, name="models")


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
    _survive_odd_letters()
    command = typer.main.get_command(app)
    given = None if arguments is None else list(arguments)
    written: list[Path] = []
    try:
        with tidy_warnings(), record_writes() as written:
            code = int(command.main(args=given, prog_name=NAME, standalone_mode=False) or 0)
        if code == INTERRUPTED:  # how the library of the command line answers Ctrl-C
            raise KeyboardInterrupt
        return code
    except _USAGE_ERROR as error:
        complain(_usage(error))
        return BAD_INPUT
    except (ValueError, OSError, ImportError) as error:
        complain(in_one_line(error))
        return BAD_INPUT
    except SystemExit as end:  # of a closed pipe, or after a shell was told what completes a word
        return CLOSED_PIPE if end.code else 0
    except (StoppedError, KeyboardInterrupt) as stop:
        complain(f"interrupted; {str(stop) or _now_there(written)}")
        return INTERRUPTED


def _now_there(written: Sequence[Path]) -> str:
    """Write what a command had put into its place when it was stopped."""
    if not written:
        return "nothing was written"
    return f"its results were written before that, and are whole: {', '.join(map(str, written))}"


def _usage(error: Exception) -> str:
    """Write what is wrong with the arguments, and where help is."""
    context = getattr(error, "ctx", None)
    where = context.command_path if context is not None else NAME
    text = error.format_message() if hasattr(error, "format_message") else str(error)
    unknown = re.fullmatch(r"No such command '(.*)'\.", text)  # and none that is near
    if unknown and context is not None and context.info_name in {"lists", "models"}:
        command = f"{NAME} {context.info_name} show {unknown[1]}"
        text = f"{text.rstrip('.')}; to see a {context.info_name[:-1]}: `{command}`"
    end = "" if text.endswith(("?", "!")) else "."
    return f"{text.rstrip('.')}{end} See `{where} --help`."


def _survive_odd_letters() -> None:
    """Let a terminal that lacks a letter show a question mark rather than fail."""
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="replace")
