"""What the likelihood of a Normal model needs of a table, however many rows it has.

Cells (protected word, connection) whose attributes occur equally often behave alike, and so do
attributes that occur equally often in every cell. Within such a class an orthonormal change of
coordinates splits the effects into their mean and deviations from it; the deviations touch
nothing else. Where distances were measured in contexts that have effects, members of a class occur
equally often in every context, too. What remains has one coordinate a class, so that its size
does not grow with rows, words or attributes as long as the design is regular, and never exceeds
cells + attributes.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from .._core.arrays import FloatArray
from ..model.design import Design, IntArray


@dataclass(frozen=True)
class CellClasses:
    """Classes of cells with the same counts of every attribute; arrays are (n_classes,)."""

    of_cell: IntArray  # (n_words * n_connections,): class of each cell, counted word by word
    size: FloatArray  # cells in the class
    count: FloatArray  # rows in each of its cells
    connection: IntArray
    parent: IntArray  # index of the mean the cells spread around
    mean_sum: FloatArray  # sum of the cells' row sums over sqrt(size)
    deviation: FloatArray  # squared deviations of the cells' row sums from their mean, summed


@dataclass(frozen=True)
class AttributeClasses:
    """Classes of attributes with the same counts in every cell, and of the same kind."""

    of_attribute: IntArray  # (n_attributes,)
    size: FloatArray  # (n_classes,)
    kind: IntArray  # (n_classes,)
    count: FloatArray  # (n_connections, n_classes): rows of one attribute of the class
    mean_sum: FloatArray  # (n_connections, n_classes): sum of row sums over sqrt(size)
    deviation: FloatArray  # (n_connections, n_connections, n_classes): as of cells, cross-products


@dataclass(frozen=True)
class ContextCounts:
    """Rows of every context, alone and with one member of each class."""

    rows: FloatArray  # (n_connections, n_contexts)
    sums: FloatArray  # the same shape: sums of these rows about the centre
    of_cell: FloatArray  # (n_cell_classes, n_contexts)
    of_attribute: FloatArray  # (n_connections, n_attribute_classes, n_contexts)


@dataclass(frozen=True)
class Statistics:
    """Sufficient statistics of a table for all Normal models.

    Sums are about the centre, from which all distances are measured: the prior mean of the
    connection means. Models without attribute or context effects have no such classes.
    """

    rows: FloatArray  # (n_connections,)
    squares: FloatArray  # (n_connections,): sums of squares
    centre: float
    cells: CellClasses
    attributes: AttributeClasses | None
    incidence: FloatArray  # (n_cell_classes, n_attribute_classes): rows of one member of each
    cell_sums: FloatArray  # (n_words, n_connections)
    attribute_sums: FloatArray  # (n_connections, n_attributes)
    contexts: ContextCounts | None = None


def sufficient_statistics(
    design: Design,
    centre: float,
    *,
    with_attributes: bool,
    grouped: bool,
    with_contexts: bool = False,
) -> Statistics:
    """Reduce a design to its sufficient statistics, in one pass over the rows."""
    n_words, n_connections = len(design.words), len(design.connections)
    y = design.y - centre
    cell = design.word * n_connections + design.connection
    sums = np.bincount(cell, y, minlength=n_words * n_connections)
    counts = _counts(design, cell, n_words * n_connections, with_attributes=with_attributes)
    parent = np.tile(np.arange(n_connections), n_words)
    if grouped:
        parent = parent + n_connections * np.repeat(design.word_group, n_connections)
    # Without contexts nothing is counted, and nothing but the counts above makes classes.
    n_contexts = len(design.contexts) if with_contexts else 0
    of_cell = np.zeros((n_words * n_connections, n_contexts))
    of_attribute = np.zeros((n_connections, len(design.attributes), n_contexts))
    if with_contexts:
        np.add.at(of_cell, (cell, design.context), 1.0)
        np.add.at(of_attribute, (design.connection, design.attribute, design.context), 1.0)
    cells = _cell_classes(sums, counts, np.column_stack([parent, of_cell]), n_connections)
    by_attribute = _sums(y, (design.connection, design.attribute), of_attribute.shape[:2])
    attributes, incidence = None, np.zeros((len(cells.size), 0))
    first_cells, first_attributes = _first_members(cells.of_cell), np.zeros(0, np.int64)
    if with_attributes:
        attributes = _attribute_classes(design, counts, by_attribute, of_attribute)
        first_attributes = _first_members(attributes.of_attribute)
        incidence = counts[np.ix_(first_cells, first_attributes)]
    contexts = None
    if with_contexts:
        contexts = _contexts(design, y, of_cell[first_cells], of_attribute[:, first_attributes])
    return Statistics(
        rows=np.bincount(design.connection, minlength=n_connections).astype(float),
        squares=np.bincount(design.connection, y**2, minlength=n_connections),
        centre=centre,
        cells=cells,
        attributes=attributes,
        incidence=incidence,
        cell_sums=sums.reshape(n_words, n_connections),
        attribute_sums=by_attribute,
        contexts=contexts,
    )


def _counts(design: Design, cell: IntArray, n_cells: int, *, with_attributes: bool) -> FloatArray:
    """Rows of every cell, by attribute if attributes matter: (n_cells, n_attributes or 1)."""
    n_columns = len(design.attributes) if with_attributes else 1
    column = design.attribute if with_attributes else np.zeros_like(cell)
    flat = np.bincount(cell * n_columns + column, minlength=n_cells * n_columns)
    return flat.reshape(n_cells, n_columns).astype(float)


def _contexts(
    design: Design, y: FloatArray, of_cell: FloatArray, of_attribute: FloatArray
) -> ContextCounts:
    own, shape = (design.connection, design.context), (len(design.connections), of_cell.shape[1])
    rows, sums = _sums(np.ones_like(y), own, shape), _sums(y, own, shape)
    return ContextCounts(rows, sums, of_cell, of_attribute)


def _sums(values: FloatArray, at: tuple[IntArray, ...], shape: tuple[int, ...]) -> FloatArray:
    """Sums of rows by their indices."""
    sums = np.zeros(shape)
    np.add.at(sums, at, values)
    return sums


def _first_members(of_member: IntArray) -> IntArray:
    """Index of the first member of each class."""
    return np.unique(of_member, return_index=True)[1]


def _cell_classes(
    sums: FloatArray, counts: FloatArray, traits: FloatArray, n_connections: int
) -> CellClasses:
    """Class cells by their counts and traits: the mean they spread around, rows by context."""
    parent = traits[:, 0].astype(np.int64)
    first, of_cell = _classes(np.column_stack([traits, counts]))
    size = np.bincount(of_cell).astype(float)
    total = np.bincount(of_cell, sums)
    return CellClasses(
        of_cell=of_cell,
        size=size,
        count=counts[first].sum(axis=1),
        connection=(parent[first] % n_connections),
        parent=parent[first],
        mean_sum=total / np.sqrt(size),
        deviation=np.bincount(of_cell, (sums - (total / size)[of_cell]) ** 2),
    )


def _attribute_classes(
    design: Design, counts: FloatArray, sums: FloatArray, in_contexts: FloatArray
) -> AttributeClasses:
    n_connections = len(design.connections)
    rows = in_contexts.transpose(1, 0, 2).reshape(len(design.attributes), -1)
    first, of_attribute = _classes(np.column_stack([design.attribute_kind, counts.T, rows]))
    size = np.bincount(of_attribute).astype(float)
    total = np.stack([np.bincount(of_attribute, row) for row in sums])
    apart = sums - (total / size)[:, of_attribute]
    deviation = [[np.bincount(of_attribute, one * other) for other in apart] for one in apart]
    by_connection = counts.reshape(len(design.words), n_connections, -1).sum(axis=0)
    return AttributeClasses(
        of_attribute=of_attribute,
        size=size,
        kind=design.attribute_kind[first],
        count=by_connection[:, first],
        mean_sum=total / np.sqrt(size),
        deviation=np.array(deviation),
    )


def _classes(key: FloatArray) -> tuple[IntArray, IntArray]:
    """Equal rows of a key: index of the first row of each class, and the class of every row."""
    as_bytes = np.ascontiguousarray(key).view(
        np.dtype((np.void, key.dtype.itemsize * key.shape[1]))
    )
    _, first, of_row = np.unique(as_bytes.ravel(), return_index=True, return_inverse=True)
    return first, of_row.ravel()
