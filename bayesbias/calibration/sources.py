"""What methods read: p-values and effect sizes of simulated tables, without posteriors.

A source measures tables once; several methods may then read what it found.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
import pandas as pd
from numpy.random import SeedSequence

from .._core.arrays import FloatArray
from .._core.checks import Argument, ArgumentError, check_numbers
from .._core.intervals import DEFAULT_CI_PROB, check_probability
from ..nulls import BaseScenario, Batch
from ..sampling.options import DEFAULT_ROPE, check_rope
from ..scores.permutation import permutation_test
from ..scores.poles import effect_sizes

DEFAULT_DRAWS = 4000
"""Posterior draws of each table: as many as `fit` makes."""


@dataclass(frozen=True)
class Choices:
    """Thresholds by which methods claim, and how posteriors are drawn; as `calibrate` has them."""

    alpha: float = 0.05
    ci_prob: float = DEFAULT_CI_PROB
    rope: float = DEFAULT_ROPE
    draws: int = DEFAULT_DRAWS

    def __post_init__(self) -> None:
        if isinstance(self.alpha, bool) or not 0 < self.alpha < 1:
            why = f" must lie in (0, 1), got {self.alpha}; for 5% pass 0.05"
            raise ArgumentError(Argument("alpha"), why)
        check_probability(self.ci_prob)
        check_rope(self.rope)
        check_numbers(draws=self.draws)


@dataclass(frozen=True)
class Source:
    """Something that measures tables.

    Parameters
    ----------
    name : str
        What it is called in the names of jobs.
    measure : function of a scenario, a batch of its tables, a seed and the choices
        Returns one row a table.
    settings : mapping
        What decides its numbers besides the tables, as JSON can write it; with a ``spec`` the
        intervals' probability and the number of draws do too.
    blocks : int
        How many blocks of tables make a job worth its while.
    """

    name: str
    measure: Callable[[BaseScenario, Batch, SeedSequence, Choices], pd.DataFrame]
    settings: Mapping[str, Any]
    blocks: int = 20


def score_source(
    name: str, compute: Callable[[BaseScenario, Batch, SeedSequence], dict[str, FloatArray]]
) -> Source:
    """Return a source that computes numbers of all tables at once."""
    return Source(name, partial(_measure_scores, compute), {"name": name})


def _measure_scores(
    compute: Callable[[BaseScenario, Batch, SeedSequence], dict[str, FloatArray]],
    scenario: BaseScenario,
    batch: Batch,
    seed: SeedSequence,
    choices: Choices,
) -> pd.DataFrame:
    frame = pd.DataFrame(compute(scenario, batch, seed))
    undefined = frame.isna().any()
    if undefined.any():
        raise ValueError(
            f"{frame.columns[undefined][0]} is undefined in {int(frame.isna().any(axis=1).sum())} "
            f"of {len(frame)} tables, where nothing varies; give the scenario a positive cell_sd"
        )
    return frame


def _weat(scenario: BaseScenario, batch: Batch, seed: SeedSequence) -> dict[str, FloatArray]:
    n_x, s = batch.layout.word_sizes[0], batch.associations()
    return {
        "p_value": permutation_test(s[:, :n_x], s[:, n_x:]).p_value,
        "effect_size_sample": effect_sizes(s[:, :n_x], s[:, n_x:], 1),
        "effect_size_population": effect_sizes(s[:, :n_x], s[:, n_x:], 0),
    }


def _t_tests(scenario: BaseScenario, batch: Batch, seed: SeedSequence) -> dict[str, FloatArray]:
    """Welch t-tests: X against Y in distance to A, and A against B over all words."""
    batch.require_two_groups("a t-test")
    n, y = len(batch), batch.distances
    in_x = batch.layout.group_of_word == 0
    to_a, to_b = (y[:, :, batch.layout.set_of_attribute == at] for at in (0, 1))
    words = to_a.mean(axis=2)
    return {
        "p_cells_groups": _welch(to_a[:, in_x].reshape(n, -1), to_a[:, ~in_x].reshape(n, -1)),
        "p_cells_sets": _welch(to_a.reshape(n, -1), to_b.reshape(n, -1)),
        "p_word_means": _welch(words[:, in_x], words[:, ~in_x]),
        "p_attribute_means": _welch(to_a.mean(axis=1), to_b.mean(axis=1)),
    }


def _welch(first: FloatArray, second: FloatArray) -> FloatArray:
    from scipy.stats import ttest_ind

    _refuse_constant(np.concatenate([first, second], axis=1))
    return np.asarray(ttest_ind(first, second, axis=1, equal_var=False).pvalue)


def _mac(scenario: BaseScenario, batch: Batch, seed: SeedSequence) -> dict[str, FloatArray]:
    """Paired t-test of mean distances by word and set, before and after a debiasing.

    After: the scenario without its effect, with other words and attributes, as an embedding that
    is trained again.
    """
    from scipy.stats import ttest_rel

    after = scenario.without_effect().simulate(len(batch), seed)
    first, second = _set_means(batch), _set_means(after)
    _refuse_constant(first - second)
    return {
        "p_value": np.asarray(ttest_rel(first, second, axis=1).pvalue),
        "mac_before": first.mean(axis=1),
        "mac_after": second.mean(axis=1),
    }


def _set_means(batch: Batch) -> FloatArray:
    """Mean distance of every word to every set of stereotypes, (n_tables, n_words * n_sets)."""
    sets = batch.layout.set_of_attribute
    own = range(len(batch.layout.groups))
    means = [batch.distances[:, :, sets == at].mean(axis=2) for at in own]
    return np.concatenate(means, axis=1)


def _refuse_constant(values: FloatArray) -> None:
    flat = np.ptp(values, axis=1) == 0
    if flat.any():
        raise ValueError(
            f"in {int(flat.sum())} of {len(values)} tables nothing varies, and a t-test is "
            "undefined; give the scenario a positive cell_sd"
        )


WEAT = score_source("WEAT", _weat)
T_TESTS = score_source("t-tests", _t_tests)
MAC = score_source("MAC", _mac)
