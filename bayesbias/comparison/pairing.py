"""Pair the rows of two tables, one from before and one from after a change."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
import pandas as pd

from .._core.display import abridged
from .._core.warnings import warn
from ..model.design import Design
from ..model.frequency import MATCHED
from ..model.indexing import index_table, refuse_contradictions
from ..tables.copies import without_copies
from ..tables.cosines import COSINES
from ..tables.schema import COLUMNS, OPTIONAL_COLUMNS, checked
from ..warnings import LeftOut

KEYS = "protected_word", "attribute", "attribute_set", "connection"
"""Rows of both tables are paired by these columns, and by ``context`` if both tables have it."""

OUTCOME = "change"
"""Name of the difference after - before in posteriors."""

ENDS = ("before", "after")
"""Columns with the two distances of a pair."""

PLACES = (
    ("protected_group", ("protected_word",), "is in the group"),
    ("attribute_set", ("attribute", "protected_group"), "is in the set"),
    ("connection", ("attribute", "protected_group", "attribute_set"), "has the connection"),
)
"""Columns in which tables must agree, and the columns that determine each."""


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
        Number of pairs with the same words, set, and connection as an earlier pair.
    """

    rows: pd.DataFrame
    unpaired: pd.DataFrame
    n_repeated: int

    @property
    def tables(self) -> tuple[pd.DataFrame, pd.DataFrame]:
        """The rows of each table that have a partner, in the same order."""
        rest = self.rows.drop(columns=[*ENDS, OUTCOME])
        first, later = (rest.assign(**{COLUMNS[-1]: self.rows[when]}) for when in ENDS)
        return first, later

    def warn_of_unpaired(self) -> None:
        """Warn of each table whose rows do not all have a partner."""
        why, hint = "the other table lacks them", "see bb.comparison.pair(before, after).unpaired"
        for when in ENDS:
            if n := int((self.unpaired["table"] == when).sum()):
                total = len(self.rows) + n
                warn(LeftOut(n, total, "row", why, hint=(hint,), about=f"the table {when}"))

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
    """Pair the rows of two tables by words, attribute set, connection, and any context.

    If a pair of words has several rows, as in the published race tables, the first rows of both
    tables are paired, then the second rows, and so on. If only one table has contexts, the order
    of its rows would decide, so a ValueError is raised.

    Parameters
    ----------
    before, after : DataFrame
        Long-form tables of one embedding each, with the same groups, sets, and connections.
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
    require_agreement(tables, ENDS)
    keys, later_keys = row_keys(tables)
    partner, later_partner = later_keys.get_indexer(keys), keys.get_indexer(later_keys)
    if (partner < 0).all():
        shown = [" ".join(map(str, table[list(KEYS)].iloc[0])) for table in tables]
        raise ValueError(
            f"the tables have no rows in common (before begins with {shown[0]!r}, after with "
            f"{shown[1]!r}); make both from the same list"
        )
    (first, later), distance = tables, COLUMNS[-1]
    is_paired = partner >= 0
    known = {*COLUMNS, *OPTIONAL_COLUMNS}
    names = [*COLUMNS[:-1], *(name for name in first if name not in known)]
    rows = first.loc[is_paired, names].reset_index(drop=True)
    rows["before"] = first[distance].to_numpy()[is_paired]
    rows["after"] = later[distance].to_numpy()[partner[is_paired]]
    rows[OUTCOME] = rows["after"] - rows["before"]
    rows.attrs |= {name: text for name, text in first.attrs.items() if name == COSINES}
    alone = [first[~is_paired], later[later_partner < 0]]
    columns = [part[[*COLUMNS]].assign(table=when) for part, when in zip(alone, ENDS, strict=True)]
    unpaired = pd.concat(columns, ignore_index=True)[["table", *COLUMNS]]
    times = keys.get_level_values(-1)[is_paired]
    return Pairs(rows, unpaired, int((times > 0).sum()))


def row_keys(tables: Sequence[pd.DataFrame]) -> list[pd.MultiIndex]:
    """Return what tells the rows of each table apart: `KEYS`, and the count of earlier repeats."""
    names = [*KEYS, *["context"] * all("context" in table for table in tables)]
    keys = [table[names] for table in tables]
    return [
        pd.MultiIndex.from_frame(own.assign(repeat=own.groupby(names, observed=True).cumcount()))
        for own in keys
    ]


def require_agreement(tables: Sequence[pd.DataFrame], places: Sequence[str]) -> None:
    """Raise a ValueError for the first word whose `PLACES` differ between tables.

    No table may contradict itself. A place says where a table is, such as "before". Matched words
    may belong to one table only. If spellings share a vector, they are one attribute with the sets
    of all, so an attribute with several sets in one table may have another set elsewhere.
    """
    listed = [table[table["connection"] != MATCHED] for table in tables]
    n_sets = [table.groupby("attribute")["attribute_set"].nunique() for table in listed]
    in_several = {name for counts in n_sets for name in counts.index[counts > 1]}
    one_set = [table[~table["attribute"].isin(in_several)] for table in listed]
    of_column = {"protected_group": tables, "attribute_set": one_set, "connection": listed}
    for column, of, is_in in PLACES:
        parts = [
            table[[*of, column]].drop_duplicates([*of]).assign(number=number)
            for number, table in enumerate(of_column[column])
        ]
        found = pd.concat(parts, ignore_index=True)
        known = found[[*of]].merge(found.drop_duplicates([*of]), "left", [*of])
        for row in np.flatnonzero(found[column].astype(str) != known[column].astype(str))[:1]:
            whose = "".join(f" for the group {found[name][row]!r}" for name in of[1:2])
            one, other = (
                f"{each[column][row]!r} {places[each['number'][row]]}" for each in (known, found)
            )
            raise ValueError(
                f"the {of[0].replace('_', ' ')} {found[of[0]][row]!r}{whose} {is_in} {one} but "
                f"{other}; use the same {column.replace('_', ' ')} in all tables"
            )


def _one(table: pd.DataFrame, name: str) -> pd.DataFrame:
    """Validate a table; raise a ValueError for several embeddings or contradictory rows."""
    known = checked(table)
    valid = known.rows
    if "embedding" in valid and valid["embedding"].nunique() > 1:
        names = list(valid["embedding"].astype(str).unique())
        raise ValueError(
            f"the table {name!r} has {len(names)} embeddings ({abridged(names)}); pass one, such "
            f"as table[table['embedding'] == {names[0]!r}], or use fit_many"
        )
    refuse_contradictions(valid, known.coded)
    return valid
