"""`bayesbias debias`: take bias out of an embedding file, whatever its size."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import typer

from . import options
from .screen import Screen, complain

if TYPE_CHECKING:
    from ..debias import Written

EXAMPLES = (
    "Debias an embedding file and write a new one, which gensim and word2vec read.\n\n"
    "The source is walked in blocks and never in memory as a whole. Beside FILE goes "
    "FILE.json, which tells what was done and which words of the lists the source lacks.\n\n"
    "Methods: hard (neutralise and equalise; two classes), multiclass_hard (the same for more), "
    "soft (a linear map, lessens bias rather than removing it), double_hard (removes a direction "
    "of word frequency first), half_sibling (subtracts what class words predict).\n\n"
    "Lists: gender, religion, race, or a .toml file of your own in their form.\n\n"
    "No method makes an embedding free of bias: what is left can often be found by a classifier "
    "(`bayesbias.debias.remaining_bias`).\n\n"
    "Examples:\n\n"
    "`bayesbias debias --vectors glove.6B.50d.txt --out glove-hard.bin`\n\n"
    "`bayesbias debias --method multiclass_hard --lists religion --out demo.txt.gz`\n\n"
    "`bayesbias debias --method soft --strength 1 --lists race --vectors big.bin --out soft.bin`"
)
"""What ``bayesbias debias --help`` says."""


def debias(
    context: typer.Context,
    *,
    out: options.OutFile,
    vectors: options.Vectors = "glove-demo",
    method: Annotated[
        str,
        typer.Option(
            "--method",
            metavar="NAME",
            help="hard, multiclass_hard, soft, double_hard or half_sibling.",
        ),
    ] = "hard",
    lists: Annotated[
        str,
        typer.Option(
            "--lists",
            metavar="NAME",
            help="Defining, equalise and specific words: gender, religion, race, or a .toml file.",
        ),
    ] = "gender",
    case: options.Case = "exact",
    case_variants: Annotated[
        bool,
        typer.Option(
            "--case-variants",
            help="Treat Dad and DAD as dad, in embeddings that tell them apart.",
        ),
    ] = False,
    k: Annotated[
        int | None,
        typer.Option(
            "-k", min=1, metavar="N", help="Directions of bias; as many as classes, less one."
        ),
    ] = None,
    no_equalise: Annotated[
        bool, typer.Option("--no-equalise", help="Leave the equalise sets as they are.")
    ] = False,
    subspace: Annotated[
        str | None,
        typer.Option(metavar="HOW", help="multiclass_hard: components (as published) or means."),
    ] = None,
    strength: Annotated[
        float | None, typer.Option(min=0, metavar="L", help="soft: the weight of bias; 0.2.")
    ] = None,
    weighting: Annotated[
        str | None, typer.Option(metavar="HOW", help="soft: mean, or sum (as printed).")
    ] = None,
    component: Annotated[
        int | None,
        typer.Option(min=1, metavar="N", help="double_hard: what to remove; found by default."),
    ] = None,
    alpha: Annotated[
        float | None, typer.Option(min=0, metavar="A", help="half_sibling: ridge penalty; 60.")
    ] = None,
    seed: Annotated[
        int | None,
        typer.Option(min=0, metavar="N", help="double_hard: equal seeds give equal results; 1."),
    ] = None,
    allow_pickle: options.AllowPickle = False,
    force: options.Force = False,
    quiet: options.Quiet = False,
) -> int:
    """Debias an embedding file and write the result with its record."""
    from ..debias import debias_file, load_defining_sets
    from ..debias.files import record_path

    screen = options.screen_of(context, quiet)
    for path in (out, record_path(out)):
        if path.is_file() and not force:
            raise ValueError(f"{path} is there already; pass --force to replace it")
    sets = load_defining_sets(lists)
    chosen: dict[str, Any] = {
        "k": k,
        "equalise": False if no_equalise else None,
        "subspace": subspace,
        "strength": strength,
        "weighting": weighting,
        "component": component,
        "alpha": alpha,
        "seed": seed,
    }
    written = debias_file(
        vectors,
        out,
        method,
        sets.with_case_variants() if case_variants else sets,
        case=case,
        allow_pickle=allow_pickle,
        progressbar=not screen.quiet,
        **{name: value for name, value in chosen.items() if value is not None},
    )
    _tell(written, case, screen)
    return 0


def _tell(written: Written, case: str, screen: Screen) -> None:
    """Say what was written and how, and on stderr which words were not there."""
    from .._core.display import abridged

    record = written.record
    chosen = ", ".join(
        f"{name} {_short(value)}"
        for name, value in record.parameters.items()
        if not isinstance(value, list)
    )
    screen.say(f"{written.out}: {written.words:,} words of {written.dims} dimensions.")
    screen.say(f"Method {record.method}, lists {record.lists}: {chosen}.")
    screen.say(f"Record: {written.record_path}")
    for name, words in record.missing.items():
        lost = list(dict.fromkeys(words))
        capitals = case == "exact" and any(word != word.lower() for word in lost)
        hint = "; if it is in lower case, pass --case fallback" if capitals else ""
        complain(f"not in the embedding, of the {name}: {abridged(lost)}{hint}")


def _short(value: object) -> str:
    return f"{value:.4g}" if isinstance(value, float) else str(value)
