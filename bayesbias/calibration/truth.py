"""What is true in simulated tables, for every question that a method may ask."""

from __future__ import annotations

import numpy as np
import pandas as pd

from ..nulls import Batch


def truth_columns(batch: Batch) -> pd.DataFrame:
    """True values of all questions in every table, one column ``truth NAME`` each.

    ``overall``: the contrast associated - different over the population of words. ``group``: the
    same over the words of the first group. ``word`` and ``unpooled word``: of the first word.
    ``any word``: the largest size of any word's. ``groups``: X less Y in distance to A. ``sets``:
    A less B in distance to all words.
    """
    in_x = batch.layout.group_of_word == 0
    planted, bias = batch.planted, batch.word_bias
    toward = planted[in_x].mean() + planted[~in_x].mean()
    truths = {
        "overall": -planted.mean(),
        "group": -bias[:, in_x].mean(axis=1),
        "word": -bias[:, 0],
        "unpooled word": -bias[:, 0],
        "any word": np.abs(bias).max(axis=1),
        "groups": -toward / len(batch.layout.groups),
        "sets": (np.where(in_x, -1.0, 1.0) * planted).mean(),
    }
    columns = {f"truth {name}": values for name, values in truths.items()}
    return pd.DataFrame(columns, index=range(len(batch)))
