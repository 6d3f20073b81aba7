"""Build a PyMC model of a table, with all effects as variables or with all integrated out."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd
from numpy.random import Generator

from .._core.arrays import FloatArray
from ..model.covariates import made_design
from ..model.defaults import RECOMMENDED
from ..model.design import Design
from ..model.layout import assemble
from ..model.placing import Scores
from ..model.pymc_model import full_model, parameter_variables
from ..model.spec import ModelSpec, Priors, load_model
from .collapsed import log_density
from .effects import draw_effects
from .exact import bounds_of, mode_of, trials
from .importance import curvature
from .parameters import Block, parameters_of
from .reduction import Collapsed, collapse

if TYPE_CHECKING:
    import pymc as pm
    from pytensor.tensor import TensorVariable
    from xarray import DataTree

NEAR = np.linspace(-5.0, 5.0, 41)
"""Values to try around a mode, in units of the curvature there."""


def build_model(
    table: pd.DataFrame | Design,
    spec: str | ModelSpec = RECOMMENDED["distance"],
    priors: Priors | None = None,
    *,
    covariates: str | Sequence[str] = (),
    collapsed: bool = False,
) -> pm.Model:
    """Build a PyMC model for a table, with named coordinates.

    The free variables are the same as in this package's posteriors, so you can pass a posterior to
    ``pm.sample_posterior_predictive`` and ``pm.compute_log_likelihood``.

    Parameters
    ----------
    table : DataFrame or Design
        A long-form table, or a design with any outcome.
    spec : str, Path, or ModelSpec
        A bundled model's name, the path of a model, or a ModelSpec.
    priors : dict, optional
        Priors to replace, such as ``{"connection_mean": {"sd": 0.1}}``.
    covariates : str or sequence of str
        Covariates with slopes, as in `fit`.
    collapsed : bool
        Whether to integrate out all means, effects, and slopes of a Normal model. Only sds and
        correlations are left, which NUTS samples without trouble, even if some sds are near zero.
        Add your own parts to the model, sample it, and pass the draws to `from_pymc`, which draws
        the effects.

    Returns
    -------
    pymc.Model
        A model with ``connection_mean[connection]``, ``sigma`` (common, or by connection or word),
        ``word_mean[protected_word, connection]``, and ``nu`` for a Student-t likelihood. Effects,
        sds, and correlations have the names that the terms give them. The observed variable is the
        outcome by row, such as ``cosine_distance[row]``; ``model["mu"]`` is its mean. A collapsed
        model has only the sds and correlations; its likelihood is the potential ``likelihood``.

    Examples
    --------
    >>> model = bb.build_model(table, "robust")
    >>> [variable.name for variable in model.observed_RVs]
    ['cosine_distance']
    >>> model = bb.build_model(table, "crossed", collapsed=True)
    >>> [variable.name for variable in model.free_RVs]
    ['sigma', 'connection_sd', 'attribute_sd']
    """
    design, spec = made_design(table, load_model(spec), covariates)
    spec = spec.fitting(design, priors)
    return collapsed_model(collapse(design, spec)) if collapsed else full_model(design, spec)


def collapsed_model(posterior: Collapsed) -> pm.Model:
    """Build a model of the sds and correlations alone; see `build_model`."""
    import pymc as pm
    import pytensor.tensor as pt

    from .gradient import CollapsedLikelihood

    design, spec, mode = posterior.design, posterior.spec, mode_of(posterior)
    known = {
        block.name: _scores(posterior, mode, block)
        for block in posterior.blocks
        if not block.n_correlated
    }
    with pm.Model(coords={**design.coords, **spec.correlation_coords(design)}) as model:
        values = parameter_variables(design, spec, known)
        parts = [
            _partial(values[f"{block.name}_factor"], block.n_correlated)
            if block.n_correlated
            else pt.log(values[block.name]).reshape((-1,))
            for block in posterior.blocks
        ]
        pm.Potential("likelihood", CollapsedLikelihood(posterior)(pt.concatenate(parts))[0])
    return model


def _scores(posterior: Collapsed, mode: FloatArray, block: Block) -> Scores:
    """Return maps from normal scores to log sds, given the density along each sd at the mode."""
    density, ends = partial(log_density, posterior), bounds_of(posterior)
    widths = 1 / np.sqrt(np.maximum(curvature(density, mode), 1.0))
    maps = []
    for place in range(block.where.start, block.where.stop):
        near = np.clip(mode[place] + widths[place] * NEAR, *ends)
        logs = np.unique(np.concatenate([trials(ends), near]))
        points = np.tile(mode, (len(logs), 1))
        points[:, place] = logs
        maps.append(Scores.of(logs, density(points)))
    return Scores(*map(np.array, zip(*maps, strict=True))) if block.dims else maps[0]


def _partial(factor: TensorVariable, n: int) -> TensorVariable:
    """Return the inverse hyperbolic tangents of partial correlations, as in `parameters_of`."""
    import pytensor.tensor as pt

    before = pt.cumsum(factor**2, axis=1) - factor**2
    rows, columns = np.tril_indices(n, -1)
    return pt.arctanh(factor[rows, columns] / pt.sqrt(1 - before[rows, columns]))


def with_effects(tree: DataTree, posterior: Collapsed, rng: Generator) -> DataTree:
    """Draw the effects given draws of a collapsed model; keep its ``sample_stats``."""
    drawn = tree["posterior"].to_dataset().transpose("chain", "draw", ...)
    sds = {name: drawn[name].values for name in (block.name for block in posterior.blocks)}
    flat = {name: values.reshape(-1, *values.shape[2:]) for name, values in sds.items()}
    values = draw_effects(posterior, parameters_of(posterior.blocks, flat), rng)
    chains = drawn.sizes["chain"]
    made = assemble(posterior.design, posterior.spec, values, chains=chains)
    made["sample_stats"] = tree["sample_stats"].to_dataset()
    return made
