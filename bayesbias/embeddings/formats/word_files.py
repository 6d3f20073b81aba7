"""Find and read the words of a matrix, which are in a file next to it."""

from __future__ import annotations

import codecs
import json
import pickle
import re
from pathlib import Path
from typing import Any, NoReturn

from ..._core.checks import Argument, ArgumentError
from ..._core.reading import DAMAGE, damage_named, located
from .encodings import Decoder

OWN = ("{}.txt", "{}.tsv", "{}.csv", "{}.vocab", "{}.words", "{}.json", "{}-vocab.pkl", "{}.pkl")
PARTS = ("words", "vocab", "vocabulary", "metadata", "labels", "tokens")
ENDINGS = (".txt", ".tsv", ".json", ".pkl")
NEARBY = (
    *OWN,
    *(f"{{}}{mark}{part}{end}" for part in PARTS for mark in "-_." for end in ENDINGS),
    *(f"{part}{end}" for part in PARTS for end in ENDINGS),
)
"""Names of the file of words, where ``{}`` is the name of the matrix, in order of preference."""

_PACKED = re.compile(r"\.(npy|safetensors|tsv|txt)$")
_ROLE = re.compile(r"[-_.](w|vec|vectors?|matrix|embeddings?|tensors?)$", re.IGNORECASE)
"""Ends of names of matrices, such as ``1990-w.npy`` next to ``1990-vocab.pkl``."""

_COUNT = re.compile(r"(.+)[ \t,][0-9]+")
HEADS = ("word", "words", "token", "tokens", "label", "labels", "term", "name", "key")
"""Names of a column of words."""


def words_next_to(matrix: Path, n_words: int, *, allow_pickle: bool = False) -> list[str]:
    """Return the words of the `n_words` rows of a matrix, from the file next to it."""
    stem = _PACKED.sub("", matrix.stem)
    stems = dict.fromkeys((stem, _ROLE.sub("", stem)))
    names = [name.format(stem) for stem in stems for name in NEARBY]
    found = [path for name in names if (path := matrix.with_name(name)).is_file()]
    found = [path for path in found if path != matrix]
    if not found:
        raise FileNotFoundError(
            f"{matrix} has no words; put them next to it in {matrix.with_name(stem)}.txt, one word "
            "per line, in the order of the rows"
        )
    path = found[0]
    read = _pickled(path, allow=allow_pickle) if path.suffix == ".pkl" else None
    words = lines_of(path.read_bytes(), path, n_words) if read is None else read
    if len(words) != n_words:
        raise ValueError(
            f"{matrix} has unequal numbers of words and vectors ({len(words):,} in {path.name}, "
            f"and {n_words:,}); create it again"
        )
    return words


def lines_of(content: bytes, path: Path, n_words: int | None = None) -> list[str]:
    """Return the words of a file with one word per line.

    If the number of words is given, a header and columns after the words are left out.
    """
    decode = Decoder()
    if content.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        content = content.decode("utf-16", errors="replace").encode()
    content = content.removeprefix(codecs.BOM_UTF8)
    if n_words is not None and content.lstrip()[:1] in (b"[", b"{") and path.suffix == ".json":
        with located(path):
            return _listed(json.loads(content), path)
    raw = content.removesuffix(b"\n").split(b"\n")
    if len(raw) == 1 and b"\r" in raw[0].rstrip(b"\r"):
        raw = raw[0].removesuffix(b"\r").split(b"\r")
    if all(line.endswith(b"\r") for line in raw[:-1]):
        raw = [line.removesuffix(b"\r") for line in raw]
    lines = [decode(line) for line in raw]
    decode.close(path)
    return lines if n_words is None else _first_column(lines, n_words)


def _first_column(lines: list[str], n_words: int) -> list[str]:
    """Return the words of lines that may have a header, further columns, or blank lines below."""
    while len(lines) > n_words and not lines[-1].strip():
        lines = lines[:-1]
    place, heads = 0, [head.strip().lower() for head in lines[0].split("\t")] if lines else []
    if len(lines) == n_words + 1 and (len(heads) > 1 or heads[0] in HEADS):
        place = next((i for i, head in enumerate(heads) if head in HEADS), 0)
        lines = lines[1:]
    if lines and all("\t" in line for line in lines):
        columns = [line.split("\t") for line in lines]
        if all(len(some) > place for some in columns):
            return [some[place] for some in columns]
    counts = [_COUNT.fullmatch(line) for line in lines]
    return [found[1] for found in counts if found] if all(counts) else lines


def _listed(given: Any, path: Path) -> list[str]:  # noqa: ANN401
    """Return the words in a list, or in a mapping of words to rows."""
    if isinstance(given, dict):
        rows = {row: word for word, row in given.items()}
        if set(rows) != set(range(len(given))):
            raise ValueError(f"{path} does not map each word to its row, from 0")
        given = [rows[row] for row in range(len(given))]
    if isinstance(given, list):
        given = [
            each.decode(errors="replace") if isinstance(each, bytes) else each for each in given
        ]
    if not isinstance(given, list) or not all(isinstance(each, str) for each in given):
        raise ValueError(f"{path} is not a list of words")
    return given


class _WordsOnly(pickle.Unpickler):
    """Reads lists, mappings, and text; refuses everything that could run a program."""

    def find_class(self, module: str, name: str) -> NoReturn:
        raise pickle.UnpicklingError(f"it contains more than words: {module}.{name}")


def _pickled(path: Path, *, allow: bool) -> list[str]:
    """Return the words in a pickle, as HistWords has them."""
    if not allow:
        raise ArgumentError(
            f"{path} is a Python pickle, which can run any program when opened. If you trust its "
            "source, pass ",
            Argument("allow_pickle", True),
            f"; otherwise, get the words as {path.with_suffix('.txt').name}, one per line",
        )
    with damage_named(path, "is damaged, or is not a list of words", errors=DAMAGE):
        with path.open("rb") as file:
            given = _WordsOnly(file, encoding="utf-8", errors="replace").load()
        return _listed(list(given) if isinstance(given, tuple) else given, path)
