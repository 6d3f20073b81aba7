"""`bayesbias models`: the bundled models, and one of them whole."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from . import options

if TYPE_CHECKING:
    from ..model.priors import Prior
    from ..model.terms import Term

TAKEN_BY = {
    "distance": "`bayesbias run`, `fit` and `sweep`",
    "change": "`bayesbias compare`",
    "score_difference": "`bayesbias mlm report`",
}
"""Which commands take the models for each outcome."""

models_app = typer.Typer(no_args_is_help=False, rich_markup_mode="markdown")


@models_app.callback(invoke_without_command=True)
def models(context: typer.Context, quiet: options.Quiet = False) -> None:
    """Print the bundled models: name, outcome and title."""
    screen = options.screen_of(context, quiet)
    context.obj = screen.quiet
    if context.invoked_subcommand is not None:
        return
    from ..model.spec import CHOICES, load_model, models

    specs = [load_model(name) for name in models()]
    specs.sort(key=lambda spec: CHOICES["outcome"].index(spec.outcome))
    rows = [[spec.name, spec.outcome, spec.title] for spec in specs]
    screen.table("Bundled models", ["name|", "outcome|", "title"], rows)
    for outcome, commands in TAKEN_BY.items():
        screen.say(f"{outcome}: for {commands}.")
    screen.say("`bayesbias models show NAME` prints the model, its priors and their reasons.")


@models_app.command(
    "show",
    help="Print a model: what it models, its effects, its priors and their reasons.\n\n"
    "With --toml its file as it stands, which is a start for a model of your own.\n\n"
    "Examples:\n\n"
    "`bayesbias models show crossed`\n\n"
    "`bayesbias models show crossed --toml > mine.toml`",
)
def show(
    context: typer.Context,
    source: Annotated[
        str,
        typer.Argument(metavar="MODEL", help="Name of a bundled model, or path of a .toml file."),
    ],
    *,
    toml: Annotated[
        bool, typer.Option("--toml", help="Print the model's file, comments and all.")
    ] = False,
    quiet: options.Quiet = False,
) -> None:
    """Print a model: what it models, its effects, its priors and their reasons."""
    from ..model.spec import CHOICES, OUTCOMES, load_model, model_text

    screen = options.screen_of(context, quiet)
    if toml:
        screen.say(model_text(source).rstrip("\n"))
        return
    spec = load_model(source)
    rows = [[name, _in_words(prior), prior.reason] for name, prior in spec.priors.items()]
    screen.table(f"{spec.name}: {spec.title}", ["parameter|", "prior", "reason"], rows)
    screen.say(f"For {OUTCOMES[spec.outcome]}: {TAKEN_BY[spec.outcome]}.")
    structure = [f"{key} {getattr(spec, key)}" for key in CHOICES if key != "outcome"]
    structure += [_effects_in_words(term) for term in spec.terms]
    screen.say(f"Structure: {', '.join(structure)}.")
    for head in ("note", "reference"):
        if text := getattr(spec, head):
            screen.say(f"{head.capitalize()}: {' '.join(text.split())}")


def _effects_in_words(term: Term) -> str:
    said = f"{term.name} of {term.of}" + (f" by {term.by}" if term.by else "")
    said += f" around {term.around}" if term.around else ""
    said += ", which sum to zero" if term.zero_sum else ""
    return said + (" and correlate" if term.correlated else "")


def _in_words(prior: Prior) -> str:
    numbers = ", ".join(f"{name} {value:g}" for name, value in prior.parameters.items())
    return f"{prior.family}: {numbers}"
