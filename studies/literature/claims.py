"""A claim in a paper: the printed words or number next to the number that we find."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass

import numpy as np
import pandas as pd

Value = float | int | str

AGREES, DIFFERS, NOT_COMPARABLE = "agrees", "differs", "not comparable"
VERDICTS = (AGREES, DIFFERS, NOT_COMPARABLE)
COLUMNS = ("claim", "quoted", "place", "printed", "recomputed", "verdict", "note")


@dataclass(frozen=True)
class Claim:
    """A printed value next to the recomputed one.

    Parameters
    ----------
    claim : str
        What the value describes.
    printed, recomputed : float, int or str
    within : float
        How far apart two numbers can be and still agree; texts agree if they are equal.
    quoted : str
        At most a dozen words from the paper. Empty if the number is in a figure or in data.
    note : str
        Why the two values differ, or what else a reader should know.
    comparable : bool
        False if the paper makes no statement that the recomputed value could contradict.
    place : str
        Heading above the quoted words (its number if it has one), or the figure, tables, or code.
        If it is empty, the place of the row is used.
    shown : str
        What the table shows for `printed` if the number alone would mislead.
    holds : bool, optional
        Whether the recomputed value has the property that the paper states in words.
    """

    claim: str
    printed: Value
    recomputed: Value
    within: float = 0.0
    quoted: str = ""
    note: str = ""
    comparable: bool = True
    place: str = ""
    shown: str = ""
    holds: bool | None = None

    @property
    def verdict(self) -> str:
        """One of `VERDICTS`."""
        if not self.comparable:
            return NOT_COMPARABLE
        if self.holds is not None:
            return AGREES if self.holds else DIFFERS
        if isinstance(self.printed, str) or isinstance(self.recomputed, str):
            return AGREES if self.printed == self.recomputed else DIFFERS
        return AGREES if abs(self.printed - self.recomputed) <= self.within else DIFFERS


@dataclass(frozen=True)
class Entry:
    """A row of the evidence: a paper, a place in it, and the function that recomputes the claim."""

    paper: str
    where: str
    place: str
    function: Callable[[], Iterable[Claim]]

    @property
    def name(self) -> str:
        """Name of the function, for `python -m studies.literature NAME`."""
        return self.function.__name__

    def frame(self) -> pd.DataFrame:
        """Return the claims, one row each, with the columns `COLUMNS`."""
        claims = list(self.function())
        rows = [[getattr(claim, name) for name in COLUMNS] for claim in claims]
        frame = pd.DataFrame(rows, columns=list(COLUMNS), dtype=object)
        printed = [claim.shown or claim.printed for claim in claims]
        place = frame["place"].where(frame["place"] != "", self.place)
        return frame.assign(place=place, printed=pd.Series(printed, dtype=object))


ENTRIES: list[Entry] = []  # all rows, in module order


def recomputes[F: Callable[[], Iterable[Claim]]](
    paper: str, where: str, place: str
) -> Callable[[F], F]:
    """Register a function as the row for a place in a paper."""

    def register(function: F) -> F:
        ENTRIES.append(Entry(paper, where, place, function))
        return function

    return register


def with_interval(row: pd.Series) -> str:
    """Return a mean with its interval, such as ``+0.135 (+0.113 to +0.160)``."""
    return f"{row['mean']:+.3f} ({row['low']:+.3f} to {row['high']:+.3f})"


def rounded(value: float, digits: int = 4) -> float:
    """Return a number rounded to ``digits`` significant digits."""
    return float(f"{np.asarray(value).item():.{digits}g}")
