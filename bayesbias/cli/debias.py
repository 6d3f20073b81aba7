"""`bayesbias debias`: take bias out of an embedding file, whatever its size.

The command has the options of all debiasing methods, made of the signatures and docstrings of
their classes. Making them loads the methods, so it waits until the command is run.
"""

from __future__ import annotations

import inspect
import re
from functools import wraps
from typing import TYPE_CHECKING, Annotated, Any, get_args

import typer
from typer.core import TyperCommand

from . import options as shared
from .screen import Screen, complain

if TYPE_CHECKING:
    from ..debias import DebiasedFile

METAVARS: dict[type, str | None] = {bool: None, int: "N", float: "X", str: "HOW"}
"""Types that an option may have, and what stands for its value in the help."""


@shared.command(
    "bayesbias debias --vectors glove.6B.50d.txt --out glove-hard.bin",
    "bayesbias debias --method multiclass_hard --lists religion --out demo.txt.gz",
    "bayesbias debias --method soft --strength 1 --lists race --vectors big.bin --out soft.bin",
    closing="Methods:",
)
def debias(
    *,
    out: shared.OutFile,
    vectors: shared.Vectors = "glove-demo",
    method: Annotated[str, typer.Option(metavar="NAME", help="One of the methods above.")] = "hard",
    lists: Annotated[
        str,
        typer.Option(
            metavar="NAME",
            help="Defining, equalise and specific words: gender, religion, race, or a .toml file.",
        ),
    ] = "gender",
    case: shared.Case = "fallback",
    case_variants: Annotated[
        bool,
        typer.Option(
            "--case-variants", help="Treat Dad and DAD as dad, in embeddings that tell them apart."
        ),
    ] = False,
    allow_pickle: shared.AllowPickle = False,
    force: shared.Force = False,
    screen: Screen,
    **options: Any,  # noqa: ANN401
) -> int:
    """Debias an embedding file and write a new one, which gensim and word2vec read.

    The source is read in chunks and never in memory as a whole. Beside FILE goes FILE.json, which
    tells what was done and which words of the lists the source lacks.

    No method makes an embedding free of bias: what is left can often be found by a classifier
    (`bayesbias.debias.remaining_bias`).
    """
    from ..debias import debias_file, load_defining_sets, method_options
    from ..debias.files import record_path

    for path in (out, record_path(out)):
        if path.is_file() and not force:
            raise ValueError(f"{path} is there already; pass --force to replace it")
    sets = load_defining_sets(lists)
    chosen = {name: value for name, value in options.items() if value is not None}
    if "seed" in method_options(method):
        chosen.setdefault("seed", shared.SEED)
    written = debias_file(
        vectors,
        out,
        method,
        sets.with_case_variants() if case_variants else sets,
        case=case,
        allow_pickle=allow_pickle,
        progressbar=not screen.quiet,
        **chosen,
    )
    _report(written, screen)
    return 0


class DebiasCommand(TyperCommand):
    """The command, which gets the options of all methods when it is run."""

    def make_context(self, *given: Any, **extra: Any) -> Any:  # noqa: ANN401
        """Make the command with all options, and its context."""
        from ..debias import DEBIASING_METHODS

        @wraps(debias)
        def command(**values: Any) -> int | None:  # noqa: ANN401
            return debias(**values)

        *own, _ = inspect.signature(debias, eval_str=True).parameters.values()
        vars(command)["__signature__"] = inspect.Signature([*own, *method_parameters()])
        methods = "".join(
            f"- `{name}`: {(inspect.getdoc(method) or '').splitlines()[0]}\n"
            for name, method in DEBIASING_METHODS.items()
        )
        app = typer.Typer(rich_markup_mode="markdown", add_completion=False)
        app.command(self.name, help=f"{debias.__doc__}\n\n{methods}")(command)
        return typer.main.get_command(app).make_context(*given, **extra)


def method_parameters() -> list[inspect.Parameter]:
    """Return the options of all methods as typer reads them, each for all methods that have it."""
    from ..debias import DEBIASING_METHODS, method_options

    users: dict[str, list[str]] = {}
    for method in DEBIASING_METHODS:
        for name in method_options(method):
            users.setdefault(name, []).append(method)
    return [_parameter(name, methods) for name, methods in users.items()]


def _parameter(name: str, methods: list[str]) -> inspect.Parameter:
    """Return an option of some methods as typer reads it; None stands for one not given."""
    from ..debias import DEBIASING_METHODS, method_options

    option = method_options(methods[0])[name]
    types = (option.annotation, *get_args(option.annotation))
    kind = next((each for each in METAVARS if each in types), str)
    flag = name.replace("_", "-")
    names = f"-{flag}" if len(flag) == 1 else f"--{flag}"
    made = typer.Option(
        None,
        f"--{flag}/--no-{flag}" if kind is bool else names,
        metavar=METAVARS[kind],
        help=f"{', '.join(methods)}: {_help(DEBIASING_METHODS[methods[0]], option)}",
    )
    return inspect.Parameter(name, option.KEYWORD_ONLY, default=made, annotation=kind | None)


def _help(method: type[object], option: inspect.Parameter) -> str:
    """Return what a method's docstring says of an option: its values and the first sentence."""
    pattern = rf"^{option.name} : (.*)\n((?:    .*\n?)+)"
    found = re.search(pattern, inspect.getdoc(method) or "", re.MULTILINE)
    values, text = found.groups() if found else ("", "an option of the method")
    sentence = re.split(r"\.(?: |$)", " ".join(text.split()))[0]
    choices = " or ".join(re.findall(r'"(\w+)"', values))
    default = shared.SEED if option.name == "seed" else option.default
    if isinstance(default, bool):
        default = "yes" if default else "no"
    told = "" if default is None else f"; {default} by default"
    return f"{choices}{': ' if choices else ''}{sentence}{told}."


def _report(written: DebiasedFile, screen: Screen) -> None:
    """Print what was written and how, and on stderr which words were not there."""
    from .._core.display import abridged

    record = written.record
    chosen = ", ".join(
        f"{name} {f'{value:.4g}' if isinstance(value, float) else value}"
        for name, value in record.parameters.items()
        if not isinstance(value, list)
    )
    screen.say(
        f"{written.out}: {written.words:,} words of {written.dims} dimensions.",
        f"Method {record.method}, lists {record.lists}: {chosen}.",
        f"In the embedding (case {record.case}): "
        + ", ".join(f"{count} {name}" for name, count in record.sizes.items())
        + ".",
        f"Record: {written.record_path}",
    )
    for name, words in record.missing.items():
        capitals = record.case == "exact" and any(word != word.lower() for word in words)
        hint = "; if it is in lower case, pass --case fallback" if capitals else ""
        complain(f"not in the embedding, of the {name}: {abridged(words)}{hint}")
