"""Files of word lists: where they are, and what their TOML holds before anything is checked."""

from __future__ import annotations

import re
import reprlib
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from .._core.checks import unknown_name
from .._core.reading import parse_toml, read_text
from .._core.resources import bundled_names, toml_path

CONTROLS = ("neutral", "human")
"""The control lists a word list may carry, named as their connection in the table."""

TEXTS = ("name", "title", "reference", "licence", "note")
"""Keys of a word list that hold a text."""

WORD_TABLES = ("groups", "stereotypes", "controls")
"""Tables of a word list that hold words by set."""

TABLES = (*WORD_TABLES, "stereotype_names")
"""All tables of a word list."""


@dataclass(frozen=True)
class Unresolved:
    """Stands in the place of words that were named but could not be had, and says why."""

    reason: str


def wordlists() -> list[str]:
    """Return the names of the bundled word lists."""
    return sorted(bundled_names("wordlists", ".toml"), key=_natural)


def wordlist_path(source: str | Path) -> Path:
    """Find the file of a bundled list's name or of a path; see `load_wordlist` for the errors."""
    return toml_path(source, "wordlists", "word list")


def wordlist_content(text: str, path: Path) -> dict[str, Any]:
    """Parse a file's text and put the words of bundled control lists in the place of their names.

    Only bundled lists can be named, and only those that hold the words themselves: a reference
    is one step long and cannot run in a circle. One that leads nowhere becomes `Unresolved`.

    The list's name is the file's stem if the text gives none. Values may be of any type: whether
    they make a word list is for `find_flaws` to say. A ValueError names a file that is not TOML,
    and the line where tomllib knows it.
    """
    content = {"name": path.stem, **_parse(text, path)}
    controls = content.get("controls")
    if isinstance(controls, dict):
        content["controls"] = {
            name: _bundled_control(name, value) if isinstance(value, str) else value
            for name, value in controls.items()
        }
    return content


def _parse(text: str, path: Path) -> dict[str, Any]:
    try:
        return parse_toml(text, "a word list")
    except ValueError as error:  # TOMLDecodeError, or a number of too many digits
        raise ValueError(f"{path} is not valid TOML: {error}") from None


def _bundled_control(name: str, source: str) -> object:
    """Words of one control set of a bundled list, or why there are none."""
    if source not in bundled_names("wordlists", ".toml"):
        text = unknown_name("bundled word list", source, wordlists())
        return Unresolved(f"{text}; a list of words may stand here instead")
    path = wordlist_path(source)
    words = _parse(read_text(path), path).get("controls", {}).get(name)
    if not isinstance(words, list):
        return Unresolved(f"the list {source!r} holds no {shown(name)} control words of its own")
    return words


def shown(value: object) -> str:
    """Return a short text for any value, however deep or long it is."""
    try:
        return reprlib.repr(value)
    except ValueError:  # an integer of more digits than Python is willing to print
        return f"a very long {type(value).__name__}"


def _natural(name: str) -> tuple[str, int]:
    match = re.fullmatch(r"(.*?)(\d+)", name)
    return (match[1], int(match[2])) if match else (name, 0)
