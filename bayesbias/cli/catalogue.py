"""`bayesbias lists` and `bayesbias models`: what there is, one of them whole, a check of a list."""

from __future__ import annotations

from pathlib import Path

from cyclopts import App

from . import options
from .options import OneList
from .screen import SCREEN, Screen

MOST_WORDS = 1_000
"""Words of a set that `lists show` prints."""

lists_app, models_app = App("lists"), App("models")

TAKEN_BY = {
    "distance": "`bayesbias run`, `fit` and `sweep`",
    "change": "`bayesbias compare`",
    "preference": "`bayesbias mlm report`",
}
"""Which commands take the models for each outcome."""


@lists_app.default
def lists(*, screen: Screen = SCREEN) -> None:
    """Print the bundled word lists; `show` one, or `check` a file of your own.

    Example: `bayesbias lists `
    """
    from ..tables.wordlists import load_wordlist, wordlists

    rows = []
    for wordlist in map(load_wordlist, wordlists()):
        groups = "\n".join(f"{name} {len(words)}" for name, words in wordlist.groups.items())
        counts = {"stereotypes": sum(map(len, wordlist.stereotypes.values()))}
        counts |= {kind: len(words) for kind, words in wordlist.controls.items()}
        attributes = "\n".join(f"{kind} {count}" for kind, count in counts.items() if count)
        rows.append([wordlist.name, wordlist.title, groups or "–", attributes])
    screen.table("Bundled word lists", ["name|", "title", "groups|", "attributes|"], rows)
    screen.say("Listing a stereotype does not endorse it; each list's note says what it claims.")


@lists_app.command(name="show")
def show_list(wordlist: OneList, /, *, toml: bool = False, screen: Screen = SCREEN) -> None:
    """Print a word list: its sets, its source and its note; of long sets the first words.

    Examples: `bayesbias lists show religion`,
    `bayesbias lists show religion --toml > mine.toml`, a start for a list of your own

    Parameters
    ----------
    toml : bool
        Print the list's file as it stands, comments and all.
    """
    from .._core.display import abridged
    from .._core.reading import read_text
    from ..tables.wordlist_files import wordlist_path
    from ..tables.wordlists import load_wordlist

    if toml:
        screen.say(read_text(wordlist_path(wordlist)).rstrip("\n"))
        return
    loaded = load_wordlist(wordlist)
    rows = [
        [str(role), str(name), str(len(part)), abridged(list(part["word"]), MOST_WORDS, " … and ")]
        for (role, name), part in loaded.to_frame().groupby(["role", "set"], sort=False)
    ]
    screen.table(f"{loaded.name}: {loaded.title}", ["role", "set", "size>", "words"], rows)
    _say_texts(loaded, ("reference", "licence", "note"), screen)


def _say_texts(described: object, names: tuple[str, ...], screen: Screen) -> None:
    """Print the texts that a list or model has under some names."""
    for name in names:
        if text := getattr(described, name):
            screen.say(f"{name.capitalize()}: {' '.join(text.split())}")


@lists_app.command
def check(file: str, /, *, screen: Screen = SCREEN) -> int:
    """Check a word-list file: duplicates, overlaps, empty sets, unknown keys.

    Example: `bayesbias lists check mine.toml`

    Exit code 1 if there are errors, 0 if there are warnings only or nothing.

    Parameters
    ----------
    file : str
        A .toml file, or a bundled list.
    """
    from ..tables.wordlists import check_wordlist

    findings = check_wordlist(file)
    for finding in findings.to_dict("records"):
        key = f"{finding['key']}: " if finding["key"] else ""
        screen.say(f"{file}: {finding['severity']}: {key}{finding['finding']}")
    errors = int((findings["severity"] == "error").sum())
    counts = f"{errors} error(s), {len(findings) - errors} warning(s)."
    screen.say(f"{Path(file).name}: nothing to report." if findings.empty else counts)
    return options.FAILED if errors else 0


@models_app.default
def models(*, screen: Screen = SCREEN) -> None:
    """Print the bundled models and what each is for; `show` one.

    Copy one, change a prior, and give its path: `bayesbias run religion --model mine.toml`

    Examples: `bayesbias models `, `bayesbias models show crossed --toml > mine.toml`
    """
    from ..model.spec import load_model, models

    specs = [load_model(name) for name in models()]
    specs.sort(key=lambda spec: list(TAKEN_BY).index(spec.outcome))
    rows = [[spec.name, spec.outcome, spec.title] for spec in specs]
    screen.table("Bundled models", ["name|", "outcome|", "title"], rows)
    screen.say(
        *(f"{outcome}: for {commands}." for outcome, commands in TAKEN_BY.items()),
        "`bayesbias models show NAME` prints the model, its priors and their reasons.",
    )


@models_app.command(name="show")
def show_model(model: str, /, *, toml: bool = False, screen: Screen = SCREEN) -> None:
    """Print a model: what it models, its effects, its priors and their reasons.

    Examples: `bayesbias models show crossed`,
    `bayesbias models show crossed --toml > mine.toml`, a start for a model of your own

    Parameters
    ----------
    model : str
        Name of a bundled model, or path of a .toml file.
    toml : bool
        Print the model's file as it stands, comments and all.
    """
    from ..model.spec import CHOICES, OUTCOMES, load_model, model_text

    if toml:
        screen.say(model_text(model).rstrip("\n"))
        return
    spec = load_model(model)
    rows = []
    for name, prior in spec.priors.items():
        numbers = ", ".join(f"{key} {value:g}" for key, value in prior.parameters.items())
        rows.append([name, f"{prior.family}: {numbers}", prior.reason])
    screen.table(f"{spec.name}: {spec.title}", ["parameter|", "prior", "reason"], rows)
    structure = [f"{key} {getattr(spec, key)}" for key in CHOICES if key != "outcome"]
    structure += [term.in_words for term in spec.terms]
    screen.say(f"For {OUTCOMES[spec.outcome]}: {TAKEN_BY[spec.outcome]}.")
    screen.say(f"Structure: {', '.join(structure)}.")
    _say_texts(spec, ("note", "reference"), screen)
