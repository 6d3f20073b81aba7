"""What a score states of itself, and the scores of a word list by name.

A score is one file of this folder, which ends with its `ListScore`, and one entry in
``scores/__init__.py``. On a word list the protected words of its groups are X and Y and their
stereotypes A and B; for scores of targets and protected groups the stereotypes of all groups are
the targets.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Literal

import pandas as pd

from .._core.arrays import FloatArray
from .._core.checks import unknown_name
from .list_rows import ListRows, Parts, Scope
from .permutation import Alternative, PermutationTest

Reading = Literal[
    "closer to own stereotype",
    "more difference between groups",
    "more difference between stereotypes",
    "closer to all stereotypes",
    "stereotypes towards the first group",
]
"""What it means that a score moves in its direction."""

Direction = Literal["higher", "lower"]

type Weights = Parts[FloatArray]
"""Weights of the words under many resamplings, (n_resamples, n_words_i), whose rows sum to one."""

PAIRS_BY_PLACE = "pairs are the words in the same place of each group"
"""A note of scores along word pairs."""


@dataclass(frozen=True)
class Properties:
    """What is proved of a score, or of what is named instead, and why; see `properties`."""

    comparable: tuple[bool, str]
    trustworthy: tuple[bool, str]
    range: tuple[str, str]
    source: str = "this package's tests"
    name: str = ""


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
    resampled : function of ListRows and Weights, optional
        The same under many resamplings of the words; without it they are taken one by one.
    test : function of ListRows and Alternative, optional
        The score's permutation test.
    no_bias : float
        The value that stands for no bias.
    direction, reading : str
        Which values mean what, of ``Direction`` and ``Reading``. Scores of one group against
        others, or of their own stereotypes against others', can also lean the other way, sizes of
        differences cannot.
    costly : bool
        Whether it takes so long that `robustness` computes it only if it is named.
    width : float
        From the lowest to the highest value that it can have, whatever the list; NaN without one.
    """

    value: Callable[[ListRows], float]
    scope: Scope
    choices: str = ""
    resampled: Callable[[ListRows, Weights], FloatArray] | None = None
    test: Callable[[ListRows, Alternative], PermutationTest] | None = None
    note: str = ""
    no_bias: float = 0.0
    direction: Direction = "higher"
    reading: Reading = "closer to own stereotype"
    costly: bool = False
    width: float = float("nan")
    properties: Properties | None = None

    def value_or_nan(self, rows: ListRows) -> float:
        """Return the score, NaN where it is undefined."""
        try:
            return self.value(rows)
        except ValueError:
            return float("nan")


SCORES: dict[str, ListScore] = {}
"""Scores on word lists by name, in the order of tables; ``scores/__init__.py`` holds the entries.
`sc_weat` is not among them: it is one test a word, not one number."""


def chosen_scores(scores: Iterable[str] | Mapping[str, ListScore]) -> dict[str, ListScore]:
    """Return one or more scores: named, as `named_scores` does, or of one's own by name."""
    found = dict(scores) if isinstance(scores, Mapping) else named_scores(scores)
    if not found:
        raise ValueError(f"scores is empty; name some of {', '.join(SCORES)}")
    for name, score in found.items():
        if not isinstance(score, ListScore):
            raise TypeError(
                f"scores[{name!r}] must be a bb.scores.ListScore, such as "
                f"ListScore(function, scope='pair'); got a {type(score).__name__}"
            )
    return found


def named_scores(names: Iterable[str]) -> dict[str, ListScore]:
    """Return scores of the registry by name; an unknown one is a ValueError that lists them."""
    if isinstance(names, str):
        raise TypeError(f"scores must be a list of names; got the string {names!r}")
    found = dict.fromkeys(names)
    for name in found:
        if name not in SCORES:
            raise ValueError(unknown_name("score", name, SCORES))
    return {name: SCORES[name] for name in found}


def properties() -> pd.DataFrame:
    """Return which scores are comparable and which trustworthy, with the extremes and the reason.

    A score is *comparable* if its extremes over all targets do not depend on the attributes, so
    that values from different embeddings or lists are on one scale. It is *trustworthy* if it
    takes its value of no bias only when every target is equally near to all attribute sets. For
    scores of words between groups, such as SAME, RND and ECT, the words are the targets and the
    groups the attribute sets.

    Returns
    -------
    DataFrame
        One row a score: ``comparable`` and ``trustworthy`` (bool), the
        ``lowest`` and ``highest`` values and that of ``no_bias`` as formulas, the ``source`` of
        the proof, and the reasons. Every entry is shown by a test of the package.

    References
    ----------
    Schröder et al. (2024), Semantic properties of cosine based bias scores, table 1.
    Schröder, Schulz, Hammer (2024), The SAME score, theorems 1 and 2.
    """
    rows = []
    for name, score in SCORES.items():
        if proved := score.properties:
            (comparable, because), (trustworthy, why) = proved.comparable, proved.trustworthy
            told = (proved.name or name, comparable, trustworthy, *proved.range)
            rows.append((*told, f"{score.no_bias:g}", proved.source, because, why))
    columns = ["score", "comparable", "trustworthy", "lowest", "highest", "no_bias", "source"]
    return pd.DataFrame(rows, columns=[*columns, "why_comparable", "why_trustworthy"])
