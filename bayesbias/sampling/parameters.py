"""The parameters that are left when effects are integrated out: log sds, and correlations."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from .._core.arrays import FloatArray
from ..model.design import Design
from ..model.priors import factor_of_partial_correlations, partial_correlations
from ..model.spec import ModelSpec


@dataclass(frozen=True)
class Block:
    """One named block of parameters: its dimensions and its place in the vector.

    Parameters
    ----------
    name : str
    dims : tuple of str
    where : slice
    n_correlated : int
        Size of the correlation matrix whose partial correlations the block holds as their inverse
        hyperbolic tangents, row by row; 0 for a block of log sds.
    """

    name: str
    dims: tuple[str, ...]
    where: slice
    n_correlated: int = 0


def parameter_blocks(design: Design, spec: ModelSpec) -> tuple[Block, ...]:
    """Lay out the parameters of a model, in the order of its priors."""
    dims: dict[str, tuple[str, ...]] = {"sigma": spec.sigma_dims}
    dims |= {term.sd: term.sd_dims for term in spec.terms}
    correlated = {term.correlation: term.by for term in spec.terms if term.correlated}
    names = {name: len(labels) for name, labels in design.coords.items()}
    blocks: list[Block] = []
    start = 0
    for name in spec.needed_priors:
        if name in correlated:
            n = names[correlated[name]]
            block = Block(name, (correlated[name],), slice(start, start + n * (n - 1) // 2), n)
        elif name in dims:
            size = names[dims[name][0]] if dims[name] else 1
            block = Block(name, dims[name], slice(start, start + size))
        else:
            continue
        blocks.append(block)
        start = block.where.stop
    return tuple(blocks)


def log_prior(spec: ModelSpec, blocks: Sequence[Block], parameters: FloatArray) -> FloatArray:
    """Log prior density of parameters, (n, n_parameters) to (n,): Jacobians are in it.

    The partial correlation of rows i and j given the first j enters the Jacobian of a correlation
    matrix with the power (n - 2 - j)/2 of one less its square, and the determinant with the first
    (Lewandowski, Kurowicka and Joe, 2009, Journal of Multivariate Analysis 100); its inverse
    hyperbolic tangent has the first power as its own Jacobian.
    """
    total = np.zeros(len(parameters))
    parameters = np.ascontiguousarray(parameters.T)
    for block in blocks:
        prior, values = spec.priors[block.name], parameters[block.where]
        if n := block.n_correlated:
            powers = prior.parameters["eta"] + (n - 2 - np.tril_indices(n, -1)[1]) / 2
            total += powers @ (2 * np.log(2) - 2 * np.logaddexp(values, -values))  # 1 - tanh²
        else:
            total += (prior.log_density(np.exp(values)) + values).sum(axis=0)
    return total


def correlation_factor(values: FloatArray, n: int) -> FloatArray:
    """Cholesky factors of correlation matrices, (draws, n, n), of their block of parameters."""
    return factor_of_partial_correlations(np.tanh(values), n)


def parameters_of(blocks: Sequence[Block], values: Mapping[str, FloatArray]) -> FloatArray:
    """Return the parameters that draws of sds and correlations are of, (n, n_parameters).

    Parameters
    ----------
    blocks : sequence of Block
    values : mapping of str to (n, ...) float
        Of every block, sds or matrices of correlations.
    """
    n = len(values[blocks[0].name])
    found = np.empty((n, blocks[-1].where.stop))
    for block in blocks:
        own = values[block.name]
        if block.n_correlated:
            found[:, block.where] = np.arctanh(partial_correlations(own))
        else:
            found[:, block.where] = np.log(own.reshape(n, -1))
    return found
