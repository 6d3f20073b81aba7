"""Integer indices and coordinates of a table's rows, which all models share."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, field, fields, replace
from functools import cached_property

import numpy as np

from .._core.arrays import FloatArray, IntArray
from ..tables.schema import (
    CONTROLS,
    STEREOTYPES,
)
from .likeness import likeness

COVARIATE = "covariate"
"""Name of the dimension of covariate slopes."""

ATTRIBUTE_KINDS = ("stereotype", "neutral", "human", "matched")
"""Kinds of attribute words: stereotypes and controls."""

WITHOUT_CONTROLS = ("attribute_set", "stereotype_connection")
"""Dimensions in which rows of controls have no level."""

ROW_PARTS = {
    "protected_word": "word",
    "connection": "connection",
    "attribute": "attribute",
    "attribute_set": "set",
    "context": "context",
}
"""Names of the row indices in a design, keyed by dimension; the plural names the levels."""


def one_hot(index: IntArray, n: int) -> FloatArray:
    """Return 0/1 indicators as an (n, len(index)) array; a column is zero for an index of -1."""
    return np.asarray(np.arange(n)[:, None] == index, dtype=np.float64)


def cell_means(
    values: FloatArray, place: tuple[IntArray, ...], shape: tuple[int, ...]
) -> FloatArray:
    """Return the means of rows' values, (n_rows, ...), in cells; NaN for cells without rows."""
    total, n_rows = np.zeros((*shape, *values.shape[1:])), np.zeros(shape)
    np.add.at(total, place, values)
    np.add.at(n_rows, place, 1.0)
    with np.errstate(invalid="ignore"):
        return np.asarray(total / n_rows.reshape(*shape, *[1] * (values.ndim - 1)))


@dataclass(frozen=True, eq=False)
class Design:
    """The data that a model is fitted to: arrays from a validated table or another source.

    `index_table` makes a design from a table of distances. `fit_design` can also fit other outcomes
    for pairs of words and attributes. Nonfinite outcomes or covariates raise a ValueError.
    """

    words: tuple[str, ...]
    groups: tuple[str, ...]
    connections: tuple[str, ...]
    attributes: tuple[str, ...]
    kinds: tuple[str, ...]
    word_group: IntArray  # (n_words,): group of each protected word
    attribute_kind: IntArray  # (n_attributes,): kind of each attribute
    word: IntArray  # (n_rows,): an index for each row, as in the next three
    connection: IntArray
    attribute: IntArray
    y: FloatArray  # the modeled outcome, such as cosine distances
    outcome: str = "cosine_distance"
    contexts: tuple[str, ...] = ()  # empty if nothing was measured in contexts
    context: IntArray = field(default_factory=lambda: np.zeros(0, dtype=np.int64))
    sets: tuple[str, ...] = ()  # stereotype sets, without control words
    set: IntArray = field(default_factory=lambda: np.zeros(0, dtype=np.int64))  # -1 for controls
    set_connection: IntArray = field(default_factory=lambda: np.zeros((0, 0), dtype=np.int64))
    # (n_groups, n_sets): each set's connection to each group; -1 if there are no rows
    rounding: float = 0.0  # sd of a known error that is part of every residual sd; see `fit_change`
    covariates: tuple[str, ...] = ()
    x: FloatArray = field(default_factory=lambda: np.zeros((0, 0)))  # (n_rows, n_covariates)
    covariate_unit: FloatArray = field(default_factory=lambda: np.zeros(0))
    # (n_covariates,): differences of x for which the effect has the sd of the slopes' prior; or 1
    word_likeness: FloatArray = field(default_factory=lambda: np.zeros((0, 0)))
    attribute_likeness: FloatArray = field(default_factory=lambda: np.zeros((0, 0)))
    # (n, n), computed by `likeness`; (0, 0) if the vectors are unknown
    attribute_rank: FloatArray = field(default_factory=lambda: np.zeros(0))
    # (n_attributes,): frequency ranks; NaN if unknown

    def __post_init__(self) -> None:
        n_rows = len(self.y)
        for name in ("word", "connection", "attribute", *(("context",) if self.contexts else ())):
            index, size = getattr(self, name), len(getattr(self, f"{name}s"))
            if len(index) != n_rows or (n_rows and not 0 <= index.min() <= index.max() < size):
                raise ValueError(f"{name} needs an index from 0 to {size - 1} in every row")
        if not np.isfinite(self.y).all():
            row = int(np.argmin(np.isfinite(self.y)))
            raise ValueError(f"{self.outcome} must be finite; got {self.y[row]} in row {row}")
        shape = (n_rows, len(self.covariates))
        if self.covariates and not (self.x.shape == shape and np.isfinite(self.x).all()):
            raise ValueError(
                f"x must be a finite array of shape {shape}; leave out rows with missing covariates"
            )
        if len(self.covariate_unit) != len(self.covariates):
            object.__setattr__(self, "covariate_unit", np.ones(len(self.covariates)))
        if not self.attribute_rank.size:
            object.__setattr__(self, "attribute_rank", np.full(len(self.attributes), np.nan))
        if not self.set_connection.size:
            of_pair = np.full((len(self.groups), len(self.sets)), -1)
            rows = np.flatnonzero(self.set >= 0)
            of_pair[self.codes("protected_group")[rows], self.set[rows]] = self.connection[rows]
            object.__setattr__(self, "set_connection", of_pair)

    def require_clear_sets(self, model: str) -> None:
        """Raise a ValueError if a set is both associated and different for the same group."""
        rows = np.flatnonzero(self.set >= 0)
        groups, sets = self.codes("protected_group")[rows], self.set[rows]
        clash = np.flatnonzero(self.connection[rows] != self.set_connection[groups, sets])
        if len(clash):
            raise ValueError(
                f"the set {self.sets[sets[clash[0]]]!r} has both associated and different rows "
                f"for the group {self.groups[groups[clash[0]]]!r}, "
                f"but the model {model!r} has set effects. Give each group's stereotypes a "
                "separate attribute_set, or use a model without set effects, such as crossed"
            )

    def codes(self, column: str) -> IntArray:
        """Return the index of every row along a dimension of ``coords`` as an (n_rows,) array."""
        if column == "protected_group":
            return self.word_group[self.word]
        if column == "attribute_kind":
            return self.attribute_kind[self.attribute]
        if column == "stereotype_connection":  # these connections come first
            n = len(self.coords.get(column, ()))
            return np.where(self.connection < n, self.connection, -1)
        if column == "attribute_column":
            control = np.array([name in CONTROLS for name in self.connections])
            place = len(self.sets) + np.cumsum(control) - 1
            return np.where(self.set >= 0, self.set, place[self.connection])
        return np.asarray(getattr(self, ROW_PARTS[column]))

    def of_connection(self, name: str) -> IntArray:
        """Return the rows of a connection, or an empty array if the design does not have it."""
        if name not in self.connections:
            return np.zeros(0, dtype=np.int64)
        return np.flatnonzero(self.connection == self.connections.index(name))

    def take(self, rows: IntArray) -> Design:
        """Return a design with only some rows, but all words, attributes, and connections."""
        names = ["word", "connection", "attribute", "y"]
        names += [name for name in ("context", "set") if len(getattr(self, name))]
        names += ["x"] if self.covariates else []
        return replace(self, **{name: getattr(self, name)[rows] for name in names})

    def __eq__(self, other: object) -> bool:
        return self.digest == other.digest if isinstance(other, Design) else NotImplemented

    def __hash__(self) -> int:
        return hash(self.digest)

    @property
    def digest(self) -> str:
        """Return the SHA-256 of the design in hexadecimal; equal designs have equal digests."""
        digest = hashlib.sha256()
        for key in fields(self):
            value = getattr(self, key.name)
            content = value.tobytes() if isinstance(value, np.ndarray) else repr(value).encode()
            digest.update(f"{key.name} {len(content)}:".encode() + content)
        return digest.hexdigest()

    @property
    def columns(self) -> tuple[str, ...]:
        """Return the stereotype sets and then the kinds of controls, or () if rows have no sets."""
        controls = tuple(name for name in self.connections if name in CONTROLS)
        return (*self.sets, *controls) if self.sets else ()

    @property
    def column_connection(self) -> IntArray:
        """Return the (n_groups, n_columns) connections of columns to groups; -1 means no rows."""
        place = np.full((len(self.groups), len(self.columns)), -1)
        place[self.codes("protected_group"), self.codes("attribute_column")] = self.connection
        return place

    @property
    def attribute_column(self) -> IntArray:
        """Return the index of each attribute's column or, without sets, of its connection.

        If groups have an attribute in different columns, its column is that of most rows.
        """
        column = self.codes("attribute_column" if self.sets else "connection")
        n_rows = np.zeros((len(self.attributes), column.max() + 1), dtype=np.int64)
        np.add.at(n_rows, (self.attribute, column), 1)
        return n_rows.argmax(axis=1)

    def likeness_of(self, factor: str) -> tuple[FloatArray, IntArray]:
        """Return the likeness of words or attributes (empty if unknown), and the block of each."""
        if factor == "protected_word":
            return self.word_likeness, self.word_group
        return self.attribute_likeness, self.attribute_column

    @property
    def spread(self) -> float:
        """Return the sd of the outcome in stereotype rows, or in all rows if there are none."""
        rows = np.concatenate([self.of_connection(name) for name in STEREOTYPES])
        return float((self.y[rows] if len(rows) else self.y).std())

    @cached_property
    def coords(self) -> dict[str, list[str]]:
        """Return the coordinates of every dimension that a model can use."""
        names = {
            "connection": self.connections,
            "stereotype_connection": tuple(c for c in self.connections if c in STEREOTYPES),
            "protected_word": self.words,
            "protected_group": self.groups,
            "attribute": self.attributes,
            "attribute_kind": self.kinds,
            "attribute_set": self.sets,
            "attribute_column": self.columns,
            COVARIATE: self.covariates,
            "context": self.contexts,
        }
        optional = {*WITHOUT_CONTROLS, "attribute_column", COVARIATE, "context"}
        return {dim: list(labels) for dim, labels in names.items() if labels or dim not in optional}


def with_cosines(design: Design, words: FloatArray, attributes: FloatArray) -> Design:
    """Return a design with likeness from cosines; if there are none, units count as unrelated."""
    return replace(
        design,
        word_likeness=likeness(words, design.word_group),
        attribute_likeness=likeness(attributes, design.attribute_column, len(design.sets)),
    )
