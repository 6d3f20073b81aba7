"""Rows of a frame by level."""

from __future__ import annotations

import pandas as pd
import pytest
from xarray import DataTree

from bayesbias.posterior.contrasts import associated_human_gap, contrasts
from bayesbias.tables.levels import LEVELS, at_level, overall_row


def test_levels_are_a_partition_of_a_frame(crossed_posterior: DataTree) -> None:
    frame = contrasts(crossed_posterior)
    joined = pd.concat([at_level(frame, level) for level in LEVELS], ignore_index=True)
    pd.testing.assert_frame_equal(joined, frame)
    row = overall_row(frame, "associated", "human")
    assert row["mean"] == associated_human_gap(crossed_posterior)["mean"].iloc[0]


def test_a_contrast_that_is_not_there_is_named(crossed_posterior: DataTree) -> None:
    with pytest.raises(KeyError, match="no overall contrast human - associated"):
        overall_row(contrasts(crossed_posterior), "human", "associated")
