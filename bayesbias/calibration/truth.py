"""What is true in simulated tables, for every question that a method may ask."""

from __future__ import annotations

import numpy as np
import pandas as pd

from .._core.arrays import FloatArray
from ..nulls import BaseScenario, Batch

OTHERS = {"": "different", "human": "human"}
"""Connections that associated attributes are compared with, by what levels of it are called."""

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


def truth_columns(batch: Batch, *, relative: bool = False) -> pd.DataFrame:
    """True values of all questions in every table, one column ``truth NAME`` each.

    ``overall``: the contrast associated - different over the population of words. ``group``: the
    same over the words of the first group. ``between groups``: that less the second group's.
    ``word`` and ``unpooled word``: of the first word. ``any word``: the largest size of any word's.
    The same with ``human`` in front: associated - human, if there are human attributes. ``weat``:
    mean_X s - mean_Y s of the very words and attributes, without the noise of single distances.
    ``groups``: X less Y in distance to A. ``sets``: A less B in distance to all words.

    Of models with a number for every group and set (``relative``), groups are populations of words,
    all of one weight, and a group or word is compared with the other groups and with controls.
    """
    scenario, planted, bias = batch.scenario, batch.planted, batch.word_bias
    group, n_groups, n = scenario.group_of_word, len(scenario.groups), len(batch)
    in_x = group == 0
    # A word's own attributes lie 1 - 1/G of its bias nearer to it than controls do.
    to_controls = 1 - 1 / n_groups
    sizes = np.broadcast_to(planted, bias.shape) if relative else bias
    of_group = np.stack([sizes[:, group == g].mean(axis=1) for g in range(n_groups)], axis=1)
    overall = of_group.mean() if relative else planted.mean()
    groups, words = of_group, bias
    if relative and scenario.controls:
        # The biased words of other groups lie 1/G of their bias farther from this group's set.
        farther = (of_group.sum(axis=1, keepdims=True) - of_group) / (n_groups - 1) / n_groups
        groups, words = to_controls * groups + farther, to_controls * words + farther[:, group]
    truths = {
        "unpooled word": -bias[:, 0],
        "any word": np.abs(words).max(axis=1),
        "weat": np.einsum("twa,wa->t", batch.expected, weat_weights(scenario)),
        "groups": -(planted[in_x].mean() + planted[~in_x].mean()) / n_groups,
        "sets": (np.where(in_x, -1.0, 1.0) * planted).mean(),
        "overall": -overall,
        "group": -groups[:, 0],
        "between groups": groups[:, 1] - groups[:, 0],
        "word": -words[:, 0],
    }
    if "human" in scenario.controls:
        truths |= {
            "human overall": -to_controls * overall,
            "human group": -to_controls * of_group[:, 0],
            "human between groups": to_controls * (of_group[:, 1] - of_group[:, 0]),
            "human word": -to_controls * bias[:, 0],
        }
    # Sums of what cancels are 0, and no bias of 1e-17.
    columns = {f"truth {name}": np.round(values, ROUNDED) for name, values in truths.items()}
    return pd.DataFrame(columns, index=range(n))
