r"""Solve for class means and shared effects in the space of cells.

Rows of a cell depend equally on class means and shared effects, so only their sum matters. Divided
by the residual sd, a cell's sum over :math:`\sqrt{n_c}` is Normal with the covariance

.. math:: W = I + N^{1/2} \Bigl(\sum_{st} \tau_s \tau_t \rho_{st} K_{st}\Bigr) N^{1/2}

with :math:`N = diag(n_c \lambda_c)` and constant matrices K. By Sylvester's identity, :math:`|W|`
is the determinant of the precision of all coordinates, which may be many more than the cells.
Effects are drawn by Matheron's rule: effects and cells are drawn from the prior, and corrected by
what the residuals of these cells imply.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations

import numpy as np
from numpy.random import Generator

from .._core.arrays import FloatArray, IntArray
from .blocks import cholesky, solve_lower, solve_transposed
from .layout import Layout, Statistics
from .scales import Scales, UnitPrior, correlations, standard_noise, weighted_each


@dataclass(frozen=True)
class CellSystem:
    """Constants of the equations."""

    layout: Layout
    loading: FloatArray  # (n_cells, n): how a cell's rows depend on class means and shared effects
    sums: FloatArray  # (n_cells, k, 1): sums of columns over sqrt(count)
    within: FloatArray  # (n_noise, k, k, 1): products of columns within cells
    pairs: IntArray  # (n_pairs, 5): two log sds, a side, and two coordinates if they correlate
    covariances: FloatArray  # (n_pairs, n_cells * n_cells): covariance for sds of 1

    @classmethod
    def of(cls, statistics: Statistics) -> CellSystem:
        """Return the constants for sufficient statistics."""
        layout, loading = statistics.layout, statistics.loading.toarray()
        sums = statistics.sums / np.sqrt(layout.cells.count)[:, None, None]
        of_noise = (sums[layout.cells.noise == noise] for noise in range(len(statistics.products)))
        products = [np.einsum("mkn,mln->kln", own, own, optimize=True) for own in of_noise]
        within = statistics.products - np.array(products)
        return cls(layout, loading, sums, within, *_covariances(layout, loading))

    @property
    def size(self) -> int:
        """Number of values per parameter vector."""
        return len(self.loading) ** 2 + self.sums[..., 0].size

    def given(self, scales: Scales) -> CellMeans:
        """Solve the equations for each parameter vector."""
        layout, m, n = self.layout, len(self.loading), len(scales.parameters)
        sides = layout.sides
        priors = tuple(scales.prior(side.units, side.parameter) for side in sides)
        weights = scales.sds[self.pairs[:, 0]] * scales.sds[self.pairs[:, 1]]
        for place, (*_, side, i, j) in enumerate(self.pairs):
            if i != j:
                weights[place] *= correlations(priors[side])[i, j]
        precision = scales.precision[layout.cells.noise].T
        root = np.sqrt(layout.cells.count * precision)
        matrices = (weights.T @ self.covariances).reshape(n, m, m)
        matrices *= root[:, :, None]
        matrices *= root[:, None]
        matrices[:, np.arange(m), np.arange(m)] += 1
        factor = cholesky(matrices)
        columns = np.moveaxis(self.sums, -1, 0) * np.sqrt(precision)[:, :, None]
        solved = solve_lower(factor, columns)
        shared = scales.sds[layout.shared_parameter[: layout.n_shared]]
        products = weighted_each(self.within, scales.precision)
        residual = np.moveaxis(products, -1, 0) + np.swapaxes(solved, 1, 2) @ solved
        return CellMeans(self, priors, shared, root, factor, columns, solved, residual)


def _covariances(layout: Layout, loading: FloatArray) -> tuple[IntArray, FloatArray]:
    """Return `CellSystem.pairs` and `CellSystem.covariances`."""
    shared = layout.shared_parameter[: layout.n_shared, None]
    parameters = [*(side.parameter for side in layout.sides), shared]
    found: dict[tuple[int, ...], FloatArray] = {}
    stops = np.cumsum([part.size for part in parameters])
    for index, (parameter, stop) in enumerate(zip(parameters, stops, strict=True)):
        own = loading[:, stop - parameter.size : stop].reshape(-1, *parameter.shape)
        correlated = layout.sides[index].units.correlated if index < len(layout.sides) else None
        first, last = (correlated[1].start, correlated[1].stop) if correlated else (0, 0)
        pairs = [(i, i) for i in range(own.shape[2])] + list(combinations(range(first, last), 2))
        for i, j in pairs:
            for a, b in np.unique(parameter[:, [i, j]], axis=0):
                chosen = (parameter[:, [i, j]] == (a, b)).all(axis=1)
                product = own[:, chosen, i] @ own[:, chosen, j].T
                product, place = (
                    (product, (0, 0, 0))
                    if i == j
                    else (
                        product + product.T,
                        (index, i - first, j - first),
                    )
                )
                found[a, b, *place] = found.get((a, b, *place), 0) + product
    return np.array(list(found)), np.array([each.ravel() for each in found.values()])


@dataclass(frozen=True)
class CellMeans:
    """Solution of the equations for each of n parameter vectors."""

    system: CellSystem
    priors: tuple[UnitPrior, ...]  # of class means, one per side
    shared: FloatArray  # (n_shared, n): sds of shared effects
    root: FloatArray  # (n, n_cells): square root of N
    factor: FloatArray  # (n, n_cells, n_cells): L, the Cholesky factor of W
    columns: FloatArray  # (n, n_cells, k)
    solved: FloatArray  # (n, n_cells, k): solutions of L x = columns
    residual: FloatArray  # (n, k, k): products of columns that means do not account for

    @property
    def log_det(self) -> FloatArray:
        """Log determinants of the precisions of all coordinates, (n,)."""
        return np.asarray(2 * np.log(np.diagonal(self.factor, axis1=1, axis2=2)).sum(axis=1))

    def moments(self, weights: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Return (n, w, k) means for each column, and (n, w) variances, of shared effects' sums."""
        variances = self.shared.T**2
        own = self.system.loading[:, -len(weights) :] @ (variances[:, :, None] * weights)
        across = solve_lower(self.factor, own * self.root[:, :, None])
        means = np.swapaxes(across, 1, 2) @ self.solved
        return means, variances @ weights**2 - (across**2).sum(axis=1)

    def draw(
        self, weights: FloatArray, rng: Generator | None
    ) -> tuple[list[FloatArray], FloatArray]:
        """Draw class effects and shared effects, given (n, k) weights of the columns."""
        n, loading = len(weights), self.system.loading
        noises = [standard_noise(prior.sds.shape, rng) for prior in self.priors]
        effects = [prior.effects(own) for prior, own in zip(self.priors, noises, strict=True)]
        shared = self.shared * standard_noise(self.shared.shape, rng)
        known = np.concatenate([*(own.reshape(-1, n) for own in effects), shared])
        cells = (loading @ known).T * self.root + standard_noise(self.root.shape, rng)
        right = (self.columns @ weights[..., None])[..., 0] - cells
        solved = solve_lower(self.factor, right[..., None])[..., 0]
        back = loading.T @ (self.root * solve_transposed(self.factor, solved)).T
        stop = 0
        for place, prior in enumerate(self.priors):
            start, stop = stop, stop + prior.sds[..., 0].size
            own = back[start:stop].reshape(*prior.sds.shape[:2], 1, n)
            effects[place] = effects[place] + prior.effects(prior.transposed(own)[:, :, 0])
        return effects, shared + self.shared**2 * back[stop:]
