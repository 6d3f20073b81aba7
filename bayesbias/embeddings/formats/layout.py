"""Determine how the lines of a text file of vectors are made up, from its first lines.

The layout says what follows the word, what separates the numbers, how many numbers the lines have,
and whether the first line is a header. Where the lines are ambiguous, the file is refused.
"""

from __future__ import annotations

import codecs
import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from ..source import LARGEST_DIMS
from .word_files import are_beside

LINES = 200
"""Number of lines that show the layout."""

COUNTS_FROM = 10
"""Whole numbers in only one column are counts, not a dimension, if some are this large."""

BLANKS = b" \t\r\n"
END = BLANKS + b'])}"'
"""What may follow the last number of a line: blanks, or the end of a list or of quotes."""

SEPARATORS = (b" ", b"\t", b",", b";", b"|", b'" "', b'"\t"', b'","', b'";"')
_COMMA = re.compile(rb"[-+]?[0-9]*,[0-9]+([eE][-+]?[0-9]+)?")
_COMMAS = re.compile(rb"(?s).*?(,[-+]?[0-9]+,[0-9]+)+")
_NUMBER = rb"[-+]?(?:[0-9.][-+0-9.eE]*|(?i:nan|inf))"
_ARROWS = rb"[-=]>|\xe2\x86\x92|\xc2\xa0|\xe3\x80\x80"  # and wide blanks
_GAP = rb"((?:[ \t,;|:=\[({]|" + _ARROWS + rb"){1,20}(?:\"[ \t\[]*)?)"
_FIRST = re.compile(rb"(?s)([ \t]*[^ \t].*?)" + _GAP + _NUMBER)
"""A word, its first number, and what is between them, such as a blank, or ``: [``."""

_LATER = re.compile(rb"\"?" + _GAP + _NUMBER)
"""A first number whose word is in an earlier field, such as ``[0.5``."""

_ROW = re.compile(rb"(?s)([0-9]+)[ \t,;|]+(.+)")
"""A word after the number of its row."""


@dataclass(frozen=True)
class Layout:
    """The separators, the number of dimensions, and what the first line is.

    `promised` is the number of words in the header, if it has one. Words may be `quoted`. A `table`
    begins with the names of its columns. The lines of a `matrix` have no words. In `numbered`
    lines, the number of the row stands before the word.
    """

    dims: int
    after: bytes = b" "
    between: bytes = b" "
    header: bool = False
    promised: int | None = None
    quoted: bool = False
    table: bool = False
    matrix: bool = False
    numbered: bool = False

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
        odd = len(numbers) != self.dims or any(_is_decimal(part) for part in word.split()[1:])
        if self.numbered and (found := _ROW.fullmatch(word)):
            word = found[2]
        return None if odd or not word else (word, numbers)


def header_of(line: bytes) -> tuple[int, ...] | None:
    """Return the one to four whole numbers of a header; return None for any other line."""
    fields = line.removeprefix(codecs.BOM_UTF8).replace(b",", b" ").split()
    whole = all(part.isdigit() and len(part) < 19 for part in fields)
    return tuple(map(int, fields)) if whole and 0 < len(fields) < 5 else None


def impossible(path: Path, n_words: int, n_dims: int) -> str:
    """Return a message for a header with impossible numbers."""
    return (
        f"{path}: the header promises {n_words:,} words of {n_dims:,} dimensions; there must be at "
        f"least one word, and 1 to {LARGEST_DIMS:,} dimensions"
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
    lines = head.removeprefix(codecs.BOM_UTF8).split(b"\n")
    if not ended and len(lines) > 1:
        lines.pop()  # the last line may be incomplete
    lines = [line.rstrip(END) for line in lines if line.strip(END).split()]
    n_lines, lines = len(lines), lines[:LINES]
    if not lines:
        raise ValueError(f"{path} is empty")
    if sep := _named_columns(lines):
        return Layout(1, sep, sep, table=True)
    first = header_of(lines[0])
    body = lines[1:] if first and len(lines) > 1 else lines
    dims, after, between = _separated(body)
    if _has_decimal_commas(body):
        raise _refusal(path, lines, "; write the numbers with points, not with decimal commas")
    header = first is not None and len(lines) > 1
    if first and len(first) == dims + 1:  # or a word and its numbers
        header = first[1] == dims and first[0] == (n_lines - 1 if ended else max(first[0], n_lines))
    if not header and first:
        dims, after, between = _separated(lines)
    if dims < 1 or (dims < 2 and not header):
        raise _refusal(path, lines)
    promised = _promised(first, dims, path) if header and first else None
    quoted = not between.isspace() or all(line.lstrip()[:1] == b'"' for line in body)
    layout = Layout(dims, after, between, header, promised, quoted)
    if after == between and _are_numbers(body, between, path):
        return replace(layout, dims=dims + 1, matrix=True)
    _refuse_counts([parts[1] for line in body if (parts := layout.fields(line))], path)
    return replace(layout, numbered=_are_numbered(layout, body))


def _split(line: bytes, sep: bytes) -> list[bytes]:
    parts = line.rstrip(END + sep)
    return parts.split() if sep == b" " else [part.strip() for part in parts.split(sep)]


def _separated(lines: Sequence[bytes]) -> tuple[int, bytes, bytes]:
    """Return the modal number of dimensions, what follows the word, and what separates numbers."""
    counts = {sep: [_dims(_split(line, sep)) for line in lines] for sep in SEPARATORS}
    modes = {sep: _mode(found) for sep, found in counts.items()}
    between = max(SEPARATORS, key=modes.__getitem__)
    dims = modes[between]
    fitting = [line for line, n in zip(lines, counts[between], strict=True) if n == dims]
    sep = between.strip(BLANKS)
    firsts = [line.rstrip(END + between).rsplit(sep or None, dims - 1)[0] for line in fitting]
    found = [one for first in firsts if dims and (one := _FIRST.fullmatch(first.rstrip()))]
    within = all(one[1][:1] == one[2][:1] != one[2] for one in found)  # of words such as :smile:
    gaps = [one[2][within:] for one in found]
    mark = _mode([gap.strip(BLANKS) for gap in gaps]) if gaps else sep
    if mark != sep:
        return dims, _mode([gap for gap in gaps if gap.strip(BLANKS) == mark]), between
    if sep:
        return dims, between, between
    pairs = [(a, b) for b in (b" ", b"\t") for a in (b" ", b"\t")]
    fits = {pair: sum(_fits(line, dims, *pair) for line in lines) for pair in pairs}
    return dims, *max(pairs, key=fits.__getitem__)


def _dims(fields: Sequence[bytes]) -> int:
    """Count the numbers at the end of some fields; the first may be stuck to the word."""
    if len(fields) == 1 and b" " in fields[0]:  # other marks separate the numbers
        return 0
    count = _run(fields[1:])
    place = len(fields) - count - 1
    return count + bool((_LATER if place else _FIRST).fullmatch(fields[place]))


def _fits(line: bytes, dims: int, after: bytes, between: bytes) -> bool:
    word, _, rest = line.partition(after)
    return bool(word) and rest.count(between) == dims - 1


def _mode[T](values: Sequence[T]) -> T:
    return Counter(values).most_common(1)[0][0]


def _run(fields: Sequence[bytes]) -> int:
    """Count the numbers at the end of some fields."""
    for count, part in enumerate(reversed(fields)):
        if not is_number(part):
            return count
    return len(fields)


def is_number(text: bytes) -> bool:
    """Return whether a field is a number, as Python writes it."""
    try:
        return b"_" not in text and float(text) is not None
    except ValueError:
        return False


def _is_decimal(text: bytes) -> bool:
    return (b"." in text or b"e-" in text.lower()) and is_number(text)


def _has_decimal_commas(lines: Sequence[bytes]) -> bool:
    """Return whether most lines have numbers with a comma before decimals.

    If commas separate the numbers, too, decimals that begin with a zero show it.
    """
    found = 0
    for line in lines:
        fields = line.replace(b";", b" ").replace(b"|", b" ").split()[1:]
        commas = [_COMMA.fullmatch(part) is not None for part in fields]
        numbers = [comma or is_number(part) for comma, part in zip(commas, fields, strict=True)]
        found += len(fields) > 1 and any(commas) and all(numbers[-2:])
    pairs = sum(_COMMAS.fullmatch(line) is not None for line in lines)
    if any(re.search(rb",0[0-9]", line) for line in lines):
        found = max(found, pairs)
    return 2 * found > len(lines)


def _named_columns(lines: Sequence[bytes]) -> bytes:
    """Return the separator of a table whose first line has the names of columns, if it is one."""
    for sep in (b",", b";", b"\t", b"|"):
        first, second = (line.split(sep) for line in (lines[0], lines[min(1, len(lines) - 1)]))
        fewest = 2 if b"[" in b"".join(second) else 3  # a word and a list
        if len(first) < fewest or len(lines) < 2 or len(second) < len(first):
            continue
        if first[0].startswith(b"#") and len(second) > len(first):  # a comment
            continue
        parts = [part.strip(b'"').replace(b",", b".").split() for part in first]
        numbers = [b" ".join(part) for part in parts if part and all(map(is_number, part))]
        counting = [str(i).encode() for i in range(len(numbers))] == numbers
        if counting and not is_number(first[0]) and b"[" not in lines[0]:
            return sep
    return b""


def _are_numbers(lines: Sequence[bytes], between: bytes, path: Path) -> bool:
    """Decide whether the lines have numbers only; words may be whole numbers, such as ids.

    If it is not clear, there are no words among them if as many words lie beside the file.
    """
    rows = [_split(line, between) for line in lines if not line.startswith(b"#")]
    if not all(all(map(is_number, row)) for row in rows):
        return False
    decimals = sum(_is_decimal(row[0]) for row in rows)
    if 2 * decimals > len(rows):
        return True
    return 0 not in _counts(rows) and are_beside(path)


def _counts(rows: Sequence[Sequence[bytes]]) -> dict[int, float]:
    """Return the largest number in columns of counts; only there, all numbers are whole.

    In a few lines, only numbers without a point are counts.
    """
    dims = _mode([*map(len, rows)]) if rows else 0
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


def _are_numbered(layout: Layout, lines: Sequence[bytes]) -> bool:
    """Return whether each word follows the number of its row."""
    parts = [layout.fields(line) for line in lines]
    found = [_ROW.fullmatch(part[0]) for part in parts if part]
    numbers = [int(one[1]) for one in found if one]
    return len(numbers) > 2 and numbers == [*range(numbers[0], numbers[0] + len(found))]


def _promised(first: Sequence[int], dims: int, path: Path) -> int | None:
    """Return the number of words in a header, and check its number of dimensions."""
    if len(first) == 1:
        return None
    if first[0] == 0 or not 0 < first[1] <= LARGEST_DIMS:
        raise ValueError(impossible(path, *first[:2]))
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
        f"by spaces, tabs, or commas; it begins {lines[0][:40]!r}{hint}"
    )
