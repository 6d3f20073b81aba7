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
class ContextCounts:
    """Rows of every context, alone and with one member of each class.

    Parameters
    ----------
    rows, sums : (n_connections, n_contexts) float
        Rows, and their sums about the centre.
    of_cell : (n_cell_classes, n_contexts) float
    of_attribute : (n_connections, n_attribute_classes, n_contexts) float
    """

    rows: FloatArray
    sums: FloatArray
    of_cell: FloatArray
    of_attribute: FloatArray


@dataclass(frozen=True)
class Statistics:
    """Sufficient statistics of a table for all Normal models.

    Parameters
    ----------
    rows, squares : (n_connections,) float
        Rows, and their sum of squares about ``centre``, by connection.
    centre : float
        What all distances are measured from: the prior mean of the connection means.
    cells : CellClasses
    attributes : AttributeClasses or None
        None for models without attribute effects.
    contexts : ContextCounts or None
        None for models without context effects.
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
    n_contexts = len(design.contexts) if with_contexts else 0
    of_cell, of_attribute = _counts_by_context(design, cell, n_contexts)
    cells = _cell_classes(sums, counts, np.column_stack([parent, of_cell]), n_connections)
    by_attribute = np.zeros((n_connections, len(design.attributes)))
    np.add.at(by_attribute, (design.connection, design.attribute), y)
    attributes, incidence = None, np.zeros((len(cells.size), 0))
    if with_attributes:
        attributes, incidence = _attribute_classes(
            design, counts, cells, by_attribute, of_attribute
        )
    return Statistics(
        rows=np.bincount(design.connection, minlength=n_connections).astype(float),
        squares=np.bincount(design.connection, y**2, minlength=n_connections),
        centre=centre,
        cells=cells,
        attributes=attributes,
        incidence=incidence,
        cell_sums=sums.reshape(n_words, n_connections),
        attribute_sums=by_attribute,
        contexts=_contexts(design, y, cells, attributes, (of_cell, of_attribute))
        if with_contexts
        else None,
    )


def _counts(design: Design, cell: IntArray, n_cells: int, *, with_attributes: bool) -> FloatArray:
    """Rows of every cell, by attribute if attributes matter: (n_cells, n_attributes or 1)."""
    n_columns = len(design.attributes) if with_attributes else 1
    column = design.attribute if with_attributes else np.zeros_like(cell)
    flat = np.bincount(cell * n_columns + column, minlength=n_cells * n_columns)
    return flat.reshape(n_cells, n_columns).astype(float)


def _counts_by_context(
    design: Design, cell: IntArray, n_contexts: int
) -> tuple[FloatArray, FloatArray]:
    """Rows of every cell, and of every attribute by connection, in each context.

    Returns
    -------
    (n_cells, n_contexts) and (n_connections, n_attributes, n_contexts) float
        With no contexts nothing is counted, and nothing but the counts above makes classes.
    """
    n_words, n_connections = len(design.words), len(design.connections)
    of_cell = np.zeros((n_words * n_connections, n_contexts))
    of_attribute = np.zeros((n_connections, len(design.attributes), n_contexts))
    if n_contexts:
        np.add.at(of_cell, (cell, design.context), 1.0)
        np.add.at(of_attribute, (design.connection, design.attribute, design.context), 1.0)
    return of_cell, of_attribute


def _contexts(
    design: Design,
    y: FloatArray,
    cells: CellClasses,
    attributes: AttributeClasses | None,
    counts: tuple[FloatArray, FloatArray],
) -> ContextCounts:
    of_cell, of_attribute = counts
    rows = np.zeros((len(design.connections), len(design.contexts)))
    sums = np.zeros_like(rows)
    np.add.at(rows, (design.connection, design.context), 1.0)
    np.add.at(sums, (design.connection, design.context), y)
    return ContextCounts(
        rows=rows,
        sums=sums,
        of_cell=of_cell[_first_members(cells.of_cell)],
        of_attribute=of_attribute[:, _first_members(attributes.of_attribute)]
        if attributes is not None
        else of_attribute[:, :0],
    )


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
    design: Design,
    counts: FloatArray,
    cells: CellClasses,
    sums: FloatArray,
    in_contexts: FloatArray,
) -> tuple[AttributeClasses, FloatArray]:
    n_connections = len(design.connections)
    rows = in_contexts.transpose(1, 0, 2).reshape(len(design.attributes), -1)
    first, of_attribute = _classes(np.column_stack([design.attribute_kind, counts.T, rows]))
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
    return attributes, counts[np.ix_(_first_members(cells.of_cell), first)]


def _classes(key: FloatArray) -> tuple[IntArray, IntArray]:
    """Equal rows of a key: index of the first row of each class, and the class of every row."""
    as_bytes = np.ascontiguousarray(key).view(
        np.dtype((np.void, key.dtype.itemsize * key.shape[1]))
    )
    _, first, of_row = np.unique(as_bytes.ravel(), return_index=True, return_inverse=True)
    return first, of_row.ravel()
