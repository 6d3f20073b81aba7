"""Rows of a frame by level."""

from __future__ import annotations

import pandas as pd
from xarray import DataTree

from bayesbias.posterior.contrasts import contrasts
from bayesbias.tables.levels import LEVELS, at_level


def test_levels_are_a_partition_of_a_frame(crossed_posterior: DataTree) -> None:
    frame = contrasts(crossed_posterior)
    joined = pd.concat([at_level(frame, level) for level in LEVELS], ignore_index=True)
    pd.testing.assert_frame_equal(joined, frame)
