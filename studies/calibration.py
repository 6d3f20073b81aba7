"""False alarms, power, coverage and widths of methods in every scenario.

``size`` is the number of simulated tables per scenario.
"""

from __future__ import annotations

import pandas as pd

import bayesbias as bb

METHODS = (
    *("t-test-cells", "t-test-words", "weat-p", "d-0.8"),
    *("paper-hpdi", "crossed-hpdi", "maximal-hpdi", "maximal-topics-hpdi"),
    *("crossed-hpdi-group", "maximal-hpdi-group", "maximal-topics-hpdi-group"),
)


def study(size: int = 1_000) -> pd.DataFrame:
    """Return one row per scenario and method, as `bb.calibration.calibrate` gives them."""
    return bb.calibration.calibrate(
        list(bb.nulls.SCENARIOS), list(METHODS), n=size, seed=1, n_jobs=2
    )
