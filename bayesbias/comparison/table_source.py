"""Whether tables are of the word list and the vectors that are given with them."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import pandas as pd

from .._core.arrays import unit_rows
from .._core.checks import Argument, ArgumentError
from .._core.display import abridged
from ..embeddings.word_sets import WordVectors
from ..tables.schema import COLUMNS
from ..tables.wordlists import WordList

TOLERANCE = 1e-3
"""How far a table may be from its vectors: four digits move a cosine by about 1e-4."""


def require_table_source(
    tables: Mapping[str, pd.DataFrame], vectors: Mapping[str, WordVectors], wordlist: WordList
) -> None:
    """Require that tables hold words of a list, and distances of vectors.

    Raises
    ------
    ValueError
        If a table holds no protected word of the list, or no pair of words that its vectors have;
        or if a distance is more than ``TOLERANCE`` from that of its vectors.
    """
    for name, table in tables.items():
        pairs = table[["protected_word", "attribute"]].astype(str)
        words = set(pairs["protected_word"])
        if words.isdisjoint(word for group in wordlist.groups.values() for word in group):
            raise ValueError(
                f"no protected word of the list {wordlist.name!r} is in the table {name}, whose "
                f"protected words are {abridged(list(words))}: pass the list that it was made with"
            )
        held = pairs.map(lambda word, end=name: word in vectors[end]).all(axis=1)
        if not held.any():
            raise ArgumentError(
                f"the vectors {name} have no pair of words of the table {name}, which begins with "
                f"{tuple(pairs.iloc[0])}; give the vectors that it was measured in, and if they "
                "are in lower case, ",
                Argument("case", "fallback"),
            )
        measured = table.loc[held, COLUMNS[-1]].to_numpy(np.float64)
        known = pairs[held]
        ends = [np.stack([vectors[name][word] for word in known[end]]) for end in known]
        first, second = (unit_rows(rows.astype(np.float64)) for rows in ends)
        computed = 1 - (first * second).sum(axis=1)
        differs = np.abs(computed - measured) > TOLERANCE
        if differs.any():
            row = int(np.argmax(differs))
            raise ValueError(
                f"the table {name} is not of the vectors {name}: for "
                f"{tuple(known.iloc[row])} it has the distance {measured[row]:.4f}, and the "
                f"vectors give {computed[row]:.4f} ({int(differs.sum()):,} of {len(differs):,} "
                "pairs differ). Give the vectors that the table was measured in; are before and "
                "after swapped?"
            )
