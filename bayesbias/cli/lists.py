"""`bayesbias lists`: what there is, and whether a file of one's own fits."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from . import options
from .screen import Screen

FOUND_ERRORS = 1
"""Exit code of a check that found errors."""

lists_app = typer.Typer(no_args_is_help=False, rich_markup_mode="markdown")


@lists_app.callback(invoke_without_command=True)
@options.command("bayesbias lists")
def lists(context: typer.Context, screen: Screen) -> None:
    """Print the bundled word lists; `show` one, or `check` a file of your own."""
    if context.invoked_subcommand is not None:
        return
    from ..tables.wordlist_files import wordlists
    from ..tables.wordlists import load_wordlist

    rows = []
    for name in wordlists():
        wordlist = load_wordlist(name)
        groups = "\n".join(f"{group} {len(each)}" for group, each in wordlist.groups.items())
        stereotypes = sum(len(each) for each in wordlist.stereotypes.values())
        sizes = {"stereotypes": stereotypes}
        sizes |= {kind: len(each) for kind, each in wordlist.controls.items()}
        attributes = "\n".join(f"{kind} {size}" for kind, size in sizes.items() if size)
        rows.append([name, wordlist.title, groups or "–", attributes])
    heads = ["name|", "title", "groups|", "attributes|"]
    screen.table("Bundled word lists", heads, rows)
    screen.say("Listing a stereotype does not endorse it; each list's note says what it claims.")


@lists_app.command("show")
@options.command(
    "bayesbias lists show religion", "bayesbias lists show religion --toml > mine.toml"
)
def show(
    wordlist: options.OneList,
    *,
    toml: Annotated[
        bool, typer.Option("--toml", help="Print the list's file, comments and all.")
    ] = False,
    screen: Screen,
) -> None:
    """Print a word list: its sets, its source and its note.

    With --toml its file as it stands, which is a start for a list of your own.
    """
    from ..tables.wordlist_files import read_wordlist_text, wordlist_path
    from ..tables.wordlists import load_wordlist

    if toml:
        screen.say(read_wordlist_text(wordlist_path(wordlist)).rstrip("\n"))
        return
    loaded = load_wordlist(wordlist)
    frame = loaded.to_frame()
    rows = [
        [str(role), str(name), str(len(part)), ", ".join(part["word"])]
        for (role, name), part in frame.groupby(["role", "set"], sort=False)
    ]
    screen.table(f"{loaded.name}: {loaded.title}", ["role", "set", "size>", "words"], rows)
    for head in ("reference", "licence", "note"):
        if text := getattr(loaded, head):
            screen.say(f"{head.capitalize()}: {text}")


@lists_app.command("check")
@options.command("bayesbias lists check mine.toml")
def check(
    file: Annotated[str, typer.Argument(metavar="FILE", help="A .toml file, or a bundled list.")],
    screen: Screen,
) -> int:
    """Look a word-list file over: duplicates, overlaps, empty sets, unknown keys, with their lines.

    Exit code 1 if there are errors, 0 if there are warnings only or nothing.
    """
    from ..tables.wordlist_lint import check_wordlist

    found = check_wordlist(file)
    for finding in found.to_dict("records"):
        place = f"{file}:{finding['line']}" if finding["line"] else file
        key = f"{finding['key']}: " if finding["key"] else ""
        screen.say(f"{place}: {finding['severity']}: {key}{finding['finding']}")
    errors = int((found["severity"] == "error").sum())
    nothing = f"{Path(file).name}: nothing to report."
    counts = f"{errors} error(s), {len(found) - errors} warning(s)."
    screen.say(nothing if found.empty else counts)
    return FOUND_ERRORS if errors else 0
