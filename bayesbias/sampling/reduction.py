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
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache

import numpy as np

from .._core.arrays import FloatArray, IntArray
from .._core.checks import Argument, ArgumentError
from ..model.design import Design, one_hot
from ..model.likeness import blocks_of
from ..model.spec import ModelSpec
from ..model.terms import Term
from .parameters import Block, parameter_blocks

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
class RowTypes:
    """Types of rows; in the model, rows of one type differ only in word, attribute, and outcome."""

    of_row: IntArray  # (n_rows,): type of each row
    first: IntArray  # (n_types,): a row of each type
    by_noise: FloatArray  # (n_noise, n_types): indicators of each type's residual sd


def row_types(design: Design, spec: ModelSpec) -> RowTypes:
    """Assign each row to a type."""
    noise = "connection" if spec.sigma == "common" else spec.sigma
    columns = {term.by for term in spec.terms if term.by} | {noise}
    columns |= {term.of for term in spec.terms if term.of not in {"protected_word", "attribute"}}
    code = design.connection
    for column in sorted(columns - {"connection"}):
        own = design.codes(column)
        code = code * (own.max() + 2) + own + 1
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
    unpooled: int | None = None,
) -> Units:
    """Arrange the effects of one factor.

    If the factor has only one term and its effects are `separate`, each effect is a unit (for
    example, one word in one connection).
    """
    of_row = design.codes(terms[0].of)
    parameters = [starts[term.sd] + term.sd_index(design) for term in terms]
    parameter = np.hstack(parameters)
    if terms[0].of == "protected_word" and unpooled is not None:
        parameter[unpooled] = max(block.where.stop for block in blocks.values())
    alike = np.repeat([term.alike for term in terms], [own.shape[1] for own in parameters])
    if len(terms) == 1 and terms[0].separate:
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
    rows: FloatArray  # (n_classes, n_types): rows of one unit of the class
    by_noise: FloatArray  # (n_noise, n_types, d): loadings of the rows with each residual sd
    gram: FloatArray  # (n_noise, n_classes, d, d): X'X of one unit


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
    return Partition(units, of_unit, size, first, rows, by_noise, gram)


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


def between(one: Partition, other: Partition, types: RowTypes) -> FloatArray:
    """Return the (n_noise, n_one, d, n_other, e) coupling between the class means of two sides."""
    sides = (one, other)
    place = [np.full(len(side.of_unit), -1) for side in sides]
    for side, places in zip(sides, place, strict=True):
        places[side.first] = np.arange(len(side.first))
    i, j = (places[side.units.of_row] for side, places in zip(sides, place, strict=True))
    chosen = (i >= 0) & (j >= 0)
    i, j, row_type = i[chosen], j[chosen], types.of_row[chosen]
    weight = np.sqrt(one.size[i] * other.size[j])
    (n, n_one, d), (n_other, e) = one.gram.shape[:3], other.gram.shape[1:3]
    coupling = np.zeros((n, n_one, d, n_other, e))
    at = types.by_noise.argmax(axis=0)[row_type], i, j
    for a, b in np.ndindex(d, e):
        value = weight * one.units.loading[row_type, a] * other.units.loading[row_type, b]
        np.add.at(coupling[:, :, a, :, b], at, value)
    return coupling


@dataclass(frozen=True)
class Layout:
    """Everything that does not depend on outcomes or likeness, for reuse with the same rows."""

    spec: ModelSpec  # without terms that add nothing
    types: RowTypes
    blocks: tuple[Block, ...]  # layout of the parameter vector
    sides: tuple[Partition, ...]  # the larger side is first
    shared_terms: tuple[Term, ...]
    # effects shared across words and attributes; the connection means come before them
    shared_parameter: IntArray
    # (n_shared,): index of each effect's log sd; -1 for the connection means, whose sd is known
    shared: FloatArray  # (n_types, n_shared): how rows depend on the shared effects
    shared_gram: FloatArray  # (n_noise, n_shared, n_shared): X'X of the shared effects
    couplings: tuple[FloatArray, ...]
    # (n_noise, n_classes, d, n_shared): coupling of each side's means with the shared effects;
    # then the coupling between the sides, if there are two


def lay_out(design: Design, spec: ModelSpec, unpooled: int | None = None) -> Layout:
    """Arrange the effects of a model for the rows of a design; see `collapse`."""
    spec = spec.fitting(design)
    types, blocks = row_types(design, spec), parameter_blocks(design, spec)
    named = {block.name: block for block in blocks}
    starts = {name: block.where.start for name, block in named.items()}
    n_parameters = blocks[-1].where.stop  # followed by the sd of an unpooled word and fixed sds
    starts |= {name: n_parameters + 1 + place for place, name in enumerate(spec.fixed)}
    units = [
        units_of(design, terms, types, named, starts, unpooled=unpooled)
        for factor in ("protected_word", "attribute")
        if (terms := spec.terms_of(factor))
    ]
    partners = [side.of_row for side in reversed(units)] if len(units) == 2 else [None]
    parts = [
        partition_of(side, types, partner) for side, partner in zip(units, partners, strict=True)
    ]
    sides = tuple(sorted(parts, key=lambda side: -side.gram[0, :, :, 0].size))
    shared_terms = tuple(t for t in spec.terms if t.of not in {"protected_word", "attribute"})
    means = one_hot(design.connection[types.first], len(design.connections)).T
    shared = np.hstack([means, *(term.all_columns(design, types.first) for term in shared_terms)])
    parameters = [starts[term.sd] + term.sd_index(design).ravel() for term in shared_terms]
    rows = types.by_noise * np.bincount(types.of_row, minlength=len(types.first))
    couplings = []
    for side in sides:
        weights = side.rows * np.sqrt(side.size)[:, None], types.by_noise
        loadings = side.units.loading, shared
        couplings.append(np.einsum("qt,ct,ti,tj->cqij", *weights, *loadings, optimize=True))
    if len(sides) == 2:
        couplings.append(between(*sides, types))
    return Layout(
        spec=spec,
        types=types,
        blocks=blocks,
        sides=sides,
        shared_terms=shared_terms,
        shared_parameter=np.concatenate([np.full(means.shape[1], -1), *parameters]),
        shared=shared,
        shared_gram=np.einsum("ct,ti,tj->cij", rows, shared, shared, optimize=True),
        couplings=tuple(couplings),
    )


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
    known, layout = layout is not None, layout or lay_out(design, spec, unpooled)
    types, y = layout.types, design.y - layout.spec.center
    sides = tuple(
        classes_of(part, design.likeness_of(part.units.terms[0].of)[0], y, types)
        for part in layout.sides
    )
    cross, gram = _matrices(layout, sides, y)
    if not known:
        _log_gaps(design, cross)
    return Collapsed(
        design=design,
        layout=layout,
        rows=types.by_noise @ np.bincount(types.of_row),
        sides=sides,
        cross=cross,
        gram=gram,
    )


def _log_gaps(design: Design, cross: FloatArray) -> None:
    """Log a warning if missing pairs of words make a fit slow."""
    pairs = np.unique(design.word * len(design.attributes) + design.attribute)
    missing = len(design.words) * len(design.attributes) - len(pairs)
    if missing and cross[0].size * cross.shape[-1] > MUCH_WORK:
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
