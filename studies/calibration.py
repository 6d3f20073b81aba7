"""Estimate false alarms, power, coverage, and interval widths of methods in every scenario.

``size`` is the number of simulated tables per scenario.
"""

from __future__ import annotations

import pandas as pd

import bayesbias as bb

TESTS = ("t-cells-groups", "t-word-means", "weat-p", "weat-d-large")  # they compare two groups

METHODS = (
    *("paper-hpdi", "crossed-hpdi", "maximal-hpdi", "maximal-topics-hpdi"),
    *("crossed-hpdi-group", "maximal-hpdi-group", "maximal-topics-hpdi-group"),
)


def study(size: int = 1_000) -> pd.DataFrame:
    """Return the rows of `bb.calibration.calibrate`, one per scenario and method."""
    calibrate = bb.calibration.calibrate
    two = [name for name in bb.nulls.SCENARIOS if not name.startswith("three")]
    parts = [
        calibrate(names, list(methods), n=size, seed=1, n_jobs=2)
        for names, methods in ((two, TESTS), (list(bb.nulls.SCENARIOS), METHODS))
    ]
    return pd.concat(parts, ignore_index=True)
