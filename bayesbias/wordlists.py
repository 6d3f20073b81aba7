"""Word lists: protected words in groups, their stereotypes, and control words.

A list is a TOML file. Listing a stereotype does not endorse it.
"""

from __future__ import annotations

import re
import tomllib
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from html import escape
from pathlib import Path
from types import MappingProxyType
from typing import Any

import pandas as pd

from .bundled import bundled_folder, bundled_names
from .schema import unknown_name

Words = tuple[str, ...]
CONTROLS = ("neutral", "human")
"""The control lists a word list may carry, named as their connection in the table."""

_TEXTS = ("name", "title", "reference", "licence", "note")
_SETS = ("groups", "stereotypes", "stereotype_names", "controls")


@dataclass(frozen=True)
class WordList:
    """Protected words by group, the stereotypes of each group, and control words.

    Parameters
    ----------
    name, title, reference, licence, note : str
        What the list is, where it comes from, and what it does and does not claim.
    groups : mapping of str to tuple of str
        Protected words of each group; empty for a list that holds control words only.
    stereotypes : mapping of str to tuple of str
        Attributes stereotypically associated with the group of the same key.
    controls : mapping of str to tuple of str
        Control words by connection, ``neutral`` and ``human``.
    stereotype_names : mapping of str to str
        What a group's stereotype set is called in the table; ``<group>_stereotype`` if absent.
    """

    name: str
    groups: Mapping[str, Words] = field(default_factory=dict)
    stereotypes: Mapping[str, Words] = field(default_factory=dict)
    controls: Mapping[str, Words] = field(default_factory=dict)
    stereotype_names: Mapping[str, str] = field(default_factory=dict)
    title: str = ""
    reference: str = ""
    licence: str = ""
    note: str = ""

    def __post_init__(self) -> None:
        for name in ("groups", "stereotypes", "controls"):
            sets = {key: tuple(words) for key, words in getattr(self, name).items()}
            object.__setattr__(self, name, MappingProxyType(sets))
        names = MappingProxyType(dict(self.stereotype_names))
        object.__setattr__(self, "stereotype_names", names)
        _refuse(self)

    def __reduce__(self) -> tuple[Any, ...]:
        plain = {name: dict(getattr(self, name)) for name in _SETS}
        return (_rebuild, ({name: getattr(self, name) for name in _TEXTS} | plain,))

    def __hash__(self) -> int:
        return hash((self.name, *(tuple(getattr(self, name).items()) for name in _SETS)))

    @property
    def protected_words(self) -> Words:
        """All protected words, group by group."""
        return tuple(word for words in self.groups.values() for word in words)

    @property
    def words(self) -> Words:
        """Every word of the list once, protected words first."""
        return tuple(dict.fromkeys(word for _, _, word in self._entries()))

    def set_name(self, group: str) -> str:
        """Name a group's stereotype set as the table's ``attribute_set`` column does."""
        return self.stereotype_names.get(group, f"{group}_stereotype")

    def to_frame(self) -> pd.DataFrame:
        """Give the list as a frame, one row a word: ``role``, ``set``, ``word``."""
        return pd.DataFrame(self._entries(), columns=["role", "set", "word"])

    def _entries(self) -> Iterator[tuple[str, str, str]]:
        for group, words in self.groups.items():
            yield from (("protected", group, word) for word in words)
        for group, words in self.stereotypes.items():
            yield from (("stereotype", self.set_name(group), word) for word in words)
        for control, words in self.controls.items():
            yield from (("control", control, word) for word in words)

    def _sets(self) -> list[tuple[str, str, Words]]:
        """One row a set: role, set, words."""
        rows = [("protected", group, words) for group, words in self.groups.items()]
        rows += [("stereotype", self.set_name(g), words) for g, words in self.stereotypes.items()]
        return rows + [("control", name, words) for name, words in self.controls.items()]

    def _repr_html_(self) -> str:
        rows = "".join(
            f"<tr><td>{escape(role)}</td><td>{escape(name)}</td><td>{len(words)}</td>"
            f"<td style='text-align:left'>{escape(_abridged(words, 24))}</td></tr>"
            for role, name, words in self._sets()
        )
        return (
            f"<table><caption>{escape(self.title or self.name)}</caption><thead><tr><th>role</th>"
            f"<th>set</th><th>size</th><th>words</th></tr></thead><tbody>{rows}</tbody></table>"
            f"<p><small>{escape(self.note)}</small></p>"
        )

    def __str__(self) -> str:
        lines = [
            f"  {role:<10} {name:<24} {len(words):>3}  {_abridged(words, 8)}"
            for role, name, words in self._sets()
        ]
        return "\n".join([f"{self.name}: {self.title}", *lines])


def wordlists() -> list[str]:
    """Give the names of the bundled word lists."""
    return sorted(bundled_names("wordlists", ".toml"), key=_natural)


def load_wordlist(source: str | Path) -> WordList:
    """Load a bundled word list by name, or a TOML file in the same form by path.

    Parameters
    ----------
    source : str or Path
        A name from `wordlists()`, or a path that ends in ``.toml`` or holds a folder.

    Returns
    -------
    WordList

    Raises
    ------
    ValueError
        If the name is unknown (the nearest is named), or the file is not a word list: an unknown
        key, an empty set, a word twice in one set or in two groups, or a single group.
    FileNotFoundError, IsADirectoryError
        If the path leads to no file.
    """
    path = _path_of(source)
    content = _parse(path.read_text(encoding="utf-8"), path)
    unknown = [key for key in content if key not in (*_TEXTS, *_SETS)]
    if unknown:
        raise ValueError(f"{path}: {unknown_name('key', unknown[0], (*_TEXTS, *_SETS))}")
    texts = {key: _text(content, key, path) for key in _TEXTS}
    texts["name"] = texts["name"] or path.stem
    sets = {key: _table(content, key, path) for key in _SETS}
    try:
        return WordList(
            **texts,
            groups={key: _words(words, f"groups.{key}") for key, words in sets["groups"].items()},
            stereotypes={
                key: _words(words, f"stereotypes.{key}")
                for key, words in sets["stereotypes"].items()
            },
            controls={key: _control(key, words) for key, words in sets["controls"].items()},
            stereotype_names={
                key: _one_text(text, f"stereotype_names.{key}")
                for key, text in sets["stereotype_names"].items()
            },
        )
    except ValueError as error:
        raise ValueError(f"{path}: {error}") from None


def check_wordlist(source: str | Path) -> pd.DataFrame:
    """Look a word-list file over and tell all that is wrong or doubtful in it.

    Parameters
    ----------
    source : str or Path
        As for `load_wordlist`; the file need not be loadable.

    Returns
    -------
    DataFrame
        One row a finding: ``severity`` (``error`` keeps the list from loading, ``warning`` does
        not), ``key``, ``line`` (1-based; 0 if none), ``word``, ``finding``. Empty if all is well.
    """
    path = _path_of(source)
    text = path.read_text(encoding="utf-8")
    findings: list[tuple[str, str, str, str]] = []
    try:
        content = _parse(text, path)
        findings += _set_findings(_raw_sets(content))
        if not any(severity == "error" for severity, *_ in findings):
            load_wordlist(path)
    except ValueError as error:
        findings.append(("error", "", "", str(error)))
    rows = [
        (severity, key, _line_of(text, key, word), word, finding)
        for severity, key, word, finding in findings
    ]
    return pd.DataFrame(rows, columns=["severity", "key", "line", "word", "finding"])


def _refuse(words: WordList) -> None:
    """Raise for whatever makes a list unusable."""
    if not words.name.strip():
        raise ValueError("a word list needs a name")
    if len(words.groups) == 1:
        only = next(iter(words.groups))
        raise ValueError(
            f"the list has one group, {only!r}; a comparison needs at least two groups"
        )
    if not words.groups and not words.controls:
        raise ValueError("the list has neither [groups] nor [controls]")
    if words.groups and not words.stereotypes:
        raise ValueError("the list has groups but no [stereotypes]")
    for part in ("stereotypes", "stereotype_names"):
        for key in getattr(words, part):
            if key not in words.groups:
                raise ValueError(f"[{part}] {unknown_name('group', key, words.groups)}")
    for key in words.controls:
        if key not in CONTROLS:
            raise ValueError(f"[controls] {unknown_name('control', key, CONTROLS)}")
    sets = {
        f"{part}.{key}": list(entries)
        for part in ("groups", "stereotypes", "controls")
        for key, entries in getattr(words, part).items()
    }
    for severity, key, _, finding in _set_findings(sets):
        if severity == "error":
            raise ValueError(f"{key}: {finding}")


def _set_findings(sets: Mapping[str, list[str]]) -> list[tuple[str, str, str, str]]:
    """Severity, key, word and finding for every flaw within and between sets."""
    findings: list[tuple[str, str, str, str]] = []
    for key, words in sets.items():
        if not words:
            findings.append(("error", key, "", "the set is empty"))
        for word, count in Counter(words).items():
            if count > 1:
                findings.append(("error", key, word, f"{word!r} stands {count} times"))
            if not word.strip() or word != word.strip():
                findings.append(("error", key, word, f"{word!r} is blank or has spaces around it"))
    return findings + _overlaps(sets)


def _overlaps(sets: Mapping[str, list[str]]) -> list[tuple[str, str, str, str]]:
    findings = []
    homes: dict[str, str] = {}
    for key, words in sets.items():
        for word in dict.fromkeys(words):
            first = homes.setdefault(word, key)
            if first == key:
                continue
            clash = first.startswith("groups.") and key.startswith("groups.")
            remedy = "a protected word can belong to one group only"
            if not clash:
                remedy = f"the table keeps one row a pair, the one from {first}"
            text = f"{word!r} is in {first} as well; {remedy}"
            findings.append(("error" if clash else "warning", key, word, text))
    return findings


def _path_of(source: str | Path) -> Path:
    text = str(source)
    if isinstance(source, str) and not text.endswith(".toml") and not re.search(r"[/\\]", text):
        path = bundled_folder("wordlists") / f"{text}.toml"
        if not text or not path.is_file():
            raise ValueError(
                unknown_name("word list", text, wordlists())
                + "; for a file of your own give its path, ending in .toml"
            )
        return path
    path = Path(source)
    if path.is_dir():
        raise IsADirectoryError(f"{path} is a folder; give the word list's .toml file")
    if not path.is_file():
        raise FileNotFoundError(f"no word list at {path}")
    return path


def _parse(text: str, path: Path) -> dict[str, Any]:
    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise ValueError(f"{path} is not valid TOML: {error}") from None


def _raw_sets(content: Mapping[str, Any]) -> dict[str, list[str]]:
    """The word sets of a parsed file as far as they are lists of words, keys dotted."""
    sets = {}
    for part in ("groups", "stereotypes", "controls"):
        table = content.get(part)
        for key, value in table.items() if isinstance(table, dict) else ():
            bundled = part == "controls" and isinstance(value, str) and value in wordlists()
            words = load_wordlist(value).controls.get(key, ()) if bundled else value
            if isinstance(words, list | tuple) and all(isinstance(word, str) for word in words):
                sets[f"{part}.{key}"] = list(words)
    return sets


def _control(key: str, value: object) -> Words:
    if not isinstance(value, str):
        return _words(value, f"controls.{key}")
    controls = load_wordlist(value).controls
    if key not in controls:
        raise ValueError(f"controls.{key}: the list {value!r} has no {key} control words")
    return controls[key]


def _words(value: object, key: str) -> Words:
    if not isinstance(value, list) or not all(isinstance(word, str) for word in value):
        raise ValueError(f'{key} must be a list of words, such as ["he", "she"]; got {value!r:.60}')
    return tuple(value)


def _text(content: Mapping[str, Any], key: str, path: Path) -> str:
    try:
        return _one_text(content.get(key, ""), key).strip()
    except ValueError as error:
        raise ValueError(f"{path}: {error}") from None


def _one_text(value: object, key: str) -> str:
    if not isinstance(value, str):
        raise ValueError(f"{key} must be text; got {value!r:.60}")
    return value


def _table(content: Mapping[str, Any], key: str, path: Path) -> dict[str, Any]:
    value = content.get(key, {})
    if not isinstance(value, dict):
        raise ValueError(f"{path}: [{key}] must be a table of sets; got {value!r:.60}")
    return value


def _line_of(text: str, key: str, word: str) -> int:
    """Number of the line of a word (or of its key); the second time where a key repeats it."""
    lines = text.splitlines()
    part, _, name = key.partition(".")
    start = _first(lines, 0, rf"^\s*\[{re.escape(part)}\]")
    start = _first(lines, start, rf"^\s*[\"']?{re.escape(name)}[\"']?\s*=") if name else start
    if not key:
        return 0
    if word:
        quoted = rf"[\"']{re.escape(word)}[\"']"
        at = _first(lines, start, quoted)
        return (at if at < len(lines) else min(start, len(lines) - 1)) + 1
    return min(start, len(lines) - 1) + 1


def _first(lines: list[str], start: int, pattern: str) -> int:
    for number in range(start, len(lines)):
        if re.search(pattern, lines[number]):
            return number
    return len(lines)


def _abridged(words: Words, most: int) -> str:
    more = len(words) - most
    return ", ".join(words[:most]) + (f" … and {more} more" if more > 0 else "")


def _natural(name: str) -> tuple[str, int]:
    match = re.fullmatch(r"(.*?)(\d+)", name)
    return (match[1], int(match[2])) if match else (name, 0)


def _rebuild(fields: dict[str, Any]) -> WordList:
    return WordList(**fields)
