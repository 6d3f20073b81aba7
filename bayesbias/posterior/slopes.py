"""Summarize the slopes of covariates: how much distances change with each."""

from __future__ import annotations

from itertools import combinations
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from .._core.arrays import FloatArray
from .._core.intervals import DEFAULT_CI_KIND, DEFAULT_CI_PROB, describe_mixtures
from ..model.design import COVARIATE
from ..model.tree import design_of, spec_of, stacked
from ..sampling.collapsed import moments
from ..sampling.effects import shared_effects
from ..sampling.parameters import parameters_of
from ..sampling.reduction import collapse
from .contrasts import compare_draws
from .summaries import carry_warnings

if TYPE_CHECKING:
    from xarray import DataTree


def slopes(
    tree: DataTree, ci_prob: float = DEFAULT_CI_PROB, ci_kind: str = DEFAULT_CI_KIND
) -> pd.DataFrame:
    """Compute the slopes of the covariates of a fit, in the units of the table's columns.

    Parameters
    ----------
    tree : DataTree
        A posterior from `fit` with ``covariates``.
    ci_prob : float
        Probability of the intervals, in (0, 1).
    ci_kind : {"hdi", "eti"}
        Highest-density or equal-tailed intervals.

    Returns
    -------
    DataFrame
        ``covariate``, then ``mean``, ``sd``, ``low``, and ``high`` of the change in distance when
        the covariate increases by one; and ``p_direction``, the probability of the median's sign.
        If each group has a slope, differences between groups follow, such as ``share: woman −
        man``. For Normal models, rows depend little on the seed, as in `contrasts`.

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
    spec = spec_of(tree)
    terms = spec.terms_of(COVARIATE)
    if not terms or terms[0].name not in tree["posterior"]:
        raise ValueError(
            "this posterior has no covariates; pass some, as in bb.fit(table, covariates=['share'])"
        )
    design = design_of(tree)
    names, weights = _combinations([*design.covariates], [*design.groups])
    if spec.likelihood == "normal":
        given = _moments(tree, terms[0].name, weights)
        frame = describe_mixtures(*given, ci_prob, ci_kind, rope=0)
    else:
        frame = compare_draws(stacked(tree, terms[0].name) @ weights, ci_prob, 0, ci_kind)
    frame = frame.drop(columns=["p_rope", "p_rope_ceiling"])
    frame.insert(0, "covariate", names)
    return carry_warnings(frame, tree)


def _moments(tree: DataTree, name: str, weights: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return (n_draws, k) means and sds of sums of slopes, given the sds of the model."""
    posterior = collapse(design_of(tree), spec_of(tree))
    every = shared_effects(posterior, np.eye(len(posterior.layout.shared_parameter)))
    sds = {block.name: stacked(tree, block.name) for block in posterior.blocks}
    parameters = parameters_of(posterior.blocks, sds)
    means, variances = moments(posterior, parameters, every[name] @ weights)
    return means[..., 0], np.sqrt(variances)


def _combinations(names: list[str], groups: list[str]) -> tuple[list[str], FloatArray]:
    """Return the covariates, differences between groups first, and (n_covariates, k) weights."""
    rows, weights, unit = [], [], np.eye(len(names))
    for one, other in combinations(range(len(names)), 2):
        (x, _, group), (same, _, against) = (names[i].rpartition(": ") for i in (one, other))
        if x and x == same and {group, against} <= {*groups}:
            rows.append(f"{x}: {group} − {against}")
            weights.append(unit[one] - unit[other])
    return [*rows, *names], np.array([*weights, *unit]).T
