"""The shell of every page: one HTML file that works offline, with a strict security policy."""

from __future__ import annotations

import re
from base64 import b64encode
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cached_property
from hashlib import sha256
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING

from .._core.display import visible, wrapped
from .screen import screen_text
from .sentences import Answer, marked_up
from .svg import asset
from .tables import Table

if TYPE_CHECKING:
    from matplotlib.axes import Axes

REPORT, TEXT, PLOTS = "report.html", "report.md", "plots"
"""File names of a page and of its text, and the folder for figures that are requested as files."""

LIMITS = ("what people are like", "whether a system does harm")
"""What no page shows."""

OTHERS = "Other words or texts could give another answer."


type Plots = dict[str, Callable[..., Axes]]
"""Functions that draw figures, by name."""

type Part = Table | str | tuple[str, str]
"""A table, a paragraph, or a named fact, which is not shown if it is empty."""


class Fold:
    """A question that opens to show the parts of its answer."""

    def __init__(self, question: str, *answer: Part) -> None:
        self.question, self.answer = question, answer

    def html(self) -> str:
        """Return the fold, closed; without an answer (no row in any of its tables), nothing."""
        tables = [part for part in self.answer if isinstance(part, Table)]
        if not any(part.rows for part in tables) if tables else not any(map(_html, self.answer)):
            return ""
        inside = "".join(map(_html, self.answer))
        return f"<details><summary>{escape(self.question)}</summary>{inside}</details>"

    def text(self) -> str:
        """Return the question and its answer as text."""
        shown = [self.question, *map(_text, self.answer)] if self.html() else ()
        return "\n".join(filter(None, shown))


def _html(part: Part) -> str:
    if isinstance(part, Table):
        return part.html()
    if isinstance(part, tuple):
        return f"<p><b>{escape(part[0])}:</b> {escape(part[1])}</p>" if part[1] else ""
    return f"<p>{escape(part)}</p>" if part else ""


def _text(part: Part) -> str:
    if isinstance(part, Table):
        return part.text()
    if isinstance(part, tuple):
        return f"{part[0]}: {visible(part[1])}" if part[1] else ""
    return "\n".join(wrapped(part, 79))


class Page[R]:
    """A page from top to bottom: warnings, sentence, size, picture, limits, table, and folds.

    Every kind of record has a subclass, whose methods are the parts. `title` is that of the window,
    and `kicker` says above the sentence what was measured. `main` is next to `side` and `folds`;
    `figures` follow, and `details` are folded at the end.
    """

    def __init__(self, record: R, title: str, kicker: str) -> None:
        self.record, self.title, self.kicker = record, title, kicker

    @cached_property
    def answer(self) -> Answer:
        """What the page, the terminal, the notebook, and the card lead with."""
        raise NotImplementedError

    @property
    def drawn(self) -> str:
        """The picture as SVG in both widths; empty without a picture."""
        return self.answer.picture.svg() if self.answer.picture else ""

    def main(self) -> str:
        """Return the picture (or a table, if there is none) and what it does not show, as HTML."""
        raise NotImplementedError

    def side(self) -> str:
        """Return the table next to the picture, as HTML."""
        return ""

    def folds(self) -> Iterable[Fold]:
        """Return the questions below the table."""
        return ()

    def figures(self) -> str:
        """Return the pictures of the raw data, as HTML."""
        return ""

    def details(self) -> Iterable[Fold]:
        """Return the folds for specialists at the end of the page."""
        return ()

    def plots(self) -> Plots:
        """Return functions that draw the figures that can be requested as files, by name."""
        return {}

    def folded(self) -> str:
        """Return everything that the page folds, as text."""
        return "\n\n".join(filter(None, (one.text() for one in (*self.folds(), *self.details()))))

    def text(self) -> str:
        """Return the whole page as text, literally in Markdown."""
        fence = "~" * 12
        return f"{fence}\n{screen_text(self.answer)}\n\n{self.folded()}\n{fence}\n"


def limits(*more: str) -> str:
    """Return a box with what a page does not show, as HTML."""
    *first, last = *LIMITS, *map(escape, more)
    what = f"{', '.join(first)}{',' * bool(more)} or {last}"
    return f'<p class="box"><b>This does not show</b> {what}. {OTHERS}</p>'


def figure(title: str, drawing: str, caption: str, side: str = "") -> str:
    """Return a drawing below its title and a caption, as HTML."""
    head = f"<h2>{escape(title)}</h2>"
    return f'<div class="{side}">{head}<p class="cap">{caption}</p>{drawing}</div>'


def html[R](
    page: Page[R],
    command: str,
    versions: Mapping[str, str],
    files_beside: Sequence[str] = (),
) -> str:
    """Return a page as HTML; the `command` and `versions` say where its numbers come from."""
    origin = Fold(
        "Where do the numbers come from?",
        "This command computes the same numbers again:",
        command,
        f"Versions: {', '.join(f'{name} {version}' for name, version in versions.items())}.",
        f"Next to this page: {', '.join(files_beside)}." if files_beside else "",
    )
    script, answer = asset("page.js"), page.answer
    digest = b64encode(sha256(script.encode()).digest()).decode()
    alerts = "".join(f"<li>{escape(text)}</li>" for text in answer.alerts)
    policy = (
        "default-src 'none'; img-src data:; style-src 'unsafe-inline'; "
        f"script-src 'sha256-{digest}'; base-uri 'none'; form-action 'none'"
    )
    parts = {
        "policy": policy,
        "version": versions["bayesbias"],
        "title": escape(page.title),
        "style": asset("picture.css") + asset("page.css"),
        "alerts": f'<ul class="alert" role="alert">{alerts}</ul>' if alerts else "",
        "kicker": escape(page.kicker),
        "sentence": marked_up(answer.sentence),
        "deck": escape(answer.deck),
        "main": page.main(),
        "side": page.side() + "".join(one.html() for one in page.folds()),
        "figures": page.figures(),
        "details": "".join(one.html() for one in (*page.details(), origin)),
        "script": script,
    }
    return re.sub(r"{{ (\w+) }}", lambda found: parts[found[1]], asset("page.html"))


def save_plots[R](page: Page[R], folder: Path, kinds: Sequence[str]) -> dict[str, str]:
    """Draw a page's figures with matplotlib, without opening a window, and save them.

    Figures with too many rows are left out, and the reasons are returned by their names.
    """
    import matplotlib as mpl

    from .. import plots
    from ..plots.layout import TooManyRowsError

    mpl.use("agg")
    folder.mkdir(exist_ok=True)
    left_out = dict[str, str]()
    with mpl.rc_context({"svg.fonttype": "none"}):
        for name, draw in page.plots().items():
            ending = f".{kinds[0]}" if len(kinds) == 1 else ""
            try:
                axes = draw()
            except TooManyRowsError as reason:
                left_out[name] = str(reason)
            else:
                plots.save(axes, folder / f"{name}{ending}")
    return left_out
