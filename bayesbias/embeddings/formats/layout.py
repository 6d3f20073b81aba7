"""Determine how the lines of a text file of vectors are made up, from its first lines.

The layout says what follows the word, what separates the numbers, how many numbers the lines have,
and whether the first line is a header. Where the lines are ambiguous, the file is refused.
"""

from __future__ import annotations

import codecs
import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from ..source import LARGEST_DIMS

LINES = 200
"""Number of lines that show the layout."""

COUNTS_FROM = 10
"""Whole numbers in the first column are counts, not a dimension, if some are this large."""

BLANKS = b" \t\r\n"
END = BLANKS + b"]"
"""What may follow the last number of a line: blanks, or the end of a list."""

SEPARATORS = (b" ", b"\t", b",", b";", b"|")
_COMMA = re.compile(rb"[-+]?[0-9]*,[0-9]+([eE][-+]?[0-9]+)?")
_GLUED = re.compile(
    rb"(?s)(?:.*[^ \t]([ \t,;|:=])|.*[^ \t:=,]([ \t:=,]+\[))[ \t]*\"?[-+]?[0-9.][-+0-9.eE]*"
)
"""A word stuck to its first number, and what is between them, such as ``: [``."""


@dataclass(frozen=True)
class Layout:
    """The separators, the number of dimensions, and what the first line is.

    `promised` is the number of words in the header, if it has one. Words may be `quoted`. A `table`
    begins with the names of its columns. The lines of a `matrix` have no words.
    """

    dims: int
    after: bytes = b" "
    between: bytes = b" "
    header: bool = False
    promised: int | None = None
    quoted: bool = False
    table: bool = False
    matrix: bool = False

    def fields(self, line: bytes) -> tuple[bytes, list[bytes]] | None:
        """Split a line into the word and its last `dims` fields; return None if it has fewer."""
        free = self.between.isspace() and self.after.isspace()  # any run of blanks and tabs
        sep = None if free or self.between == b" " else self.between
        if free or self.after == self.between:
            parts = line.rsplit(sep, self.dims)
        else:
            first, *others = line.rsplit(sep, self.dims - 1)
            parts = [*first.rsplit(self.after, 1), *others]
        word, numbers = parts[0], parts[1:]
        odd = len(numbers) != self.dims or any(_is_decimal(part) for part in word.split()[1:])
        return None if odd or not word.strip(BLANKS) else (word.strip(BLANKS), numbers)


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
    lines = [line.rstrip(END) for line in lines if line.strip(END).split()][:LINES]
    if not lines:
        raise ValueError(f"{path} is empty")
    first = header_of(lines[0])
    body = lines[1:] if first and len(lines) > 1 else lines
    dims, after, between = _separated(body)
    if sep := _named_columns(lines):
        return Layout(max(dims, 1), sep, sep, table=True)
    if 2 * sum(map(_has_decimal_commas, body)) > len(body):
        raise _refusal(path, lines, "; write the numbers with points, not with decimal commas")
    header = first is not None and len(lines) > 1 and len(first) != dims + 1
    if not header and first:
        dims, after, between = _separated(lines)
    if dims < 1 or (dims < 2 and not header):
        raise _refusal(path, lines)
    matrix = after == between and _all_numbers(body, between)
    if not matrix:
        _refuse_counts(body, after, between, path)
    promised = _promised(first, dims, path) if header and first else None
    quoted = not between.isspace() or all(line.lstrip()[:1] == b'"' for line in body)
    return Layout(dims + matrix, after, between, header, promised, quoted, matrix=matrix)


def _split(line: bytes, sep: bytes) -> list[bytes]:
    return line.split() if sep == b" " else [part.strip() for part in line.rstrip(sep).split(sep)]


def _separated(lines: Sequence[bytes]) -> tuple[int, bytes, bytes]:
    """Return the modal number of dimensions, what follows the word, and what separates numbers."""
    modes = {sep: _mode([_run(_split(line, sep)[1:]) for line in lines]) for sep in SEPARATORS}
    between = max(SEPARATORS, key=modes.__getitem__)
    dims, after = modes[between], between
    glued = []
    for line in lines:
        fields = _split(line, between)
        found = _GLUED.fullmatch(fields[max(len(fields) - dims - 1, 0)])
        glued.append(found[1] or found[2] if found else b"")
    if dims and (common := _mode(glued)):
        return dims + 1, common, between
    if between == b" ":
        pairs = [(a, b) for b in (b" ", b"\t") for a in (b" ", b"\t")]
        fits = {pair: sum(_fits(line, dims, *pair) for line in lines) for pair in pairs}
        after, between = max(pairs, key=fits.__getitem__)
    return dims, after, between


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


def _has_decimal_commas(line: bytes) -> bool:
    """Return whether the fields after the word are numbers, some with a comma before decimals."""
    fields = line.replace(b";", b" ").split()[1:]
    commas = [_COMMA.fullmatch(part) is not None for part in fields]
    numbers = [comma or is_number(part) for comma, part in zip(commas, fields, strict=True)]
    return len(fields) > 1 and any(commas) and all(numbers[-2:])


def _named_columns(lines: Sequence[bytes]) -> bytes:
    """Return the separator of a table whose first line has the names of columns, if it is one."""
    for sep in (b",", b";", b"\t", b"|"):
        first, second = (line.split(sep) for line in (lines[0], lines[min(1, len(lines) - 1)]))
        fewest = 2 if b"[" in lines[-1] else 3  # a word and a list
        if len(first) < fewest or len(lines) < 2 or len(second) < len(first):
            continue
        parts = [part.strip(b'"').replace(b",", b".").split() for part in first]
        numbers = [b" ".join(part) for part in parts if part and all(map(is_number, part))]
        counting = [str(i).encode() for i in range(len(numbers))] == numbers
        if counting and not is_number(first[0]) and b"[" not in lines[0]:
            return sep
    return b""


def _all_numbers(lines: Sequence[bytes], between: bytes) -> bool:
    """Decide whether the lines have numbers only; words may be whole numbers, such as ids."""
    fields = [_split(line, between) for line in lines if not line.startswith(b"#")]
    return all(all(map(is_number, some)) and _is_decimal(some[0]) for some in fields)


def _refuse_counts(lines: Sequence[bytes], after: bytes, between: bytes, path: Path) -> None:
    """Refuse lines of a word, its count, and decimals, since the count is not a dimension."""
    rows = [
        part for line in lines if len(part := _split(line.replace(after, between), between)) > 2
    ]
    first, second = ([row[place] for row in rows] for place in (1, 2))
    counts = len(set(first)) > 2 and all(part.isdigit() for part in first)
    if counts and max(map(int, first)) >= COUNTS_FROM and all(b"." in part for part in second):
        raise ValueError(
            f"{path}: the first column after the word has whole numbers (such as "
            f"{max(first, key=int).decode()}), as counts do, and the others have decimals; delete "
            "the column of counts"
        )


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
