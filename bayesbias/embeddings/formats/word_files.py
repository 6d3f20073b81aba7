"""Find and read the words of a matrix, which are in a file next to it."""

from __future__ import annotations

import json
import pickle
import re
from contextlib import suppress
from pathlib import Path
from typing import NoReturn

from ..._core.checks import Argument, ArgumentError
from ..._core.reading import as_utf8, damage_named, located
from ...tables.encodings import Decoder

PARTS = ("words", "vocab", "vocabulary", "metadata", "labels", "tokens")
ENDINGS = (".txt", ".tsv", ".csv", ".vocab", ".words", ".json", ".pkl")

_PACKED = re.compile(r"\.(npy|safetensors|tsv|txt)$")
_ROLE = re.compile(r"[-_.](w|vec|vectors?|matrix|embeddings?|tensors?)$", re.IGNORECASE)
"""Ends of names of matrices, such as ``1990-w.npy`` next to ``1990-vocab.pkl``."""

_COUNT = re.compile(r"(.+)[ \t,][0-9]+")
HEADS = ("word", "words", "token", "tokens", "label", "labels", "term", "name", "key")
"""Names of a column of words."""


def place_of_words(matrix: Path) -> Path:
    """Return the path of the words of a matrix, such as ``NAME.txt`` or ``NAME-vocab.json``."""
    stem = _PACKED.sub("", matrix.stem)
    stems = [*dict.fromkeys((stem, _ROLE.sub("", stem)))]
    names = [*stems, *(f"{own}{mark}{part}" for own in stems for part in PARTS for mark in "-_.")]
    paths = (matrix.with_name(name + end) for name in (*names, *PARTS) for end in ENDINGS)
    found = next((path for path in paths if path.is_file() and path != matrix), None)
    if found is None:
        raise FileNotFoundError(
            f"{matrix} has no words; put them next to it in {matrix.with_name(stem)}.txt, one word "
            "per line, in the order of the rows"
        )
    return found


def words_of_rows(path: Path, n_rows: int, *, allow_pickle: bool) -> list[str]:
    """Return the words in a file, without a header and columns after the words."""
    if path.suffix == ".pkl":
        return _pickled(path, allow=allow_pickle)
    content = path.read_bytes()
    if path.suffix == ".json" and content.lstrip()[:1] in (b"[", b"{"):
        with located(path):
            return _listed(json.loads(content), path)
    return _first_column(_lines(content, path), n_rows)


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


def _first_column(lines: list[str], n_rows: int) -> list[str]:
    """Return the words of lines that may have a header, further columns, or blank lines below."""
    while len(lines) > n_rows and not lines[-1].strip():
        lines = lines[:-1]
    first = lines[0].lower() if lines else ""
    sep = "," if "\t" not in first and {*HEADS} & {*first.split(",")[1:]} else "\t"
    columns = [line.split(sep) for line in lines]
    place, heads = 0, [head.strip() for head in first.split(sep)]
    if len(lines) == n_rows + 1 and (len(heads) > 1 or heads[0] in HEADS):
        place = next((i for i, head in enumerate(heads) if head in HEADS), 0)
        columns, lines = columns[1:], lines[1:]
    if columns and min(map(len, columns)) > max(place, 1):
        return [some[place] for some in columns]
    counts = [_COUNT.fullmatch(line) for line in lines]
    return [found[1] for found in counts if found] if all(counts) else lines


def _listed(given: object, path: Path) -> list[str]:
    """Return the words in a list, or in a mapping of words to rows."""
    if isinstance(given, dict):
        rows = {row: word for word, row in given.items()}
        if set(rows) != set(range(len(given))):
            raise ValueError(f"{path} does not map each word to its row, from 0")
        given = [rows[row] for row in range(len(given))]
    listed = given if isinstance(given, list | tuple) else [None]
    words = [one.decode(errors="replace") if isinstance(one, bytes) else one for one in listed]
    if not all(isinstance(one, str) for one in words):
        raise ValueError(f"{path} is not a list of words")
    return [*map(str, words)]


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
