"""Levels of protected words in frames: all words, one group, or one word."""

from __future__ import annotations

import pandas as pd

OVERALL, GROUP, WORD = "overall", "group", "word"

AVERAGE = "average"
"""Name of the rows that average all lists of a joint posterior, instead of a list's name."""

LEVELS = (OVERALL, GROUP, WORD)
"""Levels in the order of frames, from all protected words to one."""

LEVEL_COLUMNS = ("level", "protected_group", "protected_word")
"""First columns of a frame with levels; group and word are empty if the level has none."""


def at_level(frame: pd.DataFrame, level: str) -> pd.DataFrame:
    """Return the rows of one level, with a new index."""
    return frame[frame["level"] == level].reset_index(drop=True)
