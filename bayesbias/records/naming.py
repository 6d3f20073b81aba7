"""How sentences name the groups and stereotype sets of a list."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import pandas as pd

from ..tables.wordlists import WordList

ENDINGS = ("words", "names", "terms", "people")
"""Last words of names that can stand in a sentence without ``words``."""


GIVEN = "the vectors given"
"""Name of an embedding that has none."""


@dataclass(frozen=True)
class Naming:
    """Names for sentences: ``male names`` for a group, and ``career words`` for its stereotypes.

    All mappings are keyed by group; `set_keys` are the names of sets in tables.
    """

    groups: Mapping[str, str]
    sets: Mapping[str, str]
    set_keys: Mapping[str, str]

    @property
    def by_key(self) -> dict[str, str]:
        """Names of the sets, keyed as in tables."""
        named: dict[str, str] = {}
        for group, name in self.sets.items():
            named.setdefault(self.set_keys[group], name)
        return named

    def of(self, table: pd.DataFrame) -> Naming:
        """Return the names of the groups and sets that a table contains."""
        groups, sets = set(table["protected_group"]), set(table["attribute_set"])
        kept = {group: name for group, name in self.groups.items() if group in groups}
        own = _own_sets(table)
        keys = {
            group: own.get(group, key)
            for group, key in self.set_keys.items()
            if group in own or (key in sets and key not in own.values())
        }
        says = {group: name for group, name in self.sets.items() if group in keys}
        return Naming(kept, says, keys)


def naming_of(wordlist: WordList) -> Naming:
    """Return a list's names for sentences: its ``says``, or else names made from its keys.

    Examples
    --------
    >>> import bayesbias as bb
    >>> from bayesbias.records.naming import naming_of
    >>> naming_of(bb.load_wordlist("weat6")).sets["male_names"]
    'career words'
    """
    says, keys = wordlist.says, {group: wordlist.set_name(group) for group in wordlist.groups}
    groups = {group: says.get(group, _words(group)) for group in wordlist.groups}
    sets = {
        group: says.get(key)
        or (
            _words(key, "set")
            if group in wordlist.stereotype_names
            else _words(group, word="stereotypes")
        )
        for group, key in keys.items()
    }
    return Naming(groups, sets, keys)


def names_in(table: pd.DataFrame) -> Naming:
    """Return names made from the groups and sets of a table that has no list."""
    keys = _own_sets(table)
    groups = list(dict.fromkeys(table["protected_group"].astype(str)))
    sets = {group: _words(key, "set") for group, key in keys.items()}
    return Naming({group: _words(group) for group in groups}, sets, keys)


def _own_sets(table: pd.DataFrame) -> dict[str, str]:
    """Return the first set of each group's own stereotypes."""
    own = table[table["connection"] == "associated"].astype(str)
    return dict(own.drop_duplicates("protected_group")[["protected_group", "attribute_set"]].values)


def _words(name: str, kind: str = "group", word: str = "words") -> str:
    """Return a name with spaces that can stand for words in a sentence, even if it is a number."""
    text = name.replace("_", " ")
    if not any(map(str.isalpha, text)):
        return f"{word} of {kind} {text}"
    return text if word == "words" and text.endswith(ENDINGS) else f"{text} {word}"
