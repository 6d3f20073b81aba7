"""Where a posterior expects a row to lie: predictive draws and log likelihoods."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

import numpy as np
from numpy.random import Generator

from .._core.arrays import FloatArray
from .design import COVARIATE, IntArray, one_hot
from .spec import ModelSpec
from .tree import ROW_INDICES, index_of, n_draws, observed, spec_of, stacked

if TYPE_CHECKING:
    from xarray import DataTree


Draws = np.ndarray | slice
"""Which posterior draws to use."""

ALL = slice(None)

NUMBERS_AT_ONCE = 2_000_000
"""Draws times rows that are worked on together: 16 MB, and a few copies of it."""


def locations(tree: DataTree, rows: np.ndarray, draws: Draws = ALL) -> FloatArray:
    """Expected distance of rows under posterior draws, (n_draws, n_rows)."""
    constants = tree["constant_data"].to_dataset()
    return expected_rows(
        spec_of(tree),
        lambda dim: index_of(tree, ROW_INDICES[dim])[rows],
        lambda name: stacked(tree, name)[draws],
        np.asarray(constants["covariates"])[rows] if "covariates" in constants else None,
    )


def mean_locations(tree: DataTree, cell: IntArray, n_cells: int) -> FloatArray:
    """Average the expected distances of the rows of each cell, (n_draws, n_cells).

    ``cell`` gives the cell of every row, -1 where it has none. Cells without rows are NaN.
    """
    total = np.zeros((n_draws(tree), n_cells))
    for rows in row_chunks(tree):
        total += locations(tree, rows) @ one_hot(cell[rows], n_cells).T
    count = np.bincount(cell[cell >= 0], minlength=n_cells)
    return np.where(count > 0, total / np.maximum(count, 1), np.nan)


def expected_rows(
    spec: ModelSpec,
    codes: Callable[[str], IntArray],
    values: Callable[[str], FloatArray],
    x: FloatArray | None = None,
) -> FloatArray:
    """Sum what a model expects of rows, (n_draws, n_rows).

    ``codes`` gives the place of every row along a dimension, -1 where it has none; ``values`` the
    draws of a variable, (n_draws, ...). The covariates ``x`` are needed where the model has slopes.
    """
    expected: FloatArray | float = 0.0
    if not spec.around_means:
        expected = _taken(values("connection_mean"), codes("connection"))
    for term in spec.summed_terms:
        if term.of == COVARIATE and x is not None:
            for slopes, column in zip(np.moveaxis(values(term.name), 1, 0), x.T, strict=True):
                own = _taken(slopes, codes(term.by)) if term.by else slopes
                expected = expected + column[:, None] * own
            continue
        index = tuple(codes(dim) for dim in term.dims)
        effects = _taken(values(term.name), *index)
        effects[index[-1] < 0] = 0.0  # controls are in no attribute set
        effects += expected  # in place: arrays are large
        expected = effects
    return np.asarray(expected).T


def _taken(values: FloatArray, *index: IntArray) -> FloatArray:
    """Take the draws of a place for each row, (n_draws, ...) to (n_rows, n_draws).

    All draws of a place are copied together, which is several times as fast as one by one.
    """
    by_place = np.ascontiguousarray(np.moveaxis(values, 0, -1))
    return np.asarray(by_place[index])


def residual_sds(tree: DataTree, rows: np.ndarray, draws: Draws = ALL) -> FloatArray:
    """Residual sd of rows under posterior draws, (n_draws, n_rows) or (n_draws, 1)."""
    sd = stacked(tree, "sigma")[draws]
    dims = spec_of(tree).sigma_dims
    return _taken(sd, index_of(tree, ROW_INDICES[dims[0]])[rows]).T if dims else sd[:, None]


def predict_rows(
    tree: DataTree, rows: np.ndarray, rng: Generator, draws: Draws = ALL
) -> FloatArray:
    """Draw new distances for rows, one for each posterior draw, (n_draws, n_rows)."""
    return next(predict_chunks(tree, rows, rng, draws, max(1, len(rows))))


def predict_chunks(
    tree: DataTree, rows: np.ndarray, rng: Generator, draws: Draws, size: int
) -> Iterator[FloatArray]:
    """Draw new distances as `predict_rows` does, for so many rows after another at a time."""
    nu = stacked(tree, "nu")[draws][:, None] if "nu" in tree["posterior"] else None
    many = size * max(1, NUMBERS_AT_ONCE // (size * n_draws(tree)))  # what is read from the tree
    for first in range(0, max(1, len(rows)), many):
        block = rows[first : first + many]
        expected, sd = locations(tree, block, draws), residual_sds(tree, block, draws)
        for start in range(0, max(1, len(block)), size):
            some = slice(start, start + size)
            shape = expected[:, some].shape
            noise = rng.standard_normal(shape) if nu is None else rng.standard_t(nu, shape)
            noise *= sd if sd.shape[1] == 1 else sd[:, some]
            noise += expected[:, some]
            yield noise


def log_likelihood(tree: DataTree, rows: np.ndarray, draws: Draws = ALL) -> FloatArray:
    """Log likelihood of rows under posterior draws, (n_draws, n_rows)."""
    y = observed(tree)[rows]
    sd = residual_sds(tree, rows, draws)
    standard = locations(tree, rows, draws)
    np.subtract(y, standard, out=standard)  # in place: arrays are large
    standard /= sd
    if "nu" in tree["posterior"]:
        from scipy.special import gammaln

        nu = stacked(tree, "nu")[draws][:, None]
        constant = gammaln((nu + 1) / 2) - gammaln(nu / 2) - 0.5 * np.log(nu * np.pi)
        return np.asarray(constant - np.log(sd) - (nu + 1) / 2 * np.log1p(standard**2 / nu))
    standard *= standard
    standard *= -0.5
    standard -= np.log(sd)
    standard -= 0.5 * np.log(2 * np.pi)
    return standard


def row_chunks(tree: DataTree) -> Iterator[IntArray]:
    """Iterate over the rows of a table in chunks, so that all draws of a chunk are few numbers."""
    rows = np.arange(tree["observed_data"].sizes["row"])
    yield from (rows[chunk] for chunk in _chunks(len(rows), n_draws(tree)))


def draw_chunks(tree: DataTree) -> Iterator[slice]:
    """Iterate over the draws in chunks, so that all rows under a chunk are few numbers."""
    yield from _chunks(n_draws(tree), tree["observed_data"].sizes["row"])


def _chunks(n: int, numbers_each: int) -> Iterator[slice]:
    at_once = max(1, NUMBERS_AT_ONCE // numbers_each)
    for start in range(0, n, at_once):
        yield slice(start, min(start + at_once, n))
