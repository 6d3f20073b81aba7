"""Groups that cross facets, such as gender and race: main effects and interactions on draws."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import chain, combinations, product
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from .._core.arrays import FloatArray
from .._core.checks import unknown_name
from .._core.intervals import DEFAULT_CI_KIND, DEFAULT_CI_PROB
from ..model.tree import labels as connection_names
from ..sampling.options import DEFAULT_ROPE
from ..tables.wordlists import WordList
from .contrasts import group_draws, pair_contrasts
from .summaries import carry_warnings, levels

if TYPE_CHECKING:
    from xarray import DataTree

type Facets = Mapping[str, Mapping[str, str]]
"""Labels of groups by the facet: ``{"gender": {"black_women": "women", ...}, "race": ...}``."""


def facet_contrasts(
    tree: DataTree,
    facets: Facets | WordList,
    *,
    ci_prob: float = DEFAULT_CI_PROB,
    rope: float = DEFAULT_ROPE,
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
    >>> bb.facet_contrasts(bb.fit(table, seed=1), crossed)["contrast"].tolist()
    ['men − women', 'low − high', '(men − women) × (low − high)']
    """
    labels = facets.facets if isinstance(facets, WordList) else facets
    cells, sets = _cells(group_draws(list(levels(tree, over))), labels)
    names, effects, draws = zip(*_effects(cells, sets), strict=True)
    frame = pair_contrasts(
        np.stack(draws, axis=1),
        connection_names(tree, "connection"),
        ci_prob,
        rope,
        ci_kind,
        facets=names,
        contrast=effects,
    )
    return carry_warnings(frame, tree)


def _cells(
    groups: Mapping[str, FloatArray], facets: Facets
) -> tuple[FloatArray, dict[str, list[str]]]:
    """Return draws by labels, (n_draws, n_connections, n_labels of each facet), and the labels."""
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
    homes: dict[tuple[str, ...], list[FloatArray]] = {}
    for group in groups:
        lacking = [facet for facet, given in facets.items() if group not in given]
        if lacking and len(lacking) < len(facets):
            raise ValueError(f"the group {group} has no label of {', '.join(lacking)}; give it one")
        if not lacking:
            home = tuple(given[group] for given in facets.values())
            homes.setdefault(home, []).append(groups[group])
    sets = {facet: list(dict.fromkeys(given.values())) for facet, given in facets.items()}
    empty = [" ".join(cell) for cell in product(*sets.values()) if cell not in homes]
    if empty:
        raise ValueError(
            f"no group is {', nor '.join(empty)}; main effects and interactions need every "
            "combination of labels"
        )
    cells = np.stack([np.mean(homes[cell], axis=0) for cell in product(*sets.values())], axis=-1)
    return cells.reshape(*cells.shape[:2], *map(len, sets.values())), sets


def _effects(
    cells: FloatArray, sets: Mapping[str, list[str]]
) -> Iterator[tuple[str, str, FloatArray]]:
    """Yield facets, contrast and draws, (n_draws, n_connections), of all effects."""
    axes = range(len(sets))
    for some in chain.from_iterable(combinations(axes, size + 1) for size in axes):
        kept = cells.mean(axis=tuple(2 + axis for axis in axes if axis not in some))
        names = [list(sets)[axis] for axis in some]
        for pairs in product(*(combinations(range(len(sets[name])), 2) for name in names)):
            draws, said = kept, []
            for name, (one, other) in zip(names, pairs, strict=True):
                draws = draws[:, :, one] - draws[:, :, other]  # and so the next facet comes third
                said.append(f"{sets[name][one]} − {sets[name][other]}")
            whole = said[0] if len(said) == 1 else " × ".join(f"({each})" for each in said)
            yield " × ".join(names), whole, draws
