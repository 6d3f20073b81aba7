"""Coupling of the effects that are eliminated with those that are kept, of a table with gaps.

Of a regular table a few classes of words and attributes are left. Pairs that are missing here and
there take all of them apart, and products over every unit would take most of the time. Units that
would be of one class still agree in most of what they are coupled with: that is one block for all
of them, and what they lack is sparse.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from .._core.arrays import FloatArray
from ..model.design import IntArray

WORTHWHILE = 2e7
"""Multiplications of the products over every unit from which on patterns are looked for."""

UNLIKE, MOST_PATTERNS = 0.5, 64
"""Share of entries in which units of one pattern may differ, and patterns, at most."""

LESS_WORK = 0.1
"""Products of what differs from patterns, as a share of all, at most."""

ROUNDING = 1e-12


@dataclass(frozen=True)
class NearlyRegular:
    """Couplings X of classes: the block of their pattern less what is sparse, times sqrt(size).

    Parameters
    ----------
    pattern : (n_classes,) int
    size : (n_classes,) float
    base : (n_connections, n_patterns, d, k) float
        What classes of a pattern are coupled with on the other side.
    apart : (n_connections, n_entries) float
        Base less X where they differ.
    row, column : (n_entries,) int
        Where that is, of n_classes * d rows and k columns; sorted by rows.
    pairs : (2, n_pairs) int
        Entries of one class, sorted by the pair of their columns.
    target, start : (n_targets,) int
        Pairs of columns, as places in a (k, k) array, and where in ``pairs`` each begins.
    rest : (n_connections, n_classes, d, h) float
        Coupling with shared effects and, last, with the outcome, as in ``Collapsed.cross``.
    """

    pattern: IntArray
    size: FloatArray
    base: FloatArray
    apart: FloatArray
    row: IntArray
    column: IntArray
    pairs: IntArray
    target: IntArray
    start: IntArray
    rest: FloatArray

    def explained(self, whitening: FloatArray, precision: FloatArray) -> FloatArray:
        """X'W'WX, (k + h, k + h), of whitening W, (n_classes, d, d), that units have alone."""
        n, d, _ = whitening.shape
        base, apart, rest = self._weighted(precision)
        n_patterns, _, k = base.shape
        unit = np.swapaxes(whitening, 1, 2) @ whitening
        scaled = unit * self.size[:, None, None]
        members = np.arange(n_patterns)[:, None] == self.pattern
        among = (members @ scaled.reshape(n, -1)).reshape(n_patterns, d, d)
        cell = self.pattern[self.row // d] * k + self.column
        spread = [
            np.bincount(cell, each * apart, n_patterns * k).reshape(n_patterns, k)
            for each in scaled[self.row // d, :, self.row % d].T
        ]
        half = (0.5 * among @ base - np.stack(spread, axis=1)).reshape(-1, k)
        base = base.reshape(-1, k)
        own = base.T @ half
        own += own.T.copy()
        if len(self.target):
            one, other = self.pairs
            weight = scaled[self.row[one] // d, self.row[one] % d, self.row[other] % d]
            products = weight * apart[one] * apart[other]
            own.ravel()[self.target] += np.add.reduceat(products, self.start)
        through = unit @ rest * np.sqrt(self.size)[:, None, None]
        columns = through.reshape(n * d, -1)
        across = base.T @ (members @ through.reshape(n, -1)).reshape(len(base), -1)
        lacking = [np.bincount(self.column, apart * each[self.row], k) for each in columns.T]
        across -= np.stack(lacking, axis=1)
        found = np.empty((k + rest.shape[2],) * 2)
        found[:k, :k], found[:k, k:], found[k:, :k] = own, across, across.T
        found[k:, k:] = np.tensordot(rest, unit @ rest, ((0, 1), (0, 1)))
        return found

    def left(self, whitening: FloatArray, precision: FloatArray, known: FloatArray) -> FloatArray:
        """W of the outcome less its known part, (n_classes * d,), given (k + h - 1,) effects."""
        base, apart, rest = self._weighted(precision)
        n, d, _ = whitening.shape
        k = base.shape[2]
        lacking = np.bincount(self.row, apart * known[self.column], n * d).reshape(n, d)
        coupled = ((base @ known[:k])[self.pattern] - lacking) * np.sqrt(self.size)[:, None]
        outcome = rest[..., -1] - coupled - rest[..., :-1] @ known[k:]
        return np.asarray((whitening @ outcome[..., None]).ravel())

    def _weighted(self, precision: FloatArray) -> tuple[FloatArray, FloatArray, FloatArray]:
        """Sums over connections, times their precision, of base, apart and rest."""
        base, rest = (np.tensordot(precision, each, 1) for each in (self.base, self.rest))
        return base, precision @ self.apart, rest


def nearly_regular(cross: FloatArray, size: FloatArray, k: int) -> NearlyRegular | None:
    """Find what classes share, where products over them take long and they share much.

    Parameters
    ----------
    cross : (n_connections, n_classes, d, k + h) float
        As in ``Collapsed``.
    size : (n_classes,) float
    k : int
        Coordinates of the other side.
    """
    n_connections, n, d, _ = cross.shape
    if n * d * k**2 < WORTHWHILE:
        return None
    rows = np.moveaxis(cross[..., :k], 1, 0) / np.sqrt(size)[:, None, None, None]
    pattern = _patterns(rows.reshape(n, -1))
    if pattern is None:
        return None
    base = np.stack([np.median(rows[pattern == each], axis=0) for each in range(1 + pattern.max())])
    apart = base[pattern] - rows
    entries = (np.abs(apart) > ROUNDING).any(axis=1)
    counts = entries.sum(axis=(1, 2))
    if (counts**2).sum() > LESS_WORK * n * d * k**2:
        return None
    row, column = np.nonzero(entries.reshape(n * d, k))
    ends = np.cumsum(counts)
    blocks = [
        np.indices((c, c)).reshape(2, -1) + end - c for c, end in zip(counts, ends, strict=True)
    ]
    pairs = np.concatenate(blocks, axis=1)
    place = column[pairs[0]] * k + column[pairs[1]]
    order = np.argsort(place, kind="stable")
    target, start = np.unique(place[order], return_index=True)
    return NearlyRegular(
        pattern=pattern,
        size=size,
        base=np.ascontiguousarray(np.moveaxis(base, 1, 0)),
        apart=np.moveaxis(apart, 1, 0).reshape(n_connections, n * d, k)[:, row, column],
        row=row,
        column=column,
        pairs=pairs[:, order],
        target=target,
        start=start,
        rest=np.ascontiguousarray(cross[..., k:]),
    )


def _patterns(rows: FloatArray) -> IntArray | None:
    """Sort rows by the first that they are like; None if these are too many."""
    found = np.full(len(rows), -1)
    for pattern in range(MOST_PATTERNS):
        left = np.flatnonzero(found < 0)
        if not len(left):
            return found
        first = rows[left[0]]
        differ = (np.abs(rows[left] - first) > ROUNDING).sum(axis=1)
        found[left[differ <= UNLIKE * np.count_nonzero(first)]] = pattern
    return None
