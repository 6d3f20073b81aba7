"""What makes a word list unusable or doubtful, and the key where it stands."""

from __future__ import annotations

import json
import re
import unicodedata
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any, Literal, NamedTuple

from .._core.checks import unknown_name
from .schema import CONTROLS
from .spellings import plain_form
from .wordlist_files import FACETS, TABLES, TEXTS, WORD_TABLES, Unresolved, shown

type _Path = tuple[str | int, ...]
"""Keys from the outermost on; a number is a place in a list of words, from 0 on."""


class Finding(NamedTuple):
    """One flaw of a word list; an error keeps the list from being used.

    ``key`` is where it is, such as ``groups.man[3]``, the fourth word; it is empty for the list as
    a whole. ``word`` is what the flaw is about, if any.
    """

    severity: Literal["error", "warning"]
    key: str
    word: str
    text: str

    def __str__(self) -> str:
        return f"{self.key}: {self.text}" if self.key else self.text


def find_flaws(content: Mapping[str, Any]) -> Iterator[Finding]:
    """Yield all that is wrong or doubtful in the content of a word list.

    The content is as parsed from a file, or the fields of a `WordList`, with references to bundled
    control lists replaced by their words. Its values may be of any type.
    """
    shape = list(shape_flaws(content))
    yield from shape
    yield from _word_flaws(_well_formed_sets(content))
    if not shape:
        yield from _lacking_parts(content)
        yield from _stray_keys(content)
        yield from _name_flaws(content)


def refuse_errors(flaws: Iterable[Finding]) -> None:
    """Raise a ValueError for the first error among the flaws."""
    for flaw in flaws:
        if flaw.severity == "error":
            raise ValueError(str(flaw))


def shape_flaws(content: Mapping[str, Any]) -> Iterator[Finding]:
    """Find unknown keys, and values of the wrong type."""
    known = (*TEXTS, *TABLES)
    advice = "" if "groups" in content else "; words of groups stand in the table groups"
    for key in content:
        if key not in known:
            name = key if isinstance(key, str) else shown(key)
            yield _error((name,), unknown_name("key", name, known) + advice)
    for key in TEXTS:
        if not isinstance(text := content.get(key, ""), str):
            yield _error((key,), _not_text(text))
    for key in TABLES:
        table = content.get(key, {})
        if not isinstance(table, Mapping):
            yield _error((key,), f"must be a table of sets; got {shown(table)}")
            continue
        for name, value in table.items():
            if not isinstance(name, str):
                yield _error((key, shown(name)), _not_text(name))
            else:
                yield from _SHAPES.get(key, _words_shape)((key, name), value)


def _text_shape(path: _Path, value: object) -> Iterator[Finding]:
    if not isinstance(value, str):
        yield _error(path, _not_text(value))


def _labels_shape(path: _Path, labels: object) -> Iterator[Finding]:
    if not isinstance(labels, Mapping):
        example = '{black_women = "women"}'
        yield _error(path, f"must be a table of labels, such as {example}; got {shown(labels)}")
    elif wrong := [text for pair in labels.items() for text in pair if not isinstance(text, str)]:
        yield _error(path, _not_text(wrong[0]))


def _words_shape(path: _Path, words: object) -> Iterator[Finding]:
    if isinstance(words, Unresolved):
        yield _error(path, words.reason)
    elif not isinstance(words, list | tuple):
        yield _error(path, f'must be a list of words, such as ["he", "she"]; got {shown(words)}')
    else:
        wrong = (index for index, word in enumerate(words) if not isinstance(word, str))
        if (index := next(wrong, None)) is not None:
            yield _error((*path, index), _not_text(words[index]))


_SHAPES: Mapping[str, Callable[[_Path, object], Iterator[Finding]]] = {
    "stereotype_names": _text_shape,
    FACETS: _labels_shape,
}
"""What finds a malformed value of a table that holds no lists of words."""


def _well_formed_sets(content: Mapping[str, Any]) -> dict[_Path, Iterable[str]]:
    """Return the sets whose words are words, by table and name."""
    tables = {key: content.get(key, {}) for key in WORD_TABLES}
    return {
        (key, name): words
        for key, table in tables.items()
        if isinstance(table, Mapping)
        for name, words in table.items()
        if isinstance(name, str) and not any(_words_shape((key, name), words))
    }


def _word_flaws(sets: Mapping[_Path, Iterable[str]]) -> Iterator[Finding]:
    """Find empty sets, words that are none, and words that are listed twice, in one pass."""
    listed: dict[str, _Path] = {}
    spelled: dict[str, str] = {}
    for path, words in sets.items():
        if not words:
            yield _error(path, "the set is empty")
        for index, word in enumerate(words):
            place = (*path, index)
            if unfit := _unfit(word):
                yield _error(place, f"the word {shown(word)} {unfit}", word)
            if (first := listed.setdefault(word, place)) is not place:
                yield _repeated(word, first, place)
            elif (other := spelled.setdefault(plain_form(word), word)) != word:
                text = (
                    f"{shown(word)} and {shown(other)} of {_dotted(listed[other])} differ in case "
                    "or accents only; where the embedding has them as one word, "
                    f"{_consequence(listed[other], place)}"
                )
                yield Finding("warning", _dotted(place), word, text)


def _repeated(word: str, first: _Path, place: _Path) -> Finding:
    """Return the flaw of a word that is listed already: an error within groups or one set."""
    same_set = first[:-1] == place[:-1]
    serious = same_set or first[0] == place[0] == "groups"
    advice = "keep one of them" if same_set else _consequence(first, place)
    text = f"{shown(word)} is {_dotted(first)} already; {advice}"
    return Finding("error" if serious else "warning", _dotted(place), word, text)


def _consequence(first: _Path, second: _Path) -> str:
    """Return what a word in two places means for the table, as `distance_table` makes it."""
    if first[:-1] == second[:-1]:
        return "it counts once"
    match first[0], second[0]:
        case "groups", "groups":
            return "a protected word can belong to one group only"
        case "groups", _:
            return "no word is compared with itself"
        case "stereotypes", "stereotypes":
            return "it counts as associated with the words of both groups"
        case "stereotypes", _:
            return "it counts as a stereotype, not as a control"
        case _:
            return f"it counts as {first[1]} only"


def _lacking_parts(content: Mapping[str, Any]) -> Iterator[Finding]:
    groups, stereotypes = content.get("groups", {}), content.get("stereotypes", {})
    if not groups and not content.get("controls"):
        yield _error((), "the list has neither [groups] nor [controls]")
    if len(groups) == 1:
        text = f"the list has one group, {shown(*groups)}; a comparison needs at least two groups"
        yield _error(("groups",), text)
    if groups and not stereotypes:
        yield _error(("stereotypes",), "the list has groups but no [stereotypes]")
        return
    lone = ""
    if len(stereotypes) == 1:
        lone = (
            f"; only {shown(*stereotypes)} has some: you can ask whether its words lie closer to "
            "them than other words do, but not whether they lie closer than stereotypes of others. "
            "Add some, or controls"
        )
    text = "the group has no stereotypes, so no attribute will be associated with it"
    for name in groups:
        if name not in stereotypes:
            yield Finding("warning", _dotted(("groups", name)), "", text + lone)


def _stray_keys(content: Mapping[str, Any]) -> Iterator[Finding]:
    """Find stereotypes and labels of no group, and controls of no known kind."""
    groups = content.get("groups", {})
    known = {"stereotypes": groups, "stereotype_names": groups, "controls": CONTROLS}
    stray: list[tuple[_Path, str, Iterable[str]]] = [
        ((table, name), "control" if table == "controls" else "group", names)
        for table, names in known.items()
        for name in content.get(table, {})
        if name not in names
    ]
    stray += [
        ((FACETS, facet, name), "group", groups)
        for facet, labels in content.get(FACETS, {}).items()
        for name in labels
        if name not in groups
    ]
    for path, kind, names in stray:
        yield _error(path, unknown_name(kind, str(path[-1]), names))


def _name_flaws(content: Mapping[str, Any]) -> Iterator[Finding]:
    """Find names that cannot stand in a table, or that two sets share."""
    given = content.get("stereotype_names", {})
    names: dict[_Path, str] = {("name",): content.get("name", "")}
    names |= {("groups", group): group for group in content.get("groups", {})}
    names |= {
        ("stereotype_names", group): given.get(group, f"{group}_stereotype")
        for group in content.get("stereotypes", {})
    }
    homes = {control: f"controls.{control}" for control in CONTROLS}
    for path, name in names.items():
        if unfit := _unfit(name):
            yield _error(path, f"the name {shown(name)} {unfit}")
        elif path == ("name",) and re.search(r"[/\\]|^\.+$", name):
            yield _error(path, f"the name {shown(name)} must do as a file name; leave slashes out")
        if path[0] == "stereotype_names":
            if name in homes:
                yield _error(path, f"the name {shown(name)} is that of {homes[name]} already")
            homes[name] = f"stereotypes.{path[1]}"


def _unfit(text: str) -> str:
    """Return why a text can be neither a word nor a name; nothing if it can."""
    if not text.strip():
        return "is blank"
    if not text.isprintable() and any(unicodedata.category(letter) == "Cc" for letter in text):
        return "holds a control character"
    return "has spaces around it" if text != text.strip() else ""


def _not_text(value: object) -> str:
    return f"must be a text in quotes; got {shown(value)}"


def _error(path: _Path, text: str, word: str = "") -> Finding:
    return Finding("error", _dotted(path), word, text)


def _dotted(path: _Path) -> str:
    """Return a path as TOML writes it, keys that are not bare in quotes, with places in lists."""
    bare = re.compile(r"[\w-]+", re.ASCII)
    keys = [key for key in path if isinstance(key, str)]
    quoted = [k if bare.fullmatch(k) else json.dumps(k, ensure_ascii=False) for k in keys]
    return ".".join(quoted) + "".join(f"[{index}]" for index in path if isinstance(index, int))
