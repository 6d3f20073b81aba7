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

CONTROLS = ("neutral", "human", "matched")
"""The control lists a word list may carry, named as their connection in the table."""

TEXTS = ("name", "title", "reference", "licence", "note")
"""Keys of a word list that hold a text."""

WORD_TABLES = ("groups", "stereotypes", "controls")
"""Tables of a word list that hold words by set."""

FACETS = "facets"
"""Table of a word list that has the labels of groups, by facet."""

TABLES = (*WORD_TABLES, "stereotype_names", FACETS)
"""All tables of a word list."""


@dataclass(frozen=True)
class Unresolved:
    """Stands in the place of words that were named but could not be had, and says why."""

    reason: str


def wordlists() -> list[str]:
    """Return the names of the bundled word lists.

    Examples
    --------
    >>> import bayesbias as bb
    >>> "religion" in bb.wordlists()
    True
    """
    return sorted(bundled_names("wordlists", ".toml"), key=_natural)


def wordlist_path(source: str | Path) -> Path:
    """Find the file of a bundled list's name or of a path; see `load_wordlist` for the errors."""
    form = (
        "a mapping with groups and stereotypes (bb.WordList.from_query makes a list of four sets)"
    )
    check_path("a word list", source, form)
    return toml_path(source, "wordlists", "word list", ENDINGS)


def wordlist_content(text: str, path: Path) -> dict[str, Any]:
    """Parse a file's text and put the words of bundled control lists in the place of their names.

    Only bundled lists can be named, and only those that hold the words themselves: a reference
    is one step long and cannot run in a circle. One that leads nowhere becomes `Unresolved`.

    The list's name is the file's stem if the text gives none. Values may be of any type: whether
    they make a word list is for `find_flaws` to say. A ValueError names a file that is not TOML,
    and the line where tomllib knows it.
    """
    return with_bundled_controls({"name": path.stem, **_parse(text, path)})


def with_bundled_controls(content: Mapping[str, Any]) -> dict[str, Any]:
    """Put the words of bundled control lists in the place of their names."""
    found = dict(content)
    controls = found.get("controls")
    if isinstance(controls, Mapping):
        found["controls"] = {
            name: _bundled_control(name, value) if isinstance(value, str) else value
            for name, value in controls.items()
        }
    return found


def _parse(text: str, path: Path) -> dict[str, Any]:
    ending = path.suffix.lower()
    try:
        return _PARSERS[ending](text)
    except ValueError as error:  # such as TOMLDecodeError, or a number of too many digits
        raise ValueError(f"{path} is not valid {ending[1:].upper()}: {error}") from None


def _of_toml(text: str) -> dict[str, Any]:
    return parse_toml(text, "a word list")


def _of_json(text: str) -> dict[str, Any]:
    """Read the keys of a list's TOML as JSON, or the arguments of WEFE's ``Query``."""
    content = parse_json(text)
    if not isinstance(content, dict):
        raise ValueError(f"it holds {shown(content)} in place of an object of sets")
    targets = content.get("target_sets")
    if not isinstance(targets, list):
        return content
    attributes = content.get("attribute_sets")
    if not isinstance(attributes, list) or len(attributes) != len(targets):
        raise ValueError(
            f"its {len(targets)} target_sets need as many attribute_sets, the first of them "
            "associated with the first, and so on"
        )
    named = [content.get(f"{kind}_sets_names") for kind in ("target", "attribute")]
    return paired_sets(targets, attributes, *named)


def paired_sets(
    targets: Sequence[object],
    attributes: Sequence[object],
    of_targets: object = None,
    of_attributes: object = None,
) -> dict[str, Any]:
    """Return the tables of a list of which the nth target set goes with the nth attribute set."""
    names = [
        [str(name) for name in given]
        if isinstance(given, list | tuple) and len(given) == len(targets)
        else [f"{kind} {number}" for number in range(1, len(targets) + 1)]
        for given, kind in ((of_targets, "target"), (of_attributes, "attributes"))
    ]
    groups = names[0]
    return {
        "groups": dict(zip(groups, targets, strict=True)),
        "stereotypes": dict(zip(groups, attributes, strict=True)),
        "stereotype_names": dict(zip(groups, names[1], strict=True)),
    }


ROLES = {"protected": "groups", "stereotype": "stereotypes", "control": "controls"}
"""Roles of words in a frame or a CSV file, and the tables that hold these words."""


HEADS = ("role", "set", "word")
"""Columns of a list's frame, and of its CSV file."""


def _of_csv(text: str) -> dict[str, Any]:
    """Read rows of ``role``, ``set`` and ``word``; a stereotype's set is its group's name."""
    try:
        head, *rows = [*csv.reader(io.StringIO(text))] or [[]]
    except csv.Error as error:
        raise ValueError(str(error)) from None
    if sorted(head) != sorted(HEADS):
        raise ValueError(
            f"its heads must be role, set and word; got {', '.join(head) or 'nothing'}"
        )
    content: dict[str, Any] = {}
    for number, row in enumerate(rows, start=2):
        if len(row) != len(head):
            raise ValueError(f"row {number} holds {len(row)} cells in place of {len(head)}")
        role, name, word = (row[head.index(key)].strip() for key in HEADS)
        if role not in ROLES:
            raise ValueError(f"row {number}: {unknown_name('role', role, ROLES)}")
        if role == "stereotype" and name not in content.get("groups", {}):
            name = name.removesuffix("_stereotype")
        content.setdefault(ROLES[role], {}).setdefault(name, []).append(word)
    return content


_PARSERS: dict[str, Callable[[str], dict[str, Any]]] = {
    ".toml": _of_toml,
    ".json": _of_json,
    ".csv": _of_csv,
}
"""How a word list's file is read, by its ending."""

ENDINGS = tuple(_PARSERS)
"""Endings of word-list files."""


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
