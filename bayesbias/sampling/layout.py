"""Lay out the rows and effects of a Normal model for the exact sampler.

A `Layout` depends on the rows of a table, but not on outcomes or likeness. Tables with the same
rows, such as those of reference lists, therefore share one layout.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from .._core.arrays import FloatArray, IntArray
from ..model.design import COVARIATE, Design, one_hot
from ..model.spec import ModelSpec
from ..model.terms import Term
from .gaps import filled
from .parameters import Block, parameter_blocks

OF_UNITS = ("protected_word", "attribute")
"""Factors whose levels are units. The effects of all other factors are shared across units."""

NO_RANK = 1e-10
"""Singular values below this share of the largest one count as rounding errors."""


@dataclass(frozen=True)
class RowTypes:
    """Types of rows; in the model, rows of one type differ only in word, attribute, and outcome."""

    of_row: IntArray  # (n_rows,): type of each row
    first: IntArray  # (n_types,): a row of each type
    by_noise: FloatArray  # (n_noise, n_types): indicators of each type's residual sd


def row_types(design: Design, spec: ModelSpec) -> RowTypes:
    """Assign each row to a type."""
    noise = "connection" if spec.sigma == "common" else spec.sigma
    columns = {term.by for term in spec.terms if term.by} | {noise}
    columns |= {term.of for term in spec.terms if term.of not in {*OF_UNITS, COVARIATE}}
    code = design.connection
    for column in sorted(columns - {"connection"}):
        own = design.codes(column)
        code = code * (own.max() + 2) + own  # -1 if it has none
    _, first, of_row = np.unique(code, return_index=True, return_inverse=True)
    by_noise = one_hot(design.codes(noise)[first], len(design.coords[noise]))
    return RowTypes(of_row, first, by_noise)


@dataclass(frozen=True)
class Units:
    """The random effects of words or attributes, with d coordinates for each unit."""

    terms: tuple[Term, ...]
    of_row: IntArray  # (n_rows,): unit of each row
    loading: FloatArray  # (n_types, d): how a row depends on the coordinates of its unit
    parameter: IntArray  # (n_units, d): index of the log sd that scales each coordinate
    correlated: tuple[Block, slice] | None = None  # correlations, and their coordinates
    alike: FloatArray = field(default_factory=lambda: np.zeros(0))
    # (d,): share of each coordinate's covariance that follows the likeness


def units_of(
    design: Design,
    terms: tuple[Term, ...],
    types: RowTypes,
    blocks: Mapping[str, Block],
    starts: Mapping[str, int],
    *,
    unpooled: Sequence[int] = (),
) -> Units:
    """Arrange the effects of one factor.

    If the factor has only one term and its effects are `separate`, each effect is a unit (for
    example, one word in one connection).
    """
    of_row = design.codes(terms[0].of)
    parameters = [starts[term.sd] + term.sd_index(design) for term in terms]
    parameter = np.hstack(parameters)
    if terms[0].of == "protected_word":
        parameter[[*unpooled]] = max(block.where.stop for block in blocks.values())
    alike = np.repeat([term.alike for term in terms], [own.shape[1] for own in parameters])
    alone = len(terms) == 1 and terms[0].separate
    if alone and not (alike.any() and design.likeness_of(terms[0].of)[0].size):
        of_row = of_row * parameter.shape[1] + design.codes(terms[0].by)
        return Units(terms, of_row, np.ones((len(types.first), 1)), parameter.reshape(-1, 1))
    correlated, stop = None, 0
    for term, own in zip(terms, parameters, strict=True):
        start, stop = stop, stop + own.shape[1]
        if term.correlated:
            correlated = blocks[term.correlation], slice(start, stop)
    loading = np.hstack([term.columns(design, types.first) for term in terms])
    return Units(terms, of_row, loading, parameter, correlated, alike)


@dataclass(frozen=True)
class Partition:
    """Classes of units that have the same partners; designs with the same rows share them."""

    units: Units
    of_unit: IntArray  # (n_units,): class of each unit
    size: FloatArray  # (n_classes,)
    first: IntArray  # (n_classes,): a unit of each class
    by_noise: FloatArray  # (n_noise, n_types, d): loadings of the rows with each residual sd
    gram: FloatArray  # (n_noise, n_classes, d, d): X'X of one unit
    axes: FloatArray  # (n_classes, d, d): rotations after which few coordinates are coupled

    @property
    def parameter(self) -> IntArray:
        """Index of the log sd that scales each coordinate of a class, (n_classes, d)."""
        return self.units.parameter[self.first]


def partition_of(units: Units, types: RowTypes, partner: IntArray | None) -> Partition:
    """Group units into classes.

    ``partner`` is the other factor's unit in each row, or None if the other factor has no effects.
    """
    n_units, n_types = len(units.parameter), len(types.first)
    partners = types.of_row if partner is None else partner * n_types + types.of_row
    columns, column = np.unique(partners, return_inverse=True)
    counts = np.bincount(units.of_row * len(columns) + column, minlength=n_units * len(columns))
    key = np.hstack([units.parameter, counts.reshape(n_units, -1)]).astype(np.float64)
    as_bytes = key.view(np.dtype((np.void, key.dtype.itemsize * key.shape[1]))).ravel()
    _, first, of_unit = np.unique(as_bytes, return_index=True, return_inverse=True)
    cell = units.of_row * n_types + types.of_row
    rows = np.bincount(cell, minlength=n_units * n_types).reshape(n_units, -1)[first].astype(float)
    by_noise = types.by_noise[:, :, None] * units.loading
    gram = np.einsum("qt,cti,tj->cqij", rows, by_noise, units.loading, optimize=True)
    size = np.bincount(of_unit).astype(float)
    pairs = zip(gram.swapaxes(0, 1), units.parameter[first], strict=True)
    axes = np.array([_axes(own, units, parameter) for own, parameter in pairs])
    return Partition(units, of_unit, size, first, by_noise, gram, axes)


def _axes(grams: FloatArray, units: Units, parameter: IntArray) -> FloatArray:
    """Return an orthogonal (d, d) matrix, which mixes only coordinates of equal variances.

    It separates what is coupled with other coordinates, directly or by way of each other, and
    makes the rest independent if the (n_noise, d, d) ``grams`` allow it.
    """
    axes = np.eye(len(parameter))
    if units.correlated is not None or len(axes) == 1:
        return axes
    kinds = np.unique([parameter, units.alike], axis=1, return_inverse=True)[1].ravel()
    for kind in np.flatnonzero(np.bincount(kinds) > 1):
        own = np.flatnonzero(kinds == kind)
        inner, coupled = grams[:, own[:, None], own], np.hstack([*np.delete(grams[:, own], own, 2)])
        rank, reached, basis = 0, coupled, np.eye(len(own))
        while reached.size and rank < (rank := np.linalg.matrix_rank(reached, rtol=NO_RANK)):
            basis = np.linalg.svd(reached)[0]
            reached = np.hstack([basis[:, :rank], *inner @ basis[:, :rank]])
        rest = basis[:, rank:]
        generic = np.tensordot(1 / np.sqrt(2 + np.arange(len(inner))), inner, axes=1)
        rest = rest @ np.linalg.eigh(rest.T @ generic @ rest)[1]
        if rank < len(own):
            axes[np.ix_(own, own)] = np.hstack([basis[:, :rank], rest])
    return axes


@dataclass(frozen=True)
class Cells:
    """Cells of rows of one type whose units are in the same classes.

    All rows of a cell depend equally on class means and shared effects.
    """

    of_row: IntArray  # (n_rows,): cell of each row
    count: FloatArray  # (n_cells,): number of rows
    noise: IntArray  # (n_cells,): index of the residual precision
    loading: Any
    # sparse (n_cells, n): how rows depend on class means, times sqrt(size), and on shared effects


def cells_of(sides: Sequence[Partition], types: RowTypes, shared: FloatArray) -> Cells:
    """Group rows into cells."""
    from scipy.sparse import csr_array, hstack

    code = types.of_row
    for side in sides:
        code = code * len(side.size) + side.of_unit[side.units.of_row]
    _, first, of_row = np.unique(code, return_index=True, return_inverse=True)
    row_type, blocks = types.of_row[first], []
    for side in sides:
        of_class = side.of_unit[side.units.of_row[first]]
        values = side.units.loading[row_type] / np.sqrt(side.size[of_class])[:, None]
        n, d = values.shape
        place = of_class[:, None] * d + np.arange(d)
        content = values.ravel(), place.ravel(), d * np.arange(n + 1)
        blocks.append(csr_array(content, shape=(n, len(side.size) * d)))
    loading = hstack([*blocks, csr_array(shared[row_type])], format="csr")
    noise = types.by_noise.argmax(axis=0)[row_type]
    return Cells(of_row, np.bincount(of_row).astype(float), noise, loading)


@dataclass(frozen=True)
class Layout:
    """Everything that does not depend on outcomes or likeness, for reuse with the same rows."""

    spec: ModelSpec  # without terms that add nothing
    design: Design  # with a row for each missing pair at the end, if likeness needs them
    n_gaps: int  # number of these rows
    types: RowTypes
    blocks: tuple[Block, ...]  # layout of the parameter vector
    sides: tuple[Partition, ...]  # the larger side is first
    shared_terms: tuple[Term, ...]
    # effects shared across words and attributes; connection means come before them, slopes last
    shared_parameter: IntArray
    # (n_shared,): index of each effect's log sd; -1 for the connection means, whose sd is known
    slopes: FloatArray  # (n_rows, n_slopes): covariates, which may differ between all rows
    cells: Cells

    @property
    def n_shared(self) -> int:
        """Number of shared effects without slopes."""
        return int(len(self.shared_parameter) - self.slopes.shape[1])


@dataclass(frozen=True)
class Statistics:
    """Sufficient statistics of the rows for class means and shared effects."""

    layout: Layout
    loading: Any  # `Cells.loading`, times the scales of class means
    own: FloatArray  # (n_noise, n_classes, d, d): X'X of one unit of the larger side
    sums: FloatArray  # (n_cells, k, 1): sums of the columns of gaps, covariates, and outcomes
    products: FloatArray  # (n_noise, k, k, 1): products of these columns


def lay_out(design: Design, spec: ModelSpec, unpooled: Sequence[int] = ()) -> Layout:
    """Arrange the effects of a model for the rows of a design; see `collapse`."""
    spec, n_rows = spec.fitting(design), len(design.y)
    design = filled(design, spec)
    types, blocks = row_types(design, spec), parameter_blocks(design, spec)
    starts = _starts(spec, blocks)
    named = {block.name: block for block in blocks}
    units = [
        units_of(design, terms, types, named, starts, unpooled=unpooled)
        for factor in OF_UNITS
        if (terms := spec.terms_of(factor))
    ]
    partners = [side.of_row for side in reversed(units)] if len(units) == 2 else [None]
    parts = [
        partition_of(side, types, partner) for side, partner in zip(units, partners, strict=True)
    ]
    for part in parts:
        _require_whole_blocks(design, part, unpooled)
    sides = tuple(sorted(parts, key=lambda side: -side.gram[0, :, :, 0].size))
    shared_terms = [term for term in spec.terms if term.of not in OF_UNITS]
    shared_terms.sort(key=lambda term: term.of == COVARIATE)
    means = one_hot(design.connection[types.first], len(design.connections)).T
    of_types = (
        term.all_columns(design, types.first) for term in shared_terms if term.of != COVARIATE
    )
    shared = np.hstack([means, *of_types])
    every = np.arange(len(design.y))
    slopes = [term.all_columns(design, every) for term in spec.terms_of(COVARIATE)]
    parameters = [starts[term.sd] + term.sd_index(design).ravel() for term in shared_terms]
    return Layout(
        spec=spec,
        design=design,
        n_gaps=len(design.y) - n_rows,
        types=types,
        blocks=blocks,
        sides=sides,
        shared_terms=tuple(shared_terms),
        shared_parameter=np.concatenate([np.full(means.shape[1], -1), *parameters]),
        slopes=np.hstack([np.zeros((len(every), 0)), *slopes]),
        cells=cells_of(sides, types, shared),
    )


def _starts(spec: ModelSpec, blocks: tuple[Block, ...]) -> dict[str, int]:
    """Return the index of each sd's first log; the sds of unpooled words and fixed sds are last."""
    known = blocks[-1].where.stop + 1
    starts = {block.name: block.where.start for block in blocks}
    return starts | {name: known + place for place, name in enumerate(spec.fixed)}


class CannotCollapse(ValueError):  # noqa: N818 (it is caught, not shown)
    """Raised if the effects of a model of a table cannot be integrated out."""


def _require_whole_blocks(design: Design, part: Partition, unpooled: Sequence[int]) -> None:
    """Raise `CannotCollapse` if the units of a block of likeness are not in one class."""
    factor = part.units.terms[0].of
    likeness, block = design.likeness_of(factor)
    if not (likeness.size and part.units.alike.any()):
        return
    measured = np.unique(design.codes(factor))
    if factor == "protected_word":
        measured = np.setdiff1d(measured, unpooled)
    classes = np.unique([block[measured], part.of_unit[measured]], axis=1)
    if classes.shape[1] > len(np.unique(block[measured])):
        raise CannotCollapse(
            f"in this model, the sds of similar {factor}s differ, so the exact sampler cannot use "
            "their likeness; use method='nuts', or a model without likeness, such as crossed"
        )
