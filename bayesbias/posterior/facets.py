"""Groups that cross facets, such as gender and race: main effects and interactions on draws."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import reduce
from itertools import combinations, product
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from .._core.arrays import FloatArray
from .._core.checks import unknown_name
from .._core.intervals import DEFAULT_CI_KIND, DEFAULT_CI_PROB
from ..model.tree import labels
from ..tables.levels import GROUP
from ..tables.wordlists import WordList
from .contrasts import contrast_draws, describe_gaps, reading_of
from .summaries import carry_warnings

if TYPE_CHECKING:
    from xarray import DataTree

type Facets = Mapping[str, Mapping[str, str]]
"""Labels of groups by the facet: ``{"gender": {"black_women": "women", ...}, "race": ...}``."""


def facet_contrasts(
    tree: DataTree,
    facets: Facets | WordList,
    *,
    ci_prob: float = DEFAULT_CI_PROB,
    rope: float | None = None,
    ci_kind: str = DEFAULT_CI_KIND,
    over: str = "population",
) -> pd.DataFrame:
    r"""Compute main effects of facets that groups cross, and their interactions, draw by draw.

    Let :math:`g_{ab}` be a difference between two connections in the group with label a of one
    facet and b of another. The main effect of a against a' is the mean over b of
    :math:`g_{ab} - g_{a'b}`, every b counting alike; the interaction with b against b' is
    :math:`(g_{ab} - g_{a'b}) - (g_{ab'} - g_{a'b'})`. With more facets the others are averaged
    over.

    Parameters
    ----------
    tree : DataTree
        A posterior from `fit`.
    facets : mapping of str to mapping of str to str, or WordList
        Labels of the groups by the facet; or a list that has them as ``facets``. Groups without
        labels are left out. Groups with the same labels are averaged.
    ci_prob, rope, ci_kind, over
        As for `contrasts`.

    Returns
    -------
    DataFrame
        One row a contrast of labels and pair of connections, main effects first: ``facets``
        (``gender``, or ``gender × race``), ``contrast`` (``women − men``, or ``(women − men) ×
        (black − white)``), ``first``, ``second``, then ``mean``, ``sd``, ``low``, ``high``,
        ``p_direction`` and ``p_rope`` as for `contrasts`, in units of distance.

    Raises
    ------
    ValueError
        If there are no facets; one has a single label, or labels a group that is not there; a
        group has labels of some facets only; or a combination of labels has no group.

    Examples
    --------
    >>> import bayesbias as bb
    >>> words = {"a": ["he"], "b": ["she"], "c": ["king"], "d": ["queen"]}
    >>> own = {"a": ["work"], "b": ["home"], "c": ["war"], "d": ["love"]}
    >>> facets = {"gender": {"a": "men", "b": "women", "c": "men", "d": "women"},
    ...           "rank": {"a": "low", "b": "low", "c": "high", "d": "high"}}
    >>> crossed = bb.load_wordlist({"groups": words, "stereotypes": own, "facets": facets})
    >>> table = bb.distance_table(bb.load_vectors("glove-demo", crossed), crossed)
    >>> bb.facet_contrasts(bb.fit(table, seed=1), crossed)[["contrast", "mean"]].round(2)
                           contrast  mean
    0                   men − women -0.09
    1                    low − high  0.06
    2  (men − women) × (low − high) -0.12
    """
    names = facets.facets if isinstance(facets, WordList) else facets
    levels, gaps, _ = contrast_draws(tree, over)
    is_group = (levels["level"] == GROUP).to_numpy()
    groups = levels.loc[is_group, "protected_group"].tolist()
    cells, sets = _cells(groups, names)
    effects = _effects(sets)
    weights = np.stack([cell_weights.ravel() for _, _, cell_weights in effects]) @ cells
    things = pd.DataFrame([effect[:2] for effect in effects], columns=["facets", "contrast"])
    connections = labels(tree, "connection")
    reading = reading_of(tree, ci_prob, rope, ci_kind)
    frame = describe_gaps(weights @ gaps[:, is_group], connections, things, reading)
    return carry_warnings(frame, tree)


def _cells(groups: Sequence[str], facets: Facets) -> tuple[FloatArray, dict[str, list[str]]]:
    """Return weights of groups in the mean of every cell, (n_cells, n_groups), and the labels."""
    if not facets:
        raise ValueError(
            "there are no facets; give a dict such as {'gender': {'black_women': 'women', ...}, "
            "'race': {...}}, or a list with [facets.gender] and [facets.race]"
        )
    for facet, given in facets.items():
        for group in given:
            if group not in groups:
                raise ValueError(f"facet {facet}: {unknown_name('group', group, groups)}")
        if len(set(given.values())) < 2:
            raise ValueError(f"facet {facet}: needs two labels or more to compare")
    sets = {facet: list(dict.fromkeys(given.values())) for facet, given in facets.items()}
    cells = list(product(*sets.values()))
    weights = np.zeros((len(cells), len(groups)))
    for at, group in enumerate(groups):
        lacking = [facet for facet, given in facets.items() if group not in given]
        if not lacking:
            weights[cells.index(tuple(given[group] for given in facets.values())), at] = 1
        elif len(lacking) < len(facets):
            raise ValueError(f"the group {group} has no label of {', '.join(lacking)}; give it one")
    sizes = weights.sum(axis=1, keepdims=True)
    empty = [" ".join(cells[at]) for at in np.flatnonzero(sizes == 0)]
    if empty:
        raise ValueError(
            f"no group is {', nor '.join(empty)}; main effects and interactions need every "
            "combination of labels"
        )
    return weights / sizes, sets


def _effects(sets: Mapping[str, list[str]]) -> list[tuple[str, str, FloatArray]]:
    """Return facets, contrast and weights of the cells, one axis a facet, of all effects."""
    effects = []
    for n_facets in range(1, len(sets) + 1):
        for some in combinations(sets, n_facets):
            for pairs in product(*(combinations(sets[facet], 2) for facet in some)):
                compared = dict(zip(some, pairs, strict=True))
                weights = [
                    np.array(
                        [(x == compared[facet][0]) - float(x == compared[facet][1]) for x in of]
                    )
                    if facet in compared
                    else np.full(len(of), 1 / len(of))
                    for facet, of in sets.items()
                ]
                contrasts = [f"{one} − {other}" for one, other in pairs]
                contrast = " × ".join(f"({text})" for text in contrasts)
                contrast = contrast if n_facets > 1 else contrasts[0]
                effects.append((" × ".join(some), contrast, reduce(np.multiply.outer, weights)))
    return effects
