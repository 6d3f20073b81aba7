"""`bayesbias docs`: the pages of the documentation, which come with the package."""

from __future__ import annotations

import re
import shutil
import tempfile
from pathlib import Path
from typing import Annotated

import typer

from . import completion, options
from .screen import Screen

FOLDER = "docs"

TABLES = "benchmarks"
"""Folder of the measured tables that pages include."""

START, API, FIRST = "index", "api", "first-hour"
"""The page that leads to the others, as the command does, one that only the site can show, and the
one to begin with."""

GLOSSARY = "glossary"

PAGE = ".html"
"""Suffix of what is a page as it stands, which only a browser can show."""

_TERM = re.compile(r"^\| \*\*(.+?)\*\* \| (.+) \| \[.+\]\((.+)\.md\) \|$", re.MULTILINE)
"""A row of the glossary: terms, what they mean, and the page that says more."""

_INCLUDE = re.compile(rf'^--8<-- "{TABLES}/(.+):(.+)"$', re.MULTILINE)
"""Where a page includes a section of a file of tables, in the notation of mkdocs' snippets."""

STYLE = (
    "body{max-width:46em;margin:2em auto;padding:0 1em;font:1rem/1.5 system-ui,sans-serif}"
    "table{border-collapse:collapse;display:block;overflow-x:auto}"
    "td,th{border:1px solid #999;padding:.2em .5em;text-align:left}"
    "pre{overflow-x:auto;background:#8881;padding:.5em}img{max-width:100%}"
)


def _complete_topic(incomplete: str) -> list[str]:
    """Complete a page, or a term of the glossary."""
    return completion.starting(
        incomplete, [*topics(), *(term.replace(" ", "-") for term in terms())]
    )


@options.command(
    "bayesbias docs",
    "bayesbias docs reading",
    "bayesbias docs rope",
    "bayesbias docs models --browser",
)
def docs(
    topic: Annotated[
        str,
        typer.Argument(
            metavar="TOPIC",
            autocompletion=_complete_topic,
            help="A page, or a term; without one all pages are listed.",
        ),
    ] = "",
    *,
    browser: Annotated[
        bool, typer.Option("--browser", help="Open the page in a browser; it needs no network.")
    ] = False,
    screen: Screen,
) -> None:
    """Show a page of the documentation: how to begin, models, scores, what follows from what."""
    from .._core.checks import unknown_name

    pages, known = topics(), terms()
    if topic and topic not in pages:
        if (term := _spaced(topic)) not in known:
            raise ValueError(unknown_name("topic", topic, [*pages, *known]))
        meaning, topic = known[term]
        screen.markdown(f"**{term}**: {meaning}. `bayesbias docs {topic}` says more.")
        if not browser:
            return
    if browser or (topic and pages[topic].suffix == PAGE):
        page = as_html(Path(tempfile.mkdtemp(prefix="bayesbias-docs-")))[topic or START]
        screen.say(str(page))
        typer.launch(page.as_uri())
    elif topic:
        screen.markdown(text_of(pages[topic]))
    else:
        rows = [[name, title_of(path)] for name, path in pages.items()]
        screen.say(
            f"Start here: `bayesbias docs {FIRST}`, from a first report to a list of your own."
        )
        screen.table("Pages of the documentation", ["topic|", "what it is about"], rows)
        screen.say(
            "`bayesbias docs TOPIC` shows a page, with --browser in a browser, and "
            "`bayesbias docs TERM` says what a term means, such as rope."
        )


def topics() -> dict[str, Path]:
    """Return the pages by their topics."""
    from .._core.resources import bundled_folder

    paths = sorted(bundled_folder(FOLDER).iterdir())
    return {
        path.stem: path
        for path in paths
        if path.suffix in {".md", PAGE} and path.stem not in {START, API}
    }


def terms() -> dict[str, tuple[str, str]]:
    """Return what each term of the glossary means, and the topic that says more."""
    text = topics()[GLOSSARY].read_text(encoding="utf-8")
    return {
        _spaced(term): (meaning, page)
        for names, meaning, page in _TERM.findall(text)
        for term in names.split(", ")
    }


def _spaced(term: str) -> str:
    return re.sub("[-_ ]+", " ", term).lower()


def text_of(page: Path) -> str:
    """Return the Markdown of a page, with the tables that it includes in their places."""
    return _INCLUDE.sub(_section, page.read_text(encoding="utf-8"))


def _section(include: re.Match[str]) -> str:
    from .._core.resources import bundled_folder

    name, section = include.groups()
    text = (bundled_folder(TABLES) / name).read_text(encoding="utf-8")
    start, end = (f"<!-- --8<-- [{edge}:{section}] -->\n" for edge in ("start", "end"))
    return text[text.index(start) + len(start) : text.index(end)].strip()


def title_of(page: Path) -> str:
    """Return the first heading of a page."""
    text = page.read_text(encoding="utf-8")
    found = re.search(r"^(?:# |<h1>)(.+?)(?:</h1>)?$", text, flags=re.MULTILINE)
    return found[1] if found else page.stem


def as_html(folder: Path) -> dict[str, Path]:
    """Write all pages as HTML into a folder, with links between them and bundled pictures."""
    from html import escape

    from markdown_it import MarkdownIt

    from .._core.resources import bundled_folder

    reader, written = MarkdownIt("commonmark", {"html": False}).enable("table"), {}
    start = bundled_folder(FOLDER) / f"{START}.md"
    for name, source in {START: start, **topics()}.items():
        written[name] = folder / f"{name}{PAGE}"
        if source.suffix == PAGE:
            shutil.copyfile(source, written[name])
            continue
        body = reader.render(text_of(source))
        body = re.sub(r'href="(\w[\w-]*)\.md(#[^"]*)?"', r'href="\1.html"', body)
        body = re.sub(rf'<a href="{API}\.html">(.*?)</a>', r"\1", body)
        body = re.sub(r'src="(?!\w+:)', f'src="{source.parent.as_uri()}/', body)
        head = f"<title>{escape(title_of(source))}</title><style>{STYLE}</style>"
        page = (
            f'<!doctype html><html lang="en"><meta charset="utf-8">{head}<body>{body}</body></html>'
        )
        written[name].write_text(page, encoding="utf-8")
    return written
