"""Compute expected values, predictive draws, and log likelihoods of rows."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import cache
from typing import TYPE_CHECKING

import numpy as np
from numpy.random import Generator

from .._core.arrays import FloatArray, IntArray, Numbers
from .design import COVARIATE, WITHOUT_CONTROLS
from .spec import ModelSpec
from .tree import ROW_INDICES, index_of, n_draws, observed, spec_of, stacked

if TYPE_CHECKING:
    from xarray import DataTree


type Gather = Callable[[Numbers, tuple[IntArray, ...], FloatArray | None], Numbers]
"""Function that returns the effects of rows or groups of rows. Its arguments are the effects (with
levels first), every row's level along each dimension, and the weights of rows or None."""

Draws = np.ndarray | slice
"""Indices of the posterior draws to use."""

ALL = slice(None)

NUMBERS_AT_ONCE = 2_000_000
"""Number of draws times rows in a chunk, which takes 16 MB plus a few copies."""


def of_rows(effects: Numbers, index: tuple[IntArray, ...], weight: FloatArray | None) -> Numbers:
    """Return each row's effects, times the row's weight if given; this is the default `Gather`."""
    picked = effects[index]
    return picked if weight is None else (picked.T * weight).T


class Rows:
    """Read the rows of a posterior's table; indices and draws are read and checked only once."""

    def __init__(self, tree: DataTree, draws: Draws = ALL) -> None:
        self.spec, self.y, self.has_nu = spec_of(tree), observed(tree), "nu" in tree["posterior"]
        constants = tree["constant_data"].to_dataset()
        self.x = np.asarray(constants["covariates"]) if "covariates" in constants else None
        self.codes = cache(lambda dim: index_of(tree, ROW_INDICES[dim]))
        self.values = cache(lambda name: _draws_last(stacked(tree, name)[draws]))

    def expected(self, rows: IntArray, gather: Gather = of_rows) -> FloatArray:
        """Return (n_draws, n) expected distances of rows or groups of rows."""
        x = None if self.x is None else self.x[rows]
        codes = cache(lambda dim: self.codes(dim)[rows])
        return np.asarray(row_sums(self.spec, codes, self.values, x, gather)).T

    def residual_sds(self, rows: IntArray) -> FloatArray:
        """Return (n_draws, n_rows) or (n_draws, 1) residual sds of rows."""
        sd, dims = self.values("sigma"), self.spec.sigma_dims
        return np.asarray((sd[self.codes(dims[0])[rows]] if dims else sd[None]).T)

    def predict(self, rows: IntArray, rng: Generator) -> FloatArray:
        """Draw (n_draws, n_rows) new distances: one for each posterior draw and row."""
        expected = self.expected(rows)
        if self.has_nu:
            noise = rng.standard_t(self.values("nu")[:, None], expected.shape)
        else:
            noise = rng.standard_normal(expected.shape)
        noise = np.asfortranarray(noise)  # as expected values are, which is faster to add up
        noise *= self.residual_sds(rows)
        noise += expected
        return noise

    def log_likelihood(self, rows: IntArray) -> FloatArray:
        """Compute the (n_draws, n_rows) log likelihoods of rows."""
        sd, standard = self.residual_sds(rows), self.y[rows] - self.expected(rows)
        standard /= sd
        if not self.has_nu:
            standard *= standard  # in place, because the array may be large
            standard *= -0.5
            standard -= np.log(sd) + 0.5 * np.log(2 * np.pi)
            return standard
        from scipy.special import gammaln

        nu = self.values("nu")[:, None]
        constant = gammaln((nu + 1) / 2) - gammaln(nu / 2) - 0.5 * np.log(nu * np.pi)
        return np.asarray(constant - np.log(sd) - (nu + 1) / 2 * np.log1p(standard**2 / nu))


def mean_locations(tree: DataTree, cell: IntArray, n_cells: int) -> FloatArray:
    """Average the expected distances of each cell's rows to get (n_draws, n_cells) means.

    ``cell`` is the cell of each row, or -1 for rows outside all cells. Cells without rows are NaN.
    """
    from scipy.sparse import csr_array

    rows = np.flatnonzero(cell >= 0)
    cell = cell[rows]
    count = np.bincount(cell, minlength=n_cells)

    def of_cells(
        effects: Numbers, index: tuple[IntArray, ...], weight: FloatArray | None
    ) -> FloatArray:
        shape = effects.shape[: len(index)]
        level = np.ravel_multi_index(index, shape, mode="wrap")
        share = (1.0 if weight is None else weight) / count[cell]
        shares = csr_array((share, (cell, level)), (n_cells, int(np.prod(shape))))
        return np.asarray(shares @ effects.reshape(shares.shape[1], -1))

    means = Rows(tree).expected(rows, of_cells)
    means[:, count == 0] = np.nan
    return means


def expected_rows(
    spec: ModelSpec,
    codes: Callable[[str], IntArray],
    values: Callable[[str], FloatArray],
    x: FloatArray | None = None,
    gather: Gather = of_rows,
) -> FloatArray:
    """Return (n_draws, n_rows) expected values of rows from (n_draws, ...) draws of variables."""
    return np.asarray(row_sums(spec, codes, lambda name: _draws_last(values(name)), x, gather)).T


def row_sums(
    spec: ModelSpec,
    codes: Callable[[str], IntArray],
    values: Callable[[str], Numbers],
    x: FloatArray | None = None,
    gather: Gather = of_rows,
) -> Numbers:
    """Add up effects (arrays or PyTensor variables) to get the expected values of rows.

    ``codes`` returns every row's index along a dimension, or -1 for rows without one. ``values``
    returns a variable; any draws are along its last axis. Models with slopes need the covariates
    ``x``. The sum has shape (n_rows,) or (n_rows, n_draws), unless ``gather`` groups the rows.
    """
    total: Numbers | float = 0.0
    if not spec.around_means:
        total = gather(values("connection_mean"), (codes("connection"),), None)
    for term in spec.terms:
        if term.of == COVARIATE:
            assert x is not None
            index = codes(term.by) if term.by else np.zeros(len(x), dtype=np.int64)
            slopes = values(term.name) if term.by else values(term.name)[:, None]
            for place, column in enumerate(x.T):
                total = total + gather(slopes[place], (index,), column)
            continue
        places = tuple(codes(dim) for dim in term.dims)
        without = term.dims[-1] in WITHOUT_CONTROLS
        stereotype = (places[-1] >= 0) * np.float64(1) if without else None
        total = gather(values(term.name), places, stereotype) + total
    return total


def _draws_last(values: FloatArray) -> FloatArray:
    """Move draws to the last axis, where copying the draws of an element is fast."""
    return np.ascontiguousarray(np.moveaxis(values, 0, -1))


def row_chunks(tree: DataTree) -> Iterator[IntArray]:
    """Yield the rows of a table in chunks, to limit the memory that draws need."""
    rows, at_once = tree["observed_data"].sizes["row"], max(1, NUMBERS_AT_ONCE // n_draws(tree))
    for start in range(0, rows, at_once):
        yield np.arange(start, min(start + at_once, rows))
