"""Read the content of word lists: bundled and own files, frames, dicts, and WEAT tests of SEAT."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from .._core.checks import check_choice, check_path
from .._core.reading import loads_json, located, parts_of, read_text, read_toml
from .._core.resources import bundled_names, toml_path
from .schema import as_table, is_frame, require_columns
from .table_files import as_texts, read_csv, warn_of_columns
from .wordlist_lint import TEXTS, shown

ENDINGS = (".toml", ".json", ".jsonl", ".csv", ".tsv")

HEADS = ("role", "set", "word")
"""Columns of a list's frame, and of its CSV file, before ``group``."""

TEST = ("targ1", "targ2", "attr1", "attr2")
"""Keys of a WEAT test: two groups, and the attributes of each."""

ROLES = {
    "protected": "groups",
    "stereotype": "stereotypes",
    "control": "controls",
    "baseline": "baseline",
}
"""Table of the word list that contains the words of each role."""


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


def wordlist_path(source: object) -> Path:
    """Return the path of a word list, given its bundled name or its path."""
    check_path("a word list", source, "a name, a path, or a mapping")
    named = source if isinstance(source, Path) else str(source)
    return toml_path(named, "wordlists", "word list", ENDINGS)


def path_of(source: object) -> Path | None:
    """Return the path of a word list, or None if its content is given."""
    given = isinstance(source, Mapping) or is_frame(source)
    return None if given else wordlist_path(source)


def content_of(source: object) -> dict[str, Any]:
    """Return the fields of a list in a dict or a frame."""
    content = _content_of_test(source) if isinstance(source, Mapping) else _content_of_rows(source)
    return {"name": "mine", **content}


def read_wordlist(path: Path) -> dict[str, Any]:
    """Read a word list's file without checking words; the default name is the file's stem."""
    ending = path.suffix.lower()
    with located(path):
        if ending in {".csv", ".tsv"}:
            content = _content_of_rows(read_csv(path, dtype=str, keep_default_na=False))
        elif ending in {".json", ".jsonl"}:
            if not isinstance(found := _from_json(path), dict):
                raise ValueError(f"it contains {shown(found)} instead of an object with sets")
            content = found
        else:
            content = read_toml(path)
    return {"name": Path(parts_of(path)[1] or path).stem, **_content_of_test(content)}


def _from_json(path: Path) -> object:
    """Read a list's JSON: an object, or rows as in a CSV file, in a list or one in each line."""
    text = read_text(path)
    try:
        content = loads_json(text)
    except json.JSONDecodeError:
        lines = [line for line in text.split("\n") if line.strip()]
        if path.suffix.lower() != ".jsonl" or len(lines) < 2:
            raise
        content = [loads_json(line) for line in lines]
    rows = isinstance(content, list) and all(isinstance(row, dict) for row in content)
    return _content_of_rows(pd.DataFrame(content, dtype=object)) if rows and content else content


def with_bundled_controls(content: Mapping[str, Any]) -> dict[str, Any]:
    """Replace the names of bundled control lists with the words in those lists."""
    if not isinstance(controls := content.get("controls"), Mapping):
        return dict(content)
    words = dict(controls)
    for kind, source in controls.items():
        if isinstance(source, str):
            check_choice(f"bundled word list for controls.{kind}", source, wordlists())
            words[kind] = read_wordlist(wordlist_path(source)).get("controls", {}).get(kind)
            if words[kind] is None:
                raise ValueError(f"controls: the list {source!r} has no {kind!r} control words")
    return {**content, "controls": words}


def _content_of_test(content: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return the sets of a WEAT test as SEAT's files have it, or the content of another list.

    A set is an object with ``category`` and ``examples``, or a list of words named after its key.
    """
    parts = [(key, content[key]) for key in TEST if key in content]
    sets = [
        (key if part.get("category") is None else str(part["category"]), part.get("examples"))
        if isinstance(part, Mapping)
        else (key, part)
        for key, part in parts
    ]
    if len(sets) < len(TEST) or not {*content} <= {*TEST, *TEXTS}:
        return content
    (first, _), (second, _) = targets = sets[:2]
    attributes = dict(zip((first, second), sets[2:], strict=True))
    return {
        **{key: content[key] for key in TEXTS if key in content},
        "groups": dict(targets),
        "stereotypes": {group: words for group, (_, words) in attributes.items()},
        "stereotype_names": {group: name for group, (name, _) in attributes.items()},
    }


def _content_of_rows(rows: object) -> dict[str, Any]:
    """Return the sets in a frame; skip rows without any text, and warn about other columns."""
    frame = as_table(rows, ())
    heads = {name: str(name).strip().lower() for name in frame.columns}
    frame = require_columns(frame.rename(columns=heads), HEADS)
    warn_of_columns(frame, (*HEADS, "group"), "a list has")
    frame = frame.assign(group=frame.get("group", ""))[[*HEADS, "group"]]
    _require_texts(frame)
    content: dict[str, Any] = {}
    for number, row in enumerate(as_texts(frame).itertuples(index=False), 2):
        role, name, word, group = (str(cell).strip() for cell in row)
        if not role + name + word:
            continue
        check_choice(f"role in row {number}", role, ROLES)
        if role == "stereotype":
            name = _group_of_set(content, name, group, number)
        elif group not in {"", name} or (group and role != "protected"):
            text = f"row {number} has the group {group!r}, but the group of a {role} word is "
            text += f"its set, {name!r}" if role == "protected" else "empty"
            raise ValueError(f"{text}; change one of them")
        content.setdefault(ROLES[role], {}).setdefault(name, []).append(word)
    return content


def _require_texts(frame: pd.DataFrame) -> None:
    """Refuse a cell that is not empty and is no text, as other forms of lists do."""
    for name, column in frame.items():
        cells = column.astype(object)
        texts = cells.map(lambda cell: isinstance(cell, str)).astype(bool)
        odd = np.flatnonzero(cells.notna() & ~texts)
        if len(odd):
            cell = shown(cells.iloc[odd[0]])
            raise ValueError(f"the {name} in row {odd[0] + 2} must be text; got {cell}")


def _group_of_set(content: dict[str, Any], name: str, group: str, number: int) -> str:
    """Return the group of a stereotype's set, and keep the set's name if it is not the usual one.

    Raise a ValueError if the group's earlier stereotypes are in another set.
    """
    known = name in content.get("groups", {})
    group = group or (name if known else name.removesuffix("_stereotype"))
    usual = f"{group}_stereotype"
    own = usual if name == group else name
    names = content.get("stereotype_names", {})
    before = names.get(group, usual) if group in content.get("stereotypes", {}) else own
    if own != before:
        raise ValueError(
            f"row {number} has the set {name!r}, but earlier stereotypes of {group!r} are in "
            f"{before!r}; put the stereotypes of a group in one set, or make two lists"
        )
    if own != usual:
        content.setdefault("stereotype_names", {})[group] = own
    return group
