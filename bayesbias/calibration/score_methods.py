"""Tests and sizes without a model, of all tables of a batch at once."""

from __future__ import annotations

import warnings
from collections.abc import Callable

import numpy as np
import pandas as pd
from numpy.random import SeedSequence

from .._core.arrays import FloatArray
from ..nulls import Batch
from ..scores.permutation import permutation_test
from ..scores.poles import effect_sizes

type Values = dict[str, FloatArray]
"""What methods read, by column, (n_tables,) each."""


def measure_score(name: str, batch: Batch, seed: SeedSequence) -> pd.DataFrame:
    """Return one row a table with what methods of a score read."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RuntimeWarning)  # of what is undefined, refused here
        frame = pd.DataFrame(SCORES[name](batch, seed))
    undefined = int(frame.isna().any(axis=1).sum())
    if undefined:
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
    """Paired t-test of mean distances by word and set, before and after a debiasing.

    After: the scenario without its effect, with other words and attributes, as an embedding that
    is trained again.
    """
    from scipy.stats import ttest_rel

    after = batch.scenario.without_effect().simulate(len(batch), seed)
    sets = batch.scenario.set_of_attribute
    first, second = (
        np.concatenate(
            [tables.distances[:, :, sets == place].mean(axis=2)
             for place in range(len(batch.scenario.groups))], axis=1)
        for tables in (batch, after)
    )  # fmt: skip
    return {
        "p_value": ttest_rel(first, second, axis=1).pvalue,
        "mac_before": first.mean(axis=1),
        "mac_after": second.mean(axis=1),
    }


SCORES: dict[str, Callable[[Batch, SeedSequence], Values]] = {
    "WEAT": _weat,
    "t-tests": _t_tests,
    "MAC": _mac,
}
"""What computes the numbers of methods without a model, by name."""
