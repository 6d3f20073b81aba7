"""Reduce a table of any length to the constants that the likelihood of a Normal model needs.

The effects of one word or attribute are the coordinates of one unit. All words form one side of the
model, and all attributes form the other. Units that occur equally often with the same partners form
a class. An orthonormal change of coordinates splits the effects of a class into a mean and
deviations, which are independent of all other coordinates. One unit per class remains. If the
design is regular, the size of the problem does not grow with the number of rows, words, or
attributes. `collapsed` gives the derivation; this module computes its constant matrices once.
"""

from __future__ import annotations

import logging
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from .._core.arrays import FloatArray, IntArray
from .._core.checks import Argument, ArgumentError
from ..model.design import Design
from ..model.spec import ModelSpec
from .cells import CellSystem
from .deviations import Deviations, Directions, deviations_of, directions_of
from .layout import Layout, Partition, RowTypes, Statistics, Units, lay_out
from .parameters import Block
from .sides import SideSystem

if TYPE_CHECKING:
    from scipy.sparse import csr_array

SMALLEST_SIGMA = 1e-6
"""Residual sds below this value have density zero; float32 distances are no more precise."""

FEW_MULTIPLICATIONS = 5_000
"""Multiplications that take no time compared with the calls that they are part of."""

MUCH_WORK = 10_000
"""Values per density above which a fit takes seconds, and missing pairs are logged."""


@dataclass(frozen=True)
class Classes:
    """Classes of units, and the sufficient statistics of their rows.

    The k ``columns`` of the rows are an indicator of each gap, covariates, and outcomes.
    """

    units: Units
    of_unit: IntArray  # (n_units,): class of each unit
    size: FloatArray  # (n_classes,)
    parameter: IntArray  # (n_classes, d)
    gram: FloatArray  # (n_noise, n_classes, d, d): X'X of one unit, times the scales
    scale: FloatArray
    # (n_classes, d): sds of mean coordinates relative to a unit's sd, part of gram
    directions: Directions  # of the units' deviations from class means
    turned: FloatArray  # (n_noise, k, d, n_directions, 1): X'columns along the directions
    deviations: tuple[Deviations, ...]

    @cached_property
    def columns(self) -> csr_array:
        """Sparse (n_noise * d * n_directions, k) version of ``turned``."""
        from scipy.sparse import csr_array

        columns = np.moveaxis(self.turned[..., 0], 1, -1)
        return csr_array(columns.reshape(-1, columns.shape[-1]))


@dataclass(frozen=True)
class Columns:
    """Columns that may differ between all rows: gaps, then ``values`` of covariates and outcomes.

    Each gap has a column with a 1 in its own row. These rows come last.
    """

    values: FloatArray  # (n_rows, n_slopes + n_outcomes): zero in the rows of gaps
    n_gaps: int

    def sums(self, cell: IntArray, n_cells: int) -> FloatArray:
        """Return the (n_cells, k) sums of all columns in cells of rows."""
        sums = np.zeros((n_cells, self.n_gaps + self.values.shape[1]))
        sums[cell[len(cell) - self.n_gaps :], np.arange(self.n_gaps)] = 1
        for place, column in enumerate(self.values.T, self.n_gaps):
            sums[:, place] = np.bincount(cell, column, minlength=n_cells)
        return sums

    def products(self, weights: FloatArray) -> FloatArray:
        """Return the (n, k, k) cross-products of all columns, for (n, n_rows) weights of rows."""
        k = self.n_gaps + self.values.shape[1]
        found = np.zeros((len(weights), k, k))
        gaps, rest = np.arange(self.n_gaps), slice(self.n_gaps, k)
        for own, weight in zip(found, weights, strict=True):
            own[gaps, gaps] = weight[len(weight) - self.n_gaps :]
            own[rest, rest] = (self.values.T * weight) @ self.values
        return found


def classes_of(
    part: Partition,
    likeness: FloatArray,
    columns: Columns,
    types: RowTypes,
    *,
    means_only: bool = False,
) -> Classes:
    """Reduce the rows of all units to sufficient statistics.

    ``likeness`` is the (n_units, n_units) similarity of units, or (0, 0) if it is unknown.
    """
    units, of_unit, size, gram = part.units, part.of_unit, part.size, part.gram
    n_units, n_types = len(units.parameter), len(types.first)
    of_cells = columns.sums(units.of_row * n_types + types.of_row, n_units * n_types)
    of_cells = of_cells.reshape(n_units, n_types, -1)
    sums = np.einsum("utk,qtd->qkdu", of_cells, part.by_noise, optimize=True)
    directions, scale = directions_of(part, likeness, means_only=means_only)
    turned = directions.turned(sums)
    return Classes(
        units=units,
        of_unit=of_unit,
        size=size,
        parameter=units.parameter[part.first],
        gram=gram * scale[:, :, None] * scale[:, None],
        scale=scale,
        directions=directions,
        turned=turned[..., None],
        deviations=deviations_of(part, directions, turned),
    )


@dataclass(frozen=True)
class Collapsed:
    """Everything that the posterior of the parameters and effects depends on."""

    design: Design
    layout: Layout
    rows: FloatArray  # (n_noise,): number of rows for each residual precision
    sides: tuple[Classes, ...]
    # words, and attributes if they have effects; the larger side, which is eliminated, is first
    statistics: Statistics
    n_outcomes: int = 1
    # outcomes of the same rows, with the same parameters; independent given the parameters

    @property
    def n_gaps(self) -> int:
        """Number of rows that stand for missing pairs."""
        return self.layout.n_gaps

    @cached_property
    def system(self) -> CellSystem | SideSystem:
        """Equations for class means and shared effects, by cells if there are few."""
        (n_cells, n), eliminated = self.statistics.loading.shape, self.sides[0].parameter.size
        kept = n - eliminated
        few = n_cells**3 / 3 <= FEW_MULTIPLICATIONS + (eliminated + kept / 3) * kept**2
        few = few or self.statistics.sums.shape[2] > 1
        return (CellSystem if few else SideSystem).of(self.statistics)

    @property
    def n_known(self) -> int:
        """Number of columns without outcomes: gaps and slopes."""
        return len(self.statistics.products[0]) - self.n_outcomes

    @property
    def is_slope(self) -> IntArray:
        """Places of the slopes among the columns."""
        return np.arange(self.n_gaps, self.n_known)

    @property
    def spec(self) -> ModelSpec:
        """The model without terms that add nothing to the design."""
        return self.layout.spec

    @property
    def blocks(self) -> tuple[Block, ...]:
        """Blocks of the parameter vector."""
        return self.layout.blocks

    @property
    def n_parameters(self) -> int:
        """Length of the parameter vector."""
        return int(self.blocks[-1].where.stop)

    @property
    def is_sd(self) -> np.ndarray:
        """Boolean mask of the parameters that are log sds."""
        sizes = [block.where.stop - block.where.start for block in self.blocks]
        return np.repeat([block.n_correlated == 0 for block in self.blocks], sizes)

    def rows_at_once(self, most_numbers: int, *, filled: bool = False) -> int:
        """Return how many parameter vectors to process at a time to limit memory use."""
        alike = [side for side in self.sides if side.directions.alike]
        parts = (one for side in alike for one in side.deviations)
        numbers = sum(len(one.direction) * one.gram[0, 0].size for one in parts)
        if filled:
            return int(max(1, 2 * most_numbers // (numbers + len(self.statistics.sums) ** 2)))
        numbers += self.system.size + self.statistics.products[0].size
        return int(max(1, most_numbers // numbers))

    def block(self, name: str) -> Block:
        """Return the block with the given name."""
        return next(block for block in self.blocks if block.name == name)


def collapse(
    design: Design,
    spec: ModelSpec,
    unpooled: Sequence[int] = (),
    layout: Layout | None = None,
    others: FloatArray | None = None,
    *,
    means_only: bool = False,
) -> Collapsed:
    """Reduce a design and a Normal model to the constants that the collapsed posterior needs.

    The effects of ``unpooled`` protected words have the sd ``UNPOOLED_SD``. To collapse many
    outcomes of the same rows, pass the ``layout`` of the first one. The (n_outcomes, n_rows)
    ``others`` are further outcomes with the same parameters. With ``means_only``, leave out the
    deviations from class means, on which the shared effects do not depend if there are no slopes
    and no gaps. Raise a ValueError if the model is not
    Normal, if outcomes do not vary, or if the design does not allow one of the effects.
    """
    if spec.likelihood != "normal":
        raise ArgumentError(
            f"the model {spec.name!r} has a {spec.likelihood} likelihood, but the exact sampler "
            "works only for Normal models; use ",
            Argument("method", "nuts"),
        )
    if design.y.std() <= 2 * SMALLEST_SIGMA:
        raise ValueError("all distances are almost equal; use different words")
    is_first = layout is None
    layout = layout or lay_out(design, spec, unpooled)
    types, outcomes = layout.types, [design.y, *([] if others is None else others)]
    y = np.zeros((len(types.of_row), len(outcomes)))
    y[: len(design.y)] = np.transpose(outcomes) - layout.spec.center
    columns = Columns(np.hstack([layout.slopes, y]), layout.n_gaps)
    sides = tuple(
        classes_of(
            part,
            design.likeness_of(part.units.terms[0].of)[0],
            columns,
            types,
            means_only=means_only and not layout.slopes.size and not layout.n_gaps,
        )
        for part in layout.sides
    )
    cells = layout.cells
    scales = [*(side.scale.ravel() for side in sides), np.ones(layout.n_shared)]
    found = Collapsed(
        design=design,
        layout=layout,
        rows=types.by_noise @ np.bincount(types.of_row),
        sides=sides,
        statistics=Statistics(
            layout=layout,
            loading=cells.loading.multiply(np.concatenate(scales)).tocsr(),
            own=sides[0].gram,
            sums=columns.sums(cells.of_row, len(cells.count))[..., None],
            products=columns.products(types.by_noise[:, types.of_row])[..., None],
        ),
        n_outcomes=len(outcomes),
    )
    if is_first:
        _log_gaps(found)
    return found


def with_gaps(posterior: Collapsed, gaps: FloatArray) -> Collapsed:
    """Return a posterior of full tables, one for each of n parameter vectors.

    The (n, n_gaps) ``gaps`` are the outcomes of missing pairs, minus the center. They are not
    counted in `Collapsed.rows`.
    """
    layout, statistics, n = posterior.layout, posterior.statistics, len(gaps)
    slopes, place, outcome = posterior.is_slope, np.arange(posterior.n_gaps), posterior.n_known
    weights = np.zeros((outcome + 1, n))
    weights[place], weights[outcome] = gaps.T, 1.0

    def each(outcomes: FloatArray, known: FloatArray) -> FloatArray:
        """Return (..., n_slopes) slopes and outcomes as (..., n_slopes + 1, n) columns."""
        known = np.repeat(known[..., None], n, axis=-1)
        return np.concatenate([known, outcomes.reshape(*known.shape[:-2], 1, n)], axis=-2)

    sides = []
    for side in posterior.sides:
        known = np.moveaxis(side.turned[..., 0], 1, -1)
        turned = np.moveaxis(each(side.columns @ weights, known[..., slopes]), -2, 1)
        parts = tuple(one.of_outcomes(side.directions, turned) for one in side.deviations)
        sides.append(replace(side, turned=turned, deviations=parts))
    sums, kept = statistics.sums[..., 0], np.append(slopes, outcome)
    products = np.repeat(statistics.products[:, kept[:, None], kept], n, axis=3)
    products[:, -1, -1] += statistics.products[:, place, place, 0] @ weights[place] ** 2
    types = layout.types
    measured = np.bincount(types.of_row[: -posterior.n_gaps], minlength=len(types.first))
    return replace(
        posterior,
        layout=replace(layout, n_gaps=0),
        rows=types.by_noise @ measured,
        sides=tuple(sides),
        statistics=replace(
            statistics, sums=each(sums @ weights, sums[:, slopes]), products=products
        ),
    )


def _log_gaps(posterior: Collapsed) -> None:
    """Log a warning if missing pairs of words make a fit slow."""
    design = posterior.design
    pairs = np.unique(design.word * len(design.attributes) + design.attribute)
    known = len(np.unique(design.word)) * len(np.unique(design.attribute))
    missing = known - len(pairs)
    if missing and max(posterior.system.size, posterior.n_gaps**2) > MUCH_WORK:
        logging.getLogger(__name__).warning(
            "rows are missing for %s of %s pairs of words, so the exact sampler takes longer, up "
            "to minutes. To make it faster, leave out words or attributes with missing pairs",
            f"{missing:,}",
            f"{known:,}",
        )
