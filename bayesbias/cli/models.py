"""`bayesbias models`: the bundled models, and one of them whole."""

from __future__ import annotations

from typing import Annotated

import typer

from . import options
from .screen import Screen

TAKEN_BY = {
    "distance": "`bayesbias run`, `fit` and `sweep`",
    "change": "`bayesbias compare`",
    "score_difference": "`bayesbias mlm report`",
}
"""Which commands take the models for each outcome."""

models_app = typer.Typer(no_args_is_help=False, rich_markup_mode="markdown")


@models_app.callback(invoke_without_command=True)
@options.command("bayesbias models", "bayesbias models show crossed --toml > mine.toml")
def models(context: typer.Context, screen: Screen) -> None:
    """Print the bundled models and what each is for; `show` one.

    Copy one, change a prior, and give its path: `bayesbias run religion --model mine.toml`
    """
    if context.invoked_subcommand is not None:
        return
    from ..model.spec import CHOICES, load_model, models

    specs = [load_model(name) for name in models()]
    specs.sort(key=lambda spec: CHOICES["outcome"].index(spec.outcome))
    rows = [[spec.name, spec.outcome, spec.title] for spec in specs]
    screen.table("Bundled models", ["name|", "outcome|", "title"], rows)
    screen.say(
        *(f"{outcome}: for {commands}." for outcome, commands in TAKEN_BY.items()),
        "`bayesbias models show NAME` prints the model, its priors and their reasons.",
    )


@models_app.command("show")
@options.command(
    "bayesbias models show crossed", "bayesbias models show crossed --toml > mine.toml"
)
def show(
    source: Annotated[
        str,
        typer.Argument(metavar="MODEL", help="Name of a bundled model, or path of a .toml file."),
    ],
    *,
    toml: Annotated[
        bool, typer.Option("--toml", help="Print the model's file, comments and all.")
    ] = False,
    screen: Screen,
) -> None:
    """Print a model: what it models, its effects, its priors and their reasons.

    With --toml its file as it stands, which is a start for a model of your own.
    """
    from ..model.spec import CHOICES, OUTCOMES, load_model, model_text

    if toml:
        screen.say(model_text(source).rstrip("\n"))
        return
    spec = load_model(source)
    rows = []
    for name, prior in spec.priors.items():
        numbers = ", ".join(f"{key} {value:g}" for key, value in prior.parameters.items())
        rows.append([name, f"{prior.family}: {numbers}", prior.reason])
    screen.table(f"{spec.name}: {spec.title}", ["parameter|", "prior", "reason"], rows)
    structure = [f"{key} {getattr(spec, key)}" for key in CHOICES if key != "outcome"]
    screen.say(
        f"For {OUTCOMES[spec.outcome]}: {TAKEN_BY[spec.outcome]}.",
        f"Structure: {', '.join(structure)}.",
    )
    for head in ("note", "reference"):
        if text := getattr(spec, head):
            screen.say(f"{head.capitalize()}: {' '.join(text.split())}")
