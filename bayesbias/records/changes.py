"""What the analysis of a change found."""

from __future__ import annotations

from dataclasses import dataclass

import pandas as pd

from .base import Record
from .naming import Naming
from .rows import Row, rows_of


@dataclass(frozen=True, eq=False, kw_only=True)
class ChangeRecord(Record):
    """What was found about a list's distances before and after a change.

    Its frames include ``before_after`` (the contrast before and after), ``removed`` (after minus
    before, in which positive numbers mean that words moved away from their own stereotypes, overall
    and by group), ``leans`` of stereotype words before and after, and ``remains``. The first three
    are empty if the tables lack a connection. `method` is the name of a debiasing method, if there
    is one.
    """

    name: str
    title: str
    before: str
    after: str
    method: str = ""
    naming: Naming
    pairing: str = ""

    @property
    def ends(self) -> list[Row]:
        """The closeness to own stereotypes before and after."""
        return list(rows_of(self.frames["before_after"], "when"))

    @property
    def removed(self) -> Row | None:
        """How much closeness was removed, over all groups."""
        frame = self.frames["removed"]
        rows = frame[frame["level"] == "overall"] if len(frame) else frame
        return next(rows_of(rows, "protected_group", sign=1), None)

    @property
    def removed_by_group(self) -> list[Row]:
        """How much closeness was removed from each of three or more groups, in list order."""
        frame = self.frames["removed"]
        rows = frame[frame["level"] == "group"] if len(frame) else frame
        return list(rows_of(rows, "protected_group", sign=1))

    def check(self, name: str) -> pd.Series | None:
        """Return a check of the remaining bias, such as ``classifier``, if it was computed."""
        frame = self.frames["remains"]
        rows = frame[frame["check"] == name] if len(frame) else frame
        return None if rows.empty else rows.iloc[0]
