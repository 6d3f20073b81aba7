r"""Estimands: the cells (groups by columns) that each contrast compares.

Let m(g, j) be the mean distance of group g in column j, a stereotype set or a kind of controls.

double difference
    Own sets minus other sets, averaged over groups. The closeness of a set to all groups cancels
    out, and so does that of a group to all sets. Two groups are enough, even without controls. If
    groups share or lack sets, cell weights are from a regression on group, column, and connection.
relative
    A group's distance to its own sets minus that of other groups h, minus the same difference for
    the controls K: `[m(g, S_g) - m̄(h, S_g)] - [m(g, K) - m̄(h, K)]`. Without controls, K contains
    the sets that are different for both groups compared. The contrast shows which groups are
    affected. Its average over groups is the double difference.
within
    A group's own sets minus other sets, `m(g, S_g) - m̄(g, S_h)`. This contrast includes how close
    each set is to all groups, so it describes only these words.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from .._core.arrays import FloatArray
from .._core.checks import check_choice
from ..model.design import Design, one_hot
from ..model.effects import level_shares
from ..model.spec import ModelSpec
from ..tables.schema import ROUNDING

DOUBLE, RELATIVE, WITHIN = ("double difference", "relative", "within")
"""Names of the estimands."""

type Values = Callable[[str], FloatArray]
"""Function that returns the draws of a variable, (n_draws, ...), given its name."""


def has_cells(spec: ModelSpec) -> bool:
    """Return whether the model has a mean for every group and column."""
    return any(term.constraint == "cells" for term in spec.terms)


def pair_names(connections: Sequence[str]) -> dict[str, list[str]]:
    """Return all pairs of names, ``first`` and ``second``, in the order of `pair_gaps`."""
    if len(connections) < 2:
        raise ValueError(f"the table has only the connection {connections[0]}; use two or more")
    ends = zip(("first", "second"), np.triu_indices(len(connections), 1), strict=True)
    return {end: [connections[i] for i in places.tolist()] for end, places in ends}


def pair_gaps(means: FloatArray) -> FloatArray:
    """Return first - second for all pairs of connections as a (..., n_pairs) array."""
    first, second = np.triu_indices(means.shape[-1], 1)
    return np.asarray(means[..., first] - means[..., second])


def pair_place(connections: Sequence[str], first: str, second: str) -> tuple[int, float]:
    """Return the position of a pair in `pair_names`, and a sign: -1 if the order is reversed."""
    for name in (first, second):
        check_choice("connection", name, connections)
    if first == second:
        raise ValueError(f"first and second are both {first!r}; choose two different connections")
    pairs = list(zip(*pair_names(connections).values(), strict=True))
    if (first, second) in pairs:
        return pairs.index((first, second)), 1.0
    return pairs.index((second, first)), -1.0


def shared_gaps(design: Design, spec: ModelSpec, values: Values) -> FloatArray:
    """Return (n_draws, 1 + n_groups, n_pairs) draws of the overall and group contrasts.

    These contrasts do not depend on single words. Models without group means have only the overall
    contrast. Draws are NaN for contrasts that the table does not identify.
    """
    means = values("connection_mean")[:, None]
    if not has_cells(spec):
        return pair_gaps(means)
    cells = _cell_means(design, spec, values)
    gaps = pair_gaps(np.concatenate([means, group_means(design, spec, values)], axis=1))
    if compares_stereotypes(design):
        gaps[:, 0, 0] = np.einsum("ngj,gj->n", cells, double_weights(design))
        gaps[:, 1:, 0] = np.einsum("ngj,kgj->nk", cells, relative_weights(design))
    return gaps


def population_gaps(design: Design, spec: ModelSpec, values: Values) -> FloatArray:
    """Return (n_draws, n_levels, n_pairs) draws of the overall, group, and word contrasts.

    A word's relative contrast uses the word's means instead of its group's means.
    """
    gaps, words = shared_gaps(design, spec, values), pair_gaps(values("word_mean"))
    if not has_cells(spec):
        gaps = np.concatenate([gaps, averages(design, words)], axis=1)
    elif compares_stereotypes(design):
        words[..., 0] = gaps[:, 1 + design.word_group, 0] + _word_deviations(design, spec, values)
    return np.concatenate([gaps, words], axis=1)


def compares_stereotypes(design: Design) -> bool:
    """Return whether the first pair of connections consists of associated and different."""
    return list(design.connections[:2]) == ["associated", "different"]


def relative_weights(design: Design) -> FloatArray:
    """Return (n_groups, n_groups, n_columns) cell weights of each group's relative contrast.

    The weights are NaN for groups whose contrast the table does not identify.
    """
    names = _names_of_cells(design)
    weights = np.full((len(names), *names.shape), np.nan)
    for g, of_group in enumerate(names):
        pairs = [
            (h, j, baseline)
            for j in np.flatnonzero(of_group == "associated").tolist()
            for h in np.flatnonzero(names[:, j] == "different").tolist()
            if (baseline := _baseline_columns(design, names[[g, h]]))
        ]
        if pairs:
            weights[g] = 0.0
        for h, j, baseline in pairs:
            for group, sign in ((g, 1.0), (h, -1.0)):
                weights[g, group, j] += sign / len(pairs)
                weights[g, group, baseline] -= sign / len(pairs) / len(baseline)
    return weights


def _baseline_columns(design: Design, names: np.ndarray) -> list[int]:
    """Return the columns that show how much closer one of two groups is to all words.

    These are the matched controls, which are as frequent as the stereotypes. If there are none,
    these are all controls or, without controls, the sets that are different for both groups.
    """
    present = np.flatnonzero((names != "").all(axis=0)).tolist()
    controls = [j for j in present if j >= len(design.sets)]
    matched = [j for j in controls if design.columns[j] == "matched"]
    different = [j for j in present if (names[:, j] == "different").all()]
    return matched or controls or different


def double_weights(design: Design) -> FloatArray:
    """Return (n_groups, n_columns) cell weights of the double difference.

    The weights are those of "associated" in a regression of stereotype cells on group and column.
    """
    names = _names_of_cells(design)
    group, column = np.nonzero((names == "associated") | (names == "different"))
    own = (names[group, column] == "associated").astype(np.float64)
    effects = np.vstack([one_hot(group, len(names)), one_hot(column, names.shape[1])]).T
    rest = own - effects @ np.linalg.lstsq(effects, own, rcond=None)[0]
    weights = np.zeros(names.shape)
    # If the group and the column determine which sets are own sets, use plain means.
    is_known = rest @ rest > ROUNDING
    plain = own / own.sum() - (1 - own) / (1 - own).sum()
    weights[group, column] = rest / (rest @ own) if is_known else plain
    return weights


def _names_of_cells(design: Design) -> np.ndarray:
    """Return the connection of every cell, (n_groups, n_columns); empty if it has no rows."""
    return np.array([*design.connections, ""])[design.column_connection]


def averages(design: Design, of_words: FloatArray) -> FloatArray:
    """Average (n_draws, n_words, k) values within groups to get (n_draws, n_groups, k) means."""
    index = range(len(design.groups))
    return np.stack([of_words[:, design.word_group == g].mean(axis=1) for g in index], axis=1)


def group_means(design: Design, spec: ModelSpec, values: Values) -> FloatArray:
    """Return (n_draws, n_groups, n_connections) draws of each group's mean by connection.

    If a group has no cells for a connection, the mean is over the columns of all groups.
    """
    inside = design.column_connection[..., None] == np.arange(len(design.connections))
    inside = np.where(inside.any(axis=1, keepdims=True), inside, inside.any(axis=0))
    shares = inside / inside.sum(axis=1, keepdims=True)
    return np.asarray(np.einsum("ngj,gjc->ngc", _cell_means(design, spec, values), shares))


def _cell_means(design: Design, spec: ModelSpec, values: Values) -> FloatArray:
    """Return draws of every group's mean in every column, (n_draws, n_groups, n_columns)."""
    cells = next(term for term in spec.terms if term.constraint == "cells")
    return values("connection_mean")[:, design.column_connection] + values(cells.name)


def _word_deviations(design: Design, spec: ModelSpec, values: Values) -> FloatArray:
    """Return draws of each word's relative contrast minus that of its group, (n_draws, n_words)."""
    index = np.arange(len(design.groups))
    own = relative_weights(design)[index, index]
    deviations = np.zeros(())
    for term in spec.terms_of("protected_word"):
        effects = values(term.name)
        effects = effects.reshape(*effects.shape[:2], -1)
        shares = level_shares(design, term.by, "attribute_column")
        weights = np.einsum("gj,gjl->gl", own, shares)[design.word_group]
        deviations = deviations + np.einsum("nwl,wl->nw", effects, weights)
    return deviations
