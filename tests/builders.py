"""Builders that several test modules share."""

from __future__ import annotations

import pandas as pd

from bayesbias.tables.schema import COLUMNS

FAST = {"draws": 500, "chains": 2}
"""1,000 draws: a probability of a half has a Monte Carlo error of 0.016."""


def only_row(frame: pd.DataFrame, **keys: str) -> pd.Series:
    """The one row of a frame whose columns have these values."""
    for name, value in keys.items():
        frame = frame[frame[name] == value]
    assert len(frame) == 1
    return frame.iloc[0]


def pair_table(rows: list[tuple[str, str, str, float]]) -> pd.DataFrame:
    """A table of (protected word, attribute, connection, distance), of one group and set."""
    frame = pd.DataFrame(rows, columns=["protected_word", "attribute", "connection", COLUMNS[-1]])
    return frame.assign(protected_group="g", attribute_set="s")
