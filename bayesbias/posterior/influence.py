"""Which words and attributes drive a contrast, and how sure more of them would make it.

Both in closed form, given the sds.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import product
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd
from numpy.random import default_rng

from .._core.arrays import FloatArray
from .._core.checks import check_numbers
from .._core.intervals import DEFAULT_CI_PROB, check_probability
from ..model.design import Design, index_table
from ..model.tree import design_of, n_draws, spec_of, stacked
from ..sampling.collapsed import moments
from ..sampling.parameters import parameters_of
from ..sampling.reduction import collapse
from ..tables.schema import COLUMNS
from .contrasts import contrast_draws, contrast_weights
from .estimands import pair_place
from .summaries import carry_warnings

if TYPE_CHECKING:
    from xarray import DataTree

DRAWS = 20
"""Draws of the sds that means are averaged over: without a word, these hardly differ."""

WIDTH_DRAWS = 25
"""Draws of the sds that widths are averaged over."""

SIZES = ("n_words", "n_attributes", "n_trainings")
"""What a study can have more of."""


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
    full, overall = design_of(tree), _overall(tree, first, second, draws)
    place, _ = pair_place(full.connections, first, second)
    mean, rows = float(overall(full)[0].mean()), []
    ends = [full.connections.index(name) for name in (first, second)]
    compared = np.isin(full.connection, ends)
    for factor, name, of, is_own in _units(full):
        if compared[is_own].any():
            without = float(overall(full.take(np.flatnonzero(~is_own)))[0].mean())
            rows.append((factor, name, of, int(is_own.sum()), mean, without, without - mean))
    columns = ["factor", "name", "of", "n_rows", "mean", "mean_without", "change"]
    frame = pd.DataFrame(rows, columns=columns)
    frame["sds"] = frame["change"] / contrast_draws(tree, "population")[1][:, 0, place].std()
    order = np.lexsort((frame["name"], frame["factor"], -frame["change"].abs()))
    frame = frame.iloc[order].reset_index(drop=True)
    frame.attrs = {"first": first, "second": second}
    return carry_warnings(frame, tree)


def _overall(
    tree: DataTree, first: str, second: str, draws: int
) -> Callable[[Design], tuple[FloatArray, FloatArray]]:
    """Return means and variances of the overall contrast of designs, given some draws of the sds.

    Draws are spread evenly over the posterior.
    """
    design, spec = design_of(tree), spec_of(tree)
    place, sign = pair_place(design.connections, first, second)
    blocks = collapse(design, spec).blocks
    chosen = np.linspace(0, n_draws(tree) - 1, min(draws, n_draws(tree))).astype(np.int64)
    parameters = parameters_of(blocks, {b.name: stacked(tree, b.name)[chosen] for b in blocks})

    def overall(part: Design) -> tuple[FloatArray, FloatArray]:
        posterior = collapse(part, spec.fitting(design))
        weights = sign * contrast_weights(posterior)[:, 0, [place]]
        return moments(posterior, parameters, weights)

    return overall


def _units(design: Design) -> Iterator[tuple[str, str, str, np.ndarray]]:
    """Iterate over words and attributes: factor, name, group or set, and which rows are theirs."""
    for index, name in enumerate(design.words):
        yield "protected_word", name, design.groups[design.word_group[index]], design.word == index
    for index, name in enumerate(design.attributes):
        is_own = design.attribute == index
        sets = {design.sets[i] for i in design.set[is_own] if i >= 0} if design.sets else set()
        yield "attribute", name, ", ".join(sorted(sets)), is_own


def expected_width(
    tree: DataTree,
    n_words: int | Sequence[int],
    n_attributes: int | Sequence[int],
    n_trainings: int | Sequence[int] = 1,
    *,
    training_sd: float = 0.0,
    first: str = "associated",
    second: str = "different",
    ci_prob: float = DEFAULT_CI_PROB,
) -> pd.DataFrame:
    r"""Compute how wide the interval of the overall contrast will be in a study of other sizes.

    Parameters
    ----------
    tree : DataTree
        A posterior of a Normal model, from `fit`; words and attributes of the planned study vary as
        the measured ones do.
    n_words, n_attributes : int or sequence of int
        Protected words of each group, and attributes of each set, from 1 on; all pairs are
        computed. Controls stay as they are.
    n_trainings : int or sequence of int
        Trainings of the embedding, from 1 on.
    training_sd : float
        Sd of the contrast between trainings, a distance, such as the mean of ``training_sd`` of
        `fit_many`. With 0 the embedding is taken as given.
    first, second, ci_prob
        As for `influence` and `contrasts`.

    Returns
    -------
    DataFrame
        ``n_words``, ``n_attributes``, ``n_trainings``, ``sd`` of the contrast and ``width`` of its
        Normal interval, distances.

    Notes
    -----
    Given the sds the variance of a contrast depends on the design only. It is averaged over draws
    of the sds, plus :math:`\text{training\_sd}^2 / k` (Shavelson and Webb, 1991, chapter 6). A real
    study learns the sds too, so that intervals of small studies are wider.

    Examples
    --------
    >>> plan = bb.expected_width(post, [8, 16, 32], 15)
    >>> plan[["n_words", "width"]].round(3)
       n_words  width
    0        8  0.045
    1       16  0.041
    2       32  0.039
    """
    from scipy.stats import norm

    if training_sd < 0:
        raise ValueError(f"training_sd must be 0 or more; got {training_sd}")
    sizes = [np.atleast_1d(given).tolist() for given in (n_words, n_attributes, n_trainings)]
    for name, values in zip(SIZES, sizes, strict=True):
        if not values:
            raise ValueError(f"{name} is empty; give one number or several")
        for size in values:
            check_numbers(**{name: size})
    half = norm.ppf((1 + check_probability(ci_prob)) / 2)
    design, overall = design_of(tree), _overall(tree, first, second, WIDTH_DRAWS)
    rows = []
    for words, attributes in product(*sizes[:2]):
        variance = overall(_of_size(design, words, attributes))[1]
        for trainings in sizes[2]:
            sd = float(np.sqrt(variance + training_sd**2 / trainings).mean())
            rows.append((words, attributes, trainings, sd, 2 * half * sd))
    frame = pd.DataFrame(rows, columns=[*SIZES, "sd", "width"])
    frame.attrs["ci_prob"] = ci_prob
    return frame


def _of_size(design: Design, n_words: int, n_attributes: int) -> Design:
    """Return a design of the same groups, sets and controls, every word with every attribute."""
    of_attributes = design.attribute_column
    columns = np.repeat(np.arange(len(design.sets)), n_attributes)
    columns = np.append(columns, of_attributes[of_attributes >= len(design.sets)])
    groups = np.repeat(np.arange(len(design.groups)), n_words)
    connections = design.column_connection[groups][:, columns]
    word, attribute = np.nonzero(connections >= 0)
    table = {
        "protected_word": word.astype(str),
        "protected_group": np.array(design.groups)[groups[word]],
        "attribute": attribute.astype(str),
        "attribute_set": np.array(design.columns)[columns[attribute]],
        "connection": np.array(design.connections)[connections[word, attribute]],
        COLUMNS[-1]: default_rng(1).standard_normal(len(word)),  # variances do not depend on it
    }
    return index_table(pd.DataFrame(table))
