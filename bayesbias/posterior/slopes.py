"""Summarize the slopes of covariates: how much distances change with each."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import combinations, compress, product

import numpy as np
import pandas as pd

from .._core.arrays import FloatArray
from .._core.checks import check_choice
from .._core.intervals import DEFAULT_CI_KIND, DEFAULT_CI_PROB, describe_draws, describe_mixtures
from ..model.covariates import LEVELS, Column, center_of, columns_of
from ..model.design import COVARIATE, Design, cell_means
from ..model.effects import column_weights
from ..model.frequency import equalized
from ..model.tree import DataTree, design_of, spec_of, stacked
from ..sampling.collapsed import moments
from ..sampling.reduction import collapse
from .mixtures import drawn_parameters, effect_weights, mixed
from .summaries import compare_draws, labeled, level_means, reads_posterior


@reads_posterior
def slopes(
    tree: DataTree, ci_prob: float = DEFAULT_CI_PROB, ci_kind: str = DEFAULT_CI_KIND
) -> pd.DataFrame:
    """Compute the slopes of the covariates of a fit, in the units of the table's columns.

    Parameters
    ----------
    tree : DataTree
        A posterior from `fit` with ``covariates``.
    ci_prob, ci_kind
        The same as in `contrasts`.

    Returns
    -------
    DataFrame
        ``covariate``; ``connection`` if a model of your own has slopes by connection; ``mean``,
        ``sd``, ``low``, and ``high`` of the change in distance when the covariate increases by one;
        and ``p_direction``, the probability of the median's sign.
        If each group has a slope, differences between groups, such as ``share: woman − man``, come
        first. For Normal models, rows depend little on the seed, as in `contrasts`.

    Raises
    ------
    ValueError
        If the model has no covariates.

    Examples
    --------
    >>> rank = bb.frequency_ranks(bb.load_vectors("glove-demo")).set_index("word")["rank"]
    >>> ranked = table.assign(attribute_rank=table["attribute"].map(rank))
    >>> bb.slopes(bb.fit(ranked, covariates="log_rank_attribute", seed=1)).round(3)
                covariate   mean     sd    low   high  p_direction
    0  log_rank_attribute  0.048  0.003  0.043  0.054          1.0
    """
    name, design = _term(tree), design_of(tree)
    names, weights = _combinations([*design.covariates], [*design.groups])
    of_all = stacked(tree, name)  # (n_draws, n_covariates[, n_connections])
    levels = {"connection": design.connections} if of_all.ndim > 2 else {}
    for connections in levels.values():
        weights = np.asarray(np.kron(weights, np.eye(len(connections))))
    if spec_of(tree).likelihood == "normal":
        posterior = collapse(design, spec_of(tree))
        parameters = mixed(posterior, drawn_parameters(tree))
        of_slopes = effect_weights(posterior)[name].reshape(-1, len(weights)) @ weights
        means, variances = moments(posterior, parameters, of_slopes)
        rows = describe_mixtures(means[..., 0], np.sqrt(variances), ci_prob, ci_kind, rope=0)
    else:
        rows = compare_draws(of_all.reshape(len(of_all), -1) @ weights, ci_prob, 0, ci_kind)
    rows = rows.drop(columns=["p_rope", "p_rope_ceiling"])
    return labeled(rows, pd.DataFrame({"covariate": names}), **levels)


@reads_posterior
def predictions(
    tree: DataTree,
    table: pd.DataFrame,
    conditional: Mapping[str, Sequence[float]],
    ci_prob: float = DEFAULT_CI_PROB,
    ci_kind: str = DEFAULT_CI_KIND,
) -> pd.DataFrame:
    """Compute the mean distance of each group at chosen values of covariates.

    The function and ``conditional`` are named as in Bambi; marginaleffects has the same function.

    Parameters
    ----------
    tree : DataTree
        A posterior from `fit` with ``covariates``.
    table : DataFrame
        The table that was fitted, which has the covariates' means.
    conditional : mapping of str to sequence of float
        Values of covariates; all combinations have rows. Other covariates are at their means.
    ci_prob, ci_kind
        The same as in `slopes`.

    Returns
    -------
    DataFrame
        The covariates; ``protected_group`` and ``connection``; and ``mean``, ``sd``, ``low``, and
        ``high`` of the mean distance of such words of the group to such attributes. A group has no
        row for a connection that the table has no rows of.

    Examples
    --------
    >>> rank = bb.frequency_ranks(bb.load_vectors("glove-demo")).set_index("word")["rank"]
    >>> ranked = table.assign(attribute_rank=table["attribute"].map(rank))
    >>> post = bb.fit(ranked, covariates="log_rank_attribute", seed=1)
    >>> frame = bb.predictions(post, ranked, {"log_rank_attribute": [6, 9]})
    >>> frame.query("protected_group == 'muslim' and connection == 'neutral'").round(2)
        log_rank_attribute protected_group connection  mean    sd   low  high
    10                   6          muslim    neutral  0.78  0.02  0.75  0.81
    22                   9          muslim    neutral  0.93  0.02  0.90  0.95
    """
    design, of_slopes = design_of(tree), stacked(tree, _term(tree))
    parts = [label.partition(": ")[0].split(":") for label in design.covariates]
    for name in conditional:
        check_choice("covariate", name, sorted({part for own in parts for part in own}))
        given = np.asarray(conditional[name])
        real = given.ndim == 1 and given.size and given.dtype.kind in "biuf"
        if not real or not np.isfinite(given).all():
            raise ValueError(f"values of {name!r} must be a list of finite numbers; got {given}")
    place = design.codes("protected_group"), design.connection
    shape = len(design.groups), len(design.connections)
    weights = column_weights(design, *place)[:, None]  # those of means
    applies = cell_means(weights * _applies(table, design), place, shape)
    active = np.nan_to_num(applies / cell_means(weights, place, shape))
    means, frames = level_means(tree)[1][:, 1 : 1 + len(design.groups)], []
    names = ["protected_group", "connection"]
    is_known = ~np.isnan(means[0]).ravel()
    every_cell = product(design.groups, design.connections)
    cells = pd.DataFrame(compress(every_cell, is_known), columns=names)
    by_cell = "nkc,gck->ngc" if of_slopes.ndim > 2 else "nk,gck->ngc"
    for values in product(*conditional.values()):
        at = dict(zip(conditional, values, strict=True))
        x = np.array([_value_at(table, own, at) for own in parts])
        draws = means + np.einsum(by_cell, of_slopes, active * x)
        frame = describe_draws(draws.reshape(len(draws), -1)[:, is_known], ci_prob, ci_kind)
        frames.append(pd.concat([cells.assign(**at)[[*at, *names]], frame], axis=1))
    every = pd.concat(frames, ignore_index=True)
    every.attrs = {"ci_prob": ci_prob, "ci_kind": ci_kind, "covariates": list(conditional)}
    return every


def _term(tree: DataTree) -> str:
    """Return the name of the slopes; raise a ValueError if there are none."""
    terms = spec_of(tree).terms_of(COVARIATE)
    if not terms or terms[0].name not in tree["posterior"]:
        raise ValueError(
            "this posterior has no covariates; pass some, as in bb.fit(table, covariates=['share'])"
        )
    return terms[0].name


def _applies(table: pd.DataFrame, design: Design) -> FloatArray:
    """Return 1 in rows that a slope applies to, (n_rows, n_covariates); 0 in those of other levels.

    A table with other covariates than the fitted one is refused.
    """
    names = dict.fromkeys(label.partition(": ")[0] for label in design.covariates)
    asked = [":".join(parts) for parts in product(names, LEVELS)]
    columns = [column for name in (*names, *asked) for column in columns_of(table, name)]

    def is_fitted(column: Column, x: FloatArray) -> bool:
        close = 1e-6 * float(np.abs(column.x).max())  # rounded values
        return len(column.x) == len(x) and np.allclose(equalized(design, column.x), x, atol=close)

    found = []
    for label, x in zip(design.covariates, design.x.T, strict=True):
        same = [each for each in columns if each.label == label and is_fitted(each, x)]
        if not same:
            raise ValueError(
                "the table has other covariates than the one that was fitted; pass that"
            )
        found.append(same[0].applies)
    return np.array(found, dtype=np.float64).T


def _value_at(table: pd.DataFrame, names: Sequence[str], at: Mapping[str, float]) -> float:
    """Return a centered product of covariates, with some values given and others at their means."""
    center = center_of(table, ":".join(names))
    moved = [at.get(name, mean) - mean for name, mean in zip(names, center.means, strict=True)]
    return float(np.prod(moved) - center.product)


def _combinations(names: list[str], groups: list[str]) -> tuple[list[str], FloatArray]:
    """Return the covariates, differences between groups first, and (n_covariates, k) weights."""
    rows, weights, unit = [], [], np.eye(len(names))
    for one, other in combinations(range(len(names)), 2):
        (x, _, group), (same, _, against) = (names[i].partition(": ") for i in (one, other))
        if x and x == same and {group, against} <= {*groups}:
            rows.append(f"{x}: {group} − {against}")
            weights.append(unit[one] - unit[other])
    return [*rows, *names], np.array([*weights, *unit]).T
