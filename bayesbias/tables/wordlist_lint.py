"""What makes a word list unusable or doubtful, and on which line of its file it stands."""

from __future__ import annotations

import json
import re
import tomllib
import unicodedata
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

import pandas as pd

from .._core.checks import unknown_name
from .._core.reading import read_text
from .spellings import plain_form
from .wordlist_files import (
    CONTROLS,
    FACETS,
    TABLES,
    TEXTS,
    WORD_TABLES,
    Unresolved,
    shown,
    wordlist_content,
    wordlist_path,
)

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


@dataclass(frozen=True)
class Finding:
    """One flaw of a word list; an error keeps the list from being used.

    ``path`` is of the table and set that it is in, empty for the list as a whole. ``text`` says
    what is wrong and what to do; ``word`` is what it is about, if any, the nth under the path.
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


def check_wordlist(source: str | Path) -> pd.DataFrame:
    """Return all that is wrong or doubtful in a word-list file.

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
    ValueError, FileNotFoundError, IsADirectoryError
        If the source names no word-list file.

    Examples
    --------
    >>> import bayesbias as bb
    >>> len(bb.check_wordlist("religion"))
    0
    """
    path = wordlist_path(source)
    try:
        text = read_text(path)
        content = wordlist_content(text, path)
    except ValueError as error:
        line = re.search(r"at line (\d+)", str(error))  # as tomllib words it
        rows = [("error", "", int(line[1]) if line else 0, "", str(error))]
    else:
        lines = _lines(text) if path.suffix.lower() == ".toml" else {}
        rows = [
            (finding.severity, finding.key, _line_of(finding, lines), finding.word, finding.text)
            for finding in find_flaws(content)
        ]
    rows.sort(key=lambda row: row[2])
    return pd.DataFrame(rows, columns=["severity", "key", "line", "word", "finding"])


def find_flaws(content: Mapping[str, Any]) -> list[Finding]:
    """Return all that is wrong or doubtful in the content of a word list.

    The content is as parsed from TOML, or the fields of a `WordList`, with references to bundled
    control lists replaced by their words. Nothing is taken for granted about its types.
    """
    shape = list(shape_flaws(content))
    sets = _well_formed_sets(content)
    found = [*shape, *_set_flaws(sets), *_overlaps(sets), *_spellings(sets)]
    if not shape:
        return [*found, *_lacking_parts(content), *_stray_keys(content), *_name_flaws(content)]
    tables = all(isinstance(content.get(key, {}), Mapping) for key in TABLES)
    return [*found, *_stray_keys(content)] if tables else found


def refuse_errors(found: Iterable[Finding]) -> None:
    """Raise a ValueError for the first error among the findings."""
    for finding in found:
        if finding.severity == "error":
            raise ValueError(str(finding))


def _dotted(path: tuple[str, ...]) -> str:
    """A path as TOML writes it: keys that are not bare in quotes."""
    bare = re.compile(r"[\w-]+", re.ASCII)
    return ".".join(p if bare.fullmatch(p) else json.dumps(p, ensure_ascii=False) for p in path)


def shape_flaws(content: Mapping[str, Any]) -> Iterator[Finding]:
    """Find unknown keys, and values of the wrong type."""
    advice = "" if "groups" in content else "; words of groups stand in the table groups"
    for key in content:
        if key not in (*TEXTS, *TABLES):
            text = unknown_name("key", key, (*TEXTS, *TABLES)) + advice
            yield Finding("error", (key,), text)
    for key in TEXTS:
        if text := _text_shape(content.get(key, "")):
            yield Finding("error", (key,), text)
    for key in TABLES:
        table = content.get(key, {})
        if not isinstance(table, Mapping):
            yield Finding("error", (key,), f"must be a table of sets; got {shown(table)}")
            continue
        for name, value in table.items():
            shape = SHAPES.get(key, _words_shape)
            if text := _text_shape(name) or shape(value):
                yield Finding("error", (key, str(name)), text)


def _text_shape(value: object) -> str:
    return "" if isinstance(value, str) else f"must be a text in quotes; got {shown(value)}"


def _labels_shape(labels: object) -> str:
    if isinstance(labels, Mapping):
        return next(filter(None, map(_text_shape, [*labels, *labels.values()])), "")
    return f'must be a table of labels, such as {{black_women = "women"}}; got {shown(labels)}'


SHAPES: Mapping[str, Callable[[object], str]] = {
    "stereotype_names": _text_shape,
    FACETS: _labels_shape,
}
"""What says how a value of a table is malformed, where it is no list of words."""


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
                yield Finding("error", path, f"{shown(word)} stands {count} times", word, 2)
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


def _spellings(sets: Mapping[tuple[str, str], list[str]]) -> Iterator[Finding]:
    """Words that an embedding in lower case, or without accents, has as one."""
    homes: dict[str, tuple[str, tuple[str, str]]] = {}
    for path, words in sets.items():
        for word in dict.fromkeys(words):
            first, home = homes.setdefault(plain_form(word), (word, path))
            if first == word:
                continue
            here = "" if home == path else f" of {_dotted(home)}"
            effect = "it counts once" if home == path else _consequence(home, path)
            text = (
                f"{shown(word)} and {shown(first)}{here} differ in case or accents only; where "
                f"the embedding has them as one word, {effect}"
            )
            yield Finding("warning", path, text, word)


def _consequence(home: tuple[str, str], path: tuple[str, str]) -> str:
    """Return what a word in two sets means for the table, as `distance_table` makes it."""
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
    lone = (
        "; only {} has some: whether its words lie closer to them than other words do can be "
        "asked, but not whether they lie closer than stereotypes of others. Add some, or controls"
    )
    for name in groups:
        if name not in stereotypes:
            text = "the group has no stereotypes, so no attribute will be associated with it"
            more = lone.format(shown(*stereotypes)) if len(stereotypes) == 1 else ""
            yield Finding("warning", ("groups", name), text + more)


def _stray_keys(content: Mapping[str, Any]) -> Iterator[Finding]:
    """Stereotypes and labels of no group, and controls of no known kind."""
    groups = [name for name in content.get("groups", {}) if isinstance(name, str)]
    stereotypes = dict.fromkeys(("stereotypes", "stereotype_names"), ("group", groups))
    for table, (kind, known) in {**stereotypes, "controls": ("control", CONTROLS)}.items():
        for name in content.get(table, {}):
            if isinstance(name, str) and name not in known:
                yield Finding("error", (table, name), unknown_name(kind, name, known))
    for facet, labels in content.get(FACETS, {}).items():
        for name in labels if isinstance(labels, Mapping) else ():
            if name not in groups:
                yield Finding("error", (FACETS, facet, name), unknown_name("group", name, groups))


def _name_flaws(content: Mapping[str, Any]) -> Iterator[Finding]:
    """Names that cannot stand in a table, or that two sets share."""
    given = content.get("stereotype_names", {})
    names: list[tuple[_Path, str]] = [(("name",), content.get("name", ""))]
    names += [(("groups", group), group) for group in content.get("groups", {})]
    names += [
        (("stereotype_names", group), given.get(group, f"{group}_stereotype"))
        for group in content.get("stereotypes", {})
    ]
    homes = {control: f"controls.{control}" for control in CONTROLS}
    for path, name in names:
        if unfit := _unfit(name):
            yield Finding("error", path, f"the name {shown(name)} {unfit}")
        elif path == ("name",) and re.search(r"[/\\]|^\.+$", name):
            text = f"the name {shown(name)} must do as a file name; leave slashes out"
            yield Finding("error", path, text)
        if path[0] == "stereotype_names":
            if name in homes:
                text = f"the name {shown(name)} is that of {homes[name]} already"
                yield Finding("error", path, text)
            homes[name] = f"stereotypes.{path[1]}"


def _unfit(text: str) -> str:
    """Why a text can be neither a word nor a name; empty if it can."""
    if not text.strip():
        return "is blank"
    if not text.isprintable() and any(unicodedata.category(letter) == "Cc" for letter in text):
        return "holds a control character"
    return "has spaces around it" if text != text.strip() else ""


def _line_of(finding: Finding, lines: _Lines) -> int:
    """Line of a finding's word, or else of its key, or else of the table that lacks the key."""
    path = finding.path
    words = lines.get((path, finding.word), [])
    if len(words) >= finding.occurrence:
        return words[finding.occurrence - 1]
    keys = lines.get((path, None)) or lines.get((path[:1], None), [0])
    return keys[0]


def _lines(text: str) -> _Lines:
    """Lines of each string of valid TOML under each key; of the key itself under None."""
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
    """Return what a key or string means, its quotes and escapes resolved."""
    if not token.startswith(('"', "'")):
        return token
    return str(tomllib.loads(f"text = {token}")["text"])
