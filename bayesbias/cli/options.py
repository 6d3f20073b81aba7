"""Options that several commands share."""

from __future__ import annotations

import shlex
from collections.abc import Callable, Collection
from dataclasses import Field, fields
from functools import wraps
from inspect import Parameter, signature
from pathlib import Path
from typing import Annotated, Any

import typer

from ..sampling.options import FitOptions
from .screen import Screen

MADE_WITHOUT = {"out", "force", "quiet", "open_report", "posteriors", "jobs", "dask"}
"""Options that no number depends on."""

type Command = Callable[..., int | None]

SEED = 1
"""Default of ``--seed``: two runs of one command give the same numbers."""

Vectors = Annotated[
    str,
    typer.Option(
        "--vectors",
        "-v",
        metavar="SOURCE",
        help="A bundled embedding (glove-demo), or a file: .bin .txt .vec, also in .gz or .zip, "
        ".npz, .kv, .model.",
    ),
]
Encoder = Annotated[
    str | None,
    typer.Option(
        "--encoder",
        metavar="NAME_OR_DIR",
        help="Measure words in sentences instead: a contextual encoder's folder, or its name on "
        "the Hugging Face hub. Needs the extra mlm.",
    ),
]
TemplateSet = Annotated[
    str,
    typer.Option(
        "--templates",
        metavar="SET",
        help="With --encoder: sentences to put words into, a bundled set or a .toml file.",
    ),
]
Pooling = Annotated[
    str,
    typer.Option(
        "--pooling",
        metavar="HOW",
        help="With --encoder: word (the word's own tokens in the sentence) or sentence.",
    ),
]
Layer = Annotated[
    int, typer.Option("--layer", metavar="N", help="With --encoder: layer to read, -1 the last.")
]
Case = Annotated[
    str,
    typer.Option(
        metavar="HOW",
        help="How words are looked up: exact, lower (in lower case), or fallback (as they stand, "
        "else in lower case).",
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
    bool,
    typer.Option("--force", help="Replace earlier results; files of others are left alone."),
]
Quiet = Annotated[
    bool, typer.Option("--quiet", "-q", help="Print nothing on stdout; show no progress.")
]
OutFile = Annotated[Path, typer.Option("--out", "-o", metavar="FILE", help="File to write.")]


CiProb = Annotated[
    float, typer.Option("--ci-prob", metavar="P", help="Probability of intervals, in (0, 1).")
]


def fit_options(
    *only: str, without: Collection[str] = (), **helps: str
) -> Callable[[Command], Command]:
    """Expand a command's parameter ``fitting`` into options, one a field of `FitOptions`.

    Parameters
    ----------
    *only : str
        The fields to take, if not all.
    without : collection of str
        Fields that the command has no use for.
    **helps : str
        What the help says of a field, where it is not what it says elsewhere.
    """
    told = {each.name: each for each in fields(FitOptions) if each.metadata}
    chosen = [told[name] for name in only or told if name not in without]

    def decorate(command: Command) -> Command:
        @wraps(command)
        def run(**given: Any) -> int | None:  # noqa: ANN401
            options = FitOptions(**{each.name: given.pop(each.name) for each in chosen})
            return command(**given, fitting=options)

        own = signature(command, eval_str=True)
        shown = [each for each in own.parameters.values() if each.name != "fitting"]
        shown += [_parameter(each, helps.get(each.name)) for each in chosen]
        run.__signature__ = own.replace(parameters=shown)  # type: ignore[attr-defined]
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

    Parameters
    ----------
    context : Context
    **settled
        Values in the place of those that were given; None leaves an option out.
    """
    words = context.command_path.split()
    for each in context.command.params:
        name = str(each.name)
        value = settled.get(name, context.params.get(name))
        if name in MADE_WITHOUT or value is None or value is False:
            continue
        values = list(value) if isinstance(value, list | tuple) else [value]
        if each.param_type_name == "argument":
            words += map(str, values)
            continue
        flag = next(flag for flag in each.opts if flag.startswith("--"))
        words += [flag] if value is True else [w for one in values for w in (flag, str(one))]
    return shlex.join(words)


def screen_of(context: typer.Context, quiet: bool = False) -> Screen:
    """Return the screen of a command: quiet if it, or the program as a whole, was asked to be."""
    return Screen(quiet=quiet or bool(context.obj))
