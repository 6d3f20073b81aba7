"""Estimate false alarms, power, coverage, and interval widths of methods in every scenario.

``size`` is the number of simulated tables per scenario.
"""

from __future__ import annotations

import pandas as pd

import bayesbias as bb

TESTS = ("t-cells-groups", "t-word-means", "weat-p", "weat-d-large")  # they compare two groups

METHODS = (
    *("paper-hpdi", "crossed-hpdi", "maximal-hpdi", "maximal-topics-hpdi"),
    *("crossed-hpdi-group", "maximal-hpdi-group", "maximal-topics-hpdi-group", "by-group-hpdi"),
)

OF_THREE = ("by-group-hpdi-group",)  # the default has rows of groups for three groups or more


def study(size: int = 1_000) -> pd.DataFrame:
    """Return the rows of `bb.calibration.calibrate`, one per scenario and method."""
    calibrate = bb.calibration.calibrate
    every = list(bb.nulls.SCENARIOS)
    three = [name for name in every if name.startswith("three")]
    two = [name for name in every if name not in three]
    parts = [
        calibrate(names, list(methods), n=size, seed=1, n_jobs=2)
        for names, methods in ((two, TESTS), (every, METHODS), (three, OF_THREE))
    ]
    return pd.concat(parts, ignore_index=True)
