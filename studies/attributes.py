"""Rows of single stereotypes: coverage and wrong signs, beside Welch intervals.

The truth of a row is the effect and the lean of its attribute; group, set, and word effects cancel.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from dataclasses import replace
from unittest.mock import patch

import numpy as np
import pandas as pd
from numpy.random import Generator, SeedSequence, default_rng
from scipy.stats import ttest_ind

import bayesbias as bb
from bayesbias._core.arrays import FloatArray, one_thread
from bayesbias.nulls import Scenario
from bayesbias.sampling import importance

from ._default import PROPOSALS

CI_PROB, DRAWS = 0.89, 1000
SURE = 1 - (1 - CI_PROB) / 2
PLAIN = Scenario(
    n_words=8,
    n_attributes=8,
    word_sd=0.03,
    attribute_sd=0.05,
    cell_sd=0.05,
    word_bias_sd=0.05,
    controls=("neutral",),
)
CASES = {
    "no lean": (("XY", "XYZ"), 0.0, 0.0),
    "leans": (("XY", "XYZ"), 0.0, 0.06),
    "effect .05 and leans": (("XY", "XYZ"), 0.05, 0.06),
    "effect .08 of one group, and leans": (("XYZ",), (0.08, 0.0, 0.0), 0.06),
}
"""Groups, effect, and sd of the difference in an attribute's lean between two groups."""


def study(size: int = 150) -> pd.DataFrame:
    """Fit ``size`` tables of each case; rows are methods, with coverage and claims."""
    cases = [(name, tuple(groups)) for name, (sizes, _, _) in CASES.items() for groups in sizes]
    with (
        one_thread(),
        warnings.catch_warnings(),
        patch.multiple(importance, **PROPOSALS),
    ):
        warnings.simplefilter("ignore", bb.warnings.NoLikeness)
        rows = [row for name, groups in cases for row in _case(name, groups, size)]
    return pd.DataFrame(rows)


def _case(name: str, groups: tuple[str, ...], size: int) -> Iterator[dict[str, object]]:
    _, effect, lean = CASES[name]
    batch, found = replace(PLAIN, groups=groups, effect=effect).simulate(size, SeedSequence(31)), []
    for index in range(size):
        table = batch.table(index)
        leans = _leans(table, lean / np.sqrt(2), default_rng([index, 7]))
        pairs = zip(table["attribute"], table["protected_group"], strict=True)
        table["cosine_distance"] += [leans.loc[pair] for pair in pairs]
        post = bb.fit(table, "by-group", seed=index, draws=DRAWS // 4)
        frame = bb.contrasts(post, of="attribute", ci_prob=CI_PROB)
        keys = [*zip(frame["attribute"], frame["protected_group"], strict=True)]
        truth = np.array([leans.loc[key] - leans.loc[key[0]].drop(key[1]).mean() for key in keys])
        truth -= [np.broadcast_to(effect, len(groups))[groups.index(group)] for _, group in keys]
        ends, sure = frame[["mean", "low", "high"]].to_numpy(), frame["all_right"] >= SURE
        found.append(("model", *_scores(ends, truth, ends[:, 1] * ends[:, 2] > 0)))
        found.append(("all_right", *_scores(ends, truth, sure.to_numpy())))
        ends = np.array([_welch(table, *key) for key in keys])
        found.append(("Welch", *_scores(ends, truth, ends[:, 1] * ends[:, 2] > 0)))
    columns = ["method", "coverage", "claims", "wrong", "any_wrong"]
    for method, row in (
        pd.DataFrame(found, columns=columns).groupby("method", sort=False).mean().iterrows()
    ):
        yield {"case": name, "groups": len(groups), "method": method, "tables": size, **row}


def _leans(table: pd.DataFrame, sd: float, rng: Generator) -> pd.DataFrame:
    """Draw the leans of stereotypes, attributes by groups, which sum to zero over groups."""
    names, groups = table["attribute"].unique(), table["protected_group"].unique()
    leans = pd.DataFrame(sd * rng.standard_normal((len(names), len(groups))), names, groups)
    leans[[str(name).startswith("neutral") for name in names]] = 0.0
    return leans.sub(leans.mean(axis=1), axis=0)


def _welch(table: pd.DataFrame, attribute: str, group: str) -> FloatArray:
    """Return the raw difference of one attribute, and its interval."""
    rows = table[table["attribute"] == attribute]
    own = rows["protected_group"] == group
    one, other = (rows.loc[side, "cosine_distance"] for side in (own, ~own))
    ends = ttest_ind(one, other, equal_var=False).confidence_interval(CI_PROB)
    return np.array([one.mean() - other.mean(), ends.low, ends.high])


def _scores(
    ends: FloatArray, truth: FloatArray, claimed: np.ndarray
) -> tuple[float, int, int, bool]:
    """Return coverage, claims, and claims of a wrong sign of rows (mean, low, high)."""
    mean, low, high = ends.T
    wrong = int((np.sign(mean) != np.sign(truth))[claimed].sum())
    return float(((low <= truth) & (truth <= high)).mean()), int(claimed.sum()), wrong, wrong > 0
