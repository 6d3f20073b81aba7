"""Files of word lists: where they are, and what they hold before anything is checked."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from .._core.checks import check_path, unknown_name
from .._core.reading import located, parse_json, parse_toml, read_text
from .._core.resources import bundled_names, toml_path
from .schema import require_columns
from .table_files import read_csv
from .wordlist_lint import shown

ENDINGS = (".toml", ".json", ".csv")

HEADS = ("role", "set", "word")
"""Columns of a list's frame, and of its CSV file."""

ROLES = {"protected": "groups", "stereotype": "stereotypes", "control": "controls"}
"""Tables that hold the words of each role."""


def wordlists() -> list[str]:
    """Return the names of the bundled word lists.

    Examples
    --------
    >>> import bayesbias as bb
    >>> bb.wordlists()[:4]
    ['age', 'disability', 'gender', 'gender-de']
    """
    names = bundled_names("wordlists", ".toml")
    return sorted(names, key=lambda name: re.sub(r"\d+$", lambda digits: f"{digits[0]:>9}", name))


def wordlist_path(source: str | Path) -> Path:
    """Find the file of a bundled list's name or of a path."""
    check_path("a word list", source, "a mapping, or as four sets to bb.WordList.from_query")
    return toml_path(source, "wordlists", "word list", ENDINGS)


def read_wordlist(path: Path) -> dict[str, Any]:
    """Read the tables and texts of a word list's file, unchecked; its name is the file's stem."""
    ending = path.suffix.lower()
    with located(path):
        if ending == ".csv":
            content = _content_of_rows(path)
        elif ending == ".json":
            content = parse_json(read_text(path))
            if not isinstance(content, dict):
                raise ValueError(f"it holds {shown(content)} instead of an object of sets")
        else:
            content = parse_toml(read_text(path), "a word list")
    return {"name": path.stem, **content}


def with_bundled_controls(content: Mapping[str, Any]) -> dict[str, Any]:
    """Replace the names of bundled control lists by the words that these hold themselves."""
    if not isinstance(controls := content.get("controls"), Mapping):
        return dict(content)
    words = dict(controls)
    for kind, source in controls.items():
        if isinstance(source, str):
            if source not in wordlists():
                text = unknown_name("bundled word list", source, wordlists())
                raise ValueError(f"controls.{kind}: {text}; a list of words may stand here instead")
            words[kind] = read_wordlist(wordlist_path(source)).get("controls", {}).get(kind)
            if words[kind] is None:
                raise ValueError(f"controls: the list {source!r} holds no {kind!r} control words")
    return {**content, "controls": words}


def _content_of_rows(path: Path) -> dict[str, Any]:
    """Return the sets in rows of ``role``, ``set`` and ``word``."""
    frame = read_csv(path, dtype=str, keep_default_na=False)
    require_columns(frame, HEADS)
    content: dict[str, Any] = {}
    for row in frame[[*HEADS]].fillna("").itertuples():
        role, name, word = (str(cell).strip() for cell in row[1:])
        if role not in ROLES:
            raise ValueError(f"row {row[0] + 2}: {unknown_name('role', role, ROLES)}")
        if role == "stereotype" and name not in content.get("groups", {}):
            name = name.removesuffix("_stereotype")
        content.setdefault(ROLES[role], {}).setdefault(name, []).append(word)
    return content
