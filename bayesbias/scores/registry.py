"""The scores of a word list, keyed by name, with their properties.

For a word list, X and Y are the protected words of two groups, and A and B are their stereotypes.
For scores of targets and protected groups, the stereotypes of all groups are the targets.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from importlib.resources import files
from typing import Literal, get_args

import numpy as np
import pandas as pd

from .._core.arrays import FloatArray, unit_rows
from .._core.checks import check_choice
from .directions import relation_vector, signed_cosines
from .groups import (
    cosines_of_means,
    divergence,
    mean_distances,
    negative_direction,
    negative_log_probability,
    own_associations,
    rank_correlation,
    relative_distances,
)
from .list_rows import ListRows, Scope
from .permutation import Alternative, PermutationTest, permutation_test
from .poles import semantic_axis, weat_effect, word_effects
from .subspace import bias_subspace, lengths_along, principal_components

Reading = Literal[
    "closer to own stereotype",
    "more difference between groups",
    "more difference between stereotypes",
    "closer to all stereotypes",
    "stereotypes toward the first group",
]
"""The meanings of scores that move in the direction of more bias."""

Direction = Literal["higher", "lower"]


@dataclass(frozen=True)
class ListScore:
    """A score for a word list; you can pass your own scores to `score_table`.

    Parameters
    ----------
    value : function of ListRows
        Computes the score for the given groups; raises ValueError if the score is undefined.
    scope : {"all", "pair", "ordered"}
        Whether to compute the score from all groups at once, from every pair, or from every pair in
        both orders.
    choices, note : str
        The variant of the score, and a note for readers. The table shows both.
    test : function of ListRows and Alternative, optional
        The score's permutation test.
    no_bias : float
        The value that means no bias.
    direction, reading : str
        Which ``Direction`` means more bias, and the ``Reading`` of values in that direction. Scores
        that compare groups or sets of stereotypes can also show bias in the opposite direction, but
        scores that measure the size of a difference cannot.
    """

    value: Callable[[ListRows], float]
    scope: Scope
    choices: str = ""
    note: str = ""
    test: Callable[[ListRows, Alternative], PermutationTest] | None = None
    no_bias: float = 0.0
    direction: Direction = "higher"
    reading: Reading = "closer to own stereotype"

    def __post_init__(self) -> None:
        """Refuse an unknown scope or direction."""
        check_choice("scope", self.scope, get_args(Scope))
        check_choice("direction", self.direction, get_args(Direction))


def _means(sets: Iterable[FloatArray]) -> FloatArray:
    return np.stack([units.mean(axis=0) for units in sets])


@lru_cache(maxsize=1)  # several scores of the same rows use them
def _associations(rows: ListRows) -> tuple[FloatArray, FloatArray]:
    """Compute s(w) of the words of two groups."""
    A, B = _means(rows.stereotype_units)
    x, y = (units @ (A - B) for units in rows.protected_units)
    return x, y


def _test(rows: ListRows, alternative: Alternative) -> PermutationTest:
    return permutation_test(*_associations(rows), alternative=alternative, error=rows.precision)


def _statistic(rows: ListRows) -> float:
    x, y = _associations(rows)
    return float(x.sum() - y.sum())


def _nas(rows: ListRows) -> float:
    rows.require_different_stereotypes()
    to_a, to_b = (rows.protected_units[0] @ units.T for units in rows.stereotype_units)
    return float(word_effects(to_a, to_b, error=rows.precision).mean())


@lru_cache(maxsize=1)
def _classifier(rows: ListRows) -> FloatArray:
    rows.require_different_stereotypes()
    A, B = rows.stereotypes
    return negative_direction(A, B)


def _rnsb(rows: ListRows) -> float:
    """Compute RNSB; resampled targets keep the list's classifier, which is slow to train."""
    direction = _classifier(rows.whole or rows)
    return divergence(negative_log_probability(np.vstack(rows.protected), direction))


def _mac(rows: ListRows) -> float:
    names, units = np.concatenate(rows.protected_names), np.vstack(rows.protected_units)
    sets = zip(rows.stereotype_units, rows.stereotype_names, strict=True)
    return float(np.mean([mean_distances(units, others, names, own) for others, own in sets]))


def _along(rows: ListRows, directions: FloatArray) -> float:
    return float(lengths_along(rows.target_units, directions).mean())


def _signed_same(rows: ListRows) -> FloatArray:
    return signed_cosines(rows.target_units, _means(rows.protected_units))


BETWEEN_GROUPS: Reading = "more difference between groups"
TOWARD: Reading = "stereotypes toward the first group"
AS_THEY_ARE = "vectors not scaled"
BY_PLACE = "pairs are words in the same position of each group"

SCORES: dict[str, ListScore] = {
    "weat": ListScore(
        lambda rows: weat_effect(*_associations(rows), error=rows.precision),
        "pair", "effect size, ddof=1", test=_test,
    ),
    "weat_statistic": ListScore(_statistic, "pair", "sum", test=_test),
    "weam": ListScore(
        lambda rows: float(_associations(rows)[0].mean()),
        "ordered", "mean of ψ of the first group",
    ),
    "nas": ListScore(
        _nas, "ordered", "mean of the first group, ddof=1",
        "mean of the effect sizes of SC-WEAT",
    ),
    "semaxis": ListScore(
        lambda rows: float((rows.protected_units[0] @ semantic_axis(*rows.stereotypes)).mean()),
        "ordered", f"mean of the first group, {AS_THEY_ARE}",
    ),
    "rnd": ListScore(
        lambda rows: float(
            relative_distances(rows.protected[0], rows.protected[1], rows.stereotypes[0]).mean()
        ),
        "ordered", f"mean over attributes, {AS_THEY_ARE}",
        "first group's stereotypes; negative means closer to the first group", direction="lower",
    ),
    "ect": ListScore(
        lambda rows: rank_correlation(cosines_of_means(rows.protected, rows.target_units)),
        "pair", AS_THEY_ARE, "higher is less biased",
        no_bias=1.0, direction="lower", reading=BETWEEN_GROUPS,
    ),
    "ripa": ListScore(
        lambda rows: float((rows.targets @ relation_vector(rows.defining_sets)).mean()),
        "pair", f"first component of the pairs, {AS_THEY_ARE}", BY_PLACE, reading=TOWARD,
    ),
    "rnsb": ListScore(
        _rnsb, "pair", f"C=1, {AS_THEY_ARE}",
        "second group's stereotypes as negative words; interval over targets, fixed classifier",
        reading=BETWEEN_GROUPS,
    ),
    "gweat": ListScore(
        lambda rows: float(
            own_associations(_means(rows.protected_units), _means(rows.stereotype_units)).sum()
        ),
        "all",
    ),
    "mac": ListScore(
        _mac, "all", "stereotypes only", "1 means that cosines average to zero",
        no_bias=1.0, direction="lower", reading="closer to all stereotypes",
    ),
    "same": ListScore(
        lambda rows: _along(rows, bias_subspace(_means(rows.protected_units))),
        "all", reading=BETWEEN_GROUPS,
    ),
    "same_skew": ListScore(
        lambda rows: float(_signed_same(rows).mean()), "pair", reading=TOWARD
    ),
    "same_stereotype": ListScore(
        lambda rows: float(_signed_same(rows).std()), "pair",
        reading="more difference between stereotypes",
    ),
    "direct_bias": ListScore(
        lambda rows: _along(
            rows, principal_components(list(map(unit_rows, rows.defining_sets)))[0]
        ),
        "all", "c=1, k=groups-1, unit length", BY_PLACE, reading=BETWEEN_GROUPS,
    ),
}  # fmt: skip
"""Scores of word lists, keyed by name, in the order of tables. To add a score, add it here."""

type Scores = Iterable[str] | Mapping[str, ListScore]
"""Names from ``SCORES``, or your own scores keyed by name."""


def chosen_scores(scores: Scores) -> dict[str, ListScore]:
    """Return the chosen scores, keyed by name; raise ValueError if a name is unknown."""
    if isinstance(scores, str):
        raise TypeError(f"scores must be a list of names; got the string {scores!r}")
    if isinstance(scores, Mapping):
        chosen = dict(scores)
    else:
        names = list(dict.fromkeys(scores))
        for name in names:
            check_choice("score", name, SCORES)
        chosen = {name: SCORES[name] for name in names}
    if not chosen:
        raise ValueError(f"scores is empty; choose from {', '.join(SCORES)}")
    for name, score in chosen.items():
        if not isinstance(score, ListScore):
            raise TypeError(
                f"scores[{name!r}] must be a bb.scores.ListScore, such as "
                f"ListScore(function, scope='pair'); got {type(score).__name__}"
            )
    return chosen


def properties() -> pd.DataFrame:
    """List which scores are comparable and which are trustworthy, with extremes and reasons.

    A score is *comparable* if its extremes over all targets do not depend on the attributes. Values
    from different embeddings or lists are then on the same scale. A score is *trustworthy* if it
    equals its no-bias value only when every target is equally close to all attribute sets. For
    scores that place words between groups, such as SAME, RND, and ECT, words are the targets, and
    groups are the attribute sets. Our tests verify both properties for every score.

    References
    ----------
    Schröder et al. (2024), Semantic properties of cosine based bias scores, table 1.
    Schröder, Schulz, Hammer (2024), The SAME score, theorems 1 and 2.
    """
    with (files(__package__) / "properties.csv").open(encoding="utf-8") as file:
        return pd.read_csv(file, dtype={"lowest": str, "highest": str, "no_bias": str})
