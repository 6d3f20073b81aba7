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
from ...tables.raw_rows import within_quotes
from ...warnings import ColumnsNotRead
from .columns import WORD_NAMES, plain_name, rank_of

PARTS = ("words", "vocab", "vocabulary", "metadata", "labels", "tokens")
ENDINGS = (".txt", ".tsv", ".csv", ".vocab", ".words", ".json", ".pkl")

_PACKED = re.compile(r"\.(npy|safetensors|tsv|txt)$")
_ROLE = re.compile(r"[-_.](w|vec|vectors?|matrix|embeddings?|tensors?)$", re.IGNORECASE)
"""Ends of names of matrices, such as ``1990-w.npy`` next to ``1990-vocab.pkl``."""

OTHER_NAMES = ("count", "freq", "frequency", "rank", "index", "row", "n", "pos", "norm", "", "#")
"""Usual names of columns next to the words; pandas leaves the name of an index empty."""

_ROW_NAME = re.compile(
    r"((row|word|token|vocab|vec(tor)?|emb(edding)?|matrix)[ _.-]?)?(index|indice|idx|id|row)"
    r"|row[ _.-]?num(ber)?"
)
"""Names of columns, without a plural s, that may have the rows of words in any order."""

_OF_ROWS = re.compile("row|ind|idx")
"""How names begin that count rows; an id may be of another vocabulary."""

_GENSIM = ("id", "word", "df")
"""Columns of a Dictionary that gensim saved as text, below the number of documents."""

type Column = tuple[str | None, list[str]]
"""The name of a column next to the words, if the file has names, and its cells."""

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
    """Return the words in a file, in the order of a column such as ``index``, or of lines.

    A warning names the columns next to the words.
    """
    words, others = _words_and_columns(path, n_rows, allow_pickle=allow_pickle)
    order = _order(others, path)
    shown = [repr(name) if name else _shown(column) for name, column in others]
    if order:
        shown = [
            f"{name} (orders the words)" if name in map(repr, order) else name for name in shown
        ]
    if shown:
        warn(ColumnsNotRead(tuple(shown), about=str(path)))
    lines = next(iter(order.values()), range(len(words)))
    return [words[line] for line in lines]


def _words_and_columns(
    path: Path, n_rows: int, *, allow_pickle: bool
) -> tuple[list[str], list[Column]]:
    """Return the words in a file in the order of lines, and the names and cells of columns."""
    if path.suffix == ".pkl":
        return _pickled(path, allow=allow_pickle), []
    content = path.read_bytes()
    if path.suffix == ".json" and content.lstrip()[:1] in (b"[", b"{"):
        with located(path):
            return _listed(json.loads(content), path), []
    return _split(_lines(content, path), n_rows)


def are_beside(matrix: Path) -> bool:
    """Return whether a file with as many words as a text of numbers has lines lies next to it."""
    with suppress(FileNotFoundError, ValueError), heard():
        place = place_of_words(matrix)
        with opened(matrix) as (_, stream, _):
            n_rows = sum(not line.startswith(b"#") for line in stream if line.strip())
        return len(_words_and_columns(place, n_rows, allow_pickle=False)[0]) == n_rows
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


def _split(lines: list[str], n_rows: int) -> tuple[list[str], list[Column]]:
    """Return the words of lines that may have a header, or blank lines below, and other columns."""
    while len(lines) > n_rows and not lines[-1].strip():
        lines = lines[:-1]
    header = len(lines) == n_rows + 1
    if header and _is_dictionary(lines):
        lines = ["\t".join(_GENSIM), *lines[1:]]
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
    names: Sequence[str | None] = heads or [None] * len(columns)
    others = [pair for pair in zip(names, columns, strict=True) if pair[1] is not columns[place]]
    return columns[place], others


def _is_dictionary(lines: Sequence[str]) -> bool:
    """Return whether lines are a Dictionary of gensim, whose ids are rows in any order."""
    rows = [line.split("\t") for line in lines]
    if not lines[0].strip().isdecimal() or {*map(len, rows[1:])} != {len(_GENSIM)}:
        return False
    return _number_rows([row[0] for row in rows[1:]]) and all(r[2].isdecimal() for r in rows[1:])


def _number_rows(column: Sequence[str]) -> bool:
    """Return whether a column has the numbers from 0 on, in any order."""
    found = [cell.strip() for cell in column]
    return len(found) > 1 and {*found} == {*map(str, range(len(found)))}


def _order(columns: list[Column], path: Path) -> dict[str, list[int]]:
    """Return the lines in the order of the column that numbers the rows, by its name.

    It is empty if no column is called so, or if one counts up, or one of rows rises. A ValueError
    is raised if a column of a file without names may number the rows.
    """
    found: dict[str, list[int]] = {}
    for name, column in columns:
        if name is None or not _ROW_NAME.fullmatch(plain_name(name)):
            continue
        if not all(cell.strip().isdecimal() for cell in column):
            continue
        numbers = [*map(int, column)]
        ordered = sorted(numbers)
        counts = ordered in ([*range(first, first + len(ordered))] for first in (0, 1))
        if numbers == ordered and (counts or _OF_ROWS.match(plain_name(name))):
            return {}
        if counts:
            found[name] = sorted(range(len(numbers)), key=numbers.__getitem__)
    unnamed = [column for name, column in columns if name is None and _number_rows(column)]
    if unnamed and not any(map(_counts_up, unnamed)):
        raise ValueError(
            f"{path} has a column that may number the rows in another order than that of the lines "
            f"({abridged(unnamed[0], 4)}). Put names above the columns, such as word and index; "
            "or, if the lines are in the order of the vectors, delete the column"
        )
    if len({*map(tuple, found.values())}) > 1:
        names = " and ".join(map(repr, found))
        raise ValueError(f"{path} numbers the rows differently in {names}; leave one out")
    return found


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
    return [*map(within_quotes, column)]


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
