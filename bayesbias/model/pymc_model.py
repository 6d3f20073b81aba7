"""Build a PyMC model from a model specification and a table."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

import numpy as np

from .._core.arrays import FloatArray, Numbers
from .design import COVARIATE, Design
from .effects import mean_around, word_means, words_last
from .likelihood import row_sums
from .placing import RoughFit, Scores, placed, standardized
from .spec import ModelSpec
from .terms import Term
from .tree import ROW_INDICES, variable_dims

if TYPE_CHECKING:
    import pymc as pm


def full_model(design: Design, spec: ModelSpec) -> pm.Model:
    """Build a model with all means and effects as variables; see `build_model`."""
    import pymc as pm
    import pytensor.tensor as pt

    coords = {**design.coords, **spec.correlation_coords(design), "row": np.arange(len(design.y))}
    with pm.Model(coords=coords) as model:
        index = {
            dim: pm.Data(name, design.codes(dim), dims="row")
            for dim, name in ROW_INDICES.items()
            if dim in design.coords
        }
        means = spec.priors["connection_mean"]
        values = parameter_variables(design, spec)
        values["connection_mean"] = means.to_pymc("connection_mean", dims="connection")
        rough = RoughFit(design)
        for term in words_last(spec.terms):
            values[term.name] = _effects(design, term, values, rough)
        if "word_mean" not in values:
            of_words = word_means(design, spec, values)
            pm.Deterministic("word_mean", of_words, dims=("protected_word", "connection"))
        location = pt.as_tensor(row_sums(spec, index.__getitem__, values.__getitem__, design.x))
        model.add_named_variable(location.copy("mu"), dims=("row",))
        location = model["mu"]
        sigma = values["sigma"][index[spec.sigma]] if spec.sigma_dims else values["sigma"]
        if design.rounding:
            sigma = pm.math.sqrt(sigma**2 + design.rounding**2)
        rows = {"mu": location, "sigma": sigma, "observed": design.y, "dims": "row"}
        if spec.likelihood == "student_t":
            pm.StudentT(design.outcome, nu=values["nu"], **rows)
        else:
            pm.Normal(design.outcome, **rows)
    return model


def parameter_variables(
    design: Design,
    spec: ModelSpec,
    known: Mapping[str, Scores] | None = None,
) -> dict[str, Numbers]:
    """Create residual sds, nu, sds of effects, and correlation factors.

    Rough posteriors of log sds, if ``known``, set the sampler's coordinates and its start.
    """
    import pymc as pm
    import pytensor.tensor as pt
    from pymc.distributions.transforms import CholeskyCorrTransform

    names = ["sigma", *["nu"] * (spec.likelihood == "student_t"), *(t.sd for t in spec.terms)]
    values: dict[str, Numbers] = dict(spec.fixed)
    for name in names:
        if name not in values:
            options: dict[str, object] = {"dims": variable_dims(spec)[name] or None}
            if known:
                start, transform = np.exp(known[name].median), standardized(known[name])
                options |= {"initval": start, "transform": transform, "default_transform": None}
            values[name] = spec.priors[name].to_pymc(name, **options)
    for term in spec.terms:
        if term.correlated:
            name, n = term.correlation_factor, len(design.coords[term.by])
            transform = CholeskyCorrTransform(n=n, upper=False)
            transform.name = "cholesky"  # PyMC loses variables whose transform's name has two parts
            options = {"transform": transform, "default_transform": None}
            if n == 1:  # PyMC's distribution requires n > 1
                factor = pm.Deterministic(name, pt.eye(1), dims=term.correlation_dims)
            else:
                prior = spec.priors[term.correlation]
                factor = prior.to_pymc(name, n=n, dims=term.correlation_dims, **options)
            products = (factor[:, None] * factor[None]).sum(axis=2)
            pm.Deterministic(term.correlation, products, dims=term.correlation_dims)
            values[name] = factor
    return values


def _effects(design: Design, term: Term, values: Mapping[str, Numbers], rough: RoughFit) -> Numbers:
    """Create the effects of a term; sample constrained effects freely, and then project them."""
    import pymc as pm
    import pytensor.tensor as pt

    sd, mean = values[term.sd], mean_around(term, values)
    if term.of == COVARIATE:
        unit = design.covariate_unit
        sd = sd / (unit[:, None] if term.by else unit)
    if term.sd_by not in {"", term.by}:
        sd = sd[design.attribute_kind]
        sd = sd[:, None] if term.by else sd
    units = term.unit_covariance(design)
    if units is not None:
        return _alike(design, term, np.linalg.cholesky(units), sd)
    if term.correlated:
        chol = pt.atleast_1d(sd)[..., None] * values[term.correlation_factor]
        return pm.MvNormal(term.name, mean, chol=chol, dims=term.dims)
    if term.constraint:
        return term.projected(pm.Normal(term.name, 0.0, sd, dims=term.dims), design)
    transform = placed(*rough.of_term(design, term))
    return pm.Normal(
        term.name, mean, sd, dims=term.dims, default_transform=None, transform=transform
    )


def _alike(design: Design, term: Term, chol: FloatArray, sd: Numbers) -> Numbers:
    """Create effects that are correlated over units, (n_units, n_by); see `likeness`."""
    import pymc as pm
    import pytensor.tensor as pt

    by_unit, mean = term.sd_by not in {"", term.by}, np.zeros(term.shape(design))
    if not term.by:
        chol = (sd[:, None] if by_unit else sd) * chol
        return pm.MvNormal(term.name, mean, chol=chol, dims=term.dims)
    n = len(design.coords[term.by])
    rows = sd * chol if by_unit else chol
    columns = pt.eye(n) if by_unit else pt.diag(pt.ones(n) * sd)
    free = pm.MatrixNormal(term.name, mean, rowchol=rows, colchol=columns, dims=term.dims)
    return term.projected(free, design)
