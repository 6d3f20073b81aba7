"""Compute main effects and interactions of crossed facets, such as gender and race."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import combinations, product
from math import prod

import numpy as np
import pandas as pd

from .._core.arrays import FloatArray
from .._core.checks import check_choice
from .estimands import average, pair_gaps

type Facets = Mapping[str, Mapping[str, str]]
"""Labels of groups, keyed by facet: ``{"gender": {"black_women": "women", ...}, "race": ...}``."""


def facet_effects(
    groups: Sequence[str], of_groups: FloatArray, facets: Facets
) -> tuple[pd.DataFrame, FloatArray]:
    r"""Compute facet effects from (n_draws, n_groups, k) draws for groups.

    Let `g[a, b]` be the value of the group with label a in one facet and b in another. The main
    effect of a versus a' is the unweighted mean over b of `g[a, b] - g[a', b]`. The interaction
    with b versus b' is `(g[a, b] - g[a', b]) - (g[a, b'] - g[a', b'])`. If there are more facets,
    effects are averaged over the other facets. Groups without labels are left out, and groups with
    the same labels are averaged. Averages leave out NaN; without other values, the effect is NaN.

    Returns
    -------
    DataFrame
        ``facets`` (``gender``, or ``gender × race``) and ``contrast`` (``women − men``, or ``(women
        − men) × (black − white)``). Main effects come first.
    (n_draws, n_effects, k) float
    """
    labels = _labels_of(groups, facets)
    sets = {facet: list(dict.fromkeys(of.values())) for facet, of in facets.items()}
    is_cell = [labels.eq(list(cell)).all(axis=1).to_numpy() for cell in product(*sets.values())]
    cells = np.stack([average(of_groups[:, own]) for own in is_cell], axis=1)
    n_draws, *_, k = cells.shape
    cells = cells.reshape(n_draws, *map(len, sets.values()), k)
    rows, effects = [], []
    chosen = [some for n in range(1, len(sets) + 1) for some in combinations(sets, n)]
    for some in chosen:
        effect, others = cells, list[int]()
        for axis, facet in enumerate(sets, start=1):
            if facet in some:
                effect = np.moveaxis(pair_gaps(np.moveaxis(effect, axis, -1)), -1, axis)
            else:
                others.append(axis)
        effect = np.moveaxis(effect, others, range(1, 1 + len(others)))
        n_cells = prod(cells.shape[axis] for axis in others)
        effects.append(average(effect.reshape(n_draws, n_cells, -1)).reshape(n_draws, -1, k))
        for pairs in product(*(combinations(sets[facet], 2) for facet in some)):
            texts = [f"{one} − {other}" for one, other in pairs]
            contrast = texts[0] if len(some) == 1 else " × ".join(f"({text})" for text in texts)
            rows.append((" × ".join(some), contrast))
    return pd.DataFrame(rows, columns=["facets", "contrast"]), np.concatenate(effects, axis=1)


def _labels_of(groups: Sequence[str], facets: Facets) -> pd.DataFrame:
    """Return the labels of groups, one column per facet; NaN for groups without labels."""
    for facet, of in facets.items():
        for group in of:
            check_choice(f"group in facet {facet}:", group, groups)
    frame = pd.DataFrame(dict(facets), pd.Index(groups), dtype=object)
    is_known = frame.notna()
    if partly := list(frame.index[is_known.any(axis=1) & ~is_known.all(axis=1)]):
        raise ValueError(f"the group {partly[0]} has no label for one of the facets; add one")
    for facet, of in facets.items():
        if len({*of.values()}) < 2:
            raise ValueError(f"the facet {facet!r} needs two or more different labels of groups")
    cells = set(product(*(of.values() for of in facets.values())))
    empty = sorted(cells - set(frame.itertuples(index=False, name=None)))
    if empty or not facets:
        lacking = (
            f"no group is labeled {' or '.join(map(' '.join, empty))}" if empty else "no facets"
        )
        raise ValueError(
            f"{lacking}; main effects and interactions need a group for each combination of labels"
        )
    return frame
