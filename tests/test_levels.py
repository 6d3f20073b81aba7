"""Rows of a frame by level."""

from __future__ import annotations

import pandas as pd
import pytest
from xarray import DataTree

import bayesbias as bb
from bayesbias.tables.levels import LEVELS, at_level


def test_levels_are_a_partition_of_a_frame(crossed_posterior: DataTree) -> None:
    frame = bb.contrasts(crossed_posterior)
    joined = pd.concat([at_level(frame, level) for level in LEVELS], ignore_index=True)
    pd.testing.assert_frame_equal(joined, frame)


def test_selected_words_are_refused(crossed_posterior: DataTree) -> None:
    with pytest.raises(ValueError, match="pass the whole posterior, and select rows of the frame"):
        bb.contrasts(crossed_posterior.sel(protected_word=["hers", "he"]))
