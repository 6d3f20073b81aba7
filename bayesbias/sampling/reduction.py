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
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache

import numpy as np

from .._core.arrays import FloatArray, IntArray
from .._core.checks import Argument, ArgumentError
from ..model.design import Design
from ..model.likeness import blocks_of
from ..model.spec import ModelSpec
from .layout import Layout, Partition, RowTypes, Units, lay_out
from .parameters import Block

SMALLEST_SIGMA = 1e-6
"""Residual sds below this value have density zero; float32 distances are no more precise."""

UNPOOLED_SD = 0.2
"""Prior sd of an unpooled word's effects, larger than any bias; its log follows the parameters."""

MUCH_WORK = 500_000
"""Multiplications per density above which a fit takes seconds, and missing pairs are logged."""

NO_LENGTH = 1e-13
"""Axes shorter than this share of the longest axis count as rounding errors."""

NO_COUPLING = 1e-12
"""Cosines between columns below this value count as rounding errors."""


@dataclass(frozen=True)
class Part:
    """Coordinates along m directions; the d coordinates of each direction are dependent."""

    direction: IntArray  # (m,)
    coordinate: IntArray  # (m, d)
    parameter: IntArray  # (m, d)
    gram: FloatArray  # (n_noise, m, d, d): X'X of one unit, times the scales


@dataclass(frozen=True)
class Along:
    """Deviations of the units of all classes, along directions that depend on likeness."""

    of_class: IntArray  # (n_directions,): class of each direction
    scale: FloatArray  # (n_directions, d): sds of coordinates, relative to a unit's sd
    basis: tuple[FloatArray, ...]  # (size, size - 1): directions of each class
    parts: tuple[Part, ...]


@dataclass(frozen=True)
class Classes:
    """Classes of units, and the sufficient statistics of their rows."""

    units: Units
    of_unit: IntArray  # (n_units,): class of each unit
    size: FloatArray  # (n_classes,)
    parameter: IntArray  # (n_classes, d)
    gram: FloatArray  # (n_noise, n_classes, d, d): X'X of one unit, times the scales
    projection: FloatArray
    # (n_noise, n_classes, d): X'(y - center) of mean coordinates, which are sums over sqrt(size)
    apart: FloatArray
    # (n_noise, d, n_units): X'(y - center) of units minus their class average
    deviation: tuple[FloatArray, ...]
    # (n_noise, n_classes, d, k): the fewest columns with the cross-products of apart in each class;
    # with likeness, one array per part of the directions, (n_noise, m, d, 1)
    scale: FloatArray
    # (n_classes, d): sds of mean coordinates relative to a unit's sd, part of gram and projection
    directions: Along | None = None  # None if units are exchangeable within their class


def classes_of(part: Partition, likeness: FloatArray, y: FloatArray, types: RowTypes) -> Classes:
    """Reduce the rows of all units to sufficient statistics.

    ``y`` is the outcome minus the center. ``likeness`` is the (n_units, n_units) similarity of
    units, or (0, 0) if it is unknown.
    """
    units, of_unit, size, gram = part.units, part.of_unit, part.size, part.gram
    n_units, n_types = len(units.parameter), len(types.first)
    cell = units.of_row * n_types + types.of_row
    outcome = np.bincount(cell, y, minlength=n_units * n_types).reshape(n_units, n_types)
    sums = np.matmul(outcome, part.by_noise)
    total = np.zeros((len(size), len(sums), sums.shape[2]))
    np.add.at(total, of_unit, sums.swapaxes(0, 1))
    total = total.swapaxes(0, 1)
    apart = (sums - (total / size[:, None])[:, of_unit]).transpose(0, 2, 1)
    scale, along = np.ones((len(size), gram.shape[-1])), None
    if likeness.size and units.alike.any():
        scale, along, deviation = _directions(part, likeness, apart)
    else:
        deviation = (_deviations(of_unit, size, apart),)
    return Classes(
        units=units,
        of_unit=of_unit,
        size=size,
        parameter=units.parameter[part.first],
        gram=gram * scale[:, :, None] * scale[:, None],
        projection=total / np.sqrt(size)[:, None] * scale,
        apart=apart,
        deviation=deviation,
        scale=scale,
        directions=along,
    )


def _directions(
    part: Partition, likeness: FloatArray, apart: FloatArray
) -> tuple[FloatArray, Along, tuple[FloatArray, ...]]:
    """Return sds of class means, (n_classes, d), directions of deviations, and projections."""
    units, gram = part.units, part.gram
    members, splits = zip(*blocks_of(likeness, part.of_unit), strict=True)
    of_class = np.repeat(np.arange(len(splits)), [len(split.deviations) for split in splits])
    variances = np.concatenate([split.deviations for split in splits])[:, None]
    means = np.array([split.mean for split in splits])[:, None]
    scale, of_mean = (np.sqrt(1 - units.alike + units.alike * x) for x in (variances, means))
    turned = [apart[:, :, m] @ split.basis for m, split in zip(members, splits, strict=True)]
    projected = np.concatenate(turned, axis=2).swapaxes(1, 2) * scale
    by_size: dict[int, list[tuple[int, IntArray]]] = defaultdict(list)
    for index in range(len(splits)):
        for coordinates in _coupled(units, gram[:, index]):
            own = np.flatnonzero(of_class == index).tolist()
            by_size[len(coordinates)] += [(direction, coordinates) for direction in own]
    parts, deviation = [], []
    for pieces in filter(None, by_size.values()):
        direction, j = map(np.array, zip(*pieces, strict=True))  # (m,), (m, d)
        i, classes = direction[:, None], of_class[direction]
        scales = scale[i, j]
        of_pairs = gram[:, classes[:, None, None], j[:, :, None], j[:, None]]
        scaled = of_pairs * scales[:, :, None] * scales[:, None]
        own = units.parameter[part.first[classes][:, None], j]
        parts.append(Part(direction, j, own, scaled))
        deviation.append(projected[:, i, j, None])
    basis = tuple(split.basis for split in splits)
    return of_mean, Along(of_class, scale, basis, tuple(parts)), tuple(deviation)


def _coupled(units: Units, gram: FloatArray) -> list[IntArray]:
    """Split a unit's coordinates into independent sets, given its X'X, (n_noise, d, d)."""
    if units.correlated is not None:
        return [np.arange(gram.shape[-1])]
    lengths = np.sqrt(np.diagonal(gram, axis1=1, axis2=2))
    large = np.abs(gram) > NO_COUPLING * lengths[:, :, None] * lengths[:, None]
    return _components(large.any(axis=0).tobytes(), gram.shape[-1])


@cache
def _components(coupled: bytes, n: int) -> list[IntArray]:
    """Split n coordinates into connected sets; the few patterns occur thousands of times each."""
    from scipy.sparse.csgraph import connected_components

    count, label = connected_components(np.frombuffer(coupled, bool).reshape(n, n))
    return [np.flatnonzero(label == index) for index in range(count)]


def _deviations(of_unit: IntArray, size: FloatArray, apart: FloatArray) -> FloatArray:
    """Return the scaled principal axes of each class's units, without axes of length zero."""
    n, d, _ = apart.shape
    columns = np.zeros((n, len(size), d, n * d))
    n_axes = 0
    for index in np.flatnonzero(size > 1):
        own = apart[:, :, of_unit == index].reshape(n * d, -1)
        axes, lengths, _ = np.linalg.svd(own, full_matrices=False)
        columns[:, index, :, : len(lengths)] = (axes * lengths).reshape(n, d, -1)
        n_axes = max(n_axes, int((lengths > NO_LENGTH * lengths[0]).sum()))
    return columns[..., :n_axes]


@dataclass(frozen=True)
class Collapsed:
    """Everything that the posterior of the parameters and effects depends on."""

    design: Design
    layout: Layout
    rows: FloatArray  # (n_noise,): number of rows for each residual precision
    sides: tuple[Classes, ...]
    # words, and attributes if they have effects; the larger side, which is eliminated, is first
    cross: FloatArray
    # (n_noise, n_eliminated, d, n_kept + 1): coupling of the eliminated classes with the kept side,
    # the shared effects, and, in the last column, the outcome minus the center
    gram: FloatArray
    # (n_noise, n_kept + 1, n_kept + 1): X'X of the kept coordinates, bordered by the outcome
    alike: tuple[Collapsed, ...] = ()
    # other outcomes of the same rows, with the same parameters; independent given the parameters

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

    def rows_at_once(self, most_numbers: int) -> int:
        """Return how many parameter vectors to process at a time to limit memory use."""
        parts = [part for side in self.sides if side.directions for part in side.directions.parts]
        numbers = sum(part.gram[0].size for part in parts)
        return int(max(1, most_numbers // (self.cross[0].size + self.gram[0].size + numbers)))

    def block(self, name: str) -> Block:
        """Return the block with the given name."""
        return next(block for block in self.blocks if block.name == name)


def collapse(
    design: Design, spec: ModelSpec, unpooled: int | None = None, layout: Layout | None = None
) -> Collapsed:
    """Reduce a design and a Normal model to the constants that the collapsed posterior needs.

    The effects of an ``unpooled`` protected word have the sd ``UNPOOLED_SD``. To collapse many
    outcomes of the same rows, pass the ``layout`` of the first one. Raise a ValueError if the model
    is not Normal, if outcomes do not vary, or if the design does not allow one of the effects.
    """
    if spec.likelihood != "normal":
        raise ArgumentError(
            f"the model {spec.name!r} has a {spec.likelihood} likelihood, but the exact sampler "
            "works only for Normal models; use ",
            Argument("method", "nuts"),
        )
    if design.y.std() <= 2 * SMALLEST_SIGMA:
        raise ValueError("all distances are almost equal; use different words")
    if layout is None:
        layout = lay_out(design, spec, unpooled)
        _log_gaps(design, layout)
    types, y = layout.types, design.y - layout.spec.center
    sides = tuple(
        classes_of(part, design.likeness_of(part.units.terms[0].of)[0], y, types)
        for part in layout.sides
    )
    cross, gram = _matrices(layout, sides, y)
    return Collapsed(
        design=design,
        layout=layout,
        rows=types.by_noise @ np.bincount(types.of_row),
        sides=sides,
        cross=cross,
        gram=gram,
    )


def _log_gaps(design: Design, layout: Layout) -> None:
    """Log a warning if missing pairs of words make a fit slow."""
    pairs = np.unique(design.word * len(design.attributes) + design.attribute)
    missing = len(design.words) * len(design.attributes) - len(pairs)
    eliminated, *kept = (side.gram[0, :, :, 0].size for side in layout.sides)
    columns = sum(kept) + layout.shared.shape[1] + 1
    if missing and eliminated * columns**2 > MUCH_WORK:
        logging.getLogger(__name__).warning(
            "rows are missing for %s of %s pairs of words, so the exact sampler takes several "
            "times as long. To make it faster, leave out words or attributes with missing pairs",
            f"{missing:,}",
            f"{missing + len(pairs):,}",
        )


def _matrices(
    layout: Layout, sides: Sequence[Classes], y: FloatArray
) -> tuple[FloatArray, FloatArray]:
    """Return `Collapsed.cross` and `Collapsed.gram`."""
    types, gram = layout.types, layout.shared_gram
    n = len(types.by_noise)
    outcome = (types.by_noise * np.bincount(types.of_row, y)) @ layout.shared
    to_shared = [
        (coupling * side.scale[:, :, None]).reshape(n, side.parameter.size, -1)
        for side, coupling in zip(sides, layout.couplings, strict=False)
    ]
    cross = [to_shared[0], sides[0].projection]
    if len(sides) == 2:
        kept = sides[1]
        cross.insert(0, layout.couplings[2] * sides[0].scale[:, :, None, None] * kept.scale)
        own = np.zeros((n, *kept.parameter.shape, *kept.parameter.shape))
        diagonal = np.arange(len(kept.size))
        own[:, diagonal, :, diagonal] = kept.gram.transpose(1, 0, 2, 3)
        own = own.reshape(n, kept.parameter.size, kept.parameter.size)
        gram = np.block([[own, to_shared[1]], [to_shared[1].transpose(0, 2, 1), gram]])
        outcome = np.hstack([kept.projection.reshape(n, -1), outcome])
    squares = types.by_noise @ np.bincount(types.of_row, y**2)
    gram = np.block([[gram, outcome[..., None]], [outcome[:, None], squares[:, None, None]]])
    shape = n, *sides[0].parameter.shape, -1
    return np.concatenate([part.reshape(shape) for part in cross], axis=3), gram
