"""Files of word lists: where they are, and what they hold before anything is checked."""

from __future__ import annotations

import csv
import io
import re
import reprlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from .._core.checks import check_path, unknown_name
from .._core.reading import parse_json, parse_toml, read_text
from .._core.resources import bundled_names, toml_path

TEXTS = ("name", "title", "reference", "licence", "note")
"""Keys of a word list that hold a text."""

WORD_TABLES = ("groups", "stereotypes", "controls")
"""Tables of a word list that hold words by set."""

FACETS = "facets"
"""Table of a word list that has the labels of groups, by facet."""

TABLES = (*WORD_TABLES, "stereotype_names", FACETS)
"""All tables of a word list."""

HEADS = ("role", "set", "word")
"""Columns of a list's frame, and of its CSV file."""

ROLES = {"protected": "groups", "stereotype": "stereotypes", "control": "controls"}
"""Roles of words in a frame or a CSV file, and the tables that hold these words."""


@dataclass(frozen=True)
class Unresolved:
    """Takes the place of the words of a bundled list that there are not, with the reason."""

    reason: str


def wordlists() -> list[str]:
    """Return the names of the bundled word lists.

    Examples
    --------
    >>> import bayesbias as bb
    >>> bb.wordlists()[:4]
    ['age', 'disability', 'gender', 'gender-de']
    """
    return sorted(bundled_names("wordlists", ".toml"), key=_natural)


def wordlist_path(source: str | Path) -> Path:
    """Find the file of a bundled list's name or of a path; see `load_wordlist` for the errors."""
    form = (
        "a mapping with groups and stereotypes (bb.WordList.from_query makes a list of four sets)"
    )
    check_path("a word list", source, form)
    return toml_path(source, "wordlists", "word list", tuple(_PARSERS))


def read_wordlist(path: Path) -> dict[str, Any]:
    """Read the tables and texts of a word list's file, its name by default the file's stem.

    Values may be of any type: `find_flaws` checks them. A ValueError names a file that cannot be
    parsed, and the line where the parser knows it.
    """
    return with_bundled_controls({"name": path.stem, **_parse(path)})


def with_bundled_controls(content: Mapping[str, Any]) -> dict[str, Any]:
    """Put the words of bundled control lists in the place of their names.

    Only bundled lists that hold the words themselves can be named, so that no reference runs in a
    circle. One that leads nowhere becomes `Unresolved`.
    """
    controls = content.get("controls")
    if not isinstance(controls, Mapping):
        return dict(content)
    words = {
        kind: _bundled_control(kind, value) if isinstance(value, str) else value
        for kind, value in controls.items()
    }
    return {**content, "controls": words}


def _bundled_control(kind: str, source: str) -> object:
    """Return the words of one control set of a bundled list, or why there are none."""
    if source not in wordlists():
        text = unknown_name("bundled word list", source, wordlists())
        return Unresolved(f"{text}; a list of words may stand here instead")
    words = _parse(wordlist_path(source)).get("controls", {}).get(kind)
    if isinstance(words, list):
        return words
    return Unresolved(f"the list {source!r} holds no {shown(kind)} control words of its own")


def _parse(path: Path) -> dict[str, Any]:
    ending = path.suffix.lower()
    text = read_text(path)
    try:
        return _PARSERS[ending](text)
    except ValueError as error:  # such as TOMLDecodeError, or a number of too many digits
        raise ValueError(f"{path} is not valid {ending[1:].upper()}: {error}") from None


def _parse_toml(text: str) -> dict[str, Any]:
    return parse_toml(text, "a word list")


def _parse_json(text: str) -> dict[str, Any]:
    """Read the keys of a list's TOML as JSON, or the arguments of WEFE's ``Query``."""
    content = parse_json(text)
    if not isinstance(content, dict):
        raise ValueError(f"it holds {shown(content)} instead of an object of sets")
    targets, attributes = content.get("target_sets"), content.get("attribute_sets")
    if not isinstance(targets, list):
        return content
    if not isinstance(attributes, list) or len(attributes) != len(targets):
        raise ValueError(
            f"its {len(targets)} target_sets need as many attribute_sets, the first of them "
            "associated with the first, and so on"
        )
    names = [content.get(f"{kind}_sets_names") for kind in ("target", "attribute")]
    return paired_sets(targets, attributes, *names)


def _parse_csv(text: str) -> dict[str, Any]:
    """Read rows of ``role``, ``set`` and ``word``; a stereotype's set is its group's name."""
    try:
        head, *rows = [*csv.reader(io.StringIO(text))] or [[]]
    except csv.Error as error:
        raise ValueError(str(error)) from None
    if sorted(head) != sorted(HEADS):
        got = ", ".join(head) or "nothing"
        raise ValueError(f"its heads must be role, set and word; got {got}")
    content: dict[str, Any] = {}
    for number, row in enumerate(rows, start=2):
        if len(row) != len(head):
            raise ValueError(f"row {number} holds {len(row)} cells instead of {len(head)}")
        role, name, word = (row[head.index(key)].strip() for key in HEADS)
        if role not in ROLES:
            raise ValueError(f"row {number}: {unknown_name('role', role, ROLES)}")
        if role == "stereotype" and name not in content.get("groups", {}):
            name = name.removesuffix("_stereotype")
        content.setdefault(ROLES[role], {}).setdefault(name, []).append(word)
    return content


_PARSERS: dict[str, Callable[[str], dict[str, Any]]] = {
    ".toml": _parse_toml,
    ".json": _parse_json,
    ".csv": _parse_csv,
}
"""How a word list's file is read, by its ending."""


def paired_sets(
    targets: Sequence[object],
    attributes: Sequence[object],
    target_names: object = None,
    attribute_names: object = None,
) -> dict[str, Any]:
    """Return the tables of a list whose nth target set goes with the nth attribute set."""

    def named(given: object, kind: str) -> list[str]:
        if isinstance(given, list | tuple) and len(given) == len(targets):
            return [str(name) for name in given]
        return [f"{kind} {number}" for number in range(1, len(targets) + 1)]

    groups = named(target_names, "target")
    columns = (targets, attributes, named(attribute_names, "attributes"))
    tables = ("groups", "stereotypes", "stereotype_names")
    pairs = zip(tables, columns, strict=True)
    return {table: dict(zip(groups, column, strict=True)) for table, column in pairs}


def shown(value: object) -> str:
    """Return a short text of one line for any value, however deep or long it is."""
    try:
        return " ".join(reprlib.repr(value).split())
    except ValueError:  # an integer of more digits than Python prints
        return f"a very long {type(value).__name__}"


def _natural(name: str) -> tuple[str, int]:
    match = re.fullmatch(r"(.*?)(\d+)", name)
    return (match[1], int(match[2])) if match else (name, 0)
