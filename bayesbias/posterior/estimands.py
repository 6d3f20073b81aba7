r"""Estimands: the cells (groups by columns) that each contrast compares.

Let m(g, j) be the mean distance of group g in column j, a stereotype set or a kind of controls, at
equal word frequency (`bayesbias.model.frequency`). S_g are the sets of group g. Controls have no
weight in the default rows (own minus other sets), because a topic can be close to a whole group.

=================== ========================================================== =====================
estimand            formula                                                    default rows
=================== ========================================================== =====================
double difference   mean over g of m(g, S_g) - m(g, S_h), balanced so that the overall; words if no
                    closeness of sets and of groups cancels                    group is identified
plain difference    mean of own cells - mean of other cells, if only one set   overall; words if no
                    or only one group is there, so nothing can cancel          group is identified
relative            mean over h of [m(g, S_g) - m(h, S_g)] - [m(g, T) - m(h,   groups, words
                    T)], T = sets that are different for both g and h
within              m(g, first) - m(g, second); overall, the mean over the     overall, in models
                    groups that have both, or over words                       without group means
=================== ========================================================== =====================

double difference
    Two groups are enough, even without controls. If a group has several sets, S_g is their mean. If
    groups share or lack sets, cell weights are from a regression on group, column, and connection.
plain difference
    With only one set, the contrast includes how close each group is to everything; with only one
    group, how close each set is to everything.
relative
    The contrast shows which groups are affected, and needs three groups. With two groups, a list
    shows only how the groups differ on both sets together. Which group accounts for it depends on
    what its closeness to the topic is compared with (`bayesbias.posterior.splits`). If all groups
    have own sets, and no set is shared or lacking, the average is the double difference.
within
    This contrast includes how close each set is to all groups, so it describes only these words.
    Comparisons with controls are of this kind, and so are rows of groups if no group is identified.
    In models without group means, the overall row is an average over words, so the closeness of
    sets cancels only if groups have equally many words and sets. If a group lacks own or other
    sets, the row includes how close this group is to everything; leave the group out.

A group or word without rows of a connection has no mean and no contrast for it.

A word's contrast is that of its group (or the overall one), plus the word's deviation in m(own
sets) - m(different sets), so words of a group vary around the group.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
from numpy.random import default_rng
from numpy.typing import NDArray

from .._core.arrays import FloatArray, IntArray
from .._core.checks import check_choice
from ..model.design import Design, one_hot
from ..model.effects import group_means, level_shares
from ..model.frequency import Frequency, cell_positions, frequency_of, slope_scores
from ..model.spec import ModelSpec
from ..model.terms import Term
from ..tables.schema import ROUNDING

DOUBLE, PLAIN, RELATIVE, WITHIN = ("double difference", "plain difference", "relative", "within")
"""Names of the estimands."""

SLOPES_SEED = 47
"""Seed of the errors of slopes, which are independent of a posterior's draws."""

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
    if not has_cells(spec):
        return pair_gaps(values("connection_mean")[:, None])
    cells = cell_draws(design, spec, values)
    gaps = pair_gaps(means_of_groups(design, spec, values))
    gaps = np.concatenate([average(gaps)[:, None], gaps], axis=1)
    if compares_stereotypes(design):
        gaps[:, 0, 0] = np.einsum("ngj,gj->n", cells, double_weights(design))
        gaps[:, 1:, 0] = np.einsum("ngj,kgj->nk", cells, _group_weights(design))
    return gaps


def require_overall(design: Design, spec: ModelSpec, first: str, second: str) -> None:
    """Raise a ValueError if no group has both connections, so no group's contrast is known."""
    place, _ = pair_place(design.connections, first, second)
    if not has_cells(spec) or (place == 0 and compares_stereotypes(design)):
        return
    ends = [design.connections.index(name) for name in (first, second)]
    if not with_rows(design, "protected_group")[:, ends].all(axis=1).any():
        raise ValueError(f"no group has both {first} and {second} rows; choose other connections")


def population_gaps(design: Design, spec: ModelSpec, values: Values) -> FloatArray:
    """Return (n_draws, n_levels, n_pairs) draws of the overall, group, and word contrasts."""
    gaps, words = shared_gaps(design, spec, values), pair_gaps(measured_words(design, values))
    if not has_cells(spec):
        gaps = np.concatenate([gaps, averages(design, words)], axis=1)
    elif compares_stereotypes(design):
        base = 1 + design.word_group if identifies_groups(design) else [0]
        own = gaps[:, base, 0] + _word_deviations(design, spec, values)
        words[..., 0] = np.where(np.isnan(words[..., 0]), np.nan, own)
    return np.concatenate([gaps, words], axis=1)


def compares_stereotypes(design: Design) -> bool:
    """Return whether the first pair of connections consists of associated and different."""
    return list(design.connections[:2]) == ["associated", "different"]


def identifies_groups(design: Design) -> bool:
    """Return whether the contrast of at least one group is identified."""
    return not bool(np.isnan(relative_weights(design)).all())


def groups_without_contrast(design: Design, spec: ModelSpec) -> tuple[str, ...]:
    """Return the groups with own stereotypes whose contrast alone is not identified."""
    if not (has_cells(spec) and compares_stereotypes(design) and identifies_groups(design)):
        return ()
    lacking = np.isnan(relative_weights(design)).any(axis=(1, 2))
    lacking &= (names_of_cells(design) == "associated").any(axis=1)
    return tuple(name for name, lacks in zip(design.groups, lacking, strict=True) if lacks)


def estimand_names(design: Design, spec: ModelSpec, over: str = "population") -> np.ndarray:
    """Return the estimands of all contrasts, (1 + n_groups + n_words, n_pairs)."""
    n, n_groups = len(design.connections), len(design.groups)
    names = np.full((1 + n_groups + len(design.words), n * (n - 1) // 2), WITHIN, dtype=object)
    if compares_stereotypes(design):
        overall = overall_estimand(design)
        if has_cells(spec) or overall == PLAIN:
            names[0, 0] = overall
        if has_cells(spec) and over == "population":
            names[1 + n_groups :, 0] = overall
            if identifies_groups(design):
                names[1:, 0] = RELATIVE
    return names


def relative_weights(design: Design) -> FloatArray:
    """Return (n_groups, n_groups, n_columns) cell weights of each group's relative contrast.

    The weights are NaN for groups whose contrast the table does not identify.
    """
    names = names_of_cells(design)
    weights = np.full((len(names), *names.shape), np.nan)
    for g, of_group in enumerate(names):
        pairs = [
            (h, j, baseline)
            for j in np.flatnonzero(of_group == "associated").tolist()
            for h in np.flatnonzero(names[:, j] == "different").tolist()
            if (baseline := np.flatnonzero((names[[g, h]] == "different").all(axis=0)).tolist())
        ]
        if pairs:
            weights[g] = 0.0
        for h, j, baseline in pairs:
            for group, sign in ((g, 1.0), (h, -1.0)):
                weights[g, group, j] += sign / len(pairs)
                weights[g, group, baseline] -= sign / len(pairs) / len(baseline)
    return weights


def _group_weights(design: Design) -> FloatArray:
    """Return (n_groups, n_groups, n_columns) cell weights: relative or, if impossible, within."""
    if identifies_groups(design):
        return relative_weights(design)
    weights = np.zeros((len(design.groups), *design.column_connection.shape))
    index = np.arange(len(design.groups))
    weights[index, index] = _own_minus_different(design)
    return np.where(np.isnan(weights).any(axis=(1, 2), keepdims=True), np.nan, weights)


def _own_minus_different(design: Design) -> FloatArray:
    """Return (n_groups, n_columns) weights of own minus different sets; NaN if one is missing."""
    names = names_of_cells(design)
    sides = ((names == side).astype(np.float64) for side in ("associated", "different"))
    with np.errstate(invalid="ignore"):
        own, different = (side / side.sum(axis=1, keepdims=True) for side in sides)
    return np.asarray(own - different)


def overall_estimand(design: Design) -> str:
    """Return the name of the overall contrast of own and other sets."""
    return DOUBLE if _overall(design)[1] else PLAIN


def double_weights(design: Design) -> FloatArray:
    """Return (n_groups, n_columns) cell weights of the double or plain difference.

    The weights are those of "associated" in a regression of stereotype cells on group and column,
    where the sets of one group count as one column, their mean. If groups and columns determine
    which sets are own sets, the weights are those of plain means.
    """
    return _overall(design)[0]


def _overall(design: Design) -> tuple[FloatArray, bool]:
    """Return the cell weights of the overall contrast, and whether closeness cancels in it."""
    names = names_of_cells(design)
    joint, size = _joint_columns(names)
    group, column = np.nonzero((names == "associated") | (names == "different"))
    own = (names[group, column] == "associated").astype(np.float64)
    effects = np.vstack([one_hot(group, len(names)), one_hot(joint[column], names.shape[1])]).T
    of_cells = 1 / size[column]  # the cells of a joint column weigh as much as one cell
    weighted = np.sqrt(of_cells)[:, None] * effects
    fitted = effects @ np.linalg.lstsq(weighted, np.sqrt(of_cells) * own, rcond=None)[0]
    rest = (own - fitted) * of_cells
    weights, cancels = np.zeros(names.shape), bool(rest @ rest > ROUNDING)
    plain = own / own.sum() - (1 - own) / (1 - own).sum()
    weights[group, column] = rest / (rest @ own) if cancels else plain
    return weights, cancels


def _joint_columns(names: np.ndarray) -> tuple[IntArray, IntArray]:
    """Return the first column that each column is joined with, and how many are joined.

    The sets that belong to one group, and to no other group, are joined if groups have the same.
    """
    has_owner = (names == "associated").sum(axis=0) == 1
    is_same = (names[:, :, None] == names[:, None]).all(axis=0) & has_owner
    is_same |= np.eye(len(has_owner), dtype=bool)
    return is_same.argmax(axis=1), is_same.sum(axis=1)


def names_of_cells(design: Design) -> np.ndarray:
    """Return the connection of every cell, (n_groups, n_columns); empty if it has no rows."""
    return np.array([*design.connections, ""])[design.column_connection]


def _kinds_of_cells(design: Design) -> NDArray[np.bool_]:
    """Mark the connection of every cell, (n_groups, n_columns, n_connections)."""
    return np.asarray(design.column_connection[..., None] == np.arange(len(design.connections)))


def with_rows(design: Design, of: str) -> NDArray[np.bool_]:
    """Mark the connections that words or groups have rows of, (n_units, n_connections)."""
    found = np.zeros((len(design.coords[of]), len(design.connections)), dtype=bool)
    found[design.codes(of), design.connection] = True
    return found


def measured_words(design: Design, values: Values) -> FloatArray:
    """Return draws of each word's mean by connection; NaN for connections without rows."""
    return np.where(with_rows(design, "protected_word"), values("word_mean"), np.nan)


def average(of_units: FloatArray) -> FloatArray:
    """Average (n_draws, n_units, k) values over the units without NaN to get (n_draws, k) means."""
    known = ~np.isnan(of_units)
    with np.errstate(invalid="ignore"):
        return np.asarray(np.where(known, of_units, 0.0).sum(axis=1) / known.sum(axis=1))


def averages(design: Design, of_words: FloatArray) -> FloatArray:
    """Average (n_draws, n_words, k) values within groups to get (n_draws, n_groups, k) means."""
    index = range(len(design.groups))
    return np.stack([average(of_words[:, design.word_group == g]) for g in index], axis=1)


def means_of_groups(design: Design, spec: ModelSpec, values: Values) -> FloatArray:
    """Return (n_draws, n_groups, n_connections) draws of each group's mean by connection.

    They are NaN for connections without rows.
    """
    means = group_means(design, values("connection_mean"), values(_cells(spec).name))
    return np.where(with_rows(design, "protected_group"), means, np.nan)


def _cells(spec: ModelSpec) -> Term:
    return next(term for term in spec.terms if term.constraint == "cells")


def cell_draws(design: Design, spec: ModelSpec, values: Values) -> FloatArray:
    """Return draws of every group's mean in every column, (n_draws, n_groups, n_columns)."""
    return values("connection_mean")[:, design.column_connection] + values(_cells(spec).name)


def _word_deviations(design: Design, spec: ModelSpec, values: Values) -> FloatArray:
    """Return draws of each word's own minus different sets, less its group's, (n_draws, n_words).

    They are NaN for words of groups without own or different sets.
    """
    cells = _own_minus_different(design)
    deviations = np.zeros(())
    for term in spec.terms_of("protected_word"):
        effects = values(term.name)
        effects = effects.reshape(*effects.shape[:2], -1)
        shares = level_shares(design, term.by, "attribute_column")
        weights = np.einsum("gj,gjl->gl", cells, shares)[design.word_group]
        deviations = deviations + np.einsum("nwl,wl->nw", effects, weights)
    return deviations


def slope_errors(design: Design, n: int) -> FloatArray:
    """Draw errors of the groups' mean slopes on log rank, (n, n_groups), from a fixed seed."""
    scores = slope_scores(design)
    return default_rng(SLOPES_SEED).standard_normal((n, scores.shape[1])) @ scores.T


def with_slope_errors(
    design: Design, spec: ModelSpec, values: Values, errors: FloatArray
) -> Values:
    """Return a function that adds (n_draws, n_groups) errors of slopes to means at equal frequency.

    An error moves the mean of a group and set in proportion to the set's mean log rank.
    """
    if frequency_of(design) is not Frequency.EQUAL:
        return values
    moved = -errors[:, :, None] * cell_positions(design)
    of_kind = _kinds_of_cells(design)
    of_means = of_kind / np.maximum(of_kind.sum(axis=(0, 1)), 1)
    of_words = level_shares(design, "attribute_column")[design.word_group]
    shifts = {
        "connection_mean": np.einsum("ngj,gjc->nc", moved, of_means),
        "word_mean": np.einsum("nwj,wcj->nwc", moved[:, design.word_group], of_words),
    }
    for term in spec.terms:
        if term.constraint == "cells":
            shifts[term.name] = moved - shifts["connection_mean"][:, design.column_connection]

    def shifted(name: str) -> FloatArray:
        return values(name) + shifts[name] if name in shifts else values(name)

    return shifted


def slope_gaps(design: Design, spec: ModelSpec) -> FloatArray:
    """Return how a slope's error moves contrasts, (n_controls, 1 + n_groups, n_pairs).

    The sum of squares over controls is the variance that equal frequency adds to a contrast.
    """
    scores = slope_scores(design).T
    zero = {"connection_mean": np.zeros((len(scores), len(design.connections)))}
    for term in spec.terms:
        if term.constraint == "cells":
            zero[term.name] = np.zeros((len(scores), *design.column_connection.shape))
    values = with_slope_errors(design, spec, zero.__getitem__, scores)
    return shared_gaps(design, spec, values)
