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
    shared = layout.shared_parameter[: layout.n_shared]
    parameter = np.concatenate([*(side.parameter.ravel() for side in layout.sides), shared])
    own = ((sd, loading[:, parameter == sd]) for sd in np.unique(parameter))
    found = {(sd, sd, 0, 0, 0): columns @ columns.T for sd, columns in own}
    stop = 0
    for index, side in enumerate(layout.sides):
        start, stop = stop, stop + side.parameter.size
        coordinates = loading[:, start:stop].reshape(-1, *side.parameter.shape)
        places = side.units.correlated[1] if side.units.correlated else slice(0, 0)
        for i, j in combinations(range(places.start, places.stop), 2):
            pairs = side.parameter[:, [i, j]]
            for a, b in np.unique(pairs, axis=0):
                chosen = coordinates[:, (pairs == (a, b)).all(axis=1)]
                product = chosen[..., i] @ chosen[..., j].T
                found[a, b, index, i - places.start, j - places.start] = product + product.T
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
