"""Check the words of a measured list before any fit: likeness, single words, and expected width."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pandas as pd

from .._core.intervals import DEFAULT_CI_PROB, check_probability
from ..model.design import Design, cell_means
from ..model.indexing import make_design
from ..model.likeness import effective_number
from ..tables.cosines import LOST, table_cosines
from ..tables.schema import validate_table
from .estimands import double_weights


def list_check(table: pd.DataFrame, ci_prob: float = DEFAULT_CI_PROB) -> pd.DataFrame:
    """Describe how much the words of a measured list can show, before any fit.

    Parameters
    ----------
    table : DataFrame
        A long-form table with cosines, from `distance_table`.
    ci_prob : float
        Probability of the interval, in (0, 1).

    Returns
    -------
    DataFrame
        One row per protected word and stereotype: ``role``; ``name`` of the group or set;
        ``n_words`` and ``n_effective``, as in `effective_sizes`; ``word``; ``cosine``, its mean
        cosine with the others, which is lowest for the least typical word; and ``jackknife``, how
        much the overall contrast of plain means changes without the word.
        ``.attrs["half_width"]`` is the expected half-width of the overall interval.

    Notes
    -----
    The expected half-width is a t quantile times the jackknife error of the contrast. Each group's
    and set's variance is multiplied by ``n_words / n_effective``. A single word shows no variance,
    so its group or set has the mean variance of words in other groups or sets. If all groups or all
    sets have a single word, the half-width is NaN.

    Examples
    --------
    >>> check = bb.list_check(table)
    >>> check.loc[check.groupby("name")["cosine"].idxmin(), ["name", "word", "cosine"]].round(2)
                        name          word  cosine
    9              christian        priest    0.53
    20  christian_stereotype  conservative   -0.00
    1                    jew           jew    0.52
    18        jew_stereotype       liberal    0.11
    13                muslim         quran    0.48
    25     muslim_stereotype    uneducated    0.14
    >>> round(check.attrs["half_width"], 3)
    0.046
    """
    table = validate_table(table)
    check_probability(ci_prob)
    design = make_design(table)
    parts = [
        _checked(table, design, *part)
        for part in (
            ("protected_group", "protected_word", design.groups),
            ("attribute_set", "attribute", design.sets),
        )
    ]
    frame = pd.concat(parts, ignore_index=True)
    frame.attrs = {"half_width": _from_jackknife(frame, ci_prob), "ci_prob": ci_prob}
    return frame


def _checked(
    table: pd.DataFrame, design: Design, role: str, of: str, names: Sequence[str]
) -> pd.DataFrame:
    """Return the rows of `list_check` for protected words or for attributes."""
    matrix, block = design.likeness_of(of)
    if not matrix.size:
        raise ValueError(f"this table has no cosines between its words; {LOST}")
    units, codes, n = design.coords[of], design.codes(of), np.bincount(block)[block]
    weights = double_weights(design)
    has_weight = (weights != 0).any(axis=1 if of == "protected_word" else 0)[block]
    jackknife, whole = np.where(has_weight, np.nan, 0.0), _contrast(design)
    for unit in np.flatnonzero(has_weight & (n > 1)):
        jackknife[unit] = _contrast(design.take(np.flatnonzero(codes != unit))) - whole
    with np.errstate(invalid="ignore"):
        same = (block[:, None] == block) & ~np.eye(len(units), dtype=bool)
        cosine = (np.asarray(table_cosines(table, units)) * same).sum(axis=1) / same.sum(axis=1)
    columns = {"role": role, "name": np.take([*names, ""], np.minimum(block, len(names)))}
    columns |= {"n_words": n, "n_effective": effective_number(matrix, block)[block]}
    frame = pd.DataFrame({**columns, "word": units, "cosine": cosine, "jackknife": jackknife})
    return frame[block < len(names)]


def _contrast(design: Design) -> float:
    """Return the overall contrast of cells' plain means; NaN without own or different rows."""
    place = design.codes("protected_group"), design.codes("attribute_column")
    with np.errstate(invalid="ignore"):
        weights = double_weights(design)
    counts = weights != 0
    return float(weights[counts] @ cell_means(design.y, place, weights.shape)[counts])


def _from_jackknife(frame: pd.DataFrame, ci_prob: float) -> float:
    """Return the expected half-width, given the rows of `list_check`."""
    from scipy.stats import t

    sets = frame.assign(square=frame["jackknife"] ** 2).groupby(["role", "name"])
    n, effective = sets["n_words"].first(), sets["n_effective"].first()
    of_words = sets["square"].sum(min_count=1) * (n - 1)
    shown = of_words[of_words > 0].groupby("role").mean()  # zero if not in the contrast
    variance = of_words.fillna(shown.reindex(of_words.index, level="role")) / effective
    of_roles = pd.DataFrame({"variance": variance, "df": n - 1}).groupby("role").sum(skipna=False)
    total = of_roles["variance"].sum(skipna=False)
    if not total > 0:
        return float(total)
    nu = total**2 / (of_roles["variance"] ** 2 / of_roles["df"].clip(lower=1)).sum()
    return float(t.ppf((1 + ci_prob) / 2, nu) * np.sqrt(total))
