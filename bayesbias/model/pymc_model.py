"""From a model's specification and a table to the same model in PyMC."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from .._core.arrays import FloatArray
from .design import Design, IntArray, make_design
from .spec import ModelSpec, load_model
from .terms import Term, level_shares
from .tree import ROW_INDICES

if TYPE_CHECKING:
    import pymc as pm

PRIOR_COUNT = 5.0
"""Residual degrees of freedom that the common variance counts for in a connection's rough one."""


def build_model(
    table: pd.DataFrame, spec: str | ModelSpec = "paper", priors: dict[str, Any] | None = None
) -> pm.Model:
    """Build a model in PyMC for a table, with named coordinates.

    Its free variables are the ones that every posterior of this package holds, so that
    ``pm.sample_posterior_predictive`` and ``pm.compute_log_likelihood`` work on any of them.

    Parameters
    ----------
    table : DataFrame
        A long-form table.
    spec : str, Path or ModelSpec
        A bundled name, the path of a model, or a model.
    priors : dict, optional
        Overrides, such as ``{"connection_mean": {"sd": 0.1}}``.

    Returns
    -------
    pymc.Model
        Variables ``connection_mean[connection]``, ``connection_sd[connection]``,
        ``word_mean[protected_word, connection]``, ``sigma`` or ``sigma[connection]``, and as the
        model has them ``attribute_sd``, ``attribute_effect[attribute]``, ``group_sd``,
        ``group_mean``, ``context_sd``, ``context_effect[context]`` and ``nu``; observed
        ``cosine_distance[row]``.
    """
    return model_of(make_design(table), load_model(spec).with_priors(priors or {}))


def model_of(design: Design, spec: ModelSpec) -> pm.Model:
    """Build a model in PyMC for a design; see `build_model`."""
    import pymc as pm

    spec = spec.fitting(design)
    rough = _RoughFit(design)
    coords = {**design.coords, **spec.correlation_coords(design), "row": np.arange(len(design.y))}
    with pm.Model(coords=coords) as model:
        index = {
            dim: pm.Data(name, design.codes(dim), dims="row")
            for dim, name in ROW_INDICES.items()
            if dim in design.coords
        }
        means = {
            "connection_mean": spec.priors["connection_mean"].to_pymc(
                "connection_mean", dims="connection"
            )
        }
        effects = {}
        for term in sorted(spec.terms, key=lambda term: term.of == "protected_word"):
            parent = means.get(term.around, 0.0)
            if term.of == "protected_word" and term.around in effects:
                parent = parent[design.word_group]  # the mean of the word's group
            effects[term.name] = _effects(spec, term, design, rough, parent)
            if term.around:
                means[term.name] = effects[term.name]
        location = 0.0 if spec.around_means else means["connection_mean"][index["connection"]]
        for term in spec.summed_terms:
            location = location + _in_rows(term, effects[term.name], design, index)
        if "word_mean" not in effects:
            _word_means(spec, design, means["connection_mean"], effects)
        dims = "connection" if spec.sigma == "connection" else None
        sigma = spec.priors["sigma"].to_pymc("sigma", dims=dims)
        sigma = sigma[index["connection"]] if dims else sigma
        rows = {"mu": location, "sigma": sigma, "observed": design.y, "dims": "row"}
        if spec.likelihood == "student_t":
            pm.StudentT(design.outcome, nu=spec.priors["nu"].to_pymc("nu"), **rows)
        else:
            pm.Normal(design.outcome, **rows)
    return model


def graph(spec: str | ModelSpec = "paper") -> Any:  # noqa: ANN401
    """Draw a model's directed acyclic graph.

    Returns
    -------
    graphviz.Digraph
        Shows itself in Jupyter; needs the extra ``graph`` and the Graphviz programs to render.
    """
    import pymc as pm

    try:
        return pm.model_to_graphviz(build_model(_smallest_table(), spec))
    except ImportError as error:
        raise ImportError(
            "drawing a graph needs graphviz: pip install 'bayesbias[graph]'"
        ) from error


def _smallest_table() -> pd.DataFrame:
    rows = [
        (word, word, attribute, attribute, connection, 0.9 + 0.01 * (len(word) + i))
        for i, (attribute, connection) in enumerate(
            [("a", "associated"), ("b", "different"), ("n", "neutral"), ("h", "human")]
        )
        for word in ("one", "three")
    ]
    columns = ["protected_word", "protected_group", "attribute", "attribute_set", "connection"]
    table = pd.DataFrame(rows, columns=[*columns, "cosine_distance"])
    return table.assign(context=["first", "second"] * 4)


def _effects(
    spec: ModelSpec,
    term: Term,
    design: Design,
    rough: _RoughFit,
    parent: Any,  # noqa: ANN401
) -> Any:  # noqa: ANN401
    """Make a term's effects, in its dimensions."""
    import pymc as pm
    import pytensor.tensor as pt
    from pymc.distributions.transforms import CholeskyCorrTransform

    sd = spec.priors[term.sd].to_pymc(term.sd, dims=term.sd_dims or None)
    if term.correlated:
        prior, n = spec.priors[term.correlation], len(design.coords[term.by])
        transform = CholeskyCorrTransform(n=n, upper=False)
        transform.name = "cholesky"  # PyMC loses variables whose transform's name has two parts
        options = {"transform": transform, "default_transform": None}
        name, dims = term.correlation_factor, term.correlation_dims
        factor = prior.to_pymc(name, n=n, dims=dims, **options)
        products = (factor[:, None] * factor[None]).sum(axis=2)
        pm.Deterministic(term.correlation, products, dims=term.correlation_dims)
        return pm.MvNormal(term.name, parent, chol=sd[:, None] * factor, dims=term.dims)
    if term.sd_by not in {"", term.by}:
        sd = sd[design.attribute_kind]
        sd = sd[:, None] if term.by else sd
    if term.zero_sum:
        sd = pt.atleast_1d(sd) if term.sd_by else sd
        return pm.ZeroSumNormal(term.name, sigma=sd, dims=term.dims)
    place = rough.moments.get(term.dims, (np.zeros(1), np.zeros(1)))
    return pm.Normal(
        term.name, parent, sd, dims=term.dims, default_transform=None, transform=_whitening(*place)
    )


def _in_rows(term: Term, effects: Any, design: Design, index: dict[str, Any]) -> Any:  # noqa: ANN401
    """Return the effect in every row; zero where a row has no level, as controls have no set."""
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


class _RoughFit:
    """Precision and mean of effects that place the sampler's coordinates, by dimensions.

    They do not touch the posterior.
    """

    def __init__(self, design: Design) -> None:
        shape = (len(design.words), len(design.connections))
        cell = design.word * shape[1] + design.connection
        n_cells = shape[0] * shape[1]
        count = np.bincount(cell, minlength=n_cells)
        mean = np.bincount(cell, design.y, minlength=n_cells) / np.maximum(count, 1)
        residual = design.y - mean[cell]
        variance = self._variance(design, residual, np.unique(cell) % shape[1])
        self.moments: dict[tuple[str, ...], tuple[FloatArray, FloatArray]] = {
            ("protected_word", "connection"): (count.reshape(shape) / variance, mean.reshape(shape))
        }
        for factor in ("attribute", *(("context",) if design.contexts else ())):
            weight = np.bincount(design.codes(factor), 1 / variance[design.connection])
            pulled = np.bincount(design.codes(factor), residual / variance[design.connection])
            self.moments[(factor,)] = weight, pulled / weight

    @staticmethod
    def _variance(design: Design, residual: FloatArray, cells: IntArray) -> FloatArray:
        """Residual variance of every connection, drawn to their common one by a prior count.

        Cells of one row each have no residuals: alone they would pass for free of noise.
        """
        n = len(design.connections)
        free = np.bincount(design.connection, minlength=n) - np.bincount(cells, minlength=n)
        squares = np.bincount(design.connection, residual**2, minlength=n)
        common = squares.sum() / free.sum() if squares.sum() > 0 else max(design.y.var(), 1e-6)
        return np.asarray((squares + PRIOR_COUNT * common) / (free + PRIOR_COUNT))


def _whitening(precision: FloatArray, mean: FloatArray) -> Any:  # noqa: ANN401
    """Transform a normal effect to where the data and its prior would put it, in units of sd.

    With data of the given precision and mean, an effect with prior Normal(m, s) has a conditional
    sd s / sqrt(1 + p s²). Sampled on that scale, effects hardly depend on their sd whether the
    data say much (where centred coordinates sample well) or little (where non-centred ones do).
    """
    import pytensor.tensor as pt
    from pymc.logprob.transforms import Transform

    class Whitening(Transform):  # type: ignore[misc,unused-ignore]
        name = "whitened"
        ndim_supp = 0

        def _normal(self, inputs: tuple[Any, ...]) -> tuple[Any, Any]:
            prior_mean, prior_sd = inputs[-2:]
            ratio = 1 + precision * prior_sd**2
            return (prior_mean + (ratio - 1) * mean) / ratio, prior_sd / pt.sqrt(ratio)

        def forward(self, value: Any, *inputs: Any) -> Any:  # noqa: ANN401
            centre, scale = self._normal(inputs)
            return (value - centre) / scale

        def backward(self, value: Any, *inputs: Any) -> Any:  # noqa: ANN401
            centre, scale = self._normal(inputs)
            return centre + scale * value

        def log_jac_det(self, value: Any, *inputs: Any) -> Any:  # noqa: ANN401
            return pt.log(self._normal(inputs)[1]) + pt.zeros_like(value)

    return Whitening()
