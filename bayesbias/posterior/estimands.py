r"""What a group's contrast is about: which cells of groups by columns it compares.

Write m(g, j) for the mean distance of group g in column j: a stereotype set, or a kind of controls.

double difference
    own sets less other sets, averaged over groups. How close a set is to everybody, and a group to
    everything, cancels. It is what two groups without controls identify. Where groups share a set,
    or lack one, cells have the weights of a regression on group, column and connection.
relative
    a group's own sets, this group against the others, less the same difference in the controls:
    :math:`[m(g, S_g) - \overline{m}(h, S_g)] - [m(g, K) - \overline{m}(h, K)]` over the groups h
    that the set is different to. Without controls, sets that are different to both groups take
    their place. It answers *for whom*: the average over groups is the double difference.
within
    a group's own sets less other sets, :math:`m(g, S_g) - \overline{m}(g, S_h)`. It describes these
    words; it includes how close each set is to everybody.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from .._core.arrays import FloatArray
from ..model.design import Design, one_hot
from ..model.spec import ModelSpec
from ..model.terms import Term
from ..tables.schema import ROUNDING

DOUBLE, RELATIVE, WITHIN = ("double difference", "relative", "within")
"""Names of the estimands."""


type Values = Callable[[str], FloatArray]
"""Draws of a variable by its name, (n_draws, ...)."""


def has_cells(spec: ModelSpec) -> bool:
    """Whether the model has a mean of every group in every column."""
    return any(term.constraint == "cells" for term in spec.terms)


def baseline_columns(design: Design, one: int, other: int) -> list[int]:
    """Columns that show how much closer one group is to anything than another group.

    Matched controls, which are as frequent as the stereotypes, where there are some; else all
    controls; else the sets that are different to both groups.
    """
    present = (design.column_connection[[one, other]] >= 0).all(axis=0)
    controls = [j for j in range(len(design.sets), len(design.columns)) if present[j]]
    matched = [j for j in controls if design.columns[j] == "matched"]
    names = np.array([*design.connections, ""])[design.column_connection[[one, other]]]
    different = [j for j in range(len(design.sets)) if (names[:, j] == "different").all()]
    return matched or controls or different


def relative_weights(design: Design) -> FloatArray:
    """Weights of cells in every group's relative contrast, (n_groups, n_groups, n_columns).

    NaN for a group whose contrast the table does not identify.
    """
    n_groups, n_columns = len(design.groups), len(design.columns)
    names = np.array([*design.connections, ""])[design.column_connection]
    weights = np.full((n_groups, n_groups, n_columns), np.nan)
    for g in range(n_groups):
        pairs = [
            (h, j, base)
            for j in np.flatnonzero(names[g] == "associated")
            for h in np.flatnonzero(names[:, j] == "different")
            if (base := baseline_columns(design, g, int(h)))
        ]
        if pairs:
            weights[g] = 0.0
        for h, j, base in pairs:
            for group, sign in ((g, 1.0), (h, -1.0)):
                weights[g, group, j] += sign / len(pairs)
                weights[g, group, base] -= sign / len(pairs) / len(base)
    return weights


def double_weights(design: Design) -> FloatArray:
    """Weights of cells in the double difference, (n_groups, n_columns).

    Those of "associated" in a regression of the stereotypes' cells on groups and columns.
    """
    names = np.array([*design.connections, ""])[design.column_connection]
    group, column = np.nonzero((names == "associated") | (names == "different"))
    own = (names[group, column] == "associated").astype(np.float64)
    effects = np.vstack([one_hot(group, len(names)), one_hot(column, names.shape[1])]).T
    rest = own - effects @ np.linalg.lstsq(effects, own, rcond=None)[0]
    weights = np.zeros(names.shape)
    # Without a rest, own sets are a matter of group and column; the plain means remain.
    is_known = rest @ rest > ROUNDING
    plain = own / own.sum() - (1 - own) / (1 - own).sum()
    weights[group, column] = rest / (rest @ own) if is_known else plain
    return weights


def cell_means(design: Design, spec: ModelSpec, values: Values) -> FloatArray:
    """Draws of the mean of every group in every column, (n_draws, n_groups, n_columns)."""
    cells = next(term for term in spec.terms if term.constraint == "cells")
    return values("connection_mean")[:, design.column_connection] + values(cells.name)


def group_means(design: Design, spec: ModelSpec, values: Values) -> FloatArray:
    """Draws of the mean of every group's cells by connection, (n_draws, n_groups, n_connections).

    Those of all groups where this one has no cell of a connection.
    """
    place = design.column_connection
    inside = np.stack([place == c for c in range(len(design.connections))], axis=-1)
    inside = np.where(inside.any(axis=1, keepdims=True), inside, inside.any(axis=0)[None])
    shares = inside / inside.sum(axis=1, keepdims=True)
    return np.asarray(np.einsum("ngj,gjc->ngc", cell_means(design, spec, values), shares))


def double_difference(design: Design, spec: ModelSpec, values: Values) -> FloatArray:
    """Draws of the double difference, (n_draws,)."""
    weights = double_weights(design)
    return np.asarray(np.einsum("ngj,gj->n", cell_means(design, spec, values), weights))


def relative_of_groups(design: Design, spec: ModelSpec, values: Values) -> FloatArray:
    """Draws of the relative contrasts of groups, (n_draws, n_groups); NaN where not identified."""
    weights = relative_weights(design)
    return np.asarray(np.einsum("ngj,kgj->nk", cell_means(design, spec, values), weights))


def relative_contrasts(
    design: Design, spec: ModelSpec, values: Values
) -> tuple[FloatArray, FloatArray]:
    """Draws of the relative contrasts of groups, (n_draws, n_groups), and of words, (.., n_words).

    NaN for a group, and its words, that the table does not identify. A word's contrast replaces its
    group's mean by the word's own.
    """
    of_groups = relative_of_groups(design, spec, values)
    index = np.arange(len(design.groups))
    own = relative_weights(design)[index, index]
    deviations = np.zeros((len(of_groups), len(design.words)))
    for term in spec.summed_terms:
        if term.of == "protected_word":
            effects = values(term.name).reshape(len(of_groups), len(design.words), -1)
            levels = _columns_of(design, term)  # (n_groups, n_columns, n_levels)
            of_word = np.einsum("gj,gjl->gl", own, levels)[design.word_group]
            deviations += np.einsum("nwl,wl->nw", effects, of_word)
    return of_groups, of_groups[:, design.word_group] + deviations


def _columns_of(design: Design, term: Term) -> FloatArray:
    """Which level of a term's crossing each cell has, (n_groups, n_columns, n_levels)."""
    shape = design.column_connection.shape
    if not term.by:
        return np.ones((*shape, 1))
    level = np.full(shape, -1)
    rows = design.codes("protected_group"), design.codes("attribute_column")
    level[rows] = design.codes(term.by)
    indicators = one_hot(level.ravel(), len(design.coords[term.by])).T
    return indicators.reshape(*shape, -1)
