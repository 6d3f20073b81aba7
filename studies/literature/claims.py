"""The frame that every function of this folder returns: what is printed beside what is found."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import pandas as pd

CLAIM_COLUMNS = ("claim", "printed", "recomputed", "agrees", "cause")
"""Columns of a frame of claims."""

Value = float | int | str


@dataclass(frozen=True)
class Claim:
    """A printed value beside the one that is found.

    Parameters
    ----------
    claim : str
        What the value is of.
    printed, recomputed : float, int or str
    within : float
        How far numbers may lie apart to agree; texts agree if they are the same.
    cause : str
        Why the two differ, or what else a reader should know.
    """

    claim: str
    printed: Value
    recomputed: Value
    within: float = 0.0
    cause: str = ""

    @property
    def agrees(self) -> bool:
        """Whether the two are the same to within the tolerance."""
        if isinstance(self.printed, str) or isinstance(self.recomputed, str):
            return self.printed == self.recomputed
        return bool(abs(self.printed - self.recomputed) <= self.within)


def claims_frame(claims: Iterable[Claim]) -> pd.DataFrame:
    """Return claims as a frame with the columns `CLAIM_COLUMNS`, the one of most weight first."""
    rows = [tuple(getattr(each, name) for name in CLAIM_COLUMNS) for each in claims]
    frame = pd.DataFrame(rows, columns=list(CLAIM_COLUMNS), dtype=object)
    return frame.astype({"agrees": bool})


def interval_text(mean: float, low: float, high: float) -> str:
    """Return a mean with its interval, as in ``+.135 (+.113 to +.160)``."""
    return f"{mean:+.3f} ({low:+.3f} to {high:+.3f})"
