"""Word lists: protected words in groups, their stereotypes, and control words.

A list is a file or a dict. Listing a stereotype does not mean endorsing it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pandas as pd

from .._core.display import Sheet, Shown, abridged
from .._core.reading import located
from .wordlist_files import (
    HEADS,
    content_of,
    path_of,
    read_wordlist,
    with_bundled_controls,
    wordlists,
)
from .wordlist_lint import TABLES, TEXTS, WORD_TABLES, Finding, find_flaws, refuse_errors

Words = tuple[str, ...]

type WordListLike = str | Path | Mapping[str, Any] | pd.DataFrame | WordList
"""What `load_wordlist` accepts: a bundled name, a path, a dict, a frame, or a WordList."""


@dataclass(frozen=True)
class WordList(Shown):
    """Protected words by group, the stereotypes of each group, and control words.

    Parameters
    ----------
    name, title, reference, license, note : str
        Name, title, source, license, and limits of the list.
    groups : mapping of str to tuple of str
        Protected words of each group; empty for a list of control words.
    stereotypes : mapping of str to tuple of str
        Attributes that are stereotypically associated with the group with the same key.
    controls : mapping of str to tuple of str
        Control words for each connection, such as ``neutral`` and ``human``.
    stereotype_names : mapping of str to str
        Name of a group's stereotype set in the table; the default is ``GROUP_stereotype``.
    says : mapping of str to str
        Names of groups and sets in sentences, such as ``male names`` for ``male_names``.
    facets : mapping of str to mapping of str to str
        Labels that `contrasts` uses for groups that combine facets. For example, the group
        ``black_women`` can be ``women`` in ``gender`` and ``black`` in ``race``.
    baseline : mapping of str to tuple of str
        Words that belong to no group, such as words for people; used by `baseline_contrasts`.

    Examples
    --------
    >>> import bayesbias as bb
    >>> groups, traits = {"cat": ["cat"], "dog": ["dog"]}, {"cat": ["aloof"], "dog": ["loyal"]}
    >>> bb.WordList("pets", groups, traits).set_name("cat")
    'cat_stereotype'
    """

    name: str
    groups: Mapping[str, Words] = field(default_factory=dict)
    stereotypes: Mapping[str, Words] = field(default_factory=dict)
    controls: Mapping[str, Words] = field(default_factory=dict)
    stereotype_names: Mapping[str, str] = field(default_factory=dict)
    title: str = ""
    reference: str = ""
    license: str = ""
    note: str = ""
    facets: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    baseline: Mapping[str, Words] = field(default_factory=dict)
    says: Mapping[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        refuse_errors(vars(self))
        for table in TABLES:
            sets = getattr(self, table)
            if table in WORD_TABLES:
                sets = {name: tuple(words) for name, words in sets.items()}
            object.__setattr__(self, table, dict(sets))

    @property
    def protected_words(self) -> Words:
        """All protected words, group by group."""
        return tuple(word for words in self.groups.values() for word in words)

    @property
    def words(self) -> Words:
        """Every distinct word in the list, starting with the protected words."""
        return tuple(dict.fromkeys(word for _, _, words in self._sets() for word in words))

    def set_name(self, group: str) -> str:
        """Return the name of a group's stereotype set in the table's ``attribute_set`` column.

        In the table, groups with the same stereotypes share one of their sets.
        """
        return self.stereotype_names.get(group, f"{group}_stereotype")

    def to_frame(self) -> pd.DataFrame:
        """Return the list as a frame with one row per word, which `load_wordlist` reads back.

        The columns are ``role``, ``set``, ``word``, and ``group``: the group that a word refers to
        or is a stereotype of.
        """
        owners = {("stereotype", self.set_name(group)): group for group in self.stereotypes}
        owners |= {("protected", group): group for group in self.groups}
        rows = [
            (role, name, word, owners.get((role, name), ""))
            for role, name, words in self._sets()
            for word in words
        ]
        return pd.DataFrame(rows, columns=[*HEADS, "group"])

    def _sets(self) -> list[tuple[str, str, Words]]:
        rows = [("protected", group, words) for group, words in self.groups.items()]
        rows += [("stereotype", self.set_name(g), words) for g, words in self.stereotypes.items()]
        rows += [("control", name, words) for name, words in self.controls.items()]
        return rows + [("baseline", name, words) for name, words in self.baseline.items()]

    def _sheet(self, *, roomy: bool) -> Sheet:
        rows = tuple(
            (role, name, str(len(words)), abridged(words, 24 if roomy else 8, " … and "))
            for role, name, words in self._sets()
        )
        title = f"{self.name}: {self.title}" if self.title else self.name
        return Sheet(title, rows, ("role", "set", "size", "words"), self.note if roomy else "")


def load_wordlist(source: WordListLike) -> WordList:
    """Load a word list: a bundled list by name, a file by path, a frame, or a dict.

    Parameters
    ----------
    source : str, Path, mapping, DataFrame, or WordList
        A name from `wordlists()`, or the path of a TOML, JSON, or CSV file. Frames and CSV files
        have the columns ``role`` (protected, stereotype, control, or baseline), ``set``, and
        ``word``. A stereotype's group is its ``set``, or the column ``group`` if the set has
        another name. Mappings and other files have the fields of a `WordList`.

    Raises
    ------
    ValueError
        If the name is unknown or the content is not a valid word list. The message names the key of
        the first error, such as ``groups.man[3]``. To list more errors, use `check_wordlist`.

    Examples
    --------
    >>> import bayesbias as bb
    >>> pets = {"groups": {"cat": ["cat", "kitten"], "dog": ["dog", "puppy"]},
    ...         "stereotypes": {"cat": ["aloof", "quiet"], "dog": ["loyal", "noisy"]}}
    >>> bb.load_wordlist(pets).protected_words
    ('cat', 'kitten', 'dog', 'puppy')
    """
    if isinstance(source, WordList):
        return source
    path = path_of(source)
    if path is not None:
        with located(path):
            return load_wordlist(read_wordlist(path))
    content = with_bundled_controls(content_of(source))
    if not {*content} <= {*TEXTS, *TABLES}:
        refuse_errors(content)
    texts = {key: content[key] for key in TEXTS[1:] if isinstance(content.get(key), str)}
    return WordList(**content | {key: text.strip() for key, text in texts.items()})


def check_wordlist(source: WordListLike) -> pd.DataFrame:
    """Return the errors and doubtful entries in a word list, even if it cannot be loaded.

    Words are checked only if all values have the right type. To find words that an embedding does
    not contain, use `missing_words`.

    Returns
    -------
    DataFrame
        One row per finding: ``severity`` (an ``error`` keeps the list from loading, but a
        ``warning`` does not), ``key`` (such as ``groups.man[3]``, the fourth word of the group),
        ``word``, and ``finding``.

    Examples
    --------
    >>> import bayesbias as bb
    >>> pets = {"groups": {"cat": ["cat", "Tom", "puss"], "dog": ["dog", "tom ", "hound"]},
    ...         "stereotypes": {"cat": ["aloof", "shy", "sly"], "dog": ["loyal", "loud", "tame"]}}
    >>> print(bb.check_wordlist(pets)[["key", "finding"]].to_string(index=False))
              key                               finding
    groups.dog[1] the word 'tom ' has spaces around it
    """
    given = vars(source) if isinstance(source, WordList) else source
    path = path_of(given)
    try:
        content = content_of(given) if path is None else read_wordlist(path)
        flaws = [*find_flaws(with_bundled_controls(content))]
    except ValueError as error:
        flaws = [Finding("error", "", "", str(error))]
    return pd.DataFrame(flaws, columns=Finding._fields)


def refuse_lists(call: str, *given: object) -> None:
    """Raise a TypeError if a word list is passed instead of vectors."""
    for one in given:
        swapped = isinstance(one, str) and one in wordlists()
        as_list = isinstance(one, Mapping) and isinstance(one.get("groups"), Mapping)
        if swapped or as_list or isinstance(one, WordList):
            what = repr(one) if swapped else f"a {type(one).__name__}"
            raise TypeError(f"pass the vectors first, then the list: {call}; got {what} as vectors")
