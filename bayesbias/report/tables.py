"""Tables of text from frames, for pages, terminals, and papers."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from html import escape
from typing import Any

import pandas as pd

from .._core.display import Sheet
from .numbers import (
    COLUMNS,
    KEYS,
    ends,
    in_words,
    number,
    plain_number,
    probability_name,
    signed,
    thousandths,
)

MEASURED = ("mean", "mean_without", "low", "high", "before", "after")
"""Columns whose largest number decides on the decimals of a table."""

_NUMBER = re.compile(
    r"(([-+−]?\d[\d,.]*(e[-+−]?\d+)?%?( to [−\d,.]+%?)?|(under|over) [\d.]+%|best|–)( \W)?)?"
)


@dataclass(frozen=True)
class Table:
    """Rows of text under column heads; columns of numbers and of ranges align right.

    The first column names the rows. `own` are the cells that pages frame, by row and by column
    after the first.
    """

    caption: str
    heads: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    own: tuple[tuple[int, int], ...] = ()

    def html(self) -> str:
        """Return an HTML table; an empty one gives no HTML."""
        if not self.rows:
            return ""
        columns = [*zip(*self.rows, strict=True)]
        sides = ["" if all(map(_NUMBER.fullmatch, column)) else ' class="l"' for column in columns]
        heads = zip(sides, self.heads, strict=True)
        head = "".join(f'<th scope="col"{side}>{escape(name)}</th>' for side, name in heads)
        body = []
        for i, (first, *rest) in enumerate(self.rows):
            cells = [f'<th scope="row" dir="auto">{escape(first)}</th>']
            for j, cell in enumerate(rest):
                mark = ' class="own"' if (i, j) in self.own else sides[j + 1]
                cells.append(f'<td{mark} dir="auto">{escape(cell)}</td>')
            body.append(f"<tr>{''.join(cells)}</tr>")
        caption = f"<caption>{escape(self.caption)}</caption>" if self.caption else ""
        whole = f"<thead><tr>{head}</tr></thead><tbody>{''.join(body)}</tbody>"
        name = escape(self.caption or self.heads[0] or "Table")
        around = f'class="scroll" tabindex="0" role="region" aria-label="{name}"'
        return f"<div {around}><table>{caption}{whole}</table></div>"

    def text(self) -> str:
        """Return the table as aligned lines; an empty one gives no text."""
        return Sheet(self.caption, self.rows, self.heads).text() if self.rows else ""

    def markdown(self) -> str:
        """Return a Markdown table, in which the texts must be escaped already."""
        line = " | ".join
        rows = [line(self.heads), line(["---"] * len(self.heads)), *map(line, self.rows)]
        return "\n".join(f"| {row} |" for row in rows)


def table(frame: pd.DataFrame, caption: str = "", columns: str | Sequence[str] = "") -> Table:
    """Make a table from all columns of a frame or from the named ones, such as ``"mean p_rope"``.

    Columns that the frame does not have are skipped. ``interval`` combines ``low`` and ``high``.
    NaN becomes a dash. `numbers.COLUMNS` lists heads and formats.
    """
    if frame.empty:
        return Table(caption, (), ())
    names = columns.split() if isinstance(columns, str) else columns
    names = names or [*map(str, frame)]
    measured = frame[[name for name in MEASURED if name in frame]].select_dtypes("number")
    digits = thousandths(*measured.to_numpy(float).ravel())
    if "interval" in names:
        frame = frame.assign(interval=[ends(row, digits) for row in frame.to_dict("records")])
    heads, texts = [], []
    for name in [name for name in names if name in frame]:
        head, write = COLUMNS.get(name, (name.replace("_", " "), None))
        of = f"{probability_name(frame.attrs['ci_prob'])} " if name == "interval" else ""
        heads.append(f"{of}{head}")
        values = map(in_words, frame[name].astype(str)) if name in KEYS else frame[name].tolist()
        write = partial(write, digits=digits) if write in (number, signed) else write
        texts.append([_cell(value, write or plain_number) for value in values])
    return Table(caption, tuple(heads), tuple(zip(*texts, strict=True)))


def _cell(value: Any, write: Callable[[Any], str]) -> str:  # noqa: ANN401
    if isinstance(value, str | bool):
        return str(value)
    return "–" if pd.isna(value) else write(value)
