"""Pairing the rows of two tables: what stood before with what stands after."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np
import pandas as pd

from .._core.arrays import unit_rows
from .._core.checks import Argument, ArgumentError
from .._core.display import abridged
from ..embeddings.word_sets import WordVectors
from ..model.design import Design, index_table
from ..tables.copies import without_copies
from ..tables.cosines import COSINES
from ..tables.schema import COLUMNS, validate_table
from ..tables.wordlists import WordList

KEYS = ("protected_word", "attribute", "connection")
"""Rows of both tables that agree in these, and in ``context`` if both have it, are a pair."""

OUTCOME = "change"
"""Name of after - before in posteriors."""

ENDS = ("before", "after")
"""Columns of the distances of a pair."""

TOLERANCE = 1e-3
"""How far a table may be from its vectors: four digits move a cosine by about 1e-4."""

_TIMES = "_occurrence"


@dataclass(frozen=True, eq=False)
class Pairs:
    """The rows of two tables, paired.

    Parameters
    ----------
    rows : DataFrame
        One row a pair: the columns of ``COLUMNS`` but the distance, then ``before``, ``after``
        and ``change`` = after - before, in [-2, 2].
    unpaired : DataFrame
        Rows without a partner: ``table`` (``before`` or ``after``), then ``COLUMNS``.
    n_repeated : int
        Pairs that repeat the words and the connection of an earlier one.
    """

    rows: pd.DataFrame
    unpaired: pd.DataFrame
    n_repeated: int

    def design(self) -> Design:
        """Return the changes as rows that a model is fitted to."""
        return index_table(self.rows.rename(columns={OUTCOME: COLUMNS[-1]}), outcome=OUTCOME)

    def each_vector_once(self, *, drop: bool, stacklevel: int) -> Pairs:
        """Return the pairs with a warning of copied words, or without those of either table."""
        rows = self.rows
        for when in ENDS:
            table = rows.assign(**{COLUMNS[-1]: rows[when]})
            rows = without_copies(table, f"the table {when}", drop=drop, stacklevel=stacklevel + 1)
        return replace(self, rows=rows[self.rows.columns])


def pair(before: pd.DataFrame, after: pd.DataFrame) -> Pairs:
    """Pair the rows of two tables on protected word, attribute and connection.

    Where a pair of words stands in several rows, as in the published race tables, the first of
    one table goes with the first of the other, the second with the second, and so on.

    Parameters
    ----------
    before, after : DataFrame
        Long-form tables, each of one embedding. Groups and attribute sets are those of `before`.

    """
    tables = [_one(table, when) for table, when in zip((before, after), ENDS, strict=True)]
    keys = [*KEYS, *["context"] * all("context" in table for table in tables)]
    for table in tables:
        table[_TIMES] = table.groupby(keys, observed=True).cumcount()
    group, later = (
        table.drop_duplicates("protected_word").set_index("protected_word")["protected_group"]
        for table in tables
    )
    group, later = group.align(later, join="inner")
    for word in group.index[group != later][:1]:
        raise ValueError(
            f"the protected word {word!r} is of the group {group[word]!r} before and "
            f"{later[word]!r} after; give it one"
        )
    by, distance = [*keys, _TIMES], COLUMNS[-1]
    joined = tables[0].merge(
        tables[1][[*by, distance]], on=by, suffixes=("", "_after"), validate="one_to_one"
    )
    if joined.empty:
        shown = [" ".join(map(str, table[list(KEYS)].iloc[0])) for table in tables]
        raise ValueError(
            f"the tables have no row in common (before begins with {shown[0]!r}, after with "
            f"{shown[1]!r}); make both with the same word list"
        )
    rows = joined[list(COLUMNS[:-1])].copy()
    rows["before"], rows["after"] = joined[distance], joined[f"{distance}_after"]
    rows[OUTCOME] = rows["after"] - rows["before"]
    rows.attrs |= {name: text for name, text in before.attrs.items() if name == COSINES}
    paired = pd.MultiIndex.from_frame(joined[by].astype(str))
    alone = [
        table[~pd.MultiIndex.from_frame(table[by].astype(str)).isin(paired)].assign(table=when)
        for table, when in zip(tables, ENDS, strict=True)
    ]
    unpaired = pd.concat(alone, ignore_index=True)[["table", *COLUMNS]]
    return Pairs(rows, unpaired, int((joined[_TIMES] > 0).sum()))


def _one(table: pd.DataFrame, name: str) -> pd.DataFrame:
    """Validate a table and require that it is of one embedding."""
    valid = validate_table(table)
    if "embedding" in valid and valid["embedding"].nunique(dropna=False) > 1:
        names = list(valid["embedding"].astype(str).unique())
        raise ValueError(
            f"the table {name} holds {len(names)} embeddings ({abridged(names)}); pass one, as "
            f"table[table['embedding'] == {names[0]!r}], or use fit_many"
        )
    return valid


def require_table_source(
    tables: Mapping[str, pd.DataFrame], vectors: Mapping[str, WordVectors], wordlist: WordList
) -> None:
    """Require that tables hold words of a list, and distances of the vectors of the same name.

    A ValueError names what a table lacks, or a distance that differs by more than ``TOLERANCE``.
    """
    for name, table in tables.items():
        pairs, held = table[["protected_word", "attribute"]].astype(str), vectors[name]
        words = {word for group in wordlist.groups.values() for word in group}
        if words.isdisjoint(pairs["protected_word"]):
            raise ValueError(
                f"no protected word of the list {wordlist.name!r} is in the table {name}: pass the "
                "list that it was made with"
            )
        is_held = pairs.map(held.__contains__).all(axis=1)
        if not is_held.any():
            raise ArgumentError(
                f"the vectors {name} have no pair of words of the table {name}; give the vectors "
                "that it was measured in, and if they are in lower case, ",
                Argument("case", "fallback"),
            )
        pairs, measured = pairs[is_held], table.loc[is_held, COLUMNS[-1]].to_numpy(np.float64)
        first, second = (
            unit_rows(np.stack([held[word] for word in pairs[end]]).astype(np.float64))
            for end in pairs
        )
        computed = 1 - (first * second).sum(axis=1)
        row = int(np.abs(computed - measured).argmax())
        if abs(computed[row] - measured[row]) > TOLERANCE:
            raise ValueError(
                f"the table {name} is not of the vectors {name}: for {tuple(pairs.iloc[row])} it "
                f"has the distance {measured[row]:.4f}, and the vectors give {computed[row]:.4f}. "
                "Give the vectors that the table was measured in; are before and after swapped?"
            )
