"""Compute the truth in simulated tables, and the statistics of methods without a model."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pandas as pd
from numpy.random import SeedSequence

from .._core.arrays import FloatArray
from .._core.warnings import without
from ..nulls import BaseScenario, Batch
from ..scores.permutation import permutation_test
from ..scores.poles import effect_sizes

type Values = dict[str, FloatArray]
"""Statistics that methods use, (n_tables,) each, keyed by column."""

BLOCK = 50
"""Number of tables simulated from one seed; all methods get the same tables."""

OTHERS = {"": "different", "human ": "human"}
"""Connections that are compared with associated, keyed by the prefix of the level."""


def weat_weights(scenario: BaseScenario) -> FloatArray:
    """Return an (n_words, n_attributes) array of each pair's weight in WEAT's mean_X s - mean_Y s.

    This difference is a sum over groups: the words' mean distance to other sets minus that to their
    own set. For three groups and sets of equal size, it is 3/2 times gWEAT.
    """
    own = scenario.own
    other = (scenario.set_of_attribute < len(scenario.groups)) - own
    by_word = other / other.sum(axis=1, keepdims=True) - own / own.sum(axis=1, keepdims=True)
    return np.asarray(by_word / scenario.word_sizes[scenario.group_of_word, None])


def truth_columns(batch: Batch, *, relative: bool = False) -> pd.DataFrame:
    """Return the true answers to all questions for each table, in columns ``truth NAME``.

    ``overall`` is ``associated - different`` over the population of words. ``group`` is
    the contrast of the first group's words, and ``between groups`` is this contrast minus that of
    the second group. ``word`` and ``unpooled word`` are both the contrast of the first word. ``any
    word`` is the largest absolute contrast of any word. With human attributes, the prefix ``human``
    means associated - human. ``weat`` is mean_X s - mean_Y s of the listed words, without the noise
    of single distances. ``groups`` is the distance from X to A minus that from Y to A, and ``sets``
    is the distance from all words to A minus that to B.

    Set ``relative`` for models with a mean for every group and set. All groups then have equal
    weight in the overall contrast. With two groups, a word's contrast is the overall one plus the
    word's deviation from its group.
    """
    scenario, planted, bias = batch.scenario, batch.planted, batch.word_bias
    group, n_groups = scenario.group_of_word, len(scenario.groups)
    in_x = group == 0
    # A word's own attributes are closer than controls by 1 - 1/G of the word's bias.
    to_controls = 1 - 1 / n_groups
    sizes = np.broadcast_to(planted, bias.shape) if relative else bias
    groups = np.stack([sizes[:, group == g].mean(axis=1) for g in range(n_groups)], axis=1)
    overall = groups.mean() if relative else planted.mean()
    words = overall + bias - groups[:, group] if relative and n_groups == 2 else bias
    truths = {
        "unpooled word": -words[:, 0],
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
            "human group": -to_controls * groups[:, 0],
            "human between groups": to_controls * (groups[:, 1] - groups[:, 0]),
            "human word": -to_controls * bias[:, 0],
        }
    # Rounding removes errors such as 1e-17 where biases cancel.
    columns = {f"truth {name}": np.round(values, 12) for name, values in truths.items()}
    return pd.DataFrame(columns, index=range(len(batch)))


def without_effect(batch: Batch, seed: SeedSequence) -> Batch:
    """Simulate tables without an effect, one for each in the batch.

    As numbers depend on how many tables are simulated together, part of a block gets the first
    tables of a whole one.
    """
    scenario = replace(batch.scenario, effect=0.0)
    return scenario.simulate(max(BLOCK, len(batch)), seed).first(len(batch))


def measure_score(name: str, batch: Batch, seed: SeedSequence) -> pd.DataFrame:
    """Return one row per table, with the statistics that a score's methods use."""
    with without(RuntimeWarning):  # undefined values raise an error below
        frame = pd.DataFrame(SCORES[name](batch, seed))
    if undefined := int(frame.isna().any(axis=1).sum()):
        raise ValueError(
            f"{name} is undefined in {undefined} of {len(frame)} tables, where values do not vary; "
            "set a positive cell_sd in the scenario"
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
    """Compute Welch t-tests of X versus Y in distance to A, and of A versus B over all words."""
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
    """Compute a paired t-test of mean distances per word and set, before and after debiasing.

    After debiasing, tables have no effect and new words and attributes, as if after retraining.
    """
    from scipy.stats import ttest_rel

    after = without_effect(batch, seed)
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
"""Functions that compute the statistics of methods without a model, keyed by name."""
