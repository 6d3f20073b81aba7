r"""Move distances to stereotypes to equal word frequency, by slopes on the matched controls.

Frequent words are close to frequent words. Let `r[j]` be the log rank of attribute j, and let k be
the matched controls, which may have any meaning. The slope of protected word i is the regression of
its distances to the controls on their log ranks:

    b[i] = Σ_k (r[k] - r̄_K) y[i, k] / S,    S = Σ_k (r[k] - r̄_K)²
    y'[i, j] = y[i, j] - b[i] (r[j] - r̄)

for stereotypes j, with r[j] limited to the range of the controls, and r̄ their mean. A stereotype
without a rank counts as average, and `fit` warns. Models are fitted to y'.

Covariates are moved in the same way, with the slopes of their own values. Otherwise, what they
share with the controls' ranks would be removed from distances alone, and counted twice.

The error of the slopes is that of the controls, because other words of these ranks give other
slopes. Controls are common to all words, so the errors of groups correlate. With the residuals of
controls averaged over the words of a group, `e[g, k]`, the covariance of the groups' mean slopes is

    C[g, h] = n / (n - 2) Σ_k x[k]² e[g, k] e[h, k],    x[k] = (r[k] - r̄_K) / S

for n controls. A contrast with cell weights `w[g, s]` (groups by sets, whose mean log ranks are
`r̄[s]`) thus has the additional variance `v' C v`, where `v[g] = Σ_s w[g, s] (r̄[s] - r̄)`.
"""

from __future__ import annotations

from dataclasses import replace
from enum import StrEnum

import numpy as np

from .._core.arrays import FloatArray, IntArray
from .design import Design, cell_means

MATCHED = "matched"
"""Connection of the controls that slopes are estimated from."""

FEWEST = 3
"""Smallest number of matched controls; a line through two has no residuals."""


class Frequency(StrEnum):
    """Whether differences in word frequency were removed from a table or, if not, the reason."""

    EQUAL = "equal"
    NO_RANKS = "no ranks"
    NO_MATCHED = "no matched controls"


def frequency_of(design: Design) -> Frequency:
    """Return whether a design's distances are at equal frequency."""
    stereotypes = design.attribute[design.set >= 0] if design.sets else np.zeros(0, dtype=int)
    if not np.isfinite(design.attribute_rank[stereotypes]).any():
        return Frequency.NO_RANKS
    rows = _matched_rows(design)
    pairs = np.unique([design.word[rows], design.attribute_rank[design.attribute[rows]]], axis=1)
    n_ranks = np.bincount(pairs[0].astype(np.int64), minlength=len(design.words))
    return Frequency.EQUAL if n_ranks.min() >= FEWEST else Frequency.NO_MATCHED


def unranked(design: Design) -> tuple[list[str], int]:
    """Return the stereotypes without a rank, and the number of all, if others have one."""
    if frequency_of(design) is not Frequency.EQUAL:
        return [], 0
    own = np.unique(design.attribute[design.set >= 0])
    lacking = own[np.isnan(design.attribute_rank[own])]
    return [design.attributes[place] for place in lacking.tolist()], len(own)


def at_equal_frequency(design: Design) -> Design:
    """Return a design of measured distances (or changes) that has y' instead of y, if possible."""
    return replace(design, y=equalized(design, design.y))


def equalized(design: Design, values: FloatArray) -> FloatArray:
    """Return distances or other values, (n_rows,), at equal frequency, if possible."""
    if frequency_of(design) is not Frequency.EQUAL:
        return values
    return np.asarray(values - offsets(design, values))


def refitted(design: Design, rows: IntArray) -> Design:
    """Return some rows of a design of y', with the offsets that these rows alone would give."""
    part = design.take(rows)
    if frequency_of(part) is not Frequency.EQUAL:
        return part

    def moved(values: FloatArray) -> FloatArray:
        return values[rows] + offsets(design, values)[rows] - offsets(part, values[rows])

    x = np.apply_along_axis(moved, 0, design.x) if design.covariates else part.x
    return replace(part, y=moved(design.y), x=x)


def offsets(design: Design, values: FloatArray | None = None) -> FloatArray:
    """Return y - y' for a design of y or of y' or for ``values``, (n_rows,); zero for controls."""
    return slopes(design, values)[design.word] * attribute_positions(design)[design.attribute]


def slopes(design: Design, values: FloatArray | None = None) -> FloatArray:
    """Return each protected word's slope b, (n_words,); they are the same for y and y'."""
    rows, centered, squares = _regression(design)
    y = (design.y if values is None else values)[rows]
    return np.bincount(design.word[rows], centered * y, len(squares)) / squares


def slope_scores(design: Design) -> FloatArray:
    """Return `√(n / (n - 2)) x[k] e[g, k]`, (n_groups, n_controls), so that C is its square.

    Scores are linear in the distances. They are empty if distances are not at equal frequency.
    """
    n_groups = len(design.groups)
    if frequency_of(design) is not Frequency.EQUAL:
        return np.zeros((n_groups, 0))
    rows, centered, squares = _regression(design)
    word, y = design.word[rows], design.y[rows]
    mean = np.bincount(word, y, len(squares)) / np.bincount(word, minlength=len(squares))
    residual = y - mean[word] - slopes(design)[word] * centered
    controls, control = np.unique(design.attribute[rows], return_inverse=True)
    group = design.word_group[word]
    n_words = np.bincount(design.word_group, minlength=n_groups)[group]
    scores, n = np.zeros((n_groups, len(controls))), len(controls)
    np.add.at(scores, (group, control), centered / squares[word] * residual / n_words)
    return np.asarray(scores * np.sqrt(n / (n - 2)))


def cell_positions(design: Design) -> FloatArray:
    """Return `r̄[s] - r̄` by group and column, (n_groups, n_columns); zero for controls."""
    place = design.codes("protected_group"), design.codes("attribute_column")
    positions = attribute_positions(design)[design.attribute]
    return np.nan_to_num(cell_means(positions, place, (len(design.groups), len(design.columns))))


def _matched_rows(design: Design) -> IntArray:
    """Return the rows of matched controls that have a rank."""
    rows = design.of_connection(MATCHED)
    return rows[np.isfinite(design.attribute_rank[design.attribute[rows]])]


def _regression(design: Design) -> tuple[IntArray, FloatArray, FloatArray]:
    """Return the rows of matched controls, their r - r̄_K, and every word's S."""
    rows, n = _matched_rows(design), len(design.words)
    word, rank = design.word[rows], np.log(design.attribute_rank[design.attribute[rows]])
    centered = rank - (np.bincount(word, rank, n) / np.bincount(word, minlength=n))[word]
    return rows, centered, np.bincount(word, centered**2, n)


def positions_of(design: Design, ranks: FloatArray) -> FloatArray:
    """Return `r - r̄` for words with these ranks; NaN for unknown ranks."""
    matched = design.attribute_rank[design.attribute[_matched_rows(design)]]
    own = design.attribute_rank[np.unique(design.attribute[design.set >= 0])]
    limited = np.log(np.clip([*ranks, *own], matched.min(), matched.max()))
    return np.asarray(limited[: len(ranks)] - np.nanmean(limited[len(ranks) :]))


def attribute_positions(design: Design) -> FloatArray:
    """Return `r[j] - r̄` of each stereotype, (n_attributes,); zero for others or without a rank.

    They are all zero if distances are not at equal frequency.
    """
    positions = np.zeros(len(design.attributes))
    if frequency_of(design) is not Frequency.EQUAL:
        return positions
    stereotypes = np.unique(design.attribute[design.set >= 0])
    known = positions_of(design, design.attribute_rank[stereotypes])
    positions[stereotypes] = np.nan_to_num(known)
    return positions
