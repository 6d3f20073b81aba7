"""Cosines of a table's protected words among themselves, which travel with the table."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence

import numpy as np
import pandas as pd

from .._core.arrays import FloatArray

WORD_COSINES = "word_cosines"
"""Their name in the table's ``attrs``. They are a text there, which pandas copies, compares and
writes to Parquet files; CSV files have no place for it."""

MOST_WORDS = 500
"""Words of which cosines are attached; of more the text would take tens of megabytes."""


def attach_word_cosines(table: pd.DataFrame, words: Iterable[str], cosines: FloatArray) -> None:
    """Attach cosines of protected words, (n_words, n_words), to a table, unless they are many."""
    if len(cosines) <= MOST_WORDS:
        content = {"words": [*map(str, words)], "cosines": cosines.tolist()}
        table.attrs[WORD_COSINES] = json.dumps(content)


def word_cosines(table: pd.DataFrame, words: Sequence[str]) -> FloatArray:
    """Return the cosines of words that a table carries, (n_words, n_words).

    (0, 0) if it carries none, or not those of all the words.
    """
    content = json.loads(table.attrs.get(WORD_COSINES, "null"))
    if content is None or not set(words) <= set(content["words"]):
        return np.zeros((0, 0))
    frame = pd.DataFrame(content["cosines"], content["words"], content["words"], dtype=np.float64)
    return frame.loc[[*words], [*words]].to_numpy()
