"""Verdicts: how probable a statement is, and which side of zero is more probable."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class Grade(StrEnum):
    """How probable the more probable side is; `CANNOT_TELL` is not "no bias"."""

    ALMOST_CERTAINLY = "almost certainly"
    VERY_PROBABLY = "very probably"
    PROBABLY = "probably"
    CANNOT_TELL = "cannot tell"


THRESHOLDS = {
    Grade.ALMOST_CERTAINLY: 99,
    Grade.VERY_PROBABLY: 95,
    Grade.PROBABLY: 80,
    Grade.CANNOT_TELL: 0,
}
"""Smallest percentage of each grade."""


@dataclass(frozen=True)
class Verdict:
    """The probability of a statement, and what follows from it.

    Examples
    --------
    >>> from bayesbias.records.verdicts import Verdict
    >>> verdict = Verdict(0.03)
    >>> verdict.grade.value, verdict.holds, verdict.percent
    ('very probably', False, 3)
    """

    probability: float

    @property
    def percent(self) -> int:
        """The probability in whole percent, from 1 to 99, because no posterior is certain.

        Only 99% is not rounded up: from 98.5% on, a grade would depend on the seed of a fit.
        """
        sure = max(self.probability, 1 - self.probability) >= 0.99
        return min(max(round(100 * self.probability), 1 if sure else 2), 99 if sure else 98)

    @property
    def larger(self) -> int:
        """The percentage of the more probable side."""
        return max(self.percent, 100 - self.percent)

    @property
    def grade(self) -> Grade:
        """The grade of the more probable side; it follows the displayed percentage."""
        return next(grade for grade, least in THRESHOLDS.items() if self.larger >= least)

    @property
    def holds(self) -> bool | None:
        """Whether the statement or its opposite is probable, or None if one cannot tell."""
        return None if self.grade is Grade.CANNOT_TELL else self.percent >= 50
