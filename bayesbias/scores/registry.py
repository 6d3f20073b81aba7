"""What a score states of itself, and the scores of a word list by name.

On a word list the protected words of its groups are X and Y and their stereotypes A and B; for
scores of targets and protected groups the stereotypes of all groups are the targets.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from importlib.resources import files
from typing import Literal

import pandas as pd

from .._core.arrays import FloatArray
from .._core.checks import unknown_name
from .list_rows import ListRows, Picks, Scope
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


@dataclass(frozen=True)
class ListScore:
    """A score on a word list; one's own stands wherever ``scores`` are asked for.

    Parameters
    ----------
    value : function of ListRows
        The score of the groups given; raises ValueError where it is undefined.
    scope : {"all", "pair", "ordered"}
        Computed on all groups at once, on every pair, or on every ordered pair, whose first
        group's words are the targets.
    choices, note : str
        What was chosen, and what to know, for the table.
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
    resampled : function of ListRows and Picks, optional
        The score under resamplings of the words, (n_resamples,), where something of the whole list
        is kept; without it ``value`` is computed on the words of each resampling.
    """

    value: Callable[[ListRows], float]
    scope: Scope
    choices: str = ""
    note: str = ""
    test: Callable[[ListRows, Alternative], PermutationTest] | None = None
    no_bias: float = 0.0
    direction: Direction = "higher"
    reading: Reading = "closer to own stereotype"
    costly: bool = False
    width: float = float("nan")
    resampled: Callable[[ListRows, Picks], FloatArray] | None = None

    def value_or_nan(self, rows: ListRows) -> float:
        """Return the score, NaN where it is undefined."""
        try:
            return self.value(rows)
        except ValueError:
            return float("nan")


SCORES: dict[str, ListScore] = {}
"""Scores on word lists by name, in the order of tables; ``scores/__init__.py`` holds the entries.
`sc_weat` is not among them: it is one test a word, not one number."""

type Scores = Iterable[str] | Mapping[str, ListScore]
"""Names of ``SCORES``, or scores of one's own by name."""


def chosen_scores(scores: Scores) -> dict[str, ListScore]:
    """Return scores by name; an unknown name is a ValueError that lists those there are."""
    if isinstance(scores, str):
        raise TypeError(f"scores must be a list of names; got the string {scores!r}")
    if isinstance(scores, Mapping):
        chosen = dict(scores)
    else:
        names = list(dict.fromkeys(scores))
        for name in names:
            if name not in SCORES:
                raise ValueError(unknown_name("score", name, SCORES))
        chosen = {name: SCORES[name] for name in names}
    if not chosen:
        raise ValueError(f"scores is empty; name some of {', '.join(SCORES)}")
    for name, score in chosen.items():
        if not isinstance(score, ListScore):
            raise TypeError(
                f"scores[{name!r}] must be a bb.scores.ListScore, such as "
                f"ListScore(function, scope='pair'); got a {type(score).__name__}"
            )
    return chosen


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
        ``lowest`` and ``highest`` values as formulas and that of ``no_bias``, the ``source`` of
        the proof, and the reasons. Every entry is shown by a test of the package.

    References
    ----------
    Schröder et al. (2024), Semantic properties of cosine based bias scores, table 1.
    Schröder, Schulz, Hammer (2024), The SAME score, theorems 1 and 2.
    """
    with (files(__package__) / "properties.csv").open(encoding="utf-8") as file:
        return pd.read_csv(file, dtype={"lowest": str, "highest": str, "no_bias": str})
