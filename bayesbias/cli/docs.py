"""`bayesbias docs`: the pages of the documentation, which come with the package."""

from __future__ import annotations

import re
import webbrowser
from pathlib import Path

from .screen import SCREEN, Screen

TABLES = "docs/tables"
"""Folder of the measured tables that pages include."""

HIDDEN, FIRST, GLOSSARY = {"index", "api"}, "first-hour", "glossary"
"""Pages that only the site can show, the one to begin with, and the one that explains terms."""

_TERM = re.compile(r"^\| \*\*(.+?)\*\* \| (.+) \| \[.+\]\((.+)\.md\) \|$", re.MULTILINE)
"""A row of the glossary: terms, what they mean, and the page that says more."""

_INCLUDE = re.compile(rf'^--8<-- "{TABLES}/(.+):(.+)"$', re.MULTILINE)
"""Where a page includes a section of a file of tables, in the notation of mkdocs' snippets."""


def docs(topic: str = "", /, *, screen: Screen = SCREEN) -> None:
    """Print a page of the documentation as Markdown; the lesson opens in a browser.

    Examples: `bayesbias docs`, `bayesbias docs reading`, `bayesbias docs rope`

    Parameters
    ----------
    topic : str
        A page, or a term; without one all pages are listed.
    """
    from .._core.checks import unknown_name

    pages, known, term = topics(), terms(), re.sub("[-_ ]+", " ", topic).lower()
    if not topic:
        screen.say(f"Start with `bayesbias docs {FIRST}`: a first report, then your own list.")
        rows = [[name, title_of(path)] for name, path in pages.items()]
        screen.table("Pages of the documentation", ["topic|", "what it is about"], rows)
        screen.say("`bayesbias docs TERM` says what a term means, such as rope.")
    elif topic in pages and pages[topic].suffix == ".html":
        screen.say(str(pages[topic]))
        webbrowser.open(pages[topic].as_uri())
    elif topic in pages:
        screen.say(text_of(pages[topic]))
    elif term in known:
        meaning, page = known[term]
        screen.say(f"{term}: {meaning}. `bayesbias docs {page}` says more.")
    else:
        raise ValueError(unknown_name("topic", topic, [*pages, *known]))


def topics() -> dict[str, Path]:
    """Return the pages by their topics."""
    from .._core.resources import bundled_folder

    paths = sorted(bundled_folder("docs").iterdir())
    return {
        path.stem: path
        for path in paths
        if path.suffix in {".md", ".html"} and path.stem not in HIDDEN
    }


def terms() -> dict[str, tuple[str, str]]:
    """Return what each term of the glossary means, and the topic that says more."""
    rows = _TERM.findall(topics()[GLOSSARY].read_text(encoding="utf-8"))
    return {
        re.sub("[-_ ]+", " ", term).lower(): (meaning, page)
        for names, meaning, page in rows
        for term in names.split(", ")
    }


def text_of(page: Path) -> str:
    """Return the Markdown of a page, with the tables that it includes."""
    return _INCLUDE.sub(_section, page.read_text(encoding="utf-8"))


def _section(include: re.Match[str]) -> str:
    from .._core.resources import bundled_folder

    name, section = include.groups()
    text = (bundled_folder("docs") / "tables" / name).read_text(encoding="utf-8")
    start, end = (f"<!-- --8<-- [{edge}:{section}] -->\n" for edge in ("start", "end"))
    return text[text.index(start) + len(start) : text.index(end)].strip()


def title_of(page: Path) -> str:
    """Return the first heading of a page."""
    text = page.read_text(encoding="utf-8")
    heading = re.search(r"^(?:# |<h1>)(.+?)(?:</h1>)?$", text, flags=re.MULTILINE)
    return heading[1] if heading else page.stem
