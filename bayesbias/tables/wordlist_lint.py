"""Find errors and doubtful entries in a word list, and report their keys."""

from __future__ import annotations

import json
import re
import reprlib
import unicodedata
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from .._core.characters import LOOKALIKES, code_point, plainly, script_of
from .._core.checks import counted, unknown_name
from .schema import CONTROLS, FEWEST_LEFT
from .spellings import oddities, without_accents

TEXTS = ("name", "title", "reference", "license", "note")
"""Keys of a word list whose values are text."""

WORD_TABLES = ("groups", "stereotypes", "controls", "baseline")
"""Tables of a word list that map each set to its words."""

TABLES = (*WORD_TABLES, "stereotype_names", "says", "facets")

FORMS: dict[str, tuple[type | tuple[type, ...], str]] = {
    **dict.fromkeys(WORD_TABLES, ((list, tuple), 'a list of words, such as ["he", "she"]')),
    **dict.fromkeys(("stereotype_names", "says"), (str, "text in quotes")),
    "facets": (Mapping, 'a table of labels, such as {black_women = "women"}'),
}
"""Type of the values in each table, and the description of that type in messages."""

CONSEQUENCES = {
    ("groups", "groups"): "a protected word can belong to one group only",
    ("groups", "stereotypes"): "no word is compared with itself",
    ("groups", "controls"): "no word is compared with itself",
    ("stereotypes", "stereotypes"): "it counts as associated with the words of both groups",
    ("stereotypes", "controls"): "it counts as a stereotype, not as a control",
    ("stereotypes", "baseline"): "no word is compared with itself",
    ("controls", "baseline"): "baseline words are not compared with controls",
}
"""What happens in the long-form table if a word is in two tables of the list."""

type _Path = tuple[str | int, ...]
"""Keys, starting with the outermost; a number is an index in a list of words, from 0."""


class Finding(NamedTuple):
    """A flaw in a word list, at a key such as ``groups.man[3]``."""

    severity: str
    key: str
    word: str
    finding: str

    def __str__(self) -> str:
        return f"{self.key}: {self.finding}" if self.key else self.finding


def refuse_errors(content: Mapping[str, Any]) -> None:
    """Raise a ValueError for the first error in a word list's content."""
    for flaw in find_flaws(content):
        if flaw.severity == "error":
            raise ValueError(str(flaw))


def find_flaws(content: Mapping[str, Any]) -> Iterator[Finding]:
    """Yield errors and doubtful entries; check words only if all values have the right type."""
    for key in content:
        if key not in (*TEXTS, *TABLES):
            name = key if isinstance(key, str) else shown(key)
            yield _error((name,), unknown_name("key", name, (*TEXTS, *TABLES)))
    malformed = [*_malformed(content)]
    yield from malformed
    if not malformed:
        content = {table: {} for table in TABLES} | dict(content)
        yield from _word_flaws(content)
        yield from _set_flaws(content)
        yield from _name_flaws(content)


def _error(path: _Path, text: str, word: str = "", severity: str = "error") -> Finding:
    return Finding(severity, _dotted(path), word, text)


def _malformed(content: Mapping[str, Any]) -> Iterator[Finding]:
    """Find values of the wrong type, at most one per set."""
    texts: list[tuple[_Path, Any]] = [((key,), content.get(key, "")) for key in TEXTS]
    for key, (kind, form) in FORMS.items():
        table = content.get(key, {})
        if not isinstance(table, Mapping):
            yield _error((key,), f"must be a table of sets; got {shown(table)}")
            continue
        for name, value in table.items():
            path = (key, name if isinstance(name, str) else shown(name))
            texts.append((path, name))
            fits = isinstance(value, kind)
            if not fits:
                yield _error(path, f"must be {form}; got {shown(value)}")
            elif key in WORD_TABLES:
                parts = (((*path, i), word) for i, word in enumerate(value))
                texts += [part for part in parts if not isinstance(part[1], str)][:1]
            elif key == "facets":
                texts += [(path, text) for pair in value.items() for text in pair]
    for place, text in texts:
        if not isinstance(text, str):
            yield _error(place, f"must be text in quotes; got {shown(text)}")


def _word_flaws(content: Mapping[str, Any]) -> Iterator[Finding]:
    """Find empty sets, invalid words, and words that are listed twice."""
    listed: dict[str, _Path] = {}
    spelled: dict[str, str] = {}
    sets = [((key, name), words) for key in WORD_TABLES for name, words in content[key].items()]
    letters = [letter for _, words in sets for letter in "".join(words) if letter.isalpha()]
    turkish = not {"ı", "İ", "ğ"}.isdisjoint(letters)
    latin = 2 * sum(script_of(letter) == "LATIN" for letter in letters) > len(letters)
    for path, words in sets:
        if not words:
            yield _error(path, "the set is empty")
        elif len(words) < FEWEST_LEFT and path[0] in ("groups", "stereotypes"):
            text = (
                f"has only {counted(len(words), 'word')}; use {FEWEST_LEFT} or more, for results "
            )
            text += "that do not depend on a single word"
            yield _error(path, text, severity="warning")
        for index, word in enumerate(words):
            place, plain = (*path, index), without_accents(word.lower()).replace(" ", "_")
            if unfit := _unfit(word):
                yield _error(place, f"the word {shown(word)} {unfit}", word)
            for doubt in _doubts(word, turkish=turkish, latin=latin):
                yield _error(place, f"{shown(word)} {doubt}", word, "warning")
            if (first := listed.setdefault(word, place)) is not place:
                same = first[:2] == path
                text = f"{shown(word)} is already in {_dotted(first)}; "
                text += "keep one of them" if same else _consequence(first, place)
                serious = same or {first[0], place[0]} <= {"groups", "baseline"}
                yield _error(place, text, word, "error" if serious else "warning")
            elif (other := spelled.setdefault(plain, word)) != word:
                first = listed[other]
                then = "it counts once" if first[:2] == path else _consequence(first, place)
                text = (
                    f"{shown(word)} and {shown(other)} in {_dotted(first)} differ only in case or "
                    f"accents; if an embedding treats them as one word, {then}"
                )
                yield _error(place, text, word, "warning")


def _doubts(word: str, *, turkish: bool, latin: bool) -> Iterator[str]:
    """Say which characters of a word may keep it from being found."""
    looks = plainly(word)
    if odd := oddities(word):
        yield f"contains {odd}; if the word is not found, write {shown(looks)}"
    if mark := re.search(r',\s|,$|[;|•"“”„«»]|^\d+[.)]\s', word):
        text = f"contains {mark[0].strip()!r}; leave it out or, if these are several words, list "
        yield text + "each of them"
    alike = LOOKALIKES["CYRILLIC", "LATIN"] | LOOKALIKES["GREEK", "LATIN"]
    if latin and word and all(letter in alike for letter in word):
        yield f"looks like Latin letters, but contains {', '.join(map(code_point, word))}"
    if turkish and not {"I", "İ"}.isdisjoint(word):
        yield (
            "has a capital I. In Turkish, its lower case is dotless ı (U+0131) and that of İ is i, "
            "but the lower case of both is i here. Write the word in lower case"
        )


def _consequence(first: _Path, second: _Path) -> str:
    tables = str(first[0]), str(second[0])
    return CONSEQUENCES.get(tables, f"it counts as {first[1]} only")


def _set_flaws(content: Mapping[str, Any]) -> Iterator[Finding]:
    """Find missing sets, unknown groups of stereotypes or labels, and unknown kinds of controls."""
    groups, stereotypes = content["groups"], content["stereotypes"]
    if not groups and not content["controls"]:
        yield _error((), "the list has no [groups] and no [controls]")
    if len(groups) == 1:
        text = f"the list has only the group {shown(*groups)}; a comparison needs at least two"
        yield _error(("groups",), text)
    if groups and not stereotypes:
        yield _error(("stereotypes",), "the list has groups but no [stereotypes]")
    text = "the group has no stereotypes, so no attribute will be associated with it"
    if len(stereotypes) == 1:
        text += f"; only {shown(*stereotypes)} has some, so add others, or controls, for comparison"
    for name in groups if stereotypes else ():
        if name not in stereotypes:
            yield _error(("groups", name), text, severity="warning")
    labels = [(("facets", facet), table) for facet, table in content["facets"].items()]
    of_groups = ("stereotypes", "controls", "stereotype_names")
    for path, table in [*(((key,), content[key]) for key in of_groups), *labels]:
        kind, known = ("kind of controls", CONTROLS) if path == ("controls",) else ("group", groups)
        for name in table:
            if name not in known:
                yield _error((*path, name), unknown_name(kind, name, known))
    names = content["stereotype_names"]
    said = [*groups, *(names.get(group, f"{group}_stereotype") for group in stereotypes)]
    for name in content["says"]:
        if name not in said:
            text = unknown_name("group or set", name, said)
            yield _error(("says", name), text, severity="warning")  # shortened lists keep names


def _name_flaws(content: Mapping[str, Any]) -> Iterator[Finding]:
    """Find names that a table cannot contain, and names that two sets share."""
    name = content.get("name", "")
    sets = {group: f"{group}_stereotype" for group in content["stereotypes"]}
    sets |= {group: name for group, name in content["stereotype_names"].items() if group in sets}
    names: dict[_Path, str] = {("name",): name}
    names |= {(key, name): name for key in ("groups", "baseline") for name in content[key]}
    names |= {("stereotype_names", group): name for group, name in sets.items()}
    for path, text in names.items():
        if unfit := _unfit(text):
            yield _error(path, f"the name {shown(text)} {unfit}")
    if re.search(r"[/\\]|^\.+$", name):
        yield _error(("name",), f"the name {shown(name)} must work as a file name; remove slashes")
    given = content["stereotype_names"]
    defaults_first = sorted(sets.items(), key=lambda item: item[0] in given)
    for table, named in (
        ("groups", [(group, group) for group in content["groups"]]),
        ("stereotype_names", defaults_first),
    ):
        spelled: dict[str, str] = {}
        for group, text in named:
            other = spelled.setdefault(text.replace("_", " ").lower(), text)
            if other != text and group in content[table]:
                told = f"the names {shown(other)} and {shown(text)} differ only in case"
                told += "" if other.lower() == text.lower() else ", spaces, or underscores"
                yield _error((table, group), f"{told}; rename one")
    homes = {control: f"controls.{control}" for control in CONTROLS}
    for group, text in sets.items():
        if text in homes:
            path = ("stereotype_names", group)
            yield _error(path, f"the name {shown(text)} is already the name of {homes[text]}")
        homes[text] = f"stereotypes.{group}"


def _unfit(text: str) -> str:
    """Return why a text cannot be a word or a name, or an empty string if it can be one."""
    if not text.strip():
        return "is blank"
    if not text.isprintable() and any(unicodedata.category(letter) == "Cc" for letter in text):
        return "contains a control character"
    return "has spaces around it" if text != text.strip() else ""


def _dotted(path: _Path) -> str:
    """Return a path in TOML notation, with list indices; quote keys if needed."""
    bare = re.compile(r"[\w-]+", re.ASCII)
    keys = [key for key in path if isinstance(key, str)]
    quoted = [key if bare.fullmatch(key) else json.dumps(key, ensure_ascii=False) for key in keys]
    return ".".join(quoted) + "".join(f"[{place}]" for place in path if isinstance(place, int))


def shown(value: object) -> str:
    """Return a short one-line text for a value of any depth or length."""
    return " ".join(reprlib.repr(value).split())
