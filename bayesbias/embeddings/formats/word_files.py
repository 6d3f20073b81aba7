"""Find and read the words of a matrix, which are in a file next to it."""

from __future__ import annotations

import csv
import json
import pickle
import re
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any, NoReturn

from ..._core.checks import Argument, ArgumentError
from ..._core.display import abridged
from ..._core.reading import as_utf8, damage_named, located, opened, parts_of
from ..._core.warnings import heard, warn
from ...tables.encodings import Decoder
from ...warnings import ColumnsNotRead
from .columns import WORD_NAMES, plain_name, rank_of

PARTS = ("words", "vocab", "vocabulary", "metadata", "labels", "tokens")
ENDINGS = (".txt", ".tsv", ".csv", ".vocab", ".words", ".json", ".pkl")

_PACKED = re.compile(r"\.(npy|safetensors|tsv|txt)$")
_ROLE = re.compile(r"[-_.](w|vec|vectors?|matrix|embeddings?|tensors?)$", re.IGNORECASE)
"""Ends of names of matrices, such as ``1990-w.npy`` next to ``1990-vocab.pkl``."""

OTHER_NAMES = ("count", "freq", "frequency", "rank", "index", "row", "n", "pos", "norm", "", "#")
"""Usual names of columns next to the words; pandas leaves the name of an index empty."""

ROW_NAMES = ("index", "row", "id", "idx", "row_id", "word_id", "token_id", "row_number", "", "#")
"""Names of columns that may have the rows of words in any order."""

COUNT_NAMES = ("count", "freq", "frequency", "frequencie", "rank", "norm")
"""Names of columns of numbers that are not those of rows."""

MANY = 100
"""Number of lines that all end or begin with a number only if it is no part of the words."""


def place_of_words(matrix: Path) -> Path:
    """Return the path of the words of a matrix, such as ``NAME.txt`` or ``NAME-vocab.json``."""
    stem = _PACKED.sub("", matrix.stem)
    stems = [*dict.fromkeys((stem, _ROLE.sub("", stem)))]
    names = [*stems, *(f"{own}{mark}{part}" for own in stems for part in PARTS for mark in "-_.")]
    paths = (matrix.with_name(name + end) for name in (*names, *PARTS) for end in ENDINGS)
    found = next((path for path in paths if path.is_file() and path != matrix), None)
    if found is None:
        way = (
            f"put them next to it in {matrix.with_name(stem)}.txt, one word per line, in the order "
            "of the rows"
        )
        if parts_of(matrix)[1]:
            way = "unpack the archive, and pass the path of the matrix, or of its folder"
        raise FileNotFoundError(f"{matrix} has no words; {way}")
    return found


def words_of_rows(path: Path, n_rows: int, *, allow_pickle: bool) -> list[str]:
    """Return the words in a file."""
    if path.suffix == ".pkl":
        return _pickled(path, allow=allow_pickle)
    content = path.read_bytes()
    if path.suffix == ".json" and content.lstrip()[:1] in (b"[", b"{"):
        with located(path):
            return _listed(json.loads(content), path)
    return _first_column(_lines(content, path), n_rows, path)


def are_beside(matrix: Path) -> bool:
    """Return whether a file with as many words as a text of numbers has lines lies next to it."""
    with suppress(FileNotFoundError, ValueError), heard():
        place = place_of_words(matrix)
        with opened(matrix) as (_, stream, _):
            n_rows = sum(not line.startswith(b"#") for line in stream if line.strip())
        return len(words_of_rows(place, n_rows, allow_pickle=False)) == n_rows
    return False


def native_words(path: Path) -> list[str]:
    """Return the words that `write_native` wrote."""
    content = path.read_bytes()
    if content and not content.endswith(b"\n"):
        raise ValueError(f"{path} does not end with a line break; it was cut off")
    return _lines(content, path)


def _lines(content: bytes, path: Path) -> list[str]:
    """Return the lines of a file, whatever their encoding and the marks of their ends."""
    content = as_utf8(content).removesuffix(b"\n")
    with suppress(UnicodeDecodeError):
        if b"\r" not in content:
            return content.decode().split("\n")
    raw = content.split(b"\n")
    if len(raw) == 1 and b"\r" in raw[0].rstrip(b"\r"):
        raw = raw[0].removesuffix(b"\r").split(b"\r")
    if all(line.endswith(b"\r") for line in raw[:-1]):
        raw = [line.removesuffix(b"\r") for line in raw]
    decode = Decoder()
    lines = [decode(line) for line in raw]
    decode.close(path)
    return lines


def _first_column(lines: list[str], n_rows: int, path: Path) -> list[str]:
    """Return the words of lines that may have a header, further columns, or blank lines below.

    A warning names the columns that are left out.
    """
    while len(lines) > n_rows and not lines[-1].strip():
        lines = lines[:-1]
    header = len(lines) == n_rows + 1
    columns = _columns(lines, header)
    heads = [column[0] for column in columns] if header else []
    usual = (*WORD_NAMES, *(OTHER_NAMES if len(columns) > 1 else ()))
    if {*usual}.isdisjoint(map(plain_name, heads)):
        heads = []
    else:
        lines, columns = lines[1:], [column[1:] for column in columns]
    place = _place_of(columns, heads)
    by_tab = all("\t" in line for line in lines)
    if not heads and not by_tab and len({*columns[place]}) < len({*lines}):  # parts of the words
        columns, place = [_unquoted(lines)], 0
    names = [*heads] if heads else [None] * len(columns)
    words, _ = columns.pop(place), names.pop(place)
    orders = [
        _order(column, name, path, only=len(columns) == 1)
        for name, column in zip(names, columns, strict=True)
    ]
    if len({order for order in orders if order}) > 1:
        raise ValueError(f"{path} has two columns of rows in different orders; leave one out")
    if order := next(filter(None, orders), ()):
        words = [words[line] for line in order]
    rest = [
        repr(name) if name else _shown(column)
        for name, column, order in zip(names, columns, orders, strict=True)
        if not order
    ]
    if rest:
        warn(ColumnsNotRead(tuple(rest), about=str(path)))
    return words


def _order(column: list[str], name: str | None, path: Path, *, only: bool) -> tuple[int, ...]:
    """Return the lines in the order of the rows that a column has; empty if there are no rows.

    A ValueError is raised if the column may have something else.
    """
    numbers = [int(cell) for cell in column if cell.strip().isdecimal()]
    first = min(numbers, default=2)
    each_once = len(numbers) == len(column) and sorted(numbers) == [
        *range(first, first + len(column))
    ]
    counts = name is not None and plain_name(name) in COUNT_NAMES
    if counts or not each_once or first > 1 or numbers == sorted(numbers):
        return ()
    falls = numbers == sorted(numbers, reverse=True)  # as counts do
    if not (plain_name(name) in ROW_NAMES if name is not None else only and not falls):
        raise ValueError(
            f"{path}: {repr(name) if name else _shown(column)} may be the rows of the words, or "
            "something else. Sort the lines by row and leave it out, or name it 'row'"
        )
    return tuple(sorted(range(len(numbers)), key=numbers.__getitem__))


def _place_of(columns: list[list[str]], heads: list[str]) -> int:
    """Return the place of the column of words."""
    ranks = [*map(rank_of, heads or [""] * len(columns))]
    sure = [place for place, rank in enumerate(ranks) if rank < 3]
    texts = [place for place, column in enumerate(columns) if not all(map(_is_number, column))]
    others = [place for place, column in enumerate(columns) if not _counts_up(column)]
    return min(sure or texts or others or [0], key=ranks.__getitem__)


def _shown(column: list[str]) -> str:
    """Return what describes a column without a name."""
    return "the numbers of rows" if _counts_up(column) else f"the column {abridged(column, 3)}"


def _columns(lines: list[str], header: bool) -> list[list[str]]:
    """Split lines at TABs, or at marks or blanks if a column has counts, or a usual name."""
    for sep in "\t,; ":
        if not lines or not all(sep in line for line in lines):
            continue
        named = header and not {*WORD_NAMES}.isdisjoint(map(plain_name, _fields(lines[0], sep)))
        cut = [re.sub(" +", " ", line.strip(" ")) for line in lines] if sep == " " else lines
        ways = [[line.rsplit(sep, 1) for line in cut], [line.split(sep, 1) for line in cut]]
        if sep != " " or named:
            ways.insert(0, [_fields(line, sep) for line in lines])
        for rows in ways:
            widths = {*map(len, rows)}
            if min(widths) == 1 or (len(widths) > 1 and sep != "\t"):
                continue
            columns = [_unquoted(column) for column in zip(*rows, strict=False)]
            if sep == "\t" or named:
                return columns
            if any(_are_counts(column[header:]) for column in columns):
                parts = [_columns(one, header) if sep == " " else [one] for one in columns]
                return [column for part in parts for column in part]
    return [_unquoted(lines)]


def _fields(line: str, sep: str) -> list[str]:
    """Split a line at a separator, but not within quotes."""
    with suppress(csv.Error):
        if sep in ",;":
            return next(csv.reader([line], delimiter=sep))
    return line.split(sep)


def _unquoted(column: Sequence[str]) -> list[str]:
    """Return the content of quotes if all cells have them."""
    if not all(len(cell) > 1 and cell[0] == cell[-1] == '"' for cell in column):
        return [*column]
    return [cell[1:-1].replace('""', '"') for cell in column]


def _is_number(cell: str) -> bool:
    return re.fullmatch(r"\s*-?[0-9]+(\.[0-9]*)?(e[-+]?[0-9]+)?\s*", cell) is not None


def _counts_up(column: Sequence[str]) -> bool:
    """Return whether a column has the numbers of rows."""
    found = [cell.strip() for cell in column]
    return found in ([*map(str, range(start, start + len(found)))] for start in (0, 1))


def _are_counts(column: Sequence[str]) -> bool:
    """Return whether a column has numbers of rows or counts, rather than parts of the words.

    Counts never rise, or are there in many lines.
    """
    if len(column) < 2 or not all(map(_is_number, column)):
        return False
    numbers = [*map(float, column)]
    fall = numbers[0] > numbers[-1] and sorted(numbers, reverse=True) == numbers
    return fall or len(numbers) >= MANY or _counts_up(column)


def _listed(given: object, path: Path) -> list[str]:
    """Return the words in a list, in a mapping of words to rows or back, or in the only list."""
    if isinstance(given, dict):
        lists = [one for one in given.values() if isinstance(one, list)]
        lists = [one for one in lists if all(isinstance(word, str) for word in one)]
        given = lists[0] if len(lists) == 1 else _by_row(given, path)
    listed = given if isinstance(given, list | tuple) else [None]
    words = [one.decode(errors="replace") if isinstance(one, bytes) else one for one in listed]
    if not all(isinstance(one, str) for one in words):
        raise ValueError(f"{path} is not a list of words")
    return [*map(str, words)]


def _by_row(given: dict[Any, Any], path: Path) -> list[Any]:
    """Return words in the order of rows that they map to, or that map to them."""
    pairs = [(row, word) for word, row in given.items()]
    if all(str(row).isdecimal() and isinstance(word, str | bytes) for row, word in given.items()):
        pairs = [(int(row), word) for row, word in given.items()]
    rows = {row: word for row, word in pairs if isinstance(row, int | float)}
    if set(rows) != set(range(len(given))):
        raise ValueError(f"{path} does not map each word to its row, from 0")
    return [rows[row] for row in range(len(given))]


class _WordsOnly(pickle.Unpickler):
    """Reads lists, mappings, and text; refuses everything that could run a program."""

    def find_class(self, module: str, name: str) -> NoReturn:
        raise pickle.UnpicklingError(f"it contains more than words: {module}.{name}")


def require_trust(path: Path, otherwise: str, *, allowed: bool) -> None:
    """Refuse a pickle unless it is allowed, and say what to get otherwise."""
    if not allowed:
        raise ArgumentError(
            f"{path} is a Python pickle, which can run any program when opened. If you trust its "
            "source, pass ",
            Argument("allow_pickle", True),
            f"; otherwise, get {otherwise}",
        )


def _pickled(path: Path, *, allow: bool) -> list[str]:
    """Return the words in a pickle, as HistWords has them."""
    text = path.with_suffix(".txt").name
    require_trust(path, f"the words as {text}, one per line", allowed=allow)
    with damage_named(path, "is damaged, or is not a list of words"), path.open("rb") as file:
        return _listed(_WordsOnly(file, encoding="utf-8", errors="replace").load(), path)
