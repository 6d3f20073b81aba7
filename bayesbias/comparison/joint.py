r"""The joint posterior of a change and of the distances before it.

The changes `d = a - b` of all pairs of words are fitted first, with a model of changes. The
distances before the change are added as `p(b, d) = p(d) p(b | d)`. Let `κ[c]` be the slope of b on
d among single pairs of connection c, after the effects of the model are removed. Then

    v = b - κ[c] d

is uncorrelated with d and is fitted with a model of distances with the same terms. Draws of v and d
are independent. They give draws of every earlier mean, `θ_b[w, c] = θ_v[w, c] + κ[c] δ[w, c]`, and
of every later mean, `θ_b[w, c] + δ[w, c]`. Word means are averages of effects over the rows of one
connection, so these sums are valid for every model. Independence assumes that effects before the
change and effects of the change are jointly Normal, with the same slope as single pairs.
Connections that share effects, such as effects of attributes, need a common slope (`slopes`).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Unpack

import numpy as np
import pandas as pd

from .._core.arrays import FloatArray, IntArray
from .._core.checks import check_choice
from .._core.random import as_seed_sequence
from ..model.covariates import with_slopes, with_term
from ..model.defaults import RECOMMENDED
from ..model.design import COVARIATE, Design
from ..model.frequency import at_equal_frequency
from ..model.priors import Prior
from ..model.spec import ModelSpec, Priors, load_model, models
from ..model.tree import DataTree, design_of, keep_warnings, spec_of, warnings_of
from ..posterior.estimands import has_cells
from ..sampling.fit import fit_design, warn_of_unknowns
from ..sampling.options import FitKeywords, FitOptions, fit_options, shows_fit_keywords
from ..sampling.variation import UNCHANGED_SD, require_variation, settled_parts
from ..tables.copies import warn_of_repeats
from ..tables.schema import CONTROLS, ROUNDING, checked, table_hash
from .pairing import ENDS, OUTCOME, Pairs, pair

if TYPE_CHECKING:
    from xarray import DataArray

LEVEL_PRIOR = Prior("normal", {"mean": 1.0, "sd": 0.3}, "as for distances that are not compared")
"""Prior of the mean distances before a change, as in the models of distances."""

PRIOR_PAIRS = 5.0
"""Weight of the common slope in the slope of each connection, as a number of pairs."""


@shows_fit_keywords
def fit_change(
    before: pd.DataFrame,
    after: pd.DataFrame,
    model: str | Path | ModelSpec = RECOMMENDED[OUTCOME],
    *,
    drop_duplicates: bool = False,
    covariates: str | Sequence[str] = (),
    priors: Priors | None = None,
    options: FitOptions | None = None,
    **keywords: Unpack[FitKeywords],
) -> DataTree:
    """Fit a model of how every distance changes from one table to another.

    Rows are paired by protected word, attribute, its set, connection, and any context; repeated
    rows are paired in order. Any part of a distance that does not change cancels out.

    Parameters
    ----------
    before, after : DataFrame
        Long-form tables of one embedding each (for example, before and after debiasing).
    model : str, Path, or ModelSpec
        A model of changes; ``models("change")`` lists the bundled ones.
    drop_duplicates : bool
        Leave out words whose vector repeats an earlier one in either table (`duplicate_vectors`).
    covariates : str or sequence of str
        Columns of `before` or their products, whose slopes on the change are estimated; see `fit`.
    priors, options, **keywords
        See `fit`. The `priors` apply to the change. The distances before the change have the
        priors of the bundled distance model with the same terms, if there is one.

    Returns
    -------
    xarray.DataTree
        A posterior of the change (after - before, in [-2, 2]), positive for increases in distance.
        Pass it to `bb.summary`, `bb.contrasts`, and `bb.predictive_check`. The group ``before`` has
        joint draws of the earlier means; see `posterior_at`, `changes`, and `order_changes`. The
        attributes ``n_pairs``, ``n_repeated``, ``n_unpaired_before``, and ``n_unpaired_after``
        count rows; `bb.comparison.pair(before, after).unpaired` lists unpaired rows.

    Raises
    ------
    ValueError
        If no row has a partner, a protected word is in different groups, no distance changes, or
        all changes of stereotypes are equal. Controls may stay as they were.

    Warns
    -----
    LeftOut, ExactCopies, EquidistantWords
        If rows without a partner are left out, or if words have identical vectors.

    Notes
    -----
    The earlier means are drawn given the change; see the module `bayesbias.comparison.joint`. The
    earlier distances and the changes are assumed to be jointly Normal in every term of the model.
    The regression slope is estimated from single pairs and treated as known. The change does not
    depend on this assumption. Earlier means may differ from a separate fit to `before`.

    Examples
    --------
    >>> after = table.assign(cosine_distance=table["cosine_distance"].round(1))
    >>> bb.fit_change(table, after, "change", seed=1).attrs["model"]
    'change'
    """
    spec, pairs = load_model(model, OUTCOME), pair(before, after)
    for name, table in zip(ENDS, (before, after), strict=True):
        warn_of_repeats(checked(table), f"the table {name}")
    pairs.warn_of_unpaired()
    pairs = pairs.each_vector_once(drop=drop_duplicates)
    design, spec = with_slopes(pairs.design(), spec, pairs.rows, covariates)
    spec = spec.with_priors(priors or {})
    warn_of_unknowns(design, spec)
    if np.abs(design.y).max() <= ROUNDING:
        raise ValueError(
            f"the tables have the same distances in all {len(design.y):,} paired rows; pass two "
            "tables that differ"
        )
    if design.spread <= ROUNDING:
        raise ValueError(
            "all distances to stereotypes change by the same number; pass tables in which the "
            "vectors of protected words or stereotypes differ"
        )
    settled = settled_parts(design, spec)
    if 0 < sum(map(len, settled.values())) < len(design.y):
        design = replace(design, rounding=UNCHANGED_SD * design.spread)
    require_variation(design, spec)
    return _fit_both(design, pairs, spec, priors, fit_options(options, keywords))


def posterior_at(tree: DataTree, when: str) -> DataTree:
    """Return the posterior of the mean distances before or after a change.

    Parameters
    ----------
    tree : DataTree
        A posterior from `fit_change`.
    when : {"before", "after"}

    Returns
    -------
    DataTree
        A posterior with ``connection_mean``, ``word_mean``, and any effects of ``change-by-group``.
        Its draws match those of the change. Pass it to `summary`, `contrasts`, and forest plots.
    """
    from xarray import DataTree as Tree

    if "before" not in tree.children:
        raise ValueError("this is not a posterior of a change; pass one from bb.fit_change")
    check_choice("time", when, ENDS)
    level = tree["before"].to_dataset()
    if when == "after":
        change = tree["posterior"].to_dataset()
        level = level + change[list(level.data_vars)]
    kept = {group: tree[group].to_dataset() for group in ("constant_data", "observed_data")}
    distances = kept["constant_data"]["before"] + (kept["observed_data"] if when == "after" else 0)
    kept["observed_data"] = kept["observed_data"] * 0 + distances
    given = Tree.from_dict({"posterior": level, **kept})
    given.attrs = {name: tree.attrs[name] for name in ("spec", "warnings", "seed", "versions")}
    return given


def _fit_both(
    design: Design, pairs: Pairs, spec: ModelSpec, priors: Priors | None, options: FitOptions
) -> DataTree:
    """Fit the change and then, given the change, the distances before it."""
    from xarray import Dataset

    measured = replace(design, y=pairs.rows["before"].to_numpy(np.float64))
    before = at_equal_frequency(measured).y
    slope, rest, level_spec = before_given_change(design, before, spec)
    for name in settled_parts(rest, level_spec):
        raise ValueError(
            f"in all {name or 'of the'} rows, `after` is a multiple of `before` plus effects of "
            "words and attributes, so no residual sd can be estimated; leave these rows out of "
            "both tables"
        )
    first, second = as_seed_sequence(options.seed).spawn(2)
    hashed, alone = table_hash(pairs.rows), options.of_fit(seed=first)
    change = fit_design(design, spec, priors=priors, table_hash=hashed, options=alone)
    level = fit_design(rest, level_spec, options=options.of_fit(seed=second))
    by = slopes_by_name(design_of(change), spec_of(change), slope)
    given, moved = (tree["posterior"].to_dataset()[list(by)] for tree in (level, change))
    # The two fits are independent, so their draws can be combined one by one.
    moved = moved.assign_coords(given.coords)
    earlier = given + Dataset(by) * moved
    for name, apart in _slopes_apart(design_of(change), spec_of(change), by).items():
        earlier[name] = earlier[name] + moved[apart.name] * apart
    change["before"] = earlier
    constant = change["constant_data"].to_dataset()
    change["constant_data"] = constant.assign(before=("row", before), slope=("connection", slope))
    doubts = [doubt.concerning("the distances before") for doubt in warnings_of(level)]
    change.attrs |= {
        "outcome": OUTCOME,
        "n_pairs": len(pairs.rows),
        "n_repeated": pairs.n_repeated,
        **{f"n_unpaired_{name}": int((pairs.unpaired["table"] == name).sum()) for name in ENDS},
    }
    keep_warnings(change, [*warnings_of(change), *doubts])
    return change


def before_given_change(
    design: Design, before: FloatArray, spec: ModelSpec
) -> tuple[FloatArray, Design, ModelSpec]:
    """Remove the part of the distances before a change that correlates with the change.

    Return the (n_connections,) slopes, and the design and model of the remaining part.
    """
    slope = slopes(design, before, spec)
    rest = before - slope[design.connection] * design.y
    rest_design = replace(design, y=rest, outcome="before_given_change", rounding=0.0)
    covariates = [term.name for term in spec.terms_of(COVARIATE)]
    level = level_model(spec.without(*covariates))
    return slope, rest_design, with_term(level, rest_design) if covariates else level


def level_model(spec: ModelSpec) -> ModelSpec:
    """Return the bundled distance model with ``spec``'s terms, or else ``spec`` centered at 1."""
    for name in models("distance"):
        twin = load_model(name)
        if all(
            getattr(twin, key) == getattr(spec, key) for key in ("terms", "likelihood", "sigma")
        ):
            return twin
    return replace(spec, priors={**spec.priors, "connection_mean": LEVEL_PRIOR})


def slopes_by_name(design: Design, spec: ModelSpec, slope: FloatArray) -> dict[str, DataArray]:
    """Return the slopes of earlier means, word effects, and group effects on the change."""
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


def _slopes_apart(
    design: Design, spec: ModelSpec, by: Mapping[str, DataArray]
) -> dict[str, DataArray]:
    """Return what to add to effects by kind, as slopes of the effects across kinds that they name.

    An effect across kinds has the slope of stereotypes, and controls another one. The difference is
    part of the effect on controls, so that sums of both are right in all rows.
    """
    whole = [term.name for term in spec.terms_of("protected_word") if not term.by]
    return {
        term.name: (by[term.name] - by[name]).rename(name)
        for term in spec.terms_of("protected_word")
        if term.by == "attribute_kind" and has_cells(spec)
        for name in whole
    }


def slopes(design: Design, before: FloatArray, spec: ModelSpec) -> FloatArray:
    """Return (n_connections,) slopes of `before` on the change among single pairs.

    The means of all units with effects are subtracted first. Slopes are shrunk toward the common
    slope. Connections whose rows share effects, such as attribute effects, also share a slope.
    """
    spec = spec.fitting(design)
    keys = [
        np.unique([design.codes(d) for d in term.dims], axis=1, return_inverse=True)[1].ravel()
        for term in spec.terms
        if term.of != COVARIATE
    ]
    keys += [] if spec.around_means else [design.connection]
    change, level, *x = (_within(values, keys) for values in (design.y, before, *design.x.T))
    if x:
        change, level = (
            y - np.transpose(x) @ np.linalg.lstsq(np.transpose(x), y)[0] for y in (change, level)
        )
    part = _sharing(design, spec)
    squares = np.bincount(part[design.connection], change**2)[part]
    products = np.bincount(part[design.connection], change * level)[part]
    total, common = change @ change, change @ level
    if total == 0:
        return np.zeros(len(part))
    weight = PRIOR_PAIRS * total / len(design.y)
    return np.asarray((products + weight * common / total) / (squares + weight))


def _sharing(design: Design, spec: ModelSpec) -> IntArray:
    """Number the connections; those whose rows share effects get the same number."""
    if all(term.by == "connection" for term in spec.terms if term.of != COVARIATE):
        return np.arange(len(design.connections))
    names = [name if name in CONTROLS else "stereotype" for name in design.connections]
    return np.unique(names, return_inverse=True)[1]


def _within(values: FloatArray, keys: Sequence[IntArray], sweeps: int = 20) -> FloatArray:
    """Subtract the means of every factor's levels, repeatedly if there are several factors."""
    rest = values.copy()
    for _ in range(sweeps if len(keys) > 1 else 1):
        for key in keys:
            rest = rest - (np.bincount(key, rest) / np.bincount(key))[key]
    return rest
