"""Determine how the lines of a text file of vectors are made up, from its first lines.

The layout says what follows the word, what separates the numbers, how many numbers the lines have,
and whether the first line is a header. Where the lines are ambiguous, the file is refused.
"""

from __future__ import annotations

import codecs
import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from ..source import LARGEST_DIMS
from .columns import WORD_NAMES, counts_up, plain_name
from .separators import (
    BLANKS,
    END,
    has_decimal_commas,
    is_decimal,
    is_number,
    mode,
    separated,
    split,
    without_types,
)
from .word_files import are_beside

LINES = 200
"""Number of lines that show the layout."""

COUNTS_FROM = 10
"""Whole numbers in only one column are counts, not a dimension, if some are this large."""

SHOWN = 40
"""Letters of a line that messages show."""

SURE_HEADER, SURE_ABOVE_DECIMALS = 10, 5
"""So many numbers that count up are the names of columns, not the vector of a first word."""

FEWEST_WRAPPED = 6
"""Fewest lines that show that every vector goes on over as many lines."""

FIRST_NAMES = {*WORD_NAMES, "", "unnamed: 0"}
"""Usual names of the column of words, or of the one before it."""

QUOTED = re.compile(rb'"([^"]|"")*"')
"""A word in quotes, where each quote is doubled."""

_QUOTES = re.compile(rb'"[^"]*("|$)')
"""Text in quotes."""

_ROW = re.compile(rb'(?s)"?([0-9]+)"?[ \t,;|]+(.+)')
"""A word after the number of its row, which R puts in quotes."""


@dataclass(frozen=True)
class Layout:
    """The separators, the number of dimensions, and what the first line is.

    `promised` is the number of words in the header, if it has one. Words may be `quoted`. In
    `numbered` lines, the number of the row stands before the word. The `kind` is text; a table,
    which begins with the names of its columns; or a matrix, whose lines have no words. Some lines
    may be `above` the words. Types such as ``np.float32(`` may be `named` in the lines.
    """

    dims: int
    after: bytes = b" "
    between: bytes = b" "
    header: bool = False
    promised: int | None = None
    quoted: bool = False
    numbered: bool = False
    kind: str = "text"
    above: int = 0
    named: bool = False

    def fields(self, line: bytes) -> tuple[bytes, list[bytes]] | None:
        """Split a line into the word and its last `dims` fields; return None if it has fewer."""
        line = line.rstrip(END + self.between)
        mark, sep = self.after.strip(BLANKS), self.between.strip(BLANKS)  # empty: any blanks
        if mark == sep:
            parts = line.rsplit(sep or None, self.dims)
        else:
            first, *others = line.rsplit(sep or None, self.dims - 1)
            parts = [*map(bytes.strip, first.rsplit(mark or None, 1)), *others]
        word, numbers = parts[0].strip(BLANKS), parts[1:]
        odd = len(numbers) != self.dims or any(is_decimal(part) for part in word.split()[1:])
        if self.numbered and (found := _ROW.fullmatch(word)):
            word = found[2]
        return None if odd or not word else (word, numbers)


def header_of(line: bytes) -> tuple[int, ...] | None:
    """Return the one to four whole numbers of a header; return None for any other line."""
    fields = line.removeprefix(codecs.BOM_UTF8).replace(b",", b" ").split()
    whole = all(part.isdigit() and len(part) < 19 for part in fields)
    return tuple(map(int, fields)) if whole and 0 < len(fields) < 5 else None


def check_header(path: Path, n_words: int, n_dims: int) -> None:
    """Raise a ValueError for a header with impossible numbers."""
    if n_words == 0 or not 0 < n_dims <= LARGEST_DIMS:
        raise ValueError(
            f"{path}: the header promises {n_words:,} words of {n_dims:,} dimensions; there must "
            f"be at least one word, and 1 to {LARGEST_DIMS:,} dimensions"
        )


def unfulfilled(path: Path, n_words: int, promised: int) -> str:
    """Return a message for a file with more or fewer words than its header promises."""
    what = "ends after" if n_words < promised else "continues to"
    return (
        f"{path} {what} word {n_words:,}, but its header promises {promised:,}; the file was cut "
        "off, or two were joined, or its header is wrong. Download or copy it again"
    )


def layout_of(head: bytes, path: Path, *, ended: bool) -> Layout:
    """Determine the layout of a file that begins with `head`, or consists of it if `ended`."""
    if b"\r" in head.rstrip() and b"\n" not in head:
        raise ValueError(f"{path} ends its lines as old Macs did; run tr '\\r' '\\n' < OLD > NEW")
    plain = without_types(head)
    lines = plain.removeprefix(codecs.BOM_UTF8).split(b"\n")
    if not ended and len(lines) > 1:
        lines.pop()  # the last line may be incomplete
    lines = [line.rstrip(END) for line in lines if line.strip(END).split()]
    n_lines, lines = len(lines), lines[:LINES]
    if not lines:
        raise ValueError(f"{path} is empty")
    if sep := _named_columns(lines):
        return Layout(1, sep, sep, kind="table")
    first = header_of(lines[0]) if len(lines) > 1 else None
    body = lines[1:] if first else lines
    promised = first[1] if first and len(first) == 2 else 0
    dims, after, between = separated(body, promised)
    if has_decimal_commas(body):
        raise _refusal(path, lines, "; write the numbers with points, not with decimal commas")
    header = first is not None
    if first and len(first) == dims + 1 > 1:  # or a word and its numbers
        header = first[1] == dims and first[0] == (n_lines - 1 if ended else max(first[0], n_lines))
    if first and not header:
        dims, after, between = separated(lines)
    if dims < 2:
        raise _refusal(path, lines)
    layout = Layout(dims, after, between, header, named=plain != head)
    layout = replace(layout, above=0 if first else _n_above(body, layout))
    rows = body[layout.above :]
    _refuse_wrapped(body, between, path)
    parts = [found for line in rows if (found := layout.fields(line))]
    if header and first and len(first) > 1:  # as many columns as there should be
        layout = replace(layout, promised=_promised(first, dims, path))
    elif after == between and _are_numbers(body, between, path):
        return replace(layout, dims=dims + 1, kind="matrix")
    else:
        _refuse_counts([numbers for _, numbers in parts], path)
    words = [word for word, _ in parts]
    quoted, numbered = _are_quoted(layout, rows, words), _are_numbered(words)
    layout = replace(layout, quoted=quoted, numbered=numbered)
    _refuse_columns(layout, words, path)
    return layout


def _named_columns(lines: Sequence[bytes]) -> bytes:
    """Return the separator of a table whose first line has the names of columns, if it is one."""
    for sep in (b",", b";", b"\t", b"|"):
        first, second = (line.split(sep) for line in (lines[0], lines[min(1, len(lines) - 1)]))
        fewest = 2 if b"[" in b"".join(second) else 3  # a word and a list
        if len(first) < fewest or len(lines) < 2 or len(second) < len(first):
            continue
        if first[0].startswith(b"#") and len(second) > len(first):  # a comment
            continue
        n_first, *others = (_QUOTES.sub(b"", line).count(sep) for line in lines)
        if {*others} == {n_first + 1}:  # R gives no name to the column of row names
            continue
        parts = [part.strip(b'"').replace(b",", b".").split() for part in first]
        numbers = [b" ".join(part) for part in parts if part and all(map(is_number, part))]
        row = [part.replace(b",", b".") for part in second]
        named = not numbers or _are_names(numbers, first, row)
        if named and not is_number(first[0]) and b"[" not in lines[0]:
            return sep
    return b""


def _are_names(numbers: Sequence[bytes], first: Sequence[bytes], row: Sequence[bytes]) -> bool:
    """Return whether numbers in the first line are names of columns, not the vector of a word.

    They count up, and are many, or above decimals in the next row, or next to a usual name.
    """
    if not all(map(bytes.isdigit, numbers)) or not counts_up(map(bytes.decode, numbers)):
        return False
    names = {plain_name(part.strip(b'"# ').decode(errors="replace")) for part in first}
    many = SURE_ABOVE_DECIMALS if any(map(is_decimal, row)) else SURE_HEADER
    return len(numbers) >= many or not FIRST_NAMES.isdisjoint(names)


def _n_above(lines: Sequence[bytes], layout: Layout) -> int:
    """Return the number of lines above the first word, such as comments or names of columns."""
    rows = [layout.fields(line) or (b"", []) for line in lines]
    for place, (word, numbers) in enumerate(rows):
        row = rows[place + 1][1] if place + 1 < len(rows) else []
        if word and all(map(is_number, numbers)) and not _are_names(numbers, [word], row):
            return place
    return 0


def _refuse_wrapped(lines: Sequence[bytes], between: bytes, path: Path) -> None:
    """Refuse vectors that go on over several lines, as NumPy prints them."""
    on = [all(map(is_number, split(line, between))) for line in lines]
    start = max(0, on.index(True) - 1) if True in on else 0
    on, lines = on[start:], lines[start:]
    n = on.index(False, 1) if False in on[1:] else 0
    if n > 1 and not on[0] and len(on) >= FEWEST_WRAPPED and on == (on[:n] * len(on))[: len(on)]:
        raise ValueError(
            f"{path}: each vector goes on over {n} lines; write a word and all its numbers on one "
            f"line. It begins {lines[0][:SHOWN]!r}, {lines[1][:SHOWN]!r}"
        )


def _refuse_columns(layout: Layout, words: Sequence[bytes], path: Path) -> None:
    """Refuse another column between the words and the numbers; TABs are no part of words."""
    after, between = layout.after.strip(b'"'), layout.between.strip(b'"')
    sep = between if after == between != b" " else b"\t"
    wide = [word for word in words if _QUOTES.sub(b"", word).count(sep) > layout.numbered]
    if 2 * len(wide) > len(words):
        raise ValueError(
            f"{path} has another column next to the words, as in {wide[0][:SHOWN]!r}; delete it, "
            "or put quotes around words with commas"
        )


def _are_numbers(lines: Sequence[bytes], between: bytes, path: Path) -> bool:
    """Decide whether the lines have numbers only; words may be whole numbers, such as ids.

    If it is not clear, there are no words among them if as many words are in a file next to it, and
    the first column is no more like ids than the others.
    """
    rows = [split(line, between) for line in lines if not line.startswith(b"#")]
    if not rows or not all(all(map(is_number, row)) for row in rows):
        return False
    decimals = sum(is_decimal(row[0]) for row in rows)
    if 2 * decimals > len(rows):
        return True
    likeness = _likeness_to_ids(rows)
    return likeness[0] <= max(likeness[1:]) and 0 not in _counts(rows) and are_beside(path)


def _likeness_to_ids(rows: Sequence[Sequence[bytes]]) -> list[int]:
    """Return, for each column, 2 if it counts up, 1 for other whole and distinct numbers, or 0."""
    dims = mode([*map(len, rows)])
    columns = np.array([row for row in rows if len(row) == dims], dtype=float).T
    found = []
    for column in columns:
        distinct = bool((column == np.round(column)).all()) and len({*column}) == len(column)
        found.append(distinct * (1 + bool((np.diff(column) == 1).all())))
    return found


def _counts(rows: Sequence[Sequence[bytes]]) -> dict[int, float]:
    """Return the largest number in columns of counts; only there, all numbers are whole.

    In a few lines, only numbers without a point are counts.
    """
    dims = mode([*map(len, rows)]) if rows else 0
    some = [row for row in rows if len(row) == dims and all(map(is_number, row))]
    if not some:
        return {}
    numbers = np.array(some, dtype=float)
    counts = {}
    for place in np.flatnonzero((numbers == np.round(numbers)).all(axis=0)).tolist():
        column, written = numbers[:, place], all(row[place].isdigit() for row in some)
        counts[place] = float(column.max())
        large = column.min() >= 0 and COUNTS_FROM <= counts[place] < np.inf
        if not large or len({*column}) < 3 or not (written or len(some) >= COUNTS_FROM):
            return {}
    return counts if len(counts) < dims else {}


def _refuse_counts(rows: Sequence[Sequence[bytes]], path: Path) -> None:
    """Refuse lines with a word's count among decimals, since the count is not a dimension."""
    for place, most in _counts(rows).items():
        raise ValueError(
            f"{path}: column {place + 1:,} after the word has whole numbers (such as {most:.0f}), "
            "as counts do, and others have decimals; delete the column of counts"
        )


def _are_quoted(layout: Layout, lines: Sequence[bytes], words: Sequence[bytes]) -> bool:
    """Return whether quotes are no part of the words.

    If TABs or blanks separate the fields, words with quotes or with the separator are in quotes,
    where each quote is doubled.
    """
    if not layout.between.isspace() or all(line.lstrip()[:1] == b'"' for line in lines):
        return True
    sep, marked = layout.after, [word for word in words if b'"' in word]
    return (
        sep == layout.between
        and len(marked) > 0
        and all(map(QUOTED.fullmatch, marked))
        and all(b'""' in word[1:-1] or sep in word for word in marked)
    )


def _are_numbered(words: Sequence[bytes]) -> bool:
    """Return whether each word follows the number of its row; ``1,000`` is a whole word."""
    found = [*map(_ROW.fullmatch, words)]
    numbers = [int(one[1]) for one in found if one]
    if len(numbers) < 3 or numbers != [*range(numbers[0], numbers[0] + len(found))]:
        return False
    return 2 * len({one[2] for one in found if one}) > len(numbers)


def _promised(first: Sequence[int], dims: int, path: Path) -> int:
    """Return the number of words in a header, and check its number of dimensions."""
    check_header(path, *first[:2])
    if first[1] != dims:
        raise ValueError(
            f"{path}: the first line, {' '.join(map(str, first))!r}, promises {first[1]:,} "
            f"dimensions, but the lines have {dims:,}; correct the first line, or delete it"
        )
    return first[0]


def _refusal(path: Path, lines: Sequence[bytes], hint: str = "") -> ValueError:
    """Return an error for lines that are no words with numbers."""
    line = lines[min(1, len(lines) - 1)]
    if not hint and is_number(line.split()[0]) and not is_number(line.split()[-1]):
        hint = "; words must come before their numbers"
    return ValueError(
        f"{path} is text, but its lines are not words followed by two or more numbers, separated "
        f"by spaces, tabs, or commas; it begins {lines[0][:SHOWN]!r}{hint}"
    )
