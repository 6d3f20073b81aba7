"""What makes the content of a word list unusable or doubtful, wherever the content comes from."""

from __future__ import annotations

import json
import re
import reprlib
import unicodedata
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Literal

from .._core.checks import unknown_name

CONTROLS = ("neutral", "human")
"""The control lists a word list may carry, named as their connection in the table."""

TEXTS = ("name", "title", "reference", "licence", "note")
"""Keys of a word list that hold a text."""

WORD_TABLES = ("groups", "stereotypes", "controls")
"""Tables of a word list that hold words by set."""

TABLES = (*WORD_TABLES, "stereotype_names")
"""All tables of a word list."""


@dataclass(frozen=True)
class Finding:
    """One flaw of a word list.

    Parameters
    ----------
    severity : {"error", "warning"}
        An error keeps the list from being used.
    path : tuple of str
        Table and set that the flaw is in; empty for the list as a whole.
    text : str
        What is wrong, and what to do.
    word : str
        The word that the flaw is about, if any.
    occurrence : int
        Which occurrence of the word under `path` to look at, 1-based.
    """

    severity: Literal["error", "warning"]
    path: tuple[str, ...]
    text: str
    word: str = ""
    occurrence: int = 1

    @property
    def key(self) -> str:
        """The path as TOML writes it, such as ``groups.man``."""
        return _dotted(self.path)

    def __str__(self) -> str:
        return f"{self.key}: {self.text}" if self.path else self.text


@dataclass(frozen=True)
class Unresolved:
    """Stands in the place of words that were named but could not be had, and says why."""

    reason: str


def find_flaws(content: Mapping[str, Any]) -> list[Finding]:
    """Tell all that is wrong or doubtful in the content of a word list.

    Parameters
    ----------
    content : mapping
        As parsed from TOML, or the fields of a `WordList`; references to bundled control lists
        must have been replaced by their words. Nothing is taken for granted about its types.

    Returns
    -------
    list of Finding
        Empty if all is well.
    """
    shape = [*_key_flaws(content), *_shape_flaws(content)]
    sets = _well_formed_sets(content)
    found = [*shape, *_set_flaws(sets), *_overlaps(sets)]
    if not shape:
        found += _lacking_parts(content)
    if all(isinstance(content.get(key, {}), Mapping) for key in TABLES):
        found += _stray_keys(content)
    if not shape:
        found += _name_flaws(content)
    return found


def refuse_errors(found: list[Finding], place: object = "") -> None:
    """Raise a ValueError for the first error among the findings; `place` is named before it."""
    for finding in found:
        if finding.severity == "error":
            raise ValueError(f"{place}: {finding}" if place else str(finding))


def shown(value: object) -> str:
    """Give a short text for any value, however deep or long it is."""
    try:
        return reprlib.repr(value)
    except ValueError:  # an integer of more digits than Python is willing to print
        return f"a very long {type(value).__name__}"


def _dotted(path: tuple[str, ...]) -> str:
    """A path as TOML writes it: keys that are not bare in quotes."""
    bare = re.compile(r"[A-Za-z0-9_-]+")
    return ".".join(
        part if bare.fullmatch(part) else json.dumps(part, ensure_ascii=False) for part in path
    )


def _key_flaws(content: Mapping[str, Any]) -> Iterator[Finding]:
    for key in content:
        if key not in (*TEXTS, *TABLES):
            text = unknown_name("key", key, (*TEXTS, *TABLES))
            yield Finding("error", (key,), text)


def _shape_flaws(content: Mapping[str, Any]) -> Iterator[Finding]:
    """Values of the wrong type."""
    for key in TEXTS:
        if text := _text_shape(content.get(key, "")):
            yield Finding("error", (key,), text)
    for key in TABLES:
        table = content.get(key, {})
        if not isinstance(table, Mapping):
            yield Finding("error", (key,), f"must be a table of sets; got {shown(table)}")
            continue
        for name, value in table.items():
            shape = _text_shape if key == "stereotype_names" else _words_shape
            if text := _text_shape(name) or shape(value):
                yield Finding("error", (key, str(name)), text)


def _text_shape(value: object) -> str:
    return "" if isinstance(value, str) else f"must be a text in quotes; got {shown(value)}"


def _words_shape(words: object) -> str:
    if isinstance(words, Unresolved):
        return words.reason
    if not isinstance(words, list | tuple):
        return f'must be a list of words, such as ["he", "she"]; got {shown(words)}'
    for number, word in enumerate(words, start=1):
        if not isinstance(word, str):
            return f"word {number} must be a text in quotes; got {shown(word)}"
    return ""


def _well_formed_sets(content: Mapping[str, Any]) -> dict[tuple[str, str], list[str]]:
    """The sets whose words are words, by table and name."""
    sets = {}
    for key in WORD_TABLES:
        table = content.get(key, {})
        for name, words in table.items() if isinstance(table, Mapping) else ():
            if not _words_shape(words):
                sets[key, str(name)] = list(words)
    return sets


def _set_flaws(sets: Mapping[tuple[str, str], list[str]]) -> Iterator[Finding]:
    for path, words in sets.items():
        if not words:
            yield Finding("error", path, "the set is empty")
        for word, count in Counter(words).items():
            if count > 1:
                text = f"{shown(word)} stands {count} times"
                yield Finding("error", path, text, word, occurrence=2)
            if unfit := _unfit(word):
                yield Finding("error", path, f"the word {shown(word)} {unfit}", word)


def _overlaps(sets: Mapping[tuple[str, str], list[str]]) -> Iterator[Finding]:
    """Words that stand in two sets: in two groups an error, otherwise a warning."""
    homes: dict[str, tuple[str, str]] = {}
    for path, words in sets.items():
        for word in dict.fromkeys(words):
            home = homes.setdefault(word, path)
            if home == path:
                continue
            clash = home[0] == path[0] == "groups"
            text = f"{shown(word)} is in {_dotted(home)} as well; {_consequence(home, path)}"
            yield Finding("error" if clash else "warning", path, text, word)


def _consequence(home: tuple[str, str], path: tuple[str, str]) -> str:
    """What a word in two sets means for the table, as `distance_table` makes it."""
    match home[0], path[0]:
        case "groups", "groups":
            return "a protected word can belong to one group only"
        case "groups", _:
            return "no word is compared with itself"
        case "stereotypes", "stereotypes":
            return "it counts as associated with the words of both groups"
        case "stereotypes", _:
            return "it counts as a stereotype, not as a control"
        case _:
            return f"it counts as {home[1]} only"


def _lacking_parts(content: Mapping[str, Any]) -> Iterator[Finding]:
    groups, stereotypes = content.get("groups", {}), content.get("stereotypes", {})
    if not groups and not content.get("controls"):
        yield Finding("error", (), "the list has neither [groups] nor [controls]")
    if len(groups) == 1:
        text = f"the list has one group, {shown(next(iter(groups)))}"
        yield Finding("error", ("groups",), f"{text}; a comparison needs at least two groups")
    if groups and not stereotypes:
        yield Finding("error", ("stereotypes",), "the list has groups but no [stereotypes]")
        return
    for name in groups:
        if name not in stereotypes:
            text = "the group has no stereotypes, so no attribute will be associated with it"
            yield Finding("warning", ("groups", name), text)


def _stray_keys(content: Mapping[str, Any]) -> Iterator[Finding]:
    """Stereotypes of no group and controls of no known kind."""
    groups = [name for name in content.get("groups", {}) if isinstance(name, str)]
    for table in ("stereotypes", "stereotype_names"):
        for name in content.get(table, {}):
            if isinstance(name, str) and name not in groups:
                yield Finding("error", (table, name), unknown_name("group", name, groups))
    for name in content.get("controls", {}):
        if isinstance(name, str) and name not in CONTROLS:
            yield Finding("error", ("controls", name), unknown_name("control", name, CONTROLS))


def _name_flaws(content: Mapping[str, Any]) -> Iterator[Finding]:
    """Names that cannot stand in a table, or that two sets share."""
    name = content.get("name", "")
    if unfit := _unfit(name):
        yield Finding("error", ("name",), f"the name {shown(name)} {unfit}")
    elif re.search(r"[/\\]|^\.+$", name):
        text = f"the name {shown(name)} must do as a file name; leave slashes out"
        yield Finding("error", ("name",), text)
    for group in content.get("groups", {}):
        if unfit := _unfit(group):
            yield Finding("error", ("groups", group), f"the name {shown(group)} {unfit}")
    given = content.get("stereotype_names", {})
    homes = {control: f"controls.{control}" for control in CONTROLS}
    for group in content.get("stereotypes", {}):
        called, path = given.get(group, f"{group}_stereotype"), ("stereotype_names", group)
        if unfit := _unfit(called):
            yield Finding("error", path, f"the name {shown(called)} {unfit}")
        if called in homes:
            text = f"the name {shown(called)} is that of {homes[called]} already"
            yield Finding("error", path, text)
        homes[called] = f"stereotypes.{group}"


def _unfit(text: str) -> str:
    """Why a text can be neither a word nor a name; empty if it can."""
    if not text.strip():
        return "is blank"
    if any(unicodedata.category(character) == "Cc" for character in text):
        return "holds a control character"
    return "has spaces around it" if text != text.strip() else ""
