"""Experiments: two attribute sets that span a bias, and two word sets that are compared."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from itertools import combinations
from pathlib import Path

from ..tables.wordlists import WordList, Words, load_wordlist

CALISKAN = tuple(f"weat{number}" for number in range(1, 11))
"""The ten tests of Caliskan, Bryson and Narayanan (2017), as bundled word lists."""


@dataclass(frozen=True)
class Experiment:
    """Word sets X and Y, attribute sets Z and Z2, and what the four are called.

    The stereotype connects X with Z and Y with Z2. ψ is positive for words closer to Z.
    """

    name: str
    X: Words
    Y: Words
    Z: Words
    Z2: Words
    labels: tuple[str, str, str, str] = ("X", "Y", "Z", "Z2")

    @property
    def sets(self) -> dict[str, Words]:
        """X and Y by label."""
        return {self.labels[0]: self.X, self.labels[1]: self.Y}


def experiments(
    wordlists: Iterable[str | Path | WordList] = CALISKAN,
) -> dict[str, Experiment]:
    """Make an experiment of every pair of groups of some word lists.

    Parameters
    ----------
    wordlists : iterable of str, Path or WordList
        Lists of two groups or more with stereotypes.

    Returns
    -------
    dict of str to Experiment
        By the list's name, or by list and groups where a list has more than two.
    """
    if isinstance(wordlists, str | Path | WordList):
        wordlists = (wordlists,)
    made: dict[str, Experiment] = {}
    for words in map(load_wordlist, wordlists):
        groups = compared_groups(words)
        for first, second in combinations(groups, 2):
            name = words.name if len(groups) == 2 else f"{words.name}: {first}, {second}"
            labels = (first, second, words.set_name(first), words.set_name(second))
            X, Y = words.groups[first], words.groups[second]
            Z, Z2 = words.stereotypes[first], words.stereotypes[second]
            made[name] = Experiment(name, X, Y, Z, Z2, labels)
    if not made:
        raise ValueError("there are no word lists; name one or more")
    return made


def compared_groups(words: WordList) -> list[str]:
    """Return the groups with stereotypes; a ValueError if there are fewer than two."""
    groups = [name for name in words.groups if name in words.stereotypes]
    if len(groups) < 2:
        raise ValueError(
            f"the list {words.name!r} has {len(groups)} group(s) with stereotypes; two or more are "
            "needed"
        )
    return groups
