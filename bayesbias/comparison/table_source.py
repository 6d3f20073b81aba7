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
"""How far a table may be from its vectors: four digits move a cosine by about 1e-4."""


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
        _require_distances(name, table, vectors[name])


def _require_words(name: str, table: pd.DataFrame, wordlist: WordList) -> None:
    held = dict.fromkeys(table["protected_word"].astype(str))
    lists = (wordlist, *map(load_wordlist, wordlists()))
    shares = [
        len(held.keys() & words) / len(held.keys() | words) for words in map(_protected, lists)
    ]
    if shares[0]:
        return
    best = lists[int(np.argmax(shares))].name
    advice = (
        f"they are those of the list {best!r}; pass that list" if max(shares) else "pass theirs"
    )
    raise ValueError(
        f"no protected word of the list {wordlist.name!r} is in the table {name}, whose protected "
        f"words are {abridged(list(held))}: {advice}, or tables made with {wordlist.name!r}"
    )


def _protected(wordlist: WordList) -> set[str]:
    return {word for group in wordlist.groups.values() for word in group}


def _require_distances(name: str, table: pd.DataFrame, vectors: WordVectors) -> None:
    pairs = table[["protected_word", "attribute"]].astype(str)
    in_vectors = pairs.map(lambda word: word in vectors).all(axis=1)
    if not in_vectors.any():
        raise ArgumentError(
            f"the vectors {name} have no pair of words of the table {name}, which begins with "
            f"{tuple(pairs.iloc[0])}; give the vectors that it was measured in, and if they are in "
            "lower case, ",
            Argument("case", "fallback"),
        )
    known, measured = pairs[in_vectors], table.loc[in_vectors, COLUMNS[-1]].to_numpy(np.float64)
    first, second = (
        unit_rows(np.stack([np.asarray(vectors[word], float) for word in known[end]]))
        for end in known
    )
    computed = 1 - (first * second).sum(axis=1)
    differs = np.abs(computed - measured) > TOLERANCE
    if differs.any():
        row = int(np.argmax(differs))
        raise ValueError(
            f"the table {name} is not of the vectors {name}: for "
            f"{tuple(known.iloc[row])} it has the distance {measured[row]:.4f}, and "
            f"the vectors give {computed[row]:.4f} ({int(differs.sum()):,} of {len(differs):,} "
            "pairs differ). Give the vectors that the table was measured in, or make it again from "
            "these; are before and after swapped?"
        )
