"""What makes a word list unusable or doubtful, and the key where it stands."""

from __future__ import annotations

import json
import re
import reprlib
import unicodedata
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from .._core.checks import unknown_name
from .schema import CONTROLS
from .spellings import plain_form

TEXTS = ("name", "title", "reference", "licence", "note")
"""Keys of a word list that hold a text."""

WORD_TABLES = ("groups", "stereotypes", "controls")
"""Tables of a word list that hold words by set."""

TABLES = (*WORD_TABLES, "stereotype_names", "facets")

type _Path = tuple[str | int, ...]
"""Keys from the outermost on; a number is a place in a list of words, from 0 on."""


class Finding(NamedTuple):
    """One flaw of a word list, with its key, such as ``groups.man[3]``, and its word, if any."""

    severity: str
    key: str
    word: str
    finding: str

    def __str__(self) -> str:
        return f"{self.key}: {self.finding}" if self.key else self.finding


def find_flaws(content: Mapping[str, Any]) -> Iterator[Finding]:
    """Yield all that is wrong or doubtful in a word list's content, which may be of any type."""
    known = (*TEXTS, *TABLES)
    advice = "" if "groups" in content else "; words of groups stand in the table groups"
    for key in content:
        if key not in known:
            name = key if isinstance(key, str) else shown(key)
            yield _error((name,), unknown_name("key", name, known) + advice)
    malformed = [*_malformed(content)]
    yield from malformed
    if not malformed:
        content = {table: {} for table in TABLES} | dict(content)
        yield from _word_flaws(content)
        yield from _lacking_parts(content)
        yield from _stray_keys(content)
        yield from _name_flaws(content)


def refuse_errors(content: Mapping[str, Any]) -> None:
    """Raise a ValueError for the first error in a word list's content."""
    for flaw in find_flaws(content):
        if flaw.severity == "error":
            raise ValueError(str(flaw))


def _malformed(content: Mapping[str, Any]) -> Iterator[Finding]:
    """Find values of the wrong type."""
    for key in TEXTS:
        yield from _not_texts((key,), [content.get(key, "")])
    for key in TABLES:
        table = content.get(key, {})
        if not isinstance(table, Mapping):
            yield _error((key,), f"must be a table of sets; got {shown(table)}")
            continue
        for name, value in table.items():
            path = (key, name if isinstance(name, str) else shown(name))
            if not isinstance(name, str):
                yield from _not_texts(path, [name])
            elif key == "stereotype_names":
                yield from _not_texts(path, [value])
            elif key == "facets" and isinstance(value, Mapping):
                yield from _not_texts(path, [text for pair in value.items() for text in pair])
            elif key == "facets":
                text = 'must be a table of labels, such as {black_women = "women"}'
                yield _error(path, f"{text}; got {shown(value)}")
            elif isinstance(value, list | tuple):
                yield from _not_texts(path, value, numbered=True)
            else:
                text = 'must be a list of words, such as ["he", "she"]'
                yield _error(path, f"{text}; got {shown(value)}")


def _not_texts(path: _Path, values: Sequence[Any], *, numbered: bool = False) -> Iterator[Finding]:
    """Find the first value that is not a text."""
    for place, value in enumerate(values):
        if not isinstance(value, str):
            where = (*path, place) if numbered else path
            yield _error(where, f"must be a text in quotes; got {shown(value)}")
            return


def _word_flaws(content: Mapping[str, Any]) -> Iterator[Finding]:
    """Find empty sets, unfit words, and words that are listed twice, in one pass."""
    listed: dict[str, _Path] = {}
    spelled: dict[str, str] = {}
    sets = [((key, name), words) for key in WORD_TABLES for name, words in content[key].items()]
    for path, words in sets:
        if not words:
            yield _error(path, "the set is empty")
        for index, word in enumerate(words):
            place = (*path, index)
            if unfit := _unfit(word):
                yield _error(place, f"the word {shown(word)} {unfit}", word)
            if (first := listed.setdefault(word, place)) is not place:
                same_set = first[:-1] == path
                advice = "keep one of them" if same_set else _consequence(first, place)
                text = f"{shown(word)} is {_dotted(first)} already; {advice}"
                serious = same_set or first[0] == place[0] == "groups"
                yield Finding("error" if serious else "warning", _dotted(place), word, text)
            elif (other := spelled.setdefault(plain_form(word), word)) != word:
                differ = f"{shown(word)} and {shown(other)} of {_dotted(listed[other])} differ in"
                then = _consequence(listed[other], place)
                text = f"{differ} case or accents only; where they are as one word, {then}"
                yield Finding("warning", _dotted(place), word, text)


def _consequence(first: _Path, second: _Path) -> str:
    """Return what a word in two places means for the table, as `distance_table` makes it."""
    if first[:-1] == second[:-1]:
        return "it counts once"
    meanings = {
        ("groups", "groups"): "a protected word can belong to one group only",
        ("groups", ""): "no word is compared with itself",
        ("stereotypes", "stereotypes"): "it counts as associated with the words of both groups",
        ("stereotypes", ""): "it counts as a stereotype, not as a control",
    }
    pair = str(first[0]), str(second[0])
    return meanings.get(pair, meanings.get((pair[0], ""), f"it counts as {first[1]} only"))


def _lacking_parts(content: Mapping[str, Any]) -> Iterator[Finding]:
    groups, stereotypes = content["groups"], content["stereotypes"]
    if not groups and not content["controls"]:
        yield _error((), "the list has no [groups] and no [controls]")
    if len(groups) == 1:
        text = f"the list has one group, {shown(*groups)}; a comparison needs at least two groups"
        yield _error(("groups",), text)
    if groups and not stereotypes:
        yield _error(("stereotypes",), "the list has groups but no [stereotypes]")
        return
    text = "the group has no stereotypes, so no attribute will be associated with it"
    if len(stereotypes) == 1:
        text += f"; only {shown(*stereotypes)} has some: add others, or controls, to compare with"
    for name in groups:
        if name not in stereotypes:
            yield Finding("warning", _dotted(("groups", name)), "", text)


def _stray_keys(content: Mapping[str, Any]) -> Iterator[Finding]:
    """Find stereotypes and labels of no group, and controls of no known kind."""
    named: dict[_Path, Any] = {
        (table,): content[table] for table in ("stereotypes", "stereotype_names", "controls")
    }
    named |= {("facets", facet): labels for facet, labels in content["facets"].items()}
    for path, table in named.items():
        kind, names = (
            ("control", CONTROLS) if path == ("controls",) else ("group", content["groups"])
        )
        for name in table:
            if name not in names:
                yield _error((*path, name), unknown_name(kind, name, names))


def _name_flaws(content: Mapping[str, Any]) -> Iterator[Finding]:
    """Find names that cannot stand in a table, or that two sets share."""
    name = content.get("name", "")
    names: dict[_Path, str] = {("name",): name}
    names |= {("groups", group): group for group in content["groups"]}
    sets = {group: f"{group}_stereotype" for group in content["stereotypes"]}
    sets |= {group: name for group, name in content["stereotype_names"].items() if group in sets}
    names |= {("stereotype_names", group): name for group, name in sets.items()}
    for path, text in names.items():
        if unfit := _unfit(text):
            yield _error(path, f"the name {shown(text)} {unfit}")
    if re.search(r"[/\\]|^\.+$", name):
        yield _error(("name",), f"the name {shown(name)} must do as a file name; leave slashes out")
    homes = {control: f"controls.{control}" for control in CONTROLS}
    for group, text in sets.items():
        if text in homes:
            path = ("stereotype_names", group)
            yield _error(path, f"the name {shown(text)} is that of {homes[text]} already")
        homes[text] = f"stereotypes.{group}"


def _unfit(text: str) -> str:
    """Return why a text cannot be a word or a name; nothing if it can."""
    if not text.strip():
        return "is blank"
    if not text.isprintable() and any(unicodedata.category(letter) == "Cc" for letter in text):
        return "holds a control character"
    return "has spaces around it" if text != text.strip() else ""


def _error(path: _Path, text: str, word: str = "") -> Finding:
    return Finding("error", _dotted(path), word, text)


def _dotted(path: _Path) -> str:
    """Return a path as TOML writes it, keys that are not bare in quotes, with places in lists."""
    keys = [key for key in path if isinstance(key, str)]
    bare = re.compile(r"[\w-]+", re.ASCII)
    quoted = [k if bare.fullmatch(k) else json.dumps(k, ensure_ascii=False) for k in keys]
    return ".".join(quoted) + "".join(f"[{index}]" for index in path if isinstance(index, int))


def shown(value: object) -> str:
    """Return a short text of one line for any value, however deep or long it is."""
    try:
        return " ".join(reprlib.repr(value).split())
    except ValueError:  # an integer of more digits than Python prints
        return f"a very long {type(value).__name__}"
