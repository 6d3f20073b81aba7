"""Rows of a frame by level."""

from __future__ import annotations

import pandas as pd
from xarray import DataTree

import bayesbias as bb
from bayesbias.tables.levels import LEVELS, at_level


def test_levels_are_a_partition_of_a_frame(crossed_posterior: DataTree) -> None:
    frame = bb.contrasts(crossed_posterior)
    joined = pd.concat([at_level(frame, level) for level in LEVELS], ignore_index=True)
    pd.testing.assert_frame_equal(joined, frame)


def test_selected_words_keep_their_contrasts(
    crossed_posterior: DataTree,
) -> None:
    words = ["hers", "he"]
    chosen = crossed_posterior.sel(protected_word=words)
    whole = bb.contrasts(crossed_posterior).query("protected_word in @words").drop(columns="p_most")
    part = at_level(bb.contrasts(chosen), "word").drop(columns="p_most")  # of fewer words
    keys = ["protected_word", "first", "second"]
    pd.testing.assert_frame_equal(
        part.sort_values(keys, ignore_index=True), whole.sort_values(keys, ignore_index=True)
    )
