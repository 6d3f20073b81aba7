"""What commands share: how one is made of a function, options, and how a report ends."""

from __future__ import annotations

import shlex
from collections.abc import Callable, Collection, Iterable
from dataclasses import Field, fields
from functools import wraps
from inspect import Parameter, Signature, getdoc, signature
from pathlib import Path
from typing import Annotated, Any

import typer

from ..sampling.options import FitOptions
from .screen import Screen

MADE_WITHOUT = {
    "out",
    "force",
    "quiet",
    "open_report",
    "posteriors",
    "jobs",
    "dask",
    "compare_to",
}
"""Options that no number depends on."""

EXIT_CODES = (
    "Exit codes: 0 all is well; 1 a check found errors, or cells of a sweep failed; 2 bad input, "
    "nothing was written; "
    "3 results were written, but the sampler warned; 130 interrupted; "
    "141 the reader of stdout went away."
)

FAILED = 1
"""Exit code of a check that found errors, and of a sweep some of whose cells failed."""

WARNED = 3
"""Exit code of a command that wrote its results, some of which carry sampling warnings."""

SEED = 1
"""Default of ``--seed``: two runs of one command give the same numbers."""

type Command = Callable[..., int | None]

Vectors = Annotated[
    str,
    typer.Option(
        "--vectors",
        "-v",
        metavar="SOURCE",
        help="A bundled embedding (glove-demo), a name of gensim's downloader "
        "(glove-wiki-gigaword-100), or a file: .bin .txt .vec, also in .gz or .zip (one of several "
        "in a .zip: glove.6B.zip::glove.6B.50d.txt), .npz, .kv, .model. See `bayesbias docs "
        "embeddings`.",
    ),
]
Case = Annotated[
    str,
    typer.Option(
        metavar="HOW",
        help="How words are looked up: exact, lower (in lower case), or fallback (as they stand, "
        "else in lower case).",
    ),
]
StripAccents = Annotated[
    bool,
    typer.Option(
        "--strip-accents", help="Look words up without accents where they lack with them."
    ),
]
MaxMissing = Annotated[
    float | None,
    typer.Option(
        min=0,
        max=1,
        metavar="SHARE",
        help="Refuse a list of which some set lost more than this share of its words, as WEFE "
        "does with 0.2. By default such sets are marked.",
    ),
]
AllowPickle = Annotated[
    bool,
    typer.Option(
        "--allow-pickle",
        help="Allow .kv and .model files, which can run any program when opened: only from "
        "people you trust.",
    ),
]
Seed = Annotated[int, typer.Option(min=0, metavar="N", help="Equal seeds give equal results.")]
Force = Annotated[
    bool, typer.Option("--force", help="Replace earlier results; files of others are left alone.")
]
Quiet = Annotated[
    bool, typer.Option("--quiet", "-q", help="Print nothing on stdout; show no progress.")
]
OutFile = Annotated[Path, typer.Option("--out", "-o", metavar="FILE", help="File to write.")]
OutFolder = Annotated[
    Path, typer.Option("--out", "-o", metavar="DIR", help="Folder for the results.")
]
OpenReport = Annotated[bool, typer.Option("--open", help="Open the report in a browser.")]
OneList = Annotated[
    str,
    typer.Argument(
        metavar="LIST",
        help="Name of a bundled list, or path of a .toml file.",
    ),
]
Jobs = Annotated[
    int, typer.Option("--jobs", "-j", metavar="N", help="Processes; -1 for one a core.")
]


def command(
    *examples: str,
    closing: str = "",
    without: Collection[str] = (),
    only: Collection[str] | None = None,
    **helps: str,
) -> Callable[[Command], Command]:
    """Make a command of a function; the help is its docstring, examples, and a last paragraph.

    Its parameter ``screen`` becomes the option ``--quiet``, and ``fitting``, if it has one, an
    option for each field of `FitOptions`: but those of `without`, or those of `only`. `helps` says
    what the help has for a field in the place of what it says elsewhere.
    """
    names = {each.name for each in fields(FitOptions) if each.metadata} - set(without)
    names &= names if only is None else set(only)
    chosen = [each for each in fields(FitOptions) if each.name in names]
    head = "Example: " if len(examples) == 1 else "Examples:\n\n"
    shown_examples = head + "\n\n".join(f"`{each}`" for each in examples) if examples else ""
    context = Parameter("context", Parameter.POSITIONAL_OR_KEYWORD, annotation=typer.Context)

    def decorate(function: Command) -> Command:
        own = signature(function, eval_str=True).parameters
        fits = chosen if "fitting" in own else []

        @wraps(function)
        def run(context: typer.Context, *, quiet: bool, **given: Any) -> int | None:  # noqa: ANN401
            context.obj = quiet or bool(context.obj)  # which holds for the commands below this one
            if "context" in own:
                given["context"] = context
            if "fitting" in own:
                values = {each.name: given.pop(each.name) for each in fits}
                given["fitting"] = FitOptions(**values, progressbar=not context.obj)
            return function(screen=Screen(quiet=context.obj), **given)

        quiet = Parameter("quiet", Parameter.KEYWORD_ONLY, default=False, annotation=Quiet)
        shown = [quiet if name == "screen" else each for name, each in own.items()]
        shown = [each for each in shown if each.name not in {"context", "fitting"}]
        shown += [_parameter(each, helps.get(each.name)) for each in fits]
        vars(run)["__signature__"] = Signature([context, *shown])
        run.__doc__ = "\n\n".join(filter(None, [getdoc(function), shown_examples, closing]))
        return run

    return decorate


def _parameter(option: Field[Any], told: str | None) -> Parameter:
    """Make the parameter of a command that stands for a field of `FitOptions`."""
    default = SEED if option.name == "seed" else option.default
    about = {**option.metadata["option"], **({"help": told} if told else {})}
    kind: Any = Annotated[type(default), typer.Option(**about)]
    return Parameter(option.name, Parameter.KEYWORD_ONLY, default=default, annotation=kind)


def command_of(context: typer.Context, **settled: object) -> str:
    """Write the command that makes the same numbers, with every setting spelt out.

    `settled` are values in the place of those that were given; None leaves an option out.
    """
    words = context.command_path.split()
    for each in context.command.params:
        name = str(each.name)
        value = settled.get(name, context.params.get(name))
        if name in MADE_WITHOUT or value is None or value is False:
            continue
        values = list(value) if isinstance(value, list | tuple) else [value]
        flags = [flag for flag in each.opts if flag.startswith("--")][:1]
        if each.param_type_name == "argument":
            words += map(str, values)
        elif value is True:
            words += flags
        elif each.nargs > 1:
            words += [*flags, *map(str, values)]
        else:
            words += [word for one in values for word in (*flags, str(one))]
    return shlex.join(words)


def help_alone(context: typer.Context) -> None:
    """Print the help of a group of commands, if none of them is asked for."""
    if context.invoked_subcommand is None:
        print(context.get_help())


def finish(
    screen: Screen,
    lines: Iterable[str],
    out: Path,
    *,
    open_report: bool = False,
    doubtful: bool = False,
) -> int:
    """Say what was found and where the report is, open it if asked; return the exit code."""
    page = out / "report.html"
    screen.say(*lines, f"Report: {page}")
    if open_report:
        typer.launch(page.absolute().as_uri())
    return WARNED if doubtful else 0
