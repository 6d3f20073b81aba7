"""Store the cosines among a table's words, because similar words have similar distances."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from functools import lru_cache
from pathlib import Path

import numpy as np
import pandas as pd

from .._core.arrays import FloatArray

COSINES = "cosines"
"""Key of the cosines in a table's ``attrs``. The value is a string, which pandas can copy, compare,
and write to a Parquet file. The cosines of a CSV file are in a separate file next to it."""

MOST_WORDS = 1000
"""Largest number of words whose cosines are attached; more would take tens of megabytes."""

DECIMALS = 4
"""Number of decimals to keep; float16 embeddings are no more precise."""


def attach_cosines(table: pd.DataFrame, words: Iterable[str], cosines: FloatArray) -> None:
    """Attach (n_words, n_words) cosines to a table that has at most ``MOST_WORDS`` words."""
    if len(cosines) <= MOST_WORDS:
        content = {"words": [*map(str, words)], "cosines": np.round(cosines, DECIMALS).tolist()}
        table.attrs[COSINES] = json.dumps(content)


def table_cosines(table: pd.DataFrame, words: Sequence[str]) -> FloatArray:
    """Return the (n_words, n_words) cosines among words, or a (0, 0) array if any are missing."""
    frame = _parsed(table.attrs.get(COSINES))
    if not set(words) <= set(frame.columns):
        return np.zeros((0, 0))
    return frame.loc[[*words], [*words]].to_numpy()


def mean_cosines(tables: Iterable[pd.DataFrame]) -> pd.DataFrame:
    """Return mean cosines over several tables, with 0 for two words that never share a table."""
    parts = [_parsed(table.attrs.get(COSINES)) for table in tables]
    frame = pd.concat(parts).groupby(level=0, sort=False).mean()
    return frame[frame.index].fillna(0.0)


def write_cosines(table: pd.DataFrame, path: Path) -> None:
    """Write a table's cosines (if any) to a file next to its CSV file."""
    frame = _parsed(table.attrs.get(COSINES))
    if not frame.empty:
        frame.to_csv(cosines_path(path), index_label="word")


def read_cosines(table: pd.DataFrame, path: Path) -> None:
    """Attach the cosines that are stored next to a CSV file, if there are any."""
    place = cosines_path(path)
    if not place.is_file():
        return
    frame = pd.read_csv(place, index_col=0, keep_default_na=False, encoding="utf-8")
    numbers = frame.apply(pd.to_numeric, errors="coerce").to_numpy(dtype=float)
    if [*map(str, frame.index)] != [*frame.columns] or not np.isfinite(numbers).all():
        raise ValueError(
            f"{place} must be a square matrix of cosines between the table's words, with "
            "these words as header and first column. Delete the file to treat words as unrelated"
        )
    attach_cosines(table, frame.columns, numbers)


def cosines_path(path: Path) -> Path:
    """Return the path of a CSV file's cosines: ``NAME.cosines.csv``."""
    return path.with_name(f"{path.name.split('.csv')[0]}.cosines.csv")


@lru_cache(maxsize=8)
def _parsed(text: str | None) -> pd.DataFrame:
    content = json.loads(text or '{"words": [], "cosines": []}')
    return pd.DataFrame(content["cosines"], content["words"], content["words"], dtype=np.float64)
