"""What is true in simulated tables, for every question that a method may ask."""

from __future__ import annotations

import numpy as np
import pandas as pd

from .._core.arrays import FloatArray
from ..nulls import BaseScenario, Batch

OTHERS = {"": "different", "human": "human"}
"""Connections that associated attributes are compared with, by what levels of it are called; one of
another control is a line."""


ROUNDED = 12
"""Decimals of true values."""


def level_name(other: str, level: str) -> str:
    """Return the name of a level of a contrast, such as ``group`` or ``human group``."""
    return f"{other} {level}".strip()


def weat_weights(scenario: BaseScenario) -> FloatArray:
    """Weights of all pairs in WEAT's mean_X s - mean_Y s, (n_words, n_attributes).

    It is the sum over groups of the mean distance to other sets less that to the own set, of the
    words and attributes listed, and so defined for three groups too; there it is 3/2 of gWEAT.
    """
    own = scenario.own
    other = (scenario.set_of_attribute < len(scenario.groups)) - own
    by_word = other / other.sum(axis=1, keepdims=True) - own / own.sum(axis=1, keepdims=True)
    return np.asarray(by_word / scenario.word_sizes[scenario.group_of_word, None])


def truth_columns(batch: Batch) -> pd.DataFrame:
    """True values of all questions in every table, one column ``truth NAME`` each.

    ``overall``: the contrast associated - different over the population of words. ``group``: the
    same over the words of the first group. ``between groups``: that less the second group's.
    ``word`` and ``unpooled word``: of the first word. ``any word``: the largest size of any word's.
    The same with ``human`` in front: associated - human, if there are human attributes. ``weat``:
    mean_X s - mean_Y s of the very words and attributes, without the noise of single distances.
    ``groups``: X less Y in distance to A. ``sets``: A less B in distance to all words.
    """
    scenario, planted, bias = batch.scenario, batch.planted, batch.word_bias
    group, n_groups = scenario.group_of_word, len(scenario.groups)
    in_x = group == 0
    x, y = (bias[:, group == place].mean(axis=1) for place in (0, 1))
    truths = {
        "unpooled word": -bias[:, 0],
        "any word": np.abs(bias).max(axis=1),
        "weat": np.einsum("twa,wa->t", batch.expected, weat_weights(scenario)),
        "groups": -(planted[in_x].mean() + planted[~in_x].mean()) / n_groups,
        "sets": (np.where(in_x, -1.0, 1.0) * planted).mean(),
    }
    for other, connection in OTHERS.items():
        if connection in ("different", *scenario.controls):
            # A word's own attributes lie 1 - 1/G of its bias nearer to it than controls do.
            share = 1.0 if connection == "different" else 1 - 1 / n_groups
            truths |= {
                level_name(other, "overall"): -share * planted.mean(),
                level_name(other, "group"): -share * x,
                level_name(other, "between groups"): -share * (x - y),
                level_name(other, "word"): -share * bias[:, 0],
            }
    # Sums of what cancels are 0, and no bias of 1e-17.
    columns = {f"truth {name}": np.round(values, ROUNDED) for name, values in truths.items()}
    return pd.DataFrame(columns, index=range(len(batch)))
