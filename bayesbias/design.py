"""From a table to the integer indices and coordinates that every model shares."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from .geometry import FloatArray
from .schema import connections_present, validate

IntArray = NDArray[np.int64]

ATTRIBUTE_KINDS = ("stereotype", "neutral", "human")
"""Kinds of attribute words: those of any stereotype, and the two controls."""

_KIND_OF_CONNECTION = {"associated": 0, "different": 0, "neutral": 1, "human": 2}


@dataclass(frozen=True)
class Design:
    """A validated table as arrays.

    Parameters
    ----------
    words, groups, connections, attributes, kinds : tuple of str
        Names along the dimensions ``protected_word``, ``protected_group``, ``connection``,
        ``attribute`` and ``attribute_kind``.
    word_group : (n_words,) int
        Group of each protected word.
    attribute_kind : (n_attributes,) int
        Kind of each attribute.
    word, connection, attribute : (n_rows,) int
        Indices of each row.
    y : (n_rows,) float
        Cosine distances.
    """

    words: tuple[str, ...]
    groups: tuple[str, ...]
    connections: tuple[str, ...]
    attributes: tuple[str, ...]
    kinds: tuple[str, ...]
    word_group: IntArray
    attribute_kind: IntArray
    word: IntArray
    connection: IntArray
    attribute: IntArray
    y: FloatArray

    @property
    def coords(self) -> dict[str, list[str]]:
        """Coordinates of every dimension that a model may use."""
        return {
            "connection": list(self.connections),
            "protected_word": list(self.words),
            "protected_group": list(self.groups),
            "attribute": list(self.attributes),
            "attribute_kind": list(self.kinds),
        }


def make_design(table: pd.DataFrame) -> Design:
    """Index a table; the table is validated first.

    Raises
    ------
    ValueError
        If the table is not valid, or a protected word belongs to two groups.
    """
    return index_table(validate(table))


def index_table(table: pd.DataFrame) -> Design:
    """Index a table that `validate` gave."""
    connections = connections_present(table)
    words, word_names = pd.factorize(table["protected_word"].astype(str))
    groups, group_names = pd.factorize(table["protected_group"].astype(str))
    attributes, attribute_names = pd.factorize(table["attribute"].astype(str))
    code = table["connection"].astype(str)
    kind_of_row = code.map(_KIND_OF_CONNECTION).to_numpy(np.int64)
    kind = np.full(len(attribute_names), len(ATTRIBUTE_KINDS))
    np.minimum.at(kind, attributes, kind_of_row)
    present, kind = np.unique(kind, return_inverse=True)
    return Design(
        words=tuple(map(str, word_names)),
        groups=tuple(map(str, group_names)),
        connections=tuple(connections),
        attributes=tuple(map(str, attribute_names)),
        kinds=tuple(ATTRIBUTE_KINDS[i] for i in present),
        word_group=_group_of_words(words, groups, word_names, group_names),
        attribute_kind=kind.astype(np.int64),
        word=words.astype(np.int64),
        connection=np.asarray(pd.Index(connections).get_indexer(pd.Index(code)), dtype=np.int64),
        attribute=attributes.astype(np.int64),
        y=np.asarray(table["cosine_distance"], dtype=np.float64),
    )


def _group_of_words(
    words: IntArray, groups: IntArray, word_names: pd.Index, group_names: pd.Index
) -> IntArray:
    group_of = np.empty(len(word_names), dtype=np.int64)
    group_of[words] = groups
    clash = np.flatnonzero(group_of[words] != groups)
    if len(clash):
        row = int(clash[0])
        word = word_names[words[row]]
        both = f"{group_names[groups[row]]!r} and {group_names[group_of[words[row]]]!r}"
        raise ValueError(f"the protected word {word!r} is in two groups, {both}; give it one")
    return group_of
