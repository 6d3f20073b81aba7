"""From a model's specification and a table to the same model in PyMC."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from .._core.arrays import FloatArray
from .design import Design, IntArray, make_design
from .spec import ModelSpec, load_model

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

    if spec.context_effects != "none":
        design.require_contexts(spec.name)
    rough = _RoughFit(design)
    with pm.Model(coords={**design.coords, "row": np.arange(len(design.y))}) as model:
        word = pm.Data("word_index", design.word, dims="row")
        connection = pm.Data("connection_index", design.connection, dims="row")
        attribute = pm.Data("attribute_index", design.attribute, dims="row")
        location = _word_means(spec, design, rough)[word, connection]
        if spec.attribute_effects != "none":
            kinds = design.attribute_kind if spec.attribute_effects == "kind" else None
            effects = _shared_effects(spec, "attribute", rough.about(design.attribute), kinds)
            location = location + effects[attribute]
        if spec.context_effects != "none":
            context = pm.Data("context_index", design.context, dims="row")
            effects = _shared_effects(spec, "context", rough.about(design.context))
            location = location + effects[context]
        by_connection = spec.sigma == "connection"
        sigma = spec.priors["sigma"].to_pymc("sigma", dims="connection" if by_connection else None)
        sigma = sigma[connection] if by_connection else sigma
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


def _word_means(spec: ModelSpec, design: Design, rough: _RoughFit) -> Any:  # noqa: ANN401
    spread = spec.priors["connection_sd"].to_pymc("connection_sd", dims="connection")
    parent = spec.priors["connection_mean"].to_pymc("connection_mean", dims="connection")
    if spec.group_effects != "none":
        group_sd = spec.priors["group_sd"].to_pymc("group_sd", dims="connection")
        dims, nothing = ("protected_group", "connection"), np.zeros(1)
        groups = _whitened("group_mean", parent, group_sd, dims, (nothing, nothing))
        parent = groups[design.word_group]
    return _whitened("word_mean", parent, spread, ("protected_word", "connection"), rough.cells)


def _shared_effects(
    spec: ModelSpec, dim: str, told: tuple[FloatArray, FloatArray], kinds: IntArray | None = None
) -> Any:  # noqa: ANN401
    """Effects of attributes or contexts, with one sd or an sd for each kind."""
    kind_dim = None if kinds is None else "attribute_kind"
    sd = spec.priors[f"{dim}_sd"].to_pymc(f"{dim}_sd", dims=kind_dim)
    return _whitened(f"{dim}_effect", 0.0, sd if kinds is None else sd[kinds], dim, told)


def _whitened(name: str, mean: Any, sd: Any, dims: Any, told: tuple[FloatArray, FloatArray]) -> Any:  # noqa: ANN401
    """Normal effects, sampled where data of the precision and mean told would put them."""
    import pymc as pm

    transform = _whitening(*told)
    return pm.Normal(name, mean, sd, dims=dims, default_transform=None, transform=transform)


class _RoughFit:
    """Precisions and means that place the sampler's coordinates, and not the posterior."""

    def __init__(self, design: Design) -> None:
        shape = (len(design.words), len(design.connections))
        cell = design.word * shape[1] + design.connection
        n_cells = shape[0] * shape[1]
        count = np.bincount(cell, minlength=n_cells)
        mean = np.bincount(cell, design.y, minlength=n_cells) / np.maximum(count, 1)
        self.residual = design.y - mean[cell]
        variance = self._variance(design, self.residual, np.unique(cell) % shape[1])
        self.cells = count.reshape(shape) / variance, mean.reshape(shape)
        self.row_variance = variance[design.connection]

    def about(self, index: IntArray) -> tuple[FloatArray, FloatArray]:
        """Precision and mean of the effects of attributes or contexts, by the rows of each."""
        weight = np.bincount(index, 1 / self.row_variance)
        return weight, np.bincount(index, self.residual / self.row_variance) / weight

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
