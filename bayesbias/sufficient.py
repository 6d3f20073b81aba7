"""What the likelihood of a Normal card needs of a table, however many rows it has.

Cells (protected word, connection) whose attributes occur equally often behave alike, and so do
attributes that occur equally often in every cell. Within such a class an orthonormal change of
coordinates splits the effects into their mean and deviations from it; the deviations touch
nothing else. What remains has one coordinate a class, so that its size does not grow with rows,
words or attributes as long as the design is regular, and never exceeds cells + attributes.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from .design import Design, IntArray
from .geometry import FloatArray


@dataclass(frozen=True)
class CellClasses:
    """Classes of cells with the same counts of every attribute.

    Parameters
    ----------
    of_cell : (n_words * n_connections,) int
        Class of each cell, cells counted word by word.
    size, count : (n_classes,) float
        Cells in a class; rows in each of its cells.
    connection, parent : (n_classes,) int
        Connection, and index of the mean the cells spread around.
    mean_sum : (n_classes,) float
        Sum of the cells' row sums over sqrt(size).
    deviation : (n_classes,) float
        Sum of squared deviations of the cells' row sums from their class's mean row sum.
    """

    of_cell: IntArray
    size: FloatArray
    count: FloatArray
    connection: IntArray
    parent: IntArray
    mean_sum: FloatArray
    deviation: FloatArray


@dataclass(frozen=True)
class AttributeClasses:
    """Classes of attributes with the same counts in every cell, and of the same kind.

    Parameters
    ----------
    of_attribute : (n_attributes,) int
    size : (n_classes,) float
    kind : (n_classes,) int
    count : (n_connections, n_classes) float
        Rows of one attribute of the class in each connection.
    mean_sum : (n_connections, n_classes) float
        Sum of the attributes' row sums over sqrt(size), by connection.
    deviation : (n_connections, n_connections, n_classes) float
        Cross-products of the deviations of attributes' row sums from their class's mean.
    """

    of_attribute: IntArray
    size: FloatArray
    kind: IntArray
    count: FloatArray
    mean_sum: FloatArray
    deviation: FloatArray


@dataclass(frozen=True)
class Statistics:
    """Sufficient statistics of a table for all Normal cards.

    Parameters
    ----------
    rows, squares : (n_connections,) float
        Rows, and their sum of squares about ``centre``, by connection.
    centre : float
        What all distances are measured from: the prior mean of the connection means.
    cells : CellClasses
    attributes : AttributeClasses or None
        None for cards without attribute effects.
    incidence : (n_cell_classes, n_attribute_classes) float
        Rows of one cell and one attribute of these classes.
    cell_sums : (n_words, n_connections) float
    attribute_sums : (n_connections, n_attributes) float
        Sums of rows about ``centre``.
    """

    rows: FloatArray
    squares: FloatArray
    centre: float
    cells: CellClasses
    attributes: AttributeClasses | None
    incidence: FloatArray
    cell_sums: FloatArray
    attribute_sums: FloatArray


def sufficient_statistics(
    design: Design, centre: float, *, with_attributes: bool, grouped: bool
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
    cells = _cell_classes(sums, counts, parent, n_connections)
    by_attribute = np.zeros((n_connections, len(design.attributes)))
    np.add.at(by_attribute, (design.connection, design.attribute), y)
    attributes, incidence = None, np.zeros((len(cells.size), 0))
    if with_attributes:
        attributes, incidence = _attribute_classes(design, counts, cells, by_attribute)
    return Statistics(
        rows=np.bincount(design.connection, minlength=n_connections).astype(float),
        squares=np.bincount(design.connection, y**2, minlength=n_connections),
        centre=centre,
        cells=cells,
        attributes=attributes,
        incidence=incidence,
        cell_sums=sums.reshape(n_words, n_connections),
        attribute_sums=by_attribute,
    )


def _counts(design: Design, cell: IntArray, n_cells: int, *, with_attributes: bool) -> FloatArray:
    """Rows of every cell, by attribute if attributes matter: (n_cells, n_attributes or 1)."""
    n_columns = len(design.attributes) if with_attributes else 1
    column = design.attribute if with_attributes else np.zeros_like(cell)
    flat = np.bincount(cell * n_columns + column, minlength=n_cells * n_columns)
    return flat.reshape(n_cells, n_columns).astype(float)


def _cell_classes(
    sums: FloatArray, counts: FloatArray, parent: IntArray, n_connections: int
) -> CellClasses:
    key = np.column_stack([parent, counts])
    first, of_cell = _classes(key)
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
    design: Design, counts: FloatArray, cells: CellClasses, sums: FloatArray
) -> tuple[AttributeClasses, FloatArray]:
    n_connections = len(design.connections)
    first, of_attribute = _classes(np.column_stack([design.attribute_kind, counts.T]))
    size = np.bincount(of_attribute).astype(float)
    total = np.stack([np.bincount(of_attribute, row) for row in sums])
    apart = sums - (total / size)[:, of_attribute]
    deviation = np.zeros((n_connections, n_connections, len(size)))
    for one in range(n_connections):
        for other in range(n_connections):
            deviation[one, other] = np.bincount(of_attribute, apart[one] * apart[other])
    by_connection = counts.reshape(len(design.words), n_connections, -1).sum(axis=0)
    attributes = AttributeClasses(
        of_attribute=of_attribute,
        size=size,
        kind=design.attribute_kind[first],
        count=by_connection[:, first],
        mean_sum=total / np.sqrt(size),
        deviation=deviation,
    )
    first_cell = np.unique(cells.of_cell, return_index=True)[1]
    return attributes, counts[np.ix_(first_cell, first)]


def _classes(key: FloatArray) -> tuple[IntArray, IntArray]:
    """Equal rows of a key: index of the first row of each class, and the class of every row."""
    as_bytes = np.ascontiguousarray(key).view(
        np.dtype((np.void, key.dtype.itemsize * key.shape[1]))
    )
    _, first, of_row = np.unique(as_bytes.ravel(), return_index=True, return_inverse=True)
    return first, of_row.ravel()
