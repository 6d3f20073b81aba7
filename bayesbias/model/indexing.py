"""Make designs from long-form tables, at equal word frequency if possible."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd

from .._core.arrays import IntArray
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


def make_design(table: pd.DataFrame | Checked) -> Design:
    """Validate and index a table; no protected word may belong to two groups."""
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
    words, word_names = coded["protected_word"]
    groups, group_names = coded["protected_group"]
    attributes, attribute_names = coded["attribute"]
    codes, present = coded["connection"]
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
        word_group=_group_of_words(words, groups, word_names, group_names),
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


def _group_of_words(
    words: IntArray, groups: IntArray, word_names: list[str], group_names: list[str]
) -> IntArray:
    group_of = np.empty(len(word_names), dtype=np.int64)
    group_of[words] = groups
    clash = np.flatnonzero(group_of[words] != groups)
    if len(clash):
        row = int(clash[0])
        word = word_names[words[row]]
        both = f"{group_names[groups[row]]!r} and {group_names[group_of[words[row]]]!r}"
        raise ValueError(f"the protected word {word!r} is in two groups, {both}; choose one")
    return group_of
