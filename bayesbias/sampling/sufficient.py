"""What the likelihood of a Normal model needs of a table, however many rows it has.

The effects of a word, or of an attribute, are the coordinates of one unit. Units whose rows have
the same partners equally often behave alike. Within such a class an orthonormal change of
coordinates splits effects into their mean and deviations from it; the deviations touch nothing
else. What remains has one unit a class, so that its size does not grow with rows, words or
attributes as long as the design is regular, and never exceeds that of all units.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from .._core.arrays import FloatArray
from ..model.design import Design, IntArray
from ..model.spec import ModelSpec
from ..model.terms import Term
from .parameters import Block

NO_LENGTH = 1e-13
"""Axes shorter than this share of the longest one are rounding."""


@dataclass(frozen=True)
class RowTypes:
    """Rows that are alike in all that effects are crossed with: what a model sees of a row.

    Parameters
    ----------
    of_row : (n_rows,) int
    first : (n_types,) int
        A row of each type.
    connection : (n_types,) int
    noise : (n_types,) int
        Level of the factor that residual sds are by.
    n_noise : int
        Levels of that factor: there are so many residual precisions, some of them equal where the
        model has one sigma.
    """

    of_row: IntArray
    first: IntArray
    connection: IntArray
    noise: IntArray
    n_noise: int


def row_types(design: Design, spec: ModelSpec) -> RowTypes:
    """Sort rows into types."""
    columns = {term.by for term in spec.terms if term.by} | {spec.noise_factor}
    columns |= {term.of for term in spec.terms if term.of not in {"protected_word", "attribute"}}
    code = design.connection
    for column in sorted(columns - {"connection"}):
        own = design.codes(column)
        code = code * (own.max() + 2) + own + 1
    _, first, of_row = np.unique(code, return_index=True, return_inverse=True)
    noise = design.codes(spec.noise_factor)[first]
    n_noise = len(design.coords[spec.noise_factor])
    return RowTypes(of_row, first, design.connection[first], noise, n_noise)


@dataclass(frozen=True)
class Units:
    """The random effects of words, or of attributes: a few coordinates for each of them.

    Parameters
    ----------
    terms : tuple of Term
    of_row : (n_rows,) int
        Unit of each row.
    loading : (n_types, d) float
        How a row of each type depends on the coordinates of its unit.
    parameter : (n_units, d) int
        Which log sd scales each coordinate.
    correlated : tuple of (Block, slice) or None
        Correlations, and the coordinates that they are of.
    """

    terms: tuple[Term, ...]
    of_row: IntArray
    loading: FloatArray
    parameter: IntArray
    correlated: tuple[Block, slice] | None = None


def random_units(
    design: Design,
    terms: tuple[Term, ...],
    types: RowTypes,
    blocks: dict[str, Block],
    *,
    split: bool = True,
    unpooled: int | None = None,
) -> Units:
    """Lay out the effects of one factor.

    Effects that are independent over what they are crossed with may be units of their own: a word
    under a connection is one, if ``split``. The effects of a protected word that is ``unpooled``
    have a log sd that comes behind the parameters.
    """
    factor = terms[0].of
    n = len(design.coords[factor])
    if split and len(terms) == 1 and is_split(terms[0]):
        (term,) = terms
        n_levels = len(design.coords[term.by])
        own = np.tile(sd_parameters(term, blocks, n_levels), (n, 1))
        return Units(
            terms,
            design.codes(factor) * n_levels + design.codes(term.by),
            np.ones((len(types.first), 1)),
            _freed(own, factor, unpooled, blocks).reshape(-1, 1),
        )
    loading, parameter, correlated, start = [], [], None, 0
    for term in terms:
        columns = loadings(design, term, types)
        stop = start + columns.shape[1]
        loading.append(columns)
        if term.sd_by in {"", term.by}:
            parameter.append(np.tile(sd_parameters(term, blocks, columns.shape[1]), (n, 1)))
        else:
            first = blocks[term.sd].where.start
            kind = first + design.attribute_kind[:, None]
            parameter.append(np.repeat(kind, columns.shape[1], axis=1))
        if term.correlated:
            correlated = blocks[term.correlation], slice(start, stop)
        start = stop
    own = _freed(np.hstack(parameter), factor, unpooled, blocks)
    return Units(terms, design.codes(factor), np.hstack(loading), own, correlated)


def _freed(
    parameter: IntArray, factor: str, unpooled: int | None, blocks: dict[str, Block]
) -> IntArray:
    if factor == "protected_word" and unpooled is not None:
        parameter[unpooled] = max(block.where.stop for block in blocks.values())
    return parameter


def is_split(term: Term) -> bool:
    """Whether the effects of a unit of the factor are independent of one another."""
    apart = bool(term.by) and not (term.zero_sum or term.correlated or term.contrast)
    return apart and term.sd_by in {"", term.by}


def sd_parameters(term: Term, blocks: dict[str, Block], n: int) -> IntArray:
    """Return which parameters scale the coordinates of one level of a term's factor, (n,)."""
    return np.asarray(
        blocks[term.sd].where.start + (np.arange(n) if term.sd_by else np.zeros(n, int))
    )


def loadings(design: Design, term: Term, types: RowTypes) -> FloatArray:
    """How rows of each type depend on a term's coordinates, (n_types, n_coordinates)."""
    if not term.by:
        return np.ones((len(types.first), 1))
    level = design.codes(term.by)[types.first]
    basis = term.basis(design)
    return np.asarray(np.where(level[:, None] >= 0, basis[level], 0.0))


@dataclass(frozen=True)
class Classes:
    """Units in classes of equal partners, and their sufficient statistics.

    Parameters
    ----------
    units : Units
    of_unit : (n_units,) int
        Class of each unit.
    size : (n_classes,) float
    first : (n_classes,) int
        A unit of each class.
    parameter : (n_classes, d) int
    rows : (n_classes, n_types) float
        Rows of one unit of the class.
    gram : (n_noise, n_classes, d, d) float
        X'X of one unit.
    projection : (n_noise, n_classes, d) float
        X'(y - centre) of the class's mean coordinates, which are sums over sqrt(size).
    apart : (n_noise, d, n_units) float
        Projections X'(y - centre) of units, less the average of their class.
    deviation : (n_noise, n_classes, d, k) float
        As few columns as have the same cross-products as ``apart`` within every class.
    """

    units: Units
    of_unit: IntArray
    size: FloatArray
    first: IntArray
    parameter: IntArray
    rows: FloatArray
    gram: FloatArray
    projection: FloatArray
    apart: FloatArray
    deviation: FloatArray

    @property
    def n_coordinates(self) -> int:
        """Coordinates of all classes together."""
        return self.parameter.size


def classes_of(units: Units, y: FloatArray, types: RowTypes, partner: IntArray | None) -> Classes:
    """Class units, and reduce their rows to sufficient statistics.

    Parameters
    ----------
    y : (n_rows,) float
        The outcome less the centre.
    partner : (n_rows,) int or None
        Unit of the other factor in each row; None if it has no effects.
    """
    n_units, n_types = len(units.parameter), len(types.first)
    cell = units.of_row * n_types + types.of_row
    partners = types.of_row if partner is None else partner * n_types + types.of_row
    columns, column = np.unique(partners, return_inverse=True)
    counts = np.bincount(units.of_row * len(columns) + column, minlength=n_units * len(columns))
    first, of_unit = _classes(np.hstack([units.parameter, counts.reshape(n_units, -1)]))
    size = np.bincount(of_unit).astype(float)
    rows = np.bincount(cell, minlength=n_units * n_types).reshape(n_units, -1)[first].astype(float)
    by_noise = one_hot(types.noise, types.n_noise)[:, :, None] * units.loading
    outcome = np.bincount(cell, y, minlength=n_units * n_types).reshape(n_units, n_types)
    sums = np.matmul(outcome, by_noise)
    total = np.stack([_class_sums(of_unit, each) for each in sums])
    apart = (sums - (total / size[:, None])[:, of_unit]).transpose(0, 2, 1)
    return Classes(
        units=units,
        of_unit=of_unit,
        size=size,
        first=first,
        parameter=units.parameter[first],
        rows=rows,
        gram=np.einsum("qt,cti,tj->cqij", rows, by_noise, units.loading, optimize=True),
        projection=total / np.sqrt(size)[:, None],
        apart=apart,
        deviation=_deviations(of_unit, size, apart),
    )


def _deviations(of_unit: IntArray, size: FloatArray, apart: FloatArray) -> FloatArray:
    """Principal axes of the units of each class, scaled; those of no length are left out."""
    n, d, _ = apart.shape
    found = np.zeros((n, len(size), d, n * d))
    n_axes = 0
    for index in np.flatnonzero(size > 1):
        own = apart[:, :, of_unit == index].reshape(n * d, -1)
        axes, lengths, _ = np.linalg.svd(own, full_matrices=False)
        found[:, index, :, : len(lengths)] = (axes * lengths).reshape(n, d, -1)
        n_axes = max(n_axes, int((lengths > NO_LENGTH * lengths[0]).sum()))
    return found[..., :n_axes]


def _class_sums(of_unit: IntArray, values: FloatArray) -> FloatArray:
    return np.stack([np.bincount(of_unit, column) for column in values.T], axis=1)


def between(one: Classes, other: Classes, types: RowTypes) -> FloatArray:
    """Couple the mean coordinates of two factors' classes.

    Returns
    -------
    (n_noise, n_classes of one, d of one, n_classes of other, d of other) float
    """
    place = [np.full(len(each.of_unit), -1) for each in (one, other)]
    for each, places in zip((one, other), place, strict=True):
        places[each.first] = np.arange(len(each.first))
    i, j = place[0][one.units.of_row], place[1][other.units.of_row]
    chosen = (i >= 0) & (j >= 0)
    i, j, row_type = i[chosen], j[chosen], types.of_row[chosen]
    weight = np.sqrt(one.size[i] * other.size[j])
    shapes = [each.parameter.shape for each in (one, other)]
    found = np.zeros((len(one.gram), *shapes[0], *shapes[1]))
    at = types.noise[row_type], i, j
    for a, b in np.ndindex(shapes[0][1], shapes[1][1]):
        value = weight * one.units.loading[row_type, a] * other.units.loading[row_type, b]
        np.add.at(found[:, :, a, :, b], at, value)
    return found


def one_hot(index: IntArray, n: int) -> FloatArray:
    """Indicators of n levels, (n, len(index))."""
    return np.asarray(np.arange(n)[:, None] == index, dtype=np.float64)


def _classes(key: IntArray) -> tuple[IntArray, IntArray]:
    """Equal rows of a key: index of the first row of each class, and the class of every row."""
    key = np.ascontiguousarray(key, dtype=np.float64)
    as_bytes = key.view(np.dtype((np.void, key.dtype.itemsize * key.shape[1])))
    _, first, of_row = np.unique(as_bytes.ravel(), return_index=True, return_inverse=True)
    return first, of_row.ravel()
