"""The scores that can be computed on a word list: adding one is a file and an entry here.

On a word list the protected words of its groups are X and Y and their stereotypes A and B; for
scores of targets and protected groups the stereotypes of all groups are the targets.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Literal

import numpy as np

from .._core.arrays import FloatArray
from .._core.checks import unknown_name
from .direct_bias import direct_bias_of
from .ect import ect_of
from .gweat import gweat_of
from .list_rows import ListRows, Scope
from .nas import nas_of
from .resampling import (
    Weights,
    direct_bias_draws,
    effect_size_draws,
    gweat_draws,
    mac_draws,
    nas_draws,
    same_draws,
    statistic_draws,
    weam_draws,
)
from .ripa import ripa_of
from .rnd import rnd_of
from .rnsb import divergence_from_uniform, negative_classifier, rnsb_of
from .same import same_of
from .semaxis import semaxis_of
from .weam import psi_of, weam_of
from .weat import effect_sizes

Reading = Literal[
    "closer to own stereotype",
    "more difference between groups",
    "closer to all stereotypes",
    "stereotypes towards the first group",
]
"""What it means that a score moves in its direction."""

Direction = Literal["higher", "lower"]


@dataclass(frozen=True)
class ListScore:
    """A score on a word list.

    Parameters
    ----------
    value : function of ListRows
        The score of the groups given; raises ValueError where it is undefined.
    scope : {"all", "pair", "ordered"}
        Computed on all groups at once, on every pair, or on every ordered pair, of which the
        first group's words are the targets.
    choices : str
        What was chosen, for the table.
    draws : function of ListRows and Weights, optional
        The same under many resamplings of the words; without it they are taken one by one.
    note : str
    no_bias : float
        The value that stands for no bias.
    direction : {"higher", "lower"}
        Which values mean what ``reading`` says.
    reading : str
        What values in that direction mean; scores of one group against others, or of their own
        stereotypes against others', can also lean the other way, sizes of differences cannot.
    """

    value: Callable[[ListRows], float]
    scope: Scope
    choices: str = ""
    draws: Callable[[ListRows, Weights], FloatArray] | None = None
    note: str = ""
    no_bias: float = 0.0
    direction: Direction = "higher"
    reading: Reading = "closer to own stereotype"


def _effect_size(rows: ListRows) -> float:
    x, y = (psi_of(each, *rows.stereotypes) for each in rows.protected)
    value = float(effect_sizes(x, y))
    if np.isnan(value):
        raise ValueError("undefined: all words have the same association")
    return value


def _statistic(rows: ListRows) -> float:
    x, y = (psi_of(each, *rows.stereotypes) for each in rows.protected)
    return float(x.sum() - y.sum())


def _mac(rows: ListRows) -> float:
    value = float(mac_draws(rows, _once(rows))[0])
    if np.isnan(value):
        raise ValueError("undefined: an attribute set holds only the protected word itself")
    return value


def _once(rows: ListRows) -> Weights:
    """Every word once."""
    return Weights(
        tuple(np.full((1, len(each)), 1 / len(each)) for each in rows.protected),
        tuple(np.full((1, len(each)), 1 / len(each)) for each in rows.stereotypes),
        np.ones((1, 0)),
    )


def _ripa(rows: ListRows) -> float:
    sets = rows.defining_sets
    return ripa_of(rows.targets, sets[:, 0], sets[:, 1]).score


def _rnsb_draws(rows: ListRows, weights: Weights) -> FloatArray:
    """Targets resampled; the classifier is that of the whole list."""
    classifier = negative_classifier(*rows.stereotypes)
    probability = classifier.predict_proba(np.vstack(rows.protected))[:, 1]
    counts = np.hstack([each * each.shape[1] for each in weights.protected]).round().astype(int)
    return np.array([divergence_from_uniform(np.repeat(probability, each)) for each in counts])


_PLACES = "pairs are the words in the same place of each group"

SCORES: dict[str, ListScore] = {
    "weat": ListScore(_effect_size, "pair", "effect size, ddof=1", effect_size_draws),
    "weat_statistic": ListScore(_statistic, "pair", "sum", statistic_draws),
    "weam": ListScore(
        lambda rows: weam_of(rows.protected[0], *rows.stereotypes).score,
        "ordered",
        "mean of ψ of the first group",
        weam_draws,
    ),
    "nas": ListScore(
        lambda rows: nas_of(rows.protected[0], *rows.stereotypes).score,
        "ordered",
        "mean of the first group, ddof=1",
        nas_draws,
        "mean of the effect sizes of SC-WEAT",
    ),
    "semaxis": ListScore(
        lambda rows: semaxis_of(rows.protected[0], *rows.stereotypes).score,
        "ordered",
        "mean of the first group, vectors as they are",
    ),
    "rnd": ListScore(
        lambda rows: rnd_of(rows.protected[0], rows.protected[1], rows.stereotypes[0]).score,
        "ordered",
        "vectors as they are",
        note="stereotypes of the first group; negative: nearer to the first",
        direction="lower",
    ),
    "ect": ListScore(
        lambda rows: ect_of(rows.protected[0], rows.protected[1], rows.targets).score,
        "pair",
        "vectors as they are",
        note="higher is less biased",
        no_bias=1.0,
        direction="lower",
        reading="more difference between groups",
    ),
    "ripa": ListScore(
        _ripa,
        "pair",
        "vectors as they are",
        note=_PLACES,
        reading="stereotypes towards the first group",
    ),
    "rnsb": ListScore(
        lambda rows: rnsb_of(np.vstack(rows.protected), *rows.stereotypes).score,
        "pair",
        "C=1",
        _rnsb_draws,
        "second group's stereotypes as negative; interval over targets, classifier kept",
        reading="more difference between groups",
    ),
    "gweat": ListScore(
        lambda rows: gweat_of(rows.protected, rows.stereotypes).score, "all", "", gweat_draws
    ),
    "mac": ListScore(
        _mac,
        "all",
        "stereotypes only",
        mac_draws,
        "1: cosines average to zero",
        no_bias=1.0,
        direction="lower",
        reading="closer to all stereotypes",
    ),
    "same": ListScore(
        lambda rows: same_of(rows.targets, rows.protected).score,
        "all",
        "",
        same_draws,
        reading="more difference between groups",
    ),
    "direct_bias": ListScore(
        lambda rows: direct_bias_of(rows.targets, list(rows.defining_sets)).score,
        "all",
        "c=1, k=groups-1, unit length",
        direct_bias_draws,
        _PLACES,
        reading="more difference between groups",
    ),
}
"""Scores on word lists, by name. `sc_weat` is not here: it is one test a word, not one number."""


def named_score(name: str) -> ListScore:
    """Give a score of the registry; an unknown name is a ValueError that lists them."""
    if name not in SCORES:
        raise ValueError(unknown_name("score", name, SCORES))
    return SCORES[name]


def named_scores(names: Iterable[str]) -> dict[str, ListScore]:
    """Give scores of the registry by name; a single string in place of names is a TypeError."""
    if isinstance(names, str):
        raise TypeError(f"scores must be a list of names; got the string {names!r}")
    return {name: named_score(name) for name in names}
