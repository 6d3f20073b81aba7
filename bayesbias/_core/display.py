"""How objects show themselves: a table in a notebook, aligned text in a terminal.

One mechanism for all: a class says what its table holds, and inherits both forms from `Shown`.
``repr`` is left to the class.
"""

from __future__ import annotations

import re
import textwrap
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass
from html import escape
from typing import Protocol

_NUMBER = re.compile(r"[-+−]?[\d,]+(\.\d+)?(e[-+]?\d+)?|nan|[-+−]?inf", re.IGNORECASE)
_UNPRINTABLE = {"Cc", "Cs", "Zl", "Zp"}
_REORDERING = set("\u061c\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069")
"""Marks that change the direction of the text around them."""

GAP = "  "

NOTE_WIDTH = 96
"""Letters of a line of a note."""


@dataclass(frozen=True)
class Sheet:
    """A table of texts with a title above it and a note below.

    Rows are of one length. The first cell names the row; numbers below a head are right-aligned.
    """

    title: str
    rows: tuple[tuple[str, ...], ...]
    heads: tuple[str, ...] = ()
    note: str = ""

    def text(self) -> str:
        """Return aligned lines; what would move a terminal's cursor is written as an escape."""
        from rich.cells import cell_len  # wide letters take two cells

        rows = [tuple(visible(cell) for cell in row) for row in self.rows]
        body = [self.heads, *rows] if self.heads else rows
        widths = [max(map(cell_len, column)) for column in zip(*body, strict=True)]

        def padded(text: str, width: int, numeric: bool) -> str:
            space = " " * (width - cell_len(text))
            return GAP + (space + text if numeric else text + space)

        lines = ["".join(map(padded, row, widths, self._numeric())).rstrip() for row in body]
        note = [GAP + line for line in textwrap.wrap(visible(self.note), NOTE_WIDTH)]
        return "\n".join([visible(self.title), *lines, *note])

    def html(self) -> str:
        """Return an HTML table in which every text stays text."""
        sides = ["right" if numeric else "left" for numeric in self._numeric()]
        head = "".join(map(_html_cell, ("th",) * len(sides), self.heads, sides))
        body = "".join(
            "<tr>" + "".join(map(_html_cell, ("th", *("td",) * len(row)), row, sides)) + "</tr>"
            for row in self.rows
        )
        head = f"<thead><tr>{head}</tr></thead>" if head else ""
        note = f"<p><small>{_html(self.note)}</small></p>" if self.note else ""
        top = f"<caption>{_html(self.title)}</caption>{head}"
        return f"<table>{top}<tbody>{body}</tbody></table>{note}"

    def _numeric(self) -> list[bool]:
        """Whether each column holds numbers only; one without a head may hold unlike numbers."""
        columns = zip(*self.rows, strict=True)
        return [bool(self.heads) and all(map(_NUMBER.fullmatch, column)) for column in columns]


class Shown:
    """Shows itself as a `Sheet`: ``print`` gives text, IPython text, a notebook a table."""

    def _sheet(self, *, roomy: bool) -> Sheet:
        """Return the table; `roomy` in a notebook, where long cells are broken into lines."""
        raise NotImplementedError

    def __str__(self) -> str:
        return self._sheet(roomy=False).text()

    def _repr_html_(self) -> str:
        return self._sheet(roomy=True).html()

    def _repr_pretty_(self, printer: Printer, cycle: bool) -> None:
        printer.text(f"{type(self).__name__}(...)" if cycle else str(self))


class Printer(Protocol):
    """What IPython hands to objects that show themselves."""

    def text(self, text: str, /) -> None:
        """Write a text."""


def visible(text: str) -> str:
    """Write controls and marks of direction as escapes, so that a line stays one line."""
    return "".join(
        letter.encode("unicode_escape").decode("ascii")
        if unicodedata.category(letter) in _UNPRINTABLE or letter in _REORDERING
        else letter
        for letter in text
    )


def _html(text: str) -> str:
    return escape(visible(text))


def _html_cell(tag: str, text: str, side: str) -> str:
    return f'<{tag} style="text-align:{side}">{_html(text)}</{tag}>'


SHOWN = 8
"""Words named in full in an error message; more are counted."""


def abridged(words: Sequence[str], most: int = SHOWN, joint: str = " and ") -> str:
    """The first few words, and how many more."""
    more = f"{joint}{len(words) - most} more" if len(words) > most else ""
    return ", ".join(words[:most]) + more
