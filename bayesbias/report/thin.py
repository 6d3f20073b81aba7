"""Sentences on sets with too few words left, and the names of such sets."""

from __future__ import annotations

import pandas as pd

from ..tables.schema import FEWEST_LEFT, MOST_MISSING, THIN_MARK
from ..tables.wordlists import WordList
from .numbers import in_words, joined, percent

THIN_MEANING = (
    f"{THIN_MARK} marks numbers for a set that lost more than {percent(MOST_MISSING)} of its "
    f"words or has fewer than {FEWEST_LEFT} left. Do not rely on these numbers."
)


def thin_names(thin: pd.DataFrame, wordlist: WordList) -> list[str]:
    """Return the groups and controls whose sets have too few words."""
    sets = set(zip(thin["role"], thin["set"], strict=True)) if len(thin) else set()
    own = {g: {("protected", g), ("stereotype", wordlist.set_name(g))} for g in wordlist.groups}
    lost = [group for group, roles in own.items() if roles & sets]
    return [*lost, *(name for role, name in sets if role == "control")]


def sets_in_words(thin: pd.DataFrame) -> str:
    """Name thin sets and the number of words found for each."""
    names = thin["set"].map(in_words)
    counts = zip(names, thin["found"], thin["words"], strict=True)
    return joined(f"{name} ({found} of {words})" for name, found, words in counts)
