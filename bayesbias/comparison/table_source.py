"""Return whether two tables are of the word list and the vectors that are given next to them."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import pandas as pd

from .._core.arrays import unit_rows
from .._core.checks import Argument, ArgumentError
from .._core.display import abridged
from ..embeddings.word_sets import WordVectors
from ..tables.schema import COLUMNS
from ..tables.wordlists import WordList, load_wordlist, wordlists

TOLERANCE = 1e-3
"""How far a table may be from its vectors. Float32 files move a cosine by about 1e-6, and tables or
text files of four digits by about 1e-4; two embeddings differ by a tenth in most pairs."""


def require_table_source(
    tables: Mapping[str, pd.DataFrame], vectors: Mapping[str, WordVectors], wordlist: WordList
) -> None:
    """Require that tables hold words of a list, and distances of vectors.

    Parameters
    ----------
    tables : mapping of str to DataFrame
        Long-form tables by name, such as ``before`` and ``after``.
    vectors : mapping of str to KeyedVectors
        What each table is said to be measured in.
    wordlist : WordList
        What the tables are said to be measured with.

    Raises
    ------
    ValueError
        If a table holds no protected word of the list, or no pair of words that its vectors have;
        or if a distance is more than ``TOLERANCE`` from that of its vectors.
    """
    for name, table in tables.items():
        _require_words(name, table, wordlist)
    for name, table in tables.items():
        _require_distances(name, table, vectors[name])


def _require_words(name: str, table: pd.DataFrame, wordlist: WordList) -> None:
    held = dict.fromkeys(table["protected_word"].astype(str))
    if held.keys() & {word for group in wordlist.groups.values() for word in group}:
        return
    near = _nearest_list(set(held))
    told = f"they are those of the list {near!r}; pass that list" if near else "pass their list"
    raise ValueError(
        f"no protected word of the list {wordlist.name!r} is in the table {name}, whose protected "
        f"words are {abridged(list(held))}: {told}, or tables made with {wordlist.name!r}"
    )


def _nearest_list(held: set[str]) -> str:
    """Name of the bundled list that shares the largest part of its protected words, or nothing."""
    shares = {}
    for name in wordlists():
        own = {word for group in load_wordlist(name).groups.values() for word in group}
        shares[name] = len(own & held) / len(own | held)
    best = max(shares, key=lambda name: shares[name])
    return best if shares[best] else ""


def _require_distances(name: str, table: pd.DataFrame, vectors: WordVectors) -> None:
    pairs = table[["protected_word", "attribute"]].astype(str)
    there = {word: word in vectors for word in pd.unique(pairs.to_numpy().ravel())}
    both = (pairs["protected_word"].map(there) & pairs["attribute"].map(there)).to_numpy(bool)
    if not both.any():
        raise ArgumentError(
            f"the vectors {name} have no pair of words of the table {name}, which begins with "
            f"{_pair(pairs, 0)}; give the vectors that it was measured in, and if they are in "
            "lower case, ",
            Argument("case", "fallback"),
        )
    known = pairs[both].reset_index(drop=True)
    told = table.loc[both, COLUMNS[-1]].to_numpy(np.float64)
    found = _distances(known, vectors)
    apart = np.abs(found - told) > TOLERANCE
    if apart.any():
        row = int(np.argmax(apart))
        raise ValueError(
            f"the table {name} is not of the vectors {name}: for {_pair(known, row)} it has the "
            f"distance {told[row]:.4f}, and the vectors give {found[row]:.4f} (so, or similarly, "
            f"for {int(apart.sum()):,} of {len(told):,} pairs). Give the vectors that the table "
            "was measured in, or make it again from these; are before and after swapped?"
        )


def _pair(pairs: pd.DataFrame, row: int) -> str:
    first, second = pairs.iloc[row]
    return f"{first!r} and {second!r}"


def _distances(pairs: pd.DataFrame, vectors: WordVectors) -> np.ndarray:
    first, second = (
        unit_rows(np.stack([np.asarray(vectors[word], float) for word in pairs[name]]))
        for name in pairs
    )
    return np.asarray(1 - (first * second).sum(axis=1))
