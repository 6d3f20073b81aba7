"""The shell of every page: one HTML file that works offline, with a strict security policy."""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from hashlib import sha256
from html import escape
from importlib.resources import files
from pathlib import Path
from textwrap import fill
from typing import TYPE_CHECKING, Any

from .._core.display import visible
from .answer import Answer
from .sentences import marked_up
from .tables import Table

if TYPE_CHECKING:
    from matplotlib.axes import Axes

REPORT, PLOTS = "report.html", "plots"
"""File name of a page, and the folder for figures that are requested as files."""

LIMITS = (
    "<b>This does not show</b> what people are like or whether a system does harm. Other words or "
    "texts could give another answer."
)


@dataclass(frozen=True)
class Facts:
    """Named facts; empty ones are not shown."""

    pairs: tuple[tuple[str, str], ...]

    def html(self) -> str:
        """Return a list."""
        shown = ((escape(of), escape(text)) for of, text in self.pairs if text)
        return f"<ul>{''.join(f'<li><b>{of}:</b> {text}</li>' for of, text in shown)}</ul>"

    def text(self) -> str:
        """Return one line for each fact."""
        return "\n".join(f"{of}: {visible(text)}" for of, text in self.pairs if text)


@dataclass(frozen=True)
class Prose:
    """Paragraphs of plain text; empty ones are not shown."""

    texts: tuple[str, ...]

    def html(self) -> str:
        """Return paragraphs."""
        return "".join(f"<p>{escape(text)}</p>" for text in self.texts if text)

    def text(self) -> str:
        """Return paragraphs of at most 79 columns."""
        return "\n".join(fill(visible(text), 79) for text in self.texts if text)


@dataclass(frozen=True)
class Fold:
    """A question that opens to show its answer."""

    question: str
    answer: tuple[Table | Facts | Prose, ...]

    def html(self) -> str:
        """Return the fold, closed."""
        inside = "".join(part.html() for part in self.answer)
        return f"<details><summary>{escape(self.question)}</summary>{inside}</details>"

    def text(self) -> str:
        """Return the question and its answer as text."""
        return "\n".join([self.question, *(part.text() for part in self.answer)])


def fold(question: str, *answer: Table | Facts | str) -> Fold:
    """Return a fold; texts become paragraphs."""
    parts = (Prose((part,)) if isinstance(part, str) else part for part in answer)
    return Fold(question, tuple(parts))


@dataclass(frozen=True)
class Page:
    """A page from top to bottom: warnings, sentence, size, picture, limits, table, and folds.

    `main` is next to `side` and `folds`; `figures` follow, and `details` are folded at the end.
    `plots` draws the figures that can be requested as files, by name.
    """

    title: str
    kicker: str
    answer: Answer
    main: str
    side: str
    folds: Sequence[Fold] = ()
    figures: str = ""
    details: Sequence[Fold] = ()
    plots: Mapping[str, Callable[[], Axes]] = field(default_factory=dict)


def box(text: str) -> str:
    """Return a box with HTML that readers must not miss."""
    return f'<p class="box">{text}</p>'


def figure(title: str, drawing: str, caption: str, side: str = "") -> str:
    """Return a titled drawing with a caption, as HTML."""
    head = f"<h2>{escape(title)}</h2>"
    return f'<div class="{side}">{head}{drawing}<p class="cap">{caption}</p></div>'


def html(page: Page, record: Mapping[str, Any], files_beside: Sequence[str] = ()) -> str:
    """Return a page as HTML; `record` has the ``command`` and the ``versions``."""
    versions = ", ".join(f"{name} {version}" for name, version in record["versions"].items())
    origin = fold(
        "Where do the numbers come from?",
        "This command computes the same numbers again:",
        record["command"],
        f"Versions: {versions}.",
        f"Next to this page: {', '.join(files_beside)}." if files_beside else "",
    )
    details = [*page.details, origin]
    style, script = asset("picture.css") + asset("page.css"), asset("page.js")
    digest = b64encode(sha256(script.encode()).digest()).decode()
    policy = (
        "default-src 'none'; img-src data:; style-src 'unsafe-inline'; "
        f"script-src 'sha256-{digest}'; base-uri 'none'; form-action 'none'"
    )
    alerts = "".join(f"<li>{escape(text)}</li>" for text in page.answer.alerts)
    parts = {
        "policy": policy,
        "version": record["versions"]["bayesbias"],
        "title": escape(page.title),
        "style": style,
        "alerts": f'<ul class="alert" role="alert">{alerts}</ul>' if alerts else "",
        "kicker": escape(page.kicker),
        "sentence": marked_up(page.answer.sentence),
        "deck": escape(page.answer.deck),
        "main": page.main,
        "side": page.side + "".join(one.html() for one in page.folds),
        "figures": page.figures,
        "details": "".join(one.html() for one in details),
        "script": script,
    }
    shell = asset("page.html")
    first, *rest = shell.split("{{")
    return first + "".join(
        parts[name.strip()] + after for name, _, after in (part.partition("}}") for part in rest)
    )


def asset(name: str) -> str:
    """Return a template, style sheet, or script."""
    return (files(__package__) / "templates" / name).read_text("utf-8")


def write_page(
    page: Page, record: Mapping[str, Any], folder: Path, *, kinds: Sequence[str] = ()
) -> None:
    """Write a page and, if requested, its figures as files of some `kinds` (``png``, ``svg``).

    Invalid Unicode, which file names can contain, is escaped.
    """
    if kinds:
        save_plots(page, folder / PLOTS, kinds)
    present = {path.name for path in folder.iterdir()}
    text = html(page, record, sorted({*present, "run.json"} - {REPORT}))
    (folder / REPORT).write_text(text, encoding="utf-8", errors="backslashreplace")


def save_plots(page: Page, folder: Path, kinds: Sequence[str]) -> None:
    """Draw a page's figures with matplotlib, without opening a window, and save them."""
    import matplotlib as mpl

    from .. import plots

    mpl.use("agg")
    folder.mkdir(exist_ok=True)
    with mpl.rc_context({"svg.fonttype": "none"}):
        for name, draw in page.plots.items():
            ending = f".{kinds[0]}" if len(kinds) == 1 else ""
            plots.save(draw(), folder / f"{name}{ending}")
