r"""The joint posterior of the change and of the distances before it.

The change `d = a - b` of every pair is fitted on its own, by a model of changes. The
distances before are added as `p(b, d) = p(d) p(b | d)`: with the slope `κ[c]` of
before on change among single pairs of connection c, the model's effects taken out,

    v = b - κ[c] d

does not correlate with d, and is fitted by the model for distances of the same terms.
Draws of both, which are independent, give draws of every mean before,
`θ_b[w, c] = θ_v[w, c] + κ[c] δ[w, c]`, and after,
`θ_b[w, c] + δ[w, c]`. Means of words are averages of effects over the rows of one
connection, so the sum holds for every model. That draws of both are independent takes more:
effects before and of the change are jointly Normal with the slope of single pairs. Effects that
reach across connections, such as those of an attribute, need one slope for these (`slopes`).
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Unpack

import numpy as np
import pandas as pd

from .._core.arrays import FloatArray, IntArray
from .._core.checks import check_choice
from .._core.random import as_seed_sequence
from .._core.resources import warn
from ..model.defaults import RECOMMENDED
from ..model.design import Design
from ..model.priors import Prior
from ..model.spec import ModelSpec, load_model, models
from ..model.tree import design_of, spec_of, warnings_of
from ..posterior.estimands import has_cells
from ..sampling.fit import constant_parts, fit_design, require_variation
from ..sampling.options import FitKeywords, FitOptions, fit_options, shows_fit_keywords
from ..tables.schema import CONTROLS, ROUNDING, table_hash
from .pairing import ENDS, OUTCOME, Pairs, pair

if TYPE_CHECKING:
    from xarray import DataArray, DataTree

LEVEL_PRIOR = Prior("normal", {"mean": 1.0, "sd": 0.3}, "as for distances that are not compared")
"""Of the mean distances before: that of the models for distances."""

PRIOR_PAIRS = 5.0
"""Pairs that the slope common to all connections counts for in that of each."""


@shows_fit_keywords
def fit_change(
    before: pd.DataFrame,
    after: pd.DataFrame,
    model: str | Path | ModelSpec = RECOMMENDED[OUTCOME],
    *,
    drop_duplicates: bool = False,
    priors: Mapping[str, Any] | None = None,
    options: FitOptions | None = None,
    **keywords: Unpack[FitKeywords],
) -> DataTree:
    """Fit the change of every distance between two tables, pair by pair.

    Rows are paired on protected word, attribute and connection; repeated rows in their order. What
    a pair has in common before and after cancels.

    Parameters
    ----------
    before, after : DataFrame
        Long-form tables of one embedding each, such as before and after debiasing.
    model : str, Path or ModelSpec
        A model for changes; ``models("change")`` names them.
    drop_duplicates : bool
        Leave out words that share the vector of an earlier one in either table
        (`duplicate_vectors`).
    priors, options, **keywords
        As for `fit`. `priors` are those of the change; distances before have those of the model
        for distances with the same terms.

    Returns
    -------
    xarray.DataTree
        A posterior of the change = after - before, in [-2, 2]: positive means farther apart after.
        It is for `bb.summary`, `bb.contrasts` and `bb.predictive_check`. The group ``before`` holds
        draws of the means before, joint with those of the change: see `posterior_at`, `changes` and
        `order_changes`. The attributes ``n_pairs``, ``n_repeated``, ``n_unpaired_before`` and
        ``n_unpaired_after`` count rows; `bb.comparison.pair(before, after).unpaired` lists those
        without a partner.

    Raises
    ------
    ValueError
        If no row has a partner, a protected word changes its group, nothing changes, or all changes
        of a connection are equal.

    Warns
    -----
    UserWarning
        If rows without a partner are left out, or words of a table are exact copies.

    Notes
    -----
    The means before are drawn given the change (module `bayesbias.comparison.joint`). This assumes
    that before and change are jointly Normal in every term of the model, with the slope of single
    pairs, which is treated as known. The change itself does not depend on this. Means before need
    not equal those of a fit to `before` alone.

    Examples
    --------
    >>> after = table.assign(cosine_distance=table["cosine_distance"].round(1))
    >>> bb.fit_change(table, after, "change", seed=1).attrs["model"]
    'change'
    """
    spec = load_model(model, OUTCOME).with_priors(dict(priors or {}))
    pairs = pair(before, after)
    if n := pairs.unpaired["table"].value_counts().to_dict():
        counts = " and ".join(f"{n[name]:,} of {name}" for name in ENDS if name in n)
        warn(
            f"{counts} have no partner in the other table and are left out: rows that "
            "bb.comparison.pair(before, after).unpaired lists"
        )
    pairs = pairs.each_vector_once(drop=drop_duplicates)
    design = pairs.design()
    if np.abs(design.y).max() <= ROUNDING:
        raise ValueError(
            f"the tables are the same: all {len(design.y):,} paired distances are equal"
        )
    require_variation(design, spec)
    return _fit_both(design, pairs, spec, fit_options(options, keywords))


def posterior_at(tree: DataTree, when: str) -> DataTree:
    """Return the posterior of the mean distances before or after a change.

    Parameters
    ----------
    tree : DataTree
        As `fit_change` gives it.
    when : {"before", "after"}

    Returns
    -------
    DataTree
        With ``connection_mean`` and ``word_mean``, draw by draw with the draws of the change. It is
        for `bb.summary`, `bb.contrasts` and the forest plots.
    """
    from xarray import DataTree as Tree

    if "before" not in tree.children:
        raise ValueError("this is not a posterior of a change; pass one that bb.fit_change gave")
    check_choice("time", when, ENDS)
    level = tree["before"].to_dataset()
    if when == "after":
        change = tree["posterior"].to_dataset()
        level = level + change[list(level.data_vars)]
    kept = {group: tree[group].to_dataset() for group in ("constant_data", "observed_data")}
    given = Tree.from_dict({"posterior": level, **kept})
    given.attrs = {name: tree.attrs[name] for name in ("spec", "warnings", "seed", "versions")}
    return given


def _fit_both(design: Design, pairs: Pairs, spec: ModelSpec, options: FitOptions) -> DataTree:
    """Fit the change, and the distances before given it."""
    from xarray import Dataset

    before = pairs.rows["before"].to_numpy(np.float64)
    slope, rest, level_spec = before_given_change(design, before, spec)
    for name, _ in constant_parts(rest, level_spec):
        raise ValueError(
            f"after is a multiple of before, plus a constant, in all {name} rows, so there is "
            "no model to fit; leave these rows out of both tables"
        )
    first, second = as_seed_sequence(options.seed).spawn(2)
    change = fit_design(
        design, spec, table_hash=table_hash(pairs.rows), options=options.of_fit(seed=first)
    )
    level = fit_design(rest, level_spec, options=options.of_fit(seed=second))
    by = slopes_by_name(design_of(change), spec_of(change), slope)
    given, moved = (tree["posterior"].to_dataset()[list(by)] for tree in (level, change))
    # Draws of the two fits are independent; they are put side by side, draw by draw.
    change["before"] = given + Dataset(by) * moved.assign_coords(given.coords)
    constant = change["constant_data"].to_dataset()
    change["constant_data"] = constant.assign(before=("row", before), slope=("connection", slope))
    doubts = [f"of the distances before: {doubt}" for doubt in warnings_of(level)]
    change.attrs |= {
        "outcome": OUTCOME,
        "n_pairs": len(pairs.rows),
        "n_repeated": pairs.n_repeated,
        **{f"n_unpaired_{name}": int((pairs.unpaired["table"] == name).sum()) for name in ENDS},
        "warnings": json.dumps([*warnings_of(change), *doubts]),
    }
    return change


def before_given_change(
    design: Design, before: FloatArray, spec: ModelSpec
) -> tuple[FloatArray, Design, ModelSpec]:
    """Take out of the distances before what goes with their change.

    Returns the slope of before on change, (n_connections,), the design of the distances that are
    left, and the model for them.
    """
    slope = slopes(design, before, spec)
    rest = before - slope[design.connection] * design.y
    return slope, replace(design, y=rest, outcome="before_given_change"), level_model(spec)


def level_model(spec: ModelSpec) -> ModelSpec:
    """Return the model for distances of the same form; that of changes, around 1, if none is."""
    for name in models("distance"):
        twin = load_model(name)
        if all(
            getattr(twin, key) == getattr(spec, key) for key in ("terms", "likelihood", "sigma")
        ):
            return twin
    return replace(spec, priors={**spec.priors, "connection_mean": LEVEL_PRIOR})


def slopes_by_name(design: Design, spec: ModelSpec, slope: FloatArray) -> dict[str, DataArray]:
    """Slope of before on change, of means and of the effects of words and groups they sum up."""
    from xarray import DataArray

    by = {name: DataArray(slope, dims="connection") for name in ("connection_mean", "word_mean")}
    if not has_cells(spec):
        return by
    known = dict(zip(design.connections, slope, strict=True))
    for term in spec.terms:
        if term.by == "attribute_column":
            by[term.name] = DataArray(slope[design.column_connection], dims=term.dims)
        elif term.of == "protected_word" and term.by == "attribute_kind":
            of_kinds = [known.get(kind, slope[0]) for kind in design.kinds]
            by[term.name] = DataArray(of_kinds, dims=term.by)
        elif term.of == "protected_word":
            by[term.name] = DataArray(slope[0])
    return by


def slopes(design: Design, before: FloatArray, spec: ModelSpec) -> FloatArray:
    """Slope of before on change among single pairs of a design of changes, by connection.

    It is about the means of all units with effects, and is drawn toward the slope common to all.
    Connections whose rows share effects, as those of an attribute, have one slope.
    """
    spec = spec.fitting(design)
    keys = [
        np.unique([design.codes(d) for d in term.dims], axis=1, return_inverse=True)[1].ravel()
        for term in spec.terms
    ]
    keys += [] if spec.around_means else [design.connection]
    change, level = _within(design.y, keys), _within(before, keys)
    part = _sharing(design, spec)
    squares = np.bincount(part[design.connection], change**2)[part]
    products = np.bincount(part[design.connection], change * level)[part]
    total, common = change @ change, change @ level
    if total == 0:
        return np.zeros(len(part))
    weight = PRIOR_PAIRS * total / len(design.y)
    return np.asarray((products + weight * common / total) / (squares + weight))


def _sharing(design: Design, spec: ModelSpec) -> IntArray:
    """Connections numbered such that those whose rows share effects have one number."""
    if all(term.by == "connection" for term in spec.terms):
        return np.arange(len(design.connections))
    names = [name if name in CONTROLS else "stereotype" for name in design.connections]
    return np.unique(names, return_inverse=True)[1]


def _within(values: FloatArray, keys: Sequence[IntArray], sweeps: int = 20) -> FloatArray:
    """Take the means of every factor out, in turn where there are several."""
    rest = values.copy()
    for _ in range(sweeps if len(keys) > 1 else 1):
        for key in keys:
            count = np.maximum(np.bincount(key), 1)
            rest = rest - (np.bincount(key, rest) / count)[key]
    return rest
