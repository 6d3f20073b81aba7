"""`bayesbias docs`: the pages of the documentation, which come with the package."""

from __future__ import annotations

import re
import webbrowser
from pathlib import Path

from .screen import SCREEN, Screen

FIRST = "first-report"
"""The page to start with."""

_INCLUDE = re.compile(r'^--8<-- "docs/tables/(.+):(.+)"$', re.MULTILINE)
"""Where a page includes a section of a file of tables, in the notation of mkdocs' snippets."""


def docs(page: str = "", /, *, screen: Screen = SCREEN) -> None:
    """Print a page of the documentation as Markdown; the lesson opens in a browser.

    Examples: `bayesbias docs`, `bayesbias docs reading`, `bayesbias docs lesson`

    Parameters
    ----------
    page : str
        Name of a page; without one all pages are listed.
    """
    from .._core.checks import unknown_name

    known = pages()
    if not page:
        rows = [[name, title_of(path)] for name, path in known.items()]
        screen.say(f"Start here: `bayesbias docs {FIRST}`.")
        screen.table("Pages of the documentation", ["page|", "title"], rows)
    elif page not in known:
        raise ValueError(unknown_name("page", page, list(known)))
    elif known[page].suffix == ".md":
        screen.say(text_of(known[page]))
    else:
        screen.say(str(known[page]))
        webbrowser.open(known[page].as_uri())


def pages() -> dict[str, Path]:
    """Return the pages by name."""
    from .._core.resources import bundled_folder

    paths = sorted(bundled_folder("docs").iterdir())
    return {path.stem: path for path in paths if path.suffix in {".md", ".html"}}


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
