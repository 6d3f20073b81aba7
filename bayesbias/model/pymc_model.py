"""From a model's specification and a table to the same model in PyMC."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from .defaults import RECOMMENDED
from .design import Design, make_design
from .placing import RoughFit, placed
from .spec import ModelSpec, load_model
from .terms import Term, level_shares
from .tree import ROW_INDICES

if TYPE_CHECKING:
    import pymc as pm

EffectsAround = Callable[[str, Any], Any]
"""From a term's name, and the means that its effects vary around, to the effects."""


def build_model(
    table: pd.DataFrame | Design,
    spec: str | ModelSpec = RECOMMENDED["distance"],
    priors: dict[str, Any] | None = None,
) -> pm.Model:
    """Build a model in PyMC for a table, with named coordinates.

    Its free variables are the ones that every posterior of this package holds, so that
    ``pm.sample_posterior_predictive`` and ``pm.compute_log_likelihood`` work on any of them.

    Parameters
    ----------
    table : DataFrame or Design
        A long-form table, or the design of rows of another origin.
    spec : str, Path or ModelSpec
        A bundled name, the path of a model, or a model.
    priors : dict, optional
        Overrides, such as ``{"connection_mean": {"sd": 0.1}}``.

    Returns
    -------
    pymc.Model
        Variables ``connection_mean[connection]``, ``sigma`` or ``sigma[connection]``,
        ``word_mean[protected_word, connection]``, the effects, sds and correlations of the model's
        terms by their names, and ``nu`` if it has a Student-t likelihood; observed
        ``cosine_distance[row]``.

    Raises
    ------
    ValueError
        If the table or the model is not valid.

    Examples
    --------
    >>> with bb.build_model(table, "robust"):  # doctest: +SKIP
    ...     posterior = pm.sample()
    """
    spec = load_model(spec).with_priors(priors or {})
    design = table if isinstance(table, Design) else make_design(table)
    return model_of(design, spec)


def model_of(design: Design, spec: ModelSpec) -> pm.Model:
    """Build a model in PyMC for a design; see `build_model`."""
    import pymc as pm

    spec = spec.fitting(design)
    coords = {**design.coords, **spec.correlation_coords(design), "row": np.arange(len(design.y))}
    with pm.Model(coords=coords) as model:
        index = {
            dim: pm.Data(name, design.codes(dim), dims="row")
            for dim, name in ROW_INDICES.items()
            if dim in design.coords
        }
        noise = _noise(spec)
        around = _free_effects(design, spec)
        means = {"connection_mean": around("connection_mean", spec.centre)}
        effects = {}
        for term in sorted(spec.terms, key=lambda term: term.of == "protected_word"):
            parent = means.get(term.around, 0.0)
            if term.of == "protected_word" and term.around in effects:
                parent = parent[design.word_group]  # the mean of the word's group
            effects[term.name] = around(term.name, parent)
            if term.around:
                means[term.name] = effects[term.name]
        if "word_mean" not in effects:
            _word_means(spec, design, means["connection_mean"], effects)
        location = 0.0 if spec.around_means else means["connection_mean"][index["connection"]]
        for term in spec.summed_terms:
            location = location + _in_rows(term, effects[term.name], design, index)
        sigma = noise["sigma"]
        sigma = sigma[index[spec.sigma]] if spec.sigma_dims else sigma
        rows = {"mu": location, "sigma": sigma, "observed": design.y, "dims": "row"}
        if spec.likelihood == "student_t":
            pm.StudentT(design.outcome, nu=noise["nu"], **rows)
        else:
            pm.Normal(design.outcome, **rows)
    return model


def model_graph(spec: str | ModelSpec = RECOMMENDED["distance"]) -> Any:  # noqa: ANN401
    """Draw a model's directed acyclic graph.

    Returns
    -------
    graphviz.Digraph
        Shows itself in Jupyter; needs the extra ``graph`` and the Graphviz programs to render.

    Examples
    --------
    >>> import bayesbias as bb
    >>> picture = bb.model_graph("crossed")
    >>> "word_mean" in picture.source
    True
    """
    import pymc as pm

    try:
        return pm.model_to_graphviz(model_of(_smallest_design(), load_model(spec)))
    except ImportError as error:
        raise ImportError(
            "drawing a graph needs graphviz: pip install 'bayesbias[graph]'"
        ) from error


def _smallest_design() -> Design:
    """Make a design in which every term has something to say, slopes too."""
    design = make_design(_smallest_table())
    return replace(design, covariates=("covariate",), x=np.arange(len(design.y))[:, None] / 10)


def _smallest_table() -> pd.DataFrame:
    """Make a table in which every term of every model has something to say: three groups."""
    words, controls = ("one", "two", "three"), {"n": "neutral", "h": "human"}
    rows = [
        (word, word, attribute, attribute, controls.get(attribute, own), 0.9 + 0.01 * (1 + i) * j)
        for i, word in enumerate(words)
        for j, attribute in enumerate([*words, *controls])
        for own in ["associated" if attribute == word else "different"]
    ]
    columns = ["protected_word", "protected_group", "attribute", "attribute_set", "connection"]
    table = pd.DataFrame(rows, columns=[*columns, "cosine_distance"])
    return table.assign(context=["first", "second", "third"] * 5)


def _noise(spec: ModelSpec) -> dict[str, Any]:
    """Make the parameters of the residuals."""
    noise = {"sigma": spec.priors["sigma"].to_pymc("sigma", dims=spec.sigma_dims or None)}
    if spec.likelihood == "student_t":
        noise["nu"] = spec.priors["nu"].to_pymc("nu")
    return noise


def _sds(spec: ModelSpec) -> dict[str, Any]:
    """Make the sds of all terms."""
    dims = {term.sd: term.sd_dims or None for term in spec.terms}
    return {name: spec.priors[name].to_pymc(name, dims=dims[name]) for name in dims}


def _correlation_factors(spec: ModelSpec, design: Design) -> dict[str, Any]:
    """Make the correlations of the terms that have some: their lower Cholesky factors, by name."""
    import pymc as pm
    import pytensor.tensor as pt
    from pymc.distributions.transforms import CholeskyCorrTransform

    factors = {}
    for term in spec.terms:
        if term.correlated:
            prior, n = spec.priors[term.correlation], len(design.coords[term.by])
            transform = CholeskyCorrTransform(n=n, upper=False)
            transform.name = "cholesky"  # PyMC loses variables whose transform's name has two parts
            options = {"transform": transform, "default_transform": None}
            dims = term.correlation_dims
            if n == 1:  # which PyMC's distribution does not know
                factor = pm.Deterministic(term.correlation_factor, pt.eye(1), dims=dims)
            else:
                factor = prior.to_pymc(term.correlation_factor, n=n, dims=dims, **options)
            products = (factor[:, None] * factor[None]).sum(axis=2)
            pm.Deterministic(term.correlation, products, dims=dims)
            factors[term.correlation] = factor
    return factors


def _free_effects(design: Design, spec: ModelSpec) -> EffectsAround:
    """Make effects that are random variables themselves."""
    import pymc as pm
    import pytensor.tensor as pt

    sds, factors, rough = _sds(spec), _correlation_factors(spec, design), RoughFit(design)
    terms = {term.name: term for term in spec.terms}

    def around(name: str, parent: Any) -> Any:  # noqa: ANN401
        if name == "connection_mean":
            return spec.priors[name].to_pymc(name, dims=name.removesuffix("_mean"))
        term = terms[name]
        sd = sds[term.sd]
        if term.interaction:  # free in all directions; those that count are the basis's
            basis = term.joint_basis(design)
            free = pm.Normal(name, 0.0, sd, dims=term.dims)
            return pt.reshape(pt.dot(basis @ basis.T, free.ravel()), free.shape)
        if term.contrast:
            basis = term.basis(design)
            return pt.dot(pm.Normal(name, 0.0, sd, dims=term.dims), basis @ basis.T)
        if term.sd_by not in {"", term.by}:
            sd = sd[design.attribute_kind]
            sd = sd[:, None] if term.by else sd
        if term.correlated:
            chol = pt.atleast_1d(sd)[..., None] * factors[term.correlation]
            return pm.MvNormal(name, parent, chol=chol, dims=term.dims)
        if term.zero_sum:
            sd = pt.atleast_1d(sd) if term.sd_by else sd
            return pm.ZeroSumNormal(name, sigma=sd, dims=term.dims)
        transform = placed(*rough.of_term(design, term))
        return pm.Normal(
            name, parent, sd, dims=term.dims, default_transform=None, transform=transform
        )

    return around


def _in_rows(term: Term, effects: Any, design: Design, index: dict[str, Any]) -> Any:  # noqa: ANN401
    """Return the effect in every row; zero where a row has no level, as controls have no set."""
    if term.is_slope:
        slopes = effects[:, index[term.by]].T if term.by else effects
        return (slopes * design.x).sum(axis=1)
    found = effects[tuple(index[dim] for dim in term.dims)]
    codes = design.codes(term.dims[-1])
    return found if (codes >= 0).all() else found * (codes >= 0)


def _word_means(spec: ModelSpec, design: Design, overall: Any, effects: dict[str, Any]) -> None:  # noqa: ANN401
    """Add the mean of every word under every connection, where it is a sum of terms."""
    import pymc as pm
    import pytensor.tensor as pt

    total = pt.zeros((len(design.words), len(design.connections))) + overall
    for term in (*spec.terms_of("protected_word"), *spec.terms_of("protected_group")):
        own = (
            effects[term.name][design.word_group]
            if term.of != "protected_word"
            else effects[term.name]
        )
        if term.by:
            own = (level_shares(design, term.by) * own[:, None]).sum(axis=2)
        else:
            own = own[:, None]
        total = total + own
    pm.Deterministic("word_mean", total, dims=("protected_word", "connection"))
