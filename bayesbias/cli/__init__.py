"""The command line: `bayesbias run`, `table`, `fit`, `scores`, `lists`, `models`, and more."""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping, Sequence
from dataclasses import is_dataclass
from pathlib import Path
from typing import Any, get_args

from cyclopts import App, CycloptsError, Token, convert
from cyclopts import Parameter as Option

from .._core.display import abridged
from .._core.substitutions import substitutions
from . import background, calibrate, catalogue, debias, mlm, run, tables
from .options import TOKENS
from .screen import (
    COMMAND,
    NAME,
    QUIET,
    complain,
    in_one_line,
    of_wrong_input,
    say,
    tidy_warnings,
)

MOST_NAMED = 100
"""Largest number of words that are named as read in another spelling."""

BAD_INPUT, INTERRUPTED, CLOSED_PIPE = 2, 130, 141
"""Exit codes for bad input, for Ctrl-C, and for a closed pipe, as in ``bayesbias lists | head``."""

INPUTS = {"folders", "vectors", "source", "data", "metadata", "table", "wordlist"}
INPUTS |= {"before", "after", "encoder"}
"""Parameters of commands that name what is read, which is never written over."""

MISTAKES = (TypeError, LookupError, AttributeError, ArithmeticError, AssertionError, RuntimeError)
"""Errors that are mistakes in the code, unless the package raised them on purpose."""

REPORT = "This may be a mistake in bayesbias. Please report it with the command and these lines."
"""What is added to a traceback."""

STOPPED = (
    "interrupted; results are complete or unchanged. Repeat the command to continue from a sweep's "
    "finished cells, or from saved scores or parts"
)

HELP = """Find out whether a word embedding is biased, and how sure you can be.

Start with `bayesbias run religion`, which needs no files, and open the report at the printed path.

With `-q` or `--quiet`, a command prints nothing on stdout and shows no progress.

Exit codes: 0 success; 1 a check found errors, or cells of a sweep failed; 2 bad input, so
nothing was written; 3 results were written, but the sampler warned; 130 interrupted;
141 the output pipe was closed.
"""


def exactly(kind: Any, tokens: Sequence[Token]) -> Any:  # noqa: ANN401
    """Convert an option's value, with ~ as the home folder.

    Refuse empty paths, and fractions of whole numbers, which cyclopts rounds.
    """
    if Path in (kind, *get_args(kind)) and not all(token.value for token in tokens):
        raise ValueError("a path must not be empty.")
    tokens = [token.evolve(value=os.path.expanduser(token.value)) for token in tokens]
    for token in tokens if int in (kind, *get_args(kind)) else ():
        if "." in token.value and not float(token.value).is_integer():
            of = f" of {token.keyword}" * (len(tokens) > 1)  # cyclopts names other options
            raise ValueError(f"{token.value!r}{of} is not a whole number.")
    return convert(kind, tokens)


def _version() -> str:
    from .. import __version__

    return f"{NAME} {__version__}"


app = App(
    NAME,
    help=HELP,
    help_format="markdown",
    version=_version,
    default_parameter=Option(
        converter=exactly,
        negative=(),
        show_default=lambda value: None if value is False or value == "" else value,
    ),
)
for command in (
    *(run.run, tables.table, tables.fit, tables.scores, calibrate.calibrate),
    *(background.background, tables.convert, run.compare, run.sweep, debias.debias),
    *(catalogue.docs, tables.check_limits, mlm.app, catalogue.lists_app, catalogue.models_app),
):
    app.command(command)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line.

    Parameters
    ----------
    arguments : sequence of str, optional
        Arguments without the program's name; by default ``sys.argv[1:]``.

    Returns
    -------
    int
        The exit code; see ``bayesbias --help``.
    """
    _prepare_streams()
    tokens = list(sys.argv[1:] if arguments is None else arguments)
    kept = [token for token in tokens if token not in {"-q", "--quiet"}]
    before = QUIET.set(len(kept) < len(tokens))
    TOKENS.set(kept)
    COMMAND.set(kept[0] if kept else "")
    try:
        with tidy_warnings():
            command, bound, _ = app.parse_args(kept, exit_on_error=False, print_error=False)
            refuse_own_input(bound.arguments)
            with substitutions() as forms:
                code = command(*bound.args, **bound.kwargs)
            if forms:
                named = [f"{word} as {form}" for word, form in sorted(forms.items())]
                say(f"Read in another spelling: {abridged(named, MOST_NAMED)}.")
            sys.stdout.flush()
            return code if isinstance(code, int) else 0
    except CycloptsError as error:
        complain(_usage(error))
        return BAD_INPUT
    except (BrokenPipeError, SystemExit):
        sys.stdout = None  # the interpreter would flush it on exit; rich exits on a closed pipe
        return CLOSED_PIPE
    except (ValueError, OSError, ImportError, MemoryError, *MISTAKES) as error:
        if isinstance(error, MISTAKES) and not of_wrong_input(error):
            error.add_note(REPORT)
            raise
        complain(in_one_line(error))
        return BAD_INPUT
    except KeyboardInterrupt:
        complain(STOPPED)
        return INTERRUPTED
    finally:
        QUIET.reset(before)


def _prepare_streams() -> None:
    """Replace streams that the caller closed, and characters that a terminal lacks."""
    for name in ("stdout", "stderr"):
        if getattr(sys, name) is None:
            nowhere = open(os.devnull, "w", encoding="utf-8")  # noqa: SIM115  open until the end
            setattr(sys, name, nowhere)
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="replace")


def refuse_own_input(given: Mapping[str, Any]) -> None:
    """Raise a ValueError if a command would write over a file or folder that it reads."""
    out = given.get("out", given.get("folder"))
    if out is None or not out.exists():
        return
    flat = {**given}
    for value in given.values():
        flat |= vars(value) if is_dataclass(value) else {}
    for name in INPUTS & {*flat}:
        for path in flat[name] if isinstance(flat[name], tuple) else (flat[name],):
            if path and os.path.exists(path) and os.path.samefile(path, out):
                raise ValueError(f"{path} is read by this command; give another place to write")


def _usage(error: CycloptsError) -> str:
    """Return what is wrong with the arguments, and how to get help."""
    chain = " ".join([NAME, *(error.command_chain or ())])
    text = str(error).partition(" Available commands:")[0].strip()
    show = f" To see one: `{chain} show NAME`." if chain.endswith(("lists", "models")) else ""
    return f"{text}{show} See `{chain} --help`."
