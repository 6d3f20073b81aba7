"""Levels of protected words in frames: all words, one group, or one word."""

from __future__ import annotations

from collections.abc import Iterable

import pandas as pd

OVERALL, GROUP, WORD = "overall", "group", "word"

AVERAGE = "average"
"""Name of the rows that average over all lists of a joint posterior."""


def refuse_average(names: Iterable[str]) -> None:
    """Raise a ValueError if a list has the name of the rows that average over all lists."""
    if AVERAGE in names:
        raise ValueError(
            f"the list name {AVERAGE!r} is that of the rows for the average of all lists; rename "
            "the list"
        )


LEVELS = (OVERALL, GROUP, WORD)
"""Levels in the order of the rows of a frame, from all protected words to one word."""

LEVEL_COLUMNS = ("level", "protected_group", "protected_word")
"""First columns of a frame with levels; the group or word is empty where it does not apply."""


def at_level(frame: pd.DataFrame, level: str) -> pd.DataFrame:
    """Return the rows of one level, with a new index."""
    return frame[frame["level"] == level].reset_index(drop=True)
