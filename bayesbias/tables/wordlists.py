"""Word lists: protected words in groups, their stereotypes, and control words.

A list is a TOML file. Listing a stereotype does not endorse it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, fields
from pathlib import Path
from types import MappingProxyType
from typing import Any

import pandas as pd

from .._core.display import Sheet, Shown, abridged
from .._core.reading import read_text
from .wordlist_files import (
    TABLES,
    TEXTS,
    WORD_TABLES,
    wordlist_content,
    wordlist_path,
)
from .wordlist_lint import find_flaws, refuse_errors

Words = tuple[str, ...]


@dataclass(frozen=True)
class WordList(Shown):
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

    Raises
    ------
    ValueError
        If the list cannot be used: an empty set, a word twice in one set or in two groups, a
        single group, stereotypes of no group, or a word that is blank or not text.
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
        refuse_errors(find_flaws(self._content()))
        for table in TABLES:
            sets = getattr(self, table)
            if table in WORD_TABLES:
                sets = {name: tuple(words) for name, words in sets.items()}
            object.__setattr__(self, table, MappingProxyType(dict(sets)))

    def __reduce__(self) -> tuple[Any, ...]:
        plain = (dict(value) if key in TABLES else value for key, value in self._content().items())
        return (type(self), tuple(plain))

    def __hash__(self) -> int:
        return hash((self.name, *(frozenset(getattr(self, table).items()) for table in TABLES)))

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
        """Return the list as a frame, one row a word: ``role``, ``set``, ``word``."""
        return pd.DataFrame(self._entries(), columns=["role", "set", "word"])

    def _content(self) -> dict[str, Any]:
        """The fields by name, in the order of the constructor."""
        return {each.name: getattr(self, each.name) for each in fields(self)}

    def _entries(self) -> Iterator[tuple[str, str, str]]:
        for role, name, words in self._sets():
            yield from ((role, name, word) for word in words)

    def _sets(self) -> list[tuple[str, str, Words]]:
        """One row a set: role, set, words."""
        rows = [("protected", group, words) for group, words in self.groups.items()]
        rows += [("stereotype", self.set_name(g), words) for g, words in self.stereotypes.items()]
        return rows + [("control", name, words) for name, words in self.controls.items()]

    def _sheet(self, *, roomy: bool) -> Sheet:
        rows = tuple(
            (role, name, str(len(words)), abridged(words, 24 if roomy else 8, " … and "))
            for role, name, words in self._sets()
        )
        title = f"{self.name}: {self.title}" if self.title else self.name
        return Sheet(title, rows, ("role", "set", "size", "words"), self.note if roomy else "")


def load_wordlist(source: str | Path | WordList) -> WordList:
    """Load a bundled word list by name, or a TOML file in the same form by path.

    Parameters
    ----------
    source : str, Path or WordList
        A name from `wordlists()`, or the path of a file that ends in ``.toml``. A `WordList` is
        given back as it is.

    Returns
    -------
    WordList

    Raises
    ------
    ValueError
        If the name is unknown (the nearest is named), or the file is not a word list: not UTF-8,
        not TOML, an unknown key, or whatever `WordList` refuses. `check_wordlist` tells all
        that is wrong in a file, with lines.
    FileNotFoundError, IsADirectoryError
        If the path leads to no file.
    """
    if isinstance(source, WordList):
        return source
    path = wordlist_path(source)
    content = wordlist_content(read_text(path), path)
    refuse_errors(find_flaws(content), path)
    return WordList(
        **{key: value.strip() if key in TEXTS else value for key, value in content.items()}
    )
