"""What is true in simulated tables, for every question that a method may ask."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pandas as pd

from .._core.arrays import FloatArray
from ..nulls import Batch


def _overall(batch: Batch) -> FloatArray:
    return np.full(len(batch), -batch.planted.mean())


def _group(batch: Batch) -> FloatArray:
    return np.asarray(-batch.word_bias[:, batch.layout.group_of_word == 0].mean(axis=1))


def _word(batch: Batch) -> FloatArray:
    return -batch.word_bias[:, 0]


def _any_word(batch: Batch) -> FloatArray:
    return np.asarray(np.abs(batch.word_bias).max(axis=1))


def _groups_to_first_set(batch: Batch) -> FloatArray:
    """Mean distance to set A of the words of X less that of Y."""
    in_x = batch.layout.group_of_word == 0
    toward = batch.planted[in_x].mean() + batch.planted[~in_x].mean()
    return np.full(len(batch), -toward / len(batch.layout.groups))


def _sets(batch: Batch) -> FloatArray:
    """Mean distance of all words to set A less that to set B."""
    sign = np.where(batch.layout.group_of_word == 0, -1.0, 1.0)
    return np.full(len(batch), (sign * batch.planted).mean())


QUESTIONS: dict[str, Callable[[Batch], FloatArray]] = {
    "overall": _overall,
    "group": _group,
    "word": _word,
    "any word": _any_word,
    "groups": _groups_to_first_set,
    "sets": _sets,
}
"""What methods ask, with the true value in every table, (n_tables,).

``overall``: the contrast associated - different over the population of words. ``group``: the same
over the words of the first group. ``word``: of the first word. ``any word``: the largest size of
any word's. ``groups``: X less Y in distance to A. ``sets``: A less B in distance to all words.
"""


def truth_columns(batch: Batch) -> pd.DataFrame:
    """True values of all questions, one column ``truth NAME`` each."""
    return pd.DataFrame({f"truth {name}": ask(batch) for name, ask in QUESTIONS.items()})
