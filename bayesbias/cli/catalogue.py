"""`bayesbias lists`, `models`, and `docs`: list, print, and check what is available."""

from __future__ import annotations

import re
import webbrowser
from math import isfinite
from pathlib import Path
from typing import Annotated, Any

from cyclopts import App, Parameter

import bayesbias as bb

from .._core.checks import counted
from . import options, screen
from .options import OneList

TAKEN_BY = {
    "distance": "`bayesbias run`, `fit`, and `sweep`",
    "change": "`bayesbias compare`",
    "preference": "`bayesbias mlm report`",
}
"""Commands that accept the models for each outcome."""

lists_app, models_app = App("lists"), App("models")


@lists_app.default
def lists() -> None:
    """Print the bundled word lists; `show` prints one, and `check` checks your own file.

    Example: `bayesbias lists`
    """
    rows = []
    for wordlist in map(bb.load_wordlist, bb.wordlists()):
        groups = ", ".join(f"{name} {len(words)}" for name, words in wordlist.groups.items())
        rows.append([wordlist.name, wordlist.title, groups or "–", ", ".join(wordlist.controls)])
    screen.table("Bundled word lists", ["name", "title", "groups", "controls"], rows)
    screen.say("Listing a stereotype does not endorse it. Each list has a note about its claims.")


@lists_app.command(name="show")
def show_list(wordlist: OneList, /) -> None:
    """Print a word list's file: its sets, its source, and its note.

    Example: `bayesbias lists show religion > mine.toml`, as a starting point for your own list
    """
    from .._core.reading import read_text
    from ..tables.wordlist_files import wordlist_path

    screen.say(read_text(wordlist_path(wordlist)).rstrip("\n"))


@lists_app.command
def check(
    file: str,
    /,
    *,
    vectors: Annotated[str, Parameter(alias="-v")] = "",
    case: str = "exact",
    key: str = "",
    strip_accents: bool = False,
) -> int:
    """Check a word-list file for duplicates, overlaps, empty sets, and unknown keys.

    With --vectors, the words are measured, too: how many unrelated words each set is worth, its
    least typical word, the word without which the contrast changes most, and the expected width of
    the interval. The exit code is 1 if the list has errors.

    Example: `bayesbias lists check mine.toml --vectors glove-demo`

    Parameters
    ----------
    file : str
        A .toml, .json, or .csv file, or a bundled list.
    vectors : str
        A bundled embedding, a file, or a folder; if omitted, no embedding is read.
    case : str
        How to look up words: exact, lower (lower case), or fallback (as spelled, then lower case).
    key : str
        Pattern of keys with a prefix or suffix, such as /c/en/{word} or {word}_NOUN.
    strip_accents : bool
        If a word is not found with its accents, look it up without them.
    """
    from .._core.checks import Argument
    from ..workflows.settings import refuse_unused

    how: dict[str, Any] = {"case": case, "key": key, "strip_accents": strip_accents}
    if not vectors:
        refuse_unused(how, " needs ", Argument("vectors"))
    findings = bb.check_wordlist(file)
    for finding in findings.to_dict("records"):
        key = f"{finding['key']}: " if finding["key"] else ""
        screen.say(f"{file}: {finding['severity']}: {key}{finding['finding']}")
    errors = int((findings["severity"] == "error").sum())
    counts = f"{counted(errors, 'error')}, {counted(len(findings) - errors, 'warning')}."
    screen.say(f"{Path(file).name}: {counts}")
    if vectors and not errors:
        _measured(bb.load_wordlist(file), vectors, how)
    elif vectors:
        screen.say(f"Correct the errors to look up the words in {vectors}.")
    else:
        screen.say("Pass --vectors to see which words an embedding lacks.")
    return options.FAILED if errors else 0


def _measured(wordlist: bb.WordList, vectors: str, how: dict[str, Any]) -> None:
    """Print the check of a list's words in an embedding."""
    from ..report.numbers import probability_name
    from .tables import say_lost

    read = bb.load_vectors(vectors, wordlist, **how)
    say_lost(read, wordlist)
    words, rows = bb.list_check(bb.distance_table(read, wordlist)), []
    for (_, name), own in words.groupby(["role", "name"], sort=False):
        sizes = [f"{own['n_words'].iloc[0]}", f"{own['n_effective'].iloc[0]:.1f}"]
        least, most = own.nsmallest(1, "cosine"), own.loc[own["jackknife"].abs().nlargest(1).index]
        pairs = ((least, "cosine"), (most, "jackknife"))
        known = ((row, of) for row, of in pairs if row[of].notna().any())
        found = [f"{row['word'].item()} ({row[of].item():.3f})" for row, of in known]
        rows.append([str(name), *sizes, *[*found, "–", "–"][:2]])
    heads = ["name", "words", "effective", "least typical (cosine)", "contrast without it moves by"]
    screen.table("Words of the list", heads, rows)
    width = words.attrs["half_width"]
    ci = f"{probability_name(words.attrs['ci_prob'])} interval of the contrast"
    if isfinite(width):
        screen.say(f"Expected {ci}: ± {width:.3f}.")
    else:
        screen.say(f"The {ci} cannot be expected: all groups, or all sets, have one word.")


@models_app.default
def models() -> None:
    """Print the bundled models and their purposes; `show` prints one.

    Example: `bayesbias models`
    """
    specs = [bb.load_model(name) for name in bb.models()]
    specs.sort(key=lambda spec: list(TAKEN_BY).index(spec.outcome))
    rows = [[spec.name, spec.title, TAKEN_BY[spec.outcome]] for spec in specs]
    screen.table("Bundled models", ["name", "title", "for"], rows)


@models_app.command(name="show")
def show_model(model: str, /) -> None:
    """Print a model's file: its structure, its priors, and the reasons for them.

    Example: `bayesbias models show crossed > mine.toml`, as a starting point for your own model

    Parameters
    ----------
    model : str
        Name of a bundled model, or path to a .toml file.
    """
    from ..model.spec import model_text

    screen.say(model_text(model).rstrip("\n"))


def docs(page: str = "", /) -> None:
    """Print a page of the documentation as Markdown; the lesson opens in a browser.

    Examples: `bayesbias docs`, `bayesbias docs reading`, `bayesbias docs lesson`

    Parameters
    ----------
    page : str
        Name of a page; if omitted, the pages are listed.
    """
    from .._core.checks import unknown_name

    known = pages()
    if not page:
        screen.say("Start here: `bayesbias docs first-report`. Pages:", *known)
    elif page not in known:
        raise ValueError(unknown_name("page", page, list(known)))
    elif known[page].suffix == ".md":
        screen.say(text_of(known[page]))
    else:
        screen.say(str(known[page]))
        webbrowser.open(known[page].as_uri())


def pages() -> dict[str, Path]:
    """Return the pages of the documentation, keyed by name."""
    from .._core.resources import bundled_folder

    paths = sorted(bundled_folder("docs").iterdir())
    return {path.stem: path for path in paths if path.suffix in {".md", ".html"}}


def text_of(page: Path) -> str:
    """Return the Markdown of a page, with the tables that its mkdocs snippets include."""

    def section(include: re.Match[str]) -> str:
        text = (page.parent / "tables" / include[1]).read_text(encoding="utf-8")
        start, end = (f"<!-- --8<-- [{edge}:{include[2]}] -->\n" for edge in ("start", "end"))
        return text[text.index(start) + len(start) : text.index(end)].strip()

    snippet = r'^--8<-- "docs/tables/(.+):(.+)"$'
    return re.sub(snippet, section, page.read_text(encoding="utf-8"), flags=re.MULTILINE)
