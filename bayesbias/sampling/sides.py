r"""Solve for class means and shared effects by eliminating the larger side of the model.

The coordinates of a side are independent across units, given all others. Their precision is block
diagonal, so those of the larger side are eliminated unit by unit. The Schur complement, which is
the precision of all kept coordinates, is factored.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.random import Generator

from .._core.arrays import FloatArray
from .blocks import cholesky, solve_blocks, solve_transposed
from .layout import Layout, Statistics
from .scales import Scales, UnitPosterior, UnitPrior, standard_noise, weighted


@dataclass(frozen=True)
class SideSystem:
    """Constants of the equations; kept coordinates are the other side's and shared effects."""

    layout: Layout
    own: FloatArray  # (n_noise, n_classes, d, d): X'X of the eliminated classes
    cross: FloatArray
    # (n_noise, n_classes, d, n_kept + k): coupling of the eliminated classes with the kept
    # coordinates and, in the last places, with the columns
    gram: FloatArray  # (n_noise, n_kept + k, n_kept + k): X'X of kept coordinates and columns

    @classmethod
    def of(cls, statistics: Statistics) -> SideSystem:
        """Return the constants for sufficient statistics."""
        layout, (n_classes, d) = statistics.layout, statistics.layout.sides[0].parameter.shape
        cells, cross, gram = layout.cells, [], []
        for noise, products in enumerate(statistics.products[..., 0]):
            rows = np.flatnonzero(cells.noise == noise)
            loading, sums = statistics.loading[rows], statistics.sums[rows, :, 0]
            out, kept = loading[:, : n_classes * d], loading[:, n_classes * d :]
            weighed, border = kept.multiply(cells.count[rows, None]).tocsr(), kept.T @ sums
            own = (kept.T @ weighed).toarray()
            gram.append(np.block([[own, border], [border.T, products]]))
            cross.append(np.hstack([(out.T @ weighed).toarray(), out.T @ sums]))
        whole = np.reshape(cross, (len(cross), n_classes, d, -1))
        return cls(layout, statistics.own, whole, np.array(gram))

    @property
    def size(self) -> int:
        """Number of values per parameter vector."""
        return int(self.cross[0].size + self.gram[0].size)

    def given(self, scales: Scales) -> SideMeans:
        """Solve the equations for each parameter vector."""
        layout, n, precision = self.layout, len(scales.parameters), scales.precision
        sides, size = layout.sides, self.gram.shape[1]
        out = scales.of_units(sides[0].units, sides[0].parameter, self.own)
        kept = tuple(scales.prior(side.units, side.parameter) for side in sides[1:])
        shared = scales.sds[layout.shared_parameter[: layout.n_shared]]
        solved = np.moveaxis(out.solve(weighted(self.cross, precision)), -1, 0)
        solved = np.ascontiguousarray(solved).reshape(n, -1, size)
        gram = (precision.T @ self.gram.reshape(len(precision), -1)).reshape(n, size, size)
        gram -= np.swapaxes(solved, 1, 2) @ solved
        sds = np.concatenate([*(side.sds.reshape(-1, n) for side in kept), shared]).T
        stop = sds.shape[1]
        residual = gram[:, stop:, stop:].copy()
        gram[:, :stop] *= sds[:, :, None]
        gram[:, :, :stop] *= sds[:, None]
        for side in kept:
            side.rotate_kept(gram)
            side.rotate_kept(np.swapaxes(gram, 1, 2))
        diagonal = np.arange(size)
        gram[:, diagonal, diagonal] *= np.where(diagonal < stop, 1, 2)  # only to be positive
        gram[:, diagonal, diagonal] += 1
        factor = cholesky(gram)
        half = factor[:, stop:, :stop]
        residual -= half @ np.swapaxes(half, 1, 2)
        return SideMeans(out, kept, shared, solved, factor[:, :stop, :stop], half, residual)


@dataclass(frozen=True)
class SideMeans:
    """Solution of the equations for each of n parameter vectors."""

    out: UnitPosterior  # of the eliminated side
    kept: tuple[UnitPrior, ...]
    shared: FloatArray  # (n_shared, n): sds of shared effects
    solved: FloatArray
    # (n, n_eliminated, n_kept + k): inverse factor of the eliminated side times its coupling
    factor: FloatArray  # (n, n_kept, n_kept): Cholesky factor of the kept coordinates' precision
    half: FloatArray  # (n, k, n_kept): the columns' projections, solved by this factor
    residual: FloatArray  # (n, k, k): products of columns that means do not account for

    @property
    def log_det(self) -> FloatArray:
        """Log determinants of the precisions of all coordinates, (n,)."""
        logs = np.log(np.diagonal(self.factor, axis1=1, axis2=2)).sum(axis=1)
        return np.asarray(2 * logs + self.out.log_det(np.ones(len(self.out.sds))))

    def moments(self, weights: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Return (n, w, k) means for each column, and (n, w) variances, of shared effects' sums."""
        # The factor is triangular, and the shared effects are its last coordinates.
        start = self.factor.shape[1] - len(weights)
        right = self.shared.T[:, :, None] * weights
        across = np.linalg.solve(self.factor[:, start:, start:], right)
        means = self.half[:, :, start:] @ across
        return np.swapaxes(means, 1, 2), (across**2).sum(axis=1)

    def draw(
        self, weights: FloatArray, rng: Generator | None
    ) -> tuple[list[FloatArray], FloatArray]:
        """Draw class effects and shared effects, given (n, k) weights of the columns."""
        n, n_kept = len(weights), self.factor.shape[1]
        right = (weights[:, None] @ self.half)[:, 0]
        right = right + standard_noise(right.shape, rng)
        coordinates = solve_transposed(self.factor, right).T
        own, shared = np.split(coordinates, [n_kept - len(self.shared)])
        shared = shared * self.shared
        effects = [side.effects(own.reshape(side.sds.shape)) for side in self.kept]
        known = [*(-side.reshape(-1, n) for side in effects), -shared, weights.T]
        right = (self.solved @ np.concatenate(known).T[..., None])[..., 0]
        right += standard_noise(right.shape, rng)
        blocks = right.T.reshape(*self.out.sds.shape[:2], 1, n)
        eliminated = solve_blocks(self.out.factor, blocks, transposed=True)[:, :, 0]
        return [self.out.effects(eliminated), *effects], shared
