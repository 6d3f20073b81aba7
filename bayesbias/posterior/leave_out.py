"""Log density of words left out whole, with all their rows, under a Normal model.

Given its standard deviations and correlations a Normal model is Gaussian. What all other words say
of an attribute then has a closed form, and draws of a posterior are weighted rather than made anew.
Where that does not do, and for protected words, the model is fitted without the word.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from .._core.arrays import FloatArray
from ..model.design import Design, IntArray
from ..model.spec import ModelSpec
from ..model.tree import design_of, n_draws, spec_of, stacked
from ..sampling.collapsed import log_density
from ..sampling.exact import sample_exact
from ..sampling.fit import PARETO_K_LIMIT
from ..sampling.parameters import parameter_blocks
from ..sampling.reduction import Shared, collapse, shared_effects
from ..sampling.sufficient import RowTypes, Units, random_units, row_types
from .psis import psis_loo

if TYPE_CHECKING:
    from xarray import DataTree

NUMBERS_AT_ONCE = 2_000_000
"""Numbers in the largest array that is worked on at once: 16 MB."""


DRAWS = 1_000
"""Draws of a posterior that are weighted, and draws of a fit without a unit."""


@dataclass(frozen=True)
class LeftOut:
    """Log predictive density of units left out, (n_units,), and its Monte Carlo error."""

    elpd: FloatArray
    mcse: FloatArray
    refitted: int  # how many of them took a fit of their own


def leave_words_out(tree: DataTree, factor: str, rng: Generator) -> LeftOut:
    """Leave out every attribute, or every protected word, of a posterior of a Normal model."""
    design, spec = design_of(tree), spec_of(tree)
    spec = spec.fitting(design)
    n_units = len(design.coords[factor])
    elpd, mcse, again = np.empty(n_units), np.empty(n_units), np.arange(n_units)
    if factor == "attribute":
        chosen = np.linspace(0, n_draws(tree) - 1, min(DRAWS, n_draws(tree))).astype(int)
        values = {str(name): stacked(tree, str(name))[chosen] for name in tree["posterior"]}
        density = attributes_log_density(design, spec, values)
        elpd, k, _ = psis_loo(density)
        weights = np.exp(-density)
        mcse = weights.std(axis=0) / weights.mean(axis=0)
        mcse /= np.sqrt(draws_by_weight(tree, len(density)))
        again = np.flatnonzero(~(k < PARETO_K_LIMIT))
    codes = design.codes(factor)
    for unit in again:
        density, effective = without_rows(design, spec, codes == unit, DRAWS, rng)
        if not np.isfinite(density).any():
            raise ValueError(
                f"without {design.coords[factor][unit]!r} the table tells too little to fit the "
                f"model {spec.name!r}; compare with leave_out='row'"
            )
        top = density.max()
        mean, sd = np.exp(density - top).mean(), np.exp(density - top).std()
        elpd[unit], mcse[unit] = top + np.log(mean), sd / mean / np.sqrt(effective)
    return LeftOut(elpd, mcse, len(again))


def draws_by_weight(tree: DataTree, n: int) -> float:
    """How many independent draws n of a posterior are worth, by the weights of the exact sampler.

    They are copies of its proposals' points, and worth no more than those. Draws of other samplers
    have no weights: all n.
    """
    stats = tree["sample_stats"]
    return min(n, float(stats["importance_ess"])) if "importance_ess" in stats else n


@dataclass(frozen=True)
class _Alike:
    """Attributes whose rows have the same partners equally often.

    Parameters
    ----------
    units : (m,) int
    cells : (k,) int
        Their partners, a protected word under a type of row each: what all but attributes
        contribute to a row takes one value for each.
    rows : (k,) float
        Rows of an attribute in each cell.
    loading : (k, d) float
        How its rows there depend on the coordinates of its own effects.
    mean, squares : (m, k) float
        Mean outcome less the centre in each cell, and the sum of squares about it.
    """

    units: IntArray
    cells: IntArray
    rows: FloatArray
    loading: FloatArray
    mean: FloatArray
    squares: FloatArray


@dataclass(frozen=True)
class _Others:
    """All effects but those of attributes, as they are summed in each cell.

    Parameters
    ----------
    words : Units
    shared : Shared
    mean_sd : float
        Prior sd of the connection means.
    word, row_type : (n_cells,) int
    """

    words: Units
    shared: Shared
    mean_sd: float
    word: IntArray
    row_type: IntArray

    def covariance(self, sds: FloatArray, factors: Mapping[str, FloatArray]) -> FloatArray:
        """Return the prior covariance of the cells, (n_draws, n_cells, n_cells)."""
        spread = np.where(self.shared.parameter < 0, self.mean_sd, sds[:, self.shared.parameter])
        scaled = self.shared.loading * spread[:, None]
        of_types = scaled @ np.swapaxes(scaled, 1, 2)
        total = of_types[:, self.row_type[:, None], self.row_type]
        of_words = _covariances(self.words, sds, factors)
        for word in np.unique(self.word):
            at = np.flatnonzero(self.word == word)
            loading = self.words.loading[self.row_type[at]]
            total[:, at[:, None], at] += loading @ of_words[:, word] @ loading.T
        return np.asarray(total)


def without_rows(
    design: Design, spec: ModelSpec, left: NDArray[np.bool_], draws: int, rng: Generator
) -> tuple[FloatArray, float]:
    """Log density of some rows together, under each draw of the model fitted without them.

    Parameters
    ----------
    design : Design
    spec : ModelSpec
        A Normal model.
    left : (n_rows,) bool
        The rows that are left out.
    draws : int
    rng : numpy.random.Generator

    Returns
    -------
    (draws,) float
        Log densities given all other rows, sds and correlations, of which alone there are draws:
        log p(all rows) - log p(other rows).
    float
        How many independent draws they are worth.
    """
    rest = collapse(design.take(np.flatnonzero(~left)), spec)
    found = sample_exact(rest, draws, rng)
    parameters = found.parameters
    ratio = log_density(collapse(design, spec), parameters) - log_density(rest, parameters)
    effective = min(draws, found.importance_ess)
    return np.asarray(ratio - 0.5 * left.sum() * np.log(2 * np.pi)), effective


def attributes_log_density(
    design: Design, spec: ModelSpec, values: Mapping[str, FloatArray]
) -> FloatArray:
    r"""Log density of all rows of every attribute given all other rows, sds and correlations.

    Rows of an attribute are :math:`y = f + u + \varepsilon`, where u are the attribute's own
    effects and f all others. Let T be the inverse covariance of the attribute's cell means given f,
    and r what they differ by from the posterior mean of f given all rows, of covariance R. Given
    all rows but the attribute's, the log density of its cell means is

    .. math:: \tfrac12 \log |T| + \tfrac12 \log |I - T R| - \tfrac12 r^T T (I - R T)^{-1} r

    up to a constant. These are the leave-one-out identities of Gaussian processes (Rasmussen and
    Williams, 2006, section 5.4.2), for blocks of rows.

    Parameters
    ----------
    design : Design
    spec : ModelSpec
        A Normal model.
    values : mapping of str to (n_draws, ...) float
        Draws of its sds, and of the factors of its correlations.

    Returns
    -------
    (n_draws, n_attributes) float
    """
    types = row_types(design, spec)
    own, words = (_units(design, spec, types, name) for name in ("attribute", "protected_word"))
    pattern, cell = np.unique(words.of_row * len(types.first) + types.of_row, return_inverse=True)
    word, row_type = np.divmod(pattern, len(types.first))
    blocks = {block.name: block for block in parameter_blocks(design, spec)}
    others = _Others(
        words, shared_effects(design, spec, types, blocks), spec.mean_sd, word, row_type
    )
    alike = list(_alike(own.of_row, cell, design.y - spec.centre, own.loading[row_type]))
    sds, factors = _parameters(design, spec, values)
    at_once = max(1, NUMBERS_AT_ONCE // len(pattern) ** 2)
    parts = []
    for start in range(0, len(sds), at_once):
        now = slice(start, start + at_once)
        given = {name: each[now] for name, each in factors.items()}
        noise = _residual_variance(values, now, types.n_noise)[:, types.noise[row_type]]
        prior = others.covariance(sds[now], given)
        parts.append(_log_density(alike, prior, _covariances(own, sds[now], given), noise))
    return np.concatenate(parts)


def _units(design: Design, spec: ModelSpec, types: RowTypes, factor: str) -> Units:
    terms = spec.terms_of(factor)
    if terms:
        blocks = {block.name: block for block in parameter_blocks(design, spec)}
        return random_units(design, terms, types, blocks, split=False)
    codes = design.codes(factor)
    nothing = np.zeros((len(design.coords[factor]), 0), dtype=np.int64)
    return Units((), codes, np.zeros((len(types.first), 0)), nothing)


def _alike(unit: IntArray, cell: IntArray, y: FloatArray, loading: FloatArray) -> Iterator[_Alike]:
    """Sort attributes by their partners."""
    shape = unit.max() + 1, cell.max() + 1
    at = unit * shape[1] + cell
    rows, total, squares = (
        np.bincount(at, each, minlength=shape[0] * shape[1]).reshape(shape)
        for each in (np.ones(len(y)), y, y**2)
    )
    counts, of_unit = np.unique(rows, axis=0, return_inverse=True)
    for index, count in enumerate(counts):
        units = np.flatnonzero(of_unit.ravel() == index)
        cells = np.flatnonzero(count)
        mean = total[np.ix_(units, cells)] / count[cells]
        about = np.maximum(squares[np.ix_(units, cells)] - count[cells] * mean**2, 0)
        yield _Alike(units, cells, count[cells], loading[cells], mean, about)


def _parameters(
    design: Design, spec: ModelSpec, values: Mapping[str, FloatArray]
) -> tuple[FloatArray, dict[str, FloatArray]]:
    """Sds in the layout of the parameters, (n_draws, n_parameters), and factors of correlations."""
    blocks = parameter_blocks(design, spec)
    n_draws = len(values["connection_mean"])
    sds = np.ones((n_draws, blocks[-1].where.stop))
    factors = {}
    for block in blocks:
        if block.n_correlated:
            factors[block.name] = values[f"{block.name}_factor"]
        else:
            sds[:, block.where] = values[block.name].reshape(n_draws, -1)
    return sds, factors


def _covariances(units: Units, sds: FloatArray, factors: Mapping[str, FloatArray]) -> FloatArray:
    """Prior covariance of the coordinates of every unit, (n_draws, n_units, d, d)."""
    root = sds[:, units.parameter][..., None] * np.eye(units.parameter.shape[1])
    if units.correlated is not None:
        block, where = units.correlated
        root[..., where, where] = root[..., where, where] @ factors[block.name][:, None]
    return np.asarray(root @ np.swapaxes(root, -1, -2))


def _residual_variance(values: Mapping[str, FloatArray], now: slice, n: int) -> FloatArray:
    """Residual variance by connection, or by what the model's sigma is by, (n_draws, n)."""
    sigma = values["sigma"][now]
    return np.broadcast_to(sigma.reshape(len(sigma), -1) ** 2, (len(sigma), n))


def _log_density(
    alike: list[_Alike], prior: FloatArray, covariances: FloatArray, noise: FloatArray
) -> FloatArray:
    """See `attributes_log_density`."""
    precisions = []
    precision, pull = np.zeros_like(prior), np.zeros(prior.shape[:2])
    for each in alike:
        spread = each.loading @ covariances[:, each.units[0]] @ each.loading.T
        spread += (noise[:, each.cells] / each.rows)[:, :, None] * np.eye(len(each.cells))
        inverse = np.linalg.inv(spread)
        precisions.append(inverse)
        precision[:, each.cells[:, None], each.cells] += len(each.units) * inverse
        pull[:, each.cells] += inverse @ each.mean.sum(axis=0)
    identity = np.eye(prior.shape[1])
    covariance = np.linalg.solve(identity + prior @ precision, prior)
    mean = np.matmul(covariance, pull[:, :, None])[:, :, 0]
    found = np.empty(covariances.shape[:2])
    for each, inverse in zip(alike, precisions, strict=True):
        left = np.eye(len(each.cells)) - inverse @ covariance[:, each.cells[:, None], each.cells]
        apart = np.swapaxes(each.mean - mean[:, None, each.cells], 1, 2)  # (n, k, m)
        solved = np.linalg.solve(np.swapaxes(left, 1, 2), apart)
        quadratic = (np.swapaxes(inverse, 1, 2) @ apart * solved).sum(axis=1)
        log_det = np.linalg.slogdet(inverse)[1] + np.linalg.slogdet(left)[1]
        sd = noise[:, each.cells]
        within = np.log(2 * np.pi * sd) @ (each.rows - 1) + np.log(each.rows).sum()
        within = within[:, None] + (1 / sd) @ each.squares.T
        constant = len(each.cells) * np.log(2 * np.pi)
        found[:, each.units] = 0.5 * (log_det[:, None] - quadratic - within - constant)
    return found
