"""Pair the rows of two tables, one from before and one from after a change."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import pandas as pd

from .._core.display import abridged
from ..model.design import Design
from ..model.indexing import index_table
from ..tables.copies import without_copies
from ..tables.cosines import COSINES
from ..tables.schema import COLUMNS, OPTIONAL_COLUMNS, validate_table

KEYS = "protected_word", "attribute", "connection"
"""Rows of both tables are paired by these columns, and by ``context`` if both tables have it."""

OUTCOME = "change"
"""Name of the difference after - before in posteriors."""

ENDS = ("before", "after")
"""Columns with the two distances of a pair."""

_TIMES = "_occurrence"


@dataclass(frozen=True, eq=False)
class Pairs:
    """The paired rows of two tables.

    Parameters
    ----------
    rows : DataFrame
        One row per pair: all ``COLUMNS`` except the distance, any ranks and covariates before the
        change, then ``before``, ``after``, and ``change`` (after - before, in [-2, 2]).
    unpaired : DataFrame
        Rows without a partner: ``table`` (``before`` or ``after``), then ``COLUMNS``.
    n_repeated : int
        Number of pairs with the same words and connection as an earlier pair.
    """

    rows: pd.DataFrame
    unpaired: pd.DataFrame
    n_repeated: int

    def design(self) -> Design:
        """Return the changes in the form that models are fitted to."""
        return index_table(self.rows.rename(columns={OUTCOME: COLUMNS[-1]}), outcome=OUTCOME)

    def each_vector_once(self, *, drop: bool) -> Pairs:
        """Warn about words with identical vectors or, if ``drop`` is true, leave out the copies."""
        rows = self.rows
        for when in ENDS:
            table = rows.assign(**{COLUMNS[-1]: rows[when]})
            rows = without_copies(table, f"the table {when}", drop=drop)
        return replace(self, rows=rows[self.rows.columns])


def pair(before: pd.DataFrame, after: pd.DataFrame) -> Pairs:
    """Pair the rows of two tables by protected word, attribute, connection, and any context.

    If a pair of words has several rows, as in the published race tables, the first rows of both
    tables are paired, then the second rows, and so on. If only one table has contexts, the order
    of its rows would decide, so a ValueError is raised.

    Parameters
    ----------
    before, after : DataFrame
        Long-form tables of one embedding each. Pairs have the groups and sets of `before`.
    """
    tables = [_one(table, when) for table, when in zip((before, after), ENDS, strict=True)]
    if taken := [name for name in (*ENDS, OUTCOME) if name in tables[0]]:
        raise ValueError(
            f"pairs have a column {taken[0]!r} of distances; rename this column of the table before"
        )
    contexts = [table["context"].nunique() if "context" in table else 0 for table in tables]
    if 0 in contexts and max(contexts) > 1:
        when = ENDS[contexts.index(0) - 1]
        raise ValueError(
            f"only the table {when} has contexts, so it has several rows for each row of the "
            "other table; choose one context, or pass two tables with contexts"
        )
    by = pair_keys(tables)
    group, later = (
        table.drop_duplicates("protected_word").set_index("protected_word")["protected_group"]
        for table in tables
    )
    group, later = group.align(later, join="inner")
    for word in group.index[group != later][:1]:
        raise ValueError(
            f"the protected word {word!r} is in the group {group[word]!r} before and in "
            f"{later[word]!r} after; use the same group in both tables"
        )
    distance = COLUMNS[-1]
    joined = tables[0].merge(
        tables[1][[*by, distance]], on=by, suffixes=("", "_after"), validate="one_to_one"
    )
    if joined.empty:
        shown = [" ".join(map(str, table[list(KEYS)].iloc[0])) for table in tables]
        raise ValueError(
            f"the tables have no rows in common (before begins with {shown[0]!r}, after with "
            f"{shown[1]!r}); make both from the same list"
        )
    known = {*COLUMNS, *OPTIONAL_COLUMNS, _TIMES, *ENDS, OUTCOME}
    rows = joined[[*COLUMNS[:-1], *(name for name in tables[0] if name not in known)]].copy()
    rows["before"], rows["after"] = joined[distance], joined[f"{distance}_after"]
    rows[OUTCOME] = rows["after"] - rows["before"]
    rows.attrs |= {name: text for name, text in tables[0].attrs.items() if name == COSINES}
    looked_up = [table.merge(joined[by], "left", by, indicator=True) for table in tables]
    alone = pd.concat(looked_up, keys=ENDS, names=["table"]).query("_merge == 'left_only'")
    unpaired = alone.reset_index()[["table", *COLUMNS]]
    return Pairs(rows, unpaired, int((joined[_TIMES] > 0).sum()))


def pair_keys(tables: Sequence[pd.DataFrame]) -> list[str]:
    """Return the columns that tell the rows of each table apart, and number repeated rows."""
    keys = [*KEYS, *["context"] * all("context" in table for table in tables)]
    for table in tables:
        table[_TIMES] = table.groupby(keys, observed=True).cumcount()
    return [*keys, _TIMES]


def _one(table: pd.DataFrame, name: str) -> pd.DataFrame:
    """Validate a table, and raise a ValueError if it has several embeddings."""
    valid = validate_table(table)
    if "embedding" in valid and valid["embedding"].nunique() > 1:
        names = list(valid["embedding"].astype(str).unique())
        raise ValueError(
            f"the table {name!r} has {len(names)} embeddings ({abridged(names)}); pass one, such "
            f"as table[table['embedding'] == {names[0]!r}], or use fit_many"
        )
    return valid
