"""Cosines of a table's protected words among themselves, which travel with the table."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence

import numpy as np
import pandas as pd

from .._core.arrays import FloatArray

WORD_COSINES = "word_cosines"
"""Their name in the table's ``attrs``: a text, which pandas copies and writes to Parquet files."""

MOST_WORDS = 500
"""Words of which cosines are attached; of more the text would take tens of megabytes."""


def attach_word_cosines(table: pd.DataFrame, words: Iterable[str], cosines: FloatArray) -> None:
    """Attach cosines of protected words, (n_words, n_words), to a table, unless they are many."""
    if len(cosines) <= MOST_WORDS:
        content = {"words": [*map(str, words)], "cosines": cosines.tolist()}
        table.attrs[WORD_COSINES] = json.dumps(content)


def word_cosines(table: pd.DataFrame, words: Sequence[str]) -> FloatArray:
    """Return the cosines of words, (n_words, n_words); (0, 0) if the table lacks some."""
    content = json.loads(table.attrs.get(WORD_COSINES, '{"words": [], "cosines": []}'))
    frame = pd.DataFrame(content["cosines"], content["words"], content["words"], dtype=np.float64)
    known = [*words] if set(words) <= set(content["words"]) else []
    return frame.loc[known, known].to_numpy()
