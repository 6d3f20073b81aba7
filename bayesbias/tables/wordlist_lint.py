"""Look a word-list file over: every flaw in it, with the line that it is on."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator, Mapping
from pathlib import Path

import pandas as pd

from .wordlist_findings import Finding, find_flaws
from .wordlists import read_wordlist_text, wordlist_content, wordlist_path

_TOKEN = re.compile(
    r"""
      (?P<comment> \#[^\n]* )
    | (?P<text> \"{3} (?:\\.|[^\\])*? \"{3,5} | '{3} .*? '{3,5}
              | " (?:\\.|[^"\\\n])* " | '[^'\n]*' )
    | (?P<bare> [\w+:-]+ )
    | (?P<mark> [=\[\]{},\n] )
    """,
    re.VERBOSE | re.DOTALL,
)
"""What valid TOML is made of; spaces and the dots of dotted keys carry nothing further."""


_Path = tuple[str, ...]
_Lines = Mapping[tuple[_Path, str | None], list[int]]
"""Lines of each word under each key; of the key itself under None."""


def check_wordlist(source: str | Path) -> pd.DataFrame:
    """Look a word-list file over and tell all that is wrong or doubtful in it.

    Parameters
    ----------
    source : str or Path
        The name of a bundled list or the path of a TOML file; the file need not be loadable.

    Returns
    -------
    DataFrame
        One row a finding, in the order of the file: ``severity`` (``error`` keeps the list from
        loading, ``warning`` does not), ``key`` (such as ``groups.man``; empty for the file as a
        whole), ``line`` (1-based; 0 if none), ``word`` (empty if none), ``finding``. A repeated
        word is reported on the line of its second occurrence. Empty if all is well.

    Raises
    ------
    ValueError
        If the name is unknown, or a file does not end in ``.toml``.
    FileNotFoundError, IsADirectoryError
        If the path leads to no file.
    """
    path = wordlist_path(source)
    try:
        text = read_wordlist_text(path)
        content = wordlist_content(text, path)
    except ValueError as error:
        rows = [("error", "", _line_in(str(error)), "", str(error))]
    else:
        lines = _lines(text)
        rows = [
            (finding.severity, finding.key, _line_of(finding, lines), finding.word, finding.text)
            for finding in find_flaws(content)
        ]
    rows.sort(key=lambda row: row[2])
    return pd.DataFrame(rows, columns=["severity", "key", "line", "word", "finding"])


def _line_in(message: str) -> int:
    """Line that tomllib's message names; 0 if it names none."""
    match = re.search(r"at line (\d+)", message)
    return int(match[1]) if match else 0


def _line_of(finding: Finding, lines: _Lines) -> int:
    """Line of a finding's word, or else of its key, or else of the table that lacks the key."""
    path = finding.path
    words = lines.get((path, finding.word), [])
    if len(words) >= finding.occurrence:
        return words[finding.occurrence - 1]
    keys = lines.get((path, None)) or lines.get((path[:1], None), [0])
    return keys[0]


def _lines(text: str) -> _Lines:
    """Lines of all keys and strings of valid TOML."""
    lines: dict[tuple[_Path, str | None], list[int]] = {}
    for path, word, line in _places(text):
        lines.setdefault((path, word), []).append(line)
        if word is None and len(path) > 1:
            lines.setdefault((path[:1], None), []).append(line)
    return lines


def _places(text: str) -> Iterator[tuple[_Path, str | None, int]]:
    """Path, string (None for the key itself) and line, in the order of the text."""
    table: _Path = ()
    path: _Path = ()
    keys: list[str] = []
    opened: list[tuple[str, _Path]] = []
    in_value = False
    for kind, token, line in _tokens(text):
        if kind != "mark" and not in_value:
            keys.append(_plain(token))
        elif kind == "text":
            yield path, _plain(token), line
        elif token in ("[", "{") and in_value:
            opened.append((token, path))
            in_value = token == "["
        elif token in ("]", "}") and opened:
            path, in_value, keys = opened.pop()[1], True, []
        elif token in ("=", "]") and keys:
            inside = opened[-1][1] if opened else table
            path = (*inside, *keys) if token == "=" else tuple(keys)
            table = path if token == "]" else table
            yield path, None, line
            in_value, keys = token == "=", []
        elif token == "," or (token == "\n" and not opened):
            in_value = bool(opened) and opened[-1][0] == "["


def _tokens(text: str) -> Iterator[tuple[str, str, int]]:
    """Kind, text and line of every token but comments."""
    line, end = 1, 0
    for match in _TOKEN.finditer(text):
        line += text.count("\n", end, match.start())
        end = match.start()
        if match.lastgroup is not None and match.lastgroup != "comment":
            yield match.lastgroup, match[0], line


def _plain(token: str) -> str:
    """What a key or string means, its quotes and escapes resolved."""
    if not token.startswith(('"', "'")):
        return token
    return str(tomllib.loads(f"text = {token}")["text"])
