"""Display objects in notebooks and terminals, and show progress bars.

A class defines the contents of its table. `Shown` provides both displays, but no ``repr``.
"""

from __future__ import annotations

import re
import textwrap
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from html import escape
from itertools import zip_longest
from math import floor, isfinite, log10
from typing import Any
from unicodedata import combining

_NUMBER = re.compile(r"[-+−]?[\d,]+(\.\d+)?(e[-+]?\d+)?|nan|[-+−]?inf|–", re.IGNORECASE)

NOTE_WIDTH, HEAD_WIDTH, CELL_WIDTH = 96, 24, 48
"""Largest number of characters in a line of a note, a column head, or a cell."""


FILLER = "\ue000"
"""A private character that stands for the second cell of a wide one."""


@dataclass(frozen=True)
class Sheet:
    """A text table with a title above it and a note below; each line of the note is a paragraph.

    Rows have the same length and start with a name. Columns of numbers with heads align right.
    """

    title: str
    rows: tuple[tuple[str, ...], ...]
    heads: tuple[str, ...] = ()
    note: str = ""

    def text(self) -> str:
        """Return aligned lines; characters that would move a terminal's cursor are escaped."""
        from rich.cells import cell_len  # wide characters take two cells

        body = [*_lines(self.heads, HEAD_WIDTH)]
        body += [line for row in self.rows for line in _lines(row, CELL_WIDTH)]
        columns = []
        for column, numeric in zip(zip(*body, strict=True), self._numeric(), strict=True):
            width = max(map(cell_len, column))
            spaces = [(text, " " * (width - cell_len(text))) for text in column]
            columns.append([space + text if numeric else text + space for text, space in spaces])
        lines = ["".join(f"  {t}" for t in row).rstrip() for row in zip(*columns, strict=True)]
        title = wrapped(self.title, NOTE_WIDTH + 2)
        parts = [wrapped(part, NOTE_WIDTH) for part in self.note.splitlines()]
        note = [f"  {line}" for part in parts for line in part]
        return "\n".join([*title, *lines, *note])

    def html(self) -> str:
        """Return an HTML table in which all text is escaped."""
        sides = ["right" if numeric else "left" for numeric in self._numeric()]

        def line(texts: Iterable[str], tag: str) -> str:
            tags = ["th", *(tag for _ in sides[1:])]
            cells = zip(tags, sides, map(_html, texts), strict=True)
            return "".join(f'<{t} style="text-align:{side}">{c}</{t}>' for t, side, c in cells)

        head = f"<thead><tr>{line(self.heads, 'th')}</tr></thead>" if self.heads else ""
        body = "".join(f"<tr>{line(row, 'td')}</tr>" for row in self.rows)
        note = "".join(f"<p><small>{_html(part)}</small></p>" for part in self.note.splitlines())
        caption = f"<caption>{_html(self.title)}</caption>"
        return f"<table>{caption}{head}<tbody>{body}</tbody></table>{note}"

    def _numeric(self) -> list[bool]:
        """Return whether each column has a head and contains only numbers."""
        columns = zip(*self.rows, strict=True)
        return [bool(self.heads) and all(map(_NUMBER.fullmatch, column)) for column in columns]


def _lines(row: Sequence[str], width: int) -> Iterable[tuple[str, ...]]:
    """Wrap the cells of a row into lines."""
    return zip_longest(*(textwrap.wrap(visible(cell), width) or [""] for cell in row), fillvalue="")


class Shown:
    """Base class for objects that terminals show as text and notebooks show as a table."""

    def _sheet(self, *, roomy: bool) -> Sheet:
        """Return the table; `roomy` is True in notebooks, where long cells wrap."""
        raise NotImplementedError

    def __str__(self) -> str:
        return self._sheet(roomy=False).text()

    def _repr_html_(self) -> str:
        return self._sheet(roomy=True).html()

    def _repr_pretty_(self, printer: Any, cycle: bool) -> None:  # noqa: ANN401
        printer.text(f"{type(self).__name__}(...)" if cycle else str(self))


def visible(text: str) -> str:
    """Escape control characters and direction marks, so that the text stays on one line.

    No-break spaces, ideographic spaces, and joiners (which shape letters in Persian) are kept.
    """
    return "".join(
        letter
        if letter.isprintable() or letter in "\u200c\u200d\u00a0\u3000"
        else letter.encode("unicode_escape").decode("ascii")
        for letter in text
    )


def wrapped(text: str, width: int) -> list[str]:
    """Return a visible text as lines of at most `width` cells; wide characters take two."""
    from rich.cells import cell_len

    filled = "".join(letter + FILLER * (cell_len(letter) - 1) for letter in visible(text))
    while True:
        lines, at = textwrap.wrap(filled, width, break_on_hyphens=False), 0
        for line in lines:
            if line.startswith(FILLER):  # the letter before it does not fit
                filled = f"{filled[: at - 1]}{FILLER}{filled[at - 1 :]}"
                break
            at = filled.index(line, at) + len(line)
        else:
            return [line.replace(FILLER, "") for line in lines]


def digits_for(*values: float) -> int:
    """Return the number of decimals for values of this size: two, or more if all are small."""
    size = max((abs(value) for value in values if isfinite(value)), default=0)
    return 2 if size >= 0.05 or not size else min(1 - floor(log10(size)), 9)


def number(value: float, digits: int = 3) -> str:
    """Write a number with a real minus sign, but without one for zero."""
    text = f"{value:.{digits}f}"
    if float(text) == 0:
        text = text.removeprefix("-")
    return text.replace("-", "−")


def percent(share: float, digits: int = 0) -> str:
    """Write a share as a percentage that is 0% or 100% only if the share is 0 or 1."""
    text = f"{100 * share:.{digits}f}%"
    if share not in {0, 1} and text in {f"{0:.{digits}f}%", f"{100:.{digits}f}%"}:
        least = 10.0**-digits
        return f"under {least:g}%" if share < 0.5 else f"over {100 - least:g}%"
    return text


def shortened(text: str, most: int, among: Collection[str] = ()) -> str:
    """Replace the middle of a long text with "…", because many words begin alike.

    If another text in ``among`` becomes the same, show the place where they begin to differ.
    """
    if len(text) <= most:
        return text
    end = (most - 1) // 2
    while combining(text[-end]):
        end -= 1
    kept = text[: most - 1 - end], text[-end:]
    alike = {other for other in among if len(other) > most and other.startswith(kept[0])}
    alike = {other for other in alike if other.endswith(kept[1])} - {text}
    if not alike:
        return "…".join(kept)
    differs = max(
        next(place for place, (own, its) in enumerate(zip_longest(text, other)) if own != its)
        for other in alike
    )
    start = max(differs - most // 2, 0)
    shown = "…" * (start > 0) + text[start:]
    return shown if len(shown) <= most else f"{shown[: most - 1]}…"


def _html(text: str) -> str:
    return escape(visible(text))


def abridged(words: Sequence[str], most: int = 8, joint: str = ", and ") -> str:
    """Return the first few words and the number of words left out."""
    more = f"{joint}{len(words) - most} more" if len(words) > most else ""
    return ", ".join(map(visible, words[:most])) + more


@contextmanager
def progress_bar(
    description: str,
    total: int,
    *,
    done: int = 0,
    shown: bool | None = None,
    in_bytes: bool = False,
) -> Iterator[Callable[[int], object]]:
    """Show a progress bar; the block calls the yielded function with the amount done so far.

    ``total`` is the amount of work, and ``done`` is the part finished earlier; both are in bytes if
    ``in_bytes`` is true. If ``shown`` is None, the bar appears only in terminals and notebooks.
    """
    from rich import progress
    from rich.console import Console

    console = Console(stderr=True)
    seen = console.is_terminal or console.is_jupyter
    if total == 0 or not (seen if shown is None else shown):
        yield lambda _: None
        return
    amount = progress.DownloadColumn() if in_bytes else progress.MofNCompleteColumn()
    text = progress.TextColumn("{task.description}", markup=False)
    columns = (text, progress.BarColumn(bar_width=24), amount, progress.TimeRemainingColumn())
    with progress.Progress(*columns, console=console, transient=seen) as bar:
        task = bar.add_task(description, total=total, completed=done)
        yield lambda completed: bar.update(task, completed=completed)


@contextmanager
def stages(*, shown: bool | None = None, after: float = 2.0) -> Iterator[Callable[[str], object]]:
    """Show one bar with the current stage, but only if the work takes longer than `after` seconds.

    The block calls the yielded function with a description of each stage. If ``shown`` is None, the
    bar appears only in terminals and notebooks.
    """
    from threading import Timer

    from rich import progress
    from rich.console import Console

    console = Console(stderr=True)
    if not (console.is_terminal or console.is_jupyter if shown is None else shown):
        yield lambda _: None
        return
    text = progress.TextColumn("{task.description}", markup=False)
    columns = (progress.BarColumn(bar_width=24), text, progress.TimeElapsedColumn())
    bar = progress.Progress(*columns, console=console, transient=True)
    task = bar.add_task("", total=None)
    start = Timer(after, bar.start)
    start.start()
    try:
        yield lambda stage: bar.update(task, description=visible(stage))
    finally:
        start.cancel()
        bar.stop()
