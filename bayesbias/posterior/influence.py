"""Which words and attributes drive a contrast: each left out in turn, in closed form."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from .._core.arrays import FloatArray
from .._core.checks import unknown_name
from ..model.design import Design
from ..model.tree import design_of, labels, n_draws, spec_of, stacked
from ..sampling.collapsed import mean_moments
from ..sampling.parameters import parameters_of
from ..sampling.reduction import Collapsed, collapse
from .summaries import carry_warnings

if TYPE_CHECKING:
    from collections.abc import Iterator

    from xarray import DataTree

DRAWS = 20
"""Draws of the sds that means are averaged over: without a word, these hardly differ."""


def influence(
    tree: DataTree, first: str = "associated", second: str = "different", draws: int = DRAWS
) -> pd.DataFrame:
    """Compute how the overall contrast changes without each protected word and each attribute.

    Parameters
    ----------
    tree : DataTree
        A posterior of a Normal model, from `fit`.
    first, second : str
        Connections; the contrast is first - second, of the population.
    draws : int
        Draws of the sds, spread over the posterior, that the means are averaged over.

    Returns
    -------
    DataFrame
        ``factor`` (protected_word or attribute), ``name``, ``of`` (its group or set), ``n_rows``;
        ``mean`` of the contrast with all, ``mean_without`` it, ``change`` = without - with; and
        ``sds``, the change in posterior sds of the contrast. The largest change first. A negative
        change: the contrast is more negative without, so that this word held it up. Attributes
        without rows of the two connections are left out.

    Raises
    ------
    ValueError
        If a connection is unknown, or the model is not Normal.

    Notes
    -----
    Given the sds the posterior mean of a contrast is linear in the distances, so that it is
    computed without a word exactly and without sampling. That the sds themselves would be learnt
    without it is left aside.

    References
    ----------
    Cook (1977), Detection of influential observation in linear regression, Technometrics 19.

    Examples
    --------
    >>> import bayesbias as bb
    >>> words = bb.load_wordlist("religion")
    >>> table = bb.distance_table(bb.load_vectors("glove-demo", words), words)
    >>> post = bb.fit(table, seed=1)
    >>> list(bb.influence(post)["factor"].unique())
    ['attribute', 'protected_word']
    """
    weights = contrast_weights(tree, first, second)
    design, spec = design_of(tree), spec_of(tree)
    spec = spec.fitting(design)
    whole = collapse(design, spec)
    parameters = some_parameters(tree, whole, draws)
    full = float(mean_moments(whole, parameters, weights)[0].mean())
    means = stacked(tree, "connection_mean") @ weights
    compared = np.isin(design.connection, np.flatnonzero(weights))
    rows = []
    for factor, name, of, own in _units(design):
        if not compared[own].any():
            continue
        rest = collapse(design.take(np.flatnonzero(~own)), spec)
        without = float(mean_moments(rest, parameters, weights)[0].mean())
        rows.append((factor, name, of, int(own.sum()), full, without, without - full))
    columns = ["factor", "name", "of", "n_rows", "mean", "mean_without", "change"]
    frame = pd.DataFrame(rows, columns=columns)
    frame["sds"] = frame["change"] / means.std()
    order = np.lexsort((frame["name"], frame["factor"], -frame["change"].abs()))
    frame = frame.iloc[order].reset_index(drop=True)
    frame.attrs = {"first": first, "second": second}
    return carry_warnings(frame, tree)


def contrast_weights(tree: DataTree, first: str, second: str) -> FloatArray:
    """Return the weights of connection means in their contrast, (n_connections,)."""
    connections = labels(tree, "connection")
    for name in (first, second):
        if name not in connections:
            raise ValueError(unknown_name("connection", name, connections))
    if first == second:
        raise ValueError(f"first and second are both {first!r}; a contrast needs two")
    return np.array([float(name == first) - float(name == second) for name in connections])


def some_parameters(tree: DataTree, posterior: Collapsed, draws: int) -> FloatArray:
    """Return parameters of some draws of a posterior, evenly spread over it."""
    chosen = np.linspace(0, n_draws(tree) - 1, min(draws, n_draws(tree))).astype(np.int64)
    values = {block.name: stacked(tree, block.name)[chosen] for block in posterior.blocks}
    return parameters_of(posterior.blocks, values)


def _units(design: Design) -> Iterator[tuple[str, str, str, np.ndarray]]:
    """Iterate over words and attributes: factor, name, group or set, and which rows are its own."""
    for at, name in enumerate(design.words):
        yield "protected_word", name, design.groups[design.word_group[at]], design.word == at
    for at, name in enumerate(design.attributes):
        own = design.attribute == at
        sets = {design.sets[i] for i in design.set[own] if i >= 0} if design.sets else set()
        yield "attribute", name, ", ".join(sorted(sets)), own
