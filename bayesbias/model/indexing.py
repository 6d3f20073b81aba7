"""Make designs from long-form tables, at equal word frequency if possible."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd

from .._core.checks import counted
from ..tables.cosines import table_cosines
from ..tables.schema import (
    CONNECTIONS,
    IDS,
    RANKS,
    Checked,
    Coded,
    checked,
    codes_and_names,
)
from .design import ATTRIBUTE_KINDS, Design, with_cosines
from .frequency import at_equal_frequency

_KIND_OF_CONNECTION = {"associated": 0, "different": 0, "neutral": 1, "human": 2, "matched": 3}

_ONE_VALUE = {
    "protected_group": ("protected_word",),
    "connection": ("attribute", "protected_group"),
    "attribute_set": ("attribute", "protected_group"),
    RANKS[0]: ("protected_word",),
    RANKS[1]: ("attribute",),
}
"""For each column, the columns that determine it."""


def make_design(table: pd.DataFrame | Checked) -> Design:
    """Validate and index a table; raise a ValueError if rows contradict each other."""
    valid = checked(table)
    return index_table(valid.rows, coded=valid.coded)


def index_table(
    table: pd.DataFrame,
    outcome: str = "cosine_distance",
    *,
    coded: Mapping[str, Coded] | None = None,
) -> Design:
    """Index a table from `validate_table`, or a table with another outcome instead of distances.

    With ranks and matched controls, the outcome is moved to equal frequency (`model.frequency`).
    ``coded`` comes from `checked`; by default, it is computed here.
    """
    if coded is None:
        columns = [name for name in (*IDS, "context") if name in table]
        coded = {name: codes_and_names(table[name]) for name in columns}
    refuse_contradictions(table, coded)
    words, word_names = coded["protected_word"]
    groups, group_names = coded["protected_group"]
    attributes, attribute_names = coded["attribute"]
    codes, present = coded["connection"]
    word_group = np.empty(len(word_names), dtype=np.int64)
    word_group[words] = groups
    connections = [name for name in CONNECTIONS if name in present]
    kind_of_row = np.array([_KIND_OF_CONNECTION[name] for name in present])[codes]
    kind = np.full(len(attribute_names), len(ATTRIBUTE_KINDS))
    np.minimum.at(kind, attributes, kind_of_row)
    kinds, kind = np.unique(kind, return_inverse=True)
    others: dict[str, Any] = {}
    if "context" in coded:
        context, context_names = coded["context"]
        others |= {"contexts": tuple(context_names), "context": context.astype(np.int64)}
    stereotype = kind_of_row == 0
    if "attribute_set" in coded and stereotype.any():
        sets, set_names = coded["attribute_set"]
        different, of_row = np.unique(sets[stereotype], return_inverse=True)
        others["sets"] = tuple(set_names[i] for i in different)
        others["set"] = np.full(len(sets), -1)
        others["set"][stereotype] = of_row
    if RANKS[1] in table:
        others["attribute_rank"] = np.full(len(attribute_names), np.nan)
        others["attribute_rank"][attributes] = table[RANKS[1]]
    design = Design(
        words=tuple(word_names),
        groups=tuple(group_names),
        connections=tuple(connections),
        attributes=tuple(attribute_names),
        kinds=tuple(ATTRIBUTE_KINDS[i] for i in kinds),
        word_group=word_group,
        attribute_kind=kind.astype(np.int64),
        word=words.astype(np.int64),
        connection=np.array([connections.index(name) for name in present], dtype=np.int64)[codes],
        attribute=attributes.astype(np.int64),
        y=np.asarray(table["cosine_distance"], dtype=np.float64),
        outcome=outcome,
        **others,
    )
    cosines = table_cosines(table, word_names), table_cosines(table, attribute_names)
    return at_equal_frequency(with_cosines(design, *cosines))


def refuse_contradictions(table: pd.DataFrame, coded: Mapping[str, Coded]) -> None:
    """Raise a ValueError for the first row that contradicts an earlier one."""
    several = len(coded.get("embedding", ((), ()))[1]) > 1  # `fit` warns
    for column, of in _ONE_VALUE.items():
        if column not in table or (several and column in RANKS) or not {*of} <= coded.keys():
            continue
        value = (coded.get(column) or codes_and_names(table[column]))[0]
        shape = [len(coded[name][1]) for name in of]
        unit = np.ravel_multi_index([coded[name][0] for name in of], shape)
        first = np.zeros(int(np.prod(shape)), dtype=np.int64)
        first[unit[::-1]] = np.arange(len(unit))[::-1]
        clash = np.flatnonzero(value != value[first[unit]])
        if len(clash):
            row = int(clash[0])
            rows = table[column].iloc[[int(first[unit[row]]), row]].tolist()
            names = " and the ".join(f"{name} {table[name].iloc[row]!r}" for name in of)
            raise ValueError(
                f"the {names.replace('_', ' ')} has the {column} {rows[0]!r} in one row and "
                f"{rows[1]!r} in another ({counted(len(clash), 'row')}); choose one"
            )
