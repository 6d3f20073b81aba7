"""Arrange the parameters left after integrating out the effects: log sds and correlations."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from .._core.arrays import FloatArray
from ..model.design import Design
from ..model.priors import factor_of_partial_correlations, partial_correlations
from ..model.spec import ModelSpec
from ..model.tree import variable_dims


@dataclass(frozen=True)
class Block:
    """A named block of parameters, with its dimensions and its place in the vector.

    A block contains log sds, or the inverse hyperbolic tangents of one matrix's partial
    correlations, row by row. ``n_correlated`` is the size of that matrix, or 0 for log sds.
    """

    name: str
    dims: tuple[str, ...]
    where: slice
    n_correlated: int = 0


def parameter_blocks(design: Design, spec: ModelSpec) -> tuple[Block, ...]:
    """Arrange the parameters of a model in the order of its priors."""
    blocks: list[Block] = []
    stop = 0
    for name in spec.needed_priors:
        if name not in {"connection_mean", "nu", *spec.fixed}:
            dims = variable_dims(spec)[name]
            levels = len(design.coords[dims[0]]) if dims else 1
            n = levels if len(dims) == 2 else 0  # size of a correlation matrix
            start, stop = stop, stop + (n * (n - 1) // 2 if n else levels)
            blocks.append(Block(name, dims[:1], slice(start, stop), n))
    return tuple(blocks)


def log_prior(spec: ModelSpec, blocks: Sequence[Block], parameters: FloatArray) -> FloatArray:
    """Return the (n,) log prior densities of (n, n_parameters) parameters, with Jacobians.

    Let ρ be the partial correlation of rows i and j given the first j rows. This ρ contributes the
    factor (1 - ρ²)^((n - 2 - j)/2) to the Jacobian of the correlation matrix, and the factor 1 - ρ²
    to the matrix's determinant (Lewandowski, Kurowicka, and Joe, 2009, Journal of Multivariate
    Analysis 100). The Jacobian of the hyperbolic tangent is also 1 - ρ².
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


def parameters_of(blocks: Sequence[Block], values: Mapping[str, FloatArray]) -> FloatArray:
    """Return the (n, n_parameters) parameters for sds and correlation matrices; see `values_of`."""
    found = []
    for block in blocks:
        own = values[block.name]
        if block.n_correlated:
            found.append(np.arctanh(partial_correlations(own)))
        else:
            found.append(np.log(own.reshape(len(own), -1)))
    return np.hstack(found)


def values_of(blocks: Sequence[Block], parameters: FloatArray) -> dict[str, FloatArray]:
    """Return (n, ...) sds, correlation matrices, and the matrices' factors, keyed by name."""
    values: dict[str, FloatArray] = {}
    for block in blocks:
        own = parameters[:, block.where]
        if block.n_correlated:
            factor = factor_of_partial_correlations(np.tanh(own), block.n_correlated)
            values[block.name] = factor @ factor.transpose(0, 2, 1)
            values[f"{block.name}_factor"] = factor
        else:
            values[block.name] = np.exp(own if block.dims else own[:, 0])
    return values
