"""Cosines among the words of a table, which travel with it: like words have like distances."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from functools import lru_cache
from pathlib import Path

import numpy as np
import pandas as pd

from .._core.arrays import FloatArray

COSINES = "cosines"
"""Their name in the table's ``attrs``. They are a text there, which pandas copies, compares and
writes to Parquet files. Next to a CSV file they are a file of their own."""

MOST_WORDS = 1000
"""Words whose cosines are attached; the text of more would take tens of megabytes."""

DECIMALS = 4
"""Decimals that are kept; float16 embeddings are not known better."""


def attach_cosines(table: pd.DataFrame, words: Iterable[str], cosines: FloatArray) -> None:
    """Attach cosines among words, (n_words, n_words), to a table, unless they are many."""
    if len(cosines) <= MOST_WORDS:
        content = {"words": [*map(str, words)], "cosines": np.round(cosines, DECIMALS).tolist()}
        table.attrs[COSINES] = json.dumps(content)


def table_cosines(table: pd.DataFrame, words: Sequence[str]) -> FloatArray:
    """Return the cosines among words that a table carries, (n_words, n_words).

    (0, 0) if it carries none, or not those of all the words.
    """
    frame = _parsed(table.attrs.get(COSINES))
    if not set(words) <= set(frame.columns):
        return np.zeros((0, 0))
    return frame.loc[[*words], [*words]].to_numpy()


def mean_cosines(tables: Iterable[pd.DataFrame]) -> pd.DataFrame:
    """Return the mean cosines of the words of several tables; 0 for words never together."""
    parts = [_parsed(table.attrs.get(COSINES)) for table in tables]
    frame = pd.concat(parts).groupby(level=0, sort=False).mean()
    return frame[frame.index].fillna(0.0)


def write_cosines(table: pd.DataFrame, path: Path) -> None:
    """Write a table's cosines next to its CSV file, where it has some."""
    frame = _parsed(table.attrs.get(COSINES))
    if not frame.empty:
        frame.to_csv(cosines_path(path), index_label="word")


def read_cosines(table: pd.DataFrame, path: Path) -> None:
    """Attach the cosines that stand next to a CSV file, where there are some."""
    place = cosines_path(path)
    if not place.is_file():
        return
    frame = pd.read_csv(place, index_col=0, keep_default_na=False, encoding="utf-8")
    numbers = frame.apply(pd.to_numeric, errors="coerce").to_numpy(dtype=float)
    if [*map(str, frame.index)] != [*frame.columns] or not np.isfinite(numbers).all():
        raise ValueError(
            f"{place} does not hold the cosines of the table next to it, a square of numbers with "
            "words as head and first column; delete it to treat words as unrelated"
        )
    attach_cosines(table, frame.columns, numbers)


def cosines_path(path: Path) -> Path:
    """Return where the cosines of a table in a CSV file are kept: ``NAME.cosines.csv``."""
    return path.with_name(f"{path.name.split('.csv')[0]}.cosines.csv")


@lru_cache(maxsize=8)
def _parsed(text: str | None) -> pd.DataFrame:
    content = json.loads(text or '{"words": [], "cosines": []}')
    return pd.DataFrame(content["cosines"], content["words"], content["words"], dtype=np.float64)
