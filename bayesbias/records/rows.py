"""Headline rows: a difference, its interval, its quantiles, and its verdict.

A verdict says how probable a statement is, and which side of zero is more probable.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum

import numpy as np
import pandas as pd


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
    >>> from bayesbias.records.rows import Verdict
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


N_QUANTILES = 100
QUANTILES = [f"q{place:02d}" for place in range(1, N_QUANTILES + 1)]
"""Columns with the middles of 100 equally probable parts of the posterior."""


@dataclass(frozen=True)
class Row:
    """A difference in distance, read as closeness: positive numbers mean closer.

    Frames hold distances, in which the signs are reversed.
    """

    key: str
    mean: float
    low: float
    high: float
    verdict: Verdict
    quantiles: tuple[float, ...] = ()


def rows_of(frame: pd.DataFrame, key: str, sign: int = -1) -> Iterator[Row]:
    """Yield rows of a frame with ``mean``, ``low``, ``high``, ``p_closer``, and quantiles.

    `sign` is -1 for differences of distances, and 1 for quantities that are read as they are.
    """
    columns = [name for name in QUANTILES if name in frame]
    for _, row in frame.iterrows():
        low, high = sorted(sign * float(row[name]) for name in ("low", "high"))
        values = np.sort(sign * row[columns].to_numpy(np.float64))
        verdict = Verdict(float(row["p_closer"]))
        yield Row(
            str(row[key]), sign * float(row["mean"]), low, high, verdict, tuple(values.tolist())
        )


def wide_quantiles(frame: pd.DataFrame, keys: list[tuple[str, str]]) -> np.ndarray:
    """Return (n_keys, 100) quantiles for keys of level and group, from `contrast_quantiles`."""
    wide = frame.pivot_table("value", ["level", "protected_group"], "probability", sort=False)
    return wide.loc[keys].to_numpy()[:, :N_QUANTILES]


def with_quantiles(frame: pd.DataFrame, quantiles: np.ndarray) -> pd.DataFrame:
    """Add (n_rows, 100) quantiles to a frame as its last columns."""
    return pd.concat([frame, pd.DataFrame(quantiles, frame.index, QUANTILES)], axis=1)
