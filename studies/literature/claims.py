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
    """A printed value next to the recomputed one."""

    claim: str  # what the value describes
    printed: Value
    recomputed: Value
    within: float = 0.0  # how far apart two numbers can be and agree; texts agree if equal
    quoted: str = ""  # a dozen words from the paper; empty if the number is in a figure or data
    note: str = ""  # why the two values differ, or what else a reader should know
    comparable: bool = True  # False if the paper says nothing that the value could contradict
    place: str = ""  # heading above the quoted words, or the figure, table, or code; else the row's
    shown: str = ""  # what the table shows for `printed` if the number alone would mislead
    holds: bool | None = None  # whether the value has the property that the paper states in words

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
