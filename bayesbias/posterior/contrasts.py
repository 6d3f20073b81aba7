"""Differences between connections: how large, how sure, and whether they matter."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations
from typing import TYPE_CHECKING

import pandas as pd

from .._core.arrays import FloatArray
from .._core.intervals import DEFAULT_CI_KIND, DEFAULT_CI_PROB, describe_draws
from ..model.tree import labels
from ..sampling.options import DEFAULT_ROPE, check_rope
from ..tables.levels import OVERALL, at_level
from .summaries import by_level, in_front

if TYPE_CHECKING:
    from xarray import DataTree


def contrasts(
    tree: DataTree,
    ci_prob: float = DEFAULT_CI_PROB,
    rope: float = DEFAULT_ROPE,
    ci_kind: str = DEFAULT_CI_KIND,
    over: str = "population",
) -> pd.DataFrame:
    """Posterior differences in mean distance between connections, at every level.

    Parameters
    ----------
    tree : DataTree
        A posterior from `fit`.
    ci_prob : float
        Probability of the intervals, in (0, 1).
    rope : float
        Half-width of the region of practical equivalence, in units of distance, from 0 on.
    ci_kind : {"hdi", "eti"}
        Highest-density or equal-tailed intervals.
    over : {"population", "listed"}
        Whether means are of attributes like those listed (and overall of words like those listed),
        or of the very words and attributes of the table. Where a whole attribute set lies near to
        all groups, or an attribute leans by itself, a gap of the listed words holds that, and a gap
        of the population does not. The rates of docs/calibration.md are the population's.

    Returns
    -------
    DataFrame
        One row a level and pair: ``level``, ``protected_group``, ``protected_word``, ``first``,
        ``second``, then of first - second ``mean``, ``sd``, ``low``, ``high``;
        ``p_direction``, the probability of the sign the median has, in [.5, 1]; and ``p_rope``,
        the probability that the difference is smaller than `rope`. A negative difference: the
        first lies closer to the protected words.
    """
    connections = labels(tree, "connection")

    def describe(draws: FloatArray) -> pd.DataFrame:
        return compare_connections(draws, connections, ci_prob, rope, ci_kind)

    return by_level(tree, describe, over=over)


def compare_connections(
    draws: FloatArray, connections: Sequence[str], ci_prob: float, rope: float, ci_kind: str
) -> pd.DataFrame:
    """Describe differences between all pairs of connections; draws are (n, n_connections)."""
    first, second, names = connection_pairs(connections)
    apart = draws[:, first] - draws[:, second]
    return in_front(compare_draws(apart, ci_prob, rope, ci_kind), **names)


def connection_pairs(
    connections: Sequence[str],
) -> tuple[tuple[int, ...], tuple[int, ...], dict[str, list[str]]]:
    """Pair connections: indices of the first and of the second, and their names as columns."""
    if len(connections) < 2:
        raise ValueError(f"the table has the connection {connections[0]} only; nothing to compare")
    first, second = zip(*combinations(range(len(connections)), 2), strict=True)
    names = {"first": [connections[i] for i in first], "second": [connections[i] for i in second]}
    return first, second, names


def compare_draws(
    differences: FloatArray, ci_prob: float, rope: float, ci_kind: str = DEFAULT_CI_KIND
) -> pd.DataFrame:
    """Describe draws of differences, (n_draws, n), with their direction and ROPE share."""
    check_rope(rope)
    frame = describe_draws(differences, ci_prob, ci_kind)
    above = (differences > 0).mean(axis=0) + 0.5 * (differences == 0).mean(axis=0)
    frame["p_direction"] = pd.Series(above).clip(lower=1 - above)
    frame["p_rope"] = (abs(differences) < rope).mean(axis=0)
    return frame


def associated_human_gap(
    tree: DataTree,
    ci_prob: float = DEFAULT_CI_PROB,
    rope: float = DEFAULT_ROPE,
    ci_kind: str = DEFAULT_CI_KIND,
) -> pd.DataFrame:
    """Compute how much closer stereotypical attributes lie than words about human life in general.

    It is the one number that Dobrzeniecka and Urbaniak (2024) would give if one must: the overall
    mean distance of associated attributes less that of human ones. It is a location with an
    interval, not a verdict: it averages over words that may differ, and a gap in distances is not
    yet harm.

    Returns
    -------
    DataFrame
        The one row of `contrasts` with ``first`` associated and ``second`` human.

    Raises
    ------
    ValueError
        If the table lacks associated or human attributes.
    """
    lacking = [name for name in ("associated", "human") if name not in labels(tree, "connection")]
    if lacking:
        raise ValueError(f"this posterior has no {' and no '.join(lacking)} attributes to compare")
    frame = at_level(contrasts(tree, ci_prob, rope, ci_kind), OVERALL)
    wanted = (frame["first"] == "associated") & (frame["second"] == "human")
    return frame[wanted].reset_index(drop=True)
