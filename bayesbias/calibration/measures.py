"""The truth in simulated tables, and the numbers that methods without a model compute."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pandas as pd
from numpy.random import SeedSequence

from .._core.arrays import FloatArray
from ..nulls import BaseScenario, Batch
from ..scores.permutation import permutation_test
from ..scores.poles import effect_sizes

type Values = dict[str, FloatArray]
"""Numbers that methods use, keyed by column, (n_tables,) each."""

OTHERS = {"": "different", "human ": "human"}
"""Connections that associated attributes are compared with, keyed by the prefix of the level."""


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
    """Return the true answers to all questions in every table, in columns ``truth NAME``.

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
    group, n_groups = scenario.group_of_word, len(scenario.groups)
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
    columns = {f"truth {name}": np.round(values, 12) for name, values in truths.items()}
    return pd.DataFrame(columns, index=range(len(batch)))


def measure_score(name: str, batch: Batch, seed: SeedSequence) -> pd.DataFrame:
    """Return one row per table with the numbers that a score's methods use."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RuntimeWarning)  # of what is undefined, refused here
        frame = pd.DataFrame(SCORES[name](batch, seed))
    if undefined := int(frame.isna().any(axis=1).sum()):
        raise ValueError(
            f"{name} is undefined in {undefined} of {len(frame)} tables, where nothing varies; "
            "give the scenario a positive cell_sd"
        )
    return frame


def _weat(batch: Batch, seed: SeedSequence) -> Values:
    x, y = np.split(batch.associations(), batch.scenario.word_sizes[:1], axis=1)
    return {
        "p_value": permutation_test(x, y).p_value,
        "effect_size_sample": effect_sizes(x, y, 1),
        "effect_size_population": effect_sizes(x, y, 0),
    }


def _t_tests(batch: Batch, seed: SeedSequence) -> Values:
    """Welch t-tests: X against Y in distance to A, and A against B over all words."""
    from scipy.stats import ttest_ind

    to_a, to_b = batch.to_two_sets()
    x, y = np.split(to_a, batch.scenario.word_sizes[:1], axis=1)
    n = len(batch)
    pairs = {
        "p_cells_groups": (x.reshape(n, -1), y.reshape(n, -1)),
        "p_cells_sets": (to_a.reshape(n, -1), to_b.reshape(n, -1)),
        "p_word_means": (x.mean(axis=2), y.mean(axis=2)),
        "p_attribute_means": (to_a.mean(axis=1), to_b.mean(axis=1)),
    }
    return {name: ttest_ind(*pair, axis=1, equal_var=False).pvalue for name, pair in pairs.items()}


def _mac(batch: Batch, seed: SeedSequence) -> Values:
    """Run a paired t-test of mean distances per word and set, before and after debiasing.

    Afterward, the scenario has no effect, and other words and attributes, like an embedding that
    was retrained.
    """
    from scipy.stats import ttest_rel

    after = replace(batch.scenario, effect=0.0).simulate(len(batch), seed)
    sets = batch.scenario.set_of_attribute
    places = range(len(batch.scenario.groups))
    first, second = (
        np.hstack([tables.distances[:, :, sets == place].mean(axis=2) for place in places])
        for tables in (batch, after)
    )
    return {
        "p_value": np.asarray(ttest_rel(first, second, axis=1).pvalue),
        "mac_before": first.mean(axis=1),
        "mac_after": second.mean(axis=1),
    }


SCORES: dict[str, Callable[[Batch, SeedSequence], Values]] = {
    "WEAT": _weat,
    "t-tests": _t_tests,
    "MAC": _mac,
}
"""Functions that compute the numbers of methods without a model, keyed by name."""
