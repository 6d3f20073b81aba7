"""Pairing the rows of two tables: what stood before with what stands after."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
import pandas as pd

from .._core.arrays import FloatArray
from ..model.design import Design, index_table
from ..tables.copies import without_copies
from ..tables.cosines import COSINES
from ..tables.schema import COLUMNS, validate_table

KEYS = ("protected_word", "attribute", "connection")
"""Rows of both tables that agree in these, and in ``context`` if both have it, are a pair."""

OUTCOME = "change"
"""Name of after - before in posteriors."""

ENDS = ("before", "after")
"""Columns of the distances of a pair."""

_TIMES = "_occurrence"
_SHOWN = 4


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

    def distances(self, when: str) -> FloatArray:
        """Distances ``before`` or ``after``, (n_pairs,)."""
        return self.rows[when].to_numpy(np.float64)


def pair(before: pd.DataFrame, after: pd.DataFrame) -> Pairs:
    """Pair the rows of two tables on protected word, attribute and connection.

    Where a pair of words stands in several rows, as in the published race tables, the first of
    one table goes with the first of the other, the second with the second, and so on.

    Parameters
    ----------
    before, after : DataFrame
        Long-form tables, each of one embedding. Groups and attribute sets are those of `before`.

    Returns
    -------
    Pairs

    Raises
    ------
    ValueError
        If a table is not valid or holds several embeddings, the two have no row in common, or a
        protected word is in another group after.
    """
    tables = {"before": _one(before, "before"), "after": _one(after, "after")}
    both = all("context" in table for table in tables.values())
    keys = [*KEYS, *(["context"] if both else [])]
    for table in tables.values():
        table[_TIMES] = table.groupby(keys, observed=True).cumcount()
    first, second = tables.values()
    _require_same_groups(first, second)
    joined = first.merge(
        second[[*keys, _TIMES, COLUMNS[-1]]],
        on=[*keys, _TIMES],
        how="inner",
        suffixes=("", "_after"),
        validate="one_to_one",
    )
    if joined.empty:
        raise ValueError(_nothing_shared(first, second))
    rows = joined[list(COLUMNS[:-1])].copy()
    rows["before"], rows["after"] = joined[COLUMNS[-1]], joined[f"{COLUMNS[-1]}_after"]
    rows[OUTCOME] = rows["after"] - rows["before"]
    rows.attrs |= {name: text for name, text in before.attrs.items() if name == COSINES}
    by = [*keys, _TIMES]
    paired = pd.MultiIndex.from_frame(joined[by].astype(str))
    left = [
        table[~pd.MultiIndex.from_frame(table[by].astype(str)).isin(paired)].assign(table=name)
        for name, table in tables.items()
    ]
    unpaired = pd.concat(left, ignore_index=True)[["table", *COLUMNS]]
    return Pairs(rows, unpaired, int((joined[_TIMES] > 0).sum()))


def unpaired(before: pd.DataFrame, after: pd.DataFrame) -> pd.DataFrame:
    """Rows of two tables that have no partner in the other; `fit_change` leaves them out.

    Returns
    -------
    DataFrame
        ``table`` (``before`` or ``after``) and ``COLUMNS``; empty if every row has a partner.
    """
    return pair(before, after).unpaired


def _one(table: pd.DataFrame, name: str) -> pd.DataFrame:
    """Validate a table and require that it is of one embedding."""
    valid = validate_table(table)
    if "embedding" in valid and valid["embedding"].nunique(dropna=False) > 1:
        names = list(valid["embedding"].astype(str).unique())
        raise ValueError(
            f"the table {name} holds {len(names)} embeddings ({', '.join(names[:_SHOWN])}); pass "
            f"one, as table[table['embedding'] == {names[0]!r}], or use fit_many"
        )
    return valid


def _require_same_groups(before: pd.DataFrame, after: pd.DataFrame) -> None:
    groups = [
        table.drop_duplicates("protected_word").set_index("protected_word")["protected_group"]
        for table in (before, after)
    ]
    first, second = groups[0].align(groups[1], join="inner")
    moved = first.index[first != second]
    if len(moved):
        word = moved[0]
        raise ValueError(
            f"the protected word {word!r} is of the group {first[word]!r} before and "
            f"{second[word]!r} after; give it one"
        )


def _nothing_shared(before: pd.DataFrame, after: pd.DataFrame) -> str:
    reasons = []
    for name in KEYS:
        words, others = (table[name].astype(str).unique() for table in (before, after))
        if not set(words) & set(others):
            shown = [", ".join(values[:_SHOWN]) for values in (words, others)]
            reasons.append(f"no {name} is in both (before: {shown[0]}; after: {shown[1]})")
    why = "; ".join(reasons) or "each of their words is, but never in the same combination"
    return (
        f"the tables have no row in common, so there is nothing to pair: {why}. Both must be "
        "made with the same word list"
    )
