"""Split the units of a class into a mean and deviations, which are independent given the sds.

Deviations lie along orthonormal directions that sum to zero. If units are exchangeable, all
directions have the same precision. If similar units have similar effects, the directions are
eigenvectors of their likeness, and each has its own precision. `collapsed` gives the derivation.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cache

import numpy as np

from .._core.arrays import FloatArray, IntArray
from ..model.likeness import blocks_of, effective_number
from .layout import Partition, Units

NO_LENGTH = 1e-13
"""Axes shorter than this share of the longest axis count as rounding errors."""

NO_COUPLING = 1e-12
"""Cosines between columns below this value count as rounding errors."""


@dataclass(frozen=True)
class Directions:
    """Orthonormal directions of the deviations in each class, as columns that sum to zero.

    Exchangeable units need no basis: unit vectors minus their mean take the place of directions.
    """

    classes: tuple[int, ...]  # classes with several units
    members: tuple[IntArray, ...]  # their units
    basis: tuple[FloatArray | None, ...]  # (size, size - 1), or None
    axes: tuple[FloatArray, ...]  # (d, d): `Partition.axes` of each class
    scale: FloatArray  # (n_directions, d): sds of coordinates, relative to a unit's sd

    @property
    def alike(self) -> bool:
        """Whether similar units have similar effects."""
        return any(basis is not None for basis in self.basis)

    def places(self) -> list[IntArray]:
        """Return the directions of each class."""
        pairs = zip(self.members, self.basis, strict=True)
        sizes = [len(own) - (basis is not None) for own, basis in pairs]
        stops = np.cumsum(sizes)
        return [np.arange(stop - size, stop) for size, stop in zip(sizes, stops, strict=True)]

    def turned(self, values: FloatArray) -> FloatArray:
        """Return the coordinates of (..., d, n_units) values along all directions and axes."""
        turned = np.empty((*values.shape[:-1], len(self.scale)))
        for place, own, basis, axes in self._each():
            part = values[..., own]
            part = part - part.mean(axis=-1)[..., None] if basis is None else _times(part, basis)
            turned[..., place] = axes.T @ part
        return turned

    def turned_back(self, coordinates: FloatArray, n_units: int) -> FloatArray:
        """Return the (..., d, n_units) values with given coordinates along directions and axes."""
        values = np.zeros((*coordinates.shape[:-1], n_units))
        for place, own, basis, axes in self._each():
            part = axes @ coordinates[..., place]
            values[..., own] = part if basis is None else _times(part, basis.T)
        return values

    def _each(self) -> Iterator[tuple[IntArray, IntArray, FloatArray | None, FloatArray]]:
        return zip(self.places(), self.members, self.basis, self.axes, strict=True)


@dataclass(frozen=True)
class Deviations:
    """Deviations that have d dependent coordinates each, by kind.

    Deviations of one kind have equal precisions, which are stored once, with the fewest ``axes``
    that have the same cross-products of projections.
    """

    times: FloatArray  # (m,): number of deviations of each kind
    parameter: IntArray  # (m, d): index of the log sd of each coordinate
    coordinate: IntArray  # (m, d): place of each coordinate among those of a unit
    gram: FloatArray  # (n_noise, m, d, d): X'X of one unit, times the scales
    columns: IntArray  # (k,): columns whose projections are not all zero
    projected: FloatArray
    # (n_noise, m, d, axes, k, 1): X'columns, times the scales; the last axis can be n for outcomes
    # of n parameter vectors
    direction: IntArray  # (n_directions,)
    kind: IntArray  # (n_directions,): the kind of each direction

    def of_outcomes(self, directions: Directions, turned: FloatArray) -> Deviations:
        """Return deviations for an outcome of each of n parameter vectors, a kind per direction.

        The outcomes are the last axis of the (n_noise, k, d, n_directions, n) ``turned``.
        """
        kind, place = self.kind, (self.coordinate[self.kind], self.direction[:, None])
        projected = turned[:, :, *place] * directions.scale.T[place][..., None]
        return replace(
            self,
            times=(self.times / np.bincount(kind))[kind],
            parameter=self.parameter[kind],
            coordinate=self.coordinate[kind],
            gram=self.gram[:, kind],
            columns=np.arange(turned.shape[1]),
            projected=projected.transpose(0, 2, 3, 1, 4)[:, :, :, None],
            kind=np.arange(len(kind)),
        )

    def padded(self, d: int) -> Deviations:
        """Return deviations with d coordinates; the new ones have no rows, so no sd matters."""
        more = (0, d - self.parameter.shape[1])
        return replace(
            self,
            parameter=np.pad(self.parameter, [(0, 0), more]),
            coordinate=np.pad(self.coordinate, [(0, 0), more]),
            gram=np.pad(self.gram, [(0, 0), (0, 0), more, more]),
            projected=np.pad(self.projected, [(0, 0), (0, 0), more, *[(0, 0)] * 3]),
        )


def _times(values: FloatArray, matrix: FloatArray) -> FloatArray:
    """Multiply (..., m) values by a matrix, all at once rather than as a stack."""
    return (values.reshape(-1, len(matrix)) @ matrix).reshape(*values.shape[:-1], -1)


def directions_of(
    part: Partition, likeness: FloatArray, *, means_only: bool = False
) -> tuple[Directions, FloatArray]:
    """Return the directions of all classes, and the (n_classes, d) scales of class means.

    ``likeness`` is the (n_units, n_units) similarity of units, or (0, 0) if it is unknown.
    """
    share, several = part.units.alike, tuple(np.flatnonzero(part.size > 1).tolist())
    axes = tuple(part.axes[index] for index in several)
    if means_only:
        known = bool(likeness.size and share.any())
        means = part.size / effective_number(likeness, part.of_unit) if known else part.size
        scale = (
            np.sqrt(1 - share + share * means[:, None])
            if known
            else np.ones_like(part.gram[0, ..., 0])
        )
        return Directions((), (), (), (), np.zeros((0, scale.shape[1]))), scale
    if not (likeness.size and share.any()):
        members = tuple(np.flatnonzero(part.of_unit == index) for index in several)
        d, none = part.gram.shape[-1], (None,) * len(members)
        one = np.ones((sum(map(len, members)), d))
        return Directions(several, members, none, axes, one), np.ones((len(part.size), d))
    found = blocks_of(likeness, part.of_unit)
    variances = np.concatenate([split.deviations for _, split in found])[:, None]
    means = np.array([split.mean for _, split in found])[:, None]
    of_mean, scale = (np.sqrt(1 - share + share * x) for x in (means, variances))
    chosen = [found[index] for index in several]
    bases = tuple(split.basis for _, split in chosen)
    return Directions(several, tuple(own for own, _ in chosen), bases, axes, scale), of_mean


def deviations_of(
    part: Partition, directions: Directions, turned: FloatArray
) -> tuple[Deviations, ...]:
    """Collect deviations by their number of dependent coordinates and by their columns.

    The (n_noise, k, d, n_directions) ``turned`` are the columns' projections on the directions.
    """
    pieces: dict[tuple[int, bytes, bool], list[Deviations]] = defaultdict(list)
    for index, own in zip(directions.classes, directions.places(), strict=True):
        columns = np.flatnonzero(turned[..., own].any(axis=(0, 2, 3)))
        whole = part.axes[index].T @ part.gram[:, index] @ part.axes[index]
        for j in _coupled(part.units, whole):
            for alike in _equal(directions.scale[np.ix_(own, j)]):
                place = own[alike]
                scale = directions.scale[np.ix_(place, j)]
                projected = turned[:, columns][:, :, j][..., place] * scale.T
                kind, times = np.arange(len(place)), np.ones(len(place))
                axes = projected[..., None]
                if len(alike) > 1 and (scale[0] == scale[1]).all():
                    times = np.array([min(len(place), part.size[index] - 1)])
                    kind, scale, axes = np.zeros_like(kind), scale[:1], _few_axes(projected)
                gram = whole[:, j[:, None], j][:, None]
                one = Deviations(
                    times=times,
                    parameter=np.tile(part.units.parameter[part.first[index], j], (len(times), 1)),
                    coordinate=np.tile(j, (len(times), 1)),
                    gram=gram * scale[:, :, None] * scale[:, None],
                    columns=columns,
                    projected=axes.transpose(0, 3, 2, 4, 1)[..., None],
                    direction=place,
                    kind=kind,
                )
                pieces[len(j), columns.tobytes(), axes.shape[4] > 1].append(one)
    return tuple(map(joined, pieces.values()))


def _equal(scale: FloatArray) -> Iterator[IntArray]:
    """Yield the rows whose scales are unique together, and those of each repeated scale."""
    _, kind, count = np.unique(scale, axis=0, return_inverse=True, return_counts=True)
    single = count[kind.ravel()] == 1
    if single.any():
        yield np.flatnonzero(single)
    for repeated in np.flatnonzero(count > 1):
        yield np.flatnonzero(kind.ravel() == repeated)


def _few_axes(projected: FloatArray) -> FloatArray:
    """Return (n, k, d, 1, axes) projections with the same cross-products as (n, k, d, m) ones."""
    flat = projected.reshape(-1, projected.shape[3])
    if not flat.any():
        return np.asarray(projected[..., None, :1])
    axes, lengths, _ = np.linalg.svd(flat, full_matrices=False)
    some = lengths > NO_LENGTH * lengths[0]
    return np.asarray((axes * lengths)[:, some].reshape(*projected.shape[:3], 1, -1))


def joined(pieces: list[Deviations]) -> Deviations:
    """Join deviations of equal shapes; some may have fewer axes than others."""
    most = max(one.projected.shape[3] for one in pieces)
    first = np.cumsum([0, *(len(one.times) for one in pieces)])
    padded = [
        np.pad(one.projected, [(0, 0)] * 3 + [(0, most - one.projected.shape[3])] + [(0, 0)] * 2)
        for one in pieces
    ]
    return Deviations(
        times=np.concatenate([one.times for one in pieces]),
        parameter=np.concatenate([one.parameter for one in pieces]),
        coordinate=np.concatenate([one.coordinate for one in pieces]),
        gram=np.concatenate([one.gram for one in pieces], axis=1),
        columns=pieces[0].columns,
        projected=np.concatenate(padded, axis=1),
        direction=np.concatenate([one.direction for one in pieces]),
        kind=np.concatenate([one.kind + n for one, n in zip(pieces, first, strict=False)]),
    )


def _coupled(units: Units, gram: FloatArray) -> list[IntArray]:
    """Split a unit's coordinates into independent sets, given its X'X, (n_noise, d, d)."""
    if units.correlated is not None:
        return [np.arange(gram.shape[-1])]
    squares = np.diagonal(gram, axis1=1, axis2=2).max(axis=0)
    lengths = np.sqrt(np.maximum(squares, 0.0))  # rounding can make zeros negative
    large = np.abs(gram).max(axis=0) > NO_COUPLING * lengths[:, None] * lengths
    return _components(large.tobytes(), gram.shape[-1])


@cache
def _components(coupled: bytes, n: int) -> list[IntArray]:
    """Split n coordinates into connected sets; the few patterns occur thousands of times each."""
    from scipy.sparse.csgraph import connected_components

    count, label = connected_components(np.frombuffer(coupled, bool).reshape(n, n))
    return [np.flatnonzero(label == index) for index in range(count)]
