"""Which words and attributes drive a contrast: means without each, in closed form given the sds."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from ..model.design import Design
from ..model.tree import design_of, n_draws, spec_of, stacked
from ..sampling.collapsed import moments
from ..sampling.parameters import parameters_of
from ..sampling.reduction import collapse
from .contrasts import contrast_draws, contrast_weights
from .estimands import pair_place
from .summaries import carry_warnings

if TYPE_CHECKING:
    from xarray import DataTree

DRAWS = 20
"""Draws of the sds that means are averaged over: without a word, these hardly differ."""


def influence(
    tree: DataTree, first: str = "associated", second: str = "different", draws: int = DRAWS
) -> pd.DataFrame:
    """Compute how the overall contrast changes without each protected word and each attribute.

    Given the sds, which are those learned with it, the posterior mean without a word is exact.

    Parameters
    ----------
    tree : DataTree
        A posterior of a Normal model, from `fit`.
    first, second : str
        Connections; the contrast is first - second, the overall row of `contrasts`.
    draws : int
        Draws of the sds, spread over the posterior, that the means are averaged over.

    Returns
    -------
    DataFrame
        ``factor`` (protected_word or attribute), ``name``, ``of`` (its group or set), ``n_rows``;
        ``mean`` of the contrast with all, ``mean_without`` it, ``change`` = without - with; and
        ``sds``, the change in posterior sds of the contrast. The largest change first. A negative
        change: the contrast is more negative without this word. Attributes without rows of the two
        connections are left out.

    Examples
    --------
    >>> bb.influence(post).iloc[:3, :6].round(3)
          factor          name                    of  n_rows  mean  mean_without
    0  attribute  conservative  christian_stereotype      15 -0.04        -0.022
    1  attribute   judgemental  christian_stereotype      15 -0.04        -0.052
    2  attribute    uneducated     muslim_stereotype      15 -0.04        -0.047
    """
    design, spec = design_of(tree), spec_of(tree)
    place, sign = pair_place(design.connections, first, second)
    blocks = collapse(design, spec).blocks
    chosen = np.linspace(0, n_draws(tree) - 1, min(draws, n_draws(tree))).astype(np.int64)
    parameters = parameters_of(blocks, {b.name: stacked(tree, b.name)[chosen] for b in blocks})

    def overall_mean(part: Design) -> float:
        posterior = collapse(part, spec.fitting(design))
        weights = sign * contrast_weights(posterior)[:, 0, [place]]
        return float(moments(posterior, parameters, weights)[0].mean())

    mean, rows = overall_mean(design), []
    ends = [design.connections.index(name) for name in (first, second)]
    compared = np.isin(design.connection, ends)
    for factor, name, of, is_own in _units(design):
        if compared[is_own].any():
            without = overall_mean(design.take(np.flatnonzero(~is_own)))
            rows.append((factor, name, of, int(is_own.sum()), mean, without, without - mean))
    columns = ["factor", "name", "of", "n_rows", "mean", "mean_without", "change"]
    frame = pd.DataFrame(rows, columns=columns)
    frame["sds"] = frame["change"] / contrast_draws(tree, "population")[1][:, 0, place].std()
    order = np.lexsort((frame["name"], frame["factor"], -frame["change"].abs()))
    frame = frame.iloc[order].reset_index(drop=True)
    frame.attrs = {"first": first, "second": second}
    return carry_warnings(frame, tree)


def _units(design: Design) -> Iterator[tuple[str, str, str, np.ndarray]]:
    """Iterate over words and attributes: factor, name, group or set, and which rows are theirs."""
    for index, name in enumerate(design.words):
        yield "protected_word", name, design.groups[design.word_group[index]], design.word == index
    for index, name in enumerate(design.attributes):
        is_own = design.attribute == index
        sets = {design.sets[i] for i in design.set[is_own] if i >= 0} if design.sets else set()
        yield "attribute", name, ", ".join(sorted(sets)), is_own
